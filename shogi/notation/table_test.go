package notation_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/shogi/notation"
)

const goldHead = "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1"

// records returns what a text holds, and the faults: a line each.
func records(text string) string {
	var out []string
	for r, err := range notation.Records(strings.NewReader(text), notation.Options{}) {
		if e, ok := errors.AsType[*notation.Error](err); ok {
			out = append(out, fmt.Sprintf("%d:%d %s", e.Faults[0].Line, e.Faults[0].Column, e.Faults[0].Code))
			continue
		} else if err != nil {
			return err.Error()
		}
		name := map[string]string{corner: "corner", goldHead: "gold"}[r.Start.ProblemSFEN()]
		one := strings.TrimRight(fmt.Sprint(name, " ", r.Plies, " ", strings.Trim(fmt.Sprint(movetext.USILine(r.Moves())), "[]")), " ")
		for _, key := range []string{"作品名", "作者"} {
			if value := r.Get(key); value != "" {
				one += " " + value
			}
		}
		for _, n := range r.Notes {
			one += " " + n.Code + " " + n.Text
		}
		out = append(out, strings.TrimSpace(one))
	}
	return strings.Join(out, "; ")
}

// TestTables: a row or an element is a problem. Where no other source is named, the shapes are those of
// RFC 4180, of jsonlines.org, and of what spreadsheets in Europe write.
func TestTables(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{corner + ",3\n", "corner 0"},
		{"1," + corner + "\n2," + goldHead + "\n", "corner 0; gold 0"},
		{corner + ";" + cornerLine + "\n", "corner 0 " + cornerLine},
		{corner + "\tname\n" + goldHead + "\tname\n", "corner 0; gold 0"},
		{"1\t" + corner + "\n2\t" + goldHead + "\n", "corner 0; gold 0"},
		{"sfen\ttitle\tplies\tmoves\n" + corner + "\tA\t3\t" + cornerLine + "\n", "corner 3 " + cornerLine + " A"},
		{"id,sfen,title,author\n1,\"" + corner + "\",\"A, B\",C\n", "corner 0 A, B C"},
		{"\ufeffid;Position;Length;Solution\r\n1;" + corner + ";3;" + cornerLine + "\r\n", "corner 3 " + cornerLine},
		{"題名,局面,手数,解答\n隅," + corner + ",3手詰,▲１二飛 △２一玉 ▲３二銀\n", "corner 3 " + cornerLine + " 隅"},
		{"board,sfen\n" + goldHead + "," + corner + "\n", "corner 0 column sfen"},
		{corner + "," + goldHead + "\n", "corner 0 column 1"},
		{"sfen,moves\n" + corner + ",R*1b 1a2a R*9a\n", "corner 0 R*1b 1a2a unread_moves"},
		{"id,sfen\n1," + corner + "\n2,4k4/9 b G 1\n3,\n4," + goldHead + "\n", "corner 0; 3:3 rank_count; gold 0"},
		{"sfen\n" + "sfen " + corner + " moves " + cornerLine + "\n", "corner 0 " + cornerLine},
		{`{"id":1,"sfen":"` + corner + `","moves":["R*1b","1a2a","S*3b"]}`, "corner 0 " + cornerLine},
		{`{"name":"Corner","sfen":"` + goldHead + `"}`, "gold 0 Corner"},
		{"{\n  \"name\": \"Corner\",\n  \"position\": \"" + goldHead + "\"\n}\n", "gold 0 Corner"},
		{`{"sfen":"` + corner + `"}` + "\n" + `{"sfen":3}` + "\n{\"x\":\n" + `{"initial":"` + goldHead + `","length":1}` + "\n",
			"corner 0; 2:1 no_board; 3:6 json; gold 1"},
		{`[{"sfen":"` + corner + `","author":"C"},{"title":"none"},{"sfen":"` + goldHead + `","手数":"1"}]`,
			"corner 0 C; 1:71 no_board; gold 1"},
		{`["` + corner + `","` + goldHead + `"]`, "corner 0; gold 0"},
		{`[["` + corner + `",3],["` + goldHead + `",1]]`, "corner 0; gold 0"},
		{`[["` + corner + `","` + goldHead + `"]]`, "corner 0; gold 0"},
		{"id,sfen\n1,\"4k4/9 b G 1\"\n", "2:4 rank_count"},
		{`{"sfen":"4k4/9 b G 1"}`, "1:10 rank_count"},
		{"sfen,moves\nsfen " + corner + " moves R*1b,1a2a S*3b\n", "0 1a2a S*3b"},
		{`{"a":{"sfen":"startpos moves 7g7f"}}`, "0 7g7f"},
		{`[[[["` + corner + `"]]]]`, "corner 0"},
		{`[[[[["` + corner + `"]]]]]`, "1:5 no_board"},
		{`{"problems":[{"sfen":"` + corner + `","solution":"` + cornerLine + `"}]}`, "corner 0 " + cornerLine},
		{`{"a":{"sfen":"` + corner + `"},"b":{"board":"` + goldHead + `"}}`, "corner 0; gold 0"},
		{`{"sfen":"` + corner + `","line":7,"board":"` + goldHead + `"}`, "corner 0 column sfen"},
		// Files of next-move problems, as ShogiHome describes them in specs/next-move-problem-format.md.
		{`{"format":"shogihome-next-move","version":1,"metadata":{"title":"set"},"problems":[{"sfen":"` + corner +
			`","candidates":[{"usi":"R*1b","mate":3,"accepted":true,"pv":["R*1b","1a2a","S*3b"]}],"actualMove":{"usi":"S*3b"}},` +
			`{"sfen":"` + goldHead + `","candidates":[{"usi":"G*5b","score":850}],"actualMove":{"usi":"G*4b"}}]}`,
			"corner 3 " + cornerLine + "; gold 0"},
		// JSON and CSV of problem sets, as found in repositories of programs and apps.
		{`{"sfen":"` + corner + `","name":"Corner","description":"A corner","author":"C","tags":["a","b"],"created_at":"2026-01-06T00:00:00"}`,
			"corner 0 Corner C"},
		{`[{"id":1,"title":"隅","sfen":"sfen ` + corner + `","steps":3,"description":"x"}]`, "corner 3 隅"},
		{`[{"key":"a","title":"隅","init_sfen":"position sfen ` + corner + `"}]`, "corner 0 隅"},
		{`{"sfen":"` + corner + `","title":null,"author":"","moves":[]}`, "corner 0"},
		{`{"fen":"` + corner + `","pv":"R*1b,1a2a,S*3b"}`, "corner 0 " + cornerLine},
		{`{"sfen":"` + corner + `","moves":["▲１二飛","△２一玉","▲３二銀"]}`, "corner 0 " + cornerLine},
		{`{"data":{"problems":[{"board":"` + corner + `"}]}}`, "corner 0"},
		{`{"sfen":"` + corner + `"}` + "\n\n" + `{"sfen":"` + goldHead + `"}` + "\n", "corner 0; gold 0"},
		{"\"sfen\",\"moves\"\r\n\"" + corner + "\",\"" + cornerLine + "\"\r\n", "corner 0 " + cornerLine},
		{"id,sfen,title\n1," + corner + ",\"A \"\"B\"\"\"\n", "corner 0 A \"B\""},
		{"番号,初期局面,作者,手数\n1," + corner + ",甲,3\n", "corner 3 甲"},
		{"SFEN,Moves\n" + corner + "," + cornerLine + "\n", "corner 0 " + cornerLine},
		{corner + "; bm R*1b; id \"x\";\n", "corner 0"}, // as EPD has a position of chess
		{"# id\nsfen\ttitle\n# one\n" + corner + "\tA\n", "corner 0 A"},
		{corner + "\n【解答】\n１二飛、２一玉、３二銀 まで３手詰\n\n" + goldHead + "\n▲５二金打まで\n", "corner 3 " + cornerLine + " left_out_text 【解答】; gold 0 G*5b"},
		{"局面を貼ります\nsfen " + corner + "\nよろしくお願いします\n",
			"corner 0 left_out_text 局面を貼ります left_out_text よろしくお願いします"},
		{"```\n" + corner + "\n```\n", "corner 0"},
		{corner + "\nnonsense\n" + goldHead + "\n", "corner 0; 2:1 rank_width; gold 0"},
	} {
		if got := records(c.text); got != c.want {
			t.Errorf("%q gives\n%s, want\n%s", c.text, got, c.want)
		}
		agrees(t, c.text)
	}
	if _, err := notation.ParseAll([]byte("id,sfen\n"), notation.Options{}); err == nil {
		t.Error("a head alone is read")
	}
}

