package shogihome_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/web/engine/shogihome"
	"github.com/tsumero/tsumero/web/internal/browsertest"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// build makes the engine and the native one, once, and returns their files by name.
var build = sync.OnceValues(func() (map[string][]byte, error) {
	folder, err := os.MkdirTemp("", "tsumero-shogihome")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	if err := shogihome.Build(folder, ""); err != nil {
		return nil, err
	}
	out, err := exec.Command("go", "build", "-buildvcs=false", "-o", filepath.Join(folder, native),
		"github.com/tsumero/tsumero/cmd/tsumero-usi").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	files := map[string][]byte{}
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		body, readErr := os.ReadFile(filepath.Join(folder, entry.Name()))
		if readErr != nil {
			return nil, readErr
		}
		files[entry.Name()] = body
	}
	return files, err
})

const native = "tsumero-usi.exe" // the suffix is for Windows, and does no harm elsewhere

func files(t *testing.T) map[string][]byte {
	t.Helper()
	if testing.Short() {
		t.Skip("it compiles two programs")
	}
	files, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// built returns a folder with the engines.
func built(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, body := range files(t) {
		if err := os.WriteFile(filepath.Join(folder, name), body, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// needNode skips a test where Node.js is not installed.
func needNode(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("Node.js is not installed")
	}
}

// start starts the engine in a folder, in a Worker of Node.js.
func start(t *testing.T, folder string) *process {
	t.Helper()
	needNode(t)
	return startProcess(t, "node", "testdata/engine.mjs", folder)
}

// A process is an engine on standard input and output.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan string
	stderr bytes.Buffer
}

func startProcess(t *testing.T, name string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(name, args...), lines: make(chan string, 1<<16)}
	p.cmd.Stderr = &p.stderr
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		p.in, err = p.cmd.StdinPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			p.cmd.Process.Kill()
			p.cmd.Wait()
		}
	})
	go func() {
		defer close(p.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			p.lines <- s.Text()
		}
	}()
	return p
}

// patience is how long a line may take. It only ends a test that hangs.
const patience = time.Minute

func (p *process) send(commands ...string) {
	for _, c := range commands {
		io.WriteString(p.in, c+"\n")
	}
}

// until returns the lines up to the one that begins so.
func (p *process) until(begin string) (lines []string) {
	p.t.Helper()
	late := time.After(patience)
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				p.t.Fatalf("the engine has ended: found %q, expected %q; %s", lines, begin, &p.stderr)
			}
			lines = append(lines, line)
			if strings.HasPrefix(line, begin) {
				return lines
			}
		case <-late:
			p.t.Fatalf("found %q, expected %q", lines, begin)
		}
	}
}

// ends wants the engine to print nothing more and to end well.
func (p *process) ends() {
	p.t.Helper()
	var rest []string
	for line := range p.lines {
		rest = append(rest, line)
	}
	if err := p.cmd.Wait(); err != nil || len(rest) > 0 || p.stderr.Len() > 0 {
		p.t.Errorf("the end: %v, printed %q, standard error %q", err, rest, &p.stderr)
	}
}

