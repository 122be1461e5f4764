package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	jsonType    = "application/json"
	problemType = "application/problem+json"
	ndjsonType  = "application/x-ndjson"
)

// An answer is what the service says of a position.
type answer struct {
	ID           any      `json:"id"`
	SFEN         string   `json:"sfen"`
	Attacker     string   `json:"attacker"`
	Verdict      string   `json:"verdict"`
	Plies        int      `json:"plies"`
	Exact        bool     `json:"exact"`
	Moves        []string `json:"moves"`
	MovesJa      []string `json:"moves_ja"`
	NoMateWithin int      `json:"no_mate_within"`
	Reason       string   `json:"reason"`
	Solver       string   `json:"solver"`
}

// A problem is how the service says no (RFC 9457).
type problem struct {
	Type   string  `json:"type"`
	Title  string  `json:"title"`
	Status int     `json:"status"`
	Detail string  `json:"detail"`
	Errors []fault `json:"errors"`
}

type fault struct {
	Location string `json:"location"`
	Message  string `json:"message"`
}

func question(sfen string) string { return fmt.Sprintf(`{"sfen":%q}`, sfen) }

func link(sfen string) string { return "/v1/solve?sfen=" + url.QueryEscape(sfen) }

// TestSolveOverHTTP asks every way there is to ask about one position, and what becomes of the
// answer in caches.
func TestSolveOverHTTP(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, c := range []struct {
		name, sfen, limit, verdict string
		plies                      int
		cacheable                  bool
	}{
		{"mate in one", mateIn1, "5", "mate", 1, true},
		{"mate in three", mateIn3, "5", "mate", 3, true},
		{"mate in seven", mateIn7, "7", "mate", 7, true},
		{"never mate", neverMate, "5", "nomate", 0, true},
		{"unknown", mateIn3, "1", "unknown", 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			posted := s.send(t, "POST", "/v1/solve", fmt.Sprintf(`{"sfen":%q,"limits":{"plies":%s}}`, c.sfen, c.limit), "Content-Type", jsonType)
			got := s.send(t, "GET", link(c.sfen)+"&plies="+c.limit, "")
			for _, r := range []reply{posted, got} {
				if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != jsonType {
					t.Fatalf("%s, %s: %s", r.Status, r.Header.Get("Content-Type"), r.body)
				}
				a := decode[answer](t, r.body)
				if a.SFEN != c.sfen || a.Attacker != "black" || a.Verdict != c.verdict || a.Plies != c.plies {
					t.Errorf("answer %s", r.body)
				}
				if len(a.Moves) != c.plies || len(a.MovesJa) != c.plies {
					t.Errorf("%d moves, %d in Japanese, of a mate in %d", len(a.Moves), len(a.MovesJa), c.plies)
				}
				if (a.Reason != "") != (c.verdict == "unknown") {
					t.Errorf("verdict %s for the reason %q", a.Verdict, a.Reason)
				}
			}

			control, etag := got.Header.Get("Cache-Control"), got.Header.Get("ETag")
			if !c.cacheable {
				if control != "no-store" || etag != "" {
					t.Errorf("Cache-Control %q, ETag %q of what may be known better tomorrow", control, etag)
				}
				return
			}
			if !strings.Contains(control, "immutable") || !strings.HasPrefix(etag, `"`) {
				t.Errorf("Cache-Control %q, ETag %q of a proven verdict", control, etag)
			}
			again := s.send(t, "GET", link(c.sfen)+"&plies="+c.limit, "", "If-None-Match", etag)
			if again.StatusCode != http.StatusNotModified || again.body != "" {
				t.Errorf("with If-None-Match: %s, %q", again.Status, again.body)
			}
		})
	}
}

