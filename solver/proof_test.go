package solver_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
)

// A plan is what a proof is made of, so that tests can break it.
type plan struct {
	Nodes []solver.ProofNode
	First []solver.ProofReply
}

func (f *plan) proof(p shogi.Position) (*solver.Proof, error) {
	attacker, _ := solver.Attacker(&p)
	return solver.NewProof(context.Background(), p, attacker, f.Nodes, f.First, nil)
}

func (f *plan) clone() *plan {
	c := &plan{slices.Clone(f.Nodes), slices.Clone(f.First)}
	for i := range c.Nodes {
		c.Nodes[i].Replies = slices.Clone(c.Nodes[i].Replies)
	}
	return c
}

// A planner makes plans by trying everything: all moves of the plain rules, and every hand for
// itself.
type planner struct {
	attacker shogi.Color
	plan     plan
	made     map[mailbox.Board]int32 // nodes, of positions without their move numbers
}

// planFor returns a plan to mate p within plies, nil if there is none.
func planFor(p shogi.Position, plies int32) *plan {
	attacker, err := solver.Attacker(&p)
	if err != nil {
		panic(err)
	}
	x := planner{attacker: attacker, made: map[mailbox.Board]int32{}}
	b := mailbox.From(&p)
	if b.SideToMove() != attacker {
		replies, ok := x.replies(&b, plies-1)
		if !ok {
			return nil
		}
		x.plan.First = replies
	} else {
		i, ok := x.node(&b, plies)
		if !ok {
			return nil
		}
		x.plan.First = []solver.ProofReply{{Move: shogi.NoMove, Node: i}}
	}
	return &x.plan
}

func (x *planner) node(b *mailbox.Board, plies int32) (int32, bool) {
	if i, ok := x.made[b.Position()]; ok && x.plan.Nodes[i].Height <= plies {
		return i, true
	}
	for n := int32(1); n <= plies; n += 2 {
		for _, m := range b.LegalMoves() {
			after := *b
			after.Do(m)
			if !after.InCheck(after.SideToMove()) {
				continue
			}
			replies, ok := x.replies(&after, n-2)
			if !ok {
				continue
			}
			hand := shogi.MustParseSFEN(b.SFEN()) // the board as package shogi reads it
			x.plan.Nodes = append(x.plan.Nodes, solver.ProofNode{
				Move: m, Height: n, Hand: hand.Hand(x.attacker), Replies: replies,
			})
			i := int32(len(x.plan.Nodes) - 1)
			x.made[b.Position()] = i
			return i, true
		}
	}
	return 0, false
}

func (x *planner) replies(b *mailbox.Board, plies int32) ([]solver.ProofReply, bool) {
	defences := b.LegalMoves()
	if len(defences) > 0 && plies < 1 {
		return nil, false
	}
	var replies []solver.ProofReply
	for _, d := range defences {
		after := *b
		after.Do(d)
		i, ok := x.node(&after, plies)
		if !ok {
			return nil, false
		}
		replies = append(replies, solver.ProofReply{Move: d, Node: i})
	}
	return replies, true
}

// A mate in five with positions that are reached in several ways.
const fivePlies = "8+P/1+R2G4/1pS4+B+L/2p1pp1p1/1PsP5/k1n6/p1K2P2G/L1N3+n2/3G1R3 b BG2SL6Pnl2p 1"

