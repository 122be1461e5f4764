package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/solver/compose"
)

func newCompose() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compose",
		Short: "Make new mate problems that are sound",
		Long: `Compose makes mate problems that have one solution, with nothing left over and no futile piece, and
that are unlike each other.

What it prints, as tsv or ndjson, is a collection that the other commands read: 'tsumero collection
--output html' makes a sheet for editors of it, with lines and themes, and --output folder a folder with a
page and a record in KIF for each.`,
		DisableFlagsInUseLine: true,
		Args:                  command.NoSuchCommand,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newComposeReverse(), newComposeEvolve(), newComposeHands(), newComposePlace(),
		newComposeShape(), newComposeLine(), newComposeRepair())
	return cmd
}

// cancelAfter calls cancel when the process has had so much more processor time, and progress, unless
// it is nil, with how much of it now and then.
func cancelAfter(ctx context.Context, cancel func(), limit time.Duration, progress func(time.Duration)) {
	began := command.ProcessorTime()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		used := command.ProcessorTime() - began
		if used >= limit {
			cancel()
			return
		}
		if progress != nil {
			progress(used)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// printComposed writes a problem as a line of ndjson or tsv.
func printComposed(out *bufio.Writer, output, language string, p *wire.ComposedProblem) {
	if output == "ndjson" {
		out.Write(wire.Encode(p))
		return
	}
	out.Write(p.AppendTSV(nil, language))
}

// printTally prints what became of the candidates of each length.
func printTally(out io.Writer, t *compose.Tally, units string, d time.Duration) {
	fmt.Fprintf(out, "%s, in %v\n", cli.Plural(t.Units, units), cli.RoundTime(d))
	fmt.Fprintf(out, "%5s %10s", "plies", "candidates")
	for o := range compose.Sound {
		fmt.Fprintf(out, " %12s", "-"+o.String())
	}
	fmt.Fprintf(out, " %9s %9s %9s %9s\n", "sound", "-dull", "-alike", "printed")
	for plies, l := range t.Lengths {
		if l.Candidates() == 0 && l.Yielded == 0 {
			continue
		}
		fmt.Fprintf(out, "%5d %10d", plies, l.Candidates())
		for _, n := range l.Outcomes[:compose.Sound] {
			fmt.Fprintf(out, " %12d", n)
		}
		fmt.Fprintf(out, " %9d %9d %9d %9d\n", l.Outcomes[compose.Sound], l.Dull, l.Alike, l.Yielded)
	}
}
