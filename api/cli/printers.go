package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
)

// An answered is what is printed of a position, and what is known of its search alone.
type answered struct {
	// Answer says what is known of the position. To a question about the moves that is what they
	// come to together.
	wire.Answer
	moves     *wire.MovesAnswer // nil if the question was not about them
	position  shogi.Position
	line      []byte // the answer in JSON
	pn, dn    uint64 // as the search left them; 0 if it did not count them
	isOfJob   bool   // its reader may not have asked for this count
	isCounted bool   // the policy of the length was asked for
	isBounded bool   // it was not, nor were limits: the search for it has those of the default
}

// A printer writes one record for each position, in one of the output formats.
type printer interface {
	answer(a *answered) error
	fault(q Question, err error) error
}

// newPrinter returns the printer of a format that was checked before.
func newPrinter(o *Options, out *bufio.Writer, stderr io.Writer) printer {
	switch o.Output {
	case "json":
		return jsonPrinter{out}
	case "tsv":
		columns := tsvColumns
		switch {
		case o.Moves:
			columns = movesColumns
		case o.Length != nil:
			columns = append(slices.Clone(tsvColumns), lengthColumns...)
		}
		return &tsvPrinter{out: out, columns: columns}
	case "text":
	default:
		f, err := notation.ParseFormat(o.Output)
		if err != nil {
			panic(err)
		}
		return &recordPrinter{out: out, stderr: stderr, l: o.Language, format: f}
	}
	return &textPrinter{out: out, stderr: stderr, l: o.Language, board: o.Board}
}

type jsonPrinter struct{ out io.Writer }

func (p jsonPrinter) answer(a *answered) error {
	_, err := p.out.Write(a.line)
	return err
}

// fault writes what a batch of the HTTP API has for a line with faults. Without a line, for the
// position is an argument, it is a problem alone.
func (p jsonPrinter) fault(q Question, err error) error {
	e := wire.Envelope{Line: q.line, Problem: wire.Invalid(faultsOf(q, err))}
	_, err = p.out.Write(e.AppendLine(nil))
	return err
}

// faultsOf returns the faults of a question as JSON has them.
func faultsOf(q Question, err error) []wire.Fault {
	location := "argument.sfen"
	if q.line > 0 {
		location = "line.sfen"
	}
	var faulty *shogi.SFENError
	if errors.As(err, &faulty) {
		return wire.PositionFaults(location, err)
	} else if e := asRecordError(err); e != nil {
		return wire.RecordFaults("file", e)
	} else if q.fault != nil {
		after := wire.ErrorFault("file", err)
		after.Code = "after"
		return []wire.Fault{after}
	}
	return []wire.Fault{wire.ErrorFault(location, err)}
}

// tsvColumns are fields of an answer, by the same names. What reads them by their place would break
// if another came in between.
var tsvColumns = []string{"sfen", "attacker", "verdict", "plies", "exact", "moves", "moves_ja",
	"no_mate_within", "reason", "solver", "nodes", "elapsed_us"}

type tsvPrinter struct {
	out     *bufio.Writer
	columns []string
	headed  bool
}

func (p *tsvPrinter) answer(a *answered) error {
	if a.moves != nil {
		return p.moves(a.moves)
	}
	row := answerRow(&a.Answer)
	for range len(p.columns) - len(row) {
		row = append(row, "") // of a length where there is none
	}
	if l := a.Length; l != nil {
		high := ""
		if l.High != nil {
			high = strconv.Itoa(*l.High)
		}
		row = append(row[:len(tsvColumns)], l.Policy, strconv.Itoa(l.Low), high)
	}
	return p.row(row...)
}

// answerRow returns the tsvColumns of an answer.
func answerRow(a *wire.Answer) []string {
	plies, exact, within := lengthFields(a.Plies, a.Exact, a.NoMateWithin)
	elapsed := ""
	if a.ElapsedUS != nil {
		elapsed = strconv.FormatInt(*a.ElapsedUS, 10)
	}
	return []string{a.SFEN, a.Attacker, a.Verdict, plies, exact, strings.Join(a.Moves, " "),
		strings.Join(a.MovesJa, " "), within, a.Reason, a.Solver, strconv.FormatUint(a.Nodes, 10),
		elapsed}
}

// lengthColumns are those of a length that was asked for.
var lengthColumns = []string{"policy", "length_low", "length_high"}

// lengthFields are what is known of the length of a mate, empty where nothing is.
func lengthFields(plies *int, exact *bool, noMateWithin int) (length, isExact, within string) {
	if plies != nil {
		length, isExact = strconv.Itoa(*plies), strconv.FormatBool(*exact)
	}
	if noMateWithin > 0 {
		within = strconv.Itoa(noMateWithin)
	}
	return length, isExact, within
}

// fault writes a row with the text as SFEN, the verdict "error" and the message as reason.
func (p *tsvPrinter) fault(q Question, err error) error {
	row := make([]string, len(p.columns))
	for i, column := range p.columns {
		switch column {
		case "sfen":
			row[i] = shogi.VisibleLine(q.text)
		case "verdict":
			row[i] = "error"
		case "reason":
			row[i] = shogi.VisibleLine(English.Error(q.locate(reason(err))))
		}
	}
	return p.row(row...)
}

