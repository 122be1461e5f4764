package httpapi

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
)

// jobServer returns a service with jobs that nobody works on.
func jobServer(t testing.TB, c Config, classes map[string]queue.Class) (*Server, *testJobs) {
	t.Helper()
	j := newJobs(t, queue.Options{Classes: classes})
	c.Jobs = j.Queue.Queue
	if c.Sessions == nil {
		c.Sessions = func() solver.Session { return dfpn.NewSession() }
	}
	return newServer(t, c), j
}

// workingServer returns a service with jobs and a worker.
func workingServer(t testing.TB) (*Server, *testJobs) {
	t.Helper()
	s, j := jobServer(t, Config{}, nil)
	j.work(t, s)
	return s, j
}

// submitted submits a job that must be accepted.
func submitted(t testing.TB, s *Server, target, body string, headers ...string) wire.Job {
	t.Helper()
	w := do(s, "POST", target, body, headers...)
	j := parse[wire.Job](t, w.Body.Bytes())
	h := w.Header()
	if w.Code != http.StatusAccepted || h.Get("Location") != "/v1/jobs/"+j.ID || h.Get("Etag") == "" {
		t.Fatalf("%d %v %s", w.Code, h, w.Body)
	}
	if _, err := jobs.ParseID(j.ID); err != nil {
		t.Error(err)
	}
	return j
}

var ndjson = []string{"Content-Type", ndjsonType}

func jobOf(t testing.TB, s *Server, id string) wire.Job {
	t.Helper()
	w := do(s, "GET", "/v1/jobs/"+id, "")
	if w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return parse[wire.Job](t, w.Body.Bytes())
}

// plain returns what GET says of a question.
func plain(t testing.TB, s *Server, sfen string) string {
	t.Helper()
	w := get(s, sfen)
	if w.Code != http.StatusOK {
		t.Fatal(w.Body)
	}
	return w.Body.String()
}

// TestJobAnswers: a job is answered with the bytes of GET /v1/solve, in every form that a question
// can come in, and as a record in every notation.
func TestJobAnswers(t *testing.T) {
	s, j := workingServer(t)
	kif := do(s, "POST", "/v1/solve/record/kif", question1(mateIn5), "Content-Type", jsonType).Body.String()
	for name, c := range map[string]struct{ target, body, contentType, sfen string }{
		"JSON": {"/v1/jobs", question1(mateIn3), jsonType, mateIn3},
		"SFEN": {"/v1/jobs?time_ms=1000", mateIn3, "application/x-sfen", mateIn3},
		"KIF":  {"/v1/jobs", kif, "application/x-kif", mateIn5},
		"text": {"/v1/jobs?after=0", neverMate, "text/plain", neverMate},
	} {
		t.Run(name, func(t *testing.T) {
			job := submitted(t, s, c.target, c.body, "Content-Type", c.contentType)
			if job.Kind != "problem" || job.Lines != 1 {
				t.Errorf("%+v", job)
			}
			j.Await(t, jobs.ID(job.ID), jobs.Done)
			want := plain(t, s, c.sfen)
			if got := string(jobOf(t, s, job.ID).Answer) + "\n"; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			forms := map[string]string{"/v1/solve": "/result"}
			for _, format := range recordFormats {
				forms["/v1/solve/record/"+format] = "/record/" + format
			}
			for question, result := range forms {
				w := do(s, "GET", "/v1/jobs/"+job.ID+result, "")
				solve := do(s, "POST", question, question1(c.sfen), "Content-Type", jsonType)
				got, want := w.Body.String(), solve.Body.String()
				want = regexp.MustCompile(`,"elapsed_us":\d+`).ReplaceAllString(want, "")
				if w.Code != http.StatusOK || got != want ||
					w.Header().Get("Content-Type") != solve.Header().Get("Content-Type") {
					t.Errorf("%s: %s %s, want %s", result, w.Header().Get("Content-Type"), got, want)
				}
				again := do(s, "GET", "/v1/jobs/"+job.ID+result, "", "If-None-Match", w.Header().Get("Etag"))
				if again.Code != http.StatusNotModified || again.Body.Len() > 0 {
					t.Errorf("%s again: %d %s", result, again.Code, again.Body)
				}
			}
		})
	}
}

