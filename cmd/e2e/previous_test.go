package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOldDirectory: jobs that an early version kept in NATS are not read, and not touched: whoever starts
// a service in their directory is told what it has.
func TestOldDirectory(t *testing.T) {
	for _, name := range []string{"js", "format"} {
		dir := t.TempDir()
		old := filepath.Join(dir, name)
		if err := os.WriteFile(old, []byte("2\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		o := run(t, "", "tsumero-server", "serve", "--addr", "127.0.0.1:0", "--admin-addr", "off", "--jobs", dir)
		if want := dir + " has jobs of an early version, which kept them in NATS"; o.code != 5 || !strings.Contains(o.stderr, want) {
			t.Errorf("exit code %d: %s", o.code, o.stderr)
		}
		files, err := os.ReadDir(dir)
		if err != nil || len(files) != 1 {
			t.Errorf("there is %v, %v", files, err)
		}
	}
}
