package search

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/solvertest"
)

func gameAt(sfen string) *shogi.Game {
	g := shogi.NewGame(shogi.MustParseSFEN(sfen))
	return &g
}

// A search that ends before it has valued a move answers with the static evaluation, in check too.
func TestStoppedAtOnce(t *testing.T) {
	for _, sfen := range []string{shogi.StartSFEN, "4k4/9/9/9/4r4/9/9/9/4K4 b 2P 1"} {
		g := gameAt(sfen)
		p := g.Position()
		e := New(Options{TableBytes: 1 << 10})
		c := e.Search(context.Background(), g, play.Limits{Nodes: 1}, nil)
		s := e.searchers[0]
		s.eval.Reset(&p)
		if want := s.eval.Value(&p); int(c.Score) != want || !slices.Equal(c.Line, []shogi.Move{c.Move}) {
			t.Errorf("%s: %v for %d, expected %d", sfen, c.Line, c.Score, want)
		}
	}
}

// That the moves which a stopped search has come to are mated does not mean that all are.
func TestStoppedLoss(t *testing.T) {
	g := gameAt("ln2s3b/rk6r/p1p1g1ns1/1p1p1pp2/P2gpP2l/L2PG1PPP/1PBKP4/9/1N1s2+p1L b gsn2p 85")
	e := New(Options{TableBytes: 1 << 16})
	for nodes := uint64(100); nodes < 1500; nodes += 10 {
		e.NewGame()
		c := e.Search(context.Background(), g, play.Limits{Nodes: nodes}, nil)
		if plies, mate := c.Score.Mate(); mate {
			t.Errorf("%d nodes: %v, mate in %d", nodes, c.Move, plies)
		}
	}
}

// Wherever a search is stopped, what it has reported last for each rank are lines of different
// moves, the best first, and the choice is the first of them. A move that was found better than
// a window is not forgotten.
func TestLastLines(t *testing.T) {
	games := 300
	if testing.Short() {
		games = 120
	}
	rng, problems := rand.New(rand.NewPCG(1, 1)), solvertest.NewRandom(1, 2)
	e := New(Options{TableBytes: 1 << 16})
	older, lower := 0, 0
	for range games {
		g := randomGame(rng, problems)
		p := g.Position()
		lim := play.Limits{Nodes: uint64(1 + rng.IntN(3000)), MultiPV: 1 + 2*rng.IntN(2)}
		e.NewGame()
		last, ranks := make([]play.Info, lim.MultiPV), 0
		c := e.Search(context.Background(), g, lim, func(i play.Info) {
			if i.MultiPV > 1 && i.MultiPV != ranks+1 {
				t.Fatalf("%s, %+v: rank %d after %d", p.SFEN(), lim, i.MultiPV, ranks)
			}
			if i.MultiPV > 1 && i.Depth == last[ranks-1].Depth && i.Score > last[ranks-1].Score {
				t.Errorf("%s, %+v: rank %d is valued at %d after %d", p.SFEN(), lim, i.MultiPV,
					i.Score, last[ranks-1].Score)
			}
			ranks = i.MultiPV
			last[ranks-1] = i
		})
		if len(last[0].Line) == 0 {
			continue
		}
		if !slices.Equal(c.Line, last[0].Line) || c.Score != last[0].Score || c.Move != c.Line[0] {
			t.Errorf("%s, %+v: %v for %d, the first line is %v for %d", p.SFEN(), lim, c.Line, c.Score,
				last[0].Line, last[0].Score)
		}
		if last[0].Bound == play.LowerBound {
			lower++
		}
		var moves []shogi.Move
		for i, l := range last {
			if len(l.Line) == 0 {
				continue
			}
			if slices.Contains(moves, l.Line[0]) {
				t.Errorf("%s, %+v: two lines begin with %v", p.SFEN(), lim, l.Line[0])
			}
			moves = append(moves, l.Line[0])
			if i == 0 {
				continue
			}
			switch before := &last[i-1]; {
			case l.Depth == before.Depth-1:
				older++
			case l.Depth != before.Depth:
				t.Errorf("%s, %+v: depth %d after %d", p.SFEN(), lim, l.Depth, before.Depth)
			}
		}
	}
	if older == 0 || lower == 0 {
		t.Errorf("%d lines were of the iteration before, %d lower bounds", older, lower)
	}
}

