package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/jobs/natsstore"
	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/api/jobs/work"
	"github.com/tsumero/tsumero/cmd/internal/background"
	"github.com/tsumero/tsumero/cmd/internal/memory"
)

// jobSettings are the settings of the jobs of serve.
type jobSettings struct {
	store       storeSettings
	slots       int
	checkpoints string
	keys        string
	anonymous   queue.Class
	keyed       queue.Class

	share         memory.JobShare // as they come out
	storeBytes    int64           // of the memory for tables
	index         int64           // bytes of memory for what is known of each job
	trustsMachine bool            // clients on it need no key
}

func (s *jobSettings) declare(set *cli.Settings) {
	s.store.declareDir(set)
	cli.Number(set, &s.slots, "jobs-slots", 1, 0, 4096, "lines of jobs that are answered here at the "+
		"same time, with half of what their store leaves of --memory; 0: none, workers do that; auto: "+
		"the processors less one, at least 1")
	set.Automatic()
	set.Text(&s.checkpoints, "checkpoints", "DIR", "write checkpoints of long searches here, so that "+
		"they go on after a restart; without it in --jobs, if there is one", nil)
	set.Text(&s.keys, "api-keys", "FILE", "keys of clients that may have larger jobs: on each line a "+
		"name, the SHA-256 of the key in hex, and a class, which is anonymous or key; read again on "+
		"SIGHUP", nil)
	classes := queue.DefaultClasses()
	s.anonymous, s.keyed = classes[queue.Anonymous], classes[queue.Keyed]
	declareQuota(set, &s.anonymous, "quota-anonymous", "what jobs a client without a key may have; "+
		"unless this is set or there are --trusted-proxies, one on this machine has --quota-key")
	declareQuota(set, &s.keyed, "quota-key", "what jobs a client with a key may have")
	set.Subject("Jobs in a cluster")
	s.store.declareCluster(set)
}

// declareQuota declares what clients of a class may have, whose defaults are in c.
func declareQuota(set *cli.Settings, c *queue.Class, name, usage string) {
	set.List(name, usage, func() {
		number := func(n *int, key, usage string) { cli.Number(set, n, key, *n, 0, math.MaxInt32, usage) }
		number(&c.Active, "active", "jobs that are worked on at the same time")
		number(&c.Waiting, "waiting", "jobs that wait")
		number(&c.Lines, "lines", "lines of all its jobs that have not ended")
		const day = 24 * time.Hour
		set.Duration(&c.Time, "time", c.Time, time.Second, 30*day, "the longest search for a line")
		set.Size(&c.Bytes, "bytes", c.Bytes, 0, mostStore, "what is stored, questions and answers")
		set.Duration(&c.Keep, "keep", c.Keep, time.Second, 3650*day, "how long a job is kept after its end")
	})
}

// resolve checks what fits together. total is the memory for tables, of which jobs and their store
// take a part; what they leave is returned.
func (s *jobSettings) resolve(given func(name string) bool, total int64) (int64, error) {
	if !s.store.given() {
		for _, name := range []string{"jobs-slots", "checkpoints", "api-keys", "jobs-max-bytes",
			"nats-creds", "nats-system-creds", "nats-ca", "nats-storage", "quota-anonymous", "quota-key"} {
			if given(name) {
				return 0, fmt.Errorf("--%s is for jobs, for which --jobs or --nats is missing", name)
			}
		}
		return total, nil
	}
	if err := s.store.check(); err != nil {
		return 0, err
	}
	s.trustsMachine = !given("quota-anonymous")
	slots, least := s.slots, s.slots
	switch {
	case !given("jobs-slots"):
		slots, least = 0, 1 // as fits
	case slots == 0 && s.store.dir != "":
		return 0, errors.New("--jobs-slots is 0, but nobody else can work on the jobs in the directory --jobs; " +
			"workers share those of --nats")
	}
	s.storeBytes, s.index = memory.ForStore(total, least)
	left := total - s.storeBytes
	if least == 0 {
		return left, nil
	}
	s.share = memory.DivideJobs(left, slots, background.Processors())
	if left -= s.share.Total; left < memory.LeastForTables {
		return 0, fmt.Errorf("--memory is %s, of which jobs need %s and questions %s", cli.SizeText(total),
			cli.SizeText(s.share.Total), cli.SizeText(memory.LeastForTables))
	}
	return left, nil
}

