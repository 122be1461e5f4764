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
const patience = 30 * time.Second

// A Screen is what a page is shown on. The zero value is 1280 by 800 pixels, light.
type Screen struct {
	Width, Height int
	Scale         float64 // pixels of the device for one of the page, default 1
	Dark          bool    // prefers-color-scheme
	Still         bool    // prefers-reduced-motion
	ForcedColors  bool
	Print         bool
	Touch         bool
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
	close()
}

type point struct{ x, y float64 }

// modifiers are the keys held while another is pressed.
type modifiers struct{ alt, control, shift bool }

// Main runs the tests of a package and then ends the browsers, if they started one. It is for
// TestMain.
func Main(m *testing.M) {
	code := m.Run()
	closeChromium()
	closeFirefox()
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
		for _, e := range p.Errors() {
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
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		is, err := p.tab.evaluate(ctx, "(async () => !!("+script+"))()")
		cancel()
		if err != nil && !isLeaving(err) {
			p.t.Fatalf("%s: %v", script, err)
		}
		if err == nil && string(is) == "true" {
			return
		}
		if time.Now().After(end) {
			p.t.Fatalf("waited in vain for %s", script)
		}
	}
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

// middle returns the middle of an element, which a script names, after scrolling it into view.
func (p *Page) middle(element string) point {
	p.t.Helper()
	at := Eval[[]float64](p, `(() => {
		const e = `+element+`;
		if (!e) return [];
		const seen = () => e.getBoundingClientRect();
		if (seen().top < 0 || seen().bottom > innerHeight) e.scrollIntoView({ block: "center", behavior: "instant" });
		const r = seen();
		return [r.left + r.width / 2, r.top + r.height / 2];
	})()`)
	if len(at) != 2 {
		p.t.Fatalf("there is no %s", element)
	}
	return point{at[0], at[1]}
}

// press presses on an element with the mouse or a finger, and drags to another if there is one.
func (p *Page) press(touch bool, from string, to ...string) {
	p.t.Helper()
	points := []point{p.middle(from)}
	for _, element := range to {
		a, b := points[0], p.middle(element)
		for _, part := range []float64{0.25, 0.5, 1} {
			points = append(points, point{a.x + (b.x-a.x)*part, a.y + (b.y-a.y)*part})
		}
	}
	p.do("press "+from, func(ctx context.Context) error { return p.tab.press(ctx, touch, points...) })
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

// Errors takes the errors that the page wrote to its console so far.
func (p *Page) Errors() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.console
	p.console = nil
	return taken
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
