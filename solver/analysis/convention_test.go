package analysis_test

import (
	"reflect"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
)

// TestFindLengthTurned: a problem, its mirror image, and either with White as the attacker get the
// same answer, in the same nodes.
func TestFindLengthTurned(t *testing.T) {
	p := shogi.MustParseSFEN("7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1")
	var line []shogi.Move
	for _, text := range []string{"4e4c+", "P*3c", "4c3c", "1c1b", "2a2b+"} {
		m, err := shogi.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		line = append(line, m)
	}
	var want analysis.FoundLength
	for i, turn := range []length.Turning{{}, {Mirror: true}, {Rotate: true}, {Rotate: true, Mirror: true}} {
		attacker := shogi.Black
		if turn.Rotate {
			attacker = shogi.White
		}
		got := analysis.FindLength(t.Context(), length.NewEngine(dfpn.NewSession()), turn.Position(p),
			attacker, length.F2, turn.Moves(line), 1_000_000)
		got.Line = turn.Moves(got.Line)
		for i, r := range got.Futile {
			r.Move, r.Capture = turn.Move(r.Move), turn.Move(r.Capture)
			got.Futile[i] = r
		}
		if i == 0 {
			want = got
		}
		if !reflect.DeepEqual(got, want) || len(got.Line) != 3 || got.Futile[1].Move != line[1] {
			t.Errorf("%+v: %+v, want %+v", turn, got, want)
		}
	}
}

// TestFindLengthTied: where a futile drop lasts as long as another reply, the line of best play has the
// other, though it is no shorter.
func TestFindLengthTied(t *testing.T) {
	g, err := shogi.ParsePosition("8k/5+RPL1/8l/9/5N3/9/9/9/9 b r2b4g4s3n2l17p 1 " +
		"moves 2b2a+ 1a1b 2a2b 1b2b 4e3c+ 2b1b 3b3a+ P*3b 4b3b 1b1a 3a2a")
	if err != nil {
		t.Fatal(err)
	}
	got := analysis.FindLength(t.Context(), length.NewEngine(dfpn.NewSession()), g.Start(), shogi.Black,
		length.F2, g.Moves(), 300_000)
	if got.By != length.Exactly(11) || got.Futile[7].Move != g.Moves()[7] || len(got.Line) != 11 {
		t.Fatalf("%+v", got)
	}
	for i, m := range got.Line {
		if i%2 == 1 && m.IsDrop() {
			t.Errorf("ply %d of %v is a drop", i+1, got.Line)
		}
	}
}
