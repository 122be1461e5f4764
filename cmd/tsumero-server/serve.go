package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/httpapi"
	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/cmd/internal/background"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/cmd/internal/memory"
	"github.com/tsumero/tsumero/cmd/internal/version"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/levels"
	"github.com/tsumero/tsumero/web/diagram"
	"github.com/tsumero/tsumero/web/site"
)

// maxQueuedLog is how many bytes of the log wait for its reader.
const maxQueuedLog = 1 << 20

// lastLogLines is how long the end of the service waits for the reader of the log.
const lastLogLines = time.Second

const (
	defaultAddr      = ":8080"
	defaultAdminAddr = "127.0.0.1:9090"
)

// serveSettings are the settings of serve.
type serveSettings struct {
	addr, adminAddr string
	known           string // files with commas between
	contact         string // for faults that others could use
	level           slog.Level
	maxBody         int64
	memory, table   int64 // for the tables of all searches, and of one long search
	api             httpapi.Config
	jobs            jobSettings
	off             []string // what there is not enough memory for
}

func newServe() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Answer over HTTP",
		Long: `Serve answers over HTTP: the page at /, POST and GET /v1/solve, POST /v1/solve/batch, POST
and GET /v1/moves, POST and GET /v1/analyze, POST /v1/analyze/batch, POST and GET /v1/play, POST
/v1/read and /v1/similar, GET /v1/limits and /v1/diagram.svg, .png and .gif, with the reference at /docs and
/openapi.json. Metrics, the profiler and the health probes are on a listener of their own, the
admin listener.

Every question first gets a short search of a few milliseconds. Only a question that this does
not decide waits for one of the long searches, so that a long search never keeps short ones
waiting. Analyses have slots of their own, and so have searches for a move in a game.

With --jobs DIR it also takes jobs, which are problems for hours and collections of millions:
POST and GET /v1/jobs, and the page /jobs. They are kept in the directory, survive whatever
happens to the process, and are worked on here, with half of what their store leaves of
--memory and, unless --jobs-slots says otherwise, all processors but one. With --jobs
postgres://user@host/database they are kept in PostgreSQL, where any number of services and of
workers share them; a database that is away is no reason not to answer questions. Without --jobs
the service keeps no state.

Each setting is a flag or the environment variable named behind it. The flag comes first, then
the variable, then the default. All of them are checked before anything starts. Some flags take
a list of settings with any of their keys, as in --long slots=2,queue=32,wait=20s; a number alone
is for the first key: --long 2. Its slots are how many searches run at the same time.

What is not set, or auto, follows the memory of the machine or of the container (cgroup), which
must be 64 MB at least: that is enough for one long search at a time and a small cache. Unless
GOMEMLIMIT is set already, it is set to 9/10 of the memory of the container, or to 16 MiB less
than that memory if that is less.

The log is JSON on standard error, one line for each request. The service never waits for the
reader of the log: lines that cannot be written are dropped and counted in
tsumero_log_lines_dropped_total.

On SIGTERM, /readyz answers 503, and the service goes on as before for --drain-delay. Then it
accepts no new connections, finishes the requests whose header has arrived, and exits with 0.
Bodies that do not arrive in a quarter of --grace get a 408. Searches that are left after
--grace are ended, and answered with what is known. Jobs stop at once, and go on after the next
start. All of it takes --drain-delay, --grace and 2 seconds at most. An interrupt (Ctrl-C) does
the same without the delay, and a second signal ends the service at once.

/livez answers 503 when the service hangs: searches or requests run, and none of them ends.`,
		Args: command.Positional(cobra.NoArgs),
	}
	var s serveSettings
	set := cli.NewSettings(cmd.Flags())
	cmd.Flags().SortFlags = false // by subject instead
	s.declare(set, cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := s.resolve(set); err != nil {
			return command.UsageError(cmd, "%w", err)
		}
		return s.serve(cmd.Context(), cmd.ErrOrStderr(), set.Unknown(os.Environ()))
	}
	describe(cmd, set)
	return cmd
}

