package solver

import (
	"context"
	"time"

	"github.com/tsumero/tsumero/shogi"
)

// A Phase is what a search is busy with.
type Phase uint8

// The phases, in the order in which a search goes through them.
const (
	Searching  Phase = iota // for any mate, or the proof that there is none
	Verifying               // making and checking the proof of a mate
	Shortening              // for a shorter mate, or the proof that there is none
	Choosing                // the line of the shortest mate that is the same at every run
	NumPhases
)

// String returns "searching", "verifying", "shortening" or "choosing".
func (p Phase) String() string {
	switch p {
	case Verifying:
		return "verifying"
	case Shortening:
		return "shortening"
	case Choosing:
		return "choosing"
	}
	return "searching"
}

// A Progress is what a search says about itself while it runs. It says nothing that is proven; that
// is in the Result.
type Progress struct {
	Phase Phase
	Nodes uint64 // positions looked at so far
	// PN and DN are the proof number and the disproof number of the position: about how many
	// positions must at least be decided to prove a mate, and to prove that there is none. 0 if the
	// search does not count them.
	PN, DN uint64
	// Line is the line that the search looks at, or in later phases the best mate so far. The
	// receiver may keep it.
	Line []shogi.Move
	// Mate is the length of the shortest mate found so far, in plies, and NoMateWithin the lower
	// bound; 0 for none.
	Mate, NoMateWithin int
	TableFill          float64 // of the table, 0 to 1
	Collections        int     // how often the table was full and was cleared out
	Spent              [NumPhases]time.Duration
	Done               bool // the last report of the search
}

// A Reporter hands the progress of searches to somebody.
type Reporter struct {
	every  time.Duration
	report func(Progress)
}

type reporterKey struct{}

// WithProgress returns a context under which long searches call report about every so often, and
// once more at their end. It is called from the goroutine that searches, which waits for it.
// Several searches, one after the other or at the same time, may report under one context.
func WithProgress(ctx context.Context, every time.Duration, report func(Progress)) context.Context {
	return context.WithValue(ctx, reporterKey{}, &Reporter{every, report})
}

// ReporterOf returns what WithProgress put into ctx, nil if nobody wants to know.
func ReporterOf(ctx context.Context) *Reporter {
	r, _ := ctx.Value(reporterKey{}).(*Reporter)
	return r
}

// Every returns the time that should lie between two reports.
func (r *Reporter) Every() time.Duration { return r.every }

// Report hands p over.
func (r *Reporter) Report(p Progress) { r.report(p) }
