package container

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// systemctl stands for the program of that name: it starts and stops one service, for a test.
const systemctl = `#!/bin/sh
case $1 in
start)
	tsumero-server serve >>"$LOG" 2>&1 &
	echo $! >"$PID"
	i=0
	until tsumero-server healthcheck 2>/dev/null; do
		i=$((i + 1))
		[ $i -lt 200 ] || exit 1
		sleep 0.1
	done
	;;
stop)
	kill "$(cat "$PID")"
	while kill -0 "$(cat "$PID")" 2>/dev/null; do sleep 0.05; done
	rm "$PID"
	;;
esac
`

// A machine is one on which the blocks of the runbook run.
type machine struct {
	dir   string
	env   []string
	paths *strings.Replacer // those of the runbook are others here
}

// run runs a script and returns what it prints.
func (m *machine) run(t *testing.T, script string) string {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "sh", "-euc", script)
	cmd.Env, cmd.Dir = m.env, m.dir
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	cmd.WaitDelay = time.Second // a service that it started has its output, too
	if err := cmd.Run(); err != nil && !strings.Contains(err.Error(), "WaitDelay") {
		service, _ := os.ReadFile(filepath.Join(m.dir, "log"))
		t.Fatalf("%v\n%s\n%s%s\nthe service:\n%s", err, script, &out, &log, service)
	}
	return strings.TrimSpace(out.String())
}

// A block is one of the commands of the runbook.
type block struct{ section, machine, script string }

// runbook returns the blocks that are marked with a machine.
func runbook(t *testing.T) (blocks []block) {
	t.Helper()
	text, err := os.ReadFile("../RUNBOOK.md")
	if err != nil {
		t.Fatal(err)
	}
	section := ""
	for _, found := range regexp.MustCompile("(?s)\n## ([^\n]+)\n|```sh (\\w+)\n(.*?)```").FindAllSubmatch(text, -1) {
		if len(found[1]) > 0 {
			section = string(found[1])
			continue
		}
		blocks = append(blocks, block{section, string(found[2]), string(found[3])})
	}
	return blocks
}

// newMachine makes a machine with the programs, for a service with some settings, which is not started.
func newMachine(t *testing.T, dir string, env ...string) *machine {
	t.Helper()
	bin := filepath.Join(dir, "bin")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", bin+string(filepath.Separator), "./cmd/tsumero",
		"./cmd/tsumero-server")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(bin, "systemctl"), []byte(systemctl), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"lib", "backups"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	addr, admin := freeAddress(t), freeAddress(t)
	m := &machine{dir, append([]string{
		"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + dir,
		"LOG=" + filepath.Join(dir, "log"), "PID=" + filepath.Join(dir, "pid"), "TSUMERO_DRAIN_DELAY=0s",
		"TSUMERO_ADDR=" + addr, "TSUMERO_SERVER=http://" + addr, "TSUMERO_ADMIN_ADDR=" + admin,
	}, env...), strings.NewReplacer(
		"/var/lib/tsumero", dir+"/lib",
		"/var/backups/tsumero", dir+"/backups",
		"http://localhost:8080", "http://"+addr,
		"http://localhost:9090", "http://"+admin,
	)}
	t.Cleanup(func() {
		stop := exec.Command("sh", "-c", `[ ! -e "$PID" ] || kill -9 "$(cat "$PID")"`)
		stop.Env = m.env
		_ = stop.Run()
	})
	return m
}

const (
	submit = `printf '%s\n' '4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1' \
		'4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1' | tsumero submit --nodes 100000`
	results = "tsumero jobs --results --output json "
)

// answers submits a job and returns its id and its answers.
func (m *machine) answers(t *testing.T) (id, answers string) {
	t.Helper()
	id = m.run(t, submit)
	m.run(t, "timeout 100 tsumero jobs --follow "+id)
	answers = m.run(t, results+id)
	if strings.Count(answers, `"verdict":"mate"`) != 2 {
		t.Fatalf("the answers are\n%s", answers)
	}
	return id, answers
}

// TestRunbook runs the commands of the runbook that are marked so, in their order, on a service with a
// store in a directory. What was answered before is answered in the same words after a restore.
func TestRunbook(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	t.Parallel()
	dir := t.TempDir()
	m := newMachine(t, dir, "TSUMERO_JOBS="+filepath.Join(dir, "lib/jobs"))
	m.run(t, "systemctl start tsumero")
	first, answers := m.answers(t)
	id, ran := first, 0
	for _, b := range runbook(t) {
		if b.machine != "dir" {
			continue
		}
		ran++
		m.run(t, `[ -e "$PID" ] || systemctl start tsumero`)
		// One block forgets the job.
		if another := m.run(t, "tsumero jobs "+id+" >/dev/null 2>&1 || "+submit); another != "" {
			id = another
		}
		if b.section == "TsumeroJobsStuck" {
			id = m.run(t, "tsumero submit --time 5m '7k1/9/9/9/9/9/9/9/9 b B2G2SL2P2rb2g2s4n3l16p 1'")
		}
		m.run(t, "ID="+id+"\n"+m.paths.Replace(b.script))
		switch b.section {
		case "TsumeroJobsStuck":
			if got := m.run(t, "tsumero jobs "+id); !strings.Contains(got, "cancelled") {
				t.Errorf("cancelled, the job is\n%s", got)
			}
		case "Restore":
			if got := m.run(t, results+first); got != answers {
				t.Errorf("after the restore the answers are\n%s\nand were\n%s", got, answers)
			}
		}
	}
	if ran < 7 {
		t.Errorf("%d blocks of the runbook are marked", ran)
	}
}

