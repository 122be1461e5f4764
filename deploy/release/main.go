// Release builds the archives of a release: for each platform the programs, the README and the
// licences, and a file of checksums over all. It runs anywhere in a clean checkout:
//
//	go run ./deploy/release v1.2.3
//
// The archives lie in dist/ then. Whoever runs it again, on the same commit and with the same
// version, gets the same bytes: nothing of the machine, its user or its clock is in them.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tsumero/tsumero/deploy/licenses"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

var versionForm = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`)

// run is the whole program.
func run(args []string, stdout io.Writer) error {
	if len(args) != 1 || !versionForm.MatchString(args[0]) {
		return fmt.Errorf("found the arguments %q, expected one version such as v1.2.3", args)
	}
	s, err := openSource()
	if err != nil {
		return err
	}
	changes, err := output(s.root, nil, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changes != "" {
		return fmt.Errorf("a release is built from a commit, and this tree has changes:\n%s", changes)
	}
	dist := filepath.Join(s.root, "dist")
	if err := os.MkdirAll(dist, 0o755); err != nil {
		return err
	}
	var sums strings.Builder
	for _, platform := range licenses.Platforms {
		name, data, err := s.archive(args[0], platform)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dist, name), data, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name)
		fmt.Fprintln(stdout, filepath.Join(dist, name))
	}
	return os.WriteFile(filepath.Join(dist, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// A source is the checkout that a release is built from.
type source struct {
	root      string
	toolchain string    // the Go version that go.mod names, as GOTOOLCHAIN wants it
	time      time.Time // of the commit: all files in an archive have it
}

func openSource() (source, error) {
	root, err := output("", nil, "go", "list", "-m", "-f", "{{.Dir}}\n{{.GoVersion}}")
	if err != nil {
		return source{}, err
	}
	root, version, _ := strings.Cut(root, "\n")
	commit, err := output(root, nil, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return source{}, err
	}
	seconds, err := strconv.ParseInt(commit, 10, 64)
	if err != nil {
		return source{}, err
	}
	return source{root: root, toolchain: "go" + version, time: time.Unix(seconds, 0).UTC()}, nil
}

// A file is one in an archive.
type file struct {
	name    string // with the folder that every archive has
	data    []byte
	program bool
}

// archive builds the programs for a platform and returns the name of their archive and the archive:
// a zip for Windows, a compressed tar elsewhere.
func (s source) archive(version string, on licenses.Platform) (string, []byte, error) {
	folder := fmt.Sprintf("tsumero_%s_%s_%s", version, on.OS, on.Arch)
	files, err := s.programs(folder, version, on)
	if err != nil {
		return "", nil, err
	}
	for _, text := range []string{"LICENSE", "deploy/licenses/LICENSES.txt", "README.md"} {
		data, err := os.ReadFile(filepath.Join(s.root, text))
		if err != nil {
			return "", nil, err
		}
		files = append(files, file{name: path.Join(folder, path.Base(text)), data: data})
	}
	if on.OS == "windows" {
		data, err := packZip(files, s.time)
		return folder + ".zip", data, err
	}
	data, err := packTar(files, s.time)
	return folder + ".tar.gz", data, err
}

// programs builds the programs for a platform.
func (s source) programs(folder, version string, on licenses.Platform) ([]file, error) {
	bin, err := os.MkdirTemp("", "tsumero-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(bin)
	// What could differ from one machine to the next is said here. The commit is in the programs
	// by itself, as the go command records it.
	env := []string{"CGO_ENABLED=0", "GOOS=" + on.OS, "GOARCH=" + on.Arch,
		"GOTOOLCHAIN=" + s.toolchain, "GOFLAGS=", "GOEXPERIMENT=",
		"GOAMD64=v1", "GOARM64=v8.0", "GOWORK=off"}
	args := append([]string{"build", "-trimpath", "-mod=readonly",
		"-ldflags=-s -w -X main.version=" + version, "-o", bin + string(filepath.Separator)},
		licenses.Commands...)
	if _, err := output(s.root, env, "go", args...); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(bin)
	if err != nil {
		return nil, err
	}
	var files []file
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(bin, e.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: path.Join(folder, e.Name()), data: data, program: true})
	}
	return files, nil
}

// mode returns the permissions of a file, whatever the umask of who builds it.
func (f file) mode() os.FileMode {
	if f.program {
		return 0o755
	}
	return 0o644
}

func packTar(files []file, at time.Time) ([]byte, error) {
	var packed bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	archive := tar.NewWriter(compressed)
	for _, f := range files {
		h := tar.Header{Name: f.name, Mode: int64(f.mode()), Size: int64(len(f.data)), ModTime: at}
		if err := archive.WriteHeader(&h); err != nil {
			return nil, err
		}
		if _, err := archive.Write(f.data); err != nil {
			return nil, err
		}
	}
	err = errors.Join(archive.Close(), compressed.Close())
	return packed.Bytes(), err
}

func packZip(files []file, at time.Time) ([]byte, error) {
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, f := range files {
		h := zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		h.SetMode(f.mode())
		w, err := archive.CreateHeader(&h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return packed.Bytes(), err
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