func (s *serveSettings) declare(set *cli.Settings, flags *pflag.FlagSet) {
	c := &s.api
	set.Subject("Addresses and log")
	set.Address(&s.addr, "addr", defaultAddr, "listen here", false)
	set.Address(&s.adminAddr, "admin-addr", defaultAdminAddr,
		`listen here for those who run the service; "off" for nowhere`, true)
	set.Level(&s.level, "log-level", slog.LevelInfo, "log nothing below debug, info, warn or error")

	set.Subject("What a client may ask for")
	set.Duration(&c.MaxTime, "max-time", 10*time.Second, time.Millisecond, time.Hour,
		"the longest search")
	set.Duration(&c.DefaultTime, "default-time", 2*time.Second, time.Millisecond, time.Hour,
		"the longest search for a client that asks for no time")
	cli.Number(set, &c.MaxNodes, "max-nodes", 100_000_000, 1, 1<<53, "the most positions of a search")
	cli.Number(set, &c.MaxPlies, "max-plies", 9999, 1, 9999, "the longest mate, in plies")
	set.Size(&s.maxBody, "max-body", 64<<10, 1<<10, 1<<30,
		"the largest question, and the longest line of a batch")

	set.Subject("What runs at the same time")
	s.declarePools(set)

	set.Subject("Memory")
	set.Size(&s.memory, "memory", memory.UsualForTables, memory.LeastForTables, 1<<44,
		"for the tables of short and long searches together, and for the store of jobs; auto: a quarter of "+
			"what the machine, the container or GOMEMLIMIT allows, from 64MiB to 4GiB, or three eighths "+
			"where that is less")
	set.Automatic()
	set.Size(&c.CacheBytes, "cache", memory.MostForCache, 0, 1<<40,
		"for answers; 0: no cache; auto: an eighth of what is allowed, from 4MiB to 64MiB")
	set.Automatic()

	set.Subject("Clients and connections")
	cli.Number(set, &c.RatePerMinute, "rate", 600, 0, 1<<30, "requests a client may send in a "+
		"minute, more get a 429; each tenth of a second of search or drawing counts as one request more, "+
		"each line of a batch, and each 512 bytes of it or of an answer, as a thousandth of one; 0: any number")
	set.List("connections", "open connections, and the waits on them", func() {
		cli.Number(set, &c.MaxConnections, "max", memory.MostConnections, 0, 1<<20,
			"in all; idle ones are closed for new ones; 0: any number; auto: 10000, or as many as the "+
				"memory and the open files of the process allow")
		set.Automatic()
		cli.Number(set, &c.MaxConnectionsEach, "per-client", 256, 0, 1<<20, "of an IPv4 address or an "+
			"IPv6 network (/64) that is not of --trusted-proxies; 0: any number; auto: a quarter of "+
			"max, from 128 to 256, but no more than three quarters")
		set.Automatic()
		set.Duration(&c.IdleTimeout, "idle", 75*time.Second, time.Second, time.Hour,
			"the longest wait for the next question; longer than that of a proxy in front")
		set.Duration(&c.BodyTimeout, "read", 30*time.Second, time.Millisecond, time.Hour,
			"the longest wait for all of a question, or for the next line of a batch")
		set.Duration(&c.WriteTimeout, "write", 30*time.Second, time.Millisecond, time.Hour,
			"the longest wait for a client to take its answer")
	})
	set.Networks(&c.TrustedProxies, "trusted-proxies", "none",
		"networks of proxies whose X-Forwarded-For names the client")
	set.Origins(&c.CORSOrigins, "cors-origins", "*", "web sites whose pages may ask, such as "+
		"https://example.org, or https://*.example.org for all below it; those named may submit jobs, too")
	set.Origin(&c.PublicURL, "public-url", "the address of the service, such as https://shogi.example, in the links of "+
		"pages, feeds, site maps, oEmbed and cards; without it they have that of each request, and no cache may share them")

	set.Text(&s.contact, "security-contact", "URI", "whom /.well-known/security.txt names for faults that "+
		"others could use: mailto:…, https://… or tel:…; without it there is no such file", site.CheckContact)

	set.Text(&s.known, "known", "LIST", "files and folders of problems, or of what 'tsumero keys' prints, with "+
		"commas between, that POST /v1/similar compares with; each is a list by its name without extension, "+
		"besides daily, the problems of the day", nil)

	set.Subject("Shutdown")
	set.Duration(&c.DrainDelay, "drain-delay", 5*time.Second, 0, time.Hour,
		"on SIGTERM, go on for so long with /readyz saying 503, until the balancer has noticed")
	set.Duration(&c.Grace, "grace", 20*time.Second, time.Millisecond, time.Hour,
		"then, the longest wait for accepted requests, and a quarter of it for the rest of their "+
			"bodies")

	set.Subject("Jobs")
	s.jobs.declare(set, flags)
}