// An answer that tells of missing pieces tells so in records, too.
func TestJobMissingPieces(t *testing.T) {
	s, j := workingServer(t)
	const sfen = "7R1/9/8k/8p/5R3/9/9/9/9 b - 1"
	job := submitted(t, s, "/v1/jobs", question1(sfen))
	j.Await(t, jobs.ID(job.ID), jobs.Done)
	got := do(s, "GET", "/v1/jobs/"+job.ID+"/record/kif", "").Body.String()
	want := do(s, "POST", "/v1/solve/record/kif", question1(sfen)).Body.String()
	if got != want || !strings.Contains(got, "駒が35枚足りません") {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestJobAnalysis(t *testing.T) {
	s, j := workingServer(t)
	want := do(s, "GET", "/v1/analyze?profile=strict&line=G*5c,5b6a,G*6b&sfen="+
		strings.ReplaceAll(mateIn3, " ", "%20"), "").Body.String()
	for _, job := range []wire.Job{
		submitted(t, s, "/v1/jobs",
			`{"sfen":"`+mateIn3+`","analyze":{"profile":"strict","line":["G*5c","5b6a","G*6b"]}}`),
		submitted(t, s, "/v1/jobs?ask=analyze&profile=strict", mateIn3+" moves G*5c 5b6a G*6b",
			"Content-Type", "application/x-sfen"),
	} {
		if job.Kind != "analysis" || job.Ask != "analyze" {
			t.Errorf("%+v", job)
		}
		j.Await(t, jobs.ID(job.ID), jobs.Done)
		w := do(s, "GET", "/v1/jobs/"+job.ID+"/result", "")
		if got := w.Body.String(); got != want || w.Header().Get("Content-Type") != jsonType {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		wantProblem(t, do(s, "GET", "/v1/jobs/"+job.ID+"/record/kif", ""), wire.NotFound)
	}
	collection := submitted(t, s, "/v1/jobs?ask=analyze&profile=strict",
		`{"id":1,"sfen":"`+mateIn3+`","line":["G*5c","5b6a","G*6b"]}`, ndjson...)
	j.Await(t, jobs.ID(collection.ID), jobs.Done)
	got := do(s, "GET", "/v1/jobs/"+collection.ID+"/results", "").Body.String()
	if got != `{"line":1,"id":1,`+want[1:] {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestJobCollection: the answers to lines are those of a batch, in pages, followed and compressed,
// while they are found and afterwards.
func TestJobCollection(t *testing.T) {
	s, j := jobServer(t, Config{}, nil)
	var body, want strings.Builder
	for _, p := range matePositions(t) { // 200
		fmt.Fprintf(&body, "%s\n\n", p.body)
	}
	body.WriteString("x\n" + strings.Repeat(" ", 70_000) + "\n" + strings.Repeat("y", 70_000) + "\n")
	for range 1100 {
		body.WriteString(question1(mateIn1) + "\n")
	}
	number := 0
	batch := bufio.NewScanner(do(s, "POST", "/v1/solve/batch", body.String()).Body)
	for line := range strings.Lines(body.String()) {
		number++
		if strings.TrimSpace(line) == "" && len(line) < 70_000 {
			continue
		}
		if !batch.Scan() {
			t.Fatal("the batch ends early")
		}
		text := regexp.MustCompile(`,"elapsed_us":\d+`).ReplaceAllString(batch.Text(), "")
		if !strings.HasPrefix(text, `{"line":`) {
			text = fmt.Sprintf(`{"line":%d,%s`, number, text[1:])
		}
		want.WriteString(text + "\n")
	}

	job := submitted(t, s, "/v1/jobs", body.String(), ndjson...)
	target := "/v1/jobs/" + job.ID + "/results"
	followed := make(chan string)
	go func() { followed <- do(s, "GET", target+"?follow=true", "").Body.String() }()
	j.work(t, s)
	var paged strings.Builder
	pages := 0
	for next := target + "?limit=300"; next != ""; pages++ {
		w := do(s, "GET", next, "")
		text := w.Body.String()
		if i := strings.Index(text, `{"next":`); i >= 0 {
			if !strings.Contains(text[i:], "/problems/not_finished") || text[len(text)-1] != '\n' {
				t.Fatal(text)
			}
			text = text[:i]
			time.Sleep(time.Millisecond)
		}
		paged.WriteString(text)
		link := w.Header().Get("Link")
		next, _, _ = strings.Cut(strings.TrimPrefix(link, "<"), `>; rel="next"`)
		if link != "" && next == link {
			t.Fatalf("link %q", link)
		}
	}
	whole := do(s, "GET", target, "")
	if got := whole.Body.String(); got != want.String() {
		t.Errorf("%d bytes, want %d", len(got), want.Len())
	}
	if paged.String() != want.String() || pages < 5 {
		t.Errorf("%d bytes on %d pages, want %d", paged.Len(), pages, want.Len())
	}
	if got := <-followed; got != want.String() {
		t.Errorf("%d bytes followed, want %d", len(got), want.Len())
	}
	if n := strings.Count(want.String(), "/problems/"); n != 3 {
		t.Errorf("%d problems, want 3", n)
	}

	tag := whole.Header().Get("Etag")
	zipped := do(s, "GET", target, "", "Accept-Encoding", "br, gzip;q=0.5")
	r, err := gzip.NewReader(zipped.Body)
	if err != nil || zipped.Header().Get("Content-Encoding") != "gzip" {
		t.Fatal(zipped.Header(), err)
	}
	if got, err := io.ReadAll(r); err != nil || string(got) != want.String() {
		t.Errorf("%d bytes unzipped, want %d; %v", len(got), want.Len(), err)
	}
	zippedTag := zipped.Header().Get("Etag")
	if tag == "" || strings.HasPrefix(tag, "W/") || zippedTag == "" || zippedTag == tag {
		t.Errorf("tags %q and %q", tag, zippedTag)
	}
	for _, h := range [][]string{{"If-None-Match", tag}, {"If-None-Match", zippedTag, "Accept-Encoding", "gzip"}} {
		if w := do(s, "GET", target, "", h...); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
			t.Errorf("%v: %d", h, w.Code)
		}
	}
	if w := do(s, "GET", target, "", "Accept-Encoding", "gzip;q=0"); w.Header().Get("Content-Encoding") != "" {
		t.Error("gzip that nobody accepts")
	}
	done := jobOf(t, s, job.ID)
	if done.Done != 1303 || done.Lines != 1303 || done.Counts.Faulty != 3 || done.Counts.Mate != 1300 ||
		done.Answer != nil {
		t.Errorf("%+v", done)
	}
}

// TestJobWait: a job that changes between a look at it and a request that waits is not missed, and
// one that does not change is a 304.
func TestJobWait(t *testing.T) {
	t.Parallel()
	s, j := jobServer(t, Config{}, nil)
	for range 100 {
		w := do(s, "POST", "/v1/jobs", question1(mateIn1))
		id, tag := parse[wire.Job](t, w.Body.Bytes()).ID, w.Header().Get("Etag")
		go func() {
			if err := j.Cancel(context.Background(), jobs.ID(id)); err != nil {
				t.Error(err)
			}
		}()
		w = do(s, "GET", "/v1/jobs/"+id, "", "If-None-Match", tag, "Prefer", "wait=10")
		if w.Code != http.StatusOK || parse[wire.Job](t, w.Body.Bytes()).State != "cancelled" ||
			w.Header().Get("Preference-Applied") != "wait=10" || w.Header().Get("Etag") == tag {
			t.Fatalf("%d %v %s", w.Code, w.Header(), w.Body)
		}
	}
	w := do(s, "POST", "/v1/jobs", question1(mateIn1))
	target, tag := w.Header().Get("Location"), w.Header().Get("Etag")
	var waits sync.WaitGroup
	for wait, want := range map[string]time.Duration{"": 0, "wait=1": time.Second, "respond-async, WAIT = 1 ; x": time.Second,
		"wait=0": 0, "wait=x": 0} {
		waits.Go(func() {
			began := time.Now()
			w := do(s, "GET", target, "", "If-None-Match", tag, "Prefer", wait)
			took := time.Since(began)
			if w.Code != http.StatusNotModified || w.Body.Len() > 0 || w.Header().Get("Etag") != tag ||
				took < want || want == 0 && took >= maxJobWait {
				t.Errorf("%q: %d after %v", wait, w.Code, took)
			}
		})
	}
	waits.Wait()
	if got := waitPreference([]string{"handling=strict", `wait="100000"`}); got != maxJobWait {
		t.Errorf("waits %v", got)
	}
	// Whoever knows another revision gets the present at once.
	if w := do(s, "GET", target, "", "If-None-Match", `W/"999999"`, "Prefer", "wait=60"); w.Code != http.StatusOK {
		t.Error(w.Code)
	}
	// The end of the service ends the wait, not the job.
	began := time.Now()
	time.AfterFunc(50*time.Millisecond, s.Drain)
	w = do(s, "GET", target, "", "If-None-Match", tag, "Prefer", "wait=60")
	if w.Code != http.StatusNotModified || time.Since(began) >= maxJobWait {
		t.Errorf("draining: %d after %v", w.Code, time.Since(began))
	}
	for _, target := range []string{target + "/results?follow=true"} {
		if w := do(s, "GET", target, ""); !strings.Contains(w.Body.String(), "/problems/shutting_down") {
			t.Errorf("draining: %s", w.Body)
		}
	}
	if w := do(s, "GET", target+"/events", ""); !strings.HasPrefix(w.Body.String(), "event: state\n") {
		t.Errorf("draining: %s", w.Body)
	}
}

func TestJobDelete(t *testing.T) {
	s, j := jobServer(t, Config{}, nil)
	target := "/v1/jobs/" + submitted(t, s, "/v1/jobs", question1(mateIn1)).ID
	for range 2 {
		if w := do(s, "DELETE", target, ""); w.Code != http.StatusNoContent || w.Body.Len() > 0 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	wantProblem(t, do(s, "GET", target+"/result", ""), wire.JobFinished)
	for range 2 {
		if w := do(s, "DELETE", target+"?purge=true", ""); w.Code != http.StatusNoContent {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	for _, path := range []string{"", "/result", "/results", "/results?follow=true", "/results?limit=1"} {
		wantProblem(t, do(s, "GET", target+path, ""), wire.JobGone)
	}
	wantProblem(t, do(s, "GET", target+"/events", ""), wire.JobGone)
	j.work(t, s)
	id := submitted(t, s, "/v1/jobs", question1(mateIn1)).ID
	j.Await(t, jobs.ID(id), jobs.Done)
	wantProblem(t, do(s, "DELETE", "/v1/jobs/"+id, ""), wire.JobFinished)
	if w := do(s, "PUT", target, ""); w.Header().Get("Allow") != "DELETE, GET, HEAD, OPTIONS" {
		t.Errorf("%v", w.Header())
	}
}

// TestJobIDs: nobody finds a job by an id that is near, or that is none.
func TestJobIDs(t *testing.T) {
	s, _ := jobServer(t, Config{}, nil)
	seen := map[string]bool{}
	for range 5 {
		for _, headers := range [][]string{{}, {"Idempotency-Key", "1"}, {"Idempotency-Key", "2"}} {
			seen[submitted(t, s, "/v1/jobs", question1(mateIn1), headers...).ID] = true
		}
	}
	if len(seen) != 7 {
		t.Errorf("%d jobs, want 7", len(seen))
	}
	first := map[string]bool{}
	for id := range seen {
		first[id[:8]] = true // nothing is counted up
		near := []byte(id)
		near[25] ^= 4 // another of a to z and 2 to 7, or none
		for _, bad := range []string{string(near), id[:25], strings.ToUpper(id), id + "a", "..", "%2e%2e"} {
			w := do(s, "GET", "/v1/jobs/"+bad, "")
			if w.Code != http.StatusNotFound {
				t.Errorf("%s: %d", bad, w.Code)
			}
		}
	}
	if len(first) != len(seen) {
		t.Error("ids begin alike")
	}
}

// TestJobIdempotency: the header is what decides, with the client.
func TestJobIdempotency(t *testing.T) {
	s, _ := jobServer(t, Config{APIKeys: testKeys()}, nil)
	post := func(body string, headers ...string) *httptest.ResponseRecorder {
		return do(s, "POST", "/v1/jobs", body, append(headers, "Idempotency-Key", "k")...)
	}
	first := post(question1(mateIn1))
	id := parse[wire.Job](t, first.Body.Bytes()).ID
	again := post(`{ "sfen": "` + mateIn1 + `", "limits": {} }`) // the same question in other bytes
	if again.Code != http.StatusAccepted || parse[wire.Job](t, again.Body.Bytes()).ID != id ||
		again.Header().Get("Idempotent-Replayed") != "true" || first.Header().Get("Idempotent-Replayed") != "" {
		t.Errorf("%d %v %s", again.Code, again.Header(), again.Body)
	}
	for _, body := range []string{question1(mateIn3), `{"sfen":"` + mateIn1 + `","note":"x"}`,
		`{"sfen":"` + mateIn1 + `","priority":"low"}`, `{"sfen":"` + mateIn1 + `","limits":{"nodes":5}}`,
		`{"sfen":"` + mateIn1 + `","analyze":{}}`} {
		wantProblem(t, post(body), wire.IdempotencyMismatch)
	}
	wantProblem(t, post(question1(mateIn1), "Content-Type", ndjsonType), wire.IdempotencyMismatch)
	if w := post(question1(mateIn1), "Authorization", "Bearer anna-knows"); w.Code != http.StatusAccepted ||
		parse[wire.Job](t, w.Body.Bytes()).ID == id {
		t.Errorf("the key of another client: %s", w.Body)
	}
	for _, key := range []string{"", strings.Repeat("x", 256), "a\tb", "ü"} {
		p := wantProblem(t, do(s, "POST", "/v1/jobs", question1(mateIn1), "Idempotency-Key", key),
			wire.InvalidQuestion)
		if p.Errors[0].Location != "header.Idempotency-Key" {
			t.Errorf("%+v", p)
		}
	}
}

// TestJobTornUpload: a client that is cut off in the middle of a collection completes it with the
// same key; without one nothing is left. Of a long collection a part is stored by then.
func TestJobTornUpload(t *testing.T) {
	s, j := jobServer(t, Config{}, map[string]queue.Class{queue.Anonymous: {Active: 1, Waiting: 9, Lines: 30_000,
		Time: time.Minute, Bytes: 64 << 20, Keep: time.Hour}})
	url := listen(t, s)
	short := strings.Repeat(question1(mateIn1)+"\n", 900)
	long := strings.Repeat(`{"id":"`+strings.Repeat("x", 250)+`",`+question1(mateIn1)[1:]+"\n", 9000)
	receiving := func() (n int) {
		row := j.DB(t).QueryRowContext(t.Context(), `select count(*) from tsumero_job where state = 'receiving'`)
		if err := row.Scan(&n); err != nil {
			t.Error(err)
		}
		return n
	}
	want := map[jobs.ID]int{} // lines
	for body, stored := range map[string]int{short: 0, long: 1} {
		lines := strings.Count(body, "\n")
		name := strconv.Itoa(lines)
		for _, key := range []string{"Idempotency-Key: " + name + "\r\n", ""} {
			for _, cut := range []int{0, 10, len(body) / 2, len(body) - 1} {
				conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(conn, "POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\n%sContent-Length: %d\r\n\r\n%s",
					ndjsonType, key, len(body), body[:cut])
				if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
					t.Fatal(err)
				}
				resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil || resp.StatusCode != http.StatusBadRequest {
					t.Fatal(resp, err)
				}
				conn.Close()
			}
		}
		if n := receiving(); n != stored {
			t.Errorf("%d lines: %d jobs are incomplete, want %d", lines, n, stored)
		}
		r, _ := http.NewRequest("POST", url+"/v1/jobs", strings.NewReader(body))
		r.Header.Set("Content-Type", ndjsonType)
		r.Header.Set("Idempotency-Key", name)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		job := parse[wire.Job](t, text)
		if resp.StatusCode != http.StatusAccepted || job.Lines != lines || resp.Header.Get("Idempotent-Replayed") != "" {
			t.Fatalf("%s %s", resp.Status, text)
		}
		want[jobs.ID(job.ID)] = lines
	}
	j.work(t, s)
	for id, lines := range want {
		j.Await(t, id, jobs.Done)
		if n := strings.Count(do(s, "GET", "/v1/jobs/"+string(id)+"/results", "").Body.String(), "\n"); n != lines {
			t.Errorf("%d results, want %d", n, lines)
		}
	}
}

// TestJobQuotas: each of them, and what it says.
func TestJobQuotas(t *testing.T) {
	const line = 77 // at least
	room := queue.Class{Active: 1, Waiting: 1, Lines: 100, Time: time.Second, Bytes: 1 << 20}
	two := question1(mateIn1) + "\n" + question1(mateIn1) + "\n"
	for name, c := range map[string]struct {
		class       func(*queue.Class)
		body        string
		kind        *wire.Kind
		detail      string
		retry, good int
	}{
		"jobs":  {func(*queue.Class) {}, two, wire.QuotaExceeded, "The client has too many jobs that have not ended: at most 2.", 1, 2},
		"lines": {func(c *queue.Class) { c.Lines = 3 }, two, wire.QuotaExceeded, "The client has too many lines in jobs that have not ended: at most 3.", 1, 1},
		"lines alone": {func(c *queue.Class) { c.Lines = 1 }, two, wire.QuotaExceeded,
			"The client has too many lines in jobs that have not ended: at most 1. This job alone is more.", 0, 0},
		"bytes":       {func(c *queue.Class) { c.Bytes = 2*(300+line) + 200 }, two, wire.QuotaExceeded, "bytes stored", 1, 1},
		"bytes alone": {func(c *queue.Class) { c.Bytes = 2 * (300 + line - 30) }, two, wire.QuotaExceeded, "This job alone", 0, 0},
		"time":        {func(*queue.Class) {}, `{"sfen":"` + mateIn1 + `","limits":{"time_ms":1001}}`, wire.InvalidQuestion, "fault", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			class := room
			c.class(&class)
			s, _ := jobServer(t, Config{}, map[string]queue.Class{queue.Anonymous: class})
			contentType := jsonType
			if c.body == two {
				contentType = ndjsonType
			}
			for range c.good {
				submitted(t, s, "/v1/jobs", c.body, "Content-Type", contentType)
			}
			w := do(s, "POST", "/v1/jobs", c.body, "Content-Type", contentType)
			p := wantProblem(t, w, c.kind)
			if !strings.Contains(p.Detail, c.detail) || (w.Header().Get("Retry-After") != "") != (c.retry > 0) {
				t.Errorf("%s, retry after %q", p.Detail, w.Header().Get("Retry-After"))
			}
			if c.kind == wire.QuotaExceeded && metric(t, s, "tsumero_jobs_refused_total", "reason", "quota") != 1 {
				t.Error("not counted")
			}
		})
	}
}

// TestLocalClass: who asks on the same machine has its class, and nobody who comes from elsewhere.
func TestLocalClass(t *testing.T) {
	class := queue.Class{Active: 1, Waiting: 100, Lines: 1, Time: time.Second, Bytes: 1 << 20}
	local := class
	local.Lines = 100
	classes := map[string]queue.Class{queue.Anonymous: class, queue.Keyed: local}
	const here, elsewhere = "127.0.0.1:5000", "192.0.2.1:5000"
	for name, c := range map[string]struct {
		class, addr, host string
		header, value     string
		want              int
	}{
		"here":             {queue.Keyed, here, "localhost:8080", "", "", http.StatusAccepted},
		"by number":        {queue.Keyed, "[::1]:5000", "[::1]:8080", "", "", http.StatusAccepted},
		"its own page":     {queue.Keyed, here, "localhost:8080", "Origin", "http://localhost:8080", http.StatusAccepted},
		"no local class":   {"", here, "localhost:8080", "", "", http.StatusTooManyRequests},
		"elsewhere":        {queue.Keyed, elsewhere, "localhost:8080", "", "", http.StatusTooManyRequests},
		"a proxy":          {queue.Keyed, here, "localhost:8080", "X-Forwarded-For", "192.0.2.1", http.StatusTooManyRequests},
		"an HTTP/1.0 one":  {queue.Keyed, here, "localhost:8080", "Via", "1.0 cache", http.StatusTooManyRequests},
		"one with a name":  {queue.Keyed, here, "tsume.example.org", "", "", http.StatusTooManyRequests},
		"a page elsewhere": {queue.Keyed, here, "localhost:8080", "Origin", "https://example.org", http.StatusForbidden},
	} {
		s, _ := jobServer(t, Config{LocalClass: c.class}, classes)
		two := question1(mateIn1) + "\n" + question1(mateIn1) + "\n"
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/v1/jobs", strings.NewReader(two))
		r.RemoteAddr, r.Host = c.addr, c.host
		r.Header.Set("Content-Type", ndjsonType)
		if c.header != "" {
			r.Header.Set(c.header, c.value)
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s: %d %s, want %d", name, w.Code, w.Body, c.want)
		}
	}
}

// TestForeignOrigin: pages of other sites submit and cancel no jobs, without a key, unless the operator
// names them. They may look.
func TestForeignOrigin(t *testing.T) {
	for _, c := range []struct {
		name    string
		allowed []string
		headers []string
		want    bool
	}{
		{"no page", []string{"*"}, nil, true},
		{"own page", []string{"*"}, []string{"Origin", "http://example.com"}, true},
		{"own page behind TLS", nil, []string{"Origin", "https://example.com", "X-Forwarded-Proto", "https"}, true},
		{"every page may ask", []string{"*"}, []string{"Origin", "https://example.org"}, false},
		{"a form in a sandbox", []string{"*"}, []string{"Origin", "null"}, false},
		{"what the browser says", []string{"*"}, []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://example.org"}, false},
		{"named", []string{"https://example.org"}, []string{"Origin", "https://example.org"}, true},
		{"a longer name", []string{"https://example.org"}, []string{"Origin", "https://example.org.evil.example"}, false},
		{"below a name", []string{"https://*.example.org"}, []string{"Origin", "https://a.example.org"}, true},
		{"beside a name", []string{"https://*.example.org"}, []string{"Origin", "https://example.net"}, false},
	} {
		s, _ := jobServer(t, Config{CORSOrigins: c.allowed}, nil)
		id := submitted(t, s, "/v1/jobs", question1(mateIn1)).ID
		for target, method := range map[string]string{"/v1/jobs": "POST", "/v1/jobs/" + id: "DELETE"} {
			w := do(s, method, target, question1(mateIn1), c.headers...)
			if c.want == (w.Code == http.StatusForbidden) {
				t.Errorf("%s: %s is %d %s", c.name, method, w.Code, w.Body)
			}
			if !c.want {
				wantProblem(t, w, wire.ForeignOrigin)
			}
		}
		if w := do(s, "GET", "/v1/jobs/"+id, "", c.headers...); w.Code != 200 {
			t.Errorf("%s: to look is %d", c.name, w.Code)
		}
	}
}

// The limits of lines are for the worker to check: a line beyond them gets a problem.
func TestJobLineLimits(t *testing.T) {
	s, j := jobServer(t, Config{}, map[string]queue.Class{queue.Anonymous: {Active: 1, Lines: 9,
		Time: time.Second, Bytes: 1 << 20}})
	wantProblem(t, do(s, "POST", "/v1/jobs?time_ms=1001", question1(mateIn1), ndjson...), wire.InvalidQuestion)
	job := submitted(t, s, "/v1/jobs?nodes=2&time_ms=1000", question1(mateIn3)+"\n"+
		`{"sfen":"`+mateIn3+`","limits":{"nodes":1000}}`+"\n"+
		`{"sfen":"`+mateIn3+`","limits":{"time_ms":1001}}`, ndjson...)
	if record, err := j.Job(t.Context(), jobs.ID(job.ID)); err != nil || record.MaxTime != time.Second {
		t.Errorf("%+v, %v", record, err)
	}
	j.work(t, s)
	j.Await(t, jobs.ID(job.ID), jobs.Done)
	lines := strings.Split(do(s, "GET", "/v1/jobs/"+job.ID+"/results", "").Body.String(), "\n")
	for i, want := range []string{`"limit_nodes"`, `"verdict":"mate"`, `line.limits.time_ms`} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d: %s, want %s", i+1, lines[i], want)
		}
	}
}

// TestJobStoreDown: without the store there are no jobs, and everything else is as ever.
func TestJobStoreDown(t *testing.T) {
	s, j := jobServer(t, Config{}, nil)
	before := untimed(post(s, mateIn1).Body.Bytes())
	id := submitted(t, s, "/v1/jobs", question1(mateIn1)).ID
	j.Break(t)
	for target, method := range map[string]string{"/v1/jobs": "POST", "/v1/jobs/" + id: "GET", "/v1/queue": "GET",
		"/v1/jobs/" + id + "/results": "GET", "/v1/jobs/" + id + "/result": "GET"} {
		w := do(s, method, target, question1(mateIn1), "Idempotency-Key", "x")
		wantProblem(t, w, wire.JobsUnavailable)
		if w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", target)
		}
	}
	if w := do(s, "DELETE", "/v1/jobs/"+id, ""); w.Code != http.StatusServiceUnavailable {
		t.Error(w.Code)
	}
	if after := untimed(post(s, mateIn1).Body.Bytes()); !bytes.Equal(before, after) {
		t.Errorf("%s, before %s", after, before)
	}
	for _, path := range []string{"/readyz", "/livez", "/v1/limits"} {
		if w := do(s, "GET", path, ""); w.Code != http.StatusOK {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	j.Mend(t)
	j.Await(t, jobs.ID(id), jobs.Queued)
}

// TestJobPrivacy: ids are in no metric, and their beginnings alone in the log.
func TestJobPrivacy(t *testing.T) {
	var log syncBuffer
	reg := prometheus.NewPedanticRegistry()
	s, j := jobServer(t, Config{Registry: reg, APIKeys: testKeys(),
		Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelInfo}))}, nil)
	j.work(t, s)
	id := submitted(t, s, "/v1/jobs", question1(mateIn1), "Idempotency-Key", "secret-1",
		"Authorization", "Bearer anna-knows").ID
	j.Await(t, jobs.ID(id), jobs.Done)
	target := "/v1/jobs/" + id
	for _, path := range []string{"", "/result", "/results", "/results?limit=1", "/nothing", "?x=1"} {
		do(s, "GET", target+path, "")
	}
	do(s, "GET", target+"/events", "")
	do(s, "DELETE", target, "")
	for metric(t, s, "tsumero_jobs") != 1 { // as it was a second ago
		time.Sleep(10 * time.Millisecond)
	}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	j.Break(t)
	do(s, "GET", target+"/result", "")
	text := log.String()
	for _, secret := range []string{id, id[6:12], "secret-1", "anna-knows"} {
		if strings.Contains(text, secret) {
			t.Errorf("the log has %q: %s", secret, text)
		}
	}
	if !strings.Contains(text, `"job":"`+id[:6]+`"`) {
		t.Errorf("the log does not say which job: %s", text)
	}
	for _, f := range families {
		if strings.Contains(f.String(), id[:6]) {
			t.Errorf("%s has the id", f.GetName())
		}
	}
	if problems, err := testutil.GatherAndLint(reg); err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}
	for name, want := range map[string]float64{"tsumero_store_up": 0, "tsumero_jobs_accepted_total": 1} {
		if got := metric(t, s, name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if got := metric(t, s, "tsumero_jobs_refused_total", "reason", "unavailable"); got != 1 {
		t.Errorf("refused: %v", got)
	}
}

// A syncBuffer may be written by many.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// A jobEvent is one of a stream.
type jobEvent struct{ name, id, data string }

// readEvents reads the events of a job until f returns false, or to the end.
func readEvents(t testing.TB, url string, f func(jobEvent) bool, headers ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequest("GET", url+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	in := bufio.NewScanner(resp.Body)
	var e jobEvent
	for in.Scan() {
		name, value, _ := strings.Cut(in.Text(), ": ")
		switch name {
		case "event":
			e.name = value
		case "id":
			e.id = value
		case "data":
			e.data = value
		case "":
			if e.name != "" && !f(e) {
				return resp
			}
			e = jobEvent{}
		}
	}
	return resp
}

// TestJobEvents: the events of a job, a client that comes again, and the last one.
func TestJobEvents(t *testing.T) {
	t.Parallel()
	s, j := jobServer(t, Config{}, nil)
	url := listen(t, s)
	id := submitted(t, s, "/v1/jobs", question1(mateIn1)).ID
	target := url + "/v1/jobs/" + id
	var first jobEvent
	readEvents(t, target, func(e jobEvent) bool { first = e; return false })
	if first.name != "state" || parse[wire.Job](t, []byte(first.data)).State != "queued" {
		t.Errorf("%+v", first)
	}
	j.Exec(t, []any{id}, `update tsumero_job set state = 'running', revision = revision + 1 where id = ?`)
	stop := make(chan struct{})
	var others sync.WaitGroup
	others.Go(func() {
		for n := 1; ; n++ {
			j.progress(t, id, fmt.Sprintf(`{"phase":"searching","nodes":%d}`, n))
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	})
	var seen []jobEvent
	began := time.Now()
	readEvents(t, target, func(e jobEvent) bool { seen = append(seen, e); return len(seen) < 4 }, "Last-Event-ID", first.id)
	close(stop)
	others.Wait()
	if took := time.Since(began); took < 2*eventEvery {
		t.Errorf("four events in %v", took)
	}
	if seen[0].name != "state" || parse[wire.Job](t, []byte(seen[0].data)).State != "running" || seen[0].id == first.id {
		t.Errorf("after the reconnect: %+v", seen[0])
	}
	last := 0.0
	for _, e := range seen[1:] {
		if e.name == "state" {
			continue
		}
		p := parse[map[string]any](t, []byte(e.data))
		if e.name != "progress" || p["line"] != 1.0 || p["done"] != 0.0 || p["phase"] != "searching" ||
			p["nodes"].(float64) <= last {
			t.Errorf("%+v after %v", e, last)
		}
		last, _ = p["nodes"].(float64)
	}
	j.work(t, s)
	seen = nil
	readEvents(t, target, func(e jobEvent) bool { seen = append(seen, e); return true })
	end := seen[len(seen)-1]
	if end.name != "answer" || end.data+"\n" != plain(t, s, mateIn1) || !strings.HasSuffix(end.id, ".end") {
		t.Errorf("%+v", end)
	}
	// Who has only the state comes again, and gets the answer; who has that gets 204.
	state := strings.TrimSuffix(end.id, ".end")
	seen = nil
	readEvents(t, target, func(e jobEvent) bool { seen = append(seen, e); return true }, "Last-Event-ID", state)
	if len(seen) != 2 || seen[0].name != "state" || seen[1] != end {
		t.Errorf("%+v", seen)
	}
	if resp := readEvents(t, target, func(jobEvent) bool { return true }, "Last-Event-ID", end.id); resp.StatusCode != http.StatusNoContent {
		t.Error(resp.Status)
	}

	// A job that has no answer ends with itself; one that is removed with a problem.
	id = submitted(t, s, "/v1/jobs", question1("4k4"), ndjson...).ID
	seen = nil
	readEvents(t, url+"/v1/jobs/"+id, func(e jobEvent) bool { seen = append(seen, e); return true })
	end = seen[len(seen)-1]
	if done := parse[wire.Job](t, []byte(end.data)); end.name != "end" || done.State != "done" || done.Counts.Faulty != 1 {
		t.Errorf("%+v", end)
	}
}

// A job that is removed while somebody follows it ends with a problem.
func TestJobEventsGone(t *testing.T) {
	t.Parallel()
	s, j := jobServer(t, Config{}, nil)
	id := submitted(t, s, "/v1/jobs", question1(mateIn1)).ID
	var seen []jobEvent
	readEvents(t, listen(t, s)+"/v1/jobs/"+id, func(e jobEvent) bool {
		seen = append(seen, e)
		if len(seen) == 1 {
			j.Exec(t, []any{id}, `delete from tsumero_job where id = ?`,
				`insert into tsumero_gone(id, removed, cleared) values(?, 0, 0)`)
		}
		return true
	})
	if len(seen) != 2 || seen[1].name != "problem" || !strings.Contains(seen[1].data, "/problems/job_gone") {
		t.Errorf("%+v", seen)
	}
}

// TestJobProblemAnswer: what is in place of an answer is a problem in every form.
func TestJobProblemAnswer(t *testing.T) {
	s, j := jobServer(t, Config{}, nil)
	j.put(t, queue.Submission{Kind: jobs.Problem}, "{}")
	j.work(t, s)
	j.Await(t, exampleID, jobs.Done)
	if job := jobOf(t, s, exampleID); job.Problem == nil || job.Problem.Status != 422 || job.Answer != nil {
		t.Errorf("%+v", job)
	}
	wantProblem(t, do(s, "GET", "/v1/jobs/"+exampleID+"/record/kif", ""), wire.InvalidQuestion)
}

// TestJobKeys: a key has its class, its list and its jobs; an unknown one has nothing.
func TestJobKeys(t *testing.T) {
	s, _ := jobServer(t, Config{APIKeys: testKeys()}, nil)
	anna := []string{"Authorization", "bearer anna-knows"}
	day := `{"sfen":"` + mateIn1 + `","limits":{"time_ms":86400000}}`
	id := submitted(t, s, "/v1/jobs", day, anna...).ID
	wantProblem(t, do(s, "POST", "/v1/jobs", day), wire.InvalidQuestion)
	wantProblem(t, do(s, "POST", "/v1/jobs", day, "Authorization", "Bearer ben-knows"), wire.InvalidQuestion)
	for range 10 {
		submitted(t, s, "/v1/jobs", question1(mateIn1), anna...)
	}
	for _, bad := range []string{"Bearer", "Bearer x", "Bearer anna-knows x"} {
		w := do(s, "GET", "/v1/jobs/"+id, "", "Authorization", bad)
		wantProblem(t, w, wire.UnknownKey)
		if w.Header().Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%v", w.Header())
		}
	}
	if w := do(s, "GET", "/v1/jobs/"+id, "", "Authorization", "Basic YTpi"); w.Code != http.StatusOK {
		t.Errorf("a login of somebody in front: %d", w.Code)
	}
	list := func(query string, headers ...string) wire.JobsAnswer {
		t.Helper()
		w := do(s, "GET", "/v1/jobs"+query, "", headers...)
		if w.Code != http.StatusOK {
			t.Fatal(w.Body)
		}
		return parse[wire.JobsAnswer](t, w.Body.Bytes())
	}
	if all := list("", anna...).Jobs; len(all) != 11 || all[10].ID != id {
		t.Errorf("%d jobs", len(all))
	}
	if all := list("?state=done", anna...).Jobs; len(all) != 0 {
		t.Errorf("%d jobs", len(all))
	}
	if all := list("", "Authorization", "Bearer ben-knows").Jobs; all == nil || len(all) != 0 {
		t.Errorf("%d jobs of ben", len(all))
	}
	for range 100 {
		submitted(t, s, "/v1/jobs", question1(mateIn1), anna...)
	}
	w := do(s, "GET", "/v1/jobs?state=queued", "", anna...)
	page := parse[wire.JobsAnswer](t, w.Body.Bytes())
	if len(page.Jobs) != 100 || page.Next == "" ||
		w.Header().Get("Link") != "</v1/jobs?after="+page.Next+`&state=queued>; rel="next"` {
		t.Errorf("%d jobs, %v", len(page.Jobs), w.Header())
	}
	if rest := list("?after="+page.Next, anna...).Jobs; len(rest) != 11 {
		t.Errorf("%d jobs on the second page", len(rest))
	}
	wantProblem(t, do(s, "GET", "/v1/jobs?after="+exampleID, "", anna...), wire.InvalidQuestion)
}

func TestJobClasses(t *testing.T) {
	class := queue.Class{Active: 1, Lines: 9, Time: time.Second, Bytes: 1 << 20}
	for _, names := range [][]string{{queue.Keyed}, {queue.Anonymous}, {queue.Anonymous, queue.Keyed}} {
		classes := map[string]queue.Class{}
		for _, name := range names {
			classes[name] = class
		}
		c := Config{Solver: aSecond(), APIKeys: testKeys(),
			Jobs: newJobs(t, queue.Options{Classes: classes}).Queue.Queue}
		if _, err := New(c); (err == nil) != (len(names) == 2) {
			t.Errorf("%v: %v", names, err)
		}
	}
}

// TestJobsOff: without jobs nothing of them is there, and no page may send what they take.
func TestJobsOff(t *testing.T) {
	s := newServer(t, Config{CORSOrigins: []string{"*"}})
	for _, target := range []string{"/v1/jobs/" + exampleID, "/v1/jobs/x/results", "/v1/queue", "/v1/jobs"} {
		wantProblem(t, do(s, "GET", target, ""), wire.JobsOff)
	}
	if strings.Contains(do(s, "GET", "/v1/limits", "").Body.String(), "jobs") {
		t.Error("limits of jobs")
	}
	families, err := s.config.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if strings.HasPrefix(f.GetName(), "tsumero_jobs") {
			t.Errorf("the metric %s", f.GetName())
		}
	}
	on, _ := jobServer(t, Config{CORSOrigins: []string{"*"}}, nil)
	for s, allowed := range map[*Server]bool{s: false, on: true} {
		h := do(s, "OPTIONS", "/v1/jobs", "", "Origin", "https://any.example", "Access-Control-Request-Method",
			"DELETE", "Access-Control-Request-Headers", "authorization,idempotency-key,prefer").Header()
		if (h.Get("Access-Control-Allow-Methods") == "DELETE") != allowed {
			t.Errorf("allowed %v: %v", allowed, h)
		}
	}
}

// TestJobLost: answers that the database has lost are not passed over. They are found again.
func TestJobLost(t *testing.T) {
	t.Parallel()
	s, j := jobServer(t, Config{}, nil)
	url := listen(t, s)
	j.put(t, queue.Submission{Kind: jobs.Collection}, strings.Repeat(question1(mateIn1)+"\n", 1500))
	one := jobs.ID(submitted(t, s, "/v1/jobs", question1(mateIn3)).ID)
	var gate sync.RWMutex
	answer := j.worker(t, s)
	j.Work(func(turn *queue.Turn) error {
		gate.RLock()
		defer gate.RUnlock()
		return answer(turn)
	})
	// lost calls f when the answers to a chunk are lost, and nobody works. Then all is as it was.
	lost := func(id jobs.ID, chunk int, path string, f func()) {
		t.Helper()
		j.Await(t, id, jobs.Done)
		whole := do(s, "GET", path, "").Body.String()
		gate.Lock()
		j.Exec(t, []any{string(id), chunk}, `delete from tsumero_answer where job = ? and n = ?`)
		f()
		gate.Unlock()
		j.Await(t, id, jobs.Done)
		if w := do(s, "GET", path, ""); w.Body.String() != whole || w.Header().Get("Etag") == "" {
			t.Errorf("%s: %d bytes, which were %d", path, w.Body.Len(), len(whole))
		}
	}
	const results = "/v1/jobs/" + exampleID + "/results"
	lost(exampleID, 1, results, func() {
		resp, err := http.Get(url + results)
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		if err == nil {
			t.Error("half of the results pass for the whole")
		}
	})
	for query, lines := range map[string]int{"?from=1025": 0, "?limit=1200": 1024} {
		lost(exampleID, 1, results, func() {
			w := do(s, "GET", results+query, "")
			text := w.Body.String()
			if w.Code != http.StatusOK || w.Header().Get("Etag") != "" || strings.Count(text, "\n") != lines+1 ||
				!strings.Contains(text, `{"next":1025,"type":"/problems/not_finished"`) {
				t.Errorf("%s: %d %v %d bytes", query, w.Code, w.Header(), len(text))
			}
		})
	}
	path := "/v1/jobs/" + string(one)
	lost(one, 0, path+"/result", func() {
		if w := do(s, "GET", path+"/result", ""); wantProblem(t, w, wire.NotFinished).Detail == "" || w.Header().Get("Retry-After") == "" {
			t.Errorf("%v %s", w.Header(), w.Body)
		}
	})
	lost(one, 0, path+"/result", func() {
		if job := jobOf(t, s, string(one)); job.State != "running" || job.Answer != nil || job.Done != 0 {
			t.Errorf("%+v", job)
		}
	})
}

// A slow client gets its time for each line, and no more.
func TestJobSlowBody(t *testing.T) {
	t.Parallel()
	s, _ := jobServer(t, Config{BodyTimeout: time.Second}, nil)
	url := listen(t, s)
	send := func(pause time.Duration, piece string, n int) int {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Error(err)
			return 0
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
			ndjsonType, n*len(piece))
		go func() {
			for range n {
				if _, err := io.WriteString(conn, piece); err != nil {
					return
				}
				time.Sleep(pause)
			}
		}()
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Error(err)
			return 0
		}
		return resp.StatusCode
	}
	var lines sync.WaitGroup
	defer lines.Wait()
	lines.Go(func() {
		if got := send(150*time.Millisecond, question1(mateIn1)+"\n", 10); got != http.StatusAccepted {
			t.Errorf("a line now and then: %d", got)
		}
	})
	if got := send(150*time.Millisecond, "x", 20); got != http.StatusRequestTimeout {
		t.Errorf("a byte now and then: %d", got)
	}
}

// A collection goes no faster than the rate of its client, and takes a slot of batches.
func TestJobRate(t *testing.T) {
	t.Parallel()
	s, _ := jobServer(t, Config{RatePerMinute: 60}, nil)
	first, _ := jobServer(t, Config{RatePerMinute: 60, BodyTimeout: 200 * time.Millisecond}, nil)
	first.clients.enter(netip.MustParseAddr("127.0.0.1")).charge(time.Now(), 59*requestCost*tokenTime)
	body := strings.Repeat(question1(mateIn1)+"\n", 1500) // more than is read at once
	resp, err := http.Post(listen(t, first)+"/v1/jobs", ndjsonType, strings.NewReader(body))
	if err != nil || resp.StatusCode != http.StatusAccepted {
		t.Errorf("a wait for the rate counts as the client's: %v, %v", resp, err)
	}
	s.clients.enter(netip.MustParseAddr("192.0.2.1")).charge(time.Now(), 60*requestCost*tokenTime-2*requestCost*tokenTime)
	began := time.Now()
	submitted(t, s, "/v1/jobs", strings.Repeat(question1(mateIn1)+"\n", 1500), ndjson...)
	if took := time.Since(began); took < 400*time.Millisecond {
		t.Errorf("1500 lines beyond the rate took %v", took)
	}
	busy, _ := jobServer(t, Config{MaxBatches: 1}, nil)
	busy.batches.acquire(&client{})
	wantProblem(t, do(busy, "POST", "/v1/jobs", question1(mateIn1), ndjson...), wire.Overloaded)
}

// Faults of records say where.
func TestJobRecordFaults(t *testing.T) {
	s, _ := jobServer(t, Config{}, nil)
	for _, c := range []struct {
		target, body, contentType, location string
		line                                int
	}{
		{"/v1/jobs", mateIn1 + "\n\n" + strings.Replace(mateIn1, " b ", " x ", 1) + "\n", "application/x-sfen", "body", 3},
		{"/v1/jobs?after=5", mateIn1, "application/x-sfen", "query.after", 0},
		{"/v1/jobs?memory_mib=5000", mateIn1 + "\n" + mateIn3, "application/x-sfen", "query.memory_mib", 0},
		{"/v1/jobs?ask=analyze&after=1", mateIn1, "application/x-sfen", "query.after", 0},
		{"/v1/jobs?policy=F2", mateIn1, "application/x-sfen", "query.policy", 0},
		{"/v1/jobs?note=%zz", mateIn1, "application/x-sfen", "query.note", 0},
		{"/v1/jobs?nodes=5", question1(mateIn1), jsonType, "query.nodes", 0},
		{"/v1/jobs?url=http://x", question1(mateIn1), ndjsonType, "query.url", 0},
		{"/v1/jobs?after=1", question1(mateIn1), ndjsonType, "query.after", 0},
		{"/v1/jobs", "", ndjsonType, "body", 0},
		{"/v1/jobs", `{"sfen":"` + mateIn1 + `","url":"http://x"}`, jsonType, "body.url", 0},
		{"/v1/jobs", `{"sfen":"` + mateIn1 + `","analyze":{"line":["x"]}}`, jsonType, "body.analyze.line[0]", 0},
		{"/v1/jobs", `{"sfen":"` + mateIn1 + `","note":"` + strings.Repeat("x", 201) + `"}`, jsonType, "body.note", 0},
		{"/v1/jobs", `{"sfen":"` + mateIn1 + `","limits":{"memory_mib":262145}}`, jsonType, "body.limits.memory_mib", 0},
		{"/v1/jobs", `{"sfen":"` + mateIn1 + `","analyze":{},"limits":{"plies":3}}`, jsonType, "body.limits.plies", 0},
	} {
		p := wantProblem(t, do(s, "POST", c.target, c.body, "Content-Type", c.contentType), wire.InvalidQuestion)
		if len(p.Errors) != 1 || p.Errors[0].Location != c.location || p.Errors[0].Line != c.line {
			t.Errorf("%s %s: %+v", c.target, c.body, p.Errors)
		}
	}
	if stats, err := jobsOf(s).Stats(t.Context()); err != nil || len(stats.Jobs) > 0 {
		t.Errorf("%+v, %v", stats, err)
	}
}

// The store is told of the memory, the note and the priority.
func TestJobRecord(t *testing.T) {
	s, j := jobServer(t, Config{}, nil)
	for mib, want := range map[int]int{1: 0, 256: 0, 257: 4, 4096: 4, 262144: 256} {
		id := submitted(t, s, "/v1/jobs?priority=low&note=a%20%2B+b&memory_mib="+strconv.Itoa(mib), mateIn1,
			"Content-Type", "application/x-sfen").ID
		r, err := j.Job(t.Context(), jobs.ID(id))
		if err != nil || r.Memory != want || r.Note != "a + b" || r.Priority != -1 || r.Class != queue.Anonymous ||
			!strings.HasPrefix(r.Client, "address:") || r.Keep != 24*time.Hour {
			t.Errorf("%d MiB: %+v, %v", mib, r, err)
		}
		if err := j.Cancel(t.Context(), jobs.ID(id)); err != nil {
			t.Error(err)
		}
	}
	var decoded map[string]any
	id := submitted(t, s, "/v1/jobs", `{"sfen":"startpos moves 7g7f","hands":"complete"}`).ID
	chunk := j.Chunk(t, jobs.ID(id), 0)
	if err := json.Unmarshal(chunk[0].Text, &decoded); err != nil {
		t.Fatalf("%s, %v", chunk[0].Text, err)
	}
	limits := decoded["limits"].(map[string]any)
	if limits["time_ms"] != 600000.0 || limits["nodes"] != float64(wire.MaxJobNodes) || decoded["hands"] != "complete" {
		t.Errorf("%s", chunk[0].Text)
	}
}

// Nothing that a client sends to the jobs makes the service fail.
func FuzzJobs(f *testing.F) {
	f.Add("/v1/jobs", question1(mateIn1), jsonType)
	f.Add("/v1/jobs?nodes=5&note=x", question1(mateIn1)+"\n\nx", ndjsonType)
	f.Add("/v1/jobs?ask=analyze&parts=attack,tries", question1(mateIn3), ndjsonType)
	f.Add("/v1/jobs", `{"sfen":"`+mateIn3+`","analyze":{"line":["G*5c"]},"limits":{"question_nodes":3}}`, jsonType)
	f.Add("/v1/jobs?after=1&time_ms=5", mateIn3+" moves G*5c", "application/x-sfen")
	f.Add("/v1/jobs", "# KIF\n手合割：平手\n", "text/plain")
	s, j := jobServer(f, Config{}, map[string]queue.Class{queue.Anonymous: {Active: 1 << 30, Lines: 1 << 40,
		Time: time.Minute, Bytes: 1 << 50}})
	f.Fuzz(func(t *testing.T, target, body, contentType string) {
		r, err := http.NewRequest("POST", "http://x/v1/jobs", strings.NewReader(body))
		if err != nil {
			return
		}
		_, r.URL.RawQuery, _ = strings.Cut(target, "?")
		r.Header.Set("Content-Type", contentType)
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		if w.Code == http.StatusInternalServerError || w.Code == http.StatusServiceUnavailable {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		if w.Code != http.StatusAccepted {
			return
		}
		job := parse[wire.Job](t, w.Body.Bytes())
		view, err := j.Job(t.Context(), jobs.ID(job.ID))
		if err != nil {
			t.Fatal(err)
		}
		record := &view.Job
		// Whoever answers the lines understands the defaults, and every line of a body that was
		// read as a whole.
		reader := wire.NewReader(wire.Bounds{Plies: 9999, Nodes: wire.MaxJobNodes, Time: record.MaxTime,
			DefaultTime: record.MaxTime, Analysis: wire.AnalysisBounds{Nodes: wire.MaxJobNodes, Time: record.MaxTime,
				DefaultTime: record.MaxTime}})
		if p := parseDefaults(reader, record); p != nil {
			t.Fatalf("%q: %+v", record.Defaults, p)
		}
		for _, l := range j.Chunk(t, record.ID, 0) {
			if record.Defaults != "" {
				continue // lines as they came
			}
			var p *wire.Problem
			if record.Ask == jobs.AskAnalyze {
				_, p = reader.AnalyzeLineOver(new(wire.AnalyzeRecordRequest), l.Text, new(wire.AnalysisQuestion))
			} else {
				_, p = reader.LineOver(new(wire.LinesRequest), l.Text, new(wire.Question))
			}
			if p != nil {
				t.Fatalf("%s: %+v", l.Text, p.Errors)
			}
		}
		if err := j.Purge(t.Context(), record.ID); err != nil {
			t.Fatal(err)
		}
	})
}

func parseDefaults(r *wire.Reader, record *jobs.Job) *wire.Problem {
	if record.Ask == jobs.AskAnalyze {
		return r.AnalyzeLinesQuery(record.Defaults, new(wire.AnalyzeRecordRequest))
	}
	return r.LinesQuery(record.Defaults, new(wire.LinesRequest))
}

// TestJobForms: pages of jobs get the forms that they have, and no other page gets one.
func TestJobForms(t *testing.T) {
	taken := ""
	web := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		taken = r.Method + " " + r.URL.Path + " " + string(body)
	})
	on, _ := jobServer(t, Config{Web: web}, nil)
	off := newServer(t, Config{Web: web})
	for _, path := range []string{"/jobs", "/jobs/x/cancel", "/jobsx", "/p", "/v1/jobs/x", "/"} {
		for s, has := range map[*Server]bool{on: path == "/jobs" || path == "/jobs/x/cancel", off: false} {
			taken = ""
			w := do(s, "POST", path, "a=b")
			if got := taken == "POST "+path+" a=b"; got != has || !has && w.Code != 404 && w.Code != 405 {
				t.Errorf("%s: %d, taken %q", path, w.Code, taken)
			}
		}
	}
}

