package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/threat"
)

// TestLinkInCaches: a proven verdict is the same bytes at every service, with a strong tag for
// them.
func TestLinkInCaches(t *testing.T) {
	s, other := newServer(t, Config{}), newServer(t, Config{CacheBytes: -1})
	w := get(s, mateIn3)
	etag := w.Header().Get("ETag")
	if !regexp.MustCompile(`^"[\w-]+"$`).MatchString(etag) || w.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" {
		t.Errorf("ETag %s, Cache-Control %s", etag, w.Header().Get("Cache-Control"))
	}
	for _, again := range []*httptest.ResponseRecorder{
		get(s, mateIn3), get(other, mateIn3), get(other, mateIn3), get(s, mateIn3[:len(mateIn3)-1]+"99"),
		do(s, "GET", "/v1/solve?sfen=sfen_"+strings.ReplaceAll(mateIn3, " ", "_")+"_&", ""),
	} {
		if again.Body.String() != w.Body.String() || again.Header().Get("ETag") != etag {
			t.Errorf("%s %s\nis not\n%s %s", again.Header().Get("ETag"), again.Body, etag, w.Body)
		}
	}
	if get(s, mateIn1).Header().Get("ETag") == etag {
		t.Error("two answers share a tag")
	}

	for header, want := range map[string]int{
		etag: 304, "W/" + etag: 304, `"x", ` + etag: 304, "*": 304, `"x"`: 200, strings.Trim(etag, `"`): 200, "": 200,
	} {
		w := get(s, mateIn3, "If-None-Match", header)
		if w.Code != want || (w.Body.Len() > 0) != (want == 200) || w.Header().Get("ETag") != etag ||
			(w.Header().Get("Content-Type") != "") != (want == 200) {
			t.Errorf("If-None-Match: %s: status %d, %d bytes, ETag %s", header, w.Code, w.Body.Len(), w.Header().Get("ETag"))
		}
	}
}

func TestHead(t *testing.T) {
	url := listen(t, newServer(t, Config{}))
	get := http.Client{Transport: &http.Transport{DisableCompression: true}} // which HEAD is not answered with
	for _, path := range []string{"/v1/solve?sfen=" + strings.ReplaceAll(mateIn1, " ", "%20"), "/docs", "/openapi.json", "/livez", "/problems/bad_json", "/nowhere"} {
		full, err := get.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		full.Body.Close()
		head, err := http.Head(url + path)
		if err != nil {
			t.Fatal(err)
		}
		head.Body.Close()
		if head.StatusCode != full.StatusCode || head.Header.Get("ETag") != full.Header.Get("ETag") ||
			head.Header.Get("Content-Type") != full.Header.Get("Content-Type") {
			t.Errorf("HEAD %s: %s %v\nGET: %s %v", path, head.Status, head.Header, full.Status, full.Header)
		}
	}
}

func TestMethods(t *testing.T) {
	pages, outer := http.NewServeMux(), http.NewServeMux()
	for _, pattern := range []string{"GET /page/{name}", "GET /form", "POST /form", "GET /"} {
		pages.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	}
	outer.Handle("/", pages)
	s := newServer(t, Config{Web: outer})
	for path, allow := range map[string]string{
		"/page/1": "GET, HEAD, OPTIONS", "/form": "GET, HEAD, OPTIONS, POST",
		"/v1/solve": "GET, HEAD, OPTIONS, POST", "/v1/solve/batch": "OPTIONS, POST", "/livez": "GET, HEAD, OPTIONS",
		"/problems/bad_json": "GET, HEAD, OPTIONS",
	} {
		w := do(s, "PUT", path, "")
		wantProblem(t, w, wire.MethodNotAllowed)
		if got := w.Header().Get("Allow"); got != allow {
			t.Errorf("PUT %s: Allow %q, want %q", path, got, allow)
		}
		w = do(s, "OPTIONS", path, "")
		if w.Code != http.StatusNoContent || w.Header().Get("Allow") != allow || w.Body.Len() > 0 {
			t.Errorf("OPTIONS %s: %d, Allow %q, %q", path, w.Code, w.Header().Get("Allow"), w.Body)
		}
	}
	wantProblem(t, do(s, "OPTIONS", "/nowhere", ""), wire.NotFound)
	wantProblem(t, do(s, "GET", "/v1/solve/", ""), wire.NotFound)
	wantProblem(t, do(s, "GET", "/problems/none", ""), wire.NotFound)
	s = newServer(t, Config{})
	wantProblem(t, do(s, "GET", "/"+strings.Repeat("x", 1000), ""), wire.NotFound)
}

// TestPlusInAQuery: what people write for promoted pieces and for blanks, and what it must mean.
func TestPlusInAQuery(t *testing.T) {
	s := newServer(t, Config{})
	const promoted = "4k4/9/4+P4/9/9/9/9/9/9 b G 1"
	for raw, want := range map[string]string{
		"4k4/9/4%2BP4/9/9/9/9/9/9%20b%20G%201":               promoted,
		"4k4%2F9%2F4%2BP4%2F9%2F9%2F9%2F9%2F9%2F9+b+G+1":     promoted, // as forms do
		"4k4/9/4+P4/9/9/9/9/9/9_b_G_1":                       promoted, // unescaped
		"4k4/9/4+P4/9/9/9/9/9/9%20b%20G%201":                 promoted,
		"4k4/9/4+P4/9/9/9/9/9/9+b+G+1":                       promoted, // both at once
		"4k4/9/4P4/9/9/9/9/9/9+b+G+1":                        "4k4/9/4P4/9/9/9/9/9/9 b G 1",
		"position+sfen+4k4/9/4%2BP4/9/9/9/9/9/9+b+G+1":       promoted,
		"4k4/9/4P4/9/9/9/9/9/9+b+G+moves+G*5b&plies=3":       "",
		"4k4/9/4%2BP4/9/9/9/9/9/9.b.G.1":                     promoted,
		"4k4/9/4%2bP4/9/9/9/9/9/9%09b%E3%80%80G%201&plies=3": promoted,
	} {
		w := do(s, "GET", "/v1/solve?sfen="+raw, "")
		a := parse[wire.Answer](t, w.Body.Bytes())
		if want == "" {
			want = "4k4/4G4/4P4/9/9/9/9/9/9 w - 1"
		}
		if w.Code != http.StatusOK || a.SFEN != want {
			t.Errorf("%s: %d %s, want %s", raw, w.Code, w.Body, want)
		}
	}
	for raw, part := range map[string]string{
		"4k4/9/4+P5/9/9/9/9/9/9_b_G_1": "must be sent as %2B",
		"4k4/9/4+P5/9/9/9/9/9/9+b+G+1": "must be sent as %2B",
		"4k4%zz":                       "begins no escape",
		"":                             "missing",
		"startpos&sfen=startpos":       "second time",
	} {
		p := wantProblem(t, do(s, "GET", "/v1/solve?sfen="+raw, ""), wire.InvalidQuestion)
		if !slices.ContainsFunc(p.Errors, func(f wire.Fault) bool { return f.Location == "query.sfen" && strings.Contains(f.Message, part) }) {
			t.Errorf("%s: %+v, want something about %q", raw, p.Errors, part)
		}
	}
}

