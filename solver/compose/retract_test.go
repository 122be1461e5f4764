package compose

import (
	"iter"
	"math/rand/v2"
	"testing"

	"github.com/tsumero/tsumero/shogi"
)

// predecessors yields every position, check and reply that lead to p, each once. The side to move in
// p is the attacker. The pieces are those of p: what was captured comes back from a hand.
func predecessors(p *shogi.Position) iter.Seq[predecessor] {
	return func(yield func(predecessor) bool) {
		var replies, checks []retraction
		for _, reply := range appendRetractions(replies, p) {
			after, ok := reply.before(p)
			if !ok || !after.InCheck() {
				continue
			}
			checks = appendRetractions(checks[:0], &after)
			for _, check := range checks {
				if q, ok := check.before(&after); ok && !yield(predecessor{q, check.move, reply.move}) {
					return
				}
			}
		}
	}
}

// TestPredecessorsForward plays every predecessor forward: check and reply are legal, the check is
// one, and they lead to the position; and none comes twice.
func TestPredecessorsForward(t *testing.T) {
	for _, sfen := range []string{
		"7nk/9/7GP/9/9/9/9/9/9 b - 1",                      // no hands: nothing was captured
		"6s1k/7p1/8+P/9/9/9/9/9/9 b GNP2rb2pl 1",           // promoted, and a pawn on the file
		"3g5/9/9/9/9/9/1n7/2s3+p2/4K4 w 2P2b 1",            // White attacks
		"8k/9/9/9/9/9/9/2B5K/9 b Rr 1",                     // two kings
		"9/9/6lk1/5+S3/6+p2/9/9/9/9 b RB2G3S4N3L16Prb2g 1", // full hands
		"ln7/1k7/4+R4/9/9/9/9/9/9 b r2b4g4s3n3l18p 1",      // the other corner
	} {
		p := shogi.MustParseSFEN(sfen)
		seen := map[predecessor]bool{}
		for q := range predecessors(&p) {
			if seen[q] {
				t.Fatalf("%s: %s %v %v comes twice", sfen, q.Position.SFEN(), q.Check, q.Reply)
			}
			seen[q] = true
			played := q.Position
			if !played.IsLegal(q.Check) {
				t.Fatalf("%s: %s: the check %v is illegal", sfen, played.SFEN(), q.Check)
			}
			played.Do(q.Check)
			if !played.InCheck() {
				t.Fatalf("%s: %s: %v is no check", sfen, q.Position.SFEN(), q.Check)
			}
			if !played.IsLegal(q.Reply) {
				t.Fatalf("%s: %s: the reply %v is illegal", sfen, played.SFEN(), q.Reply)
			}
			if played.Do(q.Reply); !played.SamePosition(&p) {
				t.Fatalf("%s: %s %v %v leads to %s", sfen, q.Position.SFEN(), q.Check, q.Reply, played.SFEN())
			}
		}
		if len(seen) == 0 {
			t.Errorf("%s has no predecessor", sfen)
		}
	}
}

// TestPredecessorsBackward plays random games from the start and from positions with promoted pieces
// and full hands, checks first where there are any, and looks for every check and reply that was
// played among the predecessors of where it led.
func TestPredecessorsBackward(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var buf shogi.MoveBuffer
	kinds := map[string]int{}
	for game := range 24 {
		p := shogi.Start()
		if game%2 == 1 {
			p = shogi.MustParseSFEN("4k4/2p3+L2/1+B1s3g1/p3p4/9/4S2+n1/1P2GP3/4g4/3K3L1 b RBSN8Prgs2n2l5p 1")
		}
		for range 150 {
			moves := p.LegalMoves(&buf, shogi.AllMoves)
			if rng.IntN(3) > 0 && p.HasCheck() {
				moves = p.Checks(&buf, shogi.AllMoves)
			}
			if len(moves) == 0 {
				break
			}
			before, check := p, moves[rng.IntN(len(moves))]
			captured := p.Piece(check.To())
			p.Do(check)
			if !p.InCheck() {
				continue
			}
			replies := p.Evasions(&buf, shogi.AllMoves)
			if len(replies) == 0 {
				break
			}
			reply := replies[rng.IntN(len(replies))]
			taken := p.Piece(reply.To())
			after := p
			after.Do(reply)
			if !isPredecessor(&after, predecessor{before, check, reply}) {
				t.Fatalf("%s %v %v is no predecessor of %s", before.SFEN(), check, reply, after.SFEN())
			}
			kinds[describe(check, captured)+", "+describe(reply, taken)]++
			p = after
		}
	}
	for _, check := range []string{"move", "promotion", "drop", "capture"} {
		for _, reply := range []string{"move", "drop", "capture"} {
			if kinds[check+", "+reply] == 0 {
				t.Errorf("no game had a %s and a %s", check, reply)
			}
		}
	}
	t.Log(kinds)
}

// TestPawnDropMate: a pawn that mates was not dropped, but may have moved.
func TestPawnDropMate(t *testing.T) {
	p := shogi.MustParseSFEN("8k/6S1P/7GG/9/9/9/9/9/9 w 2r2b2g3s4n4l17p 1")
	var moves []shogi.Move
	for _, r := range appendRetractions(nil, &p) {
		if before, ok := r.before(&p); ok {
			if after := before.After(r.move); !before.IsLegal(r.move) || !after.SamePosition(&p) {
				t.Errorf("%v does not lead to the position", r)
			}
			if r.move.To() == shogi.SquareAt(0, 1) {
				moves = append(moves, r.move)
			}
		}
	}
	if len(moves) != 0 {
		t.Errorf("the pawn, which can only have been dropped, came by %v", moves)
	}
}

func isPredecessor(p *shogi.Position, want predecessor) bool {
	found := 0
	for q := range predecessors(p) {
		if q.Check == want.Check && q.Reply == want.Reply && q.Position.SamePosition(&want.Position) {
			found++
		}
	}
	return found == 1
}

func describe(m shogi.Move, captured shogi.Piece) string {
	switch {
	case captured != shogi.NoPiece:
		return "capture"
	case m.IsDrop():
		return "drop"
	case m.IsPromotion():
		return "promotion"
	}
	return "move"
}
