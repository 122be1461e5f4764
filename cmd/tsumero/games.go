package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/cmd/internal/memory"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/games"
)

type gameFlags struct {
	notation string
	nodes    uint64
	time     time.Duration
	jobs     int
	output   string
	keep     string
	kif, jkf string
	puzzles  string
	names    bool
}

func newGames(l cli.Language) *cobra.Command {
	var f gameFlags
	cmd := &cobra.Command{
		Use: "games [FILE|FOLDER|POSITION|-]...",
		Short: l.Text("Find the mates and the threats that were missed in games",
			"実戦の詰み逃し・頓死・詰めろ見落とし"),
		Long: l.Text(`Games says of each game which of its moves missed a mate and which walked into one, with the lines.

Games are files in `+recordFiles+`, in UTF-8, Shift_JIS or EUC-JP, recognised by
their first lines; or lists with a game a line, as "position startpos moves 7g7f 3c3d". In a folder, at
any depth, the files are read whose names end like those of a notation. Without an argument, and for -,
standard input is read. A record with a fault is told of, and the next one is read; one whose moves have
a fault is judged up to it. A file may have a megabyte, and a game `+fmt.Sprint(games.MaxMoves)+` moves. Variations are not judged.

What a move can have done:
  mate_missed     there was a mate before the move, and there is none after it
  mate_kept       there was a mate by another move, and there still is one: later perhaps
  mate_allowed    the opponent mates after the move (頓死), and does not after another one
  threat_made     the move makes a threat (詰めろ): were the opponent to pass, he would be mated
  threat_ignored  there was a threat, and the move is a mate_allowed
  brinkmate_made  the move is a threat against which no reply helps (必至)

A move is called a mistake only if both halves are proven: that there was something better, and that it
is gone. Every mate named was verified. What --nodes leaves open is said to be open, and counts as no
mistake. A mate is one by checks alone, and the moves before a position, with repetition, are no part
of the question. Threats are looked for only where no piece of the set is missing.

The text begins with what a game comes to, and then has a line for each mark. json has an object a line,
also for a record with a fault. --kif and --jkf write the games with the marks as comments, for other
programs to show.

--puzzles writes the positions of which a player mated, or could have, and that are sound problems: turned
so that Black mates, and with what would be left over in White's hand. None is a near copy of another, and
who played is not said without --names.

The same game gets the same answer, with any number of --jobs; --time does not promise that. --keep has
a file of finished games, so that a command that was stopped, or killed, goes on where it was.

The exit code is 0, 3 if a record has a fault, 4 for wrong use, 5 if reading or writing failed, and 130
when interrupted; then the games that are done are printed.`,
			`棋譜ごとに、詰みを逃した手と、詰みに入った手（頓死）を、手順とともに示します。

棋譜は KIF、KI2、CSA、JKF など（文字コードは自動判別）、または position startpos moves 7g7f 3c3d の
ような一行一局の一覧です。フォルダでは棋譜の拡張子のファイルを下の階層まで読みます。引数がないときと
- では標準入力を読みます。誤りのある棋譜はその旨を示して次に進み、指し手に誤りがあればその前までを調
べます。ファイルは1MBまでで、変化は調べません。

指し手の評価：
  mate_missed     詰みがあったのに、なくなった（詰み逃し）
  mate_kept       別の手で詰んでいたが、まだ詰みが残る
  mate_allowed    相手に詰まされる手で、別の手なら詰まなかった（頓死）
  threat_made     詰めろ
  threat_ignored  詰めろを受けずに頓死
  brinkmate_made  必至

より良い手があったことと、それがなくなったことの両方を証明できたときだけ、悪手とします。詰みはすべて
検証済みです。--nodes で決着しなかったものは未確認とします。詰みは王手の連続だけ、詰めろは駒が全部そ
ろった局面だけを調べます。

text は、一局のまとめと、評価のある手の一覧です。json は1行1局です。--kif と --jkf は、評価を注釈に
した棋譜です。--puzzles は、詰みの局面から、完全作になるものを攻方が先手の図にして、似たものを除いて
書き出します。対局者は --names のときだけ付けます。

--jobs によらず答えは同じです（--time では限りません）。--keep は、中断しても続きから始めます。

終了コード：0、棋譜の誤り 3、読み書きの失敗 5、中断 130`),
		Example: `  tsumero games game.kif
  tsumero games --lang ja --kif marked/ games/
  tsumero games --puzzles tomorrow.tsv games/
  tsumero games --output json --keep games.keep games/ > games.ndjson`,
		RunE: func(cmd *cobra.Command, args []string) error { return judgeGames(cmd, args, &f) },
	}
	flags := cmd.Flags()
	notationFlag(l, cmd, &f.notation)
	flags.Uint64Var(&f.nodes, "nodes", games.DefaultNodes,
		l.Text("look at no more than `N` positions for the first question about a position; those that follow from "+
			"a mate may take a few times as many",
			"一局面の最初の問いに調べる局面の上限 `N`（詰みの後の問いはその数倍まで）"))
	flags.DurationVar(&f.time, "time", 0, l.Text("spend no more than `DURATION`, such as 10s, on each game (0: any)",
		"一局にかける時間 `DURATION`（10s など。0 は無制限）"))
	command.PerProcessorFlag(l, flags, &f.jobs, "jobs", l.Text("judge `N` games at the same time; answers keep the order of the input",
		"同時に調べる棋譜の数 `N`（答えは入力の順）"))
	command.ChoiceFlag(cmd, &f.output, "output", "o", "text", cli.GameFormats,
		l.Text("`FORMAT` of the answers: text for people; or json, one object a line",
			"答えの形式 `FORMAT`：text（表示用）、json（一行一件）"))
	flags.StringVar(&f.keep, "keep", "",
		l.Text("keep finished games in `FILE`, and go on from those that are there (default: none are kept)",
			"済んだ棋譜を残して続きから始めるファイル `FILE`（既定：残さない）"))
	flags.StringVar(&f.kif, "kif", "",
		l.Text("write the game with comments as a KIF to `OUT`, a file; or a folder, with a file for each game",
			"注釈付きの KIF の出力先 `OUT`（ファイル、または一局一ファイルのフォルダ）"))
	flags.StringVar(&f.jkf, "jkf", "", l.Text("write the same as a JKF to `OUT`",
		"同じ内容の JKF の出力先 `OUT`"))
	flags.StringVar(&f.puzzles, "puzzles", "", l.Text("write the mates that are sound problems to `FILE`, a line each",
		"完全作になる詰みの出力先 `FILE`（一行一題）"))
	flags.BoolVar(&f.names, "names", false, l.Text("with --puzzles: say who played, in the last column",
		"--puzzles の最後の列に対局者名"))
	return cmd
}