// declarePools declares what runs at the same time. Each pool of searches has slots, a queue of
// questions that wait for one, and the longest wait.
func (s *serveSettings) declarePools(set *cli.Settings) {
	c := &s.api
	queue := func(n *int) {
		cli.Number(set, n, "queue", 16, 0, 1<<20,
			"questions that may wait, for the memory they take; more get a 503; auto: 1024 for each slot")
		set.Automatic()
	}
	const wait = "how long they wait, then a 503; at once for who would expect to wait half of it"
	set.List("short", "short searches, with which every question begins", func() {
		cli.Number(set, &c.MaxSearches, "slots", 1, 1, 4096,
			"auto: the processors, or as many as fit into half of --memory")
		set.Automatic()
		queue(&c.MaxQueue)
		set.Duration(&c.QueueWait, "wait", 2*time.Second, time.Millisecond, time.Minute, wait)
	})
	set.List("long", "long searches, for what a short one leaves open", func() {
		cli.Number(set, &c.LongSearches, "slots", 1, 1, 4096,
			"auto: the processors less one, or as many as --memory has room for")
		set.Automatic()
		queue(&c.LongQueue)
		set.Duration(&c.LongWait, "wait", time.Second, time.Millisecond, time.Hour,
			wait+"; auto: twice --max-time")
		set.Automatic()
		set.Size(&s.table, "table", memory.LeastLongTable, memory.LeastLongTable, 1<<44,
			"the memory of each slot; auto: what --memory leaves for it")
		set.Automatic()
	})
	set.List("analyses", "analyses, which take 54MiB each", func() {
		cli.Number(set, &c.MaxAnalyses, "slots", 1, 0, 1024, "0: they are not offered; auto: 1 for 2 "+
			"processors, but no more than fit into a quarter of what is allowed")
		set.Automatic()
		queue(&c.AnalysisQueue)
		set.Duration(&c.AnalysisWait, "wait", time.Second, time.Millisecond, time.Hour,
			wait+"; auto: twice time")
		set.Automatic()
		set.Duration(&c.MaxAnalysisTime, "time", time.Minute, time.Millisecond, time.Hour,
			"the longest a client may ask for")
		set.Duration(&c.DefaultAnalysisTime, "default-time", 20*time.Second, time.Millisecond, time.Hour,
			"the longest for a client that asks for no time")
		cli.Number(set, &c.MaxAnalysisNodes, "nodes", 50_000_000, 1, 1<<53,
			"the most positions a client may ask for")
	})
	set.List("plays", "searches for a move in a game, which take 32MiB each", func() {
		cli.Number(set, &c.MaxPlays, "slots", 1, 0, 1024, "0: the service does not play; auto: 1 for 2 "+
			"processors, but no more than fit into an eighth of what is allowed")
		set.Automatic()
		queue(&c.PlayQueue)
		set.Duration(&c.PlayWait, "wait", 10*time.Second, time.Millisecond, time.Hour, wait)
		cli.Number(set, &c.MaxPlayNodes, "nodes", 1_000_000, 1, 1<<53,
			"the most positions a client may ask for")
	})
	set.List("batches", "batches of questions; more get a 503", func() {
		cli.Number(set, &c.MaxBatches, "slots", 1, 1, 1<<16,
			"auto: 4 for each processor, at most one for each 16MiB of what is allowed")
		set.Automatic()
		cli.Number(set, &c.MaxBatchesEach, "per-client", 2, 1, 1<<16,
			"auto: a quarter of the slots, at least 2, and not all if there are several")
		set.Automatic()
		set.Duration(&c.BatchTime, "time", time.Hour, time.Second, 365*24*time.Hour, "the longest batch")
	})
}

