package analysis

import (
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/length"
)

// Every move and square of a report is turned, and the report that was turned stays as it is.
func TestTurning(t *testing.T) {
	m, sq := moveOf(t, "4e4c+"), shogi.SquareAt(shogi.File(1), shogi.Rank(1)) // 2b
	place, list := Place{Ply: 1, Move: m}, []shogi.Move{m}
	attack := func() []AttackNode { return []AttackNode{{Place: place, Others: []OtherCheck{{Move: m, Line: list}}}} }
	a := &Analysis{Line: Line{Moves: list}, Author: &Author{Moves: list, Places: []Place{place}}, Attack: attack(),
		Defence: []DefenceNode{{Place: place, Replies: []Reply{{Move: m, Line: list, Same: list,
			Futile: &Futile{Capture: m}}}}},
		EqualLines: []EqualLine{{Reply: place, Attack: attack()}},
		SideMates:  []SideMate{{Variation: place, Move: m, Line: list}},
		Economy:    []IdlePiece{{Square: sq}, {Square: shogi.NoSquare}},
		Rules:      []RuleResult{{Places: []Place{place}}}, Remaining: []Place{place}}
	movesOf := func(a *Analysis) []shogi.Move {
		r, n, e, s := a.Defence[0].Replies[0], a.Attack[0], a.EqualLines[0], a.SideMates[0]
		return []shogi.Move{a.Line.Moves[0], a.Author.Moves[0], a.Author.Places[0].Move, n.Move, n.Others[0].Move,
			n.Others[0].Line[0], a.Defence[0].Move, r.Move, r.Line[0], r.Same[0], r.Futile.Capture, e.Reply.Move,
			e.Attack[0].Move, e.Attack[0].Others[0].Move, s.Variation.Move, s.Move, s.Line[0],
			a.Rules[0].Places[0].Move, a.Remaining[0].Move}
	}
	for _, test := range []struct {
		turning
		move, square string
	}{
		{turning{}, "4e4c+", "2b"},
		{turning{length.Turning{Mirror: true}}, "6e6c+", "8b"},
		{turning{length.Turning{Rotate: true}}, "6e6g+", "8h"},
		{turning{length.Turning{Rotate: true, Mirror: true}}, "4e4g+", "2h"},
	} {
		b := test.analysis(a, Question{})
		for i, got := range movesOf(b) {
			if got != moveOf(t, test.move) {
				t.Errorf("%+v: move %d is %v, want %s", test.turning, i, got, test.move)
			}
		}
		if got := b.Economy[0].Square.String(); got != test.square || b.Economy[1].Square != shogi.NoSquare {
			t.Errorf("%+v: square %s, want %s", test.turning, got, test.square)
		}
		if slices.ContainsFunc(movesOf(a), func(other shogi.Move) bool { return other != m }) || a.Economy[0].Square != sq {
			t.Fatalf("%+v: the report itself has changed", test.turning)
		}
	}
}

// The attacker's promotions come first, and drops and moves of sliders the sooner, the nearer to the
// king; the defender's moves before his drops, and of these the near ones and the lesser pieces.
func TestPreferred(t *testing.T) {
	const attack, defence = "4k4/9/6S2/9/9/9/9/9/9 b R 1", "8k/9/9/9/9/9/9/9/8R w lp 1"
	for _, test := range []struct{ sfen, first, second string }{
		{attack, "3c4b+", "3c4b"}, {attack, "3c4b+", "R*5b"}, {attack, "R*5b", "R*5c"}, {attack, "R*5c", "R*5i"},
		{attack, "R*3a", "R*5d"}, {attack, "3c4b", "R*5c"},
		{defence, "1a2a", "P*1b"}, {defence, "P*1b", "L*1b"}, {defence, "L*1b", "P*1c"},
	} {
		p, first, second := shogi.MustParseSFEN(test.sfen), moveOf(t, test.first), moveOf(t, test.second)
		isBefore := length.ComparePreferred(&p, first, second) < 0
		if test.sfen == attack {
			list := length.PreferredChecks(&p)
			isBefore = slices.Index(list, first) < slices.Index(list, second) && slices.Contains(list, first)
		}
		if !isBefore {
			t.Errorf("%s: %s does not come before %s", test.sfen, test.first, test.second)
		}
	}
}

// A piece that is taken off the board goes to the defender's hand as what it was, if it is to.
func TestWithout(t *testing.T) {
	for _, test := range []struct {
		square string // "": in hand
		kind   shogi.PieceType
		given  bool
		want   string // "": there is no such position
	}{
		{"5c", shogi.Tokin, true, "4k4/9/9/9/9/9/9/9/9 b 2Gp 1"},
		{"5c", shogi.Tokin, false, "4k4/9/9/9/9/9/9/9/9 b 2G 1"},
		{"", shogi.Gold, true, "4k4/9/4+P4/9/9/9/9/9/9 b Gg 1"},
		{"", shogi.Gold, false, "4k4/9/4+P4/9/9/9/9/9/9 b G 1"},
		{"5a", shogi.King, true, ""},
	} {
		piece := IdlePiece{Square: shogi.NoSquare, Piece: test.kind}
		if test.square != "" {
			sq, err := shogi.ParseSquare(test.square)
			if err != nil {
				t.Fatal(err)
			}
			piece.Square = sq
		}
		q, ok := without(shogi.MustParseSFEN("4k4/9/4+P4/9/9/9/9/9/9 b 2G 1"), piece, test.given)
		if ok != (test.want != "") || ok && q.SFEN() != test.want {
			t.Errorf("%+v, given %v: %s %v, want %q", piece, test.given, q.SFEN(), ok, test.want)
		}
	}
}