func (p *tsvPrinter) row(fields ...string) error {
	if !p.headed {
		p.headed = true
		if err := p.row(p.columns...); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(p.out, strings.Join(fields, "\t"))
	return err
}

// textPrinter writes for people: answers to out, faults to stderr.
type textPrinter struct {
	out    *bufio.Writer
	stderr io.Writer
	l      Language
	board  bool
	some   bool // something was printed
}

func (p *textPrinter) answer(a *answered) error {
	if p.some {
		p.out.WriteByte('\n')
	}
	p.some = true
	p.out.WriteString(a.SFEN)
	p.out.WriteByte('\n')
	if p.board {
		p.out.Write(notation.AppendBOD(nil, &a.position))
	}
	p.out.WriteString(p.l.verdictText(a))
	p.out.WriteByte('\n')
	switch {
	case a.moves != nil:
		p.moves(a.moves)
	case len(a.Moves) > 0:
		en, ja := a.MovesEn, markFutile(a.MovesJa, a.Length)
		if a.Length != nil && a.Length.Moves != nil {
			en, ja = a.Length.MovesEn, a.Length.MovesJa
		}
		if p.l != Japanese {
			fmt.Fprintf(p.out, "  %s\n", strings.Join(en, " "))
		}
		fmt.Fprintf(p.out, "  %s\n", strings.Join(ja, " "))
		for _, text := range p.l.futileTexts(a.Length) {
			fmt.Fprintf(p.out, "  %s\n", text)
		}
	}
	say := func(en, ja string, args ...any) { p.out.WriteString(p.l.Sprintf(en, ja, args...)) }
	say("  %s", "  %s", Plural(a.Nodes, "node"))
	if a.moves == nil {
		say(", by %s", "（%s）", a.Solver)
		if a.Verdict == solver.Unknown.String() && a.pn > 0 {
			say(", up to pn %d dn %d", "、証明数%d・反証数%dまで", a.pn, a.dn)
		}
	}
	switch {
	case a.Checked == string(solver.CheckedCertificate):
		say(", checked by a reply to every check", "、すべての王手への応手で検証済み")
	case a.Unchecked != "":
		say(", not checked: %s", "、未検証（%s）", p.l.reasonText(solver.Reason(a.Unchecked)))
	}
	p.out.WriteByte('\n')
	for i := range a.Notes {
		say("  note: %s\n", "  注意：%s\n", p.l.In(noteText(&a.Notes[i], &a.position)))
	}
	return nil
}

// noteText returns what a note says of a position. On pieces that are missing it names the flag.
func noteText(n *wire.Note, p *shogi.Position) report.Text {
	if n.Code != wire.NoteMissing {
		return report.Text{Ja: n.TextJa, En: n.TextEn}
	}
	missing := p.Missing().Len()
	return report.Text{
		Ja: fmt.Sprintf("駒が%d枚足りない。--hands complete で玉方の持駒になる", missing),
		En: fmt.Sprintf("nobody holds the %s missing from the set; --hands complete gives them to the "+
			"defender", Plural(missing, "piece"))}
}

func (p *textPrinter) fault(q Question, err error) error {
	return printFault(p.out, p.stderr, p.l, q, err)
}

// printFault writes to stderr what is wrong with a question. On a terminal, that follows the
// answers before it.
func printFault(out *bufio.Writer, stderr io.Writer, l Language, q Question, err error) error {
	if err := out.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stderr, "tsumero: %s\n", l.Error(explain(q, err)))
	return err
}

// recordPrinter writes each answer as a record: answers to out, faults to stderr.
type recordPrinter struct {
	out    *bufio.Writer
	stderr io.Writer
	l      Language
	format notation.Format
	some   bool // something was printed
	text   []byte
}

func (p *recordPrinter) answer(a *answered) error {
	p.text = p.text[:0]
	if between, _ := p.format.Several(); p.some {
		p.text = append(p.text, between...)
	}
	p.some = true
	r, err := a.Record(&a.position, p.format)
	if err != nil {
		return err
	}
	p.text = r.Append(p.text, p.format)
	if p.text[len(p.text)-1] != '\n' {
		p.text = append(p.text, '\n')
	}
	_, err = p.out.Write(p.text)
	return err
}

func (p *recordPrinter) fault(q Question, err error) error {
	return printFault(p.out, p.stderr, p.l, q, err)
}

// verdictText says in words what an answer means.
func (l Language) verdictText(a *answered) string {
	v := report.Verdict{Verdict: a.Verdict, NoMateWithin: a.NoMateWithin,
		Why: l.reasonText(solver.Reason(a.Reason)), Attacker: a.Attacker,
		SideToMove: a.position.SideToMove().String(), NamesCount: a.isOfJob && a.Length == nil}
	if a.Plies != nil {
		v.Plies, v.Exact = *a.Plies, *a.Exact
	}
	if a.Length != nil && v.Plies > 0 {
		return l.lengthText(a, &v)
	}
	return l.verdictLine(&v)
}

// verdictLine is a verdict as one line: in Japanese without the last full stop, and with what ended the search.
func (l Language) verdictLine(v *report.Verdict) string {
	text := strings.TrimSuffix(l.In(v.Text()), "。")
	if l == Japanese && v.Why != "" {
		text += "（" + v.Why + "）"
	}
	return text
}

// reasonText says why something is not decided, with the flag that may help.
func (l Language) reasonText(r solver.Reason) string {
	text := l.In(report.Why(r))
	if flag, ok := reasonFlags[r]; ok {
		text += l.Sprintf(" (%s)", "：%s", flag)
	}
	return text
}

// reasonFlags are the flags that set what ended a search.
var reasonFlags = map[solver.Reason]string{solver.ReasonPlies: "--plies",
	solver.ReasonNodes: "--nodes", solver.ReasonTime: "--time"}