// TestFaults: all at once, in order, with their places, from every endpoint.
func TestFaults(t *testing.T) {
	s := newServer(t, Config{MaxPlies: 99, MaxNodes: 1000, MaxTime: time.Second, MaxBodyBytes: 256 << 10})
	const twoFaults = "4k4/9/4P4/4P4/9/9/9/9/9 x G 1"
	type place struct {
		location string
		offset   int
		code     string
	}
	want := []place{{".sfen", 11, "nifu"}, {".sfen", 24, "side"}}
	check := func(name string, p wire.Problem, prefix string, more ...place) {
		t.Helper()
		var got []place
		for _, f := range p.Errors {
			got = append(got, place{strings.TrimPrefix(f.Location, prefix), offset(f), f.Code})
		}
		if all := append(slices.Clone(more), want...); !slices.Equal(got, all) {
			t.Errorf("%s: %v, want %v", name, got, all)
		}
	}
	body := `{"sfen":"` + twoFaults + `","limits":{"plies":100,"nodes":1001,"time_ms":1001}}`
	limits := []place{{".limits.nodes", -1, "range"}, {".limits.plies", -1, "range"}, {".limits.time_ms", -1, "range"}}
	check("POST", wantProblem(t, do(s, "POST", "/v1/solve", body), wire.InvalidQuestion), "body", limits...)
	w := do(s, "POST", "/v1/solve/batch", body+"\n")
	check("batch", parse[wire.Problem](t, w.Body.Bytes()), "line", limits...)
	target := "/v1/solve?sfen=" + strings.ReplaceAll(twoFaults, " ", "_") + "&nodes=1001"
	check("GET", wantProblem(t, do(s, "GET", target, ""), wire.InvalidQuestion), "query", place{".nodes", -1, "range"})
	for _, q := range []string{"plies=100", "time_ms=1001", "plies=x", "nodes=99999999999999999999", "plies=-1"} {
		wantProblem(t, do(s, "GET", "/v1/solve?sfen=startpos&"+q, ""), wire.InvalidQuestion)
	}
	if w := do(s, "POST", "/v1/solve", `{"sfen":"`+mateIn3+`","limits":{"plies":99,"nodes":1000,"time_ms":1000}}`); w.Code != http.StatusOK {
		t.Errorf("limits at their bounds: %d %s", w.Code, w.Body)
	}

	// Many faults, long names.
	var many strings.Builder
	many.WriteString(`{"sfen":"` + mateIn1 + `"`)
	for i := range 500 {
		many.WriteString(`,"` + strings.Repeat("あ", i%100) + strings.Repeat("b", 1+i/100) + `":0`)
	}
	p := wantProblem(t, do(s, "POST", "/v1/solve", many.String()+"}"), wire.InvalidQuestion)
	if len(p.Errors) != 64 || !strings.Contains(p.Detail, "500 faults") {
		t.Errorf("%d faults listed: %s", len(p.Errors), p.Detail)
	}
	for _, f := range p.Errors {
		if len(f.Location) > 256+3 || strings.ContainsRune(f.Location, '�') {
			t.Errorf("location %q", f.Location)
		}
	}
}

func TestBodies(t *testing.T) {
	s := newServer(t, Config{MaxBodyBytes: 1024})
	body := question1(mateIn1)
	for _, c := range []struct {
		name, body, contentType string
		want                    int
	}{
		{"as it should be", body, "application/json", 200},
		{"no type", body, "", 200},
		{"with a charset", body, "Application/JSON; charset=UTF-8", 200},
		{"a kind of JSON", body, "application/ld+json", 200},
		{"another charset", body, "application/json; charset=shift_jis", 415},
		{"text of no notation", "nonsense", "text/plain", 422},
		{"a table", body, "text/csv", 415},
		{"nonsense", body, ";;;", 415},
		{"up to the limit", body + strings.Repeat(" ", 1024-len(body)), "", 200},
		{"a byte more", body + strings.Repeat(" ", 1025-len(body)), "", 413},
		{"two values", body + body, "", 400},
		{"no JSON", "sfen", "", 400},
		{"null", "null", "", 422},
		{"an array", "[]", "", 422},
		{"a number for the position", `{"sfen":1}`, "", 422},
		{"null for the limits", `{"sfen":"` + mateIn1 + `","limits":null}`, "", 200},
		{"a text for a limit", `{"sfen":"` + mateIn1 + `","limits":{"plies":"3"}}`, "", 422},
		{"a fraction", `{"sfen":"` + mateIn1 + `","limits":{"plies":1.5}}`, "", 422},
		{"a whole number with a fraction", `{"sfen":"` + mateIn1 + `","limits":{"plies":3.0,"nodes":1e5,"time_ms":10E2}}`, "", 200},
		{"more than may be", `{"sfen":"` + mateIn1 + `","limits":{"nodes":1e18}}`, "", 422},
		{"a number for a switch", `{"sfen":"` + mateIn1 + `","limits":{"shortest":1}}`, "", 422},
		{"null for a switch", `{"sfen":"` + mateIn1 + `","limits":{"shortest":null}}`, "", 200},
		{"keys with escapes", `{"\u0073fen":"` + mateIn1 + `","limits":{"pl\u0069es":3}}`, "", 200},
		{"keys in capitals", `{"SFEN":"` + mateIn1 + `"}`, "", 422},
		{"a limit in capitals", `{"sfen":"` + mateIn1 + `","limits":{"Plies":3}}`, "", 422},
		{"a key twice", `{"sfen":"` + mateIn1 + `","sfen":"` + mateIn1 + `"}`, "", 422},
		{"a byte order mark", "\ufeff" + body, "", 400},
		{"beyond all numbers", `{"sfen":"` + mateIn1 + `","limits":{"nodes":1e400}}`, "", 422},
		{"deep", strings.Repeat("[", 1000), "", 400},
	} {
		w := do(s, "POST", "/v1/solve", c.body, "Content-Type", c.contentType)
		if w.Code != c.want {
			t.Errorf("%s: %d %s, want %d", c.name, w.Code, w.Body, c.want)
		}
		if !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: %q is not JSON", c.name, w.Body)
		}
	}
	if w := do(s, "POST", "/v1/solve/batch", body, "Content-Type", jsonType); w.Code != 415 {
		t.Errorf("a batch that is one question: %d %s", w.Code, w.Body)
	}
	// Only a body that was not read costs the connection.
	for size, want := range map[int]string{100: "", 1024: "", 1025: "close"} {
		w := do(s, "POST", "/v1/solve", "{"+strings.Repeat(" ", size-1))
		if got := w.Header().Get("Connection"); got != want {
			t.Errorf("after a body of %d bytes: Connection %q", size, got)
		}
	}
	// Without a Content-Length.
	r := httptest.NewRequest("POST", "/v1/solve", strings.NewReader(strings.Repeat(" ", 2000)))
	r.ContentLength = -1
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	wantProblem(t, w, wire.TooLarge)
}

