package httpapi

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
)

// TestThreatsWait: a question waits for its turn as long as those before it take, and is no error then.
func TestThreatsWait(t *testing.T) {
	if testing.Short() {
		t.Skip("searches for seconds")
	}
	s := newServer(t, Config{MaxAnalyses: 1, Sessions: func() solver.Session { return dfpn.NewSession() }})
	var asking sync.WaitGroup
	for attacks := 3; attacks <= 10; attacks++ {
		asking.Go(func() {
			w := do(s, "POST", "/v1/threat", fmt.Sprintf(`{"sfen":"4+R2nl/5gk2/4ppppp/9/6S2/9/9/9/9 b S 1",
				"hands":"complete","question":"brinkmate","first_moves":true,"attacks":%d,
				"limits":{"time_ms":500}}`, attacks), "Content-Type", jsonType)
			if w.Code != http.StatusOK {
				t.Errorf("%d attacks: %d %s", attacks, w.Code, w.Body)
			}
		})
	}
	asking.Wait()
}
