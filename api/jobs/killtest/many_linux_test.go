package killtest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/jobs/pgtest"
)

// What is promised: how long it takes until the chunks of a killed worker are at work again, and
// how long until anything is answered once the database is back.
const (
	rescueTime = 75 * time.Second
	returnTime = 15 * time.Second
	// stopTime is how long a process is stopped: longer than it takes until its chunks are others'.
	stopTime = 36 * time.Second
	// slack is for the work itself, and for a machine under load.
	slack = 10 * time.Second
)

// A cluster is a pair of databases, two services and three workers, one of which has a network of
// its own to the databases.
type cluster struct {
	t         *testing.T
	fleet     *fleet
	clients   *clients
	pair      *pgtest.Pair
	link      *link
	database  string
	dir       string
	full      bool      // there are disks that can be filled
	skip      string    // why a disaster did not strike
	back      time.Time // since when those who are left can work
	r         *rand.Rand
	processes map[string]*process
}

func newCluster(t *testing.T) *cluster {
	m := &cluster{t: t, dir: where(t), r: rand.New(rand.NewPCG(*seed, 1<<42)),
		processes: map[string]*process{}}
	one, other := disk(t, "384m"), disk(t, "384m")
	m.full = one != "" && other != ""
	m.pair = pgtest.StartPair(t, pgtest.Options{}, one, other)
	m.database = m.pair.Primary.NewDatabase()
	m.link = newLink(t, m.pair.Primary.Address(), m.pair.Standby.Address())
	m.fleet = newFleet(t)
	m.clients = newClients(t, m.fleet, newWitness(m.fleet))
	for _, name := range []string{"service-0", "service-1", "worker-0", "worker-1", "worker-2"} {
		m.start(name, binary(t)) // all of them make the tables at once
	}
	for _, p := range m.processes {
		p.wait(t)
	}
	return m
}

// start starts one of the processes.
func (m *cluster) start(name, program string) {
	m.t.Helper()
	address := m.pair.URL(m.database)
	if name == "worker-2" {
		address = pgtest.PairURL(m.link.addresses[0], m.link.addresses[1], m.database)
	}
	args := []string{"worker", "--jobs", address, "--admin-addr", anyPort, "--slots", "2",
		"--memory", "64MiB", "--checkpoints", filepath.Join(m.dir, "checkpoints"), "--grace", "5s"}
	if strings.HasPrefix(name, "service") {
		args = slices.Concat(serving, quotas, []string{"--jobs", address, "--jobs-slots", "0",
			"--memory", "64MiB"})
	}
	p := m.fleet.start(name, exec.Command(program, args...))
	m.processes[name] = p
	if strings.HasPrefix(name, "service") {
		m.clients.use(p)
	}
}

