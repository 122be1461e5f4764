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
	"github.com/spf13/pflag"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/jobs"
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
	trustsMachine bool            // clients on it need no key
}

func (s *jobSettings) declare(set *cli.Settings, flags *pflag.FlagSet) {
	l := set.Language
	s.store.declare(set, flags, l.Text("keep jobs here: in a directory, which no other process uses, or in PostgreSQL, "+
		"postgres://user@host/database, which services and workers share; without it there are no jobs",
		"ジョブの保存場所。ほかのプロセスが使わないディレクトリか、サービスとワーカーで共有する PostgreSQL"+
			"（postgres://user@host/database）。なければジョブは受け付けない"))
	s.store.declareSize(set)
	cli.Number(set, &s.slots, "jobs-slots", 1, 0, 4096, l.Text("lines of jobs that are answered here at the "+
		"same time, with half of what their store leaves of --memory; 0: none, workers do that; auto: "+
		"the processors less one, at least 1",
		"ここで同時に答えるジョブの行数（--memory の残りの半分を使用）。0：ワーカーに任せる。auto：プロセッサの数より一つ少ない数（1以上）"))
	set.Automatic()
	set.Text(&s.checkpoints, "checkpoints", "DIR", l.Text("write checkpoints of long searches here, so that "+
		"they go on after a restart; without it in --jobs, if that is a directory",
		"再起動後に続けるための、長い探索の途中経過の保存先。なければ --jobs のディレクトリの中"), nil)
	set.Text(&s.keys, "api-keys", "FILE", l.Text("keys of clients that may have larger jobs: on each line a "+
		"name, the SHA-256 of the key in hex, and a class, which is anonymous or key; read again on "+
		"SIGHUP",
		"大きなジョブを許す API キーのファイル。一行に、名前、キーの SHA-256（16進）、クラス（anonymous か key）。SIGHUP で読み直す"), nil)
	classes := queue.DefaultClasses()
	s.anonymous, s.keyed = classes[queue.Anonymous], classes[queue.Keyed]
	declareQuota(set, &s.anonymous, "quota-anonymous", l.Text("what jobs a client without a key may have; "+
		"unless this is set or there are --trusted-proxies, one on this machine has --quota-key",
		"キーのないクライアントのジョブの上限。これも --trusted-proxies もなければ、同じマシンからは --quota-key と同じ"))
	declareQuota(set, &s.keyed, "quota-key", l.Text("what jobs a client with a key may have",
		"キーのあるクライアントのジョブの上限"))
}

// declareQuota declares what clients of a class may have, whose defaults are in c.
func declareQuota(set *cli.Settings, c *queue.Class, name, usage string) {
	l := set.Language
	set.List(name, usage, func() {
		number := func(n *int, key, usage string) { cli.Number(set, n, key, *n, 0, math.MaxInt32, usage) }
		number(&c.Active, "active", l.Text("jobs that are worked on at the same time", "同時に処理するジョブ"))
		number(&c.Waiting, "waiting", l.Text("jobs that wait", "待っているジョブ"))
		number(&c.Lines, "lines", l.Text("lines of all its jobs that have not ended",
			"終わっていない全部のジョブの行数"))
		const day = 24 * time.Hour
		set.Duration(&c.Time, "time", c.Time, time.Second, 30*day, l.Text("the longest search for a line",
			"一行の探索の最長時間"))
		set.Size(&c.Bytes, "bytes", c.Bytes, 0, mostStore, l.Text("what is stored, questions and answers",
			"保存する質問と答えの量"))
		set.Duration(&c.Keep, "keep", c.Keep, time.Second, 3650*day, l.Text("how long a job is kept after its end",
			"終わったジョブを残す期間"))
	})
}

// resolve checks what fits together. total is the memory for tables, of which jobs and their store
// take a part; what they leave is returned.
func (s *jobSettings) resolve(given func(name string) bool, total int64) (int64, error) {
	if err := s.store.resolve(); err != nil {
		return 0, err
	}
	if !s.store.given() {
		for _, name := range []string{"jobs-slots", "checkpoints", "api-keys", "jobs-max-bytes", "quota-anonymous",
			"quota-key"} {
			if given(name) {
				return 0, cli.Errorf("--%s is for jobs, for which --jobs is missing",
					"--%s には --jobs が必要です。", name)
			}
		}
		return total, nil
	}
	if given("jobs-max-bytes") && !s.store.isDirectory() {
		return 0, cli.Errorf("--jobs-max-bytes is for a directory: PostgreSQL has its own disk",
			"--jobs-max-bytes はディレクトリ用です。")
	}
	s.trustsMachine = !given("quota-anonymous")
	slots, least := s.slots, s.slots
	switch {
	case !given("jobs-slots"):
		slots, least = 0, 1 // as fits
	case slots == 0 && s.store.isDirectory():
		return 0, cli.Errorf("--jobs-slots is 0, but nobody else can work on the jobs in the directory --jobs; "+
			"workers share those in PostgreSQL",
			"--jobs-slots が 0 ですが、ディレクトリのジョブはこのサービスしか処理できません。")
	}
	s.storeBytes = memory.ForStore(total, least)
	left := total - s.storeBytes
	if least == 0 {
		return left, nil
	}
	s.share = memory.DivideJobs(left, slots, background.Processors())
	if left -= s.share.Total; left < memory.LeastForTables {
		return 0, cli.Errorf("--memory is %s, of which jobs need %s and questions %s",
			"--memory は%sですが、ジョブに%s、質問に%s必要です。", cli.SizeText(total),
			cli.SizeText(s.share.Total), cli.SizeText(memory.LeastForTables))
	}
	return left, nil
}

