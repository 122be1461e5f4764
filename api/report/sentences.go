package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
)

// Sentences returns the whole report: missing pieces, length, soundness, the author's line, pieces
// left over, and then the moves that an author or editor has to know of.
func (w *Writer) Sentences() []Text {
	all := append(w.Missing(), w.Head())
	if w.a.Verdict == solver.Mate {
		all = append(all, w.Sound())
	}
	all = append(all, w.Told()...)
	all = append(all, w.Author()...)
	all = append(all, w.Leftover()...)
	for line, n := range w.a.AttackNodes() {
		all = append(all, w.InLine(line).checkSentences(n)...)
	}
	all = append(all, w.More()...)
	for i := range w.a.Defence {
		n := &w.a.Defence[i]
		for j := range n.Replies {
			switch n.Replies[j].Kind {
			case analysis.EqualReply, analysis.LongerReply, analysis.EscapeReply, analysis.ReplyUnknown:
				all = append(all, w.replyText(n, &n.Replies[j]))
			}
		}
	}
	return all
}

// Findings returns the moves that somebody who solves the problem may not expect: cooks and other
// checks that break it, and in full also duals, detours, equal, escaping and futile replies.
func (w *Writer) Findings(full bool) (all []Item) {
	for line, n := range w.a.AttackNodes() {
		for j := range n.Others {
			o := &n.Others[j]
			switch o.Class {
			case analysis.Try, analysis.CheckUnknown:
				continue
			case analysis.Mirror, analysis.Detour, analysis.LastMove, analysis.DualMove:
				if !full {
					continue
				}
			}
			all = append(all, w.InLine(line).Check(n, o))
		}
	}
	if !full {
		return all
	}
	for i := range w.a.Defence {
		n := &w.a.Defence[i]
		for j := range n.Replies {
			switch r := &n.Replies[j]; r.Kind {
			case analysis.EqualReply, analysis.EqualLeftoverReply, analysis.EscapeReply,
				analysis.FutileReply:
				all = append(all, w.Reply(n, r))
			}
		}
	}
	return all
}

// Head says the length of the problem, or that it has no mate, or that this is not decided.
func (w *Writer) Head() Text {
	a := w.a
	switch {
	case a.Verdict == solver.NoMate:
		return Text{"不詰：詰まない", "no mate"}
	case a.Verdict == solver.Unknown:
		return because(Text{"詰むかどうか未確認", "not decided whether it mates"}, a.Reason)
	}
	by, known := a.LengthUnder(a.Policy)
	raw, rawKnown := a.LengthUnder(length.F0)
	if !known {
		return Text{"詰む（手数は未確認）", "mates (the length is not known yet)"}
	}
	t := lengthText(by)
	if a.Policy == length.F0 {
		return Text{t.Ja + "（すべての合駒を数えて）", t.En + " (every move counted)"}
	}
	if rawKnown && raw == by && raw.IsExact() {
		return t // however it is counted
	}
	t.Ja += "（無駄合を除く）"
	t.En += " (futile interpositions not counted)"
	if rawKnown && raw.IsMate() {
		n := plies(raw)
		t.Ja += "。すべての合駒を数えると" + n.Ja
		t.En += "; " + n.En + " counting every move"
	}
	return t
}

// lengthText says the length of a mate as the headline of a report.
func lengthText(i length.Interval) Text {
	switch n := plies(i); {
	case i.IsExact():
		return Text{n.Ja + "詰", "mate in " + count(i.High, "ply", "plies")}
	case i.IsMate():
		return Text{n.Ja + "で詰み", n.En + " plies"}
	default:
		return Text{n.Ja + "で詰み", "mate in " + n.En + " plies"}
	}
}

// plies says a length: in Japanese with the unit, in English without it.
func plies(i length.Interval) Text {
	switch {
	case i.IsExact():
		return Text{fmt.Sprintf("%d手", i.Low), fmt.Sprint(i.Low)}
	case i.IsMate():
		return Text{fmt.Sprintf("%d手以上%d手以下", i.Low, i.High),
			fmt.Sprintf("between %d and %d", i.Low, i.High)}
	}
	return Text{fmt.Sprintf("%d手以上", i.Low), fmt.Sprintf("%d or more", i.Low)}
}

