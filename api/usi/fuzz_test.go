package usi

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/play"
)

// mixed is a solver that answers, by the position, at once, late, only when it is stopped, or late
// without regard to its context. Its results are true.
func mixed(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
	switch p.Key() % 4 {
	case 0:
		return endless(ctx, p, lim)
	case 1:
		select {
		case <-time.After(300 * time.Millisecond):
		case <-ctx.Done():
		}
	case 2:
		time.Sleep(300 * time.Millisecond)
	}
	return oneMove(ctx, p, lim)
}

// fuzzEngine returns an engine that plays by thinking and solves by mixed.
func fuzzEngine() *PlayEngine {
	return NewPlayEngine(PlayConfig{
		Mate:      MateConfig{NewSolver: func(int, int) solver.Solver { return solver.Func(mixed) }},
		Levels:    []string{"fake"},
		NewPlayer: func(string, PlayerOptions) (play.Engine, error) { return &fakePlayer{search: thinking}, nil },
	})
}

// goes are the words that have to answer the go commands of a session: each has one, but for a go
// without a position, which is answered by a stop alone.
type goes struct {
	want                 []string
	hasPosition, unasked bool // unasked: such a go goes on
}

func (g *goes) command(text string) {
	words := strings.FieldsFunc(text, unicode.IsSpace)
	if len(words) == 0 {
		return
	}
	switch words[0] {
	case "stop":
		if g.unasked {
			g.want = append(g.want, "bestmove")
		}
		g.unasked = false
	case "go":
		k := kind(strings.Join(words, " "))
		if g.unasked = k == "bestmove" && !g.hasPosition; !g.unasked {
			g.want = append(g.want, k)
		}
	case "position":
		_, err := shogi.ParsePosition(text)
		g.hasPosition, g.unasked = err == nil, false
	case "gameover":
		g.unasked = false
	}
}

// FuzzUSI sends any bytes, all at once or in pieces with pauses between. Run must end with its
// input, answer each go exactly once, in order and in kind, and print nothing but lines of USI,
// each with one write.
func FuzzUSI(f *testing.F) {
	for _, seed := range []string{
		"",
		"\nusi\nsetoption name USI_Hash value 64\nisready\nusinewgame\n" + mate1 + " moves \ngo mate 1000\nstop\nquit\n",
		"usi\r\nisready\r\n" + mate1Flipped + "\r\ngo mate infinite\r\n",
		"\ufeff  go   mate   5 \n\n" + nomate + "\ngo mate 0\ngo mate",
		hard + "\ngo infinite\nisready\nstop\ngo ponder byoyomi 1000\nponderhit byoyomi 100\ngo movetime 1",
		hard + "\ngo nodes 5 mate infinite\ngo depth 1 mate infinite\ngo btime 1 wtime 2 binc 3 winc 4\ngameover win\ngo",
		typo + "\ngo mate 1\n" + noKings + "\ngo\n" + mated + "\ngo mate\nposition\ngo infinite\n",
		"position startpos moves 7g7f 3c3d 8h2b+\ngo mate -1\ngo mate x\ngo mate 99999999999999999999\n",
		"setoption name BestmoveAfterStop value true\n" + hard + "\ngo mate infinite\nstop\n",
		"position startpos\ngo infinite\nstop\ngo ponder\nponderhit\ngo movetime 250 searchmoves 7g7f 7g7e\ngo byoyomi 150",
		"setoption name Level value mate\nposition startpos\ngo nodes 5\nsetoption name level value fake\ngo depth 2\n",
		"setoption name MultiPV value 3\nsetoption name MaxMovesToDraw value 1\nposition startpos moves 7g7f\ngo btime 1 winc 777",
		"setoption\nsetoption name\nsetoption name Clear\nsetoption name Threads value x\nsetoption name 詰 value 将棋\ndebug on\n",
		"\x00go mate 1\x00\n\xff\xfe\nposition sfen \xf0\ngo\tmate\t1\v\n",
	} {
		f.Add([]byte(seed), uint16(0))
		f.Add([]byte(seed), uint16(7))
	}
	f.Fuzz(func(t *testing.T, text []byte, piece uint16) {
		var written []string
		synctest.Test(t, func(t *testing.T) {
			out := transcript{t: t}
			in := &slow{text: text, piece: int(piece)}
			if err := Run(t.Context(), Config{Engine: fuzzEngine()}, in, &out); err != nil {
				t.Fatal(err)
			}
			written = out.take()
			time.Sleep(time.Hour) // until solvers end that ignore their context
			if late := out.take(); len(late) > 0 {
				t.Errorf("printed after the end: %q", late)
			}
		})

		asked, quit := questions(text)
		var answered []string
		for _, l := range written {
			if k := kind(l); k != "" {
				answered = append(answered, k)
			}
			if w := strings.Fields(l)[0]; !slices.Contains([]string{"id", "option", "usiok", "readyok", "info", "checkmate", "bestmove"}, w) {
				t.Errorf("printed: %q, which is no word of USI", l)
			}
		}
		if bytes.Contains(bytes.ToLower(text), []byte("bestmoveafterstop")) {
			// An answer may be double. What is left to see is that none is missing.
			if missing := len(asked) - len(answered); missing > 0 && !(quit && missing == 1) {
				t.Errorf("%d answers to %d searches", len(answered), len(asked))
			}
			return
		}
		if quit && len(answered) == len(asked)-1 {
			asked = asked[:len(answered)] // the last search ran when quit was read
		}
		if !slices.Equal(answered, asked) {
			t.Errorf("answers %q, want %q", answered, asked)
		}
	})
}

// questions returns the word that has to answer each go in the text, and whether a quit ends the
// text. It splits lines in its own simple way.
func questions(text []byte) (asked []string, quit bool) {
	var g goes
	for l := range strings.SplitSeq(string(text), "\n") {
		l = strings.TrimPrefix(strings.TrimSuffix(l, "\r"), "\ufeff")
		words := strings.FieldsFunc(l, unicode.IsSpace)
		switch {
		case len(words) == 0:
		case len(l) > maxLine:
			if words[0] == "position" {
				g.command("position")
			}
		case words[0] == "quit":
			return g.want, true
		default:
			g.command(l)
		}
	}
	return g.want, false
}

// A slow reader gives text in pieces of a number of bytes, with a pause before each; 0 is all at
// once.
type slow struct {
	text  []byte
	piece int
}

func (s *slow) Read(b []byte) (int, error) {
	n := len(b)
	if s.piece > 0 {
		time.Sleep(50 * time.Millisecond)
		n = min(n, s.piece)
	}
	r := bytes.NewReader(s.text)
	n, err := r.Read(b[:n])
	s.text = s.text[n:]
	return n, err
}
