package httpapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/api/wire"
)

// drawing returns a service whose pictures take so long, and a function that asks for one.
func drawing(t *testing.T, c Config, took time.Duration) (*Server,
	func(ctx context.Context, address, path string) <-chan *httptest.ResponseRecorder) {
	var s *Server
	c.Diagrams = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		moves := strings.HasSuffix(r.URL.Path, ".gif")
		if p := s.Draw(r.Context(), moves, func() { time.Sleep(took) }); p != nil {
			recorderOf(r.Context()).writeProblem(p)
		}
	})
	s = newServer(t, c)
	return s, func(ctx context.Context, address, path string) <-chan *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(ctx, "GET", path, nil)
		r.RemoteAddr = address + ":1234"
		done := make(chan *httptest.ResponseRecorder, 1)
		go func() {
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, r)
			done <- w
		}()
		return done
	}
}

// TestPictureTurns: however many animations somebody has asked for, another's is the next but those
// that are being drawn, a picture that stands still waits for none of them, and by whom a proxy asks
// is who counts.
func TestPictureTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const took = 127 * time.Millisecond
		_, ask := drawing(t, Config{RatePerMinute: -1}, took)
		greedy, leave := context.WithCancel(t.Context())
		var all []<-chan *httptest.ResponseRecorder
		for range 60 {
			all = append(all, ask(greedy, "192.0.2.1", "/v1/diagram.gif"))
		}
		synctest.Wait()
		began := time.Now()
		if w := <-ask(t.Context(), "192.0.2.2", "/v1/diagram.gif"); w.Code != 200 || time.Since(began) > 2*took {
			t.Errorf("another's animation: %d after %v", w.Code, time.Since(began))
		}
		began = time.Now()
		if w := <-ask(t.Context(), "192.0.2.1", "/v1/diagram.png"); w.Code != 200 || time.Since(began) > took {
			t.Errorf("a picture of the same client: %d after %v", w.Code, time.Since(began))
		}
		leave()
		for _, one := range all {
			<-one
		}
	})
}

// TestPictureTurnsByProxy: behind a trusted proxy clients are who it says.
func TestPictureTurnsByProxy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := drawing(t, Config{RatePerMinute: -1, TrustedProxies: []string{"192.0.2.0/24"}}, time.Second)
		ask := func(forwarded string) <-chan time.Duration {
			began, done := time.Now(), make(chan time.Duration, 1)
			go func() {
				do(s, "GET", "/v1/diagram.gif", "", "X-Forwarded-For", forwarded)
				done <- time.Since(began)
			}()
			synctest.Wait()
			return done
		}
		var greedy []<-chan time.Duration
		for range 10 {
			greedy = append(greedy, ask("198.51.100.1"))
		}
		if took := <-ask("198.51.100.2"); took > 2*time.Second {
			t.Errorf("another client behind the proxy waits %v", took)
		}
		for _, one := range greedy {
			<-one
		}
	})
}

// TestPictureQueue: a client that asks for more animations than can be drawn soon is refused, and told
// when to ask again.
func TestPictureQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ask := drawing(t, Config{RatePerMinute: -1}, time.Second)
		ctx, leave := context.WithCancel(t.Context())
		var all []<-chan *httptest.ResponseRecorder
		for range 300 {
			all = append(all, ask(ctx, "192.0.2.1", "/v1/diagram.gif"))
		}
		time.Sleep(5 * time.Second)
		for range 300 {
			all = append(all, ask(ctx, "192.0.2.1", "/v1/diagram.gif"))
		}
		synctest.Wait()
		leave()
		refused := 0
		for _, one := range all {
			if w := <-one; w.Code == http.StatusServiceUnavailable {
				wantProblem(t, w, wire.Overloaded)
				if after, err := strconv.Atoi(w.Header().Get("Retry-After")); err != nil || after < 1 {
					t.Fatal(w.Header())
				}
				refused++
			}
		}
		if refused < 250 {
			t.Errorf("%d are refused", refused)
		}
		if counted := metric(t, s, "tsumero_refused_total", "reason", "picture"); counted != float64(refused) {
			t.Errorf("%v are counted, %d refused", counted, refused)
		}
	})
}

// TestPicturesAreCharged: as much as a search that takes as long.
func TestPicturesAreCharged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, ask := drawing(t, Config{RatePerMinute: 60}, 10*time.Second)
		if w := <-ask(t.Context(), "192.0.2.1", "/v1/diagram.gif"); w.Code != 200 {
			t.Fatal(w.Code)
		}
		// It had 60, less 1, up to 60 again, and less 60, the most for one of them: none is left.
		w := <-ask(t.Context(), "192.0.2.1", "/v1/diagram.svg")
		wantProblem(t, w, wire.RateLimited)
		if after := w.Header().Get("Retry-After"); after != "1" {
			t.Errorf("Retry-After %s", after)
		}
	})
}

// TestBytesAreCharged: each 512 bytes of an answer are as much as those of a line of a batch, by
// whatever way they go out; what is not sent costs nothing.
func TestBytesAreCharged(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write(make([]byte, 512*5000))
	})
	for _, c := range []struct {
		name, method, path, body, tag string
		want                          float64 // tokens left of 10,000
	}{
		{"a page", "GET", "/page", "", "", 10_000 - 1000 - 5000},
		{"its header", "HEAD", "/page", "", "", 10_000 - 1000},
		{"a page that is known", "GET", "/page", "", "x", 10_000 - 1000},
		{"a short answer", "POST", "/v1/solve", question1(mateIn1), "", 10_000 - 1000},
		{"lines of a batch", "POST", "/v1/solve/batch", strings.Repeat(question1(mateIn1)+"\n", 100), "", 10_000 - 1000 - 100},
		// Each of them is answered with more than 512 bytes, and less than 1024.
		{"lines of junk", "POST", "/v1/solve/batch", strings.Repeat(`{"a":1,"b":2,"c":3}`+"\n", 100), "", 10_000 - 1000 - 100 - 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer(t, Config{RatePerMinute: 10, Web: page})
				w := do(s, c.method, c.path, c.body, "If-None-Match", c.tag)
				one := s.clients.enter(netip.MustParseAddr("192.0.2.1"))
				if got := one.limiter.TokensAt(time.Now()); got != c.want {
					t.Errorf("%v are left after %d and %d bytes, want %v", got, w.Code, w.Body.Len(), c.want)
				}
			})
		})
	}
}
