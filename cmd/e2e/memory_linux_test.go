package e2e

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tsumero/tsumero/cmd/internal/memory"
)

// anonymous returns the memory of a process that nobody could take from it without killing it, in
// bytes: the text of the program, which can be read again, does not count.
func anonymous(pid int) (int64, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		if kib, ok := strings.CutPrefix(in.Text(), "RssAnon:"); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(kib, "kB")), 10, 64)
			return n << 10, err
		}
	}
	return 0, fmt.Errorf("no RssAnon of process %d", pid)
}

// TestSmallMemory: with the settings that serve chooses in a container of that size, it stays below
// what the container has for it under all the load that it takes: a long search with a table that
// is full, a long batch, and 50 clients, and the larger one with many lines of jobs. Not every machine can make a container, so that the
// settings stand here; the tests of serve have the same.
func TestSmallMemory(t *testing.T) {
	if len(buildFlags) > 0 {
		t.Skip("the race detector takes memory of its own")
	}
	long(t)
	for _, c := range []struct {
		container, tables, cache int64 // MiB: beyond, more is left over
		jobs                     int
	}{
		{64, 24, 8, 0}, {128, 48, 16, 8},
	} {
		t.Run(fmt.Sprintf("%d MiB", c.container), func(t *testing.T) {
			limit := memory.ForGo(c.container << 20)
			flags := []string{"--rate", "0", "--max-time", "1m", "--long", "wait=10m",
				"--memory", fmt.Sprintf("%dMiB", c.tables),
				"--cache", fmt.Sprintf("%dMiB", c.cache)}
			if c.jobs > 0 {
				flags = append(flags, "--jobs", filepath.Join(t.TempDir(), "jobs"))
			}
			s := startServiceIn(t, []string{fmt.Sprintf("GOMEMLIMIT=%d", limit)}, flags...)
			stop, most := make(chan struct{}), make(chan int64)
			go func() {
				peak := int64(0)
				for {
					if n, err := anonymous(s.cmd.Process.Pid); err == nil {
						peak = max(peak, n)
					}
					select {
					case <-time.After(20 * time.Millisecond):
					case <-stop:
						most <- peak
						return
					}
				}
			}()
			for n := range c.jobs {
				_, body := jobLines(1_000)
				if _, ok := s.submitJob(t, ndjsonType, "?nodes=100000", body, fmt.Sprint(n)); !ok {
					t.Fatal("a job was not accepted")
				}
			}
			var load sync.WaitGroup
			load.Go(func() {
				body := fmt.Sprintf(`{"sfen":%q,"limits":{"nodes":1500000,"time_ms":60000}}`, endless)
				// The clients below share this one's address, and so its part of the queue.
				waitFor(t, "a long search", func() bool {
					r := s.send(t, "POST", "/v1/solve", body, "Content-Type", jsonType)
					return r.StatusCode == http.StatusOK
				})
			})
			load.Go(func() {
				const lines = 800
				var body strings.Builder
				for n := range lines {
					fmt.Fprintf(&body, `{"id":%d,"sfen":%q,"limits":{"nodes":%d}}`+"\n", n, mateIn7,
						1000+n)
				}
				r := s.send(t, "POST", "/v1/solve/batch", body.String(), "Content-Type", ndjsonType)
				if got := strings.Count(r.body, `"verdict":`); got != lines {
					t.Errorf("%d answers to %d lines", got, lines)
				}
			})
			for client := range 50 {
				load.Go(func() {
					for n := range 8 {
						body := fmt.Sprintf(`{"sfen":%q,"limits":{"nodes":%d}}`, mateIn7,
							1000+100*client+n)
						r := s.send(t, "POST", "/v1/solve", body, "Content-Type", jsonType)
						switch r.StatusCode {
						case http.StatusOK, http.StatusServiceUnavailable:
						default:
							t.Errorf("%s: %s", r.Status, r.body)
						}
					}
				})
			}
			load.Wait()
			close(stop)
			peak := <-most
			t.Logf("%d MiB at most, of %d MiB for Go", peak>>20, limit>>20)
			if peak > limit+limit/20 {
				t.Errorf("it took %d bytes, %d are for it", peak, limit)
			}
		})
	}
}
