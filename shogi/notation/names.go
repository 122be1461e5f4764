package notation

import (
	"strconv"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
)

// A pieceName is a kind of piece in every notation. In the moves of KIF and KI2 it has the name that
// its method Japanese returns.
type pieceName struct {
	kind  shogi.PieceType
	csa   string // CSA and JKF
	board string // one character on a drawn board, and in a hand
}

// pieceNames is the one table of piece names, in the order in which hands are written.
var pieceNames = [...]pieceName{
	{shogi.Rook, "HI", "飛"},
	{shogi.Bishop, "KA", "角"},
	{shogi.Gold, "KI", "金"},
	{shogi.Silver, "GI", "銀"},
	{shogi.Knight, "KE", "桂"},
	{shogi.Lance, "KY", "香"},
	{shogi.Pawn, "FU", "歩"},
	{shogi.King, "OU", "玉"},
	{shogi.Dragon, "RY", "龍"},
	{shogi.Horse, "UM", "馬"},
	{shogi.ProSilver, "NG", "全"},
	{shogi.ProKnight, "NK", "圭"},
	{shogi.ProLance, "NY", "杏"},
	{shogi.Tokin, "TO", "と"},
}

// handNames are the names of what can be held, in the order in which hands are written.
var handNames = pieceNames[:7]

// nameOf returns the names of a kind, which must be one.
func nameOf(t shogi.PieceType) *pieceName {
	for i := range pieceNames {
		if pieceNames[i].kind == t {
			return &pieceNames[i]
		}
	}
	panic("notation: no name for the kind " + t.String())
}

// otherNames are the names that occur beside those of the table.
var otherNames = map[string]shogi.PieceType{"王": shogi.King, "竜": shogi.Dragon, "步": shogi.Pawn}

// kindOfCSA returns the kind a CSA name means, or NoPieceType.
func kindOfCSA(name string) shogi.PieceType {
	for i := range pieceNames {
		if pieceNames[i].csa == name {
			return pieceNames[i].kind
		}
	}
	return shogi.NoPieceType
}

// CSAName returns the name of a kind of piece in CSA, such as "FU".
func CSAName(t shogi.PieceType) string { return nameOf(t).csa }

// ParseCSAName returns the kind of piece that a name in CSA means.
func ParseCSAName(name string) (shogi.PieceType, bool) {
	t := kindOfCSA(name)
	return t, t != shogi.NoPieceType
}

// kindOnBoard returns the kind that one character of a drawn board means, or NoPieceType.
func kindOnBoard(char string) shogi.PieceType {
	for i := range pieceNames {
		if pieceNames[i].board == char {
			return pieceNames[i].kind
		}
	}
	return otherNames[char]
}

// cutKind takes the name of a kind, as moves have it, from the front of s.
func cutKind(s string) (shogi.PieceType, string, bool) {
	for i := range pieceNames {
		n := &pieceNames[i]
		if rest, ok := strings.CutPrefix(s, n.kind.Japanese()); ok {
			return n.kind, rest, true
		}
		if rest, ok := strings.CutPrefix(s, n.board); ok {
			return n.kind, rest, true
		}
	}
	for name, kind := range otherNames {
		if rest, ok := strings.CutPrefix(s, name); ok {
			return kind, rest, true
		}
	}
	return shogi.NoPieceType, s, false
}

// kanji returns n, from 1 to 99, in kanji: 十八.
func kanji(n int) string {
	var s string
	if n >= 20 {
		s = movetext.Kanji[n/10]
	}
	if n >= 10 {
		s += "十"
	}
	if n%10 > 0 {
		s += movetext.Kanji[n%10]
	}
	return s
}

// digitOf returns the value of a digit in ASCII, full width or kanji, 十 being 10; -1 if r is none.
func digitOf(r rune) int {
	switch {
	case r >= '0' && r <= '9':
		return int(r - '0')
	case r >= '０' && r <= '９':
		return int(r - '０')
	}
	for i, k := range movetext.Kanji {
		if k == string(r) {
			return i
		}
	}
	return -1
}

