package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/collection"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// A mate in three, what follows its first two moves, its mirror image with the colours exchanged,
// and one with another hand.
const (
	threePlies    = "8k/7P1/7sp/9/9/9/9/9/9 b 2G2r2b2g3s4n4l16p 1"
	onePly        = "7G1/7Pk/7sp/9/9/9/9/9/9 b G2r2b2g3s4n4l16p 3"
	mirrorTurned  = "9/9/9/9/9/9/7SP/7p1/8K w 2R2B2G3S4N4L16P2g 1"
	otherHand     = "8k/7P1/7sp/9/9/9/9/9/9 b G2r2b3g3s4n4l16p 1"
	drawnOut      = "k8/pp+P6/9/9/9/9/9/9/4R4 b r2b4g4s4n4l15p 1" // 7 plies, or 1
	withoutMate   = "9/4k4/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1"
	defenderMoves = "4k4/4G4/4P4/9/9/9/9/9/9 w 2r2b3g4s4n4l17p 2"
)

func collectionOptions(search CollectionSearch, output string) CollectionOptions {
	var relations []collection.Relation
	for r := collection.Duplicate; r < collection.NumRelations; r++ {
		relations = append(relations, r)
	}
	return CollectionOptions{Session: func() solver.Session { return dfpn.NewSession() },
		Workers: 2, Search: search, Output: output, Question: analysis.Question{Policy: length.F2}, Relations: relations}
}

// folder writes files and returns their folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// kif returns a record of a problem.
func kif(t *testing.T, sfen string, moves ...string) string {
	t.Helper()
	p := shogi.MustParseSFEN(sfen)
	var line []shogi.Move
	for _, text := range moves {
		m, err := shogi.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		line = append(line, m)
	}
	return string(notation.NewRecord(p, line, notation.Mated).AppendKIF(nil))
}

// output runs Collection and returns what it prints.
func output(t *testing.T, o CollectionOptions, sources ...string) (string, CollectionTally) {
	t.Helper()
	var out bytes.Buffer
	questions := ReadSources(Sources(sources, nil), nil, FileFormat{})
	tally, err := Collection(context.Background(), o, questions, &out, new(Progress))
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), tally
}

// list runs Collection and returns the rows of its JSON.
func list(t *testing.T, o CollectionOptions, sources ...string) (rows []collectionRow,
	tally CollectionTally) {
	t.Helper()
	text, tally := output(t, o, sources...)
	for line := range strings.Lines(text) {
		var row collectionRow
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		rows = append(rows, row)
	}
	return rows, tally
}

