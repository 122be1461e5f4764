package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/compose"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/theme"
)

// searchFlags are those of the searches that authors do by hand.
type searchFlags struct {
	plies    string
	pieces   int
	hand     int
	captures int
	strict   bool
	themes   []string
	box      string
	notIn    []string
	count    int
	cpu      time.Duration
	threads  int
	keep     string
	output   string
	heading  string // of tsv; "": wire.ComposedHeading
	noun     string // what is printed; "": sound problem
}

// aboutSearches is what the help of each of them says.
const aboutSearches = `

Every problem that is printed is sound by all that analyze asks, at its default limits: one first move,
no cook, nothing left over, and a length by convention that is exact. Duals that magazines allow may be
there unless --strict is given. How many figures there are is said before the search begins, what became
of them at its end. The same search prints the same problems in the same order, whatever --threads is.
An interrupt ends it, and what was found is printed. With --keep it goes on from there at the next call.

The columns of tsv are the SFEN, the plies, the moves of the solution and the themes; lines that begin
with # are comments. ndjson is one object a line, with the nearest problem of --not-in and the SHA-256 of
the certificate besides. tsv is a collection that the other commands read.
The exit code is 0 if a problem was found, 1 if none was, 3 for a diagram that cannot be, 4 for
wrong use or too many figures, 5 if a file cannot be read or written, 130 after an interrupt.`

// aboutSearchesJa is the same in Japanese.
const aboutSearchesJa = `

出力する作品は、analyze の既定の制限での完全作です。初手は一つ、余詰、駒余りはなく、通例の手数が確定
しています。雑誌で許される非限定は、--strict でなければ含みます。調べる図の数を最初に、結果を最後に
示します。--threads によらず同じ作品を同じ順に出力します。中断しても、見つかった作品は出力しま
す。--keep で続きから始められます。

tsv の列は、SFEN、手数、手順、手筋・趣向です。# で始まる行は注釈です。ndjson は一行一件で、
--not-in の最も似た作品と証明書の SHA-256 も含みます。

終了コード：作品あり 0、なし 1、ありえない図 3、図が多すぎる 4、読み書きの失敗 5、中断 130`

func (f *searchFlags) add(l cli.Language, cmd *cobra.Command, hand int, handUsage string) {
	flags := cmd.Flags()
	flags.StringVar(&f.plies, "plies", "3-99", l.Text("print problems of so many plies: `N` or N-M, odd numbers",
		"作品の手数 `N`、または N-M（奇数）"))
	flags.IntVar(&f.pieces, "pieces", 0, l.Text("with no more than `N` pieces, the king left out, those in hand counted (0: any)",
		"駒数の上限 `N`（玉を除き、持駒を含む。0 は無制限）"))
	flags.IntVar(&f.hand, "hand", hand, handUsage)
	flags.IntVar(&f.captures, "captures", -1, l.Text("in which Black takes no more than `N` times (-1: any)",
		"攻方が駒を取る回数の上限 `N`（-1 は無制限）"))
	flags.BoolVar(&f.strict, "strict", false, l.Text("let no second mating move, no equal variation and no dual be",
		"余詰、変同、非限定のすべてを許さない基準"))
	flags.StringSliceVar(&f.themes, "theme", nil, l.Text("that show this `THEME`: its name, such as sacrifice; may be repeated",
		"作品に必要な手筋・趣向 `THEME`（sacrifice など。何度でも可）"))
	flags.StringVar(&f.box, "box", "", l.Text("with all pieces in a rectangle: two `SQUARES`, its corners, such as 5a-1e",
		"駒を置く範囲。隅の2マス `SQUARES`（5a-1e など）"))
	flags.StringArrayVar(&f.notIn, "not-in", nil, l.Text("and that are not in this `FILE` or folder; may be repeated",
		"除く作品のファイル `FILE`（フォルダも可。何度でも可）"))
	flags.IntVar(&f.count, "count", 0, l.Text("end after `N` problems (0: any)",
		"見つける数の上限 `N`（0 は無制限）"))
	flags.DurationVar(&f.cpu, "cpu", 0, l.Text("end after `DURATION` of processor time (0: any)",
		"プロセッサ時間の上限 `DURATION`（0 は無制限）"))
	command.PerProcessorFlag(l, flags, &f.threads, "threads", l.Text("search with `N` threads",
		"探索に使うスレッドの数 `N`"))
	flags.StringVar(&f.keep, "keep", "", l.Text("keep what was found in `FILE`, so that the next call goes on",
		"途中経過を残して続きから始めるファイル `FILE`"))
	command.ChoiceFlag(cmd, &f.output, "output", "o", "tsv", []string{"tsv", "ndjson"}, l.Text("`FORMAT`: tsv or ndjson",
		"出力の形式 `FORMAT`：tsv、ndjson"))
}

