// Package browsertest lets tests look at pages in a real browser: Chromium, run headless and driven
// over its DevTools protocol, or Firefox, driven by WebDriver BiDi. It is the only package that
// knows by which library.
//
// Where no browser is installed, a test that asks for one is skipped, unless the environment has CI
// set: there it fails. With -short it is always skipped.
package browsertest

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a page may take to do what a test waits for. It is long, since machines may
// be busy: a test that waits in vain fails, one that waits for what comes does not wait longer than
// it must.
const patience = 2 * time.Minute

// A Screen is what a page is shown on. The zero value is 1280 by 800 pixels, light.
type Screen struct {
	Width, Height int
	Scale         float64 // pixels of the device for one of the page, default 1
	Dark          bool    // prefers-color-scheme
	Still         bool    // prefers-reduced-motion
	ForcedColors  bool
	Print         bool
	Touch         bool
	TimeZone      string // such as America/New_York, default that of the machine
}

// A tab is what a browser shows a page in. Places are in pixels of the page.
type tab interface {
	show(ctx context.Context, s Screen) error
	navigate(ctx context.Context, url string) error
	// evaluate returns the value of a script as JSON, that of a promise when it is kept.
	evaluate(ctx context.Context, script string) (json.RawMessage, error)
	// key presses a key that has a name, or types a character.
	key(ctx context.Context, name string, modifiers modifiers) error
	insert(ctx context.Context, text string) error
	// press presses a mouse or a finger at the first point, drags it over the others, and lets go.
	press(ctx context.Context, touch bool, points ...point) error
	screenshot(ctx context.Context, whole bool) ([]byte, error)
	// drain waits until all that has been written to the console is read.
	drain(ctx context.Context) error
	close()
}

type point struct{ x, y float64 }

// modifiers are the keys held while another is pressed.
type modifiers struct{ alt, control, shift bool }

// Main runs the tests of a package and then ends the browsers, if they started one. If BROWSER_SHOTS
// names a folder, it makes a contact sheet of the pictures that tests have left there. It is for
// TestMain.
func Main(m *testing.M) {
	code := m.Run()
	closeChromium()
	closeFirefox()
	if folder := os.Getenv("BROWSER_SHOTS"); folder != "" {
		if err := writeSheet(folder); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// A Page is a tab of the browser. What goes wrong with it ends its test.
type Page struct {
	t   testing.TB
	tab tab

	mu      sync.Mutex
	console []string
}

// Open opens a page in Chromium. When the test ends it is closed, and what it wrote to the console
// fails the test, if it is an error and none that was taken by Errors.
func Open(t testing.TB, screen Screen) *Page {
	t.Helper()
	return open(t, screen, openChromium)
}

// OpenFirefox opens a page in Firefox, as Open does. Its screen is always light and still.
func OpenFirefox(t testing.TB, screen Screen) *Page {
	t.Helper()
	return open(t, screen, openFirefox)
}

// errNone is that no browser is installed.
type errNone struct{ name, install string }

func (e errNone) Error() string {
	return "no " + e.name + " is installed; on Debian: apt-get install " + e.install
}

func open(t testing.TB, screen Screen, start func(console func(string)) (tab, error)) *Page {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes its time")
	}
	p := &Page{t: t}
	var err error
	p.tab, err = start(func(text string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.console = append(p.console, text)
	})
	if _, none := err.(errNone); none && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			p.shootFailure()
		}
		p.tab.close()
		for _, e := range p.takeErrors() {
			t.Errorf("the page wrote to its console: %s", e)
		}
	})
	p.Show(screen)
	return p
}

// shootFailure keeps what is seen when a test failed, where a folder for that is named.
func (p *Page) shootFailure() {
	folder := os.Getenv("BROWSER_SHOTS")
	if folder == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if png, err := p.tab.screenshot(ctx, false); err == nil {
		name := filepath.Join(folder, "failed-"+strings.ReplaceAll(p.t.Name(), "/", "-")+".png")
		p.t.Logf("seen in %s: %v", name, os.WriteFile(name, png, 0o644))
	}
}

// Show changes the screen.
func (p *Page) Show(s Screen) {
	p.t.Helper()
	if s.Width == 0 {
		s.Width, s.Height = 1280, 800
	}
	if s.Scale == 0 {
		s.Scale = 1
	}
	p.do("screen", func(ctx context.Context) error { return p.tab.show(ctx, s) })
}

// do runs a step, which must end in time.
func (p *Page) do(what string, step func(context.Context) error) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := step(ctx); err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
}

// Goto loads a page.
func (p *Page) Goto(url string) {
	p.t.Helper()
	p.do("go to "+url, func(ctx context.Context) error { return p.tab.navigate(ctx, url) })
}

// Eval returns the value of a script, which may be a promise, as JSON makes it a T.
func Eval[T any](p *Page, script string) (v T) {
	p.t.Helper()
	p.do(script, func(ctx context.Context) error {
		value, err := p.tab.evaluate(ctx, script)
		if err != nil {
			return err
		}
		switch reflect.TypeFor[T]().Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		default:
			if len(value) == 0 || string(value) == "null" {
				return errors.New("the script has no value")
			}
		}
		return json.Unmarshal(value, &v)
	})
	return v
}

