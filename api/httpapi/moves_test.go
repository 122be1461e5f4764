package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate"
)

func askMoves(t *testing.T, s *Server, request map[string]any) *movesAnswer {
	t.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	w := do(s, "POST", "/v1/moves", string(body), "Content-Type", jsonType)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", body, w.Code, w.Body)
	}
	return ptr(parse[movesAnswer](t, w.Body.Bytes()))
}

// A witness judges a position with the defender to move by nothing but whole searches after each reply: it knows nothing
// of shares, and takes every position the attacker is to move in for a problem of its own, as with two kings.
func witness(ctx context.Context, with solver.Solver, p shogi.Position) (v solver.Verdict, plies int) {
	var buf shogi.MoveBuffer
	for _, m := range p.Evasions(&buf, shogi.AllMoves) {
		r := with.Solve(ctx, after(&p, m), solver.Limits{Shortest: true, Nodes: 5_000_000})
		switch {
		case r.Verdict == solver.NoMate:
			return solver.NoMate, 0
		case r.Verdict == solver.Unknown || !r.Exact:
			return solver.Unknown, 0
		}
		plies = max(plies, 1+len(r.Line))
	}
	return solver.Mate, plies
}

// TestMovesAgainstWitness compares verdict and length of each move with whole searches of what follows it.
func TestMovesAgainstWitness(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and one question after the other")
	}
	with := mate.New(mate.Options{TableBytes: 8 << 20})
	s := newServer(t, Config{MaxTime: 10 * time.Minute}) // nothing here may depend on the machine
	sfens := []string{mateIn1, mateIn3, mateIn5, neverMate, mateIn5 + " moves 4e4c+", mateIn3 + " moves G*5c 5b6a",
		mateIn5 + " moves 4e4c+ P*3c", "4k4/4G4/4P4/9/9/9/9/9/9 w 2r2b3g4s4n4l17p 1",
		// The attacker's king is there too: far away, in check, in the way of a discovered check, and pinning its own.
		"9/4k4/9/4P4/9/9/9/9/4K4 b 2Gp 1",
		"9/4k4/9/4P4/9/9/9/9/4K3r b 2GR 1",
		"3lkl3/3p1p3/4N4/9/4R4/9/9/4K4/9 b Gp 1",
		"3sks3/9/4G4/9/4r4/9/9/9/4K4 b GNp 1",
	}
	for _, sfen := range sfens {
		game, err := shogi.ParsePosition(sfen)
		if err != nil {
			t.Fatal(err)
		}
		p := game.Position()
		attacker, err := solver.Attacker(&p)
		if err != nil {
			t.Fatal(err)
		}
		checkMoves(t, with, s, p, attacker)
		// From the other side too, after the first check: with two kings that takes a word on who attacks.
		var buf shogi.MoveBuffer
		if checks := p.Checks(&buf, shogi.AllMoves); attacker == p.SideToMove() && len(checks) > 0 {
			checkMoves(t, with, s, after(&p, checks[0]), attacker)
		}
	}
}

