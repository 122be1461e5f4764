package board_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// A container is a way in which pages lay out what is in them.
type container struct {
	name, before, after string // what stands before and after the board
	style               string // further rules of the page
	wide, phone         widths // of the board, in windows of 1200 and of 360 pixels
}

// widths are the least and the greatest in pixels.
type widths struct{ least, most float64 }

// What the board prefers where nothing says how wide it is to be, also beside a short text; and
// what is left of the windows without the margins of the page, of which the board takes no more
// than its greatest.
var (
	preferred      = widths{480, 480}
	greatest, full = widths{928, 928}, widths{344, 344}
	beside         = widths{256, 336}
)

const (
	flex   = `<div style="display: flex; gap: 8px">`
	column = `<div style="display: flex; flex-direction: column; align-items: center">`
	grid   = `<div style="display: grid; grid-template-columns: `
	rows   = `<div style="writing-mode: vertical-rl`
	clear  = `<div style="display: flow-root">`
	figure = `<div style="position: relative; height: 900px"><div style="position: absolute">`
	text   = `<p>問題図</p></div>`
)

var containers = []container{
	{"block", `<div>`, `</div>`, ``, greatest, full},
	{"flex-row", flex, text, ``, preferred, beside},
	{"flex-row-text", flex, `<p>` + strings.Repeat("詰将棋の解説です。", 60) + `</p></div>`, ``,
		widths{256, 480}, widths{256, 300}},
	{"flex-column-centred", column, `</div>`, ``, preferred, full},
	{"grid-auto-1fr", grid + `auto 1fr; gap: 8px">`, text, ``, preferred, beside},
	{"grid-1fr-1fr", grid + `1fr 1fr">`, text, ``, widths{592, 592}, widths{150, 256}},
	{"place-items-centre", grid + `none; place-items: center">`, `</div>`, ``, preferred, full},
	{"table-cell", `<table><tr><td>`, `</td><td>問題図</td></tr></table>`, ``, preferred, beside},
	{"float", clear + `<div style="float: left">`, `</div>問題図</div>`, ``, preferred, full},
	{"floated", clear, `問題図</div>`, `tsume-board { float: right }`, preferred, full},
	{"inline-block", `<div style="display: inline-block">`, `</div>`, ``, preferred, full},
	{"inline-blocked", `<div>`, `</div>`, `tsume-board { display: inline-block }`, preferred, full},
	{"fit-content", `<div style="width: fit-content">`, `</div>`, ``, preferred, full},
	{"max-content", `<div style="width: max-content; max-width: 100%">`, `</div>`, ``, preferred, full},
	{"positioned", figure, `</div></div>`, ``, preferred, full},
	{"vertical-rl", rows + `">`, `</div>`, ``, widths{480, 928}, widths{320, 360}},
	{"vertical-text", rows + `; height: 1000px"><p>問題図</p>`, `</div>`, ``, widths{480, 928}, widths{256, 360}},
	{"rtl", `<div dir="rtl">`, `</div>`, ``, greatest, full},
	{"rtl-flex", `<div dir="rtl" style="display: flex">`, `</div>`, ``, preferred, full},
	{"small-root-font", flex, `</div>`, `html { font-size: 62.5% }`, preferred, full},
	{"own-width", flex, `</div>`, `tsume-board { width: 300px }`, widths{300, 300}, widths{300, 300}},
	{"own-max-width", `<div>`, `</div>`, `tsume-board { max-width: 400px }`, widths{400, 400}, full},
	{"own-flex", flex, text, `tsume-board { flex: 1 }`, greatest, beside},
	{"own-min-width", flex, `</div>`, `tsume-board { min-width: 0; width: 200px }`,
		widths{200, 200}, widths{200, 200}},
}

