package shogi_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
)

// addVectors gives the inputs of the vector files to f.
func addVectors(f *testing.F, files ...string) {
	f.Helper()
	for _, file := range files {
		for _, v := range vectors(f, "testdata/"+file) {
			f.Add(v.input)
		}
	}
}

// checkFaults checks what every refusal must keep to: some faults, within the text, each with
// something to say.
func checkFaults(t *testing.T, text string, err error) {
	t.Helper()
	var bad *shogi.SFENError
	if !errors.As(err, &bad) || len(bad.Faults) == 0 || len(bad.Faults) > shogi.MaxFaults {
		t.Fatalf("%q: %v", text, err)
	}
	at := 0
	for _, f := range bad.Faults {
		if f.Offset < at || f.Offset > len(text) || f.Code == "" || f.Field == "" || f.Msg.Text == nil {
			t.Fatalf("%q: %+v after offset %d", text, f, at)
		}
		at = f.Offset
		if f.Square > shogi.NoSquare {
			t.Fatalf("%q: a fault on the square %d", text, f.Square)
		}
		if strings.Contains(f.Msg.String()+f.Msg.Japanese(), "%!") && !strings.Contains(text, "%!") { // what package fmt says of a bad verb
			t.Fatalf("%q: %s", text, f.Msg)
		}
	}
}

// FuzzSFEN parses, prints and parses again.
func FuzzSFEN(f *testing.F) {
	addVectors(f, "valid.txt", "invalid.txt", "refused.txt")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := shogi.ParseSFEN(text)
		if err != nil {
			checkFaults(t, text, err)
			return
		}
		sfen := p.SFEN()
		q, err := shogi.ParseSFEN(sfen)
		if err != nil || q != p || q.SFEN() != sfen {
			t.Fatalf("%q is %q, which is %q, %v", text, sfen, q.SFEN(), err)
		}
		checkPosition(t, &p)
	})
}

// FuzzParsePosition parses, prints start and moves, and parses again.
func FuzzParsePosition(f *testing.F) {
	addVectors(f, "valid.txt", "invalid.txt", "positions.txt", "invalid-positions.txt")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := shogi.ParsePosition(text)
		checkProblem(t, text, g, err)
		if err != nil {
			checkFaults(t, text, err)
			return
		}
		start, end := g.Start(), g.Position()
		printed := "position sfen " + start.SFEN() + " moves"
		for _, m := range g.Moves() {
			printed += " " + m.String()
		}
		h, err := shogi.ParsePosition(printed)
		if err != nil || h.Start() != start || h.Position() != end {
			t.Fatalf("%q is %q: %v", text, printed, err)
		}
		checkPosition(t, &end)
		g.Repetition()
	})
}

// FuzzParseMove parses, prints and parses again, and asks whether the move is legal somewhere.
func FuzzParseMove(f *testing.F) {
	for _, s := range []string{"7g7f", "8h2b+", "P*5e", "K*5e", "0000", "(none)", "resign", "5e5e", "９九"} {
		f.Add(s)
	}
	start := shogi.Start()
	f.Fuzz(func(t *testing.T, text string) {
		m, err := shogi.ParseMove(text)
		if err != nil {
			if m != shogi.NoMove {
				t.Fatalf("%q: %v and %v", text, m, err)
			}
			return
		}
		if m.String() != text || m == shogi.NoMove {
			t.Fatalf("%q is %v", text, m)
		}
		if start.IsLegal(m) {
			u := start.Do(m)
			start.Undo(m, u)
		}
		if start != shogi.Start() {
			t.Fatalf("%v changed the initial position", m)
		}
	})
}

// FuzzDoUndo lets the bytes choose the moves of a game: every move taken back restores the position
// bit for bit, and the position after it is the one its parts describe.
func FuzzDoUndo(f *testing.F) {
	for _, row := range rows(f, "testdata/perft.tsv") {
		f.Add(row[0], []byte("\x00\x01\x02\x03\xff\xfe\x80\x40"))
	}
	f.Fuzz(func(t *testing.T, sfen string, choices []byte) {
		p, err := shogi.ParseSFEN(sfen)
		if err != nil || p.Ply()+len(choices) > shogi.MaxPly {
			return
		}
		type done struct {
			before shogi.Position
			move   shogi.Move
			undo   shogi.Undo
		}
		var stack []done
		var buf shogi.MoveBuffer
		for _, choice := range choices[:min(len(choices), 300)] {
			checkPosition(t, &p)
			moves := p.LegalMoves(&buf, shogi.AllMoves)
			if len(moves) == 0 {
				break
			}
			m := moves[int(choice)*len(moves)/256]
			key := p.BoardKeyAfter(m)
			stack = append(stack, done{before: p, move: m})
			stack[len(stack)-1].undo = p.Do(m)
			if p.BoardKey() != key {
				t.Fatalf("%s: %v leads to another key than foretold", stack[len(stack)-1].before.SFEN(), m)
			}
		}
		for len(stack) > 0 {
			d := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			p.Undo(d.move, d.undo)
			if p != d.before {
				t.Fatalf("%s: %v taken back leaves %s", d.before.SFEN(), d.move, p.SFEN())
			}
		}
	})
}

// checkPosition checks what holds in every position.
func checkPosition(t *testing.T, p *shogi.Position) {
	t.Helper()
	if p.BoardKey() != p.ForSearch().RecomputeBoardKey() {
		t.Fatalf("%s: the key is not that of the board", p.SFEN())
	}
	s := p.Setup()
	if q, err := s.Position(); err != nil || q != *p {
		t.Fatalf("%s: its parts make %s, %v", p.SFEN(), q.SFEN(), err)
	}
	var buf shogi.MoveBuffer
	if n := p.CountLegalMoves(shogi.AllMoves); n != len(p.LegalMoves(&buf, shogi.AllMoves)) {
		t.Fatalf("%s: %d moves counted, others listed", p.SFEN(), n)
	}
	if p.InCheck() && p.HasEvasion() != (len(p.Evasions(&buf, shogi.AllMoves)) > 0) {
		t.Fatalf("%s: has an evasion: %v", p.SFEN(), p.HasEvasion())
	}
	ci := p.CheckInfo()
	checks := p.Checks(&buf, shogi.AllMoves)
	if p.HasCheck() != (len(checks) > 0) {
		t.Fatalf("%s: has a check: %v, and %d are listed", p.SFEN(), p.HasCheck(), len(checks))
	}
	for _, m := range checks {
		if !p.IsLegal(m) || !p.GivesCheck(m, &ci) {
			t.Fatalf("%s: %v is among the checks", p.SFEN(), m)
		}
	}
}