// TestProof: a plan made by trying everything is accepted, and each way to break it is noticed.
func TestProof(t *testing.T) {
	p := shogi.MustParseSFEN(fivePlies)
	if planFor(p, 3) != nil {
		t.Fatal("there is a mate in 3")
	}
	whole := planFor(p, 5)
	proof, err := whole.proof(p)
	if err != nil {
		t.Fatal(err)
	}
	line := proof.Line(p)
	if len(line) != 5 || proof.Plies() != 5 {
		t.Fatalf("a line of %d plies, a proof of %d", len(line), proof.Plies())
	}
	if err := solver.Verify(p, solver.Result{Verdict: solver.Mate, Line: line, Proof: proof}, nil); err != nil {
		t.Fatal(err)
	}
	root := whole.First[0].Node
	leaf := firstMate(proof, p)
	firstReply := func(f *plan) *solver.ProofReply { return &f.Nodes[root].Replies[0] }
	for _, test := range []struct {
		name  string
		spoil func(f *plan)
		fails string
	}{
		{"no node at all", func(f *plan) { *f = plan{} }, "begin with one node"},
		{"two first nodes", func(f *plan) { f.First = append(f.First, f.First[0]) }, "begin with one node"},
		{"a first reply with a move", func(f *plan) { f.First[0].Move = line[1] }, "begin with one node"},
		{"a missing defence", func(f *plan) {
			f.Nodes[root].Replies = f.Nodes[root].Replies[1:]
		}, "no reply to this defence"},
		{"the last defence missing", func(f *plan) {
			n := &f.Nodes[root]
			n.Replies = n.Replies[:len(n.Replies)-1]
		}, "no reply to this defence"},
		{"an answer in place of another", func(f *plan) {
			f.Nodes[root].Replies[1] = f.Nodes[root].Replies[0]
		}, "two replies"},
		{"a repeated answer", func(f *plan) {
			n := &f.Nodes[root]
			n.Replies = append(n.Replies, n.Replies[0])
		}, "two replies"},
		{"an answer to an illegal defence", func(f *plan) {
			n := &f.Nodes[root]
			n.Replies = append(n.Replies, solver.ProofReply{Move: shogi.NewDrop(shogi.Rook, shogi.SquareAt(shogi.File1, shogi.RankI))})
		}, "not legal"},
		{"an answer to no move", func(f *plan) { firstReply(f).Move = shogi.NoMove }, "not legal"},
		{"an answer to garbage", func(f *plan) { firstReply(f).Move = 0xffff }, "not legal"},
		{"a height that does not fall", func(f *plan) {
			f.Nodes[firstReply(f).Node].Height = f.Nodes[root].Height
		}, "at most 3 plies are left"},
		{"a height that falls by one", func(f *plan) {
			f.Nodes[firstReply(f).Node].Height = 4
		}, "at most 3 plies are left"},
		{"a height of nothing", func(f *plan) { f.Nodes[leaf].Height = 0 }, "at most"},
		{"a height below nothing", func(f *plan) { f.Nodes[root].Height = -1 << 31 }, "at most"},
		{"a height beyond all lines", func(f *plan) { f.Nodes[root].Height = 1<<16 + 1 }, "at most 65536 plies are left"},
		{"a loop", func(f *plan) { firstReply(f).Node = root }, "at most"},
		{"a reply that leads nowhere", func(f *plan) { firstReply(f).Node = int32(len(f.Nodes)) }, "leads to node"},
		{"a reply that leads below nowhere", func(f *plan) { firstReply(f).Node = -1 }, "leads to node"},
		{"an illegal check", func(f *plan) {
			f.Nodes[leaf].Move = shogi.NewDrop(shogi.Rook, shogi.SquareAt(shogi.File9, shogi.RankI))
		}, "not legal"},
		{"no move", func(f *plan) { f.Nodes[leaf].Move = shogi.NoMove }, "not legal"},
		{"a move of the defender", func(f *plan) { f.Nodes[root].Move = move(t, "7f6h") }, "not legal"},
		{"no check", func(f *plan) { f.Nodes[root].Move = move(t, "P*9i") }, "does not check"},
		{"not mate at the end", func(f *plan) { f.Nodes[root].Replies = nil }, "no reply"},
		{"more in hand than there is", func(f *plan) {
			f.Nodes[root].Hand = f.Nodes[root].Hand.Add(shogi.Gold, 1)
		}, "in hand"},
		{"a node that is another position", func(f *plan) {
			other := slices.IndexFunc(f.Nodes[root].Replies, func(r solver.ProofReply) bool {
				return r.Node != firstReply(f).Node
			})
			firstReply(f).Node = f.Nodes[root].Replies[other].Node
		}, ""},
	} {
		f := whole.clone()
		test.spoil(f)
		_, err := f.proof(p)
		var bad *solver.VerifyError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), test.fails) {
			t.Errorf("%s: got %v, want an error with %q", test.name, err, test.fails)
		}
	}
}