// Sound says whether the problem is sound under its profile: if it is, with the number of checks
// that were decided, and if that is open, with what remains to be decided.
func (w *Writer) Sound() Text {
	a := w.a
	switch a.Sound {
	case analysis.Yes:
		return w.soundText()
	case analysis.No:
		if w.isShortOnly() {
			return w.shortText()
		}
		return colon(unsound, join(w.broken(), "、", ", "))
	}
	return w.openText()
}

// openText says why it is open whether the problem is sound.
func (w *Writer) openText() Text {
	a := w.a
	switch {
	case len(a.Remaining) > 0:
		return w.remainingText()
	case a.EqualLeft > 0:
		return Text{"完全かどうか未確認（調べていない変同あり）",
			"not decided whether it is sound (there are equal lines that were not looked along)"}
	}
	t := Text{"完全かどうか未確認", "not decided whether it is sound"}
	if _, _, open := w.countChecks(); open > 0 {
		t = Text{fmt.Sprintf("未確認の王手が%d通り", open), count(open, "check", "checks") + " not decided"}
	}
	return because(t, a.Reason)
}

// isShortOnly reports whether the problem has no known defect but that pieces are missing, of which
// Missing says what it would be with them.
func (w *Writer) isShortOnly() bool {
	return w.a.Completed != nil && !slices.ContainsFunc(w.a.Rules, func(r analysis.RuleResult) bool {
		return r.Rule != analysis.RuleHands && ruleMark(&r) == Fail
	})
}

// shortText is Sound for such a problem.
func (w *Writer) shortText() Text {
	for i := range w.a.Rules {
		if r := &w.a.Rules[i]; r.Severity == analysis.Fail && r.Holds == analysis.Unknown {
			t := w.openText()
			return Text{"図のままでは駒が不足。" + t.Ja, "as it stands, pieces are missing; " + t.En}
		}
	}
	return Text{"図のままでは駒が不足（ほかに欠陥なし）", "as it stands, pieces are missing (no other defect)"}
}

// Missing says what is missing from the set, and what the problem is with that in the defender's hand;
// nothing if that is not known.
func (w *Writer) Missing() []Text {
	if w.a.Completed == nil {
		return nil
	}
	hand, ja, en, them := w.a.Position.Missing(), "", "", "it"
	if hand.Len() > 1 {
		them = "them"
	}
	if ja, en = heldText(hand); hand.Len() > 4 {
		ja, en = fmt.Sprintf("駒%d枚", hand.Len()), fmt.Sprintf("%d pieces are", hand.Len())
	} else if hand.Len() == 1 {
		ja, en = ja+"1枚", "one "+strings.TrimPrefix(en, "a ")
	}
	rest := join(w.Completed(), "。", "; ")
	return []Text{{ja + "が足りない。玉方の持駒に加えると：" + rest.Ja,
		fmt.Sprintf("%s missing; with %s in the defender's hand: %s", en, them, rest.En)}}
}

// Completed says what the problem is with the missing pieces in the defender's hand: its length and
// whether it is sound. There must be an answer to that.
func (w *Writer) Completed() []Text {
	c := w.a.Completed
	a := &analysis.Analysis{Position: c.Position, Attacker: w.a.Attacker, Policy: w.a.Policy,
		Profile: w.a.Profile, Verdict: c.Verdict, Sound: c.Sound, Lengths: c.Lengths, Reason: c.Reason,
		Attack: []analysis.AttackNode{{Fail: c.Decided - c.Mate, Mate: c.Mate, Open: c.Open}}}
	for _, rule := range c.Broken {
		a.Rules = append(a.Rules, analysis.RuleResult{Rule: rule, Severity: analysis.Fail, Holds: analysis.No})
	}
	with := Of(a)
	if c.Verdict != solver.Mate {
		return []Text{with.Head()}
	}
	return []Text{with.Head(), with.Sound()}
}

// More says how many other checks are known to mate, of a problem that is not sound anyway, and were
// not looked at further; nothing if there are none.
func (w *Writer) More() []Text {
	n := w.settled()
	if n == 0 {
		return nil
	}
	return []Text{{fmt.Sprintf("ほかにも%d通りの王手で詰む", n), count(n, "more check mates", "more checks mate") + " too"}}
}

