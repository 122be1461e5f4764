package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
)

// keptList has problems of every kind: sound, with an author's line, by White, without mate, a fault,
// and one that is there twice.
const keptList = "# a comment\nsfen\ttitle\tplies\tmoves\n" +
	"9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1\t頭金\t3\tG*5c 5b5a G*5b\n" +
	"7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1\t\t5\t4e4c\n" +
	"9/9/9/9/9/4p4/9/4K4/9 w 2R2B2G4S4N4L17P2g 1\n" +
	"9/4k4/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1\n" +
	"nonsense\n" +
	"9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1\t頭金\t3\tG*5c 5b5a G*5b\n"

// folderOf runs collection and returns the files of the folder that it makes.
func folderOf(t *testing.T, in string, args ...string) map[string]string {
	t.Helper()
	site := filepath.Join(t.TempDir(), "site")
	code, _, stderr := tsumero(t.Context(), "", append([]string{"collection", "--search", "report", "--nodes", "60000",
		"--question-nodes", "3000", "-o", "folder", "--to", site, in}, args...)...)
	if code != command.ExitBadPosition || !strings.Contains(stderr, "6 problems, 1 faulty") {
		t.Fatalf("code %d: %s", code, stderr)
	}
	entries, err := os.ReadDir(site)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(site, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

func keptFile(t *testing.T) string {
	t.Helper()
	in := filepath.Join(t.TempDir(), "works.tsv")
	if err := os.WriteFile(in, []byte(keptList), 0o600); err != nil {
		t.Fatal(err)
	}
	return in
}

// A folder has the same bytes however it came to be: at once, by two at a time, after a program that
// was killed at any point, and from reports that are all kept. Other limits are other reports.
func TestCollectionKeep(t *testing.T) {
	in, keep := keptFile(t), filepath.Join(t.TempDir(), "keep")
	want := folderOf(t, in, "--jobs", "2")
	if got := folderOf(t, in, "--jobs", "1", "--keep", keep); !maps.Equal(got, want) {
		t.Error("with reports that are kept the folder is another one")
	}
	whole, err := os.ReadFile(keep)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(whole, []byte(`{"key":`)); n != 4 {
		t.Errorf("%d reports are kept of 4 problems", n)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	for _, size := range []int{0, 5, len(lines[0]), len(lines[0]) + 9, len(lines[0]) + len(lines[1]) + len(lines[2])/2, len(whole) - 1} {
		if err := os.WriteFile(keep, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		if got := folderOf(t, in, "--jobs", "1", "--keep", keep); !maps.Equal(got, want) {
			t.Errorf("killed after %d of %d bytes, the folder is another one", size, len(whole))
		}
		if again, err := os.ReadFile(keep); err != nil || !bytes.Equal(again, whole) {
			t.Errorf("killed after %d bytes, other reports are kept: %v", size, err)
		}
	}
	if en := folderOf(t, in, "--keep", keep, "--lang", "en"); !strings.Contains(en["1.html"], "Solution") {
		t.Error("not in English")
	}
	if again, _ := os.ReadFile(keep); !bytes.Equal(again, whole) {
		t.Error("another language is searched again")
	}
	// A report that is damaged is made again.
	damaged := bytes.Replace(whole, []byte(`"sound":"yes"`), []byte(`"sound":"no" `), 1)
	if err := os.WriteFile(keep, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := folderOf(t, in, "--jobs", "1", "--keep", keep); !maps.Equal(got, want) {
		t.Error("of a damaged report there is a page")
	}
	folderOf(t, in, "--jobs", "1", "--keep", keep, "--nodes", "50000")
	if again, _ := os.ReadFile(keep); bytes.Count(again, []byte(`{"key":`)) != 9 { // one was damaged
		t.Errorf("with other limits %d reports are kept", bytes.Count(again, []byte(`{"key":`)))
	}

	for _, c := range []struct{ args, stderr string }{
		{"--search report --keep " + in, "this is no file of kept reports"},
		{"--search none --keep x", "--keep does not go with --search none"},
		{"--key x", "--key goes with --server only"},
	} {
		code, _, stderr := tsumero(t.Context(), "", append([]string{"collection", in}, strings.Fields(c.args)...)...)
		if code == command.ExitOK || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%s: code %d, %s", c.args, code, stderr)
		}
	}
	if text, _ := os.ReadFile(in); string(text) != keptList {
		t.Error("a file of somebody else was changed")
	}
}

// An interrupt leaves what is finished in the file.
func TestCollectionKeepInterrupted(t *testing.T) {
	keep := filepath.Join(t.TempDir(), "keep")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	in, feed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer feed.Close()
	if _, err := feed.WriteString("9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1\nnonsense\n"); err != nil {
		t.Fatal(err)
	}
	// The row of the problem comes while the input is still open: then comes the interrupt.
	out := &signalling{cancel: cancel}
	code := run(ctx, []string{"collection", "--keep", keep, "-"}, in, out, io.Discard)
	text, err := os.ReadFile(keep)
	if code != command.ExitInterrupted || err != nil || bytes.Count(text, []byte(`{"key":`)) != 1 {
		t.Errorf("code %d, %v: %s", code, err, text)
	}
}

// An analysisService does jobs of analyses as a service does, each line when its answer is asked for.
type analysisService struct {
	*httptest.Server
	lines     []string // of the job
	limits    string   // in its query
	submitted atomic.Int32
	breaks    atomic.Int32 // after so many answers the job is not to be had any more; 0: never
}

func newAnalysisService(t *testing.T) *analysisService {
	s := &analysisService{}
	z := analysis.NewAnalyzer(dfpn.NewSession())
	reader := wire.NewReader(wire.Bounds{Plies: 99, Nodes: wire.MaxJobNodes, Time: time.Hour, DefaultTime: time.Hour,
		Analysis: wire.AnalysisBounds{Nodes: wire.MaxJobNodes, Time: time.Hour, DefaultTime: time.Hour}})
	id := jobs.NewID()
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			s.submitted.Add(1)
			body, _ := io.ReadAll(r.Body)
			s.lines = strings.Split(strings.TrimSpace(string(body)), "\n")
			if r.URL.Query().Get("ask") != "analyze" {
				t.Errorf("the job asks %s", r.URL.RawQuery)
			}
			s.limits = strings.ReplaceAll(r.URL.RawQuery, "ask=analyze&", "")
			w.WriteHeader(http.StatusAccepted)
		case strings.HasSuffix(r.URL.Path, "/results"):
			var defaults wire.AnalyzeRecordRequest
			if problem := reader.AnalyzeLinesQuery(s.limits, &defaults); problem != nil {
				t.Errorf("%s: %v", s.limits, problem)
			}
			for i, line := range s.lines {
				if n := s.breaks.Load(); n > 0 && i == int(n) {
					panic(http.ErrAbortHandler)
				}
				var q wire.AnalysisQuestion
				if _, problem := reader.AnalyzeLineOver(&defaults, []byte(line), &q); problem != nil {
					t.Errorf("%s: %v", line, problem)
					return
				}
				a, err := z.Analyze(r.Context(), q.Question, nil, nil)
				if err != nil {
					t.Error(err)
					return
				}
				e := wire.Envelope{Line: i + 1, Answer: wire.FieldsOf(wire.NewAnalyzeAnswer(a))}
				_, _ = w.Write(e.AppendLine(nil))
				if f, ok := w.(http.Flusher); ok {
					f.Flush()
				}
			}
			return
		case !strings.HasPrefix(r.URL.Path, "/v1/jobs/"+string(id)):
			w.Header().Set("Content-Type", wire.ProblemType)
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"type":"/problems/job_not_found","status":404}`)
			return
		}
		_ = json.NewEncoder(w).Encode(wire.Job{ID: string(id), Kind: "collection", Ask: "analyze", State: "done",
			Lines: len(s.lines), Done: len(s.lines)})
	}))
	t.Cleanup(s.Close)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	return s
}

// By a job over the workers of a service the folder has the same bytes. A command that was stopped
// goes on with its job, and asks for no report twice.
func TestCollectionByJob(t *testing.T) {
	in, keep := keptFile(t), filepath.Join(t.TempDir(), "keep")
	want := folderOf(t, in)
	s := newAnalysisService(t)
	if got := folderOf(t, in, "--server", s.URL); !maps.Equal(got, want) {
		t.Error("by a job the folder is another one")
	}
	if len(s.lines) != 4 || s.submitted.Load() != 1 {
		t.Errorf("%d jobs, the last of %d lines", s.submitted.Load(), len(s.lines))
	}

	s.breaks.Store(2)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { // the first two answers are there: then comes the interrupt
		defer cancel()
		for ctx.Err() == nil {
			if text, _ := os.ReadFile(keep); bytes.Count(text, []byte(`{"key":`)) == 2 {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	code, _, stderr := tsumero(ctx, "", "collection", "--search", "report", "--nodes", "60000", "--question-nodes", "3000",
		"-o", "folder", "--to", filepath.Join(t.TempDir(), "site"), "--keep", keep, "--server", s.URL, in)
	if code != command.ExitInterrupted || !strings.Contains(stderr, "the same command goes on with it") {
		t.Fatalf("code %d: %s", code, stderr)
	}
	s.breaks.Store(0)
	if got := folderOf(t, in, "--keep", keep, "--server", s.URL); !maps.Equal(got, want) {
		t.Error("gone on with, the folder is another one")
	}
	if s.submitted.Load() != 2 {
		t.Errorf("%d jobs, but the second was to be gone on with", s.submitted.Load())
	}
	if got := folderOf(t, in, "--keep", keep, "--server", s.URL); !maps.Equal(got, want) || s.submitted.Load() != 2 {
		t.Errorf("nothing is left to ask, and there are %d jobs", s.submitted.Load())
	}
}
