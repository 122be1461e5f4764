package mate1_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate1"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// mates returns the moves of p that mate at once, by the plain rules.
func mates(p *shogi.Position) []shogi.Move {
	b := mailbox.From(p)
	var list []shogi.Move
	for _, m := range b.LegalMoves() {
		after := b
		after.Do(m)
		if after.IsMated() {
			list = append(list, m)
		}
	}
	return list
}

// agree fails unless Find finds one of the mates exactly if there is one, and one of them is among
// shogi.UsefulMoves. It reports whether there is a mate.
func agree(t *testing.T, f *mate1.Finder, p shogi.Position) bool {
	t.Helper()
	before := p
	m, want := f.Find(&p), mates(&before)
	if p != before {
		t.Errorf("%s: Find changed the position to %s", before.SFEN(), p.SFEN())
	}
	if m == shogi.NoMove && len(want) > 0 || m != shogi.NoMove && !slices.Contains(want, m) {
		t.Errorf("%s: found %s, mates are %v", before.SFEN(), m, want)
	}
	if b := mailbox.From(&before); len(want) > 0 && !slices.ContainsFunc(want, b.IsUseful) {
		t.Errorf("%s: of the mates %v none is a useful move", before.SFEN(), want)
	}
	return len(want) > 0
}

// themes are mates that a quick look misses, and positions that only look like one.
var themes = []struct {
	name, sfen string
	mates      string // every mating move
}{
	{"gold on the head", "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1", "G*5b"},
	{"contact drop", "kn7/7R1/9/9/9/9/9/9/9 b G 1", "G*8b G*9b"},
	{"defender pinned to the king", "R6gk/9/8G/9/9/9/9/K8/9 b Brp 1", "B*2b"},
	{"captor pinned by the mover's own leaving", "9/9/8K/6+R2/9/2B+L5/3n5/4+SB3/5k3 b GSLPr2g2snl15p 1", "5h5i"},
	{"knight", "7pk/6R2/9/9/8N/9/9/9/9 b - 1", "1e2c"},
	{"knight dropped on a smothered king", "6lkl/6npp/9/9/9/9/9/9/9 b N2r2b4g4s2n2l16p 1", "N*3c"},
	{"a pawn takes the knight", "6lkl/6ppp/9/9/9/9/9/9/9 b N2r2b4g4s3n2l15p 1", ""},

	{"silver unpromoted, two ways", "7r1/7pk/8p/7SL/9/9/9/9/9 b - 1", "1d1c"},
	{"silver unpromoted", "8S/8p/8k/8b/9/9/9/9/7L1 b - 1", "1a2b"},
	{"silver unpromoted, discovering", "6SK1/9/7nk/7pl/6R2/5B3/9/9/9 b rb4g3s3n3l17p 1", "3a2b"},
	{"lance unpromoted", "1b1R5/kn7/pl7/1g7/9/L8/L4+R3/9/9 b B2P3g4s3nl15p 1", "9f9c"},
	{"knight unpromoted", "3sk4/3s1+b3/5pN2/2+L6/4N4/9/4L4/9/9 b 2rb4g2s2n2l17p 1", "5e6c 5e4c"},

	{"distant rook, nothing to interpose", "9/7n1/8k/9/7R1/9/9/9/9 b R 1", "R*1a"},
	{"distant rook, near enough not to be cut off", "k8/pp7/9/6b2/9/9/9/9/9 b R 1", "R*7a"},
	{"distant rook, pawns that may not be dropped", "3ppp3/3lkl3/9/3G1G3/9/9/9/9/8R b 5p 1", "1i5i 4d5c 6d5c"},
	{"distant rook, a pawn steps between", "8R/9/9/9/9/9/9/pp7/k8 b - 1", ""},
	{"distant move", "k8/9/pR7/9/9/9/9/9/R8 b - 1", "9i9c 9i9c+"},
	{"a dragon that guards four squares from afar", "9/9/2k1S4/1N7/R1P6/9/9/9/9 b - 1", "9e9c+"},
	{"a dragon already", "9/9/2R6/2sK5/9/9/5+r3/9/9 w - 1", "4g4d"},
	{"on the last rank pawn, lance and knight cannot interpose", "8R/9/9/9/9/9/1G7/p8/k8 b 2n2l5p 1", "1a1i 1a1i+"},
	{"but a silver can", "8R/9/9/9/9/9/1G7/p8/k8 b s 1", ""},

	{"a dragon checks from afar and opens the bishop's line", "9/b8/9/9/9/4+r4/9/9/6s1K w l 1", "5f1f"},
	{"discovered check", "9/8k/9/8B/8L/9/9/9/9 b - 1", "1d3b+"},
	{"discovered by the king", "1l7/kp7/9/9/K8/9/R8/9/9 b - 1", "9e8d"},
	{"discovered by the king, and a knight interposes", "1n7/kp7/9/9/K8/9/R8/9/9 b - 1", ""},
	{"double check", "7pk/9/6R2/9/9/9/9/1B7/9 b - 1", "3c1c 3c1c+"},
	{"double check by a silver", "k+p7/9/SP7/9/9/9/9/R8/9 b - 1", "9c8b 9c8b+"},

	{"the attacker is in check himself", "7nk/8r/7G1/7N1/9/9/9/9/8K b - 1", "2c1b 2d1b+"},
	{"the attacker is in check and cannot parry with mate", "3gkg3/3p1p3/4G4/9/4R4/9/9/4r4/4K4 b 2b1g4s4n4l16p 1", ""},

	{"a pawn drop must not mate", "7nk/9/7G1/9/9/9/9/9/9 b P 1", ""},
	{"a pawn move may", "7nk/9/7GP/9/9/9/9/9/9 b - 1", "1c1b 1c1b+ 2c1b"},
	{"a lance drop may", "7nk/9/7G1/9/9/9/9/9/9 b L 1", "L*1b"},

	// What a move gives up, and what others keep of it.
	{"a rook that checks from beside the king gives up the rank before him", "9/9/9/9/9/9/6+B2/4R4/3k5 b - 1", ""},
	{"a rook that promotes beside the king gives up the rank behind him", "5G3/3Lk4/5R3/9/9/9/9/9/9 b - 1", ""},
	{"a gold steps into the line of the bishop that guarded a square behind", "9/9/9/9/4B4/9/9/k8/2G6 b - 1", ""},
	{"a knight promotes where a silver takes it", "6+P1k/8s/8N/9/9/9/9/9/9 b - 1", ""},
	{"9a loses two attackers: the rook leaves and cuts the bishop's line", "1KG3R2/r8/2b6/4g4/9/9/9/9/9 w GS2N2L6Psp 1", ""},
	{"2h loses two attackers: the silver leaves and cuts the rook's line", "9/6s2/9/5+P3/4G2r1/9/6s1K/9/5R1P+n w 2GSN4L6Pp 1", ""},
	{"4a loses two attackers: the gold leaves and cuts the bishop's line", "4K4/5g3/1+b1b5/6g2/9/9/9/9/9 w 2RG2SN2L5Pnp 1", ""},

	{"a pinned horse takes its pinner", "9/9/9/9/9/K8/+BS7/r8/k8 b - 1", "9g9h"},
	{"a pinned silver may not leave its line", "8k/9/3r3SK/9/9/1+R7/9/9/9 b NP 1", ""},
	{"a pinned lance may not leave its line", "7k1/9/9/9/9/1l7/1l7/B8/K8 w rp 1", ""},
	{"the king may not uncover a check where a knight attacks him", "1l7/kpn6/9/9/K8/9/R8/9/9 b - 1", ""},

	{"no king to mate", "9/9/9/9/9/9/9/9/4K4 b G2r2b3g4s4n4l18p 1", ""},
	{"no check", "4k4/9/9/9/9/9/9/9/4K4 b 2r2b4g4s4n4l18p 1", ""},
}

