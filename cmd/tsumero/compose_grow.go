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
near copies, one is not the end of another, and no more than two, or as many as --same-moves says,
have the same last three moves. The first two hold for problems of --not-in, too. A promoted pawn that
stands for a gold makes no difference.

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

// aboutGrowingJa is the same in Japanese.
const aboutGrowingJa = `

出力する作品は、analyze の既定の制限での完全作です。初手は一つ、余詰、駒余り、無駄駒はなく、通例の
手数が確定していて、証明書があります。初手は駒を取る手ではなく、捨駒、不成、合駒、打歩詰回避などの
狙いがあります。似た作品、ほかの作品の途中の図は除き、最後の三手が同じものは二題までです（--not-in
の作品に対しても）。

乱数の種が同じなら、--threads によらず同じ作品を同じ順に出力します。--keep では、前に出力した作品を
出してから続けます。作品は見つかり次第出力し、各条件で除いた数を最後に示します。

tsv の列は、SFEN、手数、手順、手筋・趣向です。# で始まる行は注釈です。ndjson は一行一件で、最も似た
既知の作品と証明書の SHA-256 も含みます。`

func (f *growFlags) add(l cli.Language, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.plies, "plies", "3-9", l.Text("make problems of so many plies: `N` or N-M, odd numbers from 3 to "+
		strconv.Itoa(compose.LongestPlies), "作品の手数 `N`、または N-M（3～"+strconv.Itoa(compose.LongestPlies)+" の奇数）"))
	flags.Uint64Var(&f.seed, "seed", 1, l.Text("`N` of the run: another one makes other problems",
		"乱数の種 `N`。変えると別の作品になる"))
	flags.IntVar(&f.count, "count", 0, l.Text("end after `N` problems (0: 10, or any number with --cpu)",
		"作品の数の上限 `N`（0 は10題、--cpu があれば無制限）"))
	flags.IntVar(&f.each, "each", 0, l.Text("print up to `N` problems of each length, however many there are of another (0: "+
		"about as many of each)",
		"各手数の数の上限 `N`（0 は各手数ほぼ同数）"))
	flags.DurationVar(&f.cpu, "cpu", 0, l.Text("end after `DURATION` of processor time (0: any)",
		"プロセッサ時間の上限 `DURATION`（0 は無制限）"))
	flags.IntVar(&f.pieces, "pieces", 12, l.Text("use no more than `N` pieces, the king left out, those in hand counted",
		"駒数の上限 `N`（玉を除き、持駒を含む）"))
	flags.IntVar(&f.hand, "hand", -1, l.Text("give Black no more than `N` pieces in hand (-1: any number)",
		"攻方の持駒の上限 `N`（-1 は無制限）"))
	flags.IntVar(&f.captures, "captures", -1, l.Text("let Black take no more than `N` times, 0 or 1 (-1: 1)",
		"攻方が駒を取る回数の上限 `N`（0 か 1。-1 は 1）"))
	flags.IntVar(&f.sameMoves, "same-moves", 0, l.Text("let `N` problems have the same last three moves, and any number the "+
		"same first ones, as exercises have (0: 2, and none)",
		"最後の三手が同じ作品の数の上限 `N`。練習問題のように初めの手順の一致も認める（0 は2題、一致は認めない）"))
	flags.BoolVar(&f.strict, "strict", true, l.Text("let no second mating move, no equal variation and no dual be",
		"余詰、変同、非限定のすべてを許さない基準"))
	flags.StringSliceVar(&f.themes, "theme", nil, l.Text("make problems that show this `THEME`: its name, such as "+
		"nonpromotion; may be repeated",
		"作品に入れる手筋・趣向 `THEME`（nonpromotion など。何度でも可）"))
	flags.StringVar(&f.box, "box", "", l.Text("keep all pieces in a rectangle: two `SQUARES`, its corners, such as 5a-1e",
		"駒を置く範囲。隅の2マス `SQUARES`（5a-1e など）"))
	flags.StringArrayVar(&f.notIn, "not-in", nil, l.Text("make nothing like the problems, or keys, of this `FILE` or folder; may be repeated",
		"似た作品を避ける作品集やキーのファイル `FILE`（フォルダも可。何度でも可）"))
	flags.StringSliceVar(&f.weights, "weight", nil, l.Text("let a part of a problem count so much when the best are chosen, "+
		"such as `PART=NUMBER`; may be repeated",
		"良さを比べるときの重み `PART=NUMBER`（何度でも可）"))
	command.PerProcessorFlag(l, flags, &f.threads, "threads", l.Text("work with `N` threads",
		"使うスレッドの数 `N`"))
	flags.StringVar(&f.keep, "keep", "", l.Text("keep what was made in `FILE`, and go on with it if it is there",
		"途中経過を残して続きから始めるファイル `FILE`"))
	command.ChoiceFlag(cmd, &f.output, "output", "o", "tsv", []string{"tsv", "ndjson"}, l.Text("`FORMAT`: tsv or ndjson",
		"出力の形式 `FORMAT`：tsv、ndjson"))
}

