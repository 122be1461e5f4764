package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/api/wire"
)

// A fakeConn is a connection to test the bookkeeping with.
type fakeConn struct {
	net.Conn
	addr   net.TCPAddr
	closed bool
}

func (c *fakeConn) RemoteAddr() net.Addr { return &c.addr }
func (c *fakeConn) Close() error         { c.closed = true; return nil }

// TestConnections: which connection is closed where there are as many as may be.
func TestConnections(t *testing.T) {
	s := newServer(t, Config{})
	trusted := proxies{netip.MustParsePrefix("10.0.0.0/8")}
	type event struct {
		address string // of a new connection, or
		number  int    // of the one that
		state   http.ConnState
		closes  int // the number of the connection that goes, -1 for none
	}
	const none = -1
	for _, c := range []struct {
		name           string
		most, mostEach int
		events         []event
	}{
		{"an address has as many as may be, all of them busy", 9, 2, []event{
			{"192.0.2.1", 0, http.StateNew, none}, {"", 0, http.StateActive, none},
			{"192.0.2.1", 1, http.StateNew, none}, {"", 1, http.StateActive, none},
			{"192.0.2.1", 2, http.StateNew, 2}, {"192.0.2.2", 3, http.StateNew, none},
			{"", 0, http.StateClosed, none},
			{"192.0.2.1", 4, http.StateNew, none}, {"", 4, http.StateActive, none},
			{"192.0.2.1", 5, http.StateNew, 5},
		}},
		{"the one that was idle for longest goes", 9, 3, []event{
			{"192.0.2.1", 0, http.StateNew, none}, {"192.0.2.1", 1, http.StateNew, none},
			{"192.0.2.1", 2, http.StateNew, none}, {"", 2, http.StateActive, none},
			{"192.0.2.2", 3, http.StateNew, none}, {"", 3, http.StateActive, none},
			{"", 3, http.StateIdle, none},
			{"", 0, http.StateActive, none}, {"", 1, http.StateActive, none},
			{"", 1, http.StateIdle, none}, {"", 0, http.StateIdle, none},
			{"", 1, http.StateActive, none}, {"", 1, http.StateIdle, none},
			{"192.0.2.1", 4, http.StateNew, 0}, {"", 4, http.StateActive, none},
			{"192.0.2.1", 5, http.StateNew, 1}, {"", 5, http.StateActive, none},
			{"192.0.2.1", 6, http.StateNew, 6},
			{"", 0, http.StateClosed, none}, {"", 1, http.StateClosed, none},
		}},
		{"one on which nothing was asked yet is idle", 2, 2, []event{
			{"192.0.2.1", 0, http.StateNew, none}, {"192.0.2.2", 1, http.StateNew, none},
			{"192.0.2.3", 2, http.StateNew, 0}, {"", 1, http.StateActive, none},
			{"192.0.2.4", 3, http.StateNew, 2},
		}},
		{"in all", 3, 3, []event{
			{"192.0.2.1", 0, http.StateNew, none}, {"", 0, http.StateActive, none},
			{"192.0.2.2", 1, http.StateNew, none}, {"", 1, http.StateActive, none},
			{"192.0.2.3", 2, http.StateNew, none}, {"", 2, http.StateActive, none},
			{"192.0.2.4", 3, http.StateNew, 3}, {"", 1, http.StateIdle, none},
			{"192.0.2.4", 4, http.StateNew, 1}, {"", 4, http.StateActive, none},
			{"192.0.2.5", 5, http.StateNew, 5},
		}},
		{"the addresses of one IPv6 network are one client's", 9, 1, []event{
			{"2001:db8::1", 0, http.StateNew, none}, {"", 0, http.StateActive, none},
			{"2001:db8::2", 1, http.StateNew, 1}, {"2001:db8:0:1::1", 2, http.StateNew, none},
		}},
		{"a proxy has as many as there may be in all", 4, 1, []event{
			{"10.0.0.1", 0, http.StateNew, none}, {"", 0, http.StateActive, none},
			{"10.0.0.1", 1, http.StateNew, none}, {"", 1, http.StateActive, none},
			{"10.0.0.1", 2, http.StateNew, none}, {"", 2, http.StateActive, none},
			{"192.0.2.1", 3, http.StateNew, none}, {"", 3, http.StateActive, none},
			{"192.0.2.2", 4, http.StateNew, 4},
		}},
		{"any number", 0, 0, []event{
			{"192.0.2.1", 0, http.StateNew, none}, {"192.0.2.1", 1, http.StateNew, none},
		}},
		{"a connection that is taken over", 1, 1, []event{
			{"192.0.2.1", 0, http.StateNew, none}, {"", 0, http.StateActive, none},
			{"", 0, http.StateHijacked, none}, {"192.0.2.1", 1, http.StateNew, none},
		}},
	} {
		l := newConnections(c.most, c.mostEach, trusted, s.metrics)
		conns := map[int]*fakeConn{}
		gone := map[int]bool{}
		for i, e := range c.events {
			if e.state == http.StateNew {
				conns[e.number] = &fakeConn{addr: net.TCPAddr{IP: net.ParseIP(e.address),
					Port: 1000 + e.number}}
				l.accept(conns[e.number])
			}
			l.changed(conns[e.number], e.state)
			if e.closes != none {
				gone[e.closes] = true
			}
			if e.state == http.StateClosed || e.state == http.StateHijacked {
				delete(conns, e.number)
			}
			for n, conn := range conns {
				if conn.closed != gone[n] {
					t.Errorf("%s, event %d: connection %d closed is %v", c.name, i, n, conn.closed)
				}
			}
		}
		open := 0
		for n, conn := range conns {
			if !gone[n] {
				open++
			}
			l.changed(conn, http.StateClosed)
		}
		if open > 0 && len(l.open)+len(l.peers)+l.idle.Len() != 0 {
			t.Errorf("%s: left behind: %d, %d, %d", c.name, len(l.open), len(l.peers), l.idle.Len())
		}
		if c.most > 0 && open > c.most {
			t.Errorf("%s: %d open", c.name, open)
		}
	}
}