// serviceJobs are what a service runs for its jobs.
type serviceJobs struct {
	settings     *jobSettings
	logger       *slog.Logger
	opening      chan opened // has an element when the store is open, or cannot be opened
	queue        *queue.Queue
	coordination work.CoordinatorOptions // but for the store
	coordinating *work.CoordinatorMetrics
	keys         *queue.Keys
	work         *jobWork // nil: others work
	storing      *work.StoreMetrics
}

// An opened is what opening a store has come to.
type opened struct {
	store *natsstore.Store
	err   error
}

// openPatience is how long the service waits at its start for its own directory. A large store takes
// longer, since all of it is read: then questions are answered meanwhile.
const openPatience = lockTime + 5*time.Second

// newServiceJobs opens the store, if it is a directory, and makes all that runs over it.
func newServiceJobs(ctx context.Context, s *jobSettings, analyses int, grace time.Duration,
	registry prometheus.Registerer, logger *slog.Logger) (*serviceJobs, error) {
	j := &serviceJobs{settings: s, logger: logger, opening: make(chan opened, 1)}
	var err error
	if j.storing, err = work.NewStoreMetrics(registry); err != nil {
		return nil, err
	}
	if j.coordinating, err = work.NewCoordinatorMetrics(registry); err != nil {
		return nil, err
	}
	classes := map[string]queue.Class{queue.Anonymous: s.anonymous, queue.Keyed: s.keyed}
	if j.queue, err = queue.New(nil, queue.Options{Classes: classes, IndexBytes: s.index, Logger: logger}); err != nil {
		return nil, err
	}
	j.coordination = work.CoordinatorOptions{Logger: logger, Observer: j.coordinating,
		ActiveQuota: func(class string) int { return classes[class].Active }}
	go func() {
		store, err := s.store.open(ctx, logger, j.storing.Wrote)
		j.opening <- opened{store, err}
	}()
	if s.store.dir != "" {
		select {
		case o := <-j.opening:
			if o.err != nil {
				return nil, explainStore(o.err)
			}
			j.queue.Open(o.store)
			j.opening <- o
		case <-time.After(openPatience):
			logger.Warn("the job store is large: it is read while questions are answered")
		}
	}
	if s.keys != "" {
		if j.keys, err = queue.LoadKeys(s.keys, []string{queue.Anonymous, queue.Keyed}); err != nil {
			return nil, err
		}
	}
	if s.share.Slots > 0 {
		working, err := work.NewWorkerMetrics(registry)
		if err != nil {
			return nil, err
		}
		analyses := memory.JobAnalyses(memory.Available(), analyses, s.share.Slots)
		if analyses == 0 {
			logger.Warn("there is no memory for analyses in jobs: their lines are answered not_offered")
		}
		// Questions keep their processor also while a big problem has all the slots.
		j.work = &jobWork{share: s.share, analyses: analyses, big: true,
			threads: min(s.share.Slots, background.Processors()), checkpoints: s.store.checkpoints(s.checkpoints),
			grace: grace, background: background.Run, metrics: working, logger: logger}
	}
	return j, nil
}

// searches returns how many searches for jobs run at the same time: short, long and those of analyses.
func (j *serviceJobs) searches() int {
	if j == nil || j.work == nil {
		return 0
	}
	return 2*j.work.share.Slots + j.work.analyses
}

// connectRetry is after how long a cluster is tried again that could not be used.
const connectRetry = 10 * time.Second

