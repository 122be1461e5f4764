package collection_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/collection"
	"github.com/tsumero/tsumero/solver/solvertest"
)

func TestKeys(t *testing.T) {
	for _, c := range []struct{ name, sfen, key, figure, shift string }{
		{"the smaller one of two mirror images", "9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G2r2b4s4n4l17p 1",
			"t1:9/4k4/9/3G5/4G4/4P4/9/9/9:2G:rest", "t1f:9/4k4/9/3G5/4G4/4P4/9/9/9",
			"t1s:9/7k1/9/6G2/7G1/7P1/9/9/9:2G:rest"},
		{"the colours turned", "9/9/9/4p4/4g4/3g5/9/4K4/9 w 2R2B4S4N4L17P2g 7",
			"t1:9/4k4/9/3G5/4G4/4P4/9/9/9:2G:rest", "t1f:9/4k4/9/3G5/4G4/4P4/9/9/9",
			"t1s:9/7k1/9/6G2/7G1/7P1/9/9/9:2G:rest"},
		{"a hand that is not the rest, and an empty one", "k8/9/1P7/9/9/9/9/9/9 b 2rb 1",
			"t1:8k/9/7P1/9/9/9/9/9/9:-:2rb", "t1f:8k/9/7P1/9/9/9/9/9/9",
			"t1s:8k/9/7P1/9/9/9/9/9/9:-:2rb"},
		{"two empty hands", "8k/9/7P1/9/9/9/9/9/9 b - 1",
			"t1:8k/9/7P1/9/9/9/9/9/9:-:-", "t1f:8k/9/7P1/9/9/9/9/9/9",
			"t1s:8k/9/7P1/9/9/9/9/9/9:-:-"},
		{"two kings, all pieces", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
			"t1:lnsgkgsnl/1b5r1/ppppppppp/9/9/9/PPPPPPPPP/1R5B1/LNSGKGSNL:-:rest",
			"t1f:lnsgkgsnl/1b5r1/ppppppppp/9/9/9/PPPPPPPPP/1R5B1/LNSGKGSNL",
			"t1s:lnsgkgsnl/1b5r1/ppppppppp/9/9/9/PPPPPPPPP/1R5B1/LNSGKGSNL:-:rest"},
		{"moved up and right", "9/9/9/4k4/9/3+P5/9/9/9 b G 1",
			"t1:9/9/9/4k4/9/3+P5/9/9/9:G:-", "t1f:9/9/9/4k4/9/3+P5/9/9/9",
			"t1s:9/7k1/9/6+P2/9/9/9/9/9:G:-"},
		{"the left edge is touched, so it only moves up", "9/9/9/9/9/k8/9/2N6/9 b - 1",
			"t1:9/9/9/9/9/8k/9/6N2/9:-:-", "t1f:9/9/9/9/9/8k/9/6N2/9",
			"t1s:9/8k/9/6N2/9/9/9/9/9:-:-"},
		{"the bottom is touched beside the king, so it only moves right", "9/9/9/9/9/9/9/4k4/9 b - 1",
			"t1:9/9/9/9/9/9/9/4k4/9:-:-", "t1f:9/9/9/9/9/9/9/4k4/9",
			"t1s:9/9/9/9/9/9/9/7k1/9:-:-"},
	} {
		p := shogi.MustParseSFEN(c.sfen)
		attacker := p.SideToMove()
		if got := collection.Key(&p, attacker); got != c.key {
			t.Errorf("%s: key %s, want %s", c.name, got, c.key)
		}
		d, err := collection.Describe(&collection.Problem{Position: p, Attacker: attacker})
		if err != nil {
			t.Fatal(err)
		}
		if d.Key != c.key || d.Figure != c.figure || d.Shift != c.shift {
			t.Errorf("%s: %s, figure %s, shift %s; want %s, %s, %s", c.name, d.Key, d.Figure, d.Shift, c.key, c.figure, c.shift)
		}
	}
}

