package record

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
)

// A Language is one that comments are written in.
type Language uint8

const (
	Japanese Language = iota
	English
)

// texts write the comments of a record.
type texts struct{ language Language }

// say returns the text of the language.
func (t texts) say(ja, en string) string {
	if t.language == English {
		return en
	}
	return ja
}

// sayf is say with the same values for both.
func (t texts) sayf(ja, en string, values ...any) string {
	return fmt.Sprintf(t.say(ja, en), values...)
}

// move writes a move that is legal in p: in English in USI.
func (t texts) move(p *shogi.Position, m shogi.Move) string {
	if t.language == English {
		return m.String()
	}
	return string(notation.AppendJapanese(nil, p, m, shogi.NoSquare))
}

// plies writes a length.
func (t texts) plies(i length.Interval) string {
	switch {
	case i.IsExact():
		return t.sayf("%d手", "%d plies", i.High)
	case !i.IsMate():
		return t.sayf("%d手以上", "%d plies or more", i.Low)
	case i.Low <= 1:
		return t.sayf("%d手以内", "at most %d plies", i.High)
	}
	return t.sayf("%d手以上%d手以下", "%d to %d plies", i.Low, i.High)
}

// head writes the comments on the position: what the problem comes to, and in one line that is the
// same in every language, by which rules and by which program.
func (t texts) head(a *analysis.Analysis, start *shogi.Position, version string) []string {
	var raw, books *length.Interval
	for i := range a.Lengths {
		switch l := &a.Lengths[i]; l.Policy {
		case length.F0:
			raw = &l.Interval
		case a.Policy:
			books = &l.Interval
		}
	}
	if a.Policy == length.F0 {
		books = raw
	}
	var lines []string
	switch {
	case a.Verdict == solver.NoMate:
		lines = append(lines, t.say("不詰。何手かけても詰まないことを証明済み。",
			"No mate, at any length: proven."))
	case a.Verdict != solver.Mate:
		lines = append(lines, t.say("詰むかどうか不明。",
			"It is not known whether there is a mate."))
	case books != nil:
		line := t.sayf("%s詰", "Mate in %s", t.plies(*books))
		if a.Policy != length.F0 {
			line += t.say("(無駄合を数えず)", " (futile interpositions not counted)")
			if raw != nil && *raw != *books {
				line += t.sayf("。すべての合駒を数えると%s", "; %s counting every move",
					t.plies(*raw))
			}
		}
		lines = append(lines, line+t.say("。", "."))
	}
	if a.Verdict == solver.Mate {
		lines = append(lines, t.sound(a, start))
	}
	facts := "policy " + a.Policy.String()
	if a.Profile != nil {
		facts += ", profile " + a.Profile.Name
	}
	if books != nil && a.Policy != length.F0 {
		facts += ", L" + a.Policy.String()[1:] + " " + number(*books)
	}
	if raw != nil {
		facts += ", L0 " + number(*raw)
	}
	return append(lines, facts+", sound "+a.Sound.String()+", "+version)
}

// number writes a length without words.
func number(i length.Interval) string {
	switch {
	case !i.IsMate() && i.IsExact():
		return "none"
	case i.IsExact():
		return fmt.Sprint(i.High)
	case !i.IsMate():
		return fmt.Sprintf("%d..", i.Low)
	}
	return fmt.Sprintf("%d..%d", i.Low, i.High)
}

// sound says whether the problem is sound: never that there is no cook without the number of checks
// that were refuted, and never that it is sound while anything is open.
func (t texts) sound(a *analysis.Analysis, start *shogi.Position) string {
	switch a.Sound {
	case analysis.Yes:
		others := 0
		for i := range a.Attack {
			others += a.Attack[i].Checks - 1
		}
		return t.sayf("完全：余詰なし(他の王手%d通りを確認)。",
			"Sound: no cook (all %d other checks looked at).", others)
	case analysis.No:
		var broken []string
		for _, r := range a.Rules {
			if r.Holds == analysis.No && r.Severity == analysis.Fail {
				w := ruleWords[r.Rule]
				broken = append(broken, t.say(w[0], w[1]))
			}
		}
		if len(broken) == 0 {
			return t.say("不完全。", "Not sound.")
		}
		return t.sayf("不完全：%s。", "Not sound: %s.", strings.Join(broken, t.say("、", ", ")))
	}
	if len(a.Remaining) == 0 {
		return t.say("完全かどうか未確認。", "Not known to be sound.")
	}
	p, first := *start, a.Remaining[0]
	for _, m := range a.Line.Moves[:min(max(first.Ply-1, 0), len(a.Line.Moves))] {
		p.Do(m)
	}
	return t.sayf("完全かどうか未確認：未確認の手が%d通り(%d手目%sなど)。",
		"Not known to be sound: %d moves not decided (ply %d: %s, …).",
		len(a.Remaining), first.Ply, t.move(&p, first.Move))
}

