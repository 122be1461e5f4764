package length_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
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
		raw := r.lengths[0]
		for i, policy := range length.Policies[1:] {
			want := r.lengths[1+i]
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

// TestCompare: a known length, or one after a check, is less than, equal to or greater than what it is
// compared with, and that is found out as a rule.
func TestCompare(t *testing.T) {
	s := dfpn.NewSmallSession(4 << 20)
	e := length.NewEngine(s)
	bare := length.NewEngine(nil) // asks the definition alone
	asked, decided := 0, 0
	compare := func(r *row, p shogi.Position, policy length.Policy, want, expected int) {
		s.Reset()
		e.Begin(shogi.Black, policy)
		e.Forget()
		got, _ := e.Compare(context.Background(), p, length.Interval{High: length.Unbounded}, expected, 200_000)
		if asked++; got.IsExact() || got.Low > expected || got.High < expected {
			decided++
		}
		if got.Low > want || got.High < want {
			t.Errorf("%s %s %v compared with %d: %d..%d, want %d", r.id, p.SFEN(), policy, expected, got.Low, got.High, want)
		}
		bare.Begin(shogi.Black, policy)
		bare.Forget()
		got, _ = bare.Compare(context.Background(), p, length.Interval{High: length.Unbounded}, expected, 2000)
		if got.Low > want || got.High < want {
			t.Errorf("%s %s %v compared with %d by the definition: %d..%d, want %d", r.id, p.SFEN(), policy,
				expected, got.Low, got.High, want)
		}
	}
	var buf shogi.MoveBuffer
	for _, r := range rows(t) {
		if raw := r.lengths[0]; raw < 0 || raw > 9 {
			continue
		}
		for i, policy := range length.Policies[1:] {
			want := r.lengths[1+i]
			if want < 0 {
				continue
			}
			for _, expected := range []int{1, want - 6, want - 4, want - 2, want, want + 2} {
				compare(&r, r.p, policy, want, expected)
			}
			plain := length.NewEngine(nil)
			plain.Begin(shogi.Black, policy)
			for _, m := range r.p.Checks(&buf, shogi.AllMoves) {
				next := r.p
				next.Do(m)
				after, reason := plain.Within(context.Background(), next, want+1, 20_000)
				if reason != solver.NoReason || after > want+1 {
					continue
				}
				for expected := max(after-6, 0); expected <= after+2; expected += 2 {
					compare(&r, next, policy, after, expected)
				}
			}
		}
	}
	t.Logf("%d of %d decided", decided, asked)
	if decided < asked*9/10 {
		t.Errorf("%d of %d are decided", decided, asked)
	}
}

// TestIsAtMost: no known length is greater than another that it is at most.
func TestIsAtMost(t *testing.T) {
	check := func(name string, lengths [length.NumPolicies]int) {
		for i, p := range length.Policies {
			for j, q := range length.Policies {
				if a, b := lengths[i], lengths[j]; p.IsAtMost(q) && a >= 0 && b >= 0 && a > b {
					t.Errorf("%s: %d under %v, %d under %v", name, a, p, b, q)
				}
			}
		}
	}
	for _, r := range rows(t) {
		check(r.id, r.lengths)
	}
	for _, d := range definition {
		check(d.name, d.lengths)
	}
	for i, want := range []string{"", "F0", "F0 F1", "F0 F1"} {
		p := length.Policies[i]
		var got []string
		for _, q := range length.Policies {
			if p.IsAtMost(q) {
				got = append(got, q.String())
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%v is at most %s, want %s", p, s, want)
		}
	}
}

// TestProveDefinition: what is found from above is no less than the length by the definition, and most
// often it is the length.
func TestProveDefinition(t *testing.T) {
	e := length.NewEngine(dfpn.NewSmallSession(1 << 20))
	asked, found := 0, 0
	for _, d := range definition {
		p := shogi.MustParseSFEN(d.sfen)
		for i, policy := range length.Policies[1:] {
			e.Begin(d.attacker, policy)
			for b := 0; b <= 4; b += 2 {
				e.Reset()
				want := d.lengths[1+i]
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
