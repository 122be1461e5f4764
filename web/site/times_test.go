package site

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

func TestTimes(t *testing.T) {
	for most, want := range map[time.Duration]string{
		time.Millisecond:        "*0.001 s",
		1500 * time.Millisecond: "1 s, *1.5 s",
		time.Second:             "*1 s",
		3 * time.Second:         "1 s, 2 s, *3 s",
		10 * time.Second:        "1 s, 2 s, 5 s, *10 s",
		25 * time.Second:        "1 s, 2 s, 5 s, *10 s, 25 s",
		time.Minute:             "1 s, 2 s, 5 s, *10 s, 30 s, 60 s",
		2 * time.Hour:           "1 s, 2 s, 5 s, *10 s, 30 s, 60 s, 5 min, 15 min, 1 h, 2 h",
	} {
		v := view{Lang: "en"}
		var got []string
		for _, c := range v.times(most) {
			if c.Selected {
				c.Label = "*" + c.Label
			}
			got = append(got, c.Label)
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("of %v: %s, expected %s", most, got, want)
		}
	}
	if _, err := Handler(Config{}); err == nil {
		t.Error("pages of a service that allows no time at all")
	}
}

// options is the script for the menu of times, with what is selected.
const options = `[...document.querySelectorAll("#time option")].map((o) => (o.selected ? "*" : "") + o.textContent)`

// The menu offers what the service allows, and each of its times is answered.
func TestServiceLimits(t *testing.T) {
	for most, want := range map[time.Duration][]string{
		3 * time.Second:  {"1秒", "2秒", "*3秒"},
		60 * time.Second: {"1秒", "2秒", "5秒", "*10秒", "30秒", "60秒"},
	} {
		t.Run(most.String(), func(t *testing.T) {
			s := serveLimited(t, most, most)
			for _, path := range []string{"/?lang=ja", shortLink + "&lang=ja"} {
				p := s.open(t, path, browsertest.Screen{})
				if got := browsertest.Eval[[]string](p, options); !slices.Equal(got, want) {
					t.Errorf("%s offers %q, expected %q", path, got, want)
				}
				for _, wanted := range []string{"", most.String()} { // as it comes, and the longest
					if wanted != "" {
						p.Do(element("#time") + `.selectedIndex = ` + element("#time") + `.length - 1`)
					}
					p.Do(`document.querySelector("#verdict").dataset.verdict = ""`)
					click(p, "#solve")
					waitVerdict(p, "mate")
					click(p, "#examine")
					p.Wait(visible("#moves-box"))
				}
				asked := browsertest.Eval[string](p, text("#call"))
				var request struct {
					Limits struct {
						TimeMS int64 `json:"time_ms"`
					}
				}
				_, body, _ := strings.Cut(asked, "-d '")
				if err := json.Unmarshal([]byte(strings.TrimSuffix(body, "'")), &request); err != nil {
					t.Fatal(err)
				}
				if got := request.Limits.TimeMS; got != most.Milliseconds() {
					t.Errorf("with the longest time, %d ms were asked for", got)
				}
			}
		})
	}
}

// A page that was loaded before the service was started anew may ask for too much. It says so in
// the language of its reader, and offers what is allowed now.
func TestFewerLimits(t *testing.T) {
	s := serveLimited(t, 10*time.Second, 3*time.Second)
	for lang, c := range map[string]struct {
		says  string
		times []string
	}{
		"ja": {"サーバーが許す時間を超えました。時間を選び直しました。", []string{"1秒", "2秒", "*3秒"}},
		"en": {"That is longer than the server allows. Less time is chosen now.", []string{"1 s", "2 s", "*3 s"}},
	} {
		p := s.open(t, "/?lang="+lang, browsertest.Screen{})
		click(p, "#solve")
		p.Wait(visible("#fault"))
		wantText(t, p, text("#fault"), c.says)
		p.Wait(element("#time") + `.value === "3000"`)
		if got := browsertest.Eval[[]string](p, options); !slices.Equal(got, c.times) {
			t.Errorf("the menu has %q, expected %q", got, c.times)
		}
		p.Accessible()
		_ = p.Errors() // of the browser, about the 422
		click(p, "#solve")
		waitVerdict(p, "mate")
	}
}

// What the API says of a request as such is said in the language of the reader as well.
func TestRefusals(t *testing.T) {
	s := serve(t)
	p := s.open(t, "/?lang=ja", browsertest.Screen{})
	for status, says := range map[int]string{
		http.StatusRequestEntityTooLarge: "本文が100バイトを超えています。",
		http.StatusTooManyRequests:       "少し待ってからお試しください。",
		http.StatusServiceUnavailable:    "探索の枠がすべて使われています。",
	} {
		body, _ := json.Marshal(map[string]any{"title": "No", "detail": "No.", "detail_ja": says, "status": status})
		init, _ := json.Marshal(map[string]any{"status": status})
		p.Do(`window.fetch = () => Promise.resolve(new Response(` + "`" + string(body) + "`, " + string(init) + `))`)
		click(p, "#solve")
		p.Wait(visible("#fault"))
		wantText(t, p, text("#fault"), says)
	}
}

// Nobody is told to give more time than there is.
func TestLongestTime(t *testing.T) {
	s := serveLimited(t, time.Second, time.Second)
	link := strings.NewReplacer("+", "%2B", " ", "_").Replace(microcosmos)
	p := s.open(t, "/p?sfen="+link+"&lang=ja", browsertest.Screen{})
	click(p, "#solve")
	waitVerdict(p, "unknown")
	got := browsertest.Eval[string](p, verdictShown)
	if !strings.HasPrefix(got, "不明|時間切れです。") || strings.Contains(got, "延ばす") {
		t.Errorf("the page says %q", got)
	}
}
