package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/api/jobs/work"
	"github.com/tsumero/tsumero/solver/checkpoint"
	"github.com/tsumero/tsumero/solver/checkpoint/disk"
)

// beginTurn gives the search of a single problem its checkpoints.
func (w *jobWork) beginTurn(ctx context.Context, j *jobs.Job) (context.Context, func(answered bool)) {
	if w.checkpoints == "" || j.Kind != jobs.Problem {
		return ctx, nil
	}
	log := w.logger.With("job", j.ID.Short())
	text := func(err error) string { // without the ID, which is a secret and in the names of files
		return strings.ReplaceAll(err.Error(), string(j.ID), j.ID.Short())
	}
	k := disk.New(disk.Options{Dir: w.checkpoints, Name: string(j.ID), Secret: w.secret,
		Saved: func(i disk.Info) {
			w.metrics.CheckpointSaved(i.Bytes)
			work.Checkpointed(ctx)
			log.Info("checkpoint", "bytes", i.Bytes, "nodes", i.Nodes, "took", i.Took.String())
		},
		Loaded: func(nodes uint64) {
			w.metrics.CheckpointLoaded()
			log.Info("goes on from a checkpoint", "nodes", nodes)
		},
		OnError: func(err error) {
			w.metrics.CheckpointFailed()
			log.Warn("no checkpoint", "error", text(err))
		}})
	w.mu.Lock()
	w.keepers[k] = true
	w.mu.Unlock()
	return checkpoint.With(ctx, k), func(answered bool) {
		w.mu.Lock()
		delete(w.keepers, k)
		w.mu.Unlock()
		if !answered {
			return
		}
		if err := k.Remove(); err != nil {
			log.Warn("a checkpoint is left", "error", text(err))
		}
	}
}

// saveAll has the searches save their checkpoints before they are stopped, so that others continue
// from there.
func (w *jobWork) saveAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for k := range w.keepers {
		k.Request()
	}
}

// sweepCheckpoints removes the checkpoints of jobs that have ended or are removed.
func (w *jobWork) sweepCheckpoints(ctx context.Context, q *queue.Queue) {
	if w.checkpoints == "" {
		return
	}
	files, err := os.ReadDir(w.checkpoints)
	if err != nil {
		return // there are none yet
	}
	var kept []jobs.ID
	for _, f := range files {
		id, err := jobs.ParseID(f.Name()[:min(len(f.Name()), len(jobs.NewID()))])
		if err != nil || slices.Contains(kept, id) {
			continue // of no job, or seen before
		}
		v, err := q.Job(ctx, id)
		removed := errors.Is(err, jobs.ErrNotFound) || errors.Is(err, queue.ErrGone)
		if err != nil && !removed || err == nil && !v.State.Ended() {
			kept = append(kept, id)
			continue
		}
		_ = os.Remove(filepath.Join(w.checkpoints, f.Name()))
	}
}
