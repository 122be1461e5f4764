package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/analysis"
)

// JobOutputs are the formats in which the answers of a job are printed.
var JobOutputs = []string{"text", "json", "tsv"}

// A JobPrinter prints the answers of a job, which are lines of JSON, as Solve prints its own.
type JobPrinter struct {
	// Single says that there is one answer, so that its place is left out.
	Single bool
	Tally  Tally // of what was printed
	Soundness
	// Composed is what searches for problems have found.
	Composed struct{ Figures, Problems int }

	out     *bufio.Writer
	output  string
	text    *textPrinter
	tsv     *tsvPrinter
	printed bool
}

// NewJobPrinter returns the printer of one of JobOutputs.
func NewJobPrinter(l Language, output string, out, stderr io.Writer) *JobPrinter {
	p := &JobPrinter{out: bufio.NewWriter(out), output: output}
	p.text = &textPrinter{out: p.out, stderr: stderr, l: l}
	p.tsv = &tsvPrinter{out: p.out, columns: append([]string(nil), tsvColumns...)}
	p.tsv.columns = append(p.tsv.columns, "line", "id")
	return p
}

// Flush writes what is printed so far.
func (p *JobPrinter) Flush() error { return p.out.Flush() }

// Print prints the answer to the line of that number.
func (p *JobPrinter) Print(number int, line []byte) error {
	var a struct {
		wire.Answer
		Sound  string `json:"sound"` // of a report, as the author's line
		Author struct {
			Finding string `json:"finding"`
		} `json:"author"`
		TextEn []string `json:"text_en"`
		TextJa []string `json:"text_ja"`
		// Of a search for problems.
		Figures  int                    `json:"figures"`
		Problems []wire.ComposedProblem `json:"problems"`
		Refused  *wire.Fault            `json:"refused"`
	}
	e, err := wire.ParseEnvelope(line)
	if err == nil {
		err = json.Unmarshal(line, &a)
	}
	if err != nil {
		return fmt.Errorf("an answer is no JSON: %w", err)
	}
	if e.Line = number; p.Single {
		e.Line = 0
	}
	if a.Refused != nil {
		e.Problem = wire.Invalid([]wire.Fault{*a.Refused})
	}
	switch {
	case e.Problem != nil:
		p.Tally.Faulty++
	case a.Problems != nil:
		p.Tally.Answered++
		p.Composed.Figures += a.Figures
		p.Composed.Problems += len(a.Problems)
	case a.Sound != "":
		p.Tally.Answered++
		sound, _ := wire.Named(a.Sound, analysis.No)
		finding, _ := wire.Named(a.Author.Finding, analysis.Faulty)
		p.add(sound, finding)
	default:
		p.Tally.Answered++
		p.Tally.Verdicts[wire.ParseVerdict(a.Verdict)]++
	}
	p.Tally.Nodes += a.Nodes
	switch p.output {
	case "json":
		_, err := p.out.Write(line)
		return err
	case "tsv":
		if a.Problems != nil {
			break // these are the same rows as text
		}
		if e.Problem != nil {
			a.Answer = wire.Answer{Verdict: "error", Reason: shogi.VisibleLine(problemText(e.Problem).Error())}
		}
		return p.tsv.row(append(answerRow(&a.Answer), lineFields(e)...)...)
	}
	at := place{where: placeOf(e)}
	if e.Problem != nil {
		return printFault(p.out, p.text.stderr, p.text.l, Question{where: at.where}, problemText(e.Problem))
	}
	if a.Problems != nil {
		return p.composed(a.Problems)
	}
	if p.printed {
		p.out.WriteByte('\n')
	}
	p.printed = true
	if at.where != "" {
		fmt.Fprintf(p.out, "# %s\n", p.text.l.Text(at.String(), at.Japanese())) // a comment, where the output is input again
	}
	if a.Sound != "" {
		fmt.Fprintf(p.out, "%s\n", a.SFEN)
		for _, text := range p.text.l.Line(a.TextEn, a.TextJa) {
			fmt.Fprintf(p.out, "  %s\n", text)
		}
		_, err := fmt.Fprintln(p.out, p.text.l.Sprintf("  %s", "  %s", Plural(a.Nodes, "node")))
		return err
	}
	position, err := shogi.ParseSFEN(a.SFEN)
	if err != nil {
		return fmt.Errorf("the position of an answer has faults: %w", err)
	}
	p.text.some = false // it was parted from the one before it already
	return p.text.answer(&answered{Answer: a.Answer, position: position, isOfJob: true})
}

// composed prints problems as compose prints them.
func (p *JobPrinter) composed(problems []wire.ComposedProblem) error {
	var rows []byte
	if !p.printed && len(problems) > 0 {
		p.printed = true
		rows = append(rows, wire.ComposedHeading...)
		if len(problems[0].Changes) > 0 {
			rows = append(rows, wire.ChangesHeading...)
		}
		rows = append(rows, '\n')
	}
	for i := range problems {
		rows = problems[i].AppendTSV(rows, string(p.text.l))
	}
	_, err := p.out.Write(rows)
	return err
}

// problemText says what is wrong with a question.
func problemText(p *wire.Problem) error {
	if len(p.Errors) == 0 {
		return &textError{p.Detail, p.DetailJa}
	}
	en, ja := make([]string, len(p.Errors)), make([]string, len(p.Errors))
	for i, f := range p.Errors {
		en[i], ja[i] = f.Message, f.MessageJa
	}
	return &textError{strings.Join(en, "; "), strings.Join(ja, "")}
}

// placeOf is where a question stood, by the id that it had, or else by its line.
func placeOf(e *wire.Envelope) string {
	var id string
	switch {
	case json.Unmarshal(e.ID, &id) == nil:
		return shogi.VisibleLine(id)
	case len(e.ID) > 0:
		return string(e.ID) // a number
	case e.Line > 0:
		return fmt.Sprintf("line %d", e.Line)
	}
	return ""
}

// lineFields are the number of a line and its id.
func lineFields(e *wire.Envelope) []string {
	number, id := "", ""
	if e.Line > 0 {
		number = strconv.Itoa(e.Line)
	}
	if len(e.ID) > 0 {
		id = placeOf(e)
	}
	return []string{number, id}
}

// Summary says in one line what became of the questions.
func (p *JobPrinter) Summary() string {
	t := &p.Tally
	if p.Composed.Figures > 0 {
		return p.text.l.Sprintf("%s in %s", "%[2]sから%[1]s", Plural(p.Composed.Problems, "sound problem"),
			Plural(p.Composed.Figures, "figure"))
	}
	if p.Sound != [3]int{} {
		return (&AnalyzeTally{t.counts, p.Soundness, t.Nodes}).text(p.text.l)
	}
	return t.text(p.text.l)
}