// Do runs a script for what it does.
func (p *Page) Do(script string) {
	p.t.Helper()
	Eval[bool](p, "(async () => { "+script+"; return true })()")
}

// Wait waits until a script is true, also one that first runs in a page that is being left.
func (p *Page) Wait(script string) {
	p.t.Helper()
	if !p.poll(script, `if (`+script+`) return true`) {
		p.t.Fatalf("waited in vain for %s", script)
	}
}

// poll runs a script in the page again and again, until it returns true, and reports whether it did.
// It polls inside the page: round trips cost far more. Now and then it asks anew, since a page that
// is being left never answers.
func (p *Page) poll(what, step string) bool {
	p.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		ctx, cancel := context.WithDeadline(context.Background(), end.Add(patience))
		is, err := p.tab.evaluate(ctx, `(async () => {
			for (const end = performance.now() + 2000; performance.now() < end; ) {
				`+step+`;
				await new Promise((done) => setTimeout(done, 10));
			}
			return false;
		})()`)
		cancel()
		switch {
		case err == nil && string(is) == "true":
			return true
		case err != nil && !isLeaving(err):
			p.t.Fatalf("%s: %v", what, err)
		case err != nil:
			time.Sleep(10 * time.Millisecond)
		}
	}
	return false
}

// isLeaving reports whether a script could not run because its page is not there any more.
func isLeaving(err error) bool {
	for _, text := range []string{"navigated or closed", "context was destroyed", "Cannot find context",
		"no such frame", "actor destroyed", "AbortError"} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}

// Keys presses keys one after another: a character, or the name of a key such as Enter, ArrowLeft
// or Shift+Tab.
func (p *Page) Keys(keys ...string) {
	p.t.Helper()
	for _, key := range keys {
		var held modifiers
		name := key
		for {
			prefix, rest, ok := strings.Cut(name, "+")
			if !ok || rest == "" {
				break
			}
			switch prefix {
			case "Alt":
				held.alt = true
			case "Ctrl":
				held.control = true
			case "Shift":
				held.shift = true
			}
			name = rest
		}
		p.do("key "+key, func(ctx context.Context) error { return p.tab.key(ctx, name, held) })
	}
}

// Type enters a text where the focus is, as an input method does.
func (p *Page) Type(text string) {
	p.t.Helper()
	p.do("type "+text, func(ctx context.Context) error { return p.tab.insert(ctx, text) })
}

// middles returns the middles of elements, which scripts name, once a reader could press them: they
// are there, visible, enabled, in view, with nothing over them, and they do not move.
func (p *Page) middles(elements ...string) []point {
	p.t.Helper()
	points, why := p.findPressable(patience-5*time.Second, elements...)
	if why != "" {
		p.t.Fatal(why)
	}
	return points
}

// findPressable returns the middles of elements once they can be pressed, or why they could not be
// in that time.
func (p *Page) findPressable(within time.Duration, elements ...string) (points []point, why string) {
	p.t.Helper()
	names, err := json.Marshal(elements)
	if err != nil {
		p.t.Fatal(err)
	}
	found := Eval[struct {
		At  [][2]float64 `json:"at"`
		Why string       `json:"why"`
	}](p, fmt.Sprintf(`(async () => {
		const names = %s, finders = [() => %s], ms = %d;
		%s
	})()`, names, strings.Join(elements, ", () => "), within.Milliseconds(), waitPressable))
	for _, at := range found.At {
		points = append(points, point{at[0], at[1]})
	}
	return points, found.Why
}

// waitPressable waits in the page for ms, and returns where elements can be pressed, or why not.
const waitPressable = `
		const frame = () => new Promise((done) => { requestAnimationFrame(done); setTimeout(done, 100) });
		const boxOf = (e) => { const { left, top, width, height } = e.getBoundingClientRect(); return [left, top, width, height] };
		const hits = (e, x, y) => {
			let hit = document.elementFromPoint(x, y);
			for (let inner; (inner = hit?.shadowRoot?.elementFromPoint(x, y)) && inner !== hit; ) hit = inner;
			for (; hit; hit = hit.parentNode ?? hit.host) if (hit === e) return true;
			return false;
		};
		// fault returns what keeps an element from being pressed.
		const fault = (e) => {
			if (!e) return "not there";
			if (!e.checkVisibility({ visibilityProperty: true })) return "not visible";
			let [left, top, width, height] = boxOf(e);
			if (!width || !height) return "without a size";
			if (top < 0 || left < 0 || top + height > innerHeight || left + width > innerWidth) {
				e.scrollIntoView({ block: "center", behavior: "instant" });
				[left, top] = boxOf(e);
			}
			if (e.matches(":disabled, [aria-disabled=true]")) return "disabled";
			if (!hits(e, left + width / 2, top + height / 2)) return "covered, or out of view";
			return "";
		};
		// Still is what has the same place when the time of animations has gone on, which it does not in
		// every frame of a busy machine.
		let why, before, since;
		for (const end = performance.now() + ms; performance.now() < end; await frame()) {
			let found, name;
			why = "";
			try {
				found = finders.map((find) => find());
			} catch (e) {
				why = names[0] + ": " + e;
				continue;
			}
			for (const [i, e] of found.entries()) why ||= (name = fault(e)) && names[i] + " is " + name;
			const boxes = JSON.stringify(found.map((e) => e && boxOf(e)));
			const now = document.timeline.currentTime;
			if (!why && boxes === before && now > since) {
				return { at: JSON.parse(boxes).map(([left, top, width, height]) => [left + width / 2, top + height / 2]) };
			}
			why ||= names[0] + " moves";
			if (boxes !== before) [before, since] = [boxes, now];
		}
		return { why };
`

