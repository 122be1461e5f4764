package daily

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/certificate"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
)

var all = flag.Bool("all", false, "search each of the problems again, and not only one in twenty")

// isSample reports whether the problem with this number is to be searched again.
func isSample(i int) bool { return *all || i%20 == 0 }

// TestProblems: each problem is written in the one way there is, stands there once, and its solution
// is mate, by checks, in as many plies as it says. Of a sample that is its length by convention, of which the
// certificate has the hash.
func TestProblems(t *testing.T) {
	session := dfpn.NewSession()
	engine := length.NewEngine(session)
	engine.Begin(shogi.Black, length.F2)
	seen := map[string]bool{}
	for i, p := range All() {
		if seen[p.SFEN] || !strings.Contains(file, p.SFEN+"\t") {
			t.Errorf("%s stands there twice, or is written in another way", p.SFEN)
		}
		seen[p.SFEN] = true
		g, err := shogi.ParsePosition("sfen " + p.SFEN + " moves " + p.Line)
		if err != nil {
			t.Errorf("%s: %v", p.SFEN, err)
			continue
		}
		for i := 0; i < len(g.Moves()); i += 2 {
			if !g.GaveCheck(i) {
				t.Errorf("%s: ply %d gives no check", p.SFEN, i+1)
			}
		}
		if len(g.Moves()) != p.Plies || p.Position.SideToMove() != shogi.Black || !strings.HasPrefix(p.Certificate, "sha256:") {
			t.Errorf("%s: the solution has %d plies, the certificate is %q", p.SFEN, len(g.Moves()), p.Certificate)
		}
		if !isSample(i) {
			continue
		}
		// What the defender can still drop between is futile.
		if left, _ := engine.Within(t.Context(), g.Position(), 0, 0); left != 0 {
			t.Errorf("%s: the solution has %d plies left", p.SFEN, left)
		}
		n, reason := engine.Within(t.Context(), p.Position, p.Plies, 0)
		if n != p.Plies || reason != solver.NoReason {
			t.Errorf("%s: the length is %d (%v), not %d", p.SFEN, n, reason, p.Plies)
		}
		session.Reset()
		h := sha256.New()
		if err := certificate.FindLength(t.Context(), h, p.Position, shogi.Black, session, certificate.Limits{}); err != nil ||
			fmt.Sprintf("sha256:%x", h.Sum(nil)) != p.Certificate {
			t.Errorf("%s: the certificate is another one (%v)", p.SFEN, err)
		}
	}
}