// firstMate returns the first node of the plan that mates: the plan has nodes of attempts that
// failed, too, which nobody reaches.
func firstMate(f *solver.Proof, p shogi.Position) int32 {
	leaf := int32(-1)
	f.Walk(p, func(i int32, _ []shogi.Move, _ *shogi.Position) bool {
		if leaf < 0 && len(f.Node(i).Replies) == 0 {
			leaf = i
		}
		return leaf < 0
	})
	return leaf
}

// TestProofShared: each way to a node that several replies lead to is looked at, not the first
// alone.
func TestProofShared(t *testing.T) {
	p := shogi.MustParseSFEN("k8/gl1K5/2P6/9/9/9/9/P8/8R b GPr2b2g4s4n3l15p 1")
	r := dfpn.New(dfpn.Options{TableBytes: 1 << 20}).Solve(t.Context(), p, solver.Limits{Proof: true})
	if r.Proof == nil {
		t.Fatalf("%+v", r)
	}
	whole := &plan{First: r.Proof.First()}
	for i := range r.Proof.Len() {
		whole.Nodes = append(whole.Nodes, r.Proof.Node(int32(i)))
	}
	if _, err := whole.proof(p); err != nil {
		t.Fatal(err)
	}
	seen := make([]int, r.Proof.Len())
	r.Proof.Walk(p, func(i int32, _ []shogi.Move, _ *shogi.Position) bool {
		seen[i]++
		return seen[i] == 1
	})
	if slices.Min(seen) != 1 || slices.Max(seen) != 1 {
		t.Errorf("nodes visited %d to %d times", slices.Min(seen), slices.Max(seen))
	}
	ways := map[int32]int{}
	tried, refused := 0, 0
	for i, n := range whole.Nodes {
		for j, reply := range n.Replies {
			if ways[reply.Node]++; ways[reply.Node] != 2 {
				continue
			}
			for other := range whole.Nodes { // a node as low, which no reply leads to a second time
				o := &whole.Nodes[other]
				if int32(other) == reply.Node || o.Height > n.Height-2 || ways[int32(other)] > 1 {
					continue
				}
				f := whole.clone()
				f.Nodes[i].Replies[j].Node = int32(other)
				tried++
				if _, err := f.proof(p); err != nil {
					refused++
				}
			}
		}
	}
	if tried < 100 || refused != tried {
		t.Errorf("%d of %d proofs with a node in the place of another were refused", refused, tried)
	}
}

// TestProofOtherLine: a line must be one of the proof, and the proof must cover it all.
func TestProofOtherLine(t *testing.T) {
	p := shogi.MustParseSFEN("4k4/9/4G4/9/9/9/9/9/6+R2 b G 1")
	gold := p.Hand(shogi.Black)
	proof, err := one(move(t, "G*5b"), gold).proof(p)
	if err != nil {
		t.Fatal(err)
	}
	for line, fails := range map[string]string{
		"G*5b":      "",
		"3i3a":      "leaves the proof",
		"G*5b G*4b": "not legal",
	} {
		err := solver.Verify(p, solver.Result{Verdict: solver.Mate, Line: moves(t, line), Proof: proof}, nil)
		if fails == "" && err != nil || fails != "" && (err == nil || !strings.Contains(err.Error(), fails)) {
			t.Errorf("%s: got %v, want %q", line, err, fails)
		}
	}
	// A proof that promises no more than a mate in three, which the mate in one is too.
	slow := one(move(t, "G*5b"), gold)
	slow.Nodes[0].Height = 3
	if proof, err = slow.proof(p); err != nil {
		t.Fatal(err)
	}
	r := solver.Result{Verdict: solver.Mate, Line: moves(t, "G*5b"), Proof: proof}
	if err := solver.Verify(p, r, nil); err == nil || !strings.Contains(err.Error(), "1 plies, but the proof 3") {
		t.Errorf("a line shorter than its proof: %v", err)
	}
}