// agrees checks that all ways to read a text find the same. What stands between the positions of a list
// is to Records a fault of its line, to the others text around.
func agrees(t *testing.T, text string) {
	t.Helper()
	show := func(r *notation.Record) string {
		return fmt.Sprint(r.Start.SFEN(), " ", movetext.USILine(r.Moves()), " ", r.Plies, " ", r.Get("作品名"), r.Get("作者"), r.Unread() != nil)
	}
	var all []string
	read, wrong := notation.ParseAll([]byte(text), notation.Options{})
	for _, r := range read {
		all = append(all, show(r))
	}
	for name, opts := range map[string]notation.Options{"Records": {}, "Records of a file": {Usual: notation.OfExtension(".txt")}} {
		var found []string
		var faults []error
		for r, err := range notation.Records(iotest.HalfReader(strings.NewReader(text)), opts) {
			if e, ok := errors.AsType[*notation.Error](err); ok && e.Line > 0 && wrong == nil {
				continue
			} else if err != nil {
				faults = append(faults, err)
			} else {
				found = append(found, show(r))
			}
		}
		if wrong != nil && len(faults) == 0 && len(found) > 0 || wrong == nil && (len(faults) > 0 || !slices.Equal(all, found)) {
			t.Errorf("%q: ParseAll finds %q, %v; %s %q, %v", text, all, wrong, name, found, faults)
		}
	}
	var ways []func() (*notation.Record, error)
	ways = append(ways, func() (*notation.Record, error) { return notation.Parse([]byte(text), notation.Options{}) })
	if one := strings.TrimSpace(text); !strings.ContainsAny(one, "\r\n") && utf8.ValidString(one) {
		ways = append(ways, func() (*notation.Record, error) { return notation.ParseOne(one, notation.Options{}) })
	}
	for _, way := range ways {
		r, err := way()
		switch {
		case wrong != nil:
		case err != nil:
			t.Errorf("%q: ParseAll finds %q, another way %v", text, all, err)
		case show(r) != all[0]:
			t.Errorf("%q: ParseAll finds %q, another way %s", text, all, show(r))
		}
	}
}

