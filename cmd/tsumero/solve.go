package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/cmd/internal/memory"
	"github.com/tsumero/tsumero/internal/ordered"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate"
)

type solveFlags struct {
	file    string
	format  string
	after   int
	output  string
	board   bool
	rest    bool
	jobs    int
	threads int
	memory  byteSize // 0: a share of what there is

	plies    int
	nodes    uint64
	time     time.Duration
	shortest bool
}

func newSolve() *cobra.Command {
	var f solveFlags
	cmd := &cobra.Command{
		Use:   "solve [POSITION]...",
		Short: "Find out whether there is a forced mate",
		Long: `Solve answers, for each position, whether the attacker can force mate.

A position is an SFEN, or "startpos", or what follows "position" in USI, moves included. Positions are taken from the
arguments, or from --file, or else from standard input. Quotes around an argument may be left out.

Files hold one position a line. Empty lines and lines that start with # are left out, and of lines with tabs only the
first column is read, so that the TSV output is input again. Files in KIF, KI2, BOD, CSA or JKF, in UTF-8, Shift_JIS or
EUC-JP, are recognised by their first lines: the position they begin with is solved, or the one after so many moves with
--after.

The verdicts:
  mate     the attacker forces mate with the moves given, and every defence was tried
  nomate   there is no forced mate, at any length
  unknown  neither is proven; the answer says why, and up to how many plies there is no mate
Lengths count every legal move, pointless interpositions included. A length is that of the mate that was found first,
"21 or fewer", unless no shorter one exists; --shortest goes on until that is certain, which may take far longer.

On a terminal, a line shows how a long search goes: its phase, the nodes, the proof number and the disproof number (about
how many positions must still be decided to prove a mate, and to prove that there is none), and the mate so far.

The exit code is 0 if every position is a mate, 1 if at least one is nomate, 2 if at least one is unknown and 3 if at
least one has a fault, the highest of these; 4 for wrong use, 5 if reading or writing failed, and 130 when
interrupted. On an interrupt the answers found so far are all printed, in order, with what is known of the positions
that are being searched.`,
		Example: `  tsumero solve '4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1'
  tsumero solve --shortest --time 5m --memory 4G 'n3p4/3k+b4/3g1B3/9/pn+rRN4/5P3/3P5/9/9 b 3g4sn4l14p 1'
  tsumero solve --plies 1 --output json --file problems.sfen
  tsumero solve --board --file problem.kif
  tsumero solve --shortest --output kif --file problem.csa > solution.kif
  generate | tsumero solve --output tsv > answers.tsv`,
		RunE: func(cmd *cobra.Command, args []string) error { return solve(cmd, args, f) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.file, "file", "f", "", "read positions from `FILE`, one a line; - is standard input")
	flags.StringVar(&f.format, "format", "auto", "`NOTATION` of the file: auto, sfen, kif (also BOD), ki2, csa or jkf")
	flags.IntVar(&f.after, "after", 0, "of a file in KIF, KI2, CSA or JKF, solve the position after `N` moves of its main line")
	flags.StringVarP(&f.output, "output", "o", "text", "`FORMAT` of the answers: text for people; json, one object a line; tsv, with a heading; or a record in kif, ki2, csa, jkf or usi")
	flags.BoolVar(&f.board, "board", false, "draw the board above each answer (text only)")
	flags.BoolVar(&f.rest, "rest", false, "give the defender all pieces that are missing, as printed diagrams do (残り全部)")
	flags.IntVarP(&f.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "solve `N` positions at the same time; answers keep the order of the input")
	flags.IntVar(&f.threads, "threads", 1, "search each position with `N` threads; nodes, and moves of a mate that is not exact, then differ from run to run; --jobs is then as many as there are processors for")
	flags.Var(&f.memory, "memory", "keep the tables of all searches together within `SIZE`, such as 512M or 4G; more makes hard positions easier (default: a quarter of what the machine or the container allows, up to 4GiB)")
	flags.BoolVar(&f.shortest, "shortest", false, "look for the shortest mate, and prove that there is none shorter")
	flags.IntVar(&f.plies, "plies", 0, "look for mates of at most `N` plies (0: any length)")
	flags.Uint64Var(&f.nodes, "nodes", 0, "look at no more than `N` positions for each answer (0: any number)")
	flags.DurationVar(&f.time, "time", 0, "spend no more than `DURATION`, such as 1s or 500ms, on each answer (0: any)")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formatNames, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(outputNames, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (f *solveFlags) validate(cmd *cobra.Command, args []string) error {
	var faults []error
	add := func(bad bool, format string, values ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, values...))
		}
	}
	add(len(args) > 0 && f.file != "", "positions come either as arguments or from --file, not both")
	add(!slices.Contains(outputNames, f.output), "--output is %q, but must be one of %s", f.output, strings.Join(outputNames, ", "))
	add(!slices.Contains(formatNames, f.format), "--format is %q, but must be one of %s", f.format, strings.Join(formatNames, ", "))
	add(len(args) > 0 && (f.format != "auto" || f.after != 0), "--format and --after are for files, arguments are SFEN")
	add(f.after < 0, "--after is %d, but must not be negative", f.after)
	add(f.after > 0 && f.format == "sfen", "--after is for records, of an SFEN all moves are played")
	add(f.board && f.output != "text", "--board goes with --output text only")
	add(f.jobs < 1 || f.jobs > maxJobs, "--jobs is %d, but must be 1 to %d", f.jobs, maxJobs)
	most := memoryThere()
	add(cmd.Flags().Changed("memory") && (f.memory < memory.LeastTable || f.memory > most), "--memory is %v, but must be %v to %v, which is all there is", f.memory, byteSize(memory.LeastTable), most)
	add(f.threads < 1 || f.threads > maxThreads, "--threads is %d, but must be 1 to %d", f.threads, maxThreads)
	add(f.plies < 0, "--plies is %d, but must not be negative", f.plies)
	add(f.time < 0, "--time is %v, but must not be negative", f.time)
	if len(faults) > 0 {
		return usageError(cmd, "%w", errors.Join(faults...))
	}
	return nil
}

