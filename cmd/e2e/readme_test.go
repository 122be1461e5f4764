package e2e

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	pathpkg "path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// An example is a command in a ```console block of a guide and what it prints.
type example struct {
	line    int // of the guide, counted from 1
	command string
	output  string // with the newline at its end
}

// examples finds what a guide promises: in ```console blocks, a line that starts with "$ " is a
// command, which goes on while lines end in a backslash; what follows until the next command or the
// end of the block is its output.
func examples(t *testing.T, path, text string) []example {
	t.Helper()
	var found []example
	console, command := false, false
	for i, line := range strings.SplitAfter(text, "\n") {
		row := strings.TrimSuffix(line, "\n")
		last := len(found) - 1
		switch {
		case strings.HasPrefix(row, "```"):
			console, command = row == "```console", false
		case !console:
		case strings.HasPrefix(row, "$ "):
			found = append(found, example{line: i + 1, command: row[2:]})
			command = strings.HasSuffix(row, `\`)
		case command:
			found[last].command += "\n" + row
			command = strings.HasSuffix(row, `\`)
		case last < 0:
			t.Fatalf("%s:%d: output without a command", path, i+1)
		default:
			found[last].output += line
		}
	}
	return found
}

// moving matches what differs from run to run; the rest must be as printed. The nodes of a search with
// one thread are: whoever reads a page and runs its example sees the same number.
var moving = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`"elapsed_us":\d+`), `"elapsed_us":0`},
	{regexp.MustCompile(`\b[a-z2-7]{26}\b`), "2nk3qgqyzq5ejw7kvtnoa34vex"}, // of a job
	{regexp.MustCompile(`"request_id":"[0-9a-z]{8,13}"`), `"request_id":"id"`},
	{regexp.MustCompile(`(?m)( nodes?), [\d.]+(ns|µs|ms|s)$`), `$1, 0s`},
	{regexp.MustCompile(`\bpn \d+ dn \d+\b`), `pn 0 dn 0`},
	{regexp.MustCompile(`in [\d.]+(ns|µs|ms|s), [\d.]+( thousand| million)? positions/s`), `in 0s, 0 positions/s`},
	{regexp.MustCompile(`, [\d.]+(ns|µs|ms|s), [\d.]+( thousand| million| billion)? leaves/s`), `, 0s, 0 leaves/s`},
	{regexp.MustCompile(`(?mi)^(date|x-request-id|x-ratelimit-[a-z]+|etag): .*`), `$1: …`},
	{regexp.MustCompile(`\r\n`), "\n"},
}

func still(output string) string {
	for _, m := range moving {
		output = m.pattern.ReplaceAllString(output, m.with)
	}
	return output
}

// root is the top folder of the repository.
const root = "../../"

// guides are the pages that people read, by their paths from root.
func guides(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git"):
			return filepath.SkipDir
		case d.Name() == "README.md" || filepath.Base(filepath.Dir(path)) == ".github" && filepath.Ext(path) == ".md":
			data, err := os.ReadFile(path)
			found[filepath.ToSlash(strings.TrimPrefix(path, root))] = string(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestReadme runs every example of the guides as it stands there, with a shell, against a service
// that was started as the README says. With -update it writes into them what the examples print now.
func TestReadme(t *testing.T) {
	long(t)
	for _, tool := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skipf("the examples need %s: %v", tool, err)
		}
	}
	s := startService(t, "--jobs", filepath.Join(t.TempDir(), "jobs"))
	addr, total := strings.TrimPrefix(s.url, "http://"), 0
	for path, text := range guides(t) {
		all := examples(t, path, text)
		total += len(all)
		now := text
		for _, e := range all {
			now = e.check(t, addr, path, now)
		}
		if now != text {
			if err := os.WriteFile(root+path, []byte(now), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if total < 6 {
		t.Fatalf("found only %d examples", total)
	}
}

// check runs an example of a guide against the service at addr. With -update it returns the text of
// the guide with what the example prints now.
func (e *example) check(t *testing.T, addr, path, text string) string {
	const promised = "localhost:8080" // where the service of the guides listens
	script := strings.ReplaceAll(e.command, promised, addr)
	script = strings.ReplaceAll(script, "go run ./cmd/tsumero ", "tsumero ")
	shell := exec.Command("sh", "-c", script)
	shell.Env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	var out bytes.Buffer
	shell.Stdout, shell.Stderr = &out, &out
	_ = shell.Run() // a verdict is an exit code too
	got := strings.ReplaceAll(out.String(), addr, promised)
	got = strings.ReplaceAll(got, "\r\n", "\n")
	if strings.TrimRight(still(got), "\n") == strings.TrimRight(still(e.output), "\n") {
		return text
	}
	if !*update {
		t.Errorf("%s:%d: $ %s\nprints\n%s\nthe page says\n%s", path, e.line, e.command, got, e.output)
		return text
	}
	old := "$ " + e.command + "\n" + e.output
	if strings.Count(text, old) != 1 {
		t.Errorf("%s:%d: cannot tell this example from another one", path, e.line)
	}
	return strings.Replace(text, old, "$ "+e.command+"\n"+strings.TrimRight(got, "\n")+"\n", 1)
}

// The library example compiles and prints what its last comment says.
func TestReadmeLibrary(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(data)
	if code == nil {
		t.Fatal("no example")
	}
	want := regexp.MustCompile(`// (.*)\n$`).FindSubmatch(code[1])
	if want == nil {
		t.Fatal("the last line of the example does not say what it prints")
	}
	program := `package main

import (
	"context"
	"fmt"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate"
)

func example(ctx context.Context) error {
` + string(code[1]) + `
	return nil
}

func main() {
	if err := example(context.Background()); err != nil {
		panic(err)
	}
}
`
	path := t.TempDir() + "/main.go"
	if err := os.WriteFile(path, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "run", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := strings.TrimSpace(string(out)); got != string(want[1]) {
		t.Errorf("prints %q, the README says %q", got, want[1])
	}
}

var (
	// links are those of a guide, with the part of the page behind "#".
	links = regexp.MustCompile(`\]\(([^):#]*)(?:#([^)]*))?\)`)
	// headings are what such a part is named after.
	headings = regexp.MustCompile(`(?m)^#+ (.*)$`)
	// dropped are the characters of a heading that its name leaves out.
	dropped = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestReadmeLinks: the links in the guides lead somewhere, and their lines can be read.
func TestReadmeLinks(t *testing.T) {
	all := guides(t)
	for path, text := range all {
		for _, link := range links.FindAllStringSubmatch(text, -1) {
			target := path
			if link[1] != "" {
				target = pathpkg.Join(pathpkg.Dir(path), link[1])
			}
			if _, err := os.Stat(root + target); err != nil {
				t.Errorf("%s links to %s: %v", path, link[1], err)
			}
			if link[2] == "" || all[target] == "" {
				continue
			}
			found := false
			for _, h := range headings.FindAllStringSubmatch(all[target], -1) {
				name := dropped.ReplaceAllString(strings.ToLower(h[1]), "")
				found = found || strings.ReplaceAll(name, " ", "-") == link[2]
			}
			if !found {
				t.Errorf("%s links to %s#%s, which has no such heading", path, target, link[2])
			}
		}
		for i, line := range strings.Split(text, "\n") {
			if len(line) > 300 && !strings.HasPrefix(line, "{") {
				t.Errorf("%s:%d: a line of %d bytes: %.60s…", path, i+1, len(line), line)
			}
		}
	}
	if words := len(strings.Fields(all["README.md"])); words > 2000 {
		t.Errorf("README.md has %d words; what is beyond 2000 belongs beside the code", words)
	}
}
