package queue_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tsumero/tsumero/api/internal/queuetest"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/queue"
)

// submit submits a collection of n lines.
func submit(t *testing.T, q *queuetest.Queue, n int) jobs.ID {
	t.Helper()
	v, _, err := q.Submit(t.Context(), &queue.Submission{Client: "c", Class: queue.Keyed, Kind: jobs.Collection,
		Ask: jobs.AskSolve, Lines: strings.NewReader(strings.Repeat("x\n", n)), Longest: 9})
	if err != nil {
		t.Fatal(err)
	}
	return v.ID
}

// answers answers chunks in parts of as many lines as size says then.
func answers(size func() int) func(*queue.Turn) error {
	return func(turn *queue.Turn) error {
		p, n := &queue.Part{}, 0
		for i, l := range turn.Chunk {
			p.Text = fmt.Appendf(p.Text, "{\"line\":%d}\n", l.Number)
			p.Last = l.Number
			p.Counts.Mate++
			if n++; n < size() || i == len(turn.Chunk)-1 {
				continue
			}
			if err := turn.Store(p); err != nil {
				return err
			}
			p, n = &queue.Part{}, 0
		}
		return turn.Finish(p)
	}
}

// A reader gets each line once, in its order, also if answers are damaged that it had read in part,
// and that are found again in other parts.
func TestResultsAgain(t *testing.T) {
	q := queuetest.New(t, queue.Options{})
	id := submit(t, q, 10)
	var size atomic.Int64
	size.Store(2)
	q.Work(answers(func() int { return int(size.Load()) }))
	q.Await(t, id, jobs.Done)
	size.Store(7)
	q.Exec(t, []any{string(id)}, `delete from tsumero_answer where job = ? and k = 2`)
	for _, follow := range []bool{true, false} {
		next := 1
		end, err := q.Results(t.Context(), id, queue.ResultsQuery{Follow: follow}, func(line []byte) error {
			if string(line) != fmt.Sprintf("{\"line\":%d}\n", next) {
				t.Errorf("line %d is %s", next, line)
			}
			next++
			return nil
		})
		if err != nil || next != 11 || end.State != jobs.Done {
			t.Errorf("%d lines, %+v, %v", next-1, end, err)
		}
	}
	if n := q.Damaged(); n != 1 {
		t.Errorf("%d damages are counted", n)
	}
}

// Of a job that was cancelled the lines without an answer are left out, and those behind them are not.
func TestResultsOfCancelled(t *testing.T) {
	q := queuetest.New(t, queue.Options{})
	id := submit(t, q, 1030) // the second chunk begins with line 1025
	q.Work(answers(func() int { return 2000 }))
	q.Await(t, id, jobs.Done)
	q.Exec(t, []any{string(id)}, `update tsumero_chunk set state = 0, parts = 0 where job = ? and n = 0`,
		`update tsumero_job set state = 'cancelled' where id = ?`)
	lines := 0
	end, err := q.Results(t.Context(), id, queue.ResultsQuery{}, func([]byte) error { lines++; return nil })
	if err != nil || lines != 6 || end.State != jobs.Cancelled {
		t.Errorf("%d lines, %+v, %v", lines, end, err)
	}
}

// A reader of a job that was done does not pass over a chunk of which another one found meanwhile that it
// is damaged. That it is not there is no damage.
func TestResultsAgainElsewhere(t *testing.T) {
	q := queuetest.New(t, queue.Options{})
	id := submit(t, q, 1030)
	work := answers(func() int { return 2000 })
	gate := make(chan bool, 10)
	q.Work(func(turn *queue.Turn) error {
		select {
		case <-gate:
			return work(turn)
		case <-turn.Draining():
			return queue.ErrDraining
		}
	})
	gate <- true
	gate <- true
	q.Await(t, id, jobs.Done)
	// read calls f after 1024 lines, and returns how many lines there were, and damages.
	read := func(f func()) (lines int, damages uint64, end queue.End, err error) {
		before := q.Damaged()
		end, err = q.Results(t.Context(), id, queue.ResultsQuery{}, func([]byte) error {
			if lines++; lines == 1024 {
				f()
			}
			return nil
		})
		return lines, q.Damaged() - before, end, err
	}
	lines, damages, end, err := read(func() {
		q.Exec(t, []any{string(id)}, `delete from tsumero_answer where job = ? and n = 1`)
		end, err := q.Results(t.Context(), id, queue.ResultsQuery{From: 1025}, func([]byte) error { return nil })
		if err != nil || end.State != jobs.Running || end.Next != 1025 {
			t.Errorf("%+v, %v", end, err)
		}
	})
	if err != nil || lines != 1024 || damages != 1 || end.State != jobs.Running || end.Next != 1025 {
		t.Errorf("%d lines, %d damages, %+v, %v", lines, damages, end, err)
	}
	gate <- true
	q.Await(t, id, jobs.Done)
	_, damages, _, err = read(func() {
		if err := q.Purge(t.Context(), id); err != nil {
			t.Error(err)
		}
		q.Exec(t, []any{string(id)}, `delete from tsumero_answer where job = ?`, // as clearGone does
			`delete from tsumero_chunk where job = ?`)
	})
	if !errors.Is(err, queue.ErrGone) || damages != 0 {
		t.Errorf("%v, %d damages", err, damages)
	}
}