// TestManifest: the manifest says of the engine what it says itself. EvalFile alone is left out,
// which is of no use where there are no files.
func TestManifest(t *testing.T) {
	p := start(t, built(t))
	body := files(t)["engine.json"]
	var m struct {
		ABI, Module, Name, Author string
		Options                   []struct {
			Name, Type string
			Default    any
			Min, Max   *int
			Vars       []string
		}
		Presets []struct {
			ID     string
			Values map[string]any
		}
	}
	if err := json.Unmarshal(body, &m); err != nil {
		t.Fatal(err)
	}
	want := []string{"id name " + m.Name, "id author " + m.Author}
	names := map[string]bool{}
	for _, o := range m.Options {
		names[o.Name] = true
		line := fmt.Sprintf("option name %s type %s", o.Name, o.Type)
		if o.Default != nil {
			line += fmt.Sprint(" default ", o.Default)
		}
		if o.Min != nil {
			line += fmt.Sprintf(" min %d max %d", *o.Min, *o.Max)
		}
		for _, v := range o.Vars {
			line += " var " + v
		}
		want = append(want, line)
	}
	want = append(want, "option name EvalFile type string default <empty>", "usiok")
	p.send("usi")
	if got := p.until("usiok"); !slices.Equal(got, want) {
		t.Errorf("the engine says\n%s\nand the manifest\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if m.ABI != "shogihome-wasm-engine/1" || m.Module != "tsumero.js" || len(m.Presets) == 0 {
		t.Errorf("%s", body)
	}
	for _, preset := range m.Presets {
		for name, value := range preset.Values {
			if !names[name] {
				t.Errorf("preset %s: no option %s", preset.ID, name)
			}
			p.send(fmt.Sprintf("setoption name %s value %v", name, value))
		}
		p.send("isready")
		if got := p.until("readyok"); len(got) > 1 {
			t.Errorf("preset %s: printed %q", preset.ID, got)
		}
	}
	p.send("quit")
	p.in.Close()
	p.ends()
}

// TestSize: ShogiHome takes no engine above 8 MiB, and no file above 2 MiB.
func TestSize(t *testing.T) {
	total := 0
	for name, body := range files(t) {
		if name != native {
			t.Logf("%s: %d bytes", name, len(body))
			total += len(body)
			if len(body) > 2<<20 {
				t.Errorf("%s: %d bytes", name, len(body))
			}
		}
	}
	if total > 4<<20 {
		t.Errorf("%d bytes", total)
	}
}

// TestVersion: a release has its number, and what is no version is refused.
func TestVersion(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "engine")
	if err := shogihome.Build(dir, "1.2.3"); err == nil {
		t.Error("1.2.3 was taken")
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("a failed build left a folder: %v", err)
	}
	if testing.Short() {
		t.Skip("it compiles a program")
	}
	if err := shogihome.Build(dir, "v1.2.3"); err != nil {
		t.Fatal(err)
	}
	body, err := os.ReadFile(filepath.Join(dir, "engine.json"))
	if err != nil || !bytes.Contains(body, []byte(`"name": "Tsumero 1.2.3"`)) {
		t.Errorf("%v: %s", err, body)
	}
	p := start(t, dir)
	p.send("usi")
	if got := p.until("usiok"); got[0] != "id name Tsumero 1.2.3" {
		t.Errorf("%q", got)
	}
}

const (
	mate7 = "5+P1k1/9/5+rB2/9/9/9/9/9/9 b RPb4g4s4n4l16p 1"
	hard  = "7k1/9/9/9/9/9/9/9/9 b B2G2SL2P2rb2g2s4n3l16p 1"
)