// TestProblemOfAnAnswer: a problem has nothing of the answer that is not given.
func TestProblemOfAnAnswer(t *testing.T) {
	w := httptest.NewRecorder()
	x := &responseRecorder{ResponseWriter: w, id: "x"}
	x.Header().Set("ETag", "x")
	x.Header().Set("Content-Length", "1000")
	x.writeProblem(wire.NewProblem(wire.InternalError, wire.AnswerFailed))
	if h := w.Header(); h.Get("ETag") != "" || h.Get("Content-Length") != "" || w.Code != 500 {
		t.Errorf("%d %v", w.Code, h)
	}
}

// TestStrayKeys: where a key is that is none, or comes again, whatever its case and its escapes.
func TestStrayKeys(t *testing.T) {
	s := newServer(t, Config{})
	type place struct {
		location string
		offset   int
	}
	for body, want := range map[string][]place{
		`{"sfen":"startpos","sfen":"startpos"}`:                           {{"body", 19}},
		`{"sfen":"startpos", "limits":{"plies":1 ,"plies":2}}`:            {{"body", 41}},
		`{"sfen":"startpos","sf\u0065n":"startpos","sfen" :"startpos"}`:   {{"body", 19}, {"body", 42}},
		`{"sfen":"startpos","limits":{"plies":1},"limits":{"plies":1}}`:   {{"body", 40}},
		`{"sfen":"startpos","Sfen":"startpos"}`:                           {{"body.Sfen", -1}},
		`{"sfen":"startpos","limits":{"TIME_MS":1}}`:                      {{"body.limits.TIME_MS", -1}},
		`{"sfen":"startpos","x":[{"a\"b":{},"a\"b":[]},{"a":1},{"a":1}]}`: {{"body", 35}, {"body.x", -1}},
	} {
		var got []place
		for _, f := range wantProblem(t, do(s, "POST", "/v1/solve", body), wire.InvalidQuestion).Errors {
			got = append(got, place{f.Location, offset(f)})
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", body, got, want)
		}
	}
	for query, location := range map[string]string{"utm_source=x": "query.utm_source", "SFEN=x": "query.SFEN", "plies=1&pl%69es=1": "query.plies", "x": "query.x"} {
		p := wantProblem(t, do(s, "GET", "/v1/solve?sfen=startpos&"+query, ""), wire.InvalidQuestion)
		if len(p.Errors) != 1 || p.Errors[0].Location != location {
			t.Errorf("%s: %+v, want %s", query, p.Errors, location)
		}
	}
	if w := do(s, "GET", "/v1/solve?&sfen=startpos&&plies=1&shortest=false", ""); w.Code != http.StatusOK {
		t.Errorf("empty parameters: %d %s", w.Code, w.Body)
	}
	p := wantProblem(t, do(s, "POST", "/v1/solve", "\ufeff"+question1(mateIn1)), wire.BadJSON)
	if !strings.Contains(p.Detail, "byte order mark") || len(p.Errors) != 1 || offset(p.Errors[0]) != 0 {
		t.Errorf("a byte order mark: %+v", p)
	}
	p = wantProblem(t, do(s, "POST", "/v1/solve", `{"sfen":"startpos","limits":{"nodes":200000000}}`), wire.InvalidQuestion)
	if len(p.Errors) != 1 || p.Errors[0].Message != "expected number <= 100000000" {
		t.Errorf("a bound: %+v", p.Errors)
	}
}