// settled counts the checks that mate and were not looked at further.
func (w *Writer) settled() (n int) {
	for _, node := range w.a.AttackNodes() {
		for i := range node.Others {
			if isSettled(&node.Others[i]) && node.Others[i].Verdict == solver.Mate {
				n++
			}
		}
	}
	return n
}

// isSettled reports whether a check was not looked at further, since enough cooks were known.
func isSettled(o *analysis.OtherCheck) bool {
	return o.Class == analysis.CheckUnknown && o.Reason == solver.ReasonSettled
}

// broken names the defects by the rules that are broken.
func (w *Writer) broken() (all []Text) {
	for i := range w.a.Rules {
		if r := &w.a.Rules[i]; ruleMark(r) == Fail && !w.isShort(r) {
			all = append(all, nameOf(r.Rule).broken)
		}
	}
	return all
}

// isShort reports whether a rule is the one about missing pieces, and Missing says more.
func (w *Writer) isShort(r *analysis.RuleResult) bool {
	return r.Rule == analysis.RuleHands && w.a.Completed != nil
}

// unsound is what a problem with a defect is called.
var unsound = Text{"不完全", "not sound"}

// Defects says which rules are broken, and where.
func (w *Writer) Defects() Text {
	if w.isShortOnly() {
		return w.shortText()
	}
	var all []Text
	for i := range w.a.Rules {
		if r := &w.a.Rules[i]; ruleMark(r) == Fail && !w.isShort(r) {
			all = append(all, w.ruleText(r))
		}
	}
	return colon(unsound, join(all, "、", ", "))
}

// colon returns a text with another behind it, unless that is empty.
func colon(head, rest Text) Text {
	if rest.Ja == "" {
		return head
	}
	return Text{head.Ja + "：" + rest.Ja, head.En + ": " + rest.En}
}

// countChecks counts the checks besides the main moves: those that are decided, those of them that
// mate, and those that are open.
func (w *Writer) countChecks() (decided, mate, open int) {
	for _, n := range w.a.AttackNodes() {
		decided, mate, open = decided+n.Fail+n.Mate, mate+n.Mate, open+n.Open
	}
	return decided, mate, open
}

func (w *Writer) soundText() Text {
	n, mate, _ := w.countChecks()
	if mate == 0 {
		return Text{fmt.Sprintf("完全：余詰なし（全%d通りの王手を確認）", n),
			fmt.Sprintf("sound: no cook (all %d other checks refuted)", n)}
	}
	return Text{fmt.Sprintf("完全：余詰なし（全%d通りの王手を確認、うち%d通りは詰むが規定上は可）", n, mate),
		fmt.Sprintf("sound: no cook (all %d other checks decided; %d mate as well, which the "+
			"profile allows)", n, mate)}
}

// remainingText says how many moves are not decided, and names the first check among them, or the
// first reply if no check is. There must be one.
func (w *Writer) remainingText() Text {
	checks, replies := 0, 0
	first := w.a.Remaining[0]
	for _, p := range w.a.Remaining {
		if p.Ply%2 == 1 {
			if checks++; checks == 1 {
				first = p
			}
		} else {
			replies++
		}
	}
	at := w.InLine(first.Line)
	m := at.move(first.Ply, first.Move)
	where := at.InEqual(Text{fmt.Sprintf("%d手目%s", first.Ply, m.Ja), fmt.Sprintf("ply %d: %s", first.Ply, m.En)})
	ja, en := where.Ja, where.En
	what := Text{fmt.Sprintf("未確認の王手が%d通り", checks), count(checks, "check", "checks") + " not decided"}
	switch {
	case checks == 0:
		what = Text{fmt.Sprintf("未確認の応手が%d通り", replies),
			count(replies, "reply", "replies") + " not decided"}
	case replies > 0:
		what = Text{fmt.Sprintf("未確認の王手が%d通り、応手が%d通り", checks, replies),
			count(checks, "check", "checks") + " and " + count(replies, "reply", "replies") + " not decided"}
	}
	if len(w.a.Remaining) > 1 {
		ja, en = ja+"など", en+", …"
	}
	t := Text{what.Ja + "（" + ja + "）", what.En + " (" + en + ")"}
	if checks > 0 {
		t = w.noneWithin(t)
	}
	return t
}

