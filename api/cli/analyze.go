package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
)

// AnalyzeOptions say how Analyze answers and prints.
type AnalyzeOptions struct {
	// NewSession makes a session. Each of Workers goroutines has one.
	NewSession func() solver.Session
	Workers    int
	// Question is what is asked of each problem; its position, its attacker and its line are not
	// looked at.
	Question analysis.Question
	After    int           // begin after this number of the moves that come with a position
	Time     time.Duration // the longest analysis of a problem; 0 for any
	Hands    string        // as in Options
	Format   string        // one of Formats
	Language               // of the formats "text" and "submission"
	// Several says that there are several problems, so that "text" has a line for each. Without it
	// that is so from the second one on, unless Full asks for the whole report of each.
	Several, Full bool
	// Each is called with each report, in order, before it is printed, and where the problem was
	// found. Its error ends the run. It may be nil.
	Each func(a *analysis.Analysis, at Location) error
}

// Formats are the values of AnalyzeOptions.Format.
var Formats = []string{"text", "submission", "json", "ndjson"}

// An AnalyzeTally counts what became of the problems.
type AnalyzeTally struct {
	counts
	Soundness
	Nodes uint64
}

// Soundness counts what reports come to.
type Soundness struct {
	Sound       [3]int // by analysis.Answer
	LineAtFault int    // sound ones whose author's line is at fault
}

// add counts a report, in which an author's line, if there is one, comes to finding.
func (s *Soundness) add(sound analysis.Answer, finding analysis.AuthorFinding) {
	s.Sound[sound]++
	if sound == analysis.Yes && finding.IsFault() {
		s.LineAtFault++
	}
}

// summary says how many there are of each kind.
func (s *Soundness) summary(l Language) string {
	sound := l.Sprintf("%d sound", "完全作%d", s.Sound[analysis.Yes])
	if s.LineAtFault > 0 {
		sound += l.Sprintf(" (the author's line at fault in %d)", "（作意に誤り%d）", s.LineAtFault)
	}
	return l.Sprintf("%s, %d with a defect, %d not decided", "%s、不完全作%d、未確認%d", sound, s.Sound[analysis.No], s.Sound[analysis.Unknown])
}

// Summary says in one line what became of the problems in that time.
func (t *AnalyzeTally) Summary(l Language, d time.Duration) string {
	return l.Sprintf("%s in %v", "%s、%v", t.text(l), RoundTime(d))
}

func (t *AnalyzeTally) text(l Language) string {
	return l.Sprintf("%s: %s, %d faulty; %s", "%s：%s、誤り%d。探索%s", Plural(t.Questions(), "problem"), t.summary(l),
		t.Faulty, Plural(t.Nodes, "node"))
}

// Analyze says of each problem whether it is sound, and why, in the order of the problems. The
// moves that come with a position are the author's. Faults, interrupts and progress are as for
// Solve.
func Analyze(ctx context.Context, o AnalyzeOptions, questions iter.Seq2[Question, error],
	out, stderr io.Writer, progress *Progress) (AnalyzeTally, error) {
	buffered := bufio.NewWriter(out)
	r := &analyzeRun{AnalyzeOptions: o, out: buffered, stderr: stderr,
		analyzers: newAnalyzers(o.Workers, o.NewSession, progress)}
	if !o.Several && !o.Full && o.Format == "text" {
		questions = r.lookForSecond(questions)
	}
	err := each(ctx, o.Workers, questions, buffered, progress, &r.tally.counts, r.ask, r.print)
	return r.tally, err
}

// An analyzeRun is one call of Analyze.
type analyzeRun struct {
	AnalyzeOptions
	out       *bufio.Writer
	stderr    io.Writer
	analyzers *analyzers
	tally     AnalyzeTally
	printed   bool
}

// lookForSecond yields the questions, the first of them when it is known whether there is a second.
func (r *analyzeRun) lookForSecond(
	questions iter.Seq2[Question, error]) iter.Seq2[Question, error] {
	return func(yield func(Question, error) bool) {
		var first *Question
		for q, err := range questions {
			if !r.Several && first == nil && err == nil {
				first = &q
				continue
			}
			if first != nil {
				r.Several = err == nil
				if !yield(*first, nil) {
					return
				}
				first = nil
			}
			if !yield(q, err) || err != nil {
				return
			}
		}
		if first != nil {
			yield(*first, nil)
		}
	}
}

