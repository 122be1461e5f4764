// Package cmd holds the test of the arrows between the packages; the commands are its folders.
package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/tsumero/tsumero/"

// arrows are the imports of each package, test files left out: packages of this module by their
// folder, foreign ones by their module, the standard library not at all. The test wants exactly
// these, so the table is the picture.
var arrows = map[string][]string{
	"shogi":                       {},
	"shogi/mailbox":               {"shogi"},
	"shogi/movetext":              {"shogi"},
	"shogi/notation":              {"shogi", "shogi/movetext", "shogi/sfenurl", "golang.org/x/text"},
	"shogi/shogitest":             {"shogi"},
	"solver":                      {"shogi", "shogi/mailbox"},
	"solver/play":                 {"shogi"},
	"solver/play/eval":            {"shogi"},
	"solver/play/playtest":        {"shogi", "solver/play"},
	"solver/play/search":          {"shogi", "solver", "solver/hugepages", "solver/mate1", "solver/mate3", "solver/play", "solver/play/eval"},
	"solver/play/levels/naginagi": {"shogi", "solver", "solver/play", "solver/play/eval"},
	"solver/play/levels": {"shogi", "solver", "solver/dfpn", "solver/mate1", "solver/play",
		"solver/play/eval", "solver/play/levels/naginagi", "solver/play/search"},
	"solver/mate1":                       {"shogi", "solver"},
	"solver/mate3":                       {"shogi", "solver", "solver/mate1"},
	"solver/checkpoint":                  {"shogi"},
	"solver/checkpoint/disk":             {"shogi", "solver/checkpoint"},
	"solver/dfpn":                        {"shogi", "shogi/mailbox", "solver", "solver/checkpoint", "solver/hugepages", "solver/mate1", "solver/mate3"},
	"solver/mate":                        {"shogi", "solver", "solver/dfpn", "solver/mate1", "solver/mate3"},
	"solver/threat":                      {"shogi", "shogi/mailbox", "solver", "solver/mate1"},
	"solver/solvertest":                  {"shogi", "shogi/mailbox", "shogi/shogitest", "solver"},
	"solver/length":                      {"shogi", "solver"},
	"solver/analysis":                    {"shogi", "solver", "solver/certificate", "solver/length", "solver/theme"},
	"solver/games":                       {"shogi", "solver", "solver/threat"},
	"solver/theme":                       {"shogi", "solver"},
	"solver/certificate":                 {"shogi", "solver", "solver/length", "solver/threat"},
	"solver/certificate/certificatetest": {"shogi", "shogi/mailbox"},
	"solver/collection":                  {"shogi"},
	"solver/compose": {"shogi", "shogi/movetext", "solver", "solver/analysis", "solver/certificate", "solver/collection",
		"solver/length", "solver/mate1", "solver/ordered", "solver/theme"},
	"solver/sched":       {"shogi", "solver", "solver/checkpoint"},
	"solver/sched/cache": {"solver/sched", "github.com/maypok86/otter/v2"},
	"shogi/sfenurl":      {"shogi"},
	"web/site": {"api/httpheader", "api/report", "api/wire", "shogi", "shogi/movetext", "shogi/notation", "shogi/sfenurl", "web/board",
		"solver/length", "web/daily", "web/diagram", "web/drill", "web/problems", "web/sheet", "web/site/static"},
	"web/daily":    {"web/problems"},
	"web/drill":    {"web/problems"},
	"web/problems": {"shogi"},
	"web/internal/problemtest": {"shogi", "solver", "solver/analysis", "solver/certificate", "solver/dfpn", "solver/length",
		"web/problems"},
	"web/diagram": {"api/httpheader", "api/wire", "shogi", "shogi/sfenurl", "web/diagram/outlines",
		"golang.org/x/image", "golang.org/x/text"},
	"web/sheet": {"api/report", "shogi", "web/diagram"},
	"web/book": {"api/report", "shogi", "shogi/notation", "solver/theme", "web/board", "web/diagram", "web/engine",
		"web/sheet", "web/site/static"},
	"web/site/static":            {"web/board"},
	"web/board":                  {"api/httpheader", "deploy/licenses", "go.yaml.in/yaml/v4"},
	"web/engine":                 {"api/httpheader", "github.com/andybalholm/brotli"},
	"web/engine/build":           {"github.com/andybalholm/brotli", "github.com/evanw/esbuild"},
	"web/board/bundle":           {"deploy/licenses", "web/diagram/outlines", "github.com/evanw/esbuild"},
	"web/internal/enginetest":    {},
	"web/engine/shogihome":       {"deploy/licenses", "github.com/evanw/esbuild"},
	"web/engine/shogihome/build": {"web/engine/shogihome"},
	"web/internal/browsertest": {"github.com/chromedp/cdproto", "github.com/chromedp/chromedp",
		"github.com/coder/websocket"},
	"web/diagram/outlines":         {},
	"web/diagram/outlines/extract": {"web/diagram/outlines", "golang.org/x/image", "golang.org/x/text"},
	"api/httpheader":               {"golang.org/x/text"},
	"api/jobs":                     {},
	"api/filelock":                 {"golang.org/x/sys"},
	"api/jobs/queue": {"api/filelock", "api/jobs", "api/wire", "github.com/jackc/pgx/v5", "github.com/klauspost/compress",
		"github.com/ncruces/go-sqlite3", "github.com/prometheus/client_golang", "github.com/riverqueue/river",
		"github.com/riverqueue/river/riverdriver", "github.com/riverqueue/river/riverdriver/riverdatabasesql",
		"github.com/riverqueue/river/riverdriver/riversqlite", "github.com/riverqueue/river/rivertype",
		"golang.org/x/sys"},
	"api/jobs/work": {"api/answer", "api/jobs", "api/jobs/queue", "api/wire", "shogi", "solver/analysis", "solver/sched",
		"github.com/prometheus/client_golang"},
	"api/internal/queuetest":  {"api/jobs", "api/jobs/queue", "github.com/klauspost/compress", "github.com/ncruces/go-sqlite3"},
	"api/jobs/pgtest":         {},
	"solver/hugepages":        {},
	"solver/ordered":          {},
	"deploy/licenses":         {},
	"deploy/licenses/collect": {"deploy/licenses"},
	"deploy/release":          {"deploy/licenses", "github.com/CycloneDX/cyclonedx-go"},
	"api/jobs/client":         {"api/jobs", "api/wire"},
	"api/cli": {"api/answer", "api/filelock", "api/report", "api/wire", "solver/analysis", "solver/collection", "solver/compose", "solver/games", "solver/length",
		"solver/ordered", "solver/play", "solver/sched", "solver/theme", "solver/threat", "shogi", "shogi/movetext", "shogi/notation", "solver", "github.com/schollz/progressbar/v3",
		"github.com/spf13/pflag", "golang.org/x/term"},
	"api/usi": {"api/report", "shogi", "solver", "solver/analysis", "solver/length", "solver/play", "solver/threat"},
	"api/report": {"shogi", "shogi/movetext", "shogi/notation", "solver", "solver/analysis", "solver/collection", "solver/games", "solver/length",
		"solver/theme", "solver/threat"},
	"api/wire": {"api/report", "shogi", "shogi/movetext", "shogi/notation", "shogi/sfenurl", "solver", "solver/analysis",
		"solver/collection", "solver/compose", "solver/games", "solver/length", "solver/play", "solver/theme", "solver/threat",
		"github.com/go-json-experiment/json"},
	"api/answer": {"api/report", "api/wire", "shogi", "solver", "solver/analysis", "solver/games", "solver/length",
		"solver/play", "solver/sched", "solver/threat"},
	"api/local": {"api/answer", "api/wire", "shogi", "solver/play", "solver/sched"},
	"api/httpapi": {"api/answer", "api/httpheader", "api/jobs", "api/jobs/queue", "api/report",
		"api/wire", "shogi", "shogi/notation", "solver", "solver/analysis", "solver/collection", "solver/games", "solver/ordered",
		"solver/play", "solver/sched", "solver/sched/cache", "solver/theme", "github.com/go-chi/chi/v5", "github.com/go-chi/cors",
		"github.com/klauspost/compress", "github.com/prometheus/client_golang", "go.yaml.in/yaml/v4", "golang.org/x/time"},
	"cmd/internal/about": {"api/cli", "cmd/internal/command", "cmd/internal/version", "deploy/licenses",
		"github.com/spf13/cobra", "github.com/spf13/pflag"},
	"cmd/internal/command": {"api/cli", "cmd/internal/language", "cmd/internal/memory", "cmd/internal/version", "shogi",
		"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/sys"},
	"cmd/internal/scripttest": {"api/cli", "cmd/internal/command", "github.com/rogpeppe/go-internal",
		"github.com/spf13/cobra", "github.com/spf13/pflag"},
	"cmd/internal/background": {},
	"cmd/internal/language":   {},
	"cmd/internal/memory":     {"github.com/KimMachineGun/automemlimit"},
	"cmd/internal/shogihome":  {"api/cli", "github.com/go-json-experiment/json"},
	"cmd/internal/version":    {},
	"cmd/tsumero": {"api/cli", "api/filelock", "api/jobs", "api/jobs/client", "api/report", "api/wire",
		"cmd/internal/about", "cmd/internal/command", "cmd/internal/memory", "cmd/internal/shogihome",
		"cmd/internal/version", "shogi", "shogi/movetext", "shogi/notation", "solver", "solver/analysis",
		"solver/certificate", "solver/collection", "solver/compose", "solver/dfpn", "solver/games", "solver/length",
		"solver/mate", "solver/play", "solver/play/eval", "solver/play/levels", "solver/theme", "solver/threat", "web/book",
		"web/diagram", "web/engine", "web/sheet", "github.com/spf13/cobra", "github.com/spf13/pflag"},
	"cmd/tsumero-server": {"api/answer", "api/cli", "api/httpapi", "api/jobs", "api/jobs/queue", "api/jobs/work", "api/wire", "cmd/internal/about", "cmd/internal/background",
		"cmd/internal/command", "cmd/internal/memory", "cmd/internal/version", "shogi", "solver",
		"solver/checkpoint", "solver/checkpoint/disk", "solver/collection", "solver/dfpn", "solver/mate",
		"solver/play", "solver/play/levels", "solver/sched", "web/board", "web/daily", "web/diagram",
		"web/drill", "web/engine", "web/problems", "web/site", "github.com/prometheus/client_golang", "github.com/spf13/cobra",
		"github.com/spf13/pflag", "golang.org/x/sys"},
	"cmd/tsumero-check": {"cmd/internal/language", "cmd/internal/version"},
	"cmd/tsumero-usi": {"api/usi", "cmd/internal/language", "cmd/internal/memory", "cmd/internal/version",
		"deploy/licenses", "solver", "solver/dfpn", "solver/mate", "solver/play", "solver/play/eval", "solver/play/levels"},
}

