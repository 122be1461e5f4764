package main

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
)

// oldNames are the flags, and with those of serve, worker and jobs-store the environment variables,
// that had another name before v0.2.0. They work, with a warning, until the version after it.
var oldNames = []struct {
	commands string // with spaces between them; jobs-store for all its commands
	old, now string // now as in cli.Rename
}{
	{"serve", "searches", "short slots"},
	{"serve", "queue", "short queue"},
	{"serve", "queue-wait", "short wait"},
	{"serve", "long-searches", "long slots"},
	{"serve", "long-queue", "long queue"},
	{"serve", "long-wait", "long wait"},
	{"serve", "table", "long table"},
	{"serve", "analysis-queue", "analyses queue"},
	{"serve", "analysis-wait", "analyses wait"},
	{"serve", "analysis-time", "analyses time"},
	{"serve", "analysis-default-time", "analyses default-time"},
	{"serve", "analysis-nodes", "analyses nodes"},
	{"serve", "play-queue", "plays queue"},
	{"serve", "play-wait", "plays wait"},
	{"serve", "play-nodes", "plays nodes"},
	{"serve", "batches-per-client", "batches per-client"},
	{"serve", "batch-time", "batches time"},
	{"serve", "connections-per-client", "connections per-client"},
	{"serve", "idle-timeout", "connections idle"},
	{"serve", "body-timeout", "connections read"},
	{"serve", "write-timeout", "connections write"},
	{"serve", "job-places", "jobs-slots"},
	{"worker", "places", "slots"},
	{"serve worker jobs-store", "nats-replicas", "nats-storage replicas"},
	{"serve worker jobs-store", "nats-prefix", "nats-storage prefix"},
	{"serve worker jobs-store", "jobs-unsafe", "nats-storage unsafe"},
	{"solve submit collection", "format", "notation"},
	{"analyze", "format", "output"},
	{"collection", "rest", "hands=complete"},
	{"play", "moves-limit", "max-moves"},
}

// logs are the commands that warn of old names in their log, the others on standard error.
var logs = []string{"serve", "worker", "jobs-store"}

// addOldNames adds the old names of flags to c and the commands below it.
func addOldNames(c *cobra.Command) {
	for _, sub := range c.Commands() {
		addOldNames(sub)
	}
	if c.HasSubCommands() {
		return
	}
	path := strings.Fields(c.CommandPath())[1]
	for _, name := range oldNames {
		if !slices.Contains(strings.Fields(name.commands), path) {
			continue
		}
		cli.Rename(c.Flags(), name.old, name.now)
		if !slices.Contains(logs, path) {
			c.PreRun = func(cmd *cobra.Command, _ []string) {
				for _, text := range cli.OldNames(cmd.Flags()) {
					fmt.Fprintf(cmd.ErrOrStderr(), "tsumero: warning: %s\n", text)
				}
			}
		}
	}
}

// describe makes the help of a command list its settings by subject.
func describe(cmd *cobra.Command, set *cli.Settings) {
	cmd.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := fmt.Fprintf(cmd.OutOrStderr(), "Usage:\n  %s\n%s", cmd.UseLine(), set.Usages())
		return err
	})
}

func warnOldNames(logger *slog.Logger, old []string) {
	for _, text := range old {
		logger.Warn("an old name of a setting", "use", text)
	}
}
