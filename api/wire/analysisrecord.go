//go:build !board

package wire

import (
	"encoding/json"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
)

// A RecordAnswer is a report as a record that people read: the main line and its variations, each
// with comments that say what it is. The same record is there as a list of lines and in two
// notations.
type RecordAnswer struct {
	Comments []string        `json:"comments"`
	Lines    []RecordLine    `json:"lines" minItems:"1"`
	KIF      string          `json:"kif"`
	JKF      json.RawMessage `json:"jkf"` // an object
	// Submission is the report as the text that goes to a magazine with the problem.
	Submission string `json:"submission"`
}

// A RecordLine is a line of a record: the main line, or a variation of another.
type RecordLine struct {
	Leaves *int         `json:"leaves,omitempty" minimum:"0"`
	Ply    int          `json:"ply" minimum:"1"`
	Moves  []RecordMove `json:"moves"`
	End    string       `json:"end,omitempty" enum:"mate,nomate"`
}

// A RecordMove is a move of a line.
type RecordMove struct {
	MoveText
	Comments []string `json:"comments,omitempty"`
}

// NewRecordAnswer returns the answer that has a record and the submission with it.
func NewRecordAnswer(r *notation.Record, submission string) *RecordAnswer {
	a := &RecordAnswer{Comments: r.Root.Comments, KIF: string(r.AppendKIF(nil)), JKF: r.AppendJKF(nil),
		Submission: submission}
	if a.Comments == nil {
		a.Comments = []string{}
	}
	a.addLine(branch{r.Start, shogi.NoSquare, 1, r.Root.Next}, nil)
	return a
}

// A branch is where a line begins: a position, the target of the move that led there, the ply that
// follows, and what is played then.
type branch struct {
	position shogi.Position
	previous shogi.Square
	ply      int
	next     []*notation.Node
}

// addLine adds the line that begins at b with the first move there, and its variations: those of
// later plies first, as records have them, and each before its own. leaves is the line that it
// leaves.
func (a *RecordAnswer) addLine(b branch, leaves *int) {
	number := len(a.Lines)
	l := RecordLine{Leaves: leaves, Ply: b.ply, Moves: []RecordMove{}}
	var variations []branch
	for len(b.next) > 0 {
		n := b.next[0]
		for _, other := range slices.Backward(b.next[1:]) {
			variations = append(variations, branch{b.position, b.previous, b.ply, []*notation.Node{other}})
		}
		switch n.End {
		case notation.Mated:
			l.End = "mate"
		case notation.NoMate:
			l.End = "nomate"
		}
		if n.Move == shogi.NoMove {
			break
		}
		l.Moves = append(l.Moves, RecordMove{newMove(&b.position, n.Move, b.previous), n.Comments})
		b.position.Do(n.Move)
		b.previous, b.ply, b.next = n.Move.To(), b.ply+1, n.Next
	}
	a.Lines = append(a.Lines, l)
	for _, v := range slices.Backward(variations) {
		a.addLine(v, &number)
	}
}