func checkMoves(t *testing.T, with solver.Solver, s *Server, p shogi.Position, attacker shogi.Color) {
	t.Helper()
	sfen := p.ProblemSFEN()
	a := askMoves(t, s, map[string]any{"sfen": sfen, "attacker": attacker.String(), "limits": map[string]any{"shortest": true, "time_ms": 600_000}})
	defender := p.SideToMove() != attacker
	var buf shogi.MoveBuffer
	legal := p.Evasions
	if !defender {
		legal = p.Checks
	}
	var want []string
	for _, m := range legal(&buf, shogi.AllMoves) {
		want = append(want, m.String())
	}
	var got []string
	shortest, longest, verdicts := 1<<20, 0, map[string]int{}
	for _, m := range a.Moves {
		got = append(got, m.Move)
		move := moves(m.Move)[0]
		next := after(&p, move)
		var v solver.Verdict
		var plies int
		if defender {
			r := with.Solve(t.Context(), next, solver.Limits{Shortest: true, Nodes: 5_000_000})
			v, plies = r.Verdict, 1+len(r.Line)
		} else {
			v, plies = witness(t.Context(), with, next)
			plies++
		}
		if m.Reason == "settled" && defender && a.Moves[0].Verdict == "nomate" {
			continue
		}
		verdicts[m.Verdict]++
		if m.Verdict != v.String() || v == solver.Mate && (*m.Plies != plies || !*m.Exact || len(m.Line) != plies) {
			t.Errorf("%s: %s is %s, want %s in %d", sfen, m.Move, mustJSON(t, m), v, plies)
			continue
		}
		if v == solver.Mate {
			shortest, longest = min(shortest, plies), max(longest, plies)
		}
		end := p
		for i, step := range moves(m.Line...) {
			if !end.IsLegal(step) || (i%2 == 0) != defender && !afterIsCheck(end, step) {
				t.Errorf("%s: the line %v cannot be played from its move %d", sfen, m.Line, i)
			}
			end.Do(step)
		}
		switch {
		case m.Line[0] != m.Move || m.LineJa[0] != m.MoveJa || len(m.LineJa) != len(m.Line):
			t.Errorf("%s: the line of %s is %v, %v", sfen, m.Move, m.Line, m.LineJa)
		case v == solver.Mate && !end.IsCheckmate():
			t.Errorf("%s: the line %v does not end in mate", sfen, m.Line)
		case v == solver.NoMate && !defender:
			if len(m.Line) != 2 {
				t.Errorf("%s: %s has no refutation", sfen, m.Move)
			} else if r := with.Solve(t.Context(), end, solver.Limits{Nodes: 5_000_000}); r.Verdict != solver.NoMate {
				t.Errorf("%s: after %v there is %s", sfen, m.Line, r.Verdict)
			}
		}
	}
	slices.Sort(want)
	if sorted := slices.Sorted(slices.Values(got)); !slices.Equal(sorted, want) {
		t.Errorf("%s: moves %v, want %v", sfen, sorted, want)
	}

	verdict, plies, best := "nomate", 0, ""
	switch {
	case !defender && verdicts["mate"] > 0:
		verdict, plies, best = "mate", shortest, got[0]
	case defender && verdicts["nomate"] == 0:
		verdict, plies = "mate", longest
		fallthrough
	case defender:
		if len(got) > 0 {
			best = got[0]
		}
	}
	if a.Verdict != verdict || a.Best != best || a.Reason != "" && a.Reason != "settled" {
		t.Errorf("%s: %s, best %q, reason %q; want %s, best %q", sfen, a.Verdict, a.Best, a.Reason, verdict, best)
	}
	if verdict == "mate" {
		if a.Plies == nil || *a.Plies != plies || !*a.Exact {
			t.Errorf("%s: plies %s, exact %s, want %d", sfen, mustJSON(t, a.Plies), mustJSON(t, a.Exact), plies)
		}
		if best != "" && (a.Moves[0].Plies == nil || *a.Moves[0].Plies != plies) {
			t.Errorf("%s: best is %s", sfen, mustJSON(t, a.Moves[0]))
		}
	}
	if defender && p.King(attacker) != shogi.NoSquare {
		return // solve cannot be asked
	}
	solved := parse[answer](t, do(s, "POST", "/v1/solve", fmt.Sprintf(`{"sfen":%q,"limits":{"shortest":true}}`, sfen), "Content-Type", jsonType).Body.Bytes())
	if solved.Verdict != a.Verdict || solved.Attacker != a.Attacker || solved.SFEN != a.SFEN {
		t.Errorf("%s: solve says %s", sfen, mustJSON(t, solved))
	}
	if verdict == "mate" && best != "" && (*solved.Moves)[0] != best {
		t.Errorf("%s: solve plays %s, best is %s", sfen, (*solved.Moves)[0], best)
	}
}

func afterIsCheck(p shogi.Position, m shogi.Move) bool {
	p.Do(m)
	return p.InCheck()
}

