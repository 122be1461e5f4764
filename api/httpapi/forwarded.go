package httpapi

import (
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/tsumero/tsumero/api/wire"
)

// Behind a reverse proxy every connection is the proxy's, and X-Forwarded-For says who asked it.
// Each proxy appends the address it was asked from, so that the list is believed from its end, as
// far as the proxies are trusted: what stands before the first address that is not trusted may be
// anything.

// proxies are the networks whose X-Forwarded-For is believed.
type proxies []netip.Prefix

func (p proxies) trust(addr netip.Addr) bool {
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Contains(addr) })
}

// peer returns the address of the connection, the zero Addr if it has none, as a Unix socket.
func peer(remoteAddr string) netip.Addr {
	if at, err := netip.ParseAddrPort(remoteAddr); err == nil {
		return at.Addr().Unmap().WithZone("")
	}
	addr, _ := parseForwarded(remoteAddr)
	return addr
}

// client returns the address of who asks. If a trusted proxy does not say who asked it, this is
// the address of the proxy, and fault what it said instead: nothing, or what is no address.
func (p proxies) client(r *http.Request) (addr netip.Addr, fault *string) {
	addr = peer(r.RemoteAddr)
	if !p.trust(addr) {
		return addr, nil
	}
	found := false
	for _, line := range slices.Backward(r.Header["X-Forwarded-For"]) {
		for _, element := range slices.Backward(strings.Split(line, ",")) {
			if element = strings.TrimSpace(element); element == "" {
				continue
			}
			found = true
			next, ok := parseForwarded(element)
			if !ok {
				return addr, &element
			}
			if addr = next; !p.trust(addr) {
				return addr, nil
			}
		}
	}
	if !found {
		return addr, new(string)
	}
	return addr, nil // somebody in the networks of the proxies
}

// parseForwarded reads an element of X-Forwarded-For. Nothing specifies them: some proxies add the
// port, put IPv6 into brackets, or quote that as RFC 7239 does. What hides the address ("unknown",
// "_hidden") is not one.
func parseForwarded(element string) (netip.Addr, bool) {
	element = strings.Trim(element, `"`)
	addr, err := netip.ParseAddr(element)
	if err != nil {
		var at netip.AddrPort
		if at, err = netip.ParseAddrPort(element); err == nil {
			addr = at.Addr()
		}
	}
	if inner, ok := strings.CutPrefix(element, "["); ok && err != nil {
		if inner, ok = strings.CutSuffix(inner, "]"); ok {
			addr, err = netip.ParseAddr(inner)
		}
	}
	// IPv4 in IPv6 and zones would be other names for the same address.
	return addr.Unmap().WithZone(""), err == nil
}

// identify finds out who asks. A proxy that does not say it makes all its clients share one
// limit, so that this is counted, and warned of once. Health probes come from proxies themselves.
func (s *Server) identify(r *http.Request) netip.Addr {
	addr, fault := s.proxies.client(r)
	if fault != nil && !isProbe(r) {
		s.metrics.forwardedFaulty.Inc()
		s.warnForwarded.Do(func() {
			s.logger.LogAttrs(r.Context(), slog.LevelWarn,
				"a trusted proxy does not say who asks: its clients share one rate limit",
				slog.String("proxy", addr.String()), slog.String("x_forwarded_for", wire.Clip(*fault)))
		})
	}
	return addr
}
