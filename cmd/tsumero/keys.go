package main

import (
	"bufio"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/collection"
)

func newKeys(l cli.Language) *cobra.Command {
	return &cobra.Command{
		Use: "keys FILE|FOLDER...",
		Short: l.Text("Print hash keys of problems, by which they are recognised without being shown",
			"図面を見せずに作品を照合するキー"),
		Long: l.Text(`Keys prints a line for each problem: four keys, with tabs between, and the name of the file and the
number of the problem in it. A magazine that publishes them lets authors see whether it has a problem,
and gives no diagram away: 'tsumero compose --not-in' takes such a file as it takes problems.

Files are read as by 'tsumero collection'. Nothing is searched: the main line is that of the file.

The keys are 96 bits each of a SHA-256:
  t1h   the position, whichever way it is mirrored and whichever colour attacks: the same problem, or
        one that ends with it
  t1fh  the figure without the hands
  t1sh  the position moved into the corner: the same figure elsewhere on the board
  t1lh  all moves of the main line as seen from the king, from three plies on: the same idea
Another near copy, such as one with a piece added, is not recognised by keys: that needs diagrams.

What a key hides is what cannot be guessed. Whoever has a diagram sees whether it is this one, and a
program can try all figures of four or five pieces, or all short lines. Write - for a key that is not
to be told; the last column may be any name.

The exit code is 0, 3 if a problem has a fault, which is told, and 5 if none could be read.`,
			`作品ごとに、四つのキー（タブ区切り）と、ファイル名と番号を一行に出力します。雑誌などがキーを公開すれ
ば、作者は図面を見せ合わずに既発表かどうかを照合できます。tsumero compose --not-in は、このファイル
も読めます。

ファイルは collection と同じように読みます。探索はせず、手順はファイルのものです。

キーは SHA-256 の96ビットです：
  t1h   図（左右反転、色の入れ替えを含む）：同一作、または途中の図
  t1fh  持駒を除いた配置
  t1sh  隅に寄せた配置：平行移動
  t1lh  玉から見た本手順（三手以上）：同じ手筋
駒を一枚加えたような類似は、キーでは分かりません。

図面を持つ人は同じ作品かどうかを確かめられます。駒数の少ない図や短い手順は、総当たりで復元されること
があります。公開しないキーは - に、最後の列は任意の文字に変えられます。

終了コード：0、作品の誤り 3、読めるものなし 5`),
		Example: `  tsumero keys works/ > works.keys
  tsumero compose reverse --plies 5 --not-in works.keys`,
		Args: command.Positional(cobra.MinimumNArgs(1)),
		RunE: printKeys,
	}
}

func printKeys(cmd *cobra.Command, args []string) error {
	out := bufio.NewWriter(cmd.OutOrStdout())
	fmt.Fprintln(out, collection.HashesHeading)
	printed, faults := 0, 0
	for _, source := range cli.Sources(args, cli.OutputFiles()) {
		n := 0
		for q, err := range cli.ReadSources([]cli.Source{source}, cmd.InOrStdin(), cli.FileFormat{}) {
			if cmd.Context().Err() != nil {
				return errors.Join(out.Flush(), command.Interrupted("%s printed",
					"%sを出力済み", cli.Plural(printed, "problem")))
			}
			n++
			name := filepath.Base(source.Path) + ":" + strconv.Itoa(n)
			var d *collection.Description
			if err == nil {
				d, err = describeQuestion(q)
			}
			if err != nil {
				fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", shogi.VisibleLine(name), command.LanguageOf(cmd).Error(err))
				faults++
				continue
			}
			fmt.Fprintf(out, "%v\t%s\n", d.Hashes(), shogi.VisibleLine(name))
			printed++
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	switch {
	case printed == 0:
		return cli.Errorf("there is no problem to print keys of", "キーを出す作品がありません。")
	case faults > 0:
		return command.Exit(command.ExitBadPosition, cli.Errorf("%s left out",
			"%sを除きました。", cli.Plural(faults, "faulty problem")))
	}
	return nil
}

// describeQuestion returns what a problem of a file is known by, without its line if that is illegal.
func describeQuestion(q cli.Question) (*collection.Description, error) {
	p, line, err := q.Problem()
	if err != nil {
		return nil, err
	}
	attacker, err := solver.Attacker(&p)
	if err != nil {
		return nil, err
	}
	problem := collection.Problem{Position: p, Attacker: attacker, Line: line}
	d, err := collection.Describe(&problem)
	if err != nil && len(line) > 0 {
		problem.Line = nil
		d, err = collection.Describe(&problem)
	}
	if errors.Is(err, collection.ErrNoKing) {
		err = cli.Errorf("the defender has no king", "玉方に玉がありません。")
	}
	return d, err
}
