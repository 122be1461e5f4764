// Package pgtest starts servers of PostgreSQL for tests: on loopback, with their files in a
// temporary directory, as an ordinary user, and gone when the test is, however it ends.
//
// The servers take any user without a password. What they acknowledge is on the disk: fsync is on.
package pgtest

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// waitTime is how long a server may take to do what a test waits for, on a machine under load.
const waitTime = time.Minute

// Options are how a server is started.
type Options struct {
	// Dir is a folder for its files; "" for a temporary one. It is handed to the user of the server.
	Dir string
	// Settings are more lines of its configuration, such as "max_connections = 20".
	Settings []string
}

// A Server is one of PostgreSQL, with databases that are made by NewDatabase.
type Server struct {
	t        testing.TB
	dir      string // with the folder data, the socket, and the log
	port     int
	settings []string // that may change while it runs
	fixed    []string

	cmd   *exec.Cmd
	ended chan struct{}
}

// Start starts a server. The test is skipped on a machine without PostgreSQL; with $CI set it
// fails.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	s := newServer(t, o)
	s.tool("initdb", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C",
		"--data-checksums", "--no-sync", "--no-instructions", "--wal-segsize=1", s.data())
	s.Restart()
	return s
}

// newServer returns a server without files.
func newServer(t testing.TB, o Options) *Server {
	t.Helper()
	need(t)
	s := &Server{t: t, dir: o.Dir, fixed: o.Settings}
	if s.dir == "" {
		// Not of t.TempDir: the folders above those are closed to other users.
		dir, err := os.MkdirTemp("", "pgtest-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		s.dir = dir
	}
	own(t, s.dir)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.port = free.Addr().(*net.TCPAddr).Port
	_ = free.Close()
	t.Cleanup(s.Kill)
	return s
}

// need skips the test if there is no PostgreSQL here.
func need(t testing.TB) {
	t.Helper()
	if folder() != "" {
		return
	}
	const missing = "there is no PostgreSQL on this machine (Debian: apt-get install postgresql)"
	if os.Getenv("CI") != "" {
		t.Fatal(missing)
	}
	t.Skip(missing)
}

// folder returns where the programs of a server are, "" for nowhere: those in PATH, or the newest
// of Debian, which has them in no PATH.
var folder = sync.OnceValue(func() string {
	if initdb, err := exec.LookPath("initdb"); err == nil {
		if initdb, err = filepath.EvalSymlinks(initdb); err == nil {
			return filepath.Dir(initdb) // where the others are, too
		}
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		return n
	}
	all, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(all) == 0 {
		return ""
	}
	return filepath.Dir(slices.MaxFunc(all, func(a, b string) int { return version(a) - version(b) }))
})

// ids are those of the user of servers, if it is not this one: PostgreSQL refuses to run as root.
var ids = sync.OnceValue(func() *[2]int {
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, _ := strconv.Atoi(u.Uid)
			gid, _ := strconv.Atoi(u.Gid)
			return &[2]int{uid, gid}
		}
	}
	return nil
})

// own hands a file or folder to the user of servers.
func own(t testing.TB, path string) {
	t.Helper()
	if ids() == nil {
		return
	}
	if err := os.Chown(path, ids()[0], ids()[1]); err != nil {
		t.Fatal(err)
	}
}

// Dir returns the folder of the server's files.
func (s *Server) Dir() string { return s.dir }

// Address returns where the server listens, as host:port.
func (s *Server) Address() string { return fmt.Sprintf("127.0.0.1:%d", s.port) }