// TestAgree: what people have, and what a hand or a program makes of that, is one to all ways.
func TestAgree(t *testing.T) {
	files, err := filepath.Glob("testdata/reading/*")
	if err != nil {
		t.Fatal(err)
	}
	witness, err := filepath.Glob("testdata/witness/*[!n]") // .western is not read
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range witness {
		agrees(t, mustRead(t, file))
	}
	random := rand.New(rand.NewPCG(1, 1))
	for _, file := range files {
		text := mustRead(t, file)
		lines := strings.SplitAfter(text, "\n")
		i, j := random.IntN(len(lines)), random.IntN(len(lines))
		swapped := slices.Clone(lines)
		swapped[i], swapped[j] = lines[j], lines[i]
		letters := []rune(text)
		at := random.IntN(len(letters))
		for _, changed := range []string{text, "\ufeff" + text, strings.ReplaceAll(text, "\n", "\r\n"), strings.TrimSpace(text),
			"次の一手です\n" + text, "# from a page\n\n" + text, text + "\nおわり\n", text + "\n" + text, "<pre>" + text + "</pre>",
			"> " + strings.ReplaceAll(text, "\n", "\n> "), "```\n" + text + "```\n", strings.Join(swapped, ""),
			strings.Join(slices.Delete(slices.Clone(lines), i, i+1), ""), string(letters[:at]), string(letters[at:]),
			string(slices.Delete(slices.Clone(letters), at, at+1)), string(slices.Insert(slices.Clone(letters), at, 'x'))} {
			agrees(t, changed)
		}
	}
}

