package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// sleeps returns a solver that takes the time of a test's clock for each answer, which is kept by
// no cache.
func sleeps(d time.Duration) solver.Solver {
	return solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
		time.Sleep(d)
		return solver.Result{Reason: solver.ReasonTime, Solver: "sleeps"}
	})
}

// TestRateCountsWork: a client that had a minute's worth of searches is refused, until the moment
// that Retry-After names, and another is not.
func TestRateCountsWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{Solver: sleeps(5 * time.Second), RatePerMinute: 60,
			LongSearches: 4, MaxTime: 10 * time.Second})
		ask := func(address string, n int) *httptest.ResponseRecorder {
			return <-from(t.Context(), s, address, hard(n))
		}
		// In 5 s, a minute's allowance of 60 grows by 5. A request takes 1, and its search 50.
		if w := ask("192.0.2.1", 1); w.Code != 200 {
			t.Fatal(w)
		}
		if w := ask("192.0.2.1", 2); w.Code != 200 {
			t.Fatal(w)
		}
		w := ask("192.0.2.1", 3)
		wantProblem(t, w, wire.RateLimited)
		// It had 60, less 1, up to 60 again, less 50, less 1, plus 5, less 50: 36 are owed.
		if h := w.Header(); h.Get("Retry-After") != "37" || h.Get("X-RateLimit-Remaining") != "0" ||
			h.Get("RateLimit") != `"default";r=0;t=37` {
			t.Errorf("%v", h)
		}
		if w := ask("192.0.2.2", 4); w.Code != 200 {
			t.Errorf("another client: %d", w.Code)
		}
		time.Sleep(31 * time.Second) // with the 5 s of the other client's search: one less than 37
		wantProblem(t, ask("192.0.2.1", 5), wire.RateLimited)
		time.Sleep(time.Second)
		if w := ask("192.0.2.1", 6); w.Code != 200 {
			t.Errorf("after Retry-After: %d", w.Code)
		}
	})
}

// TestRateOfShortRequests: so many at once, so many in each minute after that, and the headers say
// where the client stands.
func TestRateOfShortRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{RatePerMinute: 6})
		began := time.Now()
		accepted := 0
		for time.Since(began) < 10*time.Minute {
			w := get(s, mateIn1)
			switch w.Code {
			case 200:
				accepted++
			case 429:
				after, _ := strconv.Atoi(w.Header().Get("Retry-After"))
				if after < 1 || after > 10 {
					t.Fatalf("Retry-After %d", after)
				}
				time.Sleep(time.Duration(after)*time.Second - time.Millisecond)
				if w := get(s, mateIn1); w.Code != 429 {
					t.Fatal("accepted before Retry-After")
				}
				time.Sleep(time.Millisecond)
				w = get(s, mateIn1)
				if w.Code != 200 {
					t.Fatalf("refused after Retry-After of %d", after)
				}
				reset, _ := strconv.ParseInt(w.Header().Get("X-RateLimit-Reset"), 10, 64)
				if reset != time.Now().Unix()+60 {
					t.Errorf("reset in %d s", reset-time.Now().Unix())
				}
				accepted++
			}
		}
		if accepted < 6+59 || accepted > 6+61 {
			t.Errorf("%d requests in ten minutes, want about 66", accepted)
		}
	})
}

// TestRateOfBatches: a batch is not refused for its lines, but goes on at the client's rate, and
// what it asks for is missing elsewhere.
func TestRateOfBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{RatePerMinute: 6})
		began := time.Now()
		lines := 8000 // 5000 are as much as is left after the request for the batch
		w := do(s, "POST", "/v1/solve/batch", strings.Repeat(question1(mateIn1)+"\n", lines))
		if n := strings.Count(w.Body.String(), `"verdict":"mate"`); n != lines {
			t.Errorf("%d lines answered", n)
		}
		// A thousand lines are as much as a request, of which there is one in 10 s.
		if took := time.Since(began); took < 29*time.Second || took > 31*time.Second {
			t.Errorf("it took %v, want 30 s", took)
		}
		wantProblem(t, get(s, mateIn1), wire.RateLimited)
		time.Sleep(11 * time.Second)
		if w := get(s, mateIn1); w.Code != 200 {
			t.Errorf("%d after 11 s", w.Code)
		}
	})
}