// TestNative: the engine answers as the native one does, but for times, and the mates are what their
// authors say.
func TestNative(t *testing.T) {
	folder := built(t)
	wasm, other := start(t, folder), startProcess(t, filepath.Join(folder, native))
	setup := []string{"setoption name USI_Hash value 64", "isready"}
	wasm.send(setup...)
	other.send(setup...)
	wasm.until("readyok")
	other.until("readyok")
	for _, tt := range []struct {
		position, goes string
		want           string // the answer, or the length of the mate
	}{
		{"sfen 4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1", "go mate 60000", "checkmate G*5b"},
		{"sfen 9/9/9/9/9/9/4g4/9/4K4 w g2R2B2G4S4N4L18P 1", "go mate 60000", "checkmate G*5h"},
		{"sfen " + mate7, "go mate 60000", "7"},
		{"sfen 9/9/6P2/9/4B4/9/6R2/7k+p/9 b Grb3g4s4n4l16p 1", "go mate infinite", "9"},
		{"sfen 4k4/9/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1", "go mate infinite", "checkmate nomate"},
		// No. 9 of the Musō (1734), whose author gives 29 plies.
		{"sfen 2k1s1B2/S3+P4/2p1R2p1/2gprpp2/Lb1S5/2N3P2/2PPP4/9/L8 b L3gs3nl8p 1",
			"go mate 60000", "29"},
		{"sfen " + hard, "go nodes 50000 mate infinite", "checkmate timeout"},
		{"sfen 5+P1k1/9/5/+rB2/9/9/9/9/9/9 b RPb4g4s4k4l16p 1", "go mate 1000", "checkmate timeout"},
		{"startpos", "go nodes 3000", ""},
		{"startpos moves 7g7f 3c3d 8h2b+ 3a2b", "go depth 6", ""},
	} {
		// What a level remembers of the position before depends on nothing but the commands.
		commands := []string{"position " + tt.position, tt.goes}
		wasm.send(commands...)
		other.send(commands...)
		end := "checkmate "
		if !strings.Contains(tt.goes, "mate") {
			end = "bestmove "
		}
		got, want := essence(wasm.until(end)), essence(other.until(end))
		if !slices.Equal(got, want) {
			t.Errorf("%q: found %q, the native engine says %q", commands, got, want)
		}
		answer := got[len(got)-1]
		if plies, err := strconv.Atoi(tt.want); err == nil {
			checkMate(t, tt.position, answer, plies)
		} else if tt.want != "" && answer != tt.want {
			t.Errorf("%q: found %q, expected %q", commands, answer, tt.want)
		}
	}
	// What a report says of a problem: the texts in it come from the whole of an analysis.
	commands := []string{"setoption name Analysis value full",
		"position sfen 7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1", "go mate infinite"}
	wasm.send(commands...)
	other.send(commands...)
	got, want := essence(wasm.until("checkmate ")), essence(other.until("checkmate "))
	if !slices.Equal(got, want) || !slices.Contains(got, "info string length F2 3 raw 5") {
		t.Errorf("the report: found %q, the native engine says %q", got, want)
	}
}

// varying is what depends on the time.
var varying = regexp.MustCompile(` (time|nps) \d+`)

// essence returns what must not depend on the machine: texts, the last line with a score, the answer.
func essence(lines []string) (kept []string) {
	score := ""
	for _, line := range lines[:len(lines)-1] {
		if strings.HasPrefix(line, "info string ") {
			if strings.HasSuffix(line, "looking for a shorter one") {
				continue // once a second
			}
			kept = append(kept, line)
		} else if strings.Contains(line, " score ") {
			score = varying.ReplaceAllString(line, "")
		}
	}
	return append(kept, score, lines[len(lines)-1])
}

// checkMate wants an answer to be a mate in so many plies, by the other implementation of the rules.
func checkMate(t *testing.T, position, answer string, plies int) {
	t.Helper()
	g, err := shogi.ParsePosition("position " + position)
	if err != nil {
		t.Fatal(err)
	}
	var line []shogi.Move
	for _, text := range strings.Fields(strings.TrimPrefix(answer, "checkmate ")) {
		m, err := shogi.ParseMove(text)
		if err != nil {
			t.Errorf("%q: %v", answer, err)
			return
		}
		line = append(line, m)
	}
	if err := solver.VerifyLine(g.Position(), line); err != nil || len(line) != plies {
		t.Errorf("%q: %d plies, expected %d; %v", answer, len(line), plies, err)
	}
}

