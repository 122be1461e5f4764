package licenses_test

import (
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/deploy/licenses"
)

// TestModules asks the go command, for each platform, which modules the programs link. The text
// must list each of them in the version of today, for the right program, and no other.
func TestModules(t *testing.T) {
	linked := map[string]map[string]bool{} // module and version: the programs
	for _, platform := range licenses.Platforms {
		for _, command := range licenses.Commands {
			list := exec.Command("go", "list", "-deps", "-pgo=off",
				"-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", command)
			list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+platform.OS, "GOARCH="+platform.Arch)
			var stderr strings.Builder
			list.Stderr = &stderr
			out, err := list.Output()
			if err != nil {
				t.Fatalf("%q: %v\n%s", list.Args, err, &stderr)
			}
			for name := range strings.Lines(string(out)) {
				name = strings.TrimSpace(name)
				if name == "" {
					continue
				}
				if linked[name] == nil {
					linked[name] = map[string]bool{}
				}
				linked[name][path.Base(command)] = true
			}
		}
	}
	var want []string
	for _, several := range []bool{true, false} {
		for _, name := range slices.Sorted(maps.Keys(linked)) {
			if (len(linked[name]) > 1) == several {
				want = append(want, name)
			}
		}
	}

	list, texts, _ := strings.Cut(licenses.Text, "\n====")
	var got []string
	for line := range strings.Lines(list) {
		if name, ok := strings.CutPrefix(line, "  "); ok && strings.Contains(name, "/") {
			name, licence, _ := strings.Cut(strings.TrimSpace(name), " (")
			got = append(got, name)
			if named := licenses.Modules()[name]; named == "" || named+")" != licence {
				t.Errorf("Modules has the licence %q for %s", named, name)
			}
		}
	}
	if n := len(licenses.Modules()); n != len(got) {
		t.Errorf("Modules has %d modules, LICENSES.txt lists %d", n, len(got))
	}
	const remedy = "run go generate ./deploy/licenses"
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("%s is linked, and LICENSES.txt does not list it: %s", name, remedy)
		}
		if !strings.Contains(texts, "\n"+name+": LICENSE") {
			t.Errorf("LICENSES.txt has no licence of %s: %s", name, remedy)
		}
	}
	for _, name := range got {
		if linked[name] == nil {
			t.Errorf("LICENSES.txt lists %s, which nothing links: %s", name, remedy)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("LICENSES.txt lists\n%q\nwhere\n%q\nare linked: %s", got, want, remedy)
	}
}
