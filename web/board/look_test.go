package board_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// Every state, on every width, and the narrowest in both schemes: nothing that axe finds, a layout that
// is right, and nothing too small to be touched. With BROWSER_SHOTS in the environment, the pictures are left in
// that folder.
func TestStates(t *testing.T) {
	s := serve(t)
	line := strings.Join(solution, " ")
	states := []struct{ name, attributes, do string }{
		{"view", `sfen="` + problem + `" moves="` + line + `"`, `b.goTo(3)`},
		{"solve", solve, ``},
		{"picked", solve, in("[data-cell='34']") + `.click()`},
		{"replied", solve, `await b.play("R*1a")`},
		{"wrong", stay, `await b.play("R*1c")`},
		{"hint", solve, `await b.hint(); await b.hint(); await b.hint()`},
		{"solved", solve, `for (const m of ["R*1a", "2b2a+", "2d2b+"]) await b.play(m)`},
		{"answer", solve, `await b.showAnswer(); b.goTo(2)`},
		{"dialog", solve, `await b.play("R*1a"); await b.play("2b2a+"); ` + in("[data-cell='34']") + `.click(); ` + in("[data-cell='16']") + `.click()`},
		{"error", solve, `const f = window.fetch; window.fetch = () => Promise.reject(); await b.play("R*1a"); window.fetch = f`},
		{"faulty", `mode="solve" sfen="9/9/4k5/9/9/9/9/9/9 b G 1"`, ``},
		{"edit", `mode="edit" sfen="` + problem + `"`, in("[data-cell='34']") + `.click()`},
		{"paper", `theme="paper" ` + solve, ``},
		{"bare", `controls="none" sfen="` + problem + `"`, ``},
		{"english", `lang="en" ` + solve, `await b.play("R*1a")`},
	}
	for _, width := range []int{320, 768, 1440} {
		for _, dark := range []bool{false, true} {
			if dark && width > 320 {
				continue // colours have no width
			}
			scheme := map[bool]string{false: "light", true: "dark"}[dark]
			t.Run(fmt.Sprintf("%d/%s", width, scheme), func(t *testing.T) {
				p := s.open(t, browsertest.Screen{Width: width, Height: 900, Dark: dark, Still: true}, "")
				for _, state := range states {
					replace(p, state.attributes)
					p.Do(state.do)
					// What axe finds depends on the colours, and on the layout only where that is
					// narrow.
					if width == 320 {
						p.Accessible()
					}
					for _, fault := range p.Layout() {
						t.Errorf("%s: %s", state.name, fault)
					}
					small := browsertest.Eval[[]string](p, `[...b.shadowRoot.querySelectorAll("button, input, [role=gridcell]")].filter((x) => x.checkVisibility())
						.filter((x) => { const r = x.getBoundingClientRect(); return r.width < 24 || r.height < 24 }).map((x) => x.ariaLabel || x.innerText)`)
					if len(small) > 0 {
						t.Errorf("%s: too small to be touched: %q", state.name, small)
					}
					shoot(t, p, fmt.Sprintf("%s-%d-%s", state.name, width, scheme))
				}
			})
		}
	}
}

func TestMedia(t *testing.T) {
	s := serve(t)
	p := s.open(t, browsertest.Screen{Width: 768, Height: 900, ForcedColors: true}, stay)
	p.Do(`await b.play("R*1c")`)
	p.Accessible()
	if got := browsertest.Eval[string](p, `getComputedStyle(`+in(".wood")+`).fill`); got != "rgb(255, 255, 255)" && got != "rgb(0, 0, 0)" {
		t.Errorf("with forced colours, the board is %s", got)
	}
	// Nothing keeps a colour of its own.
	if got := browsertest.Eval[[]string](p, `[...new Set([...b.shadowRoot.querySelectorAll(".surface svg :is(rect, path, text)")].flatMap((x) => [getComputedStyle(x).fill, getComputedStyle(x).stroke]))]
		.filter((c) => !["none", "Canvas", "CanvasText", "Highlight"].some((name) => { const e = document.createElement("p"); e.style.color = name; document.body.append(e); const same = getComputedStyle(e).color === c; e.remove(); return same || c === "none" }))`); len(got) > 0 {
		t.Errorf("with forced colours there are %q", got)
	}
	shoot(t, p, "forced-colors")

	p.Show(browsertest.Screen{Width: 768, Height: 900, Print: true})
	if browsertest.Eval[bool](p, `[...b.shadowRoot.querySelectorAll(".panel *")].some((node) => node.checkVisibility())`) {
		t.Error("buttons are printed, or moves of a problem that is being solved")
	}
	if got := browsertest.Eval[string](p, `getComputedStyle(`+in(".ink")+`).fill`); got != "rgb(0, 0, 0)" {
		t.Errorf("the pieces are printed in %s", got)
	}
	if browsertest.Eval[bool](p, in(".arrow")+".checkVisibility()") {
		t.Error("marks are printed")
	}
	shoot(t, p, "print")

	// Pieces slide, unless the reader wants nothing to move. (Animations are asked for right after
	// the move.)
	moving := `(() => { const n = b.played.length; b.goTo(n + 1); return b.shadowRoot.getAnimations().length })()`
	p.Do(`b.setAttribute("moves", "` + strings.Join(solution, " ") + `"); b.setAttribute("mode", "view")`)
	p.Show(browsertest.Screen{})
	if n := browsertest.Eval[int](p, moving); n != 1 {
		t.Errorf("%d pieces slide", n)
	}
	p.Show(browsertest.Screen{Still: true})
	p.Wait("b.shadowRoot.getAnimations().length === 0")
	if n := browsertest.Eval[int](p, moving); n != 0 {
		t.Errorf("%d pieces slide for a reader who wants nothing to move", n)
	}
}
