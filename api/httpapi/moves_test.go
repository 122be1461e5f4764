package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/mate"
)

func askMoves(t *testing.T, s *Server, request map[string]any) *wire.MovesAnswer {
	t.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	w := do(s, "POST", "/v1/moves", string(body), "Content-Type", jsonType)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", body, w.Code, w.Body)
	}
	return new(parse[wire.MovesAnswer](t, w.Body.Bytes()))
}

// TestMovesKept: an answer that its limits ended is kept and counted, one that time ended is not
// kept.
func TestMovesKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		searches := 0
		s := newServer(t, Config{Solver: solver.Func(func(ctx context.Context, _ shogi.Position, lim solver.Limits) solver.Result {
			searches++
			if lim.Nodes > 20_000 {
				<-ctx.Done()
				return solver.Result{Reason: solver.StopReason(ctx), Nodes: 1}
			}
			return solver.Result{Reason: solver.ReasonNodes, Nodes: lim.Nodes}
		})})
		for _, c := range []struct {
			nodes  int
			reason string
			kept   bool
		}{{10_000, "limit_nodes", true}, {1_000_000, "limit_time", false}} {
			request := map[string]any{"sfen": mateIn3, "limits": map[string]any{"nodes": c.nodes}}
			first, before := askMoves(t, s, request), searches
			again := askMoves(t, s, request)
			if (searches == before) != c.kept || first.Reason != c.reason || again.Reason != c.reason {
				t.Errorf("%d nodes: kept is %v: %s", c.nodes, searches == before, mustJSON(t, again))
			}
			if n := metric(t, s, "tsumero_moves_total", "verdict", "unknown", "reason", c.reason); n != 2 {
				t.Errorf("%v answers counted, want 2", n)
			}
		}
	})
}

// TestMovesAttacker: with two kings the request says who attacks, and the answer whose moves they
// are.
func TestMovesAttacker(t *testing.T) {
	s := newServer(t, Config{})
	const both = "9/4k4/4G4/4P4/9/9/9/9/4K4 w Gp 1"
	for _, c := range []struct{ attacker, want, side string }{
		{"", "white", "attacker"}, {"white", "white", "attacker"}, {"black", "black", "defender"},
	} {
		request := map[string]any{"sfen": both}
		if c.attacker != "" {
			request["attacker"] = c.attacker
		}
		if a := askMoves(t, s, request); a.Attacker != c.want || a.Side != c.side {
			t.Errorf("attacker %q: %s", c.attacker, mustJSON(t, a))
		}
	}
}

// TestMovesWithoutLongSearches: where all slots for those are taken, what the quick searches know
// is answered, and not kept.
func TestMovesWithoutLongSearches(t *testing.T) {
	release := make(chan struct{})
	busy := shogi.MustParseSFEN(neverMate)
	knows := mate.New(mate.Options{TableBytes: 8 << 20})
	quick := solver.Func(func(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
		if p == busy {
			return solver.Result{Reason: solver.ReasonNodes}
		}
		return knows.Solve(ctx, p, lim)
	})
	long := solver.Func(func(ctx context.Context, p shogi.Position, lim solver.Limits) solver.Result {
		if p == busy {
			<-release
		}
		return knows.Solve(ctx, p, lim)
	})
	s := newServer(t, Config{Quick: quick, Solver: long, LongSearches: 1, LongQueue: -1, QuickNodes: 200})
	first := background(t.Context(), s, question1(neverMate))
	for metric(t, s, "tsumero_searches_in_flight", "pool", "long") == 0 {
		time.Sleep(time.Millisecond)
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
	close(release)
	<-first
	if a := askMoves(t, s, request); a.Verdict != "mate" || a.Reason != "" {
		t.Errorf("kept though slots are free again: %s", mustJSON(t, a))
	}
}

// TestMovesLeave: equal questions share the searches, and the last client that goes away ends them.
func TestMovesLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		with, asked, _ := blocked()
		s := newServer(t, Config{Solver: with})
		ctx, cancel := context.WithCancel(t.Context())
		answers := make(chan *httptest.ResponseRecorder, 2)
		for range 2 {
			go func() {
				answers <- doContext(ctx, s, "POST", "/v1/moves", question1(mateIn3), "Content-Type", jsonType)
			}()
			synctest.Wait()
		}
		if len(asked) != 1 {
			t.Errorf("%d searches at once", len(asked))
		}
		cancel()
		for range 2 {
			if w := <-answers; !strings.Contains(w.Body.String(), `"side":"attacker"`) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		}
		if n := metric(t, s, "tsumero_searches_in_flight"); n != 0 || len(asked) != 1 {
			t.Errorf("%v searches run, %d were made", n, len(asked))
		}
	})
}

