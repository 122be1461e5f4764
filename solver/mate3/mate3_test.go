package mate3

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// A bishop or a pawn that must not promote makes the mate longer than three plies; what mates in
// three is found.
var problems = []struct {
	name, sfen string
	plies      int // 0: none within three
}{
	{"gold on the head", "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1", 1},
	{"gold from behind", "9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1", 3},
	{"the bishop is given away (古典3手詰)", "3sks3/9/4S4/9/9/B8/9/9/9 b S2rb4g4n4l18p 1", 3},
	{"a distant rook, and one pawn to interpose", "k8/pp7/9/9/9/9/9/9/8R b p 1", 3},
	{"a pawn drop that only a pinned gold may take", "6g1k/8p/6R1L/9/9/9/9/9/9 b Pr2b3g4s4n3l16p 1", 3},
	{"a pawn drop would mate on the third ply", "8k/9/7K1/9/9/9/9/9/9 b P 1", 0},
	{"in five, by a bishop that does not promote (打ち歩詰め回避)", "5B1n1/8k/6Rpp/9/9/9/1+p7/9/K8 b rb4g4s3n4l15p 1", 0},
	{"in five, by an unpromoted lance", "g6lk/9/8B/6B1L/9/9/9/9/9 b NP2r3g4s3n2l17p 1", 0},
	{"in fifteen, by interpositions that each cost two plies", "k8/9/1G7/9/9/9/9/9/8R b r2b3g4s4n4l18p 1", 0},
}

func TestFind(t *testing.T) {
	for _, c := range problems {
		t.Run(c.name, func(t *testing.T) {
			for _, p := range bothSides(c.sfen) {
				everySwitch(func(o Options) {
					s := NewSearcher(o)
					q := p
					line, plies := s.Find(&q)
					if q != p {
						t.Errorf("%s: %+v: the position is changed to %s", p.SFEN(), o, q.SFEN())
					}
					if plies != c.plies {
						t.Errorf("%s: %+v: found %v in %d plies, want %d", p.SFEN(), o, line, plies, c.plies)
					}
					if plies > 0 {
						r := solver.Result{Verdict: solver.Mate, Line: line[:plies]}
						if err := solver.Verify(p, r, nil); err != nil {
							t.Errorf("%+v: %v", o, err)
						}
					}
				})
			}
		})
	}
}

// TestLost: after every check, whether all defences are answered is what the plain search says.
func TestLost(t *testing.T) {
	every := 1
	if testing.Short() {
		every = 5
	}
	s := NewSearcher(Options{})
	var buf shogi.MoveBuffer
	lost, held := 0, 0
	for i, k := range solvertest.Positions(t) {
		if i%every != 0 {
			continue
		}
		for _, m := range k.Position.Checks(&buf, shogi.AllMoves) {
			p := k.Position
			p.Do(m)
			before := p
			got := s.Lost(&p)
			if p != before {
				t.Fatalf("%s: the position is changed to %s", before.SFEN(), p.SFEN())
			}
			if want := plainLost(&p); got != want {
				t.Errorf("%s: lost %v, by the plain search %v", p.SFEN(), got, want)
			}
			if got {
				lost++
			} else {
				held++
			}
		}
	}
	if lost < 20 || held < 200 {
		t.Errorf("only %d lost and %d held positions", lost, held)
	}
}

// plainLost reports whether every move of p allows a mate in one, by the plain rules.
func plainLost(p *shogi.Position) bool {
	b := mailbox.From(p)
	for _, d := range b.LegalMoves() {
		after := b
		after.Do(d)
		if len(plainMates(&after)) == 0 {
			return false
		}
	}
	return true
}