// outputNames are the values of --output.
var outputNames = []string{"text", "json", "tsv", "kif", "ki2", "csa", "jkf", "usi"}

// single gives an error in place of a second question.
func single(questions iter.Seq2[question, error], several error) iter.Seq2[question, error] {
	return func(yield func(question, error) bool) {
		some := false
		for q, err := range questions {
			if some && err == nil {
				q, err = question{}, several
			}
			if !yield(q, err) || err != nil {
				return
			}
			some = true
		}
	}
}

// The bounds of what --jobs and --threads may ask for.
const (
	maxJobs    = 1024
	maxThreads = 256
)

// memoryThere returns the memory of the machine or the container, in whole MiB, and a great number if it is not known.
func memoryThere() byteSize {
	return byteSize(min(memory.Machine(), 1<<40)) >> 20 << 20
}

func solve(cmd *cobra.Command, args []string, f solveFlags) error {
	if err := f.validate(cmd, args); err != nil {
		return err
	}
	if !cmd.Flags().Changed("jobs") {
		f.jobs = max(1, f.jobs/f.threads)
	}
	stderr := cmd.ErrOrStderr()
	file := fileFormat{after: f.after}
	if f.format != "auto" {
		file.format, _ = notation.ParseFormat(f.format)
	}
	var questions iter.Seq2[question, error]
	total := int64(-1)
	switch {
	case len(args) > 0:
		questions, total = argumentQuestions(args), 0
		for range questions {
			total++
		}
		f.jobs = min(f.jobs, int(total)) // the others would do nothing, and have memory set aside for it
	case f.file != "" && f.file != "-":
		opened, err := os.Open(f.file)
		if err != nil {
			return err
		}
		defer opened.Close()
		if info, err := opened.Stat(); err == nil && info.Mode().IsRegular() {
			total = info.Size()
		}
		questions = fileQuestions(opened, file)
	default:
		if isTerminal(cmd.InOrStdin()) {
			fmt.Fprintln(stderr, "Type positions, one a line; Ctrl-D ends.")
		}
		questions = fileQuestions(cmd.InOrStdin(), file)
	}

	if f.output == "kif" || f.output == "ki2" {
		questions = single(questions, usageError(cmd, "--output %s holds one record, and there are more positions; csa, jkf and usi hold several", f.output))
	}
	memory.LimitGo()
	var table int64
	f.jobs, table = memory.ForJobs(memory.Available(), int64(f.memory), f.jobs, f.threads)

	out := bufio.NewWriter(cmd.OutOrStdout())
	run := &solving{
		limits: f,
		solver: mate.New(mate.Options{
			TableBytes: int(table),
			Searches:   f.jobs,
			Threads:    f.threads,
			Report: func(p shogi.Position, r solver.Result, err error) {
				fmt.Fprintf(stderr, "tsumero: %s claimed a mate that is none, please report this as a bug: %s: %v\n", r.Solver, p.SFEN(), err)
			}}),
		out:     out,
		printer: newPrinter(f.output, f.board, out, stderr),
		bar:     noBar(),
	}
	switch {
	case !isTerminal(stderr):
	case total == 1 && len(args) > 0, isTerminal(cmd.OutOrStdout()): // on one terminal, bar and answers would overwrite each other
		run.watcher.terminal = stderr.(*os.File)
	default:
		run.bar = newBar(stderr, total, barText)
		run.watcher.bar = run.bar
	}
	start := time.Now()
	err := run.all(cmd.Context(), questions)
	run.watcher.unwatch()
	flushErr := out.Flush()
	_ = run.bar.Finish()
	t := &run.tally
	if t.answered+t.faulty > 1 {
		fmt.Fprintln(stderr, t.summary(time.Since(start)))
	}
	switch {
	case err != nil:
		return err
	case flushErr != nil:
		return flushErr
	case t.answered+t.faulty == 0:
		return usageError(cmd, "no position was given")
	case t.exitCode() != exitOK:
		return &exitError{code: t.exitCode()}
	}
	return nil
}

