// Command tsumero-server is the service: it answers over HTTP (serve), works on the jobs in a database
// (worker), and checks, saves and restores them (store). "tsumero-server help" lists the
// commands.
//
// It is a program of its own because of what it is made of, such as a database that keeps jobs: to
// compile all that for the first answer of tsumero takes twice as long.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/about"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/shogi"
)

const exitCodeHelp = `
Exit codes of every command:
  0    done
  1    for healthcheck, store check and store restore: something is wrong
  4    wrong use: arguments, flags or configuration
  5    failure: a file, the network, the output
  130  interrupted`

const exitCodeHelpJa = `
終了コード：
  0    完了
  1    healthcheck、store check、store restore で異常
  4    引数、フラグ、設定の誤り
  5    ファイル、通信、出力の失敗
  130  中断`

func main() {
	os.Exit(run(command.UntilSignal(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program. It returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return command.Run(ctx, newRoot(command.Spoken(args)), args, stdin, stdout, stderr)
}

func newRoot(l cli.Language) *cobra.Command {
	root := &cobra.Command{
		Use: "tsumero-server",
		Short: l.Text("Answer questions about shogi positions over HTTP",
			"将棋の局面の質問に HTTP で答えるサービス"),
		Long: l.Text(`Tsumero-server answers over HTTP what the program tsumero answers on the command line: can the
attacker force mate, is it a sound problem, and what to play.

  tsumero-server serve
  tsumero-server serve --jobs DIR
  tsumero-server worker --jobs postgres://user@host/database
`+exitCodeHelp,
			`tsumero がコマンドで答えることを、HTTP で答えます。詰むかどうか、完全作かどうか、次の一手です。

  tsumero-server serve
  tsumero-server serve --jobs DIR
  tsumero-server worker --jobs postgres://user@host/database`+
				"\n"+exitCodeHelpJa),
	}
	command.SetUp(root,
		command.Group{ID: "serve", Title: l.Text("Run a service:", "サービス："),
			Commands: []*cobra.Command{newServe(l), newWorker(l), newHealthcheck(l), newExport(l)}},
		command.Group{ID: "store", Title: l.Text("Look after its jobs:", "ジョブの管理："),
			Commands: []*cobra.Command{newStore(l)}})
	explainGone(root)
	root.AddCommand(about.NewDocs(l, l.Text("Man writes the help of every command as a manual page into a folder, "+
		"tsumero-server-serve.1 for\n\"tsumero-server serve\" and so on. 'tsumero docs man' does so, too.",
		"全コマンドの説明を、マニュアルページとしてフォルダに書きます（tsumero-server-serve.1 など）。\ntsumero docs man でも書けます。"), nil),
		command.NewVersion(l), about.NewLicenses(l))
	command.AddLanguage(root, l)
	return root
}

// describe makes the help of a command list its settings by subject.
func describe(cmd *cobra.Command, set *cli.Settings) {
	cmd.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := fmt.Fprintf(cmd.OutOrStderr(), "%s\n  %s\n%s", set.Language.Text("Usage:", "使い方："),
			cmd.UseLine(), set.Usages())
		return err
	})
}

// insteadOfNATS says what is to be given instead of flags and variables that are gone.
var insteadOfNATS = shogi.NewText("", "jobs are not kept in NATS any more: give --jobs DIR, or --jobs postgres://user@host/database",
	"ジョブは NATS には保存しません。--jobs DIR か --jobs postgres://user@host/database を指定してください。")

// explainGone makes the commands below root say so of --nats, and of what belonged to it.
func explainGone(root *cobra.Command) {
	explain := root.FlagErrorFunc()
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) && strings.HasPrefix(unknown.GetSpecifiedName(), "nats") {
			return command.UsageError(cmd, cli.Errorf("--%s is gone: %s",
				"--%s は廃止されました：%s", unknown.GetSpecifiedName(), insteadOfNATS))
		}
		return explain(cmd, err)
	})
}