func TestThemes(t *testing.T) {
	var f mate1.Finder
	for _, c := range themes {
		t.Run(c.name, func(t *testing.T) {
			p := shogi.MustParseSFEN(c.sfen)
			var got []string
			for _, m := range mates(&p) {
				got = append(got, m.String())
			}
			want := strings.Fields(c.mates)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("by the plain rules %v mate, want %v", got, want)
			}
			agree(t, &f, p)
			agree(t, &f, p.Rotated())
			if m := mate1.Find(&p); m != f.Find(&p) {
				t.Errorf("the function finds %s, the Finder %s", m, f.Find(&p))
			}
		})
	}
}

func TestFindOnKnownPositions(t *testing.T) {
	var f mate1.Finder
	for _, k := range solvertest.Positions(t) {
		if found := agree(t, &f, k.Position); found != k.HasMateIn(1) {
			t.Errorf("%s: %s: mate in one is %v, the shortest mate has %d to %d plies", k.Source, k.Position.SFEN(), found, k.Least, k.Most)
		}
	}
}

// Random positions: pieces crowded around a king, checks from afar, and games. After each the
// positions two plies on, as a search for a longer mate would ask about them.
func TestFindOnRandomPositions(t *testing.T) {
	seed := shogitest.Seed(t)
	positions := 20_000
	if testing.Short() {
		positions = 2_000
	}
	problems := solvertest.NewRandom(seed, 0)
	var f mate1.Finder
	var buf shogi.MoveBuffer
	rng := rand.New(rand.NewPCG(seed, 1))
	asked, found := 0, 0
	ask := func(p shogi.Position) {
		asked++
		if agree(t, &f, p) {
			found++
		}
	}
	for i := 0; asked < positions && !t.Failed(); i++ {
		p := problems.Next()
		if i%2 == 0 {
			p = problems.Crowded()
		}
		if attacker, err := solver.Attacker(&p); err == nil && attacker == p.SideToMove() {
			ask(p)
			checks := p.Checks(&buf, shogi.AllMoves)
			if len(checks) == 0 {
				continue
			}
			p.Do(checks[rng.IntN(len(checks))])
		}
		if replies := p.Evasions(&buf, shogi.AllMoves); len(replies) > 0 {
			p.Do(replies[rng.IntN(len(replies))])
			ask(p)
		}
	}
	t.Logf("%d mates in %d positions", found, asked)
	if found == 0 {
		t.Error("no position had a mate, so nothing was tested")
	}
}

