// Package about has the commands with which a program of many commands tells of itself.
package about

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/deploy/licenses"
)

// NewLicenses returns the command licenses, which prints those of all that the programs of a release
// are made of.
func NewLicenses(l cli.Language) *cobra.Command {
	return &cobra.Command{
		Use:   "licenses",
		Short: l.Text("Print the licences of everything the program is made of", "使用しているすべてのソフトウェアのライセンスの表示"),
		Args:  command.Positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), licenses.Text)
			return err
		},
	}
}
