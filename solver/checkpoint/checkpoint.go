// Package checkpoint is what a long search has to do with its checkpoints: it asks whether one is due,
// hands out what is to be kept, and takes it in again. What is in them, and whether it may be believed, is
// the solver's business (package dfpn); where they are kept is that of the Keeper in the context of the
// search. Package disk keeps them in files.
package checkpoint

import (
	"context"
	"errors"
	"time"

	"github.com/tsumero/tsumero/shogi"
)

// A Keeper keeps checkpoints of one search. A search that finds it in its context (With) loads the
// newest checkpoint there is, and goes on from there.
type Keeper interface {
	// Start begins the search id. It returns nil if there are to be no checkpoints, such as when another
	// search has the Keeper.
	Start(id Identity) Run
	// Requested reports whether a checkpoint was requested and is not made yet.
	Requested() bool
}

// A Run is what one search does with its Keeper. It belongs to the goroutine that searches.
type Run interface {
	// Load has read take in the newest checkpoint that it does not refuse, and reports whether there
	// was one. An error of read, which may be one of Reader.Next, refuses the checkpoint; what has been
	// read of it counts for nothing. ErrStopped ends the search for one.
	Load(read func(Reader) error) bool
	// Requested reports whether a checkpoint was requested: it is due, and time does not matter.
	Requested() bool
	// Due reports whether to begin a checkpoint, after so many nodes.
	Due(now time.Time, nodes uint64) bool
	// Hurry has the next checkpoint be due now, unless it is too early for any.
	Hurry()
	// Begin begins a checkpoint. It waits for the one before.
	Begin() Writer
	// Report tells whoever is told of errors.
	Report(err error)
	// Distrust removes all checkpoints: what was loaded from them turned out to be wrong.
	Distrust(err error)
	// End ends the search. A checkpoint that was committed is kept then, or its error reported, and
	// any other is given up.
	End()
}

// A Writer takes a checkpoint.
type Writer interface {
	// Ready reports whether Write does not have to wait.
	Ready() bool
	// Write takes a block of at most BlockBytes, of which it keeps a copy. What goes wrong is reported
	// at the end.
	Write(block []byte)
	// Commit ends the checkpoint. line is the shortest mate found so far, of the position as it was
	// asked about.
	Commit(s State, line []shogi.Move)
}

// BlockBytes is the greatest length of a block.
const BlockBytes = 1 << 20

// A Reader reads a checkpoint that is what was written.
type Reader interface {
	State() State
	// Next returns the next block, io.EOF after the last. It is good until the next call.
	Next() ([]byte, error)
}

// ErrStopped is what the function returns that Run.Load calls if the search has to stop.
var ErrStopped = errors.New("checkpoint: the search has to stop")

// An Identity says what must be the same for a checkpoint to be of use, by name. Search and checkpoint
// are compared in all of it.
type Identity map[string]string

// A State is what the search says about itself besides the blocks.
type State struct {
	Nodes   uint64 `json:"nodes"`   // positions looked at so far, in all runs together
	Entries uint64 `json:"entries"` // in the blocks
	Homes   uint64 `json:"homes"`   // the size of the table
	// Line is the shortest mate found so far, in USI, as searched: the attacker is Black.
	Line []string `json:"line,omitempty"`
}

type keeperKey struct{}

// With returns a context under which a long search keeps checkpoints with k. nil: none.
func With(ctx context.Context, k Keeper) context.Context {
	return context.WithValue(ctx, keeperKey{}, k)
}

// Of returns the Keeper that With put into ctx, nil if there is none.
func Of(ctx context.Context) Keeper {
	k, _ := ctx.Value(keeperKey{}).(Keeper)
	return k
}
