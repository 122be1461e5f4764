package diagram

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
)

// However many animations are asked for, pictures that stand still have places of their own where
// there are two processors; who waits and goes away is not drawn for.
func TestPlaces(t *testing.T) {
	h := &handler{places: make(chan struct{}, 2), animations: make(chan struct{}, 1)}
	h.animations <- struct{}{}
	h.places <- struct{}{}
	ask := func(ctx context.Context, path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, path+"?sfen=startpos&size=160", nil))
		return w
	}
	if w := ask(t.Context(), "/d.png"); w.Body.Len() == 0 {
		t.Errorf("a picture beside an animation: %d", w.Code)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if w := ask(gone, "/d.gif"); w.Body.Len() > 0 || len(h.places) != 1 || len(h.animations) != 1 {
		t.Errorf("%d bytes for nobody, %d places", w.Body.Len(), len(h.places))
	}
	<-h.animations
	if w := ask(t.Context(), "/d.gif"); w.Body.Len() == 0 || len(h.places) != 1 || len(h.animations) != 0 {
		t.Errorf("once there is a place: %d, %d places", w.Code, len(h.places))
	}
}