// resolve checks everything there is to check before anything starts.
func (s *serveSettings) resolve(set *cli.Settings) error {
	faults := []error{set.Resolve()}
	c := &s.api
	c.MaxBodyBytes = int(s.maxBody)
	if c.DefaultTime > c.MaxTime {
		if set.IsGiven("default-time") {
			faults = append(faults, fmt.Errorf("--default-time is %v, more than --max-time, which is %v",
				c.DefaultTime, c.MaxTime))
		}
		c.DefaultTime = c.MaxTime
	}
	if c.DefaultAnalysisTime > c.MaxAnalysisTime {
		if set.IsGiven("analyses default-time") {
			faults = append(faults, fmt.Errorf("--analyses default-time is %v, more than its time, "+
				"which is %v", c.DefaultAnalysisTime, c.MaxAnalysisTime))
		}
		c.DefaultAnalysisTime = c.MaxAnalysisTime
	}
	if err := errors.Join(faults...); err != nil {
		return err // what follows is about values that fit together, if they are values at all
	}
	if err := s.fit(memory.Available(), set.IsGiven); err != nil {
		return err
	}
	if err := s.share(set.IsGiven); err != nil {
		return err
	}
	for name, queue := range map[string]*int{"short queue": &c.MaxQueue, "long queue": &c.LongQueue,
		"analyses queue": &c.AnalysisQueue, "plays queue": &c.PlayQueue} {
		*queue = noneIfZero(*queue)
		if !set.IsGiven(name) {
			*queue = 0
		}
	}
	if !set.IsGiven("long wait") {
		c.LongWait = 2 * c.MaxTime
	}
	if !set.IsGiven("analyses wait") {
		c.AnalysisWait = 2 * c.MaxAnalysisTime
	}
	if c.MaxAnalyses > 0 {
		c.Sessions = func() solver.Session { return dfpn.NewSession() }
	}
	if c.MaxPlays > 0 {
		c.NewEngine, c.Levels = newEngine, levels.Names()
	}
	c.RatePerMinute = noneIfZero(c.RatePerMinute)
	c.MaxConnections = noneIfZero(c.MaxConnections)
	if set.IsGiven("connections per-client") {
		c.MaxConnectionsEach = noneIfZero(c.MaxConnectionsEach)
	}
	c.CacheBytes = noneIfZero(c.CacheBytes)
	return nil
}

// noneIfZero returns n as the service's Config wants it, to which 0 is its default, and less than 0
// is none.
func noneIfZero[N int | int64](n N) N {
	if n == 0 {
		return -1
	}
	return n
}

// newEngine makes what plays at a level.
func newEngine(level string, seed uint64) (play.Engine, error) {
	return levels.New(level, levels.Options{Seed: seed, TableBytes: levels.RequestTable, Threads: 1})
}

