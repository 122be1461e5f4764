package httpapi

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// connections are the open connections of a server, so that its end need not wait for clients that neither send what they
// announced nor read what they are sent. The deadlines of the connections themselves are set, as net/http reads the rest
// of a body also after its handler.
type connections struct {
	mu   sync.Mutex
	open map[net.Conn]*connection
	cut  bool // no body is read any more
}

// A connection is what is known of one. Its fields are guarded by connections.mu.
type connection struct {
	net.Conn
	unread bool // the body of the request has not been read to its end
}

type connectionKey struct{}

// watch makes server tell of its connections and of the bodies that come over them.
func (c *connections) watch(server *http.Server) {
	c.open = map[net.Conn]*connection{}
	server.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		watched := &connection{Conn: conn}
		c.mu.Lock()
		c.open[conn] = watched
		c.mu.Unlock()
		return context.WithValue(ctx, connectionKey{}, watched)
	}
	server.ConnState = func(conn net.Conn, state http.ConnState) {
		if state == http.StateClosed || state == http.StateHijacked {
			c.mu.Lock()
			delete(c.open, conn)
			c.mu.Unlock()
		}
	}
	handler := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _ := r.Context().Value(connectionKey{}).(*connection)
		// A batch may go on to send while others finish: it is ended by its own rules.
		if conn != nil && r.URL.Path != batchPath {
			c.mu.Lock()
			conn.unread = r.ContentLength != 0
			c.mu.Unlock()
			if r.ContentLength != 0 {
				r.Body = &watchedBody{r.Body, conn, c}
			}
		}
		handler.ServeHTTP(w, r)
	})
}

// A watchedBody is the body of a request on a watched connection.
type watchedBody struct {
	io.ReadCloser
	conn *connection
	all  *connections
}

func (b *watchedBody) Read(p []byte) (int, error) {
	b.all.mu.Lock()
	cut := b.all.cut
	b.all.mu.Unlock()
	if cut {
		return 0, os.ErrDeadlineExceeded // whatever deadline was set since
	}
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		// From here on net/http reads ahead, and would take a deadline for the client's end.
		b.all.mu.Lock()
		b.conn.unread = false
		b.all.mu.Unlock()
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
