package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/cmd/internal/command"
)

// What jobs clients may have is read from a list, and what the list leaves out stays.
func TestQuota(t *testing.T) {
	class := func() queue.Class {
		return queue.Class{Active: 1, Waiting: 2, Lines: 3, Time: time.Minute, Bytes: 4, Keep: time.Hour}
	}
	resolve := func(text string) (queue.Class, error) {
		flags, c := pflag.NewFlagSet("", pflag.ContinueOnError), class()
		set := cli.NewSettings(flags)
		declareQuota(set, &c, "quota", "of ours")
		if err := flags.Set("quota", text); err != nil {
			t.Fatal(err)
		}
		return c, set.Resolve()
	}
	want := class()
	want.Active, want.Time, want.Bytes = 8, 90*time.Minute, 2<<30
	if c, err := resolve("active=8,time=90m,bytes=2GiB"); err != nil || c != want {
		t.Errorf("%+v, %v, want %+v", c, err, want)
	}
	for text, part := range map[string]string{
		"active": "--quota active is \"active\", but must be a number", "active=-1": "must be a number from 0",
		"lines=x": "--quota lines is \"x\"", "time=5": "must be a duration from 1s to 720h",
		"time=1ms": "must be a duration", "keep=200000h": "--quota keep is",
		"bytes=2XB": "must be a size", "speed=1": `--quota has no key "speed"; its keys are active, waiting,`,
		"active=1,": `--quota has "", which is no KEY=VALUE; its keys are active,`,
	} {
		if _, err := resolve(text); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, want %q", text, err, part)
		}
	}
}

// Settings of jobs that make no sense are refused before anything starts.
func TestJobSettings(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "jobs")
	for _, c := range []struct {
		args, part string
	}{
		{"serve --jobs-slots 2", "--jobs-slots is for jobs, for which --jobs or --nats is missing"},
		{"serve --api-keys keys", "--api-keys is for jobs"},
		{"serve --jobs " + dir + " --nats nats://a:4222", "two places for the same jobs"},
		{"serve --jobs " + dir + " --jobs-slots 0", "nobody else can work on the jobs in the directory"},
		{"serve --jobs " + dir + " --memory 24MiB", "--memory is 24MiB, of which jobs need 24MiB and questions 24MiB"},
		{"serve --jobs " + dir + " --quota-key time=1", `--quota-key time is "1", but must be a duration`},
		{"serve --nats localhost", `--nats is "localhost", but must be nats://host:port`},
		{"worker", "--nats is missing"},
		{"worker --nats nats://a:4222 --slots 0", "--slots is"},
		{"jobs-store verify", "--jobs or --nats is missing"},
	} {
		var stderr strings.Builder
		if code := run(t.Context(), strings.Fields(c.args), nil, &stderr, &stderr); code != command.ExitUsage ||
			!strings.Contains(stderr.String(), c.part) {
			t.Errorf("%s: %d, %s", c.args, code, stderr.String())
		}
	}
}

// TestJobsHaveMemory: the part of --memory that is for what is known of jobs bounds those that are
// accepted.
func TestJobsHaveMemory(t *testing.T) {
	settings := jobSettings{index: 1 << 10}
	settings.store.dir = filepath.Join(t.TempDir(), "jobs")
	settings.anonymous = queue.DefaultClasses()[queue.Anonymous]
	settings.keyed = queue.DefaultClasses()[queue.Keyed]
	j, err := newServiceJobs(t.Context(), &settings, 0, time.Second, prometheus.NewRegistry(),
		slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = j.opened(t.Context()).Close() }()
	_, _, err = j.queue.Submit(t.Context(), &queue.Submission{Client: "me", Class: queue.Keyed,
		Kind: jobs.Collection, Ask: jobs.AskSolve, Lines: strings.NewReader("{}\n"), Longest: 100})
	if !errors.Is(err, jobs.ErrFull) {
		t.Errorf("a job that takes more: %v", err)
	}
}

// A serve of v0.1.0 that starts after the streams were moved has the servers compress again.
func TestRecompressStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		answers := []string{"", "", "restart", "restart", "error", "restart", "", ""}
		var log bytes.Buffer
		recompressStore(ctx, func(context.Context) (string, error) {
			answer := answers[0]
			if answers = answers[1:]; len(answers) == 0 {
				cancel()
			}
			if answer == "error" {
				return "", errors.New(answer)
			}
			return answer, nil
		}, slog.New(slog.NewTextHandler(&log, nil)))
		if got := regexp.MustCompile(`level=(\S+)`).FindAllString(log.String(), -1); !slices.Equal(got,
			[]string{"level=WARN", "level=WARN", "level=INFO"}) {
			t.Errorf("%s", &log)
		}
	})
}
