package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver/compose"
)

func newComposeRepair(l cli.Language) *cobra.Command {
	var f searchFlags
	var changes int
	cmd := &cobra.Command{
		Use:   "repair PROBLEM",
		Short: l.Text("Find the sound problems nearest to one that is cooked", "余詰修正"),
		Long: l.Text(`Repair looks for the sound problems nearest to one that has a cook or pieces left over (余詰修正): first
with one change, then with two, the natural ones first. A change moves a piece, puts one on the board
or takes one away, makes another kind of one, adds to the hand or takes from it, or moves everything.
Of a problem that is sound but for idle pieces these are taken away.

The problem is a position or a file with one record or position. The moves that come with it, in a
record or after "moves", are the author's line, else it is the main line of the report, and after it the
lines of some cooks. The solution of every problem that is printed is such a line; where a piece that
plays in it, or everything, was moved, the line comes from there. What was changed is printed in the
last column of tsv, and in both languages in ndjson.

If the line does not fit the diagram, it cannot be played or does not mate, there is a misprint (誤植).
Then every change of one piece on the board, of one in hand, and of one move is tried, and all are
printed with which the line can be played and mates: first those that make it the solution of a sound
problem, at the end those that are not sound. The last column of tsv says what supports each. None is said
to be the truth, and there may be two misprints, so that nothing is found. --plies does not count then.

Every single change is looked at. Of two, those are chosen that the cooks lead to: the first does away
with one, and the second has to do with what is still wrong then. How many were looked at, and how many
were not decided within the limits, is said at the end; so "nothing found" of two changes does not say
that there is nothing. Without --count or --cpu it ends after ten problems.`+aboutSearches,
			`余詰や駒余りのある作品に最も近い完全作を探します。まず一か所、次に二か所の変更を、自然なものから試し
ます。変更は、駒の移動、追加、除去、取り替え、持駒の増減、全体の移動です。無駄駒だけが欠陥の作品から
は、その駒を除きます。

作品は局面か、一題のファイルです。付いている指し手を作意とし、なければ検討の本手順、次に余詰の手順
を使います。出力する作品の解は、その手順です。変更は tsv の最後の列に示します（ndjson では日英と
も）。

手順が図に合わなければ誤植とみなし、盤上の駒一枚、持駒一枚、指し手一つの変更をすべて試し、手順どおり
詰むものを、完全作になるものから順に、根拠とともにすべて示します。どれが正しいかは判断しません。誤植
が二つなら見つからないこともあります。--plies は使いません。

一か所の変更は全部調べます。二か所は、余詰を消すものから選んで調べます。調べた数と未確認の数を最後
に示します。二か所で見つからなくても、ないとは限りません。--count も --cpu もなければ10題で終わり
ます。`+aboutSearchesJa),
		Example: `  tsumero compose repair --count 1 '7nl/7k1/9/7P1/9/9/9/9/9 b 2GS 1'
  tsumero compose repair --changes 1 problem.kif
  tsumero compose repair --lang ja misprint.ki2
  tsumero compose repair --cpu 60s -o ndjson 'position sfen … moves …'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			check := command.Check(cmd)
			o := compose.RepairOptions{Search: f.search(check), Changes: changes, Tally: new(compose.RepairTally)}
			check.Fault(changes < 1 || changes > 2, "--changes is %d, but must be 1 or 2",
				"--changes の %d は誤りです（1 か 2）。", changes)
			if err := check.Err(); err != nil {
				return err
			}
			if err := oneProblem(cmd, args, &o); err != nil {
				return err
			}
			f.heading = wire.ComposedHeading + wire.ChangesHeading
			if o.Misprinted() {
				f.heading += wire.FitHeading
				f.noun = "change"
			} else if f.count == 0 && f.cpu == 0 {
				f.count = 10
			}
			p := o.Position
			err := f.run(cmd, args, o.Search, 0, func(ctx context.Context, s compose.Search) (iter.Seq[compose.Problem], error) {
				o.Search = s
				return compose.Repair(ctx, o)
			})
			if o.Tally.Misprint {
				printMisprintTally(command.LanguageOf(cmd), cmd.ErrOrStderr(), &o)
			} else if o.Tally.Line != nil {
				printRepairTally(command.LanguageOf(cmd), cmd.ErrOrStderr(), p, o.Tally, changes)
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&changes, "changes", 2, l.Text("make up to `N` changes, 1 or 2",
		"変更の数の上限 `N`（1 か 2）"))
	f.add(l, cmd, -1, l.Text("with no more than `N` pieces in Black's hand (-1: any)",
		"攻方の持駒の上限 `N`（-1 は無制限）"))
	return cmd
}

// oneProblem reads the problem that args spell, or that is in the file they name, with its line.
func oneProblem(cmd *cobra.Command, args []string, o *compose.RepairOptions) error {
	if len(args) == 0 {
		return command.UsageError(cmd, cli.Errorf("one problem is wanted, not 0", "作品を一つ指定してください。"))
	}
	paths, err := cli.FindPaths(args, cli.OutputFiles())
	if err != nil {
		return err
	}
	n := 0
	for q, err := range paths.Questions(cmd.InOrStdin(), cli.FileFormat{}) {
		if err != nil {
			return err
		}
		if n++; n > 1 {
			return command.UsageError(cmd, cli.Errorf("one problem is wanted, not several",
				"作品は一つだけ指定してください。"))
		}
		// What the text says is tried even where the moves can be played: they may mean others than in
		// the diagram as it is.
		p, text := q.Written()
		written, told, fault := notation.ParseWritten(text)
		if fault == nil && len(written) > 0 {
			o.Position, o.Told = p, told
			for _, m := range written {
				o.Written = append(o.Written, compose.GivenMove(m))
			}
			continue
		}
		if o.Position, o.Line, err = q.Problem(); err != nil {
			return command.Exit(command.ExitBadPosition, err)
		}
		if why := q.Unread(); why.En != "" {
			return command.Exit(command.ExitBadPosition, cli.Errorf("%[1]s", "%[2]s", why.En, why.Ja))
		}
	}
	if n == 0 {
		return command.UsageError(cmd, cli.Errorf("one problem is wanted, not 0", "作品を一つ指定してください。"))
	}
	return nil
}

// printMisprintTally prints how far a search for misprints went.
func printMisprintTally(l cli.Language, out io.Writer, o *compose.RepairOptions) {
	t := o.Tally
	say := func(en, ja string, args ...any) { fmt.Fprintln(out, l.Sprintf(en, ja, args...)) }
	say("the line does not fit the diagram: %d of its %d moves can be played, or it does not mate",
		"手順が図に合いません（%[2]d手のうち%[1]d手まで指せます。または詰みません）。", t.Before, max(len(o.Written), len(o.Line)))
	say("one change: %d of %d looked at", "一か所の変更：%[2]d通り中%[1]d通りを調査", t.Singles, t.Of[0])
	if t.Open[0] > 0 {
		say("not known whether they are sound: %d of them", "完全作かどうか未確認：%d通り", t.Open[0])
	}
}

// printRepairTally prints how far a repair went.
func printRepairTally(l cli.Language, out io.Writer, p shogi.Position, t *compose.RepairTally, changes int) {
	say := func(en, ja string, args ...any) { fmt.Fprintln(out, l.Sprintf(en, ja, args...)) }
	line := l.Line(movetext.EnglishLine(p, t.Line), movetext.JapaneseLine(p, t.Line))
	say("kept line: %s", "残した手順：%s", strings.Join(line, " "))
	say("one change: %d of %d diagrams looked at", "一か所の変更：%[2]d図中%[1]d図を調査", t.Singles, t.Of[0])
	if changes > 1 && t.Coverage == compose.All {
		say("two changes: %d of %d diagrams looked at", "二か所の変更：%[2]d図中%[1]d図を調査", t.Pairs, t.Of[1])
	} else if changes > 1 {
		say("two changes: %d of %d chosen diagrams looked at; there are more that were not chosen",
			"二か所の変更：選んだ%[2]d図中%[1]d図を調査（ほかは選外）", t.Pairs, t.Of[1])
	}
	if open := t.Open[0] + t.Open[1]; open > 0 {
		say("not decided within the limits: %d of them", "制限内では未確認：%d図", open)
	}
}
