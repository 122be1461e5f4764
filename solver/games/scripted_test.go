package games_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/games"
)

// A scripted session says what a test wants, whatever the rules: there is no mate where nothing else
// is said. So each clause of the judgement meets the answers that are for it.
type scripted struct {
	t      *testing.T
	told   map[string]told // by position and attacker
	nodes  uint64          // that each answer takes
	resets int
	end    context.CancelFunc
}

// told is what is said of a position.
type told struct {
	verdict solver.Verdict
	needs   uint64 // nodes; with fewer it is not decided
	refuses bool   // Ask says that there is no mate
	isOpen  bool   // Ask does not prove it
	isLong  bool   // Ask does not know of a shortest mate, unless it was asked for one
	ends    bool   // the context ends meanwhile
	line    []shogi.Move
}

func (s *scripted) Reset() { s.resets++ }

func keyOf(p *shogi.Position, attacker shogi.Color) string {
	return p.ProblemSFEN() + " " + attacker.String()
}

func (s *scripted) find(q solver.Question) told {
	if q.Position.King(q.Attacker.Opponent()) == shogi.NoSquare {
		s.t.Error("it asks about a defender without a king")
	}
	a, ok := s.told[keyOf(&q.Position, q.Attacker)]
	if !ok {
		a.verdict = solver.NoMate
	}
	if a.ends {
		s.end()
	}
	return a
}

func (s *scripted) Decide(_ context.Context, q solver.Question) solver.Decision {
	a := s.find(q)
	d := solver.Decision{Verdict: a.verdict, Nodes: s.nodes}
	if a.verdict == solver.Unknown || q.Limits.Nodes < a.needs {
		d.Verdict, d.Reason = solver.Unknown, solver.ReasonNodes
	}
	return d
}

func (s *scripted) Ask(_ context.Context, q solver.Question) solver.Result {
	a := s.find(q)
	switch {
	case a.refuses:
		return solver.Result{Verdict: solver.NoMate}
	case a.isOpen || a.verdict == solver.Unknown:
		return solver.Result{Reason: solver.ReasonProof}
	}
	return solver.Result{Verdict: a.verdict, Line: a.line, Exact: q.Limits.Shortest && !a.isLong}
}

// A script says what is told of which position: "path|side", with the moves of the path from the first
// position, and pass. A * in the place of the last move is any that is not named.
type script map[string]told

// write puts a script into the session.
func (s *scripted) write(start shogi.Position, text script) {
	s.told = map[string]told{}
	for _, isNamed := range []bool{false, true} {
		for where, what := range text {
			path, side, _ := strings.Cut(where, "|")
			before, hasAny := strings.CutSuffix(path, "*")
			if hasAny == isNamed {
				continue
			}
			p := start
			for move := range strings.FieldsSeq(before) {
				if move == "pass" {
					p.ForSearch().DoNull()
					continue
				}
				m, err := shogi.ParseMove(move)
				if err != nil || !p.IsLegal(m) {
					s.t.Fatalf("%s: %s", where, move)
				}
				p.Do(m)
			}
			attacker := map[string]shogi.Color{"b": shogi.Black, "w": shogi.White}[side]
			positions := []shogi.Position{p}
			if hasAny {
				positions = nil
				for _, m := range p.LegalMoves(new(shogi.MoveBuffer), shogi.AllMoves) {
					q := p
					q.Do(m)
					positions = append(positions, q)
				}
			}
			for i := range positions {
				s.told[keyOf(&positions[i], attacker)] = what
			}
		}
	}
}

// line returns a line of so many moves that begins with one.
func line(t *testing.T, first string, plies int) []shogi.Move {
	t.Helper()
	m, err := shogi.ParseMove(first)
	if err != nil {
		t.Fatal(err)
	}
	moves := make([]shogi.Move, plies)
	moves[0] = m
	return moves
}

// allNodes is the limit of the scripted games.
const allNodes = 100