// search returns what the flags ask for, and adds their faults.
func (f *searchFlags) search(check *command.Checks) compose.Search {
	check.Choices("output")
	s := compose.Search{NewSession: func() solver.Session { return dfpn.NewSession() }, Threads: f.threads}
	var ok bool
	s.Least, s.Most, ok = oddRange(f.plies)
	check.Fault(!ok, "--plies is %q, but must be an odd number, or two of them such as 3-9",
		"--plies の「%s」は誤りです（奇数、または 3-9 のような範囲）。", f.plies)
	check.Range("pieces", f.pieces, 0, 38)
	check.Fault(f.hand < -1 || f.hand > 38, "--hand is %d, but must be 0 to 38",
		"--hand の %d は誤りです（0～38）。", f.hand)
	check.Fault(f.captures < -1, "--captures is %d, but must be a number from 0",
		"--captures の %d は誤りです（0以上）。", f.captures)
	check.NotNegative("count", f.count < 0, f.count)
	check.NotNegative("cpu", f.cpu < 0, f.cpu)
	check.Range("threads", f.threads, 1, command.MaxThreads)
	for _, id := range f.themes {
		check.Fault(theme.ByID(id) == nil, "--theme is %q, which is no name of a theme, such as sacrifice",
			"--theme の「%s」という手筋・趣向はありません（sacrifice など）。", id)
	}
	if f.box != "" {
		s.Box, ok = compose.ParseBox(f.box)
		check.Fault(!ok, "--box is %q, but must be two squares such as 5a-1e",
			"--box の「%s」は誤りです（5a-1e のような隅の2マス）。", f.box)
	}
	s.MaxPieces, s.MaxHand, s.MaxCaptures, s.Strict, s.Themes = f.pieces, f.hand, f.captures, f.strict, f.themes
	return s
}

// oddRange reads an odd number or two of them.
func oddRange(text string) (low, high int, ok bool) {
	first, second, isRange := strings.Cut(text, "-")
	if !isRange {
		second = first
	}
	low, err1 := strconv.Atoi(first)
	high, err2 := strconv.Atoi(second)
	return low, high, err1 == nil && err2 == nil && low%2 != 0 && high%2 != 0 && low > 0 && low <= high
}

// A searcher begins one of the searches of package compose. Its errors are faults of what was asked.
type searcher func(ctx context.Context, s compose.Search) (iter.Seq[compose.Problem], error)