// TestListLimits: a list may be longer than a text that is read at once; an array may not.
func TestListLimits(t *testing.T) {
	n := 0
	many := strings.Repeat(corner+"\n", notation.MaxRecords*25)
	for _, err := range notation.Records(strings.NewReader(many), notation.Options{}) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n != notation.MaxRecords*25 || len(many) <= notation.MaxBytes {
		t.Errorf("%d records of %d bytes", n, len(many))
	}
	moves := "7g7f 3c3d " + strings.Repeat("8h7g 2b3c 7g8h 3c2b ", notation.MaxMoves/4)
	for r, err := range notation.Records(strings.NewReader("sfen,moves\nstartpos,"+moves+"\n"), notation.Options{}) {
		if err != nil || len(r.Moves()) != notation.MaxMoves || r.Unread() == nil {
			t.Errorf("a row of too many moves gives %v, %v", r, err)
		}
	}
	rows := "id,sfen\n" + strings.Repeat("1,"+corner+"\n", notation.MaxRecords+1)
	if all, err := notation.ParseAll([]byte(rows), notation.Options{}); err != nil ||
		len(all) != notation.MaxRecords || all[len(all)-1].Notes[0].Line != notation.MaxRecords+2 {
		t.Errorf("too many rows give %d, %v", len(all), err)
	}
	array := "[" + strings.Repeat("\""+corner+"\",\n", notation.MaxRecords*25) + "\"\"]"
	if got := records(array); got != "1:1 too_long" {
		t.Errorf("too large an array gives %.100s", got)
	}
}

// TestLive: who types is answered at once, also what is of no notation.
func TestLive(t *testing.T) {
	for first, isRead := range map[string]bool{"nonsense\n": false, corner + "\n": true} {
		r, w := io.Pipe()
		go io.WriteString(w, first) // and no more
		for record, err := range notation.Records(r, notation.Options{Live: true}) {
			if isRead != (record != nil) || isRead != (err == nil) {
				t.Errorf("%q gives %v", first, err)
			}
			break
		}
		r.Close()
	}
}

func FuzzRecords(f *testing.F) {
	f.Add("id,sfen\n1," + corner + "\n")
	f.Add(`[{"sfen":"` + corner + `","moves":"` + cornerLine + `"}]`)
	f.Add(corner + "\n" + goldHead + " moves G*5b\n")
	f.Fuzz(func(t *testing.T, text string) {
		n := 0
		for r, err := range notation.Records(strings.NewReader(text), notation.Options{}) {
			if n++; (r == nil) == (err == nil) {
				t.Errorf("%q gives %v and %v", text, r, err)
			}
			if r != nil {
				p := r.Start
				for _, m := range r.Moves() {
					if !p.IsLegal(m) {
						t.Errorf("%q has the illegal move %v", text, m)
					}
					p.Do(m)
				}
			}
		}
	})
}

// TestSources: where in a text a record or a fault was found.
func TestSources(t *testing.T) {
	const bad = "4k4/9 b G 1"
	for _, text := range []string{corner + "\n# a comment\n\n" + goldHead + "\n" + bad + "\n",
		utf16of(corner + "\n# a comment\n\n" + goldHead + "\n" + bad + "\n")} {
		var lines []int
		size := 0
		for r, err := range notation.Records(strings.NewReader(text), notation.Options{}) {
			if e, ok := errors.AsType[*notation.Error](err); ok {
				lines, size = append(lines, e.Line), size+e.Size
				if f := e.Faults[0]; f.Line != 5 || f.Column != 1 || f.Offset != len(corner)+len("\n# a comment\n\n")+len(goldHead)+1 {
					t.Errorf("the fault is at line %d, column %d, byte %d", f.Line, f.Column, f.Offset)
				}
				continue
			}
			lines, size = append(lines, r.Line), size+r.Size
			if isWide := text[0] == 0xff; isWide != (r.Charset == notation.UTF16) {
				t.Errorf("the charset of %q is %v", text[:4], r.Charset)
			}
		}
		if !slices.Equal(lines, []int{1, 4, 5}) || size != len(corner)+len(goldHead)+len(bad)+len("\n# a comment\n\n\n\n") {
			t.Errorf("lines %v, %d bytes", lines, size)
		}
	}
	rows := 0
	for r := range notation.Records(strings.NewReader(`["`+corner+`", "`+goldHead+`"]`), notation.Options{}) {
		if rows++; r.Row != rows || r.Line != 0 {
			t.Errorf("row %d, line %d, want row %d", r.Row, r.Line, rows)
		}
	}
}

// utf16of returns a text of ASCII in UTF-16 with its mark.
func utf16of(text string) string {
	return "\xff\xfe" + strings.Join(strings.Split(text, ""), "\x00") + "\x00"
}
