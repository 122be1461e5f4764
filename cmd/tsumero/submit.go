package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/client"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/cmd/internal/command"
)

// serviceFlags say which service is asked.
type serviceFlags struct {
	settings    *cli.Settings
	server, key string
}

const defaultServer = "http://localhost:8080"

func (f *serviceFlags) declare(l cli.Language, cmd *cobra.Command) {
	f.settings = cli.NewSettings(l, cmd.Flags())
	f.settings.Text(&f.server, "server", "URL",
		l.Text("the service to ask (default "+defaultServer+")", "依頼先のサービス（既定 "+defaultServer+"）"), func(v string) error {
			if _, err := client.ParseAddress(v); err != nil {
				return cli.Errorf("an address such as https://example.org",
					"https://example.org のようなアドレス")
			}
			return nil
		})
	f.settings.Text(&f.key, "key", "KEY",
		l.Text("the API key, if the service has given you one; rather set the variable, since other users "+
			"of the machine can read arguments", "サービスの API キー。引数はほかの利用者に見えるので、環境変数を推奨"), nil)
}

// client returns the client of the service.
func (f *serviceFlags) client(cmd *cobra.Command) (*client.Client, error) {
	if err := f.settings.Resolve(); err != nil {
		return nil, command.UsageError(cmd, err)
	}
	if f.server == "" {
		f.server = defaultServer
	}
	c, err := client.New(f.server, f.key)
	if err != nil {
		return nil, command.UsageError(cmd, err)
	}
	stderr, l := cmd.ErrOrStderr(), command.LanguageOf(cmd)
	if c.SendsKeyOpenly() {
		fmt.Fprintln(stderr, l.Sprintf("tsumero: warning: the API key goes to %s without encryption, "+
			"and others can read it; use https", "tsumero: 警告：API キーが暗号化されずに %s に送られます。https を使ってください。",
			f.server))
	}
	c.Waiting = func(why error, in time.Duration) {
		fmt.Fprintln(stderr, l.Sprintf("tsumero: %v; trying again in %v", "tsumero: %s（%v後に再試行）", why, in.Round(time.Second/10)))
	}
	return c, nil
}

type submitFlags struct {
	serviceFlags
	file     string
	notation string
	after    int
	hands    string
	output   string
	wait     bool

	analyze  bool
	shortest bool
	nodes    uint64
	time     time.Duration
	memory   cli.Size
}

