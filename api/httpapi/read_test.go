package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
)

// readText has a body read, and returns what was read.
func readText(t *testing.T, s *Server, body, contentType string) wire.ReadAnswer {
	t.Helper()
	w := do(s, "POST", "/v1/read", body, "Content-Type", contentType)
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != jsonType || w.Header().Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	return parse[wire.ReadAnswer](t, w.Body.Bytes())
}

// noSolver returns a service whose solvers must not be asked.
func noSolver(t *testing.T, c Config) *Server {
	t.Helper()
	c.Solver = solver.Func(func(_ context.Context, p shogi.Position, _ solver.Limits) solver.Result {
		t.Errorf("searched %s", p.SFEN())
		return solver.Result{}
	})
	c.Quick = c.Solver
	return newServer(t, c)
}

// TestReadNotations sends one problem and its moves in every notation, charset and media type.
func TestReadNotations(t *testing.T) {
	s := noSolver(t, Config{})
	// A mate in 3 with a plain drop, and one that must say that it is one (打).
	line := moves("G*5c", "5b6a", "G*6b")
	record := notation.NewRecord(shogi.MustParseSFEN(mateIn3), line, notation.Mated)
	record.Header = []notation.Field{{Key: "作品名", Value: "頭金"}, {Key: "作者", Value: "某"}}
	const last = "3k5/3G5/4G4/4P4/9/9/9/9/9 w 2r2b2g4s4n4l17p 1" // as drawn by hand
	check := func(format notation.Format, charset, contentType string, text []byte) {
		t.Helper()
		a := readText(t, s, string(text), contentType)
		if a.Format != format.String() || a.Charset != charset || len(a.Records) != 1 {
			t.Fatalf("%s as %s: %+v", format, contentType, a)
		}
		r := a.Records[0]
		if !slices.Equal(r.Moves, []string{"G*5c", "5b6a", "G*6b"}) || r.First != mateIn3 || r.Last != last ||
			!slices.Equal(r.MovesJa, []string{"▲５三金", "△６一玉", "▲６二金打"}) {
			t.Errorf("%s as %s: %+v", format, contentType, r)
		}
		problem, title, author, ending, attacker := mateIn3, "頭金", "某", "TSUMI", "black"
		switch format {
		case notation.SFEN: // which has moves alone, and solves what comes after them
			problem, title, author, ending = last, "", "", ""
		case notation.CSA: // which has a place for neither
			title, author = "", ""
		}
		if r.SFEN != problem || r.Title != title || r.Author != author || r.Ending != ending || r.Attacker != attacker {
			t.Errorf("%s as %s: %+v", format, contentType, r)
		}
	}
	for _, format := range []notation.Format{notation.SFEN, notation.KIF, notation.KI2, notation.CSA, notation.JKF} {
		text := record.Append(nil, format)
		quoted := mustJSON(t, string(text))
		check(format, "utf-8", jsonType, []byte(`{"text":`+string(quoted)+`}`))
		check(format, "utf-8", jsonType+"; charset=utf-8", []byte(`{"format":"`+format.String()+`","text":`+string(quoted)+`}`))
		sjis, err := notation.Encode(text, notation.ShiftJIS)
		if err != nil {
			t.Fatal(err)
		}
		for contentType, f := range recordTypes {
			if f != notation.Unknown && f != format {
				continue
			}
			check(format, "utf-8", contentType, append([]byte("\ufeff"), text...))
			check(format, "shift_jis", contentType+"; charset=shift_jis", sjis)
			if !bytes.Equal(sjis, text) && format != notation.SFEN {
				check(format, "shift_jis", contentType, sjis)
			}
		}
	}
}

