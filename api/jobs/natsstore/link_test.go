//go:build !nonats

package natsstore_test

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// A link is a way to a server, which can be cut.
type link struct {
	net.Listener

	mu    sync.Mutex
	to    string // where the server listens, "" before it does
	cut   bool
	conns map[net.Conn]bool
}

func newLink(t *testing.T) *link {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	k := &link{Listener: l, conns: map[net.Conn]bool{}}
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

func (k *link) url() *url.URL { return &url.URL{Scheme: "nats", Host: k.Addr().String()} }

// lead makes the link one to a server.
func (k *link) lead(to net.Addr) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.to = to.String()
}

// join carries what one side says to the other until the link is cut.
func (k *link) join(from net.Conn) {
	defer from.Close()
	k.mu.Lock()
	address := k.to
	k.mu.Unlock()
	to, err := net.Dial("tcp", address)
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
