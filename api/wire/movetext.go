package wire

import (
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/solver/length"
)

// A MoveText is a move in USI, as records in Japanese and as books in English write it.
type MoveText struct {
	Move   string `json:"move"`
	MoveJa string `json:"move_ja"`
	MoveEn string `json:"move_en"`
}

// newMove writes a move that is legal in p. previous is the target of the move before.
func newMove(p *shogi.Position, m shogi.Move, previous shogi.Square) MoveText {
	return MoveText{m.String(), string(movetext.AppendJapanese(nil, p, m, previous)),
		string(movetext.AppendEnglish(nil, p, m))}
}

// A PlaceAnswer is a move of the problem: the ply of the main line, and what is played there.
type PlaceAnswer struct {
	Ply int `json:"ply" minimum:"1"`
	MoveText
}

// A FutileAnswer is why a drop is futile.
type FutileAnswer struct {
	Type      string `json:"type" enum:"x,narrow,xy,xyz,any"`
	Capture   string `json:"capture,omitempty"`
	CaptureJa string `json:"capture_ja,omitempty"`
	CaptureEn string `json:"capture_en,omitempty"`
	NewPiece  bool   `json:"new_piece,omitempty"`
}

// A LengthInterval bounds a length in plies. Without High no mate is known within any bound.
type LengthInterval struct {
	Low  int  `json:"low" minimum:"0"`
	High *int `json:"high,omitempty" minimum:"0"`
}

// newInterval returns nil for the length of what does not mate.
func newInterval(i length.Interval) *LengthInterval {
	if i.Low >= length.Unbounded {
		return nil
	}
	answer := &LengthInterval{Low: i.Low}
	if i.High < length.Unbounded {
		answer.High = &i.High
	}
	return answer
}
