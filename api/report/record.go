package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
)

// MaxVariations is the largest number of variations in the record of an analysis. If there are
// more, the least important ones are left out, and a comment says how many.
const MaxVariations = 200

// Record returns the report on a problem as a record that people read: the main line, and as
// variations the other replies of the defender and the other checks of the attacker, each with a
// comment that says what it is, in a language, "ja" or "en". version is that of the program: a
// comment on the position names it beside policy, profile, lengths and soundness. The same analysis
// gives the same record.
//
// Three things are not variations but comments at the move before: futile drops, replies after
// which the attacker mates at once, and drops of other kinds with the same continuation. A
// variation that reaches a position that is shown elsewhere ends there, and a comment says where.
// A try is a variation only if the analysis has its refutation.
func Record(a *analysis.Analysis, language, version string) *notation.Record {
	start := shogi.MustParseSFEN(a.Position.ProblemSFEN()) // the plies of a problem begin with 1
	b := &builder{Writer: Of(a), language: language, shown: map[string]place{},
		record: &notation.Record{Start: start, Root: &notation.Node{}}}
	b.mainLine()
	for i := range a.Attack {
		b.addChecks(&a.Attack[i], nil)
	}
	for i := range a.Defence {
		b.addReplies(&a.Defence[i])
	}
	for i := range a.EqualLines {
		b.addEqualLine(&a.EqualLines[i])
	}
	for i := range a.SideMates {
		m := &a.SideMates[i]
		b.add(variation{at: m.Variation.Ply, moves: m.Line, end: notation.Mated, rank: informing,
			remarked: m.At - m.Variation.Ply, remarks: []Text{SideMateRemark(m)}})
	}
	b.addAuthor()
	left := b.insertAll()
	b.record.Root.Comments = b.head(version)
	if left > 0 {
		b.comment(b.record.Root, textf("…他%d件", "…and %d more variations", left))
	}
	return b.record
}

// A rank orders variations by importance. Those of the last rank are left out first.
type rank int

const (
	defective rank = iota // what makes the problem unsound
	informing             // what belongs to the solution
	ordinary              // shorter variations
	trying                // tries
)

// A variation is a line that leaves the main line.
type variation struct {
	at    int          // the ply of its first move
	moves []shogi.Move // one at least
	end   notation.Ending
	rank  rank
	// remarks are comments on moves[remarked]. The moves before that one belong to another
	// variation, from which this one branches off.
	remarked int
	remarks  []Text
}

// A point is a node of the main line and the position at it.
type point struct {
	node     *notation.Node
	position shogi.Position
}

// A place is where a position is shown.
type place struct {
	main bool
	ply  int // of the main line; else of the move with which the variation begins
}

// A builder makes the record of an analysis.
type builder struct {
	*Writer
	language string
	record   *notation.Record
	main     []point // main[n] is after n moves of the main line
	found    []variation
	shown    map[string]place // by SFEN
}

// comment adds a comment on a move, in the language of the record.
func (b *builder) comment(n *notation.Node, t Text) {
	n.Comments = append(n.Comments, t.In(b.language))
}

// head returns the comments on the position: length and soundness in words, and a line that
// programs can read, the same in every language, with rules, lengths and the version of the
// program.
func (b *builder) head(version string) []string {
	a, texts := b.a, append(b.Missing(), b.Head())
	if a.Verdict == solver.Mate {
		texts = append(texts, b.Sound())
	}
	if t := ThemesText(a.Themes); t != (Text{}) {
		texts = append(texts, t)
	}
	lines := make([]string, len(texts))
	for i, t := range texts {
		lines[i] = t.In(b.language)
	}
	facts := "policy " + a.Policy.String()
	if a.Profile != nil {
		facts += ", profile " + a.Profile.Name
	}
	raw := ""
	for _, l := range a.Lengths {
		switch l.Policy {
		case length.F0:
			raw = ", L0 " + l.Range()
		case a.Policy:
			facts += ", L" + a.Policy.String()[1:] + " " + l.Range()
		}
	}
	return append(lines, facts+raw+", sound "+a.Sound.String()+", "+version)
}

// mainLine adds the main line to the record, which has no moves yet.
func (b *builder) mainLine() {
	at := point{b.record.Root, b.record.Start}
	b.main = []point{at}
	for i, m := range b.a.Line.Moves {
		next := &notation.Node{Move: m}
		at.node.Next = []*notation.Node{next}
		at.node = next
		at.position.Do(m)
		b.main = append(b.main, at)
		b.shown[at.position.ProblemSFEN()] = place{true, i + 1}
	}
	end := notation.Interrupted
	switch {
	case b.a.Verdict == solver.NoMate:
		end = notation.NoMate
	case b.a.Verdict == solver.Mate && len(b.a.Line.Moves) > 0:
		end = notation.Mated
	}
	at.node.Next = []*notation.Node{{End: end}}
}

