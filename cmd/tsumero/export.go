package main

import (
	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/command"
)

// newExport returns the command collection as people call it who want a site: its output is a folder,
// with the solver.
func newExport(l cli.Language) *cobra.Command {
	cmd := newCollection(l)
	collect := cmd.RunE
	cmd.Use = "export FOLDER [FILE|FOLDER]..."
	cmd.Short = l.Text("Write problems as a site that needs no service", "サービスの要らない作品集サイトの作成")
	cmd.Long = l.Text(`Export writes the problems of files and folders into FOLDER, as a site for any file server: an index
of diagrams, and of each problem a page with a board on which readers solve it. Their moves are judged,
and wrong ones refuted, in their own browsers, by the solver, which lies beside the pages: no service
is asked, and a page that is loaded works without a network. Copy the folder to where it is to be
published; it works below any address, too. Browsers load no scripts of pages that are opened as files:
for a look, serve it, as with

  python3 -m http.server --directory FOLDER

Files are read as by collection, and FOLDER must be new or empty, or one that was written before: it
becomes the new collection. The command is collection --output folder --engine --to FOLDER; see there
for the rest. --engine=false leaves the solver out; then boards know the solutions alone. The solver is
6 MB large; a reader loads 1.2 to 1.5 MB of it where the file server compresses what it sends.

The exit code is 0, 3 if a problem or a file has a fault, 4 for wrong use, 5 if writing failed, and 130
when interrupted.`,
		`ファイルやフォルダの作品を、どのファイルサーバーにも置けるサイトとして FOLDER に書きます。図面の目次
と、一題ごとに読者が盤上で解くページです。指し手の判定は、同じ場所に置く解図エンジンが読者のブラウザ
で行うので、サービスは要らず、読み込んだページは通信なしで動きます。フォルダを公開場所に置けば、どの
アドレスでも使えます。手元で見るには、たとえば

  python3 -m http.server --directory FOLDER

ファイルは collection と同じように読みます。FOLDER は新規、空、または以前に書いたもの（新しい作品集
に置き換わる）です。collection --output folder --engine --to FOLDER と同じで、詳しくはそちらを参照し
てください。--engine=false では解図エンジンを除き、盤は解の手順だけを判定できます。解図エンジンは
6MB で、圧縮して送れば 1.2～1.5MB です。

終了コード：0、作品やファイルの誤り 3、書き込みの失敗 5、中断 130`)
	cmd.Example = `  tsumero export site problems.tsv
  tsumero export --title 詰将棋集 --search report site problems/`
	for _, name := range []string{"output", "to", "sort", "per-page", "paper", "solutions"} {
		if err := cmd.Flags().MarkHidden(name); err != nil {
			panic(err) // collection has it
		}
	}
	cmd.Flags().Lookup("engine").DefValue = "true"
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return command.UsageError(cmd, cli.Errorf("FOLDER is missing: where the site goes",
				"FOLDER（出力先）がありません。"))
		}
		flags := cmd.Flags()
		for _, name := range []string{"output", "to"} {
			if flags.Changed(name) {
				return command.UsageError(cmd, cli.Errorf("--%s is for collection: export writes pages into FOLDER, %s",
					"--%s は collection 用です。export は FOLDER（%s）に書きます。", name, args[0]))
			}
		}
		for _, set := range [][2]string{{"output", "folder"}, {"to", args[0]}, {"engine", "true"}} {
			if flags.Changed(set[0]) {
				continue // --engine=false
			}
			if err := flags.Set(set[0], set[1]); err != nil {
				return err
			}
		}
		return collect(cmd, args[1:])
	}
	return cmd
}
