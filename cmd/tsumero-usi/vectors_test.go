package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/playtest"
)

// ask sends a position and a go command, and returns the answer and the last score before it.
func (e *engine) ask(t *testing.T, position, command string) (answer, score string) {
	t.Helper()
	e.send(position + "\n" + command + "\n")
	for {
		line, err := e.next()
		if err != nil {
			t.Fatalf("%s: %v", position, err)
		}
		if answer, ok := strings.CutPrefix(line, "bestmove "); ok {
			return answer, score
		}
		if _, rest, ok := strings.Cut(line, " score "); ok {
			score, _, _ = strings.Cut(rest, " pv ")
		}
	}
}

// position returns the position command for a game.
func position(g *shogi.Game) string {
	start := g.Start()
	text := "position sfen " + start.SFEN() + " moves"
	for _, m := range g.Moves() {
		text += " " + m.String()
	}
	return text
}

// The vectors of the limit of moves, asked as a GUI asks, one after the other and back, so that the
// table remembers what was at other plies.
func TestLimitVectors(t *testing.T) {
	e := start(t)
	e.read()
	e.send("setoption name DrawValue value 0\nsetoption name USI_Hash value 1\n")
	rules := map[play.LastMoveRule]string{play.MateWins: "mate-wins", play.MateDraws: "mate-draws", play.ExtendChecks: "extend-checks"}
	vectors := slices.Clone(playtest.Vectors)
	slices.Reverse(vectors)
	for _, v := range append(slices.Clone(playtest.Vectors), vectors...) {
		g := v.Game()
		p := g.Position()
		left := v.Rules.MaxMoves - p.Ply() + 1
		depth := 4
		if left > depth { // a mate of five plies, which a search that prunes may overlook at its own depth
			depth = 8
		}
		e.send(fmt.Sprintf("setoption name MaxMovesToDraw value %d\nsetoption name LastMoveRule value %s\n",
			v.Rules.MaxMoves, rules[v.Rules.LastMove]))
		answer, score := e.ask(t, position(g), fmt.Sprintf("go depth %d", depth))
		if p.CountLegalMoves(shogi.AllMoves) == 0 {
			if answer != "resign" || score != "" {
				t.Errorf("%v: bestmove %s, score %q, but there is no move", &v, answer, score)
			}
			continue
		}
		m, err := shogi.ParseMove(answer)
		if err != nil || !p.IsLegal(m) {
			t.Errorf("%v: bestmove %s", &v, answer)
		}
		if v.End != play.NotOver || v.Value == 0 {
			continue // it plays on, which is all that can be said
		}
		plies := 0
		if text, ok := strings.CutPrefix(score, "mate "); ok {
			plies, _ = strconv.Atoi(text)
		}
		switch {
		case v.Value == playtest.Win && (plies <= 0 || left > 0 && plies > left),
			v.Value == playtest.Loss && (plies >= 0 || -plies > left),
			v.Value == playtest.Draw && score != "cp 0":
			t.Errorf("%v: bestmove %s, score %s, with the value %c", &v, answer, score, v.Value)
		}
		if v.Best != nil && !slices.Contains(v.Best, m) {
			t.Errorf("%v: bestmove %s, want one of %v", &v, answer, v.Best)
		}
	}
	for _, v := range playtest.Declarations {
		for _, limit := range []int{playtest.DeclarationLimit, v.Position.Ply() - 1} {
			e.send(fmt.Sprintf("setoption name LastMoveRule value mate-wins\nsetoption name MaxMovesToDraw value %d\n", limit))
			g := shogi.NewGame(v.Position)
			answer, score := e.ask(t, position(&g), "go btime 1000 wtime 1000 nodes 1000")
			declares := v.Declares && limit == playtest.DeclarationLimit
			if (answer == "win") != declares || declares && score != "mate 1" {
				t.Errorf("%s with the limit %d: bestmove %s, score %s", v.ID, limit, answer, score)
			}
		}
	}
}
