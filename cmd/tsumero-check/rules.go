package main

import (
	"slices"
	"strconv"
	"strings"
)

// A position is a board in the order of an SFEN, square 0 being 9a, and what each side holds. A
// piece is twice its kind, and 1 more if it is White's; 0 is an empty square.
type position struct {
	board [81]uint8
	hands [2]hand // Black's, White's
	side  int     // to move: 0 is Black, 1 is White
}

type hand [8]int8 // by kind

// A kind is the place of its letter. Promoted it is 8 more: kind&7 is what it is in the hand.
const (
	letters             = " PLNSGBRK"
	pawn, lance, knight = 1, 2, 3
	gold, king          = 5, 8
)

// fullSet is what there is of each kind but kings.
var fullSet = hand{pawn: 18, lance: 4, knight: 4, 4, gold: 4, 2, 2}

// steps are those of each kind as its owner sees them, by keys that lie around s on a keyboard, and
// n and m for the jumps of the knight. A capital goes on over empty squares.
//
//	n . m
//	q w e
//	a s d
//	z x c
const (
	keys     = "n.mqweasdzxc"
	goldStep = "qweadx"
)

var steps = [16]string{pawn: "w", lance: "W", knight: "nm", 4: "qwezc", gold: goldStep, 6: "QEZC",
	7: "WADX", king: "qweadzxc", 8 | pawn: goldStep, goldStep, goldStep, goldStep,
	8 | 6: "QEZCwadx", "WADXqezc"}

// rays are, by piece and square, the squares that the piece attacks on an empty board, a list for
// each direction.
var rays = func() (list [32][81][][]int) {
	for piece := range list {
		for from := range 81 {
			for _, key := range []byte(steps[piece>>1]) {
				i := strings.IndexByte(keys, key|32)
				dx, dy, ray := i%3-1, (i/3-2)*(1-2*(piece&1)), []int{}
				for x, y := from%9+dx, from/9+dy; x >= 0 && x < 9 && y >= 0 && y < 9; x, y = x+dx, y+dy {
					if ray = append(ray, y*9+x); key >= 'a' {
						break
					}
				}
				list[piece][from] = append(list[piece][from], ray)
			}
		}
	}
	return list
}()

func isOf(piece uint8, side int) bool { return piece > 0 && int(piece&1) == side }

// inCheck reports whether the king of a side, if it has one, is attacked.
func (p *position) inCheck(side int) bool {
	at := slices.Index(p.board[:], uint8(king<<1|side))
	for from, piece := range p.board {
		if at < 0 || !isOf(piece, 1-side) {
			continue
		}
		for _, ray := range rays[piece][from] {
			for _, to := range ray {
				if to == at {
					return true
				}
				if p.board[to] > 0 {
					break
				}
			}
		}
	}
	return false
}

// A move takes the piece from a square, or drops one of a kind.
type move struct {
	from, to, drop int
	promote        bool
}

// String returns the move in USI.
func (m move) String() string {
	s := []byte{byte('9' - m.from%9), byte('a' + m.from/9), byte('9' - m.to%9), byte('a' + m.to/9)}
	if m.drop > 0 {
		s[0], s[1] = letters[m.drop], '*'
	}
	if m.promote {
		s = append(s, '+')
	}
	return string(s)
}

// after returns the position after a move.
func (p position) after(m move) position {
	if m.drop > 0 {
		p.hands[p.side][m.drop]--
		p.board[m.to] = uint8(m.drop<<1 | p.side)
	} else {
		if taken := p.board[m.to]; taken > 0 {
			p.hands[p.side][taken>>1&7]++
		}
		p.board[m.to], p.board[m.from] = p.board[m.from], 0
	}
	if m.promote {
		p.board[m.to] |= 8 << 1
	}
	p.side = 1 - p.side
	return p
}

// ahead returns how many ranks lie before a square as a side sees it.
func ahead(at, side int) int { return at/9*(1-2*side) + 8*side }

// stuck reports whether a piece could never move from the square (行き所のない駒).
func stuck(kind, at, side int) bool {
	return (kind == pawn || kind == lance) && ahead(at, side) < 1 ||
		kind == knight && ahead(at, side) < 2
}

// pawns returns how many pawns the side has on the file of the square.
func (p *position) pawns(at, side int) (n int) {
	for at %= 9; at < 81; at += 9 {
		if p.board[at] == uint8(pawn<<1|side) {
			n++
		}
	}
	return n
}