// pure are the packages that compute and do nothing else, with the parts of the standard library
// that would let them: no input or output, no clock, no log, no chance, no reflection.
var (
	pure = []string{"shogi", "shogi/mailbox", "solver", "solver/mate1", "solver/mate3", "solver/mate", "solver/analysis",
		"solver/length", "solver/play"}
	impure = []string{"bufio", "C", "embed", "flag", "io", "io/fs", "log", "log/slog", "math/rand", "math/rand/v2", "net", "net/http",
		"os", "os/exec", "os/signal", "path/filepath", "reflect", "runtime", "runtime/debug", "syscall", "testing", "time", "unsafe"}
	// durations are those that may import package time all the same: the progress of searches has
	// durations in it, and an analysis divides its time among searches.
	durations = []string{"solver", "solver/analysis", "solver/play"}
)

// rulesOnly are the packages that know neither searches nor goroutines on top of that.
var (
	rulesOnly  = []string{"shogi", "shogi/mailbox"}
	concurrent = []string{"context", "sync", "sync/atomic"}
)

// overAny are the packages that work with any solver, and know none.
var overAny = []string{"solver/analysis", "solver/certificate", "solver/checkpoint", "solver/checkpoint/disk", "solver/collection", "solver/compose",
	"solver/games", "solver/length", "solver/ordered", "solver/play", "solver/sched", "solver/sched/cache",
	"solver/theme", "solver/threat"}

