package notation_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
)

const headGoldCSA = `V2.2
P1 *  *  *  * -OU *  *  *  * 
P2 *  *  *  *  *  *  *  *  * 
P3 *  *  *  * +FU *  *  *  * 
P4 *  *  *  *  *  *  *  *  * 
P5 *  *  *  *  *  *  *  *  * 
P6 *  *  *  *  *  *  *  *  * 
P7 *  *  *  *  *  *  *  *  * 
P8 *  *  *  *  *  *  *  *  * 
P9 *  *  *  *  *  *  *  *  * 
P+00KI
P-00AL
+
+0052KI
%TSUMI
`

func TestDialectsOfCSA(t *testing.T) {
	pieces := "P-51OU\nP+53FU00KI\nP-00AL\n+\n+0052KI\n%TSUMI\n"
	for name, text := range map[string]string{
		"the board":                         headGoldCSA,
		"version 3.0":                       "'CSA encoding=UTF-8\n" + strings.Replace(headGoldCSA, "V2.2", "V3.0", 1),
		"no version":                        strings.Replace(headGoldCSA, "V2.2\n", "", 1),
		"blanks cut off":                    strings.ReplaceAll(headGoldCSA, " \n", "\n"),
		"blanks lost":                       strings.ReplaceAll(headGoldCSA, "*  *", "* *"),
		"CR LF":                             strings.ReplaceAll(headGoldCSA, "\n", "\r\n"),
		"a byte order mark":                 "\ufeff" + headGoldCSA,
		"single pieces":                     pieces,
		"the rest first":                    "P-00AL\n" + strings.Replace(pieces, "P-00AL\n", "", 1),
		"the whole hand":                    strings.Replace(pieces, "00AL", "00HI00HI00KA00KA00KI00KI00KI00GI00GI00GI00GI00KE00KE00KE00KE00KY00KY00KY00KY"+strings.Repeat("00FU", 17), 1),
		"names":                             "N+先手\nN-後手\n" + pieces,
		"header and comments":               "V2.2\n'comment\nN+a\n$EVENT:b\n'*for programs\n" + pieces,
		"times":                             strings.Replace(pieces, "KI\n%", "KI\nT12\n%", 1),
		"statements that share a line":      strings.Replace(pieces, "KI\n%", "KI,T12,%", 1),
		"a comment that shares a line":      strings.Replace(pieces, "KI\n%TSUMI", "KI,'*a,b\n%TSUMI,'* c", 1),
		"an end told twice":                 pieces + "T1\n%TSUMI\n",
		"a separator at the end":            headGoldCSA + "/\n",
		"a separator before and at the end": "/\n" + headGoldCSA + "/\n",
	} {
		r, err := notation.Parse([]byte(text), notation.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if r.Format != notation.CSA {
			t.Errorf("%s: taken for %v", name, r.Format)
		}
		if got := r.Start.SFEN(); got != headGold {
			t.Errorf("%s: %s, want %s", name, got, headGold)
		}
		if got := moveTexts(r.Moves()); !slices.Equal(got, []string{"G*5b"}) || r.Ending() != notation.Mated {
			t.Errorf("%s: moves %q, ends in %q", name, got, r.Ending())
		}
	}
}

func TestInitialPositionCSA(t *testing.T) {
	for text, want := range map[string]string{
		"PI\n+\n+7776FU\n-3334FU\n+8822UM\n-3122GI\n+0045KA\n%TORYO\n": shogi.StartSFEN,
		"N+a\nN-b\n+\n+7776FU\n":                            shogi.StartSFEN,
		"PI82HI22KA91KY81KE21KE11KY\n-\n-5142OU\n+7776FU\n": "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
	} {
		if got := mustParse(t, text).Start.SFEN(); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestHeaderAndTimesCSA(t *testing.T) {
	r := mustParse(t, "'CSA encoding=UTF-8\nV3.0\nN+甲\nN-乙\n$EVENT:大会\n$X:1:2\nPI\n'*始めに\n+\n+7776FU\nT1.5\n'*一手目\n'これは飛ばす\n-3334FU,T7\n%+ILLEGAL_ACTION\n")
	first := r.Root.Next[0]
	second := first.Next[0]
	if got := fmt.Sprint(r.Header, r.Root.Comments, first.Comments, first.Elapsed, second.Elapsed, r.Ending()); got !=
		"[{先手 甲} {後手 乙} {棋戦 大会} {X 1:2}] [始めに] [一手目] 1.5s 7sILLEGAL_MOVE" {
		t.Error(got)
	}
	text := string(r.AppendCSA(nil))
	for _, want := range []string{"V3.0\nN+甲\nN-乙\n$EVENT:大会\n'X：1:2\n", "\nT1.5\n'*一手目\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if second.Elapsed != 7*time.Second {
		t.Errorf("elapsed %v", second.Elapsed)
	}
}

func TestManyRecordsCSA(t *testing.T) {
	text := "V2.2\nPI\n+\n+7776FU\n/\nPI82HI\n-\n/\n" + headGoldCSA
	records, err := notation.ParseAll([]byte(text), notation.Options{})
	if err != nil || len(records) != 3 || records[2].Start.SFEN() != headGold {
		t.Errorf("%d records, %v", len(records), err)
	}
	first, err := notation.Parse([]byte(text), notation.Options{})
	want := []notation.Note{{Code: notation.NoteRecords, Line: 6, Column: 1, Offset: 20, Text: "PI82HI"}}
	if err != nil || len(first.Moves()) != 1 || !reflect.DeepEqual(first.Notes, want) {
		t.Errorf("one record of three: %v, %+v", err, first)
	}
	if _, err := notation.ParseAll([]byte(strings.Repeat("+\n/\n", notation.MaxRecords+2)), notation.Options{}); err == nil {
		t.Error("there is no limit on the number of records")
	}
}

func TestFaultsCSA(t *testing.T) {
	at := func(old, new string) string {
		t.Helper()
		if !strings.Contains(headGoldCSA, old) {
			t.Fatalf("%q is not in the text", old)
		}
		return strings.Replace(headGoldCSA, old, new, 1)
	}
	for _, c := range []struct{ name, text, want string }{
		{"a stray line", at("P+00KI", "X"), "11:1 syntax: found \"X\""},
		{"a piece that is none", at("+FU", "+XX"), "4:15 board: found \"+XX *  *"},
		{"a square missing", at("P3 *  *  * ", "P3 *  * "), "4:26 board: row 3 has 8 squares, expected 9"},
		{"ten squares", at(" * \nP2", " *  * \nP2"), "2:31 board: found \"*\" after"},
		{"a row missing", at("P4 *  *  *  *  *  *  *  *  * \n", ""), "12:1 missing: found no line P4"},
		{"a row twice", at("P4", "P3"), "5:1 repeated: found a second row 3"},
		{"PI as well", at("P+00KI", "PI"), "11:1 repeated: found PI after"},
		{"half a piece", at("P+00KI", "P+00K"), "11:3 board: found \"00K\", expected"},
		{"a king in hand", at("P+00KI", "P+00OU"), "11:3 hand: found \"00OU\", which cannot be held"},
		{"a square twice", at("P+00KI", "P+53KI"), "11:3 repeated"},
		{"five golds in hand", at("P+00KI", "P+00KI00KI00KI00KI00KI"), "11:3 hand_count"},
		{"the rest twice", at("P+00KI", "P+00AL"), "12:3 hand: both hands have the rest"},
		{"the rest on a square", at("P-00AL", "P-11AL"), "12:3 hand: found \"11AL\""},
		{"no side to move", "V2.2\nPI\n", "2:3 missing: found the end of the record"},
		{"an end before the side", "PI\n%TORYO\n", "2:1 missing: found \"%TORYO\""},
		{"two sides", at("+0052KI", "-"), "14:1 repeated: found a second side"},
		{"the other side's move", at("+0052", "-0052"), "14:1 side: found a move of white, but black"},
		{"half a move", at("+0052KI", "+0052K"), "14:1 move_syntax: found \"+0052K\""},
		{"a square that is none", at("+0052KI", "+0002KI"), "14:1 move_syntax"},
		{"an empty origin", at("+0052KI", "+6152KI"), "14:1 move_mismatch: there is no black piece on 61"},
		{"another kind", at("+0052KI", "+5352KI"), "14:1 move_mismatch: found \"+5352KI\", but a FU stands on 53"},
		{"a king dropped", at("+0052KI", "+0052OU"), "14:1 move_mismatch: a OU cannot be dropped"},
		{"an illegal move", at("+0052KI", "+0053KI"), "14:1 illegal_move: G*5c is not legal: 5c is occupied"},
		{"no promotion where it is forced", "P-11OU\nP+52FU\n+\n+5251FU\n", "4:1 illegal_move: the FU has to promote on 51"},
		{"a move after the end", headGoldCSA + "-5152OU\n", "16:1 after_end: found a move after %TSUMI"},
		{"a time of nothing", at("+0052KI", "T3"), "14:1 syntax: found \"T3\""},
		{"a time without end", at("+0052KI", "+0052KI\nTInf"), "15:1 syntax"},
		{"two pawns on a file", at("P5 *  *  *  *  * ", "P5 *  *  *  * +FU"), "6:15 nifu"},
	} {
		err := refusal(notation.Parse([]byte(c.text), notation.Options{Format: notation.CSA}))
		if err == nil {
			t.Errorf("%s: accepted", c.name)
			continue
		}
		if got := strings.Join(faultsOf(t, err), "\n"); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}
