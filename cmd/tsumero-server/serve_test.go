package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/cmd/internal/memory"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/levels"
)

// A served is a service that runs in this process.
type served struct {
	api, admin string // base addresses
	log        *syncBuffer
	end        func() int // asks for the end and returns the exit code
}

// startServe runs serve with the flags on free ports of its own.
func startServe(t *testing.T, flags ...string) *served {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &served{log: new(syncBuffer)}
	ended := make(chan struct{})
	var code int
	go func() {
		defer close(ended)
		args := append([]string{"serve", "--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0",
			"--drain-delay", "0s"}, flags...)
		code = run(ctx, args, nil, io.Discard, s.log)
	}()
	s.end = func() int {
		cancel()
		<-ended
		return code
	}
	t.Cleanup(func() { s.end() })
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		for line := range strings.Lines(s.log.String()) {
			var entry struct {
				Msg       string
				Addr      string
				AdminAddr string `json:"admin_addr"`
			}
			if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "listening" {
				s.api, s.admin = "http://"+entry.Addr, "http://"+entry.AdminAddr
				return s
			}
		}
		select {
		case <-ended:
			t.Fatalf("serve ended with %d:\n%s", code, s.log)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("serve does not listen:\n%s", s.log)
		}
	}
}

func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

const headGoldLink = "/v1/solve?sfen=4k4%2F9%2F4G4%2F9%2F9%2F9%2F9%2F9%2F9%20b%20G2r2b2g4s4n4l18p%201"

// The two listeners have what belongs to them, the log is JSON throughout, and the end is no
// failure.
func TestServe(t *testing.T) {
	t.Setenv("TSUMERO_ADRR", ":1")
	s := startServe(t)
	if status, body := get(t, s.api+headGoldLink); status != http.StatusOK || !strings.Contains(body, `"verdict":"mate"`) {
		t.Errorf("solve: %d %s", status, body)
	}
	if status, body := get(t, s.admin+"/metrics"); status != http.StatusOK || !strings.Contains(body, "tsumero_") {
		t.Errorf("metrics: %d %.200s", status, body)
	}
	if status, _ := get(t, s.api+"/metrics"); status != http.StatusNotFound {
		t.Errorf("metrics on the public listener: %d", status)
	}
	if code := s.end(); code != command.ExitOK {
		t.Errorf("exit code %d", code)
	}
	warned := false
	for line := range strings.Lines(s.log.String()) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Errorf("the log has a line that is not JSON: %q", line)
		}
		if entry["level"] == "WARN" && strings.Contains(line, "TSUMERO_ADRR") {
			warned = true
		}
	}
	if !warned {
		t.Errorf("a misspelt variable goes unnoticed:\n%s", s.log)
	}
}

// Settings reach the service: each of these changes an answer.
func TestServeSettings(t *testing.T) {
	t.Setenv("TSUMERO_MAX_PLIES", "5")
	t.Setenv("TSUMERO_MAX_TIME", "3s")
	t.Setenv("TSUMERO_RATE", "1")
	s := startServe(t, "--max-time", "700ms", "--max-nodes", "1000", "--max-body", "1KiB", "--rate", "0")
	for _, c := range []struct {
		limits string
		status int
	}{
		{`{"plies": 5, "nodes": 1000, "time_ms": 700}`, http.StatusOK},
		{`{"plies": 6}`, http.StatusUnprocessableEntity},
		{`{"nodes": 1001}`, http.StatusUnprocessableEntity},
		{`{"time_ms": 701}`, http.StatusUnprocessableEntity}, // the flag, not the variable
		{`{}` + strings.Repeat(" ", 1024), http.StatusRequestEntityTooLarge},
	} {
		resp, err := http.Post(s.api+"/v1/solve", "application/json", strings.NewReader(`{"sfen": "`+headGold+`", "limits": `+c.limits+`}`))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != c.status {
			t.Errorf("limits %.40s: %s, want %d", c.limits, resp.Status, c.status)
		}
	}
}

// The default for those who do not say follows the maximum, but a default above it is a fault.
func TestServeDefaultTime(t *testing.T) {
	startServe(t, "--max-time", "1s").end()
	var stderr strings.Builder
	code := run(context.Background(), []string{"serve", "--max-time", "1s", "--default-time", "1001ms"}, nil, io.Discard, &stderr)
	if want := "--default-time is 1.001s, more than --max-time, which is 1s"; code != command.ExitUsage || !strings.Contains(stderr.String(), want) {
		t.Errorf("exit code %d, %s; want %q", code, stderr.String(), want)
	}
}

