package theme

import "github.com/tsumero/tsumero/shogi"

// Themes of stretches of play.

// units numbers the pieces, so that one is known again on another square: units[i][sq] is who stands
// on sq after i moves, 0 for nobody.
func (f *finder) units() [][shogi.NumSquares]uint16 {
	all := make([][shogi.NumSquares]uint16, len(f.at))
	next := uint16(1)
	for sq := range f.at[0].Occupied().All() {
		all[0][sq] = next
		next++
	}
	for i, m := range f.line {
		all[i+1] = all[i]
		if m.IsDrop() {
			all[i+1][m.To()] = next
			next++
			continue
		}
		all[i+1][m.To()], all[i+1][m.From()] = all[i][m.From()], 0
	}
	return all
}

func (f *finder) horseSaw() ([]int, bool)  { return f.saw(shogi.Horse) }
func (f *finder) dragonSaw() ([]int, bool) { return f.saw(shogi.Dragon) }

// The periods of a saw are of so many plies, and it has so many of them at least.
const (
	shortestTooth, longestTooth = 4, 8
	teeth                       = 2
)

// saw returns the plies at which a saw by a piece of that kind begins.
func (f *finder) saw(kind shogi.PieceType) (plies []int, ok bool) {
	units := f.units()
	for i := 0; i+teeth*shortestTooth < len(f.at); i += 2 {
		for at := range f.at[i].PiecesOf(shogi.Black, kind).All() {
			if n := f.sawedFrom(units, i, at); n > 0 {
				plies = append(plies, i+1)
				i += n - 2
				break
			}
		}
	}
	return plies, len(plies) > 0
}

// sawedFrom returns for how many plies after i moves the piece on a square makes a saw, 0 if it
// makes none.
func (f *finder) sawedFrom(units [][shogi.NumSquares]uint16, i int, at shogi.Square) int {
	king, unit := f.at[i].King(shogi.White), units[i][at]
	for period := shortestTooth; period <= longestTooth; period += 2 {
		n, file, rank := 0, 0, 0
		for from := at; i+(n+1)*period < len(f.at); n++ {
			start := i + n*period
			to := f.tooth(units, start, period, unit, from)
			if !to.IsValid() || f.at[start+period].King(shogi.White) != king {
				break
			}
			df, dr := int(to.File())-int(from.File()), int(to.Rank())-int(from.Rank())
			if n == 0 {
				file, rank = df, dr
			}
			if df != file || dr != rank || df == 0 && dr == 0 {
				break
			}
			from = to
		}
		if n >= teeth {
			return n * period
		}
	}
	return 0
}

// tooth follows a unit through the period after start moves. It returns where it stands then, or
// NoSquare if it does not turn, which takes two moves, or is no longer there. A piece that takes what
// is interposed on its line goes straight on.
func (f *finder) tooth(units [][shogi.NumSquares]uint16, start, period int, unit uint16, at shogi.Square) shogi.Square {
	turns, before := false, shogi.Bitboard{} // the line that it moved along
	for _, m := range f.line[start : start+period] {
		switch {
		case !m.IsDrop() && m.From() == at:
			turns = turns || !before.IsEmpty() && !before.Has(m.To())
			at, before = m.To(), shogi.RayThrough(at, m.To())
		case m.To() == at:
			return shogi.NoSquare
		}
	}
	if !turns || units[start+period][at] != unit {
		return shogi.NoSquare
	}
	return at
}

const (
	ringPlies = 8 // a return takes so many plies at least
	ringPairs = 2 // so many pieces come back
	ringKeys  = 2 // squares that may differ
)

// chineseRings returns the plies at which an earlier arrangement has come back. A return within one
// that was found counts for nothing.
func (f *finder) chineseRings() (plies []int, ok bool) {
	if len(f.line) <= ringPlies {
		return nil, false
	}
	units := f.units()
	from := 0
	for j := ringPlies; j < len(f.line); j += 2 {
		for i := j - ringPlies; i >= from; i -= 2 {
			if f.isBack(units, i, j) {
				plies = append(plies, j+1)
				from = j
				break
			}
		}
	}
	return plies, len(plies) > 0
}

// isBack reports whether after j moves the arrangement is that after i moves again.
func (f *finder) isBack(units [][shogi.NumSquares]uint16, i, j int) bool {
	p, q := &f.at[i], &f.at[j]
	if p.King(shogi.White) != q.King(shogi.White) || p.SamePosition(q) {
		return false
	}
	changed := p.Occupied().Xor(q.Occupied())
	if changed.Len() > ringKeys {
		return false
	}
	keys := 0
	for sq := range p.Occupied().Or(q.Occupied()).All() {
		if p.Piece(sq) != q.Piece(sq) {
			if keys++; keys > ringKeys {
				return false
			}
		}
	}
	left := map[shogi.Square]bool{} // squares that the attacker's pieces left
	away := false
	for k := i; k < j; k++ {
		m := f.line[k]
		if k%2 == 0 && !m.IsDrop() && units[i][m.From()] == units[k][m.From()] {
			left[m.From()] = true
		}
		away = away || f.at[k].King(shogi.White) != p.King(shogi.White)
	}
	pairs := 0
	for sq := range left {
		if units[j][sq] == units[i][sq] && p.Piece(sq) == q.Piece(sq) && p.Piece(sq).Type() != shogi.King {
			pairs++
		}
	}
	return away && pairs >= ringPairs
}
