//go:build !linux

package pgtest

import (
	"os"
	"os/exec"
)

func setUser(*exec.Cmd) {}

func tie(*exec.Cmd) {}

// kill kills a server; its children find out.
func kill(server *os.Process) { _ = server.Kill() }
