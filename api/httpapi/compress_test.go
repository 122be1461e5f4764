package httpapi

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestCompress: long text goes out under gzip to those who take it, with a tag of its own, and
// nothing else does.
func TestCompress(t *testing.T) {
	long := strings.Repeat("<path d='M1 1'/>", 100)
	web := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/long.css":
			w.Header().Set("Content-Type", "text/css; charset=utf-8")
			w.Header().Set("ETag", `"tag"`)
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader(long))
		case "/zipped.js":
			w.Header().Set("Content-Type", "text/javascript")
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write([]byte(long))
		}
	})
	picture := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", map[bool]string{true: "image/svg+xml", false: "image/png"}[strings.HasSuffix(r.URL.Path, "svg")])
		_, _ = w.Write([]byte(long))
	})
	s := newServer(t, Config{Web: web, Diagrams: picture})
	link := "/v1/moves?sfen=" + strings.ReplaceAll(mateIn3, " ", "_")
	for _, c := range []struct {
		path, accept, want string
	}{
		{"/docs", "gzip", "gzip"}, {"/openapi.json", "br, gzip;q=0.1", "gzip"},
		{"/v1/diagram.svg", "gzip", "gzip"}, {"/long.css", "gzip, zstd", "gzip"}, {link, "gzip", "gzip"},
		{"/docs", "", ""}, {"/docs", "br", ""}, {"/docs", "gzip;q=0", ""},
		{"/v1/diagram.png", "gzip", ""}, {"/zipped.js", "gzip", "gzip"}, // by itself
		{"/v1/solve?sfen=" + strings.ReplaceAll(mateIn3, " ", "_"), "gzip", ""}, // short
		{"/v1/nothing", "gzip", ""},
	} {
		plain := do(s, "GET", c.path, "")
		w := do(s, "GET", c.path, "", "Accept-Encoding", c.accept)
		if got := w.Header().Get("Content-Encoding"); got != c.want {
			t.Errorf("%s, accepting %q: encoded as %q", c.path, c.accept, got)
		}
		if !strings.Contains(strings.Join(w.Header().Values("Vary"), ","), "Accept-Encoding") {
			t.Errorf("%s does not say that it varies", c.path)
		}
		if w.Header().Get("Content-Encoding") != "gzip" || c.path == "/zipped.js" {
			continue
		}
		in, err := gzip.NewReader(bytes.NewReader(w.Body.Bytes()))
		if err != nil {
			t.Fatal(c.path, err)
		}
		if body, err := io.ReadAll(in); err != nil || !bytes.Equal(body, plain.Body.Bytes()) {
			t.Errorf("%s: %v, another body", c.path, err)
		}
		if w.Header().Get("Content-Length") != "" || w.Header().Get("Accept-Ranges") != "" {
			t.Errorf("%s: %v", c.path, w.Header())
		}
		tag, plainTag := w.Header().Get("ETag"), plain.Header().Get("ETag")
		if plainTag == "" {
			continue
		}
		if tag != strings.TrimSuffix(plainTag, `"`)+`-gzip"` {
			t.Errorf("%s: the tags %s and %s", c.path, tag, plainTag)
		}
		for sent, back := range map[string]string{tag: tag, plainTag: plainTag} {
			again := do(s, "GET", c.path, "", "Accept-Encoding", "gzip", "If-None-Match", sent)
			if again.Code != http.StatusNotModified || again.Header().Get("ETag") != back || again.Body.Len() != 0 {
				t.Errorf("%s with the tag %s: %d, %s", c.path, sent, again.Code, again.Header().Get("ETag"))
			}
		}
	}

	part := do(s, "GET", "/long.css", "", "Accept-Encoding", "gzip", "Range", "bytes=1-1200")
	if part.Code != http.StatusPartialContent || part.Header().Get("Content-Encoding") != "" || part.Body.String() != long[1:1201] {
		t.Errorf("a part: %d %v", part.Code, part.Header())
	}
	head := do(s, "HEAD", "/long.css", "", "Accept-Encoding", "gzip")
	if head.Header().Get("Content-Encoding") != "" || head.Header().Get("Content-Length") != "1600" {
		t.Errorf("HEAD: %v", head.Header())
	}
	events := do(s, "POST", "/v1/solve/events", question1(mateIn3), "Accept-Encoding", "gzip")
	if events.Header().Get("Content-Encoding") != "" || !strings.HasPrefix(events.Body.String(), "event: ") {
		t.Errorf("events: %v", events.Header())
	}
	events = do(s, "POST", "/v1/solve/events", question1(mateIn3), "Accept-Encoding", "gzip")
	if events.Header().Get("Content-Encoding") != "" || !strings.HasPrefix(events.Body.String(), "event: ") {
		t.Errorf("events by their path: %v", events.Header())
	}
	lines := strings.Repeat(question1(mateIn1)+"\n", 20)
	batch := do(s, "POST", batchPath, lines, "Accept-Encoding", "gzip", "Content-Type", ndjsonType)
	if batch.Header().Get("Content-Encoding") != "" || strings.Count(batch.Body.String(), "\n") != 20 {
		t.Errorf("a batch: %v %s", batch.Header(), batch.Body)
	}

	// A panic after the header must not look like a whole answer.
	s = newServer(t, Config{Web: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(long))
		panic("as asked")
	})})
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	r, err := http.Get(server.URL + "/page")
	if err == nil {
		_, err = io.ReadAll(r.Body)
		r.Body.Close()
	}
	if err == nil {
		t.Error("half an answer looks like a whole one")
	}
}
