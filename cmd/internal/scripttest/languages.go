package scripttest

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/command"
)

var (
	japanese = regexp.MustCompile(`[\p{Hiragana}\p{Katakana}\p{Han}]`)
	// A term stands in parentheses in English, and no sentence is Japanese.
	term     = regexp.MustCompile(`\([^)]*\)`)
	sentence = regexp.MustCompile(`[、。：（）「」]|です|ます`)
)

// Languages walks all commands of a program. In Japanese all that they say of themselves and of their flags
// is Japanese, in lines of no more than 100 columns; in English nothing is but terms.
func Languages(t *testing.T, newRoot func(cli.Language) *cobra.Command) {
	t.Helper()
	commands := 0
	var walk func(l cli.Language, c *cobra.Command)
	walk = func(l cli.Language, c *cobra.Command) {
		commands++
		path := strings.Fields(c.CommandPath())[1:]
		var out, stderr bytes.Buffer
		if code := command.Run(context.Background(), newRoot(l), append(path, "--help"), nil, &out, &stderr); code != 0 {
			t.Errorf("%s: code %d: %s", c.CommandPath(), code, &stderr)
		}
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			if width := cli.Cells(line); l == cli.Japanese && width > 100 && japanese.MatchString(line) {
				t.Errorf("%s: %d columns: %s", c.CommandPath(), width, line)
			}
			if l == cli.English && sentence.MatchString(line) {
				t.Errorf("%s in English: %s", c.CommandPath(), line)
			}
		}
		say := func(what, text string) {
			switch {
			case l == cli.Japanese && text != "" && !japanese.MatchString(text):
				t.Errorf("%s: %s is not Japanese: %s", c.CommandPath(), what, text)
			case l == cli.English && japanese.MatchString(term.ReplaceAllString(text, "")):
				t.Errorf("%s: %s is not English: %s", c.CommandPath(), what, text)
			}
		}
		if c.Short == "" {
			t.Errorf("%s says nothing of itself", c.CommandPath())
		}
		say("it", c.Short)
		if l == cli.Japanese { // of the English ones some have lists of names
			say("the long text", c.Long)
		}
		for _, g := range c.Groups() {
			say("a group", g.Title)
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { say("--"+f.Name, f.Usage) })
		for _, sub := range c.Commands() {
			walk(l, sub)
		}
	}
	for _, l := range []cli.Language{cli.Japanese, cli.English} {
		root := newRoot(l)
		root.InitDefaultHelpCmd()
		root.InitDefaultCompletionCmd()
		command.Translate(root)
		walk(l, root)
	}
	if commands < 20 {
		t.Errorf("only %d commands", commands)
	}
}
