// Command tsumero-usi is the USI engine of Tsumero, the program a shogi GUI launches. It takes no arguments, reads
// commands from standard input and answers on standard output; package usi documents what it answers.
//
// It needs no files and no particular working directory, writes nothing to standard error, and ends with exit code 0
// on quit, at the end of its input, on SIGTERM and on an interrupt. A wrapper script should start it with exec, so
// that these signals reach it.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/tsumero/tsumero/api/usi"
	"github.com/tsumero/tsumero/solver/door"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if run(ctx, os.Stdin, os.Stdout) != nil {
		os.Exit(1) // without a word: a GUI may never read standard error
	}
}

func run(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	// A mate that does not verify needs no report: the engine says so where it is asked.
	return usi.Run(ctx, usi.Config{Solver: door.New(nil), Name: "Tsumero " + version()}, stdin, stdout)
}

// version returns the version the binary was built from, as the go command recorded it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}
