package main

import (
	"bytes"
	"flag"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tsumero/tsumero/cmd/internal/scripttest"
)

var update = flag.Bool("update", false, "rewrite the golden files with what the program prints now")

// programs are what the test binary is when it is started under their names: first of all the
// command itself.
var programs = map[string]func(){"tsumero-server": main}

func TestMain(m *testing.M) { scripttest.Main(m, programs) }

// TestScripts runs the sessions in testdata/script with the real command in a process of its own.
func TestScripts(t *testing.T) { scripttest.Run(t, *update) }

// syncBuffer is a writer that a test reads while the program writes.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// TestErrorsInWords: whatever is wrong with a setting, it is said in our words.
func TestErrorsInWords(t *testing.T) {
	for _, args := range [][]string{
		{"serve", "--max-time", "x"}, {"serve", "--addr", "x"}, {"serve", "--quota-key", "time=1"},
		{"serve", "--known", filepath.Join(t.TempDir(), "none.kif")}, {"worker", "--jobs", "postgres://%zz"}, {"serve", "--jobs", "nats://a:4222"},
		{"healthcheck", "--timeout", "5"}, {"store", "check", "--jobs", "redis://a"},
		{"serve", "--jobs", "dir", "--jobs-max-bytes", "x"},
	} {
		var said strings.Builder
		code := run(t.Context(), args, nil, &said, &said)
		if word := scripttest.GoWords.FindString(said.String()); code == 0 || said.Len() == 0 || word != "" {
			t.Errorf("%q: exit code %d, says %q:\n%s", args, code, word, said.String())
		}
	}
}

const headGold = "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1"
