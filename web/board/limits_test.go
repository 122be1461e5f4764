package board_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/httpapi"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/web/board"
	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// A recording service knows no answer to anything, and what it was asked.
type recording struct {
	url string

	mu    sync.Mutex
	asked []string // method and path, and the time that a question allows, if it says
}

func (s *recording) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.asked
	s.asked = nil
	return taken
}

func serveUnknown(t *testing.T, c httpapi.Config, lacking ...string) *recording {
	t.Helper()
	nothing := solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
		return solver.Result{Reason: solver.ReasonTime}
	})
	mux := http.NewServeMux()
	board.Register(mux)
	c.Solver, c.Quick, c.Web = nothing, nothing, mux
	c.CORSOrigins, c.RatePerMinute = []string{"*"}, -1
	api, err := httpapi.New(c)
	if err != nil {
		t.Fatal(err)
	}
	s := &recording{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			body, _ := io.ReadAll(r.Body)
			var question struct {
				Limits struct {
					TimeMS int `json:"time_ms"`
				}
			}
			_ = json.Unmarshal(body, &question) // a GET has none
			line := r.Method + " " + r.URL.Path
			if question.Limits.TimeMS > 0 {
				line += fmt.Sprintf(" %d", question.Limits.TimeMS)
			}
			s.mu.Lock()
			s.asked = append(s.asked, line)
			s.mu.Unlock()
			r.Body = io.NopCloser(strings.NewReader(string(body)))
		}
		if slices.Contains(lacking, r.URL.Path) {
			w.Header().Set("Access-Control-Allow-Origin", "*")
			http.Error(w, `{"title":"Not found"}`, http.StatusNotFound)
			return
		}
		api.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// The board learns what its server allows when it needs more than it gets unasked, and never asks
// for more than that. No question needs a preflight.
func TestServerLimits(t *testing.T) {
	const again = "再試行"
	for name, c := range map[string]struct {
		config  httpapi.Config
		lacking []string
		want    []string // of the first question and three more attempts
	}{
		"3 s": {httpapi.Config{MaxTime: 3 * time.Second}, nil, []string{
			"POST /v1/moves", "GET /v1/limits", "POST /v1/moves 3000", "POST /v1/moves 3000", "POST /v1/moves 3000"}},
		"60 s": {httpapi.Config{MaxTime: 60 * time.Second}, nil, []string{
			"POST /v1/moves", "GET /v1/limits", "POST /v1/moves 10000", "POST /v1/moves 60000", "POST /v1/moves 60000"}},
		"an older server": {httpapi.Config{}, []string{"/v1/limits"}, []string{
			"POST /v1/moves", "GET /v1/limits", "POST /v1/moves 10000", "POST /v1/moves 10000", "POST /v1/moves 10000"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := serveUnknown(t, c.config, c.lacking...)
			p := browsertest.Open(t, browsertest.Screen{Still: true})
			script := `<script src="` + s.url + `/embed.js"></script>`
			p.Goto(site(t, nil, pageWith("ja", script, tag(solve))))
			p.Do(listen + `; await b.play("R*1a")`)
			for range 3 {
				waitState(p, "stopped", 1)
				if got := status(p); got != "時間内には分かりませんでした。" {
					t.Errorf("the board says %q", got)
				}
				p.Do(button(again) + `.click(); await new Promise((done) => {
					const look = () => b.state === "stopped" ? done() : setTimeout(look, 20);
					setTimeout(look, 20);
				})`)
			}
			if got := s.take(); !slices.Equal(got, c.want) {
				t.Errorf("the server was asked %q, expected %q", got, c.want)
			}
			if c.lacking != nil {
				_ = p.Errors() // of the browser, about the 404
			}
		})
	}
}

// A server that was started anew may allow less than the board knows of. The reader is told so, in
// both languages, and the next attempt asks for what is allowed.
func TestFewerLimits(t *testing.T) {
	s := serveUnknown(t, httpapi.Config{MaxTime: 3 * time.Second})
	for lang, says := range map[string]string{
		"ja": "サーバーの制限時間を超えました。もう一度お試しください。",
		"en": "That was longer than the server allows. Try again.",
	} {
		t.Run(lang, func(t *testing.T) {
			p := browsertest.Open(t, browsertest.Screen{Still: true})
			script := `<script src="` + s.url + `/embed.js"></script>`
			p.Goto(site(t, nil, pageWith(lang, script, tag(solve))))
			p.Do(listen + `; const real = fetch; window.fetch = (url, o) => url.endsWith("/v1/limits")
				? Promise.resolve(new Response('{"max_time_ms":60000,"default_time_ms":2000}')) : real(url, o);
				await b.hint(); await b.hint(); window.fetch = real`)
			if got := status(p); got != says {
				t.Errorf("the board says %q", got)
			}
			p.Accessible()
			_ = p.Errors() // of the browser, about the 422
			s.take()
			p.Do(`await b.reset(); await b.hint(); await b.hint()`)
			want := []string{"POST /v1/solve", "POST /v1/solve 3000"}
			if got := s.take(); !slices.Equal(slices.DeleteFunc(got, isLimits), want) {
				t.Errorf("the server was asked %q, expected %q", got, want)
			}
		})
	}
}

func isLimits(line string) bool { return line == "GET /v1/limits" }
