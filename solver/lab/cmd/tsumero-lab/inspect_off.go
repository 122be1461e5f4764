//go:build !lab

package main

import (
	"errors"

	"github.com/spf13/cobra"
)

// newInspect returns a command that says how to get the one that looks into the search, which the
// product leaves out.
func newInspect() *cobra.Command {
	return &cobra.Command{
		Use:   "inspect POSITION",
		Short: "Show where the search for long mates spends its nodes",
		RunE: func(*cobra.Command, []string) error {
			return errors.New("this program was built without -tags lab")
		},
	}
}
