package length_test

import (
	"context"
	"flag"
	"testing"

	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/solvertest"
)

var (
	compared = flag.Int("length.positions", 80, "how many random positions TestEngineIsPlain looks at")
	ordered  = flag.Int("length.ordered", 60, "how many random positions TestOrder looks at")
)

// TestEngineIsPlain: the engine finds the lengths that the plain search finds, with a session and
// without one, after the attacker's checks too.
func TestEngineIsPlain(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and is of one goroutine")
	}
	t.Parallel()
	const most = 5
	positions := *compared
	r := solvertest.NewRandom(shogitest.Seed(t), 0)
	engines := []*length.Engine{length.NewEngine(dfpn.NewSession()), length.NewEngine(nil)}
	found, shorter := 0, 0
	for i := range positions {
		p := r.Next()
		attacker, err := solver.Attacker(&p)
		if err != nil {
			t.Fatal(err)
		}
		var lengths [length.NumPolicies]int
		for policy := range length.NumPolicies {
			want := plainLength(mailbox.From(&p), attacker, policy, most)
			e := engines[i%2]
			e.Begin(attacker, policy)
			n, reason := e.Within(context.Background(), p, most, 0)
			if reason != solver.NoReason {
				t.Fatal(reason)
			}
			if n > most {
				n = more
			}
			if n != want {
				t.Errorf("%s %v: %d, the plain search finds %d", p.SFEN(), policy, n, want)
			}
			lengths[policy] = n
		}
		if lengths[length.F0] < more {
			found++
		}
		if lengths[length.F2] < lengths[length.F0] {
			shorter++
		}
	}
	t.Logf("%d positions, %d mates within %d plies, %d of them shorter by convention", positions, found, most, shorter)
	if found < positions/20 || shorter == 0 {
		t.Errorf("of %d positions %d have a mate, %d a shorter one by convention", positions, found, shorter)
	}
}

// TestOrder: L1 is at most L0, L2 at most L1, and there is a mate under all policies or none.
func TestOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and is of one goroutine")
	}
	t.Parallel()
	const most = 7
	positions := *ordered
	r := solvertest.NewRandom(shogitest.Seed(t), 1)
	var engines [length.NumPolicies]*length.Engine
	for i := range engines {
		engines[i] = length.NewEngine(dfpn.NewSession())
	}
	for range positions {
		p := r.Next()
		attacker, err := solver.Attacker(&p)
		if err != nil {
			t.Fatal(err)
		}
		var lengths [length.NumPolicies]int
		for policy, e := range engines {
			e.Begin(attacker, length.Policy(policy))
			n, reason := e.Within(context.Background(), p, most, 200_000)
			if lengths[policy] = min(n, most+1); reason != solver.NoReason {
				lengths[policy] = -1
			}
		}
		l0, l1, l2 := lengths[length.F0], lengths[length.F1], lengths[length.F2]
		if l0 >= 0 && l1 > l0 || l1 >= 0 && l2 > l1 || l0 >= 0 && l2 > l0 {
			t.Errorf("%s: lengths %v", p.SFEN(), lengths)
		}
	}
}
