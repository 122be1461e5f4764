package compose

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/solver/analysis"
)

var (
	misprintFile  = flag.String("misprint", "", "measure the search for misprints on the problems of `FILE`: SFEN, plies, line")
	misprintEvery = flag.Int("misprint-every", 1, "take one problem of `N`")
)

// written returns a line as a book prints it: where a piece comes from is left out.
func written(p shogi.Position, line []shogi.Move) (list []GivenMove) {
	for _, m := range line {
		g := GivenMove{To: m.To(), From: shogi.NoSquare, Kind: kindOf(&p, m).kind, Promotes: m.IsPromotion()}
		if m.IsDrop() {
			g.Drop = true
		}
		list = append(list, g)
		p.Do(m)
	}
	return list
}

// misprintsOf returns what a search for misprints yields.
func misprintsOf(t *testing.T, ctx context.Context, sfen string, line []GivenMove) (list []Problem, tally RepairTally) {
	t.Helper()
	o := RepairOptions{Search: anyProblem(2), Position: shogi.MustParseSFEN(sfen), Written: line, Tally: &tally}
	problems, err := Repair(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	if !tally.Misprint || !o.Misprinted() {
		t.Fatal("the line fits")
	}
	for q := range problems {
		list = append(list, q)
	}
	return list, tally
}

// The problem of a report, whose dragon stands on a square that it cannot go from.
const (
	misprinted = "5+P1k1/9/6B2/4+r4/9/9/9/9/9 b RPb4g4s4n4l16p 1"
	itsLine    = "R*2b 2a1a 2b3b 4c3c P*1b 1a2a 4a3a"
)

func itsWritten(t *testing.T) []GivenMove {
	return written(shogi.MustParseSFEN(strings.Replace(misprinted, "6B2/4+r4", "5+rB2/9", 1)), parseMoves(t, itsLine))
}

func TestMisprint(t *testing.T) {
	list, tally := misprintsOf(t, t.Context(), misprinted, itsWritten(t))
	var got []string
	for i := range list {
		q := &list[i]
		if c := &q.Changes[0]; q.Fit.Solves {
			got = append(got, c.Message().Japanese())
			if len(q.Certificate) == 0 || q.Fit.Sound != analysis.Yes || q.Fit.Pieces != analysis.Yes ||
				q.Fit.Before != 3 || q.Fit.Message().Japanese() != "手順どおりの完全作になる・図の駒がちょうど一組になる" {
				t.Errorf("%v: %+v, %s", got, q.Fit, q.Fit.Message().Japanese())
			}
		}
		if len(q.Line) != 7 || len(q.Changes) != 1 || q.Key == "" {
			t.Errorf("%+v", q)
		}
	}
	if want := []string{"5四の龍を4四に", "5四の龍を3四に"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if tally.Before != 3 || tally.Singles != tally.Of[0] || tally.Singles < 1000 {
		t.Errorf("%+v", tally)
	}
	// As it was published it has a cook, and so it has with the dragon one square from there.
	for _, sq := range []string{"4c", "5c"} {
		if !slices.ContainsFunc(list, func(q Problem) bool {
			return q.Changes[0].Kind == Moved && q.Changes[0].To == square(sq) && q.Fit.Sound == analysis.No && q.Fit.Outcome == Unsound
		}) {
			t.Errorf("not with the dragon on %s", sq)
		}
	}
	// What is sound comes before what may be, and that before what is not.
	if !slices.IsSortedFunc(list, func(a, b Problem) int { return rankOf(a.Fit) - rankOf(b.Fit) }) {
		t.Error("out of order")
	}
}

func rankOf(f *Fit) int {
	if f.Solves {
		return -1
	}
	return map[analysis.Answer]int{analysis.Yes: 0, analysis.Unknown: 1, analysis.No: 2}[f.Sound]
}

// solved are sound problems with their solutions.
var solved = [][2]string{
	{"9/5G3/4k1S2/6L2/3+R5/3N5/9/9/9 b r2b3g3s3n3l18p 1", "4b4c 5c4c 6e5d"},
	{"6k2/3+RS4/9/9/9/2B6/9/9/9 b rb4g3s4n4l18p 1", "5b4a+ 3a4a 7f3b+"},
	{"9/5R1pk/9/5S+P2/7+B1/9/9/9/9 b rb4g3s4n4l16p 1", "3d2c 1b2c 4d3c+ 2c3c 4b4c+"},
	{"6+P1k/7g1/8S/9/9/9/9/9/9 b G2r2b2g3s4n4l17p 1", "G*2a 2b2a 3a2a 1a2a G*2b"},
	{"6g1p/6+B1k/7L1/7+B1/9/9/9/9/9 b P2r3g4s4n3l16p 1", "2c2b+ 3a2b P*1c 2b1c 2d1c 1b1c G*1d 1c1b 1d2c"},
	{"4G1k2/8+R/3P5/2B6/9/9/9/9/9 b rb3g4s4n4l17p 1", "5a4a 3a4a 6c6b+ 4a3a 7d4a+ 3a4a 6b5b 4a3a 5b4b"},
}

// slip returns the diagram with one misprint, as a typesetter makes them.
func slip(rng *rand.Rand, p shogi.Position) (shogi.Position, bool) {
	s := p.Setup()
	var on []shogi.Square
	for sq, pc := range s.Board {
		if pc != shogi.NoPiece && pc.Type() != shogi.King {
			on = append(on, shogi.Square(sq))
		}
	}
	sq, any := on[rng.IntN(len(on))], shogi.PieceOf(shogi.Color(rng.IntN(2)), shogi.PieceType(1+rng.IntN(14)))
	black := &s.Hands[shogi.Black]
	switch kind := kinds[rng.IntN(len(kinds))]; rng.IntN(6) {
	case 0:
		s.Board[sq] = shogi.NoPiece
	case 1: // on the next file or rank
		to, ok := shiftedBy(sq, rng.IntN(3)-1, rng.IntN(3)-1)
		if !ok || s.Board[to] != shogi.NoPiece {
			return p, false
		}
		s.Board[to], s.Board[sq] = s.Board[sq], shogi.NoPiece
	case 2:
		if any.Type() == shogi.King {
			return p, false
		}
		s.Board[sq] = any
	case 3:
		s.Board[sq] = shogi.PieceOf(s.Board[sq].Color()^1, s.Board[sq].Type())
	case 4:
		*black = black.Add(kind, 1)
	case 5:
		if !black.Has(kind) {
			return p, false
		}
		*black = black.Remove(kind, 1)
	}
	s.Hands[shogi.White] = 0
	q, err := s.Position()
	if err != nil {
		return p, false
	}
	q.GiveMissing(shogi.White)
	return q, true
}

// Of sound problems with a misprint the truth is among the answers, wherever the line does not fit any more.
func TestMisprintRandom(t *testing.T) {
	misprinted := 0
	for i, one := range solved {
		p, line := shogi.MustParseSFEN(one[0]), parseMoves(t, one[1])
		rng := rand.New(rand.NewPCG(1, uint64(i)))
		for range 40 {
			q, ok := slip(rng, p)
			if !ok || q.SamePosition(&p) || q.InCheck() {
				continue
			}
			o := RepairOptions{Search: anyProblem(1), Position: q, Written: written(p, line)}
			if !o.Misprinted() {
				continue
			}
			misprinted++
			all, err := diagram(q)
			if err != nil {
				t.Fatal(err)
			}
			found := o.suspects(t.Context(), all, new([NumOutcomes]int))
			at := slices.IndexFunc(found, func(s suspect) bool { return s.position.SamePosition(&p) && slices.Equal(s.line, line) })
			if at < 0 {
				t.Errorf("%s for %s: not among %d", q.ProblemSFEN(), one[0], len(found))
			}
		}
	}
	if misprinted < 60 {
		t.Errorf("only %d are misprinted", misprinted)
	}
}

// The moves of the line are mended as well, and all of the rest is legal.
func TestMisprintedMove(t *testing.T) {
	for i, one := range solved {
		p, line := shogi.MustParseSFEN(one[0]), parseMoves(t, one[1])
		rng := rand.New(rand.NewPCG(2, uint64(i)))
		for range 20 {
			list, at := written(p, line), rng.IntN(len(line))
			g := &list[at]
			switch rng.IntN(3) {
			case 0:
				g.To = shogi.Square(rng.IntN(shogi.NumSquares))
			case 1:
				g.Kind = shogi.PieceType(1 + rng.IntN(14))
				g.Drop = g.Drop && g.Kind < shogi.King
			case 2:
				g.Promotes = !g.Promotes
			}
			o := RepairOptions{Search: anyProblem(1), Position: p, Written: list}
			if !o.Misprinted() {
				continue
			}
			all, _ := diagram(p)
			found := o.suspects(t.Context(), all, new([NumOutcomes]int))
			if !slices.ContainsFunc(found, func(s suspect) bool {
				return s.Kind == MoveReplaced && s.Ply == at+1 && s.Move == line[at] && slices.Equal(s.line, line)
			}) {
				t.Errorf("%s: move %d of %v is not among %d", one[0], at+1, list, len(found))
			}
		}
	}
}

// lineMates reports whether a line is one of checks up to a mate in which only pieces can be dropped, by the
// rules of package mailbox.
func lineMates(p *shogi.Position, line []shogi.Move) bool {
	b := mailbox.From(p)
	for i, m := range line {
		if !b.IsLegal(m) || i%2 == 0 && !b.GivesCheck(m) {
			return false
		}
		b.Do(m)
	}
	return b.InCheck(shogi.White) && !slices.ContainsFunc(b.LegalMoves(), func(m shogi.Move) bool { return !m.IsDrop() })
}

// A plain twin makes every single change, and asks the second rules library whether the line fits.
func TestMisprintTwin(t *testing.T) {
	for i, one := range solved {
		if testing.Short() && i%3 > 0 {
			continue
		}
		truth, line := shogi.MustParseSFEN(one[0]), parseMoves(t, one[1])
		rng := rand.New(rand.NewPCG(3, uint64(i)))
		var o RepairOptions
		for {
			q, ok := slip(rng, truth)
			o = RepairOptions{Search: anyProblem(1), Position: q, Written: writtenOf(line)}
			if ok && !q.InCheck() && o.Misprinted() {
				break
			}
		}
		p := o.Position
		want := map[string]bool{}
		add := func(s shogi.Setup) {
			s.Hands[shogi.White] = 0
			q, err := s.Position()
			if err != nil || q.InCheck() {
				return
			}
			q.GiveMissing(shogi.White)
			if lineMates(&q, line) && !q.SamePosition(&p) {
				want[(&Problem{Position: q, Line: line}).text()] = true
			}
		}
		for sq, old := range p.Setup().Board {
			for to, there := range p.Setup().Board {
				s := p.Setup()
				if old != shogi.NoPiece && there == shogi.NoPiece {
					s.Board[to], s.Board[sq] = old, shogi.NoPiece
					add(s)
				}
			}
			for pc := shogi.NoPiece; pc <= shogi.PieceOf(shogi.White, shogi.Dragon); pc++ {
				s := p.Setup()
				s.Board[sq] = pc
				if old.Type() != shogi.King && pc.Type() != shogi.King {
					add(s)
				}
			}
		}
		for _, less := range append(kinds[:], shogi.NoPieceType) {
			for _, more := range append(kinds[:], shogi.NoPieceType) {
				s := p.Setup()
				h := &s.Hands[shogi.Black]
				if less != shogi.NoPieceType && !h.Has(less) {
					continue
				} else if less != shogi.NoPieceType {
					*h = h.Remove(less, 1)
				}
				if more != shogi.NoPieceType {
					*h = h.Add(more, 1)
				}
				add(s)
			}
		}
		all, err := diagram(p)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, s := range o.suspects(t.Context(), all, new([NumOutcomes]int)) {
			q := s.problem()
			if !lineMates(&q.Position, q.Line) {
				t.Errorf("%s does not mate", q.text())
			}
			if s.Kind != MoveReplaced {
				got[q.text()] = true
			}
		}
		for text := range want {
			if !got[text] {
				t.Errorf("%s: %s fits, but was not found", p.ProblemSFEN(), text)
			}
			delete(got, text)
		}
		for text := range got {
			t.Errorf("%s: the twin has no %s", p.ProblemSFEN(), text)
		}
		t.Logf("%s: %d fit", p.ProblemSFEN(), len(want))
	}
}

// A line that fits is mended as ever, one that needs two changes has none, and no more than a bounded
// line is looked at.
func TestMisprintEdges(t *testing.T) {
	p, line := shogi.MustParseSFEN(solved[3][0]), parseMoves(t, solved[3][1])
	o := RepairOptions{Search: anyProblem(1), Position: p, Written: written(p, line)}
	if _, err := Repair(t.Context(), o); err == nil || !strings.Contains(err.Error(), "nothing to mend") || o.Misprinted() {
		t.Errorf("a line that fits: %v", err)
	}
	two := "5+P2k/7g1/9/9/9/9/9/9/9 b G 1" // a tokin a file off, and no silver
	if list, tally := misprintsOf(t, t.Context(), two, o.Written); len(list) > 0 || tally.Singles != tally.Of[0] || tally.Singles == 0 {
		t.Errorf("two changes: %d found, %+v", len(list), tally)
	}
	o.Written = slices.Repeat(o.Written, 1000)
	if _, err := Repair(t.Context(), o); err == nil || !strings.Contains(err.Error(), "at most 2000") {
		t.Errorf("a long line: %v", err)
	}
	o.Position, o.Written = shogi.MustParseSFEN("9/9/9/9/9/9/9/9/9 b G 1"), written(p, line)
	if _, err := Repair(t.Context(), o); err == nil || o.Misprinted() {
		t.Errorf("no king: %v", err)
	}
}

// A move that goes where the one before went is read so after another one, too.
func TestMisprintSame(t *testing.T) {
	p, line := shogi.MustParseSFEN(solved[1][0]), parseMoves(t, solved[1][1])
	list := written(p, line)
	list[1].Same = true
	for i := range 2 {
		list[i].To = square("5a") // a misprint of 41, and 同 after it
	}
	all, _ := diagram(p)
	o := RepairOptions{Search: anyProblem(1), Position: p, Written: list}
	found := o.suspects(t.Context(), all, new([NumOutcomes]int))
	if len(found) == 0 || !slices.Equal(found[0].line, line) || found[0].Message().Japanese() != "1手目は▲４一銀成" {
		t.Errorf("%d found", len(found))
	}
}

// Who stops the search keeps what was found.
func TestMisprintStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var tally RepairTally
	o := RepairOptions{Search: anyProblem(1), Position: shogi.MustParseSFEN(misprinted), Written: itsWritten(t), Tally: &tally}
	o.Progress = func(p Progress) {
		if p.Parts == 2 {
			cancel()
		}
	}
	problems, err := Repair(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for range problems {
		n++
	}
	if n < 8 || tally.Singles >= tally.Of[0] {
		t.Errorf("%d found, %+v", n, tally)
	}
}

// How often the truth is among the answers, and how many there are. It prints a row for each.
func TestMisprintMeasure(t *testing.T) {
	if *misprintFile == "" {
		t.Skip("without -misprint FILE")
	}
	file, err := os.Open(*misprintFile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var n, all, sound, first int
	var counts, solving []int
	var times []float64
	i := 0
	for in := bufio.NewScanner(file); in.Scan(); i++ {
		fields := strings.Split(in.Text(), "\t")
		if strings.HasPrefix(in.Text(), "#") || i%*misprintEvery > 0 {
			continue
		}
		p := shogi.MustParseSFEN(fields[0])
		line := parseMoves(t, fields[2])
		rng := rand.New(rand.NewPCG(4, uint64(i)))
		o := RepairOptions{Search: anyProblem(1), Written: written(p, line), Tally: new(RepairTally)}
		ok := false
		for range 50 {
			if o.Position, ok = slip(rng, p); ok {
				if ok = !o.Position.InCheck() && o.Misprinted(); ok {
					break
				}
			}
		}
		if !ok {
			continue
		}
		n++
		began := time.Now()
		problems, err := Repair(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		at, m, solves := -1, 0, 0
		for q := range problems {
			if q.Position.SamePosition(&p) {
				if at = m; q.Fit.Solves {
					sound++
				}
			}
			if q.Fit.Solves {
				solves++
			}
			m++
		}
		if at >= 0 {
			all++
		}
		if at == 0 {
			first++
		}
		counts, solving = append(counts, m), append(solving, solves)
		times = append(times, time.Since(began).Seconds())
		fmt.Printf("%s\t%s\t%d plies\tat %d of %d, %d solve\t%.2f s\n", o.Position.ProblemSFEN(), fields[0], len(line), at, m, solves, times[len(times)-1])
	}
	slices.Sort(counts)
	slices.Sort(solving)
	slices.Sort(times)
	fmt.Printf("# %d misprints, the truth among the answers of %d, as solution of %d, first of %d; median %d answers, %d that solve, %.2f s, most %.2f s\n",
		n, all, sound, first, counts[n/2], solving[n/2], times[n/2], times[n-1])
}