// NoneWithin says that no check that is open mates within so many plies; nothing if that is not known.
func (w *Writer) NoneWithin() Text {
	if n := w.a.NoMateWithin; n > 0 {
		return textf("いずれも%d手以内では詰まない", "none of them mates within %d plies", n)
	}
	return Text{}
}

// noneWithin adds that to what is said about open checks.
func (w *Writer) noneWithin(t Text) Text {
	if more := w.NoneWithin(); more.Ja != "" {
		return Text{t.Ja + "。" + more.Ja, t.En + "; " + more.En}
	}
	return t
}

// count returns a number with the English noun in singular or plural.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// because adds a reason to a sentence.
func because(t Text, r solver.Reason) Text {
	if why, ok := reasons[r]; ok {
		return Text{t.Ja + "（" + why.Ja + "）", t.En + " (" + why.En + ")"}
	}
	return t
}

// Told says that the mate takes more or fewer plies than the text that the problem comes from says;
// nothing if that is not known.
func (w *Writer) Told() []Text {
	i := w.a.Length()
	if w.a.Told == 0 || w.a.Verdict != solver.Mate || i.Low <= w.a.Told && w.a.Told <= i.High {
		return nil
	}
	n := plies(i)
	return []Text{{fmt.Sprintf("手数が違う：%d手とあるが、%s", w.a.Told, n.Ja),
		fmt.Sprintf("another length than told: the text says %d, it is %s", w.a.Told, n.En)}}
}

// Author says how the author's line compares with best play; nothing if there is no such line.
func (w *Writer) Author() []Text {
	f := w.a.Author
	if f == nil {
		return nil
	}
	own := Along(w.a, f.Moves)
	switch f.Finding {
	case analysis.Agrees:
		return []Text{{"作意どおり", "the author's line is best play"}}
	case analysis.NoMateAfter:
		var all []Text
		for _, p := range f.Places {
			all = append(all, own.escape(p.Ply, p.Move))
		}
		return all
	case analysis.IsLonger:
		return []Text{{"作意より長い変化あり", "the defender lasts longer than the author's line"}}
	case analysis.IsEarly:
		return []Text{own.early(f)}
	case analysis.PrefersEqual:
		return []Text{{"作意と同手数で駒の余らない受けあり",
			"the defender can last as long as in the author's line with nothing left over"}}
	case analysis.Faulty:
		return []Text{colon(Text{"作意の手順に誤り", "the author's moves are no line to a mate"}, w.Fault())}
	}
	return []Text{{"作意との比較は未確認", "not decided how the author's line compares"}}
}

// Fault says why the author's moves are no line to a mate: at which ply, with which move. It is empty
// if they are one.
func (w *Writer) Fault() Text {
	f := w.a.Author
	if f == nil || f.Fault == analysis.NoFault || len(f.Places) == 0 {
		return Text{}
	}
	at := f.Places[0]
	before := Along(w.a, f.Moves[:min(at.Ply-1, len(f.Moves))])
	m := before.anyMove(at.Ply, at.Move)
	ply := Text{fmt.Sprintf("%d手目%s", at.Ply, m.Ja), fmt.Sprintf("ply %d, %s,", at.Ply, m.En)}
	switch f.Fault {
	case analysis.IllegalMove:
		var illegal *shogi.IllegalError
		if !errors.As(before.at[at.Ply-1].Illegal(at.Move), &illegal) {
			return Text{}
		}
		return Text{ply.Ja + "は指せない：" + illegal.Msg.Japanese(), ply.En + " is illegal: " + illegal.Msg.String()}
	case analysis.NoCheck:
		return Text{ply.Ja + "は王手でない", ply.En + " gives no check"}
	case analysis.DefenderLast:
		return Text{ply.Ja + "で終わり、攻方の手で詰んでいない", ply.En + " is the last, and the defender's"}
	}
	return Text{fmt.Sprintf("%d手目の局面は詰みでない（%sと応じられる）", at.Ply-1, m.Ja),
		fmt.Sprintf("after ply %d it is no mate: the defender has %s", at.Ply-1, m.En)}
}

