package notation_test

import (
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

// square returns the square as Japanese records write it.
func square(sq shogi.Square) string {
	files, ranks := []rune("１２３４５６７８９"), []rune("一二三四五六七八九")
	return string(files[sq.File()]) + string(ranks[sq.Rank()])
}

// TestJapanese writes the moves of the diagrams in the federation's 棋譜の表記方法, and more. Only
// what follows the square is in the tables: turned round, White's move must be written with the
// same words.
func TestJapanese(t *testing.T) {
	tests := []struct {
		name  string
		board string
		hand  string
		moves map[string]string // USI to what follows the square
	}{
		// The movement tells them apart: 上, 寄, 引.
		{
			name: "gold up or sideways",
			board: `
				  9 8 7
				b . . G
				c G . .`,
			moves: map[string]string{"9c8b": "金上", "7b8b": "金寄"},
		},
		{
			name: "gold up or back",
			board: `
				  4 3
				a . G
				c G .`,
			moves: map[string]string{"4c3b": "金上", "3a3b": "金引"},
		},
		{
			name: "gold straight up or sideways",
			board: `
				  5 4
				e . G
				f G .`,
			moves: map[string]string{"5f5e": "金上", "4e5e": "金寄"},
		},
		{
			name: "silver up or back",
			board: `
				  8 7
				g . S
				i S .`,
			moves: map[string]string{"8i8h": "銀上", "7g8h": "銀引"},
		},
		{
			name: "silver up or back, the other way",
			board: `
				  4 2
				g S .
				i . S`,
			moves: map[string]string{"2i3h": "銀上", "4g3h": "銀引"},
		},

		// The side: 左, 直, 右.
		{
			name: "gold left or right",
			board: `
				  9 7
				b G G`,
			moves: map[string]string{"9b8a": "金左", "7b8a": "金右"},
		},
		{
			name: "gold left or right of its square",
			board: `
				  3 1
				c G G`,
			moves: map[string]string{"3c2b": "金左", "1c2b": "金右"},
		},
		{
			name: "silver left or right",
			board: `
				  6 4
				e S S`,
			moves: map[string]string{"6e5d": "銀左", "4e5d": "銀右"},
		},
		{
			name: "gold left or straight",
			board: `
				  8 7
				i G G`,
			moves: map[string]string{"8i7h": "金左", "7i7h": "金直"},
		},
		{
			name: "silver straight or right",
			board: `
				  3 2
				i S S`,
			moves: map[string]string{"3i3h": "銀直", "2i3h": "銀右"},
		},
		{
			name: "gold sideways from both sides",
			board: `
				  6 4
				e G G`,
			moves: map[string]string{"6e5e": "金左", "4e5e": "金右"},
		},
		{
			name: "silver back from both sides",
			board: `
				  6 4
				e S S`,
			moves: map[string]string{"6e5f": "銀左", "4e5f": "銀右"},
		},

		// Three and more.
		{
			name: "three golds",
			board: `
				  6 5 4
				c G G G`,
			moves: map[string]string{"6c5b": "金左", "5c5b": "金直", "4c5b": "金右"},
		},
		{
			name: "five tokins",
			board: `
				  9 8 7
				g . +P .
				h +P . .
				i +P +P +P`,
			moves: map[string]string{"7i8h": "と右", "8i8h": "と直", "9i8h": "と左上", "9h8h": "と寄", "8g8h": "と引"},
		},
		{
			name: "six tokins",
			board: `
				  9 8 7
				g . +P .
				h +P . +P
				i +P +P +P`,
			moves: map[string]string{
				"7i8h": "と右上", "8i8h": "と直", "9i8h": "と左上", "9h8h": "と左寄", "7h8h": "と右寄", "8g8h": "と引",
			},
		},
		{
			name: "four silvers",
			board: `
				  3 2 1
				g S . S
				i S S .`,
			moves: map[string]string{"2i2h": "銀直", "1g2h": "銀右", "3i2h": "銀左上", "3g2h": "銀左引"},
		},

		// Two dragons or horses: the movement first, then the side, seen from each other; never 直.
		{
			name: "dragons back or up",
			board: `
				  9 8
				a +R .
				d . +R`,
			moves: map[string]string{"9a8b": "龍引", "8d8b": "龍上"},
		},
		{
			name: "dragons sideways or back",
			board: `
				  5 2
				b +R .
				c . +R`,
			moves: map[string]string{"2c4c": "龍寄", "5b4c": "龍引"},
		},
		{
			name: "dragons sideways from both sides",
			board: `
				  5 1
				e +R +R`,
			moves: map[string]string{"5e3e": "龍左", "1e3e": "龍右"},
		},
		{
			name: "dragons up, one of them straight",
			board: `
				  9 8
				i +R +R`,
			moves: map[string]string{"9i8h": "龍左", "8i8h": "龍右"},
		},
		{
			name: "dragons up on the right edge",
			board: `
				  2 1
				h +R .
				i . +R`,
			moves: map[string]string{"2h1g": "龍左", "1i1g": "龍右"},
		},
		{
			name: "horses back, one of them straight",
			board: `
				  9 8
				a +B +B`,
			moves: map[string]string{"9a8b": "馬左", "8a8b": "馬右"},
		},
		{
			name: "horses sideways or back",
			board: `
				  9 6
				c . +B
				e +B .`,
			moves: map[string]string{"9e8e": "馬寄", "6c8e": "馬引"},
		},
		{
			name: "horses back or up",
			board: `
				  3 1
				a . +B
				d +B .`,
			moves: map[string]string{"1a1b": "馬引", "3d1b": "馬上"},
		},
		{
			name: "horses up from both sides",
			board: `
				  9 5
				i +B +B`,
			moves: map[string]string{"9i7g": "馬左", "5i7g": "馬右"},
		},
		{
			name: "horses back from the left, one nearer than the other",
			board: `
				  4 1
				g +B .
				h . +B`,
			moves: map[string]string{"4g2i": "馬左", "1h2i": "馬右"},
		},
		{
			name: "a dragon straight up is on the right of one on its left",
			board: `
				  6 5
				d +R .
				f . +R`,
			moves: map[string]string{"5f5c": "龍右", "6d5c": "龍左"},
		},
		{
			name: "rooks, and bishops",
			board: `
				  9 7 5 2 1
				e . . R . R
				f B . B . .`,
			moves: map[string]string{"5e2e": "飛左", "1e2e": "飛右", "9f7d": "角左", "5f7d": "角右"},
		},

		// Others.
		{
			name: "knights",
			board: `
				  6 4
				h N N`,
			moves: map[string]string{"6h5f": "桂左", "4h5f": "桂右"},
		},
		{
			name: "promotion follows the words, and its absence is said",
			board: `
				  6 5 4
				a . . S
				c S . S`,
			moves: map[string]string{
				"4c5b+": "銀右上成", "4c5b": "銀右上不成", "6c5b+": "銀左成", "6c5b": "銀左不成", "4a5b+": "銀引成", "4a5b": "銀引不成",
			},
		},
		{
			name: "not promoting, entering, leaving and within",
			board: `
				  9 8 7 5 3 1
				b . B . . . .
				c . . . . . P
				d P . N . . .
				e . . . S R .`,
			moves: map[string]string{
				"8b6d": "角不成", "8b6d+": "角成", "9d9c": "歩不成", "9d9c+": "歩成", "1c1b": "歩不成",
				"7d6b+": "桂成", "5e5d": "銀", "3e3c": "飛不成", "3e3d": "飛",
			},
		},
		{
			name: "kinds that cannot promote do not say so",
			board: `
				  9 8 6 4 2
				b G +S +B +R K`,
			moves: map[string]string{"9b9a": "金", "8b8a": "成銀", "6b6a": "馬", "4b4a": "龍", "2b2a": "玉"},
		},
		{
			name: "a promoted piece is another kind",
			board: `
				  9 8 7 5 4 3
				c . . . . +N +L
				d G +S S . . .
				e . . . G +P .`,
			moves: map[string]string{
				"9d8c": "金", "8d8c": "成銀", "7d8c": "銀不成", "5e4d": "金", "4e4d": "と", "4c4d": "成桂",
			},
		},
		{
			name: "drops, with 打 only where a piece could go",
			board: `
				  9 5
				c G .
				e . L`,
			hand: "GLSP",
			moves: map[string]string{
				"G*9b": "金打", "G*8c": "金打", "G*8d": "金", "G*5f": "金", "L*5c": "香打", "L*5f": "香", "S*9b": "銀", "P*9b": "歩",
			},
		},
		{
			name: "a drop beside the piece that promoted",
			board: `
				  5
				c +P
				e +S`,
			hand:  "PS",
			moves: map[string]string{"P*5b": "歩", "S*5d": "銀"},
		},
		{
			name: "pinned pieces count",
			board: `
				  9 8 7 6 5
				f . . . G .
				g r . . G K`,
			hand:  "G",
			moves: map[string]string{"6f7f": "金寄", "G*6h": "金打", "G*7g": "金打", "6f5e": "金"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			hand := test.hand
			if hand == "" {
				hand = "-"
			}
			shogitest.BothWays(t, shogitest.Draw(t, test.board, "b "+hand), func(t *testing.T, p shogi.Position, turn func(shogi.Move) shogi.Move) {
				mark := [2]string{"▲", "△"}[p.SideToMove()]
				for usi, want := range test.moves {
					m := turn(parseMoves(t, usi)[0])
					if !p.IsLegal(m) {
						t.Errorf("%v is not legal in %s", m, p.SFEN())
						continue
					}
					if got, want := string(movetext.AppendJapanese(nil, &p, m, shogi.NoSquare)), mark+square(m.To())+want; got != want {
						t.Errorf("%v is written %q, want %q", m, got, want)
					}
					if got, want := string(movetext.AppendJapanese([]byte("x"), &p, m, m.To())), "x"+mark+"同　"+want; got != want && !m.IsDrop() {
						t.Errorf("%v on the square of the last move is written %q, want %q", m, got, want)
					}
				}
			})
		})
	}
}

// TestJapaneseIsUnique writes all legal moves of many positions: no two read the same.
func TestJapaneseIsUnique(t *testing.T) {
	rng := shogitest.NewRand(t)
	var buf shogi.MoveBuffer
	for i, sfen := range problems(t) {
		if i == 500 {
			break
		}
		p := shogi.MustParseSFEN(sfen)
		for range 20 {
			moves := p.LegalMoves(&buf, shogi.AllMoves)
			if len(moves) == 0 {
				break
			}
			seen := map[string]shogi.Move{}
			for _, m := range moves {
				text := string(movetext.AppendJapanese(nil, &p, m, shogi.NoSquare))
				if other, ok := seen[text]; ok {
					t.Errorf("%s: %v and %v are both written %s", p.SFEN(), m, other, text)
				}
				seen[text] = m
			}
			p.Do(moves[rng.IntN(len(moves))])
		}
	}
}

func TestJapaneseLine(t *testing.T) {
	tests := []struct{ start, moves, want string }{
		{shogi.StartSFEN, "7g7f 3c3d 8h2b+ 3a2b B*4e", "▲７六歩 △３四歩 ▲２二角成 △同　銀 ▲４五角"},
		{"sp7/ks7/9/+P8/9/9/9/3+N5/9 b BG2rb3g2s3n4l16p 1", "B*8c 8b8c G*9c", "▲８三角 △同　銀 ▲９三金"},
		{"4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1", "G*5b", "▲５二金打"},
		{shogi.StartSFEN, "", ""},
	}
	for _, test := range tests {
		line := movetext.JapaneseLine(shogi.MustParseSFEN(test.start), parseMoves(t, test.moves))
		if got := strings.Join(line, " "); got != test.want {
			t.Errorf("%s: %q, want %q", test.moves, got, test.want)
		}
	}
}

// parseMoves reads moves in USI.
func parseMoves(t *testing.T, texts string) []shogi.Move {
	t.Helper()
	var moves []shogi.Move
	for text := range strings.FieldsSeq(texts) {
		m, err := shogi.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		moves = append(moves, m)
	}
	return moves
}
