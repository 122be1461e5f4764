package e2e

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// startNginx starts nginx with the configuration in deploy before the services, and returns its base
// address.
func startNginx(t *testing.T, services ...*service) string {
	t.Helper()
	binary, err := exec.LookPath("nginx")
	if err != nil {
		binary, err = exec.LookPath("/usr/sbin/nginx") // which is not in everybody's PATH
	}
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("%v; it is in Debian's package nginx-light", err)
	}
	data, err := os.ReadFile("../../deploy/nginx/tsumero.conf")
	if err != nil {
		t.Fatal(err)
	}
	addr := ownAddress(t)
	var servers []string
	for _, s := range services {
		servers = append(servers, "server "+strings.TrimPrefix(s.url, "http://")+" max_fails=0;")
	}
	config := string(data)
	for old, with := range map[string]string{
		"listen 80;":                         "listen " + addr + ";",
		"server 127.0.0.1:8080 max_fails=0;": strings.Join(servers, "\n"),
	} {
		if strings.Count(config, old) != 1 {
			t.Fatalf("the configuration should say %q once", old)
		}
		config = strings.Replace(config, old, with, 1)
	}
	dir := t.TempDir()
	// One process that a kill ends whole, and that does not change its user.
	config = "daemon off; master_process off; error_log stderr warn; pid pid; events {}\n" +
		"http { access_log off; client_body_temp_path body; proxy_temp_path proxy;\n" +
		"fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;\n" + config + "}\n"
	path := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, binary, "-p", dir, "-c", path, "-e", "stderr")
	log := &logBuffer{}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("nginx said:\n%s", log)
		}
	})
	url := "http://" + addr
	waitFor(t, "nginx", func() bool {
		resp, err := http.Get(url + "/readyz")
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return url
}

// ownAddress returns an address to listen on later. Linux has many loopback addresses, and nobody
// else takes ports of this one meanwhile.
func ownAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", fmt.Sprintf("127.%d.%d.%d:0", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254)))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

const trustLoopback = "--trusted-proxies=127.0.0.1/32"

// TestNginxTooLarge: a body that nginx refuses is refused as the service refuses one.
func TestNginxTooLarge(t *testing.T) {
	long(t)
	s := startService(t, "--rate", "0", trustLoopback)
	url := startNginx(t, s)
	refused := func(base string, size int) (p struct {
		Type, Title, Detail string
		Status              int
	}) {
		t.Helper()
		r := s.send(t, "POST", base+"/v1/solve", `{"sfen":"`+strings.Repeat("x", size)+`"}`, "Content-Type", jsonType)
		if r.StatusCode != http.StatusRequestEntityTooLarge || r.Header.Get("Content-Type") != "application/problem+json" ||
			r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%d bytes: %s %v %.200s", size, r.Status, r.Header, r.body)
		}
		if err := json.Unmarshal([]byte(r.body), &p); err != nil || p.Detail == "" {
			t.Errorf("%d bytes: %v %.200s", size, err, r.body)
		}
		p.Detail = ""
		return p
	}
	if ours, its := refused(s.url, 100<<10), refused(url, 11<<20); ours != its {
		t.Errorf("nginx says %+v, the service %+v", its, ours)
	}
}

// TestNginxJobs: a collection that is longer than any other body comes through nginx, and so do its
// answers.
func TestNginxJobs(t *testing.T) {
	long(t)
	s := startService(t, "--rate", "0", trustLoopback, "--jobs", filepath.Join(t.TempDir(), "jobs"))
	url := startNginx(t, s)
	const lines = 9000
	line := `{"id":"` + strings.Repeat("x", 250) + `","sfen":"` + mateIn1 + `"}` + "\n"
	collection := strings.Repeat(line, lines)
	if len(collection) < 2<<20 {
		t.Fatalf("only %d bytes", len(collection))
	}
	r := s.send(t, "POST", url+"/v1/jobs?nodes=1000", collection, "Content-Type", ndjsonType)
	if r.StatusCode != http.StatusAccepted {
		t.Fatalf("%s: %.300s", r.Status, r.body)
	}
	r = s.send(t, "GET", url+r.Header.Get("Location")+"/results?follow=true", "")
	if n := strings.Count(r.body, `"verdict":"mate"`); r.StatusCode != http.StatusOK || n != lines {
		t.Errorf("%s: %d answers of %d", r.Status, n, lines)
	}
}

