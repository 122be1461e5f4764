// Release builds a release: for each platform an archive with the programs, their manual pages and
// completions, the licences, the changes and a list of what is in them (SBOM); the board and the pages
// for sites; what the image is built from; and a file of checksums over all. It runs anywhere in a
// clean checkout:
//
//	go run ./deploy/release v1.2.3
//
// The archives lie in dist/ then. Whoever runs it again, on the same commit and with the same
// version, gets the same bytes: nothing of the machine, its user, its folders or its clock is in
// them. With --verify it shows that.
//
// It needs nothing but Go and git. GoReleaser would pack and sum in its place, but is 344 modules of
// 360 MB that are compiled first, and leaves the SBOM to one more program and the manual pages, the
// completions and the comparison to scripts.
package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/tsumero/tsumero/deploy/licenses"
)

func main() {
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

const help = `usage: go run ./deploy/release [FLAG]... VERSION

It builds the release VERSION, such as v1.2.3 or v1.2.3-rc.1, of the commit that is checked out: an
archive for each platform, its SBOM beside it, the board as a package for npm and as a zip for file
servers, the pages of the service as a zip for them, what the image is built from, and SHA256SUMS
over all. deploy/release/CHANGELOG.md must have a section "## VERSION".

Flags:
  --out FOLDER           where they go (default "dist" in the checkout)
  --only OS/ARCH,...     build for these platforms alone: %s
  --verify               build all of it a second time, in another folder and without the build
                         cache, and compare the bytes; that takes many times as long
  --uncommitted          do so even if the tree has changes; the release is that of the commit, and
                         they are not in it
  --help                 print this
`

var versionForm = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`)

// options are what the command line says.
type options struct {
	version             string
	out                 string
	platforms           []licenses.Platform
	verify, uncommitted bool
}

func parse(args []string, stdout io.Writer) (options, error) {
	o := options{platforms: licenses.Platforms}
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // what there is to say is said below
	flags.StringVar(&o.out, "out", "", "")
	only := flags.String("only", "", "")
	flags.BoolVar(&o.verify, "verify", false, "")
	flags.BoolVar(&o.uncommitted, "uncommitted", false, "")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		var names []string
		for _, p := range licenses.Platforms {
			names = append(names, p.OS+"/"+p.Arch)
		}
		fmt.Fprintf(stdout, help, strings.Join(names, ", "))
		return o, err
	case err != nil:
		return o, fmt.Errorf("%w; --help says how to use it", err)
	case flags.NArg() != 1 || !versionForm.MatchString(flags.Arg(0)):
		return o, fmt.Errorf("found the arguments %q, expected one version such as v1.2.3", flags.Args())
	}
	o.version = flags.Arg(0)
	if *only == "" {
		return o, nil
	}
	o.platforms = nil
	for _, name := range strings.Split(*only, ",") {
		system, arch, _ := strings.Cut(name, "/")
		platform := licenses.Platform{OS: system, Arch: arch}
		if !slices.Contains(licenses.Platforms, platform) {
			return o, fmt.Errorf("--only: there is no release for %q", name)
		}
		o.platforms = append(o.platforms, platform)
	}
	return o, nil
}

// run is the whole program.
func run(args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stdout)
	if err != nil {
		return err
	}
	checkout, err := output("", nil, "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	changes, err := output(checkout, nil, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changes != "" && !o.uncommitted {
		return fmt.Errorf("a release is built from a commit, and this tree has changes "+
			"(--uncommitted leaves them out):\n%s", changes)
	}
	if o.out == "" {
		o.out = filepath.Join(checkout, "dist")
	}
	scratch, err := os.MkdirTemp("", "tsumero-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	started := time.Now()
	progress := func(format string, values ...any) {
		passed := time.Since(started).Round(time.Second)
		fmt.Fprintf(stderr, "%5v  %s\n", passed, fmt.Sprintf(format, values...))
	}

	commit, err := output(checkout, nil, "git", "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	s, err := clone(checkout, commit, filepath.Join(scratch, "first"))
	if err != nil {
		return err
	}
	s.version = o.version
	progress("%s of commit %s, %s, by %s", s.version, s.commit, s.date(), s.toolchain)
	if err := s.check(); err != nil {
		return err
	}
	artifacts, err := s.build(o.platforms, progress)
	if err != nil {
		return err
	}
	if o.verify {
		progress("once more, to compare")
		other, err := clone(checkout, commit, filepath.Join(scratch, "for-the-second-time"))
		if err != nil {
			return err
		}
		other.version, other.cache = o.version, filepath.Join(scratch, "cache")
		again, err := other.build(o.platforms, progress)
		if err != nil {
			return err
		}
		if err := same(artifacts, again); err != nil {
			return err
		}
		progress("the second time gave the same bytes: %d files", len(again))
	}
	return write(o.out, artifacts, stdout)
}

// An artifact is a file of a release.
type artifact struct {
	name string
	data []byte
}

// same returns what differs between two builds.
func same(a, b []artifact) error {
	if len(a) != len(b) {
		return fmt.Errorf("the second time gave %d files instead of %d", len(b), len(a))
	}
	for i := range a {
		if a[i].name != b[i].name || !bytes.Equal(a[i].data, b[i].data) {
			return fmt.Errorf("not reproducible: %s, SHA-256 %x, was %s, %x, the second time",
				a[i].name, sha256.Sum256(a[i].data), b[i].name, sha256.Sum256(b[i].data))
		}
	}
	return nil
}

// write writes the artifacts and their checksums.
func write(folder string, artifacts []artifact, stdout io.Writer) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, a := range artifacts {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(a.data), a.name)
	}
	for _, a := range append(artifacts, artifact{"SHA256SUMS", sums.Bytes()}) {
		path := filepath.Join(folder, a.name)
		if err := os.WriteFile(path, a.data, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%10d  %s\n", len(a.data), path)
	}
	return nil
}

// A source is what a release is built from: a folder with the files of a commit and nothing else.
type source struct {
	dir       string
	bin       string // for the programs, a folder for each platform
	version   string
	commit    string
	time      time.Time // of the commit: all files in an archive have it
	toolchain string    // the Go version that go.mod names, as GOTOOLCHAIN wants it
	cache     string    // for what is compiled; the user's if empty
	flags     string    // of the go command; none for a release
	quality   string    // of the compression of programs for browsers; the best for a release, if empty
}

func (s *source) date() string { return s.time.UTC().Format(time.RFC3339) }

// clone copies a commit into a new folder, so that what is not in it, ignored or forgotten, cannot
// get into the release.
func clone(checkout, commit, dir string) (*source, error) {
	if _, err := output("", nil, "git", "clone", "--quiet", "--no-checkout", "--no-tags", checkout, dir); err != nil {
		return nil, err
	}
	// The same line ends and permissions on every machine.
	if _, err := output(dir, nil, "git", "-c", "core.autocrlf=false", "-c", "core.eol=lf", "-c", "advice.detachedHead=false",
		"checkout", "--quiet", commit); err != nil {
		return nil, err
	}
	return open(dir, dir+".bin", commit)
}

// open returns the source in a folder, with the date of a commit.
func open(dir, bin, commit string) (*source, error) {
	goVersion, err := output(dir, nil, "go", "list", "-m", "-f", "{{.GoVersion}}")
	if err != nil {
		return nil, err
	}
	date, err := output(dir, nil, "git", "log", "-1", "--format=%cI", commit)
	if err != nil {
		return nil, err
	}
	at, err := time.Parse(time.RFC3339, date)
	if err != nil {
		return nil, err
	}
	return &source{dir: dir, bin: bin, commit: commit, time: at.UTC(), toolchain: "go" + goVersion}, nil
}

// check refuses what would not be the release that it says it is.
func (s *source) check() error {
	// The archives are packed by the Go that runs this, and another one may compress otherwise.
	if runtime.Version() != s.toolchain {
		return fmt.Errorf("this runs with %s: run GOTOOLCHAIN=%s go run ./deploy/release %s",
			runtime.Version(), s.toolchain, s.version)
	}
	const path = "deploy/release/CHANGELOG.md"
	changes, err := os.ReadFile(filepath.Join(s.dir, path))
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(changes)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "##" && words[1] == s.version {
			return nil
		}
	}
	return fmt.Errorf("%s has no section \"## %s\"", path, s.version)
}

// build builds all artifacts.
func (s *source) build(platforms []licenses.Platform, progress func(string, ...any)) ([]artifact, error) {
	var all []artifact
	done := func(made []artifact, err error) error {
		all = append(all, made...)
		for _, a := range made {
			progress("%10d  %s", len(a.data), a.name)
		}
		return err
	}
	// First: here are the files of the commit alone.
	if err := done(s.context()); err != nil {
		return nil, err
	}
	common, err := s.texts()
	if err != nil {
		return nil, err
	}
	for _, on := range platforms {
		if err := done(s.archive(on, common)); err != nil {
			return nil, err
		}
	}
	return all, done(s.forPages())
}

// context returns what the image is built from: the files of the commit, the Dockerfile among them,
// which here knows what it is told as arguments elsewhere.
//
//	docker build -t tsumero - <tsumero_v1.2.3_image.tar.gz
func (s *source) context() ([]artifact, error) {
	files, err := readFolder(s.dir, "", 0)
	if err != nil {
		return nil, err
	}
	known := " VERSION=" + s.version + " REVISION=" + s.commit
	set := strings.NewReplacer(" VERSION REVISION DATE\n", known+" DATE="+s.date()+"\n",
		" VERSION=dev REVISION=unknown\n", known+"\n")
	for i, f := range files {
		if f.name == "Dockerfile" {
			files[i].data = []byte(set.Replace(string(f.data)))
		}
	}
	packed, err := packTar("", files, s.time)
	return []artifact{{"tsumero_" + s.version + "_image.tar.gz", packed}}, err
}

// forPages returns what others put on their sites: the board, for npm and for file servers, and the
// pages of the service for file servers.
func (s *source) forPages() ([]artifact, error) {
	program, err := s.program("tsumero-server")
	if err != nil {
		return nil, err
	}
	at := func(name string) string { return filepath.Join(s.bin, "pages", name) }
	for _, args := range [][]string{
		{"./web/engine/build", "-plain", "-o", at("engine"), "-ldflags", s.ldflags()},
		{"./web/board/bundle", "-board", "web/board", "-engine", at("engine"), "-npm", at("npm"),
			"-version", strings.TrimPrefix(s.version, "v"), "-zip", at("board.zip")},
	} {
		if err := s.run(args...); err != nil {
			return nil, err
		}
	}
	if _, err := output("", nil, program, "export", at("site")); err != nil {
		return nil, err
	}
	board, boardErr := os.ReadFile(at("board.zip"))
	npm, npmErr := s.packed(packTar, "package", at("npm"))
	site, siteErr := s.packed(packZip, "tsumero", at("site"))
	name := "tsumero_" + s.version
	return []artifact{{name + "_npm.tgz", npm}, {name + "_board.zip", board}, {name + "_site.zip", site}},
		errors.Join(boardErr, npmErr, siteErr)
}

// packed returns an archive of the files in a folder.
func (s *source) packed(pack func(string, []file, time.Time) ([]byte, error),
	name, folder string) ([]byte, error) {
	files, err := readFolder(folder, "", 0o644)
	if err != nil {
		return nil, err
	}
	return pack(name, files, s.time)
}

// archive builds the programs for a platform and returns their archive and its SBOM.
func (s *source) archive(on licenses.Platform, common []file) ([]artifact, error) {
	bin, err := s.compile(on)
	if err != nil {
		return nil, err
	}
	programs, err := readFolder(bin, "", 0o755)
	if err != nil {
		return nil, err
	}
	sbom, err := s.sbom(programs)
	if err != nil {
		return nil, err
	}
	files := slices.Concat(programs, common, []file{{"sbom.cdx.json", sbom, 0o644}})
	name := fmt.Sprintf("tsumero_%s_%s_%s", s.version, on.OS, on.Arch)
	pack, ext := packTar, ".tar.gz"
	if on.OS == "windows" {
		pack, ext = packZip, ".zip"
	}
	packed, err := pack(name, files, s.time)
	return []artifact{{name + ext, packed}, {name + ".cdx.json", sbom}}, err
}

// compile builds the programs for a platform, once, and returns their folder.
func (s *source) compile(on licenses.Platform) (string, error) {
	bin := filepath.Join(s.bin, on.OS+"_"+on.Arch)
	if _, err := os.Stat(bin); err == nil {
		return bin, nil
	}
	if built, _ := filepath.Glob(filepath.Join(s.dir, "web/engine/dist/*.br")); len(built) == 0 {
		args := []string{"./web/engine/build", "-ldflags", s.ldflags()}
		if s.quality != "" {
			args = append(args, "-quality", s.quality)
		}
		if err := s.run(args...); err != nil {
			return "", err
		}
	}
	args := append([]string{"build", "-trimpath", "-mod=readonly", "-buildvcs=false",
		"-ldflags=-s -w" + s.ldflags(), "-o", bin + string(filepath.Separator)}, licenses.Commands...)
	env, err := s.env(on)
	if err == nil {
		_, err = output(s.dir, env, "go", args...)
	}
	return bin, err
}

// ldflags give the version, the commit and its date, since what the go command would record of them
// depends on the tags that a clone has.
func (s *source) ldflags() string {
	const version = " -X github.com/tsumero/tsumero/cmd/internal/version."
	return version + "release=" + s.version + version + "revision=" + s.commit + version + "date=" + s.date()
}

// env is what the go command builds for a platform with. What could differ from one machine to the
// next is said here.
func (s *source) env(on licenses.Platform) ([]string, error) {
	env := []string{"CGO_ENABLED=0", "GOOS=" + on.OS, "GOARCH=" + on.Arch,
		"GOTOOLCHAIN=" + s.toolchain, "GOFLAGS=" + s.flags, "GOEXPERIMENT=", "GODEBUG=", "GOFIPS140=off",
		"GOAMD64=v1", "GOARM64=v8.0", "GOWORK=off", "GOENV=off"}
	// Where modules come from and what is compiled goes is not in the programs.
	kept := []string{"GOPROXY", "GOSUMDB", "GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GOMODCACHE", "GOCACHE"}
	values, err := output(s.dir, nil, "go", append([]string{"env"}, kept...)...)
	if err != nil {
		return nil, err
	}
	for i, value := range strings.Split(values, "\n") {
		env = append(env, kept[i]+"="+strings.TrimRight(value, "\r"))
	}
	if s.cache != "" {
		env = append(env, "GOCACHE="+s.cache)
	}
	return env, nil
}

// run runs a program of the commit, such as that which makes those for browsers. With -trimpath it is
// compiled once, whatever the folder.
func (s *source) run(args ...string) error {
	env, err := s.env(licenses.Platform{OS: runtime.GOOS, Arch: runtime.GOARCH})
	if err == nil {
		env = append(env, "GOFLAGS="+strings.TrimSpace(s.flags+" -buildvcs=false -trimpath"))
		_, err = output(s.dir, env, "go", append([]string{"run"}, args...)...)
	}
	return err
}

// texts returns what is the same in all archives: the texts of the repository, and the manual pages
// and completions as the programs of this machine write them.
func (s *source) texts() ([]file, error) {
	var files []file
	for _, path := range []string{"LICENSE", "README.md", "deploy/licenses/LICENSES.txt",
		"deploy/release/CHANGELOG.md"} {
		data, err := os.ReadFile(filepath.Join(s.dir, path))
		if err != nil {
			return nil, err
		}
		files = append(files, file{filepath.Base(path), data, 0o644})
	}
	program, err := s.program("tsumero")
	if err != nil {
		return nil, err
	}
	for _, to := range [][2]string{{"en", "man/man1/"}, {"ja", "man/ja/man1/"}} {
		language, folder := to[0], to[1]
		man := filepath.Join(s.bin, language, "man1")
		// Those of all programs.
		if _, err := output("", nil, program, "docs", "man", "--lang", language, man); err != nil {
			return nil, err
		}
		pages, err := readFolder(man, folder, 0o644)
		if err != nil {
			return nil, err
		}
		files = append(files, pages...)
	}
	for _, name := range []string{"tsumero", "tsumero-server"} {
		program, err := s.program(name)
		if err != nil {
			return nil, err
		}
		for _, shell := range []struct{ name, file string }{
			{"bash", name + ".bash"}, {"zsh", "_" + name}, {"fish", name + ".fish"}, {"powershell", name + ".ps1"},
		} {
			script, err := output("", nil, program, "completion", shell.name, "--lang", "en")
			if err != nil {
				return nil, err
			}
			files = append(files, file{"completions/" + shell.file, []byte(script + "\n"), 0o644})
		}
	}
	return files, nil
}

// program returns the path of a program for this machine.
func (s *source) program(name string) (string, error) {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	bin, err := s.compile(licenses.Platform{OS: runtime.GOOS, Arch: runtime.GOARCH})
	return filepath.Join(bin, name), err
}

// readFolder returns the files in a folder and those below, but for .git, with a prefix before their
// names. Without a mode they have the usual one for what may be run, or not.
func readFolder(folder, prefix string, mode os.FileMode) ([]file, error) {
	var files []file
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && e.Name() == ".git":
			return filepath.SkipDir
		case e.IsDir():
			return nil
		}
		f := file{mode: mode}
		if mode == 0 {
			info, err := e.Info()
			if err != nil {
				return err
			}
			f.mode = 0o644 | info.Mode()&0o111
		}
		name, err := filepath.Rel(folder, path)
		if err == nil {
			f.name = prefix + filepath.ToSlash(name)
			f.data, err = os.ReadFile(path)
		}
		files = append(files, f)
		return err
	})
	return files, err
}

// output returns what a command prints, less space at the end.
func output(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, args[0], err, stderr.Bytes())
	}
	return strings.TrimSpace(string(out)), nil
}
