//go:build !unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"

	"github.com/tsumero/tsumero/cmd/internal/command"
)

// become runs a program to its end, and ends with its exit code. An interrupt from the terminal reaches
// it, too.
func become(path string, args, environ []string) error {
	signal.Ignore(os.Interrupt)
	program := &exec.Cmd{Path: path, Args: args, Env: environ,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	err := program.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return command.Exit(exit.ExitCode(), nil)
	}
	return err
}
