package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// envPrefix starts the name of every environment variable that is a setting.
const envPrefix = "TSUMERO_"

// settings are values that come from a flag, else from an environment variable, else from a default. Nothing is
// refused before resolve, which names every fault of every value at once.
type settings struct {
	flags *pflag.FlagSet
	all   []*setting
}

// A setting is a pflag.Value that takes whatever it is given.
type setting struct {
	name  string // of the flag, without the dashes
	kind  string // of the value, for the help text
	value string
	from  string // the flag or the variable it was given by, empty for the default
	parse func(string) error
}

func (s *setting) String() string { return s.value }
func (s *setting) Type() string   { return s.kind }

func (s *setting) Set(value string) error {
	s.value, s.from = value, "--"+s.name
	return nil
}

// env returns the name of the variable that stands for the flag.
func (s *setting) env() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(s.name, "-", "_"))
}

// add declares a setting. parse stores the value and says what is wrong with it.
func (s *settings) add(name, kind, fallback, usage string, parse func(string) error) {
	one := &setting{name: name, kind: kind, value: fallback, parse: parse}
	s.all = append(s.all, one)
	s.flags.Var(one, name, usage+" [$"+one.env()+"]")
}

// resolve takes the environment into account and parses every value. An empty variable counts as not set.
func (s *settings) resolve() error {
	var faults []error
	for _, one := range s.all {
		if v := os.Getenv(one.env()); v != "" && one.from == "" {
			one.value, one.from = v, one.env()
		}
		if err := one.parse(one.value); err != nil {
			faults = append(faults, fmt.Errorf("%s is %q, but must be %w", cmp.Or(one.from, "--"+one.name), one.value, err))
		}
	}
	return errors.Join(faults...)
}

// isGiven reports whether a setting has another value than its default by flag or variable.
func (s *settings) isGiven(name string) bool {
	i := slices.IndexFunc(s.all, func(one *setting) bool { return one.name == name })
	return s.all[i].from != ""
}

// unknown returns the variables that look like settings and are none: misspelt ones, mostly. It is no fault to have
// them, for Kubernetes gives every container variables that are named after the services around it.
func (s *settings) unknown(environ []string) []string {
	var found []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		isOurs := func(one *setting) bool { return one.env() == name }
		if strings.HasPrefix(name, envPrefix) && !slices.ContainsFunc(s.all, isOurs) {
			found = append(found, name)
		}
	}
	return found
}

// address declares an address to listen on. With optional, "off" makes it empty.
func (s *settings) address(p *string, name, fallback, usage string, optional bool) {
	s.add(name, "host:port", fallback, usage, func(v string) error {
		if *p = v; optional && v == "off" {
			*p = ""
			return nil
		}
		_, port, err := net.SplitHostPort(v)
		if n, numErr := strconv.ParseUint(port, 10, 16); err == nil && (numErr != nil || n > 65535) {
			err = errors.New("the port is no number up to 65535")
		}
		if err != nil && optional {
			return errors.New(`host:port, :port, or "off"`)
		}
		if err != nil {
			return errors.New("host:port or :port")
		}
		return nil
	})
}

// number declares a whole number in a range.
func number[N int | int64 | uint64](s *settings, p *N, name string, fallback, least, most N, usage string) {
	s.add(name, "n", strconv.FormatInt(int64(fallback), 10), usage, func(v string) error {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < int64(least) || n > int64(most) {
			return fmt.Errorf("a number from %d to %d", least, most)
		}
		*p = N(n)
		return nil
	})
}

// duration declares a time span in a range.
func (s *settings) duration(p *time.Duration, name string, fallback, least, most time.Duration, usage string) {
	s.add(name, "duration", shortDuration(fallback), usage, func(v string) error {
		d, err := time.ParseDuration(v)
		if err != nil || d < least || d > most {
			return fmt.Errorf("a duration from %s to %s, such as 500ms, 2s or 1m30s", shortDuration(least), shortDuration(most))
		}
		*p = d
		return nil
	})
}

// shortDuration leaves out the units that are zero: "2m", not "2m0s".
func shortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// size declares a number of bytes in a range.
func (s *settings) size(p *int64, name string, fallback, least, most int64, usage string) {
	s.add(name, "bytes", sizeText(fallback), usage, func(v string) error {
		n, err := parseSize(v)
		if err != nil || n < least || n > most {
			return fmt.Errorf("a size from %s to %s, such as 65536, 512KiB or 64MiB", sizeText(least), sizeText(most))
		}
		*p = n
		return nil
	})
}

// sizeUnits are what a size may end in. All are powers of 1024.
var sizeUnits = []struct {
	name string
	size int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}, {"", 1}}

func sizeText(n int64) string {
	for _, u := range sizeUnits {
		if n%u.size == 0 && n >= u.size {
			return strconv.FormatInt(n/u.size, 10) + u.name
		}
	}
	return "0"
}

func parseSize(text string) (int64, error) {
	for _, u := range sizeUnits {
		digits, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err == nil && n > (1<<62)/u.size {
			err = strconv.ErrRange
		}
		return n * u.size, err
	}
	return 0, strconv.ErrSyntax
}

// A byteSize is a flag that holds a number of bytes.
type byteSize int64

func (b byteSize) String() string { return sizeText(int64(b)) }
func (b *byteSize) Type() string  { return "size" }

// Set parses a size. The caller checks its range.
func (b *byteSize) Set(text string) error {
	n, err := parseSize(text)
	if err != nil {
		return errors.New("it must be a size such as 512M or 4GiB")
	}
	*b = byteSize(n)
	return nil
}

// origins declares a list of web origins; "*" alone is every one, "none" is none.
func (s *settings) origins(p *[]string, name, fallback, usage string) {
	s.add(name, "list", fallback, usage, func(v string) error {
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
				return fmt.Errorf(`"*", "none", or origins such as https://example.org or https://*.example.org, `+
					"separated by commas; %q is none", text)
			}
			(*p)[i] = o
		}
		return nil
	})
}

// parseOrigin reads a web origin, and returns it as browsers write it, since it is compared with
// what they say. "*" may stand for the first labels of its host, and for nothing else: at any other
// place it would let in hosts that belong to somebody else.
func parseOrigin(text string) (origin string, ok bool) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || !strings.EqualFold(u.Scheme+"://"+u.Host, text) {
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

// isHostName reports whether a name consists of what browsers say of hosts: of letters beyond
// ASCII, for instance, they say the Punycode.
func isHostName(name string) bool {
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return true
}

// networks declares a list of networks in CIDR form; "none" is none.
func (s *settings) networks(p *[]string, name, fallback, usage string) {
	s.add(name, "list", fallback, usage, func(v string) error {
		*p = nil
		if v == "none" {
			return nil
		}
		for network := range strings.SplitSeq(v, ",") {
			prefix, err := netip.ParsePrefix(strings.TrimSpace(network))
			if err != nil {
				return errors.New(`"none", or networks such as 10.0.0.0/8, separated by commas`)
			}
			*p = append(*p, prefix.String())
		}
		return nil
	})
}

// level declares the least level that is logged.
func (s *settings) level(p *slog.Level, name string, fallback slog.Level, usage string) {
	s.add(name, "level", strings.ToLower(fallback.String()), usage, func(v string) error {
		levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
		l, ok := levels[strings.ToLower(v)]
		if !ok {
			return errors.New("debug, info, warn or error")
		}
		*p = l
		return nil
	})
}
