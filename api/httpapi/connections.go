package httpapi

import (
	"container/list"
	"net"
	"net/http"
	"net/netip"
	"sync"
)

// connections bounds how many connections are open, in all and for each address, since each takes
// memory and a file descriptor also while nothing is asked on it. Where there is no room for a new
// one, the connection that was idle for longest is closed for it: of the same address if that has
// its share, else of anybody. Only if none is idle the new one is closed. A trusted proxy's
// connections are many clients' and count in all only.
type connections struct {
	most, mostEach int // 0: any number
	proxies        proxies
	metrics        *metrics

	mu    sync.Mutex
	open  map[net.Conn]*connection
	peers map[netip.Addr]*peerConnections
	idle  list.List // of *connection, in the order in which they became idle
}

// peerConnections are those of one address.
type peerConnections struct {
	open int
	idle list.List // of *connection, as above
}

type connection struct {
	conn           net.Conn
	addr           netip.Addr
	of             *peerConnections
	inAll, inPeers *list.Element // of the lists of idle connections, nil while a request is answered
}

func newConnections(most, mostEach int, trusted proxies, m *metrics) *connections {
	m.connectionsLimit.Set(float64(most))
	return &connections{most: most, mostEach: mostEach, proxies: trusted, metrics: m,
		open: map[net.Conn]*connection{}, peers: map[netip.Addr]*peerConnections{}}
}

// changed is the ConnState hook of the http.Server, which calls it in the order of the events of
// each connection.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.open[conn]
	switch state {
	case http.StateNew:
		c.accept(conn)
	case http.StateActive:
		if one != nil {
			c.setBusy(one)
		}
	case http.StateIdle:
		if one != nil {
			one.inAll, one.inPeers = c.idle.PushBack(one), one.of.idle.PushBack(one)
		}
	case http.StateClosed, http.StateHijacked:
		if one != nil {
			c.remove(one)
		}
	}
}

// The rest is called with c.mu held.

// accept takes in a new connection, or closes it.
func (c *connections) accept(conn net.Conn) {
	addr := peer(conn.RemoteAddr().String())
	of := c.peers[addr]
	if of == nil {
		of = &peerConnections{}
	}
	switch {
	case c.mostEach > 0 && of.open >= c.mostEach && !c.proxies.trust(addr) && !c.closeIdle(&of.idle):
		c.metrics.connectionsRefused.WithLabelValues(refusedClient).Inc()
		_ = conn.Close()
		return
	case c.most > 0 && len(c.open) >= c.most && !c.closeIdle(&c.idle):
		c.metrics.connectionsRefused.WithLabelValues(refusedTotal).Inc()
		_ = conn.Close()
		return
	}
	of.open++
	c.peers[addr] = of
	c.open[conn] = &connection{conn: conn, addr: addr, of: of}
	c.metrics.connections.Set(float64(len(c.open)))
}

// closeIdle closes the connection that is first in a list, and reports whether there was one. A
// request that is on its way is lost then, as after any idle timeout: clients send it again.
func (c *connections) closeIdle(l *list.List) bool {
	first := l.Front()
	if first == nil {
		return false
	}
	one := first.Value.(*connection)
	c.remove(one) // the server says so only later
	c.metrics.connectionsReclaimed.Inc()
	_ = one.conn.Close()
	return true
}

func (c *connections) setBusy(one *connection) {
	if one.inAll != nil {
		c.idle.Remove(one.inAll)
		one.of.idle.Remove(one.inPeers)
		one.inAll, one.inPeers = nil, nil
	}
}

func (c *connections) remove(one *connection) {
	c.setBusy(one)
	delete(c.open, one.conn)
	if one.of.open--; one.of.open == 0 {
		delete(c.peers, one.addr)
	}
	c.metrics.connections.Set(float64(len(c.open)))
}
