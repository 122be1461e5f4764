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
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tsumero/tsumero/cmd/internal/memory"
)

var (
	soak = flag.Duration("e2e.soak", 6*time.Second,
		"how long TestSoak loads and attacks the service; 30m for figures")
	soakLines = flag.Int("e2e.soak-lines", 0,
		"lines of its jobs; 0: 600 for each second, a million at most")
)

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

// A tally is what ordinary clients met.
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

// take returns what was met since the last call.
func (c *tally) take() *tally {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := &tally{took: c.took, other: c.other}
	c.took, c.other = nil, map[int]int{}
	return taken
}

// percentile returns the time that so many of 100 requests took at most.
func (c *tally) percentile(n int) time.Duration {
	if len(c.took) == 0 {
		return 0
	}
	slices.Sort(c.took)
	return c.took[n*(len(c.took)-1)/100].Round(10 * time.Microsecond)
}

func (c *tally) failed() (n int) {
	for _, of := range c.other {
		n += of
	}
	return n
}

func (c *tally) String() string {
	return fmt.Sprintf("%d p50 %v p99 %v max %v other %v", len(c.took), c.percentile(50),
		c.percentile(99), c.percentile(100), c.other)
}

// A period is what was measured in a minute, or in less.
type period struct {
	short *tally
	gauges
}

// mean returns the mean of a gauge.
func mean(periods []period, name string) (m float64) {
	for _, p := range periods {
		m += p.gauges[name] / float64(len(periods))
	}
	return m
}

// p99 returns that of the short questions of all periods.
func p99(periods []period) time.Duration {
	all := &tally{}
	for _, p := range periods {
		all.took = append(all.took, p.short.took...)
	}
	return all.percentile(99)
}

// soakJob returns the body of a job of so many different lines, each of a few milliseconds.
func soakJob(lines int) string {
	var b strings.Builder
	for n := range lines {
		square, pawns := n/4000%81, n/4000/81%4
		row := "9"
		if left, right := square%9, 8-square%9; left > 0 && right > 0 {
			row = fmt.Sprintf("%dk%d", left, right)
		} else if left > 0 {
			row = "8k"
		} else {
			row = "k8"
		}
		board := strings.Repeat("9/", square/9) + row + strings.Repeat("/9", 8-square/9)
		fmt.Fprintf(&b, `{"sfen":"%s b B2G2SL%dP2rb2g2s4n3l%dp 1","limits":{"nodes":%d}}`+"\n", board,
			2+pawns, 16-pawns, 1000+n%4000)
	}
	return b.String()
}

// keepWorking gives the service jobs, the next one at the end of each, until ctx ends, and returns how
// many lines were answered.
func keepWorking(ctx context.Context, t *testing.T, s *service, body string) (answered int) {
	for key := 0; ctx.Err() == nil; key++ {
		id, ok := s.submitJob(t, ndjsonType, "", body, fmt.Sprint("soak ", key))
		if !ok {
			t.Error("a job was not accepted")
			return answered
		}
		var j jobAnswer
		for j.State != "done" && ctx.Err() == nil {
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
			j = decode[jobAnswer](t, s.send(t, "GET", "/v1/jobs/"+id, "").body)
		}
		answered += j.Done
		if j.State != "done" {
			s.send(t, "DELETE", "/v1/jobs/"+id, "")
		}
	}
	return answered
}