// run runs everything until ctx ends, and closes the store then. The worker stops already when
// working ends, and pauses while questions wait.
func (j *serviceJobs) run(ctx, working context.Context, questionsWait func() bool) {
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() { j.queue.Run(ctx) })
	all.Go(func() { j.reloadKeys(ctx) })
	store := j.opened(ctx)
	if store == nil {
		return
	}
	defer func() {
		all.Wait()
		if err := store.Close(); err != nil {
			j.logger.Error("the job store was not closed", "error", err.Error())
		}
	}()
	j.storing.Watch(store.Status)
	j.queue.Open(store)
	j.coordination.Store = store
	coordinator, err := work.NewCoordinator(j.coordination)
	if err != nil {
		j.logger.Error("no coordinator", "error", err.Error())
		return
	}
	j.coordinating.Watch(coordinator.Stats)
	all.Go(func() {
		for ; ctx.Err() == nil; pause(ctx, verifyEvery) {
			verifyStore(ctx, store, j.storing, j.logger)
		}
	})
	all.Go(func() { recompressStore(ctx, store.Recompress, j.logger) })
	all.Go(func() { _ = coordinator.Run(ctx) })
	if j.work == nil {
		return
	}
	j.work.store = store
	j.work.yield = func(ctx context.Context) {
		for waited := time.Duration(0); questionsWait() && waited < yieldMost && ctx.Err() == nil; waited += yieldStep {
			pause(ctx, yieldStep)
		}
	}
	all.Go(func() {
		for working.Err() == nil {
			if err := j.work.run(working); err != nil {
				j.logger.Warn("no worker", "error", err.Error(), "again_in", workerRetry.String())
				pause(working, workerRetry)
			}
		}
	})
}

// The worker waits before a line as long as questions wait, but goes on in the end.
const (
	yieldStep = 50 * time.Millisecond
	yieldMost = 2 * time.Second
)

// workerRetry is after how long a worker is tried again that could not begin.
const workerRetry = 5 * time.Second

// opened waits for the store, which is tried again if it cannot be used, and returns nil if ctx ends
// before.
func (j *serviceJobs) opened(ctx context.Context) *natsstore.Store {
	for {
		select {
		case o := <-j.opening:
			if o.err == nil {
				return o.store
			}
			if ctx.Err() == nil {
				j.logger.Error("no job store", "error", explainStore(o.err).Error(), "again_in", connectRetry.String())
			}
		case <-ctx.Done():
			select {
			case o := <-j.opening:
				return o.store // is to be closed
			default:
				return nil // the process ends, with whatever it was opening
			}
		}
		pause(ctx, connectRetry)
		go func() {
			store, err := j.settings.store.open(ctx, j.logger, j.storing.Wrote)
			j.opening <- opened{store, err}
		}()
	}
}

// pause waits, at most until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// reloadKeys reads the keys again at each SIGHUP. What cannot be read changes nothing.
func (j *serviceJobs) reloadKeys(ctx context.Context) {
	if j.keys == nil {
		return
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	defer signal.Stop(signals)
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
		}
		if err := j.keys.Reload(); err != nil {
			j.logger.Error("the keys stay as they were", "error", err.Error())
			continue
		}
		j.logger.Info("keys", "file", j.settings.keys, "keys", j.keys.Len())
	}
}

// recompressEvery is how often it is tried to go on with what others must do something for. A serve of
// v0.1.0 that starts later has the servers compress again.
const recompressEvery = time.Minute

// recompressStore takes the compression of streams away from the servers of a cluster, as far as an
// operator lets it: they must start again meanwhile. recompress is that of the store.
func recompressStore(ctx context.Context, recompress func(context.Context) (todo string, err error),
	logger *slog.Logger) {
	for said := ""; ctx.Err() == nil; pause(ctx, recompressEvery) {
		todo, err := recompress(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			logger.Warn("the compression of streams of the job store could not be moved from its servers",
				"error", err.Error())
			continue
		case todo == "" && said != "":
			logger.Info("the streams of the job store are no longer compressed by its servers")
		case todo != said:
			logger.Warn("the streams of the job store are still compressed by its servers", "to_do", todo)
		}
		said = todo
	}
}

// verifyEvery is how often a store is asked whether everything is there.
const verifyEvery = 6 * time.Hour

// verifyStore looks for what is missing in a store, keeps it as findings, and mends what can be.
func verifyStore(ctx context.Context, store *natsstore.Store, storing *work.StoreMetrics, logger *slog.Logger) {
	missing, err := store.Verify(ctx, false)
	if err == nil {
		err = store.Mend(ctx, missing)
	}
	if err != nil {
		if ctx.Err() == nil {
			logger.Error("the job store could not be verified", "error", err.Error())
		}
		return
	}
	chunks := 0
	for _, m := range missing {
		chunks += m.Input + m.Results + m.Unreadable
	}
	storing.Missing(chunks)
}
