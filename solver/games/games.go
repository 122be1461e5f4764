// Package games says of the moves of a game which of them missed a mate, allowed one, or kept one,
// and which made or ignored a threat of one.
//
// A move is called a mistake only if both halves are proven: that there was something better, and
// that it is gone. The half that is a mate is a line whose proof was verified, as all mates are; the
// half that there is none is the mate solver's NoMate. Where a half is open the mark has a Reason,
// and is no mistake.
//
// Both sides attack in their turn. Questions are about positions alone: the moves before them, and
// with them repetition, declarations of a win and limits of moves, are no part of them. A mate is one
// by checks alone, so that a move which gives no check keeps a mate only if there is one after each
// reply to it. Threats are as package threat defines them; where it refuses the question, as while
// pieces are missing, there are no marks of threats.
package games

import (
	"cmp"
	"context"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/threat"
)

// DefaultNodes is how many nodes each question of a game may take.
const DefaultNodes = 1000

// MaxMoves is how many moves a game may have.
const MaxMoves = 2000

var tooLong = shogi.NewText("too_long", "the game has %d moves, and may have %d",
	"%d手の棋譜です（%d手まで）。")

// Check returns an error if a game has too many moves.
func Check(moves []shogi.Move) error {
	if len(moves) > MaxMoves {
		return shogi.NewError("games", tooLong.With(len(moves), MaxMoves))
	}
	return nil
}

// A Kind is what a move has done.
type Kind uint8

const (
	// MateMissed: there was a mate before the move, and there is none after it.
	MateMissed Kind = iota
	// MateKept: there was a mate that begins with another move, and there still is one.
	MateKept
	// MateAllowed: the opponent mates after the move (頓死), and does not after another one.
	MateAllowed
	// ThreatMade: the move makes a threat (詰めろ), where there was no mate, and the opponent has none.
	ThreatMade
	// ThreatIgnored: the move is a MateAllowed, and there was a threat before it.
	ThreatIgnored
	// BrinkmateMade: the move is a ThreatMade that no reply helps against (必至).
	BrinkmateMade
	NumKinds
)

var kinds = [NumKinds]string{"mate_missed", "mate_kept", "mate_allowed", "threat_made",
	"threat_ignored", "brinkmate_made"}

// String returns the name of k in answers.
func (k Kind) String() string { return kinds[k] }

// A Mark is what a move has done.
type Mark struct {
	Kind Kind
	Ply  int // the number of the move, from 1
	// Reason is why it is not known whether the move has done it. NoReason: it is proven.
	Reason solver.Reason
	// Line is a mate: of MateMissed and MateKept from the position before the move, of ThreatMade from
	// that after it and a pass, else from that after it. Of BrinkmateMade it begins with the reply
	// after which the mate that was found is longest.
	Line  []shogi.Move
	Exact bool // there is no shorter mate than Line
	// Other is proven to be better, or to show why the move was worse: of MateAllowed and ThreatIgnored
	// a move after which the opponent does not mate; of MateMissed, if the move gave no check, a reply after
	// which there is no mate. NoMove if it is not known, or there is none to name.
	Other shogi.Move
	// Kept is how long the mate of MateKept is that begins with the move, at most, and KeptExact
	// says that it is no shorter.
	Kept      int
	KeptExact bool
}

// Longer returns by how many plies the mate of a MateKept is longer than it need be. ok is false if
// the lengths are not known exactly.
func (m *Mark) Longer() (plies int, ok bool) { return m.Kept - len(m.Line), m.Exact && m.KeptExact }

// From returns the position that Line begins with. p is the one before the move.
func (m *Mark) From(p shogi.Position, move shogi.Move) shogi.Position {
	if m.Kind != MateMissed && m.Kind != MateKept {
		p.Do(move)
	}
	if m.Kind == ThreatMade {
		p.ForSearch().DoNull()
	}
	return p
}

// An Open is a position in which it is not known whether the side to move mates or, with Threat,
// whether the other side threatens to.
type Open struct {
	After  int // so many moves of the game
	Threat bool
	Reason solver.Reason
}

// A Mate is a position in which the side to move mates, and did not when it was to move before, or
// kept no mate then.
type Mate struct {
	After int // so many moves of the game
	Line  []shogi.Move
	Exact bool // there is no shorter mate than Line
}

// A Game is what was found out about a game.
type Game struct {
	Marks []Mark // in the order of the moves, and for each of the kinds
	Mates []Mate // that are verified, missed or not
	Open  []Open
	Moves int // that were judged: all, unless there is a Reason
	// Reason is why the rest was not judged: the context ended.
	Reason solver.Reason
	Nodes  uint64
}

// Limits bound the questions about a game. Time is bounded by the context.
type Limits struct {
	// Nodes is how many nodes the first question about a position may take, DefaultNodes if it is 0.
	// Questions that follow from a mate may take a few times as many.
	Nodes uint64
}

// How many times Limits.Nodes may be spent, on what.
const (
	followFactor = 3  // a question that follows from a mate
	proofFactor  = 10 // to find the shortest mate, and its proof
	movesFactor  = 20 // to find one move without a mate after it among all
)

