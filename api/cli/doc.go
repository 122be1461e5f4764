// Package cli is what the tsumero command does besides wiring: it reads positions, answers them on
// several goroutines, prints the answers in order, and shows the progress on a terminal; it reads
// settings from flags and the environment, and writes a log without waiting for its reader.
//
// A run of the solve command is one call:
//
//	questions := cli.Files(os.Stdin, cli.FileFormat{})
//	o := cli.Options{Solver: mate.New(mate.Options{}), Workers: 1, Output: "json"}
//	tally, err := cli.Solve(ctx, o, questions, os.Stdout, os.Stderr, new(cli.Progress))
package cli
