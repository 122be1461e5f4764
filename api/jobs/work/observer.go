package work

import (
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// An Observer is called when something happens, for metrics, from many goroutines.
type Observer interface {
	// Dispatched: a Coordinator dispatched an item of a memory class; redelivered, if it had
	// dispatched the item before and the item was lost.
	Dispatched(class int, redelivered bool)
	// ItemDone: the result of an item came, after a time since its last dispatch.
	ItemDone(class int, after time.Duration)
	// Finished: a job ended in a state, after a time since its Coordinator began to work on it.
	Finished(kind jobs.Kind, state jobs.State, after time.Duration)
	// Missing: chunks of the input of a job are not in the store.
	Missing(chunks int)

	// Began: a Worker began an attempt at an item; again, if it was not the first one.
	Began(class int, again bool)
	// Answered: a line was answered, with a verdict as jobs.Counts counts it.
	Answered(verdict string)
	// GaveUp: a line was given up after its last attempt.
	GaveUp()
	// Duplicate: a part or result was not stored, because another worker had stored one.
	Duplicate()

	// Newer: a job or an item went back to the queue, for its format is newer than this program.
	Newer()
}

// Unobserved is an Observer that does nothing. Others embed it for what they do not count.
type Unobserved struct{}

func (Unobserved) Dispatched(int, bool)                          {}
func (Unobserved) ItemDone(int, time.Duration)                   {}
func (Unobserved) Finished(jobs.Kind, jobs.State, time.Duration) {}
func (Unobserved) Missing(int)                                   {}
func (Unobserved) Began(int, bool)                               {}
func (Unobserved) Answered(string)                               {}
func (Unobserved) GaveUp()                                       {}
func (Unobserved) Duplicate()                                    {}
func (Unobserved) Newer()                                        {}
