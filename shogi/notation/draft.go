package notation

import (
	"errors"
	"strconv"

	"github.com/tsumero/tsumero/shogi"
)

// A draft is a position as it is read, with the place of each part in the text.
type draft struct {
	board   [shogi.NumSquares]shogi.Piece
	boardAt [shogi.NumSquares]place
	hands   [2][shogi.King]int
	handAt  [2][shogi.King]place
	side    shogi.Color
	sideAt  place
	rest    [2]bool // what is nowhere else is in this hand
	restAt  [2]place
	ply     int // 0: not given
}

// load puts the board of p into the draft, at a place.
func (d *draft) load(p *shogi.Position, at place) {
	d.board = p.Setup().Board
	for sq := range d.boardAt {
		d.boardAt[sq] = at
	}
}

// A reader is what readers of KIF and of CSA have in common.
type reader struct {
	grower
	record *Record
	draft  draft
	failed bool // no more moves are read
}

func newRecord(f Format) *Record { return &Record{Format: f, Root: &Node{}} }

// refuse notes a fault behind which no more moves are read.
func (r *reader) refuse(at place, what *shogi.Text, args ...any) {
	r.refuseOn(shogi.NoSquare, at, what, args...)
}

// refuseOn is refuse for a fault about the square sq.
func (r *reader) refuseOn(sq shogi.Square, at place, what *shogi.Text, args ...any) {
	r.faults.addOn(sq, at, what, args...)
	r.failed = true
}

// complete makes the draft the start of the record. It reports whether moves can be read from there.
func (r *reader) complete() bool {
	p, ok := r.draft.position(r.faults)
	r.failed = !ok || len(*r.faults) > 0
	r.record.Start, r.record.ready = p, !r.failed
	return !r.failed
}

// position returns the position, or the faults it has. It writes the draft as an SFEN, so that
// package shogi alone decides what a position may be, and brings the faults back to where the parts
// stand.
func (d *draft) position(f *faults) (shogi.Position, bool) {
	before := len(*f)
	if d.rest == [2]bool{true, true} {
		f.add(d.restAt[shogi.White], bothRest)
	}
	var places [512]place // by offset in the SFEN, which is at most 9*18+8 bytes of board and 28 of each hand
	text := make([]byte, 0, 256)
	for rank := shogi.RankA; rank <= shogi.RankI; rank++ {
		if rank > shogi.RankA {
			text = append(text, '/')
		}
		for file := int(shogi.File9); file >= 0; file-- {
			sq := shogi.SquareAt(shogi.File(file), rank)
			places[len(text)] = d.boardAt[sq]
			if d.board[sq] == shogi.NoPiece {
				text = append(text, '1')
			} else {
				text = append(text, d.board[sq].String()...)
			}
		}
	}
	text = append(text, ' ')
	places[len(text)] = d.sideAt
	text = append(text, "bw"[d.side&1], ' ')
	hands := len(text)
	for c := range d.hands {
		for _, n := range handNames {
			count := min(d.hands[c][n.kind], maxCount)
			if count == 0 {
				continue
			}
			for i := range 4 {
				places[len(text)+i] = d.handAt[c][n.kind]
			}
			text = strconv.AppendInt(text, int64(count), 10)
			text = append(text, shogi.PieceOf(shogi.Color(c), n.kind).String()...)
		}
	}
	if len(text) == hands {
		text = append(text, '-')
	}
	text = strconv.AppendInt(append(text, ' '), int64(max(d.ply, 1)), 10)

	p, err := shogi.ParseSFEN(string(text))
	var e *shogi.SFENError
	if errors.As(err, &e) {
		for _, fault := range e.Faults {
			f.addMessage(fault.Square, places[min(fault.Offset, len(places)-1)], fault.Code, fault.Msg)
		}
	}
	for c, rest := range d.rest {
		if rest {
			p.GiveMissing(shogi.Color(c))
		}
	}
	return p, len(*f) == before
}
