package jobs

import (
	"context"
	"errors"
	"time"
)

// What a Store says when it cannot do what is asked. Other errors are of the store itself, and the
// same may be asked again.
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

// A Store keeps jobs. It is safe for concurrent use by any number of processes, and what a method
// that writes returned nil for survives the end of all of them, signals and items left out.
//
// Every method ends with ctx. Methods may be called again after any error.
type Store interface {
	// Secret returns 32 bytes that are the same for all who use the store.
	Secret(ctx context.Context) ([]byte, error)

	// Create adds a record; ErrExists if there is one.
	Create(ctx context.Context, j *Job) (Revision, error)
	// Job returns a record, ErrNotFound, or ErrNewer.
	Job(ctx context.Context, id ID) (*Job, Revision, error)
	// Update replaces a record that has not changed since; else ErrConflict.
	Update(ctx context.Context, j *Job, last Revision) (Revision, error)
	// Watch calls changed with every record, then with an empty Change, then with every change,
	// until ctx ends. It comes back with an error when it can no longer tell. A process has few of them.
	Watch(ctx context.Context, changed func(Change)) error
	// Remove forgets all there is of a job. Its message is dropped, too.
	Remove(ctx context.Context, id ID) error

	// PutInput stores a chunk. If there is one under the number it stays, and that is no error.
	PutInput(ctx context.Context, id ID, chunk int, data []byte) error
	// Input returns a chunk, or ErrNotFound.
	Input(ctx context.Context, id ID, chunk int) ([]byte, error)
	// CountInput returns how many chunks there are of a job.
	CountInput(ctx context.Context, id ID) (int, error)
	// DropInput forgets the chunks and attempts of a job that needs them no more.
	DropInput(ctx context.Context, id ID) error

	// Enqueue accepts a job. A second time it does nothing, nor if its record says that it is over.
	Enqueue(ctx context.Context, id ID, a Accepted) error
	// TakeJob waits for a job that nobody holds. It is held for LeaseTime, and again at each Extend.
	TakeJob(ctx context.Context) (*QueuedJob, error)

	// PutItem lets an item out.
	PutItem(ctx context.Context, it *Item) error
	// TakeItem waits for an item of one of the memory classes, which is held as a job is.
	TakeItem(ctx context.Context, classes []int) (*QueuedItem, error)
	// Attempt counts an attempt at a chunk, or at a line of it if that is not 0, and returns how many
	// there have been with this one.
	Attempt(ctx context.Context, id ID, chunk, line int) (int, error)
	// TakeBack takes back the attempt that was counted as number n, unless others were counted since.
	TakeBack(ctx context.Context, id ID, chunk, line, n int) error

	// PutPart stores part k of a chunk, from 0, if nobody has; first reports whether this one is kept.
	PutPart(ctx context.Context, id ID, chunk, k int, p *Piece) (first bool, err error)
	// Part returns it, or ErrNotFound.
	Part(ctx context.Context, id ID, chunk, k int) (*Piece, error)
	// PutResult stores the last piece of a chunk, if nobody has. The chunk is answered then.
	PutResult(ctx context.Context, id ID, chunk int, p *Piece) (first bool, err error)
	// Result returns it, or ErrNotFound.
	Result(ctx context.Context, id ID, chunk int) (*Piece, error)
	// Results calls found for each chunk of a job that is answered, in any order.
	Results(ctx context.Context, id ID, found func(chunk int, s *Summary)) error
	// WatchResults calls found with each result that is stored from now on, or from a little before,
	// until ctx ends. ready, unless nil, is called once nothing more is missed. A process has few.
	WatchResults(ctx context.Context, ready func(), found func(id ID, chunk int, s *Summary)) error

	// Send sends a signal to all who listen.
	Send(ctx context.Context, s *Signal) error
	// Listen calls heard with every signal until ctx ends. A process has few.
	Listen(ctx context.Context, heard func(*Signal)) error

	// Status says how the store is.
	Status(ctx context.Context) (Status, error)
	// Close ends everything that runs for the store in this process.
	Close() error
}

// LeaseTime is how long a job or an item is held without a word from its holder. A store may take
// less, and says how much.
const LeaseTime = 30 * time.Second

// BeatTime is how often a worker sends a Beat.
const BeatTime = 5 * time.Second

// A Change is a change of a record: it was written, or removed. The empty Change says that all there
// were before have been told.
type Change struct {
	ID       ID
	Job      *Job // nil: removed
	Revision Revision
}

// A Lease holds something taken from a queue.
type Lease interface {
	// Time returns how long it is held without another Extend.
	Time() time.Duration
	// Extend holds it for that long from now on.
	Extend(ctx context.Context) error
	// Done takes it from the queue for ever. The error says that this may not have happened.
	Done(ctx context.Context) error
	// Release gives it back, to be taken after a delay.
	Release(ctx context.Context, delay time.Duration) error
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
	SyncAlways bool   // every write is on the disk before it is acknowledged
	Replicas   int
}
