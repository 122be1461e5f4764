package certificate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/certificate"
	"github.com/tsumero/tsumero/solver/mate"
)

// That certificates hold is tested beside the program that checks them, cmd/tsumero-check.

func ExampleMate() {
	p := shogi.MustParseSFEN("9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G2r2b4s4n4l17p 1")
	r := mate.New(mate.Options{}).Solve(context.Background(), p, solver.Limits{Proof: true})
	err := certificate.Mate(context.Background(), os.Stdout, p, shogi.Black, r.Proof)
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// tsumero-cert 1 mate
	// sfen 9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G2r2b4s4n4l17p 1
	// attacker black
	// plies 3
	// G*5c G*4b G*5b G*6b
}

const (
	inThree = "9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G2r2b4s4n4l17p 1"
	noMate  = "4k4/9/9/9/9/9/9/9/9 b GS2P2r2b3g3s4n4l16p 1"
	long    = "nn1S1R3/1L2p+b3/+P8/1L1R1g3/k1S2l3/+nP1G5/3n5/2P2+B3/9 b 2g2sl14p 1" // 39 plies
)

func proofOf(t *testing.T, s solver.Solver, sfen string) (shogi.Position, *solver.Proof) {
	t.Helper()
	p := shogi.MustParseSFEN(sfen)
	r := s.Solve(context.Background(), p, solver.Limits{Proof: true})
	if r.Proof == nil {
		t.Fatalf("%s: %v", sfen, r.Verdict)
	}
	return p, r.Proof
}

func TestMateFails(t *testing.T) {
	ctx, s := context.Background(), mate.New(mate.Options{})
	p, proof := proofOf(t, s, inThree)
	other := shogi.MustParseSFEN(noMate)
	var fault *solver.VerifyError
	for name, err := range map[string]error{
		"another position": certificate.Mate(ctx, &bytes.Buffer{}, other, shogi.Black, proof),
		"another attacker": certificate.Mate(ctx, &bytes.Buffer{}, p, shogi.White, proof),
	} {
		if !errors.As(err, &fault) {
			t.Errorf("%s: %v, want a *VerifyError", name, err)
		}
	}
	if err := certificate.Mate(ctx, full{}, p, shogi.Black, proof); err != errFull {
		t.Errorf("a full disk: %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	p, proof = proofOf(t, s, long)
	if err := certificate.Mate(ended, &bytes.Buffer{}, p, shogi.Black, proof); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestNoMateFails(t *testing.T) {
	ctx, s := context.Background(), mate.New(mate.Options{})
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for _, test := range []struct {
		name, sfen string
		ctx        context.Context
		plies      int // 0: any
		lim        certificate.Limits
		reason     solver.Reason
	}{
		{"a mate", inThree, ctx, 0, certificate.Limits{}, ""},
		{"a mate as short", inThree, ctx, 3, certificate.Limits{}, ""},
		{"few nodes", noMate, ctx, 0, certificate.Limits{Nodes: 20}, solver.ReasonNodes},
		{"few members", noMate, ctx, 0, certificate.Limits{Members: 1}, certificate.ReasonMembers},
		{"cancelled", noMate, ended, 0, certificate.Limits{}, solver.ReasonCancelled},
	} {
		p := shogi.MustParseSFEN(test.sfen)
		var out bytes.Buffer
		err := certificate.NoMate(test.ctx, &out, p, shogi.Black, s, test.lim)
		if test.plies > 0 {
			err = certificate.NoMateWithin(test.ctx, &out, p, shogi.Black, test.plies, s, test.lim)
		}
		var undecided *certificate.UndecidedError
		if errors.As(err, &undecided) && undecided.Reason != test.reason ||
			undecided == nil && (err != certificate.ErrMate || test.reason != "") {
			t.Errorf("%s: %v, want the reason %q", test.name, err, test.reason)
		}
		if out.Len() > 0 {
			t.Errorf("%s: %d bytes were written", test.name, out.Len())
		}
	}
	p, none := shogi.MustParseSFEN(noMate), certificate.Limits{}
	if err := certificate.NoMate(ctx, full{}, p, shogi.Black, s, none); err != errFull {
		t.Errorf("a full disk: %v", err)
	}
	for _, sfen := range []string{"4k4/9/9/9/9/9/9/9/4K4 w - 1", "9/9/9/9/9/9/9/9/4K4 b - 1"} {
		if err := certificate.NoMate(ctx, full{}, shogi.MustParseSFEN(sfen), shogi.Black, s, none); err == nil || err == errFull {
			t.Errorf("%s: %v", sfen, err)
		}
	}
}

// The other checks on a line: those that mate too are left open, and so are those that the caller
// knows of.
func TestSound(t *testing.T) {
	ctx, s := context.Background(), mate.New(mate.Options{})
	p := shogi.MustParseSFEN("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1") // G*5b, and nothing else
	sound := func(known ...certificate.Check) (string, []certificate.Check) {
		t.Helper()
		var out bytes.Buffer
		line := []shogi.Move{shogi.NewDrop(shogi.Gold, square(t, "5b"))}
		open, err := certificate.Sound(ctx, &out, p, shogi.Black, line, known, s, certificate.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return out.String(), open
	}
	text, open := sound()
	again, _ := sound()
	if len(open) > 0 || text != again {
		t.Errorf("open are %v\n%s\n%s", open, text, again)
	}
	known := certificate.Check{Ply: 1, Move: shogi.NewDrop(shogi.Gold, square(t, "4b"))}
	text, open = sound(known)
	if len(open) != 1 || open[0] != known || !strings.Contains(text, " ? ") {
		t.Errorf("open are %v\n%s", open, text)
	}
	// A second gold mates on its own.
	p = shogi.MustParseSFEN("4k4/9/4PG3/9/9/9/9/9/9 b G2r2b2g4s4n4l17p 1")
	if text, open = sound(); len(open) == 0 {
		t.Errorf("nothing is open\n%s", text)
	}
	quiet := []shogi.Move{shogi.NewDrop(shogi.Gold, square(t, "5i"))}
	if _, err := certificate.Sound(ctx, &bytes.Buffer{}, p, shogi.Black, quiet, nil, s, certificate.Limits{}); err == nil {
		t.Error("a line without a check")
	}
}

func square(t *testing.T, name string) shogi.Square {
	sq, err := shogi.ParseSquare(name)
	if err != nil {
		t.Fatal(err)
	}
	return sq
}
