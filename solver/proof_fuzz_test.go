package solver_test

import (
	"context"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// fuzzed are small positions with a true plan of so many plies, 0 if there is no mate.
var fuzzed = []struct {
	sfen  string
	plies int32
}{
	{goldOnHead, 1},
	{"4k4/9/4G4/9/9/9/9/9/6+R2 b G 1", 1},
	{"k8/9/K8/9/9/9/9/9/8R b P 1", 1},
	{"9/4k4/9/4P4/9/9/9/9/9 b 2G 1", 3},
	{"9/9/9/9/9/4p4/9/4K4/9 w 2g 1", 3}, // the same with White
	{"9/4k4/4G4/4P4/9/9/9/9/9 w G 2", 2},
	{"k8/s8/R8/9/9/9/9/9/9 b RBSp 1", 3},
	{"5k3/9/4G4/9/9/9/9/9/6+R2 b G 1", 1},
	{"4k4/4G4/4G4/9/9/9/9/9/9 w - 2", 0},
	{"7nk/9/7G1/9/9/9/9/9/9 b P 1", 0},
	{"4k4/9/9/9/9/9/9/9/9 b 2G 1", 0},
	{"4k4/9/9/9/9/9/9/9/9 w G 1", 0},
	{"9/9/9/9/9/9/9/9/9 b G 1", 0},
	{stalemate, 0},
}

// stalemate: the gold on 7b leaves the defender no move, and he is not in check.
const stalemate = "k8/9/1KG6/9/9/9/9/9/9 b - 1"

// A fuzzer reads the bytes of the fuzzing engine. After the last one it reads zeros.
type fuzzer []byte

func (z *fuzzer) next() int {
	if len(*z) == 0 {
		return 0
	}
	n := (*z)[0]
	*z = (*z)[1:]
	return int(n)
}

func (z *fuzzer) wide() uint32 {
	return uint32(z.next())<<24 | uint32(z.next())<<16 | uint32(z.next())<<8 | uint32(z.next())
}

// index returns one of n places, or now and then one that does not exist.
func (z *fuzzer) index(n int) int32 {
	i := z.next()
	if i == 255 || n == 0 {
		return int32(z.wide())
	}
	return int32(i % n)
}

// move returns a move of the plan, or any value at all.
func (z *fuzzer) move(f *plan) shogi.Move {
	if kind := z.next(); kind < 192 && len(f.Nodes) > 0 {
		n := &f.Nodes[z.next()%len(f.Nodes)]
		if kind < 96 || len(n.Replies) == 0 {
			return n.Move
		}
		return n.Replies[z.next()%len(n.Replies)].Move
	}
	return shogi.Move(z.wide())
}

// change makes one change to the plan.
func (z *fuzzer) change(f *plan) {
	list := &f.First
	var n *solver.ProofNode
	if len(f.Nodes) > 0 {
		n = &f.Nodes[z.next()%len(f.Nodes)]
		if z.next()%8 > 0 {
			list = &n.Replies
		}
	}
	switch kind := z.next() % 10; {
	case kind == 0 && n != nil:
		n.Move = z.move(f)
	case kind == 1 && n != nil:
		n.Height = int32(z.next()) - 2
	case kind == 2 && n != nil:
		n.Height = int32(z.wide())
	case kind == 3 && n != nil:
		n.Hand ^= shogi.Hand(1) << (z.next() % 32)
	case kind == 4 && n != nil:
		n.Hand = shogi.Hand(z.wide())
	case kind == 5 && len(*list) > 0:
		(*list)[z.next()%len(*list)].Node = z.index(len(f.Nodes))
	case kind == 6 && len(*list) > 0:
		(*list)[z.next()%len(*list)].Move = z.move(f)
	case kind == 7 && len(*list) > 0:
		i := z.next() % len(*list)
		*list = append((*list)[:i:i], (*list)[i+1:]...)
	case kind == 8:
		*list = append(*list, solver.ProofReply{Move: z.move(f), Node: z.index(len(f.Nodes))})
	default:
		f.Nodes = append(f.Nodes, solver.ProofNode{
			Move: z.move(f), Height: int32(z.next()), Hand: shogi.Hand(z.wide()),
		})
	}
}

// FuzzNewProof changes true plans, and makes plans of garbage. Whatever is accepted as a proof must
// be one: trying all moves finds a mate at least as short, and the proof can be read.
func FuzzNewProof(f *testing.F) {
	positions := make([]shogi.Position, len(fuzzed))
	plans := make([]*plan, len(fuzzed))
	for i, known := range fuzzed {
		p := shogi.MustParseSFEN(known.sfen)
		positions[i], plans[i] = p, &plan{}
		if known.plies > 0 {
			if plans[i] = planFor(p, known.plies); plans[i] == nil {
				f.Fatalf("%s: no mate in %d", known.sfen, known.plies)
			}
		}
		// Which position, and who attacks; then changes.
		f.Add([]byte{byte(i), 0})
		f.Add([]byte{byte(i), 1})
		f.Add([]byte{byte(i), 0, 0, 1, 3, 5})
		f.Add([]byte{byte(i), 0, 0, 1, 1, 5})
		f.Add([]byte{byte(i), 0, 0, 1, 7, 0})
		f.Add([]byte{byte(i), 0, 1, 1, 5, 0, 2})
		f.Add([]byte{byte(i), 0, 0, 0, 9, 255, 0, 0, 82, 177, 3, 1, 0, 0, 0})
	}
	// A node with the quiet move of the last position, and the reply that leads to it.
	quiet := shogi.NewMove(shogi.SquareAt(shogi.File7, shogi.RankC), shogi.SquareAt(shogi.File7, shogi.RankB))
	f.Add([]byte{
		byte(len(fuzzed) - 1), 0,
		9, 255, 0, 0, byte(quiet >> 8), byte(quiet), 1, 0, 0, 0, 0,
		0, 0, 8, 255, 0, 0, 0, 0, 0,
	})
	shortest := map[[2]int]int{} // of the position and the plies
	f.Fuzz(func(t *testing.T, data []byte) {
		z := fuzzer(data)
		if len(z) > 200 {
			z = z[:200]
		}
		i := z.next() % len(fuzzed)
		p, plan := positions[i], plans[i].clone()
		attacker, noAttacker := solver.Attacker(&p)
		if z.next()%8 == 1 {
			attacker = attacker.Opponent()
		}
		for len(z) > 0 {
			z.change(plan)
		}
		proof, err := solver.NewProof(context.Background(), p, attacker, plan.Nodes, plan.First, nil)
		if err != nil {
			return
		}
		if side, _ := solver.Attacker(&p); noAttacker != nil || side != attacker {
			t.Fatalf("%s: a proof for the wrong side", fuzzed[i].sfen)
		}
		const most = 3 // what the witness finds in good time
		limit := min(proof.Plies(), most)
		asked := [2]int{i, limit}
		if _, ok := shortest[asked]; !ok {
			shortest[asked] = solvertest.Shortest(&p, limit)
		}
		if n := shortest[asked]; n > proof.Plies() && (n < solvertest.Never || limit == proof.Plies() || fuzzed[i].plies == 0) {
			t.Fatalf("%s: a proof of %d plies, but the shortest mate has %d", fuzzed[i].sfen, proof.Plies(), n)
		}
		line := proof.Line(p)
		if err := solver.VerifyLine(p, line); err != nil || len(line) > proof.Plies() {
			t.Fatalf("%s: a line of %d plies, a proof of %d: %v", fuzzed[i].sfen, len(line), proof.Plies(), err)
		}
		proof.Walk(p, func(node int32, _ []shogi.Move, q *shogi.Position) bool {
			parsed, err := shogi.ParseSFEN(q.SFEN())
			if err != nil || parsed != *q || q.Hand(attacker) != proof.Node(node).Hand {
				t.Fatalf("%s: node %d is no position: %s", fuzzed[i].sfen, node, q.SFEN())
			}
			return true
		})
	})
}
