// Package about has the commands with which a program of many commands tells of itself.
package about

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/deploy/licenses"
)

// NewLicenses returns the command licenses, which prints those of all that the programs of a release
// are made of.
func NewLicenses() *cobra.Command {
	return &cobra.Command{
		Use:   "licenses",
		Short: "Print the licences of everything the program is made of",
		Args:  command.Positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), licenses.Text)
			return err
		},
	}
}
