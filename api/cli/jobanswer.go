package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
)

// JobOutputs are the formats in which the answers of a job are printed.
var JobOutputs = []string{"text", "json", "tsv"}

// A JobPrinter prints the answers of a job, which are lines of JSON, as Solve prints its own.
type JobPrinter struct {
	// Single says that there is one answer, so that its place is left out.
	Single bool
	Tally  Tally  // of what was printed
	Sound  [3]int // of reports, by analysis.Answer

	out     *bufio.Writer
	output  string
	text    *textPrinter
	tsv     *tsvPrinter
	printed bool
}

// NewJobPrinter returns the printer of one of JobOutputs.
func NewJobPrinter(output string, out, stderr io.Writer) *JobPrinter {
	p := &JobPrinter{out: bufio.NewWriter(out), output: output}
	p.text = &textPrinter{out: p.out, stderr: stderr}
	p.tsv = &tsvPrinter{out: p.out, columns: append([]string(nil), tsvColumns...)}
	p.tsv.columns = append(p.tsv.columns, "line", "id")
	return p
}

// Flush writes what is printed so far.
func (p *JobPrinter) Flush() error { return p.out.Flush() }

// A jobAnswer is a line of the results of a job, or the only answer of a job.
type jobAnswer struct {
	number int             // of the line, 0 for none
	ID     json.RawMessage `json:"id"`
	Type   string          `json:"type"` // of a problem
	Detail string          `json:"detail"`
	Errors []wire.Fault    `json:"errors"`
	Sound  string          `json:"sound"` // of a report
	TextEn []string        `json:"text_en"`
	wire.Answer
}

// reason says what is wrong with a question.
func (a *jobAnswer) reason() string {
	if len(a.Errors) == 0 {
		return a.Detail
	}
	texts := make([]string, len(a.Errors))
	for i, f := range a.Errors {
		texts[i] = f.Message
	}
	return strings.Join(texts, "; ")
}

// place is where the question stood, by the id that it had, or else by its line.
func (a *jobAnswer) place() string {
	var id string
	switch {
	case json.Unmarshal(a.ID, &id) == nil:
		return OneLine(id)
	case len(a.ID) > 0:
		return string(a.ID) // a number
	case a.number > 0:
		return fmt.Sprintf("line %d", a.number)
	}
	return ""
}

// Print prints the answer to the line of that number.
func (p *JobPrinter) Print(number int, line []byte) error {
	a := &jobAnswer{number: number}
	if p.Single {
		a.number = 0
	}
	if err := json.Unmarshal(line, a); err != nil {
		return fmt.Errorf("an answer is no JSON: %w", err)
	}
	report := a.Sound != ""
	switch {
	case a.Type != "":
		p.Tally.Faulty++
	case report:
		p.Tally.Answered++
		p.Sound[soundOf(a.Sound)]++
	default:
		p.Tally.Answered++
		p.Tally.Verdicts[verdictOf(a.Verdict)]++
	}
	p.Tally.Nodes += a.Nodes
	switch p.output {
	case "json":
		_, err := p.out.Write(line)
		return err
	case "tsv":
		return p.printRow(a)
	}
	if a.Type != "" {
		return printFault(p.out, p.text.stderr, Question{where: a.place()}, errors.New(a.reason()))
	}
	if p.printed {
		p.out.WriteByte('\n')
	}
	p.printed = true
	if place := a.place(); place != "" {
		fmt.Fprintf(p.out, "# %s\n", place) // a comment, where the output is input again
	}
	if report {
		fmt.Fprintf(p.out, "%s\n", a.SFEN)
		for _, text := range a.TextEn {
			fmt.Fprintf(p.out, "  %s\n", text)
		}
		_, err := fmt.Fprintf(p.out, "  %s\n", Plural(a.Nodes, "node"))
		return err
	}
	one, err := a.solved()
	if err != nil {
		return err
	}
	p.text.some = false // it was parted from the one before it already
	return p.text.answer(one)
}

// solved returns the answer as Solve has it.
func (a *jobAnswer) solved() (*answer, error) {
	game, err := shogi.ParsePosition(a.SFEN)
	if err != nil {
		return nil, fmt.Errorf("the position of an answer has faults: %w", err)
	}
	one := &answer{Answer: &a.Answer, position: game.Position(), attacker: shogi.Black}
	if a.Attacker == shogi.White.String() {
		one.attacker = shogi.White
	}
	one.result = solver.Result{Verdict: verdictOf(a.Verdict), NoMateWithin: a.NoMateWithin,
		Reason: solver.Reason(a.Reason), Nodes: a.Nodes, Solver: a.Solver}
	if a.Exact != nil {
		one.result.Exact = *a.Exact
	}
	if a.Plies != nil {
		one.plies = *a.Plies
	}
	for _, note := range a.Notes {
		if note.Code == "missing_pieces" {
			one.missing = one.position.Missing().Len()
		}
	}
	return one, nil
}

// printRow prints a row with the columns of Solve, and the line and the id.
func (p *JobPrinter) printRow(a *jobAnswer) error {
	plies, exact, within := lengthFields(a.Plies, a.Exact, a.NoMateWithin)
	verdict, why := a.Verdict, a.Reason
	if a.Type != "" {
		verdict, why = "error", OneLine(a.reason())
	}
	elapsed := ""
	if a.ElapsedUS != nil {
		elapsed = fmt.Sprint(*a.ElapsedUS)
	}
	number := ""
	if a.number > 0 {
		number = fmt.Sprint(a.number)
	}
	id := ""
	if len(a.ID) > 0 {
		id = a.place()
	}
	return p.tsv.row(a.SFEN, a.Attacker, verdict, plies, exact, strings.Join(a.Moves, " "),
		strings.Join(a.MovesJa, " "), within, why, a.Solver, fmt.Sprint(a.Nodes), elapsed, number, id)
}

func verdictOf(name string) solver.Verdict {
	for _, v := range []solver.Verdict{solver.Mate, solver.NoMate} {
		if v.String() == name {
			return v
		}
	}
	return solver.Unknown
}

func soundOf(name string) analysis.Answer {
	for _, a := range []analysis.Answer{analysis.Yes, analysis.No} {
		if a.String() == name {
			return a
		}
	}
	return analysis.Unknown
}

// Summary says in one line what became of the questions.
func (p *JobPrinter) Summary() string {
	t := &p.Tally
	if p.Sound != [3]int{} {
		return fmt.Sprintf("%s: %d sound, %d with a defect, %d not decided, %d faulty; %s",
			Plural(t.Questions(), "problem"), p.Sound[analysis.Yes], p.Sound[analysis.No],
			p.Sound[analysis.Unknown], t.Faulty, Plural(t.Nodes, "node"))
	}
	return fmt.Sprintf("%s: %d mate, %d nomate, %d unknown, %d faulty; %s",
		Plural(t.Questions(), "position"), t.Verdicts[solver.Mate], t.Verdicts[solver.NoMate],
		t.Verdicts[solver.Unknown], t.Faulty, Plural(t.Nodes, "node"))
}