// ruleWords say in Japanese and English what is wrong where a rule is broken.
var ruleWords = map[analysis.Rule][2]string{
	analysis.RuleMate:          {"不詰", "no mate"},
	analysis.RuleLeftover:      {"駒余り", "pieces left over"},
	analysis.RuleCook:          {"余詰", "cook"},
	analysis.RuleTransposition: {"手順前後", "transposition"},
	analysis.RuleLastMove:      {"最終手余詰", "last-move dual"},
	analysis.RulePromotion:     {"成・不成非限定", "promotion dual"},
	analysis.RuleDistance:      {"打ち場所非限定", "distance dual"},
	analysis.RuleOrigin:        {"動かす駒非限定", "origin dual"},
	analysis.RuleDetour:        {"迂回手順", "detour"},
	analysis.RuleEqual:         {"変同", "equal variation"},
	analysis.RuleLonger:        {"変長", "longer variation"},
	analysis.RuleEarly:         {"早詰", "early mate"},
	analysis.RuleSideMate:      {"変別", "side mate"},
	analysis.RuleMirror:        {"左右対称の別手順", "mirror twin"},
	analysis.RuleIdle:          {"無駄駒", "idle piece"},
	analysis.RuleHands:         {"玉方の持駒が残り全部でない", "the defender does not hold the rest"},
	analysis.RuleOneKing:       {"双玉", "two kings"},
	analysis.RuleNotInCheck:    {"攻方の玉に王手がかかっている", "the attacker's king is in check"},
}

// classWords name the classes of checks. The first word is what a program that shows a check as a
// variation needs to say.
var classWords = map[analysis.CheckClass][2]string{
	analysis.Try:           {"紛れ", "try"},
	analysis.Mirror:        {"左右対称", "mirror"},
	analysis.Detour:        {"迂回手順", "detour"},
	analysis.LastMove:      {"最終手余詰", "last-move dual"},
	analysis.DualMove:      {"非限定", "dual"},
	analysis.Transposition: {"手順前後", "transposition"},
	analysis.Early:         {"早詰", "early mate"},
	analysis.Cook:          {"余詰", "cook"},
}

// dualWords say what of a move does not matter.
var dualWords = map[analysis.Dual][2]string{
	analysis.Promotion:    {"成・不成", "promotion"},
	analysis.DistanceDrop: {"打ち場所", "square of the drop"},
	analysis.DistanceMove: {"動かす距離", "distance of the move"},
	analysis.Origin:       {"動かす駒", "piece that moves"},
	analysis.Side:         {"位置", "square"},
}

// check says what another check is.
func (t texts) check(o *analysis.OtherCheck) string {
	w, ok := classWords[o.Class]
	switch {
	case !ok && o.Verdict != solver.Mate:
		return t.say("未確認", "not decided")
	case !ok:
		w = [2]string{"余詰か未確認", "mates; not decided whether it is a cook"}
	}
	var details []string
	if d, ok := dualWords[o.Dual]; ok {
		details = append(details, t.say(d[0], d[1]))
		if o.Class == analysis.DualMove && o.SamePlay != analysis.Yes {
			details = append(details, t.say("以下同じかは未確認",
				"not decided whether the play is the same"))
		}
	}
	if o.Verdict == solver.Mate && o.Length.IsMate() && o.Class != analysis.DualMove {
		details = append(details, t.plies(o.Length))
	}
	if o.Raw {
		details = append(details, t.say("無駄合も数えた手順", "futile drops counted"))
	}
	return t.with(t.say(w[0], w[1]), details)
}

// with writes details after a word.
func (t texts) with(word string, details []string) string {
	if len(details) == 0 {
		return word
	}
	return word + " (" + strings.Join(details, t.say("、", ", ")) + ")"
}