// add keeps a variation for insertAll, if it branches off the main line.
func (b *builder) add(v variation) {
	if len(v.moves) > 0 && v.at >= 1 && v.at <= len(b.main) {
		b.found = append(b.found, v)
	}
}

// addChecks adds the other checks at an attack node as variations. before is the variation that
// leads to the node, nil for the main line.
func (b *builder) addChecks(n *analysis.AttackNode, before *variation) {
	at := n.Ply
	var path []shogi.Move
	if before != nil {
		at, path = before.at, before.moves[:n.Ply-before.at]
	}
	if at > len(b.main) {
		return
	}
	p := b.main[at-1].position
	for _, m := range path {
		p.Do(m)
	}
	for i := range n.Others {
		o := &n.Others[i]
		isAdded := func(earlier analysis.OtherCheck) bool { return isAlike(&earlier, o) }
		if o.Class == analysis.Try && len(o.Line) == 0 || isSettled(o) ||
			slices.ContainsFunc(n.Others[:i], isAdded) {
			continue
		}
		v := variation{at: at, moves: o.Line, rank: informing, remarked: len(path),
			remarks: []Text{CheckRemark(o)}}
		if len(v.moves) == 0 {
			v.moves = []shogi.Move{o.Move}
		}
		switch o.Class {
		case analysis.Cook, analysis.Early, analysis.Transposition, analysis.LastMove:
			v.rank = defective
		case analysis.Try:
			v.rank = trying
		}
		switch {
		case o.Class == analysis.Try:
			v.end = notation.NoMate
		case o.Verdict == solver.Mate && len(o.Line) > 0:
			v.end = notation.Mated
		}
		var same []shogi.Move
		for j := range n.Others[i+1:] {
			if other := &n.Others[i+1+j]; isAlike(o, other) {
				same = append(same, other.Move)
			}
		}
		if len(same) > 0 {
			v.remarks = append(v.remarks, likewise(&p, same))
		}
		v.moves = slices.Concat(path, v.moves)
		b.add(v)
	}
}

// isAlike reports whether two checks are one dual: moves of the same kind along the same line of
// squares, after which the play is the same. One variation stands for both.
func isAlike(o, other *analysis.OtherCheck) bool {
	along := o.Dual == analysis.DistanceDrop || o.Dual == analysis.DistanceMove
	return along && o.Class == analysis.DualMove && o.SamePlay == analysis.Yes &&
		other.Class == o.Class && other.Dual == o.Dual && other.SamePlay == o.SamePlay
}

// addReplies adds the other replies at a defence node: as variations, or as comments on the move
// before.
func (b *builder) addReplies(n *analysis.DefenceNode) {
	if n.Ply < 1 || n.Ply > len(b.main) {
		return
	}
	at := &b.main[n.Ply-1]
	var mates []Text // the mating moves after replies that are mated at once
	var futile []shogi.Move
	others := slices.Clone(n.Replies)
	slices.SortStableFunc(others, func(r, s analysis.Reply) int {
		return cmp.Or(cmp.Compare(orderOf(r.Kind), orderOf(s.Kind)),
			cmp.Compare(s.Length.High, r.Length.High))
	})
	for i := range others {
		r := &others[i]
		v := variation{at: n.Ply, moves: r.Line, rank: informing,
			remarks: []Text{b.ReplyRemark(r)}}
		switch r.Kind {
		case analysis.MainReply:
			continue
		case analysis.FutileReply:
			futile = append(append(futile, r.Move), r.Same...)
			continue
		case analysis.EscapeReply:
			v.rank, v.end = defective, notation.NoMate
		case analysis.LongerReply:
			v.rank = defective
		case analysis.ShorterReply:
			v.rank = ordinary
			if len(r.Line) == 2 && !b.hasSideMate(n.Ply, r.Move) {
				p := at.position
				p.Do(r.Move)
				if m := moveText(&p, r.Line[1]); !slices.Contains(mates, m) {
					mates = append(mates, m)
				}
				continue
			}
		}
		switch {
		case len(r.Line) == 0:
			v.moves = []shogi.Move{r.Move}
		case r.Kind != analysis.EscapeReply && r.Kind != analysis.ReplyUnknown:
			v.end = notation.Mated
		}
		if len(r.Same) > 0 {
			v.remarks = append(v.remarks, likewise(&at.position, r.Same))
		}
		b.add(v)
	}
	if len(mates) > 0 {
		t := join(mates, "、", ", ")
		b.comment(at.node, Text{"他は" + t.Ja + "まで", "other replies: " + t.En + " mates"})
	}
	if len(futile) > 0 {
		b.comment(at.node, futileRemark(&at.position, futile))
	}
}

// futileRemark says which drops are futile.
func futileRemark(p *shogi.Position, drops []shogi.Move) Text {
	name, first := replyNames[analysis.FutileReply], moveText(p, drops[0])
	if n := len(drops); n > 1 {
		name = Text{fmt.Sprintf("%s%d通り", name.Ja, n), fmt.Sprintf("%d futile drops", n)}
		first = Text{first.Ja + "など", first.En + ", …"}
	}
	return remark(name, []Text{first})
}

