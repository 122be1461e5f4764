package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/cmd/internal/memory"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/collection"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/theme"
)

type collectionFlags struct {
	notation  string
	output    string
	search    string
	relations []string
	themes    []string
	sort      string
	rules     wire.AnalyzeRules
	scope     wire.AnalyzeScope // no more of it than when to stop
	hands     string
	jobs      int
	limits    limitFlags
	keep      string
	job       serviceFlags
	sheet     sheetFlags
	folder    folderFlags
}

func newCollection(l cli.Language) *cobra.Command {
	var f collectionFlags
	cmd := &cobra.Command{
		Use: "collection [FILE|FOLDER]...",
		Short: l.Text("List the problems of a collection, and those that are alike",
			"作品集の一覧と、同一・類似の作品"),
		Long: l.Text(`Collection reads all problems of files and folders and says of each what it is like before it:
whether it is there already, mirrored or with the colours exchanged perhaps, whether it is the end
of another one, and whether it is a near copy.

Files are read as by solve: one position a line, tables and JSON, or
`+recordFiles+`. Moves, as long as the attacker gives check, are taken for the author's line. Of folders the files are read, at any
depth, whose names end like those of a notation. Without arguments, and for -, standard input is read.
A file that cannot be read is a fault in its place, and the others are read. Titles and authors are
those of records, or of columns or keys of such names.

What a problem can be to one before it, with its number:
  duplicate    the same, perhaps with the colours exchanged
  mirror_twin  the same, mirrored
  contained    it is a position of the other's main line, @ the ply
  contains     the other is a position of its main line, @ the ply
  other_hand   the same figure, with other hands
  changed      one or two pieces are added, missing, or one is elsewhere, ~ the pieces that differ
  shifted      the same figure elsewhere on the board
  same_end     the same final figure and last move
  same_idea    the first moves are the same, = how many, or all but one; wherever the king stands
An m at the end says that one of the two has to be mirrored. The last two are listed on request only:
among short problems they are many.

The keys are texts: t1: is the problem itself, t1h: its short form. Two problems with equal keys are
the same, in any collection.

--search none looks at positions and records alone, and takes a second for 10,000 problems. line, the
default, finds the verdict, the lengths, with and without futile interpositions, and the main line,
which most relations need. report asks about all other moves too: cooks, soundness, difficulty and
the themes that need searches. Its limits are those of analyze, so both say the same of a problem, and
without --time the list is the same each time. For a first look at a large collection, --nodes 200000
--question-nodes 20000 takes less time and leaves more open.

brinkmate takes the problems for brinkmates (必至) of up to seven plies, as 'tsumero threat' finds them,
and prints them with --output html: 3手必至, and the attacks with the best defence.

--sort prints the list or the sheet at the end, by themes or the shortest first. --themes has those
problems printed alone that have all of the themes named. These are the themes, of the diagram, of
the final figure and of the moves:
`+themeList()+`
Each is defined where /v1/analyze is described, and in package solver/theme. What nobody looked at is
no theme: 不成 and 遠打 need report, for they say that other moves fail. In the list a theme has its
plies behind it: sacrifice:1,5.

Problems are printed in order as they are found; html comes at the end. It is a sheet to print or to
put on a site, one file that needs nothing else: diagrams with number, title, author and length, as
many a page as --per-page says, on --paper; then the solutions, or where --solutions says, in the
language and notation of --lang. Where White attacks the problem is turned. With --search report the
solutions have variations, cooks and what else is wrong; with none, a record's own line and length.
Print it from a browser; numbers of pages behind the diagrams need Chromium 131.

folder is a site for any file server, in --to: an index of diagrams, and of each problem a page with a
board that plays the solution, the solution folded away, a picture, records (KIF, CSA, SFEN), JSON and
the certificate of the mate. It loads nothing from elsewhere. To judge what readers play beside the
solution it needs the solver for browsers, --engine, which export adds, or a service, --service, that
allows its origin. Files are named by number. Written
anew, the folder becomes the new collection, and files of the old one that it no longer has are
removed; files of others stay.

--keep has a file of finished reports, so that a command that was stopped, or killed, goes on where it
was, and the same reports in another output or language are searched once. Reports of other limits,
of another line or of another build are not taken. --server has a service search the problems, as a job
over its workers; with --keep a command that was stopped goes on with its job.

An interrupt prints, or writes, what is there, but a folder that has a collection keeps it. The exit
code is 0, 3 if a problem or a file has a fault, 4 for wrong use, 5 if writing failed, and 130 when
interrupted.`,
			`ファイルやフォルダの作品を全部読み、それぞれが前の作品とどう似ているか（同一、左右反転、色の入れ替
え、手順中の図、類似）を示します。

ファイルは solve と同じように読みます（一行一局面、表、JSON、棋譜）。王手の続く指し手は作意とみなし
ます。フォルダでは棋譜の拡張子のファイルを下の階層まで読みます。引数がないときと - では標準入力を読
みます。読めないファイルは誤りとして示し、次に進みます。

関係（番号は前の作品）：
  duplicate    同一（色の入れ替えも）
  mirror_twin  左右反転
  contained    前の作品の本手順中の図（@ の後は手数）
  contains     本手順中に前の作品の図（@ の後は手数）
  other_hand   持駒違い
  changed      一、二枚の違い（~ の後は違う駒）
  shifted      配置の平行移動
  same_end     同じ詰上りと最終手
  same_idea    初手からの手順が同じ（= の後は手数）か、一手違い
末尾の m は左右反転です。最後の二つは指定したときだけ示します。

キー（t1: は作品、t1h: は短縮形）が同じなら同一の作品です。

--search none は図と棋譜だけを調べます（1万題で約1秒）。既定の line は、判定、手数、本手順を求めま
す。report は、余詰、完全作かどうか、難しさ、手筋・趣向まで検討します（制限は analyze と同じ）。大き
な作品集の下見には、--nodes 200000 --question-nodes 20000 とすると速く済みます。brinkmate は7手まで
の必至の作品集を、--output html で印刷用にします。

--sort は最後に、短い順か手筋・趣向の順に出力します。--themes は、挙げた手筋・趣向がすべてある作品だ
けを出力します。一覧：`+"\n"+themeList()+
				`定義は /v1/analyze の説明にあります。不成と遠打には report が必要です。

html は、印刷や公開のための一枚のファイルです。番号、作品名、作者、手数の付いた図面を --per-page 面
ずつ --paper に並べ、解答を --solutions の場所に置きます。後手が攻方の図は反転します。--search
report では変化や余詰も付き、none では棋譜の手順と手数になります。

folder は、--to に公開用のサイトを作ります。図面の目次と、一題ごとに、盤、解答、画像、棋譜
（KIF、CSA、SFEN）、JSON、証明書のページです。外部からは何も読み込みません。作意以外の手も判定するに
は、--engine（ブラウザ用解図エンジン）か --service が必要です。書き直すと新しい作品集に置き換わり、
ほかのファイルは残ります。

--keep は、済んだ報告をファイルに残し、中断しても続きから始めます。--server は、探索をサービスの
ジョブとして依頼します。

終了コード：0、作品やファイルの誤り 3、書き込みの失敗 5、中断 130`),
		Example: `  tsumero collection --search none problems/ > keys.tsv
  tsumero collection --relations duplicate,mirror_twin,contained old.tsv new.kif
  tsumero collection --search report --output html --title 詰将棋集 problems/ > problems.html
  tsumero collection --search report --output folder --to site problems/
  tsumero collection --search report --nodes 10000000 --keep works.keep -o folder --to ja works.tsv
  tsumero collection --output html --per-page 4 --paper B5 --solutions upside-down a.kif > a.html`,
		RunE: func(cmd *cobra.Command, args []string) error { return listCollection(cmd, args, &f) },
	}
	relations := relationNames()
	flags := cmd.Flags()
	notationFlag(l, cmd, &f.notation)
	command.ChoiceFlag(cmd, &f.output, "output", "o", "tsv", cli.CollectionOutputs,
		l.Text("`FORMAT` of the list: tsv, with a heading; json, one object a line; html, a sheet of diagrams; folder, pages to publish",
			"一覧の形式 `FORMAT`：tsv（見出し付き）、json（一行一件）、html（図面の一覧）、folder（公開用のページ）"))
	command.ChoiceFlag(cmd, &f.search, "search", "", string(cli.SearchLine), cli.CollectionSearches,
		l.Text("`WHAT` is searched of each problem: none, line, report or brinkmate",
			"一題ごとの探索 `WHAT`：none、line、report、brinkmate"))
	flags.StringSliceVar(&f.relations, "relations", relations[:len(relations)-2],
		l.Text("`RELATIONS` that are listed, separated by commas, or all",
			"表示する関係 `RELATIONS`（コンマ区切り。all は全部）"))
	flags.StringSliceVar(&f.themes, "themes", nil,
		l.Text("print only problems that have all these `THEMES`, separated by commas: IDs or Japanese names",
			"この手筋・趣向 `THEMES` がすべてある作品だけ（コンマ区切り。ID か日本語名）"))
	command.ChoiceFlag(cmd, &f.sort, "sort", "", cli.CollectionOrders[0], cli.CollectionOrders,
		l.Text("print in the order of `WHAT`: number; plies, the shortest first; or themes",
			"並べる順 `WHAT`：number（番号）、plies（短い順）、themes（手筋・趣向）"))
	command.ChoiceFlag(cmd, &f.rules.Policy, "policy", "", length.Default.String(), policyNames(),
		l.Text("`POLICY` by which interpositions are futile: F0, none; F1, at the end; F2, wherever the checking piece "+
			"takes; F3, wherever any piece takes",
			"手数の数え方 `POLICY`（無駄合の定義）：F0 は除かない、F1 は最終手のみ、F2 は王手の駒で取る合駒も、F3 はどの駒で取る合駒も"))
	command.ChoiceFlag(cmd, &f.rules.Profile, "profile", "", analysis.Magazine.Name, profileNames(),
		l.Text("`RULES` of sound problems: strict, magazine or app",
			"完全作の基準 `RULES`：strict、magazine、app"))
	stopFlag(l, cmd, &f.scope.Stop)
	handsFlag(l, cmd, &f.hands)
	command.PerProcessorFlag(l, flags, &f.jobs, "jobs", l.Text("search `N` problems at the same time",
		"同時に探索する作品の数 `N`"))
	f.limits.declare(l, cmd)
	flags.StringVar(&f.keep, "keep", "",
		l.Text("keep finished reports in `FILE`, and go on from those that are there (default: none are kept)",
			"済んだ報告を残して続きから始めるファイル `FILE`（既定：残さない）"))
	f.job.declare(l, cmd)
	f.sheet.add(l, cmd)
	f.folder.add(l, cmd)
	command.Complete(cmd, "relations", relations)
	command.Complete(cmd, "themes", theme.IDs())
	return cmd
}

