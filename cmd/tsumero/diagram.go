package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/cmd/internal/memory"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/web/diagram"
)

type diagramFlags struct {
	file, output, format, hands string
	lang, theme, pieces         string
	options                     diagram.Options
	attackerHand                bool
	delay                       time.Duration
	loops                       int
	nodes                       uint64
}

// The values of flags, in the order of the constants they stand for.
var (
	pictureFormats = []string{"svg", "png", "gif"}
	pictureLangs   = []string{"ja", "en"}
	pictureThemes  = []string{"light", "dark", "print"}
	picturePieces  = []string{"kanji", "international"}
)

func newDiagram() *cobra.Command {
	var f diagramFlags
	cmd := &cobra.Command{
		Use:   "diagram [POSITION]",
		Short: "Draw a position, or a solution that moves",
		Long: fmt.Sprintf(`Diagram writes a picture of a position as books print it: SVG, PNG or, for a solution
that moves, GIF. The ending of --output says which, or --format.

The position is taken as by 'tsumero solve': from the arguments, from --file, or else from
standard input; there may be but one. Of a position with moves, and of a record, SVG and PNG show
the last position with its last move marked, and GIF each move. Where there are none, GIF shows
the solution, which is searched, with the length that books print.

A GIF has at most %d moves and %d pixels across. The first position stays twice as long as a
move, the last three times.

The exit code is 0 if the picture is written, 1 if there is no mate to show, 2 if none was found
within --nodes, and 3 if the position has a fault.`, diagram.MaxMoves, diagram.MaxAnimationWidth),
		Example: `  tsumero diagram '4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1' > problem.svg
  tsumero diagram --attacker-hand --title 'No. 1' --output problem.gif --file problem.kif`,
		RunE: func(cmd *cobra.Command, args []string) error { return writeDiagram(cmd, args, f) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.file, "file", "f", "", "read the position from `FILE`; - is standard input")
	flags.StringVarP(&f.output, "output", "o", "-", "write to `FILE`; - is standard output")
	command.ChoiceFlag(cmd, &f.format, "format", "", "", pictureFormats,
		"`FORMAT` of the picture: svg, png or gif (default: by the ending of --output, else svg)")
	flags.IntVar(&f.options.Width, "size", diagram.DefaultWidth, fmt.Sprintf(
		"width in `PIXELS`, from %d to %d", diagram.MinWidth, diagram.MaxWidth))
	flags.StringVar(&f.options.Title, "title", "", fmt.Sprintf(
		"`TEXT` above the board, of at most %d characters", diagram.MaxTitle))
	command.ChoiceFlag(cmd, &f.lang, "lang", "", "ja", pictureLangs, "`LANGUAGE`: ja or en")
	command.ChoiceFlag(cmd, &f.theme, "theme", "", "light", pictureThemes,
		"`COLOURS`: light, dark, or print for black on white")
	command.ChoiceFlag(cmd, &f.pieces, "pieces", "", "kanji", picturePieces,
		"`SIGNS` on the pieces: kanji or international")
	flags.BoolVar(&f.options.Flip, "flip", false, "draw White at the bottom")
	flags.BoolVar(&f.attackerHand, "attacker-hand", false,
		"draw the attacker's hand alone, as books print problems, and not whose turn it is")
	handsFlag(cmd, &f.hands)
	flags.DurationVar(&f.delay, "delay", diagram.DefaultDelay, fmt.Sprintf(
		"show each move of a GIF for `DURATION`, from %v to %v", diagram.MinDelay, diagram.MaxDelay))
	flags.IntVar(&f.loops, "loop", 0, fmt.Sprintf(
		"show a GIF `N` times, up to %d (0: for ever)", diagram.MaxLoops))
	flags.Uint64Var(&f.nodes, "nodes", 1_000_000,
		"look at no more than `N` positions for the solution that a GIF shows")
	return cmd
}

// pictureFormat returns what --format says, or the ending of --output.
func (f *diagramFlags) pictureFormat() (string, bool) {
	switch ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(f.output), ".")); {
	case f.format != "":
		return f.format, slices.Contains(pictureFormats, f.format)
	case f.output == "-":
		return "svg", true
	default:
		return ending, slices.Contains(pictureFormats, ending)
	}
}

