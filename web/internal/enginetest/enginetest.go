// Package enginetest builds the solver for browsers for tests.
package enginetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Files returns the files of package engine as they are without brotli: to compress them takes a
// minute. They are built once for all tests of a program.
func Files(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var build = sync.OnceValues(func() (map[string][]byte, error) {
	folder, err := os.MkdirTemp("", "tsumero-engine")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	command := exec.Command("go", "run", "github.com/tsumero/tsumero/web/engine/build", "-plain", "-o", folder)
	if out, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	files := map[string][]byte{}
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		body, readErr := os.ReadFile(filepath.Join(folder, entry.Name()))
		if readErr != nil {
			return nil, readErr
		}
		files[entry.Name()] = body
	}
	return files, err
})