// anyMove is move also for moves that are not legal.
func (w *Writer) anyMove(ply int, m shogi.Move) Text {
	t := w.move(ply, m)
	if t.Ja != m.String() || ply < 1 || ply > len(w.at) {
		return t
	}
	kind := m.Dropped()
	if !m.IsDrop() {
		kind = w.at[ply-1].Piece(m.From()).Type()
	}
	if kind == shogi.NoPieceType {
		return t
	}
	t.Ja = [...]string{shogi.Black: "▲", shogi.White: "△"}[w.at[ply-1].SideToMove()] + squareJa(m.To()) + kind.Japanese()
	switch {
	case m.IsDrop():
		t.Ja += "打"
	case m.IsPromotion():
		t.Ja += "成"
	}
	return t
}

func (w *Writer) early(f *analysis.Author) Text {
	n := Text{"短手数", "fewer plies"}
	switch l := w.a.Length(); {
	case l.IsExact():
		n = Text{fmt.Sprintf("%d手", l.High), fmt.Sprint(l.High)}
	case l.IsMate():
		n = Text{fmt.Sprintf("%d手以内", l.High), fmt.Sprintf("%d or fewer", l.High)}
	}
	t := Text{fmt.Sprintf("早詰：作意%d手、実際は%s", f.Plies, n.Ja),
		fmt.Sprintf("mates in %s, not in %d", n.En, f.Plies)}
	if len(f.Places) > 0 {
		m := w.move(f.Places[0].Ply, f.Places[0].Move)
		t.Ja += fmt.Sprintf("（%d手目%s）", f.Places[0].Ply, m.Ja)
		t.En += fmt.Sprintf(" (ply %d: %s)", f.Places[0].Ply, m.En)
	}
	return t
}

// escape says that there is no mate after a reply, and names the move before it.
func (w *Writer) escape(ply int, m shogi.Move) Text {
	reply := w.move(ply, m)
	if ply < 2 || ply > len(w.at) {
		return Text{"不詰：" + reply.Ja + "で逃れ", "no mate: " + reply.En + " escapes"}
	}
	before := w.move(ply-1, w.line[ply-2])
	return Text{fmt.Sprintf("不詰：%sに%sで逃れ", before.Ja, reply.Ja),
		fmt.Sprintf("no mate: after %s %s escapes", before.En, reply.En)}
}

// Leftover says what stays in the attacker's hand at the end; nothing if the hand is empty.
func (w *Writer) Leftover() []Text {
	a := w.a
	if a.Verdict != solver.Mate || len(a.Line.Moves) == 0 {
		return nil
	}
	switch a.Leftover.Class {
	case analysis.LeftoverForced:
		ja, en := heldText(a.Line.Leftover)
		if ja == "" {
			return []Text{{leftover.Ja, "pieces are always left over"}}
		}
		return []Text{{leftover.Ja + "：" + ja + "が余る", en + " always left over"}}
	case analysis.LeftoverAvoidable:
		return []Text{{"駒を余して詰ますこともできる", "pieces can be left over, but need not be"}}
	case analysis.LeftoverUnknown:
		return []Text{{"駒余りは未確認", "not decided whether pieces are left over"}}
	}
	return nil
}

// checkSentences says what an author has to know about the other checks at a node. Distance duals
// share one sentence.
func (w *Writer) checkSentences(n *analysis.AttackNode) []Text {
	var all []Text
	var squares []shogi.Square
	kind, open := analysis.NoDual, false
	for i := range n.Others {
		o := &n.Others[i]
		switch {
		case o.Class == analysis.Try:
		case o.Class == analysis.CheckUnknown && o.Verdict == solver.Unknown: // Sound counts these
		case isSettled(o): // and More these
		case o.Class == analysis.DualMove &&
			(o.Dual == analysis.DistanceDrop || o.Dual == analysis.DistanceMove):
			squares, kind = append(squares, o.Move.To()), o.Dual
			open = open || o.SamePlay == analysis.Unknown
		default:
			all = append(all, w.InEqual(w.checkText(n, o)))
		}
	}
	if len(squares) > 0 {
		all = append(all, w.InEqual(distance(n, kind, append(squares, n.Move.To()), open)))
	}
	return all
}