func writeDiagram(cmd *cobra.Command, args []string, f diagramFlags) error {
	check := command.Check(cmd)
	check.Choices("format", "lang", "theme", "pieces", "hands")
	format, ok := f.pictureFormat()
	check.Fault(!ok && f.format == "", "--output is %q, but must end in .svg, .png or .gif", f.output)
	check.Fault(len(args) > 0 && f.file != "",
		"the position comes either as an argument or from --file, not both")
	for _, name := range []string{"delay", "loop"} {
		check.Fault(ok && format != "gif" && cmd.Flags().Changed(name), "--%s is for GIF alone", name)
	}
	check.Fault(f.delay == 0, "--delay is 0s, but must be from %v to %v", diagram.MinDelay, diagram.MaxDelay)
	check.Fault(f.nodes == 0, "--nodes must not be 0")
	if check.Err() != nil {
		return check.Err()
	}
	o := f.options
	o.Lang = diagram.Lang(slices.Index(pictureLangs, f.lang))
	o.Theme = diagram.Theme(slices.Index(pictureThemes, f.theme))
	o.Pieces = diagram.Pieces(slices.Index(picturePieces, f.pieces))
	if f.attackerHand {
		o.Hands = diagram.AttackerHand
	}

	q, err := command.OneQuestion(cmd, args, f.file, f.output, cli.FileFormat{})
	if err != nil {
		return err
	}
	start, moves, err := q.Problem()
	if err != nil {
		return command.Exit(command.ExitBadPosition, err)
	}
	if attacker, err := solver.Attacker(&start); err == nil {
		wire.ApplyHands(&start, attacker.Opponent(), f.hands)
	}
	var picture bytes.Buffer
	if format == "gif" {
		if len(moves) == 0 {
			if moves, err = mainLine(cmd, start, f.nodes); err != nil {
				return err
			}
		}
		a := diagram.Animation{Start: start, Moves: moves, Options: o, Delay: f.delay, Loops: f.loops}
		err = a.AppendGIF(cmd.Context(), &picture)
	} else {
		err = drawLast(&picture, start, moves, o, format)
	}
	var bad *diagram.OptionError
	switch {
	case errors.As(err, &bad):
		return command.UsageError(cmd, "--%s: %v", bad.Option, bad.Msg)
	case err != nil:
		return err
	case f.output == "-":
		_, err = cmd.OutOrStdout().Write(picture.Bytes())
		return err
	}
	return os.WriteFile(f.output, picture.Bytes(), 0o644)
}

// drawLast draws the position after the moves, with the last one marked.
func drawLast(picture *bytes.Buffer, p shogi.Position, moves []shogi.Move, o diagram.Options,
	format string) error {
	for _, m := range moves {
		p.Do(m)
		o.Last = m
	}
	d, err := diagram.Draw(&p, o)
	if err != nil {
		return err
	}
	if format == "png" {
		return d.WritePNG(picture)
	}
	picture.Write(d.AppendSVG(nil))
	return nil
}

// mainLine returns the solution of a problem, by the convention of books.
func mainLine(cmd *cobra.Command, p shogi.Position, nodes uint64) ([]shogi.Move, error) {
	attacker, err := solver.Attacker(&p)
	if err != nil {
		return nil, command.Exit(command.ExitBadPosition, err)
	}
	memory.LimitGo()
	q := analysis.Question{Position: p, Attacker: attacker, Policy: length.Default,
		Parts: analysis.Duals, Nodes: nodes} // the main line alone
	r, err := analysis.NewAnalyzer(dfpn.NewSession()).Analyze(cmd.Context(), q, nil, nil)
	switch {
	case errors.Is(cmd.Context().Err(), context.Canceled):
		return nil, command.Interrupted("no picture is written")
	case err != nil:
		return nil, command.Exit(command.ExitBadPosition, err)
	case r.Verdict == solver.NoMate:
		return nil, command.Exit(command.ExitNegative, errors.New("there is no mate to show"))
	case r.Verdict != solver.Mate || len(r.Line.Moves) == 0:
		return nil, command.Exit(exitUnknown, fmt.Errorf("no mate was found to show: %s", r.Reason))
	}
	return r.Line.Moves, nil
}
