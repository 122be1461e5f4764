package main

import (
	"github.com/spf13/cobra"
)

func newCrosscheck() *cobra.Command { return &cobra.Command{Use: "crosscheck"} }
