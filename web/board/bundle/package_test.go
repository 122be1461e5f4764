package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/tsumero/tsumero/web/internal/browsertest"
	"github.com/tsumero/tsumero/web/internal/enginetest"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// solveWithEngine opens a page with a board, where a wrong move is refuted and the solution solves.
func solveWithEngine(t *testing.T, url string) {
	t.Helper()
	p := browsertest.Open(t, browsertest.Screen{Still: true})
	p.Goto(url)
	p.Wait(`document.querySelector("tsume-board")?.ready`)
	p.Do(`window.b = document.querySelector("tsume-board"); await b.ready; window.faults = [];
		b.addEventListener("tsume-error", (e) => faults.push(e.detail.code + ": " + e.detail.detail))`)
	for _, move := range []struct{ usi, want string }{
		{"R*1c", "wrong"}, {"R*1a", "replied"}, {"2b2a+", "replied"}, {"2d2b+", "solved"},
	} {
		if got := browsertest.Eval[string](p, fmt.Sprintf(`b.play(%q)`, move.usi)); got != move.want {
			t.Fatalf("%s: %s, want %s; %v", move.usi, got, move.want, browsertest.Eval[[]string](p, "faults"))
		}
		if move.want == "wrong" {
			p.Wait(`b.state === "play"`)
		}
	}
	// Another file that is loaded when it is needed.
	p.Do(`b.mode = "edit"; await b.ready`)
	if !browsertest.Eval[bool](p, `b.shadowRoot.querySelectorAll("button").length > 3`) {
		t.Error("no editor")
	}
}

// serveFolder serves a folder under a strict policy, and fails the test if an API is asked.
func serveFolder(t *testing.T, folder, policy string) string {
	files := http.FileServer(http.Dir(folder))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			t.Errorf("asked for %s", r.URL.Path)
		}
		if policy != "" {
			w.Header().Set("Content-Security-Policy", policy)
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

const strictPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; " +
	"connect-src 'self'; style-src 'self'; img-src 'self' data:"

// TestStatic: the archive on a plain file server, in a folder of a site with a strict policy.
func TestStatic(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles two programs")
	}
	folder := t.TempDir()
	archive := filepath.Join(folder, "board.zip")
	engine := enginetest.Files(t)
	if err := static("..", archive, engine); err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(folder, "again.zip")
	if err := static("..", again, engine); err != nil {
		t.Fatal(err)
	}
	one, _ := os.ReadFile(archive)
	other, _ := os.ReadFile(again)
	if !bytes.Equal(one, other) {
		t.Error("the archive is another one each time")
	}
	r, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := os.CopyFS(filepath.Join(folder, "site", "blog"), r); err != nil {
		t.Fatal(err)
	}
	solveWithEngine(t, serveFolder(t, filepath.Join(folder, "site"), strictPolicy)+"/blog/tsumero/")
}

