package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/lab/internal/command"
	"github.com/tsumero/tsumero/solver/lab/match"
	"github.com/tsumero/tsumero/solver/lab/usiclient"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/levels"
)

type matchFlags struct {
	options []string
	games   int
	sprt    string

	openings     string
	openingPlies string
	openingScore int // centipawns
	seed         uint64

	maxMoves     int
	lastMove     string
	enteringKing string

	limits  [numLimits]string
	silence time.Duration

	atOnce   int
	log      string
	goOn     bool
	record   string
	notation string
}

// The bounds of what may be asked for.
const (
	maxMatchGames = 10_000_000
	maxMatchMoves = 100_000 // of a game
	maxOpening    = 100     // plies
)

func newMatch() *cobra.Command {
	var f matchFlags
	cmd := &cobra.Command{
		Use:   "match A B",
		Short: "Let two engines play games, and measure which is the stronger",
		Long: `Match plays games between the players A and B and says by how much A is the stronger, in Elo with
an interval of 95 %. A player is
  level:NAME      a level of this program: ` + strings.Join(levels.Names(), ", ") + `
                  Options may follow: level:club,nodes=1000,table=16M,seed=1. More of them are
                  threads=N; spread=100, now and then a move that is valued by up to so many
                  hundredths of a pawn less than the best; and for full sees=N, that many percent of
                  the legal moves are seen, and net=FILE, a network that 'tsumero-lab train' made
  usi:COMMAND     a program that speaks USI, with its arguments; --option sets its options

Each opening is played twice, with colours swapped. The statistics count such pairs, by how much A
scored in them. Without --openings they are random moves from the initial position.

What limits a move: --nodes, --depth, --movetime, a clock (--time, --byoyomi), or several of them.
Each may be one value for both or one for each: --nodes 5000, --nodes A=5000,B=10000. A level that
ends its searches by itself needs none. Games by --nodes or --depth measure the engines; games by
time measure the machine too, and need one that is otherwise idle.

The referee is this program. A game is lost by an illegal move, a declaration without the right to
it, an answer more than ` + match.Tolerance.String() + ` late, a program that ends, and one that does not answer at all.
The match goes on, and the report has the last lines of the dialogue.

With --sprt elo0,elo1 the match ends when the games have decided between the two hypotheses that A
is elo0 or elo1 the stronger, with an error of 5 % either way: 0,5 to find out whether a change
gains, -5,0 whether a simplification loses nothing.

Game number n has an opening and seeds that depend on --seed and n alone: as long as no time limits
the moves, the same match has the same games, however many are played at once.

Some options of a USI program are set without --option, if the program has them: Seed, anew for
each game, and the rules of the match, MaxMovesToDraw, LastMoveRule and EnteringKingRule.

With --log every game is a line of JSON in a file, and --continue goes on with a match that was
interrupted: games in the log are not played again. Ctrl-C ends a match with what has been played.

The exit code is 0 when the match was played, 1 if a player also made an illegal move, lost on time,
crashed or was silent, and 130 when interrupted.`,
		Example: `  tsumero-lab match level:asayomi level:random --games 200
  tsumero-lab match level:full level:club --nodes 1000
  tsumero-lab match usi:./new usi:./old --option A:Level=full --nodes 5000 --sprt 0,5 --games 20000
  tsumero-lab match usi:./tsumero-usi 'usi:/opt/engine --quiet' --time 10+0.1 --log m.jsonl --continue
  tsumero-lab match level:random level:random --games 10000 --max-moves 256`,
		Args: command.Positional(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error { return runMatch(cmd, args, f) },
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.options, "option", nil,
		"set an option of a USI program: `A:NAME=VALUE` or B:NAME=VALUE; may be repeated")
	flags.IntVar(&f.games, "games", 100,
		"play `N` games, an even number; with --sprt no more than these")
	flags.StringVar(&f.sprt, "sprt", "", "end when `ELO0,ELO1` are told apart")
	flags.StringVar(&f.openings, "openings", "",
		"take the openings from `FILE`: positions one a line, also with moves; again from the start "+
			"if there are too few")
	flags.StringVar(&f.openingPlies, "opening-plies", "6-8",
		"without --openings: begin with `N-M` random moves")
	flags.IntVar(&f.openingScore, "opening-score", 250,
		"with random openings: take none that a short search values at more than `N` hundredths of a "+
			"pawn for either side (0: take any)")
	flags.Uint64Var(&f.seed, "seed", 1,
		"`N` that decides the openings, and what the levels leave to chance")
	flags.IntVar(&f.maxMoves, "max-moves", 320, "a game is drawn after move `N`")
	flags.StringVar(&f.lastMove, "last-move", "mate-wins",
		"`RULE` for the last move of --max-moves: mate-wins; mate-draws; extend-checks, the game goes on "+
			"while there are checks")
	flags.StringVar(&f.enteringKing, "entering-king", "CSARule27",
		"`RULE` of declaration: CSARule27, or NoEnteringKing for none")
	flags.StringVar(&f.limits[limitNodes], "nodes", "", "look at `N` positions for a move")
	flags.StringVar(&f.limits[limitDepth], "depth", "", "search `N` plies deep")
	flags.StringVar(&f.limits[limitMoveTime], "movetime", "",
		"think for `DURATION`, such as 100ms, about each move")
	flags.StringVar(&f.limits[limitByoyomi], "byoyomi", "",
		"`DURATION`, such as 100ms, for each move when the time of --time is used up")
	flags.StringVar(&f.limits[limitTime], "time", "",
		"`M+I`, time for the game and what each move adds to it, in seconds or with a unit: 10+0.1, "+
			"5m+0")
	flags.DurationVar(&f.silence, "silence", match.DefaultSilence,
		"give up a player that has not answered `DURATION` after its time")
	command.PerProcessorFlag(flags, &f.atOnce, "games-at-once", "play `N` games at the same time")
	flags.StringVar(&f.log, "log", "", "write a line of JSON for each game to `FILE`")
	flags.BoolVar(&f.goOn, "continue", false, "go on with the match of --log, if there is one")
	flags.StringVar(&f.record, "record", "",
		"write the games as records to `OUT`: a folder, or a file whose name ends in .csa")
	flags.StringVar(&f.notation, "notation", "kif",
		"`NOTATION` of the records in a folder: kif or csa")
	return cmd
}

// A matchPlan is a match that was asked for in full.
type matchPlan struct {
	players [2]playerSpec
	limits  [2]match.Control
	rules   play.Rules
	sprt    *match.SPRT
	opening func(pair int) shogi.Game
	header  match.Header
	// ruleOptions tell programs the rules, if they have options for them.
	ruleOptions []usiclient.Option
	pairs       int // that have openings of their own; 0: all
}

// plan reads the flags. Errors are about how the command was used.
func (f *matchFlags) plan(args []string) (*matchPlan, error) {
	var p matchPlan
	var faults []error
	fail := func(err error) {
		if err != nil {
			faults = append(faults, err)
		}
	}
	for i, arg := range args {
		var err error
		p.players[i], err = parsePlayer(arg)
		fail(err)
	}
	fail(p.setOptions(f.options))
	limits, err := parseLimits(f.limits)
	p.limits = limits
	fail(err)
	if len(faults) == 0 {
		for i := range p.players {
			if p.limits[i].IsZero() && p.players[i].isUnbounded() {
				fail(fmt.Errorf("%v needs a limit: --nodes, --depth, --movetime, --byoyomi or --time",
					match.Side(i)))
			}
		}
	}
	if f.sprt != "" {
		p.sprt, err = parseSPRT(f.sprt)
		fail(err)
	}
	least, most, err := parsePlies(f.openingPlies)
	fail(err)
	if p.rules.LastMove, err = play.ParseLastMoveRule(f.lastMove); err != nil {
		fail(fmt.Errorf("--last-move is %w", err))
	}
	if p.rules.EnteringKing, err = play.ParseEnteringKingRule(f.enteringKing); err != nil {
		fail(fmt.Errorf("--entering-king is %w", err))
	}
	p.rules.MaxMoves = f.maxMoves
	p.ruleOptions = []usiclient.Option{{Name: "MaxMovesToDraw", Value: strconv.Itoa(f.maxMoves)},
		{Name: "LastMoveRule", Value: f.lastMove}, {Name: "EnteringKingRule", Value: f.enteringKing}}
	add := func(bad bool, format string, values ...any) {
		if bad {
			fail(fmt.Errorf(format, values...))
		}
	}
	add(f.maxMoves < 1 || f.maxMoves > maxMatchMoves, "--max-moves is %d, but must be 1 to %d",
		f.maxMoves, maxMatchMoves)
	add(f.games < 2 || f.games > maxMatchGames || f.games%2 != 0,
		"--games is %d, but must be an even number from 2 to %d", f.games, maxMatchGames)
	add(f.openingScore < 0, "--opening-score is %d, but must not be negative", f.openingScore)
	add(f.atOnce < 1 || f.atOnce > command.MaxJobs, "--games-at-once is %d, but must be 1 to %d", f.atOnce,
		command.MaxJobs)
	add(f.silence <= 0, "--silence is %v, but must be a time such as 10s", f.silence)
	add(f.goOn && f.log == "", "--continue needs a --log to go on with")
	add(f.notation != "kif" && f.notation != "csa", "--notation is %q, but must be kif or csa",
		f.notation)
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}

	openings := fmt.Sprintf("%d to %d random moves", least, most)
	p.opening = match.RandomOpenings(f.seed, least, most, nil)
	if f.openingScore > 0 {
		openings += fmt.Sprintf(", within %d", f.openingScore)
		p.opening = match.RandomOpenings(f.seed, least, most, balanced(f.openingScore))
	}
	if f.openings != "" {
		if openings, err = p.readOpenings(f.openings); err != nil {
			return nil, err
		}
	}
	p.header = match.NewHeader([2]string{p.players[0].String(), p.players[1].String()},
		[2]string{limitText(&p.limits[0]), limitText(&p.limits[1])},
		fmt.Sprintf("%d moves, %s, %s", f.maxMoves, f.lastMove, f.enteringKing), openings, f.seed)
	return &p, nil
}