// Judge judges the moves of a game, each of which has to be legal after those before it. It resets
// s, which nobody else may use meanwhile. What it finds depends on the game, the limits, and the
// kind of s alone, unless the context ends it.
func Judge(ctx context.Context, s solver.Session, start shogi.Position, moves []shogi.Move, lim Limits) *Game {
	s.Reset()
	j := &judge{ctx: ctx, session: s, nodes: cmp.Or(lim.Nodes, DefaultNodes), game: new(Game)}
	p := start
	before, isLost := j.mate(&p, p.SideToMove(), j.nodes), false
	standing := j.threat(&p)
	var mates [2]bool // whether the side mated before its last move, and after it
	for i, m := range moves {
		j.open(i, before, standing)
		j.found(i, before, mates[i%2])
		q := p
		q.Do(m)
		next := shogi.NoMove
		if i+1 < len(moves) {
			next = moves[i+1]
		}
		t := turn{ply: i + 1, move: m, next: next, p: &p, q: &q, before: before, standing: standing,
			after: j.mate(&q, q.SideToMove(), j.nodes), isLost: isLost}
		if t.after.verdict != solver.Mate {
			t.threat = j.threat(&q)
		}
		marks := j.turn(&t)
		if j.game.Reason = solver.StopReason(j.ctx); j.game.Reason != solver.NoReason {
			return j.game
		}
		j.game.Marks = append(j.game.Marks, marks...)
		mates[i%2] = before.verdict == solver.Mate && t.wins
		j.game.Moves++
		p, before, standing, isLost = q, t.after, t.threat, t.wins
	}
	j.open(len(moves), before, standing)
	j.found(len(moves), before, mates[len(moves)%2])
	j.game.Reason = solver.StopReason(j.ctx)
	return j.game
}

// A judge judges one game.
type judge struct {
	ctx     context.Context
	session solver.Session
	nodes   uint64
	game    *Game
}

// A turn is a move of the game, and what is known around it.
type turn struct {
	ply        int
	move, next shogi.Move      // next is the reply in the game, NoMove if there is none
	p, q       *shogi.Position // before and after the move
	// before is what the mover mates with before the move, after the opponent after it.
	before, after answer
	// standing is the opponent's threat before the move, threat the mover's after it. The zero answer
	// has no reason: it was not asked for.
	standing, threat answer
	isLost           bool // the opponent mates whatever the move
	wins             bool // the mover mates whatever the reply; set by turn
}

// An answer says whether a side mates.
type answer struct {
	verdict solver.Verdict
	reason  solver.Reason // why it is Unknown
	line    []shogi.Move  // of a Mate, verified
	exact   bool
}

// open takes note of a position in which one of two questions is open.
func (j *judge) open(after int, mate, threat answer) {
	for i, a := range []answer{mate, threat} {
		if a.verdict == solver.Unknown && a.reason != solver.NoReason && j.ctx.Err() == nil {
			j.game.Open = append(j.game.Open, Open{after, i > 0, a.reason})
		}
	}
}

// found takes note of a mate, unless it goes on from one before.
func (j *judge) found(after int, mate answer, goesOn bool) {
	if mate.verdict == solver.Mate && !goesOn {
		j.game.Mates = append(j.game.Mates, Mate{after, mate.line, mate.exact})
	}
}

// decide asks whether attacker mates in p. A defender without a king cannot be mated.
func (j *judge) decide(p *shogi.Position, attacker shogi.Color, nodes uint64) solver.Decision {
	if p.King(attacker.Opponent()) == shogi.NoSquare {
		return solver.Decision{Verdict: solver.NoMate}
	}
	d := j.session.Decide(j.ctx, solver.Question{Position: *p, Attacker: attacker,
		Limits: solver.Limits{Nodes: nodes}})
	j.game.Nodes += d.Nodes
	return d
}

// mate is decide, with a verified line of a mate.
func (j *judge) mate(p *shogi.Position, attacker shogi.Color, nodes uint64) answer {
	d := j.decide(p, attacker, nodes)
	if d.Verdict != solver.Mate {
		return answer{verdict: d.Verdict, reason: d.Reason}
	}
	return j.line(p, attacker, true)
}

// threat answers whether the side that is not to move in p threatens mate, for half of the nodes. It is not asked of
// threat.Searcher, which forgets what the session knows of the game.
func (j *judge) threat(p *shogi.Position) answer {
	attacker := p.SideToMove().Opponent()
	if threat.Valid(p, attacker) != nil {
		return answer{}
	}
	passed := *p
	passed.ForSearch().DoNull()
	return j.mate(&passed, attacker, max(j.nodes/2, 1))
}

// line returns a verified line of a mate that decide has found, of the shortest if that is asked for.
func (j *judge) line(p *shogi.Position, attacker shogi.Color, shortest bool) answer {
	r := j.session.Ask(j.ctx, solver.Question{Position: *p, Attacker: attacker,
		Limits: solver.Limits{Nodes: proofFactor * j.nodes, Shortest: shortest}})
	j.game.Nodes += r.Nodes
	a := answer{verdict: r.Verdict, line: r.Line, exact: r.Exact}
	switch r.Verdict {
	case solver.Unknown:
		a.reason = r.Reason
	case solver.NoMate: // then one of the two is wrong, and neither counts
		a = answer{reason: solver.ReasonUnverified}
	}
	return a
}

