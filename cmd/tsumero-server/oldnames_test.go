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
		for command := range strings.FieldsSeq(name.Commands) {
			if commands[command] == nil {
				t.Errorf("there is no command %s", command)
			}
			for _, c := range commands[command] {
				now, _, _ := strings.Cut(strings.Replace(name.Now, "=", " ", 1), " ")
				if f := c.Flags().Lookup(name.Old); f == nil || !f.Hidden {
					t.Errorf("%s --%s is not hidden", c.CommandPath(), name.Old)
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
		"idle-timeout": "3s", "body-timeout": "3s", "write-timeout": "3s"}
	resolve := func(flag, value string) serveSettings {
		var s serveSettings
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		set := cli.NewSettings(flags)
		s.declare(set, flags)
		for _, name := range oldNames {
			if strings.Contains(name.Commands, "serve") {
				cli.Rename(flags, name.Old, name.Now)
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
		s.jobs.store.flags = nil // which are others each time
		return s
	}
	usual := resolve("", "")
	for _, name := range oldNames {
		if !strings.Contains(name.Commands, "serve") {
			continue
		}
		value := cmp.Or(values[name.Old], "5")
		flag, key, isKey := strings.Cut(name.Now, " ")
		listed := value
		if isKey {
			listed = key + "=" + value
		}
		want := resolve(flag, listed)
		if got := resolve(name.Old, value); !reflect.DeepEqual(got, want) || reflect.DeepEqual(got, usual) {
			t.Errorf("--%s %s is not --%s %s", name.Old, value, flag, listed)
		}
		variable := "TSUMERO_" + strings.ToUpper(strings.ReplaceAll(name.Old, "-", "_"))
		t.Setenv(variable, value)
		if got := resolve("", ""); !reflect.DeepEqual(got, want) {
			t.Errorf("%s=%s is not --%s %s", variable, value, flag, listed)
		}
		os.Unsetenv(variable) // t.Setenv puts back what was there
	}
}

// The log says which old names were given.
func TestOldNamesWarn(t *testing.T) {
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
	known := []string{"TSUMERO_SERVER", "TSUMERO_KEY"} // of the commands of tsumero that ask a service
	var old []string
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
		old = append(old, name.Old)
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
	if n > 36 {
		t.Errorf("serve has %d flags", n)
	}
	t.Logf("serve has %d flags", n)
}

// Whoever still says NATS is told what to say instead, and nothing starts without the jobs.
func TestNATSIsGone(t *testing.T) {
	const instead = "jobs are not kept in NATS any more: give --jobs DIR, or --jobs postgres://user@host/database\n"
	says := func(args, want string) {
		t.Helper()
		var said strings.Builder
		if code := run(t.Context(), strings.Fields(args), nil, &said, &said); code != command.ExitUsage ||
			!strings.Contains(said.String(), want) {
			t.Errorf("%s: exit code %d, %s", args, code, said.String())
		}
	}
	says("serve --nats nats://a:4222", "--nats is gone: "+instead)
	says("serve --jobs dir --nats-storage replicas=1", "--nats-storage is gone: "+instead)
	says("worker --nats=nats://a:4222", "--nats is gone: "+instead)
	says("serve --nat 1", "unknown flag: --nat")
	says("jobs-store verify --jobs dir", "jobs-store is gone: use store check, store backup or store restore\nRun 'tsumero-server --help'")
	t.Setenv("TSUMERO_NATS", "nats://a:4222")
	says("serve", "TSUMERO_NATS is gone: "+instead)
	says("worker --jobs postgres://a/jobs", "TSUMERO_NATS is gone: "+instead)
}