func judgeGames(cmd *cobra.Command, args []string, f *gameFlags) error {
	check := command.Check(cmd)
	check.Choices("notation", "output")
	check.Fault(f.nodes == 0, "--nodes must be at least 1", "--nodes は 1 以上です。")
	check.Fault(f.names && f.puzzles == "", "--names is for --puzzles alone",
		"--names は --puzzles 用です。")
	check.NotNegative("time", f.time < 0, f.time)
	check.Range("jobs", f.jobs, 1, command.MaxJobs)
	if err := check.Err(); err != nil {
		return err
	}
	stdin, stdout, stderr, l := cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr(), command.LanguageOf(cmd)
	if len(args) == 0 {
		if cli.IsTerminal(stdin) {
			fmt.Fprintln(stderr, l.Text("Type games, one a line; Ctrl-D ends.", "棋譜を一行に一局入力してください（Ctrl-D で終了）。"))
		}
		args = []string{cli.Stdin}
	}
	paths, err := cli.FindPaths(args, cli.OutputFiles(f.keep, f.kif, f.jkf, f.puzzles))
	if err != nil {
		return err
	}
	memory.LimitGo()
	o := cli.GameOptions{
		NewSession: func() solver.Session { return dfpn.NewSession() },
		Workers:    memory.ForAnalyses(memory.Available(), f.jobs),
		Limits:     games.Limits{Nodes: f.nodes},
		Time:       f.time,
		Format:     f.output,
		Language:   l,
		Names:      f.names,
	}
	if f.puzzles != "" {
		if paths.Files().Has(f.puzzles) {
			return cli.Errorf("%s is a file of games, which the problems would replace",
				"%s は入力の棋譜で、上書きされてしまいます。", f.puzzles)
		}
		file, err := os.Create(f.puzzles)
		if err != nil {
			return err
		}
		defer file.Close()
		o.Puzzles = file
	}
	if f.kif != "" || f.jkf != "" {
		w := &recordWriter{several: paths.Several(), inputs: paths.Files(),
			outs: map[notation.Format]string{notation.KIF: f.kif, notation.JKF: f.jkf}}
		o.Each = w.put
	}
	if f.keep != "" {
		if o.Keep, err = cli.OpenKeep(f.keep, buildName("")); err != nil {
			return err
		}
		defer o.Keep.Close()
	}
	start := time.Now()
	tally, err := cli.Games(cmd.Context(), o, paths.Questions(stdin, cli.FileFormat{Format: notationOf(f.notation)}),
		stdout, stderr, cli.NewProgress(command.LanguageOf(cmd), stderr, paths.Size(), !paths.Several() || cli.IsTerminal(stdout)))
	if err == nil && o.Keep != nil {
		err = o.Keep.Close()
	}
	code := command.ExitOK
	if tally.Faulty > 0 {
		code = command.ExitBadPosition
	}
	several := 2
	if f.puzzles != "" {
		several = 1 // what became of the mates is said nowhere else
	}
	return conclude(cmd, &tally, several, start, code, err)
}
