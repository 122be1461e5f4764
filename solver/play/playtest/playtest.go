// Package playtest is what tests of playing engines share: positions next to the limit of moves,
// with their value and their best moves under each rule for the last move, and positions in which a
// side may or may not declare its win. Nothing but tests imports it.
//
// The values are those of full-width searches to the limit, which the tests of this package repeat
// with the rules of package shogi and of package mailbox.
package playtest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
)

// A Value is what a position is worth to its side to move if both play their best. The zero Value
// is not stated.
type Value byte

// The values.
const (
	Win  Value = 'W'
	Draw Value = 'D'
	Loss Value = 'L'
)

// A Vector is a question about the rules at the end of a game, and the answer.
type Vector struct {
	ID string
	// Start is the position the game begins with, and Moves are the moves played from there.
	Start shogi.Position
	Moves []shogi.Move
	Rules play.Rules

	// The position is worth Value to its side to move. If the game is over, End says why.
	Value Value
	End   play.End
	// Best are the moves that reach Value. If there are too many to list, Best is nil and NumBest
	// says how many there are; 0: not stated.
	Best    []shogi.Move
	NumBest int
}

// Game returns the game up to the position asked about.
func (v *Vector) Game() *shogi.Game {
	g := shogi.NewGame(v.Start)
	for _, m := range v.Moves {
		g.Do(m)
	}
	return &g
}

// String returns the ID, the rules and the position.
func (v *Vector) String() string {
	p := v.Game().Position()
	return fmt.Sprintf("%s: %s under rule %d for move %d", v.ID, p.SFEN(), v.Rules.LastMove, v.Rules.MaxMoves)
}

// Mirrored returns the vector in a mirror: file 1 becomes file 9.
func (v *Vector) Mirrored() Vector {
	return v.turned(v.Start.Mirrored(), shogi.Move.Mirrored)
}

// Rotated returns the vector seen from the other side.
func (v *Vector) Rotated() Vector {
	return v.turned(v.Start.Rotated(), shogi.Move.Rotated)
}

func (v *Vector) turned(start shogi.Position, turn func(shogi.Move) shogi.Move) Vector {
	w := *v
	w.Start, w.Moves, w.Best = start, nil, nil
	for _, m := range v.Moves {
		w.Moves = append(w.Moves, turn(m))
	}
	for _, m := range v.Best {
		w.Best = append(w.Best, turn(m))
	}
	return w
}

// Moved returns the vector with another limit of moves and, so that it is as near, another ply.
func (v *Vector) Moved(maxMoves int) Vector {
	w := *v
	if v.Rules.MaxMoves == 0 {
		return w
	}
	w.Rules.MaxMoves = maxMoves
	w.Start = atPly(v.Start, v.Start.Ply()+maxMoves-v.Rules.MaxMoves)
	return w
}

func atPly(p shogi.Position, ply int) shogi.Position {
	setup := p.Setup()
	setup.Ply = ply
	p, err := setup.Position()
	if err != nil {
		panic(err)
	}
	return p
}

// The positions, as seen by who is to win. SFENs without the last field.
const (
	mateIn1    = "4k4/9/4P4/9/9/9/9/9/4K4 b G"
	mated      = "4k4/4G4/4P4/9/9/9/9/9/4K4 w -" // the same after G*5b
	checked    = "4k4/4G4/9/9/9/9/9/9/4K4 w -"   // 5a5b is the only move
	distant    = "9/7n1/8k/9/7R1/9/9/9/K8 b R"   // R*1a mates from afar
	noMove     = "8k/9/8G/9/9/9/9/9/K6L1 w -"    // no move, and no check
	mateIn3    = "8k/9/9/7P1/9/9/9/9/K8 b 2G"
	mateIn3or5 = "8k/9/9/9/7P1/9/9/9/K8 b 2G"
	oneMove    = "8k/9/6+P1G/9/9/9/9/9/K8 w -" // 1a2a, and then mated in one
	threatened = "8k/9/9/9/1r7/9/K8/1N7/9 b r" // Black must stop a mate by a distant rook
	pawnMate   = "7lk/9/8G/9/9/9/9/9/K8 b P"   // P*1b would mate (打ち歩詰め)
	lanceMate  = "7lk/9/8G/9/9/9/9/9/K8 b L"   // L*1b may
	pushMate   = "7nk/9/8P/7N1/9/9/9/9/K8 b -" // two mates by moves
	manyMates  = "8k/9/7GS/9/9/8L/9/9/K8 b -"  // discovered and double checks
	rook       = "4k4/9/9/9/9/9/9/9/K4R3 b -"  // gives perpetual check
	bareKings  = "4k4/9/9/9/9/9/9/9/4K4 b -"
	rookRound  = " 4i5i 5a4a 5i4i 4a5a"
	kingsRound = " 5i4i 5a4a 4i5i 4a5a"
)