// share divides the memory for tables among the searches, those settings left alone that were
// given.
func (s *serveSettings) share(given func(name string) bool) error {
	c := &s.api
	forQuestions, err := s.jobs.resolve(given, s.memory)
	if err != nil {
		return err
	}
	searches := memory.Searches{Total: forQuestions}
	if given("short slots") {
		searches.Short = c.MaxSearches
	}
	if given("long slots") {
		searches.Long = c.LongSearches
	}
	if given("long table") {
		searches.LongTable = s.table
	}
	searches = searches.Divide(background.Processors())
	c.MaxSearches, c.LongSearches, s.table = searches.Short, searches.Long, searches.LongTable
	if short, long := searches.NeedShort(), searches.NeedLong(); short+long > forQuestions {
		ofJobs := ""
		if forQuestions < s.memory {
			ofJobs = ", of which jobs have " + cli.SizeText(s.memory-forQuestions)
		}
		return fmt.Errorf("--memory is %s%s, but --short slots=%d takes %s of it, "+
			"and --long slots=%d,table=%s takes %s", cli.SizeText(s.memory), ofJobs, c.MaxSearches,
			cli.SizeText(short), c.LongSearches, cli.SizeText(s.table), cli.SizeText(long))
	}
	return nil
}

// fit makes the settings that are not given fit into the memory that is available.
func (s *serveSettings) fit(available int64, given func(name string) bool) error {
	if !given("memory") {
		if available < memory.LeastForService {
			return fmt.Errorf("the machine, the container or GOMEMLIMIT allows %s of memory, "+
				"but the service needs 64MB; --memory %s --cache 0 makes it try",
				cli.SizeText(available>>20<<20), cli.SizeText(memory.LeastForTables))
		}
		s.memory = memory.ForTables(available)
	}
	c := &s.api
	if !given("cache") {
		c.CacheBytes = memory.ForCache(available)
	}
	if !given("batches slots") {
		c.MaxBatches = memory.Batches(available, background.Processors())
	}
	if !given("analyses slots") {
		c.MaxAnalyses = memory.Analyses(available, background.Processors())
		if c.MaxAnalyses == 0 {
			s.off = append(s.off, "analyses, which need "+cli.SizeText(4*memory.AnalysisBytes))
		}
	} else if need := int64(c.MaxAnalyses) * memory.AnalysisBytes; need > available-s.memory {
		return fmt.Errorf("--analyses slots=%d takes %s, and --memory is %s, but the machine, the "+
			"container or GOMEMLIMIT allows %s", c.MaxAnalyses, cli.SizeText(need), cli.SizeText(s.memory),
			cli.SizeText(available>>20<<20))
	}
	if !given("plays slots") {
		c.MaxPlays = memory.Plays(available, background.Processors())
		if c.MaxPlays == 0 {
			s.off = append(s.off, "searches for a move in a game, which need "+cli.SizeText(8*memory.PlayBytes))
		}
	} else if need := int64(c.MaxPlays) * memory.PlayBytes; need > available-s.memory {
		return fmt.Errorf("--plays slots=%d takes %s, and --memory is %s, but the machine, the container or "+
			"GOMEMLIMIT allows %s", c.MaxPlays, cli.SizeText(need), cli.SizeText(s.memory),
			cli.SizeText(available>>20<<20))
	}
	if !given("connections max") {
		c.MaxConnections = memory.Connections(available, openFiles())
	}
	return nil
}