// TestMovesShortest: where the shortest mates are asked for, a quick search that finds a longer one than there is is not the
// last word, and a longer search that finds none does not make it unknown again.
func TestMovesShortest(t *testing.T) {
	whole := mate.New(mate.Options{TableBytes: 8 << 20})
	// It does not know how short its mates are, unless it may take long.
	hasty := func(long solver.Solver) solver.Solver {
		return solver.Func(func(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
			if lim.Nodes > 20_000 {
				return long.Solve(ctx, p, lim)
			}
			r := whole.Solve(ctx, p, solver.Limits{Shortest: true})
			if r.Verdict == solver.Mate && len(r.Line) > 1 {
				r.Exact, r.NoMateWithin, r.Reason = false, 0, solver.ReasonNodes
			}
			return r
		})
	}
	exhausted := solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
		return solver.Result{Reason: solver.ReasonNodes, Nodes: 50_000}
	})
	twoKings := "7R1/9/8k/8p/5R3/9/9/9/K8 b 2b4g4s4n4l17p 1" // mateIn5 with a king, so that nobody can be asked about replies
	for _, test := range []struct {
		sfen, attacker string
		plies          int
	}{{mateIn3, "", 3}, {mateIn5 + " moves 4e4c+", "", 4}, {twoKings, "black", 5}, {twoKings + " moves 4e4c+", "black", 4}} {
		request := map[string]any{"sfen": test.sfen, "limits": map[string]any{"shortest": true}}
		if test.attacker != "" {
			request["attacker"] = test.attacker
		}
		slow := hasty(whole)
		a := askMoves(t, newServer(t, Config{Solver: slow, Quick: slow}), request)
		if a.Verdict != "mate" || *a.Plies != test.plies || !*a.Exact || *a.Moves[0].Plies != test.plies || !*a.Moves[0].Exact {
			t.Errorf("%s: %s", test.sfen, mustJSON(t, a))
		}
		slow = hasty(exhausted)
		a = askMoves(t, newServer(t, Config{Solver: slow, Quick: slow}), request)
		if a.Verdict != "mate" || *a.Plies < test.plies || *a.Moves[0].Plies < test.plies {
			t.Errorf("%s, in vain: %s", test.sfen, mustJSON(t, a))
		}
		for _, m := range a.Moves {
			if m.Verdict == "mate" && !*m.Exact && m.Reason != "limit_nodes" {
				t.Errorf("%s, in vain: %s", test.sfen, mustJSON(t, m))
			}
		}
	}
}

// TestMovesReason: moves that only had a quick search, since the position itself took all the time, are unknown for want of
// time.
func TestMovesReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := solver.Func(func(ctx context.Context, _ shogi.Position, lim solver.Limits) solver.Result {
			if lim.Nodes > 20_000 {
				time.Sleep(time.Second)
			}
			return solver.Result{Reason: solver.ReasonNodes, Nodes: 1000}
		})
		s := newServer(t, Config{Solver: slow, Quick: slow})
		a := askMoves(t, s, map[string]any{"sfen": mateIn5, "limits": map[string]any{"time_ms": 1000}})
		if a.Verdict != "unknown" || a.Reason != "limit_time" {
			t.Errorf("%s", mustJSON(t, a))
		}
	})
}

// TestMovesSettled: once a reply escapes, none gets a long search, nor does the position.
func TestMovesSettled(t *testing.T) {
	game, err := shogi.ParsePosition(mateIn5 + " moves 4e4c+")
	if err != nil {
		t.Fatal(err)
	}
	p := game.Position()
	for _, escape := range []string{"1c1b", "B*3c"} {
		next := after(&p, moves(escape)[0])
		var searches atomic.Int64
		s := solver.Func(func(_ context.Context, p shogi.Position, lim solver.Limits) solver.Result {
			searches.Add(1)
			switch {
			case lim.Nodes > 20_000:
				t.Errorf("%d nodes for %s", lim.Nodes, p.SFEN())
			case p.SamePosition(&next):
				return solver.Result{Verdict: solver.NoMate, Nodes: 100}
			}
			return solver.Result{Reason: solver.ReasonNodes, Nodes: lim.Nodes}
		})
		a := askMoves(t, newServer(t, Config{Solver: s, Quick: s}), map[string]any{"sfen": p.ProblemSFEN(), "limits": map[string]any{"shortest": true}})
		if a.Verdict != "nomate" || a.Best != escape || a.Reason != "settled" || int(searches.Load()) != 1+len(a.Moves) {
			t.Errorf("after %d searches: %s", searches.Load(), mustJSON(t, a))
		}
		for _, m := range a.Moves[1:] {
			if m.Verdict != "unknown" || m.Reason != "settled" {
				t.Errorf("%s", mustJSON(t, m))
			}
		}
	}
}

