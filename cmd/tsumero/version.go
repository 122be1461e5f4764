package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/cmd/internal/version"
	"github.com/tsumero/tsumero/deploy/licenses"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and where it was built from",
		Args:  command.Positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), version.Get().Text("tsumero"))
			return err
		},
	}
}

func newLicenses() *cobra.Command {
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