// URL returns the address of one of its databases.
func (s *Server) URL(database string) string {
	return fmt.Sprintf("postgres://postgres@%s/%s?sslmode=disable", s.Address(), database)
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

var databases atomic.Int64

// NewDatabase makes an empty database, and returns its name.
func (s *Server) NewDatabase() string {
	s.t.Helper()
	name := fmt.Sprint("test", databases.Add(1))
	s.Query("postgres", "create database "+name)
	return name
}

// Query returns what psql prints for a statement: a line for each row, with bars between its
// columns.
func (s *Server) Query(database, statement string) string {
	s.t.Helper()
	text, err := s.query(database, statement)
	if err != nil {
		s.t.Fatalf("%s: %v", statement, err)
	}
	return text
}

func (s *Server) query(database, statement string) (string, error) {
	cmd := s.command("psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align",
		"--set=ON_ERROR_STOP=1", "--command="+statement, s.URL(database))
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("psql: %w: %s", err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// command returns one of PostgreSQL's programs as the user of servers.
func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(folder(), name), args...)
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "PGCONNECT_TIMEOUT=5"}
	setUser(cmd)
	return cmd
}

// tool runs one of PostgreSQL's programs.
func (s *Server) tool(name string, args ...string) {
	s.t.Helper()
	if out, err := s.command(name, args...).CombinedOutput(); err != nil {
		s.t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// configure writes what the server reads at its start, and when it reloads its configuration.
func (s *Server) configure() {
	s.t.Helper()
	lines := append([]string{
		"listen_addresses = '127.0.0.1'", fmt.Sprintf("port = %d", s.port),
		fmt.Sprintf("unix_socket_directories = '%s'", s.dir), "fsync = on", "synchronous_commit = on",
		"max_connections = 200", "shared_buffers = 32MB", "max_wal_size = 64MB", "min_wal_size = 32MB",
		"wal_keep_size = 64MB", "lock_timeout = 0", "log_checkpoints = off",
	}, append(s.fixed, s.settings...)...)
	path := filepath.Join(s.data(), "postgresql.auto.conf")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	own(s.t, path)
}

// Restart starts the server, which Stop or Kill has ended, and waits until it answers.
func (s *Server) Restart() {
	s.t.Helper()
	s.configure()
	wait(s.t, "the server to start", func() error {
		if s.Alive() {
			cmd := s.command("pg_isready", "--quiet", "--dbname="+s.URL("postgres"))
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("pg_isready: %w %s\n%s", err, out, s.Log())
			}
			return nil
		}
		// It does not start at once while processes of the one before end.
		log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer func() { _ = log.Close() }()
		cmd := s.command("postgres", "-D", s.data())
		cmd.Stdout, cmd.Stderr = log, log
		if err := StartTied(cmd); err != nil {
			return err
		}
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }()
		s.cmd, s.ended = cmd, ended
		return fmt.Errorf("%s", s.Log())
	})
}

