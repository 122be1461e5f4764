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

// A row is a problem with its lengths under F0 to F3: -1 no mate, -2 not known.
type row struct {
	id      string
	p       shogi.Position
	lengths [length.NumPolicies]int
}

func rows(t testing.TB) (list []row) {
	f, err := os.Open("../analysis/testdata/problems.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		fields := strings.Split(lines.Text(), "\t")
		r := row{id: fields[11], p: shogi.MustParseSFEN(fields[0])}
		for i := range r.lengths {
			if n, err := strconv.Atoi(fields[1+i]); err == nil {
				r.lengths[i] = n
			} else {
				r.lengths[i] = -2
			}
		}
		list = append(list, r)
	}
	return list
}

// TestKnown: the lengths of problems that two programs and, for the short ones, a plain exhaustive
// search agree on.
func TestKnown(t *testing.T) {
	e := length.NewEngine(dfpn.NewSession())
	for _, r := range rows(t) {
		for i, policy := range length.Policies[1:] {
			want := r.lengths[1+i]
			if want == -2 || testing.Short() && want > 5 {
				continue
			}
			most := want
			if want == -1 {
				most = 5
			}
			e.Begin(shogi.Black, policy)
			began := time.Now()
			n, reason := e.Within(context.Background(), r.p, most, 20_000_000)
			t.Logf("%s %v: %d (%d nodes, %v)", r.id, policy, n, e.Nodes(), time.Since(began).Round(time.Millisecond))
			if want == -1 && n > most {
				n = -1
			}
			if reason != solver.NoReason || n != want {
				t.Errorf("%s %v %s: %d %s, want %d", r.id, policy, r.p.SFEN(), n, reason, want)
			}
		}
	}
}

// TestParity: lengths with the attacker to move are odd and with the defender to move even, whatever
// they are compared with.
func TestParity(t *testing.T) {
	e := length.NewEngine(dfpn.NewSession())
	for _, r := range rows(t) {
		e.Begin(shogi.Black, length.F2)
		e.Forget()
		var buf shogi.MoveBuffer
		p := r.p
		for i := range 9 {
			if n, _ := e.Within(context.Background(), p, 8-i, 20_000); n < length.Unbounded && n%2 != (i+1)%2 {
				t.Fatalf("%s: length %d after %d plies", r.id, n, i)
			}
			moves := p.Checks(&buf, shogi.AllMoves)
			if i%2 == 1 {
				e.Replies(context.Background(), p, 7-i, 20_000)
				moves = p.Evasions(&buf, shogi.AllMoves)
			}
			if len(moves) == 0 {
				break
			}
			p.Do(moves[i%len(moves)])
		}
	}
}

// TestStopped: what a search that was stopped knows is a lower bound, at every number of nodes, and a
// problem of 5 plies has one that is odd.
func TestStopped(t *testing.T) {
	p := shogi.MustParseSFEN("7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1")
	for i, want := range [...]int{5, 5, 3, 3} {
		policy := length.Policies[i]
		e := length.NewEngine(nil)
		for limit := uint64(1); ; limit++ {
			e.Begin(shogi.Black, policy)
			e.Forget()
			n, reason := e.Within(context.Background(), p, 9, limit)
			if n > want || n%2 == 0 || e.Nodes() > limit {
				t.Fatalf("%v: %d %s in %d nodes of %d, want at most %d", policy, n, reason,
					e.Nodes(), limit, want)
			}
			if reason == solver.NoReason {
				if n != want {
					t.Errorf("%v: %d, want %d", policy, n, want)
				}
				break
			}
		}
	}
}

// spender is a Session that spends what it may, and has no answer.
type spender struct {
	solver.Session
	spent uint64
}

func (s *spender) Decide(_ context.Context, q solver.Question) solver.Decision {
	s.spent += q.Limits.Nodes
	return solver.Decision{Reason: solver.ReasonNodes, Nodes: q.Limits.Nodes}
}

// TestSessionNodes: the nodes of the session count as those of the search, and are within its limit.
func TestSessionNodes(t *testing.T) {
	p := shogi.MustParseSFEN("7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1")
	const limit = 1000
	var s spender
	e := length.NewEngine(&s)
	e.Begin(shogi.Black, length.F2)
	if _, reason := e.Within(context.Background(), p, 9, limit); reason != solver.ReasonNodes {
		t.Errorf("stopped by %q", reason)
	}
	if s.spent == 0 || s.spent > e.Nodes() || e.Nodes() > limit {
		t.Errorf("%d nodes of the session, %d in all, limit %d", s.spent, e.Nodes(), limit)
	}
}
