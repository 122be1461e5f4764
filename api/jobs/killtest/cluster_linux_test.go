//go:build !nonats

package killtest

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/tsumero/tsumero/api/jobs"
)

var (
	disasters = flag.Int("killtest.disasters", 12, "how many the cluster meets: a dozen has each kind")
	only      = flag.String("killtest.only", "", "the kinds of disasters, by a part of their names; \"\" is all")
)

func init() { node = runNode }

const (
	nodes = 3
	// natsConfig is what the nodes are deployed with.
	natsConfig = "../../../deploy/cluster/nats.conf"
	// healthTime is how long a cluster may take to be healthy again.
	healthTime = 3 * time.Minute
)

// The environment of a node, besides the keys of natsConfig.
const addressEnv = "TSUMERO_KILLTEST_ADDRESS" // of node 0, but for the last number

// runNode runs a node as deploy/cluster does: it has an address and not a machine of its own, and a
// start without the indexes of its streams.
func runNode(ctx context.Context) error {
	go endWithParent()
	o, err := server.ProcessConfigFile(natsConfig)
	if err != nil {
		return err
	}
	i, err := strconv.Atoi(os.Getenv(nameEnv))
	if err != nil {
		return err
	}
	network := os.Getenv(addressEnv)
	o.Host = network + strconv.Itoa(i+1)
	o.ServerName, o.HTTPHost, o.Cluster.Host = fmt.Sprint("nats-", i), o.Host, o.Host
	o.StoreDir, o.PidFile, o.NoSigs, o.Logtime = os.Getenv(storeEnv), "", true, true
	var routes []string
	for k := range nodes {
		routes = append(routes, fmt.Sprintf("nats://%s%d:%d", network, k+1, o.Cluster.Port))
	}
	o.Routes = server.RoutesFromStr(strings.Join(routes, ","))
	indexes, err := filepath.Glob(filepath.Join(o.StoreDir, "jetstream/*/streams/*/msgs/index.db"))
	if err != nil {
		return err
	}
	for _, index := range indexes {
		if err := os.Remove(index); err != nil {
			return err
		}
	}
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	s.ConfigureLogger()
	s.Start()
	<-ctx.Done()
	s.Shutdown()
	s.WaitForShutdown()
	return nil
}

// A cluster is three nodes, two services and two workers, each a process, and clients.
type cluster struct {
	t         *testing.T
	dir       string
	network   string
	at        place
	env       []string
	logs      map[string]*os.File
	processes map[string]*process
	services  map[string]*service
	client    *client
	r         *rand.Rand

	clients sync.WaitGroup
}

// The names of processes, but for their numbers.
const (
	aNode    = "node-"
	aService = "service-"
	aWorker  = "worker-"
)