// A glutton is a solver that uses up whatever it is given and proves nothing.
func glutton(used *atomic.Uint64, searches *atomic.Int64) solver.Solver {
	return solver.Func(func(_ context.Context, _ shogi.Position, lim solver.Limits) solver.Result {
		searches.Add(1)
		used.Add(lim.Nodes)
		return solver.Result{Reason: solver.ReasonNodes, Nodes: lim.Nodes, Solver: "glutton"}
	})
}

// TestMovesShareNodes: all searches for one answer together stay within its limit, and what is undecided says so.
func TestMovesShareNodes(t *testing.T) {
	for _, nodes := range []uint64{1, 2, 7, 100, 1000, 12_345, 1_000_000, 100_000_000} {
		var used atomic.Uint64
		var searches atomic.Int64
		greedy := glutton(&used, &searches)
		s := newServer(t, Config{Solver: greedy, Quick: greedy})
		a := askMoves(t, s, map[string]any{"sfen": mateIn3, "limits": map[string]any{"nodes": nodes}})
		if used.Load() > nodes || a.Nodes > nodes {
			t.Errorf("%d nodes for a question with %d, which says %d", used.Load(), nodes, a.Nodes)
		}
		if nodes >= 1000 && used.Load() < nodes/2 {
			t.Errorf("only %d of %d nodes in %d searches", used.Load(), nodes, searches.Load())
		}
		for _, m := range a.Moves {
			if m.Verdict != "unknown" || m.Reason != "limit_nodes" {
				t.Errorf("%d nodes: %s", nodes, mustJSON(t, m))
			}
		}
		if a.Verdict != "unknown" || a.Reason != "limit_nodes" || a.Best != "" || len(a.Moves) == 0 {
			t.Errorf("%d nodes: %s", nodes, mustJSON(t, a))
		}
		if got := metric(t, s, "tsumero_moves_total", "verdict", "unknown", "reason", "limit_nodes"); got != 1 {
			t.Errorf("%v answers counted, want 1", got)
		}
		// The cache has it now.
		before := searches.Load()
		if again := askMoves(t, s, map[string]any{"sfen": mateIn3, "limits": map[string]any{"nodes": nodes}}); searches.Load() != before || again.Nodes != a.Nodes {
			t.Errorf("%d nodes: %d searches more for the same question", nodes, searches.Load()-before)
		}
	}
}

// TestMovesShareTime: the searches for one answer together take no longer than its limit.
func TestMovesShareTime(t *testing.T) {
	for _, sfen := range []string{mateIn3, "4k4/9/9/4P4/9/9/9/9/4K4 b 2G2r2b2g4s4n4l17p 1"} {
		synctest.Test(t, func(t *testing.T) {
			slow := solver.Func(func(ctx context.Context, _ shogi.Position, lim solver.Limits) solver.Result {
				if lim.Nodes <= 20_000 {
					return solver.Result{Reason: solver.ReasonNodes, Nodes: 1}
				}
				<-ctx.Done()
				return solver.Result{Reason: solver.StopReason(ctx), Nodes: 1}
			})
			s := newServer(t, Config{Solver: slow, Quick: slow})
			began := time.Now()
			a := askMoves(t, s, map[string]any{"sfen": sfen, "limits": map[string]any{"time_ms": 900}})
			if took := time.Since(began); took > 900*time.Millisecond || took < 700*time.Millisecond {
				t.Errorf("%v", took)
			}
			for _, m := range a.Moves {
				if m.Verdict == "unknown" && m.Reason != "limit_time" {
					t.Errorf("%s", mustJSON(t, m))
				}
			}
			if s.searcher.cache.EstimatedSize() != 0 {
				// Of the quick searches none came to an end of its own, and the answer may be better tomorrow.
				if a2 := askMoves(t, s, map[string]any{"sfen": sfen, "limits": map[string]any{"time_ms": 900}}); a2.Reason != "limit_time" || time.Since(began) < 1400*time.Millisecond {
					t.Errorf("an answer that time ended was kept: %s after %v", mustJSON(t, a2), time.Since(began))
				}
			}
		})
	}
}