// TestNginx: what the service says comes through nginx as it was said.
func TestNginx(t *testing.T) {
	long(t)
	s := startService(t, "--rate", "0", trustLoopback)
	url := startNginx(t, s)

	asked := question(mateIn1)
	for _, c := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		want                     string // a part of the answer
	}{
		{"POST", "POST", "/v1/solve", asked, []string{"Content-Type", jsonType}, 200, `"mate"`},
		{"body of 64 KiB", "POST", "/v1/solve", asked + strings.Repeat(" ", 64<<10-len(asked)),
			[]string{"Content-Type", jsonType}, 200, `"mate"`},
		{"longer body", "POST", "/v1/solve", asked + strings.Repeat(" ", 64<<10),
			[]string{"Content-Type", jsonType}, 413, "/problems/too_large"},
		{"GET", "GET", link(mateIn1), "", nil, 200, `"mate"`},
		{"HEAD", "HEAD", link(mateIn1), "", nil, 200, ""},
		{"a page", "GET", "/", "", nil, 200, "<html"},
		{"a page to embed", "GET", "/embed?sfen=" + strings.ReplaceAll(mateIn1, " ", "_"), "", nil, 200, "<"},
		{"a picture", "GET", "/v1/diagram.svg?sfen=" + strings.ReplaceAll(mateIn1, " ", "_"), "", nil, 200, "<svg"},
		{"the moves", "POST", "/v1/moves", asked, []string{"Content-Type", jsonType}, 200, `"G*5b"`},
		{"a problem", "GET", link(twoPawns), "", nil, 422, "nifu"},
		{"a large header", "GET", link(mateIn1), "", []string{"X-Large", strings.Repeat("x", 7<<10)}, 200, `"mate"`},
		{"a long query", "GET", link(mateIn1) + "&x=" + strings.Repeat("x", 7<<10), "", nil, 422, "/problems/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := s.send(t, c.method, url+c.path, c.body, c.headers...)
			if r.StatusCode != c.status || !strings.Contains(r.body, c.want) {
				t.Errorf("%s, want %d with %q: %.300s", r.Status, c.status, c.want, r.body)
			}
		})
	}

	t.Run("compressed", func(t *testing.T) {
		// The more moves, the longer the answer: beyond what is not worth compressing.
		path := "/v1/diagram.svg?sfen=" + strings.ReplaceAll(mateIn1, " ", "_")
		r := s.send(t, "GET", url+path, "", "Accept-Encoding", "gzip")
		tag := r.Header.Get("ETag")
		if r.Header.Get("Content-Encoding") != "gzip" || !strings.HasSuffix(tag, `-gzip"`) ||
			!strings.Contains(strings.Join(r.Header.Values("Vary"), ","), "Accept-Encoding") {
			t.Fatalf("%v", r.Header)
		}
		in, err := gzip.NewReader(strings.NewReader(r.body))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(in); err != nil || string(text) != s.send(t, "GET", path, "").body {
			t.Errorf("%v, %.100s", err, text)
		}
		if r = s.send(t, "GET", url+path, "", "Accept-Encoding", "gzip", "If-None-Match", tag); r.StatusCode != 304 {
			t.Errorf("the tag %s: %s", tag, r.Status)
		}
	})

	t.Run("links", func(t *testing.T) {
		req, err := http.NewRequestWithContext(t.Context(), "GET", url+"/oembed?url=http://shogi.example:81"+
			"/p?sfen="+strings.ReplaceAll(mateIn1, " ", "_"), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "shogi.example:81"
		req.Header.Set("X-Forwarded-Proto", "https") // a stranger's word
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil || !strings.Contains(string(text), `"provider_url":"http://shogi.example:81`) {
			t.Errorf("%s: %s, %v", resp.Status, text, err)
		}
	})

	t.Run("request id", func(t *testing.T) {
		const strangers = "chosen-by-a-stranger"
		r := s.send(t, "GET", url+link(mateIn1), "", "X-Request-Id", strangers)
		if id := r.Header.Get("X-Request-Id"); id == "" || id == strangers {
			t.Errorf("X-Request-Id %q", id)
		}
	})
}

// TestNginxBatch: nginx sends no more of a body once the answer has begun. Batches that are longer
// than what it sends before that must come through, and those that are too long must be refused.
func TestNginxBatch(t *testing.T) {
	long(t)
	s := startService(t, "--rate", "0", trustLoopback)
	url := startNginx(t, s)
	line := question(mateIn1) + "\n"
	const most = 1 << 20
	for name, length := range map[string]bool{"Content-Length": true, "chunked": false} {
		t.Run(name, func(t *testing.T) {
			send := func(lines int) *http.Response {
				var body io.Reader = strings.NewReader(strings.Repeat(line, lines))
				if !length {
					body = io.MultiReader(body)
				}
				req, err := http.NewRequestWithContext(t.Context(), "POST", url+"/v1/solve/batch", body)
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Content-Type", ndjsonType)
				resp, err := http.DefaultTransport.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { resp.Body.Close() })
				return resp
			}
			n := most / len(line)
			resp := send(n)
			in := bufio.NewScanner(resp.Body)
			for i := range n {
				if !in.Scan() || !strings.Contains(in.Text(), `"verdict":"mate"`) {
					t.Fatalf("%s, line %d of %d: %s, %v", resp.Status, i, n, in.Text(), in.Err())
				}
			}
			if in.Scan() || in.Err() != nil {
				t.Errorf("after the last line: %s, %v", in.Text(), in.Err())
			}
			resp = send(n + 1)
			if text, err := io.ReadAll(resp.Body); resp.StatusCode != 413 || !strings.Contains(string(text), "/problems/too_large") {
				t.Errorf("%s: %.300s, %v", resp.Status, text, err)
			}
		})
	}
}

