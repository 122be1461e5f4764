package main

import "github.com/spf13/cobra"

const defaultAddr = ":8080"

func newServe() *cobra.Command {
	return &cobra.Command{Use: "serve", Short: "[$TSUMERO_ADDR]", Run: func(*cobra.Command, []string) {}}
}
