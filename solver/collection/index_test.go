package collection_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/collection"
	"github.com/tsumero/tsumero/solver/solvertest"
)

var all = []collection.Relation{collection.Duplicate, collection.MirrorTwin, collection.Contained,
	collection.Contains, collection.OtherHand, collection.Changed, collection.Shifted,
	collection.SameEnd, collection.SameIdea}

// changed returns p with a few pieces added, taken away or put elsewhere, or other hands, mirrored
// or turned; p itself if there is no such position.
func changed(p collection.Problem, rng *rand.Rand) collection.Problem {
	s := p.Position.Setup()
	for range rng.IntN(4) {
		sq := rng.IntN(shogi.NumSquares)
		switch pc := s.Board[sq]; {
		case pc == shogi.NoPiece:
			kind := shogi.Pawn + shogi.PieceType(rng.IntN(int(shogi.Gold)))
			s.Board[sq] = shogi.PieceOf(shogi.Color(rng.IntN(2)), kind)
		case pc.Type() != shogi.King:
			s.Board[sq] = shogi.NoPiece
			if to := rng.IntN(shogi.NumSquares); s.Board[to] == shogi.NoPiece && rng.IntN(2) == 0 {
				s.Board[to] = pc
			}
		}
	}
	if c := shogi.Color(rng.IntN(2)); rng.IntN(4) == 0 && s.Hands[c].Has(shogi.Pawn) {
		s.Hands[c] = s.Hands[c].Remove(shogi.Pawn, 1)
	}
	q, err := s.Position()
	if err != nil {
		return p
	}
	c := collection.Problem{Position: q, Attacker: p.Attacker}
	for _, m := range p.Line {
		if !q.IsLegal(m) {
			break
		}
		q.Do(m)
		c.Line = append(c.Line, m)
	}
	if rng.IntN(3) == 0 && c.Attacker == shogi.Black {
		if q, ok := moved(c.Position, rng.IntN(3)-1, rng.IntN(3)-1); ok {
			c.Position, c.Line = q, nil
		}
	}
	if rng.IntN(2) == 0 {
		c = mirrored(c)
	}
	if rng.IntN(4) == 0 {
		c = turned(c)
	}
	return c
}

// after returns the position of the line with the attacker to move after some of its moves.
func after(p collection.Problem, plies int) collection.Problem {
	q := p.Position
	for _, m := range p.Line[:plies] {
		q.Do(m)
	}
	return collection.Problem{Position: q, Attacker: p.Attacker, Line: p.Line[plies:]}
}

// family returns problems many of which are alike.
func family(r *solvertest.Random, rng *rand.Rand, n int) (list []collection.Problem) {
	for len(list) < n {
		p := randomProblem(r, rng)
		if chase := r.Chase(); chase.SideToMove() == shogi.Black && rng.IntN(3) == 0 {
			// It has few pieces, so that all can be moved.
			p = collection.Problem{Position: chase, Attacker: shogi.Black}
		}
		list = append(list, p)
		for range rng.IntN(6) {
			list = append(list, changed(p, rng))
		}
		if len(p.Line) > 2 {
			list = append(list, after(p, 2))
		}
		if len(p.Line) > 4 {
			list = append(list, mirrored(after(p, 4)))
		}
	}
	return list
}

// black returns the problem with Black attacking.
func black(p collection.Problem) collection.Problem {
	if p.Attacker == shogi.White {
		return turned(p)
	}
	return p
}

// same reports whether two positions are equal in what a key shows.
func same(p, q *shogi.Position, hands bool) bool {
	a, b := p.Setup(), q.Setup()
	return a.Board == b.Board && (!hands || a.Hands == b.Hands)
}

// pieceCounts counts the pieces of a problem as the relations have them.
func pieceCounts(p *shogi.Position) map[string]int {
	count := map[string]int{}
	king := p.King(shogi.White)
	for sq := range shogi.Square(shogi.NumSquares) {
		if pc := p.Piece(sq); pc != shogi.NoPiece && sq != king {
			count[fmt.Sprint(pc, int(sq.File())-int(king.File()), int(sq.Rank())-int(king.Rank()))]++
		}
	}
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		count["held "+kind.String()] += p.Hand(shogi.Black).Count(kind)
	}
	return count
}

// pieceDifference counts the pieces that only one of two problems has.
func pieceDifference(a, b map[string]int) (n int) {
	for name, count := range a {
		n += max(count-b[name], 0)
	}
	for name, count := range b {
		n += max(count-a[name], 0)
	}
	return n
}

func pieceCount(pieces map[string]int) (n int) {
	for _, count := range pieces {
		n += count
	}
	return n
}

