package main

import (
	"strings"

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

// policyNames are the policies by which interpositions are futile.
func policyNames() (names []string) {
	for p := length.F0; p < length.NumPolicies; p++ {
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
