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

func newPlay(l cli.Language) *cobra.Command {
	var f playFlags
	names := strings.Join(levels.Names(), ", ")
	cmd := &cobra.Command{
		Use:   "play",
		Short: l.Text("Play a game in the terminal", "端末での対局"),
		Long: l.Text(`Play plays a game between you and an engine, between two engines, or between two people.

Moves are typed by squares (2726), by piece and destination (FU26), in USI (2g2f) or in Japanese
(▲２六歩); ? lists everything that can be typed: undo, hint, flip, save, resign and so on. A move
that is not legal is answered with the rule that it breaks.

After each move of an engine, and with --board grid after every move, comes a line in ASCII for
programs: the side, P1 being Black, the piece by its name in CSA, and the squares as (file, rank):
  [P2][FU (3,3) => (3,4)]

The game ends by mate, by repetition, by --max-moves, by a declared win, or when somebody
resigns; --record saves it then, and also when Ctrl-C or the end of the input ends it.

The levels, the weakest first, with what was measured: Elo above random moves.
`+levelTexts(l)+`
The exit code is 0 when the game is over or left, 3 if the position has a fault, 4 for wrong use,
5 if the game cannot be saved, and 130 when interrupted.`,
			`人とコンピュータ、コンピュータ同士、人同士で対局します。

指し手は、マス（2726）、駒と移動先（FU26）、USI（2g2f）、日本語（▲２六歩）で入力します。? で、
待った、ヒント、盤の反転、保存、投了などの説明が出ます。反則の手には、その理由を示します。

コンピュータの手の後（--board grid では毎手）、プログラム用の一行を出力します（P1 は先手、駒は CSA
の名前、（筋,段））：
  [P2][FU (3,3) => (3,4)]

対局は、詰み、千日手、--max-moves、入玉宣言、投了で終わります。--record はそのときと、中断や入力の
終わりに保存します。

強さ（弱い順。数字は、でたらめな手を基準にした Elo）：`+"\n"+levelTexts(l)+
				`終了コード：終局・中止 0、局面の誤り 3、保存の失敗 5、中断 130`),
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
	command.ChoiceFlag(cmd, &f.level, "level", "", "full", levels.Names(), l.Text("`NAME` of the engine's level: "+names, "コンピュータの強さ `NAME`："+names))
	command.ChoiceFlag(cmd, &f.players[shogi.Black], "black", "", playerHuman, playerNames(),
		l.Text("`WHO` plays Black (先手), who moves first: human, engine (of the --level), or a level",
			"先手の対局者 `WHO`：human（人）、engine（--level の強さ）、または強さの名前"))
	command.ChoiceFlag(cmd, &f.players[shogi.White], "white", "", playerEngine, playerNames(),
		l.Text("`WHO` plays White (後手), likewise", "後手の対局者 `WHO`（同様）"))
	flags.StringVar(&f.sfen, "sfen", "startpos", l.Text("begin with `POSITION`, an SFEN, moves included",
		"開始局面 `POSITION`（SFEN、指し手も可）"))
	handsFlag(l, cmd, &f.hands)
	flags.IntVar(&f.maxMoves, "max-moves", 0,
		l.Text("the game is drawn after move `N`, unless that one mates (0: there is no limit)",
			"引き分けとする手数 `N`（その手の詰みは勝ち。0 は無制限）"))
	flags.StringVar(&f.record, "record", "",
		l.Text("save the game in `FILE` at its end: in KIF, or as the name says (.csa, .ki2, .jkf, .usi)",
			"棋譜の保存先 `FILE`（KIF。拡張子が .csa、.ki2、.jkf、.usi ならその形式）"))
	command.ChoiceFlag(cmd, &f.board, "board", "", "diagram", cli.Boards,
		l.Text("draw the board in this `FORM`: "+strings.Join(cli.Boards, ", "), "盤の表示 `FORM`："+strings.Join(cli.Boards, "、")))
	flags.Uint64Var(&f.seed, "seed", 0,
		l.Text("`N` decides what the levels choose by chance (default: a new one each time)",
			"乱数の種 `N`（既定：毎回変わる）"))
	flags.Uint64Var(&f.nodes, "nodes", 0,
		l.Text("an engine looks at no more than `N` positions for a move (0: any number)",
			"一手に調べる局面の上限 `N`（0 は無制限）"))
	flags.DurationVar(&f.movetime, "movetime", time.Second,
		l.Text("an engine thinks no longer than `DURATION` about a move (0: any; with --nodes, only if given)",
			"一手の考慮時間の上限 `DURATION`（0 は無制限。--nodes があれば指定時のみ）"))
	flags.IntVar(&f.threads, "threads", 1, l.Text("the level full searches with `N` threads",
		"full が使うスレッドの数 `N`"))
	flags.IntVar(&f.spread, "spread", 0, l.Text("make club and full weaker: now and then they play a move that "+
		"they value by up to `N` hundredths of a pawn less than the best",
		"club と full を弱める幅 `N`（最善より歩の100分の N まで劣る手も選択）"))
	flags.StringVar(&f.net, "net", "",
		l.Text("the level full values positions by the network of `FILE`, which 'tsumero-lab train' made",
			"full の評価関数のファイル `FILE`（tsumero-lab train の出力）"))
	return cmd
}

// levelTexts lists the levels, a line each.
func levelTexts(language cli.Language) string {
	var b strings.Builder
	for _, l := range levels.All() {
		fmt.Fprintf(&b, "  %-12s  %4d  %s\n", l.Name, l.Elo, language.Text(l.About, l.Ja))
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
	check.NotNegative("max-moves", f.maxMoves < 0, f.maxMoves)
	check.NotNegative("movetime", f.movetime < 0, f.movetime)
	check.Range("threads", f.threads, 1, command.MaxThreads)
	check.Range("spread", f.spread, 0, play.MaxSpread)
	if cmd.Flags().Changed("nodes") && !cmd.Flags().Changed("movetime") {
		f.movetime = 0
	}
	add(f.nodes == 0 && f.movetime == 0, "--nodes or --movetime must be more than 0",
		"--nodes か --movetime が必要です。")
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
		return command.Exit(command.ExitBadPosition, cli.Errorf("a game needs a king",
			"対局には玉が必要です。"))
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
		Start:    game,
		Language: command.LanguageOf(cmd),
		Board:    f.board,
		Record:   f.record,
		Prompt:   cli.IsTerminal(cmd.InOrStdin()),
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
			o.Names[c] = o.Text("human", "人")
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
