//go:build !nonats

package natsstore_test

import (
	"flag"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

var partition = flag.Bool("partition", false, "cut the leader of a cluster off from the other servers")

// TestPartition cuts the leader off from the other servers, but not from those who ask it. What is
// acknowledged by either side is there afterwards, once.
func TestPartition(t *testing.T) {
	if !*partition {
		t.Skip("servers that were apart may take long to come together; -partition runs it")
	}
	c := newCluster(t)
	c.start(0, 1, 2)
	l := &load{store: c.connect(), id: jobs.NewID()}
	for range 2 {
		l.run(t, func() {
			time.Sleep(300 * time.Millisecond)
			lead := c.leader("tsumero-OUT")
			separate := func(cut bool) {
				for i := range 3 {
					if i != lead && lead >= 0 {
						c.routes[lead][i].set(cut)
						c.routes[i][lead].set(cut)
					}
				}
			}
			separate(true)
			// The others choose a leader of their own.
			wait(t, "another leader", func() bool {
				for i, s := range c.servers {
					if i != lead && s.JetStreamIsStreamLeader("$G", "tsumero-OUT") {
						return true
					}
				}
				return false
			})
			time.Sleep(2 * time.Second)
			separate(false)
			c.current()
			time.Sleep(300 * time.Millisecond)
		})
		l.check(t)
	}
}