// Files of every kind, in folders, in order, with faults in their places.
func TestCollectionReads(t *testing.T) {
	dir := folder(t, map[string]string{
		"a.tsv": "sfen\tplies\n" + threePlies + "\t3\n4k4/9/9 b - 1\t1\n\n# no problem\n" +
			threePlies + "\n",
		"b/one.kif":    kif(t, threePlies, "G*2a", "1a1b", "G*1a"),
		"b/two.KIF":    kif(t, onePly, "G*1a"),
		"c.csa":        "V2.2\nnonsense\n",
		"d.sfen":       defenderMoves + "\nposition sfen " + threePlies + " moves G*2a 1a1b\n",
		"e.exe":        "no problems\n",
		"problems.txt": otherHand + "\n",
	})
	missing := filepath.Join(dir, "missing.sfen")
	rows, tally := list(t, collectionOptions(SearchNothing, "json"), dir, missing)
	type row struct{ file, where, problem, relations, fault string }
	var got []row
	for _, r := range rows {
		rel, err := filepath.Rel(dir, r.File)
		if err != nil {
			t.Fatal(err)
		}
		problem, _, _ := strings.Cut(r.SFEN, " ")
		if r.Error != "" {
			problem = ""
		}
		var relations []string
		for _, to := range r.Relations {
			relation, err := collection.ParseRelation(to.Relation)
			if err != nil {
				t.Fatal(err)
			}
			relations = append(relations, string(appendRelation(nil, collection.Match{ID: to.To,
				Relation: relation, Detail: max(to.Ply, to.Pieces, to.Steps), Mirrored: to.Mirrored})))
		}
		fault, _, _ := strings.Cut(r.Error, "\n")
		got = append(got,
			row{filepath.ToSlash(rel), r.Where, problem, strings.Join(relations, " "), fault})
	}
	figure, _, _ := strings.Cut(threePlies, " ")
	ending, _, _ := strings.Cut(onePly, " ")
	want := []row{
		{"a.tsv", "line 2", figure, "", ""},
		{"a.tsv", "line 3", "", "", "bad position"},
		{"a.tsv", "line 6", figure, "duplicate:1", ""},
		{"b/one.kif", "", figure, "duplicate:1 duplicate:3", ""},
		{"b/two.KIF", "", ending, "contained:4@3 same_end:4", ""},
		{"c.csa", "", "", "", "bad CSA"},
		{"d.sfen", "line 1", "", "", "the defender is to move"},
		{"d.sfen", "line 2", ending, "contained:4@3 duplicate:5", ""},
		{"problems.txt", "line 1", figure, "other_hand:1 other_hand:3 other_hand:4", ""},
		{"missing.sfen", "", "", "", "no such file"},
	}
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got) || i >= len(want):
			t.Fatalf("%d rows, want %d: %v", len(got), len(want), got)
		case got[i].fault != "" && want[i].fault != "":
			if !strings.Contains(got[i].fault, want[i].fault) {
				t.Errorf("row %d: fault %q, want %q in it", i+1, got[i].fault, want[i].fault)
			}
			got[i].fault = want[i].fault
		}
		if got[i] != want[i] {
			t.Errorf("row %d: %+v, want %+v", i+1, got[i], want[i])
		}
	}
	if tally.Answered != 6 || tally.Faulty != 4 || tally.Alike != 3 {
		t.Errorf("tally %+v", tally)
	}
}

// What a search finds is in the rows, and the relations that need it are found.
func TestCollectionSearches(t *testing.T) {
	all := []string{threePlies, onePly, mirrorTurned, drawnOut, withoutMate}
	dir := folder(t, map[string]string{"a.sfen": strings.Join(all, "\n")})
	rows, tally := list(t, collectionOptions(SearchReport, "json"), dir)
	if len(rows) != 5 || tally.Answered != 5 {
		t.Fatalf("rows %+v", rows)
	}
	for i, want := range []struct {
		verdict  string
		raw, len int
		sound    string
	}{{"mate", 3, 3, "yes"}, {"mate", 1, 1, "yes"}, {"mate", 3, 3, "yes"}, {"mate", 7, 1, "yes"},
		{"nomate", 0, 0, ""}} {
		r := rows[i]
		if r.Verdict != want.verdict || r.Sound != want.sound {
			t.Errorf("row %d: %s, sound %s, want %+v", i+1, r.Verdict, r.Sound, want)
		}
		if want.raw > 0 && (*r.Lengths.F0.High != want.raw || *r.Lengths.F2.High != want.len ||
			len(r.Moves) != want.len || len(r.MovesJa) != want.len || r.Class != "short" || r.Features["plies"] != want.len || *r.Cooks != 0) {
			t.Errorf("row %d: %+v, want %+v", i+1, r, want)
		}
	}
	if rows[0].Key != rows[2].Key || rows[0].ID != rows[2].ID || rows[0].Key == rows[1].Key {
		t.Errorf("keys %s, %s and %s", rows[0].Key, rows[1].Key, rows[2].Key)
	}
	relation := func(i int, name string) bool {
		return slices.ContainsFunc(rows[i].Relations, func(r collectionRelation) bool {
			return r.Relation == name && r.To == 1
		})
	}
	if !relation(1, "contained") || !relation(2, "mirror_twin") {
		t.Errorf("relations %+v and %+v", rows[1].Relations, rows[2].Relations)
	}
}

