package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/solver/collection"
	"github.com/tsumero/tsumero/solver/compose"
	"github.com/tsumero/tsumero/solver/dfpn"
)

func newCompose() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compose",
		Short: "Make new mate problems that are sound",
		Long: `Compose makes mate problems that have one solution, with nothing left over and no futile piece, and
that are unlike each other.`,
		DisableFlagsInUseLine: true,
		Args:                  command.NoSuchCommand,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newComposeReverse(), newComposeHands(), newComposePlace(), newComposeShape())
	return cmd
}

type reverseFlags struct {
	plies  string
	seed   uint64
	count  int
	cpu    time.Duration
	pieces int
	strict bool
	output string
}

func newComposeReverse() *cobra.Command {
	var f reverseFlags
	cmd := &cobra.Command{
		Use:   "reverse",
		Short: "Compose backwards from mated positions",
		Long: `Reverse composes problems by the reverse method (逆算): it begins with mated positions, takes back a
reply and the check before it, and keeps what is sound, two plies at a time.

A problem that is printed is sound by all that analyze asks, at its default limits: one first move,
no cook, nothing left over, no idle piece, and a length by convention that is exact. It does not begin
with a capture, and has some point: a sacrifice, a piece that does not promote, an interposition or a
pawn drop that would mate. No two are near copies, one is not the end of another, and no more than two
have the same last three moves.

The same seed makes the same problems in the same order, so that a longer run begins with what a
shorter one printed. About as many are made of each length; long ones take longest. Problems are
printed as they are found, and what fell at which condition at the end. Where the system does not say
how much processor time a run has had (Windows), --cpu counts the time that goes by.

The columns of tsv are the SFEN, the plies, the moves of the solution and the themes; lines that begin
with # are comments. ndjson is one object a line. Both are collections that the other commands read.
An interrupt ends the run, and what was found is printed; the exit code is 130 then, and otherwise 0,
4 for wrong use, 5 if writing failed.`,
		Example: `  tsumero compose reverse --plies 5 --count 3
  tsumero compose reverse --plies 3-11 --seed 7 --count 100 > problems.tsv
  tsumero compose reverse --plies 7-9 --cpu 60s --output ndjson`,
		Args: command.Positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return composeReverse(cmd, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.plies, "plies", "3-9", "make problems of so many plies: `N` or N-M, odd numbers from 3 to "+
		strconv.Itoa(compose.LongestPlies))
	flags.Uint64Var(&f.seed, "seed", 1, "`N` of the run: another one makes other problems")
	flags.IntVar(&f.count, "count", 0, "end after `N` problems (0: 10, or any number with --cpu)")
	flags.DurationVar(&f.cpu, "cpu", 0, "end after `DURATION` of processor time (0: any)")
	flags.IntVar(&f.pieces, "pieces", 12, "use no more than `N` pieces, the king left out, those in hand counted")
	flags.BoolVar(&f.strict, "strict", true, "let no second mating move, no equal variation and no dual be")
	command.ChoiceFlag(cmd, &f.output, "output", "o", "tsv", []string{"tsv", "ndjson"}, "`FORMAT`: tsv or ndjson")
	return cmd
}

// options returns what the flags ask for, and every fault of theirs.
func (f *reverseFlags) options(cmd *cobra.Command) (compose.Options, error) {
	o := compose.Options{Seed: f.seed, MaxPieces: f.pieces, Strict: f.strict}
	check := command.Check(cmd)
	check.Choices("output")
	low, high, isRange := strings.Cut(f.plies, "-")
	if !isRange {
		high = low
	}
	var errs [2]error
	o.Least, errs[0] = strconv.Atoi(low)
	o.Most, errs[1] = strconv.Atoi(high)
	check.Fault(errs[0] != nil || errs[1] != nil || o.Least%2 == 0 || o.Most%2 == 0 || o.Least < 3 ||
		o.Most > compose.LongestPlies || o.Least > o.Most,
		"--plies is %q, but must be an odd number from 3 to %d, or two of them such as 3-9", f.plies,
		compose.LongestPlies)
	check.Fault(f.count < 0, "--count is %d, but must not be negative", f.count)
	check.Fault(f.cpu < 0, "--cpu is %v, but must not be negative", f.cpu)
	check.Fault(f.pieces < 2 || f.pieces > 38, "--pieces is %d, but must be 2 to 38", f.pieces)
	if f.count == 0 && f.cpu == 0 {
		f.count = 10
	}
	return o, check.Err()
}

func composeReverse(cmd *cobra.Command, f reverseFlags) error {
	o, err := f.options(cmd)
	if err != nil {
		return err
	}
	o.Session = dfpn.NewSession()
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	if f.cpu > 0 {
		go cancelAfter(ctx, cancel, f.cpu)
	}
	stdout, stderr := cmd.OutOrStdout(), cmd.ErrOrStderr()
	out := bufio.NewWriter(stdout)
	total := int64(f.count)
	if total == 0 {
		total = -1
	}
	bar := cli.NewBar(stderr, total, "composing")
	if cli.IsTerminal(stdout) {
		bar = cli.NewBar(io.Discard, total, "") // the problems themselves are seen
	}
	if f.output == "tsv" {
		fmt.Fprintf(out, "# made by: %s\n# sfen\tplies\tmoves\tthemes\n", f.command())
	}
	var tally compose.Tally
	began, n := time.Now(), 0
	for p := range compose.Reverse(ctx, o, &tally) {
		f.print(out, &p)
		if err := out.Flush(); err != nil {
			return err
		}
		_ = bar.Add(1)
		bar.Describe(fmt.Sprintf("%d final figures", tally.Families))
		if n++; n == f.count {
			break
		}
	}
	_ = bar.Finish()
	if err := out.Flush(); err != nil {
		return err
	}
	printTally(stderr, &tally, time.Since(began))
	if cmd.Context().Err() != nil {
		return command.Interrupted("%s printed", cli.Plural(n, "problem"))
	}
	return nil
}

// cancelAfter calls cancel when the process has had so much more processor time.
func cancelAfter(ctx context.Context, cancel func(), limit time.Duration) {
	limit += processorTime()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for processorTime() < limit {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
	cancel()
}

// command is the command that makes the same problems.
func (f *reverseFlags) command() string {
	text := fmt.Sprintf("tsumero compose reverse --plies %s --seed %d", f.plies, f.seed)
	if f.pieces != 12 {
		text += fmt.Sprintf(" --pieces %d", f.pieces)
	}
	if !f.strict {
		text += " --strict=false"
	}
	if f.count > 0 {
		text += fmt.Sprintf(" --count %d", f.count)
	}
	if f.cpu > 0 {
		text += fmt.Sprintf(" --cpu %v", f.cpu)
	}
	return text
}

// A composedRow is what is printed of a problem.
type composedRow struct {
	SFEN   string   `json:"sfen"`
	Plies  int      `json:"plies"`
	Moves  []string `json:"moves"`
	Themes []string `json:"themes"`
	Strict bool     `json:"strict"`
	Key    string   `json:"key"`
	ID     string   `json:"id"` // short form of the key
}

func (f *reverseFlags) print(out *bufio.Writer, p *compose.Problem) {
	row := composedRow{SFEN: p.Position.ProblemSFEN(), Plies: len(p.Line), Themes: p.Themes, Strict: p.Strict,
		Key: p.Key, ID: collection.ShortKey(p.Key)}
	for _, m := range p.Line {
		row.Moves = append(row.Moves, m.String())
	}
	if f.output == "ndjson" {
		out.Write(wire.Encode(row))
		return
	}
	fmt.Fprintf(out, "%s\t%d\t%s\t%s\n", row.SFEN, row.Plies, strings.Join(row.Moves, " "),
		strings.Join(row.Themes, " "))
}

// printTally prints what became of the candidates of each length.
func printTally(out io.Writer, t *compose.Tally, d time.Duration) {
	fmt.Fprintf(out, "%s, in %v\n", cli.Plural(t.Families, "final figure"), cli.RoundTime(d))
	fmt.Fprintf(out, "%5s %10s", "plies", "candidates")
	for f := range compose.NumFilters {
		fmt.Fprintf(out, " %9s", "-"+f.String())
	}
	fmt.Fprintf(out, " %9s %9s %9s %9s\n", "sound", "-dull", "-alike", "printed")
	for plies, l := range t.Lengths {
		if l.Candidates == 0 {
			continue
		}
		fmt.Fprintf(out, "%5d %10d", plies, l.Candidates)
		for _, n := range l.Fell {
			fmt.Fprintf(out, " %9d", n)
		}
		fmt.Fprintf(out, " %9d %9d %9d %9d\n", l.Sound, l.Dull, l.Alike, l.Yielded)
	}
}