// likewise names moves after which the play is the same.
func likewise(p *shogi.Position, moves []shogi.Move) Text {
	all := make([]Text, len(moves))
	for i, m := range moves {
		all[i] = moveText(p, m)
	}
	t := join(all, "、", ", ")
	return Text{t.Ja + "も同じ", "likewise " + t.En}
}

// orderOf returns the place of a kind of reply among the variations at a node.
func orderOf(k analysis.ReplyKind) int {
	return slices.Index([]analysis.ReplyKind{analysis.EscapeReply, analysis.EqualReply,
		analysis.EqualLeftoverReply, analysis.LongerReply, analysis.ShorterReply,
		analysis.ReplyUnknown}, k)
}

// hasSideMate reports whether there is a second mate to show after a reply.
func (b *builder) hasSideMate(ply int, m shogi.Move) bool {
	return slices.ContainsFunc(b.a.SideMates, func(s analysis.SideMate) bool {
		return s.Variation == analysis.Place{Ply: ply, Move: m}
	})
}

// addEqualLine adds an equal line, unless addReplies has it, and the other checks at its attack nodes.
func (b *builder) addEqualLine(e *analysis.EqualLine) {
	same := common(e.Moves, b.a.Line.Moves)
	v := variation{at: same + 1, moves: e.Moves[same:], end: notation.Mated, rank: informing,
		remarked: e.Reply.Ply - same - 1, remarks: []Text{replyNames[analysis.EqualReply]}}
	if e.Reply.Line > 0 {
		b.add(v)
	}
	for k := range e.Attack {
		b.addChecks(&e.Attack[k], &v)
	}
}

// common returns how many moves two lines have in common.
func common(a, b []shogi.Move) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// addAuthor adds the author's line as a variation from where it leaves the main line.
func (b *builder) addAuthor() {
	a := b.a.Author
	if a == nil || a.Finding == analysis.Faulty {
		return
	}
	same := common(a.Moves, b.a.Line.Moves)
	b.add(variation{at: same + 1, moves: a.Moves[same:], end: notation.Mated, rank: defective,
		remarks: []Text{AuthorRemark(a)}})
}

// insertAll inserts the variations into the record, those of later plies first, which is the order
// of KIF. It returns how many it left out.
func (b *builder) insertAll() (left int) {
	// Variations with the same ply and first move stand together, where the first of them does.
	type start struct {
		at   int
		move shogi.Move
	}
	first := map[start]int{}
	number := func(v *variation) int { return first[start{v.at, v.moves[0]}] }
	for i := range b.found {
		v := &b.found[i]
		if _, ok := first[start{v.at, v.moves[0]}]; !ok {
			first[start{v.at, v.moves[0]}] = i
		}
	}
	if left = len(b.found) - MaxVariations; left > 0 {
		slices.SortStableFunc(b.found, func(v, w variation) int {
			return cmp.Compare(v.rank, w.rank)
		})
		b.found = b.found[:MaxVariations]
	}
	slices.SortStableFunc(b.found, func(v, w variation) int {
		return cmp.Or(cmp.Compare(w.at, v.at), cmp.Compare(number(&v), number(&w)))
	})
	for i := range b.found {
		b.insert(&b.found[i])
	}
	return max(left, 0)
}

// insert adds one variation to the tree, behind those of its moves that are in the tree already.
func (b *builder) insert(v *variation) {
	at := b.main[v.at-1]
	begins := 0 // the ply of its first move that was not in the tree
	for i, m := range v.moves {
		at.position.Do(m)
		var next *notation.Node
		for _, n := range at.node.Next {
			if n.Move == m {
				next = n
			}
		}
		isNew := next == nil
		if isNew {
			next = &notation.Node{Move: m}
			at.node.Next = append(at.node.Next, next)
			if begins == 0 {
				begins = v.at + i
			}
		}
		at.node = next
		if i == v.remarked {
			for _, t := range v.remarks {
				b.comment(next, t)
			}
		}
		if !isNew || v.end == notation.NoMate { // what follows a refutation is not shown
			continue
		}
		sfen := at.position.ProblemSFEN()
		where, isShown := b.shown[sfen]
		if isShown && i+1 < len(v.moves) && i >= v.remarked {
			t := textf("（%d手目の変化と同じ）", "(as in the variation at ply %d)", where.ply)
			if where.main {
				t = textf("（本手順の%d手目と同じ）", "(as after ply %d of the main line)", where.ply)
			}
			b.comment(next, t)
			return
		}
		if !isShown {
			b.shown[sfen] = place{false, begins}
		}
	}
	if v.end != "" && len(at.node.Next) == 0 {
		at.node.Next = []*notation.Node{{End: v.end}}
	}
}
