package length_test

import (
	"context"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
)

// TestIntervalKnown: the interval of a known length has it, whatever the nodes, with the raw length
// and without it, and where another length is expected.
func TestIntervalKnown(t *testing.T) {
	s := dfpn.NewSmallSession(4 << 20)
	e := length.NewEngine(s)
	asked, exact := 0, 0
	for _, r := range rows(t) {
		raw := r.lengths[length.F0]
		for policy := length.F1; policy < length.NumPolicies; policy++ {
			want := r.lengths[policy]
			if want < 0 || raw < 0 || testing.Short() && raw > 9 {
				continue
			}
			for _, test := range []struct {
				high, expected int
				nodes          uint64
			}{{raw, 0, 2000}, {length.Unbounded - 1, raw, 20_000}, {raw, want, 200_000}} {
				s.Reset()
				e.Begin(shogi.Black, policy)
				e.Forget()
				got, _ := e.Interval(context.Background(), r.p, length.Interval{Low: 1, High: test.high},
					test.expected, test.nodes)
				if asked++; got.IsExact() {
					exact++
				}
				if got.Low > want || got.High < want {
					t.Errorf("%s %s %v: %d..%d, want %d", r.id, r.p.SFEN(), policy, got.Low, got.High, want)
				}
			}
		}
	}
	t.Logf("%d of %d exact", exact, asked)
	if exact < asked*2/3 {
		t.Errorf("%d of %d are exact", exact, asked)
	}
}

// TestProveDefinition: what is found from above is no less than the length by the definition, and most
// often it is the length.
func TestProveDefinition(t *testing.T) {
	e := length.NewEngine(dfpn.NewSmallSession(1 << 20))
	asked, found := 0, 0
	for _, d := range definition {
		p := shogi.MustParseSFEN(d.sfen)
		for policy := length.F1; policy < length.NumPolicies; policy++ {
			e.Begin(d.attacker, policy)
			for b := 0; b <= 4; b += 2 {
				e.Reset()
				want := d.lengths[policy]
				n := e.Prove(p, b)
				if n <= b && n < want {
					t.Errorf("%s, %v within %d: %d, want %d", d.name, policy, b, n, want)
				}
				if want <= b {
					asked++
				}
				if n == want {
					found++
				}
			}
		}
	}
	if found < asked*3/4 {
		t.Errorf("%d of %d lengths are found", found, asked)
	}
}
