package match

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tsumero/tsumero/shogi"
)

// A Side is one of the two players of a match.
type Side uint8

// The players.
const (
	A Side = iota
	B
)

// String returns "A" or "B".
func (s Side) String() string { return string('A' + rune(s)) }

// Opponent returns the other player.
func (s Side) Opponent() Side { return s ^ 1 }

// An End is how a game of a match ended, in one word.
type End string

// The ends. Those of the rules are play.End in words.
const (
	ByRepetition  End = "repetition"  // a draw
	ByPerpetual   End = "perpetual"   // perpetual check: whoever checked has lost
	ByMate        End = "mate"        // the loser is in check and has no legal move
	ByNoMove      End = "nomove"      // the loser is not in check and has none
	ByLimit       End = "limit"       // the number of moves: a draw
	ByResignation End = "resign"      // the loser resigned
	ByDeclaration End = "declaration" // the winner declared
	ByIllegal     End = "illegal"     // the loser made an illegal move, or declared without right
	ByTime        End = "time"        // the loser's time ran out
	ByCrash       End = "crash"       // the loser's program ended, or an engine panicked
	BySilence     End = "silence"     // the loser did not answer at all
)

// IsFault reports whether a player did what an engine must not.
func (e End) IsFault() bool {
	return e == ByIllegal || e == ByTime || e == ByCrash || e == BySilence
}

// A Result is a game that was played.
type Result struct {
	Game  int    `json:"game"`   // its number, from 0
	Black string `json:"black"`  // the player: A or B
	Won   string `json:"winner"` // A, B, or empty for a draw
	End   End    `json:"end"`
	Plies int    `json:"plies"` // played by the players, the opening not counted
	// Position is the game as shogi.ParsePosition reads it: opening, then moves.
	Position string    `json:"position"`
	Nodes    [2]uint64 `json:"nodes"` // of each player
	Millis   []float64 `json:"ms"`    // of each of the players' moves
	Spent    [2]int64  `json:"spent"` // by each player, in microseconds
	// Margin is the least time that each player had left over when it moved, in microseconds,
	// negative if it was late; nil if its moves had no limit of time.
	Margin [2]*int64 `json:"margin,omitzero"`
	Fault  *Fault    `json:"fault,omitempty"`
}

// A Fault is what a player did wrong.
type Fault struct {
	Player   string   `json:"player"`
	Text     string   `json:"text"`
	Dialogue []string `json:"dialogue,omitempty"`
}

// leastMargin returns the smaller of two margins.
func leastMargin(a, b *int64) *int64 {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

// points returns what A scored, in halves of a point.
func (r *Result) points() int {
	switch r.Won {
	case "A":
		return 2
	case "B":
		return 0
	}
	return 1
}

// Replay returns the game of the result.
func (r *Result) Replay() (shogi.Game, error) { return shogi.ParsePosition(r.Position) }

// Opening returns how many moves were made before the players'.
func (r *Result) Opening(g *shogi.Game) int { return len(g.Moves()) - r.Plies }

// Elapsed returns how long the players' move number i took.
func (r *Result) Elapsed(i int) time.Duration {
	return time.Duration(r.Millis[i] * float64(time.Millisecond))
}

// FormatGame returns g as shogi.ParsePosition reads it, and as USI writes it after the word
// position.
func FormatGame(g *shogi.Game) string {
	start := g.Start()
	var b strings.Builder
	if sfen := start.SFEN(); sfen == shogi.StartSFEN {
		b.WriteString("startpos")
	} else {
		b.WriteString("sfen " + sfen)
	}
	if len(g.Moves()) > 0 {
		b.WriteString(" moves")
		for _, m := range g.Moves() {
			b.WriteByte(' ')
			b.WriteString(m.String())
		}
	}
	return b.String()
}

// A Header is the first line of a log: what the match is. Only a match with the same Header can go
// on with the log.
type Header struct {
	Version  int       `json:"version"`
	Players  [2]string `json:"players"`
	Limits   [2]string `json:"limits"`
	Rules    string    `json:"rules"`
	Openings string    `json:"openings"`
	Seed     uint64    `json:"seed"`
}

const logVersion = 1

// ReadLog reads a log, which may be cut off in its last line: the Header and the results by the
// numbers of their games. size is how many bytes were whole lines.
func ReadLog(r io.Reader) (h Header, results map[int]Result, size int64, err error) {
	results = map[int]Result{}
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break // a line without an end was being written when the program was killed
		}
		if err != nil {
			return h, nil, 0, err
		}
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if n == 1 {
			err = d.Decode(&h)
			if err == nil && h.Version != logVersion {
				err = fmt.Errorf("version %d is not known", h.Version)
			}
		} else {
			var one Result
			if err = d.Decode(&one); err == nil {
				err = one.check()
			}
			results[one.Game] = one
		}
		if err != nil {
			return h, nil, 0, fmt.Errorf("line %d: %w", n, err)
		}
		size += int64(len(line))
	}
	return h, results, size, nil
}

// check returns what is wrong with a result that was read.
func (r *Result) check() error {
	g, err := r.Replay()
	switch {
	case err != nil:
		return err
	case r.Game < 0, r.Plies < 0, r.Plies > len(g.Moves()), len(r.Millis) != r.Plies:
		return errors.New("the numbers of the game or its moves are wrong")
	case r.Black != r.black().String(), r.Won != "" && r.Won != "A" && r.Won != "B":
		return errors.New("the players are wrong")
	}
	return nil
}

// black returns who plays Black.
func (r *Result) black() Side { return Side(r.Game & 1) }

// AppendLine appends a line of a log, a Header or a Result.
func AppendLine(dst []byte, v any) ([]byte, error) {
	line, err := json.Marshal(v)
	if err != nil {
		return dst, err
	}
	return append(append(dst, line...), '\n'), nil
}

// NewHeader returns the Header of a match.
func NewHeader(players, limits [2]string, rules, openings string, seed uint64) Header {
	return Header{logVersion, players, limits, rules, openings, seed}
}

// Differs returns what is not the same in a match and in its log, in words, "" if nothing is.
func (h Header) Differs(log Header) string {
	for _, c := range []struct{ what, here, there string }{
		{"A is", h.Players[A], log.Players[A]},
		{"B is", h.Players[B], log.Players[B]},
		{"the limits of A are", h.Limits[A], log.Limits[A]},
		{"the limits of B are", h.Limits[B], log.Limits[B]},
		{"the rules are", h.Rules, log.Rules},
		{"the openings are", h.Openings, log.Openings},
		{"the seed is", fmt.Sprint(h.Seed), fmt.Sprint(log.Seed)},
	} {
		if c.here != c.there {
			return fmt.Sprintf("%s %s, but %s in the log", c.what, c.here, c.there)
		}
	}
	return ""
}