func newSubmit(l cli.Language) *cobra.Command {
	var f submitFlags
	cmd := &cobra.Command{
		Use:   "submit [POSITION]...",
		Short: l.Text("Have a service solve what takes long", "長時間の解図の依頼"),
		Long: l.Text(`Submit gives a service a job: one problem that may take hours, or a collection of up to
millions. The job goes on when you have left, and nothing is lost when the service, a worker or
this program is stopped. It prints the id of the job, with which "tsumero jobs" shows how it goes
and what it found. The id is a secret: whoever knows it can see the job and cancel it.

Positions are given as for solve: as arguments, in --file, or on standard input. A file may be in
any notation that solve reads, and a folder stands for the files in it. One position is a problem,
more are a collection, whose answers have the order of the input and say where each position
stood: a file and a line, or a record. What cannot be read as a record is reported, and
left out. Faults of positions are among the answers.

--time, --nodes and --shortest are as for solve, for each position; --memory is for the table of
one problem. With --analyze the question is that of analyze: is the problem sound? The service
says how much one may ask, and what it does not allow is refused with the reason.

When the service is busy or cannot be reached, submit tries again for a minute. A job is never
doubled by that, nor by running the same command again after submit was stopped: until the service
has accepted the job, its key is kept in a file in $XDG_STATE_HOME/tsumero/submit, or in
~/.local/state.

With --wait submit prints the answers, too, as they are found. An interrupt (Ctrl-C) ends the
waiting and not the job.

The exit code is 0 once the job is accepted, or with --wait as for solve or analyze; 3 if a file
could not be read, 4 for wrong use, 5 if the service refused or could not be reached, or the job
failed, and 130 when interrupted.`,
			`何時間もかかる一題や、数百万局面までの作品集の解図を、サービスに依頼します。依頼したジョブは、接続を
切っても続き、サービスやこのプログラムが止まっても失われません。ジョブの ID を表示するので、tsumero
jobs で進み具合と答えを見られます。ID を知る人はジョブの閲覧も中止もできるので、他人には教えないでく
ださい。

局面は solve と同じように、引数、--file、標準入力で渡します。フォルダではその中のファイルを読みま
す。局面が複数なら作品集とし、答えは入力の順で、場所（ファイルと行、棋譜の番号）が付きます。読めない
棋譜はその旨を示して除きます。局面の誤りは答えに入ります。

--time、--nodes、--shortest は solve と同じです（局面ごと）。--memory は一題の表の大きさで
す。--analyze は、完全作かどうかの検討を依頼します。サービスの上限を超える依頼は、理由とともに拒否さ
れます。

サービスが混んでいるときや、つながらないときは、1分間試します。同じコマンドをもう一度実行しても、
ジョブは二重になりません（受け付けられるまで、冪等キーを $XDG_STATE_HOME/tsumero/submit か
~/.local/state に置きます）。

--wait は、答えを届き次第表示します。中断（Ctrl-C）してもジョブは続きます。

終了コード：受付 0（--wait は solve、analyze と同じ）、読めないファイル 3、拒否・失敗 5、中断 130`),
		Example: `  tsumero submit --time 2h --memory 8G 'n3p4/3k+b4/3g1B3/9/pn+rRN4/5P3/3P5/9/9 b 3g4sn4l14p 1'
  tsumero submit --server https://tsume.example.org --time 10s --file problems.sfen
  tsumero submit --wait --output json --file collection/ > answers.ndjson
  generate | tsumero submit --nodes 100000`,
		RunE: func(cmd *cobra.Command, args []string) error { return submit(cmd, args, &f) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	f.declare(l, cmd)
	flags.StringVarP(&f.file, "file", "f", "",
		l.Text("read positions from `FILE`, or from the files of a folder; - is standard input",
			"局面を読むファイルかフォルダ `FILE`（- は標準入力）"))
	notationFlag(l, cmd, &f.notation)
	afterFlag(l, cmd, &f.after, "take")
	handsFlag(l, cmd, &f.hands)
	flags.BoolVar(&f.shortest, "shortest", false,
		l.Text("look for the shortest mate, and prove that there is none shorter",
			"最短の詰みと、それより短い詰みがないことの証明"))
	flags.Uint64Var(&f.nodes, "nodes", 0,
		l.Text("look at no more than `N` positions for each answer (default: what the service does)",
			"答え一つに調べる局面の上限 `N`（既定：サービスの設定）"))
	flags.DurationVar(&f.time, "time", 0,
		l.Text("spend no more than `DURATION`, such as 10s or 2h, on each answer (default: what the service "+
			"does)",
			"答え一つにかける時間 `DURATION`（10s、2h など。既定：サービスの設定）"))
	flags.Var(&f.memory, "memory",
		l.Text("give the search of one problem a table of `SIZE`, such as 512M or 8G (default: what the "+
			"service does)",
			"一局面の探索に使う表の大きさ `SIZE`（512M、8G など。既定：サービスの設定）"))
	flags.BoolVar(&f.analyze, "analyze", false, l.Text("ask whether the problems are sound, as analyze does",
		"完全作かどうかの検討（analyze と同じ）"))
	flags.BoolVar(&f.wait, "wait", false, l.Text("wait for the answers and print them", "答えを待って表示"))
	command.ChoiceFlag(cmd, &f.output, "output", "o", "text", cli.JobOutputs,
		l.Text("`FORMAT` of the answers: text for people; json, one object a line; or tsv, with a heading",
			"答えの形式 `FORMAT`：text（表示用）、json（一行一件）、tsv（見出し付き）"))
	return cmd
}

func (f *submitFlags) validate(cmd *cobra.Command, args []string) error {
	check := command.Check(cmd)
	add := check.Fault
	changed := cmd.Flags().Changed
	add(len(args) > 0 && f.file != "",
		"positions come either as arguments or from --file, not both",
		"局面は引数か --file のどちらか一方です。")
	check.Choices("output")
	add(changed("output") && !f.wait, "--output goes with --wait only", "--output は --wait と使います。")
	check.Choices("notation")
	add(len(args) > 0 && (f.notation != "auto" || f.after != 0 && !f.analyze),
		"--notation and --after are for files, arguments are SFEN",
		"--notation と --after はファイル用です。引数は SFEN です。")
	check.NotNegative("after", f.after < 0, f.after)
	check.Choices("hands")
	add(changed("nodes") && f.nodes == 0, "--nodes must be at least 1", "--nodes は 1 以上です。")
	add(changed("time") && f.time < time.Millisecond, "--time is %v, but must be 1ms at least",
		"--time の %v は短すぎます（1ms 以上）。", f.time)
	add(changed("memory") && f.memory < 1<<20, "--memory is %v, but must be 1MiB at least",
		"--memory の %v は小さすぎます（1MiB 以上）。", f.memory)
	add(f.analyze && (f.shortest || changed("memory")),
		"--shortest and --memory do not go with --analyze",
		"--shortest と --memory は --analyze とは使えません。")
	return check.Err()
}

// questions returns the questions of the input.
func (f *submitFlags) questions(cmd *cobra.Command, args []string) iter.Seq2[cli.Question, error] {
	file := cli.FileFormat{Format: notationOf(f.notation), After: f.after}
	if f.analyze {
		file.After = 0 // all moves are read, and the first of them played by ToAnalyze
	}
	switch {
	case len(args) > 0:
		return cli.Arguments(args)
	case f.file != "" && f.file != cli.Stdin:
		return cli.ReadSources(cli.Sources([]string{f.file}, cli.OutputFiles()), nil, file)
	}
	if cli.IsTerminal(cmd.InOrStdin()) {
		typePositions(cmd)
	}
	return cli.Files(cmd.InOrStdin(), file)
}

// A jobInput is the questions of a job, in a file of its own: every attempt to submit them sends
// the same bytes, however the input changes in between.
type jobInput struct {
	*os.File
	questions int
	faulty    int                       // files and records that could not be read
	last      *wire.AnalyzeBatchRequest // the only one, if there is one
}

func (in *jobInput) remove() {
	in.Close()
	os.Remove(in.Name())
}

// readInput reads the questions into a file, which the caller removes, until they end or ctx does.
func (f *submitFlags) readInput(ctx context.Context, l cli.Language, questions iter.Seq2[cli.Question, error],
	stderr io.Writer) (in *jobInput, err error) {
	file, err := os.CreateTemp("", "tsumero-submit-*.ndjson") // 0600
	if err != nil {
		return nil, err
	}
	in = &jobInput{File: file}
	defer func() {
		if err != nil {
			in.remove()
		}
	}()
	out := bufio.NewWriterSize(in, 256<<10)
	for q, err := range cli.Until(ctx, questions) {
		if err != nil {
			return nil, err
		}
		question, err := q.ToSolve()
		if f.analyze {
			question, err = q.ToAnalyze(f.after)
		}
		if err != nil {
			in.faulty++
			fmt.Fprintln(stderr, l.Sprintf("tsumero: left out: %v", "tsumero: 除外：%s", err))
			continue
		}
		in.questions++
		in.last = question
		if _, err := out.Write(wire.Encode(question)); err != nil {
			return nil, err
		}
	}
	return in, out.Flush()
}

// query returns what the lines of a collection have in common.
func (f *submitFlags) query() url.Values {
	q := wire.JobQuery{Hands: f.hands, JobLimits: f.limits()}
	if f.analyze {
		q.Ask = jobs.AskAnalyze
	}
	return q.Values()
}

// limits are those of each question.
func (f *submitFlags) limits() wire.JobLimits {
	return wire.JobLimits{RequestLimits: wire.RequestLimits{Nodes: f.nodes,
		TimeMS: f.time.Milliseconds(), Shortest: f.shortest}, MemoryMiB: int64(f.memory) >> 20}
}

// problem is the body for one position.
func (f *submitFlags) problem(q *wire.AnalyzeBatchRequest) []byte {
	request := wire.JobRequest{SFEN: q.SFEN, Hands: f.hands, Limits: f.limits()}
	if !f.analyze {
		return wire.Encode(&request)
	}
	return wire.Encode(struct {
		wire.JobRequest
		// That it is there asks for an analysis, whatever is in it.
		Analyze wire.JobAnalysis `json:"analyze"`
	}{request, wire.JobAnalysis{Line: q.Line}})
}

func submit(cmd *cobra.Command, args []string, f *submitFlags) error {
	if slices.Equal(args, []string{cli.Stdin}) {
		args = nil
	}
	if err := f.validate(cmd, args); err != nil {
		return err
	}
	c, err := f.client(cmd)
	if err != nil {
		return err
	}
	ctx, stdout, stderr := cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	if f.file != "" && f.file != cli.Stdin {
		if _, err := os.Stat(f.file); err != nil {
			return err
		}
	}
	in, err := f.readInput(ctx, command.LanguageOf(cmd), f.questions(cmd, args), stderr)
	if errors.Is(err, cli.ErrInterrupted) {
		return command.Interrupted("nothing was submitted", "何も依頼していません。")
	}
	if err != nil {
		return err
	}
	defer in.remove()
	s := &client.Submission{ContentType: "application/x-ndjson", Query: f.query(), Body: in}
	switch {
	case in.questions == 0 && in.faulty > 0:
		return command.Exit(command.ExitBadPosition, cli.Errorf("nothing is left to submit",
			"依頼する局面がありません。"))
	case in.questions == 0:
		return command.NoPosition(cmd)
	case in.questions == 1:
		s.ContentType, s.Query, s.Body = "application/json", nil, bytes.NewReader(f.problem(in.last))
	case f.memory > 0:
		return command.UsageError(cmd, cli.Errorf("--memory is for one position, and there are %d",
			"--memory は一局面用ですが、%d局面あります。", in.questions))
	}
	l := command.LanguageOf(cmd)
	j, err := f.send(ctx, l, c, s, stderr)
	if err != nil {
		return err
	}
	if !f.wait {
		if _, err := fmt.Fprintln(stdout, j.ID); err != nil {
			return err
		}
		if in.faulty > 0 {
			return command.Exit(command.ExitBadPosition, nil)
		}
		return nil
	}
	fmt.Fprintln(stderr, l.Sprintf("tsumero: job %s", "tsumero: ジョブ %s", j.ID))
	look := &jobsFlags{serviceFlags: f.serviceFlags, follow: true, results: true, output: f.output}
	return look.show(cmd, c, jobs.ID(j.ID), in.faulty)
}

// send submits the job under a key that is kept until it is accepted, or refused for good.
func (f *submitFlags) send(ctx context.Context, l cli.Language, c *client.Client, s *client.Submission,
	stderr io.Writer) (*wire.Job, error) {
	keys, err := client.DefaultKeys()
	if err != nil {
		return nil, cli.Errorf("no folder for the key of the job: %s", "冪等キーを置くフォルダがありません：%s", err)
	}
	key, confirm, err := keys.Key(c, s)
	if err != nil {
		return nil, cli.Errorf("the key of the job: %s", "冪等キー：%s", err)
	}
	s.Key = key
	j, again, err := c.Submit(ctx, s)
	switch {
	case ctx.Err() != nil:
		return nil, command.Interrupted("the job may have been accepted; the same command again asks for the "+
			"same job", "受け付け済みかもしれません。同じコマンドで同じジョブになります。")
	case err != nil && client.IsPassing(err):
		return nil, cli.Errorf("%s\nThe same command again asks for the same job", "%s\n同じコマンドで同じジョブになります。", err)
	case err != nil:
		return nil, errors.Join(explainQuota(err), confirm())
	}
	if again {
		fmt.Fprintln(stderr, l.Text("tsumero: the job was accepted before: it is that of the command that was stopped",
			"tsumero: 前に中断したコマンドのジョブが受け付け済みです。"))
	}
	return j, confirm()
}

// explainQuota says who sets the quota, if err is that a job is more than a client may have.
func explainQuota(err error) error {
	var refusal *client.Refusal
	if errors.As(err, &refusal) && refusal.Code == wire.QuotaExceeded.Code {
		return cli.Errorf("%s\nWho runs the service sets what clients may have: tsumero-server serve "+
			"--quota-anonymous lines=N, or keys with --api-keys", "%s\n上限はサービス側の設定です"+
			"（tsumero-server serve --quota-anonymous lines=N、または --api-keys のキー）。", err)
	}
	return err
}
