package cli

import (
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Address declares an address to listen on. With optional, "off" makes it empty.
func (s *Settings) Address(p *string, name, fallback, usage string, optional bool) {
	s.add(name, "HOST:PORT", fallback, usage, func(v string) error {
		if *p = v; optional && v == "off" {
			*p = ""
			return nil
		}
		_, port, err := net.SplitHostPort(v)
		if _, numErr := strconv.ParseUint(port, 10, 16); err == nil {
			err = numErr
		}
		if err != nil && optional {
			return Errorf(`host:port, :port, or "off"`, `host:port、:port、または off`)
		}
		if err != nil {
			return Errorf("host:port or :port", "host:port か :port")
		}
		return nil
	})
}

// Text declares a text, such as the name of a file, that is empty by default. kind names it in the
// help. check, unless nil, says what it must be.
func (s *Settings) Text(p *string, name, kind, usage string, check func(string) error) {
	s.add(name, kind, "", usage, func(v string) error {
		*p = v
		if v == "" || check == nil {
			return nil
		}
		return check(v)
	})
}

// Switch declares what is off by default, and on without a value or with "true".
func (s *Settings) Switch(p *bool, name, usage string) {
	s.add(name, "", "false", usage, func(v string) error {
		on, err := strconv.ParseBool(v)
		if err != nil {
			return Errorf("true or false", "true か false")
		}
		*p = on
		return nil
	})
	if s.list == nil {
		s.flags.Lookup(name).NoOptDefVal = "true"
	}
}

// Number declares a whole number in a range.
func Number[N int | int64 | uint64](s *Settings, p *N, name string,
	fallback, least, most N, usage string) {
	s.add(name, "N", strconv.FormatInt(int64(fallback), 10), usage, func(v string) error {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < int64(least) || n > int64(most) {
			return Errorf("a number from %d to %d", "%dから%dまでの数", least, most)
		}
		*p = N(n)
		return nil
	})
}

// Duration declares a time span in a range.
func (s *Settings) Duration(p *time.Duration, name string,
	fallback, least, most time.Duration, usage string) {
	s.add(name, "DURATION", DurationText(fallback), usage, func(v string) error {
		d, err := time.ParseDuration(v)
		if err != nil || d < least || d > most {
			return Errorf("a duration from %s to %s, such as 500ms, 2s or 1m30s", "%sから%sまでの時間（500ms、2s、1m30s など）",
				DurationText(least), DurationText(most))
		}
		if d%time.Millisecond != 0 {
			return Errorf("a whole number of milliseconds", "ミリ秒単位の時間")
		}
		*p = d
		return nil
	})
}

// DurationText leaves out the units that are zero: "2m", not "2m0s".
func DurationText(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// Size declares a number of bytes in a range.
func (s *Settings) Size(p *int64, name string, fallback, least, most int64, usage string) {
	s.add(name, "SIZE", SizeText(fallback), usage, func(v string) error {
		n, err := ParseSize(v)
		if err != nil || n < least || n > most {
			return Errorf("a size from %s to %s, such as 65536, 512KiB or 64MiB", "%sから%sまでの大きさ（65536、512KiB、64MiB など）",
				SizeText(least), SizeText(most))
		}
		*p = n
		return nil
	})
}

// Origin declares one web origin, such as https://example.org, "" by default.
func (s *Settings) Origin(p *string, name, usage string) {
	s.add(name, "URL", "", usage, func(v string) error {
		o, ok := parseOrigin(strings.TrimSuffix(v, "/"))
		if v != "" && (!ok || strings.Contains(v, "*")) {
			return Errorf("an address without a path, such as https://example.org; %q is none",
				"https://example.org のような、パスのないアドレス（「%s」は誤り）", v)
		}
		*p = o
		return nil
	})
}

// Origins declares a list of web origins; "*" alone is every one, "none" is none.
func (s *Settings) Origins(p *[]string, name, fallback, usage string) {
	s.add(name, "LIST", fallback, usage, func(v string) error {
		switch v {
		case "none":
			*p = nil
			return nil
		case "*":
			*p = []string{"*"}
			return nil
		}
		*p = strings.Split(v, ",")
		for i, text := range *p {
			o, ok := parseOrigin(strings.TrimSpace(text))
			if !ok {
				return Errorf(`"*", "none", or origins such as https://example.org or `+
					"https://*.example.org, separated by commas; %q is none",
					"*、none、または https://example.org、https://*.example.org など（コンマ区切り。「%s」は誤り）", text)
			}
			(*p)[i] = o
		}
		return nil
	})
}

// parseOrigin reads a web origin, and returns it as browsers write it, since it is compared with
// what they send. "*" may stand for the first labels of its host, and for nothing else: at any
// other place it would let in hosts that belong to somebody else.
func parseOrigin(text string) (origin string, ok bool) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" ||
		!strings.EqualFold(u.Scheme+"://"+u.Host, text) {
		return "", false
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if addr, err := netip.ParseAddr(host); err == nil && addr.Is6() {
		if addr.Zone() != "" {
			return "", false
		}
		host = "[" + addr.String() + "]"
	} else if name := strings.TrimPrefix(host, "*."); !isHostName(name) {
		return "", false
	}
	origin = u.Scheme + "://" + host
	if port == "" {
		return origin, !strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if n == 80 && u.Scheme == "http" || n == 443 && u.Scheme == "https" {
		return origin, true
	}
	return origin + ":" + strconv.FormatUint(n, 10), err == nil && n > 0
}

// isHostName reports whether a name consists of what browsers send for hosts: for letters
// beyond ASCII, for instance, they send the Punycode.
func isHostName(name string) bool {
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return true
}

// Networks declares a list of networks in CIDR form; "none" is none.
func (s *Settings) Networks(p *[]string, name, fallback, usage string) {
	s.add(name, "LIST", fallback, usage, func(v string) error {
		*p = nil
		if v == "none" {
			return nil
		}
		for network := range strings.SplitSeq(v, ",") {
			prefix, err := netip.ParsePrefix(strings.TrimSpace(network))
			if err != nil {
				return Errorf(`"none", or networks such as 10.0.0.0/8, separated by commas`,
					"none、または 10.0.0.0/8 など（コンマ区切り）")
			}
			*p = append(*p, prefix.String())
		}
		return nil
	})
}

// Level declares the least level that is logged.
func (s *Settings) Level(p *slog.Level, name string, fallback slog.Level, usage string) {
	s.add(name, "LEVEL", strings.ToLower(fallback.String()), usage, func(v string) error {
		levels := map[string]slog.Level{
			"debug": slog.LevelDebug, "info": slog.LevelInfo,
			"warn": slog.LevelWarn, "error": slog.LevelError,
		}
		l, ok := levels[strings.ToLower(v)]
		if !ok {
			return Errorf("debug, info, warn or error", "debug、info、warn、error のどれか")
		}
		*p = l
		return nil
	})
}