func TestRead(t *testing.T) {
	s := noSolver(t, Config{})
	const game = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
	for _, c := range []struct {
		name, body, contentType string
		want                    int
		part                    string
	}{
		{"EUC-JP, detected", "\xbc\xea\xb9\xe7\xb3\xe4\xa1\xa7\xca\xbf\xbc\xea\n", "text/plain", 200, `"charset":"euc-jp","records":[{"sfen":"` + game},
		{"a BOD is a KIF", "手合割：平手\n", "text/plain", 200, `{"format":"kif"`},
		{"a variation", "手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n変化：1手\n1 ２六歩(27)\n", "text/plain", 200, `"moves":["7g7f","3c3d"]`},
		{"several records", "PI\n+\n/\nPI\n-\n", "text/x-csa", 200, `/LNSGKGSNL w - 1"`},
		{"nobody to mate", "9/9/9/9/9/9/9/9/9 b - 1", "text/plain", 200, `"records":[{"sfen":"9/9/9/9/9/9/9/9/9 b - 1","header":[],"first":"9/9/9/9/9/9/9/9/9 b - 1","moves":[],`},
		{"the defender is to move", "4k4/4G4/4P4/9/9/9/9/9/9 w - 1", "text/plain", 200, `"attacker":"black"`},
		{"a move number", "9/9/9/9/9/9/9/9/4k4 b - 30", "text/plain", 200, `"last":"9/9/9/9/9/9/9/9/4k4 b - 1"`},
		{"CR", "手合割：平手\r1 ７六歩(77)\r", "text/x-kif", 200, `"moves":["7g7f"]`},
		{"HTML in a header", "作者：<b>\n手合割：平手\n", "text/x-kif", 200, `"author":"<b>"`},

		{"two pawns on a file, in JSON", `{"text":"4k4/9/4P4/4P4/9/9/9/9/9 b - 1"}`, "", 422, `{"location":"body.text","offset":11,"line":1,"column":12,"code":"nifu"`},
		{"a move on the second line", "手合割：平手\n1 ７五歩(77)\n", "text/plain", 200, `"notes":[{"code":"unread_moves","line":2,"column":3,`},
		{"a bad variation", "手合割：平手\n1 ７六歩(77)\n変化：1手\n1 ２五歩(27)\n", "text/plain", 200, `"moves":["7g7f"],`},
		{"all faults of a position", "P1 * \nP2 * \n+\n", "text/x-csa", 422, `"line":2`},
		{"a fault in the second record", "PI\n+\n/\nPI\n+\n+7775FU\n", "text/x-csa", 200, `"code":"unread_moves","line":6,"column":1`},
		{"another notation", "手合割：平手\n", "text/x-csa", 422, `"line":1,"column":1,"code":"syntax"`},
		{"another notation, in JSON", `{"text":"手合割：平手","format":"csa"}`, jsonType, 422, `{"location":"body.text","offset":0,"line":1,"column":1,"code":"syntax"`},
		{"no notation", "one two three", "text/plain", 422, `"code":"format"`},
		{"blanks", " \n", "text/plain", 422, `"code":"format"`},
		{"a byte that is no text", "手合割：平手\n\xff", "text/plain; charset=utf-8", 422, `"line":2,"column":1,"code":"charset"`},
		{"UTF-16", "\xff\xfeP\x00I\x00,\x00+\x00", "text/plain", 200, `"charset":"utf-16"`},
		{"half of UTF-16", "\xff\xfeP\x00\x00\xd8", "text/plain", 422, `"code":"charset"`},
		{"text around", "はじめまして\n手合割：平手\n", "text/plain", 200, `"notes":[{"code":"left_out_text","line":1,"column":1,`},
		{"several records of KIF", "手合割：平手\n1 ７六歩(77)\n\n手合割：角落ち\n", "text/plain", 200, `/LNSGKGSNL w - 1"`},

		{"no text", `{}`, jsonType, 422, `"location":"body","code":"required","message":"expected required property text to be present"`},
		{"an empty text", `{"text":""}`, jsonType, 422, `"location":"body.text"`},
		{"a text that is none", `{"text":7}`, jsonType, 422, `"location":"body.text"`},
		{"a notation that is none", `{"text":"startpos","format":"pgn"}`, jsonType, 422, `"location":"body.format"`},
		{"another key", `{"text":"startpos","Format":"kif"}`, jsonType, 422, `"location":"body.Format"`},
		{"a key twice", `{"text":"startpos","text":"4k4"}`, jsonType, 422, `second time`},
		{"a question", question1(mateIn1), jsonType, 422, `"location":"body.sfen","code":"unknown","message":"unexpected property"`},
		{"no JSON", `startpos`, jsonType, 400, `bad_json`},
		{"nothing", "", jsonType, 400, `bad_json`},
		{"nothing as a record", "", "text/plain", 400, `bad_json`},
		{"another charset", "手合割：平手\n", "text/plain; charset=iso-2022-jp", 415, `unsupported_media_type`},
		{"a form", "text=startpos", "application/x-www-form-urlencoded", 415, `unsupported_media_type`},
	} {
		headers := []string{"Content-Type", c.contentType}
		if c.contentType == "" {
			headers = nil
		}
		w := do(s, "POST", "/v1/read", c.body, headers...)
		if w.Code != c.want || !strings.Contains(w.Body.String(), c.part) {
			t.Errorf("%s: %d %.500s, want %d with %s", c.name, w.Code, w.Body, c.want, c.part)
		}
	}
}

