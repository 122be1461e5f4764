package wire

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
)

// paths returns the moves from the start to each end of a tree, told by recursion.
func paths(n *notation.Node, before []string) (all []string) {
	if n.Move != shogi.NoMove {
		before = append(slices.Clone(before), n.Move.String())
	}
	moves := 0
	for _, next := range n.Next {
		if next.Move != shogi.NoMove {
			moves++
			all = append(all, paths(next, before)...)
		}
	}
	if moves == 0 {
		return []string{strings.Join(before, " ")}
	}
	return all
}

// TestRecordAnswer: the lines are those of the tree, each of which leaves the line it says, and the
// two files are read as the same tree.
func TestRecordAnswer(t *testing.T) {
	start := shogi.MustParseSFEN("9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G2r2b4s4n4l17p 1")
	node := func(move string, next ...*notation.Node) *notation.Node {
		m, err := shogi.ParseMove(move)
		if err != nil {
			t.Fatal(err)
		}
		return &notation.Node{Move: m, Next: next}
	}
	end := func(e notation.Ending) *notation.Node { return &notation.Node{End: e} }
	r := &notation.Record{Start: start, Root: &notation.Node{Comments: []string{"head"}, Next: []*notation.Node{
		node("G*5c",
			node("5b4a", node("G*4b", end(notation.Mated)), node("G*3b", node("4a3b", end(notation.NoMate)))),
			node("5b5a", node("G*5b", end(notation.Mated)), node("G*4b", end(notation.Mated))),
			node("5b6a", node("G*6b", end(notation.Mated)))),
		node("G*5a")}}}
	r.Root.Next[0].Next[1].Comments = []string{"equal", "as long"}

	a := NewRecordAnswer(r, "図")
	if !slices.Equal(a.Comments, []string{"head"}) || a.Submission != "図" {
		t.Errorf("comments %q, submission %q", a.Comments, a.Submission)
	}
	type line struct {
		leaves, ply int
		moves, end  string
	}
	var got []line
	full := make([][]string, len(a.Lines))
	var reached []string
	for i, l := range a.Lines {
		one := line{-1, l.Ply, "", l.End}
		if l.Leaves != nil {
			one.leaves = *l.Leaves
			full[i] = slices.Clone(full[*l.Leaves][:l.Ply-1])
		}
		var moves []string
		for _, m := range l.Moves {
			moves = append(moves, m.Move)
		}
		one.moves = strings.Join(moves, " ")
		full[i] = append(full[i], moves...)
		got, reached = append(got, one), append(reached, strings.Join(full[i], " "))
	}
	want := []line{
		{-1, 1, "G*5c 5b4a G*4b", "mate"},
		{0, 3, "G*3b 4a3b", "nomate"},
		{0, 2, "5b5a G*5b", "mate"},
		{2, 3, "G*4b", "mate"},
		{0, 2, "5b6a G*6b", "mate"},
		{0, 1, "G*5a", ""},
	}
	if !slices.Equal(got, want) {
		t.Errorf("lines\n%v\nwant\n%v", got, want)
	}
	if m := a.Lines[2].Moves[0]; m.MoveJa != "△５一玉" || !slices.Equal(m.Comments, []string{"equal", "as long"}) {
		t.Errorf("%+v", m)
	}
	ends := paths(r.Root, nil)
	slices.Sort(ends)
	slices.Sort(reached)
	if !slices.Equal(reached, ends) {
		t.Errorf("the lines end after\n%q\nthe tree after\n%q", reached, ends)
	}
	for format, text := range map[notation.Format][]byte{notation.KIF: []byte(a.KIF), notation.JKF: a.JKF} {
		read, err := notation.Parse(text, notation.Options{Format: format})
		if err != nil {
			t.Fatal(format, err)
		}
		again := paths(read.Root, nil)
		slices.Sort(again)
		if !slices.Equal(again, ends) {
			t.Errorf("%v has the lines %q, want %q", format, again, ends)
		}
	}
	if !json.Valid(a.JKF) {
		t.Errorf("the JKF is no JSON: %s", a.JKF)
	}
	if empty := NewRecordAnswer(&notation.Record{Start: start, Root: &notation.Node{}}, ""); len(empty.Lines) != 1 ||
		len(empty.Lines[0].Moves) != 0 || empty.Comments == nil {
		t.Errorf("of nothing: %+v", empty)
	}
}
