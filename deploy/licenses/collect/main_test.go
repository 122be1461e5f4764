package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestUpToDate: the committed file is what the module cache gives, text for text.
func TestUpToDate(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all modules; that of package licenses tells whether they are others")
	}
	got, err := os.ReadFile("../LICENSES.txt")
	if err != nil {
		t.Fatal(err)
	}
	want, err := collect()
	if err != nil {
		t.Fatal(err)
	}
	if string(got) == string(want) {
		return
	}
	have, lines := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(have), len(lines)) {
		if i >= len(have) || i >= len(lines) || have[i] != lines[i] {
			t.Fatalf("line %d of LICENSES.txt is not what is linked: run go generate ./deploy/licenses",
				i+1)
		}
	}
}

const (
	mit    = "Permission is hereby granted, free of charge, to any person obtaining a copy of this"
	apache = "                Apache License\n        Version 2.0, January 2004\n"
)

// makeModule returns a module of which the packages in the root and in linked are linked.
func makeModule(t *testing.T, files map[string]string) *module {
	t.Helper()
	m := &module{path: "example.com/m", version: "v1.0.0", dir: t.TempDir(),
		folders: map[string]bool{".": true, "inner/linked": true},
		files:   map[string]bool{"a.go": true, "c.go": true, "inner/linked/b.go": true}}
	all := map[string]string{"a.go": "package a\n", "c.go": "package a\n",
		"inner/linked/b.go": "package b\n"}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		path := filepath.Join(m.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// TestAddModule: what stands above a linked package belongs to it, what stands elsewhere does not.
func TestAddModule(t *testing.T) {
	m := makeModule(t, map[string]string{
		"LICENSE":                  "Copyright (c) 2020 Someone\n" + mit,
		"NOTICE":                   "Made by someone",
		"license.go":               "package a\n",
		"inner/COPYING":            apache,
		"inner/linked/PATENTS":     "No patents",
		"elsewhere/LICENSE":        "GNU GENERAL PUBLIC LICENSE",
		"inner/linked/sub/LICENSE": "GNU GENERAL PUBLIC LICENSE",
		"a.go":                     "// Copyright 2020 Someone. All rights reserved.\n\npackage a\n",
		"inner/linked/b.go": "package b\n\n// Taken from elsewhere.\n//\n" +
			"// Copyright (c) 2011 Somebody Else, MIT\nvar _ = 1\n",
		"c.go":              "/*\nCopyright (c) 2020 Someone\n\n" + mit + "\n*/\npackage a\n",
		"inner/unlinked.go": "// Copyright 2010 Nobody\n\npackage inner\n",
	})
	var all notices
	if err := all.addModule(m); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range all.list {
		got = append(got, n.names...)
	}
	want := []string{"LICENSE", "NOTICE", "inner/COPYING", "inner/linked/PATENTS", "c.go",
		"inner/linked/b.go"}
	for i := range want {
		want[i] = "example.com/m v1.0.0: " + want[i]
	}
	if !slices.Equal(got, want) {
		t.Errorf("notices of %q, want %q", got, want)
	}
	if want := []string{"MIT", "Apache-2.0"}; !slices.Equal(all.ids, want) {
		t.Errorf("licences %q, want %q", all.ids, want)
	} else if !slices.Equal(m.ids, want) {
		t.Errorf("licences of the module %q, want %q", m.ids, want)
	}
}

// TestAddModuleRefused: a licence that nobody has read yet, and none at all, are for a person.
func TestAddModuleRefused(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"another licence":    {"LICENSE": "GNU GENERAL PUBLIC LICENSE"},
		"no licence":         {"NOTICE": "Made by someone"},
		"none in the root":   {"inner/LICENSE": mit},
		"another one within": {"LICENSE": mit, "inner/LICENSE": "Mozilla Public License"},
	} {
		t.Run(name, func(t *testing.T) {
			var all notices
			if err := all.addModule(makeModule(t, files)); err == nil {
				t.Error("it was taken")
			}
		})
	}
}

// TestTextsOnce: equal texts of two modules stand in the file once, with both names.
func TestTextsOnce(t *testing.T) {
	var all notices
	all.add("a", "text\n")
	all.add("b", "text")
	all.add("c", "another")
	if len(all.list) != 2 || !slices.Equal(all.list[0].names, []string{"a", "b"}) {
		t.Errorf("%d texts, the first of %q", len(all.list), all.list[0].names)
	}
}