func newCluster(t *testing.T) *cluster {
	pid := os.Getpid() // so that several tests at once have networks of their own
	c := &cluster{t: t, dir: where(t), network: fmt.Sprintf("127.%d.%d.", 1+pid>>8&0x7f, pid&0xff),
		logs: map[string]*os.File{}, processes: map[string]*process{}, services: map[string]*service{},
		r: rand.New(rand.NewPCG(*seed, 3<<32))}
	c.env = []string{addressEnv + "=" + c.network}
	keys := filepath.Join(c.dir, "keys")
	if err := os.Mkdir(keys, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, role := range []string{"serve", "worker", "system"} {
		user, err := nkeys.CreateUser()
		if err != nil {
			t.Fatal(err)
		}
		private, _ := user.Seed()
		public, _ := user.PublicKey()
		if err := os.WriteFile(filepath.Join(keys, role), private, 0o600); err != nil {
			t.Fatal(err)
		}
		c.env = append(c.env, "NKEY_"+strings.ToUpper(role)+"="+public)
	}
	var urls []string
	for i := range nodes {
		urls = append(urls, fmt.Sprintf("nats://%s%d:4222", c.network, i+1))
		c.run(aNode + strconv.Itoa(i))
	}
	c.at = place{strings.Join(urls, ","), keys}
	c.client = newClient(secretOf(t, c.at))
	for i := range 2 {
		name := aService + strconv.Itoa(i)
		c.services[name] = &service{client: c.client, log: c.log("clients-" + strconv.Itoa(i)), asked: map[int]chan bool{}}
		c.run(name)
		c.run(aWorker + strconv.Itoa(i))
	}
	c.health()
	return c
}

// log returns the log of a process, which is that of those before it, or another one.
func (c *cluster) log(name string) *os.File {
	if c.logs[name] == nil {
		log, err := os.OpenFile(filepath.Join(c.t.ArtifactDir(), name+".log"),
			os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
		if err != nil {
			c.t.Fatal(err)
		}
		c.t.Cleanup(func() { _ = log.Close() })
		c.logs[name] = log
	}
	return c.logs[name]
}

// run starts a process.
func (c *cluster) run(name string) {
	c.t.Helper()
	g := program{role: "work", name: name, at: c.at, book: filepath.Join(c.dir, "ledger"), log: c.log(name)}
	s := c.services[name]
	switch {
	case strings.HasPrefix(name, aNode):
		g.role, g.name, g.at, g.env = "node", strings.TrimPrefix(name, aNode), place{store: c.disk(name)}, c.env
	case s != nil:
		g.role, g.heard = "queue,coordinate", s.heard
	}
	p := start(c.t, g)
	c.processes[name] = p
	if s != nil {
		s.mu.Lock()
		s.p = p
		s.mu.Unlock()
	}
}

func (c *cluster) disk(name string) string { return filepath.Join(c.dir, name) }

// any returns one of the processes of a kind.
func (c *cluster) any(kind string) string {
	names := c.all(kind)
	return names[c.r.IntN(len(names))]
}

// all returns all processes of a kind.
func (c *cluster) all(kind string) []string {
	var names []string
	for name := range c.processes {
		if strings.HasPrefix(name, kind) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// get asks a node by its monitoring port.
func (c *cluster) get(name, path string) (status int, text []byte, err error) {
	i, _ := strconv.Atoi(strings.TrimPrefix(name, aNode))
	client := http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Get(fmt.Sprintf("http://%s%d:8222%s", c.network, i+1, path))
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err = io.ReadAll(answer.Body)
	return answer.StatusCode, text, err
}

// health waits until all nodes say that they are healthy, and services and workers that they are ready.
func (c *cluster) health() {
	c.t.Helper()
	last := ""
	for end := time.Now().Add(healthTime); ; time.Sleep(200 * time.Millisecond) {
		healthy := true
		for name, p := range c.processes {
			select {
			case <-p.ended:
				c.t.Fatalf("%s has ended: %s", name, c.tail(name))
			default:
			}
			if !strings.HasPrefix(name, aNode) {
				select {
				case <-p.ready:
				default:
					healthy, last = false, name+" is not ready"
				}
				continue
			}
			if status, text, err := c.get(name, "/healthz"); err != nil || status != http.StatusOK {
				healthy, last = false, fmt.Sprintf("%s: %d %s %v", name, status, text, err)
			}
		}
		if healthy {
			return
		}
		if time.Now().After(end) {
			c.t.Fatalf("not healthy after %v: %s", healthTime, last)
		}
	}
}

// tail returns the last lines of a log.
func (c *cluster) tail(name string) string {
	text, _ := os.ReadFile(c.log(name).Name())
	return string(text[max(0, len(text)-4<<10):])
}

// leader returns the node that leads one of the streams.
func (c *cluster) leader() string {
	var found struct {
		Accounts []struct {
			Streams []struct {
				Cluster struct {
					Leader string `json:"leader"`
				} `json:"cluster"`
			} `json:"stream_detail"`
		} `json:"account_details"`
	}
	_, text, err := c.get(c.any(aNode), "/jsz?streams=1")
	if err == nil {
		err = json.Unmarshal(text, &found)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	var leaders []string
	for _, a := range found.Accounts {
		for _, s := range a.Streams {
			leaders = append(leaders, strings.Replace(s.Cluster.Leader, "nats-", aNode, 1))
		}
	}
	if len(leaders) == 0 {
		c.t.Fatalf("no streams: %s", text)
	}
	if l := leaders[c.r.IntN(len(leaders))]; l != "" {
		return l
	}
	return c.any(aNode)
}

// restart kills processes, at once, and starts them again. between is called while they are away.
func (c *cluster) restart(between func(), names ...string) {
	for _, name := range names {
		_ = c.processes[name].cmd.Process.Kill()
	}
	for _, name := range names {
		c.processes[name].kill()
	}
	if between != nil {
		between()
	}
	for _, name := range names {
		select {
		case <-c.processes[name].ended:
			c.run(name)
		default: // between has
		}
	}
}

// pause stops a process, and lets it go on.
func (c *cluster) pause(name string, d time.Duration) {
	send(c.t, c.processes[name], syscall.SIGSTOP)
	time.Sleep(d)
	send(c.t, c.processes[name], syscall.SIGCONT)
}

// A disaster is of some kind. It is as often as its weight says, in dozen disasters.
type disaster struct {
	what   string
	weight int
	strike func(c *cluster)
}

var kinds = []disaster{
	{"leader killed", 2, func(c *cluster) { c.restart(nil, c.leader()) }},
	{"node killed", 2, func(c *cluster) { c.restart(nil, c.any(aNode)) }},
	{"all nodes killed", 1, func(c *cluster) { c.restart(nil, c.all(aNode)...) }},
	{"disk wiped", 1, func(c *cluster) {
		name := c.any(aNode)
		c.restart(func() { _ = os.RemoveAll(c.disk(name)) }, name)
	}},
	{"rolling restart", 1, func(c *cluster) {
		for _, name := range c.all(aNode) {
			send(c.t, c.processes[name], syscall.SIGTERM)
			select {
			case <-c.processes[name].ended:
			case <-time.After(healthTime):
				c.t.Fatalf("%s does not end: %s", name, c.tail(name))
			}
			c.run(name)
			c.health()
		}
	}},
	{"leader stopped", 1, func(c *cluster) {
		c.pause(c.leader(), 2*time.Second+time.Duration(c.r.Int64N(int64(8*time.Second))))
	}},
	{"worker stopped", 1, func(c *cluster) {
		c.pause(c.any(aWorker), clusterLease+time.Duration(c.r.Int64N(int64(clusterLease))))
	}},
	{"worker killed", 1, func(c *cluster) { c.restart(nil, c.any(aWorker)) }},
	{"service killed", 1, func(c *cluster) { c.restart(nil, c.any(aService)) }},
	{"service and node", 1, func(c *cluster) {
		name := c.any(aService)
		c.restart(func() { // it starts while a node is away
			c.run(name)
			select {
			case <-c.processes[name].ready:
			case <-time.After(healthTime):
				c.t.Fatalf("%s does not start without a node: %s", name, c.tail(name))
			}
		}, c.any(aNode), name)
	}},
}

// A service is one to which clients talk.
type service struct {
	client *client

	log *os.File // of what clients hear

	mu    sync.Mutex
	p     *process
	asked map[int]chan bool // by key
	done  int               // jobs that it has said are done, of those that it was asked for
	open  int
}

// heard takes in what the process says.
func (s *service) heard(words []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch words[0] {
	case "done":
		s.done++
	case "open":
		s.open++
	default:
		s.client.heard(words)
		key, _ := strconv.Atoi(words[1])
		_, _ = fmt.Fprintln(s.log, time.Now().Format("15:04:05.000"), strings.Join(words, " "))
		if answer := s.asked[key]; answer != nil {
			answer <- words[0] == "accepted"
			delete(s.asked, key)
		}
	}
}

// submit submits a job, and reports whether it was accepted.
func (s *service) submit(key int) bool {
	answer := make(chan bool, 1)
	s.mu.Lock()
	p := s.p
	s.asked[key] = answer
	s.mu.Unlock()
	_, _ = fmt.Fprintln(p.in, "submit", key)
	select {
	case accepted := <-answer:
		return accepted
	case <-p.ended:
	case <-time.After(30 * time.Second):
	}
	return false
}

// submits has a client submit jobs until stopped is closed, each until it is accepted. One in four is
// submitted to both services at once.
func (c *cluster) submits(stopped <-chan struct{}, r *rand.Rand) {
	services := []*service{c.services[aService+"0"], c.services[aService+"1"]}
	for {
		key := c.client.take()
		for ; ; time.Sleep(100 * time.Millisecond) {
			if r.IntN(4) == 0 {
				other := make(chan bool, 1)
				go func() { other <- services[0].submit(key) }()
				accepted := services[1].submit(key)
				if <-other || accepted {
					break
				}
			} else if services[r.IntN(2)].submit(key) {
				break
			}
		}
		select {
		case <-stopped:
			return
		case <-time.After(200*time.Millisecond + time.Duration(r.Int64N(int64(time.Second)))):
		}
	}
}

// take returns a new key.
func (c *client) take() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ids = append(c.ids, jobs.DeriveID(c.secret, "killtest", strconv.Itoa(c.next)))
	c.next++
	return c.next - 1
}

// gap returns the longest time between two acceptances that ended after begin.
func (c *client) gap(begin time.Time) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	last, longest := time.Now(), time.Duration(0)
	for _, at := range slices.Backward(c.accepted) {
		longest = max(longest, last.Sub(at))
		if last = at; at.Before(begin) {
			break
		}
	}
	return longest
}

// TestCluster wants a cluster to lose nothing in disasters, of which the next one comes a second after
// the nodes are healthy again, and to go on by itself.
func TestCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("three servers")
	}
	t.Parallel()
	c := newCluster(t)
	begin := time.Now()
	stopped := make(chan struct{})
	for i := range 6 {
		c.clients.Go(func() { c.submits(stopped, rand.New(rand.NewPCG(*seed, uint64(4<<32+i)))) })
	}
	for c.client.gap(time.Time{}) == 0 { // none is accepted yet
		time.Sleep(10 * time.Millisecond)
	}
	var deck []disaster
	health, gaps := map[string][]time.Duration{}, map[string][]time.Duration{}
	for i := range *disasters {
		if len(deck) == 0 {
			for _, d := range kinds {
				if strings.Contains(d.what, *only) {
					deck = append(deck, slices.Repeat([]disaster{d}, d.weight)...)
				}
			}
			c.r.Shuffle(len(deck), func(i, k int) { deck[i], deck[k] = deck[k], deck[i] })
		}
		d := deck[0]
		deck = deck[1:]
		struck := time.Now()
		d.strike(c)
		c.health()
		healthy := time.Since(struck)
		time.Sleep(time.Second)
		gap := c.client.gap(struck)
		t.Logf("%3d %-16s healthy after %5.1f s, longest gap %5.1f s", i+1, d.what, healthy.Seconds(), gap.Seconds())
		health[d.what], gaps[d.what] = append(health[d.what], healthy), append(gaps[d.what], gap)
	}
	disturbed := time.Since(begin)
	close(stopped)
	wait(t, 5*time.Minute, c.clients.Wait, c.client.state)
	wait(t, 5*time.Minute, c.finish, c.client.state)
	c.health() // a replica that has stopped for good says so only here: "monitor goroutine not running"
	t.Logf("all that was accepted is done %.1f s after the last disaster", (time.Since(begin) - disturbed).Seconds())
	for _, kind := range []string{aService, aWorker} {
		for _, name := range c.all(kind) {
			c.processes[name].kill()
		}
	}
	what := fmt.Sprintf("%d disasters in %v", *disasters, disturbed.Round(time.Second))
	check(t, c.at, filepath.Join(c.dir, "ledger"), c.client, split).log(t, what, time.Since(begin))
	for _, d := range kinds {
		if len(gaps[d.what]) > 0 {
			t.Logf("%-16s %3d: healthy after %s, longest gap %s", d.what, len(gaps[d.what]), spread(health[d.what]),
				spread(gaps[d.what]))
		}
	}
	for _, name := range c.all(aNode) {
		text, err := os.ReadFile(c.log(name).Name())
		if err != nil {
			t.Error(err)
		}
		for line := range strings.Lines(string(text)) {
			for _, bad := range []string{"panic", "s2:"} {
				if strings.Contains(line, bad) {
					t.Errorf("the log of %s has %s", name, line)
				}
			}
		}
	}
}

// finish waits until both services say that all jobs which were accepted are done.
func (c *cluster) finish() {
	for _, s := range c.services {
		for key := 0; key < len(c.client.ids); {
			s.mu.Lock()
			s.done, s.open = 0, 0
			s.mu.Unlock()
			_, _ = fmt.Fprintln(s.p.in, "look", key, c.client.ids[key])
			for answered := false; !answered; time.Sleep(time.Millisecond) {
				s.mu.Lock()
				key += s.done
				answered = s.done+s.open > 0
				s.mu.Unlock()
			}
		}
	}
}

// spread returns the median and the maximum of times.
func spread(all []time.Duration) string {
	slices.Sort(all)
	return fmt.Sprintf("%.1f s, at most %.1f s", all[len(all)/2].Seconds(), all[len(all)-1].Seconds())
}
