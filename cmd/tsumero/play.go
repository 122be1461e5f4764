package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/cmd/internal/memory"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/eval"
	"github.com/tsumero/tsumero/solver/play/levels"
)

type playFlags struct {
	level    string
	players  [2]string // by colour: human, engine, or a level
	sfen     string
	hands    string
	maxMoves int
	record   string
	board    string
	seed     uint64
	nodes    uint64
	movetime time.Duration
	threads  int
	spread   int // centipawns
	net      string
}

const (
	playerHuman  = "human"
	playerEngine = "engine" // of the --level
	hintLevel    = "full"
)

func newPlay() *cobra.Command {
	var f playFlags
	names := strings.Join(levels.Names(), ", ")
	cmd := &cobra.Command{
		Use:   "play",
		Short: "Play a game in the terminal",
		Long: `Play plays a game between you and an engine, between two engines, or between two people.

Moves are typed by squares (2726), by piece and destination (FU26), in USI (2g2f) or in Japanese
(▲２六歩); ? lists everything that can be typed: undo, hint, flip, save, resign and so on. A move
that is not legal is answered with the rule that it breaks.

After each move of an engine, and with --board grid after every move, comes a line in ASCII for
programs: the side, P1 being Black, the piece by its name in CSA, and the squares as (file, rank):
  [P2][FU (3,3) => (3,4)]

The game ends by mate, by repetition, by --max-moves, by a declared win, or when somebody
resigns; --record saves it then, and also when Ctrl-C or the end of the input ends it.

The levels, the weakest first, with what was measured: Elo above random moves.
` + levelTexts() + `
The exit code is 0 when the game is over or left, 3 if the position has a fault, 4 for wrong use,
5 if the game cannot be saved, and 130 when interrupted.`,
		Example: `  tsumero play
  tsumero play --level beginner
  tsumero play --level club --black engine --white human --record game.kif
  tsumero play --level asayomi --board csa --max-moves 256
  tsumero play --black club --white full --nodes 10000
  tsumero play --sfen '4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1'`,
		Args: command.Positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return runPlay(cmd, &f) },
	}
	flags := cmd.Flags()
	command.ChoiceFlag(cmd, &f.level, "level", "", "full", levels.Names(), "`NAME` of the engine's level: "+names)
	command.ChoiceFlag(cmd, &f.players[shogi.Black], "black", "", playerHuman, playerNames(),
		"`WHO` plays Black (先手), who moves first: human, engine (of the --level), or a level")
	command.ChoiceFlag(cmd, &f.players[shogi.White], "white", "", playerEngine, playerNames(),
		"`WHO` plays White (後手), likewise")
	flags.StringVar(&f.sfen, "sfen", "startpos", "begin with `POSITION`, an SFEN, moves included")
	handsFlag(cmd, &f.hands)
	flags.IntVar(&f.maxMoves, "max-moves", 0,
		"the game is drawn after move `N`, unless that one mates (0: there is no limit)")
	flags.StringVar(&f.record, "record", "",
		"save the game in `FILE` at its end: in KIF, or as the name says (.csa, .ki2, .jkf, .usi)")
	command.ChoiceFlag(cmd, &f.board, "board", "", "diagram", cli.Boards,
		"draw the board in this `FORM`: "+strings.Join(cli.Boards, ", "))
	flags.Uint64Var(&f.seed, "seed", 0,
		"`N` decides what the levels choose by chance (default: a new one each time)")
	flags.Uint64Var(&f.nodes, "nodes", 0,
		"an engine looks at no more than `N` positions for a move (0: any number)")
	flags.DurationVar(&f.movetime, "movetime", time.Second,
		"an engine thinks no longer than `DURATION` about a move (0: any; with --nodes, only if given)")
	flags.IntVar(&f.threads, "threads", 1, "the level full searches with `N` threads")
	flags.IntVar(&f.spread, "spread", 0, "make club and full weaker: now and then they play a move that "+
		"they value by up to `N` hundredths of a pawn less than the best")
	flags.StringVar(&f.net, "net", "",
		"the level full values positions by the network of `FILE`, which 'tsumero-lab train' made")
	return cmd
}

