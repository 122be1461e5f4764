package notation_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
)

// A minimal JKF leaves out all that follows from the rules.
func TestMinimalJKF(t *testing.T) {
	for name, text := range map[string]string{
		"as KIF":  `{"header":{},"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}},{"move":{"from":{"x":3,"y":3},"to":{"x":3,"y":4},"piece":"FU"}},{"move":{"from":{"x":8,"y":8},"to":{"x":2,"y":2},"piece":"KA","promote":true}},{"move":{"from":{"x":3,"y":1},"same":true,"piece":"GI"}},{"move":{"to":{"x":4,"y":5},"piece":"KA"}}]}`,
		"as KI2":  `{"header":{},"moves":[{},{"move":{"to":{"x":7,"y":6},"piece":"FU"}},{"move":{"to":{"x":3,"y":4},"piece":"FU"}},{"move":{"to":{"x":2,"y":2},"piece":"KA","promote":true}},{"move":{"same":true,"piece":"GI"}},{"move":{"to":{"x":4,"y":5},"piece":"KA"}}]}`,
		"in full": `{"initial":{"preset":"HIRATE"},"header":{"手合割":"平手"},"moves":[{"comments":[]},{"move":{"color":0,"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}},{"move":{"color":1,"from":{"x":3,"y":3},"to":{"x":3,"y":4},"piece":"FU"}},{"move":{"color":0,"from":{"x":8,"y":8},"to":{"x":2,"y":2},"piece":"KA","promote":true,"capture":"KA"}},{"move":{"color":1,"from":{"x":3,"y":1},"to":{"x":2,"y":2},"same":true,"piece":"GI","capture":"UM"}},{"move":{"color":0,"to":{"x":4,"y":5},"piece":"KA"}}]}`,
		"nulls":   `{"initial":null,"header":null,"moves":[{},{"move":{"to":{"x":7,"y":6},"piece":"FU","from":null,"promote":null},"comments":null,"time":null,"special":null,"forks":null},{"move":{"to":{"x":3,"y":4},"piece":"FU"}},{"move":{"to":{"x":2,"y":2},"piece":"KA","promote":true}},{"move":{"same":true,"piece":"GI"}},{"move":{"to":{"x":4,"y":5},"piece":"KA","relative":"H"}}]}`,
	} {
		r := mustParse(t, text)
		if got := moveTexts(r.Moves()); !slices.Equal(got, []string{"7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"}) || r.Start.SFEN() != shogi.StartSFEN {
			t.Errorf("%s: moves %q from %s", name, got, r.Start.SFEN())
		}
	}
}

