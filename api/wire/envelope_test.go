package wire

import "testing"

// TestEnvelope: what is read is what was written, and can be written otherwise.
func TestEnvelope(t *testing.T) {
	for _, text := range []string{
		`{"line":2,"id":"a, \"}","sfen":"x","moves":["a","b"],"nodes":7}`,
		`{"id":-1.5e3,"sfen":"x","notes":[{"code":"y"}],"elapsed_us":3}`,
		`{"line":3,"sfen":"x","line":{"moves":["a"]},"rules":[]}`,
	} {
		e, err := ParseEnvelope([]byte(text + "\n"))
		if err != nil || string(e.Append(nil)) != text {
			t.Errorf("%s: %+v, %v", text, e, err)
		}
	}
	e, err := ParseEnvelope([]byte(`{"line": 3, "sfen" : "x", "line":{"moves": ["a"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	e.Line, e.ID = 0, ID(`"b"`)
	if got, want := string(e.Append(nil)), `{"id":"b","sfen":"x","line":{"moves": ["a"]}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, bad := range []string{``, `9`, `{`, `{"a":1`, `{"a":1} {}`, `{"a":}`} {
		if e, err := ParseEnvelope([]byte(bad)); err == nil {
			t.Errorf("%s is %+v", bad, e)
		}
	}
}

func TestLineNumber(t *testing.T) {
	for text, want := range map[string]int{`{"line":12,"a":1}`: 12, `{"line":3}`: 3,
		`{"a":1,"line":4}`: 4, `{"line": 5 }`: 5, `{"line":0}`: 0, `{"line":-1,"a":2}`: 0, `{}`: 0, ``: 0, `{"line":"x"}`: 0,
		`{"id":"a","line":6,"type":"x"}`: 6, `{"line":7,"sfen":"x","line":{"moves":[]}}`: 7, `{"a":1`: 0,
		`[1]`: 0} {
		if got, ok := LineNumber([]byte(text)); ok && got != want || ok != (want > 0) {
			t.Errorf("%s: %d, %v", text, got, ok)
		}
	}
}

func TestParseProblem(t *testing.T) {
	e := &Envelope{ID: ID("5"), Line: 3, Problem: KnownProblem("line_too_long", "x")}
	e, err := ParseEnvelope(e.AppendLine(nil))
	if err != nil || e.Line != 3 || string(e.ID) != "5" {
		t.Fatal(e, err)
	}
	p := e.Problem
	if p == nil || p.Status != 413 || p.Detail != "x" || KindOf("line_too_long") != LineTooLong {
		t.Errorf("%+v", p)
	}
	for _, text := range []string{`{"sfen":"x"}`, `{}`, `{"note":"\"type\":\"/problems/x\""}`,
		`{"a":{"type":"/problems/x"}}`} {
		if e, err := ParseEnvelope([]byte(text)); err != nil || e.Problem != nil {
			t.Errorf("%s: %+v, %v", text, e, err)
		}
	}
	if KindOf("no such code") != InternalError {
		t.Error("a kind that there is not")
	}
}
