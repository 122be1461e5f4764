package engine_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tsumero/tsumero/web/board"
	"github.com/tsumero/tsumero/web/engine"
	"github.com/tsumero/tsumero/web/internal/browsertest"
)

var measure = flag.String("engine.measure", "",
	"tables of positions and raw lengths that TestMeasure times in browsers; needs go generate ./web/engine")

// A slowWriter sends as much in a second as a line with so many bits does, shared by all.
type slowWriter struct {
	http.ResponseWriter
	line *line
}

type line struct {
	mu   sync.Mutex
	bits float64 // in a second
	free time.Time
}

// wait waits until so many bytes have gone over the line.
func (l *line) wait(bytes int) {
	l.mu.Lock()
	if now := time.Now(); l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(float64(bytes*8) / l.bits * float64(time.Second)))
	free := l.free // after that of those before, so that what a sleep is too long does not add up
	l.mu.Unlock()
	time.Sleep(time.Until(free))
}

func (w slowWriter) Write(p []byte) (n int, err error) {
	const piece = 4 << 10
	for len(p) > 0 && err == nil {
		part := p[:min(piece, len(p))]
		w.line.wait(len(part))
		var k int
		k, err = w.ResponseWriter.Write(part)
		n, p = n+k, p[len(part):]
		w.ResponseWriter.(http.Flusher).Flush()
	}
	return n, err
}

// slowly serves the board and the engine, as the service sends them, over a line with a round trip of
// 60 ms.
func slowly(t *testing.T, mbits float64, page string) string {
	l := &line{bits: mbits * 1e6}
	mux := http.NewServeMux()
	board.Register(mux)
	engine.Register(mux)
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, page)
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(60 * time.Millisecond)
		if path.Ext(r.URL.Path) == ".wasm" || path.Ext(r.URL.Path) == ".js" {
			r.Header.Set("Accept-Encoding", "br, gzip") // as over https
		}
		mux.ServeHTTP(slowWriter{w, l}, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestMeasure times first answers over slow lines, and later ones by length, on a page as large as a
// phone's.
func TestMeasure(t *testing.T) {
	if *measure == "" {
		t.Skip("without -engine.measure")
	}
	if !engine.Built() {
		t.Fatal("run go generate ./web/engine first")
	}
	byLength := map[int][]string{}
	paths, _ := filepath.Glob(*measure)
	for _, name := range paths {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for row := range strings.Lines(string(text)) {
			fields := strings.Split(strings.TrimSpace(row), "\t")
			if len(fields) < 2 || fields[0] == "" || fields[0][0] == '#' {
				continue
			}
			if n, err := strconv.Atoi(fields[1]); err == nil && n%2 == 1 && n >= 3 && n <= 17 {
				byLength[n] = append(byLength[n], fields[0])
			}
		}
	}
	for name, open := range map[string]func(testing.TB, browsertest.Screen) *browsertest.Page{
		"Chromium": browsertest.Open, "Firefox": browsertest.OpenFirefox,
	} {
		page := `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
			`<title>Tsume</title><link rel="icon" href="data:,"><script src="/embed.js"></script>` + tag(`engine="local"`) + `</html>`
		for _, mbits := range []float64{1000, 9, 1.6} {
			p := open(t, browsertest.Screen{Width: 390, Height: 844, Still: true})
			url := slowly(t, mbits, page)
			began := time.Now()
			p.Goto(url)
			p.Do(listen)
			loaded := time.Since(began)
			began = time.Now()
			got := browsertest.Eval[string](p, `b.play("R*1a")`)
			replied := time.Since(began)
			// A reader has a look, and touches the board before: the piece, and then the square.
			p = open(t, browsertest.Screen{Width: 390, Height: 844, Still: true})
			p.Goto(slowly(t, mbits, page))
			p.Do(listen)
			time.Sleep(time.Second)
			p.Click(`b.shadowRoot.querySelector("[data-cell='88']")`)
			time.Sleep(700 * time.Millisecond)
			began = time.Now()
			p.Click(`b.shadowRoot.querySelector("[data-cell='8']")`)
			p.Wait(`b.played.length === 2`)
			t.Logf("%s, %.1f Mbit/s: board after %v, reply to a move by a script (%s) after %v, by a reader after %v",
				name, mbits, loaded.Round(time.Millisecond), got, replied.Round(time.Millisecond),
				time.Since(began).Round(time.Millisecond))
			if mbits != 9 || len(byLength) == 0 {
				continue
			}
			p.Do(`window.engine = (await import("/embed-engine.js")).engineOf()`)
			for _, plies := range []int{3, 5, 7, 9, 11, 13, 15, 17} {
				list := byLength[plies]
				var picked []string
				for i := range min(60, len(list)) {
					picked = append(picked, list[i*len(list)/min(60, len(list))])
				}
				text, _ := json.Marshal(picked)
				took := browsertest.Eval[[]float64](p, `(async () => {
					const all = [];
					for (const sfen of `+string(text)+`) {
						const began = performance.now();
						await engine("/v1/solve", { method: "POST", body: JSON.stringify({ sfen, limits: { time_ms: 20000 } }) });
						all.push(performance.now() - began);
					}
					return all;
				})()`)
				slices.Sort(took)
				if n := len(took); n > 0 {
					t.Logf("%s, %d plies: %d positions, median %.1f ms, p90 %.1f, most %.1f", name, plies, n,
						took[n/2], took[n*9/10], took[n-1])
				}
			}
		}
	}
}
