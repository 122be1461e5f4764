package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
)

// corner is the problem that most texts of the reader are about.
const corner = "8k/9/9/6B2/6P2/9/9/7+r1/9 b RSb4g3s4n4l17p 1"

// readingTexts are the texts of the reader, with what is in them: a position, where White holds the
// rest; the author's moves; and the plies that are told. Without a position there is a fault.
var readingTexts = map[string]struct {
	sfen, moves string
	told        int
	isUnread    bool // there are moves that cannot be read
}{
	"01-one-move.txt":               {},
	"01-solution-without-board.ki2": {},
	"02-kangxi.kif":                 {sfen: corner, moves: "R*1b 1a2a S*3b", told: 3},
	"05-commas-made.txt":            {sfen: corner, moves: "R*1b 1a2a S*3b", told: 3},
	"05-commas.txt":                 {sfen: corner, moves: "R*1b 1a2a S*3b", told: 3},
	"06-circled.txt":                {sfen: corner, moves: "R*1b 1a2a S*3b"},
	"06-headed-solution.txt":        {sfen: corner, moves: "R*1b 1a2a S*3b", told: 3},
	"08-english-list-solution.txt":  {sfen: "8l/7b1/8k/6+B2/7Pg/9/9/9/9 b R 1", moves: "R*1b 1a1b 3d2d"},
	"08-english-list.txt":           {sfen: corner},
	"09-python-shogi.txt":           {sfen: corner},
	"09-shogi-l-board.txt":          {sfen: corner},
	"10-side-upper.txt":             {sfen: "7l1/6k2/7p1/6p2/6N2/7+pP/9/9/9 b RGS 1"},
	"11-pocket.txt":                 {sfen: corner},
	"12-json-moves.jsonl":           {sfen: corner, moves: "R*1b 1a2a S*3b"},
	"12-json-name-first.json":       {sfen: "4k4/9/4G4/9/9/9/9/9/9 b G 1"},
	"13-csv.txt":                    {sfen: corner},
	"14-among-text.txt":             {sfen: corner},
	"14-fence.md":                   {sfen: corner},
	"14-quotes.txt":                 {sfen: corner},
	"15-81dojo.csa":                 {sfen: shogi.StartSFEN, moves: "7g7f 8c8d"},
	"18-illegal-last-move.kif":      {sfen: corner, moves: "R*1b", isUnread: true},
	"22-open-checks-m005.txt": {sfen: "+r2Bk1ln1/5l3/2p+b2pnp/3L1pP1s/3s1N3/R4N3/9/9/9 b 2S2P4gl11p 1",
		moves: "S*5b 6c5b 6a5b+ 5a5b S*4a 9a4a B*7d 7c7d 9f9b 5b4c 9b9c 4c3b 3d3c+ 2a3c 9c3c 3b2a P*2b 2a1a " +
			"P*1b 1a1b N*2d 1b1a P*1b 1a2b 4f3d 2b2a 3c3a+ 2a3a L*3b 4a3b 2d3b+ 3a3b R*3c 3b4a 3d4b+ 4a4b " +
			"L*4c 4b5b 3c3b+ 5b5a 6d6b+"},
	"23-misprint.ki2": {sfen: "5+P1k1/9/6B2/4+r4/9/9/9/9/9 b RPb4g4s4n4l16p 1", moves: "R*2b 2a1a 2b3b", told: 7,
		isUnread: true},
	"30-list-with-plies.txt": {sfen: corner, told: 3},
}

// A readText is what a door answers to a text, of a report or of POST /v1/read.
type readText struct {
	Type   string // of a fault
	SFEN   string
	Author struct{ Moves []string }
	Told   int
	// Of POST /v1/read: what the problem begins with, and the moves.
	Records []struct {
		SFEN, First string
		Moves       []string
	}
}

func (r *readText) String() string {
	switch {
	case r.Type != "":
		return "a fault"
	case len(r.Records) == 1:
		return fmt.Sprint(r.Records[0].First, " ", r.Records[0].Moves)
	}
	return fmt.Sprint(r.SFEN, " ", r.Author.Moves, " ", r.Told)
}

// TestReadingByAllDoors: a text is the same to whoever reads it: the command as a file, from standard
// input and as an argument, the service as a record or as what the page sends, and a job.
func TestReadingByAllDoors(t *testing.T) {
	t.Parallel()
	const query = "?hands=complete&nodes=100"
	s := startService(t, "--jobs", filepath.Join(t.TempDir(), "jobs"), "--rate", "0", "--analyses", "1")
	folder, err := filepath.Abs("../../shogi/notation/testdata/reading")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(folder + "/*")
	if err != nil || len(files) != len(readingTexts) {
		t.Fatalf("%d texts, %d are known; %v", len(files), len(readingTexts), err)
	}
	analyze := []string{"analyze", "-o", "json", "--hands", "complete", "--nodes", "100"}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, text := filepath.Base(file), string(data)
		want, first := "a fault", "a fault" // first: without the plies that are told
		if c := readingTexts[name]; c.sfen != "" {
			p := shogi.MustParseSFEN(c.sfen)
			p.GiveMissing(shogi.White)
			first = fmt.Sprint(p.SFEN(), " ", strings.Fields(c.moves))
			want = fmt.Sprint(first, " ", c.told)
		}
		check := func(door, want string, got readText) {
			t.Helper()
			if got.String() != want {
				t.Errorf("%s, %s: %v, want %s", name, door, &got, want)
			}
		}
		check("file", want, decode[readText](t, run(t, "", "tsumero", append(analyze, file)...).stdout))
		check("standard input", want, decode[readText](t, run(t, text, "tsumero", analyze...).stdout))
		check("POST /v1/analyze", want, decode[readText](t, s.send(t, "POST", "/v1/analyze"+query, text, "Content-Type", "text/plain").body))
		read := decode[readText](t, s.send(t, "POST", "/v1/read?hands=complete", text, "Content-Type", "text/plain").body)
		check("POST /v1/read", first, read)
		body, err := json.Marshal(map[string]string{"text": text, "hands": "complete"})
		if err != nil {
			t.Fatal(err)
		}
		check("the page", first, decode[readText](t, s.send(t, "POST", "/v1/read", string(body), "Content-Type", jsonType).body))
		check("job", map[bool]string{true: "a fault", false: want}[readingTexts[name].isUnread],
			s.readByJob(t, query+"&ask=analyze", text))
		if one := strings.TrimSpace(text); !strings.Contains(one, "\n") {
			got := decode[readText](t, run(t, "", "tsumero", "solve", "-o", "json", "--hands", "complete", "--nodes", "100", one).stdout)
			if want == "a fault" && got.Type == "" || want != "a fault" && got.SFEN != read.Records[0].SFEN {
				t.Errorf("%s, argument: %v, want %s", name, &got, want)
			}
		}
	}
}

// readByJob has a job analyse a record.
func (s *service) readByJob(t *testing.T, query, text string) readText {
	t.Helper()
	reply := s.send(t, "POST", "/v1/jobs"+query, text, "Content-Type", "text/plain")
	job := decode[jobAnswer](t, reply.body)
	if job.ID == "" {
		return decode[readText](t, reply.body)
	}
	waitAtMost(t, time.Minute, "the job to be done", func() bool {
		return decode[jobAnswer](t, s.send(t, "GET", "/v1/jobs/"+job.ID, "").body).State == "done"
	})
	return decode[readText](t, s.send(t, "GET", "/v1/jobs/"+job.ID+"/results", "").body)
}