// TestMovesLink: a GET answers what a POST does, elapsed_us apart, and may be kept for ever if no
// move is open.
func TestMovesLink(t *testing.T) {
	// Time must not decide: under the race detector the searches may take seconds.
	s := newServer(t, Config{Solver: mate.New(mate.Options{TableBytes: 8 << 20}),
		MaxTime: time.Hour, DefaultTime: time.Hour})
	elapsed := regexp.MustCompile(`,"elapsed_us":\d+`)
	escape := func(sfen string) string { return strings.NewReplacer(" ", "_", "+", "%2B").Replace(sfen) }
	const checked = "7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1 moves 2a1a" // one reply settles the rest
	for _, c := range []struct {
		sfen, limits, query string
		lasting             bool
	}{
		{mateIn3, `{"shortest":true}`, "&shortest=true", true},
		{mateIn3, `{"plies":1}`, "&plies=1", false},
		{checked, `{}`, "&attacker=black", true},
	} {
		posted := do(s, "POST", "/v1/moves", `{"sfen":"`+c.sfen+`","attacker":"black","limits":`+c.limits+`}`,
			"Content-Type", jsonType)
		link := "/v1/moves?sfen=" + escape(c.sfen) + c.query
		got := do(s, "GET", link, "")
		want := elapsed.ReplaceAllString(posted.Body.String(), "")
		if posted.Code != http.StatusOK || got.Code != http.StatusOK || got.Body.String() != want {
			t.Errorf("%s: %d\n%s\nwant\n%s", link, got.Code, got.Body, want)
		}
		tag, caching := got.Header().Get("ETag"), got.Header().Get("Cache-Control")
		if c.lasting != (tag != "") || c.lasting != strings.Contains(caching, "immutable") ||
			!c.lasting && caching != "no-store" {
			t.Errorf("%s: ETag %s, Cache-Control %s", link, tag, caching)
		}
		if again := do(s, "GET", link, "", "If-None-Match", tag); c.lasting &&
			(again.Code != http.StatusNotModified || again.Body.Len() != 0) {
			t.Errorf("%s again: %d %s", link, again.Code, again.Body)
		}
	}
	p := wantProblem(t, do(s, "GET", "/v1/moves?sfen="+escape(mateIn3)+"&depth=3&attacker=white", ""),
		wire.InvalidQuestion)
	if len(p.Errors) != 2 {
		t.Errorf("%+v", p.Errors)
	}
}

// TestMovesByConvention: with a length, the moves are counted and compared by the policy, and the
// author's reply is the best where it is one of the longest.
func TestMovesByConvention(t *testing.T) {
	s := newServer(t, Config{MaxAnalyses: 1, Sessions: func() solver.Session { return dfpn.NewSession() },
		Solver: mate.New(mate.Options{TableBytes: 8 << 20}), MaxTime: time.Hour, DefaultTime: time.Hour})
	const (
		shop   = "7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1"
		corner = "k8/pp+P6/9/9/9/9/9/9/8R b r2b4g4s4n4l15p 1"
		sound  = "9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G2r2b4s4n4l17p 1"
	)
	for _, c := range []struct {
		sfen, author, policy string
		best                 string
		low, plies, futile   int
	}{
		{shop, "", "F2", "4e4c+", 3, 5, 0},
		{shop + " moves 4e4c+", "", "F2", "1c1b", 2, 4, 12},
		{shop + " moves 4e4c+", "P*3c", "F2", "1c1b", 2, 4, 12}, // the author's is futile
		{shop + " moves 4e4c+", "", "F0", "P*3c", 4, 4, 0},
		{corner + " moves 1i1a+", "", "F2", "", 0, 14, 48}, // mate, by convention
		{sound + " moves G*5c", "", "F2", "5b6a", 2, 2, 0},
		{sound + " moves G*5c", "5b4a", "F2", "5b4a", 2, 2, 0},
	} {
		a := askMoves(t, s, map[string]any{"sfen": c.sfen, "author": c.author,
			"limits": map[string]any{"length": c.policy, "shortest": true}})
		futile := 0
		for i, m := range a.Moves {
			if m.Futile != nil {
				futile++
			} else if futile > 0 || i == 0 && m.Move != a.Best {
				t.Errorf("%s: %s is not in order", c.sfen, m.Move)
			}
			if c.policy == "F2" && m.Length != nil && *m.Length.High != len(m.Line) {
				t.Errorf("%s: the line of %s has not its length: %s", c.sfen, m.Move, mustJSON(t, m))
			}
		}
		if a.Best != c.best || a.Length == nil || a.Length.Low != c.low || a.Length.High != c.low ||
			*a.Plies != c.plies || futile != c.futile || a.Length.Reason != "" {
			t.Errorf("%s, author %q: best %s, length %s, plies %d, %d futile, want %+v", c.sfen, c.author,
				a.Best, mustJSON(t, a.Length), *a.Plies, futile, c)
		}
	}
	for location, request := range map[string]string{
		"body.author": `{"sfen":"` + shop + `","author":"9i9h"}`,
		"":            `{"sfen":"` + shop + `","limits":{"length":"F2","nodes":1}}`,
	} {
		w := do(s, "POST", "/v1/moves", request, "Content-Type", jsonType)
		if location == "" {
			if a := parse[wire.MovesAnswer](t, w.Body.Bytes()); a.Length != nil {
				t.Errorf("a length where it is not known whether there is a mate: %s", w.Body)
			}
		} else if p := wantProblem(t, w, wire.InvalidQuestion); p.Errors[0].Location != location {
			t.Errorf("%+v", p.Errors)
		}
	}
	link := "/v1/moves?length=F2&author=P*3c&sfen=" + strings.ReplaceAll(shop, " ", "_") + "_moves_4e4c%2B"
	if w := do(s, "GET", link, ""); w.Header().Get("ETag") == "" || !strings.Contains(w.Body.String(),
		`"best":"1c1b"`) {
		t.Errorf("%v %s", w.Header(), w.Body)
	}
}
