package dfpn

import (
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// freeAt returns a searcher where a rook on 5e checks the king on 5a, a frame for the position of the
// defender, and one for that after a drop, both with their children.
func freeAt(t *testing.T, by solver.Interpositions, drop string) (s *searcher, before, after *frame) {
	t.Helper()
	s = onPath(Options{TableBytes: 1 << 20})
	s.p = shogi.MustParseSFEN("4k4/9/9/9/4R4/9/9/9/4G4 w pps 1")
	s.free, s.mated = by, matedFree
	expand := func(attacks bool, last shogi.Move, slider shogi.Square) *frame {
		f := s.push(s.p.BoardKey(), 0, s.p.Hand(attacker), 9, attacks)
		if last != shogi.NoMove {
			f.drop, f.slider = last, slider
		}
		moves := s.p.Evasions(&s.moves, shogi.AllMoves)
		if attacks {
			moves = s.p.Checks(&s.moves, shogi.AllMoves)
		}
		for _, m := range moves {
			s.children = append(s.children, child{move: m, key: s.p.BoardKeyAfter(m), next: noChild, active: true})
		}
		f.count = len(moves)
		s.addFree(f)
		return f
	}
	expand(false, shogi.NoMove, shogi.NoSquare)
	m := move(t, drop)
	slider := s.frames[len(s.frames)-1].slider
	s.p.Do(m)
	expand(true, m, slider)
	return s, &s.frames[len(s.frames)-2], &s.frames[len(s.frames)-1]
}

// TestFreeKeys: a drop that may be taken for nothing leads to another position than one that may not
// be, and what was set aside makes other positions, kind by kind and count by count. Handed back it
// makes none.
func TestFreeKeys(t *testing.T) {
	s, before, after := freeAt(t, solver.FreeBySlider, "P*5c")
	captures := 0
	for _, ch := range s.children[after.first : after.first+after.count] {
		if plain := s.p.BoardKeyAfter(ch.move); (ch.key != plain) != (ch.free && !ch.back) {
			t.Errorf("the capture %v, free %v, back %v: the key is plain: %v", ch.move, ch.free, ch.back, ch.key == plain)
		}
		if ch.free {
			captures++
		}
	}
	if captures != 4 {
		t.Errorf("%d captures for nothing, want two moves, each with the pawn set aside and handed back", captures)
	}
	s.p = shogi.MustParseSFEN("4k4/9/9/9/4R4/9/9/9/4G4 w pps 1")
	for _, ch := range s.children[before.first : before.first+before.count] {
		if plain := s.p.BoardKeyAfter(ch.move); (ch.key != plain) != ch.move.IsDrop() {
			t.Errorf("%v: the key is plain: %v", ch.move, ch.key == plain)
		}
	}
	aside := func(k shogi.PieceType, n int) uint64 { return asideSalt(shogi.Hand(0).Add(k, n)) }
	keys := map[uint64]bool{asideSalt(0): true, aside(shogi.Pawn, 1): true, aside(shogi.Pawn, 2): true,
		aside(shogi.Silver, 1): true, pendingSalt(0): true, pendingSalt(1): true}
	if len(keys) != 6 {
		t.Errorf("%d keys of 6", len(keys))
	}
}

// TestFreeIfFinal: where the king can move, nothing is free that has to be final.
func TestFreeIfFinal(t *testing.T) {
	s, before, after := freeAt(t, solver.FreeIfFinal, "P*5c")
	if before.slider != shogi.NoSquare || after.slider != shogi.NoSquare {
		t.Errorf("drops may be taken by what stands on %v", before.slider)
	}
	s.p = shogi.MustParseSFEN("4k4/9/9/9/4R4/9/9/9/4G4 w pps 1")
	for _, ch := range s.children[before.first : before.first+before.count] {
		if ch.key != s.p.BoardKeyAfter(ch.move) {
			t.Errorf("the key of %v is not plain", ch.move)
		}
	}
}

// TestSetAside: what is set aside is in no hand, and what is handed back in the defender's; both are
// undone with the move.
func TestSetAside(t *testing.T) {
	s, _, _ := freeAt(t, solver.FreeBySlider, "P*5c")
	start := s.p
	drop, capture := move(t, "P*5c"), move(t, "5e5c")
	for _, back := range []bool{false, true} {
		u := s.p.Do(capture)
		plain := s.p.BoardKey()
		s.setAside(drop, back)
		theirs := start.Hand(defender)
		if back {
			theirs = theirs.Add(shogi.Pawn, 1)
		}
		if s.p.Hand(attacker) != start.Hand(attacker) || s.p.Hand(defender) != theirs {
			t.Errorf("back %v: the hands are %v and %v", back, s.p.Hand(attacker), s.p.Hand(defender))
		}
		if (s.p.BoardKey() == plain) != back || (s.aside == 0) != back {
			t.Errorf("back %v: the key is plain: %v, aside is %v", back, s.p.BoardKey() == plain, s.aside)
		}
		s.putBack(drop, back)
		s.p.Undo(capture, u)
		if s.p != start || s.aside != 0 {
			t.Errorf("back %v: afterwards %s, aside %v", back, s.p.SFEN(), s.aside)
		}
	}
}

// TestFreeChild: what is true after a capture for nothing is true before it, for a length of one
// ply less, and for the same hand.
func TestFreeChild(t *testing.T) {
	s, _, f := freeAt(t, solver.FreeBySlider, "P*5c")
	var back, aside *child
	for i := f.first; i < f.first+f.count; i++ {
		switch ch := &s.children[i]; {
		case ch.back && back == nil:
			back = ch
		case ch.free && !ch.back && aside == nil:
			aside = ch
		}
	}
	pawn := hand(t, "P")
	for _, ch := range []*child{back, aside} {
		if n := s.lenAfter(f, ch); n != f.len+1 {
			t.Errorf("%d plies left of %d", n, f.len)
		}
		ch.solvedHand, ch.len = pawn, 6
		if h := s.handBefore(ch); h != pawn {
			t.Errorf("needs %v before it", h)
		}
		if n := s.failedBefore(ch); n != 5 {
			t.Errorf("none within %d plies, of 6 after it", n)
		}
		if ch.len = forever; s.failedBefore(ch) != forever {
			t.Errorf("none within %d plies, of any after it", s.failedBefore(ch))
		}
	}
	// With the pawn handed back the defender has more.
	const length, depth = 6, 5
	for _, test := range []struct {
		why      string
		ch       *child
		mate     bool
		expected bool
	}{
		{"a mate with the pawn handed back", aside, true, true},
		{"none with the pawn handed back", aside, false, false},
		{"a mate with the pawn set aside", back, true, false},
		{"none with the pawn set aside", back, false, true},
	} {
		s.table.clear()
		if key := test.ch.key ^ s.asideFrom(f); test.mate {
			s.table.storeProof(key, test.ch.hand, length, 1)
		} else {
			s.table.storeDisproof(key, test.ch.hand, length, 1)
		}
		if got := s.lookupTwin(f, test.ch, length, depth); got != test.expected {
			t.Errorf("%s decides: %v", test.why, got)
		}
	}
	open := value{pn: 3, dn: 3}
	failed := disprovedValue(0, length, noLoop)
	back.value, aside.value = open, failed
	if s.failBack(f, aside); back.value != failed {
		t.Error("handed back it does not fail, though set aside it does")
	}
	back.value, aside.value = failed, open
	if s.failBack(f, back); aside.value != open {
		t.Error("set aside it fails, because it does handed back")
	}
}

func move(t *testing.T, text string) shogi.Move {
	t.Helper()
	m, err := shogi.ParseMove(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