// A tally counts what became of the positions.
type tally struct {
	answered, faulty, cut int // cut: answered, but interrupted
	verdicts              [3]int
	nodes                 uint64
	last                  string // where the last one stood
}

func (t *tally) exitCode() int {
	switch {
	case t.faulty > 0:
		return exitBadPosition
	case t.verdicts[solver.Unknown] > 0:
		return exitUnknown
	case t.verdicts[solver.NoMate] > 0:
		return exitNoMate
	}
	return exitMate
}

func (t *tally) summary(d time.Duration) string {
	n := t.answered + t.faulty
	return fmt.Sprintf("%s: %d mate, %d nomate, %d unknown, %d faulty; %s in %v, %s positions/s",
		plural(n, "position"), t.verdicts[solver.Mate], t.verdicts[solver.NoMate], t.verdicts[solver.Unknown], t.faulty,
		plural(t.nodes, "node"), roundTime(d), perSecond(uint64(n), d))
}

// solving is one run of the command.
type solving struct {
	limits  solveFlags
	solver  solver.Solver
	out     *bufio.Writer
	printer printer
	bar     *progressbar.ProgressBar
	watcher watcher
	tally   tally
}

// A reply is what became of a question: an answer, or a fault of the position.
type reply struct {
	answer  *answer
	fault   error
	skipped bool // the run was interrupted before this question was begun
}

// all answers the questions in order. However many there are, only a few for each worker are held at a time.
func (s *solving) all(ctx context.Context, questions iter.Seq2[question, error]) error {
	in := &input{questions: questions}
	o := ordered.Options[*question]{Workers: s.limits.jobs, Waiting: s.waiting}
	answer := func(ctx context.Context, q *question) reply {
		if ctx.Err() != nil {
			return reply{skipped: true}
		}
		return s.ask(ctx, q)
	}
	// Workers take questions in order, but one may see the interrupt before another that took an earlier question
	// does. So a skipped question is printed, as interrupted, only if a later one was not skipped.
	var skipped []*question
	for q, r := range ordered.Map(ctx, o, in.read, answer) {
		s.watcher.unwatch()
		if r.skipped {
			skipped = append(skipped, q)
			continue
		}
		for _, early := range skipped {
			if err := s.print(early, s.ask(ctx, early)); err != nil {
				return err
			}
		}
		skipped = nil
		if err := s.print(q, r); err != nil {
			return err
		}
	}
	switch {
	case in.err != nil && len(skipped) == 0 && s.tally.cut == 0:
		return fmt.Errorf("%s read, then: %w", plural(s.tally.answered+s.tally.faulty, "position"), in.err)
	case !in.complete || len(skipped) > 0 || s.tally.cut > 0:
		return s.interrupted()
	}
	return nil
}

