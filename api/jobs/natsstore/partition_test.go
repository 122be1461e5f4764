//go:build !nonats

package natsstore_test

import (
	"flag"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/tsumero/tsumero/api/jobs"
)

var partition = flag.Bool("partition", false, "cut the leader of a cluster off from the other servers")

// A link is a way from one server to another, which can be cut.
type link struct {
	net.Listener
	to string

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]bool
}

func newLink(t *testing.T, to string) *link {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	k := &link{Listener: l, to: to, conns: map[net.Conn]bool{}}
	t.Cleanup(func() {
		l.Close()
		k.set(true)
	})
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			go k.join(from)
		}
	}()
	return k
}

// join carries what one side says to the other until the link is cut.
func (k *link) join(from net.Conn) {
	defer from.Close()
	to, err := net.Dial("tcp", k.to)
	if err != nil {
		return
	}
	defer to.Close()
	k.mu.Lock()
	cut := k.cut
	k.conns[from], k.conns[to] = true, true
	k.mu.Unlock()
	if cut {
		return
	}
	go func() {
		_, _ = io.Copy(to, from)
		to.Close()
	}()
	_, _ = io.Copy(from, to)
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.conns, from)
	delete(k.conns, to)
}

// set cuts the link, or lets it carry again.
func (k *link) set(cut bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cut = cut; cut {
		for c := range k.conns {
			c.Close()
		}
		clear(k.conns)
	}
}

// TestPartition cuts the leader off from the other servers, but not from those who ask it. What is
// acknowledged by either side is there afterwards, once.
func TestPartition(t *testing.T) {
	if !*partition {
		t.Skip("servers that were apart may take long to come together; -partition runs it")
	}
	var links [3][3]*link
	c := newCluster(t, func(i int, o *server.Options) { o.Cluster.NoAdvertise = true })
	for i, o := range c.options {
		o.Routes = nil
		for j, other := range c.options {
			if i != j {
				links[i][j] = newLink(t, fmt.Sprintf("127.0.0.1:%d", other.Cluster.Port))
				o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: links[i][j].Addr().String()})
			}
		}
	}
	c.start(0, 1, 2)
	l := &load{store: c.connect(), id: jobs.NewID()}
	for range 2 {
		l.run(t, func() {
			time.Sleep(300 * time.Millisecond)
			lead := c.leader("tsumero-OUT")
			separate := func(cut bool) {
				for i := range 3 {
					if i != lead && lead >= 0 {
						links[lead][i].set(cut)
						links[i][lead].set(cut)
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
