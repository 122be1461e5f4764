package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/httpapi"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/door"
)

const (
	defaultAddr      = ":8080"
	defaultAdminAddr = "127.0.0.1:9090"
)

// serveSettings are what serve can be told.
type serveSettings struct {
	addr, adminAddr string
	level           slog.Level
	maxBody         int64
	api             httpapi.Config
}

func newServe() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Answer over HTTP",
		Long: `Serve answers over HTTP: POST and GET /v1/solve, POST /v1/solve/batch, with the reference at /docs and /openapi.json.
Metrics, the profiler and the health probes are on a listener of their own, the admin listener.

Each setting is a flag or the environment variable named behind it; the flag counts, then the variable, then the
default. All of them are checked before anything starts.

The log is JSON on standard error, one line a request. On SIGTERM or an interrupt the service says on /readyz that it
is leaving, finishes what it has accepted, and exits with 0; a second signal ends it at once.`,
		Args: positional(cobra.NoArgs),
	}
	var s serveSettings
	set := &settings{flags: cmd.Flags()}
	cmd.Flags().SortFlags = false // by subject instead
	s.declare(set)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := s.resolve(set); err != nil {
			return usageError(cmd, "%w", err)
		}
		return s.serve(cmd.Context(), cmd.ErrOrStderr(), set.unknown(os.Environ()))
	}
	return cmd
}

func (s *serveSettings) declare(set *settings) {
	c := &s.api
	processors := runtime.GOMAXPROCS(0)
	set.address(&s.addr, "addr", defaultAddr, "listen here", false)
	set.address(&s.adminAddr, "admin-addr", defaultAdminAddr, `listen here for those who run the service; "off" for nowhere`, true)
	set.level(&s.level, "log-level", slog.LevelInfo, "log nothing below debug, info, warn or error")

	number(set, &c.MaxPlies, "max-plies", 9999, 1, 9999, "the longest mate a client may ask for, in plies")
	number(set, &c.MaxNodes, "max-nodes", 100_000_000, 1, 1<<53, "the most positions a client may have looked at for one answer")
	set.duration(&c.MaxTime, "max-time", 10*time.Second, time.Millisecond, time.Hour, "the longest search a client may ask for")
	set.duration(&c.DefaultTime, "default-time", 2*time.Second, time.Millisecond, time.Hour, "the longest search for clients who do not say")

	number(set, &c.MaxSearches, "searches", processors, 1, 4096, "searches at the same time")
	number(set, &c.MaxQueue, "queue", 16*processors, 0, 1<<20, "questions that wait for a search to end; more get a 503")
	set.duration(&c.QueueWait, "queue-wait", 2*time.Second, time.Millisecond, time.Minute, "the longest wait for a search to begin, then a 503")
	number(set, &c.MaxBatches, "batches", 4*processors, 1, 1<<16, "batches at the same time; more get a 503")
	number(set, &c.RatePerMinute, "rate", 600, 0, 1<<30, "requests a client may send in a minute, more get a 429; 0 for any number")
	set.networks(&c.TrustedProxies, "trusted-proxies", "none", "networks whose X-Forwarded-For tells clients apart")
	set.origins(&c.CORSOrigins, "cors-origins", "*", "web sites whose pages may ask")

	set.size(&s.maxBody, "max-body", 64<<10, 1<<10, 1<<30, "the largest question, and the longest line of a batch")
	set.size(&c.CacheBytes, "cache", 64<<20, 0, 1<<40, "memory for answers; 0 for no cache")
	set.duration(&c.BodyTimeout, "body-timeout", 30*time.Second, time.Millisecond, time.Hour, "the longest wait for a question, or for the next line of a batch")
	set.duration(&c.WriteTimeout, "write-timeout", 30*time.Second, time.Millisecond, time.Hour, "the longest wait for a client to take its answer")
	set.duration(&c.DrainDelay, "drain-delay", 0, 0, time.Hour, "at the end, go on for so long with /readyz saying 503")
	set.duration(&c.Grace, "grace", 20*time.Second, time.Millisecond, time.Hour, "then, the longest wait for accepted requests")
}

// resolve checks everything there is to check before anything starts.
func (s *serveSettings) resolve(set *settings) error {
	faults := []error{set.resolve()}
	c := &s.api
	c.MaxBodyBytes = int(s.maxBody)
	if c.DefaultTime > c.MaxTime {
		if set.isGiven("default-time") {
			faults = append(faults, fmt.Errorf("--default-time is %v, more than --max-time, which is %v", c.DefaultTime, c.MaxTime))
		}
		c.DefaultTime = c.MaxTime
	}
	if c.MaxTime%time.Millisecond != 0 {
		faults = append(faults, fmt.Errorf("--max-time is %v, but must be a whole number of milliseconds", c.MaxTime))
	}
	// To the Config, 0 is its default, and less than 0 is none.
	if c.MaxQueue == 0 {
		c.MaxQueue = -1
	}
	if c.RatePerMinute == 0 {
		c.RatePerMinute = -1
	}
	if c.CacheBytes == 0 {
		c.CacheBytes = -1
	}
	return errors.Join(faults...)
}

func (s *serveSettings) serve(ctx context.Context, stderr io.Writer, unknown []string) error {
	logger := slog.New(slog.NewJSONHandler(stderr, &slog.HandlerOptions{Level: s.level}))
	build := buildInfo()
	var server *httpapi.Server
	c := s.api
	c.Logger, c.Version = logger, build.version
	c.Solver = door.New(door.Options{
		Searches: c.MaxSearches,
		Report:   func(p shogi.Position, r solver.Result, err error) { server.ReportUnverified(p, r, err) },
	})
	server, err := httpapi.New(c)
	if err != nil {
		return err
	}
	api, admin, err := listeners(s.addr, s.adminAddr)
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
	logger.Info("listening", "addr", api.Addr().String(), "admin_addr", adminAddr, "version", build.version, "revision", build.revision)
	return server.Serve(ctx, api, admin)
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
