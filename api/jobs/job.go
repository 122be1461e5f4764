package jobs

import (
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
	"time"
)

// V is the number of the format of what is stored and sent here.
const V = 1

// A Kind is what a job is.
type Kind string

// The kinds.
const (
	Problem    Kind = "problem"    // one position to be solved
	Analysis   Kind = "analysis"   // one problem to be analysed
	Collection Kind = "collection" // lines, each a question of its own
	Compose    Kind = "compose"    // a search for problems, whose parts are its lines
)

// A State is how far a job is. It changes only in the order of the constants, Failed and Cancelled
// being ends like Done.
type State string

// The states.
const (
	Receiving State = "receiving" // the input is not complete
	Queued    State = "queued"
	Running   State = "running"
	Done      State = "done"      // every line has its answer; "unknown" is one
	Failed    State = "failed"    // given up, see Job.Failure
	Cancelled State = "cancelled" // by a client that knows its ID
)

// Ended reports whether nothing more happens to a job in the state.
func (s State) Ended() bool { return s == Done || s == Failed || s == Cancelled }

// HasLines reports whether the answer of such a job is a list of results.
func (k Kind) HasLines() bool { return k == Collection || k == Compose }

// What the lines of a job are asked.
const (
	AskSolve   = "solve"   // as a line of POST /v1/solve/batch
	AskAnalyze = "analyze" // as a line of POST /v1/analyze/batch
	AskCompose = "compose" // a part of a search for problems
)

// A Job is what is known of a job: its record, no more than 4 KiB of JSON.
type Job struct {
	ID    ID     `json:"id"`
	Kind  Kind   `json:"kind"`
	Ask   string `json:"ask"` // AskSolve, AskAnalyze or AskCompose
	State State  `json:"state"`

	Client   string `json:"client"` // a secret
	Class    string `json:"class"`  // of quotas
	Note     string `json:"note,omitempty"`
	Priority int    `json:"priority,omitempty"` // -1: after others
	// Defaults are the limits of lines that name none, as a query has them.
	Defaults string `json:"defaults,omitempty"`
	// MaxTime is the largest limit of time that a line may have: that of its class.
	MaxTime time.Duration `json:"max_time,omitempty"`
	// Memory is the memory class of a problem in GiB, 0 for what every worker has.
	Memory int `json:"memory,omitempty"`
	// Active is how many jobs of the client are worked on at once, by its class.
	Active int `json:"active,omitempty"`

	Accepted
	Created  time.Time `json:"created,omitzero"`
	Started  time.Time `json:"started,omitzero"`
	Finished time.Time `json:"finished,omitzero"`
	// Keep is how long the job is kept after its end.
	Keep time.Duration `json:"keep,omitempty"`

	DoneChunks int      `json:"done_chunks,omitempty"`
	Counts     Counts   `json:"counts,omitzero"`
	Nodes      uint64   `json:"nodes,omitempty"`
	Versions   Versions `json:"versions,omitempty"`
	OutBytes   int64    `json:"out_bytes,omitempty"` // of the results
	Failure    *Failure `json:"failure,omitempty"`
}

// Over reports whether nothing more happens to the job: it has ended, and did not fail only because
// its input was late, which may still come.
func (j *Job) Over() bool {
	return j.State.Ended() && (j.Failure == nil || j.Failure.Code != UploadIncomplete)
}

// Expires returns when the job is forgotten, the zero time if it has not ended.
func (j *Job) Expires() time.Time {
	if j.Finished.IsZero() {
		return time.Time{}
	}
	return j.Finished.Add(j.Keep)
}

// Accepted is what is known of the input once all of it is there. The message of the queue carries
// it.
type Accepted struct {
	Lines  int    `json:"lines,omitempty"` // that are not empty
	Chunks int    `json:"chunks,omitempty"`
	Bytes  int64  `json:"bytes,omitempty"`
	Digest string `json:"digest,omitempty"` // SHA-256 of the input and of what is asked, in hex
}

// Versions are those of the programs that found the answers of a job, in the order in which they were
// heard of. There is more than one if the program was replaced meanwhile.
type Versions []string

// Scan reads them as Value writes them.
func (v *Versions) Scan(stored any) error {
	text, ok := stored.(string)
	if !ok {
		return fmt.Errorf("jobs: versions of type %T", stored)
	}
	*v = slices.Collect(strings.SplitSeq(text, "\n"))
	if text == "" {
		*v = nil
	}
	return nil
}

// Value returns a line for each.
func (v Versions) Value() (driver.Value, error) { return strings.Join(v, "\n"), nil }

// With returns v with others that it lacks.
func (v Versions) With(others ...string) Versions {
	for _, other := range others {
		if !slices.Contains(v, other) {
			v = append(slices.Clip(v), other)
		}
	}
	return v
}

// Counts are how many lines were answered, by what was answered.
type Counts struct {
	Mate    int `json:"mate,omitempty"`
	NoMate  int `json:"nomate,omitempty"`
	Unknown int `json:"unknown,omitempty"`
	Faulty  int `json:"faulty,omitempty"` // a problem in place of an answer
}

// Lines returns how many lines are counted.
func (c *Counts) Lines() int { return c.Mate + c.NoMate + c.Unknown + c.Faulty }

// Add adds other to c.
func (c *Counts) Add(other Counts) {
	c.Mate += other.Mate
	c.NoMate += other.NoMate
	c.Unknown += other.Unknown
	c.Faulty += other.Faulty
}

// Count counts a line by its verdict: "mate", "nomate", "unknown", and anything else as faulty.
func (c *Counts) Count(verdict string) {
	switch verdict {
	case "mate":
		c.Mate++
	case "nomate":
		c.NoMate++
	case "unknown":
		c.Unknown++
	default:
		c.Faulty++
	}
}

// UploadIncomplete is the code of the failure of a job whose input did not come in time. If the input
// comes later the job goes on all the same.
const UploadIncomplete = "upload_incomplete"

// A Failure is why a job was given up.
type Failure struct {
	Code   string `json:"code"` // of a kind of problem of package wire
	Detail string `json:"detail"`
}

// MemoryClasses are the memory classes of big items, in GiB.
var MemoryClasses = []int{4, 16, 64, 256}

// MemoryClass returns the class of an item that wants a number of bytes: 0 for the 256 MiB that every
// worker has, and -1 for more than the largest class.
func MemoryClass(bytes int64) int {
	if bytes <= 256<<20 {
		return 0
	}
	for _, c := range MemoryClasses {
		if bytes <= int64(c)<<30 {
			return c
		}
	}
	return -1
}
