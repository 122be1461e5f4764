package httpapi

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/internal/storetest"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/queue"
)

// A fullStore says that nothing can be stored.
type fullStore struct{ jobs.Store }

func (f fullStore) Status(ctx context.Context) (jobs.Status, error) {
	s, err := f.Store.Status(ctx)
	s.Full = true
	return s, err
}

// TestReadyWithFullStore: the service is ready while the store of jobs is full or away, since it
// answers questions, and says so.
func TestReadyWithFullStore(t *testing.T) {
	for _, c := range []struct {
		store jobs.Store
		run   bool
		want  string
	}{
		{storetest.NewMemory(storetest.MemoryOptions{}), true, ""},
		{storetest.NewMemory(storetest.MemoryOptions{}), false, "does not answer"},
		{fullStore{storetest.NewMemory(storetest.MemoryOptions{})}, true, "the store is full"},
	} {
		q, err := queue.New(c.store, queue.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if c.run {
				q.Run(ctx)
			}
		}()
		for c.run {
			if _, up := q.Store(); up {
				break
			}
			time.Sleep(time.Millisecond)
		}
		s := newServer(t, Config{Jobs: q})
		w := do(s, "GET", "/readyz", "")
		first, second, _ := strings.Cut(w.Body.String(), "\n")
		if w.Code != http.StatusOK || first != "ok" || (second == "") != (c.want == "") ||
			second != "" && (!strings.HasPrefix(second, "jobs: ") || !strings.Contains(second, c.want)) {
			t.Errorf("want %q: %d %q", c.want, w.Code, w.Body)
		}
		cancel()
		<-ended
	}
}
