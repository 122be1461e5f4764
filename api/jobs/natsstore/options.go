package natsstore

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// Options are how a store is opened, embedded or in a cluster.
type Options struct {
	// Prefix begins all names, so that a cluster may serve others as well; "" for "tsumero".
	Prefix string
	// LeaseTime is how long something taken is held, 0 for jobs.LeaseTime.
	LeaseTime time.Duration
	// Log gets what an operator should know; nil for none.
	Log *slog.Logger
	// Wrote, unless nil, is called with the time that each durable write took.
	Wrote func(time.Duration)
}

// engineSays begins what the engine logs.
const engineSays = "nats: "

// EmbeddedOptions are those of a store in a directory.
type EmbeddedOptions struct {
	Options
	Dir string // made if it is not there
	// MaxBytes is the most that is stored when new jobs are taken in, 0 for what the disk allows. In
	// any case they leave a fifth of the disk free. A quarter more is for results of accepted jobs.
	MaxBytes int64
}

// ClusterOptions are those of a store in a cluster.
type ClusterOptions struct {
	Options
	URL string // of the servers, with commas between them
	// Creds is the file of a user's credentials, or of the seed of its nkey.
	Creds string
	// CA is a file with the certificates that servers are checked by, "" for those of the system.
	CA string
	// SystemCreds is as Creds, of a user of the system account, by whom the settings of the servers
	// are seen.
	SystemCreds string
	// Replicas is how many servers have each message, 0 for 3.
	Replicas int
	// Dir, unless "", is a directory of this process, which must not be one of an embedded store.
	Dir string
	// Unsafe takes servers whose acknowledged writes a power cut may undo.
	Unsafe bool
	// SetUpTime is how long the servers may take to be ready, 0 for a minute.
	SetUpTime time.Duration
}

// Errors of the package.
var (
	// ErrUnsafe says that a server does not write to its disk before it acknowledges.
	ErrUnsafe = errors.New("natsstore: a power cut can undo acknowledged writes")
	// ErrLocked says that another process has the directory.
	ErrLocked = errors.New("natsstore: the directory is in use")
	// ErrWrongKind says that a directory is of another kind of store, or of another prefix.
	ErrWrongKind = errors.New("natsstore: the directory is another's")
	// ErrNotEmpty says that something cannot be restored over what is there.
	ErrNotEmpty = errors.New("natsstore: not empty")
	// ErrLeftOut says that the program was built with the tag nonats.
	ErrLeftOut = errors.New("natsstore: this program was built without NATS (tag nonats)")
)

// A Missing says what of a job is not in the store, though it should be.
type Missing struct {
	ID    jobs.ID    // "" if it is the secret
	State jobs.State // "" if the record itself is missing
	// Record says that the record is missing, cannot be read, or is older than one that was stored.
	Record bool
	// Message says that the job waits or runs, and is not in the queue.
	Message bool
	Input   int // chunks of the input that are missing
	Results int // results
	// Unreadable is how many messages of it are there and cannot be read.
	Unreadable int
}

// String returns a sentence for an operator. It has the whole ID.
func (m Missing) String() string {
	s := fmt.Sprintf("job %s", m.ID)
	if m.ID == "" {
		s = "the secret of idempotency keys"
	}
	if m.State != "" {
		s += " (" + string(m.State) + ")"
	}
	s += ":"
	if m.Record {
		s += " the record is lost;"
	}
	if m.Message {
		s += " not in the queue;"
	}
	if m.Input > 0 {
		s += fmt.Sprintf(" %d chunks of input missing;", m.Input)
	}
	if m.Results > 0 {
		s += fmt.Sprintf(" %d results missing;", m.Results)
	}
	if m.Unreadable > 0 {
		s += fmt.Sprintf(" %d messages cannot be read;", m.Unreadable)
	}
	return s[:len(s)-1]
}

// Fatal reports whether the job can no longer end well by what is left in the engine. One that is
// not in the queue can be enqueued again, and lost results of one that has not ended are worked out
// again.
func (m Missing) Fatal() bool {
	return m.Record || m.Input > 0 || m.Unreadable > 0 || m.Results > 0 && m.State.Ended()
}

// A Finding is a damage that was found in a store.
type Finding struct {
	Time time.Time `json:"time"`          // when it was found first
	ID   jobs.ID   `json:"job,omitempty"` // "" for what is of no job
	Text string    `json:"text"`
	Done string    `json:"done,omitempty"` // about it; "" if it stays
	// Acknowledged says that it is kept only so that it is not reported again.
	Acknowledged bool `json:"acknowledged,omitempty"`
}

// String returns a line for an operator.
func (f Finding) String() string {
	s := fmt.Sprintf("found at %s: %s", f.Time.Format(time.RFC3339), f.Text)
	if f.Done != "" {
		s += "; " + f.Done
	}
	return s
}

func (o *Options) fill() error {
	if o.Prefix == "" {
		o.Prefix = "tsumero"
	}
	for _, c := range o.Prefix {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return fmt.Errorf("natsstore: %q in the prefix %q: letters, digits, - and _ only", c, o.Prefix)
		}
	}
	if o.LeaseTime == 0 {
		o.LeaseTime = jobs.LeaseTime
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	// What the engine reports, it reports of every write.
	o.Log = jobs.LimitLog(o.Log, func(r slog.Record) bool {
		return strings.HasPrefix(r.Message, engineSays)
	})
	if o.Wrote == nil {
		o.Wrote = func(time.Duration) {}
	}
	return nil
}
