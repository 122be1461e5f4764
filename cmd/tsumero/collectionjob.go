package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/client"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/cmd/internal/version"
)

// usualJobTime is the longest search for a problem that a service is asked for if --time says nothing:
// what it allows clients without a key. The nodes should end a search before.
const usualJobTime = 10 * time.Minute

// buildName names the build that makes reports, or the service that does. A build that is not of a
// commit alone is known by the program itself.
func buildName(server string) string {
	build := version.Get()
	name := build.Version + " " + build.Revision
	if build.Revision == "" || strings.HasSuffix(build.Revision, "+changes") {
		name += " " + programSum()
	}
	if server != "" {
		name += " of " + server
	}
	return name
}

// programSum returns a hash of the running program, "" if it cannot be read.
func programSum() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// searchByJob has a service search the problems that no report is kept of, as one job over its workers.
// A job that an earlier run has submitted is gone on with.
func (f *collectionFlags) searchByJob(cmd *cobra.Command, o *cli.CollectionOptions,
	questions iter.Seq2[cli.Question, error]) error {
	c, err := f.job.client(cmd)
	if err != nil {
		return err
	}
	j, err := cli.NewCollectionJob(o, questions, f.job.server)
	if err != nil || len(j.Keys) == 0 {
		return err
	}
	c.Patience = patience
	if j.ID != "" {
		_, _, err := c.Job(cmd.Context(), jobs.ID(j.ID))
		var refusal *client.Refusal
		switch {
		case err == nil:
		case errors.As(err, &refusal) && refusal.Status == http.StatusNotFound:
			j.Again()
		default:
			return err
		}
	}
	if j.ID == "" {
		if err := f.submitJob(cmd, c, j, o.Time); err != nil {
			return err
		}
	}
	return f.followJob(cmd, c, j)
}

func (f *collectionFlags) submitJob(cmd *cobra.Command, c *client.Client, j *cli.CollectionJob, limit time.Duration) error {
	if limit == 0 {
		limit = usualJobTime
	}
	var body bytes.Buffer
	for _, key := range j.Keys {
		body.Write(j.Line(key))
	}
	// The limits are those of all lines, so that the service knows how many of them are much work.
	query := wire.JobQuery{Ask: jobs.AskAnalyze, JobLimits: wire.JobLimits{QuestionNodes: f.limits.question,
		RequestLimits: wire.RequestLimits{TimeMS: limit.Milliseconds(), Nodes: f.limits.nodes}}}
	s := &client.Submission{ContentType: "application/x-ndjson", Query: query.Values(),
		Body: bytes.NewReader(body.Bytes())}
	accepted, err := (&submitFlags{}).send(cmd.Context(), command.LanguageOf(cmd), c, s, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	return j.Submitted(accepted.ID)
}

// followJob keeps the answers of a job as they come, and shows how it goes.
func (f *collectionFlags) followJob(cmd *cobra.Command, c *client.Client, j *cli.CollectionJob) error {
	fmt.Fprintln(cmd.ErrOrStderr(), command.LanguageOf(cmd).Sprintf("tsumero: job %s", "tsumero: ジョブ %s", j.ID))
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	var shown sync.WaitGroup
	shown.Go(func() {
		followProgress(ctx, command.LanguageOf(cmd), c, jobs.ID(j.ID), cli.NewJobProgress(cmd.ErrOrStderr()))
	})
	answered := 0
	_, err := c.Results(ctx, jobs.ID(j.ID), 1, true, func(l jobs.Line) error {
		answered++
		return j.Answered(l.Number, l.Text)
	})
	cancel()
	shown.Wait()
	switch {
	case cmd.Context().Err() != nil && f.keep == "":
		return command.Interrupted("the job goes on; see tsumero jobs %s",
			"ジョブは続きます（tsumero jobs %s）。", j.ID)
	case cmd.Context().Err() != nil:
		return command.Interrupted("the job goes on, and the same command goes on with it",
			"ジョブは続きます。同じコマンドで再開できます。")
	case err == nil && answered < len(j.Keys):
		return cli.Errorf("the job ended with %d of %s answered; see tsumero jobs %s",
			"ジョブは%[2]s中%[1]d件の答えで終わりました（tsumero jobs %[3]s）。", answered,
			cli.Plural(len(j.Keys), "problem"), j.ID)
	}
	return err
}
