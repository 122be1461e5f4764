package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// What solve --moves prints of each move is what the service answers, byte for byte but for the time.
func TestServeAndSolveAgreeOnMoves(t *testing.T) {
	long(t)
	s := startService(t, "--max-time", "1m")
	elapsed := regexp.MustCompile(`"elapsed_us":\d+`)
	const nodes = 50_000 // beyond those of a quick search
	for _, c := range []struct {
		sfen   string
		limits string // of the service
		flags  []string
	}{
		{mateIn1, ``, nil},
		{mateIn1 + " moves G*5b", ``, nil}, // mated already
		{"4k4/9/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1", ``, nil},
		{"8k/9/9/6B2/6P2/9/9/7+r1/9 b RSb4g3s4n4l17p 33", `,"shortest":true`, []string{"--shortest"}},
		{mateIn5, `,"shortest":true`, []string{"--shortest"}},
		{mateIn5, `,"plies":3`, []string{"--plies", "3"}},
		{mateIn5 + " moves 4e4c+", ``, nil},
		{mateIn5 + " moves 2a1a", ``, nil},
		{"7R1/9/8k/8p/5R3/9/9/9/K8 b 2b4g4s4n4l17p 1", ``, nil}, // both kings
		{"9/9/9/9/9/4p4/9/4K4/9 w 2R2B2G4S4N4L17P2g 1", ``, nil},
		{mateIn7, ``, nil}, // with long searches
	} {
		question := fmt.Sprintf(`{"sfen":%q,"limits":{"nodes":%d,"time_ms":60000%s}}`, c.sfen, nodes, c.limits)
		answer := s.send(t, "POST", "/v1/moves", question, "Content-Type", jsonType)
		if answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s", answer.Status, answer.body)
		}
		args := append([]string{"solve", "--moves", "--output", "json", "--nodes", strconv.Itoa(nodes),
			"--time", "1m", "--memory", "64M"}, c.flags...)
		printed := run(t, "", "tsumero", append(args, c.sfen)...).stdout
		got, want := elapsed.ReplaceAllString(printed, ""), elapsed.ReplaceAllString(answer.body, "")
		if got != want || got == printed {
			t.Errorf("%s %v: solve prints\n%s\nthe service answers\n%s", c.sfen, c.flags, printed, answer.body)
		}
	}
}

// Also where it takes a long search, and whoever wants to can see how it goes.
func TestServeAndSolveAgreeOnLongSearches(t *testing.T) {
	long(t)
	const sfen = "2k1s1B2/S3+P4/2p1R2p1/2gprpp2/Lb1S5/2N3P2/2PPP4/9/L8 b L3gs3nl8p 1" // 29 plies
	s := startService(t, "--memory", "256MiB", "--long", "slots=1", "--max-time", "1m")
	question := fmt.Sprintf(`{"sfen": %q, "limits": {"shortest": true, "nodes": 2000000, "time_ms": 60000}}`, sfen)
	stream := s.send(t, "POST", "/v1/solve/events", question, "Content-Type", jsonType)
	_, answer, ok := strings.Cut(stream.body, "event: answer\ndata: ")
	if !ok {
		t.Fatalf("%s has no answer", stream.body)
	}
	solved := run(t, "", "tsumero", "solve", "--shortest", "--nodes", "2000000", "--memory", "256MiB", "-j", "1", "-o", "json", sfen)
	if got, want := withoutTime(t, solved.stdout), withoutTime(t, answer); got != want || !strings.Contains(got, `"exact":true`) {
		t.Errorf("solve prints\n%s\nthe service answers\n%s", got, want)
	}
	if metrics := s.send(t, "GET", s.admin+"/metrics", ""); !strings.Contains(metrics.body, `tsumero_search_duration_seconds_count{pool="long",verdict="mate"} 1`) {
		t.Error("that was no long search")
	}
}

// So do their complaints, line by line.
func TestServeAndSolveComplainAlike(t *testing.T) {
	long(t)
	s := startService(t)
	texts := []string{"5+P1k1/9/5/+rB2/9/9/9/9/9/9 b RPb4g4s4k4l16p 1", "", "9/9/9/9/9/9/9/9/9 b - 1", "startpos moves 7g7f 7g7f"}
	var batch bytes.Buffer
	for _, text := range texts {
		if text != "" {
			json.NewEncoder(&batch).Encode(map[string]string{"sfen": text})
		} else {
			batch.WriteByte('\n')
		}
	}
	want := s.send(t, "POST", "/v1/solve/batch", batch.String(), "Content-Type", ndjsonType).body
	got := run(t, strings.Join(texts, "\n"), "tsumero", "solve", "-o", "json").stdout
	if n := strings.Count(got, "\n"); got != want || n != 3 {
		t.Errorf("solve prints\n%s\nthe service answers\n%s", got, want)
	}
}

// withoutTime returns a JSON object with its fields in alphabetical order and without the time.
func withoutTime(t *testing.T, object string) string {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(object), &fields); err != nil {
		t.Fatalf("%v in %s", err, object)
	}
	if _, ok := fields["elapsed_us"]; !ok {
		t.Errorf("no elapsed_us in %s", object)
	}
	delete(fields, "elapsed_us")
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