func TestForksJKF(t *testing.T) {
	r := mustParse(t, `{"header":{"先手":"甲","後手":"乙"},"moves":[{"comments":["始め"]},
{"move":{"to":{"x":7,"y":6},"piece":"FU"},"time":{"now":{"m":1,"s":5},"total":{"h":0,"m":1,"s":5}},
 "forks":[[{"move":{"to":{"x":2,"y":6},"piece":"FU"}},{"special":"CHUDAN"}],[{"move":{"to":{"x":5,"y":6},"piece":"FU"}}]]},
{"move":{"to":{"x":3,"y":4},"piece":"FU"}},{"special":"-ILLEGAL_ACTION","forks":[[{"move":{"to":{"x":6,"y":6},"piece":"FU"},"comments":["代わり"]}]]}]}`)
	if n := len(r.Root.Next); n != 3 || r.Ending() != notation.IllegalAction {
		t.Errorf("%d first moves, ends in %q", n, r.Ending())
	}
	end := r.Root.Next[0].Next[0]
	if len(end.Next) != 2 || end.Next[1].Move.String() != "6g6f" || end.Next[1].Comments[0] != "代わり" {
		t.Errorf("beside the end: %v", end.Next)
	}
	checkRoundTrips(t, r)
	// What is written is JSON with everything filled in.
	var out struct {
		Moves []struct {
			Move    struct{ Color *int }
			Special string
		}
	}
	if err := json.Unmarshal(r.AppendJKF(nil), &out); err != nil || out.Moves[1].Move.Color == nil || out.Moves[3].Special != "-ILLEGAL_ACTION" {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestFaultsJKF(t *testing.T) {
	p := shogi.MustParseSFEN(headGold)
	whole := string(notation.NewRecord(p, []shogi.Move{shogi.NewDrop(shogi.Gold, shogi.SquareAt(shogi.File5, shogi.RankB))}, notation.Mated).AppendJKF(nil))
	at := func(old, new string) string {
		t.Helper()
		if !strings.Contains(whole, old) {
			t.Fatalf("%q is not in %s", old, whole)
		}
		return strings.Replace(whole, old, new, 1)
	}
	offset := func(text, part string) string { // where a fault is found
		return text[strings.Index(text, part):]
	}
	for _, c := range []struct{ name, text, at, want string }{
		{"no JSON", "{\n  nothing", "nothing", "json: found \"n\" where JSON"},
		{"cut off", whole[:len(whole)-5], "", "json: found the end of the text"},
		{"a string for a number", at(`"x":5`, `"x":"5"`), "", "json: "},
		{"no moves", `{"header":{}}`, "{", "missing: found no \"moves\""},
		{"a preset that is none", at(`"OTHER"`, `"11"`), `"11"`, "handicap: found the preset \"11\""},
		{"another preset's position", at(`"OTHER"`, `"HIRATE"`), `{"color":0,"board"`, "handicap: found a position that is not the preset"},
		{"no data", `{"header":{},"initial":{"preset":"OTHER"},"moves":[]}`, `{"preset"`, "missing: found no \"data\""},
		{"a file missing", at(`[{},{},{},{},{},{},{},{},{}],`, ``), `[[{},`, "board: found 8 files"},
		{"a square missing", at(`[{},{},{},{},{},{},{},{},{}]`, `[{},{},{},{},{},{},{},{}]`), `[{},{},{},{},{},{},{},{}]`, "board: found 8 squares on file 1"},
		{"a kind that is none", at(`"kind":"FU"`, `"kind":"XX"`), `{"color":0,"kind":"XX"}`, "board: found the kind \"XX\""},
		{"a color that is none", at(`{"color":0,"kind":"FU"}`, `{"color":2,"kind":"FU"}`), `{"color":2`, "board: expected the color"},
		{"a king in hand", at(`"FU":0`, `"OU":1`), `1,"GI"`, "hand: found \"OU\""},
		{"less than none", at(`"FU":0`, `"FU":-1`), `-1`, "hand: found -1"},
		{"too many", at(`"KI":1`, `"KI":2`), `2,"KY"`, "piece_count: found 5 golds"},
		{"the other color", at(`{"color":0,"to"`, `{"color":1,"to"`), `1,"to"`, "side: found a move of color 1, but black"},
		{"a piece that is none", at(`"piece":"KI"`, `"piece":"K"`), `"K"}`, "move_syntax: found the piece \"K\""},
		{"a square that is none", at(`"to":{"x":5,"y":2}`, `"to":{"x":0,"y":2}`), `{"x":0`, "move_syntax: expected x and y"},
		{"no square", at(`"to":{"x":5,"y":2},`, ``), `{"color":0,"piece"`, "move_syntax: found neither"},
		{"same as nothing", at(`"to":{"x":5,"y":2}`, `"same":true`), `true`, "move_syntax: found \"same\""},
		{"an empty origin", at(`"piece":"KI"`, `"from":{"x":1,"y":1},"piece":"KI"`), `{"color":0,"to"`, "move_mismatch: found a black 金 moving from 1a"},
		{"a capture of nothing", at(`"piece":"KI"`, `"piece":"KI","capture":"FU"`), `"FU"}},`, "move_mismatch: found the capture"},
		{"an illegal move", at(`"y":2`, `"y":3`), `{"color":0,"to"`, "illegal_move: no 金 of black can go to 5c"},
		{"letters that are none", at(`"piece":"KI"`, `"piece":"KI","relative":"Q"`), `"Q"`, "move_syntax: found \"Q\""},
		{"a move after the end", at(`{"special":"TSUMI"}`, `{"special":"TSUMI"},{"move":{"to":{"x":5,"y":2},"piece":"OU"}}`), `{"to":{"x":5,"y":2},"piece":"OU"}`, "after_end: found a move after TSUMI"},
	} {
		err := refusal(notation.Parse([]byte(c.text), notation.Options{}))
		if err == nil {
			t.Errorf("%s: accepted", c.name)
			continue
		}
		f := err.(*notation.Error).Faults[0]
		if got := f.Code + ": " + f.Msg.String(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if c.at != "" && !strings.HasPrefix(c.text[f.Offset:], offset(c.text, c.at)) {
			t.Errorf("%s: found at %q, want %q", c.name, c.text[f.Offset:min(len(c.text), f.Offset+30)], c.at)
		}
	}
}

func TestNestedForksJKF(t *testing.T) {
	text := `{"header":{},"moves":[`
	for range notation.MaxDepth + 2 {
		text += `{"forks":[[`
	}
	text += strings.Repeat("]]}", notation.MaxDepth+2) + "]}"
	if _, err := notation.Parse([]byte(text), notation.Options{}); err == nil || !strings.Contains(err.Error(), "forks in each other") {
		t.Errorf("%d forks in each other: %v", notation.MaxDepth+2, err)
	}
}

// A key that comes again adds a line to its value, however often.
func TestRepeatedKeysJKF(t *testing.T) {
	const n = 50_000
	r := mustParse(t, `{"header":{`+strings.Repeat(`"備考":"b",`, n)+`"a":"b"},"initial":{"preset":"HIRATE"},"moves":[{}]}`)
	want := `{"header":{"備考":"b` + strings.Repeat(`\nb`, n-1) + `","a":"b"},`
	if got := string(r.AppendJKF(nil)); !strings.HasPrefix(got, want) {
		t.Errorf("%d bytes begin with %.60q", len(got), got)
	}
}
