package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/compose"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/theme"
)

// growFlags are those of the methods that make problems of nothing, or of others: without an end.
type growFlags struct {
	plies     string
	seed      uint64
	count     int
	each      int
	cpu       time.Duration
	pieces    int
	hand      int
	captures  int
	sameMoves int
	strict    bool
	themes    []string
	box       string
	notIn     []string
	weights   []string
	threads   int
	keep      string
	output    string
}

// aboutGrowing is what the help of each of them says.
const aboutGrowing = `

A problem that is printed is sound by all that analyze asks, at its default limits: one first move,
no cook, nothing left over, no idle piece, and a length by convention that is exact, of which there is a
certificate (tsumero certificate --kind length). It does not begin with a capture, and has some point:
a sacrifice, a piece that does not promote, an interposition or a pawn drop that would mate. No two are
near copies, one is not the end of another, and no more than two, or as many as --same-moves says, have the
same last three moves. The first two hold for problems of --not-in, too. A promoted pawn that stands for a
gold makes no difference.

The same seed makes the same problems in the same order, whatever --threads is, so that a longer run
begins with what a shorter one printed. With --keep a run that was stopped is continued: what it had
printed is printed again, and then what follows. Problems are printed as they are found, and what fell
at which condition at the end. Where the system does not say how much processor time a run has had
(Windows), --cpu counts the time that goes by.

The columns of tsv are the SFEN, the plies, the moves of the solution and the themes; lines that begin
with # are comments. ndjson is one object a line, with the nearest known problem and the SHA-256 of the
certificate besides. tsv is a collection that the other commands read. An interrupt ends the run, and
what was found is printed; the exit code is 130 then, and otherwise 0, 4 for wrong use, 5 if a file
cannot be read or written.`

func (f *growFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.plies, "plies", "3-9", "make problems of so many plies: `N` or N-M, odd numbers from 3 to "+
		strconv.Itoa(compose.LongestPlies))
	flags.Uint64Var(&f.seed, "seed", 1, "`N` of the run: another one makes other problems")
	flags.IntVar(&f.count, "count", 0, "end after `N` problems (0: 10, or any number with --cpu)")
	flags.IntVar(&f.each, "each", 0, "print up to `N` problems of each length, however many there are of another (0: "+
		"about as many of each)")
	flags.DurationVar(&f.cpu, "cpu", 0, "end after `DURATION` of processor time (0: any)")
	flags.IntVar(&f.pieces, "pieces", 12, "use no more than `N` pieces, the king left out, those in hand counted")
	flags.IntVar(&f.hand, "hand", -1, "give Black no more than `N` pieces in hand (-1: any number)")
	flags.IntVar(&f.captures, "captures", -1, "let Black take no more than `N` times, 0 or 1 (-1: 1)")
	flags.IntVar(&f.sameMoves, "same-moves", 0, "let `N` problems have the same last three moves, and any number the "+
		"same first ones, as exercises have (0: 2, and none)")
	flags.BoolVar(&f.strict, "strict", true, "let no second mating move, no equal variation and no dual be")
	flags.StringSliceVar(&f.themes, "theme", nil, "make problems that show this `THEME`: its name, such as "+
		"nonpromotion; may be repeated")
	flags.StringVar(&f.box, "box", "", "keep all pieces in a rectangle: two `SQUARES`, its corners, such as 5a-1e")
	flags.StringArrayVar(&f.notIn, "not-in", nil, "make nothing like the problems, or keys, of this `FILE` or folder; may be repeated")
	flags.StringSliceVar(&f.weights, "weight", nil, "let a part of a problem count so much when the best are chosen, "+
		"such as `PART=NUMBER`; may be repeated")
	command.PerProcessorFlag(flags, &f.threads, "threads", "work with `N` threads")
	flags.StringVar(&f.keep, "keep", "", "keep what was made in `FILE`, and go on with it if it is there")
	command.ChoiceFlag(cmd, &f.output, "output", "o", "tsv", []string{"tsv", "ndjson"}, "`FORMAT`: tsv or ndjson")
}

