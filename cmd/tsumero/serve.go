package main

import "github.com/spf13/cobra"

func newServe() *cobra.Command { return &cobra.Command{Use: "serve", Short: "[$TSUMERO_ADDR]", Run: func(*cobra.Command, []string) {}} }
func newHealthcheck() *cobra.Command { return &cobra.Command{Use: "healthcheck"} }
