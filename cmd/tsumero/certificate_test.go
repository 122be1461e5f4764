package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/cmd/internal/command"
)

// An interrupted command leaves no file that could be taken for a certificate.
func TestCertificateInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(50*time.Millisecond, func() { cancel(command.ErrInterrupt) })
	file := filepath.Join(t.TempDir(), "none.cert")
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{"certificate", "--output", file, "--memory", "16M",
		"7k1/9/9/9/9/9/9/9/9 b B2G2SL2P2rb2g2s4n3l16p 1"}, strings.NewReader(""), &stdout, &stderr)
	if code != command.ExitInterrupted || !strings.HasPrefix(stderr.String(), "tsumero: interrupted: ") {
		t.Errorf("exit code %d\n%s", code, &stderr)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the file: %v", err)
	}
}