// TestReadTooManyMoves: where bodies may be large, moves are bounded all the same.
func TestReadTooManyMoves(t *testing.T) {
	s := noSolver(t, Config{MaxBodyBytes: 1 << 20})
	loop := strings.Repeat("+5958OU\n-5152OU\n+5859OU\n-5251OU\n", notation.MaxMoves/4+1)
	w := do(s, "POST", "/v1/read", "PI\n+\n"+loop, "Content-Type", "text/x-csa")
	if p := wantProblem(t, w, wire.InvalidQuestion); len(p.Errors) != 1 || p.Errors[0].Code != notation.CodeTooLong {
		t.Errorf("%+v", p)
	}
}

// TestReadProblem: sfen is the position POST /v1/solve solves, and attacker its attacker.
func TestReadProblem(t *testing.T) {
	s := newServer(t, Config{})
	for _, e := range examples() {
		if e.Operation != "solve" || e.Status != http.StatusOK || len(e.Query) > 0 || !isRecord(e.contentType()) {
			continue
		}
		solved := parse[wire.Answer](t, text(e.Answer))
		got := readText(t, s, string(text(e.Body)), e.Headers["Content-Type"]).Records[0]
		if got.SFEN != solved.SFEN || got.Attacker != solved.Attacker {
			t.Errorf("%s: read as %s for %s, solved as %s for %s", e.Name, got.SFEN, got.Attacker, solved.SFEN, solved.Attacker)
		}
	}
}

// TestReadRate: a text that is read costs a tenth of a request, and the time that takes, of which
// the clock of this test sees nothing.
func TestReadRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := noSolver(t, Config{RatePerMinute: 2})
		for i := range 20 {
			if w := do(s, "POST", "/v1/read", `{"text":"startpos"}`); w.Code != http.StatusOK || w.Header().Get("X-RateLimit-Remaining") != fmt.Sprint((19-i)/10) {
				t.Fatalf("text %d: %d %v %s", i, w.Code, w.Header(), w.Body)
			}
		}
		w := do(s, "POST", "/v1/read", `{"text":"startpos"}`)
		wantProblem(t, w, wire.RateLimited)
		// Two requests a minute are a token of a tenth of one every three seconds.
		if got := w.Header().Get("Retry-After"); got != "3" {
			t.Errorf("to be sent again after %s s, want 3", got)
		}
	})
}

// FuzzRead: whatever a body is, it is read or has faults; and what was read can be read again.
func FuzzRead(f *testing.F) {
	for _, e := range examples() {
		if e.Operation == "read" || e.Operation == "solve" {
			f.Add(text(e.Body), e.contentType())
		}
	}
	s := fuzzServer(f)
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		w := do(s, "POST", "/v1/read", string(body), "Content-Type", contentType)
		if w.Code != http.StatusOK {
			checkFuzzed(t, w.Code, w.Header().Get("Content-Type"), w.Body.Bytes())
			return
		}
		a := parse[wire.ReadAnswer](t, w.Body.Bytes())
		for _, r := range a.Records {
			if len(r.MovesJa) != len(r.Moves) {
				t.Fatalf("%+v", r)
			}
			game := r.First + " moves " + strings.Join(r.Moves, " ")
			again := do(s, "POST", "/v1/read", string(wire.Encode(wire.ReadRequest{Text: strings.TrimSuffix(game, " moves ")})))
			if again.Code != http.StatusOK {
				t.Fatalf("%s: %d %s", game, again.Code, again.Body)
			}
			got := parse[wire.ReadAnswer](t, again.Body.Bytes()).Records[0]
			if !slices.Equal(got.Moves, r.Moves) || got.First != r.First || got.Last != r.Last || !slices.Equal(got.MovesJa, r.MovesJa) {
				t.Fatalf("%s: first %+v, then %+v", game, r, got)
			}
		}
	})
}