// TestRateOfPages: pages and pictures count like everything else, and a browser is told so in a
// page.
func TestRateOfPages(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "a page")
	})
	s := newServer(t, Config{RatePerMinute: 3, Web: page, Diagrams: page})
	for i, path := range []string{"/", "/p?sfen=startpos", "/v1/diagram.svg"} {
		if w := do(s, "GET", path, ""); w.Code != 200 {
			t.Errorf("%d: %s is %d", i, path, w.Code)
		}
	}
	for _, path := range []string{"/", "/static/x.css", "/v1/diagram.png",
		"/v1/solve?sfen=startpos", "/docs", "/problems/overloaded", "/v1/nothing"} {
		wantProblem(t, do(s, "GET", path, ""), wire.RateLimited)
	}
	wantProblem(t, do(s, "POST", "/v1/moves", question1(mateIn1)), wire.RateLimited)
	for language, title := range map[string]string{
		"": "アクセスが多すぎます", "ja,en;q=0.5": "アクセスが多すぎます", "en-GB": "Too many requests",
	} {
		w := do(s, "GET", "/", "", "Accept", "text/html,application/xhtml+xml,*/*;q=0.8",
			"Accept-Language", language)
		h := w.Header()
		if w.Code != 429 || !strings.HasPrefix(h.Get("Content-Type"), "text/html") ||
			h.Get("Retry-After") == "" || h.Get("Refresh") != h.Get("Retry-After") ||
			h.Get("Cache-Control") != "no-store" || !strings.Contains(w.Body.String(), title) {
			t.Errorf("to a browser in %q: %d %v %.300s", language, w.Code, h, w.Body)
		}
	}
	if n := metric(t, s, "tsumero_refused_total", "reason", "rate"); n != 11 {
		t.Errorf("%v refused, want 11", n)
	}
	if w := do(s, "GET", "/livez", ""); w.Code != 200 {
		t.Errorf("/livez is %d", w.Code)
	}
}

// TestClientsAreForgotten: those who asked long ago take no memory, those in debt and those who
// still ask do.
func TestClientsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClients(60)
		addr := func(n int) netip.Addr {
			return netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)})
		}
		asking, debtor := c.enter(addr(1)), c.enter(addr(2))
		debtor.charge(time.Now(), time.Hour)
		c.leave(debtor)
		for n := range 100_000 {
			one := c.enter(addr(100 + n))
			if one.admit(time.Now(), requestCost) != 0 {
				t.Fatal("refused")
			}
			c.leave(one)
			time.Sleep(time.Millisecond) // a thousand new clients a second
		}
		if n := len(c.all); n > 4*leastSweep {
			t.Errorf("%d clients are remembered", n)
		}
		if c.enter(addr(1)) != asking {
			t.Error("one that still asks is forgotten")
		}
		c = newClients(60)
		debtor = c.enter(addr(2))
		debtor.charge(time.Now(), time.Minute)
		c.leave(debtor)
		c.forget(time.Now().Add(30 * time.Second))
		if c.enter(addr(2)) != debtor {
			t.Error("a debt is forgotten")
		}
	})
}

