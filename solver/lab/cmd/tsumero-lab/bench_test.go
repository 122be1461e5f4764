package main

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/solver/lab/internal/command"
)

// The signature of the bench moves only on purpose: "go test ./cmd/tsumero-lab -run BenchSignature
// -update" moves it, and the commit that does so says why.
func TestBenchSignature(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and one search after the other")
	}
	const golden, columns = "testdata/bench.golden", 68 // the columns that do not depend on the machine
	var out, stderr bytes.Buffer
	if code := run(context.Background(), []string{"bench", "--repeat", "1"}, nil, &out, &stderr); code != command.ExitOK {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	if stderr.Len() > 0 {
		t.Errorf("stderr: %s", stderr.String())
	}
	for pattern, want := range map[string]int{ // the rows that are not in the golden file
		`(?m)^mate[13].Find, .* ns a position$`: 6,
		`(?m)^Perft: .* leaves/s$`:              2,
	} {
		if n := len(regexp.MustCompile(pattern).FindAllString(out.String(), -1)); n != want {
			t.Errorf("%d lines match %s, want %d", n, pattern, want)
		}
	}
	var got strings.Builder
	for _, line := range strings.Split(out.String(), "\n") {
		switch {
		case strings.HasPrefix(line, "Bench: "):
			got.WriteString(line + "\n")
		case len(line) > columns && !strings.HasPrefix(line, "Perft: "):
			got.WriteString(strings.TrimRight(line[:columns], " ") + "\n")
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("bench changed; if it should have, run this test with -update. Now:\n%s\nbefore:\n%s", got.String(), want)
	}
}

// So does that of the playing engines. Nothing is allocated for a node.
func TestBenchPlaySignature(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector allocates, and makes it long")
	}
	const golden, columns = "testdata/bench_play.golden", 30
	var out, stderr bytes.Buffer
	if code := run(context.Background(), []string{"bench", "--play", "--repeat", "1"}, nil, &out, &stderr); code != command.ExitOK {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	var got strings.Builder
	for _, line := range strings.Split(out.String(), "\n") {
		switch fields := strings.Fields(line); {
		case strings.HasPrefix(line, "Bench (play): "):
			got.WriteString(line + "\n")
		case len(fields) >= 5 && fields[0] != "level":
			got.WriteString(line[:columns] + "\n")
			allocs := fields[len(fields)-1] // the nodes/s before it may be two words
			if n, err := strconv.Atoi(allocs); err != nil || n > 1000 {
				t.Errorf("%s: %s allocations in a search of thousands of nodes", fields[0], allocs)
			}
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("bench --play changed; if it should have, run this test with -update. Now:\n%s\nbefore:\n%s",
			got.String(), want)
	}
}