// TestRequestIDs: the id of a request is one that nobody else chose, except a proxy that is
// trusted. What a client sends is logged beside it.
func TestRequestIDs(t *testing.T) {
	var log bytes.Buffer
	s := newServer(t, Config{TrustedProxies: []string{"198.51.100.0/24"},
		Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	send := func(remote, id string) (answer string, line map[string]any) {
		log.Reset()
		r := httptest.NewRequest("GET", "/livez", nil)
		r.RemoteAddr = remote
		r.Header.Set("X-Request-Id", id)
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		return w.Header().Get("X-Request-Id"), parse[map[string]any](t, log.Bytes())
	}
	seen := map[string]bool{}
	for _, id := range []string{"b6f0c2a9", "trace:00-4bf9/2@x~y+z=_.", strings.Repeat("x", 128)} {
		if got, line := send("198.51.100.7:1", id); got != id || line["request_id"] != id ||
			line["client_request_id"] != nil {
			t.Errorf("%q of a trusted proxy becomes %q, logged as %v", id, got, line)
		}
		got, line := send("192.0.2.1:1", id)
		if got == id || seen[got] || line["request_id"] != got || line["client_request_id"] != id {
			t.Errorf("%q of a stranger becomes %q, logged as %v", id, got, line)
		}
		seen[got] = true
	}
	for _, id := range []string{"", "a b", "a\"b", "あ", "<script>", strings.Repeat("x", 129)} {
		for _, remote := range []string{"192.0.2.1:1", "198.51.100.7:1"} {
			got, line := send(remote, id)
			if got == id || !saneID(got) || seen[got] || line["client_request_id"] != nil {
				t.Errorf("%q becomes %q, logged as %v", id, got, line)
			}
			seen[got] = true
		}
	}
}

// TestEcho: of what a stranger sends, no more than a few words come back, and the faults that are
// listed are bounded.
func TestEcho(t *testing.T) {
	s := newServer(t, Config{MaxBodyBytes: 1 << 20})
	digits, letters := strings.Repeat("9", 65_000), strings.Repeat("z", 65_000)
	echoes := func(answer []byte) bool {
		return len(answer) > 16<<10 || bytes.Contains(answer, []byte(digits[:300])) ||
			bytes.Contains(answer, []byte(letters[:300]))
	}
	for _, body := range []string{
		`{"sfen":"startpos","limits":{"nodes":` + digits +
			`}}`,
		`{"sfen":"startpos","limits":{"nodes":-` + digits + `}}`,
		`{"sfen":"startpos","limits":{"time_ms":` + digits +
			`.5}}`,
		`{"sfen":"startpos","limits":{"plies":1` + digits + `e9}}`,
		`{"sfen":` + digits + `}`, `{"sfen":"startpos","` + letters + `":1}`,
		`{"sfen":"startpos","limits":{"` + letters + `":` + digits + `}}`,
		`{"sfen":"startpos","x":[` + digits + `,{"y":` + digits + `}]}`,
		`{"sfen":"startpos","limits":` + digits + `}`,
		`{"sfen":"` + letters + `"}`, `{"sfen":"4k4/9/9/9/9/9/9/9/9 ` + letters + ` - 1"}`,
		`{"sfen":"4k4/9/9/9/9/9/9/9/9 b ` + letters + ` 1"}`,
		`{"sfen":"4k4/9/9/9/9/9/9/9/9 b ` + digits + `P 1"}`,
		`{"sfen":"4k4/9/9/9/9/9/9/9/9 b - ` + digits + `"}`,
		`{"sfen":"startpos moves ` + letters + `"}`, `{"sfen":"startpos ` + letters + `"}`,
		`{"sfen":"startpos","attacker":"` + letters + `"}`,
		`{"id":` + digits + `,"sfen":"startpos"}`, letters, digits, `"` + letters + `"`,
	} {
		for _, path := range []string{"/v1/solve", "/v1/moves", "/v1/read", "/v1/solve/batch"} {
			w := do(s, "POST", path, body)
			p := parse[wire.Problem](t, w.Body.Bytes())
			if echoes(w.Body.Bytes()) || p.Type == "" {
				t.Errorf("%s with %.60s…: %d bytes, %.200s", path, body, w.Body.Len(), w.Body)
			}
			if (p.Type == wire.BadJSON.TypeURI()) == json.Valid([]byte(body)) {
				t.Errorf("%s with %.60s…: %.200s", path, body, w.Body)
			}
		}
	}
	for _, record := range []string{letters, "手合割：" + letters + "\n", "▲７六歩" + letters + "\n",
		"P1" + letters + "\n+\n",
		`{"header":{"` + letters + `":"` + letters + `"},"moves":[{"move":{"from":` + digits +
			`}}]}`} {
		for _, contentType := range []string{"text/plain", "application/x-kif", "application/x-ki2",
			"application/x-csa", "application/x-jkf+json", "application/x-sfen"} {
			w := do(s, "POST", "/v1/solve", record, "Content-Type", contentType)
			isNote := w.Code == 200 && strings.Contains(w.Body.String(), "unread_moves")
			if w.Code != 422 && !isNote || echoes(w.Body.Bytes()) {
				t.Errorf("%s with %.60s…: %d, %d bytes, %.200s", contentType, record, w.Code,
					w.Body.Len(), w.Body)
			}
		}
	}
	for _, target := range []string{"/v1/solve?sfen=startpos&nodes=" + digits[:15_000],
		"/v1/solve?sfen=" + letters[:15_000], "/v1/solve?" + letters[:15_000],
		"/" + letters[:15_000]} {
		if w := do(s, "GET", target, ""); echoes(w.Body.Bytes()) {
			t.Errorf("%.60s…: %d bytes, %.200s", target, w.Body.Len(), w.Body)
		}
	}
}

// TestCORS: a page of a listed origin can read every answer, also a refusal. The clock stands
// still, so that the searches cost nothing of the rate.
func TestCORS(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const listed = "https://tsume.example"
		s := newServer(t, Config{CORSOrigins: []string{listed}, RatePerMinute: 2})
		for origin, want := range map[string]string{listed: listed, "https://other.example": ""} {
			w := do(s, "OPTIONS", "/v1/solve", "", "Origin", origin,
				"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type")
			h := w.Header()
			if w.Code != http.StatusOK || h.Get("Access-Control-Allow-Origin") != want ||
				(h.Get("Access-Control-Max-Age") != "") != (want != "") {
				t.Errorf("preflight from %s: %d %v", origin, w.Code, h)
			}
		}
		if n := metric(t, s, "tsumero_http_requests_total",
			"route", "preflight", "method", "OPTIONS", "code", "200"); n != 2 {
			t.Errorf("%v preflights counted, want 2", n)
		}
		for _, code := range []int{200, 200, 429} { // the third too must be readable
			w := get(s, mateIn1, "Origin", listed)
			h := w.Header()
			if w.Code != code || h.Get("Access-Control-Allow-Origin") == "" ||
				!strings.Contains(h.Get("Access-Control-Expose-Headers"), "Retry-After") {
				t.Errorf("%d %v, want %d", w.Code, h, code)
			}
			if !slices.Contains(h.Values("Vary"), "Origin") {
				t.Error("a cache would give one origin the answer for another")
			}
		}
		h := get(newServer(t, Config{}), mateIn1, "Origin", listed).Header()
		if h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("without origins: %v", h)
		}
	})
}

// TestCORSOrigins: who may ask where there is a list, and that nobody else is taken for one of it.
func TestCORSOrigins(t *testing.T) {
	s := newServer(t, Config{RatePerMinute: -1, CORSOrigins: []string{
		"https://good.example", "http://good.example:8080", "http://[::1]:3000", "https://*.wild.example"}})
	for origin, allowed := range map[string]bool{
		"https://good.example":               true,
		"http://good.example:8080":           true,
		"http://[::1]:3000":                  true,
		"https://a.wild.example":             true,
		"https://a.b.wild.example":           true,
		"http://good.example":                false,
		"https://good.example:8080":          false,
		"https://good.example:443":           false, // no browser says so
		"https://good.example/":              false,
		"https://good.example.evil.example":  false,
		"https://evil-good.example":          false,
		"https://good.example@evil.example":  false,
		"https://sub.good.example":           false,
		"https://wild.example":               false,
		"https://evilwild.example":           false,
		"http://a.wild.example":              false,
		"https://a.wild.example:8443":        false,
		"https://a.wild.example.evil":        false,
		"http://[::1]":                       false,
		"null":                               false,
		"*":                                  false,
		"":                                   false,
		"https://good.example, https://evil": false,
	} {
		for _, w := range []*httptest.ResponseRecorder{
			get(s, mateIn1, "Origin", origin),
			do(s, "OPTIONS", "/v1/solve", "", "Origin", origin, "Access-Control-Request-Method", "POST"),
		} {
			h, want := w.Header(), ""
			if allowed {
				want = origin
			}
			if h.Get("Access-Control-Allow-Origin") != want || !slices.Contains(h.Values("Vary"), "Origin") {
				t.Errorf("%q: %v", origin, h)
			}
			// Nobody is logged in here: no page may send what a browser knows of its user.
			if h.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%q: %v", origin, h)
			}
		}
	}
}

