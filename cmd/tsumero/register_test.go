package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/cmd/internal/command"
)

func init() { programs["fake-usi"] = fakeUSI }

// fakeUSI is a USI program that says what it is.
func fakeUSI() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan() && lines.Text() != "quit"; {
		if lines.Text() == "usi" {
			fmt.Println("id name fake\noption name Style type spin default 0 min 0 max 9\nusiok")
		}
	}
}

// An interrupt at the question ends the program, which waits for no answer, and changes nothing.
func TestRegisterInterrupted(t *testing.T) {
	folder := t.TempDir()
	engine := filepath.Join(folder, "fake-usi")
	if runtime.GOOS == "windows" {
		engine += ".exe"
	}
	if err := os.Link(self(t), engine); err != nil {
		t.Skip(err) // another file system
	}
	list := filepath.Join(folder, "usi_engine.json")
	if err := os.WriteFile(list, []byte(`{"engines":{}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	stdin, stdinEnd := io.Pipe()
	defer stdinEnd.Close()
	var stderr bytes.Buffer
	stdout, out := io.Pipe()
	go func() {
		text := ""
		for buffer := make([]byte, 1000); !strings.HasSuffix(text, "[y/N] "); {
			n, err := stdout.Read(buffer)
			if err != nil {
				return
			}
			text += string(buffer[:n])
		}
		interrupt()
		io.Copy(io.Discard, stdout)
	}()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"register", "--engine", engine, "--config", list}, stdin, out, &stderr)
	}()
	select {
	case code := <-ended:
		if code != command.ExitInterrupted || stderr.String() != "tsumero: interrupted: nothing was changed\n" {
			t.Errorf("exit code %d: %s", code, &stderr)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("it waits for an answer")
	}
	if data, err := os.ReadFile(list); err != nil || string(data) != `{"engines":{}}` {
		t.Errorf("the list is %q, %v", data, err)
	}
}
