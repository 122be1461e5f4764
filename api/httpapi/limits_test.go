package httpapi

import (
	"net/http"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/wire"
)

func TestLimits(t *testing.T) {
	s := newServer(t, Config{
		MaxPlies: 99, MaxNodes: 12345, MaxTime: 3 * time.Second, DefaultTime: time.Second,
		MaxBodyBytes: 4096,
		QueueWait:    time.Second, LongWait: 5 * time.Second, MaxBatches: 7,
		CORSOrigins: []string{"https://example.com"}, RatePerMinute: 1,
	})
	const want = `{"max_plies":99,"max_nodes":12345,"max_time_ms":3000,"default_time_ms":1000,` +
		`"max_wait_ms":6000,"max_body_bytes":4096,"max_batches":2,"requests_per_minute":1}` + "\n"
	w := do(s, "GET", "/v1/limits", "", "Origin", "https://example.com")
	if w.Code != http.StatusOK || w.Body.String() != want {
		t.Errorf("status %d, %s, expected %s", w.Code, w.Body, want)
	}
	tag := w.Header().Get("ETag")
	for name, want := range map[string]string{
		"Content-Type":                "application/json",
		"Cache-Control":               "public, max-age=300",
		"Access-Control-Allow-Origin": "https://example.com",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s: %q, expected %q", name, got, want)
		}
	}
	if !regexp.MustCompile(`^"[\w-]+"$`).MatchString(tag) {
		t.Errorf("ETag: %s", tag)
	}

	for header, want := range map[string]int{tag: 304, "W/" + tag: 304, `"x"`: 200} {
		w := do(s, "GET", "/v1/limits", "", "If-None-Match", header)
		h := w.Header()
		if w.Code != want || (w.Body.Len() > 0) != (want == 200) || h.Get("ETag") != tag ||
			h.Get("Cache-Control") == "" {
			t.Errorf("If-None-Match: %s: status %d, %d bytes, %v", header, w.Code, w.Body.Len(), h)
		}
	}
	other := do(newServer(t, Config{}), "GET", "/v1/limits", "").Header().Get("ETag")
	if other == tag {
		t.Error("other limits have the same tag")
	}
	wantProblem(t, do(s, "POST", "/v1/limits", ""), wire.MethodNotAllowed)
}

// TestLimitsAreNotLimited: who has used up the requests of a minute can still learn what may be
// asked, and asking that uses up none.
func TestLimitsAreNotLimited(t *testing.T) {
	s := newServer(t, Config{RatePerMinute: 1})
	limits := func() {
		t.Helper()
		if w := do(s, "GET", "/v1/limits", ""); w.Code != http.StatusOK {
			t.Errorf("status %d", w.Code)
		}
	}
	limits()
	if w := get(s, mateIn1); w.Code != http.StatusOK {
		t.Errorf("the first question got %d", w.Code)
	}
	wantProblem(t, get(s, mateIn1), wire.RateLimited)
	limits()
}

// TestLimitsAreThoseOfRequests: what the limits name is allowed, and one more is not.
func TestLimitsAreThoseOfRequests(t *testing.T) {
	s := newServer(t, Config{MaxPlies: 9, MaxNodes: 5000, MaxTime: 3 * time.Second})
	l := parse[wire.LimitsAnswer](t, do(s, "GET", "/v1/limits", "").Body.Bytes())
	for name, most := range map[string]int64{
		"plies": int64(l.MaxPlies), "nodes": int64(l.MaxNodes), "time_ms": l.MaxTimeMS,
	} {
		for more, want := range []int{http.StatusOK, http.StatusUnprocessableEntity} {
			n := strconv.FormatInt(most+int64(more), 10)
			target := "/v1/solve?sfen=" + linkOfMateIn1 + "&" + name + "=" + n
			if w := do(s, "GET", target, ""); w.Code != want {
				t.Errorf("%s=%s: status %d, expected %d", name, n, w.Code, want)
			}
		}
	}
}

const linkOfMateIn1 = "4k4/9/4P4/9/9/9/9/9/9_b_G2r2b3g4s4n4l17p"