// The page offers the time that the flag allows, and the API tells it.
func TestServeLimits(t *testing.T) {
	s := startServe(t, "--max-time", "3s")
	for path, want := range map[string]string{
		"/v1/limits": `"max_time_ms":3000`, "/study": `<option value="3000" selected>`,
	} {
		if status, body := get(t, s.api+path); status != http.StatusOK ||
			!strings.Contains(body, want) {
			t.Errorf("%s: %d, without %s", path, status, want)
		}
	}
	s.end()
}

// The memory for tables is divided with what was given, and what depends on the searches follows.
func TestServeSharesMemory(t *testing.T) {
	for _, c := range []struct {
		flags          []string
		processors     int
		searches, long int
		table          int64
	}{
		{[]string{"--memory", "64MiB"}, 4, 3, 1, 28 << 20},
		{[]string{"--memory", "1GiB", "--long", "slots=1"}, 4, 4, 1, 978 << 20},
		{[]string{"--memory", "1GiB", "--long", "table=256MiB"}, 8, 8, 3, 256 << 20},
		{[]string{"--memory", "1GiB", "--long", "slots=2,table=256MiB", "--short", "slots=1"}, 8, 1, 2, 256 << 20},
		{[]string{"--memory", "64MiB", "--long", "table=auto"}, 1, 1, 1, 48 << 20},
		{[]string{"--memory", "256MiB", "--jobs", "dir"}, 2, 2, 1, 86 << 20}, // (256 - 32) / 2 - 20 - 6
		{[]string{"--memory", "48MiB", "--jobs", "dir"}, 2, 1, 1, 8 << 20},   // as if there were no store
		{[]string{"--memory", "256MiB", "--jobs", "postgres://a/jobs", "--jobs-slots", "0"}, 2, 2, 1, 198 << 20},
	} {
		t.Run(strings.Join(c.flags, " "), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.processors))
			var s serveSettings
			flags := pflag.NewFlagSet("", pflag.ContinueOnError)
			set := cli.NewSettings(cli.English, flags)
			s.declare(set, flags)
			if err := flags.Parse(c.flags); err != nil {
				t.Fatal(err)
			}
			if err := s.resolve(set); err != nil {
				t.Fatal(err)
			}
			if s.api.MaxSearches != c.searches || s.api.LongSearches != c.long || s.table != c.table {
				t.Errorf("%d searches, %d long with %d bytes; want %d, %d with %d", s.api.MaxSearches, s.api.LongSearches, s.table, c.searches, c.long, c.table)
			}
			if s.api.MaxQueue != 0 || s.api.LongQueue != 0 || // as the service has them
				s.api.LongWait != 2*s.api.MaxTime {
				t.Errorf("queues of %d and %d, waits %v", s.api.MaxQueue, s.api.LongQueue, s.api.LongWait)
			}
		})
	}
	for flags, want := range map[string]string{
		"--memory=64MiB --short slots=100": "--memory is 64MiB, but --short slots=100 " +
			"takes 1000MiB of it, and --long slots=1,table=8MiB takes 14MiB",
		"--memory=128MiB --short=slots=2 --long=slots=9": "" +
			"--long slots=9,table=8MiB takes 126MiB",
		"--memory=1GiB --short=2 --long=table=2GiB": "table=2GiB",
		"--long=table=1MiB": `--long table is "1MiB", but must be a size from 8MiB to 16384GiB, ` +
			`such as 65536, 512KiB or 64MiB, or "auto"`,
	} {
		var stderr strings.Builder
		code := run(context.Background(), append([]string{"serve"}, strings.Fields(flags)...), nil, io.Discard, &stderr)
		if code != command.ExitUsage || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit code %d, %s; want %q", flags, code, stderr.String(), want)
		}
	}
}

// What nobody sets follows the memory that is available; what is set stays.
func TestServeFitsMemory(t *testing.T) {
	const mib = 1 << 20
	nothing := func(string) bool { return false }
	all := func(string) bool { return true }
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var s serveSettings
	if err := s.fit(128*mib, nothing); err != nil || s.memory != 48*mib || s.api.CacheBytes != 16*mib ||
		s.api.MaxBatches != 8 || s.api.MaxConnections != 409 {
		t.Errorf("in 128 MiB: %+v, %v", s, err)
	}
	s = serveSettings{}
	if err := s.fit(48*mib, all); err != nil || s.memory+s.api.CacheBytes != 0 || s.api.MaxBatches+s.api.MaxConnections != 0 {
		t.Errorf("all is given, and it becomes %+v, %v", s, err)
	}
	const refusal = "allows 48MiB of memory, but the service needs 64MB; --memory 24MiB --cache 0"
	if err := s.fit(48*mib, nothing); err == nil || !strings.Contains(err.Error(), refusal) {
		t.Errorf("in 48 MiB: %v", err)
	}
}