// options returns what the flags ask for, and every fault of theirs.
func (f *growFlags) options(cmd *cobra.Command, check *command.Checks) compose.Options {
	o := compose.Options{Seed: f.seed, Each: f.each, Search: compose.Search{Threads: f.threads,
		NewSession: func() solver.Session { return dfpn.NewSession() }}}
	check.Choices("output")
	var ok bool
	o.Least, o.Most, ok = oddRange(f.plies)
	check.Fault(!ok || o.Least < 3 || o.Most > compose.LongestPlies,
		"--plies is %q, but must be an odd number from 3 to %d, or two of them such as 3-9", f.plies,
		compose.LongestPlies)
	check.Fault(f.count < 0, "--count is %d, but must not be negative", f.count)
	check.Fault(f.each < 0, "--each is %d, but must not be negative", f.each)
	check.Fault(f.cpu < 0, "--cpu is %v, but must not be negative", f.cpu)
	check.Fault(f.pieces < 2 || f.pieces > 38, "--pieces is %d, but must be 2 to 38", f.pieces)
	check.Fault(f.hand < -1 || f.hand > 38, "--hand is %d, but must be 0 to 38, or -1 for any number", f.hand)
	check.Fault(f.captures < -1 || f.captures > 1, "--captures is %d, but must be 0 or 1", f.captures)
	check.Fault(f.sameMoves < 0, "--same-moves is %d, but must not be negative", f.sameMoves)
	check.Fault(f.threads < 1 || f.threads > command.MaxThreads, "--threads is %d, but must be 1 to %d", f.threads,
		command.MaxThreads)
	for _, id := range f.themes {
		check.Fault(theme.ByID(id) == nil, "--theme is %q, which is no name of a theme, such as sacrifice", id)
		if t := theme.ByID(id); t != nil {
			o.Themes = append(o.Themes, t.ID)
		}
	}
	if f.box != "" {
		o.Box, ok = compose.ParseBox(f.box)
		check.Fault(!ok, "--box is %q, but must be two squares such as 5a-1e", f.box)
	}
	weights := compose.DefaultWeights
	for _, text := range f.weights {
		name, number, _ := strings.Cut(text, "=")
		part, known := compose.ParsePart(name)
		n, err := strconv.ParseFloat(number, 64)
		check.Fault(!known || err != nil || math.IsNaN(n) || math.IsInf(n, 0), "--weight is %q, but must be such as sacrifice=2: one of %s, and a number",
			text, strings.Join(compose.PartNames(), ", "))
		weights[part] = n
	}
	o.Weights = &weights
	o.MaxPieces, o.MaxHand, o.MaxCaptures, o.Strict, o.Pleasant = f.pieces, f.hand, f.captures, f.strict, true
	if f.count == 0 && f.cpu == 0 {
		f.count = 10
	}
	return o
}

// A grower makes problems.
type grower func(ctx context.Context, o compose.Options, tally *compose.Tally) iter.Seq[compose.Problem]