// any returns the name of a service or a worker.
func (m *cluster) any(kind string) string {
	var names []string
	for name := range m.processes {
		if strings.HasPrefix(name, kind) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names[m.r.IntN(len(names))]
}

// restart kills a process and starts it again after a moment.
func (m *cluster) restart(name string) {
	m.processes[name].kill()
	time.Sleep(time.Duration(m.r.Int64N(int64(time.Second))))
	m.start(name, binary(m.t))
}

// away returns after the time for which a database, or a network, is away.
func (m *cluster) away() {
	d := time.Duration(m.r.Int64N(int64(10 * time.Second)))
	if *disasters > 0 && m.r.IntN(4) == 0 {
		d += stopTime
	}
	time.Sleep(d)
}

// isBack marks the time when the database is back, and waits for its standby.
func (m *cluster) isBack() {
	m.t.Helper()
	m.back = time.Now()
	m.pair.WaitSync()
}

// A disaster is of some kind.
type disaster struct {
	what     string
	database bool // it takes the database away
	short    bool // it is one of the few
	strike   func(m *cluster)
}

var kinds = []disaster{
	{"worker killed", false, true, func(m *cluster) { m.restart(m.any("worker")) }},
	{"service killed", false, true, func(m *cluster) { m.restart(m.any("service")) }},
	{"database killed", true, true, func(m *cluster) {
		m.pair.Primary.Kill()
		m.away()
		m.pair.Primary.Restart()
		m.isBack()
	}},
	{"standby promoted", true, true, func(m *cluster) {
		m.pair.WaitSync()
		m.pair.Primary.Kill()
		m.pair.Promote()
		m.back = time.Now()
		m.pair.Rebuild()
	}},
	{"database restarted", true, false, func(m *cluster) {
		m.pair.Primary.Stop()
		m.away()
		m.pair.Primary.Restart()
		m.isBack()
	}},
	{"worker stopped", false, false, func(m *cluster) {
		p := m.processes[m.any("worker")].cmd.Process
		_ = p.Signal(syscall.SIGSTOP)
		time.Sleep(stopTime + time.Duration(m.r.Int64N(int64(10*time.Second))))
		_ = p.Signal(syscall.SIGCONT)
	}},
	{"network cut", false, false, func(m *cluster) {
		m.link.cut()
		m.away()
		m.link.heal()
	}},
	{"disk full", true, false, func(m *cluster) {
		if !m.full {
			m.skip = noDisk
			return
		}
		free := fill(m.t, m.pair.Primary.Dir())
		m.away()
		free()
		if !m.pair.Primary.Alive() { // as the operating system's service manager does
			m.pair.Primary.Restart()
		}
		m.isBack()
	}},
	{"uploads cut", false, false, func(m *cluster) {
		// One in six is cut at any time. These are slow, and their service goes away meanwhile.
		m.clients.setSlow(true)
		time.Sleep(2 * time.Second)
		m.restart(m.any("service"))
		m.clients.setSlow(false)
	}},
	{"two versions", false, false, func(m *cluster) {
		if *older == "" {
			m.skip = "without -killtest.older"
			return
		}
		for _, name := range []string{m.any("worker"), m.any("service")} {
			m.processes[name].terminate(m.t)
			m.start(name, []string{*older, binary(m.t)}[m.r.IntN(2)])
		}
	}},
}

func (c *clients) setSlow(slow bool) { c.mu.Lock(); defer c.mu.Unlock(); c.slow = slow }

// TestMany wants jobs at a database that many processes share to survive disasters. The next one
// comes when all is well again, or before.
func TestMany(t *testing.T) {
	long(t)
	m := newCluster(t)
	c := m.clients
	c.inPeace(6)
	wait := c.run()
	// The answers after a disaster are waited for while the next one strikes, if that is early.
	var measuring sync.WaitGroup
	var mu sync.Mutex
	healed, back := map[string][]time.Duration{}, map[string][]time.Duration{}
	skipped := map[string]string{}
	for i, d := range m.deck() {
		c.waitForAnswer(time.Now()) // there is work
		if *disasters > 0 && strings.HasPrefix(d.what, "worker") {
			c.submit(longJob(i), m.r)
		}
		open := c.open()
		struck := time.Now()
		m.back, m.skip = struck, ""
		d.strike(m)
		if m.skip != "" {
			skipped[d.what] = m.skip
			continue
		}
		over := m.back
		heal := func(judged bool) {
			first := c.waitForAnswer(over)
			all := c.waitForJobs(open, over)
			t.Logf("%3d %-18s back after %4.1f s, an answer after %4.1f s, all done after %4.1f s%s",
				i+1, d.what, over.Sub(struck).Seconds(), first.Seconds(), all.Seconds(),
				map[bool]string{false: ", with the next one"}[judged])
			if !judged {
				return
			}
			mu.Lock()
			healed[d.what], back[d.what] = append(healed[d.what], all), append(back[d.what], first)
			mu.Unlock()
			if d.database && first > within(returnTime) {
				t.Errorf("%s: the first answer comes %v after it is back", d.what, first)
			}
			if all > within(rescueTime+slack) {
				t.Errorf("%s: jobs from before need %v", d.what, all)
			}
		}
		if *disasters == 0 || m.r.IntN(3) == 0 {
			measuring.Go(func() { heal(false) })
			time.Sleep(time.Duration(m.r.Int64N(int64(3 * time.Second))))
		} else {
			heal(true)
			for _, p := range m.processes {
				p.wait(t)
			}
		}
		if c.idle() > patience {
			t.Errorf("nothing was answered for %v", patience)
			break
		}
	}
	measuring.Wait()
	c.stop()
	began := time.Now()
	for _, p := range m.processes {
		p.wait(t)
	}
	wait()
	t.Logf("all is done %.1f s after the last disaster", time.Since(began).Seconds())
	c.recheck()
	for _, d := range kinds {
		if n := len(healed[d.what]); n > 0 {
			t.Logf("%-18s %3d: an answer after %s, all after %s", d.what, n, spread(back[d.what]),
				spread(healed[d.what]))
		} else if skipped[d.what] != "" {
			t.Logf("%-18s skipped: %s", d.what, skipped[d.what])
		}
	}
	c.log("disasters")
}

// deck returns the disasters: of all kinds, in any order, as many as there are to be.
func (m *cluster) deck() (deck []disaster) {
	here := slices.DeleteFunc(slices.Clone(kinds), func(d disaster) bool {
		return !strings.Contains(d.what, *only) || *disasters == 0 && !d.short
	})
	for len(deck) < *disasters || len(deck) == 0 {
		next := slices.Clone(here)
		if *disasters > 0 {
			m.r.Shuffle(len(next), func(i, k int) { next[i], next[k] = next[k], next[i] })
		}
		deck = append(deck, next...)
	}
	return deck[:max(*disasters, min(len(deck), len(here)))]
}

// waitForAnswer waits for an answer, and returns how long after a time it came.
func (c *clients) waitForAnswer(after time.Time) time.Duration {
	for {
		if at, ok := c.answeredAfter(after); ok || c.idle() > patience {
			return at.Sub(after)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// waitForJobs waits until jobs are done, but for long ones, and returns how long after a time
// they were.
func (c *clients) waitForJobs(all []*job, after time.Time) (took time.Duration) {
	for _, j := range all {
		isOpen := func() bool { c.mu.Lock(); defer c.mu.Unlock(); return !j.done }
		for !j.long && isOpen() && c.idle() < patience {
			time.Sleep(20 * time.Millisecond)
		}
		if !j.long {
			took = max(took, j.doneAt.Sub(after))
		}
	}
	return took
}

// spread returns the median and the maximum of times.
func spread(all []time.Duration) string {
	slices.Sort(all)
	return fmt.Sprintf("%.1f s, at most %.1f s", all[len(all)/2].Seconds(), all[len(all)-1].Seconds())
}

// A link is a network to servers. While it is cut, nothing comes through, and nobody hears of that.
type link struct {
	addresses []string
	gate      sync.RWMutex // is held while the link is cut

	mu    sync.Mutex
	conns []net.Conn
}

func newLink(t *testing.T, servers ...string) *link {
	l := &link{}
	for _, server := range servers {
		listener, err := net.Listen("tcp", anyPort)
		if err != nil {
			t.Fatal(err)
		}
		l.addresses = append(l.addresses, listener.Addr().String())
		go func() {
			for {
				near, err := listener.Accept()
				if err != nil {
					return // the test is over
				}
				go l.join(near, server)
			}
		}()
		t.Cleanup(func() { _ = listener.Close(); l.drop() })
	}
	return l
}

// join joins a connection with one to a server.
func (l *link) join(near net.Conn, server string) {
	l.gate.RLock()
	far, err := net.DialTimeout("tcp", server, time.Second)
	l.gate.RUnlock()
	if err != nil {
		_ = near.Close()
		return
	}
	l.mu.Lock()
	l.conns = append(l.conns, near, far)
	l.mu.Unlock()
	go l.pump(near, far)
	l.pump(far, near)
}

func (l *link) pump(to, from net.Conn) {
	defer func() { _, _ = to.Close(), from.Close() }()
	for buffer := make([]byte, 32<<10); ; {
		n, err := from.Read(buffer)
		l.gate.RLock()
		_, failed := to.Write(buffer[:n])
		l.gate.RUnlock()
		if err != nil || failed != nil {
			return
		}
	}
}

func (l *link) cut() { l.gate.Lock() }

// heal makes a network of the link again, which knows none of the connections from before.
func (l *link) heal() {
	l.drop()
	l.gate.Unlock()
}

func (l *link) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.conns {
		_ = c.Close()
	}
	l.conns = nil
}

// noDisk says why disk returns nothing.
const noDisk = "a small disk cannot be mounted here"

// disk returns a folder that is a disk of a size, in memory; "" if there can be none.
func disk(t *testing.T, size string) string {
	t.Helper()
	d, err := os.MkdirTemp("", "killtest-disk-") // other users come to it
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", d, "tmpfs", 0, "mode=755,size="+size); err != nil {
		_ = os.Remove(d)
		return ""
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(d, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
		_ = os.Remove(d)
	})
	return d
}

// fill takes all room of a disk, and returns what gives it back.
func fill(t *testing.T, d string) (free func()) {
	t.Helper()
	balloon, err := os.Create(filepath.Join(d, "balloon"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = balloon.Close() }()
	for size := 1 << 20; size > 0; {
		if _, err := balloon.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	return func() { _ = os.Remove(balloon.Name()) }
}

// TestDisk: a full disk is told, questions are answered all the same, and work goes on when there
// is room; and a directory that nobody can use is no reason to start.
func TestDisk(t *testing.T) {
	long(t)
	d := disk(t, "24m")
	if d == "" {
		t.Skip(noDisk)
	}
	f := newFleet(t)
	c := newClients(t, f, newWitness(f))
	jobs := filepath.Join(d, "jobs")
	p := f.serveJobs(jobs, 1)
	c.use(p)
	p.wait(t)
	r := rand.New(rand.NewPCG(*seed, 1<<43))
	for key := range 12 {
		c.submit(newJob(3+8*key), r) // some seconds of work
	}
	before := len(c.open())
	free := fill(t, d)
	fresh := problem(1001, 500)
	waitAtMost(t, within(15*time.Second), func() string {
		_, status, text := c.submitOnce(fresh, len(fresh.body))
		if status != http.StatusInsufficientStorage {
			fresh.key++ // in case it was accepted
			return fmt.Sprintf("a new job is answered %d on a full disk: %s", status, text)
		}
		return ""
	})
	for range 10 {
		question := strings.NewReader(`{"sfen":"` + positions[0] + `"}`)
		status, text, err := c.ask(5*time.Second, 0, "POST", "/v1/solve", question,
			"Content-Type", "application/json")
		if err != nil || status != http.StatusOK {
			t.Errorf("a question on a full disk: %d %s %v", status, text, err)
		}
		time.Sleep(300 * time.Millisecond)
	}
	c.look()
	if len(c.open()) == 0 {
		t.Error("there was too little work")
	}
	free()
	room := time.Now()
	for c.awake(); c.idle() < time.Minute; c.look() {
		if _, ok := c.answeredAfter(room); ok {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	goesOn := time.Since(room)
	if goesOn > within(5*time.Second) {
		t.Errorf("work goes on %v after there is room\n%s", goesOn, p.tail())
	}
	accepts := waitAtMost(t, within(30*time.Second), func() string {
		id, status, text := c.submitOnce(fresh, len(fresh.body))
		if id == "" {
			return fmt.Sprintf("a new job is answered %d with room: %s", status, text)
		}
		fresh.id = id
		return ""
	})
	c.jobs = append(c.jobs, fresh)
	c.finish(time.Minute)
	if n := len(c.open()); n > 0 {
		t.Errorf("%d jobs are not done\n%s", n, p.tail())
	}
	t.Logf("full with %d jobs under way; goes on after %.1f s, and takes jobs after %.1f s more",
		before, goesOn.Seconds(), accepts.Seconds())
	c.recheck()

	refuses := func(what string, cmd *exec.Cmd, reason string) {
		t.Helper()
		p := f.start(strings.ReplaceAll(what, " ", "-"), cmd)
		select {
		case <-p.ended:
		case <-time.After(within(30 * time.Second)):
			t.Errorf("%s: it runs all the same\n%s", what, p.tail())
			return
		}
		said := p.last()
		if p.cmd.ProcessState.ExitCode() <= 0 || !strings.Contains(said, reason) ||
			!strings.Contains(said, jobs) {
			t.Errorf("%s: %v, and not %q with the directory: %s", what, p.cmd.ProcessState, reason, p.tail())
		}
		t.Logf("%s: %s", what, said)
	}
	serve := func() *exec.Cmd {
		return exec.Command(binary(t), "serve", "--addr", anyPort, "--admin-addr", "off", "--jobs", jobs)
	}
	refuses("a second process", serve(), "in use")
	p.kill()
	nobody := serve()
	nobody.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	refuses("another owner", nobody, "permission denied")
	if err := syscall.Mount("", d, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	refuses("a read-only disk", serve(), "read-only")
}