// serveTCP serves s on a loopback port until the end of the test.
func serveTCP(t *testing.T, s *Server) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l, nil) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// TestIdleConnections: a real listener keeps as many connections as may be, of which the newest are
// answered.
func TestIdleConnections(t *testing.T) {
	s := newServer(t, Config{MaxConnections: 40, MaxConnectionsEach: 20})
	address := serveTCP(t, s)
	var conns []net.Conn
	for range 200 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprint(conn, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("connection %d: %v, %v", len(conns), resp, err)
		}
		conns = append(conns, conn)
	}
	for end := time.Now().Add(time.Minute); ; { // the last ones may be closed a moment later
		open := 0
		for _, conn := range conns {
			_ = conn.SetReadDeadline(time.Now().Add(time.Millisecond))
			if _, err := conn.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
				open++
			}
		}
		if open <= 20 && metric(t, s, "tsumero_http_connections") <= 20 &&
			metric(t, s, "tsumero_http_connections_reclaimed_total") >= 180 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d of 200 idle connections are open", open)
		}
	}
}

// TestUnusedConnections: those on which nothing is asked, or no request comes to the end of its
// header, keep nobody out, from however many addresses they come.
func TestUnusedConnections(t *testing.T) {
	for _, header := range []string{"", "GET /livez HTTP/1.1\r\nHost: x\r\n"} {
		s := newServer(t, Config{MaxConnections: 10, MaxConnectionsEach: 10})
		address := serveTCP(t, s)
		for range 30 {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprint(conn, header) // it may be closed already
		}
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprint(conn, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || resp.StatusCode != 200 {
			t.Errorf("after unused connections with %q: %v, %v", header, resp, err)
		}
	}
}

// TestConnectionsOfOneClient: one address has a part of the connections.
func TestConnectionsOfOneClient(t *testing.T) {
	for most, each := range map[int]int{1: 1, 7: 5, 80: 60, 153: 114, 400: 128, 800: 200, 10_000: 256, -1: 256} {
		s := newServer(t, Config{MaxConnections: most})
		if got := s.config.MaxConnectionsEach; got != each {
			t.Errorf("of %d connections one address has %d, want %d", most, got, each)
		}
	}
}

// TestIdleTimeout: a connection on which nothing is asked is closed after that time.
func TestIdleTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{IdleTimeout: 20 * time.Second})
		dial, end := serveOn(t, s)
		conn := dial()
		fmt.Fprint(conn, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
		in := bufio.NewReader(conn)
		if resp, err := http.ReadResponse(in, nil); err != nil || resp.StatusCode != 200 {
			t.Fatal(resp, err)
		}
		began := time.Now()
		if _, err := in.ReadByte(); err != nil {
			_, err = in.ReadByte()
			if !errors.Is(err, io.EOF) {
				t.Error(err)
			}
		} else if _, err := io.ReadAll(in); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != 20*time.Second {
			t.Errorf("closed after %v", took)
		}
		end()
	})
}