// With a line for each move, each has the value of minimax.
func TestMultiPV(t *testing.T) {
	games := 60
	if testing.Short() {
		games = 20
	}
	rng, problems := rand.New(rand.NewPCG(2, 1)), solvertest.NewRandom(2, 2)
	e := New(Options{TableBytes: 1 << 10})
	s := e.searchers[0]
	s.below = func(alpha, beta, depth, ply int, _ bool) int { return s.plain(alpha, beta, depth, ply) }
	for compared := 0; compared < games; {
		g := randomGame(rng, problems)
		p := g.Position()
		var buf shogi.MoveBuffer
		legal := p.LegalMoves(&buf, shogi.AllMoves)
		if len(legal) > 60 {
			continue
		}
		compared++
		line := g.Line()
		line.Push(&p, p.InCheck())
		m := minimaxer{left: 1 << 30}
		want := map[shogi.Move]int{}
		for _, move := range legal {
			child := p
			child.Do(move)
			want[move] = -m.value(child, line, 1, 1)
		}
		e.Search(context.Background(), g, play.Limits{Depth: 2, MultiPV: 600}, func(i play.Info) {
			if i.Depth < 2 {
				return
			}
			if score, ok := want[i.Line[0]]; !ok || score != int(i.Score) || i.Bound != play.Exact {
				t.Errorf("%s: line %d is %v for %d, by minimax %d", p.SFEN(), i.MultiPV, i.Line,
					i.Score, score)
			}
			delete(want, i.Line[0])
		})
		if len(want) > 0 {
			t.Errorf("%s: no line for %v", p.SFEN(), want)
		}
	}
}

// The nodes of the solver of mates count, and are within the limit, wherever that is.
func TestNodesOfMates(t *testing.T) {
	newSession := func() solver.Session { return dfpn.NewSmallSession(1 << 20) }
	for _, sfen := range []string{
		shogi.StartSFEN,
		"l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
	} {
		g := gameAt(sfen)
		first := uint64(0) // nodes when the solver is asked first
		e := New(Options{TableBytes: 1 << 16, NewSession: newSession})
		e.Search(context.Background(), g, play.Limits{Nodes: 5000}, func(i play.Info) {
			if first == 0 && i.Nodes >= 1000 {
				first = i.Nodes
			}
		})
		for _, more := range []uint64{1, 99, 100, 101, 105, 1000} {
			e.NewGame()
			c := e.Search(context.Background(), g, play.Limits{Nodes: first + more}, nil)
			if c.Nodes != first+more {
				t.Errorf("%s: %d nodes, the limit is %d", sfen, c.Nodes, first+more)
			}
			if more >= leastMateNodes && e.session == nil {
				t.Errorf("%s: the solver was not asked", sfen)
			}
		}
		for nodes := uint64(2500); nodes < 3500; nodes += 37 {
			e.NewGame()
			if c := e.Search(context.Background(), g, play.Limits{Nodes: nodes}, nil); c.Nodes != nodes {
				t.Errorf("%s: %d nodes, the limit is %d", sfen, c.Nodes, nodes)
			}
		}
		var counts [2]uint64
		for i, o := range []Options{{TableBytes: 1 << 16}, {TableBytes: 1 << 16, NewSession: newSession}} {
			counts[i] = New(o).Search(context.Background(), g, play.Limits{Depth: 5}, nil).Nodes
		}
		if counts[1] <= counts[0] || counts[1]-counts[0] > counts[1]/mateShare {
			t.Errorf("%s: %d nodes without the solver, %d with it", sfen, counts[0], counts[1])
		}
	}
}

// A mate whose first move makes a position occur for the fourth time is none.
func TestMateByRepetition(t *testing.T) {
	const once = " 1a2a 1i2i 2a1a"
	for _, test := range []struct {
		moves string
		want  bool
	}{
		{once, true},
		{once + " 2i1i" + once, true},
		{once + " 2i1i" + once + " 2i1i" + once, false},
	} {
		g, err := shogi.ParsePosition("sfen 8k/7p1/9/9/9/5R3/9/9/K7R w P 1 moves" + test.moves)
		if err != nil {
			t.Fatal(err)
		}
		newSession := func() solver.Session { return dfpn.NewSmallSession(1 << 20) }
		e := New(Options{TableBytes: 1 << 16, NewSession: newSession})
		c := e.Search(context.Background(), &g, play.Limits{Nodes: 5000}, nil)
		if _, mate := c.Score.Mate(); (mate && c.Move.String() == "2i1i") != test.want {
			t.Errorf("after %s: %v for %d", test.moves, c.Line, c.Score)
		}
	}
}

