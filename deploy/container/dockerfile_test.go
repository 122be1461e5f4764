// Package container tests the Dockerfile and the compose file.
package container

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/distribution/reference"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

const root = "../.."

// parseDockerfile returns the two stages of the Dockerfile. What BuildKit would warn of fails the
// test.
func parseDockerfile(t *testing.T) (build, final instructions.Stage) {
	t.Helper()
	f, err := os.Open(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	parsed, err := parser.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range parsed.Warnings {
		t.Errorf("Dockerfile: %s", w.Short)
	}
	lint := linter.New(&linter.Config{
		ExperimentalAll: true,
		Warn: func(rule, _, _, msg string, at []parser.Range) {
			t.Errorf("Dockerfile, line %d: %s: %s", at[0].Start.Line, rule, msg)
		},
	})
	stages, _, err := instructions.Parse(parsed.AST, lint)
	if err != nil {
		t.Fatal(err)
	}
	if len(stages) != 2 {
		t.Fatalf("%d stages, want one that builds and one that is the image", len(stages))
	}
	return stages[0], stages[1]
}

// only returns the single command of type C in the stage.
func only[C instructions.Command](t *testing.T, stage instructions.Stage) C {
	t.Helper()
	var found []C
	for _, c := range stage.Commands {
		if c, ok := c.(C); ok {
			found = append(found, c)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d of %T, want 1", len(found), *new(C))
	}
	return found[0]
}

func TestDockerfile(t *testing.T) {
	build, final := parseDockerfile(t)

	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	_, version, _ := strings.Cut(string(mod), "\ngo ")
	version, _, _ = strings.Cut(version, "\n")
	if want := "golang:" + version + "-"; !strings.HasPrefix(build.BaseName, want) {
		t.Errorf("the builder is %s, but go.mod asks for go %s", build.BaseName, version)
	}
	if err := pinned(build.BaseName); err != nil {
		t.Error(err)
	}
	if final.BaseName != "scratch" {
		t.Errorf("the image's base is %s, want scratch", final.BaseName)
	}

	// A name would need /etc/passwd, and Kubernetes' runAsNonRoot trusts only a number.
	uid, _, _ := strings.Cut(only[*instructions.UserCommand](t, final).User, ":")
	if n, err := strconv.Atoi(uid); err != nil || n == 0 {
		t.Errorf("USER %s, want a number other than 0", uid)
	}
	// There is no shell in the image: everything it starts must be in exec form.
	if only[*instructions.EntrypointCommand](t, final).PrependShell || only[*instructions.CmdCommand](t, final).PrependShell {
		t.Error("ENTRYPOINT or CMD asks for a shell")
	}
	if health := only[*instructions.HealthCheckCommand](t, final).Health.Test; health[0] != "CMD" {
		t.Errorf("HEALTHCHECK %q, want the exec form", health)
	}

	labels := map[string]string{}
	for _, c := range final.Commands {
		if c, ok := c.(*instructions.LabelCommand); ok {
			for _, l := range c.Labels {
				labels[l.Key] = strings.Trim(l.Value, `"`)
			}
		}
	}
	for _, name := range []string{"title", "description", "licenses", "version", "revision"} {
		if labels["org.opencontainers.image."+name] == "" {
			t.Errorf("no label org.opencontainers.image.%s", name)
		}
	}
	notices, err := os.ReadFile(filepath.Join(root, "deploy/licenses/LICENSES.txt"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(notices), "\n")
	want := strings.TrimPrefix(first, "SPDX-License-Identifier: ")
	if got := labels["org.opencontainers.image.licenses"]; got != want {
		t.Errorf("the label says of the licences %q, LICENSES.txt %q", got, want)
	}
}

// pinned returns what an image's name lacks: a version, for people, and a digest, so that what runs
// is what was tried.
func pinned(image string) error {
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return fmt.Errorf("image %s: %w", image, err)
	}
	if tagged, ok := named.(reference.Tagged); !ok || tagged.Tag() == "latest" {
		return fmt.Errorf("image %s does not say its version", image)
	}
	if _, ok := named.(reference.Digested); !ok {
		return fmt.Errorf("image %s has no digest", image)
	}
	return nil
}

func TestPinned(t *testing.T) {
	digest := "@sha256:" + strings.Repeat("5", 64)
	for image, want := range map[string]bool{
		"golang:1.26.8" + digest:      true,
		"quay.io/a/b:v1" + digest:     true,
		"localhost:5000/a/b" + digest: false,
		"golang" + digest:             false,
		"golang:latest" + digest:      false,
		"golang:1.26.8":               false,
		"golang":                      false,
		"golang:1.26.8@sha256:55":     false,
	} {
		if err := pinned(image); (err == nil) != want {
			t.Errorf("%s: %v", image, err)
		}
	}
}
