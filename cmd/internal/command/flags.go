package command

import (
	"errors"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tsumero/tsumero/api/cli"
)

// PerProcessorFlag defines a flag, -j for short, of how much is done at the same time: one for each
// processor unless it is given. Its help says that instead of the number, so that all machines have
// the same help, and a release the same manual pages.
func PerProcessorFlag(l cli.Language, flags *pflag.FlagSet, p *int, name, usage string) {
	flags.IntVarP(p, name, "j", runtime.GOMAXPROCS(0),
		usage+l.Text(" (default: one for each processor)", "（既定：プロセッサの数）"))
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
func (c *Checks) Fault(bad bool, en, ja string, values ...any) {
	if bad {
		c.faults = append(c.faults, cli.Errorf(en, ja, values...))
	}
}

// NotNegative adds a fault if the value of a flag is said to be negative.
func (c *Checks) NotNegative(name string, is bool, value any) {
	c.Fault(is, "--%s is %v, but must not be negative", "--%s の %v は負の数です。", name, value)
}

// Range adds a fault if the value of a flag is not in a range.
func (c *Checks) Range(name string, value, least, most int) {
	c.Fault(value < least || value > most, "--%s is %d, but must be %d to %d", "--%s の %d は範囲外です（%d～%d）。",
		name, value, least, most)
}

// Choices adds a fault for each of these flags, made by ChoiceFlag, that has none of its values.
func (c *Checks) Choices(names ...string) {
	for _, name := range names {
		f := c.cmd.Flags().Lookup(name)
		value, values := f.Value.String(), f.Annotations[choicesAnnotation]
		c.Fault(value != f.DefValue && !slices.Contains(values, value), "--%s is %q, but must be one of %s",
			"--%s の「%s」は誤りです（%s のどれか）。", name, value, strings.Join(values, ", "))
	}
}

// Err returns all faults as one error of wrong use, or nil.
func (c *Checks) Err() error {
	if len(c.faults) == 0 {
		return nil
	}
	return UsageError(c.cmd, errors.Join(c.faults...))
}