// Looked at while it runs, a search knows who is in check and what the position is
// worth, does not pass twice in a row, and takes nothing before a pass for a repetition.
func TestInvariants(t *testing.T) {
	g := gameAt("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1")
	e := New(Options{TableBytes: 1 << 20})
	e.table.nextAge()
	s := e.searchers[0]
	s.begin(g, play.Rules{}, play.Limits{})
	root := s.p.Ply()
	nodes, passes, checks := 0, 0, 0
	s.poll = func() bool {
		s.nodes += 1023 // so that the next node asks again
		nodes++
		ply := s.p.Ply() - root
		if s.stack[ply].inCheck != s.p.InCheck() {
			t.Errorf("%s: in check: %v", s.p.SFEN(), s.stack[ply].inCheck)
		}
		if s.p.InCheck() {
			checks++
		}
		fresh := *s.eval
		fresh.Reset(&s.p)
		if got, want := s.eval.Value(&s.p), fresh.Value(&s.p); got != want {
			t.Errorf("%s: evaluated as %d, not %d", s.p.SFEN(), got, want)
		}
		for i := 1; i < ply; i++ {
			if s.stack[i-1].moved == 0 && s.stack[i].moved == 0 {
				t.Errorf("passes at plies %d and %d", i-1, i)
			}
		}
		if ply > 0 && s.stack[ply-1].moved == 0 {
			passes++
			before := s.p
			before.ForSearch().UndoNull()
			if s.line.Repetition(&before, false) != shogi.NoLineRepetition {
				t.Errorf("%s: passing leads to a repetition", s.p.SFEN())
			}
		}
		return nodes == 50_000 || t.Failed()
	}
	p := g.Position()
	var buf shogi.MoveBuffer
	s.help(rootMoves(p.LegalMoves(&buf, shogi.AllMoves)), 0)
	if passes < 100 || checks < 1000 {
		t.Errorf("saw %d passes, %d positions in check", passes, checks)
	}
	if s.p != p {
		t.Errorf("ended in %s", s.p.SFEN())
	}
}

// Only moves better than the window have a result, whatever an earlier window said of them.
func TestSearchRoot(t *testing.T) {
	g := gameAt(shogi.StartSFEN)
	e := New(Options{TableBytes: 1 << 10})
	s := e.searchers[0]
	s.begin(g, play.Rules{}, play.Limits{})
	s.poll = func() bool { return false }
	p := g.Position()
	var buf shogi.MoveBuffer
	moves := rootMoves(p.LegalMoves(&buf, shogi.AllMoves))
	moves[0].now.score = 5500
	if score := s.searchRoot(moves, 5000, 6000, 2); score >= 5000 {
		t.Fatalf("score %d", score)
	}
	for _, m := range moves {
		if m.now.score != none {
			t.Errorf("%v has the result %d", m.move, m.now.score)
		}
	}
	score := s.searchRoot(moves, -6000, -5000, 2)
	m := &moves[0]
	if score < -5000 || m.now.score != score || m.now.bound != play.LowerBound || m.nodes == 0 {
		t.Errorf("score %d, the first move has %+v", score, m.now)
	}
	for _, m := range moves[1:] {
		if m.now.score != none {
			t.Errorf("%v was searched after a move better than the window", m.move)
		}
	}
}

// An engine whose solver has been asked before, too, answers after NewGame as a new one does.
func TestNewGame(t *testing.T) {
	g := gameAt("lns3ls1/1r1k5/ppp2p3/1n1p3GB/1P2P1PPP/P1P3bS1/3P5/g4K3/1NS4NL w GL4Prgp 1")
	newSession := func() solver.Session { return dfpn.NewSmallSession(1 << 20) }
	e := New(Options{TableBytes: 1 << 16, NewSession: newSession})
	lim := play.Limits{Nodes: 20_000}
	first := e.Search(context.Background(), g, lim, nil)
	e.NewGame()
	if again := e.Search(context.Background(), g, lim, nil); !reflect.DeepEqual(again, first) {
		t.Errorf("%+v, then %+v", first, again)
	}
	e.NewGame()
	q := solver.Question{Position: g.Position(), Attacker: shogi.White}
	reset, fresh := e.session.Ask(context.Background(), q), newSession().Ask(context.Background(), q)
	if reset.Verdict != solver.Mate || reset.Nodes != fresh.Nodes {
		t.Errorf("%v after %d nodes, by a new solver after %d", reset.Verdict, reset.Nodes,
			fresh.Nodes)
	}
}

// A mate of three plies counts only if it comes in time, at the first visit too.
func TestMate3BeforeLimit(t *testing.T) {
	const sfen = "+S1G4+b1/1l3G3/pppp1S1+L1/5+b3/7n1/3P1P1PP/+s3P+sPK1/4+n1g1L/1k+r1L2N1 w 7Prgnp "
	for _, test := range []struct {
		ply  string
		rule play.LastMoveRule
		want bool
	}{
		{"254", play.MateWins, true}, {"255", play.MateWins, false},
		{"253", play.MateDraws, true}, {"254", play.MateDraws, false},
		{"256", play.ExtendChecks, true},
	} {
		e := New(Options{TableBytes: 1 << 16})
		e.table.nextAge()
		s := e.searchers[0]
		s.begin(gameAt(sfen+test.ply), play.Rules{MaxMoves: 256, LastMove: test.rule}, play.Limits{})
		s.poll = func() bool { return false }
		s.stack[1].inCheck = false
		score := s.search(-infinite, infinite, mate3Depth, 1, false)
		if isMate(score) != test.want {
			t.Errorf("ply %s, rule %d: %d, expected a mate: %v", test.ply, test.rule, score, test.want)
		}
	}
}