// TestWatch: whoever asks for events sees the search go on, and then the answer, on one connection.
func TestWatch(t *testing.T) {
	long(t)
	s := startService(t)
	got := s.send(t, "POST", "/v1/solve/events", fmt.Sprintf(`{"sfen":%q,"limits":{"time_ms":1000}}`, endless), "Content-Type", jsonType)
	if got.StatusCode != http.StatusOK || !strings.HasPrefix(got.Header.Get("Content-Type"), "text/event-stream") {
		t.Fatalf("%s, %s: %s", got.Status, got.Header.Get("Content-Type"), got.body)
	}
	events := strings.Split(strings.TrimSpace(got.body), "\n\n")
	for i, e := range events {
		name, data, _ := strings.Cut(strings.TrimSpace(e), "\n")
		data, isData := strings.CutPrefix(data, "data: ")
		if !isData {
			t.Fatalf("event %q", e)
		}
		if i < len(events)-1 {
			if p := decode[struct{ Phase string }](t, data); name != "event: progress" || p.Phase == "" {
				t.Errorf("event %d of %d is %q", i, len(events), e)
			}
			continue
		}
		if a := decode[answer](t, data); name != "event: answer" || a.Verdict != "unknown" || a.Reason != "limit_time" {
			t.Errorf("the last event is %q", e)
		}
	}
	if len(events) < 2 {
		t.Errorf("a search of a second has %d events", len(events))
	}
}

// TestBatch holds the stream open: the answer to a line must come before the next line is sent.
func TestBatch(t *testing.T) {
	long(t)
	s := startService(t)
	body, lines := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"/v1/solve/batch", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", ndjsonType)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), ndjsonType) {
		t.Fatalf("%s, %s", resp.Status, resp.Header.Get("Content-Type"))
	}

	answers := bufio.NewScanner(resp.Body)
	next := func() string {
		t.Helper()
		if !answers.Scan() {
			t.Fatalf("the answers end too early: %v\n%s", answers.Err(), s.log)
		}
		return answers.Text()
	}
	for i, c := range []struct{ sfen, verdict string }{{mateIn1, "mate"}, {neverMate, "nomate"}, {mateIn3, "mate"}, {neverMate, "nomate"}} {
		if _, err := fmt.Fprintf(lines, `{"id":"line %d","sfen":%q}`+"\n", i, c.sfen); err != nil {
			t.Fatal(err)
		}
		if a := decode[answer](t, next()); a.ID != fmt.Sprintf("line %d", i) || a.Verdict != c.verdict {
			t.Errorf("answer %+v, want %s", a, c.verdict)
		}
	}
	// A line with a fault is answered in its place, and the stream goes on.
	if _, err := fmt.Fprintf(lines, `{"id":7,"sfen":%q}`+"\n"+`{"id":8,"sfen":%q}`+"\n", twoPawns, mateIn1); err != nil {
		t.Fatal(err)
	}
	fault := next()
	if p := decode[problem](t, fault); p.Status != http.StatusUnprocessableEntity || decode[answer](t, fault).ID != 7.0 {
		t.Errorf("fault %s", fault)
	}
	if a := decode[answer](t, next()); a.ID != 8.0 || a.Verdict != "mate" {
		t.Errorf("answer %+v", a)
	}
	lines.Close()
	if answers.Scan() {
		t.Errorf("an answer nobody asked for: %s", answers.Text())
	}
}

