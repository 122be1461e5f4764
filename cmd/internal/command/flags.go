package command

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// PerProcessorFlag defines a flag, -j for short, of how much is done at the same time: one for each
// processor unless it is given. Its help says that instead of the number, so that all machines have
// the same help, and a release the same manual pages.
func PerProcessorFlag(flags *pflag.FlagSet, p *int, name, usage string) {
	flags.IntVarP(p, name, "j", runtime.GOMAXPROCS(0), usage+" (default: one for each processor)")
	flags.Lookup(name).DefValue = "0"
}

// choicesAnnotation holds what the value of a flag may be.
const choicesAnnotation = "choices"

// ChoiceFlag defines a flag that has one of a few values, which a shell completes. short may be
// empty.
func ChoiceFlag(cmd *cobra.Command, p *string, name, short, fallback string, values []string, usage string) {
	cmd.Flags().StringVarP(p, name, short, fallback, usage)
	_ = cmd.Flags().SetAnnotation(name, choicesAnnotation, values)
	Complete(cmd, name, values)
}

// Complete makes a shell complete the value of a flag.
func Complete(cmd *cobra.Command, flag string, values []string) {
	_ = cmd.RegisterFlagCompletionFunc(flag,
		cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// Checks collect what is wrong with the flags of a command, so that all of it is said at once.
type Checks struct {
	cmd    *cobra.Command
	faults []error
}

// Check begins the checks of the flags of cmd.
func Check(cmd *cobra.Command) *Checks { return &Checks{cmd: cmd} }

// Fault adds a fault if something is bad.
func (c *Checks) Fault(bad bool, format string, values ...any) {
	if bad {
		c.faults = append(c.faults, fmt.Errorf(format, values...))
	}
}

// Choices adds a fault for each of these flags, made by ChoiceFlag, that has none of its values.
func (c *Checks) Choices(names ...string) {
	for _, name := range names {
		f := c.cmd.Flags().Lookup(name)
		value, values := f.Value.String(), f.Annotations[choicesAnnotation]
		c.Fault(value != f.DefValue && !slices.Contains(values, value), "--%s is %q, but must be one of %s",
			name, value, strings.Join(values, ", "))
	}
}

// Err returns all faults as one error of wrong use, or nil.
func (c *Checks) Err() error {
	if len(c.faults) == 0 {
		return nil
	}
	return UsageError(c.cmd, "%w", errors.Join(c.faults...))
}
