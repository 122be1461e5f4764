package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// doorNodes is the limit of each question, which leaves about one in seven undecided.
const doorNodes = 6000

// A doorQuestion is a question, and the answer of GET /v1/solve.
type doorQuestion struct {
	text     string // an SFEN, maybe with moves
	position shogi.Position
	shortest bool
	want     string
}

// doorQuestions returns so many questions of all kinds: mates of up to nineteen plies, no mate, and
// what takes more nodes; with either side to move, some of them after a move.
func doorQuestions(t *testing.T, n int) []*doorQuestion {
	t.Helper()
	known, random := solvertest.Positions(t), solvertest.NewRandom(1, 1)
	questions := make([]*doorQuestion, n)
	for i := range questions {
		q := &doorQuestion{shortest: i%3 == 0}
		questions[i] = q
		switch i % 8 {
		case 0:
			q.position = random.Crowded()
		case 1, 2, 3:
			q.position = random.Next()
		default:
			q.position = known[i*len(known)/n].Position
		}
		q.text = q.position.SFEN()
		var buf shogi.MoveBuffer
		if moves := q.position.LegalMoves(&buf, shogi.AllMoves); i%5 == 0 && len(moves) > 0 {
			after := q.position
			after.Do(moves[0])
			if _, err := solver.Attacker(&after); err == nil {
				q.text, q.position = q.text+" moves "+moves[0].String(), after
			}
		}
	}
	return questions
}

func (q *doorQuestion) get() string {
	return fmt.Sprintf("/v1/solve?sfen=%s&nodes=%d&shortest=%v&time_ms=60000", url.QueryEscape(q.text), doorNodes, q.shortest)
}

func (q *doorQuestion) json() string {
	return fmt.Sprintf(`{"sfen":%q,"limits":{"nodes":%d,"shortest":%v,"time_ms":60000}}`+"\n", q.text, doorNodes, q.shortest)
}

// batchOf returns the questions, one a line.
func batchOf(questions []*doorQuestion) string {
	var b strings.Builder
	for _, q := range questions {
		b.WriteString(q.json())
	}
	return b.String()
}

// What an answer has beyond that of GET: the number of the line or of the next move, and the time.
var (
	beyondGet  = regexp.MustCompile(`"line":\d+,|,"elapsed_us":\d+`)
	moveNumber = regexp.MustCompile(`("sfen":"[^"]* )\d+"`)
)

// compare wants the bytes of the answers of GET, one a line.
func compare(t *testing.T, door string, questions []*doorQuestion, answers string) {
	t.Helper()
	lines := strings.SplitAfter(strings.TrimSuffix(answers, "\n"), "\n")
	if len(lines) != len(questions) {
		t.Errorf("%s: %d answers to %d questions", door, len(lines), len(questions))
		return
	}
	for i, q := range questions {
		got := moveNumber.ReplaceAllString(beyondGet.ReplaceAllString(lines[i], ""), `${1}1"`)
		if got, want := strings.TrimSpace(got), strings.TrimSpace(q.want); got != want {
			t.Errorf("%s, %s\n%s\nGET:\n%s", door, q.json(), got, want)
		}
	}
}

