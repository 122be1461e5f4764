package drill

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/collection"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/theme"
	"github.com/tsumero/tsumero/web/daily"
	"github.com/tsumero/tsumero/web/internal/problemtest"
	"github.com/tsumero/tsumero/web/problems"
)

// TestProblems: the file is as it has to be, and its problems are sound. It searches a sample.
func TestProblems(t *testing.T) { problemtest.Verify(t, file, All()) }

// TestMeasured: features and themes are those of a report, and all are known. It asks about a sample.
func TestMeasured(t *testing.T) {
	z := analysis.NewAnalyzer(dfpn.NewSession())
	for i, p := range All() {
		if len(p.Features) != len(Features) {
			t.Fatalf("%s has %d features", p.SFEN, len(p.Features))
		}
		for _, id := range p.Themes {
			if theme.ByID(id) == nil {
				t.Errorf("%s: there is no theme %s", p.SFEN, id)
			}
		}
		if !problemtest.IsSample(i, len(All())) {
			continue
		}
		a := problemtest.Analyze(t, z, p.Position)
		for j, name := range Features {
			if got := a.Difficulty.Feature(name); got != p.Features[j] {
				t.Errorf("%s: %s is %d, not %d", p.SFEN, name, got, p.Features[j])
			}
		}
	}
}

// TestUnlike: no problem is like another one, or like one of the days, but for its moves.
func TestUnlike(t *testing.T) {
	var known collection.List
	add := func(name string, p *problems.Problem) {
		g, err := shogi.ParsePosition("sfen " + p.SFEN + " moves " + p.Line)
		if err != nil {
			t.Fatalf("%s: %v", p.SFEN, err)
		}
		d, err := collection.Describe(&collection.Problem{Position: p.Position, Attacker: shogi.Black, Line: g.Moves()})
		if err != nil {
			t.Fatalf("%s: %v", p.SFEN, err)
		}
		if found, _ := known.Find(d, 1, collection.Duplicate, collection.MirrorTwin, collection.OtherHand, collection.Changed,
			collection.Shifted, collection.Contained, collection.Contains); len(found) > 0 && !strings.HasPrefix(name, "day") {
			t.Errorf("%s %s is like %s: %v", name, p.SFEN, found[0].Name, found[0].Relation)
		}
		known.Add(name, d)
	}
	for i := range daily.All() {
		add(fmt.Sprint("day ", i), &daily.All()[i])
	}
	for i := range All() {
		add(fmt.Sprint("number ", i+1), &All()[i])
	}
}

// TestRating: a rating is that of the length and what each feature adds, up to its most.
func TestRating(t *testing.T) {
	for _, c := range []struct {
		plies         int
		features      []int
		rating, class int
	}{
		{3, []int{0, 0, 0, 0, 0}, 600, 1},             // 500 · log₂ 4 − 400
		{3, []int{6, 2, 1, 1, 1}, 825, 1},             // + 90 + 40 + 40 + 30 + 25
		{3, []int{7, 3, 1, 1, 1}, 860, 2},             // 850 is where the second class begins
		{7, []int{0, 0, 0, 0, 0}, 1100, 3},            // 500 · log₂ 8 − 400
		{15, []int{99, 99, 99, 99, 99}, 2460, 9},      // 1600 + 180 + 200 + 200 + 180 + 100
		{15, []int{100, 100, 100, 100, 100}, 2460, 9}, // no more
	} {
		p := problems.Problem{Plies: c.plies, Features: c.features}
		if got := Rating(&p); got != c.rating || Class(got) != c.class {
			t.Errorf("%+v: %d, class %d", c, got, Class(got))
		}
	}
}

// TestSets: sets are of one length and class, and what is appended changes none that is full.
func TestSets(t *testing.T) {
	next := 1
	for i, s := range Sets() {
		if s.First != next || len(s.Problems) == 0 || len(s.Problems) > SetSize {
			t.Errorf("set %d has %d problems from %d on", i+1, len(s.Problems), s.First)
		}
		for j := range s.Problems {
			if p := &s.Problems[j]; p.Plies != s.Plies || Class(Rating(p)) != s.Class || Rating(p) < s.Low || Rating(p) > s.High {
				t.Errorf("%s is not one of set %d", p.SFEN, i+1)
			}
		}
		next += len(s.Problems)
	}
	if next-1 != len(All()) {
		t.Errorf("%d of %d are in sets", next-1, len(All()))
	}
	before := Sets()
	after := setsOf(append(append([]problems.Problem{}, All()...), All()[0]))
	for i := range before[:len(before)-1] {
		if a, b := before[i], after[i]; a.First != b.First || len(a.Problems) != len(b.Problems) || a.Low != b.Low {
			t.Errorf("set %d changes", i+1)
		}
	}
}

// TestSize: what the program has of them is not too much.
func TestSize(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(file)); err != nil || w.Close() != nil || b.Len() > 600_000 {
		t.Errorf("%d problems take %d bytes under gzip, %v", len(All()), b.Len(), err)
	}
	t.Logf("%d problems in %d sets, %d bytes, %d under gzip", len(All()), len(Sets()), len(file), b.Len())
}

// TestNumbers: numbers never change. What is appended gets a line of its own here.
func TestNumbers(t *testing.T) {
	h, n := sha256.New(), 0
	for _, pinned := range []struct {
		count int
		hash  string
	}{
		{2858, "4f2e12cead2571e003a5bba4e4b0d4fd2a85df14cd316607811fda7b55e821df"},
		{3280, "7439e3b5ec3fbe60fe6a9964ffe94c289816da4a53633ddda27b7045c5bfa624"},
	} {
		for ; n < pinned.count && n < len(All()); n++ {
			fmt.Fprintln(h, All()[n].SFEN)
		}
		if got := fmt.Sprintf("%x", h.Sum(nil)); n != pinned.count || got != pinned.hash {
			t.Errorf("the first %d of %d problems have the hash %s, not that of the first %d", n, len(All()), got, pinned.count)
		}
	}
	if n != len(All()) {
		t.Errorf("the order of %d problems is pinned, of %d", n, len(All()))
	}
}