// TestCORSPreflight: which methods and headers a page may use.
func TestCORSPreflight(t *testing.T) {
	s := newServer(t, Config{CORSOrigins: []string{"*"}})
	for _, c := range []struct {
		method, headers string
		allowed         bool
	}{
		{"GET", "", true}, {"HEAD", "", true}, {"POST", "", true},
		{"POST", "content-type", true}, {"GET", "if-none-match", true}, {"POST", "accept,content-type,x-request-id", true},
		{"DELETE", "", false}, {"PUT", "content-type", false}, {"POST", "authorization,content-type", true},
		{"GET", "authorization", true}, {"POST", "x-api-key", true}, {"POST", "content-type,x-full-duplex", true},
		{"POST", "content-type,x-forwarded-for", false},
	} {
		h := do(s, "OPTIONS", "/v1/solve", "", "Origin", "https://any.example",
			"Access-Control-Request-Method", c.method, "Access-Control-Request-Headers", c.headers).Header()
		if (h.Get("Access-Control-Allow-Origin") == "*") != c.allowed || (h.Get("Access-Control-Allow-Methods") == c.method) != c.allowed {
			t.Errorf("%s with %q: %v", c.method, c.headers, h)
		}
	}
}

// TestCORSOnEveryAnswer: a page can read whatever it is told, what is wrong too.
func TestCORSOnEveryAnswer(t *testing.T) {
	const origin = "https://tsume.example"
	answers := func(name string, c Config, prepare func(*Server), method, target, body string, status int, headers ...string) {
		t.Run(name, func(t *testing.T) {
			c.CORSOrigins = []string{origin}
			s := newServer(t, c)
			if prepare != nil {
				prepare(s)
			}
			w := do(s, method, target, body, append(headers, "Origin", origin)...)
			h := w.Header()
			if w.Code != status || h.Get("Access-Control-Allow-Origin") != origin || !slices.Contains(h.Values("Vary"), "Origin") ||
				!strings.Contains(h.Get("Access-Control-Expose-Headers"), "X-Request-Id") {
				t.Errorf("%d, want %d: %v %s", w.Code, status, h, w.Body)
			}
		})
	}
	link := "/v1/solve?sfen=" + strings.ReplaceAll(mateIn1, " ", "_")
	tag := get(newServer(t, Config{}), mateIn1).Header().Get("ETag")
	panics := Config{Solver: solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result { panic("as asked") })}
	answers("200", Config{}, nil, "GET", link, "", 200)
	answers("304", Config{}, nil, "GET", link, "", 304, "If-None-Match", tag)
	answers("400", Config{}, nil, "POST", "/v1/solve", "{", 400, "Content-Type", jsonType)
	answers("404", Config{}, nil, "GET", "/v1/nothing", "", 404)
	answers("405", Config{}, nil, "POST", "/v1/limits", "", 405)
	answers("413", Config{}, nil, "POST", "/v1/solve", strings.Repeat(" ", 64<<10+1), 413, "Content-Type", jsonType)
	answers("414", Config{}, nil, "GET", "/v1/solve?sfen="+strings.Repeat("9", maxURI), "", 414)
	answers("415", Config{}, nil, "POST", "/v1/solve", "{}", 415, "Content-Type", "image/png")
	answers("422", Config{}, nil, "GET", "/v1/solve?sfen=9", "", 422)
	answers("429", Config{RatePerMinute: 1}, func(s *Server) { get(s, mateIn1) }, "GET", link, "", 429)
	answers("500", panics, nil, "GET", link, "", 500)
	answers("503", Config{MaxBatches: 1}, func(s *Server) { s.batches.acquire(&client{}) }, "POST", "/v1/solve/batch", "", 503)
	answers("events", Config{}, nil, "POST", "/v1/solve/events", question1(mateIn1), 200, "Content-Type", jsonType)
	answers("batch", Config{}, nil, "POST", "/v1/solve/batch", question1(mateIn1), 200)
	answers("limits", Config{}, nil, "GET", "/v1/limits", "", 200)
	answers("description", Config{}, nil, "GET", "/openapi.json", "", 200)
	answers("diagram", Config{Diagrams: http.NotFoundHandler()}, nil, "GET", "/v1/diagram.svg", "", 404)
	answers("readyz", Config{}, (*Server).Drain, "GET", "/readyz", "", 503)
}

// TestRateLimit: by client, who is who connects, or behind a proxy that is trusted who it says. The
// clock stands still, as in TestCORS.
func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		send := func(s *Server, remote, forwarded string) *httptest.ResponseRecorder {
			r := httptest.NewRequest("GET", "/v1/solve?sfen="+strings.ReplaceAll(mateIn1, " ", "_"), nil)
			r.RemoteAddr = remote
			if forwarded != "" {
				r.Header.Set("X-Forwarded-For", forwarded)
			}
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, r)
			return w
		}
		open := newServer(t, Config{RatePerMinute: 2})
		for i, c := range []struct {
			remote, forwarded string
			want              int
		}{
			{"192.0.2.1:1", "", 200},
			{"192.0.2.1:2", "203.0.113.1", 200},
			{"192.0.2.1:3", "203.0.113.2", 429},
			{"192.0.2.2:1", "", 200},
			{"[2001:db8::1]:1", "", 200},
			{"[2001:db8::2]:1", "", 200},
			{"[2001:db8::3]:1", "", 429},
		} {
			w := send(open, c.remote, c.forwarded)
			if w.Code != c.want {
				t.Errorf("request %d: %d, want %d", i, w.Code, c.want)
			}
			h := w.Header()
			if h.Get("X-RateLimit-Limit") != "2" || h.Get("X-RateLimit-Remaining") == "" ||
				h.Get("X-RateLimit-Reset") == "" {
				t.Errorf("request %d: %v", i, h)
			}
			if c.want == 429 {
				wantProblem(t, w, wire.RateLimited)
				seconds, _ := strconv.Atoi(h.Get("Retry-After"))
				if seconds < 1 || seconds > 60 {
					t.Errorf("Retry-After %q", h.Get("Retry-After"))
				}
			}
		}
		proxied := newServer(t, Config{RatePerMinute: 1, TrustedProxies: []string{"192.0.2.0/24"},
			Diagrams: http.NotFoundHandler()})
		for i, c := range []struct {
			remote, forwarded string
			want              int
		}{
			{"192.0.2.1:1", "203.0.113.1", 200},
			{"192.0.2.1:1", "203.0.113.2", 200},
			{"192.0.2.2:1", "198.51.100.9, 203.0.113.1", 429},
			{"198.51.100.1:1", "203.0.113.3", 200},
			{"198.51.100.1:1", "203.0.113.4", 429},
		} {
			if w := send(proxied, c.remote, c.forwarded); w.Code != c.want {
				t.Errorf("proxied request %d: %d, want %d", i, w.Code, c.want)
			}
		}
		for path, want := range map[string]int{"/livez": 200, "/readyz": 200, "/docs": 429,
			"/openapi.json": 429, "/nowhere": 429, "/v1/diagram.svg": 429} {
			if w := send(proxied, "198.51.100.1:1", ""); w.Code != 429 {
				t.Fatalf("%d, want 429", w.Code)
			}
			r := httptest.NewRequest("GET", path, nil)
			r.RemoteAddr = "198.51.100.1:1"
			w := httptest.NewRecorder()
			proxied.Handler().ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("%s beyond the rate: %d, want %d", path, w.Code, want)
			}
		}
	})
}

