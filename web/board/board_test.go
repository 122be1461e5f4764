package board_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
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

func TestScripts(t *testing.T) {
	mux := http.NewServeMux()
	board.Register(mux)
	files, err := os.ReadDir("dist")
	if err != nil {
		t.Fatal(err)
	}
	later, err := os.ReadFile("dist/embed-edit.js")
	if err != nil {
		t.Fatal(err)
	}
	_, version, _ := strings.Cut(string(later), `version="`)
	version, _, _ = strings.Cut(version, `"`)

	for _, file := range files {
		script, err := os.ReadFile("dist/" + file.Name())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(script, []byte(version)) {
			t.Errorf("%s has another version than the others", file.Name())
		}
		address := "/" + file.Name()
		plain := ask(t, mux, "GET", address, nil)
		if plain.StatusCode != http.StatusOK || !bytes.Equal(bodyOf(t, plain), script) {
			t.Errorf("%s: status %d, or another script", address, plain.StatusCode)
		}
		for name, want := range map[string]string{
			"Content-Type":                 "text/javascript; charset=utf-8",
			"Access-Control-Allow-Origin":  "*",
			"Cross-Origin-Resource-Policy": "cross-origin",
			"X-Content-Type-Options":       "nosniff",
			"Vary":                         "Accept-Encoding",
		} {
			if got := plain.Header.Get(name); got != want {
				t.Errorf("%s: %s: %q, want %q", address, name, got, want)
			}
		}

		latest, other := "no-cache", "no-cache"
		if address == "/embed.js" {
			latest = "public, max-age=3600, stale-while-revalidate=86400"
			other = latest
		}
		for query, want := range map[string]string{
			"":                        latest,
			"?v=1":                    other,
			"?v=" + version:           "public, max-age=31536000, immutable",
			"?v=" + version + "&1":    "public, max-age=31536000, immutable",
			"?v=" + version[1:] + "0": other,
		} {
			if got := ask(t, mux, "GET", address+query, nil).Header.Get("Cache-Control"); got != want {
				t.Errorf("%s%s: Cache-Control: %q, want %q", address, query, got, want)
			}
		}

		short := ask(t, mux, "GET", address, http.Header{"Accept-Encoding": {"gzip, br"}})
		unzipped, err := gzip.NewReader(short.Body)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(unzipped); err != nil || !bytes.Equal(body, script) {
			t.Errorf("%s: unzipped, it is another script (%v)", address, err)
		}
		if plain.Header.Get("ETag") == short.Header.Get("ETag") {
			t.Errorf("%s: both encodings have the same tag", address)
		}
		known := http.Header{"If-None-Match": {plain.Header.Get("ETag")}}
		if r := ask(t, mux, "GET", address, known); r.StatusCode != http.StatusNotModified {
			t.Errorf("%s: to who has it: status %d", address, r.StatusCode)
		}
		if r := ask(t, mux, "HEAD", address, nil); r.StatusCode != http.StatusOK || len(bodyOf(t, r)) != 0 {
			t.Errorf("%s: to HEAD: status %d, or a body", address, r.StatusCode)
		}
		if r := ask(t, mux, "POST", address, nil); r.StatusCode != http.StatusMethodNotAllowed || r.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: to POST: status %d", address, r.StatusCode)
		}
	}
	if r := ask(t, board.Handler(), "GET", "/embed-no.js", nil); r.StatusCode != http.StatusNotFound {
		t.Errorf("a script that is none: status %d", r.StatusCode)
	}
}