// TestNginxEvents: nginx passes events on while the search runs.
func TestNginxEvents(t *testing.T) {
	long(t)
	s := startService(t, "--rate", "0", "--max-time", "10m", trustLoopback)
	url := startNginx(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "POST", url+"/v1/solve/events",
		strings.NewReader(fmt.Sprintf(`{"sfen":%q,"limits":{"time_ms":600000}}`, endless)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", jsonType)
	resp, err := http.DefaultTransport.RoundTrip(req) // which accepts gzip
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	in := bufio.NewReader(resp.Body)
	for range 3 {
		for _, want := range []string{"event: progress\n", "data: {", "\n"} {
			if text, err := in.ReadString('\n'); err != nil || !strings.HasPrefix(text, want) {
				t.Fatalf("%q, %v, want %q", text, err, want)
			}
		}
	}
	// A client that goes away ends its search, through nginx too.
	cancel()
	waitFor(t, "the end of the search", func() bool {
		return strings.Contains(s.send(t, "GET", s.admin+"/metrics", "").body, `tsumero_searches_in_flight{pool="long"} 0`)
	})
}

// TestNginxClients: clients are counted separately, and a refusal comes through.
func TestNginxClients(t *testing.T) {
	long(t)
	for name, c := range map[string]struct {
		flags  []string
		second int // the status that the second client gets after the first has used up its rate
	}{
		"trusted":     {[]string{trustLoopback}, http.StatusOK},
		"not trusted": {nil, http.StatusTooManyRequests},
	} {
		t.Run(name, func(t *testing.T) {
			s := startService(t, append(c.flags, "--rate", "1")...)
			url := startNginx(t, s)
			ask := func(from string, headers ...string) *http.Response {
				transport := &http.Transport{DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).DialContext}
				defer transport.CloseIdleConnections()
				req, err := http.NewRequestWithContext(t.Context(), "GET", url+link(mateIn1), nil)
				if err != nil {
					t.Fatal(err)
				}
				// A stranger's word.
				req.Header.Set("X-Forwarded-For", "203.0.113.7")
				resp, err := transport.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				return resp
			}
			if r := ask("127.0.0.2"); r.StatusCode != http.StatusOK {
				t.Fatal(r.Status)
			}
			if r := ask("127.0.0.2"); r.StatusCode != http.StatusTooManyRequests || r.Header.Get("Retry-After") == "" {
				t.Errorf("the second request: %s, %v", r.Status, r.Header)
			}
			if r := ask("127.0.0.3"); r.StatusCode != c.second {
				t.Errorf("the second client: %s, want %d", r.Status, c.second)
			}
		})
	}
}

// TestNginxRestart: with two instances behind nginx, each is restarted in turn while clients ask
// without pause, and no request fails.
func TestNginxRestart(t *testing.T) {
	long(t)
	var services []*service
	var addrs []string
	flags := func(addr string) []string {
		return []string{"--addr", addr, "--drain-delay", "500ms", "--rate", "0", trustLoopback}
	}
	for range 2 {
		addr := ownAddress(t)
		addrs = append(addrs, addr)
		services = append(services, startService(t, flags(addr)...))
	}
	url := startNginx(t, services...)

	ctx, cancel := context.WithCancel(t.Context())
	var load sync.WaitGroup
	var answers atomic.Int64
	for range 8 {
		load.Go(func() {
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			for n := 0; ctx.Err() == nil; n++ {
				var req *http.Request
				if n%2 == 0 {
					req, _ = http.NewRequest("GET", url+link(mateIn1), nil)
				} else {
					req, _ = http.NewRequest("POST", url+"/v1/solve", strings.NewReader(question(mateIn3)))
					req.Header.Set("Content-Type", jsonType)
				}
				resp, err := transport.RoundTrip(req)
				if err != nil {
					t.Error(err)
					return
				}
				var a answer
				err = json.NewDecoder(resp.Body).Decode(&a)
				resp.Body.Close()
				if resp.StatusCode != http.StatusOK || err != nil || a.Verdict != "mate" {
					t.Errorf("%s, %v, %+v", resp.Status, err, a)
					return
				}
				answers.Add(1)
			}
		})
	}
	more := func() {
		before := answers.Load()
		waitFor(t, "answers", func() bool { return answers.Load() > before+200 || t.Failed() })
	}
	for i, s := range services {
		more()
		s.terminate(t)
		<-s.ended
		more()
		services[i] = startService(t, flags(addrs[i])...)
	}
	more()
	cancel()
	load.Wait()
}
