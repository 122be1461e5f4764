package analysis

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
	RuleForty         Rule = "forty_pieces"   // no more pieces than a set has, and all of them
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

// A Profile says what makes a problem sound.
type Profile struct {
	Name  string
	rules []profileRule
}

type profileRule struct {
	rule     Rule
	severity Severity
}
