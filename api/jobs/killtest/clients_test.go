package killtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	// sources is how many clients there are, to the service: each has an address of its own.
	sources = 3
	// outstanding is how many jobs may be under way at once, fewOutstanding in a short run.
	outstanding, fewOutstanding = 12, 4
	// patience is for how long nothing may be answered. A killed worker's chunk takes 75 s.
	patience = 2 * time.Minute
	// longNodes are searched in half a minute of one processor; longKey is that of the first such job.
	longNodes, longKey = 10_000_000, 1 << 40
)

// quotas lets the clients have what they want.
var quotas = []string{"--quota-anonymous", "active=8,waiting=100000,lines=10000000,bytes=1GiB"}

// The positions that are asked about. A search of the first three ends soon, of the last one at
// its limit.
var positions = []string{
	"4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1",
	"9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1",
	"4k4/9/9/9/9/9/9/9/9 b 2r2b4g4s4n4l18p 1",
	"5+P1k1/9/5+rB2/9/9/9/9/9/9 b RPb4g4s4n4l16p 1",
	"7k1/9/9/9/9/9/9/9/9 b B2G2SL2P2rb2g2s4n3l16p 1",
}

// A job is one that a client asks for, under its key.
type job struct {
	key       int
	mediaType string
	body      []byte
	lines     int
	id        string // once it is accepted
	answered  int    // lines, as the service says
	long      bool
	done      bool
	doneAt    time.Time         // as far as was seen
	sum       [sha256.Size]byte // of its results, which were right
}

// newJob returns the job under a key: always the same one. No line takes long, since one that is at
// work at three kills is given up, which is right.
func newJob(key int) *job {
	r := rand.New(rand.NewPCG(*seed, uint64(key)))
	lines, pad, hard := 1+r.IntN(20), 0, 4
	switch {
	case key%4 == 1:
		return problem(key, 1000+r.IntN(20_000))
	case key%8 == 2: // of many cheap lines
		lines, hard = 200+r.IntN(400), 300
	case key%8 == 3: // slow lines
		lines, hard = 10+r.IntN(40), 1
	case key%16 == 4: // of several chunks, and too large to be accepted at once
		lines, pad, hard = 2500+r.IntN(1000), 900, 500
	}
	var b bytes.Buffer
	for i := range lines {
		fmt.Fprintf(&b, `{"id":"%d/%d"`, key, i+1)
		switch {
		case r.IntN(50) == 0:
			b.WriteString(`,"sfen":"none"`)
		case r.IntN(hard) == 0:
			fmt.Fprintf(&b, `,"sfen":%q,"limits":{"nodes":%d}`, positions[4], 1000+16*r.IntN(1<<10))
		default:
			fmt.Fprintf(&b, `,"sfen":%q,"limits":{"nodes":%d}`, positions[r.IntN(4)], 1000+r.IntN(100))
		}
		fmt.Fprintf(&b, "}%*s\n", pad, "")
	}
	return &job{key: key, mediaType: "application/x-ndjson", body: b.Bytes(), lines: lines}
}

// problem returns a job of one problem.
func problem(key, nodes int) *job {
	body := fmt.Appendf(nil, `{"sfen":%q,"limits":{"nodes":%d}}`, positions[4], nodes)
	return &job{key: key, mediaType: "application/json", body: body, lines: 1}
}

// longJob returns a job that is worked on for longer than a process is stopped: a chunk of many
// slices, or one problem.
func longJob(key int) *job {
	j := problem(key, longNodes+key)
	if key%2 == 0 {
		j.mediaType, j.body, j.lines = "application/x-ndjson", nil, 40
		for i := range j.lines {
			j.body = append(append(j.body, problem(0, longNodes/j.lines+key+i).body...), '\n')
		}
	}
	j.key, j.long = longKey+key, true
	return j
}

// Clients submit jobs, see to it that they are done, and know the right answers.
type clients struct {
	t       *testing.T
	fleet   *fleet
	asks    [sources]http.Client
	witness *witness
	judging sync.WaitGroup // of results of jobs that are done

	mu       sync.Mutex
	services []*process
	next     int // key
	jobs     []*job
	stopped  bool
	answers  []time.Time // when lines were answered, as far as was seen
	awakeAt  time.Time
	refused  map[int]int // submissions, by status; 0: no answer
	again    int         // uploads that were cut
	slow     bool        // uploads take a while
}

// newClients returns clients who ask no service yet.
func newClients(t *testing.T, f *fleet, w *witness) *clients {
	c := &clients{t: t, fleet: f, refused: map[int]int{}, witness: w}
	for i := range c.asks {
		var from net.Dialer
		if runtime.GOOS == "linux" { // which has many addresses on the loopback
			from.LocalAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+i))}
		}
		c.asks[i].Transport = &http.Transport{DialContext: from.DialContext, IdleConnTimeout: time.Minute}
	}
	return c
}