// TestProofOfAnother: a proof is that of one position, and no other is as good as it: here there is
// a knight that takes the first gold, but not on the line.
func TestProofOfAnother(t *testing.T) {
	p := shogi.MustParseSFEN("9/4k4/9/4P4/9/9/9/9/9 b 2G 1")
	proof, err := planFor(p, 3).proof(p)
	if err != nil {
		t.Fatal(err)
	}
	for sfen, fails := range map[string]bool{
		"9/4k4/9/4P4/9/9/9/9/9 b 2G 1":    false,
		"9/4k4/9/4P4/9/9/9/9/9 b 2G 7":    false,
		"9/4k4/9/4P4/9/9/9/9/9 b 2Gp 1":   true,
		"9/4k4/9/4P4/9/9/9/9/9 b 3G 1":    true,
		"5n3/4k4/9/4P4/9/9/9/9/9 b 2G 1":  true,
		"9/4k4/9/4P4/9/9/9/9/4K4 b 2G 1":  true,
		"9/4k4/9/4P4/9/9/9/9/P8 b 2G 100": true,
	} {
		r := solver.Result{Verdict: solver.Mate, Line: moves(t, "G*5c 5b5a G*5b"), Proof: proof}
		err := solver.Verify(shogi.MustParseSFEN(sfen), r, nil)
		if fails && (err == nil || !strings.Contains(err.Error(), "another position")) || !fails && err != nil {
			t.Errorf("%s: %v", sfen, err)
		}
	}
}

func move(t *testing.T, text string) shogi.Move { return moves(t, text)[0] }

// TestProofNeedsRules: what is no mate by the rules is refused as a proof too.
func TestProofNeedsRules(t *testing.T) {
	for _, test := range []struct {
		name, sfen, move string
		side             bool // the other side is said to attack
		fails            string
	}{
		{"a pawn drop must not mate", "7nk/9/7G1/9/9/9/9/9/9 b P2r2b3g4s3n4l17p 1", "P*1b", false, "not legal"},
		{"no move left, but no check", stalemate, "7c7b", false, "does not check"},
		{"the wrong side", "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1", "G*5b", true, "not in check"},
		{"the own king stays in check", "4k4/9/4G4/9/9/9/9/4r4/4K4 b Gr2b2g4s4n4l18p 1", "G*5b", false, "not legal"},
	} {
		p := shogi.MustParseSFEN(test.sfen)
		line := moves(t, test.move)
		attacker := p.SideToMove()
		if test.side {
			attacker = attacker.Opponent()
		}
		f := one(line[0], p.Hand(attacker))
		_, err := solver.NewProof(t.Context(), p, attacker, f.Nodes, f.First, nil)
		if err == nil || !strings.Contains(err.Error(), test.fails) {
			t.Errorf("%s: got %v, want an error with %q", test.name, err, test.fails)
		}
	}
}

// TestProofOfDefence: with the defender to move the first replies are as bound as any others.
func TestProofOfDefence(t *testing.T) {
	p := shogi.MustParseSFEN("9/4k4/4G4/4P4/9/9/9/9/9 w G2r2b2g4s4n4l17p 2")
	whole := planFor(p, 2)
	if proof, err := whole.proof(p); err != nil || proof.Plies() != 2 || len(proof.First()) != 3 {
		t.Fatalf("%+v, %v", proof, err)
	}
	for _, test := range []struct {
		name  string
		spoil func(f *plan)
		fails string
	}{
		{"a missing defence", func(f *plan) { f.First = f.First[1:] }, "no reply to this defence"},
		{"a repeated answer", func(f *plan) { f.First = append(f.First, f.First[0]) }, "two replies"},
		{"an answer to no move", func(f *plan) { f.First[0].Move = shogi.NoMove }, "not legal"},
		{"a reply that leads nowhere", func(f *plan) { f.First[0].Node = 3 }, "leads to node"},
		{"a height beyond all lines", func(f *plan) { f.Nodes[2].Height = 1<<16 + 1 }, "at most 65536 plies are left"},
		{"the greatest height", func(f *plan) { f.Nodes[2].Height = math.MaxInt32 }, "at most 65536 plies are left"},
	} {
		f := whole.clone()
		test.spoil(f)
		if _, err := f.proof(p); err == nil || !strings.Contains(err.Error(), test.fails) {
			t.Errorf("%s: got %v, want an error with %q", test.name, err, test.fails)
		}
	}
	for _, attacker := range []shogi.Color{2, 255} {
		if _, err := solver.NewProof(t.Context(), p, attacker, whole.Nodes, whole.First, nil); err == nil {
			t.Errorf("a proof for the side %d", attacker)
		}
	}
}

