package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/collection"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/theme"
	"github.com/tsumero/tsumero/solver/threat"
)

// A CollectionSearch is what is searched of each problem of a collection.
type CollectionSearch string

// The searches, the first three of which have each what the one before it has.
const (
	SearchNothing   CollectionSearch = "none"      // rules alone; a record has its line
	SearchLine      CollectionSearch = "line"      // the verdict, the lengths and the main line
	SearchReport    CollectionSearch = "report"    // the other moves: soundness and difficulty
	SearchBrinkmate CollectionSearch = "brinkmate" // the problems are brinkmates; for pages alone
)

// CollectionSearches are the values of a flag.
var CollectionSearches = []string{string(SearchNothing), string(SearchLine), string(SearchReport),
	string(SearchBrinkmate)}

// CollectionOutputs are the formats that CollectionOptions.Output may name.
var CollectionOutputs = []string{"tsv", "json", "html", "folder"}

// CollectionOrders are the orders in which problems may be printed: as they come, the shortest first,
// or by theme.
var CollectionOrders = []string{"number", "plies", "themes"}

// orders has how problems are compared for each of CollectionOrders but the first.
var orders = map[string]func(a, b *Listed) int{"plies": comparePlies, "themes": compareThemes}

// CollectionOptions say what is asked of a collection, and how it is printed.
type CollectionOptions struct {
	// Session makes what a worker asks; it is called once for each. nil with SearchNothing.
	Session   func() solver.Session
	Workers   int
	Search    CollectionSearch
	Question  analysis.Question // policy, profile and limits of each problem
	Time      time.Duration     // the longest search for each problem; 0 for any
	Rest      bool              // the defender holds all pieces that are missing from the set
	Relations []collection.Relation
	// Themes are those that a problem must have, all of them, to be printed. It is numbered and
	// compared with others all the same.
	Themes []*theme.Theme
	Order  string         // one of CollectionOrders; if it is not the first, all is printed at the end
	Output string         // one of CollectionOutputs
	Page   CollectionPage // gets the problems if Output is html or folder
	// Keep, unless nil, has the reports of earlier runs, and gets those of this one.
	Keep *Keep
	// Certify, unless nil, returns the certificate of a verdict that has none yet, "" if it cannot.
	Certify func(ctx context.Context, a *analysis.Analysis) string
}

// A CollectionPage is one or more pages that show the problems of a collection. There the attacker
// is Black: problems that White is to mate in are turned, never mirrored.
type CollectionPage interface {
	// Add adds a problem, in the order of the input.
	Add(p *Listed)
	// Write writes the pages once all problems are there, or those that are if the run was
	// interrupted or failed: then it is not whole.
	Write(out io.Writer, whole bool) error
}

// A Listed is a problem of a collection, or a fault in its place.
type Listed struct {
	Number        int    // from 1
	File, Where   string // that it comes from; "" if there is but one
	Text          string // as it was given
	Fault         error  // what is wrong with it; nothing below is then set
	Title, Author string // as the file has them
	Plies         int    // as the file has them, 0 if it does not
	Problem       collection.Problem
	Given         bool               // the line is that of the file
	Report        *analysis.Analysis // nil if nothing was searched
	Brinkmate     *threat.Result     // with SearchBrinkmate
	Relations     []collection.Match // to earlier problems; the IDs are their numbers
	Themes        []theme.Found

	known *collection.Description
}

// JSON returns the line of the problem in a list in JSON, without the place that it comes from, which
// is nothing to publish.
func (m *Listed) JSON() []byte {
	row := newCollectionRow(m).withRelations(m)
	row.File, row.Where = "", ""
	return wire.Encode(row)
}

// A CollectionTally counts what a collection has.
type CollectionTally struct {
	counts
	Relations [collection.NumRelations]int // pairs of problems
	Alike     int                          // problems that are there before, perhaps mirrored
}

// Summary says in one line what a collection has.
func (t *CollectionTally) Summary(l Language, d time.Duration) string {
	parts := []string{l.Sprintf("%s, %d faulty", "%s、誤り%d", Plural(t.Questions(), "problem"), t.Faulty)}
	parts = append(parts, l.Sprintf("%d there before", "既出%d", t.Alike))
	for r := collection.Duplicate; r < collection.NumRelations; r++ {
		if n := t.Relations[r]; n > 0 {
			name := l.Text(r.String(), report.Relation(r, "既出").Ja)
			parts = append(parts, fmt.Sprintf("%s %d", name, n))
		}
	}
	return l.Sprintf("%s; in %v", "%s。%v", strings.Join(parts, l.Text(", ", "、")), RoundTime(d))
}

