package cli

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// A value comes from its flag, else from its variable, else from its default.
func TestSettingsPrecedence(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		env  string
		want time.Duration
	}{
		{"default", nil, "", 2 * time.Second},
		{"variable", nil, "3s", 3 * time.Second},
		{"flag", []string{"--max-time", "4s"}, "", 4 * time.Second},
		{"flag before variable", []string{"--max-time=4s"}, "3s", 4 * time.Second},
		{"flag before a wrong variable", []string{"--max-time=4s"}, "soon", 4 * time.Second},
		{"the last flag", []string{"--max-time=4s", "--max-time=5s"}, "", 5 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("TSUMERO_MAX_TIME", c.env)
			var got time.Duration
			s := NewSettings(English, pflag.NewFlagSet("test", pflag.ContinueOnError))
			s.Duration(&got, "max-time", 2*time.Second, time.Second, time.Minute, "at most this long")
			if err := s.flags.Parse(c.args); err != nil {
				t.Fatal(err)
			}
			if err := s.Resolve(); err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// values is one setting of each kind.
type values struct {
	addr, admin string
	count       int
	time        time.Duration
	size        int64
	origins     []string
	networks    []string
	level       slog.Level
}

func (v *values) declare() *Settings {
	s := NewSettings(English, pflag.NewFlagSet("test", pflag.ContinueOnError))
	s.Address(&v.addr, "addr", ":8080", "", false)
	s.Address(&v.admin, "admin-addr", "127.0.0.1:9090", "", true)
	Number(s, &v.count, "count", 5, 1, 10, "")
	s.Duration(&v.time, "time", time.Second, time.Millisecond, time.Minute, "")
	s.Size(&v.size, "size", 1<<20, 0, 1<<30, "")
	s.Origins(&v.origins, "origins", "*", "")
	s.Networks(&v.networks, "networks", "none", "")
	s.Level(&v.level, "level", slog.LevelInfo, "")
	return s
}

// Every wrong value is named at once, each by the flag or the variable it came from.
func TestSettingsNameAllFaults(t *testing.T) {
	t.Setenv("TSUMERO_ADDR", "nowhere")
	t.Setenv("TSUMERO_COUNT", "11")
	var v values
	s := v.declare()
	args := []string{"--admin-addr", "localhost:99999", "--time", "2h", "--size", "1TB", "--origins", "https://a.org,b.org", "--networks", "10.0.0.1", "--level", "loud"}
	if err := s.flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	err := s.Resolve()
	want := `TSUMERO_ADDR is "nowhere", but must be host:port or :port
--admin-addr is "localhost:99999", but must be host:port, :port, or "off"
TSUMERO_COUNT is "11", but must be a number from 1 to 10
--time is "2h", but must be a duration from 1ms to 1m, such as 500ms, 2s or 1m30s
--size is "1TB", but must be a size from 0 to 1GiB, such as 65536, 512KiB or 64MiB
--origins is "https://a.org,b.org", but must be "*", "none", or origins such as https://example.org or https://*.example.org, separated by commas; "b.org" is none
--networks is "10.0.0.1", but must be "none", or networks such as 10.0.0.0/8, separated by commas
--level is "loud", but must be debug, info, warn or error`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestSettingsValues(t *testing.T) {
	var v values
	s := v.declare()
	args := strings.Fields("--addr [::1]:80 --admin-addr off --count 10 --time 1m --size 64KiB --origins https://a.org,http://b.org:81 --networks 10.0.0.0/8,fd00::/8 --level WARN")
	if err := s.flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	if err := s.Resolve(); err != nil {
		t.Fatal(err)
	}
	if v.addr != "[::1]:80" || v.admin != "" || v.count != 10 || v.time != time.Minute || v.size != 64<<10 ||
		!slices.Equal(v.origins, []string{"https://a.org", "http://b.org:81"}) || !slices.Equal(v.networks, []string{"10.0.0.0/8", "fd00::/8"}) || v.level != slog.LevelWarn {
		t.Errorf("got %+v", v)
	}

	// The defaults are right, and are shown as they would be written.
	v = values{}
	if err := v.declare().Resolve(); err != nil {
		t.Error(err)
	}
	if v.addr != ":8080" || v.admin != "127.0.0.1:9090" || v.count != 5 || v.size != 1<<20 || !slices.Equal(v.origins, []string{"*"}) {
		t.Errorf("defaults %+v", v)
	}
	if help := v.declare().flags.FlagUsages(); !strings.Contains(help, "[$TSUMERO_ADMIN_ADDR] (default 127.0.0.1:9090)") || !strings.Contains(help, "(default 1MiB)") {
		t.Errorf("help:\n%s", help)
	}
}

func TestTextAndSwitch(t *testing.T) {
	t.Setenv("TSUMERO_DIR", "/from/env")
	declare := func(file *string, dir *string, on *bool) *Settings {
		s := NewSettings(English, pflag.NewFlagSet("", pflag.ContinueOnError))
		s.Text(file, "file", "file", "a file", func(v string) error {
			if v == "bad" {
				return errors.New("a good one")
			}
			return nil
		})
		s.Text(dir, "dir", "dir", "a folder", nil)
		s.Switch(on, "risky", "take a risk")
		return s
	}
	var file, dir string
	var on bool
	s := declare(&file, &dir, &on)
	if err := s.Resolve(); err != nil || file != "" || dir != "/from/env" || on || !s.IsGiven("dir") || s.IsGiven("file") {
		t.Errorf("%q %q %v, %v", file, dir, on, err)
	}
	s = declare(&file, &dir, &on)
	if err := s.flags.Parse([]string{"--risky", "--file", "x", "--dir="}); err != nil {
		t.Fatal(err)
	}
	if err := s.Resolve(); err != nil || file != "x" || dir != "" || !on {
		t.Errorf("%q %q %v, %v", file, dir, on, err)
	}
	s = declare(&file, &dir, &on)
	if err := s.flags.Parse([]string{"--risky=perhaps", "--file", "bad"}); err != nil {
		t.Fatal(err)
	}
	want := "--file is \"bad\", but must be a good one\n--risky is \"perhaps\", but must be true or false"
	if err := s.Resolve(); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}

// TestOrigins: an origin that no browser says would never match, and one that is too much of a
// pattern would match strangers.
func TestOrigins(t *testing.T) {
	for text, want := range map[string][]string{
		"*":                           {"*"},
		"none":                        nil,
		"https://a.org":               {"https://a.org"},
		" https://a.org ,http://b.io": {"https://a.org", "http://b.io"},
		"HTTPS://Shogi.Example.ORG":   {"https://shogi.example.org"},
		"https://a.org:443":           {"https://a.org"},
		"http://a.org:80":             {"http://a.org"},
		"http://a.org:443":            {"http://a.org:443"},
		"http://localhost:3000":       {"http://localhost:3000"},
		"http://[::1]:3000":           {"http://[::1]:3000"},
		"http://[0:0::1]":             {"http://[::1]"},
		"https://*.example.org":       {"https://*.example.org"},
		"https://*.example.org:8443":  {"https://*.example.org:8443"},
		"https://xn--wgv71a.example":  {"https://xn--wgv71a.example"},
	} {
		var v values
		s := v.declare()
		if err := s.flags.Parse([]string{"--origins", text}); err != nil {
			t.Fatal(err)
		}
		if err := s.Resolve(); err != nil || !slices.Equal(v.origins, want) {
			t.Errorf("%q: %q, %v; want %q", text, v.origins, err, want)
		}
	}
	for _, text := range []string{
		"null", "a.org", "https://", "https:///", "https://a.org/", "https://a.org/x", "https://a.org?", "https://a.org#",
		"https://u@a.org", "ftp://a.org", "file://", "https://a.org:", "https://a.org:99999", "https://a.org:0", "https://a b.org",
		"https://日本.example", "https://a.org,", ",https://a.org", "*,https://a.org", "https://a.org,*", "https://a.org https://b.org",
		"https://*", "https://*:8080", "https://*.", "https://a.*", "https://*a.org", "https://a.*.org", "https://*.*.org", "https://a.org*",
		"*://a.org", "https://[::1%25eth0]", "https://[::1", "none,https://a.org", "https://*.[::1]",
	} {
		var v values
		s := v.declare()
		if err := s.flags.Parse([]string{"--origins", text}); err != nil {
			t.Fatal(err)
		}
		if err := s.Resolve(); err == nil || !strings.Contains(err.Error(), "https://example.org") {
			t.Errorf("%q: %q, %v", text, v.origins, err)
		}
	}
}

func TestSettingsUnknown(t *testing.T) {
	var v values
	got := v.declare().Unknown([]string{"TSUMERO_ADDR=:1", "TSUMERO_ADRR=:1", "HOME=/", "TSUMERO_PORT=tcp://10.0.0.1:80"})
	if want := []string{"TSUMERO_ADRR", "TSUMERO_PORT"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "17": 17, "64KiB": 64 << 10, "3MiB": 3 << 20, "2GiB": 2 << 30} {
		if got, err := ParseSize(text); err != nil || got != want || SizeText(want) != text {
			t.Errorf("ParseSize(%q) = %d, %v; SizeText(%d) = %q", text, got, err, want, SizeText(want))
		}
	}
	for text, want := range map[string]int64{"64K": 64 << 10, "512M": 512 << 20, "2G": 2 << 30, "1024MiB": 1 << 30} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "KiB", "G", "1.5MiB", "1 MiB", "9999999999GiB", "1kb", "1GB"} {
		if n, err := ParseSize(text); err == nil {
			t.Errorf("ParseSize(%q) = %d, want an error", text, n)
		}
	}
}

// An automatic setting is left as it is unless a value is given; "auto" is none, wherever it
// stands.
func TestAutomatic(t *testing.T) {
	for _, c := range []struct {
		args  []string
		env   string
		count int
		given bool
	}{
		{nil, "", 7, false},
		{nil, "auto", 7, false},
		{nil, "3", 3, true},
		{[]string{"--count", "auto"}, "3", 7, false},
		{[]string{"--count", "4"}, "auto", 4, true},
	} {
		t.Setenv("TSUMERO_COUNT", c.env)
		count := 7
		flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
		s := NewSettings(English, flags)
		Number(s, &count, "count", 5, 1, 10, "how many")
		s.Automatic()
		if err := flags.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		if err := s.Resolve(); err != nil || count != c.count || s.IsGiven("count") != c.given {
			t.Errorf("%q, variable %q: %d, given %v, %v; want %d, %v",
				c.args, c.env, count, s.IsGiven("count"), err, c.count, c.given)
		}
		if help := flags.FlagUsages(); !strings.Contains(help, "(default auto)") {
			t.Errorf("help:\n%s", help)
		}
	}
	t.Setenv("TSUMERO_COUNT", "automatic")
	count := 7
	s := NewSettings(English, pflag.NewFlagSet("test", pflag.ContinueOnError))
	Number(s, &count, "count", 5, 1, 10, "how many")
	s.Automatic()
	const want = `TSUMERO_COUNT is "automatic", but must be a number from 1 to 10, or "auto"`
	if err := s.Resolve(); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// pools is a list among other settings.
type pools struct {
	slots, queue int
	wait         time.Duration
	risky        bool
	count        int
}

func (p *pools) declare(flags *pflag.FlagSet) *Settings {
	flags.SortFlags = false
	s := NewSettings(English, flags)
	s.Subject("Pools")
	s.List("pool", "what runs", func() {
		Number(s, &p.slots, "slots", 1, 1, 9, "at once; auto: as fits")
		s.Automatic()
		Number(s, &p.queue, "queue", 16, 0, 99, "what waits")
		s.Duration(&p.wait, "wait", 2*time.Second, time.Second, time.Minute, "for so long")
		s.Switch(&p.risky, "risky", "take a risk")
	})
	s.Subject("Others")
	Number(s, &p.count, "count", 5, 1, 10, "how many of these there are, which takes more words than fit into "+
		"the line that begins with the name of the flag")
	return s
}

// Each key of a list is a setting: its flag comes before its variable, and both before its default.
func TestList(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		env  string
		want pools
	}{
		{"defaults", nil, "", pools{7, 16, 2 * time.Second, false, 5}},
		{"flag", []string{"--pool", "slots=2,wait=3s,risky=true"}, "", pools{2, 16, 3 * time.Second, true, 5}},
		{"variable", nil, "queue=0,slots=3", pools{3, 0, 2 * time.Second, false, 5}},
		{"each key by itself", []string{"--pool", "slots=2"}, "slots=3,queue=4", pools{2, 4, 2 * time.Second, false, 5}},
		{"several flags", []string{"--pool", "slots=2,queue=1", "--pool", "queue=3"}, "",
			pools{2, 3, 2 * time.Second, false, 5}},
		{"the first key without its name", []string{"--pool", "4,queue=1"}, "", pools{4, 1, 2 * time.Second, false, 5}},
		{"auto", []string{"--pool", "slots=auto"}, "3", pools{7, 16, 2 * time.Second, false, 5}},
		{"empty", []string{"--pool="}, "", pools{7, 16, 2 * time.Second, false, 5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("TSUMERO_POOL", c.env)
			got := pools{slots: 7} // what auto leaves alone
			s := got.declare(pflag.NewFlagSet("", pflag.ContinueOnError))
			if err := s.flags.Parse(c.args); err != nil {
				t.Fatal(err)
			}
			if err := s.Resolve(); err != nil || got != c.want {
				t.Errorf("%+v, %v; want %+v", got, err, c.want)
			}
			if given := s.IsGiven("pool slots"); given != (got.slots != 7) {
				t.Errorf("slots are given: %v", given)
			}
			if given := s.IsGiven("pool"); given != (got != pools{7, 16, 2 * time.Second, false, 5}) {
				t.Errorf("any key is given: %v", given)
			}
		})
	}
}

// A fault in a list names the flag or the variable, the key and what it may be.
func TestListNamesFaults(t *testing.T) {
	for _, c := range []struct{ flag, env, want string }{
		{"slots=0", "", `--pool slots is "0", but must be a number from 1 to 9, or "auto"`},
		{"", "wait=2h", `TSUMERO_POOL wait is "2h", but must be a duration from 1s to 1m, such as 500ms, 2s or 1m30s`},
		{"wait=1.5ms", "", `--pool wait is "1.5ms", but must be a duration from 1s to 1m, such as 500ms, 2s or 1m30s`},
		{"wait=1.0005s", "", `--pool wait is "1.0005s", but must be a whole number of milliseconds`},
		{"risky=perhaps", "", `--pool risky is "perhaps", but must be true or false`},
		{"slot=2", "", `--pool has no key "slot"; its keys are slots, queue, wait, risky`},
		{"slots=2,slots=3", "", `--pool has slots twice`},
		{"2,slots=3", "", `--pool has slots twice`},
		{"2,3", "", `--pool has "3", which is no KEY=VALUE; its keys are slots, queue, wait, risky`},
		{"2,", "", `--pool has "", which is no KEY=VALUE; its keys are slots, queue, wait, risky`},
		{"many", "", `--pool slots is "many", but must be a number from 1 to 9, or "auto"`},
		{"x=1,queue=100", "y=1", "TSUMERO_POOL has no key \"y\"; its keys are slots, queue, wait, risky\n" +
			"--pool has no key \"x\"; its keys are slots, queue, wait, risky\n" +
			"--pool queue is \"100\", but must be a number from 0 to 99"},
	} {
		t.Setenv("TSUMERO_POOL", c.env)
		var p pools
		s := p.declare(pflag.NewFlagSet("", pflag.ContinueOnError))
		if err := s.flags.Set("pool", c.flag); err != nil {
			t.Fatal(err)
		}
		if err := s.Resolve(); err == nil || err.Error() != c.want {
			t.Errorf("%q, variable %q:\n%v\nwant\n%s", c.flag, c.env, err, c.want)
		}
	}
}

func TestUsages(t *testing.T) {
	var p pools
	s := p.declare(pflag.NewFlagSet("", pflag.ContinueOnError))
	const want = `
Pools:
      --pool KEY=VALUE,...   what runs [$TSUMERO_POOL]
                               slots         at once; auto: as fits
                               queue         what waits (default 16)
                               wait          for so long (default 2s)
                               risky         take a risk (default false)

Others:
      --count N   how many of these there are, which takes more words than fit into the line that
                  begins with the name of the flag [$TSUMERO_COUNT] (default 5)
`
	if got := s.Usages(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
