package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/jobs/work"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/cmd/internal/memory"
)

// workerSettings are the settings of worker.
type workerSettings struct {
	store       storeSettings
	adminAddr   string
	level       slog.Level
	memory      int64
	slots       int
	analyses    int
	big         bool
	checkpoints string
	grace       time.Duration
}

func newWorker() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Work on the jobs of a cluster",
		Long: `Worker takes the items of jobs from a NATS JetStream cluster and answers them. Any number of
workers may run, on any number of machines, next to any number of services with the same
--nats, which take the jobs in. A worker may end at any moment: what it held goes to others,
and no answer is lost or given twice.

An item is up to 1,024 lines of a collection, or one problem. --slots is how many a worker
answers at the same time, each with an equal part of --memory. With --big it also takes
problems that want a large table, as far as --memory allows: such a problem has all threads
and all memory of the worker for itself.

A search of a single problem that lasts writes a checkpoint every few minutes to
--checkpoints. Who has the file goes on from there; --checkpoints may be a folder that all
workers share.

On SIGTERM or an interrupt the worker stops what it is at, with a checkpoint where a search
writes one within --grace, stores the answers that it has, and gives the items back. Others,
or the next start, go on from there.

Each setting is a flag or the environment variable named behind it. The log is JSON on
standard error. /metrics, /livez and /readyz are on --admin-addr.`,
		Args: command.Positional(cobra.NoArgs),
	}
	var s workerSettings
	set := cli.NewSettings(cmd.Flags())
	cmd.Flags().SortFlags = false
	set.Subject("The cluster")
	s.store.declareCluster(set)
	set.Subject("Work")
	set.Size(&s.memory, "memory", memory.UsualForTables, memory.LeastForJobs, 1<<44, "memory for the "+
		"tables of all items together; auto: five eighths of what the machine, the container or "+
		"GOMEMLIMIT allows")
	set.Automatic()
	cli.Number(set, &s.slots, "slots", runtime.GOMAXPROCS(0), 1, 4096, "items at the same time; auto: "+
		"one for each processor, or as many as fit into --memory")
	set.Automatic()
	cli.Number(set, &s.analyses, "analyses", 1, 0, 1024, "analyses of problems at the same time, which take "+
		"54MiB each besides --memory; auto: as many as --slots, as far as there is room for them")
	set.Automatic()
	set.Switch(&s.big, "big", "take problems that want a large table, too")
	set.Text(&s.checkpoints, "checkpoints", "DIR", "write checkpoints of long searches here; none without it", nil)
	set.Duration(&s.grace, "grace", 20*time.Second, 0, time.Hour, "at the end, the longest wait for "+
		"the checkpoints of searches")
	set.Subject("Address and log")
	set.Address(&s.adminAddr, "admin-addr", defaultAdminAddr, `listen here for those who run it; "off" for nowhere`, true)
	set.Level(&s.level, "log-level", slog.LevelInfo, "log nothing below debug, info, warn or error")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := s.resolve(set); err != nil {
			return command.UsageError(cmd, "%w", err)
		}
		return s.work(cmd.Context(), cmd.ErrOrStderr(), cli.OldNames(cmd.Flags()))
	}
	describe(cmd, set)
	return cmd
}

func (s *workerSettings) resolve(set *cli.Settings) error {
	if err := set.Resolve(); err != nil {
		return err
	}
	if s.store.url == "" {
		return errors.New("--nats is missing: the servers of the cluster whose jobs are to be worked on")
	}
	available := memory.Available()
	if !set.IsGiven("memory") {
		s.memory = memory.ForWorker(available)
	}
	if !set.IsGiven("slots") {
		s.slots = 0
	}
	share := memory.DivideWorker(s.memory, s.slots, runtime.GOMAXPROCS(0))
	if !set.IsGiven("analyses") {
		s.analyses = memory.WorkerAnalyses(available, share.Total, share.Slots)
	}
	return nil
}

func (s *workerSettings) work(ctx context.Context, stderr io.Writer, old []string) error {
	signal.Ignore(syscall.SIGPIPE)
	log := cli.NewLogWriter(stderr, maxQueuedLog)
	defer log.Close(lastLogLines)
	logger := slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: s.level}))
	warnOldNames(logger, old)
	memory.LimitGo()
	memory.LimitGarbage(ctx)
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	storing, err := work.NewStoreMetrics(registry)
	if err != nil {
		return err
	}
	working, err := work.NewWorkerMetrics(registry)
	if err != nil {
		return err
	}
	store, err := s.store.open(ctx, logger, storing.Wrote)
	if err != nil {
		return explainStore(err)
	}
	defer store.Close()
	storing.Watch(store.Status)
	share := memory.DivideWorker(s.memory, s.slots, runtime.GOMAXPROCS(0))
	w := &jobWork{store: store, share: share, analyses: min(s.analyses, share.Slots), big: s.big,
		threads: runtime.GOMAXPROCS(0), checkpoints: s.checkpoints, grace: s.grace, background: func(f func()) { f() }, metrics: working,
		logger: logger}
	if s.adminAddr != "" {
		admin, err := net.Listen("tcp", s.adminAddr)
		if err != nil {
			return err
		}
		server := &http.Server{Handler: workerAdmin(ctx, registry), ReadHeaderTimeout: 10 * time.Second}
		go func() { _ = server.Serve(admin) }() // until Close
		defer server.Close()
		logger.Info("listening", "admin_addr", admin.Addr().String())
	}
	if w.analyses == 0 {
		logger.Warn("there is no memory for analyses: lines that ask for them are answered not_offered")
	}
	logger.Info("working", "slots", share.Slots, "table_bytes", share.Table, "memory", share.Total,
		"classes", w.classes(), "analyses", w.analyses)
	return w.run(ctx)
}

// workerAdmin answers those who run a worker, until ctx ends as ready.
func workerAdmin(ctx context.Context, registry *prometheus.Registry) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if ctx.Err() != nil {
			http.Error(w, "draining", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	return mux
}