// TestPages: what is no verdict.
func TestPages(t *testing.T) {
	long(t)
	s := startService(t)
	foreign := regexp.MustCompile(`(?i)(src|href)\s*=\s*["']?(https?:)?//|@import|url\(\s*["']?(https?:)?//`)
	for _, c := range []struct {
		url, contentType string
		contains         []string
	}{
		{s.url + "/livez", "", nil},
		{s.url + "/readyz", "", nil},
		{s.url + "/openapi.json", jsonType, []string{`"openapi":"3.1`, `"/v1/solve"`, `"/v1/solve/batch"`}},
		{s.url + "/docs", "text/html", []string{"/v1/solve", "</html>"}},
		{s.admin + "/metrics", "text/plain", []string{"\ntsumero_", "\ngo_goroutines ", "\nprocess_start_time_seconds "}},
		{s.admin + "/debug/pprof/", "text/html", []string{"goroutine"}},
	} {
		r := s.send(t, "GET", c.url, "")
		if r.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", c.url, r.Status)
		}
		if got := r.Header.Get("Content-Type"); !strings.HasPrefix(got, c.contentType) && !strings.HasPrefix(got, "application/openapi+json") {
			t.Errorf("%s is %s, want %s", c.url, got, c.contentType)
		}
		for _, part := range c.contains {
			if !strings.Contains(r.body, part) {
				t.Errorf("%s does not contain %q", c.url, part)
			}
		}
		// Examples name this host.
		if hosts := foreign.FindAllString(strings.ReplaceAll(r.body, s.url, ""), -1); strings.HasPrefix(c.contentType, "text/html") && hosts != nil {
			t.Errorf("%s needs other hosts: %q", c.url, hosts)
		}
	}
	// The profiler and the metrics are for the operator alone.
	for _, path := range []string{"/metrics", "/debug/pprof/"} {
		if r := s.send(t, "GET", path, ""); r.StatusCode != http.StatusNotFound {
			t.Errorf("%s on the public listener: %s", path, r.Status)
		}
	}
}

// TestEmbedding: a page of another site may ask.
func TestEmbedding(t *testing.T) {
	long(t)
	s := startService(t)
	const site = "https://example.org"
	preflight := s.send(t, "OPTIONS", "/v1/solve", "", "Origin", site,
		"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type")
	if preflight.StatusCode/100 != 2 || preflight.Header.Get("Access-Control-Allow-Origin") == "" ||
		!strings.Contains(preflight.Header.Get("Access-Control-Allow-Methods"), "POST") ||
		!strings.EqualFold(preflight.Header.Get("Access-Control-Allow-Headers"), "content-type") {
		t.Errorf("preflight: %s, %v", preflight.Status, preflight.Header)
	}
	for _, r := range []reply{
		s.send(t, "GET", link(mateIn1), "", "Origin", site),
		s.send(t, "GET", link(twoPawns), "", "Origin", site), // a script must be able to read what is wrong
	} {
		if r.Header.Get("Access-Control-Allow-Origin") == "" {
			t.Errorf("%s without Access-Control-Allow-Origin", r.Status)
		}
	}
	stranger := startService(t, "--cors-origins", "https://shogi.example")
	if r := stranger.send(t, "GET", link(mateIn1), "", "Origin", site); r.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("another origin is allowed: %v", r.Header)
	}
}

