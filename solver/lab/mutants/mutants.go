// Package mutants has a list of mistakes that tests have to notice. Each breaks one rule of the
// program on purpose: a text of a file is replaced by another one, and the short tests of a package
// are run. If they pass, nobody would notice that mistake, and a test is missing.
//
// Whoever writes a rule adds a row to mutants.txt for each of its clauses:
//
//	id file what is wrong then
//	@ package, where its tests are not those of the folder of the file
//	= why nobody can notice, where the change makes no difference
//	-a line of the old text, which the file has once
//	+a line of the new text
package mutants

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

//go:embed mutants.txt
var list string

// A Mutant is a mistake.
type Mutant struct {
	ID, File, What string
	Package        string // whose tests have to notice
	Old, New       string
	Equivalent     string // why they cannot; "" if they can
}

// All returns the mutants of the list.
func All() ([]Mutant, error) { return parse(list) }

func parse(text string) (all []Mutant, err error) {
	var m *Mutant
	var before, after []string
	end := func() {
		if m != nil {
			m.Old, m.New = strings.Join(before, "\n"), strings.Join(after, "\n")
			all = append(all, *m)
		}
		m, before, after = nil, nil, nil
	}
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "#"):
		case line == "":
			end()
		case m == nil:
			words := strings.SplitN(line, " ", 3)
			if len(words) < 3 {
				return nil, fmt.Errorf("line %d: want an id, a file and what is wrong", i+1)
			}
			m = &Mutant{ID: words[0], File: words[1], What: words[2], Package: path.Dir(words[1])}
		case line[0] == '@':
			m.Package = strings.TrimSpace(line[1:])
		case line[0] == '=':
			m.Equivalent = strings.TrimSpace(line[1:])
		case line[0] == '-':
			before = append(before, line[1:])
		case line[0] == '+':
			after = append(after, line[1:])
		default:
			return nil, fmt.Errorf("line %d: %q", i+1, line)
		}
	}
	end()
	return all, nil
}

// Apply returns a file with the mistake in it.
func (m *Mutant) Apply(source string) (string, error) {
	if n := strings.Count(source, m.Old); n != 1 || m.Old == "" || m.Old == m.New {
		return "", fmt.Errorf("%s: %s has the old text %d times, want 1", m.ID, m.File, n)
	}
	return strings.Replace(source, m.Old, m.New, 1), nil
}

// A Fate is what became of a mutant.
type Fate string

const (
	Killed Fate = "killed" // a test failed
	Lived  Fate = "lived"
	Broken Fate = "broken" // it does not build
)

// Run runs the short tests of a mutant's package, in the module with that root, of which no file is
// changed. It returns the first test that failed as well.
func Run(ctx context.Context, root string, m *Mutant) (fate Fate, test string, err error) {
	name := filepath.Join(root, filepath.FromSlash(m.File))
	source, err := os.ReadFile(name)
	if err != nil {
		return "", "", err
	}
	text, err := m.Apply(string(source))
	if err != nil {
		return "", "", err
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(dir)
	mutated, overlay := filepath.Join(dir, "mutated.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {name: mutated}})
	if err != nil {
		return "", "", err
	}
	err = errors.Join(os.WriteFile(mutated, []byte(text), 0o600),
		os.WriteFile(overlay, replace, 0o600))
	if err != nil {
		return "", "", err
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-short", "-count=1", "-failfast", "-vet=off",
		"-timeout=5m", "-overlay="+overlay, "./"+m.Package)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", "", ctx.Err()
	case err == nil:
		return Lived, "", nil
	case !errors.As(err, &exit):
		return "", "", err
	case bytes.Contains(out, []byte("build failed]")), bytes.Contains(out, []byte("setup failed]")):
		return Broken, "", nil
	}
	for line := range strings.Lines(string(out)) {
		if _, rest, ok := strings.Cut(line, "--- FAIL: "); ok {
			test, _, _ = strings.Cut(rest, " ")
			break
		}
	}
	return Killed, test, nil
}
