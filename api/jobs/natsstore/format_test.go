//go:build !nonats

package natsstore_test

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/natsstore"
)

var update = flag.Bool("update", false, "write the golden file")

// TestFormat holds what is stored in version 1: a store writes the messages of the golden file, and
// reads them. A file of an older version stays, and is read.
func TestFormat(t *testing.T) {
	t.Parallel()
	const id = jobs.ID("abcdefghijklmnopqrstuvwxyz")
	ctx := t.Context()
	job := &jobs.Job{
		V: 1, ID: id, Kind: jobs.Collection, Ask: jobs.AskSolve, State: jobs.Running,
		Client: "192.0.2.1", Class: "anonymous", Note: "<&> 詰", Priority: -1, Defaults: "nodes=1000", Memory: 4,
		Accepted: jobs.Accepted{Lines: 5, Chunks: 2, Bytes: 400, Digest: "00ff"},
		Created:  time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC),
		Started:  time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC),
		Keep:     time.Hour, DoneChunks: 1, Counts: jobs.Counts{Mate: 1, NoMate: 2, Unknown: 3, Faulty: 4},
		Nodes: 1 << 63, OutBytes: 1 << 40, Failure: &jobs.Failure{Code: "internal_error", Detail: "why"},
	}
	part := &jobs.Result{
		Summary: jobs.Summary{
			V: 1, First: 1, Last: 2, Counts: jobs.Counts{Mate: 2}, Nodes: 9, Bytes: 11, Engine: "12345-abc",
		},
		Text: []byte(`{"line":1}`),
	}
	result := &jobs.Result{
		Summary: jobs.Summary{V: 1, First: 3, Last: 5, Parts: 1, Counts: jobs.Counts{Mate: 2, Faulty: 3}, Nodes: 10, Bytes: 22},
		Text:    []byte(`{"line":3}`),
	}
	item := &jobs.Item{
		V: 1, Job: id, Kind: jobs.Collection, Ask: jobs.AskSolve, Chunk: 1, Defaults: "nodes=1000", Memory: 4, Redelivered: true,
	}
	name := filepath.Join("testdata", "messages-v1.txt")
	golden, err := os.ReadFile(name)
	if err != nil && !*update {
		t.Fatal(err)
	}

	s := embedded(t, t.TempDir(), 1<<30)
	must(t)(s.Create(ctx, job))
	check(t, s.PutInput(ctx, id, 1, []byte("the chunk")))
	check(t, s.Enqueue(ctx, id, job.Accepted))
	check(t, s.Dispatch(ctx, item))
	must(t)(s.AddAttempt(ctx, id, 1, 7))
	must(t)(s.PutPart(ctx, id, 1, 0, part))
	must(t)(s.PutResult(ctx, id, 1, result))
	got := natsstore.Dump(t, s)
	check(t, s.Close())
	if *update {
		check(t, os.WriteFile(name, []byte(got), 0o600))
	} else if got != string(golden) {
		t.Errorf("stored:\n%s\nwant:\n%s", got, golden)
	}

	s = embedded(t, t.TempDir(), 1<<30)
	natsstore.Load(t, s, string(golden))
	if j, _, err := s.Job(ctx, id); err != nil || !reflect.DeepEqual(j, job) {
		t.Errorf("record %+v, %v", j, err)
	}
	if in, err := s.Input(ctx, id, 1); err != nil || string(in) != "the chunk" {
		t.Errorf("input %q, %v", in, err)
	}
	if n, err := s.AddAttempt(ctx, id, 1, 7); err != nil || n != 2 {
		t.Errorf("attempt %d, %v", n, err)
	}
	if p, err := s.Part(ctx, id, 1, 0); err != nil || !reflect.DeepEqual(p, part) {
		t.Errorf("part %+v, %v", p, err)
	}
	if p, err := s.Result(ctx, id, 1); err != nil || !reflect.DeepEqual(p, result) {
		t.Errorf("result %+v, %v", p, err)
	}
	if q, err := s.AcquireJob(ctx); err != nil || q.ID != id || q.Accepted != job.Accepted {
		t.Errorf("queued job %+v, %v", q, err)
	}
	if q, err := s.AcquireItem(ctx, []int{4}); err != nil || q.Item != *item {
		t.Errorf("item %+v, %v", q, err)
	}
}