// TestProofHands: a node stands for more in the attacker's hand, and for no less.
func TestProofHands(t *testing.T) {
	p := shogi.MustParseSFEN(goldOnHead) // a gold and nothing else in the attacker's hand
	line := moves(t, "G*5b")
	for _, test := range []struct {
		hand  shogi.Hand
		fails string
	}{
		{shogi.Hand(0).Add(shogi.Gold, 1), ""},
		{shogi.Hand(0), "not legal"}, // then there is nothing to drop
		{shogi.Hand(0).Add(shogi.Gold, 2), "in hand"},
		{shogi.Hand(0).Add(shogi.Gold, 1).Add(shogi.Pawn, 1), "in hand"},
		// Bits that count no piece: the spare ones, and those beyond the last kind.
		{shogi.Hand(0).Add(shogi.Gold, 1) | 1<<5, "no hand"},
		{shogi.Hand(0).Add(shogi.Gold, 1) | 1<<27, "no hand"},
		{shogi.Hand(0).Add(shogi.Gold, 1) | 1<<31, "no hand"},
	} {
		_, err := one(line[0], test.hand).proof(p)
		if test.fails == "" && err != nil || test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)) {
			t.Errorf("%v in hand: got %v, want %q", test.hand, err, test.fails)
		}
	}
	// The rook on 1a mates as long as the defender has nothing to put between. The node says that
	// it needs nothing in hand, and what it leaves to the defender then does come between.
	p = shogi.MustParseSFEN("k8/9/K8/9/9/9/9/9/8R b P 1")
	line = moves(t, "1i1a")
	if _, err := one(line[0], 0).proof(p); err == nil || !strings.Contains(err.Error(), "no reply to this defence") {
		t.Errorf("a hand too small: %v", err)
	}
	if _, err := one(line[0], shogi.Hand(0).Add(shogi.Pawn, 1)).proof(p); err != nil {
		t.Errorf("the right hand: %v", err)
	}
}

// TestProofMoreInHand: the rook mates on 6a, though a pawn may come between. Where the attacker
// holds the pawn it does not, and the proof is one all the same.
func TestProofMoreInHand(t *testing.T) {
	whole := planFor(shogi.MustParseSFEN("k8/9/K1N6/9/9/9/9/9/3R5 b p 1"), 3)
	p := shogi.MustParseSFEN("k8/9/K1N6/9/9/9/9/9/3R5 b P 1")
	proof, err := whole.proof(p)
	if err != nil || proof.Plies() != 3 {
		t.Fatalf("%+v, %v", proof, err)
	}
	if line := proof.Line(p); len(line) != 1 || solver.VerifyLine(p, line) != nil {
		t.Errorf("the line %v", line)
	}
	nodes := 0
	proof.Walk(p, func(_ int32, _ []shogi.Move, q *shogi.Position) bool {
		nodes++
		if q.Hand(shogi.Black).Count(shogi.Pawn)+q.Hand(shogi.White).Count(shogi.Pawn)+q.PiecesOf(shogi.White, shogi.Pawn).Len() != 1 ||
			nodes == 1 && !q.Hand(shogi.Black).IsEmpty() {
			t.Errorf("node in %s", q.SFEN())
		}
		return true
	})
	if nodes != 3 {
		t.Errorf("%d nodes", nodes)
	}
}

// one is a plan of one move.
func one(m shogi.Move, hand shogi.Hand) *plan {
	return &plan{[]solver.ProofNode{{Move: m, Height: 1, Hand: hand}}, []solver.ProofReply{{}}}
}

