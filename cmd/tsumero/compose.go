package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/solver/compose"
)

func newCompose(l cli.Language) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compose",
		Short: l.Text("Make new mate problems that are sound", "完全作の創作"),
		Long: l.Text(`Compose makes mate problems that have one solution, with nothing left over and no futile piece, and
that are unlike each other.

What it prints, as tsv or ndjson, is a collection that the other commands read: 'tsumero collection
--output html' makes a sheet for editors of it, with lines and themes, and --output folder a folder with a
page and a record in KIF for each.`,
			`解が一つで、駒余りも無駄駒もない、互いに似ていない詰将棋を作ります。

出力（tsv、ndjson）はほかのコマンドで読めます。tsumero collection --output html で手順と手筋の付い
た一覧を、--output folder で一題ごとのページと KIF を作れます。`),
		DisableFlagsInUseLine: true,
		Args:                  command.NoSuchCommand,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newComposeReverse(l), newComposeEvolve(l), newComposeHands(l), newComposePlace(l),
		newComposeShape(l), newComposeLine(l), newComposeRepair(l))
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
func printComposed(out *bufio.Writer, output string, l cli.Language, p *wire.ComposedProblem) {
	if output == "ndjson" {
		out.Write(wire.Encode(p))
		return
	}
	out.Write(p.AppendTSV(nil, string(l)))
}

// printTally prints what became of the candidates of each length.
func printTally(l cli.Language, out io.Writer, t *compose.Tally, units string, d time.Duration) {
	fmt.Fprintln(out, l.Sprintf("%s, in %v", "%s、%v", cli.Plural(t.Units, units), cli.RoundTime(d)))
	column := func(width int, en, ja string) {
		text := l.Text(en, ja)
		fmt.Fprint(out, strings.Repeat(" ", max(width-cli.Cells(text), 0)), text)
	}
	column(5, "plies", "手数")
	column(11, "candidates", "候補")
	for o := range compose.Sound {
		column(13, "-"+o.String(), "-"+o.Japanese())
	}
	column(10, "sound", "完全")
	column(10, "-dull", "-狙い不足")
	column(10, "-alike", "-類似")
	column(10, "printed", "出力")
	fmt.Fprintln(out)
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
