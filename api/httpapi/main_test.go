package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/solver/sched"
)

func TestMain(m *testing.M) {
	// What runs at once waits.
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

var update = flag.Bool("update", false, "write the answers of the examples into examples.json")

// Positions whose answers are known.
const (
	mateIn1   = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"
	mateIn3   = "9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1"
	neverMate = "4k4/9/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1"
)

// mateIn5 needs a solver that looks deeper than three plies. This is the line that it must give if
// it is to be certain.
const mateIn5 = "7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1"

var mateIn5Line = []string{"4e4c+", "P*3c", "4c3c", "1c1b", "2a2b+"}

// moves reads moves in USI.
func moves(texts ...string) (line []shogi.Move) {
	for _, text := range texts {
		m, err := shogi.ParseMove(text)
		if err != nil {
			panic(err)
		}
		line = append(line, m)
	}
	return line
}

// aSecond returns a solver that takes a second of a test's clock for mateIn5 and says how it goes,
// each time at a moment at which nobody asks.
func aSecond() solver.Solver {
	return solver.Func(func(ctx context.Context, _ shogi.Position, _ solver.Limits) solver.Result {
		var p solver.Progress
		line := moves(mateIn5Line...)
		for i := range 10 {
			time.Sleep(97 * time.Millisecond)
			p.Nodes += 97_000
			p.Spent[p.Phase] += 97 * time.Millisecond
			switch p.PN, p.DN, p.TableFill = uint64(40-4*i), uint64(10+i), float64(i)/100; {
			case i < 5:
				p.Line = line[:1]
			case i == 5:
				p.Phase, p.Mate, p.Line = solver.Shortening, 5, line
			case i == 9:
				p.NoMateWithin, p.Collections, p.Done = 3, 2, true
			}
			solver.ReporterOf(ctx).Report(p)
		}
		time.Sleep(30 * time.Millisecond)
		return solver.Result{Verdict: solver.Mate, Line: line, Exact: true, NoMateWithin: 3, Nodes: 970_000, Solver: "dfpn"}
	})
}

// A matePosition is a row of testdata/mates.tsv.
type matePosition struct {
	body  []byte // the question
	plies int
}

func matePositions(t testing.TB) []matePosition {
	t.Helper()
	data, err := os.ReadFile("testdata/mates.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var all []matePosition
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		sfen, plies, _ := strings.Cut(strings.TrimSpace(line), "\t")
		n, err := strconv.Atoi(plies)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, matePosition{[]byte(fmt.Sprintf(`{"sfen":%q,"limits":{"plies":3}}`, sfen)), n})
	}
	return all
}

