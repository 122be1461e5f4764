package threat

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
)

// inThree is a published brinkmate in 3 plies with one first move.
const inThree = "7nl/7k1/6p2/7Pp/9/9/9/9/9 b GS2r2b3g3s3n3l15p 1"

// goldOnHead is a mate in one.
const goldOnHead = "4k4/9/4G4/9/9/9/9/9/9 b G 1"

func complete(sfen string, defender shogi.Color) shogi.Position {
	p := shogi.MustParseSFEN(sfen)
	p.GiveMissing(defender)
	return p
}

func TestThreat(t *testing.T) {
	t.Parallel()
	s := New(dfpn.NewSession())
	for name, test := range map[string]struct {
		sfen string
		want Verdict
		line string
	}{
		"a drop":                         {"7nk/9/7G1/9/9/9/9/9/9 w L 1", Threat, "L*1b"},
		"a pawn drop would mate":         {"7nk/9/7G1/9/9/9/9/9/9 w P 1", NoThreat, ""},
		"nothing to mate with":           {"7nk/9/7G1/9/9/9/9/9/9 w - 1", NoThreat, ""},
		"the attacker has to leave":      {"7nk/9/7G1/9/7K1/9/9/9/9 w L 1", Threat, "L*1b"},
		"the gold is pinned to his king": {"7nk/7r1/7G1/7K1/9/9/9/9/9 w L 1", NoThreat, ""},
	} {
		p := complete(test.sfen, shogi.White)
		shogitest.BothWays(t, p, func(t *testing.T, p shogi.Position, turn func(shogi.Move) shogi.Move) {
			r, err := s.Threat(context.Background(), p, Limits{})
			line := ""
			for _, m := range r.Line {
				line += turn(m).String()
			}
			if err != nil || r.Verdict != test.want || line != test.line {
				t.Errorf("%s: %v %s, %v", name, r.Verdict, line, err)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	s := New(dfpn.NewSession())
	for _, test := range []struct {
		sfen string
		want error
		text string
	}{
		{"8k/8L/9/9/9/9/9/9/9 w 2r2b4g4s4n3l18p 1", ErrInCheck, "in check"},
		{"9/9/9/9/9/9/9/9/4K4 w 2r2b4g4s4n4l18p 1", ErrNoKing, "no king"},
		{"8k/9/9/9/9/9/9/9/9 w 2r2b4g4s4n3l16p 1", nil, "(L2P)"},
	} {
		p := shogi.MustParseSFEN(test.sfen)
		_, err := s.Threat(context.Background(), p, Limits{})
		if err == nil || test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v", test.sfen, err)
		}
	}
	p := shogi.MustParseSFEN("8k/9/9/9/9/9/9/9/9 b 2r2b4g4s4n3l16p 1")
	if _, err := s.Brinkmate(context.Background(), p, Limits{}); err == nil {
		t.Error("a brinkmate with missing pieces")
	}
}

func TestBrinkmate(t *testing.T) {
	t.Parallel()
	s := New(dfpn.NewSession())
	for name, test := range map[string]struct {
		sfen    string
		attacks int
		want    string
	}{
		"in 3":                   {inThree, 2, "brinkmate 2 true S*2c 2b1c 2c3d+ [S*2c] []"},
		"not in 1":               {inThree, 1, "none_within 1 false  [] []"},
		"a mate is no brinkmate": {goldOnHead, 1, "mate 0 false G*5b [] []"},
	} {
		p := complete(test.sfen, shogi.White)
		r, err := s.Brinkmate(context.Background(), p, Limits{Attacks: test.attacks, FirstMoves: true})
		if got := text(&r); err != nil || got != test.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, test.want)
		}
		if r.Plan != nil {
			replies, mates := checkPlan(t, mailbox.From(&p), p, r.Plan)
			t.Logf("%s: %d replies, %d mates, %d nodes", name, replies, mates, r.Nodes)
			last, at := r.Plan, p
			last, _ = last.Last(&at)
			if n := len(last.Replies); n != 476 {
				t.Errorf("%d replies to the last attack, want 476", n)
			}
		}
	}
}

// TestOnly: of one first move alone it is said whether it makes a brinkmate. The published one has a
// single first move, so all others are refuted, and the plain rules say that each refutation holds: no
// mate follows it at once, and none of the attacks that are left.
func TestOnly(t *testing.T) {
	t.Parallel()
	s := New(dfpn.NewSession())
	p := complete(inThree, shogi.White)
	ask := func(move string, attacks int) Result {
		m, err := shogi.ParseMove(move)
		if err != nil || !p.IsLegal(m) {
			t.Fatal(move, err)
		}
		r, err := s.Brinkmate(context.Background(), p, Limits{Attacks: attacks, Only: m})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := ask("S*2c", 2); r.Verdict != Brinkmate || r.Attacks != 2 || r.Line[0].String() != "S*2c" || r.Refutation != 0 {
		t.Errorf("S*2c: %s", text(&r))
	}
	for move, isAttack := range map[string]bool{"G*2c": true, "G*3b": true, "S*3a": true, "G*9i": false} {
		r := ask(move, 2)
		if r.Verdict != None || isAttack != (r.Refutation != shogi.NoMove) {
			t.Errorf("%s: %s, refuted by %v", move, text(&r), r.Refutation)
			continue
		}
		if !isAttack {
			continue
		}
		m, _ := shogi.ParseMove(move)
		after := p.After(m)
		if !after.IsLegal(r.Refutation) {
			t.Errorf("%s: %v is no legal move", move, r.Refutation)
		}
		after.Do(r.Refutation)
		if left, err := s.Brinkmate(context.Background(), after, Limits{Attacks: 1}); err != nil || left.Verdict != None {
			t.Errorf("%s %v: %s, %v", move, r.Refutation, text(&left), err)
		}
	}
	// The first move of a published brinkmate in 5 is refuted if there is to be one attack alone, and
	// only then.
	p = complete("4+R2nl/5gk2/4ppppp/9/6S2/9/9/9/9 b S 1", shogi.White)
	if r := ask("S*3a", 1); r.Verdict != None || r.Refutation == shogi.NoMove {
		t.Errorf("S*3a in 1: %s, refuted by %v", text(&r), r.Refutation)
	}
	if r := ask("S*3a", 3); r.Verdict != Brinkmate || r.Refutation != shogi.NoMove {
		t.Errorf("S*3a in 5: %s, refuted by %v", text(&r), r.Refutation)
	}
	p = complete(inThree, shogi.White)
	// What one move comes to says nothing about the position.
	if r := ask("G*9i", 2); r.Verdict != None {
		t.Error(text(&r))
	}
	if r, _ := s.Brinkmate(context.Background(), p, Limits{Attacks: 2}); r.Verdict != Brinkmate {
		t.Error(text(&r))
	}
}

func text(r *Result) string {
	line := make([]string, len(r.Line))
	for i, m := range r.Line {
		line[i] = m.String()
	}
	return fmt.Sprint(r.Verdict, " ", r.Attacks, " ", r.Exact, " ", strings.Join(line, " "), " ", r.FirstMoves, " ", r.Open)
}

// checkPlan replays a plan: the attack, that it checks or threatens, each legal reply, and of each
// mate its longest line.
func checkPlan(t *testing.T, b mailbox.Board, p shogi.Position, plan *Plan) (replies, mates int) {
	t.Helper()
	attacker := b.SideToMove()
	if !b.IsLegal(plan.Attack) {
		t.Fatalf("%s: %v is not legal", b.SFEN(), plan.Attack)
	}
	b.Do(plan.Attack)
	p.Do(plan.Attack)
	mate := func(p shogi.Position, proof *solver.Proof) {
		if err := solver.VerifyLine(p, proof.Line(p)); err != nil {
			t.Fatal(err)
		}
		mates++
	}
	if b.InCheck(attacker.Opponent()) == (plan.Pass != nil) {
		t.Fatalf("%s: the attack %v checks or threatens, not both", b.SFEN(), plan.Attack)
	}
	if plan.Pass != nil {
		q := p
		q.ForSearch().DoNull()
		mate(q, plan.Pass)
	}
	legal := b.LegalMoves()
	if len(legal) != len(plan.Replies) {
		t.Fatalf("%s: %d replies, and %d legal moves", b.SFEN(), len(plan.Replies), len(legal))
	}
	seen := map[shogi.Move]bool{}
	for _, r := range plan.Replies {
		if seen[r.Move] || !b.IsLegal(r.Move) || (r.Mate == nil) == (r.Plan == nil) {
			t.Fatalf("%s: %v", b.SFEN(), r)
		}
		seen[r.Move] = true
		after, q := b, p
		after.Do(r.Move)
		q.Do(r.Move)
		if replies++; r.Mate != nil {
			mate(q, r.Mate)
			continue
		}
		if r.Plan.Attacks >= plan.Attacks {
			t.Fatalf("%s: %d attacks after one of %d", after.SFEN(), r.Plan.Attacks, plan.Attacks)
		}
		n, m := checkPlan(t, after, q, r.Plan)
		replies, mates = replies+n, mates+m
	}
	return replies, mates
}

// A search stops at its limit, says why, and what was asked before changes nothing.
func TestLimits(t *testing.T) {
	t.Parallel()
	p := complete(inThree, shogi.White)
	s := New(dfpn.NewSession())
	ask := func(ctx context.Context, lim Limits) Result {
		r, err := s.Brinkmate(ctx, p, lim)
		if err != nil {
			t.Fatal(err)
		}
		if lim.Nodes > 0 && r.Nodes > lim.Nodes {
			t.Errorf("%d nodes of %d", r.Nodes, lim.Nodes)
		}
		return r
	}
	ctx, cancel := context.WithCancel(context.Background())
	first := ask(ctx, Limits{Nodes: 200_000})
	for _, nodes := range []uint64{1, 1000, 10_000} {
		r := ask(ctx, Limits{Nodes: nodes})
		if r.Verdict != Unknown || r.Reason != solver.ReasonNodes && r.Reason != solver.ReasonProof {
			t.Errorf("%d nodes: %v, %q", nodes, r.Verdict, r.Reason)
		}
	}
	again := ask(ctx, Limits{Nodes: 200_000})
	if text(&first) != text(&again) || first.Nodes != again.Nodes || first.Verdict != Brinkmate {
		t.Errorf("%s with %d nodes, then %s with %d", text(&first), first.Nodes, text(&again), again.Nodes)
	}
	cancel()
	if r := ask(ctx, Limits{}); r.Verdict != Unknown || r.Reason != solver.ReasonCancelled {
		t.Errorf("cancelled: %v, %q", r.Verdict, r.Reason)
	}
}

// What a limit leaves open is neither none nor exact.
func TestPartly(t *testing.T) {
	t.Parallel()
	s := New(dfpn.NewSmallSession(4 << 20))
	p := complete("4+R2nl/5gk2/4ppppp/9/6S2/9/9/9/9 b Sr2b3g2s3n3l13p 1", shogi.White)
	if r, err := s.Brinkmate(context.Background(), p, Limits{Nodes: 55_000}); err != nil ||
		text(&r) != "unknown 1 false  [] []" {
		t.Errorf("none in one attack: %s, %v", text(&r), err)
	}
	p = complete(inThree, shogi.White)
	exact := map[bool]int{}
	for nodes := uint64(16_000); nodes <= 44_000; nodes += 4_000 {
		if r, err := s.Brinkmate(context.Background(), p, Limits{Nodes: nodes}); err != nil {
			t.Error(err)
		} else if r.Verdict == Brinkmate {
			exact[r.Exact]++
		} else if r.Verdict != Unknown || r.Exact {
			t.Errorf("%d nodes: %s", nodes, text(&r))
		}
	}
	if exact[true] == 0 || exact[false] == 0 {
		t.Errorf("exact and not: %v", exact)
	}
}

// A greedy session takes all the nodes that it may for the proof of a mate.
type greedy struct {
	solver.Session
	t     *testing.T
	asked int
}

func (g *greedy) Ask(ctx context.Context, q solver.Question) solver.Result {
	if g.asked++; g.asked == 1 {
		return g.Session.Ask(ctx, q)
	}
	return solver.Result{Reason: solver.ReasonProof, Nodes: q.Limits.Nodes}
}

func (g *greedy) Decide(ctx context.Context, q solver.Question) solver.Decision {
	if q.Limits.Nodes == 0 {
		g.t.Error("a question without a limit")
		return solver.Decision{}
	}
	return g.Session.Decide(ctx, q)
}

// When all nodes are used there is no other question, which would have no limit.
func TestNoNodesLeft(t *testing.T) {
	t.Parallel()
	g := &greedy{Session: dfpn.NewSession(), t: t}
	r, err := New(g).Brinkmate(context.Background(), complete(inThree, shogi.White), Limits{Nodes: 100_000})
	if err != nil || r.Verdict != Unknown || r.Reason != solver.ReasonNodes || g.asked < 2 {
		t.Errorf("%v, %q, %v; %d proofs asked for", r.Verdict, r.Reason, err, g.asked)
	}
}

// A perpetual check, and what repeats itself, is no brinkmate however many attacks there may be.
func TestPerpetualCheck(t *testing.T) {
	t.Parallel()
	p := shogi.MustParseSFEN("6g2/7k1/5+R1p1/9/9/L+P+PS+P+PN+P+P/PPPPPPPPP/+PBB+PGSNRL/LNSGKGSNL b - 1")
	again := p
	for _, m := range []string{"4c5b", "2b3c", "5b4c", "3c2b"} {
		move, err := shogi.ParseMove(m)
		if again.Do(move); err != nil || again.SideToMove() == shogi.White && !again.InCheck() {
			t.Fatalf("%s does not check, %v", m, err)
		}
	}
	if again.Key() != p.Key() {
		t.Fatal("the checks do not repeat the position")
	}
	r, err := New(dfpn.NewSmallSession(1<<20)).Brinkmate(context.Background(), p, Limits{Attacks: 4, Nodes: 400_000})
	if err != nil || text(&r) != "none_within 4 false  [] []" {
		t.Errorf("%s, %q, %d nodes, %v", text(&r), r.Reason, r.Nodes, err)
	}
}

// A deaf session does not know of the context.
type deaf struct{ solver.Session }

func (d deaf) Ask(_ context.Context, q solver.Question) solver.Result {
	return d.Session.Ask(context.Background(), q)
}

func (d deaf) Decide(_ context.Context, q solver.Question) solver.Decision {
	return d.Session.Decide(context.Background(), q)
}

// The search says how far it is, and ends where it is told to.
func TestProgress(t *testing.T) {
	t.Parallel()
	p := complete(inThree, shogi.White)
	s := New(deaf{dfpn.NewSession()})
	ctx, cancel := context.WithCancel(context.Background())
	var last solver.Progress
	r, err := s.Brinkmate(solver.WithProgress(ctx, 0, func(p solver.Progress) {
		if p.Nodes < last.Nodes || p.PN == 0 || p.DN == 0 {
			t.Errorf("%+v after %+v", p, last)
		}
		if last = p; p.Nodes > 5_000 {
			cancel()
		}
	}), p, Limits{})
	if err != nil || r.Verdict != Unknown || r.Reason != solver.ReasonCancelled || r.Nodes != last.Nodes {
		t.Errorf("%s, %q, %d nodes of which %d are reported, %v", text(&r), r.Reason, r.Nodes, last.Nodes, err)
	}
}

// What the search keeps has a limit, and it says so.
func TestMemory(t *testing.T) {
	t.Parallel()
	s := New(dfpn.NewSession())
	s.maxTree = 1000
	r, err := s.Brinkmate(context.Background(), complete(inThree, shogi.White), Limits{Nodes: 1_000_000})
	if err != nil || r.Verdict != Unknown || r.Reason != ReasonMemory || r.Nodes >= 100_000 {
		t.Errorf("%s, %q, %d nodes, %v", text(&r), r.Reason, r.Nodes, err)
	}
}

// The corpus of brinkmates, with first moves that were published or checked by a plain search.
func TestCorpus(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		sfen    string
		attacks int
		first   string
	}{
		{inThree, 2, "S*2c"},
		{"4+R2nl/5gk2/4ppppp/9/6S2/9/9/9/9 b Sr2b3g2s3n3l13p 1", 3, "S*3a"},
		{"4+B4/2gs3+R1/1k1p5/2p2+br2/1NL6/9/9/9/9 b GSNL7P2nl6p 1", 1, "S*9e"},
	} {
		p := complete(test.sfen, shogi.White)
		r, err := New(dfpn.NewSession()).Brinkmate(context.Background(), p, Limits{Nodes: 3_000_000, Attacks: test.attacks})
		if err != nil || r.Verdict != Brinkmate || r.Attacks != test.attacks || r.Line[0].String() != test.first ||
			r.Nodes > 1_000_000 {
			t.Errorf("%s: %s, %q, %d nodes, %v", test.sfen, text(&r), r.Reason, r.Nodes, err)
			continue
		}
		checkPlan(t, mailbox.From(&p), p, r.Plan)
	}
}

// A slow session does not know so many first answers about one position.
type slow struct {
	solver.Session
	position uint64
	unknown  int
}

func (s *slow) Ask(ctx context.Context, q solver.Question) solver.Result {
	if q.Position.Key() == s.position && s.unknown > 0 {
		s.unknown--
		return solver.Result{Reason: solver.ReasonNodes}
	}
	return s.Session.Ask(ctx, q)
}

// As long as it is open whether there is a mate, there is neither none nor an exact brinkmate.
func TestMateOpen(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		sfen             string
		attacks, unknown int
		want             string
	}{
		{inThree, 1, 1, "none_within 1 false  [] []"},
		{inThree, 1, 9, "unknown 0 false  [] []limit_nodes"},
		{inThree, 2, 1, "brinkmate 2 true S*2c 2b1c 2c3d+ [] []"},
		{inThree, 2, 9, "brinkmate 2 false S*2c 2b1c 2c3d+ [] []"},
		{goldOnHead, 1, 1, "mate 0 false G*5b [] []"},
		{goldOnHead, 1, 9, "unknown 0 false  [] []limit_nodes"}, // the last attack does not check
		{goldOnHead, 2, 1, "mate 0 false G*5b [] []"},
		{goldOnHead, 2, 9, "unknown 0 false  [] []limit_proof"}, // but one before it may
	} {
		p := complete(test.sfen, shogi.White)
		s := New(&slow{dfpn.NewSmallSession(4 << 20), p.Key(), test.unknown})
		r, err := s.Brinkmate(context.Background(), p, Limits{Nodes: 100_000, Attacks: test.attacks})
		if got := text(&r) + string(r.Reason); err != nil || got != test.want {
			t.Errorf("%s in %d, %d unknown: %s, %v", test.sfen, test.attacks, test.unknown, got, err)
		}
	}
}

func BenchmarkBrinkmate(b *testing.B) {
	p := complete(inThree, shogi.White)
	s := New(dfpn.NewSession())
	for b.Loop() {
		if r, _ := s.Brinkmate(context.Background(), p, Limits{}); r.Attacks != 2 || r.Verdict != Brinkmate {
			b.Fatal(text(&r))
		}
	}
}