// TestDoorsAgree asks the same by every way there is: by GET and POST, in a batch, as a line of a
// job and from the command line, with an empty cache, a full one and none, in different memory, and
// beside searches that keep the processors busy. All answers have the same bytes. What is proven is
// the same with several threads, too, and a USI engine says the same.
func TestDoorsAgree(t *testing.T) {
	t.Parallel()
	n := 150
	if testing.Short() {
		n = 60
	}
	questions := doorQuestions(t, n)
	s := startService(t, "--jobs", filepath.Join(t.TempDir(), "jobs"), "--rate", "0", "--memory", "64MiB", "--max-time", "1m")
	batch := func(some []*doorQuestion) string {
		return s.send(t, "POST", "/v1/solve/batch", batchOf(some), "Content-Type", ndjsonType).body
	}
	job := func(key string, some []*doorQuestion) string {
		id, ok := s.submitJob(t, ndjsonType, "", batchOf(some), key)
		if !ok {
			t.Fatal("a job was not accepted")
		}
		// Jobs have a low priority: whatever else runs comes first.
		waitAtMost(t, 5*time.Minute, "the job to be done", func() bool {
			return decode[jobAnswer](t, s.send(t, "GET", "/v1/jobs/"+id, "").body).State == "done"
		})
		return s.send(t, "GET", "/v1/jobs/"+id+"/results?limit=1000", "").body
	}

	// Each of these is the first to ask a part of the questions.
	byBatch, byJob := questions[:n/3], questions[n/3:n*2/3]
	firstBatch, firstJob := batch(byBatch), job("first", byJob)
	verdicts := map[string]int{}
	for _, q := range questions {
		q.want = s.send(t, "GET", q.get(), "").body
		verdicts[decode[answer](t, q.want).Verdict]++
	}
	t.Log(verdicts)
	for _, verdict := range []string{"mate", "nomate", "unknown"} {
		if verdicts[verdict] < n/20 {
			t.Errorf("%d of %d questions are answered with %s", verdicts[verdict], n, verdict)
		}
	}
	compare(t, "batch", byBatch, firstBatch)
	compare(t, "job", byJob, firstJob)
	compare(t, "batch of what is known", questions, batch(questions))
	compare(t, "job of what is known", questions, job("known", questions))
	for _, q := range questions {
		compare(t, "GET again", []*doorQuestion{q}, s.send(t, "GET", q.get(), "").body)
	}
	compareUnderLoad(t, questions)
	compareCommandLine(t, questions)
	compareUSI(t, questions)
}

// compareUnderLoad asks a service without a cache whose places are all busy.
func compareUnderLoad(t *testing.T, questions []*doorQuestion) {
	s := startService(t, "--cache", "0", "--rate", "0", "--memory", "256MiB", "--max-time", "1m",
		"--short", "wait=1m") // on a machine that others use nobody is refused
	var asked, over atomic.Int64
	var all sync.WaitGroup
	for i := range 3 {
		all.Go(func() {
			for n := 0; over.Load() < 3; n++ {
				s.send(t, "POST", "/v1/solve", fmt.Sprintf(`{"sfen":%q,"limits":{"nodes":%d}}`, endless, 100_000+3*n+i), "Content-Type", jsonType)
			}
		})
		all.Go(func() {
			defer over.Add(1)
			for n := int(asked.Add(1)); n <= len(questions); n = int(asked.Add(1)) {
				q := questions[n-1]
				compare(t, "POST under load", []*doorQuestion{q}, s.send(t, "POST", "/v1/solve", q.json(), "Content-Type", jsonType).body)
			}
		})
	}
	all.Wait()
}

// TestDoorsInTurns: a line of a job whose long search takes turns with an endless one has the bytes of
// GET.
func TestDoorsInTurns(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds of processor time")
	}
	t.Parallel()
	s := startService(t, "--jobs", filepath.Join(t.TempDir(), "jobs"), "--rate", "0", "--memory", "512MiB",
		"--max-time", "10m")
	question := fmt.Sprintf(`{"sfen":%q,"limits":{"nodes":100000,"time_ms":600000}}`+"\n", endless)
	want := s.send(t, "POST", "/v1/solve", question, "Content-Type", jsonType).body
	if a := decode[answer](t, want); a.Reason != "limit_nodes" {
		t.Fatal(want)
	}
	job := func(key, text string) string {
		id, ok := s.submitJob(t, ndjsonType, "", text, key)
		if !ok {
			t.Fatal("a job was not accepted")
		}
		return id
	}
	other := job("endless", fmt.Sprintf(`{"sfen":%q,"limits":{"time_ms":600000}}`+"\n", endless))
	id := job("asked", question)
	// Long searches have a low priority: whatever else runs comes first.
	waitAtMost(t, 5*time.Minute, "the job to be done", func() bool {
		return decode[jobAnswer](t, s.send(t, "GET", "/v1/jobs/"+id, "").body).State == "done"
	})
	if got := decode[jobAnswer](t, s.send(t, "GET", "/v1/jobs/"+other, "").body); got.State != "running" {
		t.Errorf("the endless job is %s", got.State)
	}
	got := s.send(t, "GET", "/v1/jobs/"+id+"/results", "").body
	if got = beyondGet.ReplaceAllString(got, ""); strings.TrimSpace(got) != strings.TrimSpace(beyondGet.ReplaceAllString(want, "")) {
		t.Errorf("%s\nGET:\n%s", got, want)
	}
	s.send(t, "DELETE", "/v1/jobs/"+other, "") // which the service would wait for when it ends
}

