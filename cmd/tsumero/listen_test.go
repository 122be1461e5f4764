package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// startSite serves h until the returned function is called, which asks for the end and returns what serve returned.
func startSite(t *testing.T, h http.Handler, grace time.Duration, drain func()) (url string, end func() error) {
	t.Helper()
	api, admin, err := listeners("127.0.0.1:0", "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &site{api: h, grace: grace, logger: slog.New(slog.DiscardHandler)}
	ended := make(chan error, 1)
	go func() { ended <- s.serve(ctx, api, admin, drain) }()
	end = sync.OnceValue(func() error { cancel(); return <-ended })
	t.Cleanup(func() { end() })
	return "http://" + api.Addr().String(), end
}

// What was accepted before the end is answered in full, and its search is not stopped.
func TestServeFinishesAccepted(t *testing.T) {
	const n = 20
	var accepted sync.WaitGroup
	accepted.Add(n)
	release := make(chan struct{})
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		accepted.Done()
		<-release
		if err := r.Context().Err(); err != nil {
			t.Errorf("the context of an accepted request ended: %v", err)
		}
		io.WriteString(w, "answer")
	})
	url, end := startSite(t, h, time.Minute, func() { close(release) })
	var answered atomic.Int64
	var clients sync.WaitGroup
	for range n {
		clients.Go(func() {
			resp, err := http.Get(url)
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "answer" {
				t.Errorf("%q, %v", body, err)
			}
			if !resp.Close {
				t.Error("the answer does not say that the connection ends")
			}
			answered.Add(1)
		})
	}
	accepted.Wait()
	if err := end(); err != nil {
		t.Error(err)
	}
	clients.Wait()
	if answered.Load() != n {
		t.Errorf("%d of %d accepted requests are answered", answered.Load(), n)
	}
	if _, err := http.Get(url); err == nil {
		t.Error("it still listens after the end")
	}
}

// Who takes longer than the grace is cut off, its search stopped, and that is an error.
func TestServeGraceRunsOut(t *testing.T) {
	accepted, stopped := make(chan struct{}), make(chan struct{})
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(accepted)
		<-r.Context().Done()
		close(stopped)
	})
	url, end := startSite(t, h, 10*time.Millisecond, func() {})
	go func() {
		if resp, err := http.Get(url); err == nil {
			resp.Body.Close()
		}
	}()
	<-accepted
	if err := end(); err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("error %v, want one that says that requests were cut off", err)
	}
	<-stopped
}

// A listener that fails ends the service with an error.
func TestServeListenerFails(t *testing.T) {
	api, admin, err := listeners("127.0.0.1:0", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &site{api: http.NotFoundHandler(), admin: http.NotFoundHandler(), grace: time.Second, logger: slog.New(slog.DiscardHandler)}
	admin.Close()
	if err := s.serve(context.Background(), api, admin, func() {}); err == nil {
		t.Error("no error from a closed listener")
	}
}

func TestListenersNameBothFaults(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	addr := taken.Addr().String()
	_, _, err = listeners(addr, addr)
	if err == nil || strings.Count(err.Error(), addr) != 2 {
		t.Errorf("error %v, want both addresses in it", err)
	}
}

func TestReachable(t *testing.T) {
	for addr, want := range map[string]string{
		":8080":            "127.0.0.1:8080",
		"0.0.0.0:8080":     "127.0.0.1:8080",
		"[::]:8080":        "[::1]:8080",
		"127.0.0.2:80":     "127.0.0.2:80",
		"[fe80::1]:80":     "[fe80::1]:80",
		"example.org:8080": "example.org:8080",
	} {
		if got := reachable(addr); got != want {
			t.Errorf("reachable(%q) = %q, want %q", addr, got, want)
		}
	}
}

func TestHealthcheck(t *testing.T) {
	var status atomic.Int64
	status.Store(http.StatusOK)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/readyz" {
			t.Errorf("asked for %s %s", r.Method, r.URL)
		}
		w.WriteHeader(int(status.Load()))
		fmt.Fprint(w, "ending")
	})
	url, end := startSite(t, h, time.Second, func() {})
	addr := strings.TrimPrefix(url, "http://")
	check := func() (int, string) {
		var stderr strings.Builder
		code := run(context.Background(), []string{"healthcheck"}, nil, io.Discard, &stderr)
		return code, stderr.String()
	}
	t.Setenv("TSUMERO_ADDR", addr)
	t.Setenv("HTTP_PROXY", "http://192.0.2.1:9")
	if code, msg := check(); code != exitOK {
		t.Errorf("a ready service: exit code %d, %s", code, msg)
	}
	status.Store(http.StatusServiceUnavailable)
	if code, msg := check(); code != exitNegative || !strings.Contains(msg, "503 Service Unavailable: ending") {
		t.Errorf("a service that is not ready: exit code %d, %s", code, msg)
	}
	status.Store(http.StatusFound)
	if code, _ := check(); code != exitNegative {
		t.Errorf("a redirect: exit code %d", code)
	}
	end()
	if code, _ := check(); code != exitNegative {
		t.Errorf("no service: exit code %d", code)
	}
	os.Setenv("TSUMERO_ADDR", "nowhere") // t.Setenv puts back what was there
	if code, msg := check(); code != exitUsage || !strings.Contains(msg, `TSUMERO_ADDR is "nowhere", but must be host:port or :port`) {
		t.Errorf("a wrong address: exit code %d, %s", code, msg)
	}
}
