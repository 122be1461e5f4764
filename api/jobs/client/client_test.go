package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// A service takes jobs as the API does, by key, and has faults on demand.
type service struct {
	*httptest.Server
	t *testing.T

	mu     sync.Mutex         // a handler may not have ended when the client has its answer
	jobs   map[string]jobs.ID // by key
	body   map[jobs.ID]string
	faults []http.HandlerFunc // for the next requests
	asked  []*http.Request
}

func newService(t *testing.T) *service {
	s := &service{t: t, jobs: map[string]jobs.ID{}, body: map[jobs.ID]string{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// fail has the next requests meet these faults, and forgets those before.
func (s *service) fail(faults ...http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults, s.asked = faults, nil
}

func (s *service) client(key string) *Client {
	c, err := New(s.URL, key)
	if err != nil {
		s.t.Fatal(err)
	}
	return hurry(c)
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r)
	if len(s.faults) > 0 {
		fault := s.faults[0]
		s.faults = s.faults[1:]
		if fault != nil {
			fault(w, r)
			return
		}
	}
	if r.Method != http.MethodPost || r.URL.Path != "/v1/jobs" {
		http.NotFound(w, r)
		return
	}
	s.accept(w, r)
}

// accept takes a job in. s.mu is held.
func (s *service) accept(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	key := r.Header.Get("Idempotency-Key")
	id, replayed := s.jobs[key]
	if !replayed {
		id = jobs.NewID()
		s.jobs[key], s.body[id] = id, string(body)
	}
	if replayed {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	w.WriteHeader(http.StatusAccepted)
	fmt.Fprintf(w, `{"id":%q,"kind":"collection","state":"queued"}`, id)
}

// Faults of a service.
func refuse(status int, problem string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(status)
		fmt.Fprint(w, problem)
	}
}

// cutOff breaks the connection off.
func cutOff(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// acceptAndCutOff accepts the job, and the answer is lost.
func (s *service) acceptAndCutOff(_ http.ResponseWriter, r *http.Request) {
	s.accept(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

func submission(key, body string) *Submission {
	return &Submission{ContentType: "application/x-ndjson", Body: strings.NewReader(body), Key: key}
}

// TestSubmit: whatever happens on the way, a submission is one job, with all of its body.
func TestSubmit(t *testing.T) {
	s := newService(t)
	body := strings.Repeat("a line\n", 300_000) // more than one waits for 100 Continue with
	const busy = `{"type":"/problems/overloaded","status":503,"detail":"busy"}`
	for i, faults := range [][]http.HandlerFunc{
		{}, {refuse(503, busy), refuse(429, busy)}, {cutOff}, {s.acceptAndCutOff},
		{s.acceptAndCutOff, refuse(503, busy), s.acceptAndCutOff},
	} {
		s.fail(faults...)
		var waits []string
		c := s.client("")
		c.Waiting = func(why error, in time.Duration) { waits = append(waits, why.Error()) }
		j, again, err := c.Submit(t.Context(), submission(strconv.Itoa(i), body))
		if err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		s.mu.Lock()
		if len(s.jobs) != i+1 || string(s.jobs[strconv.Itoa(i)]) != j.ID || s.body[jobs.ID(j.ID)] != body {
			t.Errorf("%d: %d jobs, this one has %d bytes", i, len(s.jobs), len(s.body[jobs.ID(j.ID)]))
		}
		s.mu.Unlock()
		if again != (i >= 3) {
			t.Errorf("%d: accepted before: %v", i, again)
		}
		if len(waits) != len(faults) {
			t.Errorf("%d: waits for %q", i, waits)
		}
	}
}

// TestRefusals: what cannot succeed is not tried again, and says why.
func TestRefusals(t *testing.T) {
	s := newService(t)
	for _, c := range []struct {
		fault http.HandlerFunc
		code  string
		want  string
	}{
		{refuse(422, `{"type":"/problems/invalid_question","status":422,"detail":"The request has 1 fault.",
			"errors":[{"location":"body.sfen","message":"board: no king"}]}`), "invalid_question",
			"answers 422 Unprocessable Entity: The request has 1 fault.\n  body.sfen: board: no king"},
		{refuse(507, `{"type":"/problems/store_full","status":507,"detail":"No room."}`), "store_full", "No room."},
		{refuse(404, `{"type":"/problems/jobs_off","status":404,"detail":"No jobs here."}`), "jobs_off",
			"No jobs here."},
		{func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(w, `{"type":"/problems/quota_exceeded","status":429,"detail":"This job alone is more."}`)
		}, "quota_exceeded", "This job alone is more."},
		{func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }, "", "is the address right?"},
		{func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://elsewhere.example/v1/jobs", http.StatusPermanentRedirect)
		}, "", "elsewhere.example/v1/jobs, which is not followed"},
		{func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<html>") }, "", "not one of Tsumero"},
		{func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `{"id":"../x"}`) }, "", "not one of Tsumero"},
	} {
		s.fail(c.fault)
		_, _, err := s.client("secret").Submit(t.Context(), submission("k", "x\n"))
		if err == nil || !strings.Contains(err.Error(), c.want) || IsPassing(err) {
			t.Errorf("%v, want %s", err, c.want)
		}
		var refusal *Refusal
		if errors.As(err, &refusal) && refusal.Code != c.code {
			t.Errorf("%v has the code %q", err, refusal.Code)
		}
		s.mu.Lock()
		if len(s.asked) != 1 || s.asked[0].Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("asked %d times", len(s.asked))
		}
		s.mu.Unlock()
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the key is told: %v", err)
		}
	}
}

