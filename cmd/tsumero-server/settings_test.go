package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/command"
)

// everyCommand returns the commands that do something, by their names.
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

// What runs Tsumero somewhere, and says how to, sets variables that exist.
func TestDeploySettings(t *testing.T) {
	variable := regexp.MustCompile(`\bTSUMERO_[A-Z_]*[A-Z]\b`)
	known := []string{"TSUMERO_SERVER", "TSUMERO_KEY"} // of the commands of tsumero that ask a service
	for _, commands := range everyCommand(newRoot(cli.English)) {
		for _, c := range commands {
			c.Flags().VisitAll(func(f *pflag.Flag) {
				if !f.Hidden {
					known = append(known, variable.FindAllString(f.Usage, -1)...)
				}
			})
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
	}
	if settings < 30 {
		t.Errorf("found only %d settings", settings)
	}
}

// What an operator sets, has to read about and may get wrong stays little.
func TestFewFlags(t *testing.T) {
	n := 0
	newServe(cli.English).Flags().VisitAll(func(f *pflag.Flag) {
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
	t.Setenv("TSUMERO_NATS", "nats://a:4222")
	says("serve", "TSUMERO_NATS is gone: "+instead)
	says("worker --jobs postgres://a/jobs", "TSUMERO_NATS is gone: "+instead)
}