// Alive reports whether the server runs: one whose disk is full may end by itself.
func (s *Server) Alive() bool {
	if s.cmd == nil {
		return false
	}
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// Kill ends the server and all of its processes at once, as when its machine dies.
func (s *Server) Kill() {
	if s.Alive() {
		kill(s.cmd.Process)
		<-s.ended
	}
}

// Stop ends the server in order, for which it ends all sessions.
func (s *Server) Stop() {
	s.t.Helper()
	s.tool("pg_ctl", "stop", "--mode=fast", "--silent", "--timeout=60", "--pgdata="+s.data())
	<-s.ended
}

// Log returns the last lines of the server's log.
func (s *Server) Log() string {
	text, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	return string(bytes.ToValidUTF8(text[max(0, len(text)-2<<10):], nil))
}

// A Pair is a server and one that follows it synchronously: what the first acknowledges is on the
// disks of both.
type Pair struct{ Primary, Standby *Server }

// StartPair starts a pair, whose servers have a folder each if dirs are given.
func StartPair(t testing.TB, o Options, dirs ...string) *Pair {
	t.Helper()
	dirs = append(dirs, "", "")
	o.Dir = dirs[0]
	primary := Start(t, o)
	o.Dir = dirs[1]
	p := &Pair{primary, newServer(t, o)}
	p.follow()
	return p
}

// URL returns the address of a database, of whichever server takes writes.
func (p *Pair) URL(database string) string {
	return PairURL(p.Primary.Address(), p.Standby.Address(), database)
}

// PairURL returns the address of a database of whichever of two servers takes writes.
func PairURL(one, other, database string) string {
	return fmt.Sprintf("postgres://postgres@%s,%s/%s?sslmode=disable&target_session_attrs=read-write",
		one, other, database)
}

// Promote makes the standby the primary, which must have been killed.
func (p *Pair) Promote() {
	p.Primary.t.Helper()
	if p.Primary.Alive() {
		p.Primary.t.Fatal("two primaries")
	}
	p.Primary, p.Standby = p.Standby, p.Primary
	p.Primary.settings = nil
	p.Primary.configure()
	p.Primary.tool("pg_ctl", "promote", "--silent", "--timeout=60", "--pgdata="+p.Primary.data())
}

// Rebuild makes the server that was killed before Promote a standby.
func (p *Pair) Rebuild() {
	p.Primary.t.Helper()
	if err := os.RemoveAll(p.Standby.data()); err != nil {
		p.Primary.t.Fatal(err)
	}
	p.follow()
}

// follow makes the standby from the primary, and returns when the primary waits for it.
func (p *Pair) follow() {
	primary, standby := p.Primary, p.Standby
	primary.t.Helper()
	standby.tool("pg_basebackup", "--checkpoint=fast", "--no-sync", "--pgdata="+standby.data(),
		"--dbname="+primary.URL("postgres"))
	signal := filepath.Join(standby.data(), "standby.signal")
	if err := os.WriteFile(signal, nil, 0o600); err != nil {
		primary.t.Fatal(err)
	}
	own(primary.t, signal)
	standby.settings = []string{fmt.Sprintf(
		"primary_conninfo = 'host=127.0.0.1 port=%d user=postgres application_name=standby'",
		primary.port)}
	standby.Restart()
	primary.settings = []string{"synchronous_standby_names = 'standby'"}
	primary.configure()
	primary.tool("pg_ctl", "reload", "--silent", "--pgdata="+primary.data())
	p.WaitSync()
}

// WaitSync waits until all that the primary has acknowledged is on the disk of the standby.
func (p *Pair) WaitSync() {
	p.Primary.t.Helper()
	end := ""
	wait(p.Primary.t, "the standby to have everything", func() (err error) {
		const synced = "select count(*) from pg_stat_replication where sync_state = 'sync'"
		if end == "" {
			n, err := p.Primary.query("postgres", synced)
			if err != nil || n != "1" {
				return fmt.Errorf("%s standbys %w\n%s", n, err, p.Standby.Log())
			}
			end, err = p.Primary.query("postgres", "select pg_current_wal_flush_lsn()")
			if err != nil {
				return err
			}
		}
		n, err := p.Primary.query("postgres", synced+" and flush_lsn >= '"+end+"'")
		if err == nil && n != "1" {
			err = fmt.Errorf("it is behind %s", end)
		}
		return err
	})
}

// wait waits until done returns no error.
func wait(t testing.TB, what string, done func() error) {
	t.Helper()
	var err error
	for end := time.Now().Add(waitTime); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if err = done(); err == nil {
			return
		}
	}
	t.Fatalf("waited in vain for %s: %v", what, err)
}

// starter has the functions that start processes. One thread calls them all, and lasts as long as
// this process: Linux tells a child that its parent has ended when the thread has that started
// it.
var starter = sync.OnceValue(func() chan<- func() {
	calls := make(chan func())
	go func() {
		runtime.LockOSThread()
		for call := range calls {
			call()
		}
	}()
	return calls
})

// StartTied starts a command that the operating system kills when this process ends, however that
// happens. Only Linux does.
func StartTied(cmd *exec.Cmd) error {
	tie(cmd)
	result := make(chan error)
	starter() <- func() { result <- cmd.Start() }
	return <-result
}
