package e2e

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var soak = flag.Duration("e2e.soak", 10*time.Second,
	"how long TestSoak attacks the service; 30m for figures")

// A source is somebody with an address of its own, which Linux has many of on the loopback.
type source struct {
	http.Client
	dialer net.Dialer
}

func newSource(address string) *source {
	s := &source{dialer: net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}}
	s.Transport = &http.Transport{DialContext: s.dialer.DialContext, MaxIdleConnsPerHost: 8}
	s.Timeout = time.Minute
	return s
}

// ask sends a request, reads the answer, and returns its status, 0 if there is none.
func (s *source) ask(ctx context.Context, method, target, body string) (status int, h http.Header) {
	req, err := http.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
	if err != nil {
		return 0, nil
	}
	if body != "" {
		req.Header.Set("Content-Type", jsonType)
	}
	resp, err := s.Do(req)
	if err != nil {
		return 0, nil
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0, nil
	}
	return resp.StatusCode, resp.Header
}

// A tally is what ordinary clients met in a minute.
type tally struct {
	mu    sync.Mutex
	took  []time.Duration
	other map[int]int // statuses that are no 200
}

// count measures a request.
func (c *tally) count(ctx context.Context, ask func() int) {
	began := time.Now()
	status := ask()
	if ctx.Err() != nil {
		return // the test is over
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.took = append(c.took, time.Since(began))
	if status != 200 && status != 304 {
		c.other[status]++
	}
}

// line returns how many there were, percentiles, and what was no 200, and begins anew.
func (c *tally) line() (text string, answered, failed int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.Sort(c.took)
	at := func(q float64) time.Duration {
		if len(c.took) == 0 {
			return 0
		}
		return c.took[int(q*float64(len(c.took)-1))].Round(10 * time.Microsecond)
	}
	for _, n := range c.other {
		failed += n
	}
	text = fmt.Sprintf("%d p50 %v p99 %v max %v other %v", len(c.took), at(.5), at(.99), at(1),
		c.other)
	answered = len(c.took) - failed
	c.took, c.other = nil, map[int]int{}
	return text, answered, failed
}

// TestSoak attacks a service with everything that once kept others from it, all at once, beside
// ordinary clients. None of these may meet anything but answers, whatever the attackers get, and
// when they have gone the service is as it was.
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("long; a load in short is that of TestTerminateUnderLoad")
	}
	length := *soak
	idle, pause := 1000, time.Second // connections, and between the bytes of a slow client
	if length >= 5*time.Minute {
		idle, pause = 13_000, 25*time.Second
	}
	// How long the searches of attackers take, and until ordinary clients first ask for one: in a
	// short test, too, some of theirs are to end.
	longest := min(10*time.Second, length/10)
	s := startServiceIn(t, []string{"GOMEMLIMIT=230MiB"}) // as in a container of 256 MiB
	// half an hour of it would be hundreds of megabytes
	s.log.forget(1 << 20)
	host := strings.TrimPrefix(s.url, "http://")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var attackers, ordinary sync.WaitGroup
	var number atomic.Int64
	hard := func(d time.Duration) string { // a question that nobody asked before
		return fmt.Sprintf(`{"sfen":%q,"limits":{"time_ms":%d,"nodes":%d}}`, endless, d.Milliseconds(),
			90_000_000+number.Add(1))
	}
	sleep := func(d time.Duration) {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
	}
	var everybody []*source
	attack := func(address string, workers int, do func(*source)) {
		who := newSource(address)
		everybody = append(everybody, who)
		for range workers {
			attackers.Go(func() {
				for ctx.Err() == nil {
					do(who)
				}
			})
		}
	}
	before := s.gauges(t)

	attack("127.0.2.1", 6, func(a *source) { // all slots for long searches
		if status, _ := a.ask(ctx, "POST", s.url+"/v1/solve", hard(longest)); status != 200 {
			sleep(time.Second)
		}
	})
	attack("127.0.2.2", 12, func(a *source) { // all slots for batches
		conn, err := a.dialer.DialContext(ctx, "tcp", host)
		if err != nil {
			sleep(pause)
			return
		}
		defer conn.Close()
		fmt.Fprint(conn, "POST /v1/solve/batch HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "+
			"chunked\r\n\r\n")
		for ctx.Err() == nil {
			if _, err := io.WriteString(conn, "1\r\n \r\n"); err != nil {
				return
			}
			sleep(pause)
		}
	})
	attackers.Go(func() { idleConnections(ctx, newSource("127.0.2.3"), host, idle) })
	attack("127.0.2.4", 10, func(a *source) { // the same question, at different times
		sleep(rand.N(3 * time.Second))
		a.ask(ctx, "POST", s.url+"/v1/solve",
			fmt.Sprintf(`{"sfen":%q,"limits":{"time_ms":%d}}`, endless, longest.Milliseconds()*9/10))
	})
	attack("127.0.2.5", 3, func(a *source) { // questions beyond the rate
		a.ask(ctx, "POST", s.url+"/v1/solve", question(mateIn1))
		sleep(10 * time.Millisecond)
	})
	attack("127.0.2.6", 100, func(a *source) { // half of a header, half of a body
		conn, err := a.dialer.DialContext(ctx, "tcp", host)
		if err != nil {
			sleep(pause)
			return
		}
		defer conn.Close()
		text := "POST /v1/solve HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"
		fmt.Fprint(conn, text[:len(text)-rand.N(2)*30])
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
		end := context.AfterFunc(ctx, func() { conn.Close() })
		defer end()
		_, _ = io.Copy(io.Discard, conn)
		sleep(100 * time.Millisecond)
	})
	attack("127.0.2.7", 2, func(a *source) { // pages and pictures beyond the rate
		a.ask(ctx, "GET", s.url+"/", "")
		a.ask(ctx, "GET", s.url+"/v1/diagram.png?card=1&sfen="+url.QueryEscape(mateIn3), "")
		sleep(10 * time.Millisecond)
	})
	attack("127.0.2.8", 1, func(a *source) { // a batch of what is no question, without an end
		body, lines := io.Pipe()
		go func() {
			for n := 0; ; n++ {
				if _, err := fmt.Fprintf(lines, "{%d\n", n); err != nil {
					return
				}
				if n%1000 == 0 {
					sleep(500 * time.Millisecond)
				}
			}
		}()
		defer body.Close()
		req, _ := http.NewRequestWithContext(ctx, "POST", s.url+"/v1/solve/batch", body)
		if resp, err := a.Do(req); err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		sleep(time.Second)
	})
	attack("127.0.2.9", 4, func(a *source) { // who asks and leaves
		hasty, cancel := context.WithTimeout(ctx, rand.N(500*time.Millisecond))
		defer cancel()
		a.ask(hasty, "POST", s.url+"/v1/solve", hard(longest))
		a.CloseIdleConnections()
	})

	short, long := &tally{other: map[int]int{}}, &tally{other: map[int]int{}}
	probes := &tally{other: map[int]int{}}
	for i := range 8 {
		who := newSource(fmt.Sprintf("127.0.1.%d", 1+i))
		everybody = append(everybody, who)
		ordinary.Go(func() {
			for n := i; ctx.Err() == nil; n++ {
				sleep(200*time.Millisecond + rand.N(200*time.Millisecond))
				short.count(ctx, func() (status int) {
					switch position := []string{mateIn1, mateIn3, neverMate}[n%3]; {
					case n%16 == 1:
						status, _ = who.ask(ctx, "GET", s.url+"/p?sfen="+url.QueryEscape(position),
							"")
					case n%8 == 2:
						status, _ = who.ask(ctx, "GET",
							s.url+"/v1/diagram.svg?sfen="+url.QueryEscape(position), "")
					case n%8 == 4:
						status, _ = who.ask(ctx, "POST", s.url+"/v1/moves", question(position))
					default:
						status, _ = who.ask(ctx, "POST", s.url+"/v1/solve", question(position))
					}
					return status
				})
			}
		})
		ordinary.Go(func() {
			for sleep(rand.N(longest)); ctx.Err() == nil; sleep(30 * time.Second) {
				long.count(ctx, func() int {
					status, _ := who.ask(ctx, "POST", s.url+"/v1/solve", hard(longest/2))
					return status
				})
			}
		})
	}
	ordinary.Go(func() {
		for sleep(time.Second); ctx.Err() == nil; sleep(time.Second) {
			probes.count(ctx, func() int {
				who := newSource("127.0.1.100") // and a new connection
				defer who.CloseIdleConnections()
				status, _ := who.ask(ctx, "GET", s.url+"/livez", "")
				return status
			})
		}
	})

	for began := time.Now(); time.Since(began) < length; {
		time.Sleep(min(time.Minute, length-time.Since(began)))
		failed := 0
		report := fmt.Sprintf("after %v:", time.Since(began).Round(time.Second))
		for _, part := range []struct {
			name string
			of   *tally
		}{{"short", short}, {"long", long}, {"livez", probes}} {
			text, answered, n := part.of.line()
			report += " | " + part.name + " " + text
			failed += n
			if answered == 0 {
				t.Errorf("%s: no ordinary request was answered", part.name)
			}
		}
		report += " | " + s.gauges(t).String()
		t.Log(report)
		if *soak >= time.Minute {
			fmt.Fprintln(os.Stderr, report) // go test shows its log only at the end
		}
		if failed > 0 {
			t.Errorf("%d ordinary requests were not answered", failed)
		}
	}
	stop()
	attackers.Wait()
	ordinary.Wait()
	for _, who := range everybody {
		who.CloseIdleConnections()
	}
	waitFor(t, "the service to be as it was", func() bool {
		now := s.gauges(t)
		return now["go_goroutines"] <= before["go_goroutines"]+20 &&
			now["process_open_fds"] <= before["process_open_fds"]+20
	})
	t.Logf("at last: %s", s.gauges(t))
}

