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
		// Of each package its module, and of a program all packages that it is made of.
		list := exec.Command("go", append([]string{"list", "-deps", "-pgo=off", "-f", "{{.ImportPath}}\t" +
			"{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}\t" +
			`{{if eq .Name "main"}}{{join .Deps " "}}{{end}}`}, licenses.Commands...)...)
		list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+platform.OS, "GOARCH="+platform.Arch)
		var stderr strings.Builder
		list.Stderr = &stderr
		out, err := list.Output()
		if err != nil {
			t.Fatalf("%q: %v\n%s", list.Args, err, &stderr)
		}
		modules := map[string]string{} // by package; "" for those of Go and our own
		for line := range strings.Lines(string(out)) {
			fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			modules[fields[0]] = fields[1]
			for imported := range strings.FieldsSeq(fields[2]) {
				name := modules[imported]
				if name == "" {
					continue
				}
				if linked[name] == nil {
					linked[name] = map[string]bool{}
				}
				linked[name][path.Base(fields[0])] = true
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
