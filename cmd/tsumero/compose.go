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
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/collection"
	"github.com/tsumero/tsumero/solver/compose"
)

func newCompose() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compose",
		Short: "Make new mate problems that are sound",
		Long: `Compose makes mate problems that have one solution, with nothing left over and no futile piece, and
that are unlike each other.

What it prints as tsv is a collection that the other commands read: 'tsumero collection --output html' makes a
sheet for editors of it, with lines and themes, and --output folder a folder with a page and a record in
KIF for each.`,
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
	began := processorTime()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		used := processorTime() - began
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

// A composedRow is what is printed of a problem.
type composedRow struct {
	SFEN        string      `json:"sfen"`
	Plies       int         `json:"plies"`
	Moves       []string    `json:"moves"`
	Themes      []string    `json:"themes"`
	Strict      bool        `json:"strict"`
	Key         string      `json:"key"`
	ID          string      `json:"id"`                    // short form of the key
	Certificate string      `json:"certificate,omitempty"` // hash of that of the length
	Nearest     *nearestRow `json:"nearest,omitempty"`
	Changes     []changeRow `json:"changes,omitempty"`
	language    string      // of the changes in tsv
}

// A changeRow is what was changed of a problem to mend it.
type changeRow struct {
	Kind  string `json:"kind"`
	Piece string `json:"piece,omitempty"` // as SFEN has it, after the change
	Old   string `json:"old,omitempty"`   // before it
	From  string `json:"from,omitempty"`
	To    string `json:"to,omitempty"`
	Files int    `json:"files,omitempty"` // everything so far to the left
	Ranks int    `json:"ranks,omitempty"` // and down
	En    string `json:"en"`
	Ja    string `json:"ja"`
}

func newChangeRow(c *compose.Change) changeRow {
	m := c.Message()
	row := changeRow{Kind: c.Kind.String(), Files: c.Files, Ranks: c.Ranks, En: m.String(), Ja: m.Japanese()}
	if c.Piece != shogi.NoPiece {
		row.Piece = c.Piece.String()
	}
	if c.Old != shogi.NoPiece {
		row.Old, row.From = c.Old.String(), c.From.String()
	}
	if c.Kind == compose.Moved || c.Kind == compose.Added {
		row.To = c.To.String()
	}
	return row
}

// A nearestRow is the known problem that one is most like.
type nearestRow struct {
	ID       string `json:"id"`
	Relation string `json:"relation"`
	Twin     bool   `json:"twin,omitempty"`
}

func newComposedRow(p *compose.Problem) *composedRow {
	row := &composedRow{SFEN: p.Position.ProblemSFEN(), Plies: len(p.Line), Moves: []string{},
		Themes: append([]string{}, p.Themes...), Strict: p.Strict, Key: p.Key, ID: collection.ShortKey(p.Key),
		Certificate: p.CertificateHash()}
	for i := range p.Changes {
		row.Changes = append(row.Changes, newChangeRow(&p.Changes[i]))
	}
	for _, m := range p.Line {
		row.Moves = append(row.Moves, m.String())
	}
	if n := p.Nearest; n != nil {
		row.Nearest = &nearestRow{n.ID, n.Relation.String(), n.Twin}
	}
	return row
}

// composedHeading is the first line of what is printed as tsv, unless the command comes before it.
const composedHeading = "# sfen\tplies\tmoves\tthemes\n"

// print writes a problem as a line of ndjson or tsv.
func (row *composedRow) print(out *bufio.Writer, output string) {
	if output == "ndjson" {
		out.Write(wire.Encode(row))
		return
	}
	fmt.Fprintf(out, "%s\t%d\t%s\t%s", row.SFEN, row.Plies, strings.Join(row.Moves, " "),
		strings.Join(row.Themes, " "))
	for i, c := range row.Changes {
		text := c.En
		if row.language == "ja" {
			text = c.Ja
		}
		fmt.Fprint(out, [...]string{"\t", ", "}[min(i, 1)], text)
	}
	fmt.Fprintln(out)
}

// printTally prints what became of the candidates of each length.
func printTally(out io.Writer, t *compose.Tally, units string, d time.Duration) {
	fmt.Fprintf(out, "%s, in %v\n", cli.Plural(t.Units, units), cli.RoundTime(d))
	fmt.Fprintf(out, "%5s %10s", "plies", "candidates")
	for f := range compose.NumFilters {
		fmt.Fprintf(out, " %9s", "-"+f.String())
	}
	fmt.Fprintf(out, " %9s %9s %9s %9s\n", "sound", "-dull", "-alike", "printed")
	for plies, l := range t.Lengths {
		if l.Candidates == 0 && l.Yielded == 0 {
			continue
		}
		fmt.Fprintf(out, "%5d %10d", plies, l.Candidates)
		for _, n := range l.Fell {
			fmt.Fprintf(out, " %9d", n)
		}
		fmt.Fprintf(out, " %9d %9d %9d %9d\n", l.Sound, l.Dull, l.Alike, l.Yielded)
	}
}
