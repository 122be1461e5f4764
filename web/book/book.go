// Package book writes a collection of mate problems as a folder that any file server can publish: an
// index of diagrams, a page for each problem with a board and the solution folded away, and beside
// them pictures, records, certificates and JSON.
//
//	err := book.Write("problems", list, book.Options{Language: "ja", Title: "詰将棋集"})
//
// The pages ask nobody but the server they come from, and work under the Content-Security-Policy that
// they carry. The board replies to the moves of the solution by itself; to judge others it needs the
// files of package engine, or a service, whose address may be given. Without scripts there are
// diagrams and solutions still.
//
// Files are named by the numbers of problems, so that links to them last. The folder must be new or
// empty, or one that was written by this package: then it becomes the new collection, and the files
// of the old one that the new one lacks are removed. The folder remembers which those are; others in
// it are neither removed nor replaced. Each file is whole at any time, and the index comes last, so
// that a killed program leaves the old collection or the new one, with pages of both; to write it
// again mends it. A part of a collection never replaces an earlier one.
package book

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver/theme"
	"github.com/tsumero/tsumero/web/board"
	"github.com/tsumero/tsumero/web/diagram"
	"github.com/tsumero/tsumero/web/engine"
	"github.com/tsumero/tsumero/web/sheet"
	"github.com/tsumero/tsumero/web/site/static"
)

// A Problem is one of a collection.
type Problem struct {
	sheet.Problem
	Alike       string          // what it is to earlier ones, "" if it is like none
	Report      json.RawMessage // what is known of it; nil for nothing
	Certificate []byte          // of the mate, or that there is none; empty if it was not found
	Status      report.Item     // what the report comes to, in a word or two; empty for nothing
	Findings    []report.Text   // on the problem as a whole; nil for none
	Themes      []theme.Found   // by which the index lists it
	// Recorded is the author's line where the solution is another one; nil else.
	Recorded []shogi.Move
}

// Options say what a folder is like.
type Options struct {
	Title    string // "" for how many problems there are
	Language string // "ja" or "en"
	// Service is the address of a service that judges moves beside the solution, "" for none.
	Service string
	// Engine are the files of the solver for browsers, by their names: see engine.ForBoards. The boards
	// ask it, or the service first if there is one. Without it they ask the service alone.
	Engine  map[string][]byte
	Partial bool // the search was interrupted, so that problems or certificates are missing
}

// Alone reports whether the boards have nobody to ask.
func (o *Options) Alone() bool { return o.Service == "" && len(o.Engine) == 0 }

// Asks is the attribute engine of the boards.
func (o *Options) Asks() string {
	switch {
	case len(o.Engine) == 0:
		return "server"
	case o.Service == "":
		return "local"
	}
	return "auto"
}

// ErrKept is the error of Write where an earlier collection stays as it is.
var ErrKept = errors.New("the earlier collection is kept as it is")

// marker is the file that says of a folder that it is one of ours: a line for readers, and then the
// names of our other files, one a line. Package cli reads it where such a folder is given.
const (
	marker     = ".tsumero-collection"
	markerLine = "tsumero collection --output folder writes this folder, and replaces these files:"
	unfinished = marker + "-unfinished" // a file before it gets its name
)

// Check returns an error if dir is there and neither empty nor a folder that Write has made, or if
// files of others are in the place of those of so many problems.
func Check(dir string, problems int) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0:
		return nil
	case err != nil:
		return err
	}
	for _, e := range entries {
		if e.Name() == marker && e.Type().IsRegular() {
			return checkNames(dir, problems)
		}
	}
	return fmt.Errorf("%s has other files in it: a collection is written into a folder that is new "+
		"or empty, or that has one already", dir)
}

// checkNames returns an error if files of others are in the place of those of so many problems.
func checkNames(dir string, problems int) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	list := make([]Problem, problems)
	for i := range list {
		list[i].Number, list[i].Certificate = i+1, []byte("some")
	}
	f := &folder{root: root}
	f.refuseOthers(f.names(list), f.remembered())
	return f.err
}