// stepTexts are the moves of a line as likeness sees them.
func stepTexts(p collection.Problem) (list []string) {
	at := p.Position
	for _, m := range p.Line {
		king := at.King(shogi.White)
		what := "drops " + m.Dropped().String()
		if !m.IsDrop() {
			what = fmt.Sprint("moves ", at.Piece(m.From()).Type(), at.Piece(m.To()) != shogi.NoPiece,
				m.IsPromotion())
		}
		list = append(list, fmt.Sprint(what, int(m.To().File())-int(king.File()),
			int(m.To().Rank())-int(king.Rank())))
		at.Do(m)
	}
	return list
}

// A plain problem is what is compared of it, as Black sees it, and mirrored.
type plain struct {
	position, mirrored   shogi.Position
	nodes, nodesMirrored []shogi.Position // of the line, the attacker to move
	pieces               map[string]int
	piecesMirrored       map[string]int
	steps, stepsMirrored []string
	final                string
}

func plainOf(t *testing.T, p collection.Problem) *plain {
	p = black(p)
	m := mirrored(p)
	q := &plain{position: p.Position, mirrored: m.Position, final: describe(t, p).Final,
		pieces: pieceCounts(&p.Position), piecesMirrored: pieceCounts(&m.Position),
		steps: stepTexts(p), stepsMirrored: stepTexts(m)}
	for plies := 2; plies < len(p.Line); plies += 2 {
		q.nodes = append(q.nodes, after(p, plies).Position)
		q.nodesMirrored = append(q.nodesMirrored, after(m, plies).Position)
	}
	return q
}

// plainMatches relates p to q by comparing all there is, without any hash.
func plainMatches(p, q *plain, id int) (list []collection.Match) {
	add := func(m collection.Match) {
		m.ID, m.Count = id, 1
		list = append(list, m)
	}
	isSame := same(&p.position, &q.position, true)
	isTwin := !isSame && same(&p.position, &q.mirrored, true)
	if isSame {
		add(collection.Match{Relation: collection.Duplicate})
	}
	if isTwin {
		add(collection.Match{Relation: collection.MirrorTwin})
	}
	contained := func(p, whole *plain, relation collection.Relation) {
		for i := range whole.nodes {
			if same(&p.position, &whole.nodes[i], true) ||
				same(&p.position, &whole.nodesMirrored[i], true) {
				add(collection.Match{Relation: relation, Detail: 2*i + 3})
			}
		}
	}
	contained(p, q, collection.Contained)
	contained(q, p, collection.Contains)
	if isSame || isTwin {
		return list
	}
	near, far := pieceDifference(p.pieces, q.pieces), pieceDifference(p.pieces, q.piecesMirrored)
	n := min(near, far)
	switch {
	case same(&p.position, &q.position, false), same(&p.position, &q.mirrored, false):
		add(collection.Match{Relation: collection.OtherHand})
	case n == 0:
		add(collection.Match{Relation: collection.Shifted, Mirrored: far < near})
	case n <= 2 && pieceCount(p.pieces)+pieceCount(q.pieces)-n >= 4*n:
		add(collection.Match{Relation: collection.Changed, Detail: n, Mirrored: far < near})
	}
	if p.final != "" && p.final == q.final {
		add(collection.Match{Relation: collection.SameEnd})
	}
	common, alike := 0, false
	for _, other := range [][]string{q.steps, q.stepsMirrored} {
		n, differ := 0, 0
		for n < min(len(p.steps), len(other)) && p.steps[n] == other[n] {
			n++
		}
		for i := range min(len(p.steps), len(other)) {
			if p.steps[i] != other[i] {
				differ++
			}
		}
		if n >= 3 || len(p.steps) == len(other) && len(other) >= 5 && differ <= 1 {
			common, alike = max(common, n), true
		}
	}
	if alike {
		add(collection.Match{Relation: collection.SameIdea, Detail: common})
	}
	return list
}

// published returns problems of books with the authors' lines, what follows their first moves, and
// positions with known answers.
func published(t *testing.T) (list []collection.Problem) {
	text, err := os.ReadFile("../analysis/testdata/edo.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "sfen\t") {
			continue
		}
		fields := strings.Split(strings.TrimSpace(line), "\t")
		p := problem(t, fields[0], strings.Fields(fields[3])...)
		list = append(list, p, mirrored(after(p, 2)))
	}
	for i, known := range solvertest.Positions(t) {
		p := collection.Problem{Position: known.Position, Attacker: known.Position.SideToMove()}
		if attacker, err := solver.Attacker(&p.Position); i%3 == 0 && err == nil && attacker == p.Attacker {
			list = append(list, p)
		}
	}
	return list
}

// repeated returns problems that stand there several times, one after the other and again later.
func repeated(problems []collection.Problem, rng *rand.Rand) (list []collection.Problem) {
	for i, p := range problems {
		for range 1 + rng.IntN(5) {
			list = append(list, p)
		}
		for range rng.IntN(3) {
			list = append(list, problems[rng.IntN(i+1)])
		}
	}
	return list
}

