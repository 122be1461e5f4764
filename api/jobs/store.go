package jobs

import (
	"context"
	"errors"
	"time"
)

// The errors of a Store that say what is wrong. After any other error the same call may be repeated.
var (
	ErrNotFound = errors.New("jobs: not found")
	ErrExists   = errors.New("jobs: there is one already")
	// ErrConflict says that somebody else changed a record first.
	ErrConflict = errors.New("jobs: somebody else was first")
	// ErrFull says that there is no room. It is no sign of a defect.
	ErrFull = errors.New("jobs: the store is full")
	// ErrUnavailable says that the store cannot be reached, or has no quorum.
	ErrUnavailable = errors.New("jobs: the store is not available")
	// ErrDamaged says that what was read is not what was written. It stays so.
	ErrDamaged = errors.New("jobs: what was stored is damaged")
	// ErrNewer says that what was read is of a newer format.
	ErrNewer = errors.New("jobs: written by a newer version")
)

// A Revision counts the changes of a record.
type Revision uint64

// A Store keeps jobs. It is safe for concurrent use by any number of processes. What a method wrote
// that returned nil survives the end of all of them, except signals and items.
//
// Every method returns when ctx ends. Methods may be called again after any error.
type Store interface {
	// Secret returns 32 bytes that are the same for all who use the store.
	Secret(ctx context.Context) ([]byte, error)

	// Create adds a record; ErrExists if there is one.
	Create(ctx context.Context, j *Job) (Revision, error)
	// Job returns a record, ErrNotFound, or ErrNewer.
	Job(ctx context.Context, id ID) (*Job, Revision, error)
	// Update replaces a record that has not changed since revision last; else ErrConflict.
	Update(ctx context.Context, j *Job, last Revision) (Revision, error)
	// Watch calls changed with every record, then with an empty Change, then with every change,
	// until ctx ends. It returns an error when it may miss changes. A process should have few of them.
	Watch(ctx context.Context, changed func(Change)) error
	// Remove deletes everything of a job, its message included.
	Remove(ctx context.Context, id ID) error

	// PutInput stores a chunk. If there is one under the number it stays, and that is no error.
	PutInput(ctx context.Context, id ID, chunk int, data []byte) error
	// Input returns a chunk, or ErrNotFound.
	Input(ctx context.Context, id ID, chunk int) ([]byte, error)
	// CountInput returns how many chunks there are of a job.
	CountInput(ctx context.Context, id ID) (int, error)
	// DropInput deletes the chunks and the counts of attempts of a job that needs them no more.
	DropInput(ctx context.Context, id ID) error

	// Enqueue accepts a job. It does nothing if the job is in the queue, or over by its record.
	Enqueue(ctx context.Context, id ID, a Accepted) error
	// AcquireJob waits for a job that is not leased, and leases it.
	AcquireJob(ctx context.Context) (*QueuedJob, error)

	// Dispatch puts an item into the queue of the workers.
	Dispatch(ctx context.Context, it *Item) error
	// AcquireItem waits for an item of one of the memory classes that is not leased, and leases it.
	AcquireItem(ctx context.Context, classes []int) (*QueuedItem, error)
	// AddAttempt counts an attempt at a chunk, or at a line of it if that is not 0, and returns how
	// many there have been with this one.
	AddAttempt(ctx context.Context, id ID, chunk, line int) (int, error)
	// UndoAttempt undoes the count of attempt n, unless others were counted since.
	UndoAttempt(ctx context.Context, id ID, chunk, line, n int) error

	// PutPart stores part k of a chunk, from 0, if there is none; first reports whether it did.
	PutPart(ctx context.Context, id ID, chunk, k int, r *Result) (first bool, err error)
	// Part returns it, or ErrNotFound.
	Part(ctx context.Context, id ID, chunk, k int) (*Result, error)
	// PutResult stores the last part of a chunk, if there is none. The chunk is answered then.
	PutResult(ctx context.Context, id ID, chunk int, r *Result) (first bool, err error)
	// Result returns it, or ErrNotFound.
	Result(ctx context.Context, id ID, chunk int) (*Result, error)
	// Results calls found for each chunk of a job that is answered, in any order.
	Results(ctx context.Context, id ID, found func(chunk int, s *Summary)) error
	// WatchResults calls found for each chunk that is answered from now on, or from a little before,
	// until ctx ends. ready, unless nil, is called once nothing more is missed. A process should have
	// few of them.
	WatchResults(ctx context.Context, ready func(), found func(id ID, chunk int, s *Summary)) error

	// Publish sends a signal to all subscribers.
	Publish(ctx context.Context, s *Signal) error
	// Subscribe calls received with every signal until ctx ends. A process should have few of them.
	Subscribe(ctx context.Context, received func(*Signal)) error

	// Status says how the store is.
	Status(ctx context.Context) (Status, error)
	// Close ends everything that runs for the store in this process.
	Close() error
}

// LeaseTime is how long a lease lasts unless it is extended. A store may have another one.
const LeaseTime = 30 * time.Second

// HeartbeatTime is how often a worker publishes a Heartbeat.
const HeartbeatTime = 5 * time.Second

// A Change is a change of a record: it was written, or removed. The empty Change says that all
// records that there were before have been seen.
type Change struct {
	ID       ID
	Job      *Job // nil: removed
	Revision Revision
}

// A Lease is the right to work on a message of a queue. When it runs out the message is redelivered.
type Lease interface {
	// Duration returns how long it lasts without another Extend.
	Duration() time.Duration
	// Extend makes it last for that long from now on.
	Extend(ctx context.Context) error
	// Ack removes the message from the queue. After an error it may be redelivered all the same.
	Ack(ctx context.Context) error
	// Nak ends the lease. The message is redelivered after the delay.
	Nak(ctx context.Context, delay time.Duration) error
}

// A QueuedJob is the message of a job.
type QueuedJob struct {
	ID ID
	Accepted
	Lease
}

// A QueuedItem is an item and its lease.
type QueuedItem struct {
	Item
	Lease
}

// A Status is how a store is.
type Status struct {
	Kind       string // "memory", "embedded" or "cluster"
	Version    string // of the engine
	Bytes      int64  // stored
	Limit      int64  // of them, 0 for none
	Free       int64  // on the disk, -1 if not known
	Full       bool   // not even results are taken; the work goes on once there is room
	SyncAlways bool   // every write is on the disk before it is acknowledged
	Replicas   int
	Findings   int // damages that were found and not acknowledged
	// Warning says what an operator should do though everything works; "" for nothing.
	Warning string
	// Streams are the replicated parts of the store.
	Streams []StreamStatus
}

// A StreamStatus is how a replicated part of a store is.
type StreamStatus struct {
	Name string
	// Led reports whether it has a leader, without which it can neither be read nor be written to.
	// What follows is by the leader.
	Led     bool
	Current int    // replicas that have everything, the leader included
	Lag     uint64 // most operations that a replica is behind
}
