// Command tsumero solves mate problems (solve), says whether they are sound (analyze), writes certificates
// of the answers (certificate) and plays (play). "tsumero help" lists the commands.
//
// The service is another program, tsumero-server, and so is the USI engine that a shogi GUI launches,
// tsumero-usi; what those need who build engines is in solver/lab.
package main

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/cmd/internal/about"
	"github.com/tsumero/tsumero/cmd/internal/command"
)

// The exit codes that answer: solve's, and analyze's by other names. Package command has the others.
const (
	exitMate    = 0
	exitNoMate  = 1
	exitUnknown = 2

	exitSound  = 0
	exitDefect = 1
)

const exitCodeHelp = `
Exit codes of every command:
  0    done; for solve: mate; for analyze: sound; for threat: there is one
  1    for solve: no mate; for analyze: a defect; for threat: none; for certificate: none of this kind;
       for diagram: no mate to show; for register: you said no
  2    for solve, threat, certificate and diagram: unknown; for analyze: not decided
  3    for solve, threat, analyze, certificate, diagram and games: a position has a fault
  4    wrong use: arguments or flags
  5    failure: a file, the network, the output
  130  interrupted`

func main() {
	os.Exit(run(command.UntilSignal(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program. It returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot
	if len(args) > 0 && args[0] == "solve" {
		root = newRootOfSolve
	}
	return command.Run(ctx, root(), args, stdin, stdout, stderr)
}

// newRootOfSolve returns the root with solve alone: all commands take as long to make as a short
// question to answer.
func newRootOfSolve() *cobra.Command {
	root := &cobra.Command{Use: "tsumero"}
	command.SetUp(root, command.Group{ID: "solve", Commands: []*cobra.Command{newSolve()}})
	return root
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
  tsumero play

The program tsumero-server answers the same questions over HTTP.
` + exitCodeHelp,
	}
	groups := []command.Group{
		{ID: "solve", Title: "Ask for mates, and play:", Commands: []*cobra.Command{newSolve(),
			newAnalyze(), newThreat(), newCertificate(), newCollection(), newCompose(), newExport(),
			newDiagram(), newGames(), newKeys(), newPlay()}},
		{ID: "jobs", Title: "Have a service do what takes long:",
			Commands: []*cobra.Command{newSubmit(), newJobs()}},
	}
	command.SetUp(root, groups...)
	root.AddCommand(newRegister(), about.NewDocs(`Man writes the help of every command as a manual page into a folder, tsumero-solve.1 for
"tsumero solve" and so on, and also that of the programs tsumero-server, tsumero-usi and tsumero-check
if they are beside this one. MANPATH, or a folder man1 that man looks into, makes them known:

  tsumero docs man ~/.local/share/man/man1
  man tsumero-solve`, manualsBeside), command.NewVersion(), about.NewLicenses())
	return root
}
