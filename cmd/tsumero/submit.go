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

func (f *serviceFlags) declare(cmd *cobra.Command) {
	f.settings = cli.NewSettings(cmd.Flags())
	f.settings.Text(&f.server, "server", "URL",
		"the service to ask (default "+defaultServer+")", func(v string) error {
			if _, err := client.ParseAddress(v); err != nil {
				return errors.New("an address such as https://example.org")
			}
			return nil
		})
	f.settings.Text(&f.key, "key", "KEY",
		"the API key, if the service has given you one; rather set the variable, since other users "+
			"of the machine can read arguments", nil)
}

// client returns the client of the service.
func (f *serviceFlags) client(cmd *cobra.Command) (*client.Client, error) {
	if err := f.settings.Resolve(); err != nil {
		return nil, command.UsageError(cmd, "%w", err)
	}
	if f.server == "" {
		f.server = defaultServer
	}
	c, err := client.New(f.server, f.key)
	if err != nil {
		return nil, command.UsageError(cmd, "%w", err)
	}
	stderr := cmd.ErrOrStderr()
	if c.SendsKeyOpenly() {
		fmt.Fprintf(stderr, "tsumero: warning: the API key goes to %s without encryption, "+
			"and others can read it; use https\n", f.server)
	}
	c.Waiting = func(why error, in time.Duration) {
		fmt.Fprintf(stderr, "tsumero: %v; trying again in %v\n", why, in.Round(time.Second/10))
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

func newSubmit() *cobra.Command {
	var f submitFlags
	cmd := &cobra.Command{
		Use:   "submit [POSITION]...",
		Short: "Have a service solve what takes long",
		Long: `Submit gives a service a job: one problem that may take hours, or a collection of up to
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
		Example: `  tsumero submit --time 2h --memory 8G 'n3p4/3k+b4/3g1B3/9/pn+rRN4/5P3/3P5/9/9 b 3g4sn4l14p 1'
  tsumero submit --server https://tsume.example.org --time 10s --file problems.sfen
  tsumero submit --wait --output json --file collection/ > answers.ndjson
  generate | tsumero submit --nodes 100000`,
		RunE: func(cmd *cobra.Command, args []string) error { return submit(cmd, args, &f) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	f.declare(cmd)
	flags.StringVarP(&f.file, "file", "f", "",
		"read positions from `FILE`, or from the files of a folder; - is standard input")
	notationFlag(cmd, &f.notation)
	afterFlag(cmd, &f.after, "take")
	handsFlag(cmd, &f.hands)
	flags.BoolVar(&f.shortest, "shortest", false,
		"look for the shortest mate, and prove that there is none shorter")
	flags.Uint64Var(&f.nodes, "nodes", 0,
		"look at no more than `N` positions for each answer (default: what the service does)")
	flags.DurationVar(&f.time, "time", 0,
		"spend no more than `DURATION`, such as 10s or 2h, on each answer (default: what the service "+
			"does)")
	flags.Var(&f.memory, "memory",
		"give the search of one problem a table of `SIZE`, such as 512M or 8G (default: what the "+
			"service does)")
	flags.BoolVar(&f.analyze, "analyze", false, "ask whether the problems are sound, as analyze does")
	flags.BoolVar(&f.wait, "wait", false, "wait for the answers and print them")
	command.ChoiceFlag(cmd, &f.output, "output", "o", "text", cli.JobOutputs,
		"`FORMAT` of the answers: text for people; json, one object a line; or tsv, with a heading")
	return cmd
}

func (f *submitFlags) validate(cmd *cobra.Command, args []string) error {
	check := command.Check(cmd)
	add := check.Fault
	changed := cmd.Flags().Changed
	add(len(args) > 0 && f.file != "",
		"positions come either as arguments or from --file, not both")
	check.Choices("output")
	add(changed("output") && !f.wait, "--output goes with --wait only")
	check.Choices("notation")
	add(len(args) > 0 && (f.notation != "auto" || f.after != 0 && !f.analyze),
		"--notation and --after are for files, arguments are SFEN")
	add(f.after < 0, "--after is %d, but must not be negative", f.after)
	check.Choices("hands")
	add(changed("nodes") && f.nodes == 0, "--nodes must be at least 1")
	add(changed("time") && f.time < time.Millisecond, "--time is %v, but must be 1ms at least", f.time)
	add(changed("memory") && f.memory < 1<<20, "--memory is %v, but must be 1MiB at least", f.memory)
	add(f.analyze && (f.shortest || changed("memory")),
		"--shortest and --memory do not go with --analyze")
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
		fmt.Fprintln(cmd.ErrOrStderr(), "Type positions, one a line; Ctrl-D ends.")
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
func (f *submitFlags) readInput(ctx context.Context, questions iter.Seq2[cli.Question, error],
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
			fmt.Fprintf(stderr, "tsumero: left out: %v\n", err)
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
	in, err := f.readInput(ctx, f.questions(cmd, args), stderr)
	if errors.Is(err, cli.ErrInterrupted) {
		return command.Interrupted("nothing was submitted")
	}
	if err != nil {
		return err
	}
	defer in.remove()
	s := &client.Submission{ContentType: "application/x-ndjson", Query: f.query(), Body: in}
	switch {
	case in.questions == 0 && in.faulty > 0:
		return command.Exit(command.ExitBadPosition, errors.New("nothing is left to submit"))
	case in.questions == 0:
		return command.UsageError(cmd, "no position was given")
	case in.questions == 1:
		s.ContentType, s.Query, s.Body = "application/json", nil, bytes.NewReader(f.problem(in.last))
	case f.memory > 0:
		return command.UsageError(cmd, "--memory is for one position, and there are %d", in.questions)
	}
	j, err := f.send(ctx, c, s, stderr)
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
	fmt.Fprintf(stderr, "tsumero: job %s\n", j.ID)
	look := &jobsFlags{serviceFlags: f.serviceFlags, follow: true, results: true, output: f.output}
	return look.show(cmd, c, jobs.ID(j.ID), in.faulty)
}

// send submits the job under a key that is kept until it is accepted, or refused for good.
func (f *submitFlags) send(ctx context.Context, c *client.Client, s *client.Submission,
	stderr io.Writer) (*wire.Job, error) {
	keys, err := client.DefaultKeys()
	if err != nil {
		return nil, fmt.Errorf("no folder for the key of the job: %w", err)
	}
	key, confirm, err := keys.Key(c, s)
	if err != nil {
		return nil, fmt.Errorf("the key of the job: %w", err)
	}
	s.Key = key
	j, again, err := c.Submit(ctx, s)
	switch {
	case ctx.Err() != nil:
		return nil, command.Interrupted("the job may have been accepted; the same command again asks for the " +
			"same job")
	case err != nil && client.IsPassing(err):
		return nil, fmt.Errorf("%w\nThe same command again asks for the same job", err)
	case err != nil:
		return nil, errors.Join(explainQuota(err), confirm())
	}
	if again {
		fmt.Fprintln(stderr, "tsumero: the job was accepted before: it is that of the command that was "+
			"stopped")
	}
	return j, confirm()
}

// explainQuota says who sets the quota, if err is that a job is more than a client may have.
func explainQuota(err error) error {
	var refusal *client.Refusal
	if errors.As(err, &refusal) && refusal.Code == wire.QuotaExceeded.Code {
		return fmt.Errorf("%w\nWho runs the service sets what clients may have: tsumero-server serve "+
			"--quota-anonymous lines=N, or keys with --api-keys", err)
	}
	return err
}
