package httpapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/games"
)

const ignoredThreat = "position sfen 4k4/9/9/4G4/9/9/9/9/4K4 b G2r2b2g4s4n4l18p 1 moves 5d5c P*9e 5i4i"

// TestGames: the same game in JSON and as a record has the same answer, and faults are named.
func TestGames(t *testing.T) {
	s := newServer(t, Config{Sessions: func() solver.Session { return dfpn.NewSession() }})
	ask := func(body, contentType, query string) wire.GameAnswer {
		t.Helper()
		w := do(s, "POST", "/v1/games"+query, body, "Content-Type", contentType)
		if w.Code != http.StatusOK || w.Header().Get("Cache-Control") != "no-store" {
			t.Fatalf("%d %v %s", w.Code, w.Header(), w.Body)
		}
		a := parse[wire.GameAnswer](t, w.Body.Bytes())
		a.ElapsedUS = nil
		return a
	}
	want := ask(`{"text":"`+ignoredThreat+`"}`, jsonType, "")
	var kinds []string
	for _, m := range want.Marks {
		kinds = append(kinds, m.Kind)
	}
	if got := strings.Join(kinds, " "); got != "threat_made mate_allowed threat_ignored mate_missed" {
		t.Error(got)
	}
	game, err := shogi.ParsePosition(ignoredThreat)
	if err != nil {
		t.Fatal(err)
	}
	kif := notation.NewRecord(game.Start(), game.Moves(), notation.Resigns).AppendKIF(nil)
	if got := ask(string(kif), "text/plain", ""); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if few := ask(ignoredThreat, "text/plain", "?nodes=1"); few.Nodes >= want.Nodes {
		t.Errorf("%d nodes, and %d by default", few.Nodes, want.Nodes)
	}
	long := "startpos moves" + strings.Repeat(" 5i5h 5a5b 5h5i 5b5a", games.MaxMoves/4) + " 5i5h"
	for body, location := range map[string]string{
		`{"text":"` + long + `"}`: "body.text",
		`{"text":""}`:             "body.text",
		`{"text":"x"}`:            "body.text",
		`{"text":"startpos","limits":{"nodes":0}}`:      "body.limits.nodes",
		`{"text":"startpos","limits":{"attacks":1}}`:    "body.limits.attacks",
		`{"text":"startpos","limits":{"time_ms":1e12}}`: "body.limits.time_ms",
	} {
		w := do(s, "POST", "/v1/games", body, "Content-Type", jsonType)
		if p := wantProblem(t, w, wire.InvalidQuestion); len(p.Errors) != 1 || p.Errors[0].Location != location {
			t.Errorf("%.60s: %+v", body, p.Errors)
		}
	}
	wantProblem(t, do(s, "POST", "/v1/games?nodes=5", `{"text":"startpos"}`, "Content-Type", jsonType), wire.InvalidQuestion)
}

// A waitingSession searches until its context ends.
type waitingSession struct {
	solver.Session
	begun chan struct{}
}

func (s waitingSession) Decide(ctx context.Context, _ solver.Question) solver.Decision {
	select {
	case s.begun <- struct{}{}:
	default:
	}
	<-ctx.Done()
	return solver.Decision{Reason: solver.StopReason(ctx)}
}

// TestGamesLeave: a client that goes away ends the search.
func TestGamesLeave(t *testing.T) {
	begun := make(chan struct{}, 1)
	s := newServer(t, Config{MaxAnalyses: 1,
		Sessions: func() solver.Session { return waitingSession{dfpn.NewSession(), begun} }})
	ctx, leave := context.WithCancel(t.Context())
	answer := inBackground(func() *httptest.ResponseRecorder {
		return doContext(ctx, s, "POST", "/v1/games", ignoredThreat, "Content-Type", "text/plain")
	})
	<-begun
	leave()
	a := parse[wire.GameAnswer](t, (<-answer).Body.Bytes())
	if a.Reason != "cancelled" || a.Judged != 0 || len(a.Marks) > 0 {
		t.Errorf("%+v", a)
	}
}