// options returns what the flags ask for, and every fault of theirs.
func (f *growFlags) options(cmd *cobra.Command, check *command.Checks) compose.Options {
	o := compose.Options{Seed: f.seed, Each: f.each, Search: compose.Search{Threads: f.threads,
		NewSession: func() solver.Session { return dfpn.NewSession() }}}
	check.Choices("output")
	var ok bool
	o.Least, o.Most, ok = oddRange(f.plies)
	check.Fault(!ok || o.Least < 3 || o.Most > compose.LongestPlies,
		"--plies is %q, but must be an odd number from 3 to %d, or two of them such as 3-9",
		"--plies の「%s」は誤りです（3～%d の奇数、または 3-9 のような範囲）。", f.plies,
		compose.LongestPlies)
	check.NotNegative("count", f.count < 0, f.count)
	check.NotNegative("each", f.each < 0, f.each)
	check.NotNegative("cpu", f.cpu < 0, f.cpu)
	check.Range("pieces", f.pieces, 2, 38)
	check.Fault(f.hand < -1 || f.hand > 38, "--hand is %d, but must be 0 to 38, or -1 for any number",
		"--hand の %d は誤りです（0～38、-1 は制限なし）。", f.hand)
	check.Fault(f.captures < -1 || f.captures > 1, "--captures is %d, but must be 0 or 1",
		"--captures の %d は誤りです（0 か 1）。", f.captures)
	check.NotNegative("same-moves", f.sameMoves < 0, f.sameMoves)
	check.Range("threads", f.threads, 1, command.MaxThreads)
	for _, id := range f.themes {
		check.Fault(theme.ByID(id) == nil, "--theme is %q, which is no name of a theme, such as sacrifice",
			"--theme の「%s」という手筋・趣向はありません（sacrifice など）。", id)
		if t := theme.ByID(id); t != nil {
			o.Themes = append(o.Themes, t.ID)
		}
	}
	if f.box != "" {
		o.Box, ok = compose.ParseBox(f.box)
		check.Fault(!ok, "--box is %q, but must be two squares such as 5a-1e",
			"--box の「%s」は誤りです（5a-1e のような隅の2マス）。", f.box)
	}
	weights := compose.DefaultWeights
	for _, text := range f.weights {
		name, number, _ := strings.Cut(text, "=")
		part, known := compose.ParsePart(name)
		n, err := strconv.ParseFloat(number, 64)
		check.Fault(!known || err != nil || math.IsNaN(n) || math.IsInf(n, 0), "--weight is %q, but must be such as sacrifice=2: one of %s, and a number",
			"--weight の「%s」は誤りです（sacrifice=2 のように、%s のどれかと数）。",
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
	stdout, stderr, l := cmd.OutOrStdout(), cmd.ErrOrStderr(), command.LanguageOf(cmd)
	out := bufio.NewWriter(stdout)
	total := int64(f.count)
	if total == 0 {
		total = f.cpu.Milliseconds()
	}
	bar := cli.NewBar(stderr, total, l.Text("composing", "創作中"))
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
		printComposed(out, f.output, l, row)
		if err := out.Flush(); err != nil {
			return false, err
		}
		if f.count > 0 {
			_ = bar.Add(1)
		}
		bar.Describe(l.Sprintf("%s, %s", "%s、%s", cli.Plural(tally.Units, units), cli.Plural(n+1, "problem")))
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
	printTally(l, stderr, &tally, units, time.Since(began))
	if cmd.Context().Err() != nil {
		return command.Interrupted("%s printed", "%sを出力済み", cli.Plural(n, "problem"))
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

func newComposeReverse(l cli.Language) *cobra.Command {
	var f growFlags
	cmd := &cobra.Command{
		Use:   "reverse",
		Short: l.Text("Compose backwards from mated positions", "逆算による創作"),
		Long: l.Text(`Reverse composes problems by the reverse method (逆算): it begins with mated positions, takes back a
reply and the check before it, and keeps what is sound, two plies at a time. About as many are made of
each length; long ones take longest.`+aboutGrowing,
			`詰上りの図から手を戻して（逆算）、作品を作ります。`+aboutGrowingJa),
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
	f.add(l, cmd)
	return cmd
}