// Collection reads the problems, searches them, relates each to the ones before it, and prints them
// in order. When ctx ends, what was found so far is all printed, with what is known of the problems
// that are being searched, and the error is an ErrInterrupted.
func Collection(ctx context.Context, o CollectionOptions, questions iter.Seq2[Question, error],
	out io.Writer, progress *Progress) (CollectionTally, error) {
	buffered := bufio.NewWriter(out)
	c := &collecting{CollectionOptions: o, progress: progress,
		printer:   newCollectionPrinter(&o, buffered),
		analyzers: newAnalyzers(o.Workers, o.Session, progress)}
	c.tally.noun = "problem"
	err := each(ctx, o.Workers, questions, buffered, progress, &c.tally.counts, c.look, c.add)
	if compare := orders[c.Order]; compare != nil {
		slices.SortStableFunc(c.waiting, compare)
	}
	for _, m := range c.waiting {
		err = cmp.Or(err, c.printer.member(m))
	}
	if c.tally.Questions() > 0 {
		err = cmp.Or(err, c.printer.end(err == nil))
	}
	return c.tally, cmp.Or(err, buffered.Flush())
}

// collecting is one call of Collection.
type collecting struct {
	CollectionOptions
	printer   collectionPrinter
	progress  *Progress
	analyzers *analyzers
	index     collection.Index // has a number for each member, from 0
	waiting   []*Listed        // to be sorted
	tally     CollectionTally
}

// add relates a problem to the ones before it, and prints it, or keeps it to be sorted.
func (c *collecting) add(_ *Question, m *Listed) error {
	m.Number = c.index.Len() + 1
	if m.Report != nil && m.Report.Reason == solver.ReasonCancelled {
		c.tally.Interrupted++
	}
	c.relate(m)
	switch {
	case !m.has(c.Themes):
		return nil
	case orders[c.Order] != nil:
		c.waiting = append(c.waiting, m)
		return nil
	}
	return c.printer.member(m)
}

// look reads and searches a problem.
func (c *collecting) look(ctx context.Context, q *Question) *Listed {
	m := &Listed{File: q.file, Where: q.where, Text: q.text, Title: q.title, Author: q.author,
		Plies: q.plies}
	if m.Fault = c.read(q, m); m.Fault != nil {
		return m
	}
	switch c.Search {
	case SearchNothing:
	case SearchBrinkmate:
		c.brinkmate(ctx, m)
	default:
		c.search(ctx, q, m)
	}
	if m.Report != nil {
		m.Themes = m.Report.Themes
	} else if m.Fault == nil {
		m.Themes = theme.Find(&theme.Problem{Position: m.Problem.Position, Attacker: m.Problem.Attacker,
			Line: m.Problem.Line})
	}
	known, err := collection.Describe(&m.Problem)
	if m.known = known; m.Fault == nil {
		m.Fault = err
	}
	return m
}

// read reads the problem of a question.
func (c *collecting) read(q *Question, m *Listed) error {
	p, _, err := q.position()
	if err != nil {
		return err
	}
	attacker, err := solver.Attacker(&p)
	if err != nil {
		return err
	}
	if p.SideToMove() != attacker {
		return analysis.ErrDefenderMoves
	}
	if c.Rest {
		p.GiveMissing(attacker.Opponent())
	}
	line := checking(p, q.moves())
	if c.Page != nil && attacker == shogi.White {
		p, attacker, line = p.Rotated(), shogi.Black, rotated(line)
	}
	m.Problem = collection.Problem{Position: p, Attacker: attacker, Line: line}
	m.Given = len(m.Problem.Line) > 0
	return nil
}

// rotated returns moves as Position.Rotated turns them.
func rotated(moves []shogi.Move) []shogi.Move {
	turned := make([]shogi.Move, len(moves))
	for i, m := range moves {
		turned[i] = m.Rotated()
	}
	return turned
}

// checking returns the moves up to the first one by which the attacker gives no check: games have
// such moves, solutions have none.
func checking(p shogi.Position, moves []shogi.Move) []shogi.Move {
	attacker := p.SideToMove()
	for i, m := range moves {
		if !p.IsLegal(m) {
			return moves[:i]
		}
		p.Do(m)
		if p.SideToMove() != attacker && !p.InCheck() {
			return moves[:i]
		}
	}
	return moves
}

// search searches a problem.
func (c *collecting) search(ctx context.Context, q *Question, m *Listed) {
	if m.Report, m.Fault = c.report(ctx, q, c.question(m)); m.Fault == nil && !m.Given {
		m.Problem.Line = m.Report.Line.Moves
	}
}

// maxBrinkmate is how many attacks a brinkmate of a collection may take: seven plies.
const maxBrinkmate = 4

// brinkmate searches a problem that is a brinkmate.
func (c *collecting) brinkmate(ctx context.Context, m *Listed) {
	ctx, cancel := within(ctx, c.Time)
	defer cancel()
	c.progress.begin()
	r, err := threat.New(c.Session()).Brinkmate(ctx, m.Problem.Position,
		threat.Limits{Nodes: c.Question.Nodes, Attacks: maxBrinkmate})
	if m.Brinkmate, m.Fault = &r, err; r.Verdict == threat.Brinkmate {
		m.Problem.Line = r.Line
	}
}