// serviceJobs are what a service runs for its jobs.
type serviceJobs struct {
	settings *jobSettings
	logger   *slog.Logger
	queue    *queue.Queue
	keys     *queue.Keys
	work     *jobWork // nil: others work
}

// newServiceJobs makes all that runs for jobs. A directory that cannot be opened is an error; a
// database that is away is not, as questions are answered all the same.
func newServiceJobs(ctx context.Context, s *jobSettings, analyses int, grace time.Duration,
	registry prometheus.Registerer, logger *slog.Logger) (*serviceJobs, error) {
	j := &serviceJobs{settings: s, logger: logger}
	o := queue.Options{Address: s.store.address, MaxBytes: s.store.maxBytes, Logger: logger,
		Classes: map[string]queue.Class{queue.Anonymous: s.anonymous, queue.Keyed: s.keyed}}
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
		worker, err := j.work.worker(workerName())
		if err != nil {
			return nil, err
		}
		o.Work = worker.Work()
	}
	var err error
	if j.queue, err = queue.New(o); err != nil {
		return nil, err
	}
	if s.store.isDirectory() {
		if err := j.queue.Open(ctx); err != nil {
			return nil, err
		}
	}
	if s.keys != "" {
		if j.keys, err = queue.LoadKeys(s.keys, []string{queue.Anonymous, queue.Keyed}); err != nil {
			return nil, errors.Join(err, j.queue.Close())
		}
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

// run runs everything until ctx ends, and closes the store then. The worker stops already when
// working ends, and pauses while questions wait.
func (j *serviceJobs) run(ctx, working context.Context, questionsWait func() bool) {
	var all sync.WaitGroup
	all.Go(func() { j.reloadKeys(ctx) })
	all.Go(func() {
		if j.work != nil {
			j.work.yield = func(ctx context.Context) {
				for waited := time.Duration(0); questionsWait() && waited < yieldMost && ctx.Err() == nil; waited += yieldStep {
					pause(ctx, yieldStep)
				}
			}
		}
		runQueue(working, j.queue, j.work, j.logger)
	})
	<-ctx.Done()
	all.Wait()
	if err := j.queue.Close(); err != nil {
		j.logger.Error("the job store was not closed", "error", err.Error())
	}
}

// lastStores is how long the store of jobs may take at the end for what is under way.
const lastStores = 2 * time.Second

// untilLate begins f, and returns what waits until f has ended, or so long after the end of ctx: a database that
// is silent is no reason to stay. What it could not be told is found again, as after a kill.
func untilLate(ctx context.Context, most time.Duration, logger *slog.Logger, f func()) (wait func()) {
	ended, late := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		f()
	}()
	context.AfterFunc(ctx, func() { time.AfterFunc(most, func() { close(late) }) })
	return func() {
		select {
		case <-ended:
		case <-late:
			logger.Warn("the job database is too slow for an end in order: what it was not told is found again")
		}
	}
}

// openRetry is after how long a database is tried again that is away.
const openRetry = 3 * time.Second

// runQueue opens the database of a queue, however long that takes, and works until ctx ends, with the
// worker unless that is nil. It returns when nothing is under way any more.
func runQueue(ctx context.Context, q *queue.Queue, w *jobWork, logger *slog.Logger) {
	log := jobs.LimitLog(logger, nil)
	for ctx.Err() == nil {
		err := q.Open(ctx)
		if err == nil {
			break
		}
		log.Warn("the job database cannot be opened", "error", fmt.Errorf("%w: %w", jobs.ErrUnavailable, err),
			"again_in", openRetry.String())
		pause(ctx, openRetry)
	}
	if ctx.Err() != nil {
		return
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(ctx, func() {
		if w != nil {
			w.saveAll()
		}
		stop()
	})()
	if w != nil {
		w.begin(ctx, q)
	}
	_ = q.Run(running) // says that running has ended
}

// The worker waits before a line as long as questions wait, but goes on in the end.
const (
	yieldStep = 50 * time.Millisecond
	yieldMost = 2 * time.Second
)

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
