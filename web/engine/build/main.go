// Build makes dist/ of package engine: the programs for browsers, and the script of the Worker.
//
//	go generate ./web/engine
//
// -o names another folder. With -plain the files are as they are served to who takes no brotli. With
// -quality they are larger, and made sooner. With -ldflags a release says which it is.
package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	folder := flag.String("o", "", "where the files go (default: dist of the package)")
	plain := flag.Bool("plain", false, "do not compress them")
	quality := flag.Int("quality", brotli.BestCompression, "how well to compress them; the best takes half a minute a program")
	ldflags := flag.String("ldflags", "", "more `FLAGS` for the linker")
	flag.Parse()
	if err := run(*folder, *plain, *quality, *ldflags); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

// programs are the programs by what a page calls them, and the build tags of each.
var programs = []struct{ name, tags string }{{"board", "board"}, {"full", ""}}

func run(folder string, plain bool, quality int, ldflags string) error {
	source, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/tsumero/tsumero/web/engine").Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	home := strings.TrimSpace(string(source))
	folder = cmp.Or(folder, filepath.Join(home, "dist"))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, pattern := range []string{"*.br", "*.js", "*.wasm"} { // of another build
		old, _ := filepath.Glob(filepath.Join(folder, pattern)) // the pattern is one
		for _, name := range old {
			if err := os.Remove(name); err != nil {
				return err
			}
		}
	}
	write := func(name string, body []byte) error {
		if !plain {
			var b bytes.Buffer
			w := brotli.NewWriterOptions(&b, brotli.WriterOptions{Quality: quality, LGWin: 24})
			if _, err := w.Write(body); err != nil {
				return err
			}
			if err := w.Close(); err != nil {
				return err
			}
			name, body = name+".br", b.Bytes()
		}
		return os.WriteFile(filepath.Join(folder, name), body, 0o644)
	}
	names := map[string]string{}
	faults := make(chan error, len(programs))
	for _, p := range programs {
		body, err := compile(p.tags, ldflags)
		if err != nil {
			return fmt.Errorf("the program %s: %w", p.name, err)
		}
		sum := sha256.Sum256(body)
		name := fmt.Sprintf("%s-%s.wasm", p.name, hex.EncodeToString(sum[:5]))
		names[p.name] = name
		go func() { faults <- write(name, body) }() // to compress one takes half a minute
	}
	for range programs {
		if err := <-faults; err != nil {
			return err
		}
	}
	script, err := bundle(home, names)
	if err != nil {
		return err
	}
	return write("engine.js", script)
}

// compile returns a program.
func compile(tags, ldflags string) ([]byte, error) {
	folder, err := os.MkdirTemp("", "tsumero-wasm")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	out := filepath.Join(folder, "out.wasm")
	c := exec.Command("go", "build", "-trimpath", "-pgo=off", "-tags", tags, "-ldflags", "-s -w "+ldflags, "-o", out,
		"github.com/tsumero/tsumero/cmd/tsumero-wasm")
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("go build: %w", err)
	}
	return os.ReadFile(out)
}

// bundle returns the script of the Worker: the part of Go's distribution that belongs to the compiler
// of the programs, and src/worker.ts, which knows their names.
func bundle(home string, names map[string]string) ([]byte, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	define := map[string]string{}
	for name, file := range names {
		define[strings.ToUpper(name)+"_WASM"] = strconv.Quote(file)
	}
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: home,
		EntryPoints:   []string{"src/worker.ts"},
		Bundle:        true, MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		Define: define,
		Alias:  map[string]string{"wasm_exec": filepath.Join(strings.TrimSpace(string(root)), "lib/wasm/wasm_exec.js")},
		Format: api.FormatIIFE, Target: api.ES2022, Charset: api.CharsetUTF8, LogLevel: api.LogLevelSilent,
		LegalComments: api.LegalCommentsInline,
	})
	if len(result.Errors) > 0 {
		return nil, errors.New(strings.Join(api.FormatMessages(result.Errors, api.FormatMessagesOptions{}), "\n"))
	}
	return result.OutputFiles[0].Contents, nil
}
