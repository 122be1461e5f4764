package sheet

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/web/internal/browsertest"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// hardProblems are those that could break a layout, among usual ones: titles without end, with and
// without places to break, hands of all kinds, a long solution, and many footnotes.
func hardProblems(t testing.TB) []Problem {
	all := problemsOf(t, 13)
	all[1].Title, all[1].Author = strings.Repeat("長い題名の", 40), strings.Repeat("作者", 30)
	all[2].Title, all[2].Author = strings.Repeat("x", 300), strings.Repeat("y", 300)
	all[3].Position = shogi.MustParseSFEN("4k4/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 1")
	all[4].Position = shogi.MustParseSFEN("4k4/9/9/9/9/9/9/9/9 b RBGSNL9Prb3g3s3n3l9p 1")
	all[5].Position = shogi.MustParseSFEN("4k4/9/9/9/9/9/9/9/4K4 b 2R2B2G4S 1")
	all[3].Line, all[4].Line, all[5].Line = nil, nil, nil
	all[6] = longProblem(t, 7, 900)
	for i := range 40 {
		all[8].Footnotes = append(all[8].Footnotes, report.Footnote{Mark: report.Fail, Ply: i + 1,
			Name: report.Text{Ja: "余詰（5手）", En: "cook (5 plies)"}, Moves: report.Text{Ja: "２二金、同玉、３三角", En: "G*2b Kx2b B*3c"}})
	}
	return all
}

// overflowing names the elements of pages that stand out of their page, or over others.
const overflowing = `(() => {
	const found = [], name = (e) => e.tagName + "." + (e.getAttribute("class") ?? "") + " in " + e.closest("[id]")?.id;
	const out = (e, box, of) => {
		const r = e.getBoundingClientRect(), b = box.getBoundingClientRect();
		if (r.left < b.left - 1 || r.right > b.right + 1 || r.top < b.top - 1 || r.bottom > b.bottom + 1)
			found.push(name(e) + " out of " + of);
	};
	for (const page of document.querySelectorAll(".page")) {
		for (const e of page.querySelectorAll("header, .grid, .grid li, .caption, svg, .turned, .turned p, .elsewhere, footer")) out(e, page, "its page");
		for (const li of page.querySelectorAll(".grid li")) {
			for (const e of li.querySelectorAll(".caption, svg")) out(e, li, "its cell");
			if (li.querySelector("svg").getBoundingClientRect().height < 90) found.push("a small diagram in " + li.id);
		}
		const parts = [...page.children].map((e) => e.getBoundingClientRect());
		for (let i = 1; i < parts.length; i++)
			if (parts[i].top < parts[i - 1].bottom - 1) found.push("the parts of a page overlap: " + name(page.children[i]));
	}
	if (document.documentElement.scrollWidth > innerWidth) found.push("wider than the window: " + document.documentElement.scrollWidth);
	return found.join("\n");
})()`

// Pages have the size of their paper. There are as many as the diagrams need, besides those of the
// solutions; nothing stands out of a page, and every solution is in the print.
func TestPrint(t *testing.T) {
	sheets := map[string]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		_, _ = w.Write([]byte(sheets[r.URL.Path]))
	}))
	defer server.Close()
	p := browsertest.Open(t, browsertest.Screen{})
	problems := hardProblems(t)
	for _, c := range []struct {
		Options
		size  string // of the paper in points
		pages int    // at least
		more  int    // at most, for the solutions
	}{
		{Options{Language: "ja", PerPage: 2, Paper: B5, Solutions: Nowhere}, "516 729", 7, 0},
		{Options{Language: "ja", PerPage: 4, Paper: A4, Solutions: AtEnd}, "595 842", 4, 6},
		{Options{Language: "en", PerPage: 6, Paper: Letter, Solutions: UpsideDown}, "612 792", 3, 6},
		{Options{Language: "ja", PerPage: 9, Paper: B5, Solutions: UpsideDown}, "516 729", 2, 6},
		{Options{Language: "ja", PerPage: 9, Paper: A4, Solutions: OwnSheet}, "595 842", 4, 6},
	} {
		c.Title = strings.Repeat("とても長い題", 20)
		path := fmt.Sprintf("/%d-%s-%.0f", c.PerPage, c.Solutions, c.Paper.Width)
		sheets[path] = written(t, problems, c.Options)
		p.Show(browsertest.Screen{Width: 1000, Print: true})
		p.Goto(server.URL + path)
		if out := browsertest.Eval[string](p, overflowing); out != "" {
			t.Errorf("%s:\n%s", path, out)
		}
		pdf := string(p.PDF())
		boxes := regexp.MustCompile(`/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]`).FindAllStringSubmatch(pdf, -1)
		if n := len(boxes); n < c.pages || n > c.pages+c.more {
			t.Errorf("%s: %d pages, want %d and at most %d more", path, n, c.pages, c.more)
		}
		for _, box := range boxes {
			var width, height float64
			if _, err := fmt.Sscan(box[1]+" "+box[2], &width, &height); err != nil {
				t.Fatal(err)
			}
			if size := fmt.Sprintf("%.0f %.0f", width, height); size != c.size {
				t.Errorf("%s: a page of %s points, want %s", path, size, c.size)
			}
		}
		// On a phone nothing is wider than the screen.
		p.Show(browsertest.Screen{Width: 360, Height: 640})
		if wide := browsertest.Eval[int](p, "document.documentElement.scrollWidth"); wide > 360 {
			t.Errorf("%s: %d pixels wide on a phone", path, wide)
		}
		if c.Paper == Letter {
			p.Accessible()
		}
	}
}