// Vectors are the vectors T-01 to T-38. Those that were given for one position at several plies, to
// be searched one after the other with one table, in either order, share an ID.
var Vectors = parse([]row{
	{"T-01", mateIn1, 255, "", 256, "W G*5b", "W G*5b"},
	{"T-02", mateIn1, 256, "", 256, "W G*5b", "D 85"},
	{"T-03", mateIn1, 257, "", 256, "D limit", "D limit"},
	{"T-04", mated, 256, "", 256, "L mate", "L mate"},
	{"T-05", mated, 257, "", 256, "L mate", "D limit"},
	{"T-06", checked, 256, "", 256, "D 5a5b", "D 5a5b"},
	{"T-07", checked, 257, "", 256, "D limit", "D limit"},
	{"T-08", distant, 255, "", 256, "W R*1a", "W"},
	{"T-09", distant, 256, "", 256, "W R*1a", "D"},
	{"T-10", distant, 257, "", 256, "D limit", "D limit"},
	{"T-11", noMove, 256, "", 256, "L nomove", "L nomove"},
	{"T-12", noMove, 257, "", 256, "L nomove", "D limit"},
	{"T-13", mateIn3, 253, "", 256, "W 2d2c+ G*1c G*2c", "W 2d2c+ G*1c G*2c"},
	{"T-14", mateIn3, 254, "", 256, "W 2d2c+ G*1c G*2c", "D 83"},
	{"T-15", mateIn3, 255, "", 256, "D 83", "D"},
	{"T-16", mateIn3, 318, "", 320, "W", "D"},
	{"T-16", mateIn3, 319, "", 320, "D", "D"},
	{"T-17", mateIn3, 509, "", 512, "W", "W"},
	{"T-17", mateIn3, 510, "", 512, "W", "D"},
	{"T-17", mateIn3, 511, "", 512, "D", "D"},
	{"T-18", mateIn3or5, 252, "", 256, "W 2e2d G*1c G*2c G*3b G*3c", "W G*1c G*2c"},
	{"T-19", mateIn3or5, 253, "", 256, "W G*1c G*2c", ""},
	{"T-20", mateIn3or5, 251, "", 256, "", "W 2e2d G*1c G*2c G*3b G*3c"},
	{"T-21", oneMove, 254, "", 256, "L 1a2a", "L 1a2a"},
	{"T-22", oneMove, 255, "", 256, "L 1a2a", "D 1a2a"},
	{"T-23", oneMove, 256, "", 256, "D 1a2a", "D 1a2a"},
	{"T-24", threatened, 254, "", 256, "D 9g9h", ""},
	{"T-25", threatened, 255, "", 256, "D 9g9h", "D 9g9h 8h9f 8h7f 9g9f"},
	{"T-26", threatened, 256, "", 256, "D 4", "D 4"},
	{"T-27", mateIn3, 10, "", 256, "W", "W"},
	{"T-27", mateIn3, 255, "", 256, "D", "D"},
	{"T-28", mateIn1, 256, "", 256, "W", "D"},
	{"T-28", mateIn1, 257, "", 256, "D limit", "D limit"},
	{"T-28", mated, 257, "", 256, "L mate", "D limit"},
	{"T-28", mated, 10, "", 256, "L mate", "L mate"},
	{"T-29", pawnMate, 256, "", 256, "D 76", "D 76"},
	{"T-30", lanceMate, 256, "", 256, "W L*1b", "D 77"},
	{"T-31", pushMate, 256, "", 256, "W 1c1b+ 2d1b+", "D"},
	{"T-32", manyMates, 256, "", 256, "W 1c1b+ 1c1b 1c2b+ 1c2b 2c2b 2c3b 2c1b", "D"},
	{"T-33", mateIn3, 100_000, "", 0, "W", "W"},
	{"T-34", rook, 245, rookRound + rookRound + rookRound, 256, "L perpetual", "L perpetual"},
	{"T-35", rook, 245, rookRound + rookRound + " 4i5i 5a4a", 256, "D !5i4i", "D"},
	{"T-36", bareKings, 245, kingsRound + kingsRound + kingsRound, 256, "D repetition", "D repetition"},
	{"T-37", mateIn3, 300, "", 256, "D limit", "D limit"},
}, []row{
	{"T-38", rook, 256, " 4i5i", 256, "?", ""},
})

// A row is a line of the table: the answers under MateWins and MateDraws, or, in the second table,
// under ExtendChecks. An answer is a Value, and then why the game is over, the best moves, or how
// many they are; a move after ! is the only one that is not among the best. An empty answer is not
// given.
type row struct {
	id, position string
	ply          int
	moves        string
	maxMoves     int
	wins, draws  string
}

