package site_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/httpapi"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/web/board"
	"github.com/tsumero/tsumero/web/daily"
	"github.com/tsumero/tsumero/web/diagram"
	"github.com/tsumero/tsumero/web/internal/browsertest"
	"github.com/tsumero/tsumero/web/internal/enginetest"
	"github.com/tsumero/tsumero/web/site"
)

// exportPages returns the pages of a service of five weeks after the first day, as files.
func exportPages(t *testing.T) map[string][]byte {
	t.Helper()
	boards, tools := engineFiles(t)
	pages := newPages(t, site.Config{Analyses: true, Engine: boards, Tools: tools,
		Levels: []site.Level{{Name: "random", Ja: "でたらめ", En: "Random"}},
		Now:    func() time.Time { return (daily.First + 35).Start() }})
	mux := http.NewServeMux()
	board.Register(mux)
	mux.HandleFunc("/engine/{name}", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(enginetest.Files(t)[r.PathValue("name")])
	})
	mux.Handle("/", pages)
	none := solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result { return solver.Result{} })
	api, err := httpapi.New(httpapi.Config{Solver: none, Web: mux, Diagrams: diagram.Handler(nil), RatePerMinute: -1})
	if err != nil {
		t.Fatal(err)
	}
	files, err := site.Files(api.Handler())
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func compressed(body []byte) int {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(body)
	_ = w.Close()
	return b.Len()
}

// TestFiles: the pages as files have all that they lead to, name no address of a root, and are small.
// Below a path of a plain file server readers solve the problem of the day, and without a network all
// else that the solver in the browser answers, in two browsers.
func TestFiles(t *testing.T) {
	files := exportPages(t)
	const mostBytes, mostAtFirst = 8 << 20, 150_000
	total := 0
	for name, body := range files {
		total += compressed(body)
		if path.Ext(name) == ".html" {
			checkLinks(t, files, name, string(body))
		}
	}
	t.Logf("%d files of %d bytes compressed", len(files), total)
	if total > mostBytes {
		t.Errorf("all files have %d bytes compressed, more than %d", total, mostBytes)
	}

	for name, open := range map[string]func(testing.TB, browsertest.Screen) *browsertest.Page{
		"Chromium": browsertest.Open, "Firefox": browsertest.OpenFirefox,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, browsertest.Screen{Still: true})
			const below = "/below/a/path/"
			var isDown atomic.Bool
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				name := strings.TrimPrefix(r.URL.Path, below)
				if strings.HasSuffix(r.URL.Path, "/") {
					name += "index.html"
				}
				switch body, isFile := files[name]; {
				case isDown.Load():
					panic(http.ErrAbortHandler)
				case isFile:
					http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
				default:
					t.Errorf("%s is asked for", r.URL)
					http.NotFound(w, r)
				}
			}))
			t.Cleanup(server.Close)
			home := server.URL + below

			p.Goto(home)
			p.Wait(`document.querySelector("tsume-board")?.ready`)
			p.Do(`window.b = document.querySelector("tsume-board"); await b.ready`)
			wantHeading(t, p, today().Start().Format("1月2日"))
			p.Do(`const line = b.getAttribute("moves").split(" ");
				for (let i = 0; i < line.length; i += 2) await b.play(line[i]);
				if (b.state !== "solved") throw b.state`)
			shoot(t, p, name+"-files-home")
			first := compressed(files["index.html"])
			const loaded = `performance.getEntriesByType("resource").map(({ name }) => name)`
			for _, address := range browsertest.Eval[[]string](p, loaded) {
				u, err := url.Parse(address)
				if err != nil {
					t.Fatal(err)
				}
				if name := strings.TrimPrefix(u.Path, below); !strings.HasPrefix(name, "engine/") {
					first += compressed(files[name])
				}
			}
			t.Logf("%d bytes before the first problem is solved", first)
			if first > mostAtFirst {
				t.Errorf("the first problem takes %d bytes compressed, more than %d", first, mostAtFirst)
			}
			awaitKept(p, below+"train/9.json") // the last

			isDown.Store(true)
			p.Goto(home + "en/p/?title=Mine&sfen=" + offlineProblem)
			wantHeading(t, p, "Mine")
			solveOffline(t, p)

			p.Goto(home + "en/study/?sfen=" + offlineProblem)
			p.Wait(`document.querySelector("#board").ready`)
			p.Click(`document.querySelector("#solve")`)
			p.Wait(`document.querySelector("#verdict-word").textContent === "Mate in 5"`)
			p.Click(`document.querySelector("#analyze")`)
			p.Wait(`document.querySelector("#report:not([hidden]) .verdict")?.textContent.includes("Sound")`)
			shoot(t, p, name+"-files-study")

			p.Goto(home + "train/#2")
			p.Wait(`window.set?.count > 0`)
			p.Goto(home + "en/daily/?date=" + (daily.First + 1).String())
			wantHeading(t, p, dayOf(daily.First+1))
			p.Goto(home + "problems/3")
			wantHeading(t, p, "3手詰")
			p.Do(`for (const image of document.images) image.loading = "eager"`)
			p.Wait(`[...document.images].every((image) => image.naturalWidth > 0)`)
			p.Goto(home + "en/docs/")
			wantHeading(t, p, "API")
			p.Goto(home + "en/board/")
			p.Wait(`document.querySelector("tsume-board[daily]")?.ready`)
			p.Do(`window.b = document.querySelector("tsume-board[daily]"); await b.ready; if (b.state !== "play") throw b.state`)
		})
	}
}

var attributeIn = regexp.MustCompile(`<\w[^<>]* (?:href|src|data-set|next|action)="([^"#?]*)`)

// checkLinks says which of the links of a page lead nowhere.
func checkLinks(t *testing.T, files map[string][]byte, name, page string) {
	t.Helper()
	for _, found := range attributeIn.FindAllStringSubmatch(page, -1) {
		to := path.Join(path.Dir(name), found[1])
		if found[1] == "" || strings.HasPrefix(found[1], "data:") || strings.HasPrefix(found[1], "https://") {
			continue
		}
		if strings.HasSuffix(found[1], "/") {
			to = path.Join(to, "index.html")
		}
		if _, isThere := files[to]; !isThere || strings.HasPrefix(found[1], "/") {
			t.Errorf("%s leads to %s", name, found[1])
		}
	}
	if !strings.Contains(page, "<html data-root=") || !strings.Contains(page, "Content-Security-Policy") {
		t.Errorf("%s begins with %.300s", name, page)
	}
}
