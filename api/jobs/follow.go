package jobs

import (
	"context"
	"log/slog"
	"time"
)

// The pauses before what cannot be followed is followed again.
const (
	leastPause = 100 * time.Millisecond
	mostPause  = 10 * time.Second
)

// Follow calls watch, such as Store.Watch, until ctx ends. watch returns when it may have missed
// something. If it returns soon the pauses between the calls grow.
func Follow(ctx context.Context, log *slog.Logger, what string, watch func(context.Context) error) {
	for pause := leastPause; ; pause = min(2*pause, mostPause) {
		began := time.Now()
		err := watch(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > mostPause {
			pause = leastPause
		}
		log.Warn("the job store cannot be followed", "what", what, "error", err,
			"again_in", pause.String())
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}
