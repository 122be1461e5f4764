package certificate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/certificate"
	"github.com/tsumero/tsumero/solver/dfpn"
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

// plan returns the proof of a plan that White has. A node is its move, height, hand and replies, each
// with the index of the node that follows it.
func plan(t *testing.T, sfen, first string, nodes ...string) (shogi.Position, *solver.Proof) {
	t.Helper()
	replies := func(words []string) (list []solver.ProofReply) {
		for _, w := range words {
			m, node, _ := strings.Cut(w, ":")
			i, err := strconv.Atoi(node)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, solver.ProofReply{Move: move(t, m), Node: int32(i)})
		}
		return list
	}
	var list []solver.ProofNode
	for _, text := range nodes {
		words := strings.Fields(text)
		height, err := strconv.Atoi(words[1])
		if err != nil {
			t.Fatal(err)
		}
		hands := shogi.MustParseSFEN("9/9/9/9/9/9/9/9/k7K b " + words[2] + " 1")
		list = append(list, solver.ProofNode{Move: move(t, words[0]), Height: int32(height),
			Hand: hands.Hand(shogi.Black), Replies: replies(words[3:])})
	}
	p := shogi.MustParseSFEN(sfen)
	proof, err := solver.NewProof(context.Background(), p, shogi.White, list, replies(strings.Fields(first)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return p, proof
}

// A position that several replies lead to has a number when its plan has ended, and is first reached
// with no more in hand than it needs: the second time the attacker may hold less.
func TestMateShared(t *testing.T) {
	// White holds a pawn after 8c9c, and has dropped it where he comes to the same board by 8c9d.
	held, proofHeld := plan(t, "2+p6/LR+nn5/1K7/9/9/1+r2G4/9/9/9 b 3Pp 1", "8c9c:1 8c9d:2",
		"R*9c 1 R", "8f8b 3 - 9c9d:0", "P*9c 5 P 9d9c:1")
	// 3 ends before 4 and 5, which lead to it.
	nested, proofNested := plan(t, "KG7/1B6R/2s6/+r8/9/9/9/9/9 b 2n 1", "8b9c+:6 8b9c:7",
		"R*9b 1 R2N", "R*9b 1 R", "R*9i 1 R2N", "B*7d 3 RB2N 9b9c:0 9b9a:1 R*8c:2",
		"9c9b 5 B2N 9a9b:3", "9c9b 5 B2N 9a9b:3", "9d9c 7 2N 1b9b+:4 1b9b:5", "9d9c 7 2N 1b9b+:4 1b9b:5")
	for _, test := range []struct {
		p     shogi.Position
		proof *solver.Proof
		want  string
	}{
		{held, proofHeld, "plies 6\n8f8b!- R*9c P*9c =1\n"},
		{nested, proofNested, "plies 8\n9d9c 9c9b! B*7d! R*9b R*9b R*9i 9c9b! =1 9d9c =2 =3\n"},
	} {
		var out bytes.Buffer
		if err := certificate.Mate(context.Background(), &out, test.p, shogi.White, test.proof); err != nil {
			t.Fatal(err)
		}
		_, got, _ := strings.Cut(out.String(), "attacker white\n")
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.p.SFEN(), got, test.want)
		}
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestNoMateFails(t *testing.T) {
	ctx, s := context.Background(), dfpn.NewSession().Closure()
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
		{"few members", noMate, ctx, 0, certificate.Limits{Members: 1}, solver.ReasonMembers},
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
	for sfen, want := range map[string]string{
		"4k4/9/9/9/9/9/9/9/4K4 w - 1": "certificate: the defender is to move and not in check",
		"9/9/9/9/9/9/9/9/4K4 b - 1":   "certificate: the defender has no king",
	} {
		err := certificate.NoMate(ctx, full{}, shogi.MustParseSFEN(sfen), shogi.Black, s, none)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %q", sfen, err, want)
		}
	}
}

func move(t *testing.T, text string) shogi.Move {
	t.Helper()
	m, err := shogi.ParseMove(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
