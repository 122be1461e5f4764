package main

import (
	"context"
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
	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/api/jobs/work"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/cmd/internal/memory"
)

// lastAnswers is how long the searches and the database may take at the end beyond --grace.
const lastAnswers = 10 * time.Second

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

func newWorker(l cli.Language) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "worker",
		Short: l.Text("Work on the jobs in a database", "データベースのジョブの処理"),
		Long: l.Text(`Worker takes chunks of jobs from a PostgreSQL database and answers them. Any number of
workers may run, on any number of machines, next to any number of services with the same
--jobs, which take the jobs in. A worker may end at any moment: what it had goes to others,
and no answer is lost or given twice.

A chunk is up to 1,024 lines of a collection, or one problem. --slots is how many a worker
answers at the same time, each with an equal part of --memory. With --big it also takes
problems that want a large table, as far as --memory allows: such a problem has all threads
and all memory of the worker for itself.

A search of a single problem that lasts writes a checkpoint every few minutes to
--checkpoints. Who has the file goes on from there; --checkpoints may be a folder that all
workers share.

On SIGTERM or an interrupt the worker stops what it is at, with a checkpoint where a search
writes one within --grace, stores the answers that it has, and gives the rest back. Others,
or the next start, go on from there.

Each setting is a flag or the environment variable named behind it. The log is JSON on
standard error. /metrics, /livez and /readyz are on --admin-addr.`,
			`PostgreSQL のジョブを少しずつ取って答えます。同じ --jobs のサービスとワーカーを、複数のマシンでいく
つ動かしてもかまいません。ワーカーがいつ止まっても、ジョブはほかのワーカーが引き継ぎ、答えが失われた
り重複したりすることはありません。

まとまりは、作品集の1,024行までか、一題です。--slots は同時に答えるまとまりの数で、--memory を等分
します。--big は、大きな表の必要な作品も処理し、そのときはワーカーの全スレッドと全メモリを使いま
す。

一題の長い探索は、数分ごとに --checkpoints に途中経過を書きます。ファイルがあれば続きから始めら
れ、ワーカー同士で共有もできます。

SIGTERM や中断では、--grace の間に途中経過を書き、答えを保存し、残りを返します。続きは、ほかのワー
カーか次の起動で行います。

設定はフラグか、後に示す環境変数です。ログは標準エラー出力への JSON です。/metrics、/livez、
/readyz は --admin-addr です。`),
		Args: command.Positional(cobra.NoArgs),
	}
	var s workerSettings
	set := cli.NewSettings(l, cmd.Flags())
	cmd.Flags().SortFlags = false
	set.Subject(l.Text("The database", "データベース"))
	s.store.declare(set, cmd.Flags(), l.Text("the database whose jobs are to be worked on, postgres://user@host/database",
		"処理するジョブのデータベース（postgres://user@host/database）"))
	set.Subject(l.Text("Work", "処理"))
	set.Size(&s.memory, "memory", memory.UsualForTables, memory.LeastForJobs, 1<<44, l.Text("memory for the "+
		"tables of all chunks together; auto: five eighths of what the machine, the container or "+
		"GOMEMLIMIT allows",
		"処理全体の表のメモリ。auto：使えるメモリの8分の5"))
	set.Automatic()
	cli.Number(set, &s.slots, "slots", runtime.GOMAXPROCS(0), 1, 4096, l.Text("chunks at the same time; auto: "+
		"one for each processor, or as many as fit into --memory",
		"同時に処理するまとまりの数。auto：プロセッサの数、または --memory まで"))
	set.Automatic()
	cli.Number(set, &s.analyses, "analyses", 1, 0, 1024, l.Text("analyses of problems at the same time, which take "+
		"54MiB each besides --memory; auto: as many as --slots, as far as there is room for them",
		"同時に行う検討の数（--memory とは別に一件 54MiB）。auto：メモリの許す限り --slots と同じ"))
	set.Automatic()
	set.Switch(&s.big, "big", l.Text("take problems that want a large table, too", "大きな表の必要な作品も処理"))
	set.Text(&s.checkpoints, "checkpoints", "DIR", l.Text("write checkpoints of long searches here; none without it",
		"長い探索の途中経過の保存先（なければ保存しない）"), nil)
	set.Duration(&s.grace, "grace", 20*time.Second, 0, time.Hour, l.Text("at the end, the longest wait for "+
		"the checkpoints of searches",
		"終了時に探索の途中経過の保存を待つ時間"))
	set.Subject(l.Text("Address and log", "アドレスとログ"))
	set.Address(&s.adminAddr, "admin-addr", defaultAdminAddr, l.Text(`listen here for those who run it; "off" for nowhere`,
		"管理用の待ち受けアドレス（off でなし）"), true)
	set.Level(&s.level, "log-level", slog.LevelInfo, l.Text("log nothing below debug, info, warn or error",
		"ログに出す最低のレベル：debug、info、warn、error"))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := s.resolve(set); err != nil {
			return command.UsageError(cmd, err)
		}
		return s.work(cmd.Context(), cmd.ErrOrStderr())
	}
	describe(cmd, set)
	return cmd
}