// Wrong settings are all named, and nothing starts.
func TestServeNamesAllFaults(t *testing.T) {
	t.Setenv("TSUMERO_SHORT", "slots=many")
	var stderr strings.Builder
	code := run(context.Background(), []string{"serve", "--addr", "nowhere", "--grace", "-1s"}, nil, io.Discard, &stderr)
	if code != command.ExitUsage {
		t.Errorf("exit code %d, want %d", code, command.ExitUsage)
	}
	for _, part := range []string{`--addr is "nowhere"`, `TSUMERO_SHORT slots is "many"`, `--grace is "-1s"`} {
		if !strings.Contains(stderr.String(), part) {
			t.Errorf("%q is not in\n%s", part, stderr.String())
		}
	}
}

func TestServeAddressesTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	addr := taken.Addr().String()
	var stderr strings.Builder
	code := run(context.Background(), []string{"serve", "--addr", addr, "--admin-addr", addr}, nil, io.Discard, &stderr)
	if code != command.ExitFailure || strings.Count(stderr.String(), addr) != 2 {
		t.Errorf("exit code %d, want %d and both addresses in\n%s", code, command.ExitFailure, stderr.String())
	}
}

// Analyses follow the memory, and what goes with them follows their number; more of them than fit
// are refused, and 0 turns them off.
func TestServeAnalyses(t *testing.T) {
	if got, want := int64(memory.AnalysisBytes), int64(dfpn.SessionBytes+memory.BesidesTable+length.MemoBytes); got != want {
		t.Errorf("an analysis is counted as %d bytes, and takes %d", got, want)
	}
	const mib = 1 << 20
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, c := range []struct {
		available int64
		given     string // the number, empty for none
		want      int
		fault     string
	}{
		{128 * mib, "", 0, ""}, {256 * mib, "", 1, ""}, {1024 * mib, "", 2, ""}, {1024 * mib, "0", 0, ""},
		{1024 * mib, "9", 9, ""},
		{512 * mib, "9", 0, "--analyses slots=9 takes 486MiB, and --memory is 128MiB, but the machine, the container or GOMEMLIMIT allows 512MiB"},
	} {
		var s serveSettings
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		set := cli.NewSettings(cli.English, flags)
		s.declare(set, flags)
		if c.given != "" {
			if err := flags.Parse([]string{"--analyses", c.given}); err != nil {
				t.Fatal(err)
			}
		}
		if err := set.Resolve(); err != nil {
			t.Fatal(err)
		}
		err := s.fit(c.available, set.IsGiven)
		if c.fault != "" {
			if err == nil || err.Error() != c.fault {
				t.Errorf("%s in %d: %v", c.given, c.available, err)
			}
			continue
		}
		if err != nil || s.api.MaxAnalyses != c.want {
			t.Errorf("%q in %d: %d analyses, want %d; %v", c.given, c.available, s.api.MaxAnalyses, c.want, err)
		}
		// What is off for want of memory is said, and not what an operator has switched off.
		if off := strings.Contains(strings.Join(s.off, ";"), "analyses, which need 216MiB"); off != (c.want == 0 &&
			c.given == "") {
			t.Errorf("%q in %d: off are %q", c.given, c.available, s.off)
		}
	}

	s := startServe(t, "--analyses", "slots=1,time=3s,nodes=9999")
	const sfen = `{"sfen":"` + headGold + `"`
	for body, want := range map[string]int{`}`: http.StatusOK, `,"limits":{"time_ms":3001}}`: http.StatusUnprocessableEntity,
		`,"limits":{"nodes":10000}}`: http.StatusUnprocessableEntity} {
		resp, err := http.Post(s.api+"/v1/analyze", "application/json", strings.NewReader(sfen+body))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %s, want %d", body, resp.Status, want)
		}
	}
	if _, body := get(t, s.api+"/v1/limits"); !strings.Contains(body, `"max_time_ms":3000,"default_time_ms":3000,"max_wait_ms":6000`) {
		t.Errorf("limits %s", body)
	}
	s.end()
	s = startServe(t, "--analyses", "0")
	if status, body := get(t, s.api+"/v1/analyze?"+strings.SplitN(headGoldLink, "?", 2)[1]); status != http.StatusNotImplemented {
		t.Errorf("%d %s", status, body)
	}
	s.end()
	var stderr strings.Builder
	code := run(context.Background(), []string{"serve", "--analyses", "time=1s,default-time=2s"}, nil, io.Discard, &stderr)
	if code != command.ExitUsage || !strings.Contains(stderr.String(), "--analyses default-time is 2s, more than its time, which is 1s") {
		t.Errorf("exit code %d, %s", code, stderr.String())
	}
}

