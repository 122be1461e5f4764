package site

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

func TestZZShots(t *testing.T) {
	s := serve(t)
	p := browsertest.Open(t, browsertest.Screen{Still: true})
	folder := os.Getenv("SHOTS")
	var list = strings.Fields(os.Getenv("ONLY"))
	for _, size := range [][2]int{{360, 640}, {390, 844}, {768, 1024}, {1440, 900}, {1920, 1080}, {844, 390}, {1024, 768}, {1080, 1920}, {800, 600}} {
		for name, q := range map[string]string{
			"ja": "&lang=ja&title=%E5%B0%86%E6%A3%8B%E7%84%A1%E5%8F%8C%20%E7%AC%AC%E4%B8%80%E7%95%AA&author=%E4%BC%8A%E8%97%A4%E5%AE%97%E7%9C%8B&plies=3",
			"en": "&lang=en", "ja-dark": "&lang=ja&plies=3&theme=dark", "en-intl": "&lang=en&pieces=international&plies=3&title=A+much+longer+title+of+a+problem+than+most+have&author=Somebody", "ja-two": "&lang=ja&pieces=two-character&coordinates=off&theme=wood",
		} {
			id := fmt.Sprintf("%s-%dx%d", name, size[0], size[1])
			if len(list) > 0 {
				ok := false
				for _, l := range list {
					ok = ok || l == id
				}
				if !ok {
					continue
				}
			}
			p.Show(browsertest.Screen{Width: size[0], Height: size[1], Still: true, Touch: size[0] < 500})
			p.Goto(s.URL + os.Getenv("PAGE") + shortLink[2:] + q)
			p.Wait(`window.board?.state === "play"`)
			p.Do(`await board.ready`)
			if os.Getenv("WRONG") != "" {
				p.Do(`board.wrong = "stay"; await board.play("2a2b+")`)
				p.Wait(`board.state === "wrong"`)
			}
			w := browsertest.Eval[float64](p, `board.shadowRoot.querySelector("[role=grid]").getBoundingClientRect().width`)
			sticks := browsertest.Eval[[]string](p, strings.ReplaceAll(sticksOut, `document.querySelector("tsume-board")`, "board"))
			wide := browsertest.Eval[int](p, `document.documentElement.scrollWidth - innerWidth`)
			t.Logf("%s: board %.0f sticks %v wide %d", id, w, sticks, wide)
			if folder != "" {
				os.WriteFile(folder+"/"+os.Getenv("PRE")+id+".png", p.PNG(os.Getenv("FULL") != ""), 0o644)
			}
		}
	}
}
