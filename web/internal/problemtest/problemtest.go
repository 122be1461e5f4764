// Package problemtest verifies files of problems that the program ships. Only tests import it.
package problemtest

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/certificate"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/web/problems"
)

var all = flag.Bool("all", false, "search each of the problems again, and not only some fifty")

// IsSample reports whether the problem with this number, of so many, is to be searched again.
func IsSample(i, count int) bool { return *all || i%max(1, count/50) == 0 }

// Verify fails the test unless each problem of a file is written in the one way there is, stands
// there once, and has a solution that is mate, by checks, in as many plies as it says. Of a sample
// that is its length by convention, of which the certificate has the hash, and a report finds it
// sound.
func Verify(t *testing.T, file string, all []problems.Problem) {
	t.Helper()
	session := dfpn.NewSession()
	engine := length.NewEngine(session)
	engine.Begin(shogi.Black, length.F2)
	z := analysis.NewAnalyzer(dfpn.NewSession())
	seen := map[string]bool{}
	for i := range all {
		p := &all[i]
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
		if !IsSample(i, len(all)) {
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
		if fault := Unsound(Analyze(t, z, p.Position), p.Plies); fault != "" {
			t.Errorf("%s: %s", p.SFEN, fault)
		}
	}
}

// Analyze returns the report on a problem of Black's, with the features of how hard it is.
func Analyze(t *testing.T, z *analysis.Analyzer, p shogi.Position) *analysis.Analysis {
	t.Helper()
	a, err := z.Analyze(t.Context(), analysis.Question{Position: p, Attacker: shogi.Black, Policy: length.Default,
		Parts: analysis.DefaultParts | analysis.Tries | analysis.Difficulty}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Unsound returns what is not as a report on a problem of a file has to be, "" if nothing is.
func Unsound(a *analysis.Analysis, plies int) string {
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
