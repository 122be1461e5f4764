package main

import (
	"iter"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/cmd/internal/memory"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/threat"
)

type threatFlags struct {
	file       string
	brinkmate  bool
	attacks    int
	firstMoves bool
	output     string
	hands      string
	nodes      uint64
	time       time.Duration
}

func newThreat(l cli.Language) *cobra.Command {
	var f threatFlags
	cmd := &cobra.Command{
		Use: "threat [POSITION|FILE]...",
		Short: l.Text("Find out whether there is a mate threat (詰めろ) or a brinkmate (必至)",
			"詰めろ・必至の判定"),
		Long: l.Text(`Threat answers, for each position, whether the side that is not to move threatens mate (詰めろ):
whether it would mate, by checks, if the side to move passed. With --brinkmate it answers whether
the side to move has a brinkmate (必至) in so many attacks: moves that check or threaten mate, after
the last of which, which does not check, the defender is mated whatever he plays. Books count the
plies: 2 attacks are 3 plies (三手必至).

Positions are taken as by 'tsumero solve'. No piece may be missing, for the best defence may be a
drop: --hands complete gives the defender what a diagram does not show.

The verdicts:
  threat, no_threat   after a pass there is a mate, or none at any length
  brinkmate           with the line of the best defence, and how each reply to the last attack is
                      mated; every move of it was replayed
  mate                the side to move mates, which is more
  none_within         no mate, and no brinkmate in so many attacks; all moves were tried
  unknown             not decided; the answer says why

The exit code is 0 for a threat, a brinkmate or a mate, 1 if at least one position has none, 2 if at
least one is unknown and 3 if at least one has a fault, the highest of these.`,
			`局面ごとに、手番でない側の詰めろかどうか（手番の側がパスしたら詰むか）を答えます。--brinkmate では、
手番の側に必至があるかを答えます。必至は、王手か詰めろの手を続け、王手でない最後の手の後、どう受けて
も詰む手順です。攻め手2手は3手必至です。

局面は solve と同じように読みます。受けに合駒が要るので、足りない駒は --hands complete で玉方の持
駒にします。

答え：
  threat, no_threat   詰めろ。詰めろでない
  brinkmate           必至。最善の受けの手順と、最後の手への応手ごとの詰み（検証済み）
  mate                必至どころか詰み
  none_within         その手数の詰みも必至もない（全部の手を調査済み）
  unknown             不明（理由付き）

終了コード：全部あり 0、なし 1、不明 2、局面の誤り 3（大きいもの優先）`),
		Example: `  tsumero threat '7nk/9/7G1/9/9/9/9/9/9 w L2r2b3g4s3n3l18p 1'
  tsumero threat --brinkmate '7nl/7k1/6p2/7Pp/9/9/9/9/9 b GS2r2b3g3s3n3l15p 1'
  tsumero threat --brinkmate --attacks 3 --hands complete --output json problem.kif`,
		RunE: func(cmd *cobra.Command, args []string) error { return askThreat(cmd, args, f) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.file, "file", "f", "", l.Text("read positions from `FILE`, one a line; - is standard input",
		"局面を読むファイル `FILE`（一行一局面。- は標準入力）"))
	flags.BoolVarP(&f.brinkmate, "brinkmate", "b", false, l.Text("ask for a brinkmate of the side to move",
		"手番の側の必至を判定"))
	flags.IntVar(&f.attacks, "attacks", threat.DefaultAttacks, l.Text("look for a brinkmate in `N` attacks or fewer",
		"必至を探す攻め手の数の上限 `N`"))
	flags.BoolVar(&f.firstMoves, "first-moves", false,
		l.Text("look for all first moves that make a brinkmate as short (余必至), which may take long",
			"同じ手数の必至になるすべての初手（余必至。長くかかることもある）"))
	command.ChoiceFlag(cmd, &f.output, "output", "o", "text", []string{"text", "json"},
		l.Text("`FORMAT` of the answers: text for people; json, one object a line, with every reply",
			"答えの形式 `FORMAT`：text（表示用）、json（一行一件、全応手付き）"))
	handsFlag(l, cmd, &f.hands)
	flags.Uint64Var(&f.nodes, "nodes", 0, l.Text("look at no more than `N` positions for each answer (0: any number)",
		"答え一つに調べる局面の上限 `N`（0 は無制限）"))
	flags.DurationVar(&f.time, "time", 0, l.Text("spend no more than `DURATION`, such as 10s, on each answer (0: any)",
		"答え一つにかける時間 `DURATION`（10s など。0 は無制限）"))
	return cmd
}

func askThreat(cmd *cobra.Command, args []string, f threatFlags) error {
	check := command.Check(cmd)
	check.Choices("output", "hands")
	check.Range("attacks", f.attacks, 1, threat.MaxAttacks)
	check.NotNegative("time", f.time < 0, f.time)
	check.Fault(len(args) > 0 && f.file != "", "positions come either as arguments or from --file, not both",
		"局面は引数か --file のどちらか一方です。")
	if check.Err() != nil {
		return check.Err()
	}
	var questions iter.Seq2[cli.Question, error]
	switch {
	case cli.NameFiles(args):
		paths, err := cli.FindPaths(args, cli.OutputFiles())
		if err != nil {
			return err
		}
		questions = paths.Questions(cmd.InOrStdin(), cli.FileFormat{})
	case len(args) > 0:
		questions = cli.Arguments(args)
	case f.file != "" && f.file != "-":
		opened, err := os.Open(f.file)
		if err != nil {
			return err
		}
		defer opened.Close()
		questions = cli.Files(opened, cli.FileFormat{})
	default:
		questions = cli.Files(cmd.InOrStdin(), cli.FileFormat{})
	}
	memory.LimitGo()
	o := cli.ThreatOptions{Searcher: threat.New(dfpn.NewSession()), Kind: wire.AskThreat, Time: f.time, Hands: f.hands,
		Output: f.output, Language: command.LanguageOf(cmd), Limits: threat.Limits{Nodes: f.nodes, Attacks: f.attacks, FirstMoves: f.firstMoves}}
	if f.brinkmate {
		o.Kind = wire.AskBrinkmate
	}
	tally, err := cli.Threat(cmd.Context(), o, questions, cmd.OutOrStdout(), cmd.ErrOrStderr())
	switch {
	case err == cli.ErrInterrupted:
		return command.Exit(command.ExitInterrupted, err)
	case err != nil:
		return err
	case tally == cli.ThreatTally{}:
		return command.NoPosition(cmd)
	case tally.Faulty > 0:
		return command.Exit(command.ExitBadPosition, nil)
	case tally.Verdicts[threat.Unknown] > 0:
		return command.Exit(exitUnknown, nil)
	case tally.Verdicts[threat.NoThreat]+tally.Verdicts[threat.None] > 0:
		return command.Exit(command.ExitNegative, nil)
	}
	return nil
}