// readOpenings reads the openings of a file. It returns what the log says of them.
func (p *matchPlan) readOpenings(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	games, err := match.ReadOpenings(bytes.NewReader(text))
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	p.pairs = len(games)
	p.opening = func(pair int) shogi.Game { return games[pair%len(games)] }
	sum := sha256.Sum256(text)
	return fmt.Sprintf("%s, sha256 %x", cli.Plural(len(games), "position"), sum[:8]), nil
}

func runMatch(cmd *cobra.Command, args []string, f matchFlags) error {
	plan, err := f.plan(args)
	var path *os.PathError
	switch {
	case errors.As(err, &path):
		return err
	case err != nil:
		return command.UsageError(cmd, "%w", err)
	}
	command.LimitGo()
	ctx, out, stderr := cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	log, err := openMatchLog(&f, plan.header)
	if err != nil {
		return err
	}
	defer log.close()
	records, err := newGameRecords(&f, plan, len(log.played) > 0)
	if err != nil {
		return err
	}
	defer records.close()
	plan.warn(stderr, &f)

	report := newProgressReport(stderr, int64(f.games), "playing")
	var faults []match.Result
	summary, err := match.Run(ctx, match.Options{
		Games: f.games, Seed: f.seed, AtOnce: f.atOnce, Opening: plan.opening,
		NewPlayer: func(s match.Side) (match.Player, error) { return plan.newPlayer(ctx, s) },
		Limits:    plan.limits, Rules: plan.rules, Silence: f.silence, SPRT: plan.sprt,
		Played: log.played,
		Each: func(r *match.Result, s *match.Summary, isNew bool) error {
			if r.Fault != nil {
				faults = append(faults, *r)
			}
			report.bar.Describe(scoreText(s))
			report.set(int64(s.Games()), func(time.Duration) string {
				return fmt.Sprintf("%d of %d games: %s", s.Games(), f.games, progressText(s, plan.sprt))
			})
			if !isNew {
				return nil
			}
			return errors.Join(log.write(r), records.write(r))
		},
	})
	elapsed := report.finish()
	if err != nil && summary.Games() == 0 && ctx.Err() == nil {
		return err
	}
	writeErr := errors.Join(writeMatchReport(out, plan, summary, elapsed), writeFaults(out, faults))
	switch {
	case err != nil && ctx.Err() != nil && f.log != "":
		return command.Interrupted("the same command with --continue goes on with %s", f.log)
	case err != nil && ctx.Err() != nil:
		return command.Interrupted("%s of %d were played", cli.Plural(summary.Games(), "game"), f.games)
	case err != nil || writeErr != nil:
		return errors.Join(err, writeErr)
	case len(faults) > 0:
		return command.Exit(command.ExitNegative, nil)
	}
	return log.close()
}

