package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// A site is what listens: the API on one address, and the admin pages on another, if there is one.
type site struct {
	api, admin http.Handler
	grace      time.Duration // how long accepted requests may take after the end was asked for
	logger     *slog.Logger
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

// serve answers until ctx ends, and then finishes what was accepted, for at most s.grace. drain is called in between:
// it makes the API say that it is not ready. The admin listener, nil for none, goes last, so that the end is measured.
func (s *site) serve(ctx context.Context, api, admin net.Listener, drain func()) error {
	// Searches end when this does, which is after their requests were given their time.
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	var leaving atomic.Bool
	errorLog := slog.NewLogLogger(s.logger.Handler(), slog.LevelWarn)
	newServer := func(h http.Handler) *http.Server {
		return &http.Server{
			Handler:           h,
			ReadHeaderTimeout: 10 * time.Second,
			IdleTimeout:       2 * time.Minute,
			MaxHeaderBytes:    32 << 10,
			ErrorLog:          errorLog,
			BaseContext:       func(net.Listener) context.Context { return work },
		}
	}
	// A client that keeps its connection learns from the last answer on it that there will be no other.
	apiServer := newServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if leaving.Load() {
			w.Header().Set("Connection", "close")
		}
		s.api.ServeHTTP(w, r)
	}))
	failed := make(chan error, 2)
	go func() { failed <- apiServer.Serve(api) }()
	adminServer := newServer(s.admin)
	if admin != nil {
		go func() { failed <- adminServer.Serve(admin) }()
	}

	var err error
	select {
	case <-ctx.Done():
		s.logger.Info("ending", "reason", context.Cause(ctx).Error(), "grace", s.grace.String())
	case err = <-failed:
		s.logger.Error("a listener failed", "error", err.Error())
	}
	leaving.Store(true)
	drain()
	deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.grace)
	defer cancel()
	if shutdownErr := apiServer.Shutdown(deadline); shutdownErr != nil {
		stopWork()
		apiServer.Close()
		err = errors.Join(err, fmt.Errorf("requests were cut off after %v: %w", s.grace, shutdownErr))
	}
	adminServer.Close()
	s.logger.Info("ended")
	return err
}
