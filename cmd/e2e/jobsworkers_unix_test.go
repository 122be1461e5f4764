//go:build unix

package e2e

import (
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/jobs/pgtest"
)

// startWorker starts a worker on the jobs of a database.
func startWorker(t *testing.T, database string, flags ...string) *service {
	t.Helper()
	args := append([]string{"worker", "--jobs", database, "--admin-addr", "127.0.0.1:0", "--memory", "64MiB", "--slots", "2"}, flags...)
	s := &service{cmd: program(t, "tsumero-server", args...), log: &logBuffer{}, ended: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.run(t)
	waitFor(t, "the worker to listen", s.findAddresses)
	return s
}

// TestWorkers: a front without slots of its own, and workers that come and go, share the jobs of a
// database. A worker that leaves gives back what it has, with a checkpoint, and the answers are those of one
// machine. While the database is away nobody ends, and work goes on by itself when it is back.
func TestWorkers(t *testing.T) {
	long(t)
	database := pgtest.Start(t, pgtest.Options{})
	address := database.URL("postgres")
	database.Stop()
	checkpoints := t.TempDir()
	front := startService(t, "--jobs", address, "--jobs-slots", "0", "--rate", "0", "--quota-anonymous", "active=8,time=1h")
	work := func() *service { return startWorker(t, address, "--grace", "0s", "--checkpoints", checkpoints) }
	worker := work()
	const away = "jobs: the job database is away"
	troubled := func() bool { return strings.Contains(front.send(t, "GET", front.admin+"/readyz", "").body, away) }
	ready := func() int { return worker.send(t, "GET", worker.admin+"/readyz", "").StatusCode }
	if !troubled() || ready() != 503 {
		t.Errorf("without a database the service is ready, and the worker says %d", ready())
	}
	database.Restart()

	positions, body := jobLines(100)
	const limits = "&nodes=40000&time_ms=10000"
	var id string
	waitFor(t, "a job to be accepted", func() (ok bool) {
		id, ok = front.submitJob(t, ndjsonType, "?"+limits[1:], body, "collection")
		return ok
	})
	state := func(id string) jobAnswer {
		return decode[jobAnswer](t, front.send(t, "GET", "/v1/jobs/"+id, "").body)
	}
	waitFor(t, "the end of the collection", func() bool { return state(id).State == "done" })
	front.checkResults(t, id, limits, positions)
	waitFor(t, "both to be ready", func() bool { return !troubled() && ready() == 200 })

	// A database that is gone for a moment.
	positions, body = jobLines(3000)
	waitFor(t, "another job to be accepted", func() (ok bool) {
		id, ok = front.submitJob(t, ndjsonType, "?"+limits[1:], body, "during a restart")
		return ok
	})
	database.Stop()
	waitFor(t, "the service to notice", troubled)
	if r := front.send(t, "GET", link(mateIn3), ""); r.StatusCode != 200 {
		t.Errorf("without a database: %s", r.Status)
	}
	database.Restart()
	back := time.Now()
	waitAtMost(t, 2*time.Minute, "the end of the job", func() bool {
		r := front.send(t, "GET", "/v1/jobs/"+id, "")
		return r.StatusCode == 200 && decode[jobAnswer](t, r.body).State == "done"
	})
	t.Logf("done %v after the database was back", time.Since(back))
	front.checkAnswers(t, id, limits, positions[:1000], front)

	// No mate is known in this position, which keeps a search busy.
	hard := `{"sfen":"` + endless + `","limits":{"time_ms":3600000}}`
	waitFor(t, "the hard problem to be accepted", func() (ok bool) { // a connection of before may be used first
		id, ok = front.submitJob(t, jsonType, "", hard, "hard")
		return ok
	})
	waitFor(t, "progress of the hard problem", func() bool {
		return strings.Contains(front.send(t, "GET", "/v1/jobs/"+id, "").body, `"phase":"searching"`)
	})
	if err := worker.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-worker.ended
	worker.stop(t) // checks the exit code
	files, err := os.ReadDir(checkpoints)
	if err != nil || len(files) == 0 || !strings.HasPrefix(files[0].Name(), id) {
		t.Errorf("a worker that left: %d checkpoints, %v\n%s", len(files), err, worker.log)
	}
	second := work()
	waitFor(t, "the other worker to go on", func() bool {
		return strings.Contains(second.log.whole(), "goes on from a checkpoint")
	})
	if r := front.send(t, "DELETE", "/v1/jobs/"+id, ""); r.StatusCode != 204 {
		t.Errorf("cancel: %d %s", r.StatusCode, r.body)
	}
	waitFor(t, "the end of the cancelled problem", func() bool { return state(id).State == "cancelled" })
	waitFor(t, "the checkpoints to be removed", func() bool {
		files, _ := os.ReadDir(checkpoints)
		return len(files) == 0
	})
}

// A line is a connection to a server that a test may hold: nothing comes through then, and nobody is told.
type line struct {
	net.Listener
	hold sync.RWMutex
}

// lineTo returns a line to an address.
func lineTo(t *testing.T, address string) *line {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	l := &line{Listener: listener}
	pass := func(to, from net.Conn) {
		defer to.Close()
		data := make([]byte, 32<<10)
		for {
			n, err := from.Read(data)
			if err != nil {
				return
			}
			l.hold.RLock()
			_, err = to.Write(data[:n])
			l.hold.RUnlock()
			if err != nil {
				return
			}
		}
	}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", address)
			if err != nil {
				client.Close()
				continue
			}
			go pass(client, server)
			go pass(server, client)
		}
	}()
	return l
}

// TestStopWhileDatabaseHangs: a service and a worker whose database answers no more, and does not say so, end
// in their time. What they had is done by others.
func TestStopWhileDatabaseHangs(t *testing.T) {
	long(t)
	database := pgtest.Start(t, pgtest.Options{})
	address := database.URL("postgres")
	l := lineTo(t, database.Address())
	held := strings.Replace(address, database.Address(), l.Addr().String(), 1)
	front := startService(t, "--jobs", held, "--rate", "0", "--grace", "2s", "--quota-anonymous", "active=8,lines=100000,bytes=1GiB")
	worker := startWorker(t, held, "--grace", "2s")
	positions, body := jobLines(3000)
	const limits = "&nodes=40000&time_ms=10000"
	var id string
	waitFor(t, "a job to be accepted", func() (ok bool) {
		id, ok = front.submitJob(t, ndjsonType, "?"+limits[1:], body, "job")
		return ok
	})
	waitFor(t, "work on it", func() bool {
		return !strings.Contains(front.send(t, "GET", "/v1/jobs/"+id, "").body, `"done":0,`)
	})
	l.hold.Lock()
	if r := front.send(t, "GET", link(mateIn3), ""); r.StatusCode != 200 {
		t.Errorf("a question: %s", r.Status)
	}
	front.terminate(t)
	worker.terminate(t)
	for name, s := range map[string]*service{"service": front, "worker": worker} {
		select {
		case <-s.ended:
		case <-time.After(time.Minute): // the service needs --grace and 2 s, the worker 10 s more
			t.Fatalf("the %s does not end\n%s", name, s.log)
		}
		s.stop(t) // checks the exit code
	}
	l.hold.Unlock()
	front = startService(t, "--jobs", address, "--rate", "0")
	waitAtMost(t, 3*time.Minute, "the end of the job", func() bool {
		return decode[jobAnswer](t, front.send(t, "GET", "/v1/jobs/"+id, "").body).State == "done"
	})
	front.checkAnswers(t, id, limits, positions[:1000], front)
}