// question returns what is asked about a problem.
func (o *CollectionOptions) question(m *Listed) analysis.Question {
	q := o.Question
	q.Position, q.Attacker = m.Problem.Position, m.Problem.Attacker
	if m.Given {
		q.Line = m.Problem.Line
	}
	// Duals asks for nothing without Attack: then there are verdict, lengths and main line alone.
	q.Parts = analysis.Duals
	if o.Search == SearchReport {
		q.Parts = analysis.DefaultParts | analysis.Tries | analysis.Difficulty | analysis.Themes
	}
	return q
}

// report returns the report on a problem: one that is kept, or a new one.
func (c *collecting) report(ctx context.Context, of *Question, q analysis.Question) (*analysis.Analysis, error) {
	ctx, cancel := within(ctx, c.Time)
	defer cancel()
	if c.Keep != nil {
		if a := c.Keep.find(&q); a != nil {
			c.certify(ctx, a)
			return a, nil
		}
	}
	c.progress.begin()
	a, err := c.analyzers.analyze(ctx, of, q)
	if err != nil {
		return nil, err
	}
	c.certify(ctx, a)
	if c.Keep != nil && ctx.Err() == nil {
		c.Keep.add(&q, wire.AppendJSON(nil, wire.NewAnalyzeAnswer(a)), a.Repeatable)
	}
	return a, nil
}

// certify adds the certificate of the verdict to a report that has none.
func (o *CollectionOptions) certify(ctx context.Context, a *analysis.Analysis) {
	if o.Certify != nil && a.Certificate == "" && a.Verdict != solver.Unknown {
		a.Certificate = o.Certify(ctx, a)
	}
}

// relate finds what is like m among the problems before it.
func (c *collecting) relate(m *Listed) {
	if m.Fault != nil {
		c.tally.Faulty++
		c.index.Skip()
		return
	}
	c.tally.Answered++
	m.Relations = c.index.Related(m.known, c.Relations...)
	alike := false
	for i := range m.Relations {
		r := &m.Relations[i]
		r.ID++
		c.tally.Relations[r.Relation] += r.Count
		alike = alike || r.Relation == collection.Duplicate || r.Relation == collection.MirrorTwin
	}
	if alike {
		c.tally.Alike++
	}
	c.index.Add(m.known)
}

// has reports whether the problem has all of the themes. What has a fault is printed only if none are
// asked for.
func (m *Listed) has(themes []*theme.Theme) bool {
	for _, t := range themes {
		if !slices.ContainsFunc(m.Themes, func(f theme.Found) bool { return f.Theme == t }) {
			return false
		}
	}
	return true
}

// comparePlies orders problems by their lengths; those without a known one come last.
func comparePlies(a, b *Listed) int { return cmp.Compare(a.order(), b.order()) }

// order returns how many plies the mate of a problem takes at least, or what the file or its line
// say where that is not known.
func (m *Listed) order() int {
	if m.Report != nil {
		if i, ok := m.Report.LengthUnder(m.Report.Policy); ok && i.High < length.Unbounded {
			return i.Low
		}
	}
	return cmp.Or(m.Plies, len(m.Problem.Line), math.MaxInt)
}

// compareThemes orders problems by their themes, one after the other; those without any come last.
func compareThemes(a, b *Listed) int {
	places := func(m *Listed) (list []int) {
		for _, f := range m.Themes {
			list = append(list, slices.Index(theme.All, f.Theme))
		}
		return append(list, len(theme.All))
	}
	return slices.Compare(places(a), places(b))
}

// plies returns the length under the policy asked for and the raw one, "" where nothing is known.
func (m *Listed) plies() (conventional, raw string) {
	if m.Report == nil {
		return "", ""
	}
	if i, ok := m.Report.LengthUnder(length.F0); ok {
		raw = i.Range()
	}
	if i, ok := m.Report.LengthUnder(m.Report.Policy); ok {
		conventional = i.Range()
	}
	return conventional, raw
}

// cooks returns the other checks that mate and are no mere duals, as ply:move:class, those along equal
// lines with =n behind the ply; how many checks are not decided; and how many others there are.
func (m *Listed) cooks() (cooks []string, open, checks int) {
	for line, node := range m.Report.AttackNodes() {
		open, checks = open+node.Open, checks+node.Checks-1
		ply := fmt.Sprint(node.Ply)
		if line > 0 {
			ply += fmt.Sprintf("=%d", line)
		}
		for _, c := range node.Others {
			switch c.Class {
			case analysis.Cook, analysis.Transposition, analysis.Early:
				cooks = append(cooks, fmt.Sprintf("%s:%s:%s", ply, c.Move, c.Class))
			}
		}
	}
	return cooks, open, checks
}
