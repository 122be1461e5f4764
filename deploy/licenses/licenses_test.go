package licenses_test

import (
	"cmp"
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
	var want []string // each with its programs, the modules of most programs first
	for name, programs := range linked {
		want = append(want, strings.Join(slices.Sorted(maps.Keys(programs)), " ")+": "+name)
	}
	slices.SortFunc(want, func(a, b string) int {
		programs := func(s string) int { return len(strings.Fields(s[:strings.Index(s, ":")])) }
		return cmp.Or(programs(b)-programs(a), strings.Compare(a, b))
	})

	list, texts, _ := strings.Cut(licenses.Text, "\n====")
	var got []string
	programs := ""
	for line := range strings.Lines(list) {
		if heading, ok := strings.CutSuffix(line, ":\n"); ok {
			programs = strings.NewReplacer(",", "", " and ", " ", " alone", "").Replace(heading)
		}
		if name, ok := strings.CutPrefix(line, "  "); ok && strings.Contains(name, "/") {
			name, licence, _ := strings.Cut(strings.TrimSpace(name), " (")
			got = append(got, programs+": "+name)
			if named := licenses.Modules()[name]; named == "" || named+")" != licence {
				t.Errorf("Modules has the licence %q for %s", named, name)
			}
		}
	}
	if n := len(licenses.Modules()); n != len(got) {
		t.Errorf("Modules has %d modules, LICENSES.txt lists %d", n, len(got))
	}
	const remedy = "run go generate ./deploy/licenses"
	for name := range linked {
		if !strings.Contains(texts, "\n"+name+": LICENSE") {
			t.Errorf("LICENSES.txt has no licence of %s: %s", name, remedy)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("LICENSES.txt lists\n%q\nwhere\n%q\nare linked: %s", got, want, remedy)
	}
}
