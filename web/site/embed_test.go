package site

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// At the sizes that oEmbed says, without any script of the page around, the whole board and the
// first buttons are seen, and squares can be hit with a finger; also where the page makes the frame
// as narrow as a phone. A page that listens learns how high a frame would have to be.
func TestFrames(t *testing.T) {
	s := serve(t)
	problem := s.URL + shortLink
	answer := func(target string, more string) (o struct {
		HTML          string
		Width, Height int
	}) {
		t.Helper()
		r, err := http.Get(s.URL + "/oembed?url=" + url.QueryEscape(target) + more)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if err := json.NewDecoder(r.Body).Decode(&o); err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d, %v", more, r.StatusCode, err)
		}
		return o
	}
	embed := strings.Replace(problem, "/p?", "/embed?", 1)
	frames := []string{}
	for _, c := range []struct{ target, more string }{
		{problem + "&title=第一番&plies=1", ""}, {problem, "&maxwidth=328"}, {problem, "&maxheight=640"},
		{problem, "&maxwidth=600&maxheight=400"}, {embed + "&hands=hide&pieces=international&theme=wood", "&maxwidth=340"},
	} {
		frames = append(frames, answer(c.target, c.more).HTML)
	}
	frames = append(frames, strings.Replace(frames[0], `width="400"`, `width="320"`, 1)) // as responsive pages do
	auto := fmt.Sprintf(`<iframe id="auto" src="%s&amp;height=auto" title="auto" width="360" height="150" style="border:0"></iframe>`, embed)
	page := `<!doctype html><html lang="ja"><meta charset="utf-8"><title>Frames</title><script>
		window.told = [];
		addEventListener("message", (event) => {
			if (event.origin !== "` + s.URL + `" || event.data?.type !== "tsume-height") return;
			for (const frame of document.querySelectorAll("iframe")) if (frame.contentWindow === event.source) {
				told.push([frame.title, Object.keys(event.data).join(), event.data.height]);
				if (frame.id === "auto") frame.style.height = event.data.height + "px";
			}
		});</script><body>` + strings.ReplaceAll(frames[0], ` loading="lazy"`, "") + auto + `</body></html>`
	around := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, page)
	}))
	t.Cleanup(around.Close)
	p := browsertest.Open(t, browsertest.Screen{Width: 768, Height: 1024, Still: true})
	p.Goto(around.URL)
	p.Wait(`new Set(told.map((x) => x[0])).size === 2`)
	p.Wait(`told.filter((x) => x[0] === "auto").at(-1)[2] > 500 && document.getElementById("auto").clientHeight === told.filter((x) => x[0] === "auto").at(-1)[2]`)
	if got := browsertest.Eval[[]string](p, `[...new Set(told.map((x) => x[1]))]`); len(got) != 1 || got[0] != "type,height" {
		t.Errorf("the messages have %q", got)
	}

	// What is inside the frames is of another origin, so each is opened by itself at its size.
	for i, frame := range frames {
		found := addresses.FindStringSubmatch(frame)
		var width, height int
		if _, err := fmt.Sscanf(frame[strings.Index(frame, `width=`):], `width="%d" height="%d"`, &width, &height); err != nil {
			t.Fatal(err)
		}
		p.Show(browsertest.Screen{Width: width, Height: height, Touch: true, Still: true})
		p.Goto(unescape(found[1]))
		p.Wait(`document.querySelector("tsume-board")?.state === "play"`)
		if strings.Contains(found[1], "title=") {
			p.Wait(`document.querySelector("tsume-board").shadowRoot.querySelector(".caption b")`)
		}
		got := browsertest.Eval[struct{ Square, Grid, Button, Wide, High float64 }](p, `(() => {
			const root = document.querySelector("tsume-board").shadowRoot, at = (x) => x.getBoundingClientRect();
			return { Square: at(root.querySelector("[data-cell='40']")).width, Grid: at(root.querySelector("[role=grid]")).bottom,
				Button: at([...root.querySelectorAll(".bar button")].find((x) => x.checkVisibility())).bottom,
				Wide: document.documentElement.scrollWidth, High: document.documentElement.scrollHeight };
		})()`)
		if got.Square < 24 || got.Grid > float64(height) || got.Button > float64(height) || got.Wide > float64(width) {
			t.Errorf("frame %d of %d by %d: %+v", i, width, height, got)
		}
		t.Logf("frame %d of %d by %d: %+v", i, width, height, got)
	}
}
