// Package shogihome makes the engine for the web version of ShogiHome: tsumero-usi as a program of
// WebAssembly, with the module and the manifest by which ShogiHome loads it. README.md says how to
// add it there.
package shogihome

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/tsumero/tsumero/deploy/licenses"
)

// The names of the files.
const (
	manifestFile = "engine.json"
	moduleFile   = "tsumero.js"
	licensesFile = "LICENSES.txt"
	readmeFile   = "README.md"
)

// programFiles are the parts of the program. ShogiHome expects one beside the module, under the same
// name, and its build takes no file above 2 MiB for the time without a network.
var programFiles = []string{"tsumero.wasm", "tsumero-2.wasm"}

const maxFile = 2 << 20

var (
	//go:embed engine.json
	manifest []byte
	//go:embed src/tsumero.ts
	module string
	//go:embed README.md
	readme []byte
)

// Build writes the engine into a folder, which it makes if need be. release is the version, such as
// v1.2.3; without one the engine is called "dev".
func Build(folder, release string) error {
	files := map[string][]byte{readmeFile: readme, licensesFile: []byte(licenses.Text)}
	var err error
	if files[manifestFile], err = named(manifest, release); err != nil {
		return fmt.Errorf("%s: %w", manifestFile, err)
	}
	if files[moduleFile], err = bundle(); err != nil {
		return err
	}
	program, err := compile(release)
	if err != nil {
		return err
	}
	size := (len(program) + len(programFiles) - 1) / len(programFiles)
	if size > maxFile {
		return fmt.Errorf("the program has %d bytes, so it needs more parts", len(program))
	}
	for i, name := range programFiles {
		files[name] = program[i*size : min((i+1)*size, len(program))]
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, body := range files {
		if err := os.WriteFile(filepath.Join(folder, name), body, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// named puts into the manifest the name that the program of a release says.
func named(manifest []byte, release string) ([]byte, error) {
	version, ok := strings.CutPrefix(release, "v")
	switch {
	case release == "":
		version = "dev"
	case !ok:
		return nil, fmt.Errorf("found the version %q, expected one like v1.2.3", release)
	}
	const name = `"name": "Tsumero dev"`
	if bytes.Count(manifest, []byte(name)) != 1 || !json.Valid(manifest) {
		return nil, fmt.Errorf("found no %s", name)
	}
	said := `"name": ` + strconv.Quote("Tsumero "+version)
	return bytes.Replace(manifest, []byte(name), []byte(said), 1), nil
}

// bundle returns the module: src/tsumero.ts, and the part of Go's distribution that belongs to the
// compiler of the program.
func bundle() ([]byte, error) {
	parts, err := json.Marshal(programFiles)
	if err != nil {
		return nil, err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	path := filepath.Join(strings.TrimSpace(string(root)), "lib/wasm/wasm_exec.js")
	wasmExec, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	// It is for a program that has the global object to itself; as a function it takes another one.
	wrapped := "export default function (globalThis) {\nconst fs = globalThis.fs;\n" +
		string(wasmExec) + "\nreturn globalThis.Go;\n}\n"
	result := api.Build(api.BuildOptions{
		Stdin:  &api.StdinOptions{Contents: module, Sourcefile: "tsumero.ts", Loader: api.LoaderTS},
		Bundle: true, MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		Define:   map[string]string{"PARTS": string(parts)},
		External: []string{"node:*"},
		Plugins:  []api.Plugin{provide("wasm_exec", wrapped)},
		Format:   api.FormatESModule, Target: api.ES2022, Charset: api.CharsetUTF8,
		LogLevel: api.LogLevelSilent, LegalComments: api.LegalCommentsInline,
	})
	if messages := append(result.Errors, result.Warnings...); len(messages) > 0 {
		text := api.FormatMessages(messages, api.FormatMessagesOptions{})
		return nil, errors.New(strings.Join(text, "\n"))
	}
	return result.OutputFiles[0].Contents, nil
}

// provide makes a text the module of that name.
func provide(name, text string) api.Plugin {
	return api.Plugin{Name: name, Setup: func(build api.PluginBuild) {
		resolve := func(api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: name, Namespace: name}, nil
		}
		load := func(api.OnLoadArgs) (api.OnLoadResult, error) {
			return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, nil
		}
		build.OnResolve(api.OnResolveOptions{Filter: "^" + name + "$"}, resolve)
		build.OnLoad(api.OnLoadOptions{Filter: ".", Namespace: name}, load)
	}}
}

// compile returns the program, compressed.
func compile(release string) ([]byte, error) {
	folder, err := os.MkdirTemp("", "tsumero-shogihome")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	out := filepath.Join(folder, "out.wasm")
	if release == "" {
		release = "dev" // also where a tag says another
	}
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -X github.com/tsumero/tsumero/cmd/internal/version.release="+release,
		"-o", out, "github.com/tsumero/tsumero/cmd/tsumero-usi")
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if message, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, message)
	}
	program, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(program); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
