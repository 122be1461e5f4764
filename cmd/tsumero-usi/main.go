// Command tsumero-usi is the USI engine of Tsumero, the program a shogi GUI starts. Without
// arguments it reads commands from standard input and answers on standard output. Package usi
// documents the answers.
//
// It needs no files and no particular working directory. It writes nothing to standard error unless
// it is started in a terminal. It ends with exit code 0 on quit, at the end of its input, on
// SIGTERM and on an interrupt. A wrapper script should start it with exec, so that these signals
// reach it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/tsumero/tsumero/api/usi"
	"github.com/tsumero/tsumero/cmd/internal/language"
	"github.com/tsumero/tsumero/cmd/internal/memory"
	"github.com/tsumero/tsumero/cmd/internal/version"
	"github.com/tsumero/tsumero/deploy/licenses"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/eval"
	"github.com/tsumero/tsumero/solver/play/levels"
)

// The exit codes.
const (
	exitOK      = 0
	exitFailure = 1 // standard input or output failed
	exitUsage   = 2
)

const help = `tsumero-usi is a USI engine that plays shogi and solves tsume-shogi (shogi mate) problems. It is made
to be started by a shogi GUI: add this file, without arguments, as an engine there. Its option Level
says how strong it plays; the GUI's mate search asks for proofs. The command usi lists all options.

In a terminal it takes the same commands, one a line:

  position sfen 4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1
  go mate 1000
  setoption name Level value club
  position startpos moves 7g7f
  go btime 60000 wtime 60000 byoyomi 1000
  quit

Flags:
  --help      print this
  --lang ja   print this in Japanese; en: in English (default: as LC_ALL, LC_MESSAGES or LANG say)
  --version   print the version, the commit and its date
  --licenses  print the licences of everything the program is made of

The command-line program is tsumero.
`

const helpJa = `tsumero-usi は、将棋と詰将棋の USI エンジンです。将棋の GUI から起動します。GUI のエンジン登録で、こ
のファイルを引数なしで指定してください。強さはオプションの Level で変わり、GUI の詰み探索では検証済
みの詰みを答えます。オプションの一覧は、コマンド usi で表示されます。

端末では、USI のコマンドを一行に一つ入力します：

  position sfen 4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1
  go mate 1000
  setoption name Level value club
  position startpos moves 7g7f
  go btime 60000 wtime 60000 byoyomi 1000
  quit

フラグ：
  --help      説明の表示
  --lang ja   日本語での表示。en は英語（既定：LC_ALL、LC_MESSAGES、LANG のうち最初に設定されているもの）
  --version   版、コミット、日付の表示
  --licenses  使用しているすべてのソフトウェアのライセンスの表示

コマンドラインのプログラムは tsumero です。
`

const hint = "tsumero-usi: a USI engine, waiting for commands; 'quit' ends it, 'tsumero-usi --help' explains it\n"
const hintJa = "tsumero-usi：USI エンジンです。コマンドを待っています。終了は quit、説明は tsumero-usi --help\n"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program even if its output is blocked
	if isTerminal(os.Stdin) && len(os.Args) == 1 {
		io.WriteString(os.Stderr, text(nil, hint, hintJa))
	}
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// text returns the text in the language that arguments and environment ask for.
func text(args []string, en, ja string) string {
	if language.Of(args) == "ja" {
		return ja
	}
	return en
}

// run is the whole program. It returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("tsumero-usi", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // what there is to say is said below
	showVersion := flags.Bool("version", false, "")
	showLicenses := flags.Bool("licenses", false, "")
	lang := flags.String("lang", "en", "")
	err := flags.Parse(args)
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf(text(args, "found the argument %q, expected none", "余分な引数「%s」があります。"), flags.Arg(0))
	}
	if err == nil && *lang != "en" && *lang != "ja" {
		err = fmt.Errorf(text(args, "--lang is %q, but must be ja or en", "--lang の「%s」は誤りです（ja か en）。"), *lang)
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, err = io.WriteString(stdout, text(args, help, helpJa))
	case err != nil:
		fmt.Fprintf(stderr, text(args, "tsumero-usi: %v\nRun 'tsumero-usi --help' for how to use it.\n",
			"tsumero-usi：%v\n使い方：tsumero-usi --help\n"), err)
		return exitUsage
	case *showVersion:
		_, err = fmt.Fprintln(stdout, version.Get().Text("tsumero-usi"))
	case *showLicenses:
		_, err = io.WriteString(stdout, licenses.Text)
	default:
		warmUp()
		// A mate that does not verify is reported by the engine, in the search it happened in.
		memory.LimitGo()
		engine := usi.NewPlayEngine(usi.PlayConfig{
			Mate: usi.MateConfig{NewSolver: newSolver,
				TableBytes: tableBytes, MaxTableBytes: maxTableBytes(), MaxThreads: runtime.GOMAXPROCS(0),
				NewSession: func() solver.Session { return dfpn.NewSession() }, SessionBytes: memory.AnalysisBytes},
			NewPlayer: newPlayer, Levels: levels.Names()})
		// GUIs keep settings under the name, so all builds between two releases have one name.
		name := "Tsumero " + version.Get().Release()
		err = usi.Run(ctx, usi.Config{Engine: engine, Name: name}, stdin, stdout)
	}
	if err != nil {
		return exitFailure // without a word: a GUI may never read standard error
	}
	return exitOK
}

// newSolver returns the solver of the engine. The memory of the one before it goes back to the
// system first: two large tables may be more than there is.
func newSolver(tableBytes, threads int) solver.Solver {
	freeMemory()
	return mate.New(mate.Options{TableBytes: tableBytes, Threads: threads})
}

// newPlayer returns the player of a level. It first returns the memory of the last one to the
// system.
func newPlayer(level string, o usi.PlayerOptions) (play.Engine, error) {
	freeMemory()
	options := levels.Options{Seed: o.Seed, TableBytes: o.TableBytes, HugePages: true,
		Threads: o.Threads, DrawValue: o.DrawValue, Spread: o.Spread}
	if o.EvalFile != "" {
		var err error
		if options.Net, err = eval.ReadNet(o.EvalFile); err != nil {
			return nil, err
		}
	}
	return levels.New(level, options)
}

// isTerminal reports whether a person may be typing into f. The null device counts as well, which
// does no harm.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