// use makes a process one of the services, instead of the one with its name.
func (c *clients) use(p *process) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, old := range c.services {
		if old.name == p.name {
			c.services[i] = p
			return
		}
	}
	c.services = append(c.services, p)
}

// ask asks any of the services.
func (c *clients) ask(most time.Duration, source int, method, path string, body io.Reader,
	header ...string) (status int, text []byte, err error) {
	c.mu.Lock()
	service := c.services[rand.IntN(len(c.services))]
	c.mu.Unlock()
	url, _ := service.addresses()
	if url == "" || !service.alive() {
		return 0, nil, errors.New("no service listens")
	}
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url+path, body)
	if err != nil {
		return 0, nil, err
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := c.asks[source].Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err = io.ReadAll(resp.Body)
	return resp.StatusCode, text, err
}

// A view is the state of a job.
type view struct {
	State string
	Done  int
}

// view asks for the state of a job. The error is that there is no answer.
func (c *clients) view(most time.Duration, j *job) (v view, status int, text []byte, err error) {
	status, text, err = c.ask(most, j.key%sources, "GET", "/v1/jobs/"+j.id, nil)
	if err == nil && status == http.StatusOK && json.Unmarshal(text, &v) != nil {
		c.t.Errorf("job %d (%s) is %s", j.key, j.id, text)
	}
	return v, status, text, err
}

// results asks for the results of a job.
func (c *clients) results(most time.Duration, j *job) (status int, text []byte, err error) {
	return c.ask(most, j.key%sources, "GET", "/v1/jobs/"+j.id+"/results", nil)
}

// An upload is a body that takes a while, and may break off.
type upload struct {
	rest []byte
	slow bool
	cut  bool
}

func (u *upload) Read(p []byte) (n int, err error) {
	if len(u.rest) == 0 {
		if u.cut {
			return 0, io.ErrUnexpectedEOF
		}
		return 0, io.EOF
	}
	if u.slow {
		time.Sleep(5 * time.Millisecond)
	}
	n = copy(p[:min(len(p), 64<<10)], u.rest)
	u.rest = u.rest[n:]
	return n, nil
}

// submitOnce submits a job, but for what comes behind the first size bytes. It returns what the
// service says.
func (c *clients) submitOnce(j *job, size int) (id string, status int, text []byte) {
	c.mu.Lock()
	body := &upload{rest: j.body[:size], slow: c.slow, cut: size < len(j.body)}
	c.mu.Unlock()
	status, text, err := c.ask(time.Minute, j.key%sources, "POST", "/v1/jobs", body,
		"Content-Type", j.mediaType, "Idempotency-Key", strconv.Itoa(j.key))
	if err != nil {
		return "", 0, nil
	}
	var view struct{ ID string }
	if status == http.StatusAccepted && (json.Unmarshal(text, &view) != nil || view.ID == "") {
		c.t.Errorf("job %d is accepted: %s", j.key, text)
	}
	return view.ID, status, text
}

// submit submits a job until it is accepted. Some uploads break off before.
func (c *clients) submit(j *job, r *rand.Rand) {
	for ; ; time.Sleep(50 * time.Millisecond) {
		size := len(j.body)
		if r.IntN(6) == 0 {
			size = r.IntN(size)
		}
		id, status, text := c.submitOnce(j, size)
		c.mu.Lock()
		if size < len(j.body) {
			c.again++
			if id != "" {
				c.t.Errorf("job %d is accepted after %d of %d bytes", j.key, size, len(j.body))
			}
		}
		switch status {
		case http.StatusAccepted:
			j.id = id
			c.jobs = append(c.jobs, j)
		case 0, http.StatusServiceUnavailable, http.StatusInsufficientStorage:
			c.refused[status]++
		default:
			if size == len(j.body) { // else it may say what it likes to nobody
				c.t.Errorf("job %d: %d %s", j.key, status, text)
				id = "none"
			}
		}
		c.mu.Unlock()
		if id != "" {
			return
		}
	}
}

// take returns the next job to submit, unless enough are under way.
func (c *clients) take() (j *job, stopped bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	under, most := c.next, outstanding
	if *rounds == 0 && *disasters == 0 {
		most = fewOutstanding
	}
	for _, j := range c.jobs {
		if j.done && !j.long {
			under--
		}
	}
	if c.stopped || under >= most {
		return nil, c.stopped
	}
	c.next++
	return newJob(c.next - 1), false
}

