// Command tsumero solves mate problems (solve), says whether they are sound (analyze), writes certificates
// of the answers (certificate) and plays (play). "tsumero help" lists the commands.
//
// The service is another program, tsumero-server, and so is the USI engine that a shogi GUI launches,
// tsumero-usi; what those need who build engines is in solver/lab.
package main

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/about"
	"github.com/tsumero/tsumero/cmd/internal/command"
)

// The exit codes that answer: solve's, and analyze's by other names. Package command has the others.
const (
	exitMate    = 0
	exitNoMate  = 1
	exitUnknown = 2

	exitSound  = 0
	exitDefect = 1
)

const exitCodeHelp = `
Exit codes of every command:
  0    done; for solve: mate; for analyze: sound; for threat: there is one
  1    for solve: no mate; for analyze: a defect; for threat: none; for certificate: none of this kind;
       for diagram: no mate to show; for register: you said no
  2    for solve, threat, certificate and diagram: unknown; for analyze: not decided
  3    for solve, threat, analyze, certificate, diagram and games: a position has a fault
  4    wrong use: arguments or flags
  5    failure: a file, the network, the output
  130  interrupted`

const exitCodeHelpJa = `
終了コード：
  0    完了。solve は詰み、analyze は完全作、threat はあり
  1    solve は不詰、analyze は不完全作、threat はなし、certificate はその種類なし、diagram は詰み
       なし、register は取りやめ
  2    solve、threat、certificate、diagram は不明、analyze は未確認
  3    solve、threat、analyze、certificate、diagram、games で局面に誤り
  4    使い方の誤り
  5    ファイル、通信、出力の失敗
  130  中断`

func main() {
	os.Exit(run(command.UntilSignal(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program. It returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot
	if len(args) > 0 && args[0] == "solve" {
		root = newRootOfSolve
	}
	return command.Run(ctx, root(command.Spoken(args)), args, stdin, stdout, stderr)
}

// newRootOfSolve returns the root with solve alone: all commands take as long to make as a short
// question to answer.
func newRootOfSolve(l cli.Language) *cobra.Command {
	root := &cobra.Command{Use: "tsumero"}
	command.SetUp(root, command.Group{ID: "solve", Commands: []*cobra.Command{newSolve(l)}})
	command.AddLanguage(root, l)
	return root
}

func newRoot(l cli.Language) *cobra.Command {
	root := &cobra.Command{
		Use:   "tsumero",
		Short: l.Text("Solve tsume-shogi (shogi mate) problems, and play shogi", "詰将棋の解図と検討、将棋の対局"),
		Long: l.Text(`Tsumero answers one question about a shogi position: can the attacker force mate?

The answer is mate, with the moves; no mate, which means never, at any length; or unknown, with
the reason. It plays shogi, too.

  tsumero solve '4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1'
  tsumero analyze problem.kif
  tsumero play

The program tsumero-server answers the same questions over HTTP.
`+exitCodeHelp,
			`将棋の局面で、攻方が玉を詰ませられるかを答えます。

答えは、詰み（mate、手順付き）、不詰（nomate、何手かけても詰まない）、不明（unknown、理由付き）の
三通りです。対局もできます。

  tsumero solve '4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1'
  tsumero analyze problem.kif
  tsumero play

tsumero-server は、同じことを HTTP で答えるプログラムです。`+
				"\n"+exitCodeHelpJa),
	}
	groups := []command.Group{
		{ID: "solve", Title: l.Text("Ask for mates, and play:", "解図・検討・創作・対局："), Commands: []*cobra.Command{newSolve(l),
			newAnalyze(l), newThreat(l), newCertificate(l), newCollection(l), newCompose(l), newExport(l),
			newDiagram(l), newGames(l), newKeys(l), newPlay(l)}},
		{ID: "jobs", Title: l.Text("Have a service do what takes long:", "長時間の解図（サービスへの依頼）："),
			Commands: []*cobra.Command{newSubmit(l), newJobs(l)}},
	}
	command.SetUp(root, groups...)
	root.AddCommand(newRegister(l), about.NewDocs(l, l.Text(`Man writes the help of every command as a manual page into a folder, tsumero-solve.1 for
"tsumero solve" and so on, and also that of the programs tsumero-server, tsumero-usi and tsumero-check
if they are beside this one. MANPATH, or a folder man1 that man looks into, makes them known; those in
Japanese belong into ja/man1:

  tsumero docs man --lang en ~/.local/share/man/man1
  tsumero docs man --lang ja ~/.local/share/man/ja/man1
  man tsumero-solve`, `全コマンドの説明を、マニュアルページとしてフォルダに書きます（tsumero solve は tsumero-solve.1）。
同じ場所にあれば、tsumero-server、tsumero-usi、tsumero-check の分も書きます。MANPATH か、man の探
すフォルダ man1 で読めるようになります。日本語版は ja/man1 に入れます：

  tsumero docs man --lang ja ~/.local/share/man/ja/man1
  man tsumero-solve`), manualsBeside), command.NewVersion(l), about.NewLicenses(l))
	command.AddLanguage(root, l)
	return root
}