// Check returns the finding about another check.
func (w *Writer) Check(n *analysis.AttackNode, o *analysis.OtherCheck) Item {
	args := []any{"ply", n.Ply, o.Move}
	if o.Dual != analysis.NoDual {
		args = append(args, o.Dual)
	}
	switch {
	case o.Length.IsExact() && o.Length.IsMate():
		args = append(args, "mate", o.Length.High)
	case o.Length.IsMate():
		args = append(args, fmt.Sprintf("mate<=%d", o.Length.High))
	}
	return Item{o.Class.String(), args, w.checkMark(o), w.InEqual(w.checkText(n, o))}
}

func (w *Writer) checkText(n *analysis.AttackNode, o *analysis.OtherCheck) Text {
	m := w.move(n.Ply, o.Move)
	ja, en := fmt.Sprintf("%d手目%s", n.Ply, m.Ja), fmt.Sprintf("ply %d: %s", n.Ply, m.En)
	switch o.Class {
	case analysis.Try:
		if len(o.Line) > 1 {
			reply := w.moves(n.Ply, o.Line[:2]...)[1]
			return Text{ja + "は" + reply.Ja + "で逃れ", en + " fails to " + reply.En}
		}
		return Text{ja + "では詰まない", en + " does not mate"}
	case analysis.Mirror:
		return Text{ja + "は左右対称の同手順", en + " is the mirror image of the main move"}
	case analysis.Detour:
		return Text{ja + "は迂回手順（本手順に戻るだけ）", en + " only comes back to the main line"}
	case analysis.LastMove:
		return Text{"最終手は" + m.Ja + "でも詰み", "last ply: " + m.En + " mates as well"}
	case analysis.DualMove:
		return w.dual(n, o, m)
	case analysis.Transposition:
		ja += "は" + transposition.Ja
		if ply := w.joins(n.Ply, o.Line); ply > 0 {
			return Text{fmt.Sprintf("%s（%d手目で本手順に戻る）", ja, ply),
				fmt.Sprintf("%s joins the main line at ply %d", en, ply)}
		}
		return Text{ja + "（本手順に合流）", en + " joins the main line further on"}
	case analysis.Early:
		l := within(o.Length)
		return Text{ja + "で早詰" + l.Ja, en + " mates early" + l.En}
	case analysis.Cook:
		l := within(o.Length)
		return Text{ja + "で余詰" + l.Ja, fmt.Sprintf("cook at ply %d: %s also mates%s", n.Ply, m.En, l.En)}
	}
	if o.Verdict == solver.Mate {
		return because(Text{ja + "でも詰むが、余詰かどうか未確認",
			en + " mates too, not decided whether as a cook"}, o.Reason)
	}
	if n := o.NoMateWithin; n > 0 {
		return Text{fmt.Sprintf("%sは未確認（%d手以内では詰まない）", ja, n),
			fmt.Sprintf("%s is not decided (it does not mate within %d plies)", en, n)}
	}
	return because(Text{ja + "は未確認", en + " is not decided"}, o.Reason)
}

// within says the length of a mate in brackets, nothing if it has no upper bound.
func within(i length.Interval) Text {
	if !i.IsMate() {
		return Text{}
	}
	t := atMost(i)
	if i.IsExact() {
		t.En = "in " + t.En
	}
	return Text{"（" + t.Ja + "）", " (" + t.En + ")"}
}

// dual says in what a dual differs from the main move.
func (w *Writer) dual(n *analysis.AttackNode, o *analysis.OtherCheck, m Text) Text {
	t := Text{fmt.Sprintf("%d手目は%sでも同じ", n.Ply, m.Ja), fmt.Sprintf("ply %d: %s comes to the same", n.Ply, m.En)}
	switch o.Dual {
	case analysis.DistanceDrop, analysis.DistanceMove:
		return distance(n, o.Dual, []shogi.Square{n.Move.To(), o.Move.To()},
			o.SamePlay == analysis.Unknown)
	case analysis.Promotion:
		t = Text{fmt.Sprintf("%d手目は成・不成どちらでも同じ", n.Ply),
			fmt.Sprintf("ply %d: promotion does not matter", n.Ply)}
	case analysis.Origin:
		t.Ja += "（動かす駒非限定）"
	}
	return unproven(t, o.SamePlay == analysis.Unknown)
}

