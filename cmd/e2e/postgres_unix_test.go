//go:build unix

package e2e

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// A postgres is a server of PostgreSQL for a test, and for anybody on this machine.
type postgres struct {
	url string // of its database

	programs, dir string
	port          int
	user          *syscall.SysProcAttr
	cmd           *exec.Cmd
	tie           io.Closer // ends the server, also when this process ends
}

// startPostgres starts a server. The test is skipped on a machine without PostgreSQL; with $CI set it fails.
func startPostgres(t *testing.T) *postgres {
	t.Helper()
	p := &postgres{}
	for _, pattern := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/lib/postgresql/*/bin") {
		found, _ := filepath.Glob(filepath.Join(pattern, "initdb"))
		if len(found) > 0 && p.programs == "" {
			if path, err := filepath.EvalSymlinks(found[len(found)-1]); err == nil {
				p.programs = filepath.Dir(path)
			}
		}
	}
	if p.programs == "" {
		const missing = "there is no PostgreSQL on this machine (Debian: apt-get install postgresql)"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	var err error
	if p.dir, err = os.MkdirTemp("", "tsumero-e2e-postgres-"); err != nil { // folders of t.TempDir are closed to other users
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.stop()
		_ = os.RemoveAll(p.dir)
	})
	if os.Getuid() == 0 { // as which PostgreSQL refuses to run
		u, err := user.Lookup("postgres")
		if err != nil {
			t.Fatal(err)
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		p.user = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
		if err := os.Chown(p.dir, uid, gid); err != nil {
			t.Fatal(err)
		}
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.port = free.Addr().(*net.TCPAddr).Port
	free.Close()
	p.url = fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", p.port)
	init := p.command("initdb", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync",
		"--pgdata=data")
	if out, err := init.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	p.start(t)
	return p
}

func (p *postgres) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	if !filepath.IsAbs(name) {
		cmd = exec.Command(filepath.Join(p.programs, name), args...)
	}
	cmd.Dir, cmd.SysProcAttr = p.dir, p.user
	cmd.Env = []string{"PATH=" + p.programs + ":" + os.Getenv("PATH"), "LC_ALL=C"}
	return cmd
}

// start starts the server, and waits until it answers.
func (p *postgres) start(t *testing.T) {
	t.Helper()
	p.cmd = p.command("/bin/sh", "-c", `postgres -D data -p $0 -h 127.0.0.1 -k "$PWD" >>log 2>&1 & read end; kill -QUIT $!; wait`,
		strconv.Itoa(p.port))
	var err error
	if p.tie, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "PostgreSQL", func() bool { return p.command("pg_isready", "--quiet", "--dbname="+p.url).Run() == nil })
}

// stop ends the server at once.
func (p *postgres) stop() {
	if p.cmd != nil {
		p.tie.Close()
		_ = p.cmd.Wait()
		p.cmd = nil
	}
}
