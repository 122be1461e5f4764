// Bundle makes dist/embed.js from the sources of the board. It runs in folder web/board:
//
//	go generate ./web/board
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

// run writes the bundle of the board in a folder.
func run(board string) error {
	script, err := build(board)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(board, "dist"), 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(board, "dist", "embed.js"), script, 0o644)
}

// build returns the bundle: one file that browsers run as a classic script and as a module, those
// since May 2024: see embed.ts.
func build(board string) ([]byte, error) {
	root, err := filepath.Abs(board)
	if err != nil {
		return nil, err
	}
	result := api.Build(api.BuildOptions{
		AbsWorkingDir:     root,
		EntryPoints:       []string{"src/embed.ts"},
		Outfile:           "embed.js",
		Bundle:            true,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		MangleProps:       `_$`, // names that end so are of properties that nothing outside knows
		Format:            api.FormatIIFE,
		Target:            api.ES2022,
		Charset:           api.CharsetUTF8,
		LegalComments:     api.LegalCommentsInline,
		Plugins:           []api.Plugin{styles, glyphs},
		LogLevel:          api.LogLevelSilent,
	})
	if err := failure(result.Errors); err != nil {
		return nil, err
	}
	if err := failure(result.Warnings); err != nil {
		return nil, err
	}
	return result.OutputFiles[0].Contents, nil
}

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
