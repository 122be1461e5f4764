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
	"github.com/tsumero/tsumero/api/report"
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
	theme, pieces               string
	options                     diagram.Options
	attackerHand                bool
	delay                       time.Duration
	loops                       int
	nodes                       uint64
}

// The values of flags, in the order of the constants they stand for.
var (
	pictureFormats = []string{"svg", "png", "gif"}
	pictureThemes  = []string{"light", "dark", "print"}
	picturePieces  = []string{"kanji", "international"}
)

func newDiagram(l cli.Language) *cobra.Command {
	var f diagramFlags
	cmd := &cobra.Command{
		Use:   "diagram [POSITION]",
		Short: l.Text("Draw a position, or a solution that moves", "図面の作成（手順の動画も）"),
		Long: l.Text(fmt.Sprintf(`Diagram writes a picture of a position as books print it: SVG, PNG or, for a solution
that moves, GIF. The ending of --output says which, or --format.

The position is taken as by 'tsumero solve': from the arguments, from --file, or else from
standard input; there may be but one. Of a position with moves, and of a record, SVG and PNG show
the last position with its last move marked, and GIF each move. Where there are none, GIF shows
the solution, which is searched, with the length that books print.

A GIF has at most %d moves and %d pixels across. The first position stays twice as long as a
move, the last three times.

The exit code is 0 if the picture is written, 1 if there is no mate to show, 2 if none was found
within --nodes, and 3 if the position has a fault.`, diagram.MaxMoves, diagram.MaxAnimationWidth), fmt.Sprintf(`局面を本のような図面にします。SVG と PNG は図、GIF は手順の動画です。形式は --output の拡張子か
--format で決まります。

局面は一つだけで、solve と同じく、引数、--file、標準入力の順に読みます。指し手や棋譜があれば、SVG と
PNG は最後の局面を最終手に印を付けて、GIF は一手ずつ示します。なければ、GIF は解を求めて通例の手順を
示します。

GIF は%d手、幅%dピクセルまでです。最初の局面は2手分、最後は3手分の時間表示します。

終了コード：書いた 0、詰みなし 1、--nodes の範囲で不明 2、局面の誤り 3`, diagram.MaxMoves, diagram.MaxAnimationWidth)),
		Example: `  tsumero diagram '4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1' > problem.svg
  tsumero diagram --attacker-hand --title 'No. 1' --output problem.gif --file problem.kif`,
		RunE: func(cmd *cobra.Command, args []string) error { return writeDiagram(cmd, args, f) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.file, "file", "f", "", l.Text("read the position from `FILE`; - is standard input",
		"局面を読むファイル `FILE`（- は標準入力）"))
	flags.StringVarP(&f.output, "output", "o", "-", l.Text("write to `FILE`; - is standard output",
		"出力先のファイル `FILE`（- は標準出力）"))
	command.ChoiceFlag(cmd, &f.format, "format", "", "", pictureFormats,
		l.Text("`FORMAT` of the picture: svg, png or gif (default: by the ending of --output, else svg)",
			"画像の形式 `FORMAT`：svg、png、gif（既定：--output の拡張子、なければ svg）"))
	flags.IntVar(&f.options.Width, "size", diagram.DefaultWidth, l.Text(fmt.Sprintf(
		"width in `PIXELS`, from %d to %d", diagram.MinWidth, diagram.MaxWidth), fmt.Sprintf("幅 `PIXELS`（%d～%d）", diagram.MinWidth, diagram.MaxWidth)))
	flags.StringVar(&f.options.Title, "title", "", l.Text(fmt.Sprintf(
		"`TEXT` above the board, of at most %d characters", diagram.MaxTitle), fmt.Sprintf("盤の上の文字 `TEXT`（%d字まで）", diagram.MaxTitle)))
	command.ChoiceFlag(cmd, &f.theme, "theme", "", "light", pictureThemes,
		l.Text("`COLOURS`: light, dark, or print for black on white",
			"配色 `COLOURS`：light、dark、print（白黒）"))
	command.ChoiceFlag(cmd, &f.pieces, "pieces", "", "kanji", picturePieces,
		l.Text("`SIGNS` on the pieces: kanji or international", "駒の字 `SIGNS`：kanji、international"))
	flags.BoolVar(&f.options.Flip, "flip", false, l.Text("draw White at the bottom", "後手を下にした図"))
	flags.BoolVar(&f.attackerHand, "attacker-hand", false,
		l.Text("draw the attacker's hand alone, as books print problems, and not whose turn it is",
			"本の詰将棋のように、攻方の持駒だけで手番なしの図"))
	handsFlag(l, cmd, &f.hands)
	flags.DurationVar(&f.delay, "delay", diagram.DefaultDelay, l.Text(fmt.Sprintf(
		"show each move of a GIF for `DURATION`, from %v to %v", diagram.MinDelay, diagram.MaxDelay), fmt.Sprintf("GIF の一手の表示時間 `DURATION`（%v～%v）", diagram.MinDelay, diagram.MaxDelay)))
	flags.IntVar(&f.loops, "loop", 0, l.Text(fmt.Sprintf(
		"show a GIF `N` times, up to %d (0: for ever)", diagram.MaxLoops), fmt.Sprintf("GIF の再生回数 `N`（%d まで。0 は無限）", diagram.MaxLoops)))
	flags.Uint64Var(&f.nodes, "nodes", 1_000_000,
		l.Text("look at no more than `N` positions for the solution that a GIF shows",
			"GIF の手順を求めるのに調べる局面の上限 `N`"))
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
	check.Choices("format", "theme", "pieces", "hands")
	format, ok := f.pictureFormat()
	check.Fault(!ok && f.format == "", "--output is %q, but must end in .svg, .png or .gif",
		"--output の「%s」は .svg、.png、.gif のどれかで終わる名前にしてください。", f.output)
	check.Fault(len(args) > 0 && f.file != "",
		"the position comes either as an argument or from --file, not both",
		"局面は引数か --file のどちらか一方です。")
	for _, name := range []string{"delay", "loop"} {
		check.Fault(ok && format != "gif" && cmd.Flags().Changed(name), "--%s is for GIF alone",
			"--%s は GIF 用です。", name)
	}
	check.Fault(f.delay == 0, "--delay is 0s, but must be from %v to %v",
		"--delay の範囲は%vから%vまでです。", diagram.MinDelay, diagram.MaxDelay)
	check.Fault(f.nodes == 0, "--nodes must not be 0", "--nodes は 1 以上です。")
	if check.Err() != nil {
		return check.Err()
	}
	o := f.options
	o.Lang = diagram.Lang(slices.Index(cli.Languages, string(command.LanguageOf(cmd))))
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
		return command.UsageError(cmd, cli.Errorf("--%s: %v", "--%s：%v", bad.Option, bad.Msg))
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
		return nil, command.Interrupted("no picture is written", "図は出力していません。")
	case err != nil:
		return nil, command.Exit(command.ExitBadPosition, err)
	case r.Verdict == solver.NoMate:
		return nil, command.Exit(command.ExitNegative, cli.Errorf("there is no mate to show",
			"詰みがありません。"))
	case r.Verdict != solver.Mate || len(r.Line.Moves) == 0:
		return nil, command.Exit(exitUnknown, cli.Errorf("no mate was found to show: %[1]s",
			"詰みが見つかりません。%[2]s。", r.Reason, report.Why(r.Reason).Ja))
	}
	return r.Line.Moves, nil
}
