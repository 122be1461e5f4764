package queuetest

import (
	"strings"
	"testing"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/queue"
)

// A job under an ID of the test's choice is worked on like any other, and the kit reaches its rows.
func TestPut(t *testing.T) {
	q := New(t, queue.Options{})
	id := jobs.NewID()
	q.Put(t, id, &queue.Submission{Client: "c", Class: queue.Keyed, Kind: jobs.Collection, Ask: jobs.AskSolve,
		Lines: strings.NewReader("a\nb\n"), Longest: 9})
	if c := q.Chunk(t, id, 0); len(c) != 2 || string(c[1].Text) != "b" {
		t.Errorf("%+v", c)
	}
	q.Exec(t, []any{string(id)}, `update tsumero_job set note = 'x' where id = ?`)
	q.Work(func(turn *queue.Turn) error {
		return turn.Finish(&queue.Part{Text: []byte("{\"line\":1}\n{\"line\":2}\n"), Last: 2, Counts: jobs.Counts{Mate: 2}})
	})
	if v := q.Await(t, id, jobs.Done); v.Note != "x" || v.DoneLines != 2 {
		t.Errorf("%+v", v)
	}
	q.Break(t)
	q.Mend(t)
	q.Await(t, id, jobs.Done)
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New(b, queue.Options{})
	}
}
