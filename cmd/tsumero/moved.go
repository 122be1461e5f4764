package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/cmd/internal/command"
)

// movedCommands returns the commands that are now in tsumero-lab. They stay for one version, do
// nothing but say so, and the help does not list them.
func movedCommands() []*cobra.Command {
	var moved []*cobra.Command
	for _, name := range []string{"bench", "crosscheck", "match", "perft", "train"} {
		moved = append(moved, &cobra.Command{
			Use:                name,
			Short:              "Moved to the program tsumero-lab",
			Hidden:             true,
			DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error {
				return command.Exit(command.ExitUsage, fmt.Errorf("%s is now 'tsumero-lab %[1]s', in a program "+
					"for those who build engines: go run ./cmd/tsumero-lab, in a clone", name))
			},
		})
	}
	return moved
}
