package analysis

import (
	"cmp"
	"fmt"
	"iter"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/length"
)

// A Rule is what a sound problem must not have, or what a report says about one.
type Rule string

// The rules. The names are stable: they appear in answers.
const (
	RuleMate          Rule = "mate"           // it mates
	RuleLeftover      Rule = "leftover"       // nothing is left over
	RuleCook          Rule = "cook"           // no cook
	RuleTransposition Rule = "transposition"  // no transposition
	RuleLastMove      Rule = "last_move"      // no second mating move
	RulePromotion     Rule = "dual_promotion" // it matters whether a move promotes
	RuleDistance      Rule = "dual_distance"  // the square of a drop or move on a line matters
	RuleOrigin        Rule = "dual_origin"    // it matters which piece moves
	RuleDetour        Rule = "detour"         // no detour
	RuleEqual         Rule = "equal"          // no equal variation
	RuleLonger        Rule = "longer"         // no variation is longer than the author's line
	RuleEarly         Rule = "early"          // no mate is shorter than the author's line
	RuleSideMate      Rule = "side_mate"      // no side mate
	RuleMirror        Rule = "mirror"         // no mirror twin
	RuleIdle          Rule = "idle"           // no idle piece
	RuleHands         Rule = "hands"          // the defender holds all the rest
	RuleOneKing       Rule = "one_king"       // one king on the board
	RuleNotInCheck    Rule = "not_in_check"   // the attacker's king is not in check
)

// A Severity is what a profile makes of a broken rule.
type Severity uint8

const (
	Allowed Severity = iota // nothing
	Note                    // worth a word
	Fail                    // a defect
)

// String returns "allowed", "note" or "fail".
func (s Severity) String() string { return [...]string{"allowed", "note", "fail"}[s] }

// A RuleResult is what the problem comes to under one rule of the profile.
type RuleResult struct {
	Rule     Rule
	Severity Severity // what the profile makes of it if it is broken
	Holds    Answer   // No: it is broken, at Places
	Places   []Place
}

// A Profile says what makes a problem sound. It changes no fact.
type Profile struct {
	Name  string
	rules []profileRule
}

type profileRule struct {
	rule     Rule
	severity Severity
}

// The profiles.
var (
	// Strict is for authors: everything is determined.
	Strict = &Profile{"strict", []profileRule{
		{RuleMate, Fail}, {RuleLeftover, Fail}, {RuleCook, Fail}, {RuleTransposition, Fail}, {RuleEarly, Fail},
		{RuleLonger, Fail}, {RuleLastMove, Fail}, {RulePromotion, Fail}, {RuleDistance, Fail}, {RuleOrigin, Fail},
		{RuleDetour, Fail}, {RuleEqual, Note}, {RuleSideMate, Note}, {RuleMirror, Note}, {RuleIdle, Note},
		{RuleHands, Fail}, {RuleOneKing, Note}, {RuleNotInCheck, Fail}}}
	// Magazine is the custom of magazines, the default.
	Magazine = &Profile{"magazine", []profileRule{
		{RuleMate, Fail}, {RuleLeftover, Fail}, {RuleCook, Fail}, {RuleTransposition, Fail}, {RuleEarly, Fail},
		{RuleLonger, Fail}, {RuleLastMove, Note}, {RulePromotion, Note}, {RuleDistance, Note}, {RuleOrigin, Fail},
		{RuleDetour, Note}, {RuleEqual, Note}, {RuleSideMate, Allowed}, {RuleMirror, Allowed}, {RuleIdle, Note},
		{RuleHands, Fail}, {RuleOneKing, Note}, {RuleNotInCheck, Fail}}}
	// App is after the submission rules of a large site for phones.
	App = &Profile{"app", []profileRule{
		{RuleMate, Fail}, {RuleLeftover, Fail}, {RuleCook, Fail}, {RuleTransposition, Fail}, {RuleEarly, Fail},
		{RuleLonger, Fail}, {RuleLastMove, Note}, {RulePromotion, Note}, {RuleDistance, Allowed}, {RuleOrigin, Fail},
		{RuleDetour, Fail}, {RuleEqual, Note}, {RuleSideMate, Allowed}, {RuleMirror, Allowed}, {RuleIdle, Fail},
		{RuleHands, Note}, {RuleOneKing, Fail}, {RuleNotInCheck, Fail}}}
)

// Profiles are all of them.
var Profiles = []*Profile{Strict, Magazine, App}