// TestRunbookPostgres does the same with a database, its roles and a worker, which has no more than its
// rights: it can make no table. Nothing that a service or a worker says has a password.
func TestRunbookPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	t.Parallel()
	dir := t.TempDir()
	host := startPostgres(t)
	secrets := filepath.Join(dir, "secrets")
	m := newMachine(t, dir, "SECRETS="+secrets, "PGHOST="+host.socket, "PGPORT="+host.port, "PGUSER=postgres",
		"PGSSLMODE=disable", "TSUMERO_JOBS_FILE="+filepath.Join(secrets, "serve/uri"), "TSUMERO_JOBS_SLOTS=0")
	here, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	m.run(t, "sh "+here+"/postgres/secrets.sh 127.0.0.1:"+host.port+" "+secrets)
	m.run(t, "psql --dbname=postgres --file="+here+"/postgres/roles.sql")
	m.run(t, "systemctl start tsumero")
	worker := m.startWorker(t, secrets)
	id, answers := m.answers(t)

	ran := 0
	for _, b := range runbook(t) {
		if b.machine != "postgres" {
			continue
		}
		ran++
		restores := b.section == "Restore"
		if restores {
			worker.end(t)
			m.run(t, "systemctl stop tsumero")
		}
		m.run(t, "ID="+id+"\n"+m.paths.Replace(b.script))
		if restores {
			m.run(t, "systemctl start tsumero")
			worker = m.startWorker(t, secrets)
			m.run(t, "until tsumero jobs "+id+" >/dev/null 2>&1; do sleep 0.1; done")
			if got := m.run(t, results+id); got != answers {
				t.Errorf("after the restore the answers are\n%s\nand were\n%s", got, answers)
			}
			m.answers(t)
		}
	}
	if ran < 3 {
		t.Errorf("%d blocks of the runbook are marked", ran)
	}
	forbidden := exec.Command("psql", "--dbname="+read(t, filepath.Join(secrets, "worker/uri")),
		"--command=create table a_table(a integer)")
	if out, err := forbidden.CombinedOutput(); err == nil || !strings.Contains(string(out), "permission denied") {
		t.Errorf("a worker may make a table: %v\n%s", err, out)
	}
	worker.end(t)
	m.run(t, "systemctl stop tsumero")
	said := read(t, filepath.Join(dir, "log")) + worker.log.String()
	for _, role := range []string{"serve", "worker"} {
		if strings.Contains(said, read(t, filepath.Join(secrets, role, "password"))) {
			t.Errorf("the log has the password of %s:\n%s", role, said)
		}
	}
}

// A worker is a process that works on jobs.
type worker struct {
	cmd *exec.Cmd
	log bytes.Buffer
}

func (m *machine) startWorker(t *testing.T, secrets string) *worker {
	t.Helper()
	w := &worker{cmd: exec.CommandContext(t.Context(), filepath.Join(m.dir, "bin/tsumero-server"), "worker", "--slots=1",
		"--admin-addr="+freeAddress(t), "--jobs-file="+filepath.Join(secrets, "worker/uri"))}
	w.cmd.Env = []string{"HOME=" + m.dir}
	w.cmd.Stderr = &w.log
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return w
}

// end ends a worker, in order.
func (w *worker) end(t *testing.T) {
	t.Helper()
	if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := w.cmd.Wait(); err != nil || strings.Contains(w.log.String(), "permission denied") {
		t.Errorf("the worker: %v\n%s", err, &w.log)
	}
}

// A postgres is a server of PostgreSQL: the folder of its socket, and its port, which is one on loopback, too.
type postgres struct{ socket, port string }

// startPostgres starts a server of PostgreSQL with an empty folder. It refuses to be root: then it runs as
// the user of Debian's package.
func startPostgres(t *testing.T) postgres {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("there is no PostgreSQL; it is in Debian's package postgresql")
		}
		t.Skip("there is no PostgreSQL; it is in Debian's package postgresql")
	}
	bin := filepath.Dir(found[len(found)-1])
	dir, err := os.MkdirTemp("", "pg") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	as := &syscall.SysProcAttr{}
	if os.Getuid() == 0 {
		u, err := user.Lookup("postgres")
		if err != nil {
			t.Fatal(err)
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(dir, uid, gid); err != nil {
			t.Fatal(err)
		}
	}
	data := filepath.Join(dir, "data")
	initdb := exec.Command(found[len(found)-1], "--pgdata="+data, "--username=postgres", "--auth-local=trust",
		"--auth-host=scram-sha-256", "--data-checksums", "--no-sync")
	initdb.Dir, initdb.SysProcAttr = dir, as
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	var log bytes.Buffer
	server := exec.Command(filepath.Join(bin, "postgres"), "-D", data, "-k", dir, "-p", port, "-c", "listen_addresses=127.0.0.1")
	server.Dir, server.SysProcAttr, server.Stderr = dir, as, &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGQUIT) // at once
		_ = server.Wait()
		if t.Failed() {
			t.Logf("PostgreSQL said:\n%s", &log)
		}
	})
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if exec.Command(filepath.Join(bin, "pg_isready"), "--host="+dir, "--port="+port, "--username=postgres").Run() == nil {
			return postgres{dir, port}
		}
		if time.Now().After(deadline) {
			t.Fatal("PostgreSQL does not start")
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