// TestSoak asks a service as ordinary clients do: for a sixth of the time alone, for a sixth beside
// jobs, and then beside jobs and attacks with everything that once kept others from it, all at once.
// None of these clients may meet anything but answers, whatever the attackers get, and when all have
// gone the service is as it was. How long answers take is printed, and no time fails the test.
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("long; a load in short is that of TestTerminateUnderLoad")
	}
	length := *soak
	idle, pause := 1000, time.Second // connections, and between the bytes of a slow client
	if length >= 5*time.Minute {
		idle, pause = 13_000, 25*time.Second
	}
	// How long the searches of attackers take: in a short test, too, some of theirs are to end. The
	// ordinary ones are shorter, since a question waits for 20 s at most: a machine of two processors
	// has one slot, and before one's own turn may come those of three attackers and of seven others.
	longest := min(5*time.Second, length/10)
	usual := longest / 4
	const limit = 920 << 20 // for Go in a container of 1 GiB
	s := startServiceIn(t, []string{fmt.Sprint("GOMEMLIMIT=", limit)}, "--jobs",
		filepath.Join(t.TempDir(), "jobs"))
	lines := *soakLines
	if lines == 0 {
		lines = min(1_000_000, int(600*length.Seconds()))
	}
	// What the documentation of deploy says.
	most := memory.ForTables(limit) + memory.ForCache(limit) + 160<<20 +
		int64(memory.Analyses(limit, runtime.NumCPU()))*memory.AnalysisBytes +
		int64(memory.Plays(limit, runtime.NumCPU()))*memory.PlayBytes
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
	attacked := make(chan struct{}) // closed when the attacks begin
	attacker := func(do func()) {
		attackers.Go(func() {
			select {
			case <-attacked:
				do()
			case <-ctx.Done():
			}
		})
	}
	attack := func(address string, workers int, do func(*source)) {
		who := newSource(address)
		everybody = append(everybody, who)
		for range workers {
			attacker(func() {
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
	attacker(func() { idleConnections(ctx, newSource("127.0.2.3"), host, idle) })
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
		// As large as one may be, and another one each time.
		a.ask(ctx, "GET", fmt.Sprintf("%s/v1/diagram.gif?size=%d&sfen=startpos&moves=%s", s.url,
			640-rand.N(100), strings.Repeat("7i6h_3a4b_6h7i_4b3a_", 15)), "")
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
			// One after the other, or the last would wait for the slot longer than a question may.
			for sleep(time.Duration(i) * longest); ctx.Err() == nil; sleep(30 * time.Second) {
				long.count(ctx, func() int {
					status, _ := who.ask(ctx, "POST", s.url+"/v1/solve", hard(usual))
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

	say := func(format string, args ...any) {
		t.Helper()
		t.Logf(format, args...)
		if *soak >= time.Minute {
			fmt.Fprintf(os.Stderr, format+"\n", args...) // go test shows its log only at the end
		}
	}
	var jobs sync.WaitGroup
	met, began, checked := map[string]int{}, time.Now(), time.Now()
	spend := func(what string, length time.Duration) (periods []period) {
		for from := time.Now(); time.Since(from) < length; {
			time.Sleep(min(time.Minute, length-time.Since(from)))
			report, failed := "", 0
			p := period{short.take(), s.gauges(t)}
			for _, part := range []struct {
				name string
				of   *tally
			}{{"short", p.short}, {"long", long.take()}, {"livez", probes.take()}} {
				report += " | " + part.name + " " + part.of.String()
				met[part.name] += len(part.of.took) - part.of.failed()
				failed += part.of.failed()
			}
			say("%v, %s%s | %s", time.Since(began).Round(time.Second), what, report, p.gauges)
			if failed > 0 {
				t.Errorf("%d ordinary requests were not answered", failed)
			}
			if rss := int64(p.gauges["process_resident_memory_bytes"]); rss > most {
				t.Errorf("it takes %d bytes of memory, and %d is the most", rss, most)
			}
			periods = append(periods, p)
			if time.Since(checked) > 50*time.Second || time.Since(began) >= *soak {
				for _, name := range []string{"short", "long", "livez"} {
					if met[name] == 0 {
						t.Errorf("%s: no ordinary request was answered", name)
					}
				}
				checked = time.Now()
				clear(met)
			}
		}
		return periods
	}
	quiet := p99(spend("quiet", length/6))
	jobs.Go(func() {
		answered := keepWorking(ctx, t, s, soakJob(lines))
		say("%d lines of jobs of %d were answered", answered, lines)
	})
	beside := p99(spend("beside jobs", length/6))
	close(attacked)
	periods := spend("attacked beside jobs", length-time.Since(began))
	stop()
	attackers.Wait()
	ordinary.Wait()
	jobs.Wait()
	for _, who := range everybody {
		who.CloseIdleConnections()
	}
	against := func(d time.Duration) string {
		return fmt.Sprintf("%v, %.2f x quiet", d, float64(d)/float64(max(quiet, 1)))
	}
	say("p99 of short questions: quiet %v | beside jobs %s | attacked beside jobs %s", quiet,
		against(beside), against(p99(periods)))
	some := (len(periods) + 4) / 5 // one and the same in a short test
	first, last := periods[:some], periods[len(periods)-some:]
	say("the first and the last %d of %d minutes attacked: p99 %v, %v", some, len(periods), p99(first),
		p99(last))
	for name, slack := range map[string]float64{
		"process_resident_memory_bytes": 64 << 20, "go_goroutines": 500, "process_open_fds": 500,
	} {
		before, after := mean(first, name), mean(last, name)
		say("%s: %.0f, %.0f", name, before, after)
		if after > before*5/4+slack {
			t.Errorf("%s grew from %.0f to %.0f: a leak?", name, before, after)
		}
	}
	var now gauges
	defer func() { t.Logf("at first: %s; at last: %s", before, now) }()
	waitFor(t, "the service to be as it was", func() bool {
		now = s.gauges(t)
		// 16 threads for what is in the background are kept, and the store of jobs has worked now.
		return now["go_goroutines"] <= before["go_goroutines"]+40 &&
			now["process_open_fds"] <= before["process_open_fds"]+20
	})
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