// TestRefusedAtOnce: a client that goes on sending a body hears at once that nobody wants it.
func TestRefusedAtOnce(t *testing.T) {
	for _, c := range []struct {
		name   string
		config Config
		path   string
		header string
		want   *wire.Kind
	}{
		{"no slot for a batch", Config{MaxBatches: 1}, "/v1/solve/batch", "", wire.Overloaded},
		{"the rate", Config{RatePerMinute: 1}, "/v1/solve", "", wire.RateLimited},
		{"the rate, of a batch", Config{RatePerMinute: 1}, "/v1/solve/batch", "", wire.RateLimited},
		{"the type", Config{}, "/v1/solve/batch", "Content-Type: image/png\r\n",
			wire.UnsupportedMediaType},
		{"the path", Config{}, "/v1/nothing", "", wire.NotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer(t, c.config)
				get(s, mateIn1)
				if c.want == wire.Overloaded {
					s.batches.acquire(&client{})
				} else if c.want == wire.RateLimited {
					// connections of memory have none
					s.clients.enter(netip.Addr{}).charge(time.Now(), time.Minute)
				}
				dial, end := serveOn(t, s)
				conn := dial()
				began := time.Now()
				stop := make(chan struct{})
				go func() { // a byte a second, without an end
					defer close(stop)
					fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\n%sTransfer-Encoding: "+
						"chunked\r\n\r\n", c.path, c.header)
					for range 100 {
						if _, err := io.WriteString(conn, "1\r\n \r\n"); err != nil {
							return
						}
						time.Sleep(time.Second)
					}
				}()
				in := bufio.NewReader(conn)
				resp, err := http.ReadResponse(in, nil)
				if err != nil {
					t.Fatal(err)
				}
				text, err := io.ReadAll(resp.Body)
				if err != nil {
					t.Fatal(err)
				}
				if p := parse[wire.Problem](t, text); p.Type != c.want.TypeURI() ||
					!resp.Close ||
					resp.StatusCode != c.want.Status {
					t.Errorf("%d %s", resp.StatusCode, text)
				}
				if took := time.Since(began); took >= time.Second {
					t.Errorf("it heard of it after %v", took)
				}
				_, _ = io.Copy(io.Discard, in)
				if took := time.Since(began); took > 4*time.Second {
					t.Errorf("the connection is kept for %v", took)
				}
				conn.Close()
				<-stop
				end()
			})
		})
	}
}

// TestSlowBatches: a line that comes byte by byte, and a batch that lasts, give their slot back.
func TestSlowBatches(t *testing.T) {
	for _, c := range []struct {
		name  string
		piece string
		every time.Duration
		ends  time.Duration
		lines int // answered before
	}{
		{"a byte every 25 s", " ", 25 * time.Second, 30 * time.Second, 0},
		{"an empty line every 25 s", "\n", 25 * time.Second, 30 * time.Second, 0},
		{"a line every 25 s", question1(mateIn1) + "\n", 25 * time.Second, 10 * time.Minute, 24},
		{"line after line", question1(mateIn1) + "\n", time.Second, 10 * time.Minute, 600},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer(t, Config{BatchTime: 10 * time.Minute,
					Solver: sleeps(time.Millisecond)})
				dial, end := serveOn(t, s)
				b := openBatch(t, dial())
				began := time.Now()
				stop := make(chan struct{})
				go func() {
					defer close(stop)
					for b.send(c.piece) == nil {
						time.Sleep(c.every)
					}
				}()
				text, err := io.ReadAll(b.resp.Body)
				if err != nil {
					t.Fatal(err)
				}
				took := time.Since(began)
				if took < c.ends || took > c.ends+time.Second {
					t.Errorf("it lasted %v, want %v", took, c.ends)
				}
				in := bufio.NewScanner(bytes.NewReader(text))
				lines, last := 0, ""
				for in.Scan() {
					lines, last = lines+1, in.Text()
				}
				if p := parse[wire.Problem](t, []byte(last)); p.Type != wire.BodyTimeout.TypeURI() ||
					lines-1 < c.lines || lines-1 > c.lines+1 {
					t.Errorf("%d lines, the last %s", lines, last)
				}
				b.conn.Close()
				<-stop
				if s.batches.running != 0 || len(s.batches.each) != 0 {
					t.Error("the slot is not free")
				}
				end()
			})
		})
	}
}

// TestBatchesOfOneClient: one client has a part of the slots.
func TestBatchesOfOneClient(t *testing.T) {
	for most, each := range map[int]int{1: 1, 2: 1, 3: 2, 4: 2, 8: 2, 40: 10} {
		s := newServer(t, Config{MaxBatches: most})
		one, got := &client{}, 0
		for s.batches.acquire(one) {
			got++
		}
		for s.batches.acquire(&client{}) {
			got++
		}
		if s.batches.each[one] != each || got != most {
			t.Errorf("of %d slots one client has %d, all together %d; want %d", most,
				s.batches.each[one], got, each)
		}
	}
}

// TestRefusedBody: who is refused in the middle of a large body gets the answer and the end of the
// connection, not a reset, which may take the answer from it.
func TestRefusedBody(t *testing.T) {
	t.Parallel()
	addr := serveTCP(t, newServer(t, Config{}))
	for _, path := range []string{"/v1/solve", "/v1/moves", "/v1/nothing"} {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", path, 4<<20,
			bytes.Repeat([]byte(" "), 100<<10))
		in := bufio.NewReader(conn)
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, resp.Body)
		if err != nil || resp.StatusCode < 400 || !resp.Close {
			t.Errorf("%s: %s, %v", path, resp.Status, err)
		}
		if _, err := in.ReadByte(); err != io.EOF {
			t.Errorf("%s, after the answer: %v", path, err)
		}
	}
}
