package book_test

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver/theme"
	"github.com/tsumero/tsumero/web/book"
	"github.com/tsumero/tsumero/web/internal/browsertest"
	"github.com/tsumero/tsumero/web/sheet"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// problems are a mate in 3, one whose solution ends where what is left is futile to interpose, and
// one that does not mate.
func problems(t *testing.T) []book.Problem {
	t.Helper()
	list := []book.Problem{
		{Problem: sheet.Problem{Number: 1, Title: "頭金の<b>二段</b>", Author: "甲野", Length: report.Text{Ja: "3手詰", En: "Mate in 3"}},
			Certificate: []byte("tsumero-cert 1 mate\n"), Report: json.RawMessage(`{"verdict":"mate"}`),
			Status:   report.Item{Mark: report.Fail, Text: report.Text{Ja: "余<b>詰", En: "cook"}},
			Findings: []report.Text{{Ja: "作意は3手", En: "the author's line has 3 plies"}},
			Themes:   []theme.Found{{Theme: theme.ByID("sacrifice"), Plies: []int{1}}, {Theme: theme.ByID("smoke")}}},
		{Problem: sheet.Problem{Number: 2, Length: report.Text{Ja: "1手詰", En: "Mate in 1"}}, Alike: "1の<i>",
			Themes: []theme.Found{{Theme: theme.ByID("sacrifice"), Plies: []int{1}}}},
		{Problem: sheet.Problem{Number: 4, Title: "不詰", Unfinished: true, NoMate: true}, Certificate: []byte("tsumero-cert 1 nomate\n")},
	}
	for i, text := range []string{
		"9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1 moves G*5c 5b5a G*5b",
		"k8/pp7/9/9/9/9/9/9/4R4 b r2b4g4s4n4l16p 1 moves 5i5a+",
		"7nk/9/7G1/9/9/9/9/9/9 b P2r2b3g4s3n4l17p 1",
	} {
		game, err := shogi.ParsePosition(text)
		if err != nil {
			t.Fatal(err)
		}
		list[i].Position, list[i].Line = game.Start(), game.Moves()
		if i == 1 {
			list[i].Recorded = game.Moves()
		}
	}
	return list
}

func write(t *testing.T, dir string, list []book.Problem, o book.Options) {
	t.Helper()
	if err := book.Write(dir, list, o); err != nil {
		t.Fatal(err)
	}
}

// names are the files of a folder.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// What is in the files: records and JSON that can be read, and text of others as text.
func TestFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	list := problems(t)
	write(t, dir, list, book.Options{Language: "ja", Title: "<題>"})
	for _, name := range []string{"1.kif", "1.csa", "1.sfen"} {
		r, err := notation.Parse([]byte(read(t, dir, name)), notation.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		line, end := list[0].Line, notation.Mated
		if name == "1.sfen" { // the problem alone
			line, end = nil, ""
		}
		if start := r.Start; start.SFEN() != list[0].Position.SFEN() || !slices.Equal(r.Moves(), line) {
			t.Errorf("%s: %s %v", name, start.SFEN(), r.Moves())
		}
		if r.Ending() != end {
			t.Errorf("%s ends with %q", name, r.Ending())
		}
	}
	var all struct {
		Title    string
		Problems []struct {
			Number                         int
			Title, SFEN, Page, Certificate string
			Moves                          []string
			Report                         struct{ Verdict string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, dir, "collection.json")), &all); err != nil {
		t.Fatal(err)
	}
	if p := all.Problems; all.Title != "<題>" || len(p) != 3 || p[0].Certificate != "1.cert" || p[0].Report.Verdict != "mate" ||
		p[1].Certificate != "" || p[2].Certificate != "4.cert" || p[2].Number != 4 || p[2].Page != "4.html" || p[2].Moves != nil || len(p[0].Moves) != 3 {
		t.Errorf("%+v", all)
	}
	index, first, middle := read(t, dir, "index.html"), read(t, dir, "1.html"), read(t, dir, "2.html")
	for _, c := range []struct {
		page  string
		parts []string
	}{
		{index, []string{"&lt;題&gt;", `href="1.html"`, "頭金の&lt;b&gt;二段", "甲野作", "第2番", `href="4.html"`, `<span class="name">1　頭金`,
			"✗ 余&lt;b&gt;詰", "手筋・趣向の索引</summary>\n<dl class=\"themes\">\n<dt>煙詰</dt><dd><a href=\"1.html\"",
			`<dt>捨駒</dt><dd><a href="1.html" title="頭金の&lt;b&gt;二段&lt;/b&gt;">1</a> <a href="2.html">2</a> </dd>`}},
		{first, []string{"<h1>1　頭金の&lt;b&gt;二段&lt;/b&gt;</h1>", "<details><summary>解答", "５三金、", "まで３手詰",
			`href="1.cert" download>詰みの証明`, "✗ 余&lt;b&gt;詰", "<li>作意は3手", `rel="next" href="2.html"`}},
		{middle, []string{"<h1>第2番</h1>", `label="第2番 1手詰"`, "棋譜にある作意</h2>\n<p class=\"moves\"><span>５一飛成", "1の&lt;i&gt;",
			`href="1.html" rel="prev"`, `href="4.html" rel="next"`}},
		{read(t, dir, "4.html"), []string{"不詰の証明"}},
	} {
		for _, part := range c.parts {
			if !strings.Contains(c.page, part) {
				t.Errorf("no %s in\n%s", part, c.page)
			}
		}
		if strings.Contains(c.page, "://") || strings.Contains(c.page, "<b>二") {
			t.Errorf("the page has what it should not:\n%s", c.page)
		}
	}
	if strings.Contains(middle, ".cert") {
		t.Error("a certificate that is not there")
	}
}

