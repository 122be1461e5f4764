package about

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/cmd/internal/version"
	"github.com/tsumero/tsumero/deploy/licenses"
)

// NewDocs returns the command docs, which writes the manual pages of the program. others, unless it is
// nil, writes those of programs beside it, and long says which.
func NewDocs(l cli.Language, long string,
	others func(l cli.Language, folder string, stdout io.Writer) error) *cobra.Command {
	docs := &cobra.Command{
		Use:   "docs",
		Short: l.Text("Write the manual pages", "マニュアルページの作成"),
		Args:  command.NoSuchCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	docs.AddCommand(&cobra.Command{
		Use:   "man FOLDER",
		Short: l.Text("Write a manual page for each command", "コマンドごとのマニュアルページの作成"),
		Long:  long,
		Args:  command.Positional(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, stdout := args[0], cmd.OutOrStdout()
			if err := writeManual(cmd.Root(), folder, stdout); err != nil || others == nil {
				return err
			}
			return others(command.LanguageOf(cmd), folder, stdout)
		},
	})
	return docs
}

// writeManual writes the pages of a program into a folder, and prints their names.
func writeManual(root *cobra.Command, folder string, stdout io.Writer) error {
	// What cobra adds by itself, it adds only when a command runs.
	root.InitDefaultCompletionCmd()
	command.Translate(root)
	var tree func(c *cobra.Command) error
	tree = func(c *cobra.Command) error {
		if c.Hidden || c.Name() == "help" {
			return nil
		}
		if err := writePage(folder, pageName(c), manualPage(c), stdout); err != nil {
			return err
		}
		for _, sub := range c.Commands() {
			if err := tree(sub); err != nil {
				return err
			}
		}
		return nil
	}
	return tree(root)
}

// WritePage writes the manual page of a program without commands, which is its help, into a folder, and
// prints its name.
func WritePage(l cli.Language, folder, name, about, help string, stdout io.Writer) error {
	var page strings.Builder
	manualHead(&page, l, name, about)
	manualText(&page, l.Text("DESCRIPTION", "説明"), help)
	fmt.Fprintf(&page, ".SH %s\n%s\n", l.Text("SEE ALSO", "関連項目"), manualReference("tsumero"))
	return writePage(folder, name, page.String(), stdout)
}

func writePage(folder, name, page string, stdout io.Writer) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	path := filepath.Join(folder, name+".1")
	if err := os.WriteFile(path, []byte(page), 0o666); err != nil {
		return err
	}
	_, err := fmt.Fprintln(stdout, path)
	return err
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manualPage returns the manual page of a command, in the macros of man(7).
func manualPage(c *cobra.Command) string {
	var page strings.Builder
	l := command.LanguageOf(c)
	manualHead(&page, l, pageName(c), l.Text(strings.ToLower(c.Short[:1])+c.Short[1:], c.Short))
	fmt.Fprintf(&page, ".SH %s\n.B %s\n", l.Text("SYNOPSIS", "書式"), roff(c.UseLine()))
	long := c.Long
	if long == "" {
		long = c.Short + l.Text(".", "。")
	}
	manualText(&page, l.Text("DESCRIPTION", "説明"), long)
	manualFlags(&page, l, c.NonInheritedFlags())
	var see []string
	if c.HasParent() {
		see = append(see, manualReference(pageName(c.Parent())))
	}
	if c.HasAvailableSubCommands() {
		page.WriteString(".SH " + l.Text("COMMANDS", "コマンド") + "\n")
		for _, sub := range c.Commands() {
			if !sub.IsAvailableCommand() || sub.Name() == "help" {
				continue
			}
			fmt.Fprintf(&page, ".TP\n.B %s\n%s%s\n", roff(sub.Name()), roff(sub.Short), l.Text(".", ""))
			see = append(see, manualReference(pageName(sub)))
		}
	}
	if c.Example != "" {
		manualText(&page, l.Text("EXAMPLES", "例"), c.Example)
	}
	if !c.HasParent() {
		for _, program := range licenses.Commands {
			if name := path.Base(program); name != c.Name() {
				see = append(see, manualReference(name))
			}
		}
	}
	fmt.Fprintf(&page, ".SH %s\n%s\n", l.Text("SEE ALSO", "関連項目"), strings.Join(see, ",\n"))
	return page.String()
}

// manualHead writes what a page begins with. The date is that of the commit, so that a release has
// the same pages wherever they are made.
func manualHead(page *strings.Builder, l cli.Language, name, about string) {
	b := version.Get()
	day, _, _ := strings.Cut(b.Date, "T")
	// Lines of even length would tear the long words of flags and paths apart: .ad l.
	fmt.Fprintf(page, ".TH %q 1 %q %q %q\n.ad l\n", strings.ToUpper(name), day, "Tsumero "+b.Release(), "Tsumero")
	fmt.Fprintf(page, ".SH %s\n%s \\- %s\n", l.Text("NAME", "名前"), roff(name), roff(about))
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

func manualFlags(page *strings.Builder, l cli.Language, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	page.WriteString(".SH " + l.Text("OPTIONS", "フラグ") + "\n")
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
		line := strings.TrimSpace(command.FlagUsages(l, one))
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