// TestMovesWithoutLongSearches: where all places for those are taken, what the quick searches know is answered.
func TestMovesWithoutLongSearches(t *testing.T) {
	s := newServer(t, Config{LongQueue: -1, QuickNodes: 200})
	var releases []func()
	for range s.config.LongSearches {
		releases = append(releases, takeSlot(s, 1))
	}
	request := map[string]any{"sfen": mateIn5, "limits": map[string]any{"shortest": true}}
	a := askMoves(t, s, request)
	reasons := map[string]int{}
	for _, m := range a.Moves {
		reasons[m.Verdict+" "+m.Reason]++
	}
	if reasons["nomate "]+reasons["mate "] == 0 || reasons["unknown overloaded"] == 0 || len(reasons) > 3 {
		t.Errorf("%v", reasons)
	}
	for _, release := range releases {
		release()
	}
	if a := askMoves(t, s, request); a.Verdict != "mate" || a.Reason != "" {
		t.Errorf("kept though places are free again: %s", mustJSON(t, a))
	}
}

// TestMovesWait: a question waits for the places of all its long searches no longer than others do for one.
func TestMovesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := solver.Func(func(ctx context.Context, _ shogi.Position, lim solver.Limits) solver.Result {
			if lim.Nodes > 20_000 {
				time.Sleep(time.Millisecond)
			}
			return solver.Result{Reason: solver.ReasonNodes, Nodes: 1}
		})
		s := newServer(t, Config{Solver: slow, Quick: slow, LongSearches: 1, LongWait: time.Second})
		slots := &s.searcher.lanes[1].slots
		ctx, cancel := context.WithCancel(t.Context())
		var others sync.WaitGroup
		for range 2 { // one of them has the place, the other one is the next
			q := &question{client: &client{}}
			others.Go(func() {
				for ctx.Err() == nil {
					if sl, err := slots.acquire(ctx, q, time.Second, time.Hour, nil); err == nil {
						time.Sleep(300 * time.Millisecond)
						slots.release(sl)
					}
				}
			})
		}
		synctest.Wait()
		began := time.Now()
		a := askMoves(t, s, map[string]any{"sfen": mateIn5})
		if took := time.Since(began); took > 2*time.Second || took < time.Second {
			t.Errorf("%v", took)
		}
		for _, m := range a.Moves {
			if m.Verdict == "unknown" && m.Reason != "overloaded" {
				t.Errorf("%s", mustJSON(t, m))
			}
		}
		cancel()
		others.Wait()
	})
}