// moves returns the legal moves in the order of their texts, or of these only the checks.
func (p *position) moves(checks bool) (list []move) {
	side := p.side
	add := func(m move) (safe bool) {
		q := p.after(m)
		if q.inCheck(side) {
			return false
		}
		if (!checks || q.inCheck(1-side)) && !(m.drop == pawn && q.mated()) { // 打ち歩詰
			list = append(list, m)
		}
		return true
	}
	for at, piece := range p.board {
		kind := int(piece >> 1)
		for drop, n := range p.hands[side] {
			if n > 0 && piece == 0 && !stuck(drop, at, side) &&
				(drop != pawn || p.pawns(at, side) == 0) && !add(move{to: at, drop: drop}) {
				break // nor does another kind keep the king safe
			}
		}
		if !isOf(piece, side) {
			continue
		}
		for _, ray := range rays[piece][at] {
			for _, to := range ray {
				if isOf(p.board[to], side) {
					break
				}
				if !stuck(kind, to, side) {
					add(move{from: at, to: to})
				}
				if kind < king && kind != gold && min(ahead(at, side), ahead(to, side)) < 3 {
					add(move{from: at, to: to, promote: true})
				}
				if p.board[to] > 0 {
					break
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b move) int { return strings.Compare(a.String(), b.String()) })
	return list
}

// mated reports whether the side to move is in check and has no legal move.
func (p *position) mated() bool { return p.inCheck(p.side) && len(p.moves(false)) == 0 }

// parseBoard reads the first field of an SFEN.
func parseBoard(text string) (board [81]uint8) {
	for n := 1; n <= 9; n++ {
		text = strings.ReplaceAll(text, strconv.Itoa(n), strings.Repeat(" ", n))
	}
	rows, at := strings.Split(text, "/"), 0
	for _, row := range rows {
		require(len(rows) == 9 && len(row)-strings.Count(row, "+") == 9 && row[len(row)-1] != '+',
			"the board is not 9x9")
		for i, c := range []byte(row) {
			kind := strings.IndexByte(letters, c&^32)
			if i > 0 && row[i-1] == '+' {
				require(kind > 0 && kind < king && kind != gold, "%q cannot be promoted", c)
				kind |= 8
			}
			if kind > 0 {
				board[at] = uint8(kind<<1) | c>>5&1
			}
			if c != '+' {
				require(kind > 0 || c == ' ', "%q is no piece", c)
				at++
			}
		}
	}
	return board
}

// parseHands reads the third field of an SFEN.
func parseHands(text string) (hands [2]hand) {
	for rest := text; text != "-" && rest != ""; {
		letter := strings.TrimLeft(rest, "0123456789")
		n, err := strconv.Atoi("0" + strings.TrimSuffix(rest, letter))
		if letter == rest {
			n = 1
		}
		require(err == nil && n > 0 && n <= 18 && letter != "", "the hand %q is wrong", text)
		kind, h := strings.IndexByte(letters[:king], letter[0]&^32), &hands[letter[0]>>5&1]
		require(kind > 0 && h[kind] == 0, "the hand %q is wrong", text)
		h[kind], rest = int8(n), letter[1:]
	}
	return hands
}

// pieces returns how many there are of each kind but kings, those in hand too.
func (p *position) pieces() (total hand) {
	for _, piece := range p.board {
		total[piece>>1&7]++
	}
	for kind := range total {
		total[kind] += p.hands[0][kind] + p.hands[1][kind]
	}
	total[0] = 0 // kings and empty squares
	return total
}

// covers reports whether a hand has all that another has.
func (h hand) covers(other hand) bool {
	for kind, n := range other {
		if h[kind] < n {
			return false
		}
	}
	return true
}

// validate refuses a position that cannot be, and one in which the defender has no king.
func (p *position) validate(defender int) {
	kings := [2]int{}
	for at, piece := range p.board {
		kind, side := int(piece>>1), int(piece&1)
		if kind == king {
			kings[side]++
		}
		require(kind != pawn || p.pawns(at, side) == 1, "two pawns are on a file")
		require(!stuck(kind, at, side), "a piece can never move")
	}
	require(fullSet.covers(p.pieces()), "there are more pieces than in a set")
	require(kings[defender] == 1 && kings[1-defender] < 2, "a king is missing, or one too many")
	require(!p.inCheck(1-p.side), "the side that is not to move is in check")
}
