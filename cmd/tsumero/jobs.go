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
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/shogi"
)

type jobsFlags struct {
	serviceFlags
	follow, results, cancel, purge bool
	output                         string
}

func newJobs() *cobra.Command {
	var f jobsFlags
	cmd := &cobra.Command{
		Use:   "jobs [ID]",
		Short: "See how jobs go, read their answers, cancel them",
		Long: `Jobs says how a job goes that was given to a service with submit: its state, how many of its
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
	f.declare(cmd)
	flags.BoolVar(&f.follow, "follow", false, "go on until the job has ended")
	flags.BoolVar(&f.results, "results", false, "print the answers")
	flags.BoolVar(&f.cancel, "cancel", false, "end the job; the answers so far stay")
	flags.BoolVar(&f.purge, "purge", false, "end the job and forget it at once, with its answers")
	command.ChoiceFlag(cmd, &f.output, "output", "o", "text", cli.JobOutputs,
		"`FORMAT`: text for people; json, one object a line; or tsv, with a heading")
	return cmd
}

func (f *jobsFlags) run(cmd *cobra.Command, args []string) error {
	looks, ends := f.follow || f.results, f.cancel || f.purge
	check := command.Check(cmd)
	check.Choices("output")
	check.Fault(len(args) == 0 && (looks || ends), "the id of the job is missing")
	check.Fault(looks && ends || f.cancel && f.purge, "--cancel and --purge go with nothing else")
	if err := check.Err(); err != nil {
		return err
	}
	c, err := f.client(cmd)
	if err != nil {
		return err
	}
	ctx, stdout := cmd.Context(), cmd.OutOrStdout()
	writer := &jobWriter{output: f.output, out: stdout}
	if len(args) == 0 && c.HasKey() {
		return c.List(ctx, writer.write)
	}
	if len(args) == 0 {
		q, err := c.Queue(ctx)
		if err != nil {
			return err
		}
		return writeQueue(f.output, stdout, q)
	}
	id, err := jobs.ParseID(args[0])
	if err != nil {
		return command.UsageError(cmd, "%q is not the id of a job: %w", args[0], err)
	}
	switch {
	case ends:
		if err := c.Cancel(ctx, id, f.purge); err != nil {
			return err
		}
		_, err := fmt.Fprintf(stdout, "%s: %s\n", id, map[bool]string{
			false: "cancelled", true: "cancelled and forgotten"}[f.purge])
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
	stdout, stderr := cmd.OutOrStdout(), cmd.ErrOrStderr()
	if f.follow {
		c.Patience = patience
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	var shown sync.WaitGroup
	if f.follow && !(f.results && cli.IsTerminal(stdout)) {
		progress := cli.NewJobProgress(stderr)
		shown.Go(func() { followProgress(ctx, c, id, progress) })
	}
	printer := cli.NewJobPrinter(f.output, stdout, stderr)
	err := f.print(ctx, c, id, printer)
	err = errors.Join(err, printer.Flush())
	cancel()
	shown.Wait()
	if cmd.Context().Err() != nil {
		again := "tsumero jobs --follow "
		if f.results {
			again = "tsumero jobs --follow --results "
		}
		return command.Interrupted("the job goes on; look at it again with\n  %s%s", again, id)
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
func followProgress(ctx context.Context, c *client.Client, id jobs.ID, progress *cli.JobProgress) {
	defer progress.Finish()
	for progress.Visible() {
		j, _, err := c.Job(ctx, id)
		if err != nil || client.HasEnded(j) {
			return
		}
		progress.Show(j.Lines, j.Done, jobText(j))
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
		if err := (&jobWriter{output: f.output, out: cmd.OutOrStdout()}).write(j); err != nil {
			return err
		}
	case printer.Tally.Questions() < j.Lines:
		fmt.Fprintf(stderr, "tsumero: the job is %s; %d of %s answered\n", j.State,
			printer.Tally.Questions(), cli.Plural(j.Lines, "position"))
	case j.Lines > 1:
		fmt.Fprintln(stderr, printer.Summary())
	}
	switch {
	case j.State == string(jobs.Failed):
		detail := "the service gave the job up"
		if j.Problem != nil {
			detail += ": " + j.Problem.Detail
		}
		return errors.New(detail)
	case f.follow && j.State == string(jobs.Cancelled):
		return command.Exit(command.ExitNegative, errors.New("the job was cancelled"))
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
func jobText(j *wire.Job) string {
	switch {
	case j.WaitingFor != "":
		return "waiting for " + shogi.VisibleLine(j.WaitingFor)
	case j.PositionInQueue > 0:
		return fmt.Sprintf("%s, number %d", j.State, j.PositionInQueue)
	}
	if text := cli.JobProgressText(j); text != "" {
		return text
	}
	return j.State
}

// A jobWriter writes how jobs are.
type jobWriter struct {
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
	fmt.Fprintf(&b, "%s: %s\n", j.ID, j.State)
	if jobs.Kind(j.Kind).HasLines() || j.Done > 0 {
		c := j.Counts
		fmt.Fprintf(&b, "  %d of %s answered: %d mate, %d nomate, %d unknown, %d faulty; %s\n", j.Done,
			cli.Plural(j.Lines, "position"), c.Mate, c.NoMate, c.Unknown, c.Faulty,
			cli.Plural(j.Nodes, "node"))
	}
	if !client.HasEnded(j) {
		if text := jobText(j); text != j.State {
			fmt.Fprintf(&b, "  %s\n", text)
		}
	}
	if j.Note != "" {
		fmt.Fprintf(&b, "  note: %s\n", shogi.VisibleLine(j.Note))
	}
	if j.Problem != nil {
		fmt.Fprintf(&b, "  problem: %s\n", shogi.VisibleLine(j.Problem.Detail))
	}
	for _, t := range []struct {
		name string
		at   time.Time
	}{{"submitted", j.Created}, {"begun", j.Started}, {"ended", j.Finished}, {"kept until", j.Expires}} {
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
func writeQueue(output string, out io.Writer, q *wire.QueueAnswer) error {
	if output == "json" {
		_, err := out.Write(wire.Encode(q))
		return err
	}
	var b strings.Builder
	for _, row := range []struct {
		name string
		n    int
	}{{"receiving", q.Jobs.Receiving}, {"queued", q.Jobs.Queued}, {"running", q.Jobs.Running},
		{"done", q.Jobs.Done}, {"failed", q.Jobs.Failed}, {"cancelled", q.Jobs.Cancelled},
		{"lines waiting", q.LinesWaiting}, {"workers", q.Workers}, {"slots", q.Slots},
		{"slots busy", q.SlotsBusy}} {
		fmt.Fprintf(&b, "%s\t%d\n", row.name, row.n)
	}
	if q.WaitMS != nil {
		wait := time.Duration(*q.WaitMS) * time.Millisecond
		fmt.Fprintf(&b, "expected wait\t%v\n", wait.Round(time.Second))
	} else {
		fmt.Fprintf(&b, "expected wait\t%s\n", cmp.Or(q.WaitUnknown, "unknown"))
	}
	_, err := io.WriteString(out, b.String())
	return err
}
