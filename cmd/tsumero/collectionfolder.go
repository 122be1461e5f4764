package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/jobs/client"
	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/certificate"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/web/book"
	"github.com/tsumero/tsumero/web/engine"
)

// folderFlags are those of a collection as a folder, beside the title and the language of a sheet.
type folderFlags struct {
	to, service string
	engine      bool
}

func (f *folderFlags) add(l cli.Language, cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.to, "to", "",
		l.Text("write the pages into `FOLDER`: a new or empty one, or one with an earlier collection (folder only)",
			"ページを書くフォルダ `FOLDER`（新規、空、または以前の作品集。folder のみ）"))
	cmd.Flags().StringVar(&f.service, "service", "",
		l.Text("`URL` of a service that judges what readers play beside the solution (folder only; default: none)",
			"作意以外の手を判定するサービスの `URL`（folder のみ。既定：なし）"))
	cmd.Flags().BoolVar(&f.engine, "engine", false,
		l.Text("put the solver beside the pages, which judges that in the reader's browser (folder only)",
			"読者のブラウザで判定する解図エンジンの同梱（folder のみ）"))
}

// page returns what collects a folder; nil if the output is another.
func (f *folderFlags) page(cmd *cobra.Command, check *command.Checks, o *cli.CollectionOptions,
	title string) cli.CollectionPage {
	if o.Output != "folder" {
		for _, name := range []string{"to", "service", "engine"} {
			check.Fault(cmd.Flags().Changed(name), "--%s is for --output folder alone",
				"--%s は --output folder 用です。", name)
		}
		return nil
	}
	check.Fault(f.to == "", "--to is missing: the folder of the pages", "--to（出力先のフォルダ）がありません。")
	if f.to != "" {
		err := book.Check(f.to, 0)
		check.Fault(err != nil, "--to: %s", "--to：%s", err)
	}
	service := ""
	if f.service != "" {
		address, err := client.ParseAddress(f.service)
		check.Fault(err != nil, "--service is %q, but must be an address such as https://example.org",
			"--service の「%s」は誤りです（https://example.org のようなアドレス）。", f.service)
		if err == nil {
			service = strings.TrimSuffix(address.String(), "/")
		}
	}
	var files map[string][]byte
	if f.engine {
		files = engine.ForBoards()
		check.Fault(len(files) == 0, "this program was built without the solver for browsers: run "+
			"'go generate ./web/engine' in its sources and build it again, or use --engine=false",
			"ブラウザ用解図エンジンなしでビルドされています。go generate ./web/engine の後に再ビルドするか、--engine=false を指定してください。")
	}
	return &folderPage{ctx: cmd.Context(), to: f.to, faults: cmd.ErrOrStderr(),
		options: book.Options{Title: title, Language: string(command.LanguageOf(cmd)), Service: service, Engine: files}}
}

// checkFolder returns an error if files of others in a folder are in the place of those of the
// problems: before they are searched. The sources can be read twice.
func checkFolder(dir string, sources []cli.Source, format cli.FileFormat) error {
	problems := 0
	for range cli.ReadSources(sources, nil, format) {
		problems++
	}
	return book.Check(dir, problems)
}

// A folderPage is a collection as a folder.
type folderPage struct {
	ctx      context.Context
	to       string
	options  book.Options
	problems []book.Problem
	faults   io.Writer // for what an editor is told, and readers are not
}

func (f *folderPage) Add(p *cli.Listed) {
	if p.Fault != nil {
		fmt.Fprintln(f.faults, cli.Language(f.options.Language).Sprintf("problem %d: %s", "%d番：%s", p.Number, faultOf(p, f.options.Language)))
		return
	}
	b := book.Problem{Problem: newSheetProblem(p), Alike: relationsOf(p, f.options.Language),
		Report: p.JSON(), Themes: p.Themes}
	if a := p.Report; a != nil {
		w := report.Of(a)
		b.Certificate, b.Status, b.Findings = []byte(a.Certificate), w.Status(), w.Summary()
		if a.Author != nil && !a.Line.Given {
			b.Recorded = a.Author.Moves
		}
	}
	f.problems = append(f.problems, b)
}

// certifier returns what makes certificates. That asks for a proof, which the search of a problem keeps
// none of; the first mate is found much faster than the shortest.
func certifier(nodes uint64) func(ctx context.Context, a *analysis.Analysis) string {
	mates := mate.New(mate.Options{TableBytes: 16 << 20})
	return func(ctx context.Context, a *analysis.Analysis) string {
		var text bytes.Buffer
		var err error
		if a.Verdict == solver.NoMate {
			err = certificate.NoMate(ctx, &text, a.Position, a.Attacker, dfpn.NewSession().Closure(),
				certificate.Limits{Nodes: nodes})
		} else if r := mates.Solve(ctx, a.Position, solver.Limits{Nodes: nodes, Proof: true}); r.Verdict == solver.Mate {
			err = certificate.Mate(ctx, &text, a.Position, a.Attacker, r.Proof)
		}
		if err != nil {
			return "" // interrupted, or not within the nodes
		}
		return text.String()
	}
}

func (f *folderPage) Write(out io.Writer, whole bool) error {
	if len(f.problems) == 0 {
		return nil
	}
	// An interrupt that comes after the search may still cost certificates.
	interrupted := f.ctx.Err() != nil
	f.options.Partial = !whole || interrupted
	err := book.Write(f.to, f.problems, f.options)
	switch {
	case errors.Is(err, book.ErrKept):
		fmt.Fprintln(f.faults, cli.Language(f.options.Language).Sprintf("%s: %v, as the new one is not whole", "%s：%v（新しいほうは途中まで）", f.to, err))
	case err != nil:
		return err
	default:
		_, err = fmt.Fprintln(out, filepath.Join(f.to, "index.html"))
	}
	if interrupted {
		return cli.Errorf("%s while the folder was written", "フォルダの書き込み中に%s", cli.ErrInterrupted)
	}
	return err
}