// idleConnections keeps so many connections open on which something was asked once.
func idleConnections(ctx context.Context, a *source, host string, most int) {
	gone := make(chan struct{}, most)
	for range most {
		gone <- struct{}{}
	}
	var group sync.WaitGroup
	defer group.Wait()
	for {
		select {
		case <-gone:
		case <-ctx.Done():
			return
		}
		time.Sleep(time.Millisecond) // no more than a thousand a second
		conn, err := a.dialer.DialContext(ctx, "tcp", host)
		if err != nil {
			gone <- struct{}{}
			continue
		}
		group.Go(func() {
			defer func() { conn.Close(); gone <- struct{}{} }()
			defer context.AfterFunc(ctx, func() { conn.Close() })()
			fmt.Fprint(conn, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
			_, _ = io.Copy(io.Discard, bufio.NewReaderSize(conn, 16)) // until the service closes it
		})
	}
}

// gauges are some of the metrics.
type gauges map[string]float64

var gaugeLine = regexp.MustCompile(`(?m)^(go_goroutines|process_open_fds|` +
	`process_resident_memory_bytes|tsumero_http_connections|` +
	`tsumero_http_connections_reclaimed_total|tsumero_log_lines_dropped_total\S*) (\S+)$`)

func (s *service) gauges(t *testing.T) gauges {
	t.Helper()
	g := gauges{}
	for _, m := range gaugeLine.FindAllStringSubmatch(s.send(t, "GET", s.admin+"/metrics", "").body,
		-1) {
		name, _, _ := strings.Cut(m[1], "{")
		v, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		g[name] += v
	}
	return g
}

func (g gauges) String() string {
	return fmt.Sprintf("RSS %.0f MB, %.0f goroutines, %.0f files, %.0f connections, %.0f "+
		"reclaimed, %.0f log lines dropped",
		g["process_resident_memory_bytes"]/1e6, g["go_goroutines"], g["process_open_fds"],
		g["tsumero_http_connections"],
		g["tsumero_http_connections_reclaimed_total"], g["tsumero_log_lines_dropped_total"])
}