// TestSound: each problem is sound by all that a report says of it, in its length and with nothing left
// over. It asks for a sample.
func TestSound(t *testing.T) {
	z := analysis.NewAnalyzer(dfpn.NewSession())
	for i, p := range All() {
		if !isSample(i) {
			continue
		}
		a, err := z.Analyze(t.Context(), analysis.Question{Position: p.Position, Attacker: shogi.Black, Policy: length.Default,
			Parts: analysis.DefaultParts}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if fault := unsound(a, p.Plies); fault != "" {
			t.Errorf("%s: %s", p.SFEN, fault)
		}
	}
	for _, sfen := range []string{
		"9/6Spk/9/5R1+B1/9/9/9/9/9 b Nrb4g3s3n4l17p 1", // a check is not decided
		"9/4k4/9/4P4/9/9/9/9/9 b 3G2r2b1g4s4n4l17p 1",  // a gold is left over
	} {
		p := shogi.MustParseSFEN(sfen)
		a, err := z.Analyze(t.Context(), analysis.Question{Position: p, Attacker: shogi.Black, Policy: length.Default,
			Parts: analysis.DefaultParts}, nil, nil)
		if err != nil || unsound(a, 3) == "" {
			t.Errorf("%s is taken for sound: %v", sfen, err)
		}
	}
}

// unsound returns what is not as a report on a problem of the file has to be, "" if nothing is.
func unsound(a *analysis.Analysis, plies int) string {
	switch {
	case a.Sound != analysis.Yes:
		return fmt.Sprintf("it is not sound: %v, %v", a.Sound, a.Rules)
	case a.Reason != solver.NoReason:
		return fmt.Sprintf("not decided: %v", a.Reason)
	case a.Length() != length.Exactly(plies):
		return fmt.Sprintf("its length is %v", a.Length())
	case a.Leftover.Class != analysis.LeftoverNone:
		return fmt.Sprintf("left over: %v", a.Leftover)
	}
	return ""
}

// days are enough dates for all problems to come, and some of them again.
const days = 1600

// TestDates: each date has a problem of the length of its weekday, and none comes a second
// time within 100 days.
func TestDates(t *testing.T) {
	const apart = 100
	last, again := map[string]Date{}, map[int]Date{}
	for d := First; d < First+days; d++ {
		p, ok := On(d)
		if !ok || p.Plies != byWeekday[d.Weekday()] {
			t.Fatalf("%v, a %v, has %d plies", d, d.Weekday(), p.Plies)
		}
		before, isRepeated := last[p.SFEN]
		if isRepeated && again[p.Plies] == 0 {
			again[p.Plies] = d
			t.Logf("%d plies: %d problems, which begin again on %v", p.Plies, len(OfLength(p.Plies)), d)
		}
		if isRepeated && d-before < apart {
			t.Errorf("%s is there on %v and on %v: there are too few of %d plies",
				p.SFEN, before, d, p.Plies)
		}
		last[p.SFEN] = d
	}
	if _, ok := On(First - 1); ok {
		t.Error("there is a problem before the first")
	}
	for d := time.Monday; d < time.Saturday; d++ {
		if byWeekday[d] > byWeekday[d+1] || byWeekday[time.Saturday] > byWeekday[time.Sunday] {
			t.Errorf("%v is harder than the day after it", d)
		}
	}
}

// TestAppended: what is appended changes no date before those of its length begin again.
func TestAppended(t *testing.T) {
	for d := First; d < First+days; d++ {
		n := len(OfLength(byWeekday[d.Weekday()]))
		if i := before(d, byWeekday[d.Weekday()]); i < n && i%n != i%(n+1) {
			t.Errorf("%v changes", d)
		}
	}
	// Without gaps, each date of a length has the next of its problems.
	next := map[int]int{}
	for d := First; d < First+days; d++ {
		plies := byWeekday[d.Weekday()]
		if got := before(d, plies); got != next[plies] {
			t.Fatalf("%v has the problem %d of %d plies, not %d", d, got, plies, next[plies])
		}
		next[plies]++
	}
}

// TestUntil: a collection has what was there until a date, and never what is yet to come.
func TestUntil(t *testing.T) {
	if got := Until(First-1, 3); got != nil {
		t.Errorf("before the first date there are %d", len(got))
	}
	seen := map[string]bool{}
	for d := First; d < First+days; d++ {
		p, _ := On(d)
		seen[p.SFEN] = true
		n := 0
		for _, plies := range Lengths() {
			for _, one := range Until(d, plies) {
				if n++; !seen[one.SFEN] {
					t.Fatalf("until %v there is %s, which has not been there", d, one.SFEN)
				}
			}
		}
		if n != len(seen) {
			t.Fatalf("until %v there are %d, not %d", d, n, len(seen))
		}
	}
	if len(seen) != len(All()) {
		t.Errorf("in %d dates there are %d of %d", days, len(seen), len(All()))
	}
}

// TestDate: a date begins at midnight in Japan, and is read as it is written.
func TestDate(t *testing.T) {
	for text, want := range map[string]string{
		"2026-11-22T14:59:59Z": "2026-11-22", "2026-11-22T15:00:00Z": "2026-11-23",
		"2026-11-23T23:59:59+09:00": "2026-11-23", "2027-01-01T00:00:00+09:00": "2027-01-01",
		"2026-12-31T06:59:59-08:00": "2026-12-31", "2026-12-31T07:00:00-08:00": "2027-01-01",
		"2028-02-29T12:00:00Z": "2028-02-29", "1969-12-31T14:59:59Z": "1969-12-31",
	} {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		d := DateOf(at)
		if d.String() != want {
			t.Errorf("at %s it is %v, not %s", text, d, want)
		}
		if start := d.Start(); start.After(at) || !(d + 1).Start().After(at) || start.Format(time.TimeOnly) != "00:00:00" {
			t.Errorf("%v begins at %v", d, start)
		}
		if read, err := ParseDate(want); err != nil || read != d {
			t.Errorf("%s is read as %v: %v", want, read, err)
		}
	}
	if First.String() != "2026-10-26" || First.Weekday() != time.Monday {
		t.Errorf("the first date is %v, a %v", First, First.Weekday())
	}
	for _, text := range []string{"", "today", "2026-1-1", "2026-02-29", "2026-11-23T00:00:00Z", "20261123", "-2026-01-01"} {
		if d, err := ParseDate(text); err == nil {
			t.Errorf("%q is %v", text, d)
		}
	}
}

// TestParse: a line with a fault is refused with its number.
func TestParse(t *testing.T) {
	const problem = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"
	all, err := parse("# x\n\n" + problem + "\t1\tG*5b\ta b\r\n" + problem + "\t1\tG*5b\n")
	if err != nil || len(all) != 2 || all[0].SFEN != problem || all[0].Plies != 1 || all[0].Line != "G*5b" ||
		strings.Join(all[0].Themes, "+") != "a+b" || all[1].Themes != nil {
		t.Errorf("%+v, %v", all, err)
	}
	for _, text := range []string{"x", problem, problem + "\t1", "4k4\t1\tG*5b", problem + "\tone\tG*5b", problem + "\t0\tG*5b"} {
		if _, err := parse("#\n" + text); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