// In whatever a page puts the board, it is there, as wide as its place allows, and nothing sticks
// out.
func TestContainers(t *testing.T) {
	s := serve(t)
	p := s.open(t, browsertest.Screen{}, solve)
	for _, c := range containers {
		style := `<link rel="icon" href="data:,"><style>` + c.style + "</style>"
		p.Goto(site(t, nil, pageWith("ja", s.script()+style, c.before+tag(solve)+c.after)))
		p.Do(listen)
		for _, window := range []int{1200, 360} {
			t.Run(fmt.Sprintf("%s/%d", c.name, window), func(t *testing.T) {
				p.Show(browsertest.Screen{Width: window, Height: 900, Still: true})
				shoot(t, p, fmt.Sprintf("container-%s-%d", c.name, window))
				want := c.wide
				if window == 360 {
					want = c.phone
				}
				size := func(element, side string) float64 {
					return browsertest.Eval[float64](p, element+".getBoundingClientRect()."+side)
				}
				width := size("b", "width")
				if width < want.least-1 || width > want.most+1 {
					t.Errorf("the board is %v pixels wide, expected %v to %v", width, want.least, want.most)
				}
				if got := size(in("[role=grid]"), "width"); got < 130 || got > width {
					t.Errorf("the squares take %v pixels", got)
				}
				if got := size(in("[role=grid]"), "height"); got < 180 {
					t.Errorf("the squares are %v pixels high", got)
				}
				// A page in columns goes on sideways.
				columns := strings.HasPrefix(c.name, "vertical")
				got := browsertest.Eval[int](p, "document.documentElement.scrollWidth")
				if got > window && !columns {
					t.Errorf("the page is %v pixels wide", got)
				}
			})
		}
	}
}

// hostile are rules of a page that reach whatever they can.
const hostile = `
	html { font-size: 62.5% }
	body { letter-spacing: .3em; word-spacing: 1em; text-transform: uppercase; text-indent: 3em;
		white-space: pre; font: italic small-caps 900 30px/2 monospace; font-stretch: condensed;
		font-kerning: none; hyphens: auto;
		font-feature-settings: "smcp"; text-shadow: 2px 2px red; text-align: right;
		text-align-last: right;
		word-break: break-all; line-break: anywhere; quotes: "<" ">"; list-style: square inside;
		border-collapse: collapse; text-orientation: upright; text-emphasis: dot;
		text-underline-offset: 9px;
		tab-size: 20; -webkit-text-stroke: 2px red; -webkit-text-fill-color: red;
		-webkit-text-size-adjust: 300%;
		caret-color: red; accent-color: red; fill: red; stroke: red; stroke-width: 9; stroke-dasharray: 1;
		fill-opacity: .1; text-anchor: end; dominant-baseline: hanging; paint-order: stroke }
	* { all: unset; letter-spacing: inherit; text-indent: inherit; font: inherit; writing-mode: vertical-rl }
	html, body, main, h1, tsume-board { display: block }
	style, script, head { display: none !important }
	svg, svg * { display: inline; width: 5px; height: 5px; fill: red; stroke: red; vertical-align: middle }
	button, input, [type=button] { all: unset; appearance: none; border: 9px solid red; font-size: 40px }
	p, form, ol, li, label, dialog, div, span { margin: 40px; padding: 40px; color: red; float: left }
	[role=grid], [hidden], .bar, .panel, .root, .main { display: inline !important; color: red }
	:focus { outline: 20px solid red !important }
	tsume-board { width: 600px; writing-mode: inherit }`

// looks is the script for what the elements in the board look like: their computed styles and their
// boxes.
const looks = `[...b.shadowRoot.querySelectorAll("*")].map((e) => {
	const style = getComputedStyle(e), look = {};
	const at = e.getBoundingClientRect(), from = b.getBoundingClientRect();
	for (const name of style) if (!name.startsWith("--")) look[name] = style[name];
	const box = [at.x - from.x, at.y - from.y, at.width, at.height];
	if (at.width) look.box = box.map((n) => Math.round(n * 100) / 100).join(" ");
	return { name: e.tagName + "." + e.getAttribute("class"), look };
})`

// changedLooks is the script for what has another look than in the variable before.
const changedLooks = `(() => {
	const after = ` + looks + `, changed = {};
	if (before.length !== after.length || before.length < 100) return [before.length + " elements, then " + after.length];
	before.forEach(({ name, look }, i) => {
		for (const property in look) {
			const got = after[i].look[property];
			if (got !== look[property]) changed[property] ??= name + ": " + property + " is " + got + ", before " + look[property];
		}
	});
	return Object.values(changed);
})()`