// ParseProfile returns the profile of a name.
func ParseProfile(name string) (*Profile, error) {
	for _, p := range Profiles {
		if p.Name == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("analysis: %.20q is no profile; there are strict, magazine and app", name)
}

// classRules are the rules that a class of checks breaks.
var classRules = map[CheckClass]Rule{Cook: RuleCook, Early: RuleEarly, Transposition: RuleTransposition,
	Detour: RuleDetour, Mirror: RuleMirror, LastMove: RuleLastMove}

// dualRules are the rules that duals break.
var dualRules = map[Dual]Rule{Promotion: RulePromotion, DistanceDrop: RuleDistance, DistanceMove: RuleDistance,
	Origin: RuleOrigin}

// Judge holds the report against the rules of the profile: it finds Rules and Sound by the other facts.
// Analyze has done so; it is for who reads a report from elsewhere.
func (a *Analysis) Judge() {
	a.Rules = nil
	for _, r := range a.Profile.rules {
		result := RuleResult{Rule: r.rule, Severity: r.severity}
		a.hold(&result)
		a.Rules = append(a.Rules, result)
	}
	a.Sound = Yes
	for _, r := range a.Rules {
		switch {
		case r.Severity != Fail:
		case r.Holds == No:
			a.Sound = No
		case r.Holds == Unknown && a.Sound == Yes:
			a.Sound = Unknown
		}
	}
}

// hold sets what the problem comes to under the rule of r.
func (a *Analysis) hold(r *RuleResult) {
	p := &a.Position
	switch r.Rule {
	case RuleMate:
		r.Holds = [...]Answer{solver.Unknown: Unknown, solver.Mate: Yes, solver.NoMate: No}[a.Verdict]
		if a.Author != nil && a.Author.Finding == NoMateAfter {
			r.Holds, r.Places = No, a.Author.Places
		}
	case RuleHands:
		r.Holds = answer(p.Missing() == 0)
	case RuleOneKing:
		r.Holds = answer(p.King(a.Attacker) == shogi.NoSquare)
	case RuleNotInCheck:
		r.Holds = answer(!p.InCheck())
	case RuleLeftover:
		switch a.Leftover.Class {
		case LeftoverNone:
			r.Holds = Yes
		case LeftoverForced:
			r.Holds = No
		case LeftoverAvoidable:
			// Only who wants everything determined minds.
			if r.Holds = No; a.Profile != Strict {
				r.Severity = Note
			}
		}
	case RuleEqual, RuleLonger:
		a.holdDefence(r)
	case RuleSideMate:
		if a.Parts&SideMates != 0 {
			r.Holds = answer(len(a.SideMates) == 0)
			for _, m := range a.SideMates {
				r.Places = append(r.Places, Place{Ply: m.At, Move: m.Move})
			}
		}
	case RuleIdle:
		a.holdEconomy(r)
	default:
		a.holdAttack(r)
	}
}

// severity returns what the profile makes of a rule if it is broken.
func (a *Analysis) severity(rule Rule) Severity {
	for _, r := range a.Profile.rules {
		if r.rule == rule {
			return r.severity
		}
	}
	return Allowed
}

func answer(yes bool) Answer {
	if yes {
		return Yes
	}
	return No
}

// holdDefence is hold for the rules about the defender's replies.
func (a *Analysis) holdDefence(r *RuleResult) {
	kind := EqualReply
	if r.Rule == RuleLonger {
		if a.Author == nil {
			r.Holds = Yes // nobody said how long it is
			return
		}
		kind = LongerReply
		if a.Author.Finding == IsLonger {
			r.Holds, r.Places = No, a.Author.Places
			return
		}
	}
	if a.Parts&Defence == 0 || len(a.Defence) == 0 {
		return
	}
	r.Holds = Yes
	for _, n := range a.Defence {
		if n.Ply == 0 { // not yet looked at
			r.Holds = Unknown
		}
		for _, reply := range n.Replies {
			switch {
			case reply.Kind == kind:
				r.Holds = No
				r.Places = append(r.Places, Place{Ply: n.Ply, Move: reply.Move})
			case reply.Kind == ReplyUnknown && r.Holds == Yes:
				r.Holds = Unknown
			}
		}
	}
}

// holdEconomy is hold for idle pieces.
func (a *Analysis) holdEconomy(r *RuleResult) {
	if len(a.Economy) == 0 {
		return
	}
	r.Holds = Yes
	for _, piece := range a.Economy {
		switch {
		case piece.Idle == Yes:
			r.Holds = No
		case piece.Idle == Unknown && r.Holds == Yes:
			r.Holds = Unknown
		}
	}
}

// holdAttack is hold for the rules about the attacker's other checks.
func (a *Analysis) holdAttack(r *RuleResult) {
	if r.Rule == RuleEarly && a.Author != nil && a.Author.Finding == IsEarly {
		r.Holds, r.Places = No, a.Author.Places
		return
	}
	if len(a.Attack) == 0 {
		return
	}
	r.Holds = Yes
	plies := a.lineLength()
	for line, n := range a.AttackNodes() {
		last := n.Ply == plies
		for i := range n.Others {
			c := &n.Others[i]
			switch {
			case a.Breaks(c) == r.Rule:
				r.Holds = No
				r.Places = append(r.Places, Place{n.Ply, c.Move, line})
			case mayBreak(c, last, plies, r.Rule) && r.Holds == Yes:
				r.Holds = Unknown
			}
		}
	}
	if a.EqualLeft > 0 && r.Holds == Yes {
		r.Holds = Unknown // which line is the main one must not matter
	}
	if r.Rule == RuleLastMove && plies == 1 && r.Severity == Note {
		r.Severity = Fail // it is the first move, too
	}
	if a.Line.Raw && r.Holds == Yes {
		r.Holds = Unknown // the line looked at is not the main line for certain
	}
}

// AttackNodes yields the attack nodes of the main line and of the equal lines, with the Place.Line of
// their moves.
func (a *Analysis) AttackNodes() iter.Seq2[int, *AttackNode] {
	return func(yield func(int, *AttackNode) bool) {
		for i := range a.Attack {
			if !yield(0, &a.Attack[i]) {
				return
			}
		}
		for line := range a.EqualLines {
			for i := range a.EqualLines[line].Attack {
				if !yield(line+1, &a.EqualLines[line].Attack[i]) {
					return
				}
			}
		}
	}
}

// Breaks returns the rule that a check breaks as far as it is classified, "" for none.
func (a *Analysis) Breaks(c *OtherCheck) Rule {
	isDual := c.Class == DualMove ||
		c.Class == LastMove && a.lineLength() == 1 && dualRules[c.Dual] != "" && c.SamePlay == Yes
	if isDual {
		return dualRules[c.Dual]
	}
	return classRules[c.Class]
}

// mayBreak reports whether a check of which not all is known may turn out to break a rule.
func mayBreak(c *OtherCheck, last bool, plies int, rule Rule) bool {
	switch {
	case c.Class == DualMove && c.SamePlay == Unknown:
		return rule == RuleCook || rule == RuleTransposition
	case c.Class != CheckUnknown:
		return false
	case last: // whatever mates there is a second mating move, or a detour
		return rule == RuleLastMove || rule == RuleDetour || rule == RuleMirror || plies == 1
	}
	return rule != RuleLastMove
}

// hasDefect reports whether what is known breaks a rule of the profile.
func (w *work) hasDefect() bool {
	w.a.Judge()
	return w.a.Sound == No
}

// conclude finishes the report.
func (w *work) conclude() {
	w.log.begin(w.a.Repeatable && w.ctx.Err() == nil)
	a := w.a
	a.Remaining, a.NoMateWithin = nil, 0
	within := length.Unbounded
	for line, n := range a.AttackNodes() {
		for i := range n.Others {
			c := &n.Others[i]
			switch {
			case c.Class != CheckUnknown && (c.Class != DualMove || c.SamePlay != Unknown):
				continue
			case c.Verdict == solver.Unknown:
				within = min(within, c.NoMateWithin)
			}
			w.open(cmp.Or(c.Reason, solver.ReasonNodes))
			if c.Reason != solver.ReasonSettled {
				a.Remaining = append(a.Remaining, Place{n.Ply, c.Move, line})
			}
		}
	}
	if within < length.Unbounded {
		a.NoMateWithin = within
	}
	for _, n := range a.Defence {
		for _, r := range n.Replies {
			if r.Kind == ReplyUnknown {
				a.Remaining = append(a.Remaining, Place{Ply: n.Ply, Move: r.Move})
			}
		}
	}
	if a.EqualLeft > 0 {
		w.open(solver.ReasonNodes)
	}
	a.Judge()
}
