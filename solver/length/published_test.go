package length_test

import (
	"bufio"
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
)

// TestPublished: problems of 9 plies and more have the length that was published with them. What
// others print differs where the file says so.
func TestPublished(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	t.Parallel()
	f, err := os.Open("testdata/published.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := dfpn.NewSession()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		c := strings.Split(lines.Text(), "\t")
		p := shogi.MustParseSFEN(c[0])
		raw, _ := strconv.Atoi(c[1])
		want, err := strconv.Atoi(c[4])
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		s.Reset()
		e := length.NewEngine(s)
		e.Begin(p.SideToMove(), length.Default)
		n, reason := e.Within(context.Background(), p, raw, 3_000_000)
		t.Logf("%s: raw %d, published %d: %d %s, %d nodes, %v", c[2], raw, want, n, reason, e.Nodes(), time.Since(began).Round(time.Millisecond))
		if len(c) > 5 {
			continue // explained
		}
		if reason != solver.NoReason || n != want {
			t.Errorf("%s %s: %d %s, published as %d", c[2], c[0], n, reason, want)
		}
	}
}
