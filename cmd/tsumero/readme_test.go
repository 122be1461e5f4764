package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// An example is a command in a ```console block of the README and what it prints.
type example struct {
	line    int // of the README, counted from 1
	command string
	output  string // with the newline at its end
}

// examples finds what the README promises: in ```console blocks, a line that starts with "$ " is a
// command, which goes on while lines end in a backslash; what follows until the next command or the
// end of the block is its output.
func examples(t *testing.T, readme string) []example {
	t.Helper()
	var found []example
	console, command := false, false
	for i, line := range strings.SplitAfter(readme, "\n") {
		text := strings.TrimSuffix(line, "\n")
		last := len(found) - 1
		switch {
		case strings.HasPrefix(text, "```"):
			console, command = text == "```console", false
		case !console:
		case strings.HasPrefix(text, "$ "):
			found = append(found, example{line: i + 1, command: text[2:]})
			command = strings.HasSuffix(text, `\`)
		case command:
			found[last].command += "\n" + text
			command = strings.HasSuffix(text, `\`)
		case last < 0:
			t.Fatalf("README.md:%d: output without a command", i+1)
		default:
			found[last].output += line
		}
	}
	return found
}

// moving matches what differs from run to run or from one version of a solver to the next; the rest
// must be as printed.
var moving = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`"elapsed_us":\d+`), `"elapsed_us":0`},
	{regexp.MustCompile(`"nodes":\d+`), `"nodes":0`},
	{regexp.MustCompile(`\b[a-z2-7]{26}\b`), "2nk3qgqyzq5ejw7kvtnoa34vex"}, // of a job
	{regexp.MustCompile(`"request_id":"[0-9a-z]{8,13}"`), `"request_id":"id"`},
	{regexp.MustCompile(`\b\d+ nodes?\b`), `0 nodes`},
	{regexp.MustCompile(`(?m), 0 nodes, [\d.]+(ns|µs|ms|s)$`), `, 0 nodes, 0s`},
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

// TestReadme runs every example of the README as it stands there, with a shell, against a service
// that was started as the README says. With -update it writes into the README what the examples
// print now.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and one command after the other")
	}
	const path = "../../README.md"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	readme := string(data)
	for _, tool := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skipf("the examples need %s: %v", tool, err)
		}
	}
	const promised = "localhost:8080" // where the README's service listens
	addr := startService(t)
	all := examples(t, readme)
	if len(all) < 6 {
		t.Fatalf("found only %d examples", len(all))
	}
	for _, e := range all {
		script := strings.ReplaceAll(e.command, promised, addr)
		script = strings.ReplaceAll(script, "go run ./cmd/tsumero ", "tsumero ")
		shell := exec.Command("sh", "-c", script)
		var out bytes.Buffer
		shell.Stdout, shell.Stderr = &out, &out
		_ = shell.Run() // a verdict is an exit code too
		got := strings.ReplaceAll(out.String(), addr, promised)
		got = strings.ReplaceAll(got, "\r\n", "\n")
		if strings.TrimRight(still(got), "\n") == strings.TrimRight(still(e.output), "\n") {
			continue
		}
		if !*update {
			t.Errorf("README.md:%d: $ %s\nprints\n%s\nthe README says\n%s", e.line, e.command, got, e.output)
			continue
		}
		old := "$ " + e.command + "\n" + e.output
		if strings.Count(readme, old) != 1 {
			t.Errorf("README.md:%d: cannot tell this example from another one", e.line)
		}
		readme = strings.Replace(readme, old, "$ "+e.command+"\n"+strings.TrimRight(got, "\n")+"\n", 1)
	}
	if *update && readme != string(data) {
		if err := os.WriteFile(path, []byte(readme), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// startService starts the real service on a free port and returns its address.
func startService(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	cmd := exec.Command(self(t))
	cmd.Args = []string{"tsumero", "serve", "--addr", addr, "--admin-addr", "off", "--jobs", t.TempDir()}
	log := new(syncBuffer)
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // how it ended is in the log
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		resp, err := http.Get("http://" + addr + "/readyz")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return addr
			}
		}
		select {
		case <-ended:
			t.Fatalf("the service ended:\n%s", log)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("the service does not come up: %v\n%s", err, log)
		}
	}
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

// The paths in the README lead somewhere.
func TestReadmeLinks(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(string(data), -1)
	if len(links) == 0 {
		t.Error("no link found")
	}
	for _, link := range links {
		if _, err := os.Stat("../../" + link[1]); err != nil {
			t.Errorf("README.md links to %s: %v", link[1], err)
		}
	}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		if len(lines.Text()) > 300 && !strings.HasPrefix(lines.Text(), "{") {
			t.Errorf("a line of %d bytes: %s", len(lines.Text()), fmt.Sprintf("%.60s…", lines.Text()))
		}
	}
}