// Each row of the TSV has every column.
func TestCollectionTSV(t *testing.T) {
	dir := folder(t, map[string]string{"a.sfen": threePlies + "\nnonsense\n" + threePlies})
	text, _ := output(t, collectionOptions(SearchLine, "tsv"), dir)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines:\n%s", len(lines), text)
	}
	for i, line := range lines {
		if n := len(strings.Split(line, "\t")); n != len(collectionColumns) {
			t.Errorf("line %d has %d columns, want %d: %s", i+1, n, len(collectionColumns), line)
		}
	}
	if third := strings.Split(lines[3], "\t"); third[0] != "3" || third[7] != "3" || third[8] != "3" ||
		third[9] != "G*2a 1a1b G*1a" || third[15] != "duplicate:1" {
		t.Errorf("third problem: %q", third)
	}
	if second := strings.Split(lines[2], "\t"); second[6] != "error" || second[16] == "" {
		t.Errorf("second problem: %q", second)
	}
}

// Relations to many problems in a row are written as those to few are, with the faults left out.
func TestCollectionRuns(t *testing.T) {
	const lines = 3000
	var input, want strings.Builder
	for i := 1; i <= lines; i++ {
		p := [...]string{threePlies, threePlies, otherHand}[i*i/700%3]
		if i%500 == 0 {
			p = "nonsense"
		}
		input.WriteString(p + "\n")
	}
	given := strings.Split(input.String(), "\n")
	for i, p := range given[:lines] {
		var texts []string
		for j := 0; j < i && p != "nonsense"; j++ {
			switch given[j] {
			case p:
				texts = append(texts, fmt.Sprintf("duplicate:%d", j+1))
			case threePlies, otherHand:
				texts = append(texts, fmt.Sprintf("other_hand:%d", j+1))
			}
		}
		want.WriteString(strings.Join(texts, " ") + "\n")
	}
	dir := folder(t, map[string]string{"a.sfen": input.String()})
	text, tally := output(t, collectionOptions(SearchNothing, "tsv"), dir)
	var got strings.Builder
	for line := range strings.Lines(text) {
		if fields := strings.Split(line, "\t"); fields[0] != "number" {
			got.WriteString(fields[slices.Index(collectionColumns, "relations")] + "\n")
		}
	}
	if got.String() != want.String() {
		t.Error("the relations are not those of each two lines")
	}
	if n := tally.Relations; n[collection.Duplicate] != strings.Count(want.String(), "duplicate") ||
		n[collection.OtherHand] != strings.Count(want.String(), "other_hand") || tally.Faulty != 6 {
		t.Errorf("tally %+v", tally)
	}
}

// BenchmarkCollection lists collections without a search: of one problem again and again, of one
// figure with ever other hands, which has as many relations, of two problems in turn, and of random
// problems.
func BenchmarkCollection(b *testing.B) {
	kinds := map[string]func(i int) string{
		"equal": func(int) string { return threePlies },
		"hands": func(i int) string {
			figure := shogi.MustParseSFEN("8k/7P1/7sp/9/9/9/9/9/9 b - 1")
			s := figure.Setup()
			for kind, n := range map[shogi.PieceType]int{shogi.Pawn: i % 17, shogi.Lance: i / 17 % 5,
				shogi.Knight: i / 85 % 5, shogi.Silver: i / 425 % 4, shogi.Gold: i / 1700 % 5,
				shogi.Rook: i / 8500 % 3} {
				s.Hands[shogi.Black] = s.Hands[shogi.Black].Add(kind, n)
			}
			p, err := s.Position()
			if err != nil {
				b.Fatal(err)
			}
			return p.SFEN()
		},
		"turns": func(i int) string { return [...]string{threePlies, drawnOut}[i%2] },
	}
	r := solvertest.NewRandom(8, 0)
	var random []string
	kinds["random"] = func(i int) string {
		for len(random) <= i {
			p := r.Next()
			if attacker, err := solver.Attacker(&p); err == nil && attacker == p.SideToMove() {
				random = append(random, p.SFEN())
			}
		}
		return random[i]
	}
	for _, kind := range []string{"equal", "hands", "turns", "random"} {
		for _, lines := range []int{1000, 4000, 20_000} {
			b.Run(fmt.Sprintf("%s/%d", kind, lines), func(b *testing.B) {
				list := make([]Question, lines)
				for i := range list {
					list[i].text = kinds[kind](i)
				}
				questions := func(yield func(Question, error) bool) {
					for _, q := range list {
						if !yield(q, nil) {
							return
						}
					}
				}
				o := collectionOptions(SearchNothing, "tsv")
				b.ResetTimer()
				for range b.N {
					tally, err := Collection(b.Context(), o, questions, io.Discard, new(Progress))
					if err != nil || tally.Answered != lines {
						b.Fatal(tally, err)
					}
				}
			})
		}
	}
}

