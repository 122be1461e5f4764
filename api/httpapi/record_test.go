package httpapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
)

// TestRecords sends one problem in every notation, under every type, and wants the answer to the
// JSON question.
func TestRecords(t *testing.T) {
	s := newServer(t, Config{})
	p := shogi.MustParseSFEN(mateIn1)
	record := notation.NewRecord(p, nil, "")
	texts := map[notation.Format][]byte{
		notation.SFEN: record.AppendUSI(nil), notation.KIF: record.AppendKIF(nil), notation.KI2: record.AppendKI2(nil),
		notation.CSA: record.AppendCSA(nil), notation.JKF: record.AppendJKF(nil),
	}
	want := untimed(do(s, "POST", "/v1/solve", question1(mateIn1)).Body.Bytes())
	send := func(body []byte, contentType string) {
		t.Helper()
		w := do(s, "POST", "/v1/solve", string(body), "Content-Type", contentType)
		if got := untimed(w.Body.Bytes()); w.Code != http.StatusOK || string(got) != string(want) {
			t.Errorf("%s: %d %s, want %s", contentType, w.Code, got, want)
		}
	}
	for name, format := range recordTypes {
		for f, text := range texts {
			if format != notation.Unknown && f != format {
				continue
			}
			send(text, name)
			send(append([]byte("\ufeff"), text...), name+"; charset=UTF-8")
			sjis, err := notation.Encode(text, notation.ShiftJIS)
			if err != nil {
				t.Fatal(err)
			}
			send(sjis, name)
			send(sjis, name+"; charset=Shift_JIS")
			send(sjis, name+"; charset=windows-31j")
		}
	}
}

func TestRecordParameters(t *testing.T) {
	s := newServer(t, Config{})
	const moves = "startpos moves 7g7f 3c3d"
	const kif = "手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n"
	for _, c := range []struct {
		name, query, body, contentType string
		want                           int
		part                           string
	}{
		{"the first position", "?nodes=1", kif, "text/x-kif", 200, `"sfen":"lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"`},
		{"after a move", "?nodes=1&after=1", kif, "text/x-kif", 200, `9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 1"`},
		{"SFEN, after all moves", "?nodes=1", moves, "text/x-sfen", 200, `/pppppp1pp/6p2/`},
		{"SFEN, after none", "?nodes=1&after=0", moves, "text/x-sfen", 200, `/ppppppppp/9/9/9/PPPPPPPPP/`},
		{"after too many", "?after=3", kif, "text/x-kif", 422, `"location":"query.after"`},
		{"after fewer than none", "?after=-1", kif, "text/x-kif", 422, `"location":"query.after"`},
		{"a limit that is none", "?plies=0", kif, "text/x-kif", 422, `"location":"query.plies"`},
		{"a limit beyond the limit", "?nodes=1000000000000000000", kif, "text/x-kif", 422, `"location":"query.nodes"`},
		{"a stray parameter", "?ply=3", kif, "text/x-kif", 422, `"location":"query.ply"`},
		{"a parameter twice", "?after=1&after=1", kif, "text/x-kif", 422, `"location":"query.after"`},
		{"limits beside a JSON question", "?plies=3", question1(mateIn1), "application/json", 422, `"location":"query.plies"`},
		{"another notation", "", kif, "text/x-csa", 422, `"line":1,"column":1,"code":"syntax"`},
		{"nobody to mate", "", "P-51OU\n-\n", "text/x-csa", 422, `"code":"no_defender"`},
		{"several records", "", "PI\n+\n/\nPI\n+\n", "text/x-csa", 200, `"notes":[{"code":"more_records","line":4,"column":1,`},
		{"a move with a fault", "?nodes=1", kif + "3 ５五玉(59)\n", "text/x-kif", 200, `"notes":[{"code":"unread_moves","line":4,`},
		{"after a move with a fault", "?after=3", kif + "3 ５五玉(59)\n", "text/x-kif", 422, `"location":"query.after"`},
		{"an address", "?nodes=1", "https://lishogi.org/analysis/4k4/9/4G4/9/9/9/9/9/9_b_G_1", "text/plain", 200, `"sfen":"4k4/9/4G4/9/9/9/9/9/9 b G 1"`},
		{"an address without a position", "", "https://lishogi.org/151jxej8", "text/plain", 422, `"code":"address"`},
		{"a PDF", "", "%PDF-1.7\n\x80\x81", "text/plain", 422, `"code":"no_text"`},
		{"another charset", "", kif, "text/x-kif; charset=iso-2022-jp", 415, `unsupported_media_type`},
		{"bytes that are no text", "", "手合割：平手\n\x81", "text/x-kif", 422, `"code":"charset"`},
		{"nothing", "", "", "text/x-kif", 400, `bad_json`},
		{"blanks", "", " \n", "text/x-kif", 422, `"code":"no_board"`},
		{"a solution without its diagram", "", "▲１二飛△２一玉▲３二銀\nまで3手で詰み\n", "text/x-ki2", 422, `"code":"no_board"`},
		{"a move", "", "▲５二金", "text/plain", 422, `"code":"no_board"`},
		{"a mark", "", "-", "text/plain", 422, `"code":"no_board"`},
	} {
		w := do(s, "POST", "/v1/solve"+c.query, c.body, "Content-Type", c.contentType)
		if w.Code != c.want || !strings.Contains(w.Body.String(), c.part) {
			t.Errorf("%s: %d %s, want %d with %s", c.name, w.Code, w.Body, c.want, c.part)
		}
	}
	// Records are for one question; other operations keep to JSON.
	if w := do(s, "POST", "/v1/moves", kif, "Content-Type", "text/x-kif"); w.Code != http.StatusUnsupportedMediaType {
		t.Errorf("/v1/moves takes a KIF: %d %s", w.Code, w.Body)
	}
}