// otherHands returns problems with the figure of p, and some of them again.
func otherHands(p collection.Problem, rng *rand.Rand, n int) (list []collection.Problem) {
	for range n {
		s := p.Position.Setup()
		for range rng.IntN(4) {
			s.Hands[p.Attacker] = s.Hands[p.Attacker].Add(shogi.Pawn+shogi.PieceType(rng.IntN(7)), 1)
		}
		if q, err := s.Position(); err == nil {
			list = append(list, collection.Problem{Position: q, Attacker: p.Attacker})
		}
	}
	return list
}

// single returns matches of one number each.
func single(list []collection.Match) (all []collection.Match) {
	for _, m := range list {
		for n := range m.Count {
			one := m
			one.ID, one.Count = m.ID+n, 1
			all = append(all, one)
		}
	}
	return all
}

// The index finds what comparing each two problems finds.
func TestRelated(t *testing.T) {
	const n = 300
	rng := rand.New(rand.NewPCG(6, 1))
	r := solvertest.NewRandom(6, 0)
	shuffled := family(r, rng, n)
	rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	again := repeated(family(r, rng, n/6), rng)
	hands := otherHands(problem(t, "4k4/9/4G4/9/9/9/9/9/9 b G 1"), rng, n/4)
	var count [collection.NumRelations]int
	runs := 0
	for name, problems := range map[string][]collection.Problem{"shuffled": shuffled, "repeated": again,
		"other hands": hands, "published": published(t)} {
		var x collection.Index
		var plains []*plain // nil: a number that no problem has
		for i, p := range problems {
			if rng.IntN(8) == 0 {
				x.Skip()
				plains = append(plains, nil)
			}
			d, mine := describe(t, p), plainOf(t, p)
			var want []collection.Match
			for id, q := range plains {
				if q != nil {
					want = append(want, plainMatches(mine, q, id)...)
				}
			}
			slices.SortStableFunc(want, func(a, b collection.Match) int {
				return 100*(a.ID-b.ID) + int(a.Relation) - int(b.Relation)
			})
			got := x.Related(d, all...)
			if !slices.Equal(single(got), want) {
				t.Fatalf("%s: problem %d, %s %v: %v, want %v", name, i, p.Position.SFEN(), p.Line, got, want)
			}
			for _, m := range got {
				count[m.Relation] += m.Count
				if m.Count > 1 {
					runs++
				}
			}
			if id := x.Add(d); id != len(plains) {
				t.Fatalf("%s: number %d, want %d", name, id, len(plains))
			}
			plains = append(plains, mine)
		}
	}
	for _, r := range all {
		if count[r] < 3 {
			t.Errorf("%d times %v, want more", count[r], r)
		}
	}
	if runs < 100 {
		t.Errorf("%d matches with several problems, want more", runs)
	}
}

func TestRelationNames(t *testing.T) {
	for _, r := range all {
		if got, err := collection.ParseRelation(r.String()); err != nil || got != r {
			t.Errorf("%v is read as %v, %v", r, got, err)
		}
		if r.Converse().Converse() != r {
			t.Errorf("the converse of the converse of %v is %v", r, r.Converse().Converse())
		}
	}
	if _, err := collection.ParseRelation("cousin"); err == nil {
		t.Error("a cousin is a relation")
	}
}

func TestDescribeRefuses(t *testing.T) {
	p := collection.Problem{Position: shogi.MustParseSFEN("9/9/9/9/9/9/9/9/4K4 b G 1")}
	if _, err := collection.Describe(&p); err != collection.ErrNoKing {
		t.Errorf("no king: %v", err)
	}
	p.Position = shogi.MustParseSFEN("4k4/9/4P4/9/9/9/9/9/9 b G 1")
	p.Line = []shogi.Move{shogi.NewDrop(shogi.Gold, shogi.SquareAt(4, 2))}
	if _, err := collection.Describe(&p); err == nil {
		t.Error("a drop onto a piece is taken for a line")
	}
}

// Indexes of random problems: time of a question and of an addition together, and the memory of each
// problem.
func BenchmarkIndex(b *testing.B) {
	for _, problems := range []int{1000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(problems), func(b *testing.B) {
			if testing.Short() && problems > 100_000 {
				b.Skip("a minute")
			}
			for range b.N {
				b.StopTimer()
				r, rng := solvertest.NewRandom(7, 0), rand.New(rand.NewPCG(7, 1))
				before := heap()
				x := new(collection.Index)
				batch := make([]*collection.Description, 1000)
				for range problems / len(batch) {
					for i := range batch {
						batch[i] = describe(b, randomProblem(r, rng))
					}
					b.StartTimer()
					for _, d := range batch {
						x.Related(d, all...)
						x.Add(d)
					}
					b.StopTimer()
				}
				b.ReportMetric(float64(heap()-before)/float64(problems), "bytes/problem")
				b.ReportMetric(b.Elapsed().Seconds()/float64(b.N*problems)*1e9, "ns/problem")
				if x.Len() != problems {
					b.Fatal("not all are there")
				}
				b.StartTimer()
			}
		})
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
