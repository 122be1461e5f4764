// Package command is what the command-line programs share: how they start and end, their exit codes,
// and what they say about wrong use.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/memory"
	"github.com/tsumero/tsumero/cmd/internal/version"
	"github.com/tsumero/tsumero/shogi"
)

// The exit codes that all commands have. Those that are answers, as of solve, stand beside their
// command.
const (
	ExitOK          = 0
	ExitNegative    = 1 // the command did its work, and the answer is no
	ExitBadPosition = 3
	ExitUsage       = 4
	ExitFailure     = 5
	ExitInterrupted = 130 // 128 + SIGINT, as a shell reports a program that an interrupt ended
)

// The bounds of what --jobs and --threads may ask for.
const (
	MaxJobs    = 1024
	MaxThreads = 256
)

// MaxMemory returns the memory of the machine or the container, in whole MiB, and a great number if
// it is not known.
func MaxMemory() cli.Size {
	return cli.Size(min(memory.Machine(), 1<<40)) >> 20 << 20
}

// ErrInterrupt is the cause of the end of a command that an interrupt asked for, from a terminal as
// a rule.
var ErrInterrupt = errors.New("interrupt")

// UntilSignal returns a context that an interrupt or SIGTERM ends. A second one of them ends the
// program.
func UntilSignal() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		first := <-signals
		signal.Stop(signals) // before anybody can see the end
		if first == os.Interrupt {
			cancel(ErrInterrupt)
			return
		}
		cancel(nil)
	}()
	return ctx
}

// Run runs the program whose commands are below root, and returns its exit code.
func Run(ctx context.Context, root *cobra.Command, args []string,
	stdin io.Reader, stdout, stderr io.Writer) int {
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	Translate(root)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return ExitOK
	}
	var exit *ExitError
	if !errors.As(err, &exit) {
		exit = &ExitError{Code: ExitFailure, Err: err}
	}
	if exit.Err != nil {
		fmt.Fprintf(stderr, "%s: %s\n", root.Name(), shogi.Visible(LanguageOf(root).Error(exit.Err)))
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
	root.Version = version.Get().Text(root.Name())
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 100"))
	root.SetFlagErrorFunc(explainFlagError)
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.ID, Title: g.Title})
		for _, c := range g.Commands {
			c.GroupID = g.ID
			root.AddCommand(c)
		}
	}
}

// NewVersion returns the command version.
func NewVersion(l cli.Language) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: l.Text("Print the version and where it was built from", "版とビルド元の表示"),
		Args:  Positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), cmd.Root().Version)
			return err
		},
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
func UsageError(cmd *cobra.Command, err error) error {
	return &ExitError{ExitUsage,
		cli.Errorf("%s\nRun '%s --help' for how to use it", "%s\n使い方：%s --help", err, cmd.CommandPath())}
}

// Interrupted is how a command ends that a signal asked to.
func Interrupted(en, ja string, args ...any) error {
	return &ExitError{ExitInterrupted, cli.Errorf("%s: %s", "%s：%s", cli.ErrInterrupted, cli.Errorf(en, ja, args...))}
}

// NoSuchCommand refuses what is not a command with the likeliest thing that was meant.
func NoSuchCommand(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cli.StartsPosition(args[0]):
		return UsageError(cmd, cli.Errorf("%q is a position, not a command; did you mean 'tsumero solve %[1]q'?",
			"「%s」は局面です。解くには「tsumero solve '%[1]s'」とします。", args[0]))
	}
	cmd.SuggestionsMinimumDistance = 2
	if close := cmd.SuggestionsFor(args[0]); len(close) > 0 {
		return UsageError(cmd, cli.Errorf("there is no command %q; did you mean %s?",
			"コマンド「%s」はありません。%s のことですか。", args[0], strings.Join(close, " or ")))
	}
	return UsageError(cmd, cli.Errorf("there is no command %q", "コマンド「%s」はありません。", args[0]))
}

// Positional makes a usage error of a refusal by one of cobra's argument checks.
func Positional(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return UsageError(cmd, cli.Errorf("%[1]s", "引数の数が違います（%[2]d個あります）。", err.Error(), len(args)))
		}
		return nil
	}
}

// NoPosition reports that there is nothing to ask about.
func NoPosition(cmd *cobra.Command) error {
	return UsageError(cmd, cli.Errorf("no position was given", "局面が指定されていません。"))
}