// levelTexts lists the levels, a line each.
func levelTexts() string {
	var b strings.Builder
	for _, l := range levels.All() {
		fmt.Fprintf(&b, "  %-12s  %4d  %s\n", l.Name, l.Elo, l.About)
	}
	return b.String()
}

func playerNames() []string {
	return append([]string{playerHuman, playerEngine}, levels.Names()...)
}

func (f *playFlags) validate(cmd *cobra.Command) error {
	check := command.Check(cmd)
	add := check.Fault
	check.Choices("level", "black", "white", "board", "hands")
	add(f.maxMoves < 0, "--max-moves is %d, but must not be negative", f.maxMoves)
	add(f.movetime < 0, "--movetime is %v, but must not be negative", f.movetime)
	add(f.threads < 1 || f.threads > command.MaxThreads,
		"--threads is %d, but must be 1 to %d", f.threads, command.MaxThreads)
	add(f.spread < 0 || f.spread > play.MaxSpread,
		"--spread is %d, but must be 0 to %d", f.spread, play.MaxSpread)
	if cmd.Flags().Changed("nodes") && !cmd.Flags().Changed("movetime") {
		f.movetime = 0
	}
	add(f.nodes == 0 && f.movetime == 0, "--nodes or --movetime must be more than 0")
	return check.Err()
}

// withHands returns the game with what --hands says of the pieces that are missing at its start. The
// defender of a game is who does not begin.
func withHands(g *shogi.Game, hands string) shogi.Game {
	start := g.Start()
	attacker, err := solver.Attacker(&start)
	if err != nil {
		attacker = start.SideToMove()
	}
	wire.ApplyHands(&start, attacker.Opponent(), hands)
	given := shogi.NewGame(start)
	for _, m := range g.Moves() {
		given.Do(m)
	}
	return given
}

func runPlay(cmd *cobra.Command, f *playFlags) error {
	if err := f.validate(cmd); err != nil {
		return err
	}
	game, err := shogi.ParsePosition(f.sfen)
	if err != nil {
		for q := range cli.Arguments([]string{f.sfen}) {
			p, err := q.Position() // which says where the faults are
			if err != nil {
				return command.Exit(command.ExitBadPosition, err)
			}
			game = shogi.NewGame(p)
		}
	}
	game = withHands(&game, f.hands)
	p := game.Position()
	if p.King(shogi.Black) == shogi.NoSquare && p.King(shogi.White) == shogi.NoSquare {
		return command.Exit(command.ExitBadPosition, errors.New("a game needs a king"))
	}
	if !cmd.Flags().Changed("seed") {
		f.seed = rand.Uint64()
	}
	options := levels.Options{Seed: f.seed, Threads: min(f.threads, runtime.GOMAXPROCS(0))}
	if f.net != "" {
		if options.Net, err = eval.ReadNet(f.net); err != nil {
			return err
		}
	}
	memory.LimitGo()
	o := cli.PlayOptions{
		Start:  game,
		Board:  f.board,
		Record: f.record,
		Prompt: cli.IsTerminal(cmd.InOrStdin()),
		Limits: play.Limits{Nodes: f.nodes, Time: play.Budget{Soft: f.movetime, Hard: f.movetime},
			Rules: play.Rules{MaxMoves: f.maxMoves}},
	}
	newEngine := func(level string, spread int) play.Engine {
		options := options
		options.Spread = spread
		e, err := levels.New(level, options)
		if err != nil {
			panic(err) // the names are checked
		}
		return e
	}
	for c, who := range f.players {
		switch who {
		case playerHuman:
			o.Names[c] = "human"
			o.Hint = newEngine(hintLevel, 0)
			continue
		case playerEngine:
			who = f.level
		}
		o.Names[c], o.Players[c] = "Tsumero "+who, newEngine(who, f.spread)
	}
	err = cli.Play(cmd.Context(), o, cmd.InOrStdin(), cmd.OutOrStdout())
	if errors.Is(err, cli.ErrInterrupted) {
		return command.Exit(command.ExitInterrupted, nil)
	}
	return err
}
