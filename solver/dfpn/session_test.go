package dfpn_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// ask asks a session about p with the side to move as the attacker.
func ask(s *dfpn.Session, p shogi.Position, lim solver.Limits, marks ...shogi.Position) solver.Result {
	return s.Ask(context.Background(), solver.Question{Position: p, Attacker: p.SideToMove(), Limits: lim, Marks: marks})
}

// TestSessionKnown: one table for many problems, among them pairs with the same board and other
// hands, keeps them apart; and it answers in the same way when it is asked again.
func TestSessionKnown(t *testing.T) {
	t.Parallel()
	s := dfpn.NewSession()
	var known []solvertest.Known
	for _, k := range solvertest.Positions(t) {
		if k.Position.King(k.Position.SideToMove().Opponent()) != shogi.NoSquare {
			known = append(known, k)
		}
	}
	known = known[:50]
	lim := solver.Limits{Nodes: 5000}
	alone := dfpn.New(dfpn.Options{TableBytes: 1 << 20})
	for round := range 2 {
		for _, k := range known {
			for _, p := range []shogi.Position{k.Position, k.Position.Rotated(), withRest(k.Position)} {
				r := ask(s, p, lim)
				if p.Hand(p.SideToMove().Opponent()) != k.Position.Hand(k.Position.SideToMove().Opponent()) {
					want := alone.Solve(context.Background(), p, lim)
					if want.Verdict != solver.Unknown && r.Verdict != solver.Unknown && r.Verdict != want.Verdict {
						t.Fatalf("%s: %v in a session, %v alone", p.SFEN(), r.Verdict, want.Verdict)
					}
					continue
				}
				switch {
				case r.Verdict == solver.NoMate && k.Most < solvertest.Never,
					r.Verdict == solver.Mate && (k.Least == solvertest.Never || len(r.Line) < k.Least),
					r.Verdict == solver.Unknown && r.Reason != solver.ReasonNodes:
					t.Fatalf("%s: round %d: %s: %v %v %s, known to be %d to %d", k.Source, round, p.SFEN(),
						r.Verdict, r.Line, r.Reason, k.Least, k.Most)
				}
			}
		}
	}
}

// withRest returns p with all that is missing in the defender's hand.
func withRest(p shogi.Position) shogi.Position {
	setup := p.Setup()
	rest := [8]int{}
	for k := shogi.Pawn; k <= shogi.Gold; k++ {
		rest[k] = shogi.FullSet[k] - p.Hand(shogi.Black).Count(k) - p.Hand(shogi.White).Count(k)
	}
	for _, pc := range setup.Board {
		if k := pc.Type(); k != shogi.NoPieceType && k != shogi.King {
			rest[k.Base()]--
		}
	}
	defender := p.SideToMove().Opponent()
	for k := shogi.Pawn; k <= shogi.Gold; k++ {
		setup.Hands[defender] = setup.Hands[defender].Add(k, rest[k])
	}
	q, err := setup.Position()
	if err != nil {
		panic(err)
	}
	return q
}

// TestSessionDefender: asked about the position after a check, a session says the same as a solver
// says of all the replies, with one king and with two, and whoever the attacker is.
func TestSessionDefender(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine")
	}
	t.Parallel()
	s, alone := dfpn.NewSession(), dfpn.New(dfpn.Options{TableBytes: 1 << 20})
	lim := solver.Limits{Nodes: 3000}
	twoKings, asked := 0, 0
	for i, k := range solvertest.Positions(t) {
		p := k.Position
		attacker := p.SideToMove()
		if p.King(attacker.Opponent()) == shogi.NoSquare || i%12 != 0 {
			continue
		}
		var buf shogi.MoveBuffer
		for j, m := range p.Checks(&buf, shogi.AllMoves) {
			if j == 3 {
				break
			}
			next := p
			next.Do(m)
			r := s.Ask(context.Background(), solver.Question{Position: next, Attacker: attacker, Limits: lim})
			want := solver.Mate
			var replies shogi.MoveBuffer
			for _, d := range next.Evasions(&replies, shogi.AllMoves) {
				after := next
				after.Do(d)
				switch v := alone.Solve(context.Background(), after, lim).Verdict; {
				case v == solver.NoMate:
					want = v
				case v == solver.Unknown && want == solver.Mate:
					want = v
				}
			}
			if r.Verdict != want && r.Verdict != solver.Unknown && want != solver.Unknown {
				t.Fatalf("%s after %s: %v, its replies say %v", p.SFEN(), m, r.Verdict, want)
			}
			if r.Verdict != solver.Unknown {
				asked++
				if p.King(attacker) != shogi.NoSquare {
					twoKings++
				}
			}
		}
	}
	if asked < 50 || twoKings < 5 {
		t.Errorf("%d positions were decided, %d of them with two kings", asked, twoKings)
	}
}