// TestLog: one line of JSON for each request, with what is needed to find and to judge it.
func TestLog(t *testing.T) {
	var log bytes.Buffer
	s := newServer(t, Config{Logger: slog.New(slog.NewJSONHandler(&log, nil))})
	line := func() map[string]any {
		t.Helper()
		text, rest, _ := strings.Cut(log.String(), "\n")
		if rest != "" {
			t.Errorf("more than one line: %s", log.String())
		}
		log.Reset()
		return parse[map[string]any](t, []byte(text))
	}
	wants := func(got map[string]any, want map[string]any) {
		t.Helper()
		for k, v := range want {
			if got[k] != v {
				t.Errorf("%s is %v, want %v, in %v", k, got[k], v, got)
			}
		}
	}
	w := post(s, mateIn1)
	wants(line(), map[string]any{"level": "INFO", "msg": "request", "method": "POST", "route": "/v1/solve", "status": 200.0,
		"bytes": float64(w.Body.Len()), "request_id": w.Header().Get("X-Request-Id"), "client": "192.0.2.1",
		"verdict": "mate", "solver": "mate1", "source": "search"})
	get(s, mateIn1)
	wants(line(), map[string]any{"method": "GET", "source": "cache"})
	post(s, "4k4")
	if l := line(); l["status"] != 422.0 || l["verdict"] != nil {
		t.Errorf("%v", l)
	}
	do(s, "POST", "/v1/solve/batch", strings.Repeat(question1(mateIn1)+"\n", 3))
	wants(line(), map[string]any{"route": "/v1/solve/batch", "status": 200.0, "lines": 3.0})
	do(s, "GET", "/nowhere", "")
	wants(line(), map[string]any{"route": "unmatched", "status": 404.0})
	if do(s, "GET", "/livez", ""); log.Len() > 0 {
		t.Errorf("a health probe at info level: %s", &log)
	}
}

func TestConfig(t *testing.T) {
	_, err := New(Config{MaxPlies: -1, MaxTime: -1, DefaultTime: time.Hour, TrustedProxies: []string{"x"}, MaxBodyBytes: 5})
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{"Solver is missing", "MaxPlies is negative", "MaxTime is negative", "DefaultTime", "TrustedProxies", "MaxBodyBytes"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("nothing about %q in %v", part, err)
		}
	}
	if s := newServer(t, Config{}); get(s, mateIn1).Code != http.StatusOK {
		t.Error("the zero values do not work")
	}
	c := Config{Solver: newServer(t, Config{}).config.Solver}
	if s, err := New(c); err != nil || s.config.Registry == nil {
		t.Errorf("without a registry: %v", err)
	}
}

func TestAdmin(t *testing.T) {
	s := newServer(t, Config{})
	post(s, mateIn1)
	for path, part := range map[string]string{"/metrics": "tsumero_solves_total", "/debug/pprof/": "goroutine", "/debug/pprof/cmdline": "", "/livez": "ok", "/readyz": "ok"} {
		w := httptest.NewRecorder()
		s.AdminHandler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), part) {
			t.Errorf("%s: %d %.200s", path, w.Code, w.Body)
		}
		if path != "/livez" && path != "/readyz" {
			wantProblem(t, do(s, "GET", path, ""), wire.NotFound)
		}
	}
	s.Drain()
	w := httptest.NewRecorder()
	s.AdminHandler().ServeHTTP(w, httptest.NewRequest("GET", "/readyz", nil))
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("/readyz while draining: %d", w.Code)
	}
	wantProblem(t, do(s, "GET", "/readyz", ""), wire.ShuttingDown)
	if w := do(s, "GET", "/livez", ""); w.Code != http.StatusOK {
		t.Errorf("/livez while draining: %d", w.Code)
	}
	if w := post(s, mateIn3); w.Code != http.StatusOK || w.Header().Get("Connection") != "close" {
		t.Errorf("a question while draining: %d %v", w.Code, w.Header())
	}
}

