package board_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/tsumero/tsumero/web/board"
)

// ask asks a handler and returns what it answers.
func ask(t *testing.T, h http.Handler, method, target string, header http.Header) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	for name, values := range header {
		r.Header[name] = values
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func bodyOf(t *testing.T, r *http.Response) []byte {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func TestScript(t *testing.T) {
	plain := ask(t, board.Handler(), "GET", "/embed.js", nil)
	if plain.StatusCode != http.StatusOK || !bytes.Equal(bodyOf(t, plain), board.Script) {
		t.Errorf("status %d, or another script", plain.StatusCode)
	}
	for name, want := range map[string]string{
		"Content-Type":                 "text/javascript; charset=utf-8",
		"Cache-Control":                "public, max-age=3600, stale-while-revalidate=86400",
		"Access-Control-Allow-Origin":  "*",
		"Cross-Origin-Resource-Policy": "cross-origin",
		"X-Content-Type-Options":       "nosniff",
		"Vary":                         "Accept-Encoding",
	} {
		if got := plain.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}

	short := ask(t, board.Handler(), "GET", "/embed.js", http.Header{"Accept-Encoding": {"gzip, br"}})
	unzipped, err := gzip.NewReader(short.Body)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(unzipped); err != nil || !bytes.Equal(body, board.Script) {
		t.Errorf("unzipped, it is another script (%v)", err)
	}
	if plain.Header.Get("ETag") == short.Header.Get("ETag") {
		t.Error("both encodings have the same tag")
	}
	known := http.Header{"If-None-Match": {plain.Header.Get("ETag")}}
	if r := ask(t, board.Handler(), "GET", "/embed.js", known); r.StatusCode != http.StatusNotModified {
		t.Errorf("to who has it: status %d", r.StatusCode)
	}
	if r := ask(t, board.Handler(), "HEAD", "/embed.js", nil); r.StatusCode != http.StatusOK || len(bodyOf(t, r)) != 0 {
		t.Errorf("to HEAD: status %d, or a body", r.StatusCode)
	}
	if r := ask(t, board.Handler(), "POST", "/embed.js", nil); r.StatusCode != http.StatusMethodNotAllowed || r.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("to POST: status %d", r.StatusCode)
	}
}