// final reports whether the moves of a mate are those of every search: none is shorter, and no limit
// ended the search for the line that is shown.
func final(a answer) bool { return a.Exact && a.Reason == "" }

// compareCommandLine also asks with two threads, in little memory, where only what is proven must be
// the same.
func compareCommandLine(t *testing.T, questions []*doorQuestion) {
	kinds := map[bool][]*doorQuestion{}
	for _, q := range questions {
		kinds[q.shortest] = append(kinds[q.shortest], q)
	}
	for shortest, some := range kinds {
		var file strings.Builder
		for _, q := range some {
			fmt.Fprintln(&file, q.text)
		}
		args := []string{"solve", "-o", "json", "--nodes", fmt.Sprint(doorNodes), fmt.Sprintf("--shortest=%v", shortest)}
		compare(t, "solve", some, run(t, file.String(), "tsumero", args...).stdout)

		lines := strings.Split(run(t, file.String(), "tsumero", append(args, "--threads", "2", "--memory", "16MiB")...).stdout, "\n")
		for i, q := range some {
			got, want := decode[answer](t, lines[i]), decode[answer](t, q.want)
			if got.Verdict != want.Verdict && got.Verdict != "unknown" && want.Verdict != "unknown" ||
				final(got) && final(want) && !slices.Equal(got.Moves, want.Moves) {
				t.Errorf("solve with two threads, %s\n%s\nGET:\n%s", q.json(), lines[i], q.want)
			}
		}
	}
}

// compareUSI asks an engine. Of the shortest mates it gives any.
func compareUSI(t *testing.T, questions []*doorQuestion) {
	cmd := program(t, "tsumero-usi")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	met := map[string]int{}
	lines := bufio.NewScanner(stdout)
	for _, q := range questions {
		fmt.Fprintf(stdin, "setoption name Shortest value %v\nposition sfen %s\ngo nodes %d mate infinite\n", q.shortest, q.text, doorNodes)
		got := ""
		for ok := false; !ok && lines.Scan(); {
			got, ok = strings.CutPrefix(lines.Text(), "checkmate ")
		}
		a := decode[answer](t, q.want)
		kind := a.Verdict
		good := false
		switch {
		case a.Verdict == "nomate":
			good = got == "nomate"
		case a.Verdict == "unknown":
			good = got == "timeout"
		case len(a.Moves) == 0: // there is no move to give
			kind, good = "mated", got == "timeout"
		case !a.Exact:
			kind, good = "a mate", got == strings.Join(a.Moves, " ")
		default:
			good = len(strings.Fields(got)) == a.Plies && mates(q.position, got)
		}
		if met[kind]++; !good {
			t.Errorf("USI, %s\n%q\nGET:\n%s", q.json(), got, q.want)
		}
	}
	for _, kind := range []string{"mate", "a mate", "mated", "nomate", "unknown"} {
		if met[kind] == 0 {
			t.Errorf("%v: no %s", met, kind)
		}
	}
	if _, err := io.WriteString(stdin, "quit\n"); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// mates reports whether the moves are legal, each of the attacker's checks, and the last one mates.
func mates(p shogi.Position, text string) bool {
	var line []shogi.Move
	for _, word := range strings.Fields(text) {
		m, err := shogi.ParseMove(word)
		if err != nil {
			return false
		}
		line = append(line, m)
	}
	return solver.VerifyLine(p, line) == nil
}