// TestPages: complete, from this host alone, and made for everybody.
func TestPages(t *testing.T) {
	s := newServer(t, Config{})
	foreign := regexp.MustCompile(`(?i)(src|href|action)\s*=\s*["']?\s*(https?:)?//|<script|@import|url\(`)
	pages := []string{"/docs?lang=en", "/docs?lang=ja"}
	for _, k := range wire.Kinds() {
		pages = append(pages, k.TypeURI()+"?lang=en", k.TypeURI()+"?lang=ja")
	}
	for _, path := range pages {
		w := do(s, "GET", path, "")
		body := w.Body.String()
		if w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			t.Errorf("%s: %d %s", path, w.Code, w.Header().Get("Content-Type"))
		}
		if found := foreign.FindAllString(body, -1); found != nil {
			t.Errorf("%s loads something: %q", path, found)
		}
		for _, part := range []string{`<html lang="` + path[len(path)-2:] + `">`, "<main", "<h1>", "<title>", `name="viewport"`, `hreflang="`} {
			if !strings.Contains(body, part) {
				t.Errorf("%s has no %s", path, part)
			}
		}
		if strings.Contains(body, "ZgotmplZ") || strings.Contains(body, "no value") {
			t.Errorf("%s: the template failed somewhere", path)
		}
		if do(s, "GET", path, "", "If-None-Match", w.Header().Get("ETag")).Code != http.StatusNotModified {
			t.Errorf("%s is sent again", path)
		}
	}
	docs := do(s, "GET", "/docs?lang=en", "").Body.String()
	if !strings.Contains(docs, "http://example.com/v1/solve") || strings.Contains(docs, exampleOrigin) {
		t.Error("the examples do not have the name of the service")
	}
	for accept, want := range map[string]string{"": "ja", "en-GB, ja;q=0.5": "en", "ja, en": "ja", "fr": "en"} {
		w := do(s, "GET", "/docs", "", "Accept-Language", accept)
		if got := w.Header().Get("Content-Language"); got != want || !strings.Contains(w.Body.String(), `<html lang="`+want) ||
			!strings.Contains(strings.Join(w.Header().Values("Vary"), ","), "Accept-Language") {
			t.Errorf("Accept-Language: %s: %v", accept, w.Header())
		}
	}
	japanese := do(s, "GET", "/docs?lang=ja", "").Body.String()
	english := regexp.MustCompile(`(?:<dd>|<p>|h3 id="[a-zA-Z]+">)<span lang="en">[^<]*`).FindAllString(japanese, -1)
	if len(english) > 0 {
		t.Errorf("%d texts are not in Japanese: %q", len(english), english)
	}
	api := parse[struct {
		OpenAPI    string
		Paths      map[string]map[string]struct{ OperationID string }
		Components struct {
			Schemas map[string]struct {
				Properties map[string]json.RawMessage
			}
		}
	}](t, do(s, "GET", "/openapi.json", "").Body.Bytes())
	if !strings.HasPrefix(api.OpenAPI, "3.1.") {
		t.Errorf("OpenAPI %s", api.OpenAPI)
	}
	for _, methods := range api.Paths {
		for _, op := range methods {
			if !strings.Contains(docs, `id="`+op.OperationID+`"`) {
				t.Errorf("/docs has nothing about %s", op.OperationID)
			}
		}
	}
	for _, name := range []string{"SolveRequest", "RequestLimits", "Answer", "Problem", "Fault",
		"ProgressEvent", "MovesRequest", "MovesAnswer", "MoveAnswer", "LimitsAnswer",
		"ReadRequest", "ReadAnswer", "ReadRecord", "HeaderField", "BatchRequest", "BatchAnswer", "BatchProblem",
		"AnalyzeRequest", "AnalyzeLimits", "AnalyzeBatchRequest", "AnalyzeBatchAnswer", "AnalyzeAnswer", "AnalysisLengths",
		"LengthInterval", "LengthAnswer", "AnalysisLine", "AnalysisLeftover", "AnalysisAuthor", "PlaceAnswer", "AttackAnswer",
		"CheckAnswer", "DefenceAnswer", "ReplyAnswer", "FutileAnswer", "EqualLineAnswer", "SideMateAnswer", "IdlePieceAnswer",
		"DifficultyAnswer", "RuleAnswer", "AnalyzeProgressEvent", "FactEvent", "AnalysisLimits",
		"PlayRequest", "PlayRules", "PlayLimits", "PlayAnswer", "PlayScore", "PlayMate", "PlayingLimits",
		"JobRequest", "JobLimits", "JobAnalysis", "Job", "JobCounts", "JobProgressEvent", "QueueAnswer",
		"JobStates", "JobsLimits", "JobClassLimit"} {
		properties := api.Components.Schemas[name].Properties
		if len(properties) == 0 {
			t.Errorf("nothing about %s", name)
		}
		for field := range properties {
			said := strings.Contains(docs, ">"+field+"</code>") || strings.Contains(docs, "."+field+"</code>")
			if !said && field != "line" {
				t.Errorf("/docs has nothing about the field %s of %s", field, name)
			}
		}
	}
	anchors := regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(docs, -1)
	for _, a := range anchors {
		if strings.Count(docs, `id="`+a[1]+`"`) != 1 {
			t.Errorf("the link to #%s leads to %d places", a[1], strings.Count(docs, `id="`+a[1]+`"`))
		}
	}
}

// TestPublicURL: where the operator says how the service is called, links have that, whatever a request
// says, and pages with them may be shared.
func TestPublicURL(t *testing.T) {
	for public, want := range map[string]string{"": "private, no-cache", "https://shogi.example": "public, no-cache"} {
		s := newServer(t, Config{PublicURL: public})
		w := do(s, "GET", "http://evil.example/docs", "")
		if got := w.Header().Get("Cache-Control"); got != want {
			t.Errorf("with %q, Cache-Control is %q", public, got)
		}
		if isSaid := !strings.Contains(w.Body.String(), "evil.example"); isSaid != (public != "") ||
			isSaid && !strings.Contains(w.Body.String(), public+"/v1/solve") {
			t.Errorf("with %q, links have another name", public)
		}
	}
}