func (s *solving) interrupted() error {
	if s.tally.last == "" {
		return interrupted("%s printed", plural(s.tally.answered, "answer"))
	}
	return interrupted("%s printed, the last for %s", plural(s.tally.answered, "answer"), s.tally.last)
}

// waiting lets the output through before the run waits for the answer to q, or, if q is nil, for a question.
func (s *solving) waiting(q *question) {
	_ = s.out.Flush() // an error stays in out, and the next write reports it
	if q != nil {
		s.watcher.watch(q)
	}
}

// An input is questions from a reader that an interrupt need not wait for.
type input struct {
	questions iter.Seq2[question, error]
	err       error // why reading failed
	complete  bool  // all was read
}

// endGrace is how long an interrupted run waits to see whether its input has ended anyway.
const endGrace = 100 * time.Millisecond

// read yields the questions until they end or reading fails, or else until shortly after the end of ctx, even if the
// reader is stuck in a Read.
func (in *input) read(ctx context.Context, yield func(*question) bool) {
	type item struct {
		question
		err error
	}
	items, left := make(chan item), make(chan struct{})
	defer close(left)
	go func() {
		defer close(items)
		for q, err := range in.questions {
			select {
			case items <- item{q, err}:
			case <-left:
				return
			}
		}
	}()
	for {
		var next item
		var ok bool
		select {
		case next, ok = <-items:
		case <-ctx.Done():
			// An input that has ended already says so at once. A reader that waits for input does not.
			select {
			case next, ok = <-items:
			case <-time.After(endGrace):
				return
			}
		}
		if in.complete = !ok; in.complete {
			return
		}
		if in.err = next.err; in.err != nil || !yield(&next.question) {
			return
		}
	}
}

// ask answers one question.
func (s *solving) ask(ctx context.Context, q *question) reply {
	if q.fault != nil {
		return reply{fault: q.fault}
	}
	game, err := shogi.ParsePosition(q.text)
	if err != nil {
		return reply{fault: err}
	}
	p := game.Position()
	attacker, err := solver.Attacker(&p)
	if err != nil {
		return reply{fault: err}
	}
	if s.limits.rest {
		if p, err = withRest(&p, attacker.Opponent()); err != nil {
			return reply{fault: err}
		}
	}
	if s.limits.time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.limits.time)
		defer cancel()
	}
	var last solver.Progress
	ctx = solver.WithProgress(ctx, watchEvery, func(p solver.Progress) {
		last = p
		s.watcher.report(q, &p)
	})
	start := time.Now()
	r := s.solver.Solve(ctx, p, solver.Limits{Plies: s.limits.plies, Nodes: s.limits.nodes, Shortest: s.limits.shortest})
	a := newAnswer(p, attacker, r, time.Since(start))
	a.pn, a.dn = last.PN, last.DN
	return reply{answer: a}
}

// missing returns how many pieces of each kind are neither on the board of p nor in a hand.
func missing(p *shogi.Position) (kinds [shogi.King]int, total int) {
	for t := shogi.Pawn; t < shogi.King; t++ {
		n := shogi.FullSet[t]
		for _, c := range []shogi.Color{shogi.Black, shogi.White} {
			n -= p.Hand(c).Count(t) + p.PiecesOf(c, t).Len()
			if t.CanPromote() {
				n -= p.PiecesOf(c, t.Promoted()).Len()
			}
		}
		kinds[t] = n
		total += n
	}
	return kinds, total
}

// withRest returns p with every missing piece in the hand of c.
func withRest(p *shogi.Position, c shogi.Color) (shogi.Position, error) {
	setup := p.Setup()
	kinds, _ := missing(p)
	for t := shogi.Pawn; t < shogi.King; t++ {
		setup.Hands[c] = setup.Hands[c].Add(t, kinds[t])
	}
	return setup.Position()
}

func (s *solving) print(q *question, r reply) error {
	s.tally.last = q.where
	_ = s.bar.Add64(max(q.size, 1))
	if r.fault != nil {
		s.tally.faulty++
		return s.printer.fault(*q, r.fault)
	}
	result := &r.answer.result
	s.tally.answered++
	s.tally.verdicts[result.Verdict]++
	s.tally.nodes += result.Nodes
	if result.Reason == solver.ReasonCancelled {
		s.tally.cut++
	}
	return s.printer.answer(r.answer)
}