// A folder is written anew without what it had before, and what is not ours stays as it is.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	list := problems(t)
	write(t, dir, list, book.Options{Language: "ja", Service: "https://tsumero.example/base"})
	if page := read(t, dir, "1.html"); !strings.Contains(page, `api="https://tsumero.example/base"`) ||
		!strings.Contains(page, "connect-src https://tsumero.example;") || slices.Contains(names(t, dir), "collection.js") {
		t.Errorf("with a service:\n%s", page)
	}
	if err := os.WriteFile(filepath.Join(dir, "CNAME"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// As a run that was killed has left it.
	if err := os.WriteFile(filepath.Join(dir, ".tsumero-collection-unfinished"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, dir, list[:1], book.Options{Language: "en"})
	all := names(t, dir)
	for _, name := range []string{"2.html", "4.kif", ".tsumero-collection-unfinished"} {
		if slices.Contains(all, name) {
			t.Errorf("%s of the collection before is there", name)
		}
	}
	if !slices.Contains(all, "CNAME") || !slices.Contains(all, "collection.js") {
		t.Errorf("%v", all)
	}
	if page := read(t, dir, "1.html"); strings.Contains(page, "2.html") || !strings.Contains(page, "Solution") {
		t.Error(page)
	}
	// What is the same is not written again.
	icon, long := filepath.Join(dir, "collection.svg"), time.Unix(1e9, 0)
	if err := os.Chtimes(icon, long, long); err != nil {
		t.Fatal(err)
	}
	write(t, dir, list[:1], book.Options{Language: "ja"})
	if info, err := os.Stat(icon); err != nil || !info.ModTime().Equal(long) {
		t.Errorf("a file that stays the same is written: %v", err)
	}

	// Of a part nothing gets into a folder that has a collection; a new one gets all there is.
	was := files(t, dir)
	if err := book.Write(dir, list[1:], book.Options{Language: "ja", Partial: true}); !errors.Is(err, book.ErrKept) {
		t.Errorf("a part into a collection: %v", err)
	}
	if !maps.Equal(files(t, dir), was) {
		t.Error("a part of a collection changes an earlier one")
	}
	part := filepath.Join(t.TempDir(), "part")
	write(t, part, list[:1], book.Options{Language: "ja", Partial: true})
	if !strings.Contains(read(t, part, "index.html"), "1.html") {
		t.Error("the index of a part lacks what is there")
	}

	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "index.html"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := book.Write(other, list, book.Options{Language: "ja"}); err == nil || !strings.Contains(err.Error(), "other files in it") {
		t.Errorf("a folder with other files: %v", err)
	}
	if read(t, other, "index.html") != "mine" || len(names(t, other)) != 1 {
		t.Errorf("%v", names(t, other))
	}
	if err := book.Write(filepath.Join(other, "index.html"), list, book.Options{}); err == nil {
		t.Error("a file is no folder")
	}
}

// Files and folders of others, whose names are like ours, are neither removed nor replaced.
func TestOthersFiles(t *testing.T) {
	dir := t.TempDir()
	list := problems(t)
	write(t, dir, list[:2], book.Options{Language: "ja"})
	for _, name := range []string{"99.html", "2024.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "77.svg", "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, list[:1], book.Options{Language: "ja"})
	all := names(t, dir)
	for _, name := range []string{"99.html", "2024.json", "77.svg"} {
		if !slices.Contains(all, name) {
			t.Errorf("%s is removed", name)
		}
	}
	if slices.Contains(all, "2.html") {
		t.Error("2.html of the collection before is there")
	}
	if err := os.WriteFile(filepath.Join(dir, "4.html"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := book.Check(dir, 3); err != nil {
		t.Errorf("4.html is in the way of three problems: %v", err)
	}
	certificate := filepath.Join(dir, "3.cert")
	if err := os.WriteFile(certificate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := book.Check(dir, 3); err == nil || !strings.Contains(err.Error(), "3.cert is in the folder") {
		t.Errorf("3.cert is not in the way of three problems: %v", err)
	}
	if err := os.Remove(certificate); err != nil {
		t.Fatal(err)
	}
	if err := book.Check(dir, 4); err == nil || !strings.Contains(err.Error(), "4.html is in the folder") {
		t.Errorf("4.html is not in the way of four problems: %v", err)
	}
	was := files(t, dir)
	if err := book.Write(dir, list, book.Options{Language: "ja"}); err == nil || !strings.Contains(err.Error(), "4.html is in the folder") {
		t.Errorf("a file of somebody else in the place of a page: %v", err)
	}
	if !maps.Equal(files(t, dir), was) {
		t.Error("the refused collection is written")
	}
}

// files are the regular files of a folder with their contents.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range names(t, dir) {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			all[name] = read(t, dir, name)
		}
	}
	return all
}

// From a plain file server, under the strictest policy, the board plays the solution, also where it
// ends with what is futile to interpose; nothing is asked for elsewhere.
func TestBrowser(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, problems(t), book.Options{Language: "ja"})
	server := http.FileServer(http.Dir(dir))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			t.Errorf("%s %s", r.Method, r.URL)
			_, _ = io.Copy(io.Discard, r.Body)
		}
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "+
			"require-trusted-types-for 'script'")
		server.ServeHTTP(w, r)
	}))
	defer s.Close()
	p := browsertest.Open(t, browsertest.Screen{Still: true})
	p.Goto(s.URL)
	p.Wait(`[...document.images].every((i) => i.complete && i.naturalWidth) && document.images.length === 3`)
	p.Accessible()
	p.Click(`document.querySelector("a[href='1.html']")`)
	const board = `document.querySelector("tsume-board")`
	p.Wait(board + `?.state === "play"`)
	p.Accessible()
	says := board + `.shadowRoot.querySelector("p").innerText`
	if outcome := browsertest.Eval[string](p, board+`.play("G*4c")`); outcome != "failed" {
		t.Errorf("a move beside the solution: %s, %s", outcome, browsertest.Eval[string](p, says))
	}
	p.Do(board + ".reset()")
	for _, m := range []string{"G*5c", "G*5b"} {
		p.Do(board + `.play("` + m + `")`)
	}
	p.Wait(board + `.state === "solved"`)
	// As on the pages of the service, this is kept, and so is a theme.
	p.Wait(`document.querySelector(".own .ended.solved")`)
	p.Do(`localStorage.setItem("tsume-look", '{"version":1,"theme":"dark"}')`)
	p.Goto(s.URL)
	p.Wait(`document.querySelectorAll("li .ended.solved").length === 1 && document.documentElement.dataset.theme === "dark"`)
	p.Goto(s.URL + "/1.html")
	p.Wait(board + `?.getAttribute("theme") === "dark"`)
	p.Accessible()
	p.Click(`document.querySelector("a[rel=next]")`)
	p.Wait(`location.pathname === "/2.html" && ` + board + `?.state === "play"`)
	if outcome := browsertest.Eval[string](p, board+`.ready.then(() => `+board+`.play("5i5a+"))`); outcome != "solved" {
		t.Errorf("what is left is futile: %s, %s", outcome, browsertest.Eval[string](p, says))
	}
	p.Click(`document.querySelector("a[rel=next]")`)
	p.Wait(`location.pathname === "/4.html" && ` + board + `?.state === "play"`)
	elsewhere := browsertest.Eval[[]string](p, `performance.getEntriesByType("resource").map((e) => e.name).filter((n) => !n.startsWith(location.origin))`)
	if len(elsewhere) > 0 {
		t.Errorf("loaded from elsewhere: %v", elsewhere)
	}
}
