package shogi

// A Color is a side: Black (先手, moves up the board) or White (後手).
type Color uint8

// The two sides.
const (
	Black Color = iota
	White
)

// Opponent returns the other side.
func (c Color) Opponent() Color { return c ^ 1 }

// String returns "black" or "white".
func (c Color) String() string {
	if c == Black {
		return "black"
	}
	return "white"
}

// A PieceType is a kind of piece without its colour. The zero value is no piece.
// Promotion adds promotedBit, so that a kind and its promoted form differ in one bit.
type PieceType uint8

// The kinds of piece. The seven kinds that can be held in hand come first.
const (
	NoPieceType PieceType = iota
	Pawn                  // 歩
	Lance                 // 香
	Knight                // 桂
	Silver                // 銀
	Bishop                // 角
	Rook                  // 飛
	Gold                  // 金
	King                  // 玉
	Tokin                 // と, promoted pawn
	ProLance              // 成香
	ProKnight             // 成桂
	ProSilver             // 成銀
	Horse                 // 馬, promoted bishop
	Dragon                // 龍, promoted rook
)

const (
	promotedBit   = 8
	numPieceTypes = 15
)

// FullSet is how many pieces of each hand kind a shogi set has, promoted ones counted with their
// base kind.
var FullSet = [King]int{Pawn: 18, Lance: 4, Knight: 4, Silver: 4, Bishop: 2, Rook: 2, Gold: 4}

// IsPromoted reports whether t is a promoted kind.
func (t PieceType) IsPromoted() bool { return t > King }

// CanPromote reports whether t has a promoted form.
func (t PieceType) CanPromote() bool { return t >= Pawn && t <= Rook }

// Promoted returns the promoted form of t, which must have one.
func (t PieceType) Promoted() PieceType { return t | promotedBit }

// Base returns the kind t returns to when captured: the unpromoted form.
func (t PieceType) Base() PieceType {
	if t.IsPromoted() {
		return t &^ promotedBit
	}
	return t
}

// IsSlider reports whether t moves any distance in some direction.
func (t PieceType) IsSlider() bool { return sliderKinds>>t&1 != 0 }

// MayNeedNoPromotion reports whether t can check where its promoted form cannot: lance, knight and
// silver.
func (t PieceType) MayNeedNoPromotion() bool { return t >= Lance && t <= Silver }

const sliderKinds = 1<<Lance | 1<<Bishop | 1<<Rook | 1<<Horse | 1<<Dragon

// String returns the SFEN letter of t in upper case, with "+" before a promoted kind.
func (t PieceType) String() string {
	if t == NoPieceType || t >= numPieceTypes {
		return "-"
	}
	s := pieceLetters[t.Base() : t.Base()+1]
	if t.IsPromoted() {
		return "+" + s
	}
	return s
}

const pieceLetters = "-PLNSBRGK"

// pieceTypeOf returns the kind an upper-case SFEN letter names, or NoPieceType.
func pieceTypeOf(letter byte) PieceType {
	switch letter {
	case 'P':
		return Pawn
	case 'L':
		return Lance
	case 'N':
		return Knight
	case 'S':
		return Silver
	case 'B':
		return Bishop
	case 'R':
		return Rook
	case 'G':
		return Gold
	case 'K':
		return King
	}
	return NoPieceType
}

// A Piece is a kind and a colour. The zero value, NoPiece, is an empty square.
type Piece uint8

// NoPiece is an empty square.
const NoPiece Piece = 0

const whiteBit = 16

// PieceOf returns the piece of kind t and colour c.
func PieceOf(c Color, t PieceType) Piece { return Piece(t) | Piece(c)*whiteBit }

// Type returns the kind of pc, NoPieceType for an empty square.
func (pc Piece) Type() PieceType { return PieceType(pc & (whiteBit - 1)) }

// Color returns the colour of pc, which must not be NoPiece.
func (pc Piece) Color() Color { return Color(pc / whiteBit) }

// String returns the SFEN letters of pc: upper case for Black, lower case for White.
func (pc Piece) String() string {
	s := pc.Type().String()
	if pc != NoPiece && pc.Color() == White {
		b := []byte(s)
		b[len(b)-1] |= 0x20
		return string(b)
	}
	return s
}
