package main

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tsumero/tsumero/api/cli"
)

// An exitError ends the program with a code, and with a message unless all was printed already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usageError reports a wrong use of cmd.
func usageError(cmd *cobra.Command, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &exitError{exitUsage,
		fmt.Errorf("%w\nRun '%s --help' for how to use it", err, cmd.CommandPath())}
}

// interrupted is how a command ends that a signal asked to.
func interrupted(format string, args ...any) error {
	return &exitError{exitInterrupted, fmt.Errorf("interrupted: "+format, args...)}
}

// noSuchCommand refuses what is not a command with the likeliest thing that was meant.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cli.StartsPosition(args[0]):
		return usageError(cmd,
			"%q is a position, not a command; did you mean 'tsumero solve %[1]q'?", args[0])
	}
	cmd.SuggestionsMinimumDistance = 2
	if close := cmd.SuggestionsFor(args[0]); len(close) > 0 {
		return usageError(cmd, "there is no command %q; did you mean %s?", args[0],
			strings.Join(close, " or "))
	}
	return usageError(cmd, "there is no command %q", args[0])
}

// positional makes a usage error of a refusal by one of cobra's argument checks.
func positional(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageError(cmd, "%w", err)
		}
		return nil
	}
}

// perProcessorFlag defines a flag, -j for short, of how much is done at the same time: one for each
// processor unless it is given. Its help says that instead of the number, so that all machines have
// the same help, and a release the same manual pages.
func perProcessorFlag(flags *pflag.FlagSet, p *int, name, usage string) {
	flags.IntVarP(p, name, "j", runtime.GOMAXPROCS(0), usage+" (default: one for each processor)")
	flags.Lookup(name).DefValue = "0"
}

// flagValues say what the values of flags are, by the names of their types.
var flagValues = map[string]string{
	"bool": "true or false", "duration": "a duration such as 500ms, 2s or 1m30s",
	"int": "a whole number", "int64": "a whole number", "float64": "a number",
	"uint": "a whole number from 0", "uint64": "a whole number from 0",
}

// explainFlagError adds the flag that was probably meant to the complaint about one that does not
// exist.
func explainFlagError(cmd *cobra.Command, err error) error {
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		if expected := flagValues[bad.GetFlag().Value.Type()]; expected != "" {
			return usageError(cmd, "--%s is %q, but must be %s", bad.GetFlag().Name, bad.GetValue(), expected)
		}
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		name := unknown.GetSpecifiedName()
		best, distance := "", 3
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if d := editDistance(name, f.Name); d < distance && d < len(f.Name) {
				best, distance = f.Name, d
			}
		})
		if best != "" {
			return usageError(cmd, "%w; did you mean --%s?", err, best)
		}
	}
	return usageError(cmd, "%w", err)
}

// editDistance returns how many letters must be put in, taken out or replaced to turn a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