// TestProofStops: the replay of a plan ends with its context.
func TestProofStops(t *testing.T) {
	p := shogi.MustParseSFEN(fivePlies)
	f := planFor(p, 5)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := solver.NewProof(ctx, p, p.SideToMove(), f.Nodes, f.First, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	steps := 0
	if _, err := solver.NewProof(t.Context(), p, p.SideToMove(), f.Nodes, f.First, func() { steps++ }); err != nil || steps == 0 {
		t.Errorf("%v after %d steps", err, steps)
	}
}

// TestProofWalk visits each node once, in its own position.
func TestProofWalk(t *testing.T) {
	p := shogi.MustParseSFEN(fivePlies)
	f, err := planFor(p, 5).proof(p)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int32]bool{}
	f.Walk(p, func(i int32, moves []shogi.Move, q *shogi.Position) bool {
		if seen[i] {
			t.Fatalf("node %d again", i)
		}
		seen[i] = true
		n := f.Node(i)
		if !q.IsLegal(n.Move) || q.Hand(q.SideToMove()) != n.Hand || len(moves) > 4 || len(moves)%2 != 0 {
			t.Fatalf("node %d after %v: %s", i, moves, q.SFEN())
		}
		return true
	})
	if len(seen) < 10 {
		t.Errorf("%d of %d nodes", len(seen), f.Len())
	}
	count := 0
	f.Walk(p, func(int32, []shogi.Move, *shogi.Position) bool { count++; return false })
	if count != 1 {
		t.Errorf("%d nodes, though the first said no", count)
	}
	want := int(unsafe.Sizeof(*f)) + len(f.First())*int(unsafe.Sizeof(solver.ProofReply{}))
	for i := range f.Len() {
		n := f.Node(int32(i))
		want += int(unsafe.Sizeof(n)) + len(n.Replies)*int(unsafe.Sizeof(solver.ProofReply{}))
	}
	if f.Bytes() < want || f.Bytes() > want+100 {
		t.Errorf("%d nodes take %d bytes, said to be %d", f.Len(), want, f.Bytes())
	}
}

// TestVerifiedProof: who asks for a proof gets one, of the short mates too, and who does not gets
// none.
func TestVerifiedProof(t *testing.T) {
	p := shogi.MustParseSFEN(fivePlies)
	five, err := planFor(p, 5).proof(p)
	if err != nil {
		t.Fatal(err)
	}
	line := five.Line(p)
	for _, test := range []struct {
		sfen, line string
		proof      *solver.Proof
	}{
		{goldOnHead, "G*5b", nil},
		{"4k4/4G4/4G4/9/9/9/9/9/9 w 2r2b2g4s4n4l18p 2", "", nil},
		{classic, "9f5b+ 6a5b S*6b", nil},
		{"9/4k4/4G4/4P4/9/9/9/9/9 w G2r2b2g4s4n4l17p 2", "5b4a G*4b", nil},
		{fivePlies, "", five},
	} {
		r := solver.Result{Verdict: solver.Mate, Line: moves(t, test.line), Proof: test.proof}
		if test.proof != nil {
			r.Line = line
		}
		p := shogi.MustParseSFEN(test.sfen)
		s := solver.Verified(solver.Func(func(_ context.Context, _ shogi.Position, lim solver.Limits) solver.Result {
			if !lim.Proof {
				t.Error("the solver was not asked for a proof")
			}
			return r
		}), nil, nil)
		if got := s.Solve(t.Context(), p, solver.Limits{}); got.Verdict != solver.Mate || got.Proof != nil {
			t.Errorf("%s: not asked for: %+v", test.sfen, got)
		}
		got := s.Solve(t.Context(), p, solver.Limits{Proof: true})
		if got.Verdict != solver.Mate || got.Proof == nil || got.Proof.Plies() != len(r.Line) {
			t.Errorf("%s: %+v", test.sfen, got)
		}
		if err := solver.Verify(p, got, nil); err != nil {
			t.Error(err)
		}
	}
}
