package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/about"
)

// The other programs of a release that this one knows.
const (
	engineProgram = "tsumero-usi"
	serverProgram = "tsumero-server"
)

// besideThis returns the path of a program of the same release: the one in this program's folder.
func besideThis(name string) (string, error) {
	self, err := os.Executable()
	if err != nil { // without /proc, say
		if self, err = exec.LookPath(os.Args[0]); err != nil {
			return "", err
		}
		if self, err = filepath.Abs(self); err != nil {
			return "", err
		}
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	path := filepath.Join(filepath.Dir(self), name)
	if _, err = os.Stat(path); err == nil {
		return path, nil
	}
	// This one may be called by a link alone.
	if self, err = filepath.EvalSymlinks(self); err != nil {
		return "", err
	}
	path = filepath.Join(filepath.Dir(self), name)
	_, err = os.Stat(path)
	return path, err
}

// findProgram returns the path of a program that is beside this one, or else in PATH.
func findProgram(name string) (string, error) {
	if path, err := besideThis(name); err == nil {
		return path, nil
	}
	return exec.LookPath(name)
}

// manualsBeside writes the manual pages of the programs beside this one into a folder.
func manualsBeside(l cli.Language, folder string, stdout io.Writer) error {
	if server, err := besideThis(serverProgram); err == nil {
		pages := exec.Command(server, "docs", "man", "--lang", string(l), folder)
		pages.Stdout = stdout
		if err := pages.Run(); err != nil {
			return fmt.Errorf("%s docs man: %w", server, err)
		}
	}
	for _, beside := range []struct{ name, about string }{
		{engineProgram, l.Text("a USI engine for shogi and tsume-shogi", "将棋と詰将棋の USI エンジン")},
		{"tsumero-check", l.Text("check a certificate of an answer", "答えの証明書の検証")},
	} {
		program, err := besideThis(beside.name)
		if err != nil {
			continue
		}
		help, err := exec.Command(program, "--help", "--lang", string(l)).Output()
		if err != nil {
			return fmt.Errorf("%s --help: %w", program, err)
		}
		if err := about.WritePage(l, folder, beside.name, beside.about, string(help), stdout); err != nil {
			return err
		}
	}
	return nil
}
