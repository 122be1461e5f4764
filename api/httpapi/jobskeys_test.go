package httpapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/wire"
)

// A lateReader is a body that comes only after a while.
type lateReader struct {
	io.Reader
	after time.Duration
	once  sync.Once
}

func (l *lateReader) Read(p []byte) (int, error) {
	l.once.Do(func() { time.Sleep(l.after) })
	return l.Reader.Read(p)
}

// postLate sends a job whose body comes late.
func postLate(ctx context.Context, s *Server, body, contentType, key string,
	after time.Duration) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, "POST", "/v1/jobs",
		&lateReader{Reader: strings.NewReader(body), after: after})
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Idempotency-Key", key)
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

// TestSameKeyAtOnce: of equal requests at once each gets the job, though a client has two slots.
func TestSameKeyAtOnce(t *testing.T) {
	s, j := jobServer(t, Config{MaxBatches: 4, MaxBatchesEach: 2}, nil)
	for contentType, body := range map[string]string{
		jsonType:   question1(mateIn1),
		ndjsonType: strings.Repeat(question1(mateIn1)+"\n", 10),
	} {
		var all sync.WaitGroup
		ids := make([]string, 8)
		var fresh sync.Map
		for i := range ids {
			all.Go(func() {
				w := postLate(t.Context(), s, body, contentType, "same"+contentType, 20*time.Millisecond)
				if w.Code != http.StatusAccepted {
					t.Errorf("%s: %d %s", contentType, w.Code, w.Body)
					return
				}
				ids[i] = parse[wire.Job](t, w.Body.Bytes()).ID
				if w.Header().Get("Idempotent-Replayed") == "" {
					fresh.Store(i, true)
				}
			})
		}
		all.Wait()
		n := 0
		fresh.Range(func(any, any) bool { n++; return true })
		for _, id := range ids[1:] {
			if id != ids[0] {
				t.Errorf("%s: the jobs are %v", contentType, ids)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d of the answers are not replayed", contentType, n)
		}
		if w := do(s, "POST", "/v1/jobs", question1(mateIn3), "Content-Type", jsonType, "Idempotency-Key",
			"same"+contentType); w.Code != http.StatusUnprocessableEntity {
			t.Errorf("another body: %d %s", w.Code, w.Body)
		}
	}
	for {
		stats, err := j.Stats(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n := stats.Jobs[jobs.Queued]; n == 2 { // as it was a second ago
			break
		} else if n > 2 {
			t.Fatalf("%d jobs", n)
		}
		time.Sleep(10 * time.Millisecond)
	}
	if len(s.jobKeys.used) > 0 {
		t.Errorf("keys are kept: %v", s.jobKeys.used)
	}
}

// TestSameKeyBounds: the wait for a key ends with the client, and after a time.
func TestSameKeyBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var keys jobKeys
		unlock := keys.lock(t.Context(), jobKey{"a", "k"})
		for _, other := range []jobKey{{"b", "k"}, {"a", "l"}} {
			if free := keys.lock(t.Context(), other); free == nil {
				t.Errorf("%v waits for another key", other)
			} else {
				free()
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		if keys.lock(ctx, jobKey{"a", "k"}) != nil || time.Since(began) != time.Second {
			t.Errorf("a key that is used was given away, or after %v", time.Since(began))
		}
		unlock()
		if len(keys.used) > 0 {
			t.Errorf("keys are kept: %v", keys.used)
		}
	})
	s, _ := jobServer(t, Config{}, nil)
	unlock := s.jobKeys.lock(t.Context(), jobKey{"address:192.0.2.1/32", "k"})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if w := postLate(ctx, s, question1(mateIn1), jsonType, "k", 0); w.Code != http.StatusServiceUnavailable ||
		w.Header().Get("Retry-After") == "" {
		t.Errorf("a client that has gone: %d %s", w.Code, w.Body)
	}
	unlock()
	if w := postLate(t.Context(), s, question1(mateIn1), jsonType, "k", 0); w.Code != http.StatusAccepted {
		t.Error(fmt.Sprint(w.Code, w.Body))
	}
}