// TestSessionMarks: a search with marks says what the plain rules say if the marked positions are
// failures. A mark with less in hand than there is does not count, and the plain answer to the same
// question is the same before and after.
func TestSessionMarks(t *testing.T) {
	t.Parallel()
	s := dfpn.NewSession()
	changed, kept := 0, 0
	for _, k := range solvertest.Positions(t) {
		p := k.Position
		if k.Most > 5 || k.Least != k.Most || k.Least < 3 || p.King(p.SideToMove().Opponent()) == shogi.NoSquare {
			continue
		}
		lim := solver.Limits{Plies: k.Most, Nodes: 100_000}
		plain := ask(s, p, lim)
		if plain.Verdict != solver.Mate {
			t.Fatalf("%s: %v", p.SFEN(), plain)
		}
		marked := p
		marked.Do(plain.Line[0])
		marked.Do(plain.Line[1])
		less := marked // with less in the attacker's hand: no mark for the position itself
		hand := less.Hand(p.SideToMove())
		marks := []shogi.Position{marked}
		if k.Least == 3 && !hand.IsEmpty() {
			for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
				if hand.Has(kind) {
					less.SetAside(p.SideToMove(), kind)
					break
				}
			}
			marks = []shogi.Position{less}
		}
		want := solver.Unknown // none within so many plies
		if markedAttack(p, k.Most, marks) {
			want = solver.Mate
		}
		r := ask(s, p, lim, marks...)
		got := r.Verdict
		if got == solver.NoMate {
			got = solver.Unknown
		}
		if got != want || r.Reason == solver.ReasonNodes {
			t.Fatalf("%s without %s: %v %s, the plain rules say %v", p.SFEN(), marks[0].SFEN(), r.Verdict, r.Reason, want)
		}
		if want == solver.Mate {
			kept++
		} else {
			changed++
		}
		if again := ask(s, p, lim); again.Verdict != solver.Mate || len(again.Line) != len(plain.Line) {
			t.Fatalf("%s: %v after the marked search, %v before", p.SFEN(), again, plain)
		}
	}
	if changed < 20 || kept < 20 {
		t.Errorf("the marks changed %d answers and kept %d", changed, kept)
	}
}

func markedAttack(p shogi.Position, plies int, marks []shogi.Position) bool {
	for i := range marks {
		side := p.SideToMove()
		if marks[i].SideToMove() == side && marks[i].Setup().Board == p.Setup().Board &&
			marks[i].Hand(side).Covers(p.Hand(side)) {
			return false
		}
	}
	b := mailbox.From(&p)
	for _, m := range b.LegalMoves() {
		if b.GivesCheck(m) && markedDefence(after(p, m), plies-1, marks) {
			return true
		}
	}
	return false
}

func markedDefence(p shogi.Position, plies int, marks []shogi.Position) bool {
	b := mailbox.From(&p)
	if plies < 2 {
		return plies >= 0 && !b.HasLegalMove()
	}
	for _, m := range b.LegalMoves() {
		if !markedAttack(after(p, m), plies-1, marks) {
			return false
		}
	}
	return true
}

func after(p shogi.Position, m shogi.Move) shogi.Position {
	p.Do(m)
	return p
}

// TestSessionRepeats: the same questions in the same order get the same answers, nodes included,
// whatever was asked before Reset.
func TestSessionRepeats(t *testing.T) {
	t.Parallel()
	s := dfpn.NewSession()
	var runs [2][]solver.Result
	for round := range runs {
		s.Reset()
		for i, k := range solvertest.Positions(t) {
			if i%9 == 0 && k.Position.King(k.Position.SideToMove().Opponent()) != shogi.NoSquare {
				runs[round] = append(runs[round], ask(s, k.Position, solver.Limits{Nodes: 3000, Shortest: i%2 == 0}))
			}
		}
	}
	if !reflect.DeepEqual(runs[0], runs[1]) {
		t.Error("the second run differs from the first")
	}
}