// distance says that a piece may as well be dropped or moved to any of some squares, which are on
// one line: the sentence names the two ends.
func distance(n *analysis.AttackNode, kind analysis.Dual, squares []shogi.Square, open bool) Text {
	first, last := slices.Min(squares), slices.Max(squares) // by file, then by rank
	what := Text{"打ち場所", "drop"}
	if kind == analysis.DistanceMove {
		what = Text{"移動先", "move"}
	}
	return unproven(Text{
		fmt.Sprintf("%d手目は%s非限定（%s～%s）", n.Ply, what.Ja, squareJa(last), squareJa(first)),
		fmt.Sprintf("ply %d: the square of the %s does not matter (%s–%s)", n.Ply, what.En, last, first)}, open)
}

// unproven adds that it is open whether the play after both moves is the same.
func unproven(t Text, open bool) Text {
	if open {
		t.Ja += "。その後が同じかどうか未確認"
		t.En += "; not decided whether the play is the same"
	}
	return t
}

// joins returns the ply at which a line that begins at another ply reaches a position of the main
// line, 0 if none of its positions is one.
func (w *Writer) joins(ply int, moves []shogi.Move) int {
	if ply < 1 || ply > len(w.at) {
		return 0
	}
	p := w.at[ply-1]
	for i, m := range moves {
		if !p.IsLegal(m) {
			return 0
		}
		p.Do(m)
		for at := ply + 1; at <= len(w.at); at++ {
			if i > 0 && p.SamePosition(&w.at[at-1]) {
				return at
			}
		}
	}
	return 0
}

// Reply returns the finding about a reply of the defender.
func (w *Writer) Reply(n *analysis.DefenceNode, r *analysis.Reply) Item {
	args := []any{"ply", n.Ply, r.Move}
	if r.Futile != nil && r.Futile.Capture != shogi.NoMove {
		args = append(args, r.Futile.Type, r.Futile.Capture)
	}
	return Item{r.Kind.String(), args, w.replyMark(r), w.replyText(n, r)}
}

func (w *Writer) replyText(n *analysis.DefenceNode, r *analysis.Reply) Text {
	m := w.move(n.Ply, r.Move)
	ja, en := fmt.Sprintf("%d手目%s", n.Ply, m.Ja), fmt.Sprintf("ply %d: %s", n.Ply, m.En)
	switch r.Kind {
	case analysis.MainReply:
		return Text{ja + "は本手順", en + " is the main line"}
	case analysis.EqualReply:
		return Text{ja + "は変同", en + " lasts as long, nothing left over"}
	case analysis.EqualLeftoverReply:
		return Text{ja + "は同手数駒余り", en + " lasts as long, but leaves pieces over"}
	case analysis.ShorterReply:
		l := within(r.Length)
		return Text{ja + "は変化" + l.Ja, en + " is shorter" + l.En}
	case analysis.LongerReply:
		return w.longer(r, Text{ja, en})
	case analysis.FutileReply:
		return w.futile(n, r, m)
	case analysis.EscapeReply:
		return w.escape(n.Ply, r.Move)
	}
	return because(Text{ja + "は未確認", en + " is not decided"}, r.Reason)
}

func (w *Writer) longer(r *analysis.Reply, place Text) Text {
	t := Text{place.Ja + "は" + longerVariation.Ja,
		place.En + " lasts longer than the author's line"}
	if more, ok := w.longerBy(r); ok {
		t = Text{place.Ja + "は" + longerVariation.Ja + "（作意より" + more.Ja + "長い）",
			place.En + " lasts " + more.En + " longer than the author's line"}
	}
	if !r.Leftover.IsEmpty() {
		t.Ja += "、駒余り"
		t.En += ", with pieces left over"
	}
	return t
}

func (w *Writer) futile(n *analysis.DefenceNode, r *analysis.Reply, m Text) Text {
	t := Text{strings.TrimSuffix(m.Ja, "打") + "合は無駄合", m.En + " is futile"}
	if r.Futile == nil {
		return t
	}
	if r.Futile.Capture == shogi.NoMove {
		return Text{t.Ja, t.En + " (taken, nothing changes)"}
	}
	take := w.moves(n.Ply, r.Move, r.Futile.Capture)[1]
	switch r.Futile.Type {
	case length.X, length.XY, length.XYZ:
		return Text{t.Ja + "（" + take.Ja + "までで詰み）", t.En + " (" + take.En + " is mate)"}
	}
	return Text{t.Ja + "（" + take.Ja + "で前と同じ）", t.En + " (taken by " + take.En + ", nothing changes)"}
}

