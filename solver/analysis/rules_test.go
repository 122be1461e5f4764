package analysis

import (
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/length"
)

func moveOf(t *testing.T, text string) shogi.Move {
	t.Helper()
	m, err := shogi.ParseMove(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// How two moves can be alike, on a board with a king on 5a.
func TestAlike(t *testing.T) {
	for _, test := range []struct {
		rest        string // of the board, from rank b on
		main, other string
		last        bool
		want        Dual
	}{
		{"9/9/9/9/9/9/9/9 b RG 1", "R*5c", "R*5e", false, DistanceDrop},
		{"9/9/9/9/9/9/9/9 b RG 1", "R*5e", "R*5c", true, DistanceDrop},
		{"9/9/9/9/9/9/9/9 b RG 1", "R*5c", "R*3a", false, NoDual}, // another line
		{"9/9/9/9/9/9/9/9 b RG 1", "R*5c", "R*3a", true, Side},
		{"9/9/9/9/9/9/9/9 b RG 1", "G*4b", "G*6b", false, NoDual},
		{"9/9/9/9/9/9/9/9 b RG 1", "G*4b", "G*6b", true, Side},
		{"9/9/9/9/9/9/9/9 b RG 1", "R*5b", "G*5b", true, NoDual}, // another kind
		{"3R5/9/9/9/9/9/9/9 b R 1", "6b5b", "R*5b", true, NoDual},
		{"9/6S2/9/9/9/9/9/9 b - 1", "3c4b+", "3c4b", false, Promotion},
		{"9/9/9/7R1/9/9/9/9 b - 1", "2e3e", "2e4e", false, DistanceMove},
		{"9/7R1/9/9/9/9/9/9 b - 1", "2c3c+", "2c4c", false, NoDual}, // one of them promotes
		{"9/9/6B2/9/9/9/9/9 b - 1", "3d5b", "3d5f", false, DistanceMove},
		{"9/9/4p1B2/9/9/9/9/9 b - 1", "3d5b", "3d5f", false, NoDual}, // with a pawn between
		{"9/3G1G3/9/9/9/9/9/9 b - 1", "4c5b", "6c5b", false, Origin},
		{"9/3S1S3/9/9/9/9/9/9 b - 1", "4c5b", "6c5b", false, Origin},
		{"9/3S1S3/9/9/9/9/9/9 b - 1", "4c5b+", "6c5b", false, NoDual},
		{"9/3G1S3/9/9/9/9/9/9 b - 1", "4c5b", "6c5b", true, NoDual},
	} {
		p := shogi.MustParseSFEN("4k4/" + test.rest)
		if got := alike(&p, moveOf(t, test.main), moveOf(t, test.other), test.last); got != test.want {
			t.Errorf("%s: %s and %s, last %v: %v, want %v", p.SFEN(), test.main, test.other, test.last, got,
				test.want)
		}
	}
}

// A check is a defect for certain, if it mates, unless it is a dual or a mirror image that may be.
func TestIsDefect(t *testing.T) {
	for _, test := range []struct {
		sfen, moves, other string
		want               bool
	}{
		{"4k4/9/4P4/9/9/9/9/9/9 b GS 1", "G*5b", "S*5b", false}, // the last move
		{"4k4/9/4P4/9/9/9/9/9/9 b GS 1", "S*4b 5a4b G*4c", "S*4b", false},
		{"4k4/9/4P4/9/9/9/9/9/9 b GS 1", "S*4b 5a4b G*4c", "G*4b", true},
		{"4k4/9/4P4/9/9/9/9/9/9 b GS 1", "S*4b 5a4b G*4c", "S*6b", false}, // the mirror image
		{"4k4/9/4P4/9/9/9/9/9/P8 b GS 1", "S*4b 5a4b G*4c", "S*6b", true},
		{"4k4/9/9/9/9/9/9/9/P8 b RGg 1", "R*5c G*5b G*4b", "R*5d", false},  // followed by the same moves
		{"4k4/9/9/9/9/9/9/9/P8 b RG 1", "R*5c 5a4a 5c4c+", "R*5e", true},   // which cannot promote next
		{"4k4/9/3G1G3/9/9/9/9/9/P8 b - 1", "4c5b 5a4a 5b4b", "6c5b", true}, // another piece to the same square
	} {
		p := shogi.MustParseSFEN(test.sfen)
		var moves []shogi.Move
		for m := range strings.FieldsSeq(test.moves) {
			moves = append(moves, moveOf(t, m))
		}
		if got := IsDefect(&p, moves, moveOf(t, test.other)); got != test.want {
			t.Errorf("%s: %s after %s: %v, want %v", test.sfen, test.other, test.moves, got, test.want)
		}
	}
}

// answered returns a log with the answers to what is asked next.
func answered(entries ...LogEntry) *Log { return &Log{Phases: [][]LogEntry{entries}, phase: 1} }

// After a dual the play is the same if it lasts as long, by the same replies, and a bound on its length
// decides that only above. The main move is R*9e, after which there are four plies, the other R*9f.
func TestSamePlay(t *testing.T) {
	w := work{ctx: t.Context()}
	p := shogi.MustParseSFEN("k8/9/9/9/9/9/9/9/9 b R2G 1")
	var moves []shogi.Move
	for m := range strings.FieldsSeq("R*9e 9a8a G*8b 8a8b G*8c") {
		moves = append(moves, moveOf(t, m))
	}
	n := attackNode{line: positions(p, moves), moves: moves}
	other, side := moveOf(t, "R*9f"), length.Reply{Move: moves[1], Length: 4}
	diagonal := length.Reply{Move: moveOf(t, "9a8b"), Length: 4}
	for _, test := range []struct {
		length int
		reason solver.Reason // why it is only a bound
		reply  length.Reply
		want   Answer
	}{
		{4, solver.NoReason, side, Yes},
		{4, solver.NoReason, diagonal, No},
		{2, solver.NoReason, side, No},
		{6, solver.NoReason, side, No},
		{2, solver.ReasonNodes, side, Unknown},
		{6, solver.ReasonNodes, side, No},
	} {
		w.log = answered(LogEntry{Length: 4}, LogEntry{Length: test.length, Reason: test.reason},
			LogEntry{Replies: []length.Reply{side}}, LogEntry{Replies: []length.Reply{test.reply}})
		w.a = new(Analysis)
		if got := w.samePlay(&n, other, p.After(other)); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

// A reply that lasts five plies or more is longer than a line of three if it is mated at all.
func TestUnboundedReply(t *testing.T) {
	p := shogi.MustParseSFEN("4k4/9/4G4/9/9/9/9/9/9 w - 1")
	for _, test := range []struct {
		verdict solver.Verdict
		total   int
		want    ReplyKind
	}{
		{solver.Mate, 3, LongerReply}, {solver.Mate, 5, ReplyUnknown},
		{solver.Unknown, 3, ReplyUnknown}, {solver.NoMate, 3, EscapeReply},
	} {
		w := work{ctx: t.Context(), a: new(Analysis), log: answered(LogEntry{Result: &solver.Result{Verdict: test.verdict}})}
		r := w.unboundedReply(p, length.Reply{Move: moveOf(t, "5a4a"), Length: 5}, shogi.NoMove, 0, test.total)
		if r.Kind != test.want {
			t.Errorf("%v, %d plies: %v, want %v", test.verdict, test.total, r.Kind, test.want)
		}
	}
}

// What is known of the moves, and what the profiles make of it.
func TestRules(t *testing.T) {
	other := func(a *Analysis, ply int, c OtherCheck) {
		c.Move = shogi.NewDrop(shogi.Gold, 40)
		a.Attack[ply/2].Others = append(a.Attack[ply/2].Others, c)
	}
	reply := func(a *Analysis, kind ReplyKind) {
		a.Defence[0].Replies = append(a.Defence[0].Replies, Reply{Kind: kind})
	}
	author := func(a *Analysis, f AuthorFinding) {
		a.Author = &Author{Plies: 3, Finding: f, Places: []Place{{Ply: 2}}}
	}
	for _, test := range []struct {
		name    string
		profile *Profile
		change  func(a *Analysis) // of a sound problem of three plies
		rule    Rule
		holds   Answer
		sound   Answer
	}{
		{"nothing is wrong", Magazine, func(*Analysis) {}, RuleCook, Yes, Yes},
		{"a try", Strict, func(a *Analysis) { other(a, 1, OtherCheck{Class: Try}) }, RuleCook, Yes, Yes},
		{"a cook", Magazine, func(a *Analysis) { other(a, 1, OtherCheck{Class: Cook}) }, RuleCook, No, No},
		{"a cook of an equal variation", Magazine, func(a *Analysis) {
			a.EqualLines = []EqualLine{{Attack: []AttackNode{{Place: Place{Ply: 3}, Others: []OtherCheck{{Class: Cook}}}}}}
		}, RuleCook, No, No},
		{"a last move", Magazine, func(a *Analysis) { other(a, 3, OtherCheck{Class: LastMove}) }, RuleLastMove, No, Yes},
		{"a last move, strictly", Strict, func(a *Analysis) { other(a, 3, OtherCheck{Class: LastMove}) },
			RuleLastMove, No, No},
		{"the only move", Magazine, func(a *Analysis) {
			a.Line.Moves, a.Attack, a.Defence = a.Line.Moves[:1], a.Attack[:1], nil
			other(a, 1, OtherCheck{Class: LastMove})
		}, RuleLastMove, No, No},
		{"the only move, a dual", Magazine, func(a *Analysis) {
			a.Line.Moves, a.Attack, a.Defence = a.Line.Moves[:1], a.Attack[:1], nil
			other(a, 1, OtherCheck{Class: LastMove, Dual: Promotion, SamePlay: Yes})
		}, RuleLastMove, Yes, Yes},
		{"an open check", Magazine, func(a *Analysis) { other(a, 1, OtherCheck{}) }, RuleCook, Unknown, Unknown},
		{"an open check is no last move", Magazine, func(a *Analysis) { other(a, 1, OtherCheck{}) }, RuleLastMove, Yes,
			Unknown},
		{"an open last check", Magazine, func(a *Analysis) { other(a, 3, OtherCheck{}) }, RuleLastMove, Unknown, Yes},
		{"an open last check is no cook", Magazine, func(a *Analysis) { other(a, 3, OtherCheck{}) }, RuleCook, Yes, Yes},
		{"a dual", Magazine, func(a *Analysis) {
			other(a, 1, OtherCheck{Class: DualMove, Dual: DistanceMove, SamePlay: Yes})
		}, RuleDistance, No, Yes},
		{"a dual by another piece", Magazine, func(a *Analysis) {
			other(a, 1, OtherCheck{Class: DualMove, Dual: Origin, SamePlay: Yes})
		}, RuleOrigin, No, No},
		{"a dual that may be a cook", Magazine, func(a *Analysis) {
			other(a, 1, OtherCheck{Class: DualMove, Dual: Promotion, SamePlay: Unknown})
		}, RuleCook, Unknown, Unknown},
		{"a line that counts every move", Magazine, func(a *Analysis) { a.Line.Raw = true }, RuleCook, Unknown, Unknown},
		{"a detour", Magazine, func(a *Analysis) { other(a, 1, OtherCheck{Class: Detour}) }, RuleDetour, No, Yes},
		{"a detour on a phone", App, func(a *Analysis) { other(a, 1, OtherCheck{Class: Detour}) }, RuleDetour, No, No},

		{"something is left over", Magazine, func(a *Analysis) { a.Leftover.Class = LeftoverForced }, RuleLeftover, No, No},
		{"something can be left over", Magazine, func(a *Analysis) { a.Leftover.Class = LeftoverAvoidable },
			RuleLeftover, No, Yes},
		{"something can be left over, strictly", Strict, func(a *Analysis) { a.Leftover.Class = LeftoverAvoidable },
			RuleLeftover, No, No},
		{"it is open what is left over", Magazine, func(a *Analysis) { a.Leftover.Class = LeftoverUnknown },
			RuleLeftover, Unknown, Unknown},

		{"an equal variation", Strict, func(a *Analysis) { reply(a, EqualReply) }, RuleEqual, No, Yes},
		{"an open reply", Strict, func(a *Analysis) { reply(a, ReplyUnknown) }, RuleEqual, Unknown, Yes},
		{"an open reply to the author's line", Magazine, func(a *Analysis) { author(a, Agrees); reply(a, ReplyUnknown) },
			RuleLonger, Unknown, Unknown},
		{"a longer reply, and no author", Magazine, func(a *Analysis) { reply(a, LongerReply) }, RuleLonger, Yes, Yes},
		{"a longer reply than the author's", Magazine, func(a *Analysis) { author(a, Agrees); reply(a, LongerReply) },
			RuleLonger, No, No},
		{"the author's line is not the longest", Magazine, func(a *Analysis) { author(a, IsLonger) }, RuleLonger, No, No},
		{"the author's line is not the shortest", Magazine, func(a *Analysis) { author(a, IsEarly) }, RuleEarly, No, No},
		{"the author's line does not mate", Magazine, func(a *Analysis) { author(a, NoMateAfter) }, RuleMate, No, No},
		{"it does not mate", Magazine, func(a *Analysis) { a.Verdict = solver.NoMate }, RuleMate, No, No},
		{"it is open whether it mates", Magazine, func(a *Analysis) { a.Verdict = solver.Unknown }, RuleMate, Unknown,
			Unknown},

		{"an idle piece", Magazine, func(a *Analysis) { a.Economy = []IdlePiece{{Idle: Yes}, {Idle: No}} }, RuleIdle, No, Yes},
		{"an idle piece on a phone", App, func(a *Analysis) { a.Economy = []IdlePiece{{Idle: Yes}} }, RuleIdle, No, No},
		{"a piece that may be idle", App, func(a *Analysis) { a.Economy = []IdlePiece{{Idle: No}, {}} }, RuleIdle,
			Unknown, Unknown},
	} {
		a := reported(t, "8B/9/8k/7gN/8N/9/9/9/9 b Rrb3g4s2n4l18p 1", shogi.Black, 3, "R*1b", "1c1b", "1a2b+")
		a.Verdict, a.Profile, a.Parts = solver.Mate, test.profile, DefaultParts
		a.Leftover.Class = LeftoverNone
		a.Attack = []AttackNode{{Place: Place{Ply: 1}}, {Place: Place{Ply: 3}}}
		a.Defence = []DefenceNode{{Place: Place{Ply: 2}, Replies: []Reply{{Kind: MainReply}}}}
		if test.profile == App {
			a.Economy = []IdlePiece{{Idle: No}} // else it is open
		}
		test.change(a)
		a.Judge()
		i := slices.IndexFunc(a.Rules, func(r RuleResult) bool { return r.Rule == test.rule })
		if r := a.Rules[i]; r.Holds != test.holds || a.Sound != test.sound {
			t.Errorf("%s: %s %v, sound %v; want %v and %v", test.name, r.Rule, r.Holds, a.Sound, test.holds, test.sound)
		}
	}
}

// Drops of several kinds are one reply if they are on the same square and the play is the same.
func TestSameContinuation(t *testing.T) {
	line := func(texts ...string) (list []shogi.Move) {
		for _, text := range texts {
			list = append(list, moveOf(t, text))
		}
		return list
	}
	one := Reply{Move: moveOf(t, "P*3c"), Kind: ShorterReply, Length: length.Exactly(5),
		Line: line("P*3c", "4c3c", "1c1b")}
	futile := Reply{Move: one.Move, Kind: FutileReply, Futile: &Futile{Type: length.X, Capture: moveOf(t, "4c3c")}}
	for _, test := range []struct {
		name   string
		first  Reply
		change func(r *Reply)
		want   bool
	}{
		{"another kind", one, func(*Reply) {}, true},
		{"another square", one, func(r *Reply) { r.Move = moveOf(t, "L*2c") }, false},
		{"another length", one, func(r *Reply) { r.Length = length.Exactly(7) }, false},
		{"not as exact", one, func(r *Reply) { r.Length.Low = 3 }, false},
		{"another play", one, func(r *Reply) { r.Line = line("L*3c", "4c3c", "1c2b") }, false},
		{"a shorter line", one, func(r *Reply) { r.Line = r.Line[:2] }, false},
		{"another kind of reply", one, func(r *Reply) { r.Kind = EqualReply }, false},
		{"no drop", one, func(r *Reply) { r.Move = moveOf(t, "2b3c") }, false},
		{"futile", futile, func(*Reply) {}, true},
		{"futile by another capture", futile, func(r *Reply) { r.Futile.Capture = moveOf(t, "4c3c+") }, false},
		{"futile in another way", futile, func(r *Reply) { r.Futile.Type = length.Narrow }, false},
	} {
		a, b := test.first, test.first
		b.Move, b.Line = moveOf(t, "L*3c"), slices.Clone(b.Line)
		if b.Futile != nil {
			f := *b.Futile
			b.Futile = &f
		} else {
			b.Line[0] = b.Move
		}
		test.change(&b)
		if got := sameContinuation(&a, &b); test.want != got && b.Move.IsDrop() || sameContinuation(&b, &a) != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