func parse(rows, extending []row) (vectors []Vector) {
	add := func(r row, rule play.LastMoveRule, answer string) {
		if answer != "" {
			vectors = append(vectors, vector(r, rule, answer))
		}
	}
	for _, r := range rows {
		add(r, play.MateWins, r.wins)
		add(r, play.MateDraws, r.draws)
	}
	for _, r := range extending {
		add(r, play.ExtendChecks, r.wins)
	}
	return vectors
}

func vector(r row, rule play.LastMoveRule, answer string) Vector {
	v := Vector{
		ID: r.id, Start: shogi.MustParseSFEN(r.position + " " + strconv.Itoa(r.ply)), Moves: mustParseMoves(r.moves),
		Rules: play.Rules{MaxMoves: r.maxMoves, LastMove: rule},
	}
	words := strings.Fields(answer)
	if words[0] != "?" {
		v.Value = Value(words[0][0])
	}
	if len(words) == 1 {
		return v
	}
	for end := play.Repetition; end <= play.MoveLimit; end++ {
		if words[1] == end.String() {
			v.End = end
			return v
		}
	}
	if n, err := strconv.Atoi(words[1]); err == nil {
		v.NumBest = n
		return v
	}
	if worse, ok := strings.CutPrefix(words[1], "!"); ok {
		p, bad := v.Game().Position(), mustParseMoves(worse)[0]
		var buf shogi.MoveBuffer
		for _, m := range p.LegalMoves(&buf, shogi.AllMoves) {
			if m != bad {
				v.Best = append(v.Best, m)
			}
		}
	} else {
		v.Best = mustParseMoves(strings.Join(words[1:], " "))
	}
	v.NumBest = len(v.Best)
	return v
}

func mustParseMoves(text string) (moves []shogi.Move) {
	for _, word := range strings.Fields(text) {
		m, err := shogi.ParseMove(word)
		if err != nil {
			panic(err)
		}
		moves = append(moves, m)
	}
	return moves
}

// A Declaration is a position, and whether its side to move may declare its win by the 27-point
// rule, with the last move of the game to come.
type Declaration struct {
	ID       string
	Position shogi.Position
	Declares bool
}

// Declarations are the vectors T-39 to T-47. A move later none of them may declare.
var Declarations = []Declaration{
	{"T-39", at256("+P+P+P+PK+P+P+P+P/+P+P7/9/9/9/9/9/9/4k4 b 2R2B"), true},
	{"T-40", at256("+P+P+P+PK+P+P+P+P/+P+P7/9/9/9/9/9/9/4k4 b 2RB3P"), true},
	{"T-41", at256("+P+P+P+PK+P+P+P+P/+P+P7/9/9/9/9/9/9/4k4 b 2RB2P"), false},  // a point short
	{"T-42", at256("+P+P+P+PK+P+P+P+P/+P8/9/9/9/9/9/9/4k4 b 2R2B4P"), false},   // a piece short
	{"T-43", at256("+P+P+P+P1+P+P+P+P/+P+P7/9/4K4/9/9/9/9/4k4 b 2R2B"), false}, // not entered
	{"T-44", at256("+P+P+P+PK+P+P+P+P/+P+P7/9/9/4r4/9/9/9/k8 b R2B4P"), false}, // in check
	{"T-45", at256("4K4/9/9/9/9/9/9/7+p+p/+p+p+p+pk+p+p+p+p w 2rb2p"), true},   // White needs less
	{"T-46", at256("4K4/9/9/9/9/9/9/7+p+p/+p+p+p+pk+p+p+p+p w 2rbp"), false},   // a point short
	{"T-47", at256("+R+R+B+BK1+P+P+P/+P+P+P6/9/9/9/9/9/9/4k4 b 2P"), true},     // major pieces on the board
	{"T-47", at256("+R+R+B+BK1+P+P+P/+P+P+P6/9/9/9/9/9/9/4k4 b P"), false},     // a point short
}

// DeclarationLimit is the last move of the games of Declarations.
const DeclarationLimit = 256

func at256(sfen string) shogi.Position {
	return shogi.MustParseSFEN(sfen + " " + strconv.Itoa(DeclarationLimit))
}

// Benchmark measures how long an engine that needs no limits takes for a move, at the beginning of
// a game and later.
func Benchmark(b *testing.B, e play.Engine) {
	for _, c := range []struct{ name, position string }{
		{"start", "startpos"},
		{"middle game", "sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"},
	} {
		b.Run(c.name, func(b *testing.B) {
			g, err := shogi.ParsePosition(c.position)
			if err != nil {
				b.Fatal(err)
			}
			var nodes uint64
			for b.Loop() {
				choice := e.Search(b.Context(), &g, play.Limits{}, nil)
				if choice.Move == shogi.NoMove {
					b.Fatal("no move")
				}
				nodes += choice.Nodes
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}
