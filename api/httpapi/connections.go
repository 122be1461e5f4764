package httpapi

import (
	"container/list"
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"time"
)

// connections bounds how many connections are open, in all and for each client, since each takes
// memory and a file descriptor also while nothing is asked on it. Where there is no room for a new
// one, the connection that was idle for longest is closed for it: of the same client if that has
// its share, else of anybody. Only if none is idle the new one is closed. Idle is also a connection
// on which no request has come to the end of its header. A trusted proxy's connections are many
// clients' and count in all only.
//
// At the end of the service it cuts off clients that neither send what they announced nor read what
// they are sent.
type connections struct {
	most, mostEach int // 0: any number
	proxies        proxies
	metrics        *metrics

	mu    sync.Mutex
	open  map[net.Conn]*connection
	peers map[netip.Prefix]*peerConnections // by networkOf their address
	idle  list.List                         // of *connection, idle for longest first
	cut   bool                              // no body is read any more
}

// peerConnections are those of one client.
type peerConnections struct {
	open int
	idle list.List // of *connection, as above
}

// A connection is what is known of one. Its fields are guarded by connections.mu.
type connection struct {
	net.Conn
	all            *connections
	network        netip.Prefix
	of             *peerConnections
	inAll, inPeers *list.Element // of the lists of idle ones, nil while a request is answered
	unread         bool          // the body of the request has not been read to its end
}

type connectionKey struct{}

// connectionOf returns the connection of a request, nil if it is not watched.
func connectionOf(ctx context.Context) *connection {
	one, _ := ctx.Value(connectionKey{}).(*connection)
	return one
}

func newConnections(most, mostEach int, trusted proxies, m *metrics) *connections {
	m.connectionsLimit.Set(float64(most))
	return &connections{most: most, mostEach: mostEach, proxies: trusted, metrics: m,
		open: map[net.Conn]*connection{}, peers: map[netip.Prefix]*peerConnections{}}
}

// watch registers c for the connections of server. For the bodies that come over them see watchBody.
func (c *connections) watch(server *http.Server) {
	server.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		return context.WithValue(ctx, connectionKey{}, c.accept(conn))
	}
	server.ConnState = c.changed
}

// accept takes in a new connection, or closes it and returns nil.
func (c *connections) accept(conn net.Conn) *connection {
	c.mu.Lock()
	defer c.mu.Unlock()
	addr := peer(conn.RemoteAddr().String())
	network := networkOf(addr)
	of := c.peers[network]
	if of == nil {
		of = &peerConnections{}
	}
	refuse := func(reason string) *connection {
		c.metrics.connectionsRefused.WithLabelValues(reason).Inc()
		_ = conn.Close()
		return nil
	}
	if c.mostEach > 0 && of.open >= c.mostEach && !c.proxies.trust(addr) && !c.closeIdle(&of.idle) {
		return refuse(refusedClient)
	}
	if c.most > 0 && len(c.open) >= c.most && !c.closeIdle(&c.idle) {
		return refuse(refusedTotal)
	}
	one := &connection{Conn: conn, all: c, network: network, of: of}
	of.open++
	c.peers[network] = of
	c.open[conn] = one
	c.setIdle(one)
	c.metrics.connections.Set(float64(len(c.open)))
	return one
}

// changed is the ConnState hook of the http.Server, which calls it in the order of the events of
// each connection.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.open[conn]
	if one == nil {
		return // it was refused, or closed for another
	}
	switch state {
	case http.StateActive:
		c.setBusy(one)
	case http.StateIdle:
		c.setIdle(one)
	case http.StateClosed, http.StateHijacked:
		c.remove(one)
	}
}

// closeIdle closes the connection that is first in a list, and reports whether there was one. c.mu
// is held, as for the next three. A request that is on its way is lost then, as after any idle
// timeout: clients send it again.
func (c *connections) closeIdle(l *list.List) bool {
	first := l.Front()
	if first == nil {
		return false
	}
	one := first.Value.(*connection)
	c.remove(one) // the server says so only later
	c.metrics.connectionsReclaimed.Inc()
	_ = one.Close()
	return true
}

func (c *connections) setIdle(one *connection) {
	one.inAll, one.inPeers = c.idle.PushBack(one), one.of.idle.PushBack(one)
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
	delete(c.open, one.Conn)
	if one.of.open--; one.of.open == 0 {
		delete(c.peers, one.network)
	}
	c.metrics.connections.Set(float64(len(c.open)))
}

// watchBody makes the connections know whether this one still sends the body of a request, which
// must be a copy: in its own, net/http looks how much of a body is left, to close the connection in
// a way that does not take the answer from the client.
func (one *connection) watchBody(r *http.Request) {
	if r.URL.Path == batchPath && !isHalfDuplex(r) {
		return // a batch may go on to send while others finish: it is ended by its own rules
	}
	one.all.mu.Lock()
	one.unread = r.ContentLength != 0
	one.all.mu.Unlock()
	if r.ContentLength != 0 {
		r.Body = &watchedBody{r.Body, one}
	}
}

// A watchedBody is the body of a request on a watched connection.
type watchedBody struct {
	io.ReadCloser
	of *connection
}

func (b *watchedBody) Read(p []byte) (int, error) {
	b.of.all.mu.Lock()
	cut := b.of.all.cut
	b.of.all.mu.Unlock()
	if cut {
		return 0, os.ErrDeadlineExceeded // whatever deadline was set since
	}
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		// From here on net/http reads ahead, and would take a deadline for the client's end.
		b.of.all.mu.Lock()
		b.of.unread = false
		b.of.all.mu.Unlock()
	}
	return n, err
}

// cutBodies makes every read of a body fail as one that took too long.
func (c *connections) cutBodies() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = true
	for _, conn := range c.open {
		if conn.unread {
			_ = conn.SetReadDeadline(time.Now()) // it may have been closed
		}
	}
}

// cutAnswers makes the writes that wait for their client fail after the time.
func (c *connections) cutAnswers(after time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.open {
		_ = conn.SetWriteDeadline(time.Now().Add(after))
	}
}