// A listed package is what the test asks of "go list -json".
type listed struct {
	ImportPath string
	GoFiles    []string
	Imports    []string
}

// listPackages returns the packages of the module, which are listed once.
var listPackages = sync.OnceValues(func() (map[string]listed, error) {
	list := exec.Command("go", "list", "-pgo=off", "-json=ImportPath,GoFiles,Imports", "./...")
	list.Dir = ".."
	var stderr strings.Builder
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, &stderr)
	}
	packages := map[string]listed{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages, nil
		}
		if err != nil {
			return nil, err
		}
		if len(p.GoFiles) > 0 { // a folder of tests alone is nobody's import
			packages[strings.TrimPrefix(p.ImportPath, module)] = p
		}
	}
})

// modulePaths returns the paths of all foreign modules, the longest first.
func modulePaths(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{if not .Main}}{{.Path}}{{end}}", "all").Output()
	if err != nil {
		t.Fatalf("go list -m: %v", err)
	}
	paths := strings.Fields(string(out))
	slices.SortFunc(paths, func(a, b string) int { return len(b) - len(a) })
	return paths
}

func TestImports(t *testing.T) {
	packages, err := listPackages()
	if err != nil {
		t.Fatal(err)
	}
	modules := modulePaths(t)
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		want, ok := arrows[name]
		if !ok {
			t.Errorf("%s has no row in the table", name)
			continue
		}
		got := map[string]bool{}
		for _, imported := range packages[name].Imports {
			ours, isOurs := strings.CutPrefix(imported, module)
			first, _, _ := strings.Cut(imported, "/")
			switch {
			case isOurs:
				got[ours] = true
			case strings.Contains(first, "."): // only paths of the standard library begin without a domain
				i := slices.IndexFunc(modules, func(m string) bool { return imported == m || strings.HasPrefix(imported, m+"/") })
				if i < 0 {
					t.Errorf("%s imports %s, which belongs to no module", name, imported)
					continue
				}
				got[modules[i]] = true
			}
		}
		for _, arrow := range slices.Sorted(maps.Keys(got)) {
			if !slices.Contains(want, arrow) {
				t.Errorf("%s imports %s, which its row does not allow", name, arrow)
			}
		}
		for _, arrow := range want {
			if !got[arrow] {
				t.Errorf("%s does not import %s, though its row says so", name, arrow)
			}
		}
	}
	for name := range arrows {
		if _, ok := packages[name]; !ok {
			t.Errorf("the table has a row for %s, which does not exist", name)
		}
	}
}

