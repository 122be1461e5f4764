package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/solver/lab/mutants"
)

func newMutants() *cobra.Command {
	var root string
	cmd := &cobra.Command{
		Use:   "mutants [ID...]",
		Short: "Break the rules on purpose, and see whether a test notices",
		Long: `Mutants makes the mistakes of a list, one after the other, and runs the short tests of the
package for each. It prints which test noticed, and which mistakes live. No file of the module is
changed. An ID may end in *. Mistakes that make no difference are left out unless they are named.`,
		Example: "  tsumero-lab mutants 'th*'",
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := mutants.All()
			if err != nil {
				return err
			}
			if root, err = filepath.Abs(root); err != nil {
				return err
			}
			lived := 0
			for _, m := range all {
				if !isNamed(args, m.ID) || len(args) == 0 && m.Equivalent != "" {
					continue
				}
				fate, test, err := mutants.Run(cmd.Context(), root, &m)
				if err != nil {
					return err
				}
				if fate != mutants.Killed && m.Equivalent == "" {
					lived++
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s\t%s\t%s\t%s\n", m.ID, fate, test, m.What)
			}
			if lived > 0 {
				return fmt.Errorf("%d mistakes that no test notices", lived)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&root, "module", ".", "the `FOLDER` of the module")
	return cmd
}

// isNamed reports whether an ID is among some, of which none means all.
func isNamed(ids []string, id string) bool {
	for _, named := range ids {
		prefix, any := strings.CutSuffix(named, "*")
		if id == named || any && strings.HasPrefix(id, prefix) {
			return true
		}
	}
	return len(ids) == 0
}