func TestSolver(t *testing.T) {
	for _, c := range []struct {
		name, sfen string
		limits     solver.Limits
		want       solver.Result
	}{
		{"mate", "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1", solver.Limits{},
			solver.Result{Verdict: solver.Mate, Line: []shogi.Move{shogi.NewDrop(shogi.Gold, shogi.SquareAt(shogi.File5, shogi.RankB))}, Exact: true}},
		{"a pawn check, one ply asked for", "4k4/9/9/9/9/9/9/9/4K4 b P2r2b4g4s4n4l17p 1", solver.Limits{Plies: 1}, solver.Result{NoMateWithin: 1, Reason: solver.ReasonPlies}},
		{"no check at all", "4k4/9/9/9/9/9/9/9/4K4 b 2r2b4g4s4n4l18p 1", solver.Limits{}, solver.Result{Verdict: solver.NoMate}},
		{"a longer mate is not looked for", "4k4/9/9/9/9/9/9/9/4K4 b G2r2b3g4s4n4l18p 1", solver.Limits{},
			solver.Result{NoMateWithin: 1, Reason: solver.ReasonDepth}},
		{"one ply was asked for", "4k4/9/9/9/9/9/9/9/4K4 b G2r2b3g4s4n4l18p 1", solver.Limits{Plies: 1},
			solver.Result{NoMateWithin: 1, Reason: solver.ReasonPlies}},
		{"mated already", "4k4/4G4/4G4/9/9/9/9/9/9 w 2r2b2g4s4n4l18p 2", solver.Limits{}, solver.Result{Verdict: solver.Mate, Exact: true}},
		{"a defence", "4k4/4P4/4G4/9/9/9/9/9/9 w G2r2b2g4s4n4l17p 2", solver.Limits{}, solver.Result{Reason: solver.ReasonDepth}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Solver, c.want.Nodes = "mate1", 1
			got := mate1.Solver.Solve(t.Context(), shogi.MustParseSFEN(c.sfen), c.limits)
			if !slices.Equal(got.Line, c.want.Line) {
				t.Errorf("got the line %v, want %v", got.Line, c.want.Line)
			}
			got.Line, c.want.Line = nil, nil
			if got.Verdict != c.want.Verdict || got.Exact != c.want.Exact || got.NoMateWithin != c.want.NoMateWithin ||
				got.Reason != c.want.Reason || got.Nodes != c.want.Nodes || got.Solver != c.want.Solver {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestFindDoesNotAllocate(t *testing.T) {
	positions := solvertest.Positions(t)
	var f mate1.Finder
	if n := testing.AllocsPerRun(10, func() {
		for i := range positions {
			f.Find(&positions[i].Position)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// of returns the known positions of a kind.
func of(b *testing.B, kind func(k *solvertest.Known) bool) []shogi.Position {
	var list []shogi.Position
	for _, k := range solvertest.Positions(b) {
		if kind(&k) {
			list = append(list, k.Position)
		}
	}
	return list
}

// BenchmarkFind measures one call on a position with a mate in one, on one with a mate in three,
// and on one without any mate.
func BenchmarkFind(b *testing.B) {
	for _, c := range []struct {
		name  string
		least int
	}{{"mate", 1}, {"mate3", 3}, {"nomate", solvertest.Never}} {
		b.Run(c.name, func(b *testing.B) {
			positions := of(b, func(k *solvertest.Known) bool { return k.Least == c.least })
			var f mate1.Finder
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				p := &positions[i]
				if m := f.Find(p); (m != shogi.NoMove) != (c.least == 1) {
					b.Fatalf("%s: found %s", p.SFEN(), m)
				}
				if i++; i == len(positions) {
					i = 0
				}
			}
		})
	}
}

// BenchmarkTree measures a call as a search meets it: after every check and every defence, with the
// moves made.
func BenchmarkTree(b *testing.B) {
	positions := of(b, func(k *solvertest.Known) bool { return !k.HasMateIn(1) })
	var f mate1.Finder
	var checks, defences shogi.MoveBuffer
	walk := func(visit func(*shogi.Position)) {
		for i := range positions {
			p := &positions[i]
			for _, m := range p.Checks(&checks, shogi.AllMoves) {
				u := p.Do(m)
				for _, d := range p.Evasions(&defences, shogi.AllMoves) {
					v := p.Do(d)
					visit(p)
					p.Undo(d, v)
				}
				p.Undo(m, u)
			}
		}
	}
	leaves, want := 0, 0
	walk(func(p *shogi.Position) {
		leaves++
		for _, m := range p.Checks(&shogi.MoveBuffer{}, shogi.AllMoves) {
			after := *p
			after.Do(m)
			if after.IsCheckmate() {
				want++
				break
			}
		}
	})
	b.ReportAllocs()
	for b.Loop() {
		found := 0
		walk(func(p *shogi.Position) {
			if f.Find(p) != shogi.NoMove {
				found++
			}
		})
		if found != want {
			b.Fatalf("found %d mates after %d replies, there are %d", found, leaves, want)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*leaves), "ns/leaf")
}
