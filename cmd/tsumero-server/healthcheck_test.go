package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tsumero/tsumero/cmd/internal/command"
)

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
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/readyz" {
			t.Errorf("asked for %s %s", r.Method, r.URL)
		}
		w.WriteHeader(int(status.Load()))
		fmt.Fprint(w, "ending")
	}))
	defer service.Close()
	check := func() (int, string) {
		var stderr strings.Builder
		code := run(context.Background(), []string{"healthcheck"}, nil, io.Discard, &stderr)
		return code, stderr.String()
	}
	t.Setenv("TSUMERO_ADDR", service.Listener.Addr().String())
	t.Setenv("HTTP_PROXY", "http://192.0.2.1:9")
	if code, msg := check(); code != command.ExitOK {
		t.Errorf("a ready service: exit code %d, %s", code, msg)
	}
	status.Store(http.StatusServiceUnavailable)
	if code, msg := check(); code != command.ExitNegative || !strings.Contains(msg, "503 Service Unavailable: ending") {
		t.Errorf("a service that is not ready: exit code %d, %s", code, msg)
	}
	status.Store(http.StatusFound)
	if code, _ := check(); code != command.ExitNegative {
		t.Errorf("a redirect: exit code %d", code)
	}
	service.Close()
	if code, _ := check(); code != command.ExitNegative {
		t.Errorf("no service: exit code %d", code)
	}
	os.Setenv("TSUMERO_ADDR", "nowhere") // t.Setenv puts back what was there
	if code, msg := check(); code != command.ExitUsage || !strings.Contains(msg, `TSUMERO_ADDR is "nowhere", but must be host:port or :port`) {
		t.Errorf("a wrong address: exit code %d, %s", code, msg)
	}
}
