package board_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tsumero/tsumero/api/httpapi"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/levels"
	"github.com/tsumero/tsumero/web/board"
	"github.com/tsumero/tsumero/web/internal/browsertest"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// problem is a mate in 5: R*1a 1b1a 2b2a+ 1a1b 2d2b+. The last move can be made without promotion,
// but does not mate then.
const problem = "9/7Lk/9/7R1/9/9/9/9/9 b R2b4g4s4n3l18p 1"

var solution = []string{"R*1a", "1b1a", "2b2a+", "1a1b", "2d2b+"}

// solve are the attributes of a board that has the problem to be solved.
const solve = `mode="solve" sfen="` + problem + `"`

// stay are those of one where what refutes a move stays on the board.
const stay = solve + ` wrong="stay"`

// A service is what hosts the script: a whole API, with real solvers. All tests share one; each
// counts for itself.
type service struct {
	url   string
	asked atomic.Int64 // questions
}

var start = sync.OnceValues(func() (*service, error) { return newService(httpapi.Config{}) })

// newService starts a service that lives as long as the tests.
func newService(c httpapi.Config) (*service, error) {
	s := &service{}
	mux := http.NewServeMux()
	board.Register(mux)
	docs.Register(mux)
	mux.HandleFunc("/daily.json", daily)
	mux.HandleFunc("/favicon.svg", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	c.Solver = mate.New(mate.Options{TableBytes: 16 << 20, Searches: 2})
	c.Quick = mate.New(mate.Options{TableBytes: 4 << 20, Searches: 2})
	c.MaxSearches, c.LongSearches, c.RatePerMinute = 2, 2, -1
	c.Levels, c.NewEngine = levels.Names(), func(level string, seed uint64) (play.Engine, error) {
		return levels.New(level, levels.Options{Seed: seed, TableBytes: 1 << 20})
	}
	c.CORSOrigins, c.Web = []string{"*"}, mux
	api, err := httpapi.New(c)
	if err != nil {
		return nil, err
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/v1/") {
			s.asked.Add(1)
		}
		api.Handler().ServeHTTP(w, r)
	}))
	s.url = server.URL
	return s, nil
}

func serve(t testing.TB) *service {
	t.Helper()
	s, err := start()
	if err != nil {
		t.Fatal(err)
	}
	s.asked.Store(0)
	return s
}

// site serves a page of somebody else, on an origin of its own.
func site(t testing.TB, header http.Header, page string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			w.WriteHeader(http.StatusNoContent) // a browser asks for an icon
			return
		}
		for name, values := range header {
			w.Header()[name] = values
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, page)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// pageWith is a page of that language with a script and boards.
func pageWith(lang, script, boards string) string {
	return `<!doctype html><html lang="` + lang + `"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Tsume</title>` +
		`<style>html { color-scheme: light dark } body { margin: 0; padding: 8px } h1 { font-size: 1rem }</style>` + script +
		`</head><body><main><h1>Tsume</h1>` + boards + `</main></body></html>`
}

func tag(attributes string) string { return "<tsume-board " + attributes + "></tsume-board>" }

func (s *service) script() string { return `<script src="` + s.url + `/embed.js"></script>` }

// listen makes the first board of a page its variable b, and has the board's events kept in the
// variable events.
const listen = `window.b = document.querySelector("tsume-board"); window.events = [];
	for (const type of ["move", "solved", "wrong", "error", "edit", "hint", "answer", "over"]) b.addEventListener("tsume-" + type, (e) => events.push([type, e.detail]))`

// open opens a page with one board. Nothing moves on it, so that no test waits for that.
func (s *service) open(t testing.TB, screen browsertest.Screen, attributes string) *browsertest.Page {
	t.Helper()
	lang := "ja"
	if strings.Contains(attributes, `lang="en"`) {
		lang = "en"
	}
	screen.Still = true
	p := browsertest.Open(t, screen)
	p.Goto(site(t, nil, pageWith(lang, s.script(), tag(attributes))))
	p.Do(listen + "; await b.ready")
	return p
}

// replace puts another board in the place of the one of the page.
func replace(p *browsertest.Page, attributes string) {
	text, _ := json.Marshal(tag(attributes))
	p.Do("b.outerHTML = " + string(text) + "; " + listen + "; await b.ready")
}

// in is the script for an element inside the board.
func in(selector string) string {
	text, _ := json.Marshal(selector)
	return "b.shadowRoot.querySelector(" + string(text) + ")"
}

// square and hand are the script for a cell.
func square(name string) string {
	return in(fmt.Sprintf("[data-cell='%d']", int(name[1]-'a')*9+9-int(name[0]-'0')))
}

func hand(color, kind int) string { return in(fmt.Sprintf("[data-cell='%d']", 81+9*color+kind)) }

func boxOf(kind int) string { return hand(2, kind) }

// The kinds of pieces, as the board numbers them.
const (
	gold = 5
	rook = 7
	king = 8
)

func button(words string) string {
	return `[...b.shadowRoot.querySelectorAll("button")].find((x) => !x.hidden && (x.textContent.startsWith("` + words + `") || x.title === "` + words + `"))`
}

func status(p *browsertest.Page) string {
	return browsertest.Eval[string](p, in("p")+".innerText")
}

func played(p *browsertest.Page) []string { return browsertest.Eval[[]string](p, "b.played") }

func focused(p *browsertest.Page) string {
	return browsertest.Eval[string](p, `b.shadowRoot.activeElement?.getAttribute("aria-label") || b.shadowRoot.activeElement?.innerText || ""`)
}

func events[T any](p *browsertest.Page, kind string) []T {
	return browsertest.Eval[[]T](p, `events.filter(([type]) => type === "`+kind+`").map(([, detail]) => detail)`)
}

func waitState(p *browsertest.Page, state string, plies int) {
	p.Wait(fmt.Sprintf("b.state === %q && b.played.length === %d", state, plies))
}

func checkSolved(t *testing.T, p *browsertest.Page) {
	t.Helper()
	waitState(p, "solved", 5)
	if got := played(p); !slices.Equal(got, solution) {
		t.Errorf("played %v", got)
	}
	solved := events[struct {
		Moves               []string
		Plies, Hints, Wrong int
	}](p, "solved")
	if len(solved) != 1 || solved[0].Plies != 5 || !slices.Equal(solved[0].Moves, solution) {
		t.Errorf("tsume-solved: %+v", solved)
	}
	if text := status(p); !strings.Contains(text, "正解！ 5手詰") {
		t.Errorf("the board says %q", text)
	}
	p.Wait(in(".live") + `.textContent.includes("正解！ 5手詰")`)
}

func shoot(t *testing.T, p *browsertest.Page, name string) {
	t.Helper()
	if folder := os.Getenv("BROWSER_SHOTS"); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, name+".png"), p.PNG(true), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