// OnePosition returns the position that args, of which there must be some, spell or name the file of.
func OnePosition(cmd *cobra.Command, args []string) (shogi.Position, error) {
	if len(args) == 0 {
		return shogi.Position{}, NoPosition(cmd)
	}
	return PositionIn(cmd, args, "", "")
}

// PositionIn returns the position of the arguments, the file, or standard input.
func PositionIn(cmd *cobra.Command, args []string, file, output string) (p shogi.Position, err error) {
	q, err := OneQuestion(cmd, args, file, output, cli.FileFormat{})
	if err != nil {
		return p, err
	}
	if p, err = q.Position(); err != nil {
		err = Exit(ExitBadPosition, err)
	}
	return p, err
}

// OneQuestion returns what the arguments, the file, which is not the output, or standard input ask
// about.
func OneQuestion(cmd *cobra.Command, args []string, file, output string, format cli.FileFormat) (
	one cli.Question, err error) {
	several := UsageError(cmd, cli.Errorf("one position is wanted, and there are more", "局面は一つだけ指定してください。"))
	if len(args) == 1 && cli.NameFiles(args) {
		args, file = nil, args[0]
	}
	var questions iter.Seq2[cli.Question, error]
	if len(args) > 0 {
		questions = cli.Arguments(args)
	} else {
		in := cmd.InOrStdin()
		if file != "" && file != "-" {
			opened, err := cli.Open(file, cli.OutputFiles(output))
			if err != nil {
				return one, err
			}
			defer opened.Close()
			in = opened
		}
		questions = cli.Files(in, format)
	}
	found := false
	for q, err := range cli.Single(questions, several) {
		if err != nil {
			return one, err
		}
		one, found = q, true
	}
	if !found {
		return one, NoPosition(cmd)
	}
	return one, nil
}

// flagValues say what the values of flags are, by the names of their types.
var flagValues = map[string]*shogi.Text{
	"bool":     shogi.NewText("", "true or false", "true か false"),
	"duration": shogi.NewText("", "a duration such as 500ms, 2s or 1m30s", "500ms、2s、1m30s のような時間"),
	"int":      wholeNumber, "int64": wholeNumber, "float64": shogi.NewText("", "a number", "数"),
	"uint": fromZero, "uint64": fromZero,
	"language": shogi.NewText("", "ja or en", "ja か en"),
}

var (
	wholeNumber = shogi.NewText("", "a whole number", "整数")
	fromZero    = shogi.NewText("", "a whole number from 0", "0以上の整数")
)

// explainFlagError adds the flag that was probably meant to the complaint about one that does not
// exist.
func explainFlagError(cmd *cobra.Command, err error) error {
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		if expected := flagValues[bad.GetFlag().Value.Type()]; expected != nil {
			return UsageError(cmd, cli.Errorf("--%s is %q, but must be %s", "--%s の「%s」は誤りです（%s）。",
				bad.GetFlag().Name, bad.GetValue(), expected))
		}
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		name := unknown.GetSpecifiedName()
		best, distance := "", 3
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if d := editDistance(name, f.Name); !f.Hidden && d < distance && d < len(f.Name) {
				best, distance = f.Name, d
			}
		})
		if best != "" {
			return UsageError(cmd, cli.Errorf("%s; did you mean --%s?", "%s--%s のことですか。", flagError{err}, best))
		}
	}
	return UsageError(cmd, flagError{err})
}

// A flagError is one of package pflag, which says it in Japanese, too.
type flagError struct{ error }

func (e flagError) Unwrap() error { return e.error }

func (e flagError) Japanese() string {
	var unknown *pflag.NotExistError
	var none *pflag.ValueRequiredError
	var bad *pflag.InvalidValueError
	switch {
	case errors.As(e.error, &unknown):
		return "フラグ「" + unknown.GetSpecifiedName() + "」はありません。"
	case errors.As(e.error, &none):
		return "--" + none.GetFlag().Name + " の値がありません。"
	case errors.As(e.error, &bad):
		return "--" + bad.GetFlag().Name + " の「" + bad.GetValue() + "」は誤りです。" + cli.Japanese.Error(errors.Unwrap(bad))
	}
	return "フラグの書き方が違います：" + e.Error()
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