// A mate in three that only the unpromoted pawn gives, though no pawn drop of the attacker is near.
//
//	 9  8  7  6  5  4  3  2  1
//	.  .  .  .  R  .  g  n  k  a
//	.  .  .  .  .  p  .  .  .  b
//	.  .  .  .  .  n  P  P  .  c    White holds a pawn
//	.  .  .  .  r  B  K  N  .  d
//	.  .  .  .  .  P  . +P  .  e
//	.  .  .  .  .  .  .  .  .  f
//	.  .  .  .  .  .  .  .  B  g
//	.  .  .  .  .  .  .  p  .  h
//	.  .  .  .  .  .  .  .  L  i
//
// After 3c3b the pawn drop P*3c would mate Black's king, so it is illegal, and 5dx4d is answered by
// 1gx4d with double check. After 3c3b+ the promoted pawn could take on 3c, so P*3c is legal, and
// saves White.
func TestUnpromotedPawnKeepsDropIllegal(t *testing.T) {
	const sfen = "4R1gnk/5p3/5nPP1/4rBKN1/5P1+P1/9/8B/7p1/8L b p 1"
	move := func(text string) shogi.Move {
		m, err := shogi.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	p := shogi.MustParseSFEN(sfen)
	if n := solvertest.Shortest(&p, 3); n != 3 {
		t.Errorf("by the plain rules the shortest mate has %d plies, want 3", n)
	}
	slow := NewSearcher(Options{NoDropOmission: true, NoMoveOmission: true, NoEscapeFirst: true, NoLastMate: true, NoKiller: true})
	var mating []string
	var checks shogi.MoveBuffer
	for _, m := range p.Checks(&checks, shogi.AllMoves) {
		after := p
		after.Do(m)
		if slow.lost(&after) {
			mating = append(mating, m.String())
		}
	}
	if !reflect.DeepEqual(mating, []string{"3c3b"}) {
		t.Errorf("%v mate in three, want 3c3b alone", mating)
	}
	for _, c := range []struct {
		first string
		legal bool
	}{{"3c3b", false}, {"3c3b+", true}} {
		after := p
		after.Do(move(c.first))
		if got := after.IsLegal(move("P*3c")); got != c.legal {
			t.Errorf("after %s P*3c is legal: %v, want %v", c.first, got, c.legal)
		}
	}
	for _, p := range bothSides(sfen) {
		everySwitch(func(o Options) {
			s, q := NewSearcher(o), p
			if _, plies := s.Find(&q); plies != 3 {
				t.Errorf("%s: %+v: %d plies, want 3", p.SFEN(), o, plies)
			}
		})
	}
}

func TestSolver(t *testing.T) {
	const (
		inThree  = "9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1"
		inFive   = "5B1n1/8k/6Rpp/9/9/9/1+p7/9/K8 b rb4g4s3n4l15p 1"
		mated    = "4k4/4G4/4G4/9/9/9/9/9/9 w 2r2b2g4s4n4l18p 2"
		lost     = "k3R4/9/1+P7/9/9/9/9/9/9 w Gg 1"
		saved    = "k8/3+B5/9/9/9/9/L8/8B/9 w n 1"
		noChecks = "4k4/9/9/9/9/9/9/9/4K4 b 2r2b4g4s4n4l18p 1"
		diesOut  = "8k/9/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1" // the king takes the pawn
	)
	for _, c := range []struct {
		name, sfen string
		limits     solver.Limits
		plies      int // of the line
		want       solver.Result
	}{
		{"mate", inThree, solver.Limits{}, 3, solver.Result{Verdict: solver.Mate, Exact: true}},
		{"mate as long as allowed", inThree, solver.Limits{Plies: 3}, 3, solver.Result{Verdict: solver.Mate, Exact: true}},
		{"longer than allowed", inThree, solver.Limits{Plies: 2}, 0, solver.Result{NoMateWithin: 2, Reason: solver.ReasonPlies}},
		{"much longer than allowed", inThree, solver.Limits{Plies: 1}, 0, solver.Result{NoMateWithin: 1, Reason: solver.ReasonPlies}},
		{"too deep", inFive, solver.Limits{}, 0, solver.Result{NoMateWithin: 3, Reason: solver.ReasonDepth}},
		{"too deep, with more allowed", inFive, solver.Limits{Plies: 9}, 0, solver.Result{NoMateWithin: 3, Reason: solver.ReasonDepth}},
		{"too deep, and three asked for", inFive, solver.Limits{Plies: 3}, 0, solver.Result{NoMateWithin: 3, Reason: solver.ReasonPlies}},
		{"no check", noChecks, solver.Limits{}, 0, solver.Result{Verdict: solver.NoMate}},
		{"no check after the first", diesOut, solver.Limits{}, 0, solver.Result{Verdict: solver.NoMate}},

		{"mated already", mated, solver.Limits{}, 0, solver.Result{Verdict: solver.Mate, Exact: true}},
		{"defence lost", lost, solver.Limits{}, 2, solver.Result{Verdict: solver.Mate, Exact: true}},
		{"defence lost, but one ply is allowed", lost, solver.Limits{Plies: 1}, 0, solver.Result{NoMateWithin: 1, Reason: solver.ReasonPlies}},
		{"defence saved", saved, solver.Limits{}, 0, solver.Result{NoMateWithin: 2, Reason: solver.ReasonDepth}},
		{"defence saved, and three plies asked for", saved, solver.Limits{Plies: 3}, 0, solver.Result{NoMateWithin: 3, Reason: solver.ReasonPlies}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := shogi.MustParseSFEN(c.sfen)
			r := Solver.Solve(t.Context(), p, c.limits)
			if err := solver.Verify(p, r, nil); err != nil {
				t.Error(err)
			}
			if len(r.Line) != c.plies {
				t.Errorf("a line of %d plies, want %d", len(r.Line), c.plies)
			}
			if r.Nodes == 0 {
				t.Error("no node")
			}
			r.Line, r.Nodes = nil, 0
			c.want.Solver = "mate3"
			if !reflect.DeepEqual(r, c.want) {
				t.Errorf("got %+v, want %+v", r, c.want)
			}
		})
	}
}

