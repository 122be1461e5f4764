package compose

import (
	"context"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// makeProblems returns the first n problems.
func makeProblems(o Options, n int, tally *Tally) (list []Problem) {
	o.Session = dfpn.NewSession()
	for p := range Reverse(context.Background(), o, tally) {
		if list = append(list, p); len(list) == n {
			break
		}
	}
	return list
}

// TestReverse asks the plain rules and a search of its own about what Reverse yields.
func TestReverse(t *testing.T) {
	o := Options{Seed: 3, Least: 3, Most: 5, MaxPieces: 9, Strict: true}
	var tally Tally
	list := makeProblems(o, 5, &tally)
	perLength := map[int]int{}
	for _, p := range list {
		sfen := p.Position.ProblemSFEN()
		perLength[len(p.Line)]++
		if p.Position.Missing() != 0 || p.Position.SideToMove() != shogi.Black {
			t.Errorf("%s is no diagram of a problem", sfen)
		}
		if len(p.Line) != 3 && len(p.Line) != 5 || len(p.Themes) == 0 || countPieces(&p.Position) > o.MaxPieces {
			t.Errorf("%s has %d plies, the themes %v, %d pieces", sfen, len(p.Line), p.Themes, countPieces(&p.Position))
		}
		if err := solver.VerifyLine(p.Position, p.Line); err != nil {
			t.Errorf("%s: %v", sfen, err)
		}
		if p.Position.Piece(p.Line[0].To()) != shogi.NoPiece {
			t.Errorf("%s begins with a capture", sfen)
		}
		var buf shogi.MoveBuffer
		at := p.Position
		for i, m := range p.Line {
			if i%2 == 0 && i < len(p.Line)-1 {
				for _, other := range p.Position.Checks(&buf, shogi.AllMoves) {
					if next := after(&p.Position, other); other != p.Line[0] && solvertest.Shortest(&next, 2) <= 2 {
						t.Errorf("%s: %v mates too", sfen, other)
					}
				}
			}
			at.Do(m)
		}
		if end := at; end.Hand(shogi.Black) != 0 {
			t.Errorf("%s leaves %v", sfen, end.Hand(shogi.Black))
		}
	}
	if perLength[3] == 0 || perLength[5] == 0 {
		t.Errorf("the problems have these lengths: %v", perLength)
	}
	for plies, l := range tally.Lengths {
		sum := l.Sound
		for _, n := range l.Fell {
			sum += n
		}
		if sum != l.Candidates || l.Yielded != perLength[plies] {
			t.Errorf("%d plies: %+v does not add up", plies, l)
		}
	}
	if again := makeProblems(o, 3, nil); !reflect.DeepEqual(again, list[:3]) {
		t.Errorf("the same seed made other problems:\n%+v\n%+v", again, list[:3])
	}
	o.Seed++
	if others := makeProblems(o, 1, nil); reflect.DeepEqual(others, list[:1]) {
		t.Error("another seed made the same problem")
	}
}

// TestReverseStops: nothing is yielded once the context has ended, whatever was being done.
func TestReverseStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o := Options{Session: dfpn.NewSession(), Seed: 3, Least: 3, Most: 5, MaxPieces: 9, Strict: true}
	n := 0
	for range Reverse(ctx, o, nil) {
		n++
		cancel()
	}
	if n != 1 {
		t.Errorf("%d problems were yielded, 1 before the end", n)
	}
}

// TestFinalFigure: nothing can be taken away from a final figure, and nothing is left over.
func TestFinalFigure(t *testing.T) {
	for seed := range uint64(40) {
		p := finalFigure(rand.New(rand.NewPCG(seed, 0)))
		if !p.IsCheckmate() || p.Hand(shogi.Black) != 0 || p.Missing() != 0 {
			t.Fatalf("%s is no final figure", p.SFEN())
		}
		for sq := range p.Occupied().All() {
			s := p.Setup()
			if s.Board[sq].Type() == shogi.King {
				continue
			}
			s.Board[sq] = shogi.NoPiece
			q, err := s.Position()
			if err != nil {
				continue
			}
			if q.GiveMissing(shogi.White); q.IsCheckmate() {
				t.Errorf("%s is mate without %v", p.SFEN(), sq)
			}
		}
	}
}

// TestFilters gives each filter a candidate that falls there: a problem with a check and a reply that
// lead to a shorter one.
func TestFilters(t *testing.T) {
	for _, test := range []struct {
		name, sfen, check, reply string
		falls                    Filter
	}{
		{"sound", "8k/6RP1/9/9/9/9/9/9/9 b Gr2b3g4s4n4l17p 1", "2b2a+", "1a2a", NumFilters},
		{"eleven pieces", "8k/6RP1/9/9/9/9/9/9/PPPPPPP1P b Gr2b3g4s4n4l9p 1", "2b2a+", "1a2a", Natural},
		{"a mate in one", "8k/6RP1/8P/9/9/9/9/9/9 b 2Gr2b2g4s4n4l16p 1", "2b2a+", "1a2a", Shorter},
		{"an escape", "8k/7P1/6R2/9/9/9/9/9/9 b Gr2b3g4s4n4l17p 1", "2b2a+", "1a2a", Mate},
		{"a cook", "8k/6RP1/9/9/9/9/9/9/9 b GLr2b3g4s4n3l17p 1", "2b2a+", "1a2a", Unique},
	} {
		c := &composer{Options: Options{Session: dfpn.NewSession(), MaxPieces: 8}, tally: new(Tally),
			seen: map[uint64]bool{}}
		c.analyzer = analysis.NewAnalyzer(c.Session)
		q := candidate{plies: 3}
		q.Position = shogi.MustParseSFEN(test.sfen)
		q.Check, _ = shogi.ParseMove(test.check)
		q.Reply, _ = shogi.ParseMove(test.reply)
		_, ok := c.filter(context.Background(), q)
		l := c.tally.Lengths[3]
		if test.falls == NumFilters {
			if !ok || l.Sound != 1 {
				t.Errorf("%s falls: %+v", test.name, l)
			}
		} else if ok || l.Fell[test.falls] != 1 {
			t.Errorf("%s: %v, %+v, wanted %v", test.name, ok, l, test.falls)
		}
	}
}

