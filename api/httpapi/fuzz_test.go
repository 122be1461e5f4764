package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
)

// checkFuzzed checks what must hold of the answer to anything.
func checkFuzzed(t *testing.T, status int, contentType string, body []byte) {
	t.Helper()
	if status >= 500 {
		t.Fatalf("status %d: %s", status, body)
	}
	if !json.Valid(body) {
		t.Fatalf("status %d with what is not JSON: %q", status, body)
	}
	if status == http.StatusOK {
		checkAnswer(t, body)
		return
	}
	if contentType != wire.ProblemType {
		t.Fatalf("status %d as %s", status, contentType)
	}
	checkProblem(t, status, body)
}

func checkAnswer(t *testing.T, body []byte) {
	t.Helper()
	a := parse[wire.Answer](t, body)
	mates := a.Verdict == "mate"
	if a.SFEN == "" || a.Attacker == "" || a.Verdict == "" || (a.Plies != nil) != mates || (a.Moves != nil) != mates || (a.Exact != nil) != mates ||
		a.Verdict == "unknown" && a.Reason == "" || a.Verdict == "nomate" && a.Reason != "" || mates && (*a.Plies != len(a.Moves) || *a.Plies != len(a.MovesJa)) {
		t.Fatalf("%s", body)
	}
}

func checkProblem(t *testing.T, status int, body []byte) {
	t.Helper()
	p := parse[wire.Problem](t, body)
	if p.Status != status || p.Title == "" || p.Detail == "" || !strings.HasPrefix(p.Type, "/problems/") {
		t.Fatalf("%s", body)
	}
	if status == http.StatusUnprocessableEntity && len(p.Errors) == 0 {
		t.Fatalf("no fault in %s", body)
	}
	for _, f := range p.Errors {
		if f.Location == "" || f.Message == "" || offset(f) < -1 {
			t.Fatalf("%s", body)
		}
	}
}

// fuzzServer looks at few nodes, so that it is the text that is tried and not the solvers.
func fuzzServer(f *testing.F) *Server {
	return newServer(f, Config{MaxNodes: 2000, MaxAnalysisNodes: 500, CacheBytes: 1 << 20, MaxAnalyses: 1,
		Sessions: func() solver.Session { return dfpn.NewSession() }})
}

func FuzzSolveBody(f *testing.F) {
	for _, e := range examples() {
		if e.Operation == "solve" {
			f.Add(text(e.Body))
		}
	}
	s := fuzzServer(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		w := do(s, "POST", "/v1/solve", string(body), "Content-Type", jsonType)
		checkFuzzed(t, w.Code, w.Header().Get("Content-Type"), w.Body.Bytes())
		if !json.Valid(body) && w.Code == http.StatusOK {
			t.Fatalf("an answer to what is not JSON: %q", body)
		}
	})
}

func FuzzSolveQuery(f *testing.F) {
	for _, e := range examples() {
		if e.Operation == "solveLink" {
			_, query, _ := strings.Cut(e.target(), "?")
			f.Add(query)
		}
	}
	f.Add("sfen=4k4/9/4+P4/9/9/9/9/9/9+b+G+1")
	s := fuzzServer(f)
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequest("GET", "/v1/solve", nil)
		r.URL.RawQuery = query
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		checkFuzzed(t, w.Code, w.Header().Get("Content-Type"), w.Body.Bytes())
	})
}