// run submits jobs, and looks after them, until stop is called. What it returns waits until all
// that was accepted is done.
func (c *clients) run() (wait func()) {
	var submitting sync.WaitGroup
	c.awake()
	for i := range 4 {
		submitting.Go(func() {
			r := rand.New(rand.NewPCG(*seed, uint64(1<<40+i)))
			for {
				j, stopped := c.take()
				if stopped {
					return
				}
				if j == nil {
					time.Sleep(10 * time.Millisecond)
					continue
				}
				c.submit(j, r)
			}
		})
	}
	over := make(chan struct{})
	var looking sync.WaitGroup
	looking.Go(func() {
		for {
			c.look()
			select {
			case <-over:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	})
	return func() {
		c.t.Helper()
		submitting.Wait()
		for len(c.open()) > 0 && c.idle() < patience {
			time.Sleep(50 * time.Millisecond)
		}
		close(over)
		looking.Wait()
		c.judging.Wait()
		for _, j := range c.open() {
			c.t.Errorf("nothing happens for %v: job %d (%s) has %d of %d lines", patience, j.key, j.id,
				j.answered, j.lines)
		}
	}
}

// finish looks after all jobs until they are done, or until nothing is answered for so long.
func (c *clients) finish(patience time.Duration) {
	for c.awake(); len(c.open()) > 0 && c.idle() < patience; time.Sleep(20 * time.Millisecond) {
		c.look()
	}
	c.judging.Wait()
}

// stop has no more jobs submitted.
func (c *clients) stop() { c.mu.Lock(); defer c.mu.Unlock(); c.stopped = true }

// answeredAfter returns when a line was answered first after a time, or that none was.
func (c *clients) answeredAfter(t time.Time) (at time.Time, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i, _ := slices.BinarySearchFunc(c.answers, t, time.Time.Compare)
	if i == len(c.answers) {
		return time.Time{}, false
	}
	return c.answers[i], true
}

// awake is the time from which idle counts: nothing can be answered before.
func (c *clients) awake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers = append(c.answers, time.Now())
}

// idle returns for how long nothing was answered.
func (c *clients) idle() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.answers); n > 0 && c.answers[n-1].After(c.awakeAt) {
		return time.Since(c.answers[n-1])
	}
	return time.Since(c.awakeAt)
}

// open returns the jobs that are accepted, and not done.
func (c *clients) open() (open []*job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, j := range c.jobs {
		if !j.done {
			open = append(open, j)
		}
	}
	return open
}

// doneJobs returns the number of jobs that are done, and that of their lines.
func (c *clients) doneJobs() (n, lines int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, j := range c.jobs {
		if j.done {
			n, lines = n+1, lines+j.lines
		}
	}
	return n, lines
}

// look asks for the states of all jobs, and checks those that are done.
func (c *clients) look() {
	for _, j := range c.open() {
		view, status, text, err := c.view(5*time.Second, j)
		if err != nil || status == http.StatusServiceUnavailable {
			continue
		}
		if status != http.StatusOK || view.State == "failed" || view.State == "cancelled" {
			c.t.Errorf("job %d (%s) is lost: %d %s", j.key, j.id, status, text)
			c.finished(j, nil)
			continue
		}
		c.mu.Lock()
		if view.Done > j.answered {
			j.answered, c.answers = view.Done, append(c.answers, time.Now())
		}
		c.mu.Unlock()
		if view.State != "done" {
			continue
		}
		status, got, err := c.results(time.Minute, j)
		if err != nil || status == http.StatusServiceUnavailable {
			continue
		}
		c.finished(j, got)
		c.judging.Go(func() { // the witness may need minutes for a long line, in which nobody would look
			if err := equal(got, c.witness.right(c.t, j), j.lines); status != http.StatusOK || err != nil {
				c.t.Errorf("job %d (%s): %d %v", j.key, j.id, status, err)
			}
		})
	}
}

// finished marks a job that needs no more looks.
func (c *clients) finished(j *job, results []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	j.done, j.doneAt, j.sum = true, time.Now(), sha256.Sum256(results)
	c.answers = append(c.answers, j.doneAt)
}

// A witness is a service without jobs, which nobody kills.
type witness struct {
	*process
	asked sync.Mutex // while it is
}

func newWitness(f *fleet) *witness {
	w := &witness{process: f.serve("witness", "--analyses", "0", "--plays", "0")}
	w.wait(f.t)
	return w
}

// right returns the right answers to a job.
func (w *witness) right(t *testing.T, j *job) []byte {
	w.asked.Lock()
	defer w.asked.Unlock()
	url, _ := w.addresses()
	body := bytes.NewReader(append(bytes.Clone(j.body), '\n'))
	resp, err := http.Post(url+"/v1/solve/batch", "application/x-ndjson", body)
	if err != nil {
		t.Errorf("the witness: %v", err)
		return nil
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("the witness: %s %v", resp.Status, err)
	}
	return text
}