// TestMovesCoalesce: equal questions share the searches, and the last who leaves ends them.
func TestMovesCoalesce(t *testing.T) {
	with, asked, result := blocked()
	s := newServer(t, Config{Solver: with})
	body := question1(mateIn3)
	ctx, cancel := context.WithCancel(t.Context())
	answers := make(chan *httptest.ResponseRecorder, 2)
	for range 2 {
		go func() { answers <- doContext(ctx, s, "POST", "/v1/moves", body, "Content-Type", jsonType) }()
	}
	<-asked // of the first: the position itself
	for waiting := 0; waiting < 2; time.Sleep(time.Millisecond) {
		s.searcher.mu.Lock()
		for k, fl := range s.searcher.flights {
			if k.moves {
				waiting = fl.waiting
			}
		}
		s.searcher.mu.Unlock()
	}
	if len(asked) != 0 {
		t.Errorf("%d searches at once", 1+len(asked))
	}
	result <- solver.Result{Verdict: solver.NoMate}
	for range 2 {
		// Only the refutations are left to be found, each by a search.
		select {
		case <-asked:
		case <-time.After(10 * time.Second):
			t.Fatal("no search for a refutation")
		}
		result <- solver.Result{Verdict: solver.Unknown, Reason: solver.ReasonNodes}
	}
	<-asked
	cancel()
	for range 2 {
		if w := <-answers; !strings.Contains(w.Body.String(), `"side":"attacker"`) {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		s.searcher.mu.Lock()
		n := len(s.searcher.flights)
		s.searcher.mu.Unlock()
		if n == 0 && metric(t, s, "tsumero_searches_in_flight") == 0 {
			break
		}
		if time.Since(begin) > 10*time.Second {
			t.Fatalf("%d flights after everybody left", n)
		}
	}
}

// TestMovesWaitForShortSearches: nor does it wait longer for the slots of short searches.
func TestMovesWaitForShortSearches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		with := solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
			return solver.Result{Verdict: solver.NoMate, Nodes: 1}
		})
		s := newServer(t, Config{Solver: with, Quick: with, MaxSearches: 1,
			QueueWait: 5 * time.Second, LongWait: 2 * time.Second})
		slots := &s.searcher.lanes[0].slots
		ctx, cancel := context.WithCancel(t.Context())
		var others sync.WaitGroup
		defer others.Wait()
		defer cancel()
		for range 2 { // one of them has the slot, the other one is the next
			q := &question{client: &client{}, patient: true}
			others.Go(func() {
				for ctx.Err() == nil {
					if sl, err := slots.acquire(ctx, q, time.Second, time.Hour, nil); err == nil {
						time.Sleep(time.Second)
						slots.release(sl)
					}
				}
			})
		}
		synctest.Wait()
		began := time.Now()
		a := askMoves(t, s, map[string]any{"sfen": mateIn5})
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%d moves took %v", len(a.Moves), took)
		}
	})
}

// TestMovesOfAnotherClient: that there is no slot for a client's long searches is no answer to
// another client that joined its question.
func TestMovesOfAnotherClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var longs, quicks atomic.Int32
		quick := solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
			if quicks.Add(1) == 1 {
				<-release
			}
			return solver.Result{Reason: solver.ReasonNodes, Nodes: 1}
		})
		long := solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
			longs.Add(1)
			return solver.Result{Verdict: solver.NoMate, Nodes: 1}
		})
		s := newServer(t, Config{Solver: long, Quick: quick, LongSearches: 1, LongQueue: 2,
			LongWait: time.Minute})
		free := takeSlot(s, 1)
		ask := func(address string) <-chan *httptest.ResponseRecorder {
			answer := make(chan *httptest.ResponseRecorder, 1)
			go func() {
				r := httptest.NewRequest("POST", "/v1/moves", strings.NewReader(question1(mateIn5)))
				r.RemoteAddr = address + ":1"
				w := httptest.NewRecorder()
				s.Handler().ServeHTTP(w, r)
				answer <- w
			}()
			synctest.Wait()
			return answer
		}
		greedy := ask("192.0.2.66")
		joined := ask("203.0.113.1")
		for n := range 2 { // the queue is full of the greedy client's
			from(t.Context(), s, "192.0.2.66", hard(n))
			synctest.Wait()
		}
		close(release)
		synctest.Wait()
		if w := <-greedy; !strings.Contains(w.Body.String(), `"overloaded"`) {
			t.Errorf("the greedy client: %d %s", w.Code, w.Body)
		}
		free()
		if w := <-joined; w.Code != 200 || strings.Contains(w.Body.String(), `"overloaded"`) {
			t.Errorf("who joined it: %d %s", w.Code, w.Body)
		}
	})
}