// turn returns what a move has done.
func (j *judge) turn(t *turn) (marks []Mark) {
	mover := t.p.SideToMove()
	if t.before.verdict == solver.Mate {
		kept, reply := j.kept(t, mover)
		m := Mark{Ply: t.ply, Line: t.before.line, Exact: t.before.exact, Reason: kept.reason, Other: reply}
		t.wins = kept.verdict == solver.Mate
		if t.wins {
			m.Kind, m.Kept, m.KeptExact = MateKept, 1+len(kept.line), kept.exact
		}
		if !t.wins || t.move != t.before.line[0] {
			marks = append(marks, m)
		}
	}
	if t.after.verdict == solver.Mate && !t.isLost {
		first := shogi.NoMove
		if t.before.verdict == solver.Mate {
			first = t.before.line[0]
		}
		other, d := j.escape(t.p, mover.Opponent(), first, t.move)
		if d.Verdict != solver.Mate { // else the position before the move was lost already
			m := Mark{Kind: MateAllowed, Ply: t.ply, Line: t.after.line,
				Exact: t.after.exact, Other: other, Reason: d.Reason}
			marks = append(marks, m)
			if m.Kind = ThreatIgnored; d.Verdict == solver.NoMate && t.standing.verdict == solver.Mate {
				marks = append(marks, m)
			}
		}
	}
	if t.threat.verdict == solver.Mate && t.before.verdict != solver.Mate {
		marks = append(marks, Mark{Kind: ThreatMade, Ply: t.ply, Line: t.threat.line, Exact: t.threat.exact})
		kept, _ := j.kept(t, mover)
		t.wins = kept.verdict == solver.Mate
		if kept.verdict != solver.NoMate {
			marks = append(marks, Mark{Kind: BrinkmateMade, Ply: t.ply, Line: kept.line, Exact: kept.exact,
				Reason: kept.reason})
		}
	}
	return marks
}

// kept answers whether the mover still mates after the move, whatever the reply. If there is no mate
// after one reply to a move without check, that is reply.
func (j *judge) kept(t *turn, mover shogi.Color) (a answer, reply shogi.Move) {
	if t.q.InCheck() {
		if d := j.decide(t.q, mover, followFactor*j.nodes); d.Verdict != solver.Mate {
			return answer{verdict: d.Verdict, reason: d.Reason}, shogi.NoMove
		}
		return j.line(t.q, mover, true), shogi.NoMove
	}
	reply, d := j.escape(t.q, mover, t.next, shogi.NoMove)
	if d.Verdict != solver.Mate {
		return answer{verdict: d.Verdict, reason: d.Reason}, reply
	}
	return j.everyReply(t.q, mover), shogi.NoMove
}

// everyReply verifies that attacker mates after every reply. The line is the reply with the longest of
// the mates that are found, and that mate; it is empty where there is no reply, which loses the game,
// too.
func (j *judge) everyReply(q *shogi.Position, attacker shogi.Color) answer {
	longest := answer{verdict: solver.Mate}
	var buf shogi.MoveBuffer
	for _, m := range q.LegalMoves(&buf, shogi.AllMoves) {
		after := *q
		after.Do(m)
		a := j.line(&after, attacker, false)
		if a.verdict != solver.Mate {
			return a
		}
		if 1+len(a.line) > len(longest.line) {
			longest.line = append([]shogi.Move{m}, a.line...)
		}
	}
	return longest
}

// escape looks for a move in p, other than except, after which attacker, then to move, does not mate.
// The verdict is NoMate with such a move, Mate if he mates after each, and otherwise Unknown. first
// is tried first. All are asked about with few nodes before any is with more.
func (j *judge) escape(p *shogi.Position, attacker shogi.Color, first, except shogi.Move) (
	shogi.Move, solver.Decision) {
	var buf shogi.MoveBuffer
	open := p.LegalMoves(&buf, shogi.AllMoves)
	open = slices.DeleteFunc(open, func(m shogi.Move) bool { return m == except })
	if i := slices.Index(open, first); i > 0 {
		copy(open[1:i+1], open[:i])
		open[0] = first
	}
	reason := solver.NoReason
	begun := j.game.Nodes
	for _, nodes := range []uint64{max(j.nodes/10, 1), j.nodes} {
		still := open[:0]
		for _, m := range open {
			if j.game.Nodes-begun > movesFactor*j.nodes {
				return shogi.NoMove, solver.Decision{Reason: solver.ReasonNodes}
			}
			after := *p
			after.Do(m)
			switch d := j.decide(&after, attacker, nodes); d.Verdict {
			case solver.NoMate:
				return m, d
			case solver.Unknown:
				still, reason = append(still, m), d.Reason
			}
		}
		if open = still; len(open) == 0 {
			return shogi.NoMove, solver.Decision{Verdict: solver.Mate}
		}
	}
	return shogi.NoMove, solver.Decision{Reason: reason}
}