// Searches for a move follow the memory, too.
func TestServePlay(t *testing.T) {
	s := startServe(t, "--plays", "slots=1,nodes=9999")
	for query, want := range map[string]int{"level=club": http.StatusOK, "level=full&nodes=9999": http.StatusOK,
		"level=asayomi": http.StatusOK, "level=random&seed=3": http.StatusOK,
		"level=club&nodes=10000": http.StatusUnprocessableEntity, "level=dan": http.StatusUnprocessableEntity} {
		if status, body := get(t, s.api+"/v1/play?sfen=startpos&"+query); status != want {
			t.Errorf("%s: %d %s", query, status, body)
		}
	}
	want := `"play":{"levels":["` + strings.Join(levels.Names(), `","`) + `"],"max_nodes":9999,"default_nodes":9999`
	if _, body := get(t, s.api+"/v1/limits"); !strings.Contains(body, want) {
		t.Errorf("limits %s", body)
	}
	s.end()
	s = startServe(t, "--plays", "0")
	if status, body := get(t, s.api+"/v1/play?sfen=startpos&level=club"); status != http.StatusNotImplemented {
		t.Errorf("%d %s", status, body)
	}
	s.end()
	var stderr strings.Builder
	code := run(context.Background(), []string{"serve", "--plays", "1024", "--memory", "24MiB"}, nil, io.Discard, &stderr)
	if code != command.ExitUsage || !strings.Contains(stderr.String(), "--plays slots=1024 takes 32GiB, and --memory is 24MiB") {
		t.Errorf("exit code %d, %s", code, stderr.String())
	}
}

// TestPlayTwice: an engine that has played is after NewGame as a new one, at every level, in games
// and in problems whose attacker has no king. It takes no more memory than is set apart for it.
func TestPlayTwice(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and one search after the other")
	}
	texts := []string{"startpos", "startpos moves 7g7f 3c3d 2g2f 8c8d", "7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1",
		"4k4/9/4P4/9/9/9/9/9/9 w G2r2b3g4s4n4l17p 1", "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1"}
	choose := func(e play.Engine, text string) string {
		g, err := shogi.ParsePosition(text)
		if err != nil {
			t.Fatal(err)
		}
		e.NewGame()
		lim := play.Limits{Nodes: 4000, Rules: play.Rules{MaxMoves: 512}}
		c := e.Search(t.Context(), &g, lim, nil)
		if p := g.Position(); !p.IsLegal(c.Move) {
			t.Errorf("%v in %s", c.Move, text)
		}
		return fmt.Sprint(c)
	}
	check := func(level string) {
		make := func() play.Engine {
			e, err := newEngine(level, 7)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.GC() // what pools keep
		runtime.ReadMemStats(&before)
		used := make()
		var chosen []string
		for _, text := range append(texts, texts[0]) {
			chosen = append(chosen, choose(used, text))
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		t.Logf("%s takes %d bytes", level, int64(after.HeapAlloc)-int64(before.HeapAlloc))
		if n := int64(after.HeapAlloc) - int64(before.HeapAlloc); n > memory.PlayBytes {
			t.Errorf("%s takes %d bytes, more than %d", level, n, memory.PlayBytes)
		}
		runtime.KeepAlive(used)
		want := chosen[:1:1] // of the first text, when the engine was new
		for _, text := range texts[1:] {
			want = append(want, choose(make(), text))
		}
		for i, want := range append(want, chosen[0]) {
			if chosen[i] != want {
				t.Errorf("%s in %s: %s after other games, %s before", level, texts[i%len(texts)], chosen[i], want)
			}
		}
	}
	for _, level := range levels.Names() {
		check(level)
	}
}