// shiftKey returns the key of a position, in which Black attacks, moved to the corner.
func shiftKey(t *testing.T, p shogi.Position) string {
	t.Helper()
	d, err := collection.Describe(&collection.Problem{Position: p, Attacker: shogi.Black})
	if err != nil {
		t.Fatal(err)
	}
	return d.Shift
}

// The expected text is by openssl and base32.
func TestShortKey(t *testing.T) {
	const want = "t1h:ATBLN4QWNEKOSBTJKCYA"
	if got := collection.ShortKey("t1:9/4k4/9/3G5/4G4/4P4/9/9/9:2G:rest"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A random problem, with a line of random legal moves.
func randomProblem(r *solvertest.Random, rng *rand.Rand) collection.Problem {
	for {
		p := r.Next()
		attacker, err := solver.Attacker(&p)
		if err != nil || attacker != p.SideToMove() {
			continue
		}
		problem := collection.Problem{Position: p, Attacker: attacker}
		var buf shogi.MoveBuffer
		for range rng.IntN(8) {
			moves := p.Checks(&buf, shogi.AllMoves)
			if p.SideToMove() != attacker || len(moves) == 0 {
				moves = p.LegalMoves(&buf, shogi.AllMoves)
			}
			if len(moves) == 0 {
				break
			}
			m := moves[rng.IntN(len(moves))]
			problem.Line = append(problem.Line, m)
			p.Do(m)
		}
		return problem
	}
}

func mirrored(p collection.Problem) collection.Problem {
	q := collection.Problem{Position: p.Position.Mirrored(), Attacker: p.Attacker}
	for _, m := range p.Line {
		q.Line = append(q.Line, m.Mirrored())
	}
	return q
}

func turned(p collection.Problem) collection.Problem {
	q := collection.Problem{Position: p.Position.Rotated(), Attacker: p.Attacker.Opponent()}
	for _, m := range p.Line {
		q.Line = append(q.Line, m.Rotated())
	}
	return q
}

func describe(t testing.TB, p collection.Problem) *collection.Description {
	t.Helper()
	d, err := collection.Describe(&p)
	if err != nil {
		t.Fatalf("%s: %v", p.Position.SFEN(), err)
	}
	return d
}

// No mark depends on which way round the board is.
func TestSymmetry(t *testing.T) {
	r, rng := solvertest.NewRandom(3, 0), rand.New(rand.NewPCG(3, 1))
	finals := 0
	for range 2000 {
		p := randomProblem(r, rng)
		d := describe(t, p)
		if d.Final != "" {
			finals++
		}
		for name, q := range map[string]collection.Problem{"mirrored": mirrored(p), "turned": turned(p),
			"both": mirrored(turned(p))} {
			e := describe(t, q)
			if d.Key != e.Key || d.Figure != e.Figure || d.Shift != e.Shift || d.Final != e.Final ||
				d.LineKey() != e.LineKey() || !slices.Equal(d.Nodes, e.Nodes) {
				t.Errorf("%s, %v: %+v, and %s %+v", p.Position.SFEN(), p.Line, d, name, e)
			}
		}
	}
	if finals < 20 {
		t.Errorf("%d final figures, want more", finals)
	}
}

// A key can be read back: it is a position that has the key, and the problem it was made of, or its
// mirror image. So different problems have different keys.
func TestKeyIsTheProblem(t *testing.T) {
	r, rng := solvertest.NewRandom(4, 0), rand.New(rand.NewPCG(4, 1))
	for range 2000 {
		p := randomProblem(r, rng)
		if p.Attacker == shogi.White {
			p = turned(p)
		}
		key := collection.Key(&p.Position, shogi.Black)
		fields := strings.Split(key, ":")
		q, err := shogi.ParseSFEN(fields[1] + " b - 1")
		if err != nil {
			t.Fatal(err)
		}
		setup := q.Setup()
		text := strings.NewReplacer("-", "", "rest", "").Replace(fields[2] + fields[3])
		hands, err := shogi.ParseSFEN("4k4/9/9/9/9/9/9/9/9 b " + cmp.Or(text, "-") + " 1")
		if err != nil {
			t.Fatal(err)
		}
		setup.Hands = [2]shogi.Hand{hands.Hand(shogi.Black), hands.Hand(shogi.White)}
		if fields[3] == "rest" {
			for kind := shogi.Pawn; kind < shogi.King; kind++ {
				n := shogi.FullSet[kind] - setup.Hands[0].Count(kind)
				for _, pc := range setup.Board {
					if pc.Type().Base() == kind {
						n--
					}
				}
				setup.Hands[1] = setup.Hands[1].Add(kind, n)
			}
		}
		back, err := setup.Position()
		if err != nil {
			t.Fatal(err)
		}
		other := mirrored(p).Position
		if !back.SamePosition(&p.Position) && !back.SamePosition(&other) {
			t.Errorf("%s has the key %s", p.Position.SFEN(), key)
		}
	}
}

// moved returns p so many files to the right and ranks up, false if something would leave the board.
func moved(p shogi.Position, files, ranks int) (shogi.Position, bool) {
	s := p.Setup()
	to := s
	to.Board = [shogi.NumSquares]shogi.Piece{}
	for sq, pc := range s.Board {
		if pc == shogi.NoPiece {
			continue
		}
		file, rank := sq/9-files, sq%9-ranks
		if file < 0 || file > 8 || rank < 0 || rank > 8 {
			return p, false
		}
		to.Board[file*9+rank] = pc
	}
	q, err := to.Position()
	return q, err == nil
}

// edges are the edges that a piece, or a square beside the defender's king, touches, and whether the
// king itself does.
type edges struct{ right, top, left, bottom, king bool }

func edgesOf(p *shogi.Position) (e edges) {
	king := p.King(shogi.White)
	for sq := range shogi.Square(shogi.NumSquares) {
		file, rank := int(sq.File())-int(king.File()), int(sq.Rank())-int(king.Rank())
		if p.Piece(sq) == shogi.NoPiece && max(file, -file, rank, -rank) > 1 {
			continue
		}
		e.right, e.left = e.right || sq.File() == 0, e.left || sq.File() == 8
		e.top, e.bottom = e.top || sq.Rank() == 0, e.bottom || sq.Rank() == 8
		e.king = e.king || sq == king && (sq.File()%8 == 0 || sq.Rank()%8 == 0)
	}
	return e
}

func TestShiftKey(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	compared, fixed := 0, 0
	for range 3000 {
		s := shogi.Setup{Side: shogi.Black, Ply: 1}
		s.Board[rng.IntN(shogi.NumSquares)] = shogi.PieceOf(shogi.White, shogi.King)
		for range rng.IntN(4) {
			if sq := rng.IntN(shogi.NumSquares); s.Board[sq] == shogi.NoPiece {
				s.Board[sq] = shogi.PieceOf(shogi.Color(rng.IntN(2)), shogi.Gold)
			}
		}
		p, err := s.Position()
		if err != nil {
			continue // the king is in check
		}
		key := shiftKey(t, p)
		e := edgesOf(&p)
		if (e.left || e.right) && (e.top || e.bottom) {
			fixed++
			if want := collection.Key(&p, shogi.Black); key[4:] != want[3:] {
				t.Errorf("%s, which touches edges both ways: %s, want the squares of %s",
					p.SFEN(), key, want)
			}
		}
		if e.king {
			continue
		}
		for files := -8; files <= 8; files++ {
			for ranks := -8; ranks <= 8; ranks++ {
				if files != 0 && (e.left || e.right) || ranks != 0 && (e.top || e.bottom) {
					continue
				}
				q, ok := moved(p, files, ranks)
				if !ok {
					continue
				}
				// A copy that comes to touch a side or the bottom has its own place there.
				f := edgesOf(&q)
				if f.king || (f.left || f.right) && files != 0 || f.bottom && ranks != 0 {
					continue
				}
				compared++
				if got := shiftKey(t, q); got != key {
					t.Fatalf("%s: %s, and %s: %s", p.SFEN(), key, q.SFEN(), got)
				}
			}
		}
	}
	if compared < 1000 || fixed < 500 {
		t.Errorf("%d copies and %d figures that cannot move, want more", compared, fixed)
	}
}