// warn says what makes the result worth less.
func (p *matchPlan) warn(stderr io.Writer, f *matchFlags) {
	say := func(format string, values ...any) {
		fmt.Fprintf(stderr, "tsumero-lab: "+format+"\n", values...)
	}
	if p.pairs > 0 && p.pairs < f.games/2 && p.sprt == nil {
		say("%s has openings for %d games only; the others repeat them, and perhaps whole games",
			f.openings, 2*p.pairs)
	}
	if !p.limits[0].IsTimed() && !p.limits[1].IsTimed() {
		return
	}
	cores := runtime.NumCPU()
	if f.atOnce > cores {
		say("%d games at once on %d processors: time is limited, so each engine gets less than it could "+
			"use", f.atOnce, cores)
	} else if load, ok := loadAverage(); ok && load+float64(f.atOnce) > float64(cores)+0.5 {
		say("the machine is busy (a load of %.1f on %d processors), and time is limited: the result will "+
			"depend on it; --nodes does not", load, cores)
	}
}

// loadAverage returns how many programs wanted a processor in the last minute, if the system says
// so.
func loadAverage() (float64, bool) {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0, false
	}
	first, _, _ := strings.Cut(string(text), " ")
	load, err := strconv.ParseFloat(first, 64)
	return load, err == nil
}

// newPlayer makes a player.
func (p *matchPlan) newPlayer(ctx context.Context, side match.Side) (match.Player, error) {
	player, err := p.players[side].open(ctx, p.ruleOptions)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", side, err)
	}
	return player, nil
}