// maxCount is more than any number of pieces; cutCount goes no higher.
const maxCount = 999

// cutCount takes a number of pieces, in kanji (十八), positional kanji (一八) or digits, from the
// front of s. ok is false if there is none.
func cutCount(s string) (n int, rest string, ok bool) {
	for i, r := range s {
		d := digitOf(r)
		switch {
		case d < 0:
			return n, s[i:], ok
		case d == 10 && n == 0:
			n = 10
		case d == 10:
			n *= 10
		case n >= 10 && n%10 == 0 && strings.HasSuffix(s[:i], "十"):
			n += d
		default:
			n = n*10 + d
		}
		n, ok = min(n, maxCount), true
	}
	return n, "", ok
}

// A handicap (手合割) is a position from which games start.
type handicap struct {
	kif  string
	jkf  string // its preset; empty if it has none
	sfen string
}

// The pieces of White below its first two ranks, and those of Black, stand as in the initial
// position.
const belowHandicap = "/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL "

// handicaps are the standard values of 手合割, those with a position. White gives the odds and
// moves first; left and right are White's, so that the left lance stands on 1a.
var handicaps = []handicap{
	{"平手", "HIRATE", shogi.StartSFEN},
	{"香落ち", "KY", "lnsgkgsn1/1r5b1" + belowHandicap + "w - 1"},
	{"右香落ち", "KY_R", "1nsgkgsnl/1r5b1" + belowHandicap + "w - 1"},
	{"角落ち", "KA", "lnsgkgsnl/1r7" + belowHandicap + "w - 1"},
	{"飛車落ち", "HI", "lnsgkgsnl/7b1" + belowHandicap + "w - 1"},
	{"飛香落ち", "HIKY", "lnsgkgsn1/7b1" + belowHandicap + "w - 1"},
	{"二枚落ち", "2", "lnsgkgsnl/9" + belowHandicap + "w - 1"},
	{"三枚落ち", "3", "lnsgkgsn1/9" + belowHandicap + "w - 1"},
	{"四枚落ち", "4", "1nsgkgsn1/9" + belowHandicap + "w - 1"},
	{"五枚落ち", "5", "2sgkgsn1/9" + belowHandicap + "w - 1"},
	{"左五枚落ち", "5_L", "1nsgkgs2/9" + belowHandicap + "w - 1"},
	{"六枚落ち", "6", "2sgkgs2/9" + belowHandicap + "w - 1"},
	{"左七枚落ち", "7_L", "2sgkg3/9" + belowHandicap + "w - 1"},
	{"右七枚落ち", "7_R", "3gkgs2/9" + belowHandicap + "w - 1"},
	{"八枚落ち", "8", "3gkg3/9" + belowHandicap + "w - 1"},
	{"十枚落ち", "10", "4k4/9" + belowHandicap + "w - 1"},
}

// otherHandicaps are names that occur beside those of the table, without 落ち.
var otherHandicaps = map[string]string{"飛": "飛車", "左香": "香", "飛車香": "飛香", "飛角": "二枚"}

// handicapNamed returns the handicap of a name in KIF, or nil. 落ち may be written 落, and the
// number of pieces in digits.
func handicapNamed(name string) *handicap {
	name = strings.ReplaceAll(folded(name), " ", "")
	for digit, kanji := range movetext.Kanji {
		if rest, ok := strings.CutPrefix(name, strconv.Itoa(digit)+"枚"); ok {
			name = kanji + "枚" + rest
		}
	}
	short := strings.TrimSuffix(strings.TrimSuffix(name, "ち"), "落")
	if other := otherHandicaps[short]; other != "" && short != name {
		name = other + "落ち"
	}
	for i := range handicaps {
		if h := &handicaps[i]; name == h.kif || name+"ち" == h.kif {
			return h
		}
	}
	return nil
}

// handicapOf returns the handicap that p is, move number aside, or nil.
func handicapOf(p *shogi.Position) *handicap {
	for i := range handicaps {
		if start := shogi.MustParseSFEN(handicaps[i].sfen); start.SamePosition(p) {
			return &handicaps[i]
		}
	}
	return nil
}
