package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
)

// The flags that several commands have.

func notationFlag(cmd *cobra.Command, p *string) {
	command.ChoiceFlag(cmd, p, "notation", "", "auto", cli.FormatNames,
		"`NOTATION` of the files: "+
			strings.Replace(notation.List(cli.FormatNames, "or"), "kif", "kif (also BOD)", 1))
}

// notationOf returns what --notation names, or the zero value for auto.
func notationOf(name string) notation.Format {
	format, _ := notation.ParseFormat(name)
	return format
}

// recordFiles are the notations of files that are recognised by their first lines.
var recordFiles = notation.List(notation.Titles(), "or")

func afterFlag(cmd *cobra.Command, p *int, take string) {
	cmd.Flags().IntVar(p, "after", 0, "of a file in "+notation.WithMoves()+", "+take+
		" the position after `N` moves of its main line")
}

func handsFlag(cmd *cobra.Command, p *string) {
	command.ChoiceFlag(cmd, p, "hands", "", "", cli.Hands,
		"`WHO` holds the pieces that are missing: as_given, nobody; complete, the defender, as printed "+
			"diagrams mean it (残り全部) (default: nobody)")
}

// limitFlags are the limits of a report. Their defaults are those of package analysis for every command,
// as they are those of the API and of jobs: what a problem is must not depend on who asks.
type limitFlags struct {
	nodes, question uint64
	time            time.Duration
}

func (l *limitFlags) declare(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Uint64Var(&l.nodes, "nodes", analysis.DefaultNodes,
		"look at no more than `N` positions for each problem, of which each phase has its part; with "+
			"--time the default is a million for each second, if that is more")
	flags.Uint64Var(&l.question, "question-nodes", 0,
		fmt.Sprintf("look at no more than `N` positions for each question about a problem, such as "+
			"whether a check mates (default: %d, and more for the last few as far as --nodes suffice)",
			analysis.DefaultQuestionNodes))
	flags.DurationVar(&l.time, "time", 0,
		"spend no more than `DURATION`, such as 10s or 1m, on each problem (0: any)")
}

// check adds what is wrong with them, and completes them.
func (l *limitFlags) check(cmd *cobra.Command, check *command.Checks) {
	check.Fault(l.nodes == 0, "--nodes must be at least 1")
	check.Fault(l.question == 0 && cmd.Flags().Changed("question-nodes"), "--question-nodes must be at least 1")
	check.Fault(l.time < 0, "--time is %v, but must not be negative", l.time)
	if !cmd.Flags().Changed("nodes") {
		l.nodes = max(l.nodes, uint64(max(l.time, 0)/time.Microsecond))
	}
	l.question = min(l.question, l.nodes)
}

// policyNames are the policies by which interpositions are futile.
func policyNames() (names []string) {
	for _, p := range length.Policies {
		names = append(names, p.String())
	}
	return names
}

// profileNames are the profiles that say what is a defect.
func profileNames() (names []string) {
	for _, p := range analysis.Profiles {
		names = append(names, p.Name)
	}
	return names
}
