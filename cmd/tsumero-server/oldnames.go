package main

import (
	"log/slog"

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
	{Commands: "serve worker jobs-store", Old: "nats-replicas", Now: "nats-storage replicas"},
	{Commands: "serve worker jobs-store", Old: "nats-prefix", Now: "nats-storage prefix"},
	{Commands: "serve worker jobs-store", Old: "jobs-unsafe", Now: "nats-storage unsafe"},
}

// warnOldNames logs what is to be written instead of old names.
func warnOldNames(logger *slog.Logger, old []string) {
	for _, text := range old {
		logger.Warn("an old name of a setting", "use", text)
	}
}
