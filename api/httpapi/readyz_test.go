package httpapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/api/jobs/queue"
)

// TestReadyWithFullStore: the service is ready while the store of jobs is full or away, since it
// answers questions, and says so.
func TestReadyWithFullStore(t *testing.T) {
	for _, c := range []struct {
		o    queue.Options
		away bool
		want string
	}{
		{queue.Options{}, false, ""},
		{queue.Options{}, true, "the job database is away"},
		{queue.Options{MaxBytes: 1}, false, "the store is full"},
	} {
		j := newJobs(t, c.o)
		if c.away {
			j.Break(t)
		}
		s := newServer(t, Config{Jobs: j.Queue.Queue})
		w := do(s, "GET", "/readyz", "")
		first, second, _ := strings.Cut(w.Body.String(), "\n")
		if w.Code != http.StatusOK || first != "ok" || (second == "") != (c.want == "") ||
			second != "" && (!strings.HasPrefix(second, "jobs: ") || !strings.Contains(second, c.want)) {
			t.Errorf("want %q: %d %q", c.want, w.Code, w.Body)
		}
	}
}
