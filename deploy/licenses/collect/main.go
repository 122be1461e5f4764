// Collect makes LICENSES.txt of the modules that the programs link, as the module cache has them:
//
//	go generate ./deploy/licenses
//
// A tool of others would have to be run for each platform and merged, and knows neither the
// standard library nor the notices that stand in single files of a module.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tsumero/tsumero/deploy/licenses"
)

func main() {
	text, err := collect()
	if err == nil {
		err = os.WriteFile("LICENSES.txt", text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "collect:", err)
		os.Exit(1)
	}
}

// A module is what is linked of it, on any platform and into any of the programs.
type module struct {
	path, version, dir string
	folders            map[string]bool // of linked packages, relative to dir
	files              map[string]bool // linked Go files, relative to dir
	programs           map[string]bool // the names of the programs that link it
	ids                []string        // the SPDX identifiers of its licences
}

// name is what the text calls a module.
func (m *module) name() string { return m.path + " " + m.version }

// collect returns the text.
func collect() ([]byte, error) {
	root, err := output(nil, "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return nil, err
	}
	goroot, err := output(nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	modules, err := linked()
	if err != nil {
		return nil, err
	}

	var all notices
	ours := []struct{ name, file string }{
		{"Tsumero and its <tsume-board>", "LICENSE"},
		{"The glyphs on boards and diagrams: outlines of subsets of Noto Serif CJK JP",
			"web/diagram/outlines/OFL.txt"},
	}
	for _, o := range ours {
		if _, _, err := all.addFile(o.name, filepath.Join(root, o.file)); err != nil {
			return nil, err
		}
	}
	// The standard library has parts of golang.org/x in it, under the same licence. Its
	// BoringCrypto, which has another, is linked only with GOEXPERIMENT=boringcrypto.
	for _, file := range []string{"LICENSE", "PATENTS"} {
		_, _, err := all.addFile("The Go runtime and standard library: "+file, filepath.Join(goroot, file))
		if err != nil {
			return nil, err
		}
	}
	for _, m := range modules {
		if err := all.addModule(m); err != nil {
			return nil, fmt.Errorf("%s: %w", m.name(), err)
		}
	}

	var text bytes.Buffer
	text.WriteString("SPDX-License-Identifier: " + strings.Join(all.ids, " AND ") + "\n\n" +
		"Tsumero is made of what is listed here, on one platform or another; the licences follow.\n")
	parts := map[string][]string{} // by the names of the programs that are made of them
	add := func(part string, programs []string) {
		key := strings.Join(programs, " ")
		parts[key] = append(parts[key], part)
	}
	var programs []string
	for _, command := range licenses.Commands {
		programs = append(programs, path.Base(command))
	}
	add("Tsumero", programs)
	add("The Go runtime and standard library", programs)
	add("outlines of Noto Serif CJK JP", []string{"tsumero", "tsumero-server"})
	for _, m := range modules {
		add(m.name()+" ("+strings.Join(m.ids, " AND ")+")", slices.Sorted(maps.Keys(m.programs)))
	}
	for _, key := range slices.SortedFunc(maps.Keys(parts), func(a, b string) int {
		return cmp.Or(strings.Count(b, " ")-strings.Count(a, " "), strings.Compare(a, b))
	}) {
		heading := key + " alone"
		if i := strings.LastIndex(key, " "); i >= 0 {
			heading = strings.ReplaceAll(key[:i], " ", ", ") + " and " + key[i+1:]
		}
		text.WriteString("\n" + heading + ":\n\n  " + strings.Join(parts[key], "\n  ") + "\n")
	}
	for _, n := range all.list {
		text.WriteString("\n" + strings.Repeat("=", 80) + "\n")
		text.WriteString(strings.Join(n.names, "\n") + "\n\n" + n.text + "\n")
	}
	return text.Bytes(), nil
}

// linked returns the foreign modules that the programs link, by their paths.
func linked() ([]*module, error) {
	type listed struct {
		ImportPath, Dir string
		GoFiles, Deps   []string
		Module          *struct {
			Path, Version, Dir string
			Main               bool
		}
	}
	found := map[string]*module{}
	for _, platform := range licenses.Platforms {
		env := []string{"CGO_ENABLED=0", "GOOS=" + platform.OS, "GOARCH=" + platform.Arch}
		out, err := output(env, "go", append([]string{"list", "-deps", "-pgo=off",
			"-json=ImportPath,Dir,GoFiles,Deps,Module"}, licenses.Commands...)...)
		if err != nil {
			return nil, err
		}
		packages := map[string]listed{}
		for d := json.NewDecoder(strings.NewReader(out)); ; {
			var p listed
			err := d.Decode(&p)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, err
			}
			packages[p.ImportPath] = p
		}
		for _, command := range licenses.Commands {
			for _, dep := range packages[command].Deps {
				p := packages[dep]
				if p.Module == nil || p.Module.Main {
					continue
				}
				m := found[p.Module.Path]
				if m == nil {
					m = &module{path: p.Module.Path, version: p.Module.Version, dir: p.Module.Dir,
						folders: map[string]bool{}, files: map[string]bool{},
						programs: map[string]bool{}}
					found[m.path] = m
				}
				m.programs[path.Base(command)] = true
				folder, err := filepath.Rel(m.dir, p.Dir)
				if err != nil {
					return nil, err
				}
				m.folders[folder] = true
				for _, file := range p.GoFiles {
					m.files[filepath.Join(folder, file)] = true
				}
			}
		}
	}
	var modules []*module
	for _, name := range slices.Sorted(maps.Keys(found)) {
		modules = append(modules, found[name])
	}
	return modules, nil
}

