package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/certificate"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// closure returns what makes closed sets.
func closure() solver.Closure { return dfpn.NewSmallSession(4 << 20).Closure() }

// certify returns the certificate that write writes.
func certify(t testing.TB, write func(w *bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// wantClaim checks the certificate, which must prove the claim.
func wantClaim(t testing.TB, text, attacker string, p *shogi.Position, claim string) {
	t.Helper()
	got, err := check(strings.NewReader(text))
	want := fmt.Sprintf("%s attacks in %s: %s", attacker, p.SFEN(), claim)
	if err != nil || got != want {
		t.Fatalf("proven is\n%q, %v; want\n%q\n%s", got, err, want, text)
	}
}

// Whatever is known of a position is what a certificate of it proves, in a few nodes.
func TestKnownPositions(t *testing.T) {
	t.Parallel()
	ctx, s, set := context.Background(), mate.New(mate.Options{TableBytes: 4 << 20}), closure()
	limits := certificate.Limits{Nodes: 100_000, Members: 200}
	tried, large := 0, 0
	for i, k := range solvertest.Positions(t) {
		if i%12 > 0 || testing.Short() && i%32 > 0 {
			continue
		}
		p := k.Position
		attacker, err := solver.Attacker(&p)
		if err != nil {
			t.Fatal(err)
		}
		prove := func(claim string, write func(w *bytes.Buffer) error) {
			t.Helper()
			tried++
			var b bytes.Buffer
			var undecided *certificate.UndecidedError
			switch err := write(&b); {
			case errors.As(err, &undecided) && b.Len() == 0:
				large++
			case err != nil:
				t.Fatalf("%s: %v", p.SFEN(), err)
			default:
				wantClaim(t, b.String(), attacker.String(), &p, claim)
			}
		}
		if k.HasMateIn(solvertest.Never) {
			prove("no mate", func(w *bytes.Buffer) error {
				return certificate.NoMate(ctx, w, p, attacker, set, limits)
			})
			continue
		}
		if k.Most > 9 {
			continue
		}
		r := s.Solve(ctx, p, solver.Limits{Proof: true, Shortest: true})
		prove(fmt.Sprintf("mate in %d plies or fewer", k.Most), func(w *bytes.Buffer) error {
			return certificate.Mate(ctx, w, p, attacker, r.Proof)
		})
		none := max(k.Least-2, 0)
		prove(fmt.Sprintf("no mate in %d plies or fewer", none), func(w *bytes.Buffer) error {
			return certificate.NoMateWithin(ctx, w, p, attacker, none, set, limits)
		})
		for claim, err := range map[string]error{
			"nomate": certificate.NoMate(ctx, io.Discard, p, attacker, set, limits),
			"within": certificate.NoMateWithin(ctx, io.Discard, p, attacker, k.Most, set, limits),
		} {
			if err != certificate.ErrMate {
				t.Errorf("%s: %s: %v, want ErrMate", p.SFEN(), claim, err)
			}
		}
	}
	if large*20 > tried {
		t.Errorf("%d of %d certificates are too large", large, tried)
	}
	t.Logf("%d certificates, %d of them too large", tried, large)
}

// The first mate found is not the shortest, and its proof has numbers, references and hands given
// away; the length in the certificate is that of the plan.
func TestRandomProblems(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and is of one goroutine")
	}
	t.Parallel()
	ctx, s, set := context.Background(), mate.New(mate.Options{TableBytes: 4 << 20}), closure()
	problems := 60
	random := solvertest.NewRandom(shogitest.Seed(t), 1)
	words, verdicts := map[string]int{}, map[solver.Verdict]int{}
	for range problems {
		p := random.Next()
		attacker, err := solver.Attacker(&p)
		if err != nil {
			continue
		}
		r := s.Solve(ctx, p, solver.Limits{Proof: true, Nodes: 5_000})
		verdicts[r.Verdict]++
		var b bytes.Buffer
		switch r.Verdict {
		case solver.Mate:
			if err := certificate.Mate(ctx, &b, p, attacker, r.Proof); err != nil {
				t.Fatal(err)
			}
			text := b.String()
			if _, err := check(strings.NewReader(text)); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			for _, kind := range []string{"!", "!-", "="} {
				words[kind] += strings.Count(text, kind)
			}
			_, rest, _ := strings.Cut(text, "plies ")
			var plies int
			if _, err := fmt.Sscan(rest, &plies); err != nil || plies > r.Proof.Plies() {
				t.Errorf("%s: %d plies, and the proof has %d", p.SFEN(), plies, r.Proof.Plies())
			}
		case solver.NoMate:
			lim := certificate.Limits{Nodes: 100_000, Members: 100}
			err := certificate.NoMate(ctx, &b, p, attacker, set, lim)
			var undecided *certificate.UndecidedError
			if errors.As(err, &undecided) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			wantClaim(t, b.String(), attacker.String(), &p, "no mate")
		}
	}
	t.Logf("%v, words with %v", verdicts, words)
	if verdicts[solver.Mate] == 0 || verdicts[solver.NoMate] == 0 ||
		words["!"] == 0 || words["!-"] == 0 || words["="] == 0 {
		t.Errorf("not all is tried: %v, words with %v", verdicts, words)
	}
}
