package e2e

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A submitter asks for jobs under the keys 0, 1, …, each again until it is confirmed.
type submitter struct {
	mu    sync.Mutex
	next  int
	again []int          // keys that were asked for, and not confirmed
	ids   map[int]string // of those that are, by key
}

// take returns the next key, or reports that there is none.
func (s *submitter) take(more bool) (key int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.again); n > 0 {
		key, s.again = s.again[n-1], s.again[:n-1]
		return key, true
	}
	if !more {
		return 0, false
	}
	s.next++
	return s.next - 1, true
}

// confirmed returns how many jobs are.
func (s *submitter) confirmed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.ids)
}

// questionOf returns a position and a limit, which has a different answer under each number.
func questionOf(key, line int) (sfen string, nodes int) {
	return []string{mateIn7, endless, mateIn3, neverMate}[(key+line)%4], 1 + (key*37+line*11)%3000
}

// bodyOf returns the body of a job: a problem under every third key, else a collection.
func bodyOf(key int) (mediaType, body string, lines int) {
	if key%3 == 0 {
		sfen, nodes := questionOf(key, 1)
		return jsonType, fmt.Sprintf(`{"sfen":%q,"limits":{"nodes":%d}}`, sfen, nodes), 1
	}
	lines = 1 + key%12
	var b strings.Builder
	for i := range lines {
		sfen, nodes := questionOf(key, i+1)
		fmt.Fprintf(&b, "{\"sfen\":%q,\"limits\":{\"nodes\":%d}}\n", sfen, nodes)
	}
	return "application/x-ndjson", b.String(), lines
}

// ask asks for the job of a key. The ID is empty if nobody confirmed it.
func (s *submitter) ask(t *testing.T, address string, key int) (id string) {
	mediaType, body, _ := bodyOf(key)
	req, err := http.NewRequest("POST", address+"/v1/jobs", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return ""
	}
	req.Header.Set("Content-Type", mediaType)
	req.Header.Set("Idempotency-Key", strconv.Itoa(key))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode == http.StatusServiceUnavailable {
		return ""
	}
	if resp.StatusCode != http.StatusAccepted {
		t.Errorf("job %d: %s %s", key, resp.Status, text)
		return ""
	}
	return decode[struct{ ID string }](t, string(text)).ID
}

// run asks until the service is gone or stop is closed, or no key is left unless there are to be more.
func (s *submitter) run(t *testing.T, service *service, stop <-chan struct{}, more bool) {
	for {
		select {
		case <-service.ended:
			return
		case <-stop:
			return
		default:
		}
		key, ok := s.take(more)
		if !ok {
			return
		}
		id := s.ask(t, service.url, key)
		s.mu.Lock()
		if id == "" {
			s.again = append(s.again, key)
		} else {
			s.ids[key] = id
		}
		s.mu.Unlock()
	}
}

// TestJobsSurviveKills: every job that was accepted is done, whenever the service is killed, and its
// answers are those of /v1/solve byte by byte.
func TestJobsSurviveKills(t *testing.T) {
	long(t)
	const kills = 3
	dir := filepath.Join(t.TempDir(), "jobs")
	start := func() *service {
		return startService(t, "--jobs", dir, "--rate", "0", "--memory", "256MiB",
			"--quota-anonymous", "active=20,waiting=100000,lines=10000000,bytes=1GiB")
	}
	submitted := &submitter{ids: map[int]string{}}
	r := rand.New(rand.NewPCG(1, 2))
	for kill := range kills {
		s := start()
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() { submitted.run(t, s, nil, true) })
		}
		waitFor(t, "some jobs", func() bool { return submitted.confirmed() >= 4*(kill+1) })
		time.Sleep(time.Duration(r.Int64N(int64(500 * time.Millisecond))))
		s.killed = true
		if err := s.cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		<-s.ended
		all.Wait()
	}

	s := start()
	submitted.run(t, s, nil, false)
	if len(submitted.ids) != submitted.next {
		t.Errorf("%d of %d jobs are confirmed", len(submitted.ids), submitted.next)
	}
	for key, id := range submitted.ids {
		if again := submitted.ask(t, s.url, key); again != id {
			t.Errorf("job %d has the IDs %q and %q", key, id, again)
		}
		waitFor(t, "a job to be done", func() bool {
			reply := s.send(t, "GET", "/v1/jobs/"+id, "")
			return decode[struct{ State string }](t, reply.body).State == "done"
		})
		_, _, lines := bodyOf(key)
		var want strings.Builder
		for i := range lines {
			sfen, nodes := questionOf(key, i+1)
			body := s.send(t, "GET", "/v1/solve?sfen="+url.QueryEscape(sfen)+"&nodes="+strconv.Itoa(nodes), "").body
			fmt.Fprintf(&want, `{"line":%d,%s`, i+1, body[1:])
			if key%3 == 0 {
				if got := s.send(t, "GET", "/v1/jobs/"+id+"/result", "").body; got != body {
					t.Errorf("job %d: got %s, and the service says %s", key, got, body)
				}
			}
		}
		if got := s.send(t, "GET", "/v1/jobs/"+id+"/results?limit=10000", "").body; got != want.String() {
			t.Fatalf("job %d: got\n%s\nwant\n%s", key, got, want.String())
		}
	}
	t.Logf("%d jobs", submitted.next)
}

// TestPoisonLine: a line during which the process dies again and again gets a problem, and the other lines of
// its chunk their answers.
func TestPoisonLine(t *testing.T) {
	long(t)
	dir := filepath.Join(t.TempDir(), "jobs")
	body := fmt.Sprintf("{\"sfen\":%q}\n{\"id\":\"bad\",\"sfen\":%q,\"limits\":{\"time_ms\":600000}}\n{\"sfen\":%q}\n", mateIn3, endless, mateIn5)
	var s *service
	var id string
	kills := 0
	job := func() string { return s.send(t, "GET", "/v1/jobs/"+id, "").body }
	for done := false; !done; {
		s = startService(t, "--jobs", dir, "--rate", "0")
		id, _ = s.submitJob(t, ndjsonType, "", body, "poison")
		before := job() // with the progress that was written before the process died
		waitFor(t, "a search for the line, or the end", func() bool {
			now := job()
			done = strings.Contains(now, `"state":"done"`)
			return done || now != before && strings.Contains(now, `"phase":"searching"`)
		})
		if done {
			break
		}
		if kills++; kills > 8 {
			t.Fatalf("%d kills, and no end: %s", kills, job())
		}
		s.killed = true
		if err := s.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-s.ended
	}
	lines := strings.Split(s.send(t, "GET", "/v1/jobs/"+id+"/results", "").body, "\n")
	for i, want := range []string{`"verdict":"mate"`, `{"id":"bad","line":2,"type":"/problems/internal_error"`, `"verdict":"mate"`, ""} {
		if len(lines) != 4 || !strings.Contains(lines[i], want) {
			t.Fatalf("line %d: %q", i+1, lines)
		}
	}
	if kills < 3 {
		t.Errorf("the line was given up after %d kills", kills)
	}
	t.Logf("%d kills", kills)
}
