package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/command"
)

// oldNames are the flags that had another name before v0.2.0. They work, with a warning, until the
// version after it.
var oldNames = []command.OldName{
	{Commands: "solve submit collection", Old: "format", Now: "notation"},
	{Commands: "analyze", Old: "format", Now: "output"},
	{Commands: "collection", Old: "rest", Now: "hands=complete"},
	{Commands: "play", Old: "moves-limit", Now: "max-moves"},
}

// warnOldNames says on standard error which flags of a command were given by an old name.
func warnOldNames(cmd *cobra.Command, _ []string) {
	for _, text := range cli.OldNames(cmd.Flags()) {
		fmt.Fprintf(cmd.ErrOrStderr(), "tsumero: warning: %s\n", text)
	}
}
