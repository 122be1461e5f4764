// Command tsumero-lab is for those who build engines: it tests the rules and the solvers against each
// other (perft, crosscheck), measures them (bench, inspect), lets engines play matches (match) and makes
// the networks that the levels play with (train). "tsumero-lab help" lists the commands.
package main

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/solver/lab/internal/command"
)

const exitCodeHelp = `
Exit codes of every command:
  0    done
  1    for crosscheck, bench and train check: something is wrong; for match: a player did wrong
  3    for perft and inspect: the position has a fault
  4    wrong use: arguments or flags
  5    failure: a file, a program, the output
  130  interrupted`

func main() {
	os.Exit(run(command.UntilSignal(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program. It returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return command.Run(ctx, newRoot(), args, stdin, stdout, stderr)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "tsumero-lab",
		Short: "Test, measure and train shogi engines",
		Long: `Tsumero-lab is for those who build engines. What solves and plays is the program tsumero.

  tsumero-lab perft 5
  tsumero-lab crosscheck --positions 1000000
  tsumero-lab bench
  tsumero-lab match level:club,nodes=1000 level:asayomi
` + exitCodeHelp,
	}
	command.SetUp(root,
		command.Group{ID: "test", Title: "Test the rules and the solvers:",
			Commands: []*cobra.Command{newPerft(), newCrosscheck(), newBench(), newInspect(), newMutants()}},
		command.Group{ID: "play", Title: "Measure and make players:",
			Commands: []*cobra.Command{newMatch(), newTrain()}})
	return root
}