// FuzzAnalyzeBody: no problem makes the engine, or the words about it, break, and what is called
// sound has nothing left open.
func FuzzAnalyzeBody(f *testing.F) {
	for _, e := range examples() {
		if e.Operation == "analyze" && !isRecord(e.contentType()) {
			f.Add(text(e.Body))
		}
	}
	s := fuzzServer(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		w := do(s, "POST", "/v1/analyze", string(body), "Content-Type", jsonType)
		switch {
		case w.Code >= 500 || !json.Valid(w.Body.Bytes()):
			t.Fatalf("status %d: %s", w.Code, w.Body)
		case w.Code != http.StatusOK:
			checkProblem(t, w.Code, w.Body.Bytes())
			return
		}
		a := parse[wire.AnalyzeAnswer](t, w.Body.Bytes())
		open := a.Verdict != "mate" || a.Attack == nil
		for _, n := range a.Attack {
			open = open || n.Unknown > 0
		}
		if a.Sound == "yes" && (open || a.Line == nil) || a.Sound == "" || len(a.TextJa) == 0 || len(a.TextJa) != len(a.TextEn) || !a.Lasting && a.Reason == "" {
			t.Fatalf("%s", w.Body)
		}
	})
}

// FuzzPlayBody: whatever is asked, there is a legal move, the end of the game, or a problem, and it
// is the same bytes again.
func FuzzPlayBody(f *testing.F) {
	for _, e := range examples() {
		if e.Operation == "play" {
			f.Add(text(e.Body))
		}
	}
	f.Add([]byte(`{"sfen":"4k4/9/9/9/9/9/9/9/9 w - 99999999","level":"random","rules":{"max_moves":1}}`))
	s := playServer(f, Config{CacheBytes: -1})
	f.Fuzz(func(t *testing.T, body []byte) {
		w := askPlay(s, string(body))
		if w.Code != http.StatusOK {
			checkFuzzed(t, w.Code, w.Header().Get("Content-Type"), w.Body.Bytes())
			return
		}
		checkPlayed(t, w.Body.Bytes())
		if again := askPlay(s, string(body)); again.Body.String() != w.Body.String() {
			t.Fatalf("%s\n%s", w.Body, again.Body)
		}
	})
}

// checkPlayed checks an answer about a game with the rules that the engine does not know of.
func checkPlayed(t *testing.T, body []byte) {
	t.Helper()
	a := parse[wire.PlayAnswer](t, body)
	p, err := shogi.ParseSFEN(a.SFEN)
	if err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	twin := mailbox.From(&p)
	switch a.Kind {
	case wire.Over:
		if a.Outcome == "" || a.Move != "" || a.Line != nil {
			t.Fatalf("%s", body)
		}
	case wire.Opinion:
		m, err := shogi.ParseMove(a.Move)
		if err != nil || !twin.IsLegal(m) || len(a.Line) != len(a.LineJa) || a.Line[0] != a.Move {
			t.Fatalf("%v: %s", err, body)
		}
		if p.Do(m); p.SFEN() != a.SFENAfter {
			t.Fatalf("%s is not after: %s", p.SFEN(), body)
		}
	default:
		t.Fatalf("%s", body)
	}
	drawn := a.Outcome == "" || a.Outcome == "repetition" || a.Outcome == "limit"
	if drawn != (a.Winner == "") {
		t.Fatalf("%s", body)
	}
}

func FuzzBatch(f *testing.F) {
	for _, e := range examples() {
		if e.Operation == "solveBatch" {
			f.Add(text(e.Body))
		}
	}
	s := fuzzServer(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		w := do(s, "POST", "/v1/solve/batch", string(body))
		if w.Code != http.StatusOK {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		lines := 0
		for line := range bytes.Lines(body) {
			if len(bytes.TrimSpace(line)) > 0 {
				lines++
			}
		}
		for line := range bytes.Lines(w.Body.Bytes()) {
			lines--
			var either struct {
				Status int
				Line   int
			}
			if err := json.Unmarshal(line, &either); err != nil {
				t.Fatalf("%v in %q", err, line)
			}
			if either.Status == 0 {
				checkAnswer(t, line)
				continue
			}
			if either.Line == 0 || either.Status >= 500 {
				t.Fatalf("%s", line)
			}
			checkProblem(t, either.Status, line)
		}
		if lines != 0 {
			t.Fatalf("%d lines without an answer: %q\n%s", lines, body, w.Body)
		}
	})
}