func (s *serveSettings) serve(ctx context.Context, stderr io.Writer, unknown []string) error {
	// A reader of the log that has gone away must not end the service, see os/signal on SIGPIPE.
	signal.Ignore(syscall.SIGPIPE)
	log := cli.NewLogWriter(stderr, maxQueuedLog)
	defer log.Close(lastLogLines)
	logger := slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: s.level}))
	memory.LimitGo()
	memory.LimitGarbage(ctx)
	build := version.Get()
	var server *httpapi.Server
	c := s.api
	c.Logger, c.LogLinesDropped = logger, log.Dropped
	c.Version, c.Revision = build.Version, build.Revision
	c.Background = background.Run
	report := func(p shogi.Position, r solver.Result, err error) { server.ReportUnverified(p, r, err) }
	c.Quick = mate.New(mate.Options{TableBytes: memory.ShortTable, Searches: c.MaxSearches, Report: report})
	c.Solver = mate.New(mate.Options{TableBytes: int(s.table), Searches: c.LongSearches, Report: report})
	var err error
	var ofJobs func() site.Jobs // for the pages
	if s.jobs.store.given() {
		ofJobs = func() site.Jobs { return server }
	}
	if c.Web, err = pages(c.MaxTime, c.MaxAnalyses > 0, c.Levels, s.contact, ofJobs); err != nil {
		return err
	}
	c.Diagrams = diagram.Handler(func(ctx context.Context, moves bool, draw func()) *wire.Problem {
		return server.Draw(ctx, moves, draw)
	})
	c.Registry = httpapi.NewRegistry()
	var work *serviceJobs
	if s.jobs.store.given() {
		if work, err = newServiceJobs(ctx, &s.jobs, c.MaxAnalyses, c.Grace, c.Registry, logger); err != nil {
			return err
		}
		c.Jobs, c.APIKeys = work.queue, work.keys
		if s.jobs.trustsMachine && len(c.TrustedProxies) == 0 {
			c.LocalClass = queue.Keyed
		}
	}
	if c.Known, err = knownLists(s.known); err != nil {
		return command.Exit(command.ExitUsage, err)
	}
	if server, err = httpapi.New(c); err != nil {
		return err
	}
	if work != nil {
		// Their worker stops with the service, and what clients look at only after it.
		looking, end := context.WithCancel(context.WithoutCancel(ctx))
		working, stop := context.WithCancel(ctx)
		wait := untilLate(working, c.Grace+lastStores, logger, func() { work.run(looking, working, server.QuestionsWait) })
		defer func() {
			stop() // the service may have ended for another reason than ctx
			end()
			wait()
		}()
	}
	defer background.Reserve(c.LongSearches + c.MaxAnalyses + c.MaxPlays + work.searches())()
	public, admin, err := listeners(s.addr, s.adminAddr)
	if err != nil {
		return err
	}
	if len(unknown) > 0 {
		logger.Warn("environment variables that are no settings", "names", unknown)
	}
	adminAddr := "off"
	if admin != nil {
		adminAddr = admin.Addr().String()
	}
	if len(s.off) > 0 {
		logger.Warn("the machine, the container or GOMEMLIMIT has too little memory: the service does without, "+
			"and answers not_offered", "memory", cli.SizeText(memory.Available()>>20<<20), "off", s.off)
	}
	logger.Info("memory for tables", "bytes", s.memory, "searches", c.MaxSearches,
		"long_searches", c.LongSearches, "table_bytes", s.table, "analyses", c.MaxAnalyses,
		"plays", c.MaxPlays, "jobs_bytes", s.jobs.share.Total, "store_bytes", s.jobs.storeBytes,
		"cache_bytes", max(0, c.CacheBytes), "gomemlimit", debug.SetMemoryLimit(-1))
	logger.Info("listening", "addr", public.Addr().String(), "admin_addr", adminAddr,
		"version", build.Version, "revision", build.Revision)
	serving, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer context.AfterFunc(ctx, func() {
		if errors.Is(context.Cause(ctx), command.ErrInterrupt) {
			end(httpapi.ErrSkipDelay)
			return
		}
		end(context.Cause(ctx))
	})()
	if err := server.Serve(serving, public, admin); err != nil {
		fmt.Fprintf(log, "tsumero: %v\n", err) // not to stderr, whose reader may be stuck
		return command.Exit(command.ExitFailure, nil)
	}
	return nil
}

// listeners opens both addresses, adminAddr if it is not empty. The error names both if both fail.
func listeners(addr, adminAddr string) (api, admin net.Listener, err error) {
	api, apiErr := net.Listen("tcp", addr)
	var adminErr error
	if adminAddr != "" {
		admin, adminErr = net.Listen("tcp", adminAddr)
	}
	if err := errors.Join(apiErr, adminErr); err != nil {
		for _, l := range []net.Listener{api, admin} {
			if l != nil {
				l.Close()
			}
		}
		return nil, nil, err
	}
	return api, admin, nil
}