// Write makes dir the folder of the problems, which are in the order of their numbers. If some are
// missing and dir has a collection, it changes nothing and returns ErrKept.
func Write(dir string, problems []Problem, o Options) error {
	if err := Check(dir, 0); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "index.html")); o.Partial && err == nil {
		return ErrKept
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	f := &folder{root: root, options: o}
	before, names := f.remembered(), f.names(problems)
	f.refuseOthers(names, before)
	// While files of both are there, both are remembered.
	f.remember(append(before, names...))
	f.scripts()
	f.put("collection.css", style)
	f.put("collection.svg", icon)
	if o.Alone() {
		f.put("collection.js", script)
	}
	for i := range problems {
		if f.err == nil {
			f.problem(problems, i)
		}
	}
	f.index()
	if !o.Partial {
		f.remove(before, names)
		f.remember(names)
	}
	return f.err
}

// A folder is one that is written. After an error nothing more is.
type folder struct {
	root    *os.Root
	options Options
	entries []*entry
	err     error
}

// put writes a file, which is the old or the new one at any time. One that stays the same is not
// touched, so that what copies folders has less to do.
func (f *folder) put(name string, data []byte) {
	if f.err != nil {
		return
	}
	if old, err := f.root.ReadFile(name); err == nil && bytes.Equal(old, data) {
		return
	}
	if f.err = f.root.WriteFile(unfinished, data, 0o644); f.err == nil {
		f.err = f.root.Rename(unfinished, name)
	}
}

// names returns those of all files that the problems make, but for the marker.
func (f *folder) names(problems []Problem) []string {
	names := []string{"collection.css", "collection.json", "collection.svg", "index.html"}
	if f.options.Alone() {
		names = append(names, "collection.js")
	}
	for name := range f.options.Engine {
		names = append(names, engine.Folder+"/"+name)
	}
	names = slices.AppendSeq(names, maps.Keys(board.Scripts()))
	names = slices.AppendSeq(names, maps.Keys(static.Shared()))
	for i := range problems {
		number := strconv.Itoa(problems[i].Number)
		for _, ending := range []string{"html", "svg", "kif", "csa", "sfen", "json"} {
			names = append(names, number+"."+ending)
		}
		if len(problems[i].Certificate) > 0 {
			names = append(names, number+".cert")
		}
	}
	return names
}

// remembered returns the names of the files that an earlier collection has.
func (f *folder) remembered() []string {
	text, err := f.root.ReadFile(marker)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.err = err
	}
	lines := strings.Split(string(text), "\n")
	return slices.DeleteFunc(lines[1:], func(name string) bool { return name == "" })
}

func (f *folder) remember(names []string) {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	f.put(marker, []byte(markerLine+"\n"+strings.Join(names, "\n")+"\n"))
}

// refuseOthers fails if a file of somebody else has one of the names.
func (f *folder) refuseOthers(names, before []string) {
	known := setOf(before)
	for _, name := range names {
		if known[name] || f.err != nil {
			continue
		}
		if _, err := f.root.Lstat(name); err == nil {
			f.err = fmt.Errorf("%s is in the folder and of no collection: move it, as a file of this "+
				"collection has its name", name)
		}
	}
}

// remove removes the files of an earlier collection that this one has not.
func (f *folder) remove(before, names []string) {
	kept := setOf(names)
	for _, name := range append(before, unfinished) {
		if kept[name] || f.err != nil {
			continue
		}
		if info, err := f.root.Lstat(name); err == nil && info.Mode().IsRegular() {
			f.err = f.root.Remove(name)
		}
	}
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// scripts writes those of the board, and what they load.
func (f *folder) scripts() {
	if len(f.options.Engine) > 0 && f.err == nil {
		if err := f.root.Mkdir(engine.Folder, 0o755); !errors.Is(err, fs.ErrExist) {
			f.err = err
		}
	}
	for name, data := range f.options.Engine {
		f.put(engine.Folder+"/"+name, data)
	}
	for name, script := range board.Scripts() {
		f.put(name, script)
	}
	for name, body := range static.Shared() {
		f.put(name, body)
	}
}

//go:embed book.css
var style []byte

//go:embed book.js
var script []byte

//go:embed icon.svg
var icon []byte

//go:embed book.html
var source string

var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("book").Parse(source))
})

func (f *folder) page(name, kind string, view any) {
	var out bytes.Buffer
	if err := pages().ExecuteTemplate(&out, kind, view); err != nil {
		panic(err) // of a template that is ours and a buffer
	}
	f.put(name, []byte(shogi.Visible(out.String())))
}