// TestDescription: every field and every parameter says what it means, and the limits what their
// largest values are, in each place.
func TestDescription(t *testing.T) {
	s := playServer(t, Config{MaxPlayNodes: 777, MaxPlies: 77, MaxNodes: 888, MaxTime: 9 * time.Second, DefaultTime: time.Second,
		MaxAnalysisNodes: 9999, MaxAnalysisTime: 8 * time.Second, DefaultAnalysisTime: 2 * time.Second})
	type schema struct {
		Description      string
		Minimum, Maximum *float64
		Default          any
	}
	api := parse[struct {
		Paths map[string]map[string]struct {
			Parameters []struct {
				Name, In, Description string
				Schema                schema
			}
		}
		Components struct {
			Schemas map[string]struct{ Properties map[string]schema }
		}
	}](t, do(s, "GET", "/openapi.json", "").Body.Bytes())
	most := map[string]float64{"plies": 77, "nodes": 888, "time_ms": 9000}
	mostOfAnalysis := map[string]float64{"nodes": 9999, "question_nodes": 9999, "time_ms": 8000}
	mostOfPlay := map[string]float64{"nodes": 777, "depth": wire.MaxPlayDepth, "max_moves": 9999, "seed": 1<<53 - 1}
	mostOfJobs := map[string]float64{"plies": 77, "nodes": 1 << 53, "question_nodes": 1 << 53,
		"time_ms": 24 * 60 * 60 * 1000, "memory_mib": 256 << 10}
	check := func(name, field string, sc schema, most map[string]float64) {
		t.Helper()
		if len(sc.Description) < 10 {
			t.Errorf("%s.%s: %q", name, field, sc.Description)
		}
		want, limited := most[field], most[field] > 0
		if limited && (sc.Maximum == nil || *sc.Maximum != want || sc.Minimum == nil || *sc.Minimum > 1) {
			t.Errorf("%s.%s is not from 1 to %v", name, field, want)
		}
		if sc.Default != nil {
			t.Errorf("%s.%s: a default makes a property required in some generated clients", name, field)
		}
		if !limited && sc.Maximum != nil && field != "table_fill" && field != "status" {
			t.Errorf("%s.%s: at most %v", name, field, *sc.Maximum)
		}
	}
	for name, of := range api.Components.Schemas {
		for field, sc := range of.Properties {
			check(name, field, sc, map[string]map[string]float64{"RequestLimits": most, "AnalyzeLimits": mostOfAnalysis, "GameLimits": mostOfAnalysis,
				"PlayRequest": mostOfPlay, "PlayRules": mostOfPlay, "PlayLimits": mostOfPlay,
				"JobLimits": mostOfJobs, "ThreatRequest": {"attacks": threat.MaxAttacks}, "ComposeRequest": {"hand": 38, "helpers": 4, "reach": 8, "added": 2, "changes": 2, "parts": 10_000, "pieces": 38, "captures": 38,
					"count": 10_000}}[name])
		}
	}
	limits := api.Components.Schemas["RequestLimits"].Properties
	if len(limits) != 6 || !strings.HasSuffix(limits["time_ms"].Description, " Default: 1000.") {
		t.Errorf("limits: %+v", limits)
	}
	limits = api.Components.Schemas["AnalyzeLimits"].Properties
	if len(limits) != 3 || !strings.HasSuffix(limits["time_ms"].Description, " Default: 2000.") ||
		!strings.HasSuffix(limits["nodes"].Description, " Default: 9999.") || !strings.Contains(limits["question_nodes"].Description, " Default: 9999, and more ") {
		t.Errorf("limits of analyses: %+v", limits)
	}
	limits = api.Components.Schemas["PlayLimits"].Properties
	if len(limits) != 2 || !strings.HasSuffix(limits["nodes"].Description, " Default: 777.") {
		t.Errorf("limits of play: %+v", limits)
	}
	const ofAnalysis = "attacker hands policy profile parts scope stop record nodes question_nodes time_ms"
	for _, c := range []struct {
		path, method, want string
		most               map[string]float64
	}{
		{"/v1/solve", "get", "sfen hands plies nodes time_ms shortest check length If-None-Match", most},
		{"/v1/moves", "get", "sfen attacker hands author plies nodes time_ms shortest check length If-None-Match", most},
		{"/v1/solve", "post", "after hands plies nodes time_ms shortest check length", most},
		{"/v1/analyze", "get", "sfen line " + ofAnalysis + " If-None-Match", mostOfAnalysis},
		{"/v1/analyze", "post", ofAnalysis, mostOfAnalysis},
		{"/v1/jobs", "post", "ask note priority after hands plies nodes time_ms shortest check length " +
			"question_nodes memory_mib attacker policy profile parts scope stop record " +
			"Idempotency-Key", mostOfJobs},
		{"/v1/jobs", "get", "state after", nil},
		{"/v1/jobs/{id}", "get", "id If-None-Match Prefer", nil},
		{"/v1/jobs/{id}/events", "get", "id Last-Event-ID", nil},
		{"/v1/jobs/{id}/record/{format}", "get", "id format If-None-Match", nil},
		{"/v1/solve/events", "post", "after hands plies nodes time_ms shortest check length", most},
		{"/v1/solve/record/{format}", "post", "format after hands plies nodes time_ms shortest check length", most},
		{"/v1/analyze/events", "post", ofAnalysis, mostOfAnalysis},
		{"/v1/jobs/{id}", "delete", "id purge", nil},
		{"/v1/jobs/{id}/results", "get", "id from limit follow If-None-Match",
			map[string]float64{"limit": wire.MaxResults}},
		{"/v1/solve/batch", "post", "X-Full-Duplex", nil},
		{"/v1/analyze/batch", "post", "X-Full-Duplex", nil},
		{"/v1/play", "get", "sfen level seed max_moves last_move entering_king nodes depth If-None-Match", mostOfPlay},
	} {
		var names []string
		for _, p := range api.Paths[c.path][c.method].Parameters {
			names = append(names, p.Name)
			p.Schema.Description = p.Description
			check(c.method+" "+c.path, p.Name, p.Schema, c.most)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s %s: %s", c.method, c.path, got)
		}
	}
}

// rare are the fields of what is asked for seldom, or takes long.
var rare = []string{"equal_lines", "resumed", "side_mates"}

// TestExamplesCoverTheDescription: each kind of problem, each status of each operation, and each
// field of an answer is shown by an example. TestExamples executes them.
func TestExamplesCoverTheDescription(t *testing.T) {
	var all strings.Builder
	statuses := map[string][]int{}
	for _, e := range examples() {
		all.Write(text(e.Answer))
		statuses[e.Operation] = append(statuses[e.Operation], e.Status)
	}
	for _, k := range wire.Kinds() {
		if !strings.Contains(all.String(), `"type":"`+k.TypeURI()+`"`) {
			t.Errorf("no example of %s", k.Code)
		}
	}
	s := newServer(t, Config{})
	api := parse[struct {
		Paths map[string]map[string]struct {
			OperationID string
			Responses   map[string]json.RawMessage
		}
		Components struct {
			Schemas map[string]struct{ Properties map[string]json.RawMessage }
		}
	}](t, do(s, "GET", "/openapi.json", "").Body.Bytes())
	// The problems of these are those of others.
	same := map[string]string{"solveEvents": "solve", "solveRecord": "solve", "analyzeEvents": "analyze",
		"jobEvents": "job", "jobRecord": "jobResult"}
	for path, methods := range api.Paths {
		if !strings.HasPrefix(path, "/v1/") {
			continue // a page
		}
		for _, op := range methods {
			for status := range op.Responses {
				if status == "304" {
					continue // TestLinkInCaches
				}
				n := parse[int](t, []byte(status))
				if n > 200 && slices.Contains(statuses[same[op.OperationID]], n) {
					continue
				}
				if !slices.Contains(statuses[op.OperationID], n) && n != http.StatusInternalServerError {
					t.Errorf("no example of the status %s of %s", status, op.OperationID)
				}
			}
			for _, status := range statuses[op.OperationID] {
				if _, ok := op.Responses[string(mustJSON(t, status))]; !ok {
					t.Errorf("%s has an example of %d, which it does not describe", op.OperationID, status)
				}
			}
		}
	}
	for _, name := range []string{"Answer", "AnalyzeAnswer", "PlayAnswer"} {
		for field := range api.Components.Schemas[name].Properties {
			if !strings.Contains(all.String(), `"`+field+`":`) && !slices.Contains(rare, field) {
				t.Errorf("no example with the field %s of %s", field, name)
			}
		}
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