// run runs a command in a folder.
func runIn(t *testing.T, folder string, name string, args ...string) {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = folder
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// TestPackage: what npm pack makes of the package is installed in an empty project, where the types
// fit and the pages of two bundlers work, and so does the server with which people develop.
func TestPackage(t *testing.T) {
	if testing.Short() {
		t.Skip("it installs bundlers")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("npm is not installed")
	}
	folder := t.TempDir()
	made, project := filepath.Join(folder, "package"), filepath.Join(folder, "project")
	if err := npm("..", made, "1.2.3", enginetest.Files(t)); err != nil {
		t.Fatal(err)
	}
	runIn(t, made, "npm", "pack", "--pack-destination", folder)
	for name, text := range map[string]string{
		"package.json":   `{"name": "empty", "private": true, "type": "module"}`,
		"vite.config.js": `export default { base: "./", optimizeDeps: { exclude: ["@tsumero/board"] } };`,
		"index.html": `<!doctype html><html lang="en"><meta charset="utf-8"><title>Page</title><link rel="icon" href="data:,">` +
			`<script type="module" src="./main.ts"></script><main></main></html>`,
		"main.ts": `import { type TsumeBoard, configure, createEngine } from "@tsumero/board";
const board: TsumeBoard = document.createElement("tsume-board");
board.engine = "local";
board.sfen = "9/7Lk/9/7R1/9/9/9/9/9 b R2b4g4s4n3l18p 1";
board.addEventListener("tsume-solved", (e) => console.log(e.detail.plies));
document.querySelector("main")!.append(board);
Object.assign(window, { configure, createEngine });
`,
		"esbuild/index.html": `<!doctype html><html lang="en"><meta charset="utf-8"><title>Page</title><link rel="icon" href="data:,">` +
			`<script type="module" src="main.js"></script><main></main></html>`,
	} {
		to := filepath.Join(project, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	runIn(t, project, "npm", "install", "--no-audit", "--no-fund", "--loglevel=error",
		filepath.Join(folder, "tsumero-board-1.2.3.tgz"), "vite@8.3.8", "esbuild@0.28.2", "typescript@5.9.3")
	runIn(t, project, "npx", "tsc", "--noEmit", "--strict", "--target", "es2022", "--module", "esnext",
		"--moduleResolution", "bundler", "--lib", "es2022,dom", "main.ts")

	t.Run("vite", func(t *testing.T) {
		runIn(t, project, "npx", "vite", "build", "--logLevel", "warn")
		solveWithEngine(t, serveFolder(t, filepath.Join(project, "dist"), strictPolicy)+"/")
	})
	t.Run("vite, developing", func(t *testing.T) { solveWithEngine(t, startVite(t, project)) })
	t.Run("esbuild", func(t *testing.T) {
		runIn(t, project, "npx", "esbuild", "main.ts", "--bundle", "--splitting", "--format=esm", "--outdir=esbuild")
		runIn(t, project, "cp", "-r", "node_modules/@tsumero/board/engine", "esbuild/")
		url := serveFolder(t, filepath.Join(project, "esbuild"), strictPolicy) + "/"
		solveWithEngine(t, url)
		checkOptions(t, url)
	})
}

// checkOptions: options that are not told stay, a folder stands for all addresses, and what is
// configured holds for boards that have asked already.
func checkOptions(t *testing.T, url string) {
	t.Helper()
	p := browsertest.Open(t, browsertest.Screen{Still: true})
	p.Goto(url)
	p.Wait(`document.querySelector("tsume-board")?.ready`)
	p.Do(`window.b = document.querySelector("tsume-board"); await b.ready;
		window.ask = async (options) => {
			const body = JSON.stringify({ sfen: b.sfen });
			try {
				return (await (await createEngine(options)("/v1/solve", { method: "POST", body })).json()).verdict;
			} catch (e) {
				return e.code;
			}
		}`)
	for _, c := range []struct{ script, want string }{
		{`ask({ memory: 80 << 20 })`, "mate"},
		{`ask({ base: "engine/" })`, "mate"},
		{`ask({ base: "elsewhere/" })`, "worker"}, // and not the files that it was built with
		{`(configure({ memory: 80 << 20 }), ask())`, "mate"},
		{`b.play("R*1a")`, "replied"},
		{`(configure({ base: new URL("elsewhere/", location.href).href }), b.play("2b2a+"))`, "failed"},
		{`(configure({ base: new URL("engine/", location.href).href }), ask())`, "mate"},
	} {
		if got := browsertest.Eval[string](p, c.script); got != c.want {
			t.Errorf("%s: %s, want %s", c.script, got, c.want)
		}
	}
	p.Errors() // of the scripts that are not there
}

// startVite starts the server of vite and returns its address.
func startVite(t *testing.T, project string) string {
	c := exec.Command("node", "node_modules/vite/bin/vite.js", "--host", "127.0.0.1", "--port", "0")
	c.Dir, c.Env = project, append(os.Environ(), "NO_COLOR=1")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var rest sync.WaitGroup
	t.Cleanup(func() {
		_ = c.Process.Kill() // it has not ended by itself
		rest.Wait()
		_ = c.Wait() // which says that it was killed
	})
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`)
	var said []byte
	for buf := make([]byte, 1024); ; {
		n, err := out.Read(buf)
		said = append(said, buf[:n]...)
		if url := address.Find(said); url != nil {
			rest.Go(func() { _, _ = io.Copy(io.Discard, out) })
			return string(url)
		}
		if err != nil {
			t.Fatalf("vite says no address: %v\n%s", err, said)
		}
	}
}
