package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/queue"
)

func init() {
	programs["make-store"] = func() { must(makeStore(os.Args[1])) }
	programs["spoil"] = func() { must(spoil(os.Args[1], len(os.Args) > 2)) }
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// makeStore makes a store with a job of two chunks in a directory.
func makeStore(dir string) error {
	ctx := context.Background()
	q, err := queue.New(queue.Options{Address: dir})
	if err != nil {
		return err
	}
	if err := q.Open(ctx); err != nil {
		return err
	}
	var lines strings.Builder
	for r := rand.New(rand.NewPCG(1, 2)); lines.Len() < 60<<10; {
		fmt.Fprintf(&lines, "{\"id\":\"%x\",\"sfen\":%q}\n", r.Uint64(), headGold)
	}
	_, _, err = q.Submit(ctx, &queue.Submission{Client: "me", Class: queue.Keyed, Kind: jobs.Collection,
		Ask: jobs.AskSolve, Lines: strings.NewReader(lines.String()), Longest: 1000})
	if err != nil {
		return err
	}
	return q.Close()
}

// spoil changes a bit of each page of a database, or of the last one alone.
func spoil(path string, last bool) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	const page = 4096
	for at := len(data) - page/2; at > page; at -= page {
		data[at] ^= 4
		if last {
			break
		}
	}
	return os.WriteFile(path, data, 0o600)
}
