package board_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// daily answers as a service does that has a problem for today and for 2026-11-22.
func daily(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	sfen, title := headGold, map[string]string{"ja": "今日の詰将棋 1手詰", "en": "Problem of the day: Mate in 1"}[q.Get("lang")]
	switch q.Get("date") {
	case "":
	case "2026-11-22":
		sfen, title = twoGolds, "日曜"
	default:
		w.Header().Set("Access-Control-Allow-Origin", "*")
		http.Error(w, "{}", http.StatusNotFound)
		return
	}
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"date":"2026-11-23","sfen":%q,"plies":1,"title":%q}`, sfen, title)
}

// TestDaily: a tag has the problem of the day, or of another day, with its title, and says clearly what
// it cannot have. Nothing is stored, and nobody but the service is asked.
func TestDaily(t *testing.T) {
	s := serve(t)
	var isDown atomic.Bool
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.URL.Path+" "+r.Header.Get("Authorization"))
		mu.Unlock()
		if r.Method == http.MethodOptions { // before a request with a header
			w.Header().Set("Access-Control-Allow-Origin", "*")
			w.Header().Set("Access-Control-Allow-Headers", "*, Authorization")
			return
		}
		if isDown.Load() {
			panic(http.ErrAbortHandler) // it does not answer
		}
		daily(w, r)
	}))
	t.Cleanup(server.Close)
	p := s.open(t, browsertest.Screen{Width: 360, Height: 640, Touch: true}, `daily api="`+server.URL+`"`)
	caption := `b.shadowRoot.querySelector(".caption").innerText.trim()`
	shows := func(position, title, state string) {
		t.Helper()
		p.Do("await b.ready")
		got := browsertest.Eval[[]string](p, `[b.position, `+caption+`, b.state]`)
		if !slices.Equal(got, []string{position, title, state}) {
			t.Errorf("the board has %q, want %s, %s, %s", got, position, title, state)
		}
	}
	shows(headGold, "今日の詰将棋 1手詰", "play")
	if text := status(p); !strings.Contains(text, "王手の連続") {
		t.Errorf("the board says %q", text)
	}
	p.Accessible()
	shoot(t, p, "daily-360-ja")
	if got := browsertest.Eval[string](p, `b.play("G*5b")`); got != "solved" {
		t.Errorf("the move is %s", got)
	}
	if stored := browsertest.Eval[string](p, `[localStorage.length, sessionStorage.length, document.cookie].join()`); stored != "0,0," {
		t.Errorf("stored: %s", stored)
	}
	foreign := browsertest.Eval[[]string](p, `performance.getEntriesByType("resource").map((e) => new URL(e.name).origin).filter((o) => o !== "`+s.url+`" && o !== "`+server.URL+`" && o !== location.origin)`)
	if len(foreign) > 0 {
		t.Errorf("the board asked %q", foreign)
	}

	// Another day, a day without a problem, and a service that does not answer.
	p.Do(`b.date = "2026-11-22"`)
	shows(twoGolds, "日曜", "play")
	p.Do(`b.date = "1999-01-01"`)
	p.Wait(in("p") + `.innerText.includes("その日の詰将棋はありません")`)
	isDown.Store(true)
	p.Do(`b.removeAttribute("date")`)
	p.Wait(in("p") + `.innerText.includes("今日の詰将棋を読み込めません")`)
	p.Accessible()
	shoot(t, p, "daily-offline-360-ja")
	failed := events[struct{ Code string }](p, "error")
	if len(failed) != 2 || failed[0].Code != "daily" || failed[1].Code != "daily" {
		t.Errorf("tsume-error: %+v", failed)
	}
	_ = p.Errors() // of the browser, about both
	isDown.Store(false)
	p.Tap(button("再試行"))
	p.Wait(caption + ` === "今日の詰将棋 1手詰"`)

	// In English, with a header as the API is asked; a position goes first.
	p.Do(`b.headers = { Authorization: "Bearer x" }; b.lang = "en"; b.daily = false; await b.ready; b.daily = true`)
	p.Wait(caption + ` === "Problem of the day: Mate in 1"`)
	mu.Lock()
	if last := asked[len(asked)-1]; last != "/daily.json Bearer x" {
		t.Errorf("the last question is %s", last)
	}
	mu.Unlock()
	p.Do(fmt.Sprintf(`b.sfen = %q`, problem))
	shows(problem, "", "play")
}
