package wire

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

const jobSFEN = `"sfen":"8k/9/9/9/9/9/9/9/9 b R 1"`

func jobReaderFor(limit time.Duration) *JobReader {
	b := Bounds{Plies: 99, Nodes: 1000, Time: 9 * time.Second, DefaultTime: 2 * time.Second,
		Analysis: AnalysisBounds{Nodes: 3000, Time: 9 * time.Second, DefaultTime: 5 * time.Second}}
	return NewJobReader(b, limit)
}

// TestJobQuestion: a job in JSON has the larger limits of jobs, and its line says all that holds.
func TestJobQuestion(t *testing.T) {
	r := jobReaderFor(time.Hour)
	for body, want := range map[string]string{
		`{` + jobSFEN + `}`:                           `{` + jobSFEN + `,"limits":{"nodes":9007199254740992,"time_ms":3600000}}`,
		`{` + jobSFEN + `,"limits":{"nodes":1001}}`:   `{` + jobSFEN + `,"limits":{"nodes":1001,"time_ms":3600000}}`,
		`{` + jobSFEN + `,"analyze":null}`:            `{` + jobSFEN + `,"limits":{"nodes":9007199254740992,"time_ms":3600000}}`,
		`{` + jobSFEN + `,"analyze":{"policy":"F1"}}`: `{` + jobSFEN + `,"policy":"F1","limits":{"nodes":`,
	} {
		var q JobQuestion
		if p := r.Job([]byte(body), &q); p != nil {
			t.Errorf("%s: %+v", body, p.Errors)
			continue
		}
		if got := strings.TrimSuffix(string(q.Lines), "\n"); got != want && !(q.Analyze && strings.HasPrefix(got, want)) ||
			q.Count != 1 || q.Analyze != strings.Contains(body, "policy") {
			t.Errorf("%s: %+v %s", body, q, got)
		}
	}
	var q JobQuestion
	p := r.Job([]byte(`{`+jobSFEN+`,"limits":{"time_ms":3600001,"nodes":9007199254740993,"plies":100}}`), &q)
	if p == nil || len(p.Errors) != 3 {
		t.Errorf("beyond the limits: %+v", p)
	}
}

// TestJobDefaults: what a query says of lines is what a worker is told, with the limits of a batch
// for what it does not say, but no longer ones than the class has.
func TestJobDefaults(t *testing.T) {
	for query, want := range map[string]string{
		"":                               "nodes=1000&time_ms=2000",
		"nodes=5&time_ms=60000":          "nodes=5&time_ms=60000",
		"hands=complete&shortest=true":   "hands=complete&nodes=1000&shortest=true&time_ms=2000",
		"plies=9&length=F2&note=x":       "length=F2&nodes=1000&plies=9&time_ms=2000",
		"ask=analyze":                    "time_ms=5000",
		"ask=analyze&parts=attack,tries": "parts=attack,tries&time_ms=5000",
		"ask=analyze&nodes=7&question_nodes=3&attacker=black&policy=F1&profile=app&scope=equal&stop=first&record=ja": "attacker=black&" +
			"nodes=7&policy=F1&profile=app&question_nodes=3&record=ja&scope=equal&stop=first&time_ms=5000",
	} {
		var q JobQuestion
		if p := jobReaderFor(time.Hour).Lines(query, &q); p != nil || q.Defaults != want {
			t.Errorf("%s: %q, want %q; %+v", query, q.Defaults, want, p)
		}
	}
	var q JobQuestion
	if p := jobReaderFor(time.Second).Lines("", &q); p != nil || q.Defaults != "nodes=1000&time_ms=1000" {
		t.Errorf("a class of a second: %q, %+v", q.Defaults, p)
	}
	long := "ask=analyze&nodes=9007199254740992&question_nodes=9007199254740992&time_ms=3600000&attacker=black&hands=complete&" +
		"policy=F1&profile=magazine&scope=equal&stop=first&record=ja&parts=" + strings.Join(append(PartNames(), PartNames()...), ",")
	if p := jobReaderFor(time.Hour).Lines(long, &q); p != nil || len(q.Defaults) > 500 {
		t.Errorf("%d bytes, which a record has no room for; %+v", len(q.Defaults), p)
	}
}

func TestJobProgress(t *testing.T) {
	for event, want := range map[string]string{
		"":                `{"line":3,"done":2}`,
		"{}":              `{"line":3,"done":2}`,
		"null":            `{"line":3,"done":2}`,
		`{"a":1} x`:       `{"line":3,"done":2}`,
		"{\"nodes\":5}\n": `{"line":3,"done":2,"nodes":5}`,
	} {
		if got := string(NewJobProgress(3, 2, json.RawMessage(event))); got != want {
			t.Errorf("%q: %s, want %s", event, got, want)
		}
	}
}

// Whatever a job is read as, its line is one that a worker reads.
func FuzzJob(f *testing.F) {
	f.Add(`{` + jobSFEN + `,"limits":{"nodes":5,"memory_mib":7},"note":"x","priority":"low"}`)
	f.Add(`{` + jobSFEN + `,"analyze":{"line":["R*1i"],"parts":["attack"]}}`)
	f.Add(`{"analyze":1,"analyze":{},"sfen":"startpos moves 7g7f"}`)
	r := jobReaderFor(time.Hour)
	f.Fuzz(func(t *testing.T, body string) {
		var q JobQuestion
		if r.Job([]byte(body), &q) != nil {
			return
		}
		var p *Problem
		if q.Analyze {
			_, p = r.reader.AnalyzeLine(q.Lines, new(AnalysisQuestion))
		} else {
			_, p = r.reader.Line(q.Lines, new(Question))
		}
		if p != nil || strings.Count(string(q.Lines), "\n") != 1 || q.Count != 1 || len(q.Note) > maxNote {
			t.Errorf("%s: %s %+v", body, q.Lines, p)
		}
	})
}
