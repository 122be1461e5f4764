package main

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/command"
)

// everyCommand returns the commands that do something, by their names in oldNames.
func everyCommand(c *cobra.Command) map[string][]*cobra.Command {
	all := map[string][]*cobra.Command{}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			visit(sub)
		}
		if !c.HasSubCommands() {
			name := strings.Fields(c.CommandPath())[1]
			all[name] = append(all[name], c)
		}
	}
	visit(c)
	return all
}

// Each old name is a hidden flag of each of its commands, and what it stands for is one that is shown.
func TestOldNamesHidden(t *testing.T) {
	commands := everyCommand(newRoot())
	for _, name := range oldNames {
		for command := range strings.FieldsSeq(name.commands) {
			if commands[command] == nil {
				t.Errorf("there is no command %s", command)
			}
			for _, c := range commands[command] {
				now, _, _ := strings.Cut(strings.Replace(name.now, "=", " ", 1), " ")
				if f := c.Flags().Lookup(name.old); f == nil || !f.Hidden {
					t.Errorf("%s --%s is not hidden", c.CommandPath(), name.old)
				}
				if f := c.Flags().Lookup(now); f == nil || f.Hidden {
					t.Errorf("%s --%s is hidden", c.CommandPath(), now)
				}
			}
		}
	}
}

// An old name does what the new one does, as a flag and as a variable.
func TestOldNamesOfServe(t *testing.T) {
	values := map[string]string{"queue-wait": "3s", "long-wait": "3s", "table": "64MiB", "analysis-wait": "3s",
		"analysis-time": "3s", "analysis-default-time": "3s", "play-wait": "3s", "batch-time": "3s",
		"idle-timeout": "3s", "body-timeout": "3s", "write-timeout": "3s", "jobs-unsafe": "true"}
	resolve := func(flag, value string) serveSettings {
		var s serveSettings
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		set := cli.NewSettings(flags)
		s.declare(set)
		for _, name := range oldNames {
			if strings.Contains(name.commands, "serve") {
				cli.Rename(flags, name.old, name.now)
			}
		}
		if flag != "" {
			if err := flags.Set(flag, value); err != nil {
				t.Fatal(err)
			}
		}
		if err := set.Resolve(); err != nil {
			t.Errorf("--%s %s: %v", flag, value, err)
		}
		return s
	}
	usual := resolve("", "")
	for _, name := range oldNames {
		if !strings.Contains(name.commands, "serve") {
			continue
		}
		value := cmp.Or(values[name.old], "5")
		flag, key, isKey := strings.Cut(name.now, " ")
		listed := value
		if isKey {
			listed = key + "=" + value
		}
		want := resolve(flag, listed)
		if got := resolve(name.old, value); !reflect.DeepEqual(got, want) || reflect.DeepEqual(got, usual) {
			t.Errorf("--%s %s is not --%s %s", name.old, value, flag, listed)
		}
		variable := "TSUMERO_" + strings.ToUpper(strings.ReplaceAll(name.old, "-", "_"))
		t.Setenv(variable, value)
		if got := resolve("", ""); !reflect.DeepEqual(got, want) {
			t.Errorf("%s=%s is not --%s %s", variable, value, flag, listed)
		}
		os.Unsetenv(variable) // t.Setenv puts back what was there
	}
}

// A command that was given an old name says so: on standard error, or in its log.
func TestOldNamesWarn(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"solve", "--format", "sfen", "-f", "-"}, "--format goes with the next version; write --notation sfen"},
		{[]string{"analyze", "--format", "json", headGold}, "--format goes with the next version; write --output json"},
		{[]string{"collection", "--rest", "--search", "none"}, "--rest goes with the next version; write --hands complete"},
		{[]string{"play", "--moves-limit", "8"}, "--moves-limit goes with the next version; write --max-moves 8"},
	} {
		code, stdout, stderr := tsumero(t.Context(), headGold+"\n", c.args...)
		if code != command.ExitOK || !strings.Contains(stderr, "tsumero: warning: "+c.want+"\n") || strings.Contains(stdout, c.want) {
			t.Errorf("%q: exit code %d\n%s\n%s", c.args, code, stdout, stderr)
		}
	}
	t.Setenv("TSUMERO_LONG_WAIT", "3s")
	s := startServe(t, "--searches", "2")
	s.end()
	var said []string
	for line := range strings.Lines(s.log.String()) {
		var entry struct{ Level, Use string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Errorf("the log has a line that is not JSON: %q", line)
		}
		if entry.Use != "" && entry.Level == "WARN" {
			said = append(said, entry.Use)
		}
	}
	slices.Sort(said)
	if want := []string{"--searches goes with the next version; write --short slots=2",
		"TSUMERO_LONG_WAIT goes with the next version; write TSUMERO_LONG=wait=3s"}; !slices.Equal(said, want) {
		t.Errorf("the log says %q, want %q", said, want)
	}
}

// What runs Tsumero somewhere, and says how to, sets variables that exist, and knows no old names.
func TestDeploySettings(t *testing.T) {
	variable := regexp.MustCompile(`\bTSUMERO_[A-Z_]*[A-Z]\b`)
	flag := regexp.MustCompile("(?m)(?:^|[ \"`(\\[])--([a-z]+(?:-[a-z]+)*)")
	var known, old []string
	for _, commands := range everyCommand(newRoot()) {
		for _, c := range commands {
			c.Flags().VisitAll(func(f *pflag.Flag) {
				if !f.Hidden {
					known = append(known, variable.FindAllString(f.Usage, -1)...)
				}
			})
		}
	}
	for _, name := range oldNames {
		if strings.Contains(name.commands, "serve") || name.commands == "worker" {
			old = append(old, name.old)
		}
	}
	files := []string{"../../Dockerfile", "../../README.md"}
	err := filepath.WalkDir("../../deploy", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !strings.HasPrefix(path, "../../deploy/release") &&
			!strings.Contains(path, "go.sum") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	settings := 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range variable.FindAllString(string(text), -1) {
			if settings++; !slices.Contains(known, name) {
				t.Errorf("%s: there is no variable %s", path, name)
			}
		}
		for _, name := range flag.FindAllStringSubmatch(string(text), -1) {
			if settings++; slices.Contains(old, name[1]) {
				t.Errorf("%s: --%s is an old name", path, name[1])
			}
		}
	}
	if settings < 50 {
		t.Errorf("found only %d settings", settings)
	}
}

// What an operator sets, has to read about and may get wrong stays little.
func TestFewFlags(t *testing.T) {
	n := 0
	newServe().Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			n++
		}
	})
	if n > 35 {
		t.Errorf("serve has %d flags", n)
	}
	t.Logf("serve has %d flags", n)
}