// TestProblems makes one of each error, with the settings that a test of each needs.
func TestProblems(t *testing.T) {
	long(t)
	s := startService(t)
	types := map[int]string{}
	check := func(t *testing.T, r reply, status int) problem {
		t.Helper()
		if r.StatusCode != status {
			t.Errorf("%s, want %d: %s", r.Status, status, r.body)
		}
		if got := r.Header.Get("Content-Type"); got != problemType {
			t.Errorf("Content-Type %s", got)
		}
		if r.Header.Get("X-Request-Id") == "" {
			t.Error("no request id to find it in the log by")
		}
		if control := r.Header.Get("Cache-Control"); strings.Contains(control, "max-age") && !strings.Contains(control, "max-age=0") {
			t.Errorf("Cache-Control %q lets an error be kept", control)
		}
		p := decode[problem](t, r.body)
		if p.Status != r.StatusCode || p.Type == "" || p.Type == "about:blank" || p.Title == "" || p.Detail == "" {
			t.Errorf("problem %s", r.body)
		}
		for other, typ := range types {
			if other != status && typ == p.Type {
				t.Errorf("%d and %d share the type %s", other, status, typ)
			}
		}
		types[status] = p.Type
		return p
	}
	needs := func(t *testing.T, r reply, header string) {
		t.Helper()
		if r.Header.Get(header) == "" {
			t.Errorf("%s without %s: %v", r.Status, header, r.Header)
		}
	}

	t.Run("400", func(t *testing.T) {
		check(t, s.send(t, "POST", "/v1/solve", `{"sfen":`, "Content-Type", jsonType), 400)
	})
	t.Run("404", func(t *testing.T) {
		check(t, s.send(t, "GET", "/v1/nothing", ""), 404)
	})
	t.Run("405", func(t *testing.T) {
		r := s.send(t, "DELETE", "/v1/solve", "")
		check(t, r, 405)
		for _, method := range []string{"GET", "POST"} {
			if !strings.Contains(strings.Join(r.Header.Values("Allow"), ", "), method) {
				t.Errorf("Allow %q", r.Header.Values("Allow"))
			}
		}
	})
	t.Run("408", func(t *testing.T) {
		hurried := startService(t, "--connections", "read=100ms")
		half := startQuestion(t, hurried, "too-slow") // and never the other half
		resp, err := http.ReadResponse(half.in, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		check(t, reply{resp, string(body)}, 408)
	})
	t.Run("413", func(t *testing.T) {
		check(t, s.send(t, "POST", "/v1/solve", question(strings.Repeat("1", 1<<20)), "Content-Type", jsonType), 413)
	})
	t.Run("414", func(t *testing.T) {
		check(t, s.send(t, "GET", link(strings.Repeat("1", 20_000)), ""), 414)
	})
	t.Run("415", func(t *testing.T) {
		check(t, s.send(t, "POST", "/v1/solve", "sfen="+url.QueryEscape(mateIn1), "Content-Type", "application/x-www-form-urlencoded"), 415)
	})
	t.Run("422", func(t *testing.T) {
		p := check(t, s.send(t, "POST", "/v1/solve", fmt.Sprintf(`{"sfen":%q,"limits":{"plies":-1}}`, twoPawns), "Content-Type", jsonType), 422)
		for _, part := range []string{"sfen", "limits.plies"} {
			if !slices.ContainsFunc(p.Errors, func(f fault) bool { return strings.Contains(f.Location, part) && f.Message != "" }) {
				t.Errorf("nothing about %s in %+v", part, p.Errors)
			}
		}
	})
	t.Run("429", func(t *testing.T) {
		limited := startService(t, "--rate", "3")
		var r reply
		for range 20 {
			if r = limited.send(t, "GET", link(mateIn1), ""); r.StatusCode != http.StatusOK {
				break
			}
		}
		check(t, r, 429)
		needs(t, r, "Retry-After")
		if seconds, err := strconv.Atoi(r.Header.Get("Retry-After")); err != nil || seconds < 1 {
			t.Errorf("Retry-After %q", r.Header.Get("Retry-After"))
		}
	})
	t.Run("503", func(t *testing.T) {
		busy := startService(t, "--batches", "1")
		body, lines := io.Pipe()
		defer lines.Close()
		req, err := http.NewRequestWithContext(t.Context(), "POST", busy.url+"/v1/solve/batch", body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", ndjsonType)
		first, err := http.DefaultTransport.RoundTrip(req) // the service says that it listens before it has read a line
		if err != nil {
			t.Fatal(err)
		}
		defer first.Body.Close()
		r := busy.send(t, "POST", "/v1/solve/batch", question(mateIn1)+"\n", "Content-Type", ndjsonType)
		check(t, r, 503)
		needs(t, r, "Retry-After")
		if r := busy.send(t, "GET", link(mateIn1), ""); r.StatusCode != http.StatusOK {
			t.Errorf("single questions are turned away too: %s", r.Status)
		}
	})
	t.Run("pages", func(t *testing.T) {
		if len(types) < 10 {
			t.Fatalf("only %d problems were made", len(types))
		}
		for status, typ := range types {
			if page := s.send(t, "GET", typ, ""); page.StatusCode != http.StatusOK || !strings.HasPrefix(page.Header.Get("Content-Type"), "text/html") {
				t.Errorf("the type %s of %d: %s, %s", typ, status, page.Status, page.Header.Get("Content-Type"))
			}
		}
	})
}
