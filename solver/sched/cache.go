package sched

import (
	"time"
	"unsafe"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// A Key is what an answer depends on, as long as time does not end the search.
type Key struct {
	sfen     string
	task     *Task
	variant  string
	limits   solver.Limits // all of them, also those that are yet to come
	attacker shogi.Color
}

// Key returns what the answer to q depends on.
func (q *Question) Key() Key {
	return Key{q.SFEN, q.Task, q.Variant, q.Limits, q.Attacker}
}

// An Answer is what a question gets. Several may have got the same one: nobody may change it.
type Answer struct {
	// Result is that of the search. A Task need not set more than the fields it wants to be known.
	Result solver.Result
	// Rendered is what Config.Render makes of the result, or whatever a Task wants to keep with it.
	// Who appends to it must not overwrite what another may append: cut off its capacity.
	Rendered []byte
	// Elapsed is how long the search took, without waiting for it to begin. That of a Task is its
	// own.
	Elapsed time.Duration
	// Repeatable says that the same question gets the same answer again: nothing of it was ended by
	// time, by a client, or by a want of slots. Only such an answer is put into the cache.
	Repeatable bool
	// Detail is whatever else a Task wants to keep with the answer, a few bytes at most.
	Detail any

	refused bool // some of it needed a slot that there was none of, for the client that asked
}

// newAnswer turns the result of a search into the answer.
func (s *Scheduler) newAnswer(q *Question, r *solver.Result, elapsed time.Duration) *Answer {
	a := &Answer{Result: *r, Elapsed: elapsed, Repeatable: r.IsRepeatable()}
	a.Rendered = s.render(q, &a.Result) // and not r, which would be moved to the heap for it
	return a
}

// cancelled is the answer to somebody who did not wait for it.
func (s *Scheduler) cancelled(q *Question, elapsed time.Duration) *Answer {
	return s.newAnswer(q, &solver.Result{Reason: solver.ReasonCancelled}, elapsed)
}

// A Cache keeps answers, and forgets what it has no room for. It must be safe for concurrent use.
// Package cache has one. It is handed in, because the program in a browser has no use for it, and
// it is large.
type Cache interface {
	GetIfPresent(Key) (*Answer, bool)
	Set(Key, *Answer) (old *Answer, wasAbsent bool)
}

// EntryBytes returns how many bytes of memory an entry of a cache takes besides what all take alike.
func EntryBytes(k Key, a *Answer) int {
	size := len(k.sfen) + len(k.variant) + cap(a.Rendered) +
		int(unsafe.Sizeof(shogi.NoMove))*cap(a.Result.Line)
	if a.Result.Proof != nil {
		size += a.Result.Proof.Bytes()
	}
	return size
}

// cached returns the answer that the cache has for q, nil if it has none.
func (s *Scheduler) cached(q *Question) *Answer {
	if s.cache == nil {
		return nil
	}
	a, _ := s.cache.GetIfPresent(q.Key())
	return a
}

// keep puts an answer into the cache if it may be there.
func (s *Scheduler) keep(k Key, a *Answer) {
	if s.cache != nil && a.Repeatable {
		s.cache.Set(k, a)
	}
}