func (s *workerSettings) resolve(set *cli.Settings) error {
	if err := set.Resolve(); err != nil {
		return err
	}
	if err := s.store.resolve(); err != nil {
		return err
	}
	switch {
	case !s.store.given():
		return cli.Errorf("--jobs is missing: the database whose jobs are to be worked on",
			"--jobs（処理するデータベース）がありません。")
	case s.store.isDirectory():
		return cli.Errorf("--jobs is a directory, which only the service itself works on: a worker needs postgres://…",
			"--jobs がディレクトリの場合はサービス自身が処理します。worker には postgres://… が必要です。")
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

func (s *workerSettings) work(ctx context.Context, stderr io.Writer) error {
	signal.Ignore(syscall.SIGPIPE)
	log := cli.NewLogWriter(stderr, maxQueuedLog)
	defer log.Close(lastLogLines)
	logger := slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: s.level}))
	memory.LimitGo()
	memory.LimitGarbage(ctx)
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	working, err := work.NewWorkerMetrics(registry)
	if err != nil {
		return err
	}
	share := memory.DivideWorker(s.memory, s.slots, runtime.GOMAXPROCS(0))
	w := &jobWork{share: share, analyses: min(s.analyses, share.Slots), big: s.big, threads: runtime.GOMAXPROCS(0),
		checkpoints: s.checkpoints, grace: s.grace, background: func(f func()) { f() }, metrics: working, logger: logger}
	worker, err := w.worker(workerName())
	if err != nil {
		return err
	}
	q, err := queue.New(queue.Options{Address: s.store.address, NoTables: true, Work: worker.Work(), Logger: logger})
	if err != nil {
		return err
	}
	if err := registry.Register(q.Metrics()); err != nil {
		return err
	}
	if s.adminAddr != "" {
		admin, err := net.Listen("tcp", s.adminAddr)
		if err != nil {
			return err
		}
		server := &http.Server{Handler: workerAdmin(ctx, registry, q), ReadHeaderTimeout: 10 * time.Second}
		go func() { _ = server.Serve(admin) }() // until Close
		defer server.Close()
		logger.Info("listening", "admin_addr", admin.Addr().String())
	}
	if w.analyses == 0 {
		logger.Warn("there is no memory for analyses: lines that ask for them are answered not_offered")
	}
	logger.Info("working", "slots", share.Slots, "table_bytes", share.Table, "memory", share.Total,
		"classes", w.classes(), "analyses", w.analyses)
	untilLate(ctx, s.grace+lastAnswers, logger, func() {
		runQueue(ctx, q, w, logger)
		_ = q.Close()
	})()
	return nil
}

// workerAdmin answers those who run a worker, until ctx ends as ready.
func workerAdmin(ctx context.Context, registry *prometheus.Registry, q *queue.Queue) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if ctx.Err() != nil {
			http.Error(w, "draining", http.StatusServiceUnavailable)
			return
		}
		if _, err := q.Room(r.Context()); err != nil {
			http.Error(w, "the job database is away", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	return mux
}
