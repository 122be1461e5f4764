package sheet

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/length"
)

// A mate in three, and its moves.
const threePlies = "7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1"

var itsMoves = []string{"4e4c+", "1c1b", "4c2c"}

// problemsOf returns so many problems, from number 1 on.
func problemsOf(t testing.TB, n int) []Problem {
	t.Helper()
	var line []shogi.Move
	for _, text := range itsMoves {
		m, err := shogi.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		line = append(line, m)
	}
	all := make([]Problem, n)
	for i := range all {
		all[i] = Problem{Number: i + 1, Title: fmt.Sprint("題", i+1), Author: "某", Position: shogi.MustParseSFEN(threePlies),
			Line: line, Length: report.MateIn(length.Exactly(3))}
	}
	return all
}

func written(t testing.TB, problems []Problem, o Options) string {
	t.Helper()
	var out strings.Builder
	if err := Write(&out, problems, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// plain is a page without the elements around moves.
func plain(page string) string {
	return regexp.MustCompile(`<span>([^<]*)</span>`).ReplaceAllString(page, "$1")
}

var usual = Options{Language: "ja", PerPage: 6, Paper: A4, Solutions: AtEnd}

// Each diagram is on a page once, so many a page, and each solution wherever they are, but nowhere.
func TestPlacings(t *testing.T) {
	for _, perPage := range []int{2, 4, 6, 9} {
		for _, placing := range Placings {
			o := usual
			o.PerPage, o.Solutions = perPage, Placing(placing)
			page := written(t, problemsOf(t, 13), o)
			if got, want := strings.Count(page, `<section class="page">`), (13+perPage-1)/perPage; got != want {
				t.Errorf("%d a page, %s: %d pages, want %d", perPage, placing, got, want)
			}
			solutions := 13
			if o.Solutions == Nowhere {
				solutions = 0
			}
			for what, want := range map[string]int{"<svg": 13, "４三飛成、１二玉、２三龍 まで３手詰": solutions} {
				if got := strings.Count(plain(page), what); got != want {
					t.Errorf("%d a page, %s: %s is there %d times, want %d", perPage, placing, what, got, want)
				}
			}
			ids := regexp.MustCompile(` id="([^"]*)"`).FindAllString(page, -1)
			if slices.Sort(ids); len(slices.Compact(slices.Clone(ids))) != len(ids) {
				t.Errorf("%d a page, %s: an id is there twice", perPage, placing)
			}
			for _, link := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(page, -1) {
				if !slices.Contains(ids, ` id="`+link[1]+`"`) {
					t.Errorf("%d a page, %s: a link leads to %s, which is not there", perPage, placing, link[1])
				}
			}
		}
	}
}

// Where solutions are too long to stand below the diagrams, the others do, and those are at the end;
// none is lost, and the page says where they are.
func TestLongSolutionsUpsideDown(t *testing.T) {
	problems := problemsOf(t, 6)
	for _, i := range []int{1, 4} {
		problems[i] = longProblem(t, i+1, 600)
	}
	o := usual
	o.Solutions = UpsideDown
	page := written(t, problems, o)
	for _, p := range problems {
		place := `<article class="brief"`
		if len(p.Line) > 3 {
			place = `<article class="solution"`
		}
		for _, class := range []string{"brief", "solution"} {
			article := fmt.Sprintf(`<article class="%s" id="s%d"`, class, p.Number)
			if got := strings.Contains(page, article); got != strings.HasPrefix(article, place) {
				t.Errorf("problem %d: it is %v that %s is there", p.Number, got, article)
			}
		}
	}
	if !strings.Contains(page, "2、5の解答は巻末") {
		t.Error("the page does not say where the long solutions are")
	}
}

// longProblem returns one with a line of so many plies.
func longProblem(t testing.TB, number, plies int) Problem {
	p := problemsOf(t, 1)[0]
	p.Number, p.Position = number, shogi.MustParseSFEN("8k/9/9/9/9/9/9/9/R8 b - 1")
	p.Line = nil
	for i := range plies {
		m, err := shogi.ParseMove([]string{"9i8i", "1a1b", "8i9i", "1b1a"}[i%4])
		if err != nil {
			t.Fatal(err)
		}
		p.Line = append(p.Line, m)
	}
	return p
}

// What comes from files is text, nothing is asked of anybody, and there is no script.
func TestNothingButText(t *testing.T) {
	problems := problemsOf(t, 1)
	const hostile = `<script>alert("&amp;")</script>'`
	problems[0].Title, problems[0].Author = hostile, hostile
	problems[0].Footnotes = []report.Footnote{{Name: report.Text{Ja: hostile}}}
	o := usual
	o.Title, o.Alike, o.Faulty = hostile, []Remark{{1, hostile}}, []Remark{{2, hostile}}
	page := written(t, problems, o)
	if what := regexp.MustCompile(`<script|<link|<img|@import|url\(|src=|http-equiv`).FindString(page); what != "" {
		t.Errorf("the page has %s", what)
	}
	page = strings.ReplaceAll(page, `xmlns="http://www.w3.org/2000/svg"`, "")
	if strings.Contains(page, "://") {
		t.Error("the page names another address")
	}
	if got := strings.Count(page, "&lt;script&gt;alert(&#34;&amp;amp;&#34;)"); got < 8 {
		t.Errorf("the text is there %d times", got)
	}
}

// Footnotes say where and how, a defect with a sign; in English all is.
func TestLanguages(t *testing.T) {
	problems := problemsOf(t, 2)
	problems[0].Footnotes = []report.Footnote{{Mark: report.Fail, Ply: 3, Name: report.Text{Ja: "余詰（5手）", En: "cook (5 plies)"},
		Moves: report.Text{Ja: "２二金", En: "G*2b"}}}
	problems[1].Line, problems[1].Length = nil, report.Text{}
	o := usual
	for language, want := range map[string][]string{
		"ja": {`lang="ja"`, "詰将棋2題", "某作", "3手詰", `✗ <span class="name">余詰（5手）</span> 3手目 ２二金`, "手順は不明"},
		"en": {`lang="en"`, "2 mate problems", "by 某", "Mate in 3", "R-4c+ K-1b +R-2c (3 plies)",
			`✗ <span class="name">cook (5 plies)</span> ply 3 G*2b`, "no solution is known"},
	} {
		o.Language = language
		page := html.UnescapeString(plain(written(t, problems, o)))
		for _, part := range want {
			if !strings.Contains(page, part) {
				t.Errorf("%s: no %s in the page", language, part)
			}
		}
	}
}

// The hand of the defender is drawn where he does not hold all that is left.
func TestHands(t *testing.T) {
	p := problemsOf(t, 1)[0]
	all, _ := Diagram(&p, "ja", nil)
	p.Position = shogi.MustParseSFEN("7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g 1")
	if some, _ := Diagram(&p, "ja", nil); strings.Contains(string(all), "☖") || len(some) <= len(all) {
		t.Error("the defender's hand is drawn with all that is left, or not without")
	}
}
