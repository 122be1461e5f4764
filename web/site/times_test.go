package site

import (
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
		v := layout{Lang: "en"}
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

// The menu offers what the page knows of the service. A page that was loaded before the service was
// started anew may ask for too much. It says so in the language of its reader, and offers what is
// allowed now, all of which is answered.
func TestFewerLimits(t *testing.T) {
	s := serveLimited(t, 10*time.Second, 3*time.Second)
	p := browsertest.Open(t, browsertest.Screen{Still: true})
	for lang, c := range map[string]struct {
		says          string
		before, after []string
	}{
		"ja": {"サーバーの制限時間を超えるので、時間を選び直しました。", []string{"1秒", "2秒", "5秒", "*10秒"}, []string{"1秒", "2秒", "*3秒"}},
		"en": {"That is longer than the server allows. Less time is chosen now.", []string{"1 s", "2 s", "5 s", "*10 s"}, []string{"1 s", "2 s", "*3 s"}},
	} {
		p.Goto(s.URL + studyLink + "&lang=" + lang)
		p.Wait(ready)
		if got := browsertest.Eval[[]string](p, options); !slices.Equal(got, c.before) {
			t.Errorf("the menu has %q, expected %q", got, c.before)
		}
		click(p, "#solve")
		p.Wait(visible("#fault"))
		wantText(t, p, text("#fault"), c.says)
		p.Wait(element("#time") + `.value === "3000"`)
		if got := browsertest.Eval[[]string](p, options); !slices.Equal(got, c.after) {
			t.Errorf("the menu has %q, expected %q", got, c.after)
		}
		_ = p.Errors() // of the browser, about the 422
		click(p, "#solve")
		waitVerdict(p, "mate")
		wantText(t, p, text("#call"), `"time_ms":3000`)
		click(p, "#examine")
		p.Wait(visible("#moves-box"))
	}
	clean(t, p)
}