// An analysed says what became of a problem.
type analysed struct {
	*analysis.Analysis
	notes       []wire.Note
	elapsed     time.Duration
	fault       error
	interrupted bool
}

// ask analyses a problem.
func (r *analyzeRun) ask(ctx context.Context, q *Question) analysed {
	asked, notes, err := r.question(q)
	if err != nil {
		return analysed{fault: err}
	}
	ctx, cancel := within(ctx, r.Time)
	defer cancel()
	start := time.Now()
	a, err := r.analyzers.analyze(ctx, q, asked)
	if err != nil {
		return analysed{fault: err}
	}
	return analysed{Analysis: a, notes: notes, elapsed: time.Since(start),
		interrupted: solver.StopReason(ctx) == solver.ReasonCancelled && !a.Repeatable}
}

// question returns what is asked about a problem, with notes on how it was read and on missing
// pieces.
func (r *analyzeRun) question(q *Question) (asked analysis.Question, notes []wire.Note, err error) {
	asked = r.Question
	p, line, notes, err := q.problem()
	if err == nil {
		line, err = playUntil(&p, line, r.After)
	}
	if err != nil {
		return asked, nil, err
	}
	if asked.Attacker, err = solver.Attacker(&p); err != nil {
		return asked, nil, err
	}
	notes = append(slices.Clip(notes),
		wire.Notes(wire.ApplyHands(&p, asked.Attacker.Opponent(), r.Hands))...)
	asked.Position, asked.Line, asked.Told = p, nil, q.plies
	if len(line) > 0 {
		asked.Line = line
	}
	return asked, notes, nil
}

func (r *analyzeRun) print(q *Question, a analysed) error {
	if a.fault != nil {
		r.tally.Faulty++
		return r.printFault(*q, a.fault)
	}
	r.tally.Answered++
	finding := analysis.AuthorUnknown
	if a.Author != nil {
		finding = a.Author.Finding
	}
	r.tally.add(a.Sound, finding)
	r.tally.Nodes += a.Nodes
	if a.interrupted {
		r.tally.Interrupted++
	}
	if r.Each != nil {
		if err := r.Each(a.Analysis, q.location()); err != nil {
			return err
		}
	}
	switch {
	case r.isJSON():
		return r.printJSON(q, a)
	case r.Several && !r.Full && r.Format == "text":
		printSummary(r.out, q, &a, r.Language)
		return nil
	}
	if r.printed {
		r.out.WriteByte('\n')
	}
	r.printed = true
	if r.Format == "submission" {
		_, err := r.out.WriteString(report.Submission(a.Analysis, string(r.Language), q.title, q.author))
		return err
	}
	printReport(r.out, q, &a, r.Language)
	return nil
}

func (r *analyzeRun) isJSON() bool { return r.Format == "json" || r.Format == "ndjson" }

// A Location says where a problem was found: what JSON has as "source".
type Location struct {
	File   string `json:"file,omitempty"`   // "" for an argument and for standard input alone
	Line   int    `json:"line,omitempty"`   // of a file with positions, from 1
	Record int    `json:"record,omitempty"` // of a file with several, from 1
}

func (q *Question) location() Location { return Location{q.file, q.line, q.row} }

func (r *analyzeRun) printJSON(q *Question, a analysed) error {
	answer := wire.NewAnalyzeAnswer(a.Analysis)
	us := a.elapsed.Microseconds()
	answer.ElapsedUS, answer.Notes = &us, a.notes
	return r.write(struct {
		Source Location `json:"source,omitzero"`
		*wire.AnalyzeAnswer
	}{q.location(), answer})
}

func (r *analyzeRun) printFault(q Question, err error) error {
	if !r.isJSON() {
		return printFault(r.out, r.stderr, r.Language, q, err)
	}
	return r.write(struct {
		Source Location `json:"source,omitzero"`
		*wire.Problem
	}{q.location(), wire.Invalid(faultsOf(q, err))})
}

// write writes a value as JSON: on one line, or for people.
func (r *analyzeRun) write(v any) error {
	text := wire.Encode(v)
	if r.Format == "json" {
		var indented bytes.Buffer
		if err := json.Indent(&indented, text, "", "  "); err != nil {
			return err
		}
		text = indented.Bytes()
	}
	_, err := r.out.Write(text)
	return err
}