// heldText names the pieces of a hand.
func heldText(h shogi.Hand) (ja, en string) {
	var all []string
	for _, k := range held {
		if n := h.Count(k.kind); n > 0 {
			ja += k.ja
			if n > 1 {
				ja += fmt.Sprintf("%d枚", n)
				all = append(all, fmt.Sprintf("%d %ss", n, k.en))
			} else {
				all = append(all, "a "+k.en)
			}
		}
	}
	switch n := len(all); {
	case n == 1 && strings.HasPrefix(all[0], "a "):
		en = all[0] + " is"
	case n > 1:
		en = strings.Join(all[:n-1], ", ") + " and " + all[n-1] + " are"
	case n == 1:
		en = all[0] + " are"
	}
	return ja, en
}

// held are the pieces that can be held.
var held = []struct {
	kind   shogi.PieceType
	ja, en string
}{
	{shogi.Rook, "飛", "rook"}, {shogi.Bishop, "角", "bishop"}, {shogi.Gold, "金", "gold"},
	{shogi.Silver, "銀", "silver"}, {shogi.Knight, "桂", "knight"}, {shogi.Lance, "香", "lance"},
	{shogi.Pawn, "歩", "pawn"},
}

// squareJa names a square as notation does.
func squareJa(s shogi.Square) string {
	return string(movetext.AppendDestination(nil, s, shogi.NoSquare))
}

// maxPlaces is how many places a sentence about a rule names.
const maxPlaces = 3

// Rule returns the finding about a rule.
func (w *Writer) Rule(r *analysis.RuleResult) Item {
	return Item{Code: string(r.Rule), Mark: ruleMark(r), Text: w.ruleText(r)}
}

func (w *Writer) ruleText(r *analysis.RuleResult) Text {
	name := nameOf(r.Rule)
	decided, _, open := w.countChecks()
	switch {
	case r.Holds == analysis.Yes && r.Rule == analysis.RuleCook:
		return Text{fmt.Sprintf("%s（ほかの王手%d通りを確認）", name.holds.Ja, decided),
			fmt.Sprintf("%s (%d other checks decided)", name.holds.En, decided)}
	case r.Holds == analysis.Yes:
		return name.holds
	case r.Holds == analysis.Unknown && r.Rule == analysis.RuleCook && open > 0:
		return w.noneWithin(Text{fmt.Sprintf("%s：未確認の王手が%d通り", name.broken.Ja, open),
			fmt.Sprintf("%s: %s not decided", name.broken.En, count(open, "check", "checks"))})
	case r.Holds == analysis.Unknown:
		return colon(name.broken, undecided)
	}
	var places []Text
	for _, p := range r.Places[:min(len(r.Places), maxPlaces)] {
		at := w.InLine(p.Line)
		t := at.placeText(p.Ply, p.Move)
		if len(at.equal) > 0 {
			in := join(at.equal, "、", ", ")
			t = Text{t.Ja + "（変同：" + in.Ja + "）", t.En + " (equal line with " + in.En + ")"}
		}
		places = append(places, t)
	}
	more := len(r.Places) - len(places)
	if r.Rule == analysis.RuleCook {
		more += w.settled()
	}
	if more > 0 {
		places = append(places, textf("他%d件", "%d more", more))
	}
	return colon(name.broken, join(places, "、", ", "))
}

// Idle returns the finding about a piece: whether the problem is the same without it.
func Idle(p analysis.IdlePiece) Item {
	where := Text{"持駒", "in hand"}
	if p.Square != shogi.NoSquare {
		where = Text{p.Square.String(), p.Square.String()}
	}
	found := [...]Text{undecided, {"なくても同じ", "the same without it"}, {"必要", "needed"}}[p.Idle]
	marks := [...]Mark{analysis.Unknown: Open, analysis.Yes: Note, analysis.No: Pass}
	return Item{Code: "idle", Args: []any{p.Square, p.Piece, p.Idle}, Mark: marks[p.Idle],
		Text: Text{fmt.Sprintf("%s %s: %s", p.Piece, where.Ja, found.Ja),
			fmt.Sprintf("%s %s: %s", p.Piece, where.En, found.En)}}
}