// A notice is a text, with whose it is.
type notice struct {
	names []string
	text  string
}

// notices are all texts, each once.
type notices struct {
	list []*notice
	ids  []string // the licences' SPDX identifiers, the project's own first
}

// addFile adds the text of a file, which it returns, with the identifier if it is a licence.
func (all *notices) addFile(name, file string) (text, id string, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", "", err
	}
	text = strings.ReplaceAll(string(data), "\r\n", "\n")
	if isLicense(file) {
		if id, err = identify(text); err != nil {
			return "", "", fmt.Errorf("%s: %w", file, err)
		}
		if !slices.Contains(all.ids, id) {
			all.ids = append(all.ids, id)
		}
	}
	all.add(name, text)
	return text, id, nil
}

func (all *notices) add(name, text string) {
	text = strings.Trim(text, "\n")
	i := slices.IndexFunc(all.list, func(n *notice) bool { return n.text == text })
	if i < 0 {
		i = len(all.list)
		all.list = append(all.list, &notice{text: text})
	}
	all.list[i].names = append(all.list[i].names, name)
}

var (
	licenseFile = regexp.MustCompile(`(?i)^(un)?licen[sc]e|^copying`)
	noticeFile  = regexp.MustCompile(`(?i)^(notice|patents|copyright)`)
)

func isLicense(file string) bool {
	return licenseFile.MatchString(filepath.Base(file)) || filepath.Base(file) == "OFL.txt"
}

// addModule adds what stands in the folders of the linked packages and in those above them, and
// what stands in single files.
func (all *notices) addModule(m *module) error {
	folders := map[string]bool{}
	for folder := range m.folders {
		for ; folder != "."; folder = filepath.Dir(folder) {
			folders[folder] = true
		}
	}
	folders["."] = true
	licensed := false
	var known strings.Builder
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		entries, err := os.ReadDir(filepath.Join(m.dir, folder))
		if err != nil {
			return err
		}
		for _, e := range entries {
			isNotice := isLicense(e.Name()) || noticeFile.MatchString(e.Name())
			if e.IsDir() || path.Ext(e.Name()) == ".go" || !isNotice {
				continue
			}
			file := filepath.Join(folder, e.Name())
			name := m.name() + ": " + filepath.ToSlash(file)
			text, id, err := all.addFile(name, filepath.Join(m.dir, file))
			if err != nil {
				return err
			}
			if id != "" && !slices.Contains(m.ids, id) {
				m.ids = append(m.ids, id)
			}
			known.WriteString(text)
			licensed = licensed || folder == "." && isLicense(file)
		}
	}
	if !licensed {
		return errors.New("there is no licence in its root folder")
	}
	return all.addHeaders(m, known.String())
}

// copyright matches the line of a notice that names the holder.
var copyright = regexp.MustCompile(`(?im)^\W*copyright(?: \(c\)| ©)?` +
	`[ -]+[-\d, ]*\d{4}(?:-present)?,?(?: by)? ([\pL. ]+[\pL])`)

// ownLicense is what a comment has that is a licence by itself.
var ownLicense = regexp.MustCompile(`Permission is hereby granted|Redistribution and use in source`)

// addHeaders adds the comments of Go files that name a holder whom no notice before names, or hold
// a licence, as files taken over from elsewhere do.
func (all *notices) addHeaders(m *module, known string) error {
	for _, file := range slices.Sorted(maps.Keys(m.files)) {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(m.dir, file), nil,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, group := range parsed.Comments {
			text := plain(group)
			holders := copyright.FindAllStringSubmatch(text, -1)
			isNew := func(match []string) bool {
				holder, _, _ := strings.Cut(match[1], ". All rights")
				return !strings.Contains(known, holder)
			}
			if slices.ContainsFunc(holders, isNew) || ownLicense.MatchString(text) {
				all.add(m.name()+": "+filepath.ToSlash(file), text)
				known += text
			}
		}
	}
	return nil
}

// plain returns a comment with its line breaks, but without its marks.
func plain(group *ast.CommentGroup) string {
	var lines []string
	for _, c := range group.List {
		text := strings.TrimSuffix(strings.TrimPrefix(c.Text, "/*"), "*/")
		for line := range strings.Lines(text) {
			line = strings.TrimPrefix(strings.TrimPrefix(line, "//"), " ")
			lines = append(lines, strings.TrimRight(line, " \t\r\n"))
		}
	}
	return strings.Join(lines, "\n")
}

// identify returns the SPDX identifier of a licence, of those that a program under the MIT licence
// can be released with: files under the MPL stay under it, and whoever has the program must be able
// to get them, which is what the versions of modules in the text are for. Any other is for a person to read first.
func identify(text string) (string, error) {
	text = strings.Join(strings.Fields(text), " ")
	has := func(part string) bool { return strings.Contains(text, part) }
	switch {
	case has("SIL OPEN FONT LICENSE Version 1.1"):
		return "OFL-1.1", nil
	case has("Mozilla Public License Version 2.0"):
		return "MPL-2.0", nil
	case has("Apache License Version 2.0"):
		return "Apache-2.0", nil
	case has("Permission is hereby granted, free of charge, to any person obtaining a copy"):
		return "MIT", nil
	case has("Redistribution and use in source and binary forms"):
		if has("to endorse or promote products derived from this software") {
			return "BSD-3-Clause", nil
		}
		return "BSD-2-Clause", nil
	}
	return "", errors.New("this licence is not known: read it, then add it to identify")
}

// output returns what a command prints, less space at the end.
func output(env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, args[0], err, stderr.Bytes())
	}
	return strings.TrimSpace(string(out)), nil
}
