package main

import (
	"errors"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tsumero/tsumero/cmd/internal/command"
)

// oldNames are the flags, and the environment variables with them, that had another name before
// v0.2.0. They work, with a warning in the log, until the version after it.
var oldNames = []command.OldName{
	{Commands: "serve", Old: "searches", Now: "short slots"},
	{Commands: "serve", Old: "queue", Now: "short queue"},
	{Commands: "serve", Old: "queue-wait", Now: "short wait"},
	{Commands: "serve", Old: "long-searches", Now: "long slots"},
	{Commands: "serve", Old: "long-queue", Now: "long queue"},
	{Commands: "serve", Old: "long-wait", Now: "long wait"},
	{Commands: "serve", Old: "table", Now: "long table"},
	{Commands: "serve", Old: "analysis-queue", Now: "analyses queue"},
	{Commands: "serve", Old: "analysis-wait", Now: "analyses wait"},
	{Commands: "serve", Old: "analysis-time", Now: "analyses time"},
	{Commands: "serve", Old: "analysis-default-time", Now: "analyses default-time"},
	{Commands: "serve", Old: "analysis-nodes", Now: "analyses nodes"},
	{Commands: "serve", Old: "play-queue", Now: "plays queue"},
	{Commands: "serve", Old: "play-wait", Now: "plays wait"},
	{Commands: "serve", Old: "play-nodes", Now: "plays nodes"},
	{Commands: "serve", Old: "batches-per-client", Now: "batches per-client"},
	{Commands: "serve", Old: "batch-time", Now: "batches time"},
	{Commands: "serve", Old: "connections-per-client", Now: "connections per-client"},
	{Commands: "serve", Old: "idle-timeout", Now: "connections idle"},
	{Commands: "serve", Old: "body-timeout", Now: "connections read"},
	{Commands: "serve", Old: "write-timeout", Now: "connections write"},
	{Commands: "serve", Old: "job-places", Now: "jobs-slots"},
	{Commands: "worker", Old: "places", Now: "slots"},
}

// warnOldNames logs what is to be written instead of old names.
func warnOldNames(logger *slog.Logger, old []string) {
	for _, text := range old {
		logger.Warn("an old name of a setting", "use", text)
	}
}

// insteadOfNATS says what is to be given instead of flags and variables that are gone.
const insteadOfNATS = "jobs are not kept in NATS any more: give --jobs DIR, or --jobs postgres://user@host/database"

// explainGone makes the commands below root say so of --nats, and of what belonged to it.
func explainGone(root *cobra.Command) {
	root.AddCommand(&cobra.Command{Use: "jobs-store", Hidden: true, DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return command.UsageError(cmd.Root(), "jobs-store is gone: use store check, store backup or store restore")
		}})
	explain := root.FlagErrorFunc()
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) && strings.HasPrefix(unknown.GetSpecifiedName(), "nats") {
			return command.UsageError(cmd, "--%s is gone: %s", unknown.GetSpecifiedName(), insteadOfNATS)
		}
		return explain(cmd, err)
	})
}
