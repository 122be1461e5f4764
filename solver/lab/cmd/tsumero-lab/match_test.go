package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver/lab/internal/command"
	"github.com/tsumero/tsumero/solver/lab/match"
)

func init() { programs["fake-usi"] = fakeUSI }

// fakeUSI is a USI program that plays the first legal move, or, with the argument cheats, a move
// that is none.
func fakeUSI() {
	cheats := slices.Contains(os.Args, "cheats")
	g := shogi.NewGame(shogi.Start())
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		word, _, _ := strings.Cut(lines.Text(), " ")
		switch word {
		case "usi":
			fmt.Print("id name fake\noption name Style type spin default 0 min 0 max 9\n" +
				"option name Two Words type string default <empty>\nusiok\n")
		case "isready":
			fmt.Println("readyok")
		case "position":
			g, _ = shogi.ParsePosition(lines.Text())
		case "go":
			p := g.Position()
			move := p.LegalMoves(new(shogi.MoveBuffer), shogi.AllMoves)[0].String()
			if cheats {
				move = "5e5e"
			}
			fmt.Println("bestmove " + move)
		case "quit":
			return
		}
	}
}

// A match that is interrupted again and again has, in the end, the games of one that was not.
func TestMatchInterrupted(t *testing.T) {
	folder := t.TempDir()
	args := func(log string) []string {
		return []string{"match", "level:asayomi", "level:random", "--games", "60", "--opening-score", "0",
			"--log", filepath.Join(folder, log), "--continue"}
	}
	var out, stderr bytes.Buffer
	if code := run(t.Context(), args("whole"), nil, &out, &stderr); code != command.ExitOK {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	whole := readMatchLog(t, filepath.Join(folder, "whole"))

	path := filepath.Join(folder, "parts")
	interrupts := 0
	for before := 0; ; {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for ctx.Err() == nil {
				if text, _ := os.ReadFile(path); bytes.Count(text, []byte("\n")) >= before+10 {
					cancel()
				}
				time.Sleep(time.Millisecond)
			}
		}()
		stderr.Reset()
		code := run(ctx, args("parts"), nil, new(bytes.Buffer), &stderr)
		cancel()
		if code == command.ExitOK {
			break
		}
		if code != command.ExitInterrupted || !strings.Contains(stderr.String(), "--continue") {
			t.Fatalf("exit code %d: %s", code, stderr.String())
		}
		interrupts++
		text, err := os.ReadFile(path)
		if err != nil || bytes.Count(text, []byte("\n")) < before+10 {
			t.Fatalf("lines are lost: %v", err)
		}
		before = bytes.Count(text, []byte("\n"))
		// As if killed while it wrote.
		if err := os.WriteFile(path, append(text, `{"game":3,`...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	parts := readMatchLog(t, path)
	if interrupts < 2 {
		t.Errorf("interrupted only %d times", interrupts)
	}
	if len(parts) != 60 || len(whole) != 60 {
		t.Fatalf("%d and %d games", len(parts), len(whole))
	}
	for n, r := range whole {
		if parts[n].Position != r.Position || parts[n].Won != r.Won {
			t.Errorf("game %d differs", n)
		}
	}
}

func readMatchLog(t *testing.T, path string) map[int]match.Result {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	_, results, _, err := match.ReadLog(file)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// The records are read back as the games that the log has, in both notations.
func TestMatchRecords(t *testing.T) {
	folder := t.TempDir()
	log := filepath.Join(folder, "log")
	for _, args := range [][]string{
		{"--log", log, "--record", filepath.Join(folder, "kif")},
		{"--record", filepath.Join(folder, "csa"), "--notation", "csa"},
		{"--record", filepath.Join(folder, "all.csa")},
	} {
		var stderr bytes.Buffer
		all := append([]string{"match", "level:asayomi", "level:random", "--games", "4", "--max-moves", "60"}, args...)
		if code := run(t.Context(), all, nil, new(bytes.Buffer), &stderr); code != command.ExitOK {
			t.Fatalf("exit code %d: %s", code, stderr.String())
		}
	}
	text, err := os.ReadFile(filepath.Join(folder, "all.csa"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := notation.ParseAll(text, notation.Options{})
	if err != nil || len(all) != 4 {
		t.Fatalf("%d records in one file, %v", len(all), err)
	}
	for n, r := range readMatchLog(t, log) {
		g, err := r.Replay()
		if err != nil {
			t.Fatal(err)
		}
		records := []*notation.Record{all[n]}
		for _, name := range []string{"kif", "csa"} {
			text, err := os.ReadFile(filepath.Join(folder, name, fmt.Sprintf("%06d.%s", n, name)))
			if err != nil {
				t.Fatal(err)
			}
			one, err := notation.Parse(text, notation.Options{})
			if err != nil {
				t.Fatal(err)
			}
			records = append(records, one)
		}
		for _, one := range records {
			want := map[match.End]notation.Ending{match.ByMate: notation.Mated, match.ByLimit: notation.Impasse}[r.End]
			if !slices.Equal(one.Moves(), g.Moves()) || one.Ending() != want {
				t.Errorf("game %d: %d moves that end with %s, want %d with %s", n, len(one.Moves()), one.Ending(),
					len(g.Moves()), want)
			}
			black := "level:asayomi"
			if n%2 == 1 {
				black = "level:random"
			}
			if got := one.Get("先手"); got != black {
				t.Errorf("game %d: Black is %q, want %q", n, got, black)
			}
		}
	}
}

func TestParseLimits(t *testing.T) {
	var values [numLimits]string
	values[limitNodes] = "A=5000,B=10000"
	values[limitTime] = "10+0.1"
	values[limitByoyomi] = "B=250ms"
	limits, err := parseLimits(values)
	clock := match.Control{Main: 10 * time.Second, Increment: 100 * time.Millisecond}
	a, b := clock, clock
	a.Nodes, b.Nodes, b.Byoyomi = 5000, 10000, 250*time.Millisecond
	if err != nil || limits != [2]match.Control{a, b} {
		t.Errorf("%+v, %v", limits, err)
	}
	for text, want := range map[string]match.Control{
		"30+0": {Main: 30 * time.Second}, "5m+2s": {Main: 5 * time.Minute, Increment: 2 * time.Second},
		"0+1": {Increment: time.Second}, "0.5": {Main: 500 * time.Millisecond},
	} {
		if limits, err := parseLimits([numLimits]string{limitTime: text}); err != nil || limits[1] != want {
			t.Errorf("%s: %+v, %v", text, limits, err)
		}
	}
	for _, text := range []string{"0", "0+0", "-1", "x", "1+x", "1e9", "A=", "C=1"} {
		if _, err := parseLimits([numLimits]string{limitTime: text}); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}
