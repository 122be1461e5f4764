//go:build unix

package usiclient

import (
	"os/exec"
	"syscall"
)

// ownGroup gives the program a process group of its own. A Ctrl-C at the terminal then goes to the
// match alone, which ends its programs in order.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the program with what it has started, such as the engine behind a script.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
