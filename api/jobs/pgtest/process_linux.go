package pgtest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

func attributes(cmd *exec.Cmd) *syscall.SysProcAttr {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	return cmd.SysProcAttr
}

// setUser has a command run as the user of servers.
func setUser(cmd *exec.Cmd) {
	if ids() != nil {
		attributes(cmd).Credential = &syscall.Credential{Uid: uint32(ids()[0]), Gid: uint32(ids()[1])}
	}
}

// tie has a command killed when the thread that starts it ends. Signals of a terminal are not for
// it.
func tie(cmd *exec.Cmd) {
	attributes(cmd).Pdeathsig = syscall.SIGKILL
	attributes(cmd).Setpgid = true
}

// kill kills a server with its children, each of which is of a process group of its own. It has
// no new ones meanwhile.
func kill(server *os.Process) {
	_ = server.Signal(syscall.SIGSTOP)
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// pid (name) state parent …; the name may have anything in it.
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if len(fields) > 1 && string(fields[1]) == strconv.Itoa(server.Pid) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	_ = server.Kill()
}