// replyWords name the kinds of replies.
var replyWords = map[analysis.ReplyKind][2]string{
	analysis.ReplyUnknown:       {"未確認", "not decided"},
	analysis.EqualReply:         {"変同", "equal variation"},
	analysis.EqualLeftoverReply: {"同手数駒余り", "as long, pieces left over"},
	analysis.ShorterReply:       {"変化", "variation"},
	analysis.LongerReply:        {"変長", "longer variation"},
	analysis.EscapeReply:        {"不詰", "no mate"},
}

// reply says what another reply is.
func (t texts) reply(a *analysis.Analysis, r *analysis.Reply) string {
	w := replyWords[r.Kind]
	var details []string
	switch r.Kind {
	case analysis.ShorterReply:
		details = append(details, t.plies(r.Length))
	case analysis.LongerReply:
		if a.Author != nil && r.Length.IsExact() && r.Length.High > a.Author.Plies {
			details = append(details, t.sayf("作意より%d手長い",
				"%d plies longer than the author's line", r.Length.High-a.Author.Plies))
		} else {
			details = append(details, t.plies(r.Length))
		}
	}
	if !r.Leftover.IsEmpty() {
		details = append(details, t.leftover(r.Leftover))
	}
	if r.Raw {
		details = append(details, t.say("無駄合も数えた手順", "futile drops counted"))
	}
	return t.with(t.say(w[0], w[1]), details)
}

// leftover says what is left in the attacker's hand.
func (t texts) leftover(h shogi.Hand) string {
	if t.language == Japanese {
		names := strings.TrimRight(string(notation.AppendHand(nil, h)), "　")
		return strings.ReplaceAll(names, "　", "・") + "余り"
	}
	return h.String() + " left over"
}

// moves writes moves from one position.
func (t texts) moves(p *shogi.Position, moves []shogi.Move) string {
	names := make([]string, len(moves))
	for i, m := range moves {
		names[i] = t.move(p, m)
	}
	return strings.Join(names, t.say("、", ", "))
}

// same names moves after which the play is the same.
func (t texts) same(p *shogi.Position, moves []shogi.Move) string {
	return t.sayf("%sも同じ", "likewise %s", t.moves(p, moves))
}

// mates names the moves that mate at once after the replies that are not shown, each in its
// position.
func (t texts) mates(positions []shogi.Position, moves []shogi.Move) string {
	var names []string
	for i, m := range moves {
		if name := t.move(&positions[i], m); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return t.sayf("他は%sまで", "other replies: %s mates", strings.Join(names, t.say("、", ", ")))
}

// futile says which drops are futile.
func (t texts) futile(p *shogi.Position, drops []shogi.Move) string {
	if len(drops) == 1 {
		return t.sayf("無駄合 (%s)", "futile drop (%s)", t.move(p, drops[0]))
	}
	return t.sayf("無駄合%d通り (%sなど)", "%d futile drops (%s, …)",
		len(drops), t.move(p, drops[0]))
}

// reference says where a position is shown.
func (t texts) reference(where place) string {
	if where.main {
		return t.sayf("(本手順の%d手目と同じ)", "(as after ply %d of the main line)", where.ply)
	}
	return t.sayf("(%d手目の変化と同じ)", "(as in the variation at ply %d)", where.ply)
}

// sideMate says what a second mate in a variation is.
func (t texts) sideMate(m *analysis.SideMate) string {
	return t.with(t.say("変別", "side mate"), []string{t.plies(m.Length)})
}

// author says what the author's line is.
func (t texts) author(a *analysis.Author) string {
	w, ok := map[analysis.AuthorFinding][2]string{
		analysis.NoMateAfter:  {"不詰の応手あり", "a reply escapes"},
		analysis.IsLonger:     {"変長", "the defender can last longer"},
		analysis.IsEarly:      {"早詰", "there is a shorter mate"},
		analysis.PrefersEqual: {"変同", "the defender can last as long without leftovers"},
	}[a.Finding]
	if !ok {
		return t.say("作意", "the author's line")
	}
	return t.with(t.say("作意", "the author's line"), []string{t.say(w[0], w[1])})
}

// leftOut says how many variations are not shown.
func (t texts) leftOut(n int) string { return t.sayf("…他%d件", "…and %d more variations", n) }
