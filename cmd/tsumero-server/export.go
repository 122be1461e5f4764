package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/httpapi"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/cmd/internal/version"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/solver/play/levels"
	"github.com/tsumero/tsumero/web/diagram"
	"github.com/tsumero/tsumero/web/engine"
	"github.com/tsumero/tsumero/web/site"
)

func newExport(l cli.Language) *cobra.Command {
	return &cobra.Command{
		Use: "export FOLDER",
		Short: l.Text("Write the pages as files for any web server",
			"どのウェブサーバーにも置けるページの出力"),
		Long: l.Text(`Export writes the pages of the service into FOLDER, which must be new or empty: the problem of the
day, /problems, /train, /study, /games and the references, in Japanese and English. They work below any
address of a server of files, and without a network after the first visit. The solver in the reader's
browser answers in the place of the service. The problems of /problems are those until the day of the
commit that the program was built from. For a look:

  python3 -m http.server --directory FOLDER

Sites of your own problems are made by 'tsumero export'.`,
			`サービスのページを、新規か空の FOLDER に書きます。今日の詰将棋、/problems、/train、/study、/games、
説明のページで、日本語と英語です。ファイルサーバーのどのアドレスでも使え、一度開けば通信なしで動き
ます。サービスの代わりに、読者のブラウザのソルバーが答えます。/problems は、プログラムのコミットの
日までの問題です。手元で見るには、

  python3 -m http.server --directory FOLDER

自分の作品のサイトは 'tsumero export' で作ります。`),
		Args: command.Positional(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error { return export(args[0]) },
	}
}

// export writes the pages of a service with the usual limits, whatever the machine.
func export(folder string) error {
	if entries, err := os.ReadDir(folder); err == nil && len(entries) > 0 {
		return cli.Errorf("%s is not empty", "%s は空ではありません。", folder)
	}
	if !engine.Built() {
		return cli.Errorf("this program was built without the solver for browsers: go generate ./web/engine",
			"このプログラムにはブラウザ用のソルバーがありません：go generate ./web/engine")
	}
	now := time.Now()
	if at, err := time.Parse(time.RFC3339, version.Get().Date); err == nil {
		now = at
	}
	var server *httpapi.Server
	c := httpapi.Config{Solver: mate.New(mate.Options{}), NewEngine: newEngine, Levels: levels.Names(),
		MaxSearches: 1, LongSearches: 1, MaxAnalyses: 1, MaxPlays: 1, MaxTime: time.Minute,
		RatePerMinute: -1}
	c.Diagrams = diagram.Handler(func(ctx context.Context, moves bool, draw func()) *wire.Problem {
		return server.Draw(ctx, moves, draw)
	})
	var err error
	ofPages := site.Config{MaxTime: c.MaxTime, Analyses: true, Now: func() time.Time { return now }}
	if c.Web, err = pages(ofPages, c.Levels); err != nil {
		return err
	}
	if server, err = httpapi.New(c); err != nil {
		return err
	}
	files, err := site.Files(server.Handler())
	for name, body := range files {
		to := filepath.Join(folder, filepath.FromSlash(name))
		if err == nil {
			err = errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, body, 0o644))
		}
	}
	return err
}
