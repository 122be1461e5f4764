package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// useArchive unpacks an archive into an empty root folder and uses the programs there, as a user who
// has nothing else would: no C library, no /tmp, no settings.
func useArchive(t *testing.T, files []file, notices string, s *source) {
	t.Helper()
	root := t.TempDir()
	for _, f := range files {
		path := filepath.Join(root, f.name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, f.data, f.mode)); err != nil {
			t.Fatal(err)
		}
	}
	folder := "/" + path.Dir(files[0].name)
	forbidden := false
	// use runs a program to its end. Its input ends when its output has until, so that it is not
	// asked to end before it has answered.
	use := func(stdin, until, program string, args ...string) string {
		if forbidden {
			return ""
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, folder+"/"+program, args...)
		cmd.Dir, cmd.Env = "/", []string{"HOME=/"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
		if os.Getuid() != 0 { // a user may change the root in a user namespace, if there may be one
			cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
			cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
			cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
		}
		var stderr strings.Builder
		out := &watched{until: until, seen: make(chan struct{})}
		r, w := io.Pipe()
		go func() {
			io.WriteString(w, stdin)
			select {
			case <-out.seen:
			case <-ctx.Done():
			}
			w.Close()
		}()
		cmd.Stdin, cmd.Stdout, cmd.Stderr = r, out, &stderr
		if until == "" {
			close(out.seen)
		}
		err := cmd.Run()
		r.Close()
		if errors.Is(err, syscall.EPERM) {
			t.Logf("the archive is not used in an empty root folder, which is not allowed here: %v", err)
			forbidden = true
			return ""
		}
		if err != nil {
			t.Errorf("%s %q: %v\n%s%s", program, args, err, &out.text, &stderr)
		}
		return out.text.String()
	}
	has := func(what, out string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !forbidden && !strings.Contains(out, part) {
				t.Errorf("%s: %q is not in\n%s", what, part, out)
			}
		}
	}

	const position = "position sfen 4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1\n"
	has("tsumero-usi", use("usi\nisready\n"+position+"go mate infinite\n", "checkmate", "tsumero-usi"),
		"id name Tsumero 1.2.3-test\n", "usiok\n", "readyok\n", "checkmate G*5b\n")
	for _, program := range []string{"tsumero", "tsumero-check", "tsumero-server", "tsumero-usi"} {
		has(program, use("", "", program, "--version"), fmt.Sprintf("%s v1.2.3-test\ncommit  0123456789abcdef\ndate    %s\n",
			program, s.date()))
	}
	has("tsumero version", use("", "", "tsumero", "version"), "tsumero v1.2.3-test\n")
	if !forbidden && use("", "", "tsumero", "licenses") != notices || !forbidden && use("", "", "tsumero-usi", "--licenses") != notices {
		t.Error("the programs give other licences than LICENSES.txt")
	}
	certificate := use("", "", "tsumero", "certificate", strings.Fields(position)[2]+" b G2r2b2g4s4n4l18p 1")
	has("tsumero-check", use(certificate, "", "tsumero-check"), "mate in 1")
	has("tsumero register", use("", "", "tsumero", "register", "--yes", "--config", "/usi_engine.json"),
		"engine  "+folder+"/tsumero-usi, Tsumero 1.2.3-test\n", "Added.")
}

// A watched is output that says when a text is in it.
type watched struct {
	text  strings.Builder
	until string
	seen  chan struct{}
	found bool
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.text.Write(p)
	if !w.found && w.until != "" && strings.Contains(w.text.String(), w.until) {
		w.found = true
		close(w.seen)
	}
	return n, err
}