// TestStop: whatever is searched, the engine hears commands, and quit is the end of all.
func TestStop(t *testing.T) {
	p := start(t, built(t))
	p.send("isready")
	p.until("readyok")
	var took []time.Duration
	for _, tt := range []struct{ position, goes, want string }{
		{"sfen " + hard, "go mate infinite", "checkmate timeout"},
		{"sfen " + hard, "go infinite", "bestmove resign"},
		{"startpos", "go infinite", "bestmove "},
		{"startpos", "go ponder btime 60000 wtime 60000 byoyomi 1000", "bestmove "},
		{"startpos", "go btime 600000 wtime 600000 byoyomi 300000", "bestmove "},
	} {
		for range 5 {
			p.send("position "+tt.position, tt.goes, "isready")
			p.until("readyok") // while it searches
			time.Sleep(100 * time.Millisecond)
			began := time.Now()
			p.send("stop")
			lines := p.until(tt.want)
			took = append(took, time.Since(began))
			for _, line := range lines[:len(lines)-1] {
				if !strings.HasPrefix(line, "info ") {
					t.Errorf("%s: printed %q", tt.goes, lines)
				}
			}
			if move, isMove := strings.CutPrefix(lines[len(lines)-1], "bestmove "); isMove && move != "resign" {
				word, _, _ := strings.Cut(move, " ")
				g := shogi.NewGame(shogi.Start())
				position := g.Position()
				if m, err := shogi.ParseMove(word); err != nil || !position.IsLegal(m) {
					t.Errorf("%s: %q", tt.goes, move)
				}
			}
		}
	}
	slices.Sort(took)
	median := took[len(took)/2]
	t.Logf("stopped after %v, %v at most", median, took[len(took)-1])
	if median > 5*time.Second { // it is not heard: an idle machine takes 12 ms
		t.Errorf("stopped after %v", took)
	}

	// Limits of time.
	for _, tt := range []struct{ position, goes, want string }{
		{"sfen " + hard, "go mate 300", "checkmate timeout"},
		{"startpos", "go btime 0 wtime 0 byoyomi 500", "bestmove "},
	} {
		p.send("position "+tt.position, tt.goes)
		began := time.Now()
		p.until(tt.want)
		t.Logf("%s: after %v", tt.goes, time.Since(began))
	}

	p.send("position sfen "+hard, "go mate infinite", "quit", "stop", "isready")
	p.in.Close()
	p.ends()
}

// TestTerminate: as a page closes the engine, in the middle of a search.
func TestTerminate(t *testing.T) {
	p := start(t, built(t))
	p.send("isready")
	p.until("readyok")
	p.send("position sfen "+hard, "go mate infinite")
	time.Sleep(50 * time.Millisecond)
	p.in.Close() // testdata/engine.mjs terminates it
	p.ends()
}

// TestFailure: where the engine cannot start it says why.
func TestFailure(t *testing.T) {
	needNode(t)
	module := filepath.ToSlash(filepath.Join(built(t), "tsumero.js"))
	for _, tt := range []struct{ before, options, want string }{
		{"delete globalThis.WebAssembly", "", "Tsumero needs WebAssembly, which is missing here"},
		{"delete globalThis.DecompressionStream", "", "Tsumero needs DecompressionStream,"},
		{"", `{locateFile: () => "file:///none.wasm"}`, "file:///none.wasm cannot be loaded: Error: ENOENT"},
		{"", `{locateFile: () => "http://127.0.0.1:1/x"}`, "http://127.0.0.1:1/x cannot be loaded: "},
		{"", `{locateFile: () => "file://` + module + `"}`, "cannot be run here: "},
	} {
		script := fmt.Sprintf("const { default: create } = await import(%q)\n%s\n"+
			"await create(%s).then(() => console.log('started'), e => console.log(e.message))\n"+
			"process.exit(0)", "file://"+module, tt.before, tt.options)
		out, err := exec.Command("node", "--input-type=module", "-e", script).CombinedOutput()
		if err != nil || !strings.Contains(string(out), tt.want) {
			t.Errorf("%s %s: %v: found %q, expected %q", tt.before, tt.options, err, out, tt.want)
		}
	}
}

// TestCrash: a program that ends by itself is an error of its Worker, with the reason.
func TestCrash(t *testing.T) {
	folder := built(t)
	source := filepath.Join(t.TempDir(), "main.go")
	out := filepath.Join(t.TempDir(), "out.wasm")
	err := os.WriteFile(source, []byte("package main\n\nfunc main() { panic(\"gone\") }\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", "build", "-o", out, source)
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if message, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, message)
	}
	program, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(program)
	w.Close()
	for name, body := range map[string][]byte{"tsumero.wasm": b.Bytes(), "tsumero-2.wasm": nil} {
		if err := os.WriteFile(filepath.Join(folder, name), body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := start(t, folder)
	for line := range p.lines {
		t.Errorf("printed %q", line)
	}
	const want = "Tsumero has ended with code 2: panic: gone"
	if err := p.cmd.Wait(); err == nil || !strings.Contains(p.stderr.String(), want) {
		t.Errorf("%v: found %q, expected %q", err, &p.stderr, want)
	}
}