// A heldPage keeps what a page gets, and writes the keys.
type heldPage struct{ problems []*Listed }

func (h *heldPage) Add(p *Listed) { h.problems = append(h.problems, p) }

func (h *heldPage) Write(out io.Writer, _ bool) error {
	for _, p := range h.problems {
		if p.Fault == nil {
			fmt.Fprintln(out, collection.ShortKey(collection.Key(&p.Problem.Position, p.Problem.Attacker)))
		}
	}
	return nil
}

// A page gets what files say of their problems, and problems that White attacks turned, with their
// lines, but not mirrored.
func TestCollectionPage(t *testing.T) {
	p := shogi.MustParseSFEN(threePlies)
	turned := p.Rotated()
	record := kif(t, turned.SFEN(), "G*8i", "9i9h", "G*9i")
	dir := folder(t, map[string]string{
		"a.tsv": "sfen\tplies\ttitle\tauthor\n" + mirrorTurned + "\t7\t 題 <1>\tX\n" + threePlies + "\nnonsense\n",
		"b.kif": "作品名：雪\n作者：某\n手数：5\n" + record,
	})
	for _, search := range []CollectionSearch{SearchNothing, SearchLine} {
		page := new(heldPage)
		o := collectionOptions(search, "html")
		o.Page = page
		output(t, o, dir)
		if len(page.problems) != 4 || page.problems[2].Fault == nil {
			t.Fatalf("problems %+v", page.problems)
		}
		for i, want := range []Listed{{Title: "題 <1>", Author: "X", Plies: 7}, {}, {}, {Title: "雪", Author: "某", Plies: 5}} {
			got := page.problems[i]
			if got.Number != i+1 || got.Title != want.Title || got.Author != want.Author || got.Plies != want.Plies {
				t.Errorf("problem %d: %+v", i+1, got)
			}
		}
		mirrored := p.Mirrored()
		for i, want := range map[int]shogi.Position{0: mirrored, 1: p, 3: p} {
			if got := page.problems[i].Problem.Position; !got.SamePosition(&want) {
				t.Errorf("problem %d is %s, want %s", i+1, got.SFEN(), want.SFEN())
			}
		}
		line := page.problems[3].Problem.Line
		if text := strings.Join(movetext.EnglishLine(p, line), " "); text != "G*2a K-1b G*1a" {
			t.Errorf("the line of the record is %s", text)
		}
	}
}

// An interrupt loses nothing of what was found, in any format.
func TestCollectionInterrupt(t *testing.T) {
	for _, output := range CollectionOutputs {
		ctx, cancel := context.WithCancel(context.Background())
		o := collectionOptions(SearchLine, output)
		o.Workers, o.Page = 1, new(heldPage)
		questions := func(yield func(Question, error) bool) {
			for range 3 {
				if !yield(Question{text: threePlies}, nil) {
					return
				}
			}
			for range 100 { // more than are held before the first is printed
				if !yield(Question{text: onePly}, nil) {
					return
				}
			}
			cancel()
			<-ctx.Done()
			for yield(Question{text: withoutMate}, nil) {
			}
		}
		var out bytes.Buffer
		tally, err := Collection(ctx, o, questions, &out, new(Progress))
		if !errors.Is(err, ErrInterrupted) {
			t.Errorf("%s: error %v", output, err)
		}
		p := shogi.MustParseSFEN(threePlies)
		id := collection.ShortKey(collection.Key(&p, shogi.Black))
		if n := strings.Count(out.String(), id); n != 3 || tally.Answered < 50 {
			t.Errorf("%s: %d problems of 3, tally %+v", output, n, tally)
		}
	}
}
