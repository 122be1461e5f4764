package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
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
	forbidden, network := false, uintptr(syscall.CLONE_NEWNET)
	// use runs a program to its end. Its input ends when its output has until, so that it is not
	// asked to end before it has answered.
	var use func(stdin, until, program string, args ...string) string
	use = func(stdin, until, program string, args ...string) string {
		if forbidden {
			return ""
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, folder+"/"+program, args...)
		cmd.Dir, cmd.Env = "/", []string{"HOME=/"}
		cmd.SysProcAttr = within(root)
		cmd.SysProcAttr.Cloneflags |= network // one of its own, with nobody in it
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
		if errors.Is(err, syscall.EPERM) && network != 0 {
			t.Logf("the programs have the network of this machine: %v", err)
			network = 0
			return use(stdin, until, program, args...)
		}
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

	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile(`\n\$ tsumero solve --shortest '([^']*)'\n((?:.*\n)*?) +\d+ nodes`).FindSubmatch(readme)
	if example == nil {
		t.Fatal("README.md has no first example of the programs")
	}
	has("the first example", use("", "", "tsumero", "solve", "--shortest", string(example[1])), string(example[2]))
	if !forbidden {
		serveThere(t, root, folder)
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

// within is how a program is started that sees nothing but the root folder.
func within(root string) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Chroot: root}
	if os.Getuid() != 0 { // a user may change the root in a user namespace, if there may be one
		attr.Cloneflags = syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	return attr
}

// serveThere starts the service in the root folder, asks it for a mate and for its first page, and ends it.
func serveThere(t *testing.T, root, folder string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), folder+"/tsumero-server", "serve", "--addr", "127.0.0.1:0",
		"--admin-addr", "off", "--drain-delay", "0s")
	cmd.Dir, cmd.Env, cmd.SysProcAttr = "/", []string{"HOME=/"}, within(root)
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var entry struct{ Msg, Addr string }
	for lines := json.NewDecoder(log); entry.Msg != "listening"; {
		if err := lines.Decode(&entry); err != nil {
			t.Fatalf("the service does not listen: %v", err)
		}
	}
	go io.Copy(io.Discard, log)
	for path, want := range map[string]string{
		"/v1/solve?sfen=4k4/9/4G4/9/9/9/9/9/9_b_G2r2b2g4s4n4l18p": `"moves":["G*5b"]`, "/?lang=en": "<tsume-board",
	} {
		answer, err := http.Get("http://" + entry.Addr + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		if answer.Body.Close(); err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%s: %v, %.300s, want %s", path, err, body, want)
		}
	}
	if err := errors.Join(cmd.Process.Signal(syscall.SIGTERM), cmd.Wait()); err != nil {
		t.Error(err)
	}
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
