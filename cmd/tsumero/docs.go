package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/cmd/internal/version"
)

func newDocs() *cobra.Command {
	docs := &cobra.Command{
		Use:   "docs",
		Short: "Write the manual pages",
		Args:  command.NoSuchCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	docs.AddCommand(&cobra.Command{
		Use:   "man FOLDER",
		Short: "Write a manual page for each command",
		Long: `Man writes the help of every command as a manual page into a folder, tsumero-solve.1 for
"tsumero solve" and so on, and also that of the programs tsumero-usi and tsumero-check if they are
beside this one. MANPATH, or a folder man1 that man looks into, makes them known:

  tsumero docs man ~/.local/share/man/man1
  man tsumero-solve`,
		Args: command.Positional(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return writeManual(cmd.Root(), args[0], cmd.OutOrStdout())
		},
	})
	return docs
}

// writeManual writes the pages of a program and of those beside it into a folder, and prints their
// names.
func writeManual(root *cobra.Command, folder string, stdout io.Writer) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	write := func(name, page string) error {
		path := filepath.Join(folder, name+".1")
		if err := os.WriteFile(path, []byte(page), 0o666); err != nil {
			return err
		}
		_, err := fmt.Fprintln(stdout, path)
		return err
	}
	// What cobra adds by itself, it adds only when a command runs.
	root.InitDefaultCompletionCmd()
	var tree func(c *cobra.Command) error
	tree = func(c *cobra.Command) error {
		if c.Hidden || c.Name() == "help" {
			return nil
		}
		if err := write(pageName(c), manualPage(c)); err != nil {
			return err
		}
		for _, sub := range c.Commands() {
			if err := tree(sub); err != nil {
				return err
			}
		}
		return nil
	}
	if err := tree(root); err != nil {
		return err
	}
	for _, beside := range []struct{ name, about string }{
		{engineProgram, "a USI engine for shogi and tsume-shogi"},
		{"tsumero-check", "check a certificate of an answer"},
	} {
		program, err := besideThis(beside.name)
		if err != nil {
			continue
		}
		help, err := exec.Command(program, "--help").Output()
		if err != nil {
			return fmt.Errorf("%s --help: %w", program, err)
		}
		var page strings.Builder
		manualHead(&page, beside.name, beside.about)
		manualText(&page, "DESCRIPTION", string(help))
		fmt.Fprintf(&page, ".SH SEE ALSO\n%s\n", manualReference("tsumero"))
		if err := write(beside.name, page.String()); err != nil {
			return err
		}
	}
	return nil
}

// engineProgram is the USI engine.
const engineProgram = "tsumero-usi"

