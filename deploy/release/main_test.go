package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/deploy/licenses"
)

// TestArchive builds the archive for this machine and looks into it. Every module that the linker
// recorded in the programs must have its licence in there.
func TestArchive(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds both programs")
	}
	s, err := openSource()
	if err != nil {
		t.Fatal(err)
	}
	host := licenses.Platform{OS: runtime.GOOS, Arch: runtime.GOARCH}
	name, data, err := s.archive("v1.2.3-test", host)
	if err != nil {
		t.Fatal(err)
	}
	folder := "tsumero_v1.2.3-test_" + host.OS + "_" + host.Arch
	if !strings.HasPrefix(name, folder+".") {
		t.Errorf("the archive is %s", name)
	}
	files := unpack(t, name, data, s.time)
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.name, ".exe"))
	}
	want := []string{"tsumero", "tsumero-check", "tsumero-usi", "LICENSE", "LICENSES.txt", "README.md"}
	for i := range want {
		want[i] = folder + "/" + want[i]
	}
	if !slices.Equal(names, want) {
		t.Fatalf("it holds %q, want %q", names, want)
	}

	notices := string(files[4].data)
	for _, f := range files[:3] {
		info, err := buildinfo.Read(bytes.NewReader(f.data))
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		if alone := strings.Contains(f.name, "tsumero-check"); (len(info.Deps) == 0) != alone {
			t.Errorf("%s names %d modules", f.name, len(info.Deps))
		}
		for _, m := range info.Deps {
			if !strings.Contains(notices, "\n"+m.Path+" "+m.Version+": LICENSE") {
				t.Errorf("%s links %s %s, whose licence is not there", f.name, m.Path, m.Version)
			}
		}
		if bytes.Contains(f.data, []byte(s.root)) {
			t.Errorf("%s has the folder it was built in", f.name)
		}
	}

	program := filepath.Join(t.TempDir(), "tsumero.exe")
	if err := os.WriteFile(program, files[0].data, 0o755); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{"version": "tsumero v1.2.3-test\n", "licenses": notices} {
		out, err := exec.Command(program, args).Output()
		if err != nil || !strings.HasPrefix(string(out), want) {
			t.Errorf("tsumero %s: %v\n%.200s", args, err, out)
		}
	}
}

// TestPack: an archive holds what it was given, programs may be run, and nothing else is in it that
// could differ from one machine to the next.
func TestPack(t *testing.T) {
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	files := []file{{name: "f/tsumero", data: []byte("program"), program: true},
		{name: "f/README.md", data: []byte("text")}}
	for name, pack := range map[string]func([]file, time.Time) ([]byte, error){
		"f.tar.gz": packTar, "f.zip": packZip,
	} {
		t.Run(name, func(t *testing.T) {
			first, err := pack(files, noon)
			if err != nil {
				t.Fatal(err)
			}
			second, err := pack(files, noon)
			if err != nil || !bytes.Equal(first, second) {
				t.Errorf("packed twice it differs: %v", err)
			}
			got := unpack(t, name, first, noon)
			for i, f := range got {
				if f.name != files[i].name || !bytes.Equal(f.data, files[i].data) ||
					f.program != files[i].program {
					t.Errorf("file %d is %+v, want %+v", i, f, files[i])
				}
			}
			if len(got) != len(files) {
				t.Errorf("it holds %d files, want %d", len(got), len(files))
			}
		})
	}
}

// unpack returns what an archive holds. Each file must have the time and belong to nobody.
func unpack(t *testing.T, name string, data []byte, want time.Time) (files []file) {
	t.Helper()
	read := func(r io.Reader, name string, mode os.FileMode, at time.Time) {
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		files = append(files, file{name: name, data: data, program: mode&0o111 != 0})
		if mode.Perm() != files[len(files)-1].mode() {
			t.Errorf("%s has the mode %o", name, mode.Perm())
		}
		if !at.Equal(want) {
			t.Errorf("%s is of %s, want %s", name, at, want)
		}
	}
	if path.Ext(name) == ".zip" {
		archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			read(r, f.Name, f.Mode(), f.Modified)
		}
		return files
	}
	compressed, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if !compressed.ModTime.IsZero() || compressed.Name != "" {
		t.Errorf("the gzip header says %s %q", compressed.ModTime, compressed.Name)
	}
	for archive := tar.NewReader(compressed); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "" || h.Gname != "" {
			t.Errorf("%s belongs to %d:%d %q:%q", h.Name, h.Uid, h.Gid, h.Uname, h.Gname)
		}
		read(archive, h.Name, h.FileInfo().Mode(), h.ModTime)
	}
}

// TestArguments: without a version there is no release.
func TestArguments(t *testing.T) {
	for _, args := range [][]string{
		nil, {"1.2.3"}, {"v1.2"}, {"v1.2.3", "more"}, {"v1.2.3 -X a=b"}, {"--help"},
	} {
		if err := run(args, io.Discard); err == nil || !strings.Contains(err.Error(), "v1.2.3") {
			t.Errorf("%q: %v", args, err)
		}
	}
}
