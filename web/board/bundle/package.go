package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/tsumero/tsumero/deploy/licenses"
)

//go:embed package
var packageFiles embed.FS

// readEngine returns the files that web/engine/build -plain has written, by their names.
func readEngine(folder string) (map[string][]byte, error) {
	files := map[string][]byte{}
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if e.Type().IsRegular() && filepath.Ext(e.Name()) != "" && !strings.HasPrefix(e.Name(), ".") {
			body, readErr := os.ReadFile(filepath.Join(folder, e.Name()))
			err = cmp.Or(err, readErr)
			files[e.Name()] = body
		}
	}
	if err == nil && files["engine.js"] == nil {
		err = errors.New("no engine.js in " + folder + ": run go run ./web/engine/build -plain -o " + folder)
	}
	return files, err
}

// named returns the name of the program of an engine that begins so.
func named(engine map[string][]byte, begin string) string {
	for name := range engine {
		if strings.HasPrefix(name, begin) && filepath.Ext(name) == ".wasm" {
			return name
		}
	}
	return ""
}

// npm writes the package for npm: modules that bundlers can follow, their types, and the engine.
func npm(board, folder, version string, engine map[string][]byte) error {
	root, err := filepath.Abs(board)
	if err != nil {
		return err
	}
	result := api.Build(api.BuildOptions{
		AbsWorkingDir:       root,
		EntryPointsAdvanced: []api.EntryPoint{{InputPath: "src/package.ts", OutputPath: "index"}},
		Outdir:              "package", // nothing is written there
		Bundle:              true,
		Splitting:           true,
		MinifyWhitespace:    true, MinifyIdentifiers: true, MinifySyntax: true,
		Define: map[string]string{
			"VERSION":    strconv.Quote(version),
			"BOARD_FILE": strconv.Quote("./engine/" + named(engine, "board-")),
			"FULL_FILE":  strconv.Quote("./engine/" + named(engine, "full-")),
		},
		Format: api.FormatESModule, Target: api.ES2022, Charset: api.CharsetUTF8,
		LegalComments: api.LegalCommentsInline,
		Plugins:       []api.Plugin{styles, glyphs},
		LogLevel:      api.LogLevelSilent,
	})
	if err := cmp.Or(failure(result.Errors), failure(result.Warnings)); err != nil {
		return err
	}
	files := map[string][]byte{"LICENSES.txt": []byte(licenses.Text)}
	for _, f := range result.OutputFiles {
		files[filepath.Base(f.Path)] = f.Contents
	}
	for name, body := range engine {
		files["engine/"+name] = body
	}
	for _, name := range []string{"index.d.ts", "README.md"} {
		if files[name], err = packageFiles.ReadFile("package/" + name); err != nil {
			return err
		}
	}
	manifest, err := packageFiles.ReadFile("package/package.json")
	if err != nil {
		return err
	}
	if !json.Valid(manifest) {
		return errors.New("package.json is not JSON")
	}
	files["package.json"] = bytes.Replace(manifest, []byte("{\n"),
		fmt.Appendf(nil, "{\n  \"version\": %q,\n", version), 1)
	for name, body := range files {
		to := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, body, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// static writes the archive for file servers: one folder. It has the same bytes each time.
func static(board, file string, engine map[string][]byte) error {
	files, err := build(board)
	if err != nil {
		return err
	}
	files["LICENSES.txt"] = []byte(licenses.Text)
	for name, body := range engine {
		files["engine/"+name] = body
	}
	for _, name := range []string{"README.txt", "index.html"} {
		if files[name], err = fs.ReadFile(packageFiles, "package/"+name); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := w.Create("tsumero/" + name)
		if err != nil {
			return err
		}
		if _, err := f.Write(files[name]); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}
