package main

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/cmd/internal/memory"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/mate"
)

type solveFlags struct {
	file     string
	notation string
	after    int
	output   string
	board    bool
	moves    bool
	hands    string
	jobs     int
	threads  int
	memory   cli.Size // 0: a share of what there is

	plies    int
	nodes    uint64
	time     time.Duration
	shortest bool
	check    bool
	length   string // of a policy; "" if it is not asked for
	raw      bool
}

func newSolve(l cli.Language) *cobra.Command {
	var f solveFlags
	cmd := &cobra.Command{
		Use:   "solve [POSITION|FILE]...",
		Short: l.Text("Find out whether there is a forced mate", "詰むかどうかの判定"),
		Long: l.Text(`Solve answers, for each position, whether the attacker can force mate.

A position is an SFEN, or "startpos", or what follows "position" in USI, moves included.
Positions are taken from the arguments, or from --file, or else from standard input. Quotes
around a position may be left out. An argument that names a file or a folder is read as one, and -
as standard input. An address of lishogi, KENTO, shogi-extend, ShogiHome and others that shows a
position is one; it is read as text and not fetched.

Files hold one position a line, or are tables (CSV, TSV, with ; between the columns) or JSON, of
which a row or an object is a problem: its position, and what else is there under the usual names (sfen,
moves or solution, title, author, plies; 局面, 手順, 作品名, 作者, 手数). Of lines with tabs that begin
with a position the other columns are left alone, so that the TSV output is input again, and so
is the JSON of compose. Empty lines and lines that start with # are left out. Files in
`+recordFiles+`, in UTF-8, UTF-16, Shift_JIS or EUC-JP, are recognised by their first
lines: the position they begin with is solved, or the one after so many moves with --after. A note
says what was left out, such as moves with a fault and text around a diagram.

The verdicts:
  mate     the attacker forces mate with the moves given, and every defence was tried
  nomate   there is no forced mate, at any length
  unknown  neither is proven; the answer says why, and up to how many plies there is no mate
Text answers begin with the length that books print, by F2: futile interpositions (無駄合) are not
counted, and the line has none. Where every legal move makes another length, it is named too, and
where the length is not found within a few million nodes, what it lies between. --raw counts every
legal move alone; so do the plies of json and tsv, which have the other length with --length. By
that count a mate "in 21 or fewer" is the first that was found, and a mate "in 21" is proven to be
the shortest; --shortest goes on until that is proven, which may take far longer.

With --moves, the answer also says what each move of the position comes to, the best first: of
each check whether it mates, with the moves to the mate, or which reply refutes it; of each
reply, if the defender is to move, whether there is still a mate, and in how many plies. Every
move takes searches of its own, and the limits are for all of them together: a hard position is
best asked about with --time or --nodes. The TSV output then has a row for each move.

A search goes on until it is decided. But where files or standard input hold several positions,
each gets a minute, so that none keeps the others waiting for ever, unless --time or --nodes is
given; --time 0 gives each any time. Positions that are arguments, or are typed on a terminal, or
the only one of a file, have no limit but those that are given.

On a terminal, a line shows how a long search goes: its phase, the nodes, the proof number and
the disproof number (about how many positions must still be decided to prove a mate, and to
prove that there is none), and the mate so far.

The exit code is 0 if every position is a mate, 1 if at least one is nomate, 2 if at least one
is unknown and 3 if at least one has a fault, the highest of these; 4 for wrong use, 5 if
reading or writing failed, and 130 when interrupted. On an interrupt the answers found so far
are all printed, in order, with what is known of the positions that are being searched.`,
			`局面ごとに、攻方が詰ませられるかどうかを答えます。

局面は SFEN、startpos、または USI の position に続く文（指し手も可）です。引数、--file、標準入力の順
に読みます。引用符は省略できます。引数がファイルやフォルダの名前ならその中身を、- なら標準入力を読み
ます。lishogi、KENTO、将棋EXtend、ShogiHome などの局面の URL も読めます（通信はしません）。

ファイルは一行一局面か、表（CSV、TSV、; 区切り）か JSON です。表や JSON では、局面、手順、作品名、
作者、手数（sfen、moves、title、author、plies など）の列や項目を読みます。空行と # で始まる行は読
みません。KIF、KI2、BOD、CSA、JKF は、UTF-8、UTF-16、Shift_JIS、EUC-JP のどれでも先頭の行から判別
し、開始局面（--after があればその手数の局面）を解きます。読めなかった部分は注意として表示します。

答え：
  mate     示した手順で詰み。すべての受けを調べてあります
  nomate   不詰。何手かけても詰みません
  unknown  どちらも未証明。理由と、何手以内に詰みがないかを示します
text では、無駄合を数えない通例の手数（F2）と手順を先に示し、すべての手を数えた手数が違えばそれも
示します。--raw はすべての手を数えた手数だけにします。json と tsv の手数も同じです（--length で通
例の手数も出ます）。「21手以内」は見つかった詰み、「21手詰」は最短と証明した詰みです。--shortest
は最短と証明するまで続けるので、長くかかることがあります。

--moves は、その局面の手を良い順に示します。王手ごとに、詰む手順か逃れる応手を、玉方の手番なら、応手
ごとに詰みの有無と手数を示します。手ごとに探索するので、難しい局面では --time か --nodes を使ってく
ださい。

探索は、決着するまで続きます。ファイルや標準入力に複数の局面があれば、--time か --nodes がない限り
一局面1分までです（--time 0 で無制限）。端末では、探索の段階、局面数、証明数と反証数、見つかった詰
みを一行で表示します。

終了コード：全部詰み 0、不詰 1、不明 2、局面の誤り 3（大きいもの優先）、中断 130（答えは順に出力）`),
		Example: `  tsumero solve '4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1'
  tsumero solve --shortest --time 5m --memory 4G 'n3p4/3k+b4/3g1B3/9/pn+rRN4/5P3/3P5/9/9 b 3g4sn4l14p 1'
  tsumero solve --plies 1 --output json --file problems.sfen
  tsumero solve --board problem.kif
  tsumero solve --raw '7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1'
  tsumero solve --moves --time 10s --file problem.kif
  tsumero solve --shortest --output kif --file problem.csa > solution.kif
  generate | tsumero solve --output tsv > answers.tsv`,
		RunE: func(cmd *cobra.Command, args []string) error { return solve(cmd, args, f) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.file, "file", "f", "",
		l.Text("read positions from `FILE`, one a line; - is standard input",
			"局面を読むファイル `FILE`（一行一局面。- は標準入力）"))
	notationFlag(l, cmd, &f.notation)
	afterFlag(l, cmd, &f.after, "solve")
	command.ChoiceFlag(cmd, &f.output, "output", "o", "text", cli.Outputs,
		l.Text("`FORMAT` of the answers: text for people; json, one object a line; tsv, with a heading; "+
			"or a record in "+notation.List(cli.RecordOutputs, "or"), "答えの形式 `FORMAT`：text（表示用）、json（一行一件）、tsv（見出し付き）、棋譜の "+strings.Join(cli.RecordOutputs, "、")))
	flags.BoolVar(&f.board, "board", false, l.Text("draw the board above each answer (text only)",
		"答えの上に盤面を表示（text のみ）"))
	flags.BoolVar(&f.moves, "moves", false,
		l.Text("also say what each check, or each reply of the defender, comes to (text, json or tsv); "+
			"limits are for all moves together",
			"王手（玉方の手番なら応手）ごとの結果も表示（text、json、tsv）。制限は全部の合計"))
	handsFlag(l, cmd, &f.hands)
	command.PerProcessorFlag(l, flags, &f.jobs, "jobs",
		l.Text("solve `N` positions at the same time; answers keep the order of the input",
			"同時に解く局面の数 `N`（答えは入力の順）"))
	flags.IntVar(&f.threads, "threads", 1,
		l.Text("search each position with `N` threads; nodes, and moves of a mate that is not exact, then "+
			"differ from run to run; --jobs is then as many as there are processors for",
			"一局面に使うスレッドの数 `N`。局面数や最短未証明の手順は毎回変わる。--jobs はその分少なくなる"))
	flags.Var(&f.memory, "memory",
		l.Text("keep the tables of all searches together within `SIZE`, such as 512M or 4G; more makes hard "+
			"positions easier (default: a quarter of what the machine, the container or GOMEMLIMIT "+
			"allows, from 64MiB to 4GiB, or three eighths where that is less)",
			"探索に使うメモリの合計 `SIZE`（512M、4G など）。多いほど難しい局面が解ける（既定：使えるメモリの4分の1、64MiB～4GiB。少なければ8分の3）"))
	flags.BoolVar(&f.shortest, "shortest", false,
		l.Text("look for the shortest mate, and prove that there is none shorter",
			"最短の詰みと、それより短い詰みがないことの証明"))
	flags.BoolVar(&f.check, "check", false,
		l.Text("replay also that there is no mate, or no shorter one, with a reply to every check; this may "+
			"take as long as the search, and the answer says what came of it",
			"不詰や、より短い詰みのないことも、すべての王手への応手で検証（探索と同じほどの時間がかかることもある）"))
	command.ChoiceFlag(cmd, &f.length, "length", "", "", policyNames(),
		l.Text("find the length by `POLICY`: F2, without futile interpositions (無駄合), as books print it; "+
			"F0, F1 or F3 (see analyze); takes the time that the search has left (default: F2 "+
			"for text and print)",
			"手数の数え方 `POLICY`：F2 は無駄合を数えない通例の手数。F0、F1、F3 は analyze を参照（既定：text と print では F2）"))
	flags.BoolVar(&f.raw, "raw", false, l.Text("count every legal move, futile interpositions too",
		"無駄合も含めてすべての手を数えた手数"))
	flags.IntVar(&f.plies, "plies", 0, l.Text("look for mates of at most `N` plies (0: any length)",
		"探す詰みの手数の上限 `N`（0 は無制限）"))
	flags.Uint64Var(&f.nodes, "nodes", 0,
		l.Text("look at no more than `N` positions to solve each (0: any number); the searches for its length "+
			"have as many again, each of them: --time is what bounds the whole",
			"一局面を解くのに調べる局面の上限 `N`（0 は無制限）。手数の探索にはそれぞれ同じ数を別に使う"))
	flags.DurationVar(&f.time, "time", 0,
		l.Text("spend no more than `DURATION`, such as 1s or 500ms, on each answer (0: any; default: any, but "+
			"1m on each of several positions of a file or standard input, without --nodes)",
			"答え一つにかける時間 `DURATION`（1s、500ms など。0 は無制限。既定：無制限。ファイルに複数の局面があり --nodes がなければ 1m）"))
	return cmd
}

// defaultLengthNodes is how many nodes the search for a length may take that was not asked for.
const defaultLengthNodes = 3_000_000

// timeOfSeveral is how long a search may take by default for each of several positions that were not
// typed one by one.
const timeOfSeveral = time.Minute

func (f *solveFlags) validate(cmd *cobra.Command, args []string) error {
	check := command.Check(cmd)
	add := check.Fault
	add(len(args) > 0 && f.file != "",
		"positions come either as arguments or from --file, not both",
		"局面は引数か --file のどちらか一方です。")
	check.Choices("output", "notation")
	add(len(args) > 0 && !cli.NameFiles(args) && (f.notation != "auto" || f.after != 0),
		"--notation and --after are for files, arguments are SFEN",
		"--notation と --after はファイル用です。引数は SFEN です。")
	check.NotNegative("after", f.after < 0, f.after)
	add(f.after > 0 && f.notation == "sfen",
		"--after is for records, of an SFEN all moves are played",
		"--after は棋譜用です。SFEN では指し手をすべて進めます。")
	add(f.board && f.output != "text", "--board goes with --output text only",
		"--board は --output text 用です。")
	add(f.moves && !slices.Contains([]string{"text", "json", "tsv"}, f.output),
		"--moves goes with --output text, json or tsv only",
		"--moves は --output text、json、tsv 用です。")
	check.Choices("hands")
	check.Range("jobs", f.jobs, 1, command.MaxJobs)
	most := command.MaxMemory()
	const least = cli.Size(memory.LeastTable)
	add(cmd.Flags().Changed("memory") && (f.memory < least || f.memory > most),
		"--memory is %v, but must be %v to %v, which is all there is",
		"--memory の %v は範囲外です（%v～%v）。", f.memory, least, most)
	check.Range("threads", f.threads, 1, command.MaxThreads)
	check.NotNegative("plies", f.plies < 0, f.plies)
	check.Choices("length")
	outputs := []string{"text", "json", "tsv"}
	if f.moves {
		outputs = outputs[:2]
	}
	add(f.length != "" && !slices.Contains(outputs, f.output),
		"--length goes with --output text, json or tsv only, with --moves with text or json",
		"--length は --output text、json、tsv 用です（--moves と使うときは text、json）。")
	add(f.raw && f.length != "", "--raw counts every legal move, and --length by another policy",
		"--raw と --length は同時に使えません。")
	check.NotNegative("time", f.time < 0, f.time)
	return check.Err()
}

func solve(cmd *cobra.Command, args []string, f solveFlags) error {
	if err := f.validate(cmd, args); err != nil {
		return err
	}
	if !cmd.Flags().Changed("jobs") {
		f.jobs = defaultJobs(f.jobs, f.threads)
	}
	stderr := cmd.ErrOrStderr()
	file := cli.FileFormat{Format: notationOf(f.notation), After: f.after}
	var questions iter.Seq2[cli.Question, error]
	total := int64(-1)
	several := timeOfSeveral
	if cmd.Flags().Changed("time") || f.nodes > 0 {
		several = 0
	}
	switch {
	case cli.NameFiles(args):
		paths, err := cli.FindPaths(args, cli.OutputFiles())
		if err != nil {
			return err
		}
		questions, total = paths.Questions(cmd.InOrStdin(), file), paths.Size()
	case len(args) > 0:
		several = 0
		questions, total = cli.Arguments(args), 0
		for range questions {
			total++
		}
		f.jobs = min(f.jobs, int(total)) // more would take memory and have nothing to do
	case f.file != "" && f.file != "-":
		opened, err := os.Open(f.file)
		if err != nil {
			return err
		}
		defer opened.Close()
		if info, err := opened.Stat(); err == nil && info.Mode().IsRegular() {
			total = info.Size()
		}
		questions = cli.Files(opened, file)
	default:
		if cli.IsTerminal(cmd.InOrStdin()) {
			several = 0
			typePositions(cmd)
		}
		questions = cli.Files(cmd.InOrStdin(), file)
	}
	if cli.OneRecord(f.output) {
		several := slices.DeleteFunc(slices.Clone(cli.RecordOutputs), cli.OneRecord)
		questions = cli.Single(questions, command.UsageError(cmd, cli.Errorf("--output %s holds one record, "+
			"and there are more positions; %s hold several",
			"--output %s に書けるのは一局面だけです（複数なら %s）。", f.output, notation.List(several, "and"))))
	}

	lengthNodes := uint64(0)
	if f.length == "" && !f.raw && (f.output == "text" || f.output == notation.Print.String()) {
		f.length, lengthNodes = length.Default.String(), defaultLengthNodes
	}
	memory.LimitGo()
	if f.length != "" {
		f.jobs = memory.ForAnalyses(memory.Available(), f.jobs)
	}
	jobs, table := memory.ForJobs(memory.Available(), int64(f.memory), f.jobs, f.threads)
	o := cli.Options{
		Solver: mate.New(mate.Options{
			TableBytes: int(table),
			Searches:   jobs,
			Threads:    f.threads,
			Report: func(p shogi.Position, r solver.Result, err error) {
				fmt.Fprintln(stderr, command.LanguageOf(cmd).Sprintf("tsumero: %s claimed a mate that is none, "+
					"please report this as a bug: %s: %v", "tsumero: %s の詰み手順に誤りがありました。不具合としてお知らせください：%s：%v",
					r.Solver, p.SFEN(), err))
			}}),
		Workers:  jobs,
		Limits:   solver.Limits{Plies: f.plies, Nodes: f.nodes, Shortest: f.shortest, Check: f.check},
		Time:     f.time,
		Hands:    f.hands,
		Output:   f.output,
		Board:    f.board,
		Language: command.LanguageOf(cmd),
		Moves:    f.moves,

		TimeOfSeveral: several,
		LengthNodes:   lengthNodes,
	}
	if f.length != "" {
		policy, _ := length.ParsePolicy(f.length)
		o.Length, o.NewSession = &policy, func() solver.Session { return dfpn.NewSession() }
	}
	// On one terminal, a bar and the answers would overwrite each other.
	alone := total == 1 && len(args) > 0 || cli.IsTerminal(cmd.OutOrStdout())
	start := time.Now()
	tally, err := cli.Solve(cmd.Context(), o, questions, cmd.OutOrStdout(), stderr,
		cli.NewProgress(command.LanguageOf(cmd), stderr, total, alone))
	return conclude(cmd, &tally, 2, start, exitCode(&tally), err)
}

// conclude says what became of the questions of a run, if they are so many, and returns how the
// command ends.
func conclude(cmd *cobra.Command, t interface {
	Questions() int
	Summary(cli.Language, time.Duration) string
}, several int, start time.Time, code int, err error) error {
	if t.Questions() >= several {
		fmt.Fprintln(cmd.ErrOrStderr(), t.Summary(command.LanguageOf(cmd), time.Since(start)))
	}
	switch {
	case errors.Is(err, cli.ErrInterrupted):
		return command.Exit(command.ExitInterrupted, err)
	case err != nil:
		return err
	case t.Questions() == 0:
		return command.NoPosition(cmd)
	case code != command.ExitOK:
		return command.Exit(code, nil)
	}
	return nil
}

// defaultJobs returns how many positions are solved at the same time where --jobs does not say: as
// many as there are processors for.
func defaultJobs(processors, threads int) int { return max(1, processors/threads) }

// exitCode returns the exit code for what became of the positions: the highest of theirs.
func exitCode(t *cli.Tally) int {
	switch {
	case t.Faulty > 0:
		return command.ExitBadPosition
	case t.Verdicts[solver.Unknown] > 0:
		return exitUnknown
	case t.Verdicts[solver.NoMate] > 0:
		return exitNoMate
	}
	return exitMate
}