// A common is what all pages have.
type common struct {
	Options
	Heading string
}

func (c *common) T(ja, en string) string { return report.Text{Ja: ja, En: en}.In(c.Language) }

// Policy is what pages may load: what is beside them, and answers of the service.
func (c *common) Policy() string {
	var connect []string
	workers := ""
	if len(c.Engine) > 0 {
		connect, workers = append(connect, "'self'"), " 'wasm-unsafe-eval'; worker-src 'self'"
	}
	if service, err := url.Parse(c.Service); err == nil && service.Host != "" {
		connect = append(connect, service.Scheme+"://"+service.Host)
	}
	if connect == nil {
		connect = []string{"'none'"}
	}
	return "default-src 'none'; script-src 'self'" + workers + "; style-src 'self'; img-src 'self'; connect-src " +
		strings.Join(connect, " ") + "; base-uri 'none'; form-action 'none'"
}

// signs stand before what a report comes to: it must be seen without colour.
var signs = map[report.Mark]string{report.Pass: "✓ ", report.Fail: "✗ ", report.Open: "? "}

// An entry is a problem as a page shows it.
type entry struct {
	*Problem
	Name   string // its number, and its title if it has one
	By     string
	Length string
	Status string // with the sign of a defect, or of what is open
	Alt    string
	Height int // of the picture, for Width
}

// Width is that of pictures, in pixels.
func (*entry) Width() int { return diagram.DefaultWidth }

func (f *folder) entry(p *Problem) *entry {
	language := f.options.Language
	e := &entry{Problem: p, By: p.By(language), Length: p.Length.In(language)}
	if e.Status = p.Status.In(language); e.Status != "" {
		if e.Length == e.Status {
			e.Length = "" // that there is no mate is said once
		}
		e.Status = signs[p.Status.Mark] + e.Status
	}
	if e.Name = fmt.Sprintf("%d　%s", p.Number, p.Title); p.Title == "" {
		e.Name = fmt.Sprintf(report.Text{Ja: "第%d番", En: "No. %d"}.In(language), p.Number)
	}
	e.Alt = diagram.ProblemAlt(&p.Position, diagram.LangOf(language))
	return e
}

// A problemPage is the page of a problem.
type problemPage struct {
	common
	*entry
	Previous, Next int // the numbers of its neighbours, 0 for none
	Solution       template.HTML
	SFEN, Moves    string
	HidesHand      bool
	Findings       []string
	Recorded       template.HTML
	Files          []file
}

// IsOpen reports whether a problem without a line can be solved all the same: the engine may find a
// mate.
func (v *problemPage) IsOpen() bool { return len(v.Engine) > 0 && !v.NoMate }

// A file stands beside a page.
type file struct{ Name, Title string }

func (f *folder) problem(all []Problem, i int) {
	p := &all[i]
	v := &problemPage{entry: f.entry(p), SFEN: p.Position.SFEN(), HidesHand: p.Position.Missing() == 0}
	v.common = common{f.options, v.Name}
	if i > 0 {
		v.Previous = all[i-1].Number
	}
	if i+1 < len(all) {
		v.Next = all[i+1].Number
	}
	if !p.Unfinished {
		v.Moves = joined(p)
	}
	add := func(ending, title string, data []byte) {
		name := strconv.Itoa(p.Number) + "." + ending
		f.put(name, data)
		if title != "" {
			v.Files = append(v.Files, file{name, title})
		}
	}
	solution, err := sheet.Solution(&p.Problem, f.options.Language)
	if err != nil {
		f.err = err
		return
	}
	v.Solution = solution
	for _, t := range p.Findings {
		v.Findings = append(v.Findings, t.In(f.options.Language))
	}
	if p.Recorded != nil {
		recorded := sheet.Problem{Position: p.Position, Line: p.Recorded}
		v.Recorded = sheet.Moves(&recorded, f.options.Language)
	}
	picture, height := sheet.Diagram(&p.Problem, f.options.Language, nil)
	v.Height = height
	add("svg", "", []byte(picture))
	r := record(p)
	add("kif", "KIF", r.AppendKIF(nil))
	add("csa", "CSA", r.AppendCSA(nil))
	// The problem alone: readers of lists take a position behind moves for the one that is asked about.
	add("sfen", "SFEN", []byte(v.SFEN+"\n"))
	if len(p.Certificate) > 0 {
		title := v.T("詰みの証明", "certificate of the mate")
		if p.NoMate {
			title = v.T("不詰の証明", "certificate that there is no mate")
		}
		add("cert", title, p.Certificate)
	}
	add("json", "JSON", encode(f.json(p)))
	f.page(strconv.Itoa(p.Number)+".html", "problem", v)
	f.entries = append(f.entries, v.entry)
}