// With fewer nodes than it takes the answer is that they ran out, and with as many it is the
// answer.
func TestNodesRunOut(t *testing.T) {
	for _, sfen := range []string{
		"5B1n1/8k/6Rpp/9/9/9/1+p7/9/K8 b rb4g4s3n4l15p 1",
		"9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1",
		"k3R4/9/1+P7/9/9/9/9/9/9 w Gg 1",
	} {
		p := shogi.MustParseSFEN(sfen)
		want := Solver.Solve(t.Context(), p, solver.Limits{})
		if want.Nodes < 3 {
			t.Fatalf("%s takes %d nodes, too few to run out of", sfen, want.Nodes)
		}
		for nodes := uint64(1); nodes <= want.Nodes+1; nodes++ {
			r := Solver.Solve(t.Context(), p, solver.Limits{Nodes: nodes})
			if nodes >= want.Nodes && !reflect.DeepEqual(r, want) {
				t.Errorf("%s: with %d nodes %+v, want %+v", sfen, nodes, r, want)
			}
			if nodes < want.Nodes && (r.Verdict != solver.Unknown || r.Reason != solver.ReasonNodes || r.Nodes != nodes) {
				t.Errorf("%s: with %d nodes %+v, want that they ran out", sfen, nodes, r)
			}
		}
	}
}

// The context is asked every 1,024 nodes, more than most searches take, so the counter is moved on
// by hand.
func TestContextStopsSearch(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	expired, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for _, c := range []struct {
		ctx  context.Context
		want solver.Reason
	}{{t.Context(), solver.NoReason}, {cancelled, solver.ReasonCancelled}, {expired, solver.ReasonTime}} {
		p := shogi.MustParseSFEN("k3R4/9/1+P7/9/9/9/9/9/9 w Gg 1")
		s := NewSearcher(Options{})
		s.ctx, s.nodes = c.ctx, 1022
		lost := s.lost(&p)
		if s.reason != c.want || lost != (c.want == solver.NoReason) {
			t.Errorf("lost is %v after %d nodes for the reason %q, want %q", lost, s.nodes, s.reason, c.want)
		}
		if c.want != solver.NoReason && s.nodes != 1024 {
			t.Errorf("%q: stopped after %d nodes, want 1024", c.want, s.nodes)
		}
	}
}

func TestFindDoesNotAllocate(t *testing.T) {
	positions := solvertest.Positions(t)
	s := NewSearcher(Options{})
	if n := testing.AllocsPerRun(5, func() {
		for i := range positions {
			s.Find(&positions[i].Position)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkSolve measures a verdict, by the way that allocates nothing, with the theorems and
// without.
func BenchmarkSolve(b *testing.B) {
	for _, class := range []struct {
		name        string
		least, most int
		want        int
	}{
		{"mate1", 1, 1, 1},
		{"mate3", 3, 3, 3},
		{"longer", 5, solvertest.Never - 1, 0},
		{"nomate", solvertest.Never, solvertest.Never, 0},
	} {
		for _, v := range []struct {
			name    string
			options Options
		}{
			{"", Options{}},
			{"/notheorem", Options{NoDropOmission: true, NoMoveOmission: true, NoEscapeFirst: true}},
		} {
			b.Run(class.name+v.name, func(b *testing.B) {
				var positions []shogi.Position
				for _, k := range solvertest.Positions(b) {
					if k.Least >= class.least && k.Most <= class.most {
						positions = append(positions, k.Position)
					}
				}
				s := NewSearcher(v.options)
				b.ReportAllocs()
				var nodes uint64
				i := 0
				for b.Loop() {
					p := &positions[i]
					if _, plies := s.Find(p); plies != class.want {
						b.Fatalf("%s: %d plies, want %d", p.SFEN(), plies, class.want)
					}
					nodes += s.Nodes()
					if i++; i == len(positions) {
						i = 0
					}
				}
				b.ReportMetric(float64(nodes)/float64(b.N), "nodes/op")
			})
		}
	}
}
