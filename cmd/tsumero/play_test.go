package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/solver/play/eval"
)

// With --net the level full has another opinion.
func TestPlayNet(t *testing.T) {
	// This network says that whoever is to move is a pawn better off.
	net, err := eval.NewNet(eval.Weights{Skip: make([]int16, eval.NumFeatures), OutBias: eval.Scale / 4})
	if err != nil {
		t.Fatal(err)
	}
	file, _ := net.AppendBinary(nil)
	path := filepath.Join(t.TempDir(), "a network.net")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	hint := func(args ...string) string {
		args = append([]string{"play", "--nodes", "300", "--board", "none"}, args...)
		code, stdout, stderr := tsumero(t.Context(), "hint\nquit\n", args...)
		if code != 0 || !strings.Contains(stdout, "hint: ") {
			t.Fatalf("%q: exit code %d, %s%s", args, code, stdout, stderr)
		}
		return stdout
	}
	if builtIn, other := hint(), hint("--net", path); builtIn == other {
		t.Errorf("with either network it says\n%s", other)
	}
}