// themeList is for the help: the IDs with their Japanese names, a line for each.
func themeList() string {
	var b strings.Builder
	for _, t := range theme.All {
		fmt.Fprintf(&b, "  %-26s %s\n", t.ID, t.Ja)
	}
	return b.String()
}

// relationNames are those of all relations.
func relationNames() (names []string) {
	for r := collection.Duplicate; r < collection.NumRelations; r++ {
		names = append(names, r.String())
	}
	return names
}

// options returns what the flags ask for, and every fault of theirs.
func (f *collectionFlags) options(cmd *cobra.Command) (cli.CollectionOptions, error) {
	o := cli.CollectionOptions{Search: cli.CollectionSearch(f.search), Output: f.output,
		Workers: f.jobs, Rest: f.hands == wire.HandsComplete,
		Session: func() solver.Session { return dfpn.NewSession() }}
	check := command.Check(cmd)
	add := check.Fault
	f.limits.check(cmd, check)
	o.Time, o.Question.Nodes, o.Question.QuestionNodes = f.limits.time, f.limits.nodes, f.limits.question
	check.Choices("notation", "output", "search", "hands")
	names := f.relations
	if slices.Equal(names, []string{"all"}) {
		names = relationNames()
	}
	for _, name := range names {
		r, err := collection.ParseRelation(name)
		add(err != nil, "--relations has %q, which is none", "--relations の「%s」は誤りです。", name)
		o.Relations = append(o.Relations, r)
	}
	for _, name := range f.themes {
		t := theme.ByID(name)
		add(t == nil, "--themes has %q, which is none", "--themes の「%s」という手筋・趣向はありません。", name)
		o.Themes = append(o.Themes, t)
	}
	check.Choices("sort")
	o.Order = f.sort
	add(f.sort != cli.CollectionOrders[0] && f.output == "folder", "--sort does not go with --output folder",
		"--sort は --output folder とは使えません。")
	check.Choices("policy", "profile", "stop")
	f.rules.SetTo(&o.Question)
	f.scope.SetTo(&o.Question)
	check.Range("jobs", f.jobs, 1, command.MaxJobs)
	o.Page = f.sheet.page(cmd, check, f.output)
	title := strings.TrimSpace(f.sheet.title)
	if folder := f.folder.page(cmd, check, &o, title); folder != nil {
		o.Page = folder
	}
	isBrinkmate := o.Search == cli.SearchBrinkmate
	add(isBrinkmate && f.output != "html", "--search brinkmate goes with --output html only",
		"--search brinkmate は --output html 用です。")
	if o.Search != cli.SearchNothing && !isBrinkmate && (f.keep != "" || o.Output == "folder") {
		o.Certify = certifier(f.limits.nodes)
	}
	for _, name := range []string{"keep", "server", "key"} {
		add((o.Search == cli.SearchNothing || isBrinkmate) && cmd.Flags().Changed(name),
			"--%s does not go with --search %s",
			"--%s は --search %s とは使えません。", name, f.search)
	}
	add(cmd.Flags().Changed("key") && !f.byJob(cmd), "--key goes with --server only",
		"--key は --server と使います。")
	return o, check.Err()
}

