package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/lab/crosscheck"
	"github.com/tsumero/tsumero/solver/lab/internal/command"
	"github.com/tsumero/tsumero/solver/mate1"
)

// A solver that sees no mate is caught, by code, seed, and a position that can be looked at.
func TestCrosscheckDisagreement(t *testing.T) {
	blind := func(*shogi.Position) shogi.Move { return shogi.NoMove }
	var out bytes.Buffer
	o := crosscheck.Options{Seed: 7, Positions: 1e6, Workers: 2, MaxPlies: 256, MateIn1: blind}
	err := playRandom(context.Background(), o, &out, io.Discard)
	var exit *command.ExitError
	if !errors.As(err, &exit) || exit.Code != command.ExitNegative {
		t.Fatalf("error %v, want exit code %d", err, command.ExitNegative)
	}
	for _, part := range []string{"seed 7", "there is a mate in one"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %q", part, err)
		}
	}
	if !strings.HasPrefix(out.String(), "seed 7\n") || !strings.Contains(out.String(), "\ndisagreements      1\n") {
		t.Errorf("output:\n%s", out.String())
	}
	_, sfen, _ := strings.Cut(err.Error(), "sfen ")
	sfen, _, _ = strings.Cut(sfen, ":")
	p, parseErr := shogi.ParseSFEN(sfen)
	if parseErr != nil {
		t.Fatal(parseErr)
	}
	if mate1.Find(&p) == shogi.NoMove {
		t.Errorf("%s is reported, but has no mate in one", sfen)
	}

	// What is printed last shows it again, with one game.
	const command = "\ntsumero-lab crosscheck --seed 7 --max-plies 256 --plain-every 0 --game "
	_, game, _ := strings.Cut(out.String(), command)
	if !strings.Contains(out.String(), "\nsfen "+sfen+command) || !strings.HasSuffix(game, " --positions 1\n") {
		t.Fatalf("output:\n%s", out.String())
	}
	if o.Game, err = strconv.ParseUint(strings.TrimSuffix(game, " --positions 1\n"), 10, 64); err != nil {
		t.Fatal(err)
	}
	o.Positions = 1
	out.Reset()
	again := playRandom(context.Background(), o, &out, io.Discard)
	if again == nil || again.Error() != exit.Error() || !strings.Contains(out.String(), " in 1 game:") {
		t.Errorf("again %v, output:\n%s\nwant %v", again, out.String(), exit)
	}
}

// An interrupt ends a run that would go on for hours, and what was checked is said.
func TestCrosscheckInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	asked := 0
	impatient := func(p *shogi.Position) shogi.Move {
		if asked++; asked == 200 {
			cancel()
		}
		return mate1.Find(p)
	}
	var out bytes.Buffer
	o := crosscheck.Options{Seed: 7, Game: 40, Positions: 1e15, Workers: 1, MaxPlies: 256, PlainEvery: 32, MateIn1: impatient}
	err := playRandom(ctx, o, &out, io.Discard)
	var exit *command.ExitError
	if !errors.As(err, &exit) || exit.Code != command.ExitInterrupted || !strings.Contains(out.String(), "\ndisagreements      0\n") {
		t.Errorf("error %v, output:\n%s", err, out.String())
	}
	var positions, games, left, next uint64
	if _, err := fmt.Sscanf(out.String(), "seed 7\npositions %d in %d games:", &positions, &games); err != nil {
		t.Fatalf("%v in the output:\n%s", err, out.String())
	}
	const command = "interrupted: the next positions are those of\n" +
		"tsumero-lab crosscheck --seed 7 --max-plies 256 --plain-every 32 --game %d --positions %d"
	if _, err := fmt.Sscanf(exit.Error(), command, &next, &left); err != nil || next != 40+games || positions+left != o.Positions {
		t.Errorf("error %v (%v) after %d positions of %d games", exit, err, positions, games)
	}
}

// Where there is no terminal, a long run says now and then how far it is.
func TestCrosscheckProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(p *shogi.Position) shogi.Move {
			time.Sleep(time.Second / 10) // of the bubble's time
			return mate1.Find(p)
		}
		var stderr bytes.Buffer
		o := crosscheck.Options{Seed: 7, Positions: 1000, Workers: 1, MateIn1: slow}
		if err := playRandom(t.Context(), o, io.Discard, &stderr); err != nil {
			t.Fatal(err)
		}
		lines := regexp.MustCompile(`(?m)^\d+ of 1000 positions checked, \d[\d.]*/s, [\dms]+ left$`).FindAllString(stderr.String(), -1)
		if len(lines) < 2 || len(lines) > 10 || strings.Count(stderr.String(), "\n") != len(lines) {
			t.Errorf("in some 100 seconds of fake time:\n%s\nwant a line every 10 seconds at most", &stderr)
		}
	})
}

// silent is a solver that decides nothing.
var silent = solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
	return solver.Result{Solver: "silent", Nodes: 1, Reason: solver.ReasonNodes}
})

// A hunt for a solver that sees mates nowhere finds it out.
func TestHuntDisagreement(t *testing.T) {
	blind := solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
		return solver.Result{Solver: "blind", Nodes: 1, Verdict: solver.NoMate}
	})
	o := crosscheck.HuntOptions{Seed: 7, Workers: 2, MateIn1: mate1.Find, Contenders: []crosscheck.Contender{{Name: "blind", Solver: blind}, {Name: "silent", Solver: silent}}}
	var out bytes.Buffer
	err := hunt(context.Background(), o, time.Hour, &out, io.Discard)
	var exit *command.ExitError
	if !errors.As(err, &exit) || exit.Code != command.ExitNegative || !strings.Contains(err.Error(), "seed 7") || !strings.Contains(err.Error(), "blind") {
		t.Fatalf("error %v, want exit code %d", err, command.ExitNegative)
	}
	if !strings.HasPrefix(out.String(), "seed 7\n") || !strings.Contains(out.String(), "\ndisagreements      1\n") {
		t.Errorf("output:\n%s", out.String())
	}
}

// An interrupt ends a hunt before its time.
func TestHuntInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	stopper := solver.Func(func(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
		cancel()
		return silent(ctx, p, lim)
	})
	o := crosscheck.HuntOptions{Seed: 7, Workers: 1, MateIn1: mate1.Find, Contenders: []crosscheck.Contender{{Name: "a", Solver: stopper}, {Name: "b", Solver: silent}}}
	var out bytes.Buffer
	err := hunt(ctx, o, time.Hour, &out, io.Discard)
	var exit *command.ExitError
	if !errors.As(err, &exit) || exit.Code != command.ExitInterrupted || !strings.Contains(out.String(), "\ndisagreements      0\n") {
		t.Errorf("error %v, output:\n%s", err, out.String())
	}
}
