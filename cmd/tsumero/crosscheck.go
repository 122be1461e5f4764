package main

import (
	"github.com/spf13/cobra"
)

func newCrosscheck() *cobra.Command { return &cobra.Command{Use: "crosscheck"} }
func newServe() *cobra.Command { return &cobra.Command{Use: "serve"} }
func newHealthcheck() *cobra.Command { return &cobra.Command{Use: "healthcheck"} }
