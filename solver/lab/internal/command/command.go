// Package command is how the program of the lab starts and ends, its exit codes, and what it says
// about wrong use: as much of what the commands of the product share as the lab needs, which may not
// import that.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/shogi"
)

// The exit codes.
const (
	ExitOK          = 0
	ExitNegative    = 1 // the command did its work, and the answer is no
	ExitBadPosition = 3
	ExitUsage       = 4
	ExitFailure     = 5
	ExitInterrupted = 130 // 128 + SIGINT, as a shell reports a program that an interrupt ended
)

// The bounds of what flags may ask for.
const (
	MaxJobs    = 1024
	MaxThreads = 256
	// LeastTable is the least table of a search.
	LeastTable cli.Size = 1 << 20
)

// MaxMemory returns the memory of the machine or the container, in whole MiB, and a great number if
// it is not known.
func MaxMemory() cli.Size {
	least := uint64(1 << 40)
	for _, limit := range []memlimit.Provider{memlimit.FromCgroup, memlimit.FromSystem} {
		if n, err := limit(); err == nil {
			least = min(least, n)
		}
	}
	return cli.Size(least) >> 20 << 20
}

// LimitGo sets GOMEMLIMIT to nine tenths of what the container has, so that garbage is collected
// before the kernel kills the process for it.
func LimitGo() {
	container := func() (uint64, error) {
		n, err := memlimit.FromCgroup()
		if err != nil || n > math.MaxInt64 {
			return 0, memlimit.ErrNoLimit // also where there are no cgroups
		}
		return n, nil
	}
	// It can fail only for a wrong AUTOMEMLIMIT, and then there is no limit.
	_, _ = memlimit.Set(memlimit.WithRatio(0.9), memlimit.WithProvider(container))
}

// UntilSignal returns a context that an interrupt or SIGTERM ends. A second one of them ends the
// program.
func UntilSignal() context.Context {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx
}

// Run runs the program whose commands are below root, and returns its exit code.
func Run(ctx context.Context, root *cobra.Command, args []string,
	stdin io.Reader, stdout, stderr io.Writer) int {
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return ExitOK
	}
	var exit *ExitError
	if !errors.As(err, &exit) {
		exit = &ExitError{Code: ExitFailure, Err: err}
	}
	if exit.Err != nil {
		fmt.Fprintf(stderr, "%s: %s\n", root.Name(), shogi.Visible(exit.Err.Error()))
	}
	return exit.Code
}

// A Group is commands that the help lists together.
type Group struct {
	ID, Title string
	Commands  []*cobra.Command
}

// SetUp makes root the root of a program: without a command it prints its help, and wrong use is
// reported as the functions of this package do.
func SetUp(root *cobra.Command, groups ...Group) {
	root.SilenceUsage = true
	root.SilenceErrors = true
	root.DisableFlagsInUseLine = true
	root.Args = NoSuchCommand
	root.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	root.Version = Revision()
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 100"))
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return UsageError(cmd, "%w", err) })
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.ID, Title: g.Title})
		for _, c := range g.Commands {
			c.GroupID = g.ID
			root.AddCommand(c)
		}
	}
}

// An ExitError ends the program with a code, and with a message unless all was printed already.
type ExitError struct {
	Code int
	Err  error
}

func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

func (e *ExitError) Unwrap() error { return e.Err }

// Exit ends the program with a code and, unless err is nil, with a message.
func Exit(code int, err error) error { return &ExitError{code, err} }

// UsageError reports a wrong use of cmd.
func UsageError(cmd *cobra.Command, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &ExitError{ExitUsage,
		fmt.Errorf("%w\nRun '%s --help' for how to use it", err, cmd.CommandPath())}
}

// Interrupted is how a command ends that a signal asked to.
func Interrupted(format string, args ...any) error {
	return &ExitError{ExitInterrupted, fmt.Errorf("interrupted: "+format, args...)}
}

// NoSuchCommand refuses what is not a command.
func NoSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return UsageError(cmd, "there is no command %q", args[0])
}

// Positional makes a usage error of a refusal by one of cobra's argument checks.
func Positional(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return UsageError(cmd, "%w", err)
		}
		return nil
	}
}

// OnePosition returns the position that args spell.
func OnePosition(cmd *cobra.Command, args []string) (p shogi.Position, err error) {
	several := UsageError(cmd, "one position is wanted, and there are more")
	for q, err := range cli.Single(cli.Arguments(args), several) {
		if err != nil {
			return p, err
		}
		if p, err = q.Position(); err != nil {
			return p, Exit(ExitBadPosition, err)
		}
	}
	return p, nil
}

// PerProcessorFlag defines a flag, -j for short, of how much is done at the same time: one for each
// processor unless it is given. Its help says that instead of the number, so that all machines have
// the same help.
func PerProcessorFlag(flags *pflag.FlagSet, p *int, name, usage string) {
	flags.IntVarP(p, name, "j", runtime.GOMAXPROCS(0), usage+" (default: one for each processor)")
	flags.Lookup(name).DefValue = "0"
}
