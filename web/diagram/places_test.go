package diagram

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/tsumero/tsumero/api/wire"
)

// TestTurns: a picture is drawn in the turn of who asks, and not for who was refused, has gone away, or
// has it already. What is refused may not be kept.
func TestTurns(t *testing.T) {
	var turns []bool // whether each moves
	var refused *wire.Problem
	h := Handler(func(ctx context.Context, moves bool, draw func()) *wire.Problem {
		turns = append(turns, moves)
		if refused == nil && ctx.Err() == nil {
			draw()
		}
		return refused
	})
	ask := func(ctx context.Context, path, tag string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, path+"?sfen=startpos&size=160", nil)
		r.Header.Set("If-None-Match", tag)
		h.ServeHTTP(w, r)
		return w
	}
	w := ask(t.Context(), "/d.png", "")
	if w.Code != 200 || w.Body.Len() == 0 || len(turns) != 1 || turns[0] {
		t.Errorf("a picture: %d, turns %v", w.Code, turns)
	}
	if w := ask(t.Context(), "/d.png", w.Header().Get("ETag")); w.Code != 304 || len(turns) != 1 {
		t.Errorf("one that is known: %d, turns %v", w.Code, turns)
	}
	if w := ask(t.Context(), "/d.gif", ""); w.Code != 200 || len(turns) != 2 || !turns[1] {
		t.Errorf("an animation: %d, turns %v", w.Code, turns)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if w := ask(gone, "/d.gif", ""); w.Body.Len() > 0 {
		t.Errorf("%d bytes for nobody", w.Body.Len())
	}
	refused = wire.NewProblem(wire.Overloaded, noFormat)
	refused.RetryAfter = 7
	w = ask(t.Context(), "/d.svg", "")
	if head := w.Header(); w.Code != 503 || head.Get("Retry-After") != "7" || head.Get("ETag") != "" ||
		head.Get("Cache-Control") != "no-store" {
		t.Errorf("one that is refused: %d, %v", w.Code, head)
	}
}