// The rules of a page do not change how the board looks: not those for all elements or for elements
// that the board consists of, and not what elements inherit.
func TestForeignStyles(t *testing.T) {
	s := serve(t)
	for name, attributes := range map[string]string{
		"solve": solve, "edit": `mode="edit" sfen="` + problem + `"`,
		"view": `sfen="` + problem + `" moves="` + strings.Join(solution, " ") + `"`,
	} {
		t.Run(name, func(t *testing.T) {
			p := s.open(t, browsertest.Screen{Width: 1200, Height: 900, Still: true}, attributes)
			p.Do(`b.style.width = "600px"`)
			shoot(t, p, "styles-"+name+"-own")
			p.Do("window.before = " + looks)
			p.Do(fmt.Sprintf("const sheet = new CSSStyleSheet(); sheet.replaceSync(%q);"+
				"document.adoptedStyleSheets = [sheet]", hostile))
			shoot(t, p, "styles-"+name+"-hostile")
			changed := browsertest.Eval[[]string](p, changedLooks)
			for _, c := range changed {
				t.Error(c)
			}
		})
	}
}

// asking has a board ask whether the last move of the problem promotes.
const asking = `await b.ready; await b.play("R*1a"); await b.play("2b2a+");
	for (const cell of [34, 16]) b.shadowRoot.querySelector("[data-cell='" + cell + "']").click()`

// How a board looks is up to the files that it needs: none that was loaded for something else, such as
// setting up a position or the list of keys, changes that. The question whether a piece promotes, which
// is asked before any of them is there, is as high as its two pieces.
func TestLaterStyles(t *testing.T) {
	s := serve(t)
	p := s.open(t, browsertest.Screen{Width: 1440, Height: 900}, solve)
	p.Do(asking)
	const high = `b.shadowRoot.querySelector("dialog").getBoundingClientRect().height`
	if got := browsertest.Eval[float64](p, high); got > 200 {
		t.Errorf("the question is %v pixels high", got)
	}
	p.Do("window.before = " + looks)
	p.Do(`b.shadowRoot.querySelector("dialog").close(); b.mode = "edit"; await b.ready; ` +
		`b.setAttribute("caption", "A"); await b.ready; b.removeAttribute("caption")`)
	p.Do(button("キー操作") + ".click()")
	p.Wait(in("dialog kbd"))
	p.Do(`b.shadowRoot.querySelector("dialog").close(); b.sfen = "` + problem + `"; b.mode = "solve"`)
	p.Do(asking)
	p.Do(`b.shadowRoot.querySelectorAll(".edit, .caption").forEach((e) => e.remove())`)
	for _, c := range browsertest.Eval[[]string](p, changedLooks) {
		t.Error(c)
	}
}

// What pages are told that they can change, they can; and an element that is hidden is.
func TestTheming(t *testing.T) {
	p := serve(t).open(t, browsertest.Screen{}, solve)
	p.Do("const sheet = new CSSStyleSheet(); document.adoptedStyleSheets = [sheet]; sheet.replaceSync(`" + `
		tsume-board { --t-board: rgb(1, 2, 3); --t-text: rgb(4, 5, 6) }
		tsume-board { --t-height: 500px; --t-width: 250px; --t-labels: 0; color-scheme: dark }
		tsume-board::part(panel) { font-family: fantasy }
		tsume-board::part(message) { font-family: fantasy }
		tsume-board::part(frame) { padding: 0 }` + "`)")
	for script, want := range map[string]string{
		"getComputedStyle(" + in(".wood") + ").fill":            "rgb(1, 2, 3)",
		"getComputedStyle(" + in("p") + ").color":               "rgb(4, 5, 6)",
		"getComputedStyle(" + in("p") + ").fontFamily":          "fantasy",
		"getComputedStyle(" + in("button") + ").fontFamily":     "fantasy",
		"getComputedStyle(" + in(".root") + ").padding":         "0px",
		"getComputedStyle(" + in("p") + ").colorScheme":         "dark",
		"String(" + in("[role=grid]") + ".offsetHeight <= 500)": "true",
		"String(" + in("[role=grid]") + ".offsetWidth)":         "250",
		"getComputedStyle(" + in(".label") + ").opacity":        "0",
	} {
		if got := browsertest.Eval[string](p, script); got != want {
			t.Errorf("%s is %q, expected %q", script, got, want)
		}
	}
	if p.Do("b.hidden = true"); browsertest.Eval[bool](p, "b.checkVisibility()") {
		t.Error("a hidden board is seen")
	}
}