// What an answer of a batch has that one of a job has not, and the other way round.
var (
	number  = regexp.MustCompile(`"line":(\d+),`)
	elapsed = regexp.MustCompile(`,"elapsed_us":\d+`)
)

// equal compares the results of a job with the answers of a batch: each line once, in order, and
// the same but for its number and for the time that it took.
func equal(got, want []byte, lines int) error {
	all, right := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	if len(right) != lines+1 {
		return fmt.Errorf("the witness answers %d of %d lines", len(right)-1, lines)
	}
	for i := range lines {
		if i >= len(all)-1 {
			return fmt.Errorf("%d of %d lines are answered", i, lines)
		}
		n := number.FindSubmatch(all[i])
		if n == nil || string(n[1]) != strconv.Itoa(i+1) {
			return fmt.Errorf("line %d is %.300s", i+1, all[i])
		}
		answer := bytes.Replace(all[i], n[0], nil, 1)
		if m := number.Find(right[i]); m != nil { // a problem has its number in both
			right[i] = bytes.Replace(right[i], m, nil, 1)
		}
		if truth := elapsed.ReplaceAll(right[i], nil); !bytes.Equal(answer, truth) {
			return fmt.Errorf("line %d is\n%s\nand should be\n%s", i+1, answer, truth)
		}
	}
	if len(all) != lines+1 {
		return fmt.Errorf("more than %d lines are answered: %.300s", lines, all[lines])
	}
	return nil
}

// TestEqual: the judge sees what is lost, doubled, in another order or another answer.
func TestEqual(t *testing.T) {
	const one = `{"line":1,"id":"a","verdict":"mate"}` + "\n"
	const two = `{"id":"b","line":2,"type":"/problems/x"}` + "\n"
	const want = `{"id":"a","verdict":"mate","elapsed_us":5}` + "\n" + two
	replace := strings.ReplaceAll
	if err := equal([]byte(one+two), []byte(want), 2); err != nil {
		t.Error(err)
	}
	for _, got := range []string{one, "", one + two + two, two + one, one + one,
		replace(one, "mate", "nomate") + two, replace(one, `"a"`, `"c"`) + two,
		one + strings.TrimSuffix(two, "\n"), one + replace(two, "2", "3")} {
		if equal([]byte(got), []byte(want), 2) == nil {
			t.Errorf("%q is taken for right", got)
		}
	}
}

// recheck wants every job to be there still, under the same ID, with the same results.
func (c *clients) recheck() {
	c.t.Helper()
	for _, j := range c.jobs {
		id, status, text := c.submitOnce(j, len(j.body))
		if id != j.id {
			c.t.Errorf("job %d (%s) is submitted again: %d %s", j.key, j.id, status, text)
		}
		status, got, err := c.results(time.Minute, j)
		if err != nil || status != http.StatusOK || sha256.Sum256(got) != j.sum {
			c.t.Errorf("job %d (%s) has other results now: %d %v", j.key, j.id, status, err)
		}
	}
}

// within returns how long something may take. Only a long run is on a machine that does nothing
// else: a short one finds what never comes.
func within(d time.Duration) time.Duration {
	if *rounds == 0 {
		return 10 * d
	}
	return d
}

// inPeace submits some jobs and wants each of their lines to be searched once.
func (c *clients) inPeace(n int) {
	c.t.Helper()
	before := c.fleet.searched()
	lines := 0
	r := rand.New(rand.NewPCG(*seed, 1<<50))
	began := time.Now()
	for range n {
		j := newJob(c.next)
		c.next++
		lines += j.lines
		c.submit(j, r)
	}
	c.finish(patience)
	searched := c.fleet.searched() - before
	open, each := len(c.open()), float64(searched)/float64(lines)
	c.t.Logf("in peace: %d jobs in %.1f s, %d lines, %.3f searches a line", n,
		time.Since(began).Seconds(), lines, each)
	if open > 0 || each < 1 || each > 1.05 {
		c.t.Errorf("in peace %d jobs are open, and %d lines have %d searches", open, lines, searched)
	}
}

// log prints what was judged.
func (c *clients) log(what string) {
	c.t.Helper()
	n, lines := c.doneJobs()
	var refused []string
	for status, n := range c.refused {
		refused = append(refused, fmt.Sprintf("%d with %d", n, status))
	}
	c.t.Logf("%s: %d jobs, %d lines, at least %.3f searches a line; %d uploads cut, refused: %s",
		what, n, lines, float64(c.fleet.searched())/float64(max(1, lines)), c.again,
		strings.Join(refused, ", "))
}
