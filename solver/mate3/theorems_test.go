package mate3

import (
	"flag"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
)

// The long run: go test ./solver/mate3 -run TestTheorems -positions 10000000 -seed 1 -timeout 2h -v
var (
	positionsFlag = flag.Int("positions", 20_000, "random positions for TestTheoremsChangeNoVerdict")
	seedFlag      = flag.Uint64("seed", 0, "seed of TestTheoremsChangeNoVerdict; 0: a random one")
)

// variants are searches with one technique switched off, and with all of them off.
var variants = []struct {
	name    string
	options Options
}{
	{"everything on", Options{}},
	{"no drop omission", Options{NoDropOmission: true}},
	{"no move omission", Options{NoMoveOmission: true}},
	{"neither omission", Options{NoDropOmission: true, NoMoveOmission: true}},
	{"everything off", Options{NoDropOmission: true, NoMoveOmission: true, NoEscapeFirst: true, NoLastMate: true, NoKiller: true}},
}

// interpositionRich returns a position in which interpositions decide much: a king that sliders look at or may come to
// look at from afar, a few pieces around it, and a defender with a full hand.
func interpositionRich(rng *rand.Rand) (shogi.Position, bool) {
	us := shogi.Color(rng.IntN(2))
	them := us.Opponent()
	s := shogi.Setup{Side: us, Ply: 1}
	left := shogi.FullSet
	put := func(sq shogi.Square, c shogi.Color, t shogi.PieceType) {
		base := t.Base()
		if sq >= shogi.NumSquares || s.Board[sq] != shogi.NoPiece || t != shogi.King && (left[base] == 0 || shogi.IsDead(c, t, sq)) {
			return
		}
		if t != shogi.King {
			left[base]--
		}
		s.Board[sq] = shogi.PieceOf(c, t)
	}
	king := shogi.Square(rng.IntN(shogi.NumSquares))
	put(king, them, shogi.King)
	if rng.IntN(2) == 0 {
		put(shogi.Square(rng.IntN(shogi.NumSquares)), us, shogi.King)
	}
	anywhere := func() shogi.Square { return shogi.Square(rng.IntN(shogi.NumSquares)) }
	near := func() shogi.Square {
		file, rank := int(king.File())+rng.IntN(5)-2, int(king.Rank())+rng.IntN(5)-2
		if file < 0 || file > 8 || rank < 0 || rank > 8 {
			return shogi.NumSquares
		}
		return shogi.SquareAt(shogi.File(file), shogi.Rank(rank))
	}
	sliders := []shogi.PieceType{shogi.Lance, shogi.Bishop, shogi.Rook, shogi.Horse, shogi.Dragon}
	kinds := []shogi.PieceType{shogi.Pawn, shogi.Lance, shogi.Knight, shogi.Silver, shogi.Gold, shogi.Tokin, shogi.ProLance,
		shogi.ProKnight, shogi.ProSilver, shogi.Bishop, shogi.Rook, shogi.Horse, shogi.Dragon}
	for range 1 + rng.IntN(3) {
		put(anywhere(), us, sliders[rng.IntN(len(sliders))])
	}
	for range 2 + rng.IntN(5) {
		put(near(), us, kinds[rng.IntN(len(kinds))])
	}
	for range rng.IntN(5) {
		put(near(), them, kinds[rng.IntN(len(kinds))])
	}
	for range rng.IntN(4) {
		put(anywhere(), shogi.Color(rng.IntN(2)), kinds[rng.IntN(len(kinds))])
	}
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		for range left[kind] {
			switch n := rng.IntN(16); {
			case n == 0:
				s.Hands[us] = s.Hands[us].Add(kind, 1)
			case n < 12:
				s.Hands[them] = s.Hands[them].Add(kind, 1)
			}
		}
	}
	p, err := s.Position()
	return p, err == nil
}

// plainMate returns the length of the shortest mate of up to three plies by the plain rules, 0 if there is none.
func plainMate(p *shogi.Position) int {
	root := mailbox.From(p)
	matesInOne := func(b *mailbox.Board) bool {
		for _, m := range b.LegalMoves() {
			after := *b
			after.Do(m)
			if after.IsMated() {
				return true
			}
		}
		return false
	}
	if matesInOne(&root) {
		return 1
	}
	for _, m := range root.LegalMoves() {
		if !root.GivesCheck(m) {
			continue
		}
		checked := root
		checked.Do(m)
		refuted := false
		for _, d := range checked.LegalMoves() {
			after := checked
			after.Do(d)
			if !matesInOne(&after) {
				refuted = true
				break
			}
		}
		if !refuted {
			return 3
		}
	}
	return 0
}