func TestPurePackages(t *testing.T) {
	packages, err := listPackages()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range pure {
		for _, imported := range packages[name].Imports {
			if imported == "time" && slices.Contains(durations, name) {
				continue
			}
			if slices.Contains(impure, imported) || slices.Contains(rulesOnly, name) && slices.Contains(concurrent, imported) {
				t.Errorf("%s imports %s", name, imported)
			}
		}
	}
}

// Searches are compiled for browsers as well, where crypto and JSON made them 4.99 MB large, and not 3.85.
func TestSmallPackages(t *testing.T) {
	out, err := exec.Command("go", "list", "-pgo=off", "-deps", module+"solver/mate", module+"solver/analysis").Output()
	if err != nil {
		t.Fatalf("go list -deps: %v", err)
	}
	for _, name := range strings.Fields(string(out)) {
		if folder, _, _ := strings.Cut(name, "/"); folder == "crypto" || folder == "net" || name == "encoding/json" {
			t.Errorf("a search takes %s", name)
		}
	}
}

// TestCommandProgram: the first command of the README is compiled in a clone where nothing is yet, so what
// only a service needs stays out of it: with that it took twice as long.
func TestCommandProgram(t *testing.T) {
	out, err := exec.Command("go", "list", "-pgo=off", "-deps", "-f",
		"{{with .Module}}{{$.ImportPath}}{{if not .Main}} {{.Path}}{{end}}{{end}}", module+"cmd/tsumero").Output()
	if err != nil {
		t.Fatalf("go list -deps: %v", err)
	}
	services := []string{"api/httpapi", "api/jobs/queue", "api/jobs/work", "web/site"}
	allowed := []string{"github.com/KimMachineGun/automemlimit", "github.com/andybalholm/brotli",
		"github.com/go-json-experiment/json", "github.com/inconshreveable/mousetrap", "github.com/mitchellh/colorstring",
		"github.com/pbnjay/memory", "github.com/rivo/uniseg", "github.com/schollz/progressbar/v3",
		"github.com/spf13/cobra", "github.com/spf13/pflag", "go.yaml.in/yaml/v4", "golang.org/x/image",
		"golang.org/x/sys", "golang.org/x/term", "golang.org/x/text"}
	for line := range strings.Lines(string(out)) {
		name, foreign, isForeign := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case isForeign && !slices.Contains(allowed, foreign):
			t.Errorf("it takes %s", name)
		case slices.Contains(services, strings.TrimPrefix(name, module)):
			t.Errorf("it takes %s", name)
		}
	}
}

