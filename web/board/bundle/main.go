// Bundle makes dist/embed.js, and the files that it loads later, from the sources of the board. It
// runs in folder web/board:
//
//	go generate ./web/board
//
// With the engine it makes what others put on their sites, from the root of the project:
//
//	go run ./web/engine/build -plain -o ENGINE
//	go run ./web/board/bundle -board web/board -engine ENGINE -npm FOLDER -version 1.2.3
//	go run ./web/board/bundle -board web/board -engine ENGINE -zip FILE.zip
package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	board := flag.String("board", ".", "the `FOLDER` web/board")
	engine := flag.String("engine", "", "the `FOLDER` with the files of web/engine, for -npm and -zip")
	npmFolder := flag.String("npm", "", "write the package for npm into `FOLDER`")
	zipFile := flag.String("zip", "", "write the archive for file servers to `FILE`")
	version := flag.String("version", "0.0.0-dev", "`VERSION` of the package")
	flag.Parse()
	err := func() error {
		if *npmFolder == "" && *zipFile == "" {
			return run(*board)
		}
		files, err := readEngine(*engine)
		if err == nil && *npmFolder != "" {
			err = npm(*board, *npmFolder, *version, files)
		}
		if err == nil && *zipFile != "" {
			err = static(*board, *zipFile, files)
		}
		return err
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

// laterFiles are what is loaded when it is needed: src/NAME.ts becomes dist/embed-NAME.js.
var laterFiles = []string{"api", "brinkmate", "edit", "ended", "engine", "help", "keys", "more", "pairs", "progress", "record", "run", "set", "typed"}

// run writes the files of the board in a folder, and removes what is no longer one of them.
func run(board string) error {
	files, err := build(board)
	if err != nil {
		return err
	}
	dist := filepath.Join(board, "dist")
	if err := os.RemoveAll(dist); err != nil {
		return err
	}
	if err := os.Mkdir(dist, 0o755); err != nil {
		return err
	}
	for name, script := range files {
		if err := os.WriteFile(filepath.Join(dist, name), script, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// build returns the files by name. embed.js is one that browsers run as a classic script and as a
// module, those since May 2024: see embed.ts. The others are modules: see later.ts.
func build(board string) (map[string][]byte, error) {
	root, err := filepath.Abs(board)
	if err != nil {
		return nil, err
	}
	options := api.BuildOptions{
		AbsWorkingDir:     root,
		EntryPoints:       []string{"src/embed.ts"},
		Bundle:            true,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		Define:            map[string]string{"VERSION": strconv.Quote(versionMark)},
		Format:            api.FormatIIFE,
		Target:            api.ES2022,
		Charset:           api.CharsetUTF8,
		LegalComments:     api.LegalCommentsInline,
		Plugins:           []api.Plugin{styles, glyphs},
		LogLevel:          api.LogLevelSilent,
	}
	files := make(map[string][]byte)
	add := func(name string) error {
		result := api.Build(options)
		if err := cmp.Or(failure(result.Errors), failure(result.Warnings)); err != nil {
			return err
		}
		files[name] = result.OutputFiles[0].Contents
		return nil
	}
	if err := add("embed.js"); err != nil {
		return nil, err
	}
	options.Format = api.FormatESModule
	options.Plugins = []api.Plugin{shared, styles, glyphs}
	options.Footer = map[string]string{"js": fmt.Sprintf("export const version=%q", versionMark)}
	for _, name := range laterFiles {
		options.EntryPoints = []string{"src/" + name + ".ts"}
		if err := add("embed-" + name + ".js"); err != nil {
			return nil, err
		}
	}
	setVersion(files)
	return files, nil
}

// versionMark stands for the version until all files are made.
const versionMark = "VERSION_OF_ALL_FILES"

// setVersion gives the files their version, which depends on all of them.
func setVersion(files map[string][]byte) {
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		hash.Write(files[name])
	}
	version := hex.EncodeToString(hash.Sum(nil)[:5])
	for name := range files {
		files[name] = bytes.ReplaceAll(files[name], []byte(versionMark), []byte(version))
	}
}

// shared makes a later file take what it imports of some modules from the first file instead of
// holding its own: see shared.ts.
var shared = api.Plugin{Name: "shared", Setup: func(build api.PluginBuild) {
	resolve := func(api.OnResolveArgs) (api.OnResolveResult, error) {
		return api.OnResolveResult{Path: "shared", Namespace: "shared"}, nil
	}
	contents := `module.exports = customElements.get("tsume-board").shared`
	load := func(api.OnLoadArgs) (api.OnLoadResult, error) {
		return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS}, nil
	}
	build.OnResolve(api.OnResolveOptions{Filter: `^\./(language|glyphs|later|play|state|view)$`}, resolve)
	build.OnLoad(api.OnLoadOptions{Filter: ".", Namespace: "shared"}, load)
}}

// engines are the first browsers with light-dark().
var engines = []api.Engine{
	{Name: api.EngineChrome, Version: "123"},
	{Name: api.EngineFirefox, Version: "124"},
	{Name: api.EngineSafari, Version: "17.5"},
}

var blanks = strings.NewReplacer(": light-dark(", ":light-dark(", ", #", ",#")

var shorthand = regexp.MustCompile(`var\(--t-(\w+)\)`)

// styles makes a style sheet a minified text, which the board puts into its shadow root.
var styles = api.Plugin{Name: "styles", Setup: func(build api.PluginBuild) {
	load := func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		source, err := os.ReadFile(args.Path)
		if err != nil {
			return api.OnLoadResult{}, err
		}
		result := api.Transform(string(source), api.TransformOptions{
			Loader: api.LoaderCSS, Sourcefile: args.Path, Charset: api.CharsetUTF8,
			MinifyWhitespace: true, MinifySyntax: true,
			Engines: engines,
		})
		// Values of custom properties are left as they are written. $name is the board's shorthand,
		// which it undoes.
		text := shorthand.ReplaceAllString(blanks.Replace(string(result.Code)), "$$$1")
		return api.OnLoadResult{
			Contents: &text, Loader: api.LoaderText, Errors: result.Errors, Warnings: result.Warnings,
		}, nil
	}
	build.OnLoad(api.OnLoadOptions{Filter: `\.css$`}, load)
}}

// failure returns what esbuild complains about as one error, nil if about nothing.
func failure(messages []api.Message) error {
	if len(messages) == 0 {
		return nil
	}
	lines := api.FormatMessages(messages, api.FormatMessagesOptions{})
	return errors.New(strings.Join(lines, "\n"))
}
