package container

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
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
	dir string
	env []string
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

// TestRunbook runs the commands of the runbook that are marked so, in their order: on a service with a
// store in a directory, and on a cluster, to which its jobs move. What was answered before is
// answered in the same words after a restore and in the cluster, where a worker with no more than
// its rights goes on.
func TestRunbook(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	build := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "./cmd/tsumero", "./cmd/tsumero-server")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(bin, "systemctl"), []byte(systemctl), 0o700); err != nil {
		t.Fatal(err)
	}
	keys := makeKeys(t)
	_, _, clients := startCluster(t)

	common := []string{
		"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + dir,
		"LOG=" + filepath.Join(dir, "log"), "PID=" + filepath.Join(dir, "pid"),
		"TSUMERO_ADMIN_ADDR=off", "TSUMERO_DRAIN_DELAY=0s",
	}
	addr := freeAddress(t)
	embedded := &machine{dir, append(common[:len(common):len(common)],
		"TSUMERO_ADDR="+addr, "TSUMERO_SERVER=http://"+addr, "TSUMERO_JOBS="+filepath.Join(dir, "lib"))}
	cluster := &machine{dir, append(common[:len(common):len(common)], "TSUMERO_NATS="+clients,
		"TSUMERO_NATS_CREDS="+filepath.Join(keys, "serve.nk"),
		"TSUMERO_NATS_SYSTEM_CREDS="+filepath.Join(keys, "system.nk"))}
	for _, name := range []string{"lib", "backups"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		stop := exec.Command("sh", "-c", `[ ! -e "$PID" ] || kill -9 "$(cat "$PID")"`)
		stop.Env = embedded.env
		_ = stop.Run()
	})

	const submit = `printf '%s\n' '4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1' \
		'4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1' | tsumero submit --nodes 100000`
	embedded.run(t, "systemctl start tsumero")
	first := embedded.run(t, submit)
	id := first
	embedded.run(t, "tsumero jobs --follow "+id)
	const results = "tsumero jobs --results --output json "
	answers := embedded.run(t, results+first+"")
	if strings.Count(answers, `"verdict":"mate"`) != 2 {
		t.Fatalf("the answers are\n%s", answers)
	}

	text, err := os.ReadFile("../RUNBOOK.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)\n## ([^\n]+)\n|```sh (embedded|cluster)\n(.*?)```").FindAllSubmatch(text, -1)
	section, ran := "", 0
	for _, block := range blocks {
		if len(block[1]) > 0 {
			section = string(block[1])
			continue
		}
		ran++
		m, monday := embedded, "/backups/monday"
		if string(block[2]) == "cluster" {
			m, monday = cluster, "/backups/monday-cluster"
		}
		script := strings.NewReplacer(
			"/var/lib/tsumero", dir+"/lib",
			"/var/backups/tsumero/monday", dir+monday,
			"/var/backups/tsumero", dir+"/backups",
			"http://localhost:8080", "http://"+addr,
		).Replace(string(block[3]))
		if m == embedded {
			embedded.run(t, `[ -e "$PID" ] || systemctl start tsumero`)
			// One block forgets the job.
			if another := embedded.run(t, "tsumero jobs "+id+" >/dev/null 2>&1 || "+submit); another != "" {
				id = another
			}
			if section == "A job is stuck" {
				id = embedded.run(t, "tsumero submit --time 5m '7k1/9/9/9/9/9/9/9/9 b B2G2SL2P2rb2g2s4n3l16p 1'")
			}
		}
		m.run(t, "ID="+id+"\n"+script)
		switch section {
		case "A job is stuck":
			if got := embedded.run(t, "tsumero jobs "+id); !strings.Contains(got, "cancelled") {
				t.Errorf("cancelled, the job is\n%s", got)
			}
		case "Restore":
			if got := embedded.run(t, results+first+""); got != answers {
				t.Errorf("after the restore the answers are\n%s\nand were\n%s", got, answers)
			}
		}
	}
	if ran < 10 {
		t.Errorf("%d blocks of the runbook are marked", ran)
	}
	checkMoved(t, cluster, keys, submit, results, first, answers)
}

// checkMoved starts a service and a worker over the cluster, which has the jobs of a backup.
func checkMoved(t *testing.T, m *machine, keys, submit, results, first, answers string) {
	t.Helper()
	addr := freeAddress(t)
	front := &machine{m.dir, append(m.env[:len(m.env):len(m.env)], "TSUMERO_ADDR="+addr,
		"TSUMERO_SERVER=http://"+addr, "TSUMERO_JOBS_SLOTS=0")}
	front.run(t, `[ ! -e "$PID" ] || systemctl stop tsumero; systemctl start tsumero`)
	eventually(t, "the store of the cluster", func(ctx context.Context) error {
		cmd := exec.CommandContext(ctx, "sh", "-c", "tsumero jobs "+first)
		cmd.Env = front.env
		return cmd.Run()
	})
	if got := front.run(t, results+first+""); got != answers {
		t.Errorf("in the cluster the answers are\n%s\nand were\n%s", got, answers)
	}

	worker := exec.CommandContext(t.Context(), "sh", "-c", "exec tsumero-server worker --slots 1")
	worker.Env = append(m.env[:len(m.env):len(m.env)], "TSUMERO_NATS_CREDS="+filepath.Join(keys, "worker.nk"))
	var log bytes.Buffer
	worker.Stderr = &log
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	id := front.run(t, submit)
	front.run(t, "timeout 60 tsumero jobs --follow "+id)
	if got := front.run(t, results+id+""); strings.Count(got, `"verdict"`) != 2 {
		t.Errorf("the worker's answers are\n%s", got)
	}
	if err := worker.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	if err := worker.Wait(); err != nil {
		t.Errorf("the worker: %v", err)
	}
	if strings.Contains(log.String(), "ermissions") {
		t.Errorf("the worker lacks a right:\n%s", &log)
	}
}
