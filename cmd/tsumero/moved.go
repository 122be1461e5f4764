package main

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/cmd/internal/command"
)

// movedCommands returns the commands that are now in other programs. They stay for one version, and the
// help does not list them. Those of tsumero-lab do nothing but say so. Those of tsumero-server go on
// working where it is installed, since what starts a service is written into units and scripts.
func movedCommands() []*cobra.Command {
	var moved []*cobra.Command
	add := func(name, program string, run func(cmd *cobra.Command, args []string) error) {
		moved = append(moved, &cobra.Command{
			Use:                name,
			Short:              "Moved to the program " + program,
			Hidden:             true,
			DisableFlagParsing: true,
			RunE:               run,
		})
	}
	for _, name := range []string{"bench", "crosscheck", "match", "perft", "train"} {
		add(name, "tsumero-lab", func(*cobra.Command, []string) error {
			return command.Exit(command.ExitUsage, fmt.Errorf("%s is now 'tsumero-lab %[1]s', in a program "+
				"for those who build engines: go run ./cmd/tsumero-lab, in a clone", name))
		})
	}
	for _, name := range []string{"serve", "worker", "jobs-store", "healthcheck"} {
		add(name, serverProgram, func(cmd *cobra.Command, args []string) error {
			path, err := findProgram(serverProgram)
			if err != nil {
				return command.Exit(command.ExitUsage, fmt.Errorf("%s is now '%s %[1]s', a program of its own, "+
					"which is neither beside this one nor in PATH: go run ./cmd/%[2]s, in a clone", name, serverProgram))
			}
			// As the log of a service has it.
			slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), nil)).Warn("an old name of a command",
				"use", serverProgram+" "+name)
			return become(path, append([]string{serverProgram, name}, args...), os.Environ())
		})
	}
	return moved
}
