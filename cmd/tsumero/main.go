// Command tsumero solves mate problems, on the command line (solve) and over HTTP (serve), says
// whether they are sound (analyze), writes certificates of the answers (certificate), plays (play),
// and tests the rules and the solvers (perft, crosscheck, bench). "tsumero help" lists the commands.
//
// The USI engine that a shogi GUI launches is the other binary, tsumero-usi.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/cmd/internal/version"
)

// The exit codes. solve answers with the first three, and so does analyze, by other names; 1 is
// also what a failed crosscheck, bench or healthcheck gives.
const (
	exitMate        = 0
	exitNoMate      = 1
	exitUnknown     = 2
	exitBadPosition = 3
	exitUsage       = 4
	exitFailure     = 5
	exitInterrupted = 130 // 128 + SIGINT, as a shell reports a program that an interrupt ended

	exitSound  = 0
	exitDefect = 1

	exitOK       = 0
	exitNegative = 1 // the command did its work, and the answer is no
)

const exitCodeHelp = `
Exit codes of every command:
  0    done; for solve: mate; for analyze: sound
  1    for solve: no mate; for analyze: a defect; for certificate: there is none of this kind;
       for crosscheck, bench, healthcheck and jobs-store verify: something is wrong;
       for match: a player did wrong; for register: you said no
  2    for solve and certificate: unknown; for analyze: not decided
  3    for solve, analyze and certificate: a position has a fault
  4    wrong use: arguments, flags or configuration
  5    failure: a file, the network, the output
  130  interrupted`

func main() {
	os.Exit(run(untilSignal(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// errInterrupt is the cause of the end of a command that an interrupt asked for, from a terminal as
// a rule.
var errInterrupt = errors.New("interrupt")

// untilSignal returns a context that an interrupt or SIGTERM ends. A second one of them ends the
// program.
func untilSignal() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		first := <-signals
		signal.Stop(signals) // before anybody can see the end
		if first == os.Interrupt {
			cancel(errInterrupt)
			return
		}
		cancel(nil)
	}()
	return ctx
}

// run is the whole program. It returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	var exit *exitError
	if !errors.As(err, &exit) {
		exit = &exitError{code: exitFailure, err: err}
	}
	if exit.err != nil {
		fmt.Fprintf(stderr, "tsumero: %v\n", exit.err)
	}
	return exit.code
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "tsumero",
		Short: "Solve tsume-shogi (shogi mate) problems, and play shogi",
		Long: `Tsumero answers one question about a shogi position: can the attacker force mate?

The answer is mate, with the moves; no mate, which means never, at any length; or unknown, with
the reason. It plays shogi, too.

  tsumero solve '4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1'
  tsumero analyze problem.kif
  tsumero serve
  tsumero play
` + exitCodeHelp,
		SilenceUsage:          true,
		SilenceErrors:         true,
		DisableFlagsInUseLine: true,
		Args:                  noSuchCommand,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.Version = version.Get().Text("tsumero")
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(explainFlagError)
	for _, group := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"solve", "Ask for mates:", []*cobra.Command{newSolve(), newAnalyze(), newCertificate(), newCollection(),
			newServe(), newHealthcheck()}},
		{"jobs", "Have a service do what takes long:", []*cobra.Command{newSubmit(), newJobs(), newWorker(),
			newJobsStore()}},
		{"play", "Play:", []*cobra.Command{newPlay(), newMatch(), newTrain()}},
		{"test", "Test the rules and the solvers:",
			[]*cobra.Command{newPerft(), newCrosscheck(), newBench()}},
	} {
		root.AddGroup(&cobra.Group{ID: group.id, Title: group.title})
		for _, c := range group.commands {
			c.GroupID = group.id
			root.AddCommand(c)
		}
	}
	root.AddCommand(newRegister(), newDocs(), newVersion(), newLicenses())
	return root
}