// run searches and prints. figures is how many there are, 0 if that is not the end of it. args are those of
// the command, which tell one search from another.
func (f *searchFlags) run(cmd *cobra.Command, args []string, s compose.Search, figures int, begin searcher) error {
	s.Archive = new(compose.Archive)
	if err := cli.ReadKnown(s.Archive, "--not-in", f.notIn, cmd.InOrStdin()); err != nil {
		return err
	}
	keep, before, err := openComposeKeep(f.keep, searchCommand(cmd, args), s.Archive)
	if err != nil {
		return err
	}
	defer keep.close()
	s.From, s.Before = keep.next, before
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	if f.cpu > 0 {
		go cancelAfter(ctx, cancel, f.cpu, nil)
	}
	stdout, stderr, l := cmd.OutOrStdout(), cmd.ErrOrStderr(), command.LanguageOf(cmd)
	total := int64(-1)
	if figures > 0 {
		total = int64(figures)
		fmt.Fprintln(stderr, l.Sprintf("%s to look at", "%sを調べます。", cli.Plural(figures, "figure")))
	}
	bar := cli.NewBar(stderr, total, l.Text("searching", "探索中"))
	if cli.IsTerminal(stdout) {
		bar = cli.NewBar(io.Discard, total, "") // the problems themselves are seen
	}
	began, n := time.Now(), 0
	var last compose.Progress
	var kept error // of what could not be kept
	write := func(line keptLine) {
		if kept == nil {
			kept = keep.write(line)
		}
	}
	s.Progress = func(p compose.Progress) {
		_ = bar.Add(p.Figures - last.Figures)
		last = p
		write(keptLine{Next: p.Parts})
	}
	problems, err := begin(ctx, s)
	if err != nil {
		return f.refuse(cmd, err)
	}
	out := bufio.NewWriter(stdout)
	if f.output == "tsv" {
		fmt.Fprintln(out, cmp.Or(f.heading, wire.ComposedHeading))
	}
	print := func(row *wire.ComposedProblem) error {
		printComposed(out, f.output, l, row)
		n++
		bar.Describe(l.Sprintf("%s", "%s", cli.Plural(n, "problem")))
		return out.Flush()
	}
	for i := range keep.rows {
		if err := print(&keep.rows[i]); err != nil {
			return err
		}
		if n == f.count {
			_ = bar.Finish()
			return nil // the file has as many
		}
	}
	for p := range problems {
		row := wire.NewComposedProblem(&p)
		write(keptLine{Problem: row})
		if err := print(row); err != nil {
			return err
		}
		if n == f.count || kept != nil {
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
	printOutcomes(l, stderr, &last, cli.Plural(n, cmp.Or(f.noun, "sound problem")), time.Since(began))
	switch {
	case cmd.Context().Err() != nil:
		return command.Interrupted("%s printed", "%sを出力済み", cli.Plural(n, "problem"))
	case n == 0:
		return command.Exit(command.ExitNegative, nil)
	}
	return nil
}

// searchCommand is a command that finds the same problems: all flags but those that say where it ends and
// what it prints.
func searchCommand(cmd *cobra.Command, args []string) string {
	text := cmd.CommandPath()
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		switch flag.Name {
		case "count", "cpu", "threads", "keep", "output", "lang":
		default:
			text += fmt.Sprintf(" --%s=%s", flag.Name, flag.Value)
		}
	})
	return text + " " + strings.Join(args, " ")
}

// refuse ends the command with what is wrong with a search.
func (f *searchFlags) refuse(cmd *cobra.Command, err error) error {
	var space *compose.SpaceError
	var exit *command.ExitError
	switch {
	case errors.As(err, &exit):
		return err
	case errors.As(err, &space):
		return command.UsageError(cmd, err)
	}
	if m, ok := shogi.MessageOf(err); ok {
		err = shogi.NewError("", m)
	}
	return command.Exit(command.ExitBadPosition, err)
}

// printOutcomes prints what became of the figures.
func printOutcomes(l cli.Language, out io.Writer, p *compose.Progress, problems cli.Count, d time.Duration) {
	var fell []string
	for i, n := range p.Outcomes {
		if o := compose.Outcome(i); n > 0 && o != compose.Sound {
			fell = append(fell, l.Sprintf("%d %v", "%[2]v%[1]d", n, o))
		}
	}
	text := l.Sprintf("%s", "%s", problems)
	if p.OfFigures > p.Figures {
		text += l.Sprintf(", %d of %d figures looked at", "（%[2]d図中%[1]d図まで）", p.Figures, p.OfFigures)
	} else if p.Figures > 0 {
		of := [...]*shogi.Text{randomFigures, chosenFigures, allFigures}[p.Coverage]
		text += l.Of(of.With(cli.Plural(p.Figures, "figure")))
	}
	text += l.Sprintf(", in %v", "、%v", cli.RoundTime(d))
	if len(fell) > 0 {
		text += l.Text("; ", "。") + strings.Join(fell, l.Text(", ", "、"))
	}
	fmt.Fprintln(out, text)
}

// The figures that were looked at, by how much of all they are.
var (
	randomFigures = shogi.NewText("", " in %s tried at random", "（無作為に%s）")
	chosenFigures = shogi.NewText("", " in %s that were chosen", "（選んだ%s）")
	allFigures    = shogi.NewText("", " in all %s", "（全%s）")
)
