package site

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/shogi/sfenurl"
	"github.com/tsumero/tsumero/web/diagram"
)

// The most problems that the address of a set may name, and the longest address of a collection in
// bytes.
const (
	maxSet    = 100
	maxSource = 512
)

// A setPage is what /set shows: the problems of a set, or where they are.
type setPage struct {
	Problems []problemOfSet
	Source   string // the address of a collection on this host, whose problems the browser reads, or ""
	Text     string // what the form says: the problems, one a line
}

// A problemOfSet is a problem of a set, as a picture and a link where there are no scripts.
type problemOfSet struct {
	SFEN   string
	Link   template.URL // the position as addresses have it
	Alt    string
	Height int // of the picture, whose width is setWidth

	position shogi.Position
}

// setWidth is the width of the picture of a problem of a set in CSS pixels.
const setWidth = 260

// Width returns the width of the picture.
func (problemOfSet) Width() int { return setWidth }

// set is the page of a set of problems, and the form that makes one.
func (h *handler) set(w http.ResponseWriter, r *http.Request) {
	v := h.newView(r)
	v.Set = &setPage{}
	v.setSet(r.URL.RawQuery)
	status := http.StatusOK
	if len(v.Faults) > 0 {
		status = http.StatusUnprocessableEntity
	}
	h.render(w, r, status, "set.html", v)
}

// setSet reads what an address says of a set: the problems by themselves, or the address of a
// collection. The view has the faults.
func (v *view) setSet(query string) {
	values, _ := url.ParseQuery(query) // what cannot be read is missing
	v.Title = cleanTitle(values.Get("title"))
	if source := values.Get("src"); source != "" {
		if !isLocal(source) {
			v.Faults = []string{v.T(
				"src は、このサイトの中のアドレス（/ で始まるもの）にしてください。",
				"src must be an address on this host, beginning with a slash.")}
			return
		}
		v.Set.Source = source
		return
	}
	var texts []string
	for name, raw := range sfenurl.Parameters(query) {
		if name != "sfen" || raw == "" {
			continue
		}
		if len(v.Set.Problems) > maxSet {
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
	v.Set.Text = strings.Join(texts, "\n")
	switch {
	case len(v.Set.Problems) > maxSet:
		v.Faults = append(v.Faults, fmt.Sprintf(v.T(
			"一つの問題集は%d題までです。", "A set has at most %d problems."), maxSet))
	case len(v.Set.Problems) > 0 && len(v.Faults) == 0:
		v.put(&v.Set.Problems[0].position)
	}
	if len(v.Faults) > 0 {
		v.Set.Problems = nil
	}
}

// isLocal reports whether an address is a path of this host, however a browser reads it.
func isLocal(address string) bool {
	u, err := url.Parse(address)
	return err == nil && len(address) <= maxSource && strings.HasPrefix(u.Path, "/") &&
		!strings.HasPrefix(address, "//") && !strings.ContainsAny(address, "\\\t\r\n") &&
		u.Scheme == "" && u.Host == "" && u.User == nil
}

// addText adds the problems of what was pasted: a record, or several positions or addresses of
// problems, one a line.
func (v *view) addText(text string) {
	format := notation.Detect([]byte(text))
	if format != notation.Unknown && format != notation.SFEN {
		records, err := notation.ParseAll([]byte(text), notation.Options{})
		if err != nil {
			v.Faults = append(v.Faults, v.explain(err)...)
			return
		}
		for _, record := range records {
			if len(v.Set.Problems) > maxSet {
				return
			}
			if p, err := record.After(0); err == nil {
				v.addProblem(&p)
			}
		}
		return
	}
	n := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		n++
		if line == "" || len(v.Set.Problems) > maxSet {
			continue
		}
		p, err := positionOfLine(line)
		if err != nil {
			faults := strings.Join(v.explain(err), " ")
			v.Faults = append(v.Faults, fmt.Sprintf(v.T("%d行目：%s", "Line %d: %s"), n, faults))
			continue
		}
		v.addProblem(&p)
	}
}

// positionOfLine reads a position, or the address of a page that names one.
func positionOfLine(line string) (shogi.Position, error) {
	if _, query, isAddress := strings.Cut(line, "?"); isAddress {
		for name, raw := range sfenurl.Parameters(query) {
			if name == "sfen" {
				return readPosition(raw, nil)
			}
		}
	}
	g, err := shogi.ParsePosition(line)
	return g.Position(), err
}

// addProblem adds a problem to the set.
func (v *view) addProblem(p *shogi.Position) {
	lang := diagram.Japanese
	if v.Lang == "en" {
		lang = diagram.English
	}
	height, err := pictureHeight(p, setWidth, false)
	if err != nil {
		panic(err) // there are pictures of this width
	}
	v.Set.Problems = append(v.Set.Problems, problemOfSet{
		SFEN: p.ProblemSFEN(), Link: template.URL(sfenurl.Escape(p)), Alt: diagram.Alt(p, lang),
		Height: height, position: *p,
	})
}

// setPath returns the address of this set on this host, in a language or, for "", in the reader's.
func (v *view) setPath(lang string) string {
	var parts []string
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+"="+url.QueryEscape(value))
		}
	}
	add("title", v.Title)
	add("src", v.Set.Source)
	for _, p := range v.Set.Problems {
		parts = append(parts, "sfen="+string(p.Link))
	}
	add("lang", lang)
	if len(parts) == 0 {
		return "/set"
	}
	return "/set?" + strings.Join(parts, "&")
}

// SetLink returns the address of this set.
func (v *view) SetLink() string { return v.Origin + v.setPath("") }

// IsEmpty reports whether there is no set at this address, only the form for one.
func (s *setPage) IsEmpty() bool { return s.Source == "" && len(s.Problems) == 0 }

// SetTag returns the HTML that puts this set on a page of somebody else.
func (v *view) SetTag() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<script src=\"%s/embed.js\" async></script>\n<tsume-set lang=%q", v.Origin, v.Lang)
	if v.Title != "" {
		fmt.Fprintf(&b, " caption=\"%s\"", template.HTMLEscapeString(v.Title))
	}
	if v.Set.Source != "" {
		fmt.Fprintf(&b, " src=\"%s\"></tsume-set>", template.HTMLEscapeString(v.Origin+v.Set.Source))
		return b.String()
	}
	b.WriteString(">\n")
	for _, p := range v.Set.Problems {
		fmt.Fprintf(&b, "  <tsume-board sfen=%q mode=\"solve\"></tsume-board>\n", p.SFEN)
	}
	b.WriteString("</tsume-set>")
	return b.String()
}

// SetName returns what the set is called.
func (v *view) SetName() string {
	switch {
	case v.Title != "":
		return v.Title
	case v.Set.IsEmpty():
		return v.T("問題集を作る", "Make a set of problems")
	}
	return v.T("詰将棋の問題集", "A set of shogi mate problems")
}
