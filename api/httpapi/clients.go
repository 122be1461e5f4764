package httpapi

import (
	"context"
	"math"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/tsumero/tsumero/solver/sched"
)

// Work is counted in tokens of 100 µs of search. A request costs as much as a tenth of a second,
// so that a client may keep one processor busy with the default of 600 requests a minute. A line
// of a batch, which needs no connection and no parsing of a header, costs a thousandth of that,
// and as much again for each part of it, since a long one that is wrong takes long to describe. What
// is sent costs as much for each part: of the answer to a line, or of that to a whole request.
const (
	tokenTime   = 100 * time.Microsecond
	requestCost = 1000
	readCost    = requestCost / 10 // of a request that only reads a text
	lineCost    = 1
	linePart    = 512 // bytes
)

// A client is who asks, as far as limits can tell clients apart: an IPv4 address, or the IPv6
// network that a customer gets (/64).
type client struct {
	network netip.Prefix
	limiter *rate.Limiter // of work, a token bucket that may be in debt; nil: no limit
	account sched.Client  // of its searches

	requests int // in flight; guarded by clients.mu
}

// networkOf returns the network of the client at an address, the zero Prefix for the zero Addr.
func networkOf(addr netip.Addr) netip.Prefix {
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	network, _ := addr.Prefix(bits)
	return network
}

// clients are those who asked lately.
type clients struct {
	perMinute int // requests, 0: any number

	mu    sync.Mutex
	all   map[netip.Prefix]*client
	sweep int // the number of clients at which idle ones are forgotten
}

// leastSweep is how many clients are kept without looking which of them can be forgotten.
const leastSweep = 1024

func newClients(perMinute int) *clients {
	return &clients{perMinute: perMinute, all: map[netip.Prefix]*client{}, sweep: leastSweep}
}

// enter returns the client at an address, which is not forgotten before leave.
func (c *clients) enter(addr netip.Addr) *client {
	network := networkOf(addr)
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.all[network]
	if one == nil {
		if len(c.all) >= c.sweep {
			c.forget(time.Now())
		}
		one = &client{network: network}
		one.account.Charge = func(took time.Duration) { one.charge(time.Now(), took) }
		if c.perMinute > 0 {
			burst := requestCost * min(c.perMinute, math.MaxInt/requestCost)
			one.limiter = rate.NewLimiter(rate.Limit(float64(burst)/60), burst)
		}
		c.all[network] = one
	}
	one.requests++
	return one
}

func (c *clients) leave(one *client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one.requests--
}

// forget drops the clients that would be the same if they came anew. c.mu is held. The next time
// is when there are twice as many as are left, so that this costs little for each newcomer.
func (c *clients) forget(now time.Time) {
	for network, one := range c.all {
		if one.requests == 0 &&
			(one.limiter == nil || one.limiter.TokensAt(now) >= float64(one.limiter.Burst())) {
			delete(c.all, network)
		}
	}
	c.sweep = max(leastSweep, 2*len(c.all))
}

// admit takes the cost of a request. If the client has not enough left, it takes nothing and
// returns how long that will be so.
func (c *client) admit(now time.Time, cost int) (retryAfter time.Duration) {
	if c.limiter == nil || c.limiter.AllowN(now, cost) {
		return 0
	}
	missing := float64(cost) - c.limiter.TokensAt(now)
	return time.Duration(max(1, missing/float64(c.limiter.Limit())*float64(time.Second)))
}

// waitForLine waits until the client has enough left for a line of a batch, and takes that.
func (c *client) waitForLine(ctx context.Context, size int) error {
	if c.limiter == nil {
		return nil
	}
	return c.limiter.WaitN(ctx, min(lineCost+size/linePart, c.limiter.Burst()))
}

// charge takes the cost of work that is done already. The client may be in debt afterwards, but
// no single search takes more than a minute's worth.
func (c *client) charge(now time.Time, took time.Duration) {
	c.spend(now, int64(took/tokenTime))
}

// send takes the cost of an answer of so many bytes, likewise. Short ones cost nothing.
func (c *client) send(now time.Time, size int64) { c.spend(now, size/linePart) }

func (c *client) spend(now time.Time, tokens int64) {
	if c.limiter == nil {
		return
	}
	if n := int(min(tokens, int64(c.limiter.Burst()))); n > 0 {
		c.limiter.ReserveN(now, n)
	}
}

// standing returns how many requests the client may send at once, how long it takes until that is
// one more, and when it may send as many as ever.
func (c *client) standing(now time.Time) (remaining int, next time.Duration, reset time.Time) {
	tokens := c.limiter.TokensAt(now)
	until := func(n float64) time.Duration {
		return time.Duration((n - tokens) / float64(c.limiter.Limit()) * float64(time.Second))
	}
	remaining = int(max(0, tokens/requestCost))
	return remaining, until(float64(remaining+1) * requestCost), now.Add(until(float64(c.limiter.Burst())))
}

// The fields RateLimit-Policy and RateLimit, of draft-ietf-httpapi-ratelimit-headers-10, name the
// one policy that there is.

// ratePolicy returns what the field RateLimit-Policy says of a limit: so many requests in 60 s.
func ratePolicy(perMinute int) string { return `"default";q=` + strconv.Itoa(perMinute) + ";w=60" }

// rateLimit returns what the field RateLimit says: how many requests are left, and how long it
// takes until there are more, in seconds.
func rateLimit(remaining int, next time.Duration) string {
	b := append(make([]byte, 0, 32), `"default";r=`...)
	b = append(strconv.AppendInt(b, int64(remaining), 10), ";t="...)
	return string(strconv.AppendInt(b, int64(seconds(next)), 10))
}

// seconds rounds up to what a header can say, at least 1.
func seconds(d time.Duration) int { return max(1, int((d+time.Second-1)/time.Second)) }

// unixUp returns a time in Unix seconds, rounded up.
func unixUp(t time.Time) string {
	return strconv.FormatInt(t.Add(time.Second-1).Unix(), 10)
}
