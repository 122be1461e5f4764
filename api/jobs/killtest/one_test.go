package killtest

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// resumeTime is enough for what is under way at once, and too short for a wait until somebody
// rescues it.
const resumeTime = 45 * time.Second

// TestOne kills a service that keeps its jobs in a directory: while it starts, takes jobs in, is
// at work or has just ended one. Now and then it may end by itself.
func TestOne(t *testing.T) {
	long(t)
	f := newFleet(t)
	c := newClients(t, f, newWitness(f))
	c.slow = true
	jobs := filepath.Join(where(t), "jobs")
	start := func() *process {
		p := f.serveJobs(jobs, 2)
		c.use(p)
		return p
	}
	p := start()
	p.wait(t)
	c.inPeace(8)
	kills := *rounds
	if kills == 0 {
		// Five kills at one line, which a slow machine may come to, are taken for its fault: two of its
		// chunk, and three that are counted for the line.
		kills = 4
	}
	wait := c.run()
	r := rand.New(rand.NewPCG(*seed, 1<<41))
	var starts time.Duration
	for i := range kills {
		if r.IntN(5) == 0 {
			time.Sleep(time.Duration(r.Int64N(int64(500 * time.Millisecond)))) // it may not be ready yet
		} else {
			began := time.Now()
			p.wait(t)
			starts = max(starts, time.Since(began))
			time.Sleep(time.Duration(r.Int64N(int64(2 * time.Second))))
		}
		if i%4 == 3 { // else kills might come faster than work gets on
			p.wait(t)
			for before, _ := c.doneJobs(); ; time.Sleep(5 * time.Millisecond) {
				if now, _ := c.doneJobs(); now > before || c.idle() > patience {
					break
				}
			}
		}
		if _, admin := p.addresses(); r.IntN(8) == 0 && runtime.GOOS != "windows" && admin != "" {
			p.terminate(t)
		} else {
			p.kill()
		}
		if c.idle() > patience {
			t.Fatalf("nothing was answered for %v\n%s", patience, p.tail())
		}
		p = start()
	}
	c.stop()
	began := time.Now()
	p.wait(t)
	wait()
	took := time.Since(began)
	t.Logf("all is done %.1f s after the last kill; the slowest start took %.1f s", took.Seconds(),
		starts.Seconds())
	if took > within(resumeTime) {
		t.Errorf("what a kill interrupts goes on at once; all is done after %v", took)
	}
	c.recheck()
	c.log(fmt.Sprintf("%d kills", kills))
}
