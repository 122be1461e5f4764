package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/client"
	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/shogi"
)

type jobsFlags struct {
	serviceFlags
	follow, results, cancel, purge bool
	output                         string
}

func newJobs(l cli.Language) *cobra.Command {
	var f jobsFlags
	cmd := &cobra.Command{
		Use:   "jobs [ID]",
		Short: l.Text("See how jobs go, read their answers, cancel them", "依頼したジョブの状況、答え、中止"),
		Long: l.Text(`Jobs says how a job goes that was given to a service with submit: its state, how many of its
positions are answered and how, and how the search goes. Without an id it lists the jobs of your
API key, or says without one how busy the service is.

The states:
  receiving  the service does not have all of it yet
  queued     it waits for a worker
  running    it is worked on
  done       every position has its answer; unknown is one, too
  failed     it was given up, and the reason is given
  cancelled  somebody who knows the id ended it; the answers found until then stay
A job is kept for some time after its end and then forgotten; the time is shown.

--follow shows the progress until the job ends. --results prints the answers that there are, in
the order of the input, and with --follow the others as they are found; a connection that breaks
is taken up where it did. An interrupt (Ctrl-C) ends the command and leaves the job running.

The exit code is 0; with --results as for solve, analyze or compose; with --follow 1 if the job was
cancelled; 4 for wrong use, 5 if there is no such job, the service could not be reached or the job
failed, and 130 when interrupted.`,
			`submit で依頼したジョブの状況を示します。状態、答えの数と内訳、探索の進み具合です。ID がなければ、
API キーのジョブの一覧、キーもなければサービスの混み具合を示します。

状態：
  receiving  受信中
  queued     順番待ち
  running    探索中
  done       完了（不明も答えの一つ）
  failed     失敗（理由付き）
  cancelled  中止（それまでの答えは残る）
ジョブは、終わってから一定の期間（期限を表示）の後に消去されます。

--follow は、終わるまで進み具合を示します。--results は、答えを入力の順に示します（--follow なら届き
次第）。接続が切れても続きから受け取ります。中断（Ctrl-C）してもジョブは続きます。

終了コード：0（--results は solve、analyze、compose と同じ）、--follow で中止 1、失敗 5、中断 130`),
		Example: `  tsumero jobs 2nk3qgqyzq5ejw7kvtnoa34vex
  tsumero jobs --follow 2nk3qgqyzq5ejw7kvtnoa34vex
  tsumero jobs --results --output json 2nk3qgqyzq5ejw7kvtnoa34vex > answers.ndjson
  tsumero jobs --cancel 2nk3qgqyzq5ejw7kvtnoa34vex
  TSUMERO_KEY=… tsumero jobs --server https://tsume.example.org`,
		Args: command.Positional(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	f.declare(l, cmd)
	flags.BoolVar(&f.follow, "follow", false, l.Text("go on until the job has ended",
		"終わるまで進み具合を表示"))
	flags.BoolVar(&f.results, "results", false, l.Text("print the answers", "答えの表示"))
	flags.BoolVar(&f.cancel, "cancel", false, l.Text("end the job; the answers so far stay",
		"ジョブの中止（それまでの答えは残る）"))
	flags.BoolVar(&f.purge, "purge", false, l.Text("end the job and forget it at once, with its answers",
		"ジョブの中止と、答えも含めた消去"))
	command.ChoiceFlag(cmd, &f.output, "output", "o", "text", cli.JobOutputs,
		l.Text("`FORMAT`: text for people; json, one object a line; or tsv, with a heading",
			"形式 `FORMAT`：text（表示用）、json（一行一件）、tsv（見出し付き）"))
	return cmd
}

func (f *jobsFlags) run(cmd *cobra.Command, args []string) error {
	looks, ends := f.follow || f.results, f.cancel || f.purge
	check := command.Check(cmd)
	check.Choices("output")
	check.Fault(len(args) == 0 && (looks || ends), "the id of the job is missing", "ジョブの ID がありません。")
	check.Fault(looks && ends || f.cancel && f.purge, "--cancel and --purge go with nothing else",
		"--cancel と --purge は単独で使います。")
	if err := check.Err(); err != nil {
		return err
	}
	c, err := f.client(cmd)
	if err != nil {
		return err
	}
	ctx, stdout := cmd.Context(), cmd.OutOrStdout()
	l := command.LanguageOf(cmd)
	writer := &jobWriter{l: l, output: f.output, out: stdout}
	if len(args) == 0 && c.HasKey() {
		return c.List(ctx, writer.write)
	}
	if len(args) == 0 {
		q, err := c.Queue(ctx)
		if err != nil {
			return err
		}
		return writeQueue(l, f.output, stdout, q)
	}
	id, err := jobs.ParseID(args[0])
	if err != nil {
		return command.UsageError(cmd, cli.Errorf("%q is not the id of a job: %s", "「%[1]s」はジョブの ID ではありません。", args[0], err))
	}
	switch {
	case ends:
		if err := c.Cancel(ctx, id, f.purge); err != nil {
			return err
		}
		done := l.Text("cancelled", "中止しました")
		if f.purge {
			done = l.Text("cancelled and forgotten", "中止して消去しました")
		}
		_, err := fmt.Fprintf(stdout, "%s: %s\n", id, done)
		return err
	case looks:
		return f.show(cmd, c, id, 0)
	}
	j, _, err := c.Job(ctx, id)
	if err != nil {
		return err
	}
	return writer.write(j)
}

// patience is how long the service may be away while a job is followed.
const patience = time.Hour

// show prints what is known of a job as the flags say: its answers, and how it goes on until it
// ends. faulty is how many files of its input could not be read.
func (f *jobsFlags) show(cmd *cobra.Command, c *client.Client, id jobs.ID, faulty int) error {
	stdout, stderr, l := cmd.OutOrStdout(), cmd.ErrOrStderr(), command.LanguageOf(cmd)
	if f.follow {
		c.Patience = patience
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	var shown sync.WaitGroup
	if f.follow && !(f.results && cli.IsTerminal(stdout)) {
		progress := cli.NewJobProgress(stderr)
		shown.Go(func() { followProgress(ctx, l, c, id, progress) })
	}
	printer := cli.NewJobPrinter(l, f.output, stdout, stderr)
	err := f.print(ctx, c, id, printer)
	err = errors.Join(err, printer.Flush())
	cancel()
	shown.Wait()
	if cmd.Context().Err() != nil {
		again := "tsumero jobs --follow "
		if f.results {
			again = "tsumero jobs --follow --results "
		}
		return command.Interrupted("the job goes on; look at it again with\n  %s%s",
			"ジョブは続きます。続きを見るには\n  %s%s", again, id)
	}
	if err != nil {
		return err
	}
	j, _, err := c.Job(cmd.Context(), id)
	if err != nil {
		return err
	}
	return f.conclude(cmd, j, printer, faulty)
}

// print prints the answers, or waits until there are no more.
func (f *jobsFlags) print(ctx context.Context, c *client.Client, id jobs.ID,
	printer *cli.JobPrinter) error {
	if f.results {
		j, _, err := c.Job(ctx, id)
		if err != nil {
			return err
		}
		printer.Single = !jobs.Kind(j.Kind).HasLines()
		_, err = c.Results(ctx, id, 1, f.follow, func(l jobs.Line) error {
			if err := printer.Print(l.Number, l.Text); err != nil {
				return err
			}
			return printer.Flush()
		})
		return err
	}
	for {
		j, etag, err := c.Job(ctx, id)
		if err != nil || client.HasEnded(j) {
			return err
		}
		if err := c.Wait(ctx, id, etag); err != nil {
			return err
		}
	}
}

// followProgress shows how a job goes until ctx ends.
func followProgress(ctx context.Context, l cli.Language, c *client.Client, id jobs.ID, progress *cli.JobProgress) {
	defer progress.Finish()
	for progress.Visible() {
		j, _, err := c.Job(ctx, id)
		if err != nil || client.HasEnded(j) {
			return
		}
		progress.Show(j.Lines, j.Done, jobText(l, j))
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
}

// conclude says how a job is after it was shown, and returns the exit code for it.
func (f *jobsFlags) conclude(cmd *cobra.Command, j *wire.Job, printer *cli.JobPrinter,
	faulty int) error {
	stderr := cmd.ErrOrStderr()
	switch {
	case !f.results:
		if err := (&jobWriter{l: command.LanguageOf(cmd), output: f.output, out: cmd.OutOrStdout()}).write(j); err != nil {
			return err
		}
	case printer.Tally.Questions() < j.Lines:
		fmt.Fprintln(stderr, command.LanguageOf(cmd).Sprintf("tsumero: the job is %[1]s; %[2]d of %[3]s answered",
			"tsumero: ジョブは%[4]s（%[3]s中%[2]d件に回答）", j.State, printer.Tally.Questions(),
			cli.Plural(j.Lines, "position"), report.JobState(j.State).Ja))
	case j.Lines > 1:
		fmt.Fprintln(stderr, printer.Summary())
	}
	switch {
	case j.State == string(jobs.Failed):
		err := cli.Errorf("the service gave the job up", "ジョブは失敗しました")
		if j.Problem != nil {
			err = fmt.Errorf("%w: %w", err, cli.Errorf("%[1]s", "%[2]s", j.Problem.Detail, j.Problem.DetailJa))
		}
		return err
	case f.follow && j.State == string(jobs.Cancelled):
		return command.Exit(command.ExitNegative, cli.Errorf("the job was cancelled",
			"ジョブは中止されました。"))
	}
	if f.results {
		if code := jobExitCode(printer, faulty); code != command.ExitOK {
			return command.Exit(code, nil)
		}
	}
	return nil
}

// jobExitCode returns the exit code for what became of the positions: the highest of theirs.
func jobExitCode(p *cli.JobPrinter, faulty int) int {
	reports := cli.AnalyzeTally{Soundness: p.Soundness}
	switch {
	case p.Tally.Faulty+faulty > 0:
		return command.ExitBadPosition
	case p.Composed.Problems > 0:
		return command.ExitOK
	case p.Composed.Figures > 0:
		return command.ExitNegative
	case p.Sound != [3]int{}:
		return analyzeCode(&reports)
	}
	return exitCode(&p.Tally)
}

// jobText says in one line how a job goes.
func jobText(l cli.Language, j *wire.Job) string {
	switch {
	case j.WaitingFor != "":
		return l.Sprintf("waiting for %s", "%s待ち", shogi.VisibleLine(j.WaitingFor))
	case j.PositionInQueue > 0:
		return l.Sprintf("%s, number %d", "%s（%d番目）", jobState(l, j), j.PositionInQueue)
	}
	if text := l.JobProgressText(j); text != "" {
		return text
	}
	return jobState(l, j)
}

func jobState(l cli.Language, j *wire.Job) string {
	return l.Text(j.State, report.JobState(j.State).Ja)
}

// A jobWriter writes how jobs are.
type jobWriter struct {
	l      cli.Language
	output string
	out    io.Writer
	headed bool
}

func (w *jobWriter) write(j *wire.Job) error {
	switch w.output {
	case "json":
		_, err := w.out.Write(wire.Encode(j))
		return err
	case "tsv":
		return w.row(j)
	}
	var b strings.Builder
	if w.headed {
		b.WriteByte('\n')
	}
	w.headed = true
	say := func(en, ja string, args ...any) { b.WriteString(w.l.Sprintf(en, ja, args...) + "\n") }
	say("%s: %s", "%s：%s", j.ID, jobState(w.l, j))
	if jobs.Kind(j.Kind).HasLines() || j.Done > 0 {
		c := j.Counts
		say("  %d of %s answered: %d mate, %d nomate, %d unknown, %d faulty; %s",
			"  %[2]s中%[1]d件に回答：詰み%[3]d、不詰%[4]d、不明%[5]d、誤り%[6]d。探索%[7]s", j.Done,
			cli.Plural(j.Lines, "position"), c.Mate, c.NoMate, c.Unknown, c.Faulty,
			cli.Plural(j.Nodes, "node"))
	}
	if !client.HasEnded(j) {
		if text := jobText(w.l, j); text != jobState(w.l, j) {
			b.WriteString("  " + text + "\n")
		}
	}
	if j.Note != "" {
		say("  note: %s", "  注意：%s", shogi.VisibleLine(j.Note))
	}
	if j.Problem != nil {
		say("  problem: %[1]s", "  原因：%[2]s", shogi.VisibleLine(j.Problem.Detail), shogi.VisibleLine(j.Problem.DetailJa))
	}
	for _, t := range []struct {
		name string
		at   time.Time
	}{{w.l.Text("submitted", "受付"), j.Created}, {w.l.Text("begun", "開始"), j.Started},
		{w.l.Text("ended", "終了"), j.Finished}, {w.l.Text("kept until", "保存期限"), j.Expires}} {
		if !t.at.IsZero() {
			fmt.Fprintf(&b, "  %s %s\n", t.name, t.at.Local().Format(time.DateTime))
		}
	}
	_, err := io.WriteString(w.out, b.String())
	return err
}

// row writes a job as a line with tabs.
func (w *jobWriter) row(j *wire.Job) error {
	if !w.headed {
		w.headed = true
		if _, err := io.WriteString(w.out, "id\tkind\tstate\tlines\tdone\tmate\tnomate\tunknown\t"+
			"faulty\tnodes\tcreated\tstarted\tfinished\texpires\n"); err != nil {
			return err
		}
	}
	c := j.Counts
	row := fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d", j.ID, j.Kind, j.State, j.Lines,
		j.Done, c.Mate, c.NoMate, c.Unknown, c.Faulty, j.Nodes)
	for _, t := range []time.Time{j.Created, j.Started, j.Finished, j.Expires} {
		row += "\t"
		if !t.IsZero() {
			row += t.UTC().Format(time.RFC3339)
		}
	}
	_, err := io.WriteString(w.out, row+"\n")
	return err
}

// writeQueue writes how busy a service is.
func writeQueue(l cli.Language, output string, out io.Writer, q *wire.QueueAnswer) error {
	if output == "json" {
		_, err := out.Write(wire.Encode(q))
		return err
	}
	var b strings.Builder
	for _, row := range []struct {
		name string
		n    int
	}{{l.Text("receiving", "受信中"), q.Jobs.Receiving}, {l.Text("queued", "順番待ち"), q.Jobs.Queued},
		{l.Text("running", "探索中"), q.Jobs.Running}, {l.Text("done", "完了"), q.Jobs.Done},
		{l.Text("failed", "失敗"), q.Jobs.Failed}, {l.Text("cancelled", "中止"), q.Jobs.Cancelled},
		{l.Text("lines waiting", "待っている行"), q.LinesWaiting}, {l.Text("workers", "ワーカー"), q.Workers},
		{l.Text("slots", "枠"), q.Slots}, {l.Text("slots busy", "使用中の枠"), q.SlotsBusy}} {
		fmt.Fprintf(&b, "%s\t%d\n", row.name, row.n)
	}
	if q.WaitMS != nil {
		wait := time.Duration(*q.WaitMS) * time.Millisecond
		b.WriteString(l.Sprintf("expected wait\t%v\n", "待ち時間の見込み\t%v\n", wait.Round(time.Second)))
	} else {
		b.WriteString(l.Sprintf("expected wait\t%s\n", "待ち時間の見込み\t不明（%s）\n", cmp.Or(q.WaitUnknown, "unknown")))
	}
	_, err := io.WriteString(out, b.String())
	return err
}
