package engine_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/httpapi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/levels"
	"github.com/tsumero/tsumero/web/internal/enginetest"
)

var (
	questions = flag.Int("engine.questions", 60, "how many questions TestBytes asks")
	corpus    = flag.String("engine.corpus", "../../api/answer/testdata/convention.tsv",
		"tables whose first column has the positions that TestBytes asks about")
	seed = flag.Uint64("seed", 1, "of the questions of TestBytes")
)

// A request is what testdata/ask.js reads.
type request struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Body   string `json:"body,omitempty"`
}

type response struct {
	Status int    `json:"status"`
	Body   string `json:"body"`
}

// varying are what is not the same in two answers to a question: times, and what the log of a service
// calls a request.
var varying = regexp.MustCompile(`,"(elapsed_us|request_id)":("[^"]*"|\d+)`)

// TestBytes: the programs answer as the service does, to the byte but for times, whatever is asked.
func TestBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles two programs")
	}
	if _, err := exec.LookPath("node"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("Node.js is not installed")
	}
	service, err := httpapi.New(httpapi.Config{
		Solver: mate.New(mate.Options{}), Quick: mate.New(mate.Options{TableBytes: 4 << 20}),
		Sessions: func() solver.Session { return dfpn.NewSession() },
		Levels:   levels.Names(),
		NewEngine: func(level string, seed uint64) (play.Engine, error) {
			return levels.New(level, levels.Options{Seed: seed, TableBytes: levels.RequestTable})
		},
		MaxTime: 10 * time.Minute, MaxAnalysisTime: 10 * time.Minute, MaxBodyBytes: 4 << 20,
		DefaultTime: 2 * time.Second, DefaultAnalysisTime: 20 * time.Second,
		RatePerMinute: -1, CacheBytes: -1, Version: "dev"})
	if err != nil {
		t.Fatal(err)
	}
	asked := makeRequests(t, *questions)
	want := make([]response, len(asked))
	for i, r := range asked {
		w := httptest.NewRecorder()
		service.Handler().ServeHTTP(w, httptest.NewRequest(r.Method, r.Path, strings.NewReader(r.Body)))
		want[i] = response{w.Code, w.Body.String()}
	}
	kinds := map[string]int{}
	for _, program := range []string{"board", "full"} {
		var list []request
		var expected []response
		for i, r := range asked {
			if program == "full" || r.Path == "/v1/solve" || r.Path == "/v1/moves" {
				list, expected = append(list, r), append(expected, want[i])
			}
		}
		for i, got := range askProgram(t, program, list) {
			a, b := varying.ReplaceAllString(got.Body, ""), varying.ReplaceAllString(expected[i].Body, "")
			if got.Status != expected[i].Status || a != b {
				t.Errorf("%s: %s %s\nanswered %d %s\nthe service %d %s", program, list[i].Path, list[i].Body,
					got.Status, a, expected[i].Status, b)
			}
			kinds[fmt.Sprint(program, list[i].Path, " ", got.Status)]++
		}
	}
	t.Log(kinds)
	for _, kind := range []string{"board/v1/solve 200", "board/v1/moves 200", "board/v1/solve 422", "full/v1/analyze 200",
		"full/v1/read 200", "full/v1/games 200", "full/v1/play 200"} {
		if kinds[kind] == 0 {
			t.Errorf("none was %s", kind)
		}
	}
}

// askProgram asks a program in Node.js.
func askProgram(t *testing.T, name string, list []request) (all []response) {
	t.Helper()
	folder := t.TempDir()
	program := filepath.Join(folder, "program.wasm")
	for file, body := range enginetest.Files(t) {
		if strings.HasPrefix(file, name+"-") {
			if err := os.WriteFile(program, body, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	var in, fault bytes.Buffer
	for _, r := range list {
		text, _ := json.Marshal(r)
		in.Write(append(text, '\n'))
	}
	c := exec.Command("node", "testdata/ask.js", strings.TrimSpace(string(root))+"/lib/wasm/wasm_exec.js", program)
	c.Stdin, c.Stderr = &in, &fault
	out, err := c.Output()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, &fault)
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Buffer(nil, 16<<20); lines.Scan(); {
		var r response
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%v: %s", err, lines.Bytes())
		}
		all = append(all, r)
	}
	if len(all) != len(list) {
		t.Fatalf("%d answers to %d questions\n%s", len(all), len(list), &fault)
	}
	return all
}

// makeRequests returns questions of all kinds about positions of the corpus. Their limits are of nodes,
// so that no time ends a search here which it does not end there.
func makeRequests(t *testing.T, n int) (list []request) {
	t.Helper()
	var positions []string
	paths, err := filepath.Glob(*corpus)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v", *corpus, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if sfen, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); sfen != "" && sfen[0] != '#' {
				positions = append(positions, sfen)
			}
		}
	}
	random := rand.New(rand.NewPCG(*seed, 28))
	one := func(list ...any) any { return list[random.IntN(len(list))] }
	for len(list) < n {
		sfen := positions[random.IntN(len(positions))]
		limits := map[string]any{"nodes": one(1, 50, 1000, 20_000, 60_000), "time_ms": 600_000}
		question := map[string]any{"sfen": sfen, "limits": limits}
		maybe := func(into map[string]any, name string, values ...any) {
			if random.IntN(3) == 0 {
				into[name] = one(values...)
			}
		}
		maybe(question, "hands", "as_given", "complete")
		path := one("/v1/solve", "/v1/solve", "/v1/moves", "/v1/moves", "/v1/analyze", "/v1/read", "/v1/games", "/v1/play").(string)
		switch path {
		case "/v1/solve":
			maybe(limits, "check", true)
			fallthrough
		case "/v1/moves":
			maybe(limits, "plies", 1, 3, 7, 15, 99)
			maybe(limits, "length", "F0", "F1", "F2", "F3")
			maybe(limits, "shortest", true)
		case "/v1/analyze":
			maybe(question, "policy", "F1", "F3")
			maybe(question, "profile", "strict", "app")
			maybe(question, "line", []string{"5a5b"}, []string{})
		case "/v1/read":
			question = map[string]any{"text": one(sfen, "position sfen "+sfen, "手合割：平手\n1 ７六歩(77)\n", "?")}
		case "/v1/games":
			question = map[string]any{"limits": map[string]any{"nodes": one(1, 300)}, "text": one(sfen,
				"position sfen 4k4/9/9/4G4/9/9/9/9/4K4 b G2r2b2g4s4n4l18p 1 moves 5d5c P*9e 5i4i", "?")}
		case "/v1/play":
			question = map[string]any{"sfen": sfen, "level": one("novice", "beginner", "club", "none"), "limits": map[string]any{"nodes": 500}}
		}
		if random.IntN(8) == 0 { // what is wrong with it
			maybe(question, "sfen", "9/9/9", "", 5)
			maybe(limits, "nodes", 0, -1, "x")
			maybe(question, "unknown", 1)
		}
		text, err := json.Marshal(question)
		if err != nil {
			t.Fatal(err)
		}
		if random.IntN(50) == 0 {
			text = text[:len(text)-1]
		}
		list = append(list, request{http.MethodPost, path, string(text)})
	}
	return list
}
