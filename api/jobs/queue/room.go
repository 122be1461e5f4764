package queue

import (
	"context"
	"fmt"

	"github.com/tsumero/tsumero/api/jobs"
)

// A Room is how much is stored, and how much more may be.
type Room struct {
	Bytes int64 // stored
	Limit int64 // of them, for new jobs; 0 for none
	Free  int64 // on the disk, -1 if not known
	Full  bool  // not even answers are taken
}

// The parts of the room that may be taken when a job is accepted, in percent: what is left is for the
// results of those that were.
const (
	collectionPercent = 90
	problemPercent    = 95
)

// checkRoom checks whether there is room for a job of a kind with so many lines besides the answers
// to all lines that have none.
func (q *Queue) checkRoom(ctx context.Context, kind jobs.Kind, lines int) error {
	s, room, err := q.look(ctx)
	if err != nil {
		return err
	}
	percent := int64(problemPercent)
	if kind.HasLines() {
		percent = collectionPercent
	}
	reserved := int64(lines+s.Lines) * ReservedBytes
	if room.Full || room.Limit > 0 && room.Bytes+reserved >= room.Limit/100*percent {
		return fmt.Errorf("%w: %d bytes are stored, %d more are reserved for answers, and %d is the most",
			jobs.ErrFull, room.Bytes, reserved, room.Limit)
	}
	return nil
}