// TestProfiles: the programs have the same profile, since what is compiled with the same one serves them all.
func TestProfiles(t *testing.T) {
	files, err := filepath.Glob("*/default.pgo")
	if err != nil || len(files) < 3 {
		t.Fatalf("%q, %v", files, err)
	}
	files = append(files, "../solver/lab/cmd/tsumero-lab/default.pgo")
	first, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files[1:] {
		if data, err := os.ReadFile(file); err != nil || !bytes.Equal(data, first) {
			t.Errorf("%s is not %s; %v", file, files[0], err)
		}
	}
}

// TestBoardProgram: what a board loads before its first reply, files in it included, has nothing that only
// records, reports, compositions, caches or logs need.
func TestBoardProgram(t *testing.T) {
	list := exec.Command("go", "list", "-pgo=off", "-deps", "-tags", "board",
		"-f", "{{.ImportPath}}{{range .EmbedFiles}} {{$.ImportPath}}/{{.}}{{end}}", module+"cmd/tsumero-wasm")
	list.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list -deps: %v", err)
	}
	allowed := []string{"github.com/go-json-experiment/json"} // which reads questions
	ours := []string{"api/answer", "api/local", "api/wire", "cmd/internal/version", "cmd/tsumero-wasm", "shogi", "shogi/mailbox",
		"shogi/movetext", "shogi/sfenurl", "solver", "solver/analysis", "solver/certificate", "solver/checkpoint",
		"solver/dfpn", "solver/hugepages", "solver/length", "solver/mate", "solver/mate1", "solver/mate3", "solver/play", "solver/sched",
		"solver/theme", "solver/theme/shapes.txt"}
	for _, name := range strings.Fields(string(out)) {
		path, isOurs := strings.CutPrefix(name, module)
		folder, _, _ := strings.Cut(name, "/")
		switch {
		case isOurs && !slices.Contains(ours, path):
			t.Errorf("it takes %s", name)
		case isOurs, slices.ContainsFunc(allowed, func(a string) bool { return strings.HasPrefix(name, a) }):
		case strings.Contains(folder, "."), folder == "crypto", folder == "log", folder == "regexp",
			slices.Contains([]string{"net", "net/http", "encoding/gob", "text/template", "html", "os/exec"}, name):
			t.Errorf("it takes %s", name)
		}
	}
}

// The picture has no way back: what is wired does not know who wires it.
func TestNoArrowUp(t *testing.T) {
	layer := func(name string) int {
		folder, _, _ := strings.Cut(name, "/")
		return slices.Index([]string{"shogi", "solver", "api", "web", "cmd"}, folder)
	}
	for name, imports := range arrows {
		for _, imported := range imports {
			if layer(imported) > layer(name) {
				t.Errorf("the row of %s allows %s, which lies above it", name, imported)
			}
			if strings.HasSuffix(imported, "test") && !strings.HasSuffix(name, "test") {
				t.Errorf("the row of %s allows %s: a kit is for tests", name, imported)
			}
			if strings.HasPrefix(imported, "solver/") && strings.HasPrefix(name, "api/") && !slices.Contains(overAny, imported) {
				t.Errorf("the row of %s allows %s: an API knows the words, not who does the work", name, imported)
			}
			if strings.HasPrefix(imported, "solver/") && slices.Contains(overAny, name) && !slices.Contains(overAny, imported) &&
				imported != "solver/mate1" { // which is a rule more than a search
				t.Errorf("the row of %s allows %s: it is for any solver", name, imported)
			}
		}
	}
}
