package notation_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/shogi/notation"
)

var update = flag.Bool("update", false, "rewrite our files in testdata/witness")

// TestWitnesses compares us with two independent implementations, whose files are kept in
// testdata/witness: see the README there for what each file is.
func TestWitnesses(t *testing.T) {
	inputs, err := filepath.Glob("testdata/witness/*.usi")
	if err != nil || len(inputs) < 8 {
		t.Fatalf("%d records, %v", len(inputs), err)
	}
	for _, input := range inputs {
		name := strings.TrimSuffix(input, ".usi")
		data, err := os.ReadFile(input)
		if err != nil {
			t.Fatal(err)
		}
		r := mustParse(t, string(data))
		if strings.HasSuffix(name, "mate") {
			r = notation.NewRecord(r.Start, r.Moves(), notation.Mated)
		}
		t.Run(filepath.Base(name), func(t *testing.T) { checkWitnesses(t, name, r) })
	}
}

func checkWitnesses(t *testing.T, name string, r *notation.Record) {
	read := func(file string) []byte {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, w := range writers[:4] {
		if file := name + ".ours." + strings.ToLower(w.name); *update {
			if err := os.WriteFile(file, w.write(r), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, w := range writers[:4] {
		ext := "." + strings.ToLower(w.name)
		// What we write is what the others read as these moves.
		file := name + ".ours" + ext
		if got, want := string(w.write(r)), string(read(file)); got != want {
			t.Errorf("we write\n%s\nwant %s\n%s", got, file, want)
		}
		// What tsshogi writes, and what json-kifu-format makes of ours.
		for _, file := range []string{name + ".tsshogi" + ext, name + ".jkf-of" + ext} {
			if strings.Contains(file, ".jkf-of.jkf") || strings.Contains(file, ".jkf-of.csa") {
				continue
			}
			got, err := notation.Parse(read(file), notation.Options{})
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			if a, b := got.Start, r.Start; !a.SamePosition(&b) {
				t.Errorf("%s: starts at %s, want %s", file, a.SFEN(), b.SFEN())
			}
			if a, b := moveTexts(got.Moves()), moveTexts(r.Moves()); !slices.Equal(a, b) {
				t.Errorf("%s: moves\n%q, want\n%q", file, a, b)
			}
			if got.Ending() != r.Ending() && !(r.Ending() == "" && got.Ending() == notation.Interrupted) {
				t.Errorf("%s: ends in %q, want %q", file, got.Ending(), r.Ending())
			}
		}
	}
}

// readTree returns the record that a .tree describes: the SFEN, then a line for each node, with its
// depth and its move or end, and its comments, each after "*".
func readTree(t *testing.T, file string) *notation.Record {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	r := &notation.Record{Start: shogi.MustParseSFEN(lines[0]), Root: &notation.Node{}}
	path := []*notation.Node{r.Root} // the last node of each depth
	for _, line := range lines[2:] {
		if comment, ok := strings.CutPrefix(line, "*"); ok {
			n := path[len(path)-1]
			n.Comments = append(n.Comments, comment)
			continue
		}
		number, word, _ := strings.Cut(line, " ")
		depth, err := strconv.Atoi(number)
		if err != nil || depth < 1 || depth > len(path) {
			t.Fatalf("%s: %q", file, line)
		}
		n := &notation.Node{}
		if n.Move, err = shogi.ParseMove(word); err != nil {
			n.End = notation.Ending(word)
		}
		above := path[depth-1]
		above.Next = append(above.Next, n)
		path = append(path[:depth], n)
	}
	return r
}

// TestWitnessedTrees compares what is written of moves with variations, variations of variations,
// and comments, with what two independent implementations make of it.
func TestWitnessedTrees(t *testing.T) {
	inputs, err := filepath.Glob("testdata/witness/*.tree")
	if err != nil || len(inputs) < 4 {
		t.Fatalf("%d trees, %v", len(inputs), err)
	}
	kif, jkf := &writers[0], &writers[3]
	tree := *jkf
	tree.header, tree.times = false, false // tsshogi writes 0 seconds, json-kifu-format 手数
	for _, input := range inputs {
		name, r := strings.TrimSuffix(input, ".tree"), readTree(t, input)
		t.Run(filepath.Base(name), func(t *testing.T) {
			for _, w := range []*writer{kif, jkf} {
				file := name + ".ours." + strings.ToLower(w.name)
				if *update {
					if err := os.WriteFile(file, w.write(r), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if got := string(w.write(r)); got != string(want) {
					t.Errorf("we write\n%s\nwant %s\n%s", got, file, want)
				}
			}
			for _, ext := range []string{".ours.kif", ".ours.jkf", ".tsshogi.kif", ".tsshogi.jkf", ".jkf-of.kif"} {
				text, err := os.ReadFile(name + ext)
				if err != nil {
					t.Fatal(err)
				}
				got := mustParse(t, string(text))
				if a, b := tree.show(got), tree.show(r); a != b {
					t.Errorf("%s%s is\n%s\nwant\n%s", name, ext, a, b)
				}
			}
		})
	}
}

// TestWitnessedWords compares the words that tell pieces apart with those of two independent
// implementations, in positions where pieces of a kind go to the same square. In every other one a
// piece that goes there is pinned.
func TestWitnessedWords(t *testing.T) {
	data, err := os.ReadFile("testdata/witness/words.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(rows) != 600 {
		t.Fatalf("%d rows", len(rows))
	}
	bare := 0
	for _, row := range rows {
		cells := strings.Split(row, "\t")
		p := shogi.MustParseSFEN(cells[0])
		m, err := shogi.ParseMove(cells[1])
		if err != nil {
			t.Fatal(err)
		}
		if got := string(movetext.AppendJapanese(nil, &p, m, shogi.NoSquare)); got != cells[2] {
			t.Errorf("%s: %s is written %s, want %s", cells[0], m, got, cells[2])
		}
		texts := []string{cells[2]}
		if goThere := movesOfKind(&p, m); len(goThere) == 1 {
			// Who does not count pinned pieces writes no word.
			texts = append(texts, strings.Map(func(r rune) rune {
				if strings.ContainsRune("右左直上寄引打", r) {
					return -1
				}
				return r
			}, cells[2]))
			bare++
		}
		for _, text := range texts {
			r, err := notation.Parse(append(notation.AppendBOD(nil, &p), text...), notation.Options{Format: notation.KI2})
			if err != nil {
				t.Errorf("%s: %s: %v", cells[0], text, err)
			} else if got := moveTexts(r.Moves()); !slices.Equal(got, cells[1:2]) {
				t.Errorf("%s: %s is read as %v, want %s", cells[0], text, got, m)
			}
		}
	}
	if bare < 100 {
		t.Errorf("only %d rows with one piece that can go", bare)
	}
}

// movesOfKind returns the origins from which a piece of m's kind can legally go where m goes, a
// drop being one.
func movesOfKind(p *shogi.Position, m shogi.Move) map[shogi.Square]bool {
	kind := func(m shogi.Move) shogi.PieceType {
		if m.IsDrop() {
			return m.Dropped()
		}
		return p.Piece(m.From()).Type()
	}
	from := map[shogi.Square]bool{}
	var buf shogi.MoveBuffer
	for _, other := range p.LegalMoves(&buf, shogi.AllMoves) {
		if other.To() != m.To() || kind(other) != kind(m) {
			continue
		}
		if other.IsDrop() {
			from[shogi.NoSquare] = true
		} else {
			from[other.From()] = true
		}
	}
	return from
}

// TestWitnessedEnglish compares what Western books write with what an independent implementation
// writes, move by move: in records, and in positions where pieces of a kind go to the same square.
func TestWitnessedEnglish(t *testing.T) {
	read := func(file string) string {
		data, err := os.ReadFile("testdata/witness/" + file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(data))
	}
	words := strings.Split(read("words.western"), "\n")
	for i, row := range strings.Split(read("words.tsv"), "\n") {
		cells := strings.Split(row, "\t")
		p := shogi.MustParseSFEN(cells[0])
		m, err := shogi.ParseMove(cells[1])
		if err != nil {
			t.Fatal(err)
		}
		if got := string(movetext.AppendEnglish(nil, &p, m)); got != words[i] {
			t.Errorf("%s: %s is written %s, want %s", cells[0], m, got, words[i])
		}
	}
	for _, name := range []string{"fivemate", "game1", "game2", "handicap-lance", "handicap2",
		"problem1", "problem2", "problem3", "problem4"} {
		r := mustParse(t, read(name+".usi"))
		got := strings.Join(movetext.EnglishLine(r.Start, r.Moves()), " ")
		if want := read(name + ".western"); got != want {
			t.Errorf("%s is written\n%s\nwant\n%s", name, got, want)
		}
	}
}