// byJob reports whether a service searches the problems. Its address in the environment, for other
// commands, does not say so.
func (f *collectionFlags) byJob(cmd *cobra.Command) bool { return cmd.Flags().Changed("server") }

// reports opens what keeps reports. The caller closes it.
func (f *collectionFlags) reports(cmd *cobra.Command, o *cli.CollectionOptions) error {
	if f.keep == "" && !f.byJob(cmd) {
		return nil
	}
	server := ""
	if f.byJob(cmd) {
		server = cmd.Flags().Lookup("server").Value.String()
	}
	build := buildName(server)
	if f.keep == "" {
		o.Keep = cli.NewKeep(build)
		return nil
	}
	var err error
	o.Keep, err = cli.OpenKeep(f.keep, build)
	return err
}

func listCollection(cmd *cobra.Command, args []string, f *collectionFlags) error {
	o, err := f.options(cmd)
	if err != nil {
		return err
	}
	// Each worker has a table of its own, and must have room for it.
	memory.LimitGo()
	const each = dfpn.SessionBytes + length.MemoBytes
	o.Workers = max(1, min(o.Workers, int(memory.Available()/2/each)))

	format := cli.FileFormat{Format: notationOf(f.notation)}
	stderr := cmd.ErrOrStderr()
	if len(args) == 0 {
		if cli.IsTerminal(cmd.InOrStdin()) {
			typePositions(cmd)
		}
		args = []string{"-"}
	}
	sources := cli.Sources(args, cli.OutputFiles(f.keep, f.folder.to))
	if len(sources) == 0 {
		return command.UsageError(cmd, cli.Errorf("there is no file of a notation in %s",
			"%s に棋譜のファイルがありません。", strings.Join(args, ", ")))
	}
	total := cli.Paths(sources).Size()
	if f.output == "folder" && total >= 0 {
		if err := checkFolder(f.folder.to, sources, format); err != nil {
			return command.UsageError(cmd, fmt.Errorf("--to: %w", err))
		}
	}
	start := time.Now()
	questions := cli.ReadSources(sources, cmd.InOrStdin(), format)
	progress := cli.NewProgress(command.LanguageOf(cmd), stderr, total, cli.IsTerminal(cmd.OutOrStdout()))
	if err := f.reports(cmd, &o); err != nil {
		return err
	}
	if o.Keep != nil {
		defer o.Keep.Close()
	}
	if o.Search == cli.SearchReport && total >= 0 || f.byJob(cmd) {
		// Each takes long: all are counted first.
		var all []cli.Question
		for q, err := range cli.Until(cmd.Context(), questions) {
			if err != nil {
				return command.Interrupted("nothing was searched", "探索しませんでした。")
			}
			all = append(all, q)
		}
		questions, progress = cli.Listing(all), cli.NewCountedProgress(command.LanguageOf(cmd), stderr, len(all))
	}
	if f.byJob(cmd) {
		if err := f.searchByJob(cmd, &o, questions); err != nil {
			return err
		}
	}
	tally, err := cli.Collection(cmd.Context(), o, questions, cmd.OutOrStdout(), progress)
	if err == nil && o.Keep != nil {
		err = o.Keep.Close()
	}
	code := command.ExitOK
	if tally.Faulty > 0 {
		code = command.ExitBadPosition
	}
	return conclude(cmd, &tally, 0, start, code, err)
}