// TestJobsOfPages: what a page of jobs asks is asked in the name of its reader, who has the quotas and
// the searches of a client without a key.
func TestJobsOfPages(t *testing.T) {
	var s *Server
	var answer *wire.Job
	var refused *wire.Problem
	web := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch id := r.URL.Query().Get("id"); r.URL.Path {
		case "/jobs":
			answer, refused = s.SubmitJob(r, []byte(question1(mateIn1)), r.Header.Get("Idempotency-Key"))
		case "/jobs/x":
			answer, refused = s.Job(r, id)
		default:
			answer, refused = nil, s.CancelJob(r, id)
		}
	})
	classes := queue.DefaultClasses()
	one := classes[queue.Anonymous]
	one.Active, one.Waiting, one.Time = 1, 0, time.Minute
	classes[queue.Anonymous] = one
	s, _ = jobServer(t, Config{Web: web, TrustedProxies: []string{"192.0.2.0/24"}}, classes)
	if s.LongestJob() != time.Minute {
		t.Errorf("the longest search is %v", s.LongestJob())
	}
	ask := func(path, client, key, want string) {
		t.Helper()
		answer, refused = nil, nil
		do(s, "POST", path, "", "X-Forwarded-For", client, "Idempotency-Key", key)
		got := ""
		switch {
		case refused != nil:
			got = strings.TrimPrefix(refused.Type, "/problems/")
		case answer != nil:
			got = answer.State
		}
		if got != want {
			t.Errorf("%s of %s: %q, want %q", path, client, got, want)
		}
	}
	ask("/jobs", "198.51.100.1", "a", "queued")
	first := answer.ID
	ask("/jobs", "198.51.100.1", "a", "queued")
	if answer.ID != first {
		t.Error("the same form is another job")
	}
	ask("/jobs", "198.51.100.1", "b", "quota_exceeded")
	ask("/jobs", "198.51.100.2", "a", "queued")
	ask("/jobs/x?id="+first, "198.51.100.3", "", "queued")
	ask("/jobs/x?id=x", "198.51.100.3", "", "job_not_found")
	ask("/jobs/x/cancel?id="+first, "198.51.100.3", "", "")
	ask("/jobs/x?id="+first, "198.51.100.3", "", "cancelled")
	if q, p := s.Queue(t.Context()); p != nil || q.WaitUnknown != "no_workers" {
		t.Errorf("%+v %v", q, p)
	}
}