// besideThis returns the path of a program of the same release: the one in this program's folder.
func besideThis(name string) (string, error) {
	self, err := os.Executable()
	if err != nil { // without /proc, say
		if self, err = exec.LookPath(os.Args[0]); err != nil {
			return "", err
		}
		if self, err = filepath.Abs(self); err != nil {
			return "", err
		}
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	path := filepath.Join(filepath.Dir(self), name)
	if _, err = os.Stat(path); err == nil {
		return path, nil
	}
	// This one may be called by a link alone.
	if self, err = filepath.EvalSymlinks(self); err != nil {
		return "", err
	}
	path = filepath.Join(filepath.Dir(self), name)
	_, err = os.Stat(path)
	return path, err
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manualPage returns the manual page of a command, in the macros of man(7).
func manualPage(c *cobra.Command) string {
	var page strings.Builder
	manualHead(&page, pageName(c), strings.ToLower(c.Short[:1])+c.Short[1:])
	fmt.Fprintf(&page, ".SH SYNOPSIS\n.B %s\n", roff(c.UseLine()))
	long := c.Long
	if long == "" {
		long = c.Short + "."
	}
	manualText(&page, "DESCRIPTION", long)
	manualFlags(&page, c.NonInheritedFlags())
	var see []string
	if c.HasParent() {
		see = append(see, manualReference(pageName(c.Parent())))
	}
	if c.HasAvailableSubCommands() {
		page.WriteString(".SH COMMANDS\n")
		for _, sub := range c.Commands() {
			if !sub.IsAvailableCommand() || sub.Name() == "help" {
				continue
			}
			fmt.Fprintf(&page, ".TP\n.B %s\n%s.\n", roff(sub.Name()), roff(sub.Short))
			see = append(see, manualReference(pageName(sub)))
		}
	}
	if c.Example != "" {
		manualText(&page, "EXAMPLES", c.Example)
	}
	if c.Name() == c.Root().Name() {
		see = append(see, manualReference(engineProgram), manualReference("tsumero-check"))
	}
	fmt.Fprintf(&page, ".SH SEE ALSO\n%s\n", strings.Join(see, ",\n"))
	return page.String()
}

// manualHead writes what a page begins with. The date is that of the commit, so that a release has
// the same pages wherever they are made.
func manualHead(page *strings.Builder, name, about string) {
	b := version.Get()
	day, _, _ := strings.Cut(b.Date, "T")
	// Lines of even length would tear the long words of flags and paths apart: .ad l.
	fmt.Fprintf(page, ".TH %q 1 %q %q %q\n.ad l\n", strings.ToUpper(name), day, "Tsumero "+b.Release(), "Tsumero")
	fmt.Fprintf(page, ".SH NAME\n%s \\- %s\n", roff(name), roff(about))
}

// manualText writes a section: paragraphs as they are if a line of them is indented, as tables and
// commands are, and filled otherwise.
func manualText(page *strings.Builder, title, text string) {
	fmt.Fprintf(page, ".SH %s\n", title)
	for i, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if i > 0 {
			page.WriteString(".PP\n")
		}
		paragraph = strings.Trim(paragraph, "\n")
		asIs := strings.HasPrefix(paragraph, " ") || strings.Contains(paragraph, "\n ")
		if asIs {
			page.WriteString(".nf\n")
		}
		for line := range strings.Lines(paragraph) {
			page.WriteString(roff(strings.TrimSuffix(line, "\n")) + "\n")
		}
		if asIs {
			page.WriteString(".fi\n")
		}
	}
}

func manualFlags(page *strings.Builder, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	page.WriteString(".SH OPTIONS\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		// The text as in the help, which has the defaults: what follows the name and the value.
		one := pflag.NewFlagSet("", pflag.ContinueOnError)
		one.AddFlag(f)
		value, _ := pflag.UnquoteUsage(f)
		names := "--" + f.Name
		if value != "" {
			names += " " + value
		}
		line := strings.TrimSpace(one.FlagUsages())
		_, usage, _ := strings.Cut(line, names)
		bold := "\\fB" + roff("--"+f.Name) + "\\fR"
		if f.Shorthand != "" {
			bold = "\\fB" + roff("-"+f.Shorthand) + "\\fR, " + bold
		}
		if value != "" {
			bold += " \\fI" + roff(value) + "\\fR"
		}
		usage, keys, isList := strings.Cut(strings.TrimSpace(usage), "\n")
		fmt.Fprintf(page, ".TP\n%s\n%s\n", bold, roff(usage))
		if !isList {
			return
		}
		page.WriteString(".RS\n")
		for line := range strings.Lines(keys) {
			key, usage, _ := strings.Cut(strings.TrimSpace(line), " ")
			fmt.Fprintf(page, ".TP\n\\fB%s\\fR\n%s\n", roff(key), roff(strings.TrimSpace(usage)))
		}
		page.WriteString(".RE\n")
	})
}

// manualReference names another page.
func manualReference(name string) string { return "\\fB" + roff(name) + "\\fR(1)" }

var roffEscapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`,
	"~", `\(ti`)

// roff escapes a line of text: what would be a request, and the characters that roff would print as
// others, so that commands can be copied from a page.
func roff(line string) string {
	line = roffEscapes.Replace(line)
	if strings.HasPrefix(line, ".") {
		line = `\&` + line
	}
	return line
}