// TestFinish: an idle piece is taken away, and what is cooked does not leave.
func TestFinish(t *testing.T) {
	c := &composer{Options: Options{Session: dfpn.NewSession(), MaxPieces: 5, Strict: true}}
	c.analyzer = analysis.NewAnalyzer(c.Session)
	read := func(sfen string, line ...string) *problem {
		q := &problem{position: shogi.MustParseSFEN(sfen)}
		for _, text := range line {
			m, err := shogi.ParseMove(text)
			if err != nil {
				t.Fatal(err)
			}
			q.line = append(q.line, m)
		}
		return q
	}
	p, ok := c.finish(context.Background(),
		read("9/5G3/4k1S2/6L2/3+R5/3N5/9/9/P8 b r2b3g3s3n3l17p 1", "4b4c", "5c4c", "6e5d"))
	if got := p.Position.ProblemSFEN(); !ok || got != "9/5G3/4k1S2/6L2/3+R5/3N5/9/9/9 b r2b3g3s3n3l18p 1" {
		t.Errorf("the idle pawn: %v, %s", ok, got)
	}
	if p, ok := c.finish(context.Background(),
		read("8k/6RP1/9/9/9/9/9/9/9 b GSr2b3g3s4n4l17p 1", "2b2a+", "1a2a", "G*2b")); ok {
		t.Errorf("a cooked problem leaves: %s", p.Position.SFEN())
	}
}

// TestIsNew: a problem is refused beside itself, its mirror image, its own end, a near copy and one
// that ends with the same three moves, in whatever order they come.
func TestIsNew(t *testing.T) {
	const line = "3a2a 1a2a 4b3a+ 2a3a 1c2b 3a4a 2b3b"
	problem := func(sfen string, from int) *Problem {
		q := &Problem{Position: shogi.MustParseSFEN(sfen)}
		for i, text := range strings.Fields(line) {
			m, err := shogi.ParseMove(text)
			if err != nil {
				t.Fatal(err)
			}
			if i >= from {
				q.Line = append(q.Line, m)
			} else {
				q.Position.Do(m)
			}
		}
		return q
	}
	const sfen = "6+S1k/3+R1S3/8G/9/9/9/9/9/9 b r2b3g2s4n4l18p 1"
	whole, tail := problem(sfen, 0), problem(sfen, 2)
	mirrored := &Problem{Position: whole.Position.Mirrored()}
	for _, m := range whole.Line {
		mirrored.Line = append(mirrored.Line, m.Mirrored())
	}
	with := problem("6+S1k/3+R1S3/8G/9/9/9/9/9/P8 b r2b3g2s4n4l17p 1", 0)
	far := problem("6+S1k/3+R1S3/8G/9/9/9/9/9/9 b r2b3g2s4n4l18p 1", 4)
	for _, pair := range [][2]*Problem{{whole, whole}, {whole, tail}, {tail, whole}, {whole, mirrored},
		{whole, with}, {tail, far}} {
		c := &composer{}
		if !c.isNew(pair[0], 0) {
			t.Errorf("%s is not new", pair[0].Position.SFEN())
		}
		if c.isNew(pair[1], 0) {
			t.Errorf("%s is new beside %s", pair[1].Position.SFEN(), pair[0].Position.SFEN())
		}
	}
}

// TestIsPleasant has a problem and what spoils it.
func TestIsPleasant(t *testing.T) {
	c := &composer{Options: Options{MaxPieces: 3, Strict: true}}
	good := func() *problem {
		return &problem{position: shogi.MustParseSFEN("8k/6RP1/9/9/9/9/9/9/9 b Gr2b3g4s4n4l17p 1"), themes: 1, strict: true}
	}
	if !c.isPleasant(good(), 0) {
		t.Fatal("a good problem is not pleasant")
	}
	for name, spoil := range map[string]func(*problem){
		"no point":                 func(q *problem) { q.themes = 1 << points },
		"a capture at first":       func(q *problem) { q.first = true },
		"two captures":             func(q *problem) { q.captures = 2 },
		"a dual":                   func(q *problem) { q.strict = false },
		"four pieces":              func(q *problem) { q.position = shogi.MustParseSFEN("8k/6RP1/9/9/9/9/9/9/9 b 2Gr2b2g4s4n4l17p 1") },
		"a promoted silver":        func(q *problem) { q.position = shogi.MustParseSFEN("8k/6R2/9/9/9/9/9/9/+S8 b Gr2b3g3s4n4l18p 1") },
		"a tokin of the defender":  func(q *problem) { q.position = shogi.MustParseSFEN("7+pk/6R2/9/9/9/9/9/9/9 b Gr2b3g4s4n4l17p 1") },
		"one or two checks in all": func(q *problem) { q.position = shogi.MustParseSFEN("8k/7pp/9/9/9/9/9/9/9 b N2r2b4g4s3n4l16p 1") },
	} {
		q := good()
		if spoil(q); c.isPleasant(q, 0) {
			t.Errorf("%s is pleasant", name)
		}
	}
}