// press presses on an element with the mouse or a finger, and drags to another if there is one.
func (p *Page) press(touch bool, elements ...string) {
	p.t.Helper()
	middles := p.middles(elements...)
	points := middles[:1:1]
	for _, b := range middles[1:] {
		a := points[0]
		for _, part := range []float64{0.25, 0.5, 1} {
			points = append(points, point{a.x + (b.x-a.x)*part, a.y + (b.y-a.y)*part})
		}
	}
	p.do("press "+elements[0], func(ctx context.Context) error { return p.tab.press(ctx, touch, points...) })
}

// Click clicks an element, which a script names, with the mouse.
func (p *Page) Click(element string) {
	p.t.Helper()
	p.press(false, element)
}

// Drag drags with the mouse from one element to another.
func (p *Page) Drag(from, to string) {
	p.t.Helper()
	p.press(false, from, to)
}

// Tap taps an element with a finger.
func (p *Page) Tap(element string) {
	p.t.Helper()
	p.press(true, element)
}

// Swipe drags with a finger from one element to another.
func (p *Page) Swipe(from, to string) {
	p.t.Helper()
	p.press(true, from, to)
}

// PNG returns what is seen of the page, or all of it.
func (p *Page) PNG(whole bool) (png []byte) {
	p.t.Helper()
	p.do("screenshot", func(ctx context.Context) (err error) {
		png, err = p.tab.screenshot(ctx, whole)
		return err
	})
	return png
}

// PDF returns the page as Chromium prints it on the paper that its style names, without backgrounds,
// as is usual.
func (p *Page) PDF() (pdf []byte) {
	p.t.Helper()
	p.do("print", func(ctx context.Context) (err error) {
		pdf, err = p.tab.(*chromiumTab).print(ctx)
		return err
	})
	return pdf
}

// Errors takes the errors that the page wrote to its console so far.
func (p *Page) Errors() []string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := p.tab.drain(ctx); err != nil {
		p.t.Fatal(err)
	}
	return p.takeErrors()
}

func (p *Page) takeErrors() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.console
	p.console = nil
	return taken
}

// layout is the script for what is wrong with the layout of a page.
//
//go:embed layout.js
var layout string

// Layout returns what is wrong with the layout of the page as it is on its screen, a line a fault:
//
//   - something sticks out at the sides, or a dialog is not on the screen with all that is in it;
//   - a caption is cut by its own box, or by one around it;
//   - what can be pressed lies over another such thing, or over a text;
//   - on a screen that is touched, a target has less than 44 pixels across or down. Squares of the
//     board are as large as the screen lets them be, and links in a sentence as its letters.
//
// While a modal dialog is open, it is all that is looked at.
func (p *Page) Layout() []string {
	p.t.Helper()
	return Eval[[]string](p, layout)
}

// axe is axe-core, which finds what keeps people from using a page. It comes from npm as it is
// (axe-core 4.14.1, Mozilla Public License 2.0, see the folder).
//
//go:embed axe/axe.min.js
var axe string

// A Violation is something that axe found.
type Violation struct {
	ID     string `json:"id"`
	Impact string `json:"impact"`
	Help   string `json:"help"`
	Nodes  []struct {
		Target         json.RawMessage `json:"target"`
		HTML           string          `json:"html"`
		FailureSummary string          `json:"failureSummary"`
	} `json:"nodes"`
}

func (v Violation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %s", v.ID, v.Impact, v.Help)
	for _, n := range v.Nodes {
		fmt.Fprintf(&b, "\n  %s %s\n  %s", n.Target, n.HTML, n.FailureSummary)
	}
	return b.String()
}

// Accessible fails the test for everything that axe finds in the page as it is, best practices
// included, but for what is inside the elements that selectors name.
func (p *Page) Accessible(without ...string) {
	p.t.Helper()
	exclude, err := json.Marshal(append([]string{}, without...))
	if err != nil {
		p.t.Fatal(err)
	}
	if !Eval[bool](p, "typeof axe === 'object'") {
		Eval[bool](p, axe+";true")
	}
	found := Eval[[]Violation](p, `axe.run({ include: [document], exclude: `+string(exclude)+` }, { resultTypes: ["violations"] }).then((r) => r.violations)`)
	for _, v := range found {
		p.t.Errorf("axe: %s", v)
	}
}