// run makes and prints problems. command is one that makes the same, but for where it ends.
func (f *growFlags) run(cmd *cobra.Command, o compose.Options, run, units string, grow grower) error {
	o.Archive = &compose.Archive{SameMoves: f.sameMoves}
	if err := cli.ReadKnown(o.Archive, "--not-in", f.notIn, cmd.InOrStdin()); err != nil {
		return err
	}
	keep, before, err := openComposeKeep(f.keep, run, o.Archive)
	if err != nil {
		return err
	}
	defer keep.close()
	o.From, o.Before = keep.next, before
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	stdout, stderr := cmd.OutOrStdout(), cmd.ErrOrStderr()
	out := bufio.NewWriter(stdout)
	total := int64(f.count)
	if total == 0 {
		total = f.cpu.Milliseconds()
	}
	bar := cli.NewBar(stderr, total, "composing")
	if cli.IsTerminal(stdout) {
		bar = cli.NewBar(io.Discard, total, "") // the problems themselves are seen
	}
	if f.cpu > 0 {
		var progress func(time.Duration)
		if f.count == 0 {
			progress = func(used time.Duration) { _ = bar.Set64(used.Milliseconds()) }
		}
		go cancelAfter(ctx, cancel, f.cpu, progress)
	}
	if f.output == "tsv" {
		fmt.Fprintf(out, "# made by: %s\n%s\n", run+f.end(), wire.ComposedHeading)
	}
	var tally compose.Tally
	began, n := time.Now(), 0
	print := func(row *wire.ComposedProblem) (more bool, err error) {
		printComposed(out, f.output, "en", row)
		if err := out.Flush(); err != nil {
			return false, err
		}
		if f.count > 0 {
			_ = bar.Add(1)
		}
		bar.Describe(fmt.Sprintf("%s, %s", cli.Plural(tally.Units, units), cli.Plural(n+1, "problem")))
		n++
		return n != f.count, nil
	}
	for i := range keep.rows {
		if more, err := print(&keep.rows[i]); err != nil || !more {
			_ = bar.Finish()
			return err
		}
	}
	var kept error // of what could not be kept
	o.Progress = func(p compose.Progress) {
		if kept == nil {
			kept = keep.write(keptLine{Next: p.Parts})
		}
	}
	for p := range grow(ctx, o, &tally) {
		row := wire.NewComposedProblem(&p)
		if kept == nil {
			kept = keep.write(keptLine{Problem: row})
		}
		more, err := print(row)
		if err != nil {
			return err
		}
		if !more || kept != nil {
			break
		}
	}
	_ = bar.Finish()
	if err := out.Flush(); err != nil {
		return err
	}
	if kept != nil {
		return kept
	}
	printTally(stderr, &tally, units, time.Since(began))
	if cmd.Context().Err() != nil {
		return command.Interrupted("%s printed", cli.Plural(n, "problem"))
	}
	return nil
}

// command is a command that makes the same problems, but for where it ends, beside flags of its own.
func (f *growFlags) command(method string) string {
	text := fmt.Sprintf("tsumero compose %s --plies %s --seed %d", method, f.plies, f.seed)
	add := func(format string, value any, is bool) {
		if is {
			text += fmt.Sprintf(" --"+format, value)
		}
	}
	add("pieces %d", f.pieces, f.pieces != 12)
	add("each %d", f.each, f.each > 0)
	add("hand %d", f.hand, f.hand >= 0)
	add("captures %d", f.captures, f.captures >= 0)
	add("same-moves %d", f.sameMoves, f.sameMoves > 0)
	add("strict=%v", f.strict, !f.strict)
	for _, id := range f.themes {
		add("theme %s", id, true)
	}
	add("box %s", f.box, f.box != "")
	for _, path := range f.notIn {
		add("not-in %s", path, true)
	}
	for _, weight := range f.weights {
		add("weight %s", weight, true)
	}
	return text
}

// end is what says where the run ends.
func (f *growFlags) end() (text string) {
	if f.count > 0 {
		text += fmt.Sprintf(" --count %d", f.count)
	}
	if f.cpu > 0 {
		text += fmt.Sprintf(" --cpu %v", f.cpu)
	}
	return text
}

func newComposeReverse() *cobra.Command {
	var f growFlags
	cmd := &cobra.Command{
		Use:   "reverse",
		Short: "Compose backwards from mated positions",
		Long: `Reverse composes problems by the reverse method (逆算): it begins with mated positions, takes back a
reply and the check before it, and keeps what is sound, two plies at a time. About as many are made of
each length; long ones take longest.` + aboutGrowing,
		Example: `  tsumero compose reverse --plies 5 --count 3
  tsumero compose reverse --plies 3-11 --seed 7 --count 100 > problems.tsv
  tsumero compose reverse --plies 7-9 --cpu 60s --output ndjson`,
		Args: command.Positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			check := command.Check(cmd)
			o := f.options(cmd, check)
			if err := check.Err(); err != nil {
				return err
			}
			return f.run(cmd, o, f.command("reverse"), "final figure", compose.Reverse)
		},
	}
	f.add(cmd)
	return cmd
}