// tally is what a run counted.
type tally struct {
	positions, far    uint64
	lengths           [4]uint64 // by length of the mate, 0 for none
	nodes             [5][4]uint64
	compared, omitted uint64
	worst             string
}

func (t *tally) add(o *tally) {
	t.positions += o.positions
	t.compared += o.compared
	t.omitted += o.omitted
	for i := range t.lengths {
		t.lengths[i] += o.lengths[i]
	}
	for v := range t.nodes {
		for i := range t.nodes[v] {
			t.nodes[v][i] += o.nodes[v][i]
		}
	}
}

// TestTheoremsChangeNoVerdict compares the search with and without each theorem on random positions, a sample of them with
// a search by the plain rules, and looks at every interposition that was left out.
func TestTheoremsChangeNoVerdict(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	total := *positionsFlag
	if testing.Short() {
		total = min(total, 2_000)
	}
	t.Logf("seed %d, %d positions", seed, total)

	const chunk = 1_000
	chunks := make(chan int)
	var (
		wg  sync.WaitGroup
		mu  sync.Mutex
		sum tally
	)
	start := time.Now()
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			searchers := make([]*Searcher, len(variants))
			for i, v := range variants {
				searchers[i] = NewSearcher(v.options)
			}
			for number := range chunks {
				rng := rand.New(rand.NewPCG(seed, uint64(number)))
				var part tally
				for part.positions < chunk {
					p, ok := interpositionRich(rng)
					if !ok {
						continue
					}
					compare(t, &p, searchers, &part, part.positions%100 == 0)
					part.positions++
				}
				mu.Lock()
				sum.add(&part)
				done := sum.positions
				mu.Unlock()
				if done%1_000_000 == 0 {
					t.Logf("%d positions after %v", done, time.Since(start).Round(time.Second))
				}
			}
		})
	}
	for number := range (total + chunk - 1) / chunk {
		if t.Failed() {
			break
		}
		chunks <- number
	}
	close(chunks)
	wg.Wait()

	t.Logf("%d positions: %d mates in 1, %d in 3, %d without; %d interpositions left out and looked at; %d compared with the plain rules",
		sum.positions, sum.lengths[1], sum.lengths[3], sum.lengths[0], sum.omitted, sum.compared)
	for i, v := range variants {
		t.Logf("nodes, %-17s mates in 3 %d, without a mate %d", v.name+":", sum.nodes[i][3], sum.nodes[i][0])
	}
	if sum.omitted == 0 || sum.lengths[3] == 0 || sum.lengths[1] == 0 || sum.compared == 0 {
		t.Error("the positions did not exercise the theorems")
	}
}

func compare(t *testing.T, p *shogi.Position, searchers []*Searcher, sum *tally, plain bool) {
	before := *p
	want := -1
	for i, s := range searchers {
		var left []string
		if i == 0 {
			s.omitted = func(q *shogi.Position, r shogi.Move) {
				sum.omitted++
				after := *q
				after.Do(r)
				if s.mate1.Find(&after) == shogi.NoMove {
					left = append(left, q.SFEN()+" "+r.String())
				}
			}
		}
		line, plies := s.Find(p)
		for _, l := range left {
			t.Errorf("%s: an interposition that saves was left out: %s", before.SFEN(), l)
		}
		if *p != before {
			t.Errorf("%s: %s changed the position", before.SFEN(), variants[i].name)
		}
		if want < 0 {
			want = plies
		}
		if plies != want {
			t.Errorf("%s: %s finds %d plies %v, with everything on it is %d", before.SFEN(), variants[i].name, plies, line, want)
		}
		sum.nodes[i][plies] += s.Nodes()
	}
	sum.lengths[want]++
	if plain {
		sum.compared++
		if got := plainMate(p); got != want {
			t.Errorf("%s: found %d plies, by the plain rules it is %d", before.SFEN(), want, got)
		}
	}
}