func joined(p *Problem) string {
	var text []byte
	for i, m := range p.Line {
		if i > 0 {
			text = append(text, ' ')
		}
		text = append(text, m.String()...)
	}
	return string(text)
}

// record is a problem with its solution as other programs read it.
func record(p *Problem) *notation.Record {
	end := notation.Mated
	if p.Unfinished || len(p.Line) == 0 {
		end = ""
	}
	r := notation.NewRecord(p.Position, p.Line, end)
	for _, f := range []notation.Field{{Key: "作品名", Value: p.Title}, {Key: "作者", Value: p.Author}} {
		if f.Value != "" {
			r.Header = append(r.Header, f)
		}
	}
	return r
}

// An indexPage is the page with all problems.
type indexPage struct {
	common
	Problems []*entry
	Themes   []indexTheme
}

// An indexTheme is a theme with the problems that have it.
type indexTheme struct {
	Name     string
	Problems []*entry
}

// themes returns the themes of the problems, in the order of their package.
func (f *folder) themes() (list []indexTheme) {
	for _, t := range theme.All {
		all := indexTheme{Name: report.Text{Ja: t.Ja, En: t.En}.In(f.options.Language)}
		for _, e := range f.entries {
			if slices.ContainsFunc(e.Themes, func(found theme.Found) bool { return found.Theme == t }) {
				all.Problems = append(all.Problems, e)
			}
		}
		if len(all.Problems) > 0 {
			list = append(list, all)
		}
	}
	return list
}

func (f *folder) index() {
	v := &indexPage{common{f.options, f.options.Title}, f.entries, f.themes()}
	if v.Heading == "" {
		v.Heading = fmt.Sprintf(v.T("詰将棋%d題", "%d mate problems"), len(f.entries))
	}
	collection := collectionJSON{Title: v.Heading, Problems: []problemJSON{}}
	for _, e := range f.entries {
		collection.Problems = append(collection.Problems, f.json(e.Problem))
	}
	f.put("collection.json", encode(collection))
	f.page("index.html", "index", v)
}

// A collectionJSON is all of the folder for programs. <tsume-set src> reads it, too.
type collectionJSON struct {
	Title    string        `json:"title"`
	Problems []problemJSON `json:"problems"`
}

// A problemJSON is a problem for programs.
type problemJSON struct {
	Number      int             `json:"number"`
	Title       string          `json:"title,omitempty"`
	Author      string          `json:"author,omitempty"`
	Length      string          `json:"length,omitempty"` // in words
	SFEN        string          `json:"sfen"`
	Moves       []string        `json:"moves,omitempty"` // of the solution
	Page        string          `json:"page"`
	Picture     string          `json:"picture"`
	Records     []string        `json:"records"`
	Certificate string          `json:"certificate,omitempty"`
	Report      json.RawMessage `json:"report,omitempty"` // a line of tsumero collection --output json
}

func (f *folder) json(p *Problem) problemJSON {
	name := func(ending string) string { return strconv.Itoa(p.Number) + "." + ending }
	j := problemJSON{Number: p.Number, Title: p.Title, Author: p.Author,
		Length: p.Length.In(f.options.Language),
		SFEN:   p.Position.SFEN(), Page: name("html"), Picture: name("svg"),
		Records: []string{name("kif"), name("csa"), name("sfen")}, Report: p.Report}
	if len(p.Certificate) > 0 {
		j.Certificate = name("cert")
	}
	if !p.Unfinished {
		for _, m := range p.Line {
			j.Moves = append(j.Moves, m.String())
		}
	}
	return j
}

func encode(v any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		panic(err) // of data that is all of it text
	}
	return out.Bytes()
}
