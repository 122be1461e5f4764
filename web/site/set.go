package site

import (
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/shogi/sfenurl"
)

// The most problems that the address of a set may name, and the longest address of a collection in
// bytes.
const (
	maxSet    = 100
	maxSource = 512
)

// A setPage is what set.html shows: the problems of a set, or where they are.
type setPage struct {
	layout
	Title    string
	Mode     string // of the boards: solve, or brinkmate
	Problems []positionLayout
	Source   string // the address of a collection on this host, whose problems the browser reads, or ""
	Text     string // what the form says: the problems, one a line
}

// set is the page of a set of problems, and the form that makes one.
func (h *handler) set(w http.ResponseWriter, r *http.Request) {
	v := &setPage{layout: h.newLayout(r)}
	v.setSet(r.URL.RawQuery)
	v.canonical = v.path("")
	h.render(w, r, v.status(), "set.html", v)
}

// setSet reads what an address says of a set: the problems by themselves, or the address of a
// collection. The page has the faults.
func (v *setPage) setSet(query string) {
	values, _ := url.ParseQuery(query) // what cannot be read is missing
	v.Title = cleanTitle(values.Get("title"))
	if v.Mode = values.Get("mode"); v.Mode != "brinkmate" {
		v.Mode = "solve"
	}
	if source := values.Get("src"); source != "" {
		if !isLocal(source) {
			v.Faults = []string{v.T(
				"src は、/ で始まるこのサイトのアドレスにしてください。",
				"src must be an address on this host, beginning with a slash.")}
			return
		}
		v.Source = source
		return
	}
	var texts []string
	for name, raw := range sfenurl.Parameters(query) {
		if name != "sfen" || raw == "" {
			continue
		}
		if len(v.Problems) > maxSet {
			break // each has a picture, and these are too many already
		}
		if g, err := sfenurl.Parse(raw); err == nil {
			p := g.Position()
			v.addProblem(&p)
			texts = append(texts, p.ProblemSFEN())
			continue
		}
		decoded, err := url.QueryUnescape(raw)
		if err != nil {
			decoded = raw
		}
		texts = append(texts, decoded)
		v.addText(decoded)
	}
	v.Text = strings.Join(texts, "\n")
	if len(v.Problems) > maxSet {
		v.Faults = append(v.Faults, fmt.Sprintf(v.T(
			"一つの問題集は%d題までです。", "A set has at most %d problems."), maxSet))
	}
	if len(v.Faults) > 0 {
		v.Problems = nil
	}
}

// isLocal reports whether an address is a path of this host, however a browser reads it.
func isLocal(address string) bool {
	u, err := url.Parse(address)
	return err == nil && len(address) <= maxSource && strings.HasPrefix(u.Path, "/") &&
		!strings.HasPrefix(address, "//") && !strings.ContainsAny(address, "\\\t\r\n") &&
		u.Scheme == "" && u.Host == "" && u.User == nil
}

// addText adds the problems of what was pasted: records, a table, or positions or addresses of problems,
// one a line.
func (v *setPage) addText(text string) {
	for record, err := range notation.Records(strings.NewReader(text), notation.Options{}) {
		var inLine *notation.Error
		switch {
		case len(v.Problems) > maxSet:
			return
		case err == nil:
			v.addProblem(&record.Start)
		case errors.As(err, &inLine) && inLine.Line > 0:
			faults := strings.Join(v.explain(err), " ")
			v.Faults = append(v.Faults, fmt.Sprintf(v.T("%d行目：%s", "Line %d: %s"), inLine.Line, faults))
		default:
			v.Faults = append(v.Faults, v.explain(err)...)
		}
	}
}

// addProblem adds a problem to the set.
func (v *setPage) addProblem(p *shogi.Position) {
	one := positionLayout{layout: v.layout}
	one.put(p)
	v.Problems = append(v.Problems, one)
}

// path returns the address of this set on this host, in a language or, for "", in the reader's.
func (v *setPage) path(lang string) string {
	var parts []string
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+"="+url.QueryEscape(value))
		}
	}
	add("title", v.Title)
	if v.IsBrinkmates() {
		add("mode", v.Mode)
	}
	add("src", v.Source)
	for _, p := range v.Problems {
		parts = append(parts, "sfen="+p.Link)
	}
	add("lang", lang)
	if len(parts) == 0 {
		return "/set"
	}
	return "/set?" + strings.Join(parts, "&")
}

// Link returns the address of this set.
func (v *setPage) Link() string { return v.Alternate("") }

func (v *setPage) InOther() string { return v.path(v.other()) }

// Card returns the address of the picture that a link to the set shows: its first problem.
func (v *setPage) Card() string {
	first := problemLayout{positionLayout: v.Problems[0], Title: v.Title}
	return first.Card()
}

// IsEmpty reports whether there is no set at this address, only the form for one.
func (v *setPage) IsEmpty() bool { return v.Source == "" && len(v.Problems) == 0 }

// IsBrinkmates reports whether the problems are brinkmates.
func (v *setPage) IsBrinkmates() bool { return v.Mode == "brinkmate" }

// Tag returns the HTML that puts this set on a page of somebody else.
func (v *setPage) Tag() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<script src=\"%s/embed.js\" async></script>\n<tsume-set lang=%q", v.Origin, v.Lang)
	if v.Title != "" {
		fmt.Fprintf(&b, " caption=\"%s\"", template.HTMLEscapeString(v.Title))
	}
	if v.Source != "" {
		fmt.Fprintf(&b, " src=\"%s\"", template.HTMLEscapeString(v.Origin+v.Source))
		if v.IsBrinkmates() {
			fmt.Fprintf(&b, " mode=%q", v.Mode)
		}
		b.WriteString("></tsume-set>")
		return b.String()
	}
	b.WriteString(">\n")
	for _, p := range v.Problems {
		fmt.Fprintf(&b, "  <tsume-board sfen=%q mode=%q></tsume-board>\n", p.SFEN, v.Mode)
	}
	b.WriteString("</tsume-set>")
	return b.String()
}

// Name returns what the set is called.
func (v *setPage) Name() string {
	switch {
	case v.Title != "":
		return v.Title
	case v.IsEmpty():
		return v.T("問題集を作る", "Make a set of problems")
	}
	if v.IsBrinkmates() {
		return v.T("必至の問題集", "A set of brinkmates")
	}
	return v.T("詰将棋の問題集", "A set of shogi mate problems")
}
