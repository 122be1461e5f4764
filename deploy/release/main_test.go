package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/deploy/licenses"
)

var archive = flag.Bool("archive", false, "build an archive and use it, which takes minutes")

// TestArchive builds the archive for this machine and looks into it: what it holds, that its programs
// say what they are, and that every module that the linker recorded in them has its licence in there
// and is in the SBOM. Built again in another folder it is the same.
func TestArchive(t *testing.T) {
	if !*archive {
		t.Skip("it builds the programs twice: go test ./deploy/release -archive")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	host := licenses.Platform{OS: runtime.GOOS, Arch: runtime.GOARCH}
	build := func(dir string) *source {
		s, err := open(root, t.TempDir(), "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		s.dir, s.version, s.commit = dir, "v1.2.3-test", "0123456789abcdef"
		// For each program that has a profile everything is compiled once more, and is only faster. To compress
		// the programs for browsers well takes two minutes of processor time.
		s.flags, s.quality = "-pgo=off", "1"
		copyTree(t, root, dir)
		return s
	}
	checkout := filepath.Join(t.TempDir(), "checkout")
	s := build(checkout)
	made, err := s.build([]licenses.Platform{host}, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	folder := "tsumero_v1.2.3-test_" + host.OS + "_" + host.Arch
	all := map[string][]byte{}
	archiveName := folder + ".tar.gz"
	if host.OS == "windows" {
		archiveName = folder + ".zip"
	}
	release := "tsumero_v1.2.3-test_"
	for _, a := range made {
		all[a.name] = a.data
	}
	artifacts := []string{release + "board.zip", release + "image.tar.gz", folder + ".cdx.json", archiveName,
		release + "npm.tgz", release + "site.zip"}
	if got := slices.Sorted(maps.Keys(all)); !slices.Equal(got, slices.Sorted(slices.Values(artifacts))) {
		t.Fatalf("the artifacts are %q", got)
	}
	checkForPages(t, all, release, s)
	unpacked := unpack(t, archiveName, all[archiveName], s.time)
	files := map[string]file{}
	var names []string
	for _, f := range unpacked {
		name, ok := strings.CutPrefix(f.name, folder+"/")
		if !ok {
			t.Errorf("%s is not in the folder %s", f.name, folder)
		}
		name = strings.TrimSuffix(name, ".exe")
		files[name] = f
		if strings.HasPrefix(name, "man/man1/tsumero-") || strings.HasPrefix(name, "man/ja/man1/tsumero-") {
			continue // one for each command
		}
		names = append(names, name)
	}
	want := []string{"CHANGELOG.md", "LICENSE", "LICENSES.txt", "README.md",
		"completions/_tsumero", "completions/_tsumero-server", "completions/tsumero-server.bash",
		"completions/tsumero-server.fish", "completions/tsumero-server.ps1", "completions/tsumero.bash",
		"completions/tsumero.fish", "completions/tsumero.ps1", "man/ja/man1/tsumero.1", "man/man1/tsumero.1", "sbom.cdx.json",
		"tsumero", "tsumero-check", "tsumero-server", "tsumero-usi"}
	if !slices.Equal(names, want) {
		t.Fatalf("it holds %q, want %q", names, want)
	}
	for name, part := range map[string]string{
		"completions/_tsumero":             "#compdef tsumero\n",
		"man/man1/tsumero-solve.1":         `"Tsumero 1.2.3-test"`,
		"man/man1/tsumero-server-worker.1": "work on the jobs",
		"man/man1/tsumero-usi.1":           "USI engine",
		"man/man1/tsumero-check.1":         "certificate",
		"man/ja/man1/tsumero-check.1":      "証明書の検証",
		"man/ja/man1/tsumero-solve.1":      "詰むかどうかの判定",
		"man/man1/tsumero-version.1":       s.time.Format(`"2006-01-02"`),
	} {
		if !strings.Contains(string(files[name].data), part) {
			t.Errorf("%s does not have %q:\n%.300s", name, part, files[name].data)
		}
	}
	if !bytes.Equal(files["sbom.cdx.json"].data, all[folder+".cdx.json"]) {
		t.Error("the SBOM in the archive is not the one beside it")
	}

	notices := string(files["LICENSES.txt"].data)
	needs := readSBOM(t, all[folder+".cdx.json"])
	const standard = "\nThe Go runtime and standard library: LICENSE\n"
	if !strings.Contains(notices, standard) || !strings.Contains(notices, "SIL OPEN FONT LICENSE") {
		t.Error("LICENSES.txt lacks the licence of Go or that of the outlines")
	}
	for _, name := range []string{"tsumero", "tsumero-check", "tsumero-server", "tsumero-usi"} {
		f := files[name]
		info, err := buildinfo.Read(bytes.NewReader(f.data))
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		if alone := name == "tsumero-check"; (len(info.Deps) == 0) != alone {
			t.Errorf("%s names %d modules", f.name, len(info.Deps))
		}
		linked := []string{"pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")}
		for _, m := range info.Deps {
			if !strings.Contains(notices, "\n"+m.Path+" "+m.Version+": LICENSE") {
				t.Errorf("%s links %s %s, whose licence is not there", f.name, m.Path, m.Version)
			}
			linked = append(linked, "pkg:golang/"+m.Path+"@"+m.Version)
		}
		if name == "tsumero" || name == "tsumero-server" {
			linked = append(linked, "noto-serif-cjk-jp")
		}
		if listed := needs[path.Base(f.name)]; !slices.Equal(listed, linked) {
			t.Errorf("the SBOM says of %s that it needs\n%q\nwant\n%q", f.name, listed, linked)
		}
		if bytes.Contains(f.data, []byte(checkout)) {
			t.Errorf("%s has the folder it was built in", f.name)
		}
	}
	useArchive(t, unpacked, notices, s)

	other := build(filepath.Join(t.TempDir(), "another", "folder"))
	again, err := other.build([]licenses.Platform{host}, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	if err := same(made, again); err != nil {
		t.Error(err)
	}
}

// checkForPages looks into what others put on their sites, and into what the image is made of: each
// says which version it is.
func checkForPages(t *testing.T, all map[string][]byte, release string, s *source) {
	t.Helper()
	has := func(artifact, name string, parts ...string) {
		t.Helper()
		at, names := s.time, []string(nil)
		if artifact == "board.zip" {
			at = time.Time{}
		}
		for _, f := range unpack(t, artifact, all[release+artifact], at) {
			if names = append(names, f.name); !regexp.MustCompile("^" + name + "$").MatchString(f.name) {
				continue
			}
			data := f.data
			if strings.HasSuffix(f.name, ".gzip") {
				z, err := gzip.NewReader(bytes.NewReader(data))
				if err != nil {
					t.Fatal(err)
				}
				if data, err = io.ReadAll(z); err != nil {
					t.Fatal(err)
				}
			}
			for _, part := range parts {
				if !bytes.Contains(data, []byte(part)) {
					t.Errorf("%s in %s does not have %q", f.name, artifact, part)
				}
			}
			return
		}
		t.Errorf("%s has no %s, but %q", artifact, name, names)
	}
	has("npm.tgz", "package/package.json", `"version": "1.2.3-test"`)
	has("npm.tgz", "package/index.js")
	for _, program := range []string{"board", "full"} {
		has("npm.tgz", "package/engine/"+program+`-\w+\.wasm`, s.version, s.commit, s.date())
		has("board.zip", "tsumero/engine/"+program+`-\w+\.wasm`, s.version, s.commit, s.date())
		has("site.zip", "tsumero/engine/"+program+`-\w+\.gzip`, s.version, s.commit, s.date())
	}
	has("site.zip", "tsumero/index.html", "<tsume-board", "<html data-root=")
	has("image.tar.gz", "Dockerfile", " VERSION="+s.version+" REVISION="+s.commit+" DATE="+s.date()+"\n",
		" VERSION="+s.version+" REVISION="+s.commit+"\nLABEL")
	has("image.tar.gz", "web/board/dist/embed.js")
}

// readSBOM returns what each component needs, by their names there. Each must be described, once.
func readSBOM(t *testing.T, data []byte) map[string][]string {
	t.Helper()
	var bom struct {
		BOMFormat, SpecVersion string
		Metadata               struct{ Component struct{ Version string } }
		Components             []struct {
			Ref      string `json:"bom-ref"`
			Licenses []struct {
				Expression string
				License    struct{ ID string }
			}
		}
		Dependencies []struct {
			Ref       string
			DependsOn []string
		}
	}
	if err := json.Unmarshal(data, &bom); err != nil {
		t.Fatal(err)
	}
	if bom.BOMFormat != "CycloneDX" || bom.SpecVersion != "1.6" || bom.Metadata.Component.Version != "v1.2.3-test" {
		t.Errorf("the SBOM is %s %s of %+v", bom.BOMFormat, bom.SpecVersion, bom.Metadata)
	}
	described := map[string]int{}
	for _, c := range bom.Components {
		described[c.Ref]++
		if len(c.Licenses) != 1 || c.Licenses[0].Expression+c.Licenses[0].License.ID == "" {
			t.Errorf("the SBOM says of the licence of %s %+v", c.Ref, c.Licenses)
		}
	}
	needs := map[string][]string{}
	for _, d := range bom.Dependencies {
		needs[d.Ref] = d.DependsOn
		for _, on := range d.DependsOn {
			if described[on] != 1 {
				t.Errorf("the SBOM describes %s %d times", on, described[on])
			}
		}
	}
	return needs
}

// copyTree copies the files of the checkout, those that are new included, without .git.
func copyTree(t *testing.T, root, to string) {
	t.Helper()
	list, err := output(root, nil, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(root, name))
		if errors.Is(err, os.ErrNotExist) {
			continue // removed, but not committed
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(to, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPack: an archive holds what it was given, programs may be run, and nothing else is in it that
// could differ from one machine to the next.
func TestPack(t *testing.T) {
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	files := []file{{"tsumero", []byte("program"), 0o755}, {"man/tsumero.1", []byte("page"), 0o644},
		{"README.md", []byte("text"), 0o644}}
	want := []file{{"f/README.md", files[2].data, 0o644}, {"f/man/tsumero.1", files[1].data, 0o644},
		{"f/tsumero", files[0].data, 0o755}}
	for name, pack := range map[string]func(string, []file, time.Time) ([]byte, error){
		"f.tar.gz": packTar, "f.zip": packZip,
	} {
		t.Run(name, func(t *testing.T) {
			first, err := pack("f", files, noon)
			if err != nil {
				t.Fatal(err)
			}
			second, err := pack("f", files, noon)
			if err != nil || !bytes.Equal(first, second) {
				t.Errorf("packed twice it differs: %v", err)
			}
			if got := unpack(t, name, first, noon); !reflect.DeepEqual(got, want) {
				t.Errorf("it holds %+v, want %+v", got, want)
			}
		})
	}
}

// unpack returns what an archive holds. Each file must have the time, if it is to have one, and belong to
// nobody.
func unpack(t *testing.T, name string, data []byte, want time.Time) (files []file) {
	t.Helper()
	read := func(r io.Reader, name string, mode os.FileMode, at time.Time) {
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		files = append(files, file{name, data, mode})
		if want.IsZero() {
			return
		}
		if mode != 0o644 && mode != 0o755 {
			t.Errorf("%s has the mode %o", name, mode)
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

// TestArguments: what is built is said, or nothing is.
func TestArguments(t *testing.T) {
	for _, args := range [][]string{
		nil, {"1.2.3"}, {"v1.2"}, {"v1.2.3", "more"}, {"v1.2.3 -X a=b"},
	} {
		if _, err := parse(args, io.Discard); err == nil || !strings.Contains(err.Error(), "v1.2.3") {
			t.Errorf("%q: %v", args, err)
		}
	}
	for _, args := range [][]string{{"--only", "plan9/amd64", "v1.2.3"}, {"--frobnicate", "v1.2.3"}} {
		if _, err := parse(args, io.Discard); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
	o, err := parse([]string{"--verify", "--only", "windows/arm64,linux/amd64", "--out", "x", "v1.2.3-rc.1"}, io.Discard)
	want := options{"v1.2.3-rc.1", "x", []licenses.Platform{{OS: "windows", Arch: "arm64"},
		{OS: "linux", Arch: "amd64"}}, true, false}
	if err != nil || !reflect.DeepEqual(o, want) {
		t.Errorf("%+v, %v, want %+v", o, err, want)
	}
	var help strings.Builder
	if _, err := parse([]string{"--help"}, &help); !errors.Is(err, flag.ErrHelp) ||
		!strings.Contains(help.String(), "darwin/arm64") {
		t.Errorf("%v: %s", err, &help)
	}
}

// TestCheck: a release has its section in the list of changes.
func TestCheck(t *testing.T) {
	s := source{dir: "../..", toolchain: runtime.Version(), version: "v0.1.0"}
	if err := s.check(); err != nil {
		t.Error(err)
	}
	s.version = "v0.1"
	if err := s.check(); err == nil || !strings.Contains(err.Error(), "CHANGELOG.md") {
		t.Errorf("a version without a section: %v", err)
	}
	s.toolchain = "go1.2.3"
	if err := s.check(); err == nil || !strings.Contains(err.Error(), "GOTOOLCHAIN=go1.2.3") {
		t.Errorf("another Go: %v", err)
	}
}

// TestSame: a difference is named.
func TestSame(t *testing.T) {
	a := []artifact{{"a", []byte("1")}, {"b", []byte("2")}}
	for _, other := range [][]artifact{a[:1], {a[0], {"b", []byte("3")}}, {a[0], {"c", []byte("2")}}} {
		if same(a, other) == nil {
			t.Errorf("%q is %q", a, other)
		}
	}
	if err := same(a, slices.Clone(a)); err != nil {
		t.Error(err)
	}
	folder := t.TempDir()
	if err := write(folder, a, io.Discard); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(folder, "SHA256SUMS"))
	const want = "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b  a\n" + // printf 1 | sha256sum
		"d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35  b\n"
	if string(sums) != want {
		t.Errorf("%s, %v, want %s", sums, err, want)
	}
}