// TestClauses judges games with a session that says what is to be said. A mark reads as
// "ply kind line/kept! other reason", with its length if the first move of the line is not all, and !
// if a length is exact; an open question as "?after threat".
func TestClauses(t *testing.T) {
	// Black has a king with five moves, and in the second position a rook, too. White has the rest.
	const (
		kings = "4k4/9/9/9/9/9/9/9/4K4 b 2r2b4g4s4n4l18p 1"
		rook  = "4k4/9/9/9/9/9/9/9/R3K4 b r2b4g4s4n4l18p 1"
	)
	mate := func(first string, plies int) told { return told{verdict: solver.Mate, line: line(t, first, plies)} }
	needs := func(a told, nodes uint64) told {
		a.needs = nodes
		return a
	}
	var open told
	none := told{verdict: solver.NoMate}
	unproven, refused, long, last := mate("5a4a", 3), mate("5a4a", 3), mate("9i9b", 3), mate("9i9b", 3)
	unproven.isOpen, refused.refuses, long.isLong, last.ends = true, true, true, true
	for _, test := range []struct {
		name, sfen, moves string
		script            script
		nodes             uint64
		want              string
	}{
		{"nothing", kings, "5i4h 5a4b", nil, 0, ""},
		{"the mate is open", kings, "5i4h", script{"5i4h|w": open}, 0, "?1"},
		{"the threat is open", kings, "5i4h", script{"pass|w": open}, 0, "?0 threat"},
		{"the proof of a mate is open", kings, "", script{"|b": unproven}, 0, "?0"},
		{"a mate is refused", kings, "", script{"|b": refused}, 0, "?0"},
		{"no pieces, no threats", "4k4/9/9/9/9/9/9/9/4K4 b - 1", "5i4h", script{"5i4h pass|b": mate("4h3h", 3)}, 0, ""},
		{"no threat in check", rook, "9i9a", script{"9i9a pass|b": mate("9a5a", 1)}, 0, ""},
		{"a threat takes half", kings, "5i4h", script{"pass|w": needs(mate("5a4a", 3), allNodes/2)}, 0, ""},
		{"a threat with more", kings, "5i4h", script{"pass|w": needs(mate("5a4a", 3), allNodes)}, 0, "?0 threat"},

		// A mate before the move.
		{"missed by a quiet move", rook, "5i4h 5a6a", script{"|b": mate("9i9b", 3)}, 0, "1 mate_missed 9i9b/3! 5a6a"},
		{"missed by the first move of the line", rook, "9i9b 5a6a", script{"|b": mate("9i9b", 3)}, 0,
			"1 mate_missed 9i9b/3! 5a6a"},
		{"missed by a check", rook, "9i9a+", script{"|b": mate("9i9b", 3)}, 0, "1 mate_missed 9i9b/3!"},
		{"a check that is open", rook, "9i9a+", script{"|b": mate("9i9b", 3), "9i9a+|b": open}, 0,
			"1 mate_missed 9i9b/3! limit_nodes"},
		{"a check takes more nodes", rook, "9i9a+", script{"|b": mate("9i9b", 3), "9i9a+|b": needs(mate("5a4b", 4), 3*allNodes)}, 0,
			"1 mate_kept 9i9b/3!5!"},
		{"a check whose proof is open", rook, "9i9a+", script{"|b": mate("9i9b", 3), "9i9a+|b": unproven}, 0,
			"1 mate_missed 9i9b/3! limit_proof"},
		{"kept by a check, perhaps longer", rook, "9i9a+", script{"|b": mate("9i9b", 3),
			"9i9a+|b": {verdict: solver.Mate, line: line(t, "5a4b", 4), isLong: true}}, 0, "1 mate_kept 9i9b/3!5"},
		{"not the shortest", rook, "9i9a+", script{"|b": long, "9i9a+|b": mate("5a4b", 4)}, 0, "1 mate_kept 9i9b/3 5!"},
		{"the first move of the line", rook, "9i9b", script{"|b": mate("9i9b", 3), "9i9b *|b": mate("9b9a", 1)}, 0, ""},
		{"kept by a quiet move", rook, "5i4h", script{"|b": mate("9i9b", 3), "5i4h *|b": mate("9i9a", 1)}, 0,
			"1 mate_kept 9i9b/3!3"},
		{"one reply is open", rook, "5i4h", script{"|b": mate("9i9b", 3), "5i4h *|b": mate("9i9a", 1), "5i4h 5a6b|b": open}, 0,
			"1 mate_missed 9i9b/3! limit_nodes"},
		{"a reply whose proof is open", rook, "5i4h", script{"|b": mate("9i9b", 3), "5i4h *|b": mate("9i9a", 1),
			"5i4h 5a6b|b": unproven}, 0, "1 mate_missed 9i9b/3! limit_proof"},

		// A mate after the move.
		{"allowed", kings, "5i4h", script{"5i4h|w": mate("5a4a", 3), "*|w": mate("5a4a", 3), "5i6i|w": none}, 0,
			"1 mate_allowed 5a4a/3! 5i6i"},
		{"allowed, with few nodes", kings, "5i4h", script{"*|w": mate("5a4a", 3), "5i6i|w": needs(none, allNodes)}, 0,
			"1 mate_allowed 5a4a/3! 5i6i"},
		{"lost", kings, "5i4h", script{"*|w": mate("5a4a", 3)}, 0, ""},
		{"perhaps lost", kings, "5i4h", script{"*|w": mate("5a4a", 3), "5i6i|w": open}, 0,
			"1 mate_allowed 5a4a/3! limit_nodes"},
		{"perhaps lost, with a threat", kings, "5i4h", script{"*|w": mate("5a4a", 3), "5i6i|w": open, "pass|w": mate("5a4a", 1)}, 0,
			"1 mate_allowed 5a4a/3! limit_nodes"},
		{"too many moves", kings, "5i4h", script{"*|w": mate("5a4a", 3), "5i6i|w": none}, 21 * allNodes,
			"1 mate_allowed 5a4a/3! limit_nodes"},
		{"moves before do not count", kings, "5i4h 5a4b 4h4i 4b5a 4i3h", script{"5i4h|w": none,
			"5i4h 5a4b 4h4i 4b5a *|w": mate("5a4a", 3)}, 3 * allNodes, "5 mate_allowed 5a4a/3! 4i4h"},
		{"a threat ignored", kings, "5i4h", script{"*|w": mate("5a4a", 3), "5i6i|w": none, "pass|w": mate("5a4a", 1)}, 0,
			"1 mate_allowed 5a4a/3! 5i6i, 1 threat_ignored 5a4a/3! 5i6i"},
		{"a threat ignored later", kings, "5i4h 5a4b 4h3h", script{"5i4h 5a4b *|w": mate("4b4a", 3), "5i4h 5a4b 4h4i|w": none,
			"5i4h 5a4b pass|w": mate("4b4a", 1)}, 0, "2 threat_made 4b4a!, 3 mate_allowed 4b4a/3! 4h4i, 3 threat_ignored 4b4a/3! 4h4i"},
		{"the mate would have helped", rook, "5i4h", script{"|b": mate("9i9b", 3), "5i4h|w": mate("5a4a", 3)}, 0,
			"1 mate_missed 9i9b/3! 5a4a, 1 mate_allowed 5a4a/3! 9i9b"},
		{"known to be lost", rook, "9i9a+ 5a4b", script{"|b": mate("9i9a+", 5), "9i9a+|b": mate("5a4b", 4), "9i9a+ *|b": open,
			"9i9a+ 5a4b|b": mate("9a5a", 3)}, 0, ""},

		// Threats and brinkmates.
		{"a threat", kings, "5i4h 5a4b", script{"5i4h pass|b": mate("4h3h", 3)}, 0, "1 threat_made 4h3h/3!"},
		{"a threat, and the opponent mates", kings, "5i4h", script{"5i4h pass|b": mate("4h3h", 3), "5i4h|w": mate("5a4a", 3), "*|w": mate("5a4a", 3)}, 0, ""},
		{"a threat, and the opponent may mate", kings, "5i4h", script{"5i4h pass|b": mate("4h3h", 3), "5i4h|w": open}, 0,
			"1 threat_made 4h3h/3!, ?1"},
		{"a threat where there was a mate", rook, "5i4h 5a6a", script{"|b": mate("9i9b", 3), "5i4h pass|b": mate("4h3h", 3)}, 0,
			"1 mate_missed 9i9b/3! 5a6a"},
		{"a threat where there may have been a mate", rook, "5i4h", script{"|b": open, "5i4h pass|b": mate("4h3h", 3)}, 0,
			"1 threat_made 4h3h/3!, ?0"},
		{"a brinkmate", kings, "5i4h 5a6b 4h3h 6b5a", script{"5i4h pass|b": mate("4h3h", 3), "5i4h *|b": mate("4h3h", 1),
			"5i4h 5a6b|b": mate("4h3h", 5), "5i4h 5a6b 4h3h|b": none}, 0,
			"1 threat_made 4h3h/3!, 1 brinkmate_made 5a6b/6, 3 mate_missed 4h3h/5! 6b5a"},
		{"perhaps a brinkmate", kings, "5i4h", script{"5i4h pass|b": mate("4h3h", 3), "5i4h *|b": mate("4h3h", 1), "5i4h 5a6b|b": open}, 0,
			"1 threat_made 4h3h/3!, 1 brinkmate_made limit_nodes"},

		{"the time ends", rook, "5i4h 5a6a", script{"|b": mate("9i9b", 3), "5i4h 5a6a|b": last}, 0, ""},
		{"nobody to mate", "9/9/9/9/9/9/9/9/4K4 b - 1", "5i4h", nil, 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			start, moves := play(t, test.sfen, test.moves)
			ctx, end := context.WithCancel(t.Context())
			s := &scripted{t: t, nodes: test.nodes, end: end}
			s.write(start, test.script)
			g := games.Judge(ctx, s, start, moves, games.Limits{Nodes: allNodes})
			if s.resets != 1 {
				t.Errorf("the session was reset %d times", s.resets)
			}
			if got := describe(g); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// TestEscapes: whichever move is the only one after which the opponent does not mate, it is found, and
// that which mates is tried first.
func TestEscapes(t *testing.T) {
	start, moves := play(t, "4k4/9/9/9/9/9/9/9/R3K4 b r2b4g4s4n4l18p 1", "5i4h")
	mate := func(first string) told { return told{verdict: solver.Mate, line: line(t, first, 3)} }
	all := start.LegalMoves(new(shogi.MoveBuffer), shogi.AllMoves)
	for _, only := range all {
		if only == moves[0] {
			continue
		}
		s := &scripted{t: t}
		s.write(start, script{"|b": mate("9i9b"), "*|w": mate("5a4a"), only.String() + "|w": {verdict: solver.NoMate, needs: allNodes}})
		g := games.Judge(t.Context(), s, start, moves, games.Limits{Nodes: allNodes})
		if n := len(g.Marks); n != 2 || g.Marks[1].Kind != games.MateAllowed || g.Marks[1].Other != only {
			t.Errorf("%v: %s", only, describe(g))
		}
	}
	if len(all) < 15 {
		t.Errorf("only %d moves", len(all))
	}
}

// TestMark: where the line of a mark begins, and by how much a mate is longer.
func TestMark(t *testing.T) {
	start, moves := play(t, "4k4/9/9/9/9/9/9/9/R3K4 b r2b4g4s4n4l18p 1", "5i4h")
	after := start
	after.Do(moves[0])
	for kind := range games.NumKinds {
		m := games.Mark{Kind: kind, Line: make([]shogi.Move, 3), Exact: true, Kept: 5}
		want := after
		switch kind {
		case games.MateMissed, games.MateKept:
			want = start
		case games.ThreatMade:
			want = *passed(&after)
		}
		if got := m.From(start, moves[0]); got.ProblemSFEN() != want.ProblemSFEN() {
			t.Errorf("%v: the line begins with %s", kind, got.SFEN())
		}
		if _, ok := m.Longer(); ok {
			t.Error("it is not known how long the mate is that is kept")
		}
		m.KeptExact = true
		if n, ok := m.Longer(); !ok || n != 2 {
			t.Errorf("longer by %d", n)
		}
		m.Exact = false
		if _, ok := m.Longer(); ok {
			t.Error("it is not known how short the mate is")
		}
	}
	for n, isShort := range map[int]bool{games.MaxMoves: true, games.MaxMoves + 1: false} {
		if err := games.Check(make([]shogi.Move, n)); (err == nil) != isShort {
			t.Errorf("%d moves: %v", n, err)
		}
	}
}

// describe writes the marks and open questions of a game.
func describe(g *games.Game) string {
	var all []string
	for i := range g.Marks {
		m := &g.Marks[i]
		text := fmt.Sprint(m.Ply, " ", m.Kind)
		if len(m.Line) > 0 {
			text += fmt.Sprint(" ", m.Line[0])
		}
		if len(m.Line) > 1 {
			text += fmt.Sprint("/", len(m.Line))
		}
		if m.Exact {
			text += "!"
		}
		if m.Kept > 0 {
			if !m.Exact {
				text += " "
			}
			text += fmt.Sprint(m.Kept)
		}
		if m.KeptExact {
			text += "!"
		}
		if m.Other != shogi.NoMove {
			text += fmt.Sprint(" ", m.Other)
		}
		if m.Reason != solver.NoReason {
			text += " " + string(m.Reason)
		}
		all = append(all, text)
	}
	for _, o := range g.Open {
		text := fmt.Sprint("?", o.After)
		if o.Threat {
			text += " threat"
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}