// newServer returns a service with the real solvers, unless the Config has another, and without a
// rate limit, unless it has one.
func newServer(t testing.TB, c Config) *Server {
	t.Helper()
	if c.Solver == nil {
		report := func(p shogi.Position, r solver.Result, err error) {
			t.Errorf("unverified mate in %s: %v", p.SFEN(), err)
		}
		c.Solver = mate.New(mate.Options{Searches: 2, Report: report})
		c.Quick = mate.New(mate.Options{TableBytes: 1 << 20, Searches: runtime.GOMAXPROCS(0), Report: report})
		c.LongSearches = 2
	}
	if c.RatePerMinute == 0 {
		c.RatePerMinute = -1
	}
	if c.Registry == nil {
		c.Registry = prometheus.NewPedanticRegistry()
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// listen serves s on a loopback port until the end of the test.
func listen(t testing.TB, s *Server) string {
	t.Helper()
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	return server.URL
}

// do answers a request without a network.
func do(s *Server, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	return doContext(context.Background(), s, method, target, body, headers...)
}

func doContext(ctx context.Context, s *Server, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

func post(s *Server, sfen string) *httptest.ResponseRecorder {
	return do(s, "POST", "/v1/solve", question1(sfen), "Content-Type", jsonType)
}

func question1(sfen string) string { return fmt.Sprintf(`{"sfen":%q}`, sfen) }

func get(s *Server, sfen string, headers ...string) *httptest.ResponseRecorder {
	return do(s, "GET", "/v1/solve?sfen="+strings.NewReplacer(" ", "%20", "+", "%2B").Replace(sfen), "", headers...)
}

// parse reads JSON that must be there.
func parse[T any](t testing.TB, text []byte) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return v
}

// wantProblem checks that an answer is a problem of a kind, in every place that says so.
func wantProblem(t testing.TB, w *httptest.ResponseRecorder, k *wire.Kind) wire.Problem {
	t.Helper()
	p := parse[wire.Problem](t, w.Body.Bytes())
	if w.Code != k.Status || p.Status != k.Status || p.Type != k.TypeURI() || p.Title != k.Title || p.Detail == "" {
		t.Errorf("status %d, %s; want %d, %s", w.Code, w.Body, k.Status, k.TypeURI())
	}
	h := w.Header()
	if h.Get("Content-Type") != wire.ProblemType || h.Get("Cache-Control") != "no-store" || h.Get("ETag") != "" {
		t.Errorf("headers of a problem: %v", h)
	}
	if id := h.Get("X-Request-Id"); id == "" || id != p.RequestID {
		t.Errorf("request id %q in the header, %q in the body", id, p.RequestID)
	}
	return p
}

// metric returns the value of a counter or gauge, summed over the labels that are not given.
func metric(t testing.TB, s *Server, name string, labels ...string) float64 {
	t.Helper()
	families, err := s.config.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
	next:
		for _, m := range f.GetMetric() {
			for i := 0; i < len(labels); i += 2 {
				found := false
				for _, l := range m.GetLabel() {
					found = found || l.GetName() == labels[i] && l.GetValue() == labels[i+1]
				}
				if !found {
					continue next
				}
			}
			sum += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return sum
}

// untimed makes what differs from run to run the same, and from version to version of the solver.
func untimed(text []byte) []byte {
	text = regexp.MustCompile(`"solver":"dfpn","nodes":\d+`).ReplaceAll(text, []byte(`"solver":"dfpn","nodes":345`))
	if !bytes.Contains(text, []byte(`"level"`)) {
		text = regexp.MustCompile(`\],"nodes":\d+`).ReplaceAll(text, []byte(`],"nodes":345`)) // of all moves together
	}
	text = regexp.MustCompile(`"request_id":"\w+"`).ReplaceAll(text,
		[]byte(`"request_id":"b6f0c2a9"`))
	if bytes.Contains(text, []byte(wire.AnalysisSemantics)) {
		text = regexp.MustCompile(`"nodes":\d+`).ReplaceAll(text, []byte(`"nodes":345`))
	}
	text = regexp.MustCompile(`"id":"[a-z2-7]{26}"`).ReplaceAll(text, []byte(`"id":"`+exampleID+`"`))
	text = regexp.MustCompile(`"(created|started|finished|expires)":"[^"]*"`).ReplaceAll(text,
		[]byte(`"$1":"2026-11-21T10:00:00Z"`))
	text = regexp.MustCompile(`\nid: \d+`).ReplaceAll(text, []byte("\nid: 42"))
	return regexp.MustCompile(`"elapsed_us":\d+`).ReplaceAll(text, []byte(`"elapsed_us":42`))
}

// blocked returns a solver that says when it is asked, and answers when it is told to or its
// context ends.
func blocked() (s solver.Solver, asked chan shogi.Position, answer chan solver.Result) {
	asked, answer = make(chan shogi.Position, 100), make(chan solver.Result)
	return solver.Func(func(ctx context.Context, p shogi.Position, _ solver.Limits) solver.Result {
		asked <- p
		select {
		case r := <-answer:
			return r
		case <-ctx.Done():
			return solver.Result{Reason: solver.StopReason(ctx), Solver: "blocked"}
		}
	}), asked, answer
}

// TestExamples sends every example of the API description and wants the answer it shows. With
// -update it writes what it gets into examples.json instead.
func TestExamples(t *testing.T) {
	all := t
	idle := newJobs(t, queue.Options{})
	for _, e := range examples() {
		t.Run(strings.Trim(e.Operation+"/"+e.Name, "/"), func(t *testing.T) {
			prepare, ok := circumstances[e.When]
			if !ok {
				t.Fatalf("nothing is known about %q", e.When)
			}
			j := idle
			if isJobs(e.Path) || e.Path == "/v1/queue" {
				j = newJobs(t, prepare.jobs)
			}
			c := Config{Sessions: func() solver.Session { return dfpn.NewSession() },
				Levels: playLevels, NewEngine: knownOrChance, Known: knownProblems(t), Jobs: j.Queue.Queue}
			if prepare.config != nil {
				prepare.config(&c)
			}
			var resp *http.Response
			if prepare.clock {
				resp = byClock(t, c, e)
			} else {
				resp = overNetwork(t, all, c, prepare, e)
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != e.Status {
				t.Fatalf("status %s, want %d: %s", resp.Status, e.Status, body)
			}
			checkExampleHeaders(t, resp)
			body = untimed(body)
			if !prepare.clock { // a busy machine may be slow enough for them
				body = regexp.MustCompile(`event: progress\ndata: .*\n\n`).ReplaceAll(body, nil)
			}
			if *update {
				e.Answer = bytes.TrimSpace(body)
				if !json.Valid(body) || resp.Header.Get("Content-Type") == ndjsonType {
					e.Answer, _ = json.Marshal(string(body))
				}
				return
			}
			want := strings.TrimSpace(string(text(e.Answer)))
			if got := strings.TrimSpace(string(body)); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
	if *update && !t.Failed() {
		writeExamples(t)
	}
}

// overNetwork sends an example over a connection of its own. The service is not ended before the
// end of all: that may take half a second, in which net/http waits for a client whose body it has
// not read.
func overNetwork(t, all *testing.T, c Config, prepare circumstance, e *example) *http.Response {
	s := newServer(t, c)
	url := listen(all, s)
	if prepare.before != nil {
		prepare.before(t, s, url)
	}
	resp := sendExample(t, url, e)
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// byClock sends an example whose answer depends on the time that passes, and lets pass exactly
// that.
func byClock(t *testing.T, c Config, e *example) (resp *http.Response) {
	synctest.Test(t, func(t *testing.T) {
		headers := []string{"Content-Type", jsonType}
		for name, value := range e.Headers {
			headers = append(headers, name, value)
		}
		resp = do(newServer(t, c), e.Method, e.target(), string(text(e.Body)), headers...).Result()
	})
	return resp
}

func checkExampleHeaders(t *testing.T, resp *http.Response) {
	t.Helper()
	want := map[int]string{405: "Allow", 415: "Accept", 429: "Retry-After", 503: "Retry-After",
		202: "Location", 401: "Www-Authenticate"}[resp.StatusCode]
	if want == "Accept" && resp.Header.Get(want) == "" {
		want = "Accept-Encoding"
	}
	if want != "" && resp.Header.Get(want) == "" {
		t.Errorf("%s without %s: %v", resp.Status, want, resp.Header)
	}
	if resp.StatusCode >= 400 && resp.Header.Get("Content-Type") != wire.ProblemType {
		t.Errorf("%s is %s", resp.Status, resp.Header.Get("Content-Type"))
	}
}

// A circumstance makes the state of the service that an example takes.
type circumstance struct {
	config func(*Config)
	jobs   queue.Options
	before func(*testing.T, *Server, string)
	clock  bool // the answer depends on the time that passes
}

const (
	whenSmall    = "the service has little memory"
	whenSilent   = "the client is silent"
	whenStops    = "the client stops sending"
	whenLarge    = "the body is a megabyte of blanks"
	whenLargest  = "the body is 8 MiB of blanks"
	whenLongLine = "the first line is a megabyte of blanks"
	whenLongLink = "the query is 16 KiB of moves"
)

var circumstances = map[string]circumstance{
	"": {config: func(c *Config) { // on any machine
		c.MaxBatches, c.MaxAnalyses = 8, 1
	}},
	whenSmall: {config: func(c *Config) { c.Sessions, c.NewEngine = nil, nil }},
	"the analysis takes a second": {clock: true, config: func(c *Config) {
		c.Sessions = func() solver.Session { return slowSession{dfpn.NewSession()} }
	}},
	"all places for analyses are taken": {
		config: func(c *Config) {
			c.Sessions = func() solver.Session { return noSession{} }
			c.MaxAnalyses, c.AnalysisQueue = 1, -1
		},
		before: func(t *testing.T, s *Server, url string) {
			s.answers.Analyze = func(ctx context.Context, _ solver.Session, q analysis.Question,
				on func(analysis.Update)) (*analysis.Analysis, error) {
				return untilEnd(ctx, q, on)
			}
			q := s.answers.Analysis(&wire.AnalysisQuestion{Question: analysis.Question{
				Position: shogi.MustParseSFEN(mateIn1), Profile: analysis.Magazine}, SFEN: mateIn1, Time: time.Hour})
			q.Client = &sched.Client{}
			go s.scheduler.Ask(t.Context(), q)
			for metric(t, s, "tsumero_searches_in_flight", "pool", "analysis") == 0 {
				time.Sleep(time.Millisecond)
			}
		},
	},
	"all places for play are taken": {
		config: func(c *Config) {
			search, _ := waiting()
			c.NewEngine, c.MaxPlays, c.PlayQueue = makers(search), 1, -1
		},
		before: func(t *testing.T, s *Server, url string) {
			go s.scheduler.Ask(t.Context(), playQuestion(t, s, 0))
			for metric(t, s, "tsumero_searches_in_flight", "pool", "play") == 0 {
				time.Sleep(time.Millisecond)
			}
		},
	},
	whenSilent:   {config: func(c *Config) { c.BodyTimeout = 1 }}, // a nanosecond: over at once
	whenStops:    {},
	whenLarge:    {},
	whenLargest:  {},
	whenLongLine: {},
	whenLongLink: {},
	"the client has used up its rate": {
		config: func(c *Config) { c.RatePerMinute = 1 },
		before: func(t *testing.T, s *Server, url string) {
			resp, err := http.Post(url+"/v1/solve", jsonType, strings.NewReader(question1(mateIn1)))
			if err != nil || resp.StatusCode != http.StatusOK {
				t.Fatal(resp, err)
			}
			resp.Body.Close()
		},
	},
	"the solver panics": {config: func(c *Config) {
		c.Solver = solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result { panic("as asked") })
	}},
	"the search takes a second": {clock: true, config: func(c *Config) { c.Solver = aSecond() }},
	"all places for searches are taken": {
		config: func(c *Config) { c.Solver, _, _ = blocked(); c.Quick, c.MaxSearches, c.MaxQueue = c.Solver, 1, -1 },
		before: func(t *testing.T, s *Server, url string) {
			takeSlot(t, s)
		},
	},
	"all places for long searches are taken": {
		config: func(c *Config) { c.Solver, _, _ = blocked(); c.LongSearches, c.LongQueue = 1, -1 },
		before: func(t *testing.T, s *Server, url string) {
			takeSlot(t, s)
		},
	},
	"all places for batches are taken": {
		config: func(c *Config) { c.MaxBatches = 1 },
		before: func(t *testing.T, s *Server, url string) {
			s.batches.acquire(&client{})
		},
	},
	"the service is shutting down": {before: func(_ *testing.T, s *Server, _ string) { s.Drain() }},
}

// takeSlot makes a search that blocks take a slot, in the name of a client that nobody else is.
func takeSlot(t *testing.T, s *Server) {
	q, err := sched.NewQuestion(shogi.MustParseSFEN(mateIn5))
	if err != nil {
		t.Fatal(err)
	}
	q.Client = &sched.Client{}
	go s.scheduler.Ask(t.Context(), q)
	for metric(t, s, "tsumero_searches_in_flight") == 0 {
		time.Sleep(time.Millisecond)
	}
}

// sendExample sends an example over a connection of its own, byte by byte as it stands: no client
// of a library would send all of them.
func sendExample(t *testing.T, url string, e *example) *http.Response {
	t.Helper()
	body, size := text(e.Body), -1
	target := e.target()
	switch e.When {
	case whenSilent:
		size = 100
	case whenStops:
		size = len(body) + 100
	case whenLarge:
		size = 1 << 20 // the answer comes before it
	case whenLargest:
		size = 8 << 20
	case whenLongLine:
		body = append(bytes.Repeat([]byte(" "), 1<<20), fmt.Sprintf("\n{\"id\":2,\"sfen\":%q}\n", mateIn1)...)
	case whenLongLink:
		target += "?sfen=startpos%20moves" + strings.Repeat("%207g7f", maxURI/7)
	}
	if size < 0 {
		size = len(body)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	var head strings.Builder
	fmt.Fprintf(&head, "%s %s HTTP/1.1\r\nHost: tsumero.example\r\nX-Request-Id: b6f0c2a9\r\n", e.Method, target)
	if e.Method == "POST" {
		fmt.Fprintf(&head, "Content-Length: %d\r\n", size)
		if e.Headers["Content-Type"] == "" {
			contentType := jsonType
			if e.isBatch() {
				contentType = ndjsonType
			}
			fmt.Fprintf(&head, "Content-Type: %s\r\n", contentType)
		}
	}
	for name, value := range e.Headers {
		fmt.Fprintf(&head, "%s: %s\r\n", name, value)
	}
	head.WriteString("\r\n")
	if _, err := io.WriteString(conn, head.String()+string(body)); err != nil {
		t.Fatal(err)
	}
	if e.When == whenStops {
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: e.Method})
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// TestMetrics lints the names and texts after everything that can be counted was.
func TestMetrics(t *testing.T) {
	s := newServer(t, Config{RatePerMinute: 1000})
	post(s, mateIn1)
	post(s, mateIn1)
	get(s, neverMate)
	post(s, "4k4")
	do(s, "POST", "/v1/solve/batch", question1(mateIn1)+"\nx\n")
	do(s, "BREW", "/nowhere", "")
	s.clients.enter(netip.MustParseAddr("192.0.2.1")).charge(time.Now(), time.Hour)
	get(s, mateIn1) // one too many
	s.logPanic(context.Background(), "as asked")

	problems, err := testutil.GatherAndLint(s.config.Registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	for _, c := range []struct {
		want   float64
		name   string
		labels []string
	}{
		{2, "tsumero_http_requests_total", []string{"route", "/v1/solve", "method", "POST", "code", "200"}},
		{1, "tsumero_http_requests_total", []string{"route", "/v1/solve", "method", "POST", "code", "422"}},
		{1, "tsumero_http_requests_total", []string{"route", "/v1/solve", "method", "GET", "code", "429"}},
		{1, "tsumero_http_requests_total", []string{"route", "/v1/solve/batch", "method", "POST", "code", "200"}},
		{1, "tsumero_http_requests_total", []string{"route", "unmatched", "method", "other"}},
		{7, "tsumero_http_request_duration_seconds", nil},
		{0, "tsumero_http_requests_in_flight", nil},
		{3, "tsumero_solves_total", []string{"verdict", "mate", "reason", "", "solver", "mate1"}},
		{1, "tsumero_solves_total", []string{"verdict", "nomate", "reason", ""}},
		{2, "tsumero_search_duration_seconds", []string{"pool", "quick"}},
		{0, "tsumero_search_duration_seconds", []string{"pool", "long"}},
		{2, "tsumero_search_queue_wait_seconds", []string{"pool", "quick"}},
		{0, "tsumero_searches_in_flight", nil},
		{0, "tsumero_searches_queued", nil},
		{2, "tsumero_cache_requests_total", []string{"result", "hit"}},
		{2, "tsumero_cache_requests_total", []string{"result", "miss"}},
		{1, "tsumero_refused_total", []string{"reason", "rate"}},
		{1, "tsumero_batch_lines_total", []string{"outcome", "answer"}},
		{1, "tsumero_batch_lines_total", []string{"outcome", "problem"}},
		{0, "tsumero_unverified_mates_total", nil},
		{1, "tsumero_panics_total", nil},
		{1, "tsumero_build_info", []string{"version", "dev", "revision", "unknown", "goversion", runtime.Version()}},
	} {
		if got := metric(t, s, c.name, c.labels...); got != c.want {
			t.Errorf("%s%v is %v, want %v", c.name, c.labels, got, c.want)
		}
	}
	if metric(t, s, "tsumero_search_nodes_total") < 2 {
		t.Error("no nodes counted")
	}
}

// writeExamples replaces examples.json.
func writeExamples(t *testing.T) {
	t.Helper()
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(examples()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("examples.json", []byte(flatten(buf.String())), 0o644); err != nil {
		t.Fatal(err)
	}
}

// offset returns the offset of a fault, -1 for none.
func offset(f wire.Fault) int {
	if f.Offset == nil {
		return -1
	}
	return *f.Offset
}
