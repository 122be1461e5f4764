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
	language string
	output   string
	keep     string
	kif, jkf string
	puzzles  string
	names    bool
}

func newGames() *cobra.Command {
	var f gameFlags
	cmd := &cobra.Command{
		Use:   "games [FILE|FOLDER|POSITION|-]...",
		Short: "Find the mates and the threats that were missed in games",
		Long: `Games says of each game which of its moves missed a mate and which walked into one, with the lines.

Games are files in ` + recordFiles + `, in UTF-8, Shift_JIS or EUC-JP, recognised by
their first lines; or lists with a game a line, as "position startpos moves 7g7f 3c3d". In a folder, at
any depth, the files are read whose names end like those of a notation. Without an argument, and for -,
standard input is read. A record with a fault is told of, and the next one is read; one whose moves have
a fault is judged up to it. A file may have a megabyte, and a game ` + fmt.Sprint(games.MaxMoves) + ` moves. Variations are not judged.

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
		Example: `  tsumero games game.kif
  tsumero games --lang ja --kif marked/ games/
  tsumero games --puzzles tomorrow.tsv games/
  tsumero games --output json --keep games.keep games/ > games.ndjson`,
		RunE: func(cmd *cobra.Command, args []string) error { return judgeGames(cmd, args, &f) },
	}
	flags := cmd.Flags()
	notationFlag(cmd, &f.notation)
	flags.Uint64Var(&f.nodes, "nodes", games.DefaultNodes,
		"look at no more than `N` positions for the first question about a position; those that follow from "+
			"a mate may take a few times as many")
	flags.DurationVar(&f.time, "time", 0, "spend no more than `DURATION`, such as 10s, on each game (0: any)")
	command.PerProcessorFlag(flags, &f.jobs, "jobs", "judge `N` games at the same time; answers keep the order of the input")
	command.ChoiceFlag(cmd, &f.language, "lang", "", "en", cli.Languages,
		"`LANGUAGE` of the text and of comments: ja or en")
	command.ChoiceFlag(cmd, &f.output, "output", "o", "text", cli.GameFormats,
		"`FORMAT` of the answers: text for people; or json, one object a line")
	flags.StringVar(&f.keep, "keep", "",
		"keep finished games in `FILE`, and go on from those that are there (default: none are kept)")
	flags.StringVar(&f.kif, "kif", "",
		"write the game with comments as a KIF to `OUT`, a file; or a folder, with a file for each game")
	flags.StringVar(&f.jkf, "jkf", "", "write the same as a JKF to `OUT`")
	flags.StringVar(&f.puzzles, "puzzles", "", "write the mates that are sound problems to `FILE`, a line each")
	flags.BoolVar(&f.names, "names", false, "with --puzzles: say who played, in the last column")
	return cmd
}

func judgeGames(cmd *cobra.Command, args []string, f *gameFlags) error {
	check := command.Check(cmd)
	check.Choices("notation", "lang", "output")
	check.Fault(f.nodes == 0, "--nodes must be at least 1")
	check.Fault(f.names && f.puzzles == "", "--names is for --puzzles alone")
	check.Fault(f.time < 0, "--time is %v, but must not be negative", f.time)
	check.Fault(f.jobs < 1 || f.jobs > command.MaxJobs, "--jobs is %d, but must be 1 to %d", f.jobs, command.MaxJobs)
	if err := check.Err(); err != nil {
		return err
	}
	stdin, stdout, stderr := cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	if len(args) == 0 {
		if cli.IsTerminal(stdin) {
			fmt.Fprintln(stderr, "Type games, one a line; Ctrl-D ends.")
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
		Language:   f.language,
		Names:      f.names,
	}
	if f.puzzles != "" {
		if paths.Files().Has(f.puzzles) {
			return fmt.Errorf("%s is a file of games, which the problems would replace", f.puzzles)
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
		stdout, stderr, cli.NewProgress(stderr, paths.Size(), !paths.Several() || cli.IsTerminal(stdout)))
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