// TestPatience: a service that stays busy is given up in the end, and an interrupt ends the waiting
// at once.
func TestPatience(t *testing.T) {
	const busy = `{"type":"/problems/jobs_unavailable","status":503,"detail":"No quorum."}`
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		c, err := New("http://service.example", "")
		if err != nil {
			t.Fatal(err)
		}
		c.http.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			asked++
			w := httptest.NewRecorder()
			refuse(503, busy)(w, r)
			return w.Result(), nil
		})
		began := time.Now()
		_, err = c.Queue(t.Context())
		if err == nil || !strings.Contains(err.Error(), "No quorum.") || !IsPassing(err) {
			t.Error(err)
		}
		if took := time.Since(began); took > DefaultPatience || took < DefaultPatience/2 || asked < 20 {
			t.Errorf("%d requests in %v", asked, took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		began = time.Now()
		if _, err := c.Queue(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if took := time.Since(began); took != 1500*time.Millisecond {
			t.Errorf("ended after %v", took)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestAddress: the key is not sent where others can read it without a word of warning.
func TestAddress(t *testing.T) {
	for address, openly := range map[string]bool{
		"http://localhost:8080": false, "http://127.0.0.1:8080/": false, "http://[::1]:1": false,
		"https://tsume.example": false, "http://tsume.example": true, "http://10.0.0.1/under": true,
	} {
		c, err := New(address, "key")
		if err != nil || c.SendsKeyOpenly() != openly {
			t.Errorf("%s: %v", address, err)
		}
		if c, err := New(address, ""); err != nil || c.SendsKeyOpenly() {
			t.Errorf("%s without a key: %v", address, err)
		}
	}
	for _, address := range []string{"", "localhost:8080", "ftp://x", "https://", "https://u:p@x", "http://x?y"} {
		if _, err := New(address, ""); err == nil {
			t.Errorf("%q is taken", address)
		}
	}
	if _, err := New("https://x", "a\nb"); err == nil || strings.Contains(err.Error(), "a\nb") {
		t.Errorf("a key with a line break: %v", err)
	}
}

// results is a service that has the results of a job of n lines, of which it tells few at a time
// and in many ways not to the end.
type results struct {
	n     int
	mu    sync.Mutex
	ready int
	asked int
}

func (s *results) set(ready, asked int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready, s.asked = ready, asked
}

// ask returns the counts for a request, of which those for results count. It is called before
// anything is written: the client may ask again, and the test go on, before the handler has ended.
func (s *results) ask(count bool) (ready, asked int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ready = s.ready
	if count {
		s.asked++
		s.ready = min(s.n, s.ready+3)
	}
	return ready, s.asked
}

func (s *results) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ofResults := strings.HasSuffix(r.URL.Path, "/results")
	ready, asked := s.ask(ofResults)
	if !ofResults {
		state := jobs.Running
		if ready >= s.n {
			state = jobs.Done
		}
		fmt.Fprintf(w, `{"id":"x","state":%q,"lines":%d}`, state, s.n)
		return
	}
	from, _ := strconv.Atoi(r.URL.Query().Get("from"))
	if from%2 == 0 && from > 2 {
		from-- // a page may begin before what was asked for
	}
	end := min(from+6, ready+1)
	for i := from; i < end; i++ {
		if i%4 == 0 { // as a report has it
			fmt.Fprintf(w, `{"id":"q%d","line":%[1]d,"line":{"moves":[]}}`+"\n", i)
			continue
		}
		fmt.Fprintf(w, `{"line":%d,"text":%q}`+"\n", i, strings.Repeat("x", i*7000))
	}
	w.(http.Flusher).Flush()
	switch asked % 4 {
	case 0:
		panic(http.ErrAbortHandler)
	case 1:
		fmt.Fprint(w, `{"line":`)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	case 2:
		fmt.Fprint(w, "\n \n")
	}
	if end <= s.n && asked%4 >= 2 {
		fmt.Fprintf(w, `{"type":"/problems/not_finished","next":%d}`+"\n", end)
	}
}

// TestResults: results that are followed come whole, once and in order, however the connection
// breaks.
func TestResults(t *testing.T) {
	s := &results{n: 40, ready: 2}
	server := httptest.NewServer(s)
	defer server.Close()
	c, err := New(server.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	pauses := 0
	c.Waiting = func(error, time.Duration) { pauses++ }
	hurry(c)
	var got []int
	next, err := c.Results(t.Context(), "x", 1, true, func(l jobs.Line) error {
		if !json.Valid(l.Text) || l.Text[len(l.Text)-1] != '\n' {
			t.Errorf("line %d is cut off", l.Number)
		}
		got = append(got, l.Number)
		return nil
	})
	if err != nil || next != 41 || len(got) != 40 || !slices.IsSorted(got) || got[0] != 1 || got[39] != 40 {
		t.Errorf("%v, next %d, %v", got, next, err)
	}
	if pauses == 0 {
		t.Error("nothing broke off")
	}
	// Without follow it ends at the first line that is not done.
	s.set(3, 1)
	next, err = c.Results(t.Context(), "x", 2, false, func(l jobs.Line) error { return nil })
	if err != nil || next != 4 {
		t.Errorf("next %d, %v", next, err)
	}
	// What the caller cannot take ends it.
	full := errors.New("the disk is full")
	if next, err = c.Results(t.Context(), "x", 1, true, func(jobs.Line) error { return full }); err != full || next != 1 {
		t.Errorf("next %d, %v", next, err)
	}
}

// hurry makes a client wait for nothing.
func hurry(c *Client) *Client {
	c.sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	return c
}

// TestKeys: a submission that was never confirmed has the same key again, in a file that only its
// owner reads, and any other one has another.
func TestKeys(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "state")
	k := NewKeys(folder)
	c := newService(t).client("secret")
	other, err := New("https://elsewhere.example", "secret")
	if err != nil {
		t.Fatal(err)
	}
	key := func(c *Client, s *Submission) (string, func() error) {
		t.Helper()
		key, confirm, err := k.Key(c, s)
		if err != nil || len(key) < 20 {
			t.Fatalf("%q %v", key, err)
		}
		return key, confirm
	}
	first, _ := key(c, submission("", "a"))
	again, confirm := key(c, submission("", "a"))
	if first != again {
		t.Error("another key for the same")
	}
	keys := map[string]bool{first: true}
	withQuery := submission("", "a")
	withQuery.Query = map[string][]string{"nodes": {"5"}}
	for _, one := range []struct {
		c *Client
		s *Submission
	}{{c, submission("", "b")}, {other, submission("", "a")}, {c, withQuery}} {
		another, _ := key(one.c, one.s)
		keys[another] = true
	}
	if len(keys) != 4 {
		t.Errorf("%d keys for 4 submissions", len(keys))
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*"))
	if len(files) != 4 {
		t.Errorf("files %q", files)
	}
	for _, name := range append(files, folder) {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
		if text, _ := os.ReadFile(name); bytes.Contains(text, []byte("secret")) {
			t.Errorf("%s has the API key", name)
		}
	}
	for range 2 {
		if err := confirm(); err != nil {
			t.Error(err)
		}
	}
	if fresh, _ := key(c, submission("", "a")); fresh == first {
		t.Error("a key is used for a second job")
	}
	// A damaged file is replaced.
	name, err := k.name(c, submission("", "a"))
	if err == nil {
		err = os.WriteFile(name, []byte(`{"ke`), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	fresh, _ := key(c, submission("", "a"))
	if again, _ := key(c, submission("", "a")); again != fresh {
		t.Error("a damaged file stays")
	}
	// Old ones are of no use.
	old := time.Now().Add(-2 * keysLast)
	if err := os.Chtimes(name, old, old); err != nil {
		t.Fatal(err)
	}
	if again, _ := key(c, submission("", "a")); again == fresh {
		t.Error("an old key is used")
	}
}

// TestKeysAtOnce: two programs that submit the same at the same time submit one job.
func TestKeysAtOnce(t *testing.T) {
	k := NewKeys(t.TempDir())
	c := newService(t).client("")
	found := make([]string, 8)
	var all sync.WaitGroup
	for i := range found {
		all.Go(func() {
			key, _, err := k.Key(c, submission("", "a"))
			if found[i] = key; err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	seen := map[string]bool{}
	for _, key := range found {
		seen[key] = true
	}
	if len(seen) != 1 {
		t.Errorf("keys %q", slices.Collect(maps.Keys(seen)))
	}
}