// TestForwarded: who asks, by what stands in X-Forwarded-For, and whether that can be read.
func TestForwarded(t *testing.T) {
	trusted := proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, c := range []struct {
		remote string
		header []string
		want   string
		fault  bool
	}{
		{"192.0.2.1:5", nil, "192.0.2.1", false},
		{"192.0.2.1:5", []string{"203.0.113.1"}, "192.0.2.1", false}, // not a proxy of ours
		{"[2001:db8::1%eth0]:5", nil, "2001:db8::1", false},
		{"[::ffff:192.0.2.1]:5", nil, "192.0.2.1", false},
		{"@", nil, "invalid IP", false},
		{"10.0.0.1:5", []string{"203.0.113.1"}, "203.0.113.1", false},
		{"[::ffff:10.0.0.1]:5", []string{"203.0.113.1"}, "203.0.113.1", false},
		{"10.0.0.1:5", []string{"203.0.113.1:4711"}, "203.0.113.1", false},
		{"10.0.0.1:5", []string{"2001:db8::7"}, "2001:db8::7", false},
		{"10.0.0.1:5", []string{"[2001:db8::7]"}, "2001:db8::7", false},
		{"10.0.0.1:5", []string{"[2001:db8::7]:443"}, "2001:db8::7", false},
		{"10.0.0.1:5", []string{`"[2001:db8::7]:443"`}, "2001:db8::7", false},
		{"10.0.0.1:5", []string{"fe80::1%eth0"}, "fe80::1", false},
		{"10.0.0.1:5", []string{"::ffff:203.0.113.1"}, "203.0.113.1", false},
		// the first is a stranger's word
		{"10.0.0.1:5", []string{"198.51.100.9, 203.0.113.1"}, "203.0.113.1", false},
		{"10.0.0.1:5", []string{"198.51.100.9, 203.0.113.1, 10.0.0.2"}, "203.0.113.1", false},
		{"10.0.0.1:5", []string{"198.51.100.9", "203.0.113.1,10.0.0.2 ,, "}, "203.0.113.1", false},
		{"[fd00::1]:5", []string{"203.0.113.1,fd00::2"}, "203.0.113.1", false},
		{"10.0.0.1:5", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3", false}, // somebody inside
		{"10.0.0.1:5", []string{"unknown"}, "10.0.0.1", true},
		{"10.0.0.1:5", []string{"203.0.113.1, unknown, 10.0.0.2"}, "10.0.0.2", true},
		{"10.0.0.1:5", []string{"unknown, 203.0.113.1"}, "203.0.113.1", false}, // left of who asks
		{"10.0.0.1:5", []string{"_hidden"}, "10.0.0.1", true},
		{"10.0.0.1:5", []string{"203.0.113.1:x"}, "10.0.0.1", true},
		{"10.0.0.1:5", []string{"[203.0.113.1"}, "10.0.0.1", true},
		{"10.0.0.1:5", []string{"client.example"}, "10.0.0.1", true},
		{"10.0.0.1:5", nil, "10.0.0.1", true},
		{"10.0.0.1:5", []string{" , "}, "10.0.0.1", true},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.remote
		r.Header["X-Forwarded-For"] = c.header
		addr, fault := trusted.client(r)
		if addr.String() != c.want || (fault != nil) != c.fault {
			t.Errorf("%s with %q: %v, fault %v; want %s, %v", c.remote, c.header, addr,
				fault != nil, c.want, c.fault)
		}
	}
}

// TestForwardedFaults are counted, and warned of once, and probes are none.
func TestForwardedFaults(t *testing.T) {
	var log bytes.Buffer
	s := newServer(t, Config{TrustedProxies: []string{"192.0.2.0/24"},
		Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	for _, value := range []string{strings.Repeat("x", 10_000), "unknown", ""} {
		get(s, mateIn1, "X-Forwarded-For", value)
	}
	do(s, "GET", "/livez", "")
	do(s, "GET", "/readyz", "")
	get(s, mateIn1, "X-Forwarded-For", "203.0.113.1")
	if n := metric(t, s, "tsumero_forwarded_for_faulty_total"); n != 3 {
		t.Errorf("%v faults counted, want 3", n)
	}
	if n := strings.Count(log.String(), "\n"); n != 1 ||
		!strings.Contains(log.String(), `"x_forwarded_for":"xxx`) || log.Len() > 1000 {
		t.Errorf("%d warnings: %s", n, &log)
	}
}

// TestRateOfOtherMethods: a method that a path does not know counts like every other request.
func TestRateOfOtherMethods(t *testing.T) {
	s := newServer(t, Config{RatePerMinute: 2})
	for _, method := range []string{"PUT", "OPTIONS"} {
		if w := do(s, method, "/v1/solve", ""); w.Code == 429 {
			t.Errorf("%s: %d", method, w.Code)
		}
	}
	for _, method := range []string{"PUT", "OPTIONS", "GET", "HEAD"} {
		wantProblem(t, do(s, method, "/v1/solve", ""), wire.RateLimited)
	}
}

// TestRateHeaders: how many requests are left, and when there are as many as ever.
func TestRateHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{RatePerMinute: 3})
		for i, remaining := range []string{"2", "1", "0", "0"} {
			h := get(s, mateIn1).Header()
			reset := strconv.FormatInt(time.Now().Unix()+20*int64(min(i+1, 3)), 10)
			if h.Get("X-RateLimit-Limit") != "3" || h.Get("X-RateLimit-Remaining") != remaining ||
				h.Get("X-RateLimit-Reset") != reset {
				t.Errorf("request %d: %v, want %s remaining, reset %s", i, h, remaining, reset)
			}
			// The first three leave less than a request each, the fourth takes nothing: each has to
			// wait 20 s for one more.
			if h.Get("RateLimit-Policy") != `"default";q=3;w=60` ||
				h.Get("RateLimit") != `"default";r=`+remaining+`;t=20` {
				t.Errorf("request %d: %v, want %s remaining for 20 s", i, h, remaining)
			}
		}
	})
}

// TestSeconds: a header never says less than the time, nor 0.
func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]int{
		-5 * time.Second: 1, 0: 1, 1: 1, time.Second: 1, time.Second + 1: 2, time.Hour: 3600,
	} {
		if got := seconds(d); got != want {
			t.Errorf("%v is %d, want %d", d, got, want)
		}
	}
}

// TestSweepsAreRare: where nobody can be forgotten, not every newcomer makes all others be looked
// at.
func TestSweepsAreRare(t *testing.T) {
	c := newClients(60)
	sweeps, last := 0, c.sweep
	for n := range 16 * leastSweep {
		c.enter(netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}))
		if c.sweep != last {
			sweeps, last = sweeps+1, c.sweep
		}
	}
	if sweeps != 4 || c.sweep < len(c.all) {
		t.Errorf("%d sweeps, the next at %d of %d", sweeps, c.sweep, len(c.all))
	}
}

// TestClientsLeave: however a request ends, its client can be forgotten.
func TestClientsLeave(t *testing.T) {
	s := newServer(t, Config{Web: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		panic("as asked")
	})})
	get(s, mateIn1)
	get(s, "4k4")
	do(s, "GET", "/", "")
	do(s, "POST", "/v1/solve/batch", question1(mateIn1))
	for _, one := range s.clients.all {
		if one.requests != 0 {
			t.Errorf("%d requests of %v", one.requests, one.network)
		}
	}
	if len(s.clients.all) != 1 {
		t.Errorf("%d clients", len(s.clients.all))
	}
}
