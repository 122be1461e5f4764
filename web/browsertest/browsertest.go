// Package browsertest lets tests look at pages in a real browser: Chromium, run headless and driven
// over its DevTools protocol. It is the only package that knows by which library.
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
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// names are the programs that will do, the best first. $BROWSER_FOR_TESTS goes before all of them.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless-shell"}

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

// browser is the one that all tests of a program share.
var browser = sync.OnceValues(func() (context.Context, error) {
	path := os.Getenv("BROWSER_FOR_TESTS")
	for _, name := range names {
		if path != "" {
			break
		}
		path, _ = exec.LookPath(name)
	}
	if path == "" {
		return nil, errNone
	}
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path),
		chromedp.Flag("disable-dev-shm-usage", true),           // containers have little of it
		chromedp.Flag("font-render-hinting", "none"),           // the same letters on every machine
		chromedp.Flag("disable-background-networking", true),   // nobody is asked for anything
		chromedp.Flag("disable-component-update", true),        //
		chromedp.Flag("enable-blink-features", "ForcedColors"), // can be emulated
		// No process for a page that may come, none for each step to another page, and no page is kept
		// for a way back: a fifth of the processor time, and nothing that a test looks at.
		chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,SpareRendererForSitePerProcess,"+
			"BackForwardCache,ProactivelySwapBrowsingInstance"),
		chromedp.Flag("renderer-process-limit", "4"),
	}
	if os.Geteuid() == 0 || os.Getenv("CI") != "" {
		// Chromium makes none for root, and in containers it often may not. The pages are all our
		// own.
		options = append(options, chromedp.NoSandbox)
	}
	ctx, cancel := chromedp.NewContext(context.Background(), chromedp.WithAllocatorOptions(options...))
	// The first run starts the browser, which lives as long as the context, that is as long as the
	// program.
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		cancel()
		return nil, fmt.Errorf("%s does not start: %w", path, err)
	}
	closeBrowser = func() { _ = chromedp.Cancel(ctx); cancel() }
	return ctx, nil
})

var (
	errNone      = errors.New("no browser is installed; on Debian: apt-get install chromium")
	closeBrowser = func() {}
)

// Main runs the tests of a package and then ends the browser, if they started one. It is for
// TestMain.
func Main(m *testing.M) {
	code := m.Run()
	closeBrowser()
	os.Exit(code)
}

// A Page is a tab of the browser. What goes wrong with it ends its test.
type Page struct {
	t   testing.TB
	ctx context.Context

	mu      sync.Mutex
	console []string
}

// Open opens a page. When the test ends it is closed, and what it wrote to the console fails the
// test, if it is an error and none that was taken by Errors.
func Open(t testing.TB, screen Screen) *Page {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes its time")
	}
	parent, err := browser()
	switch {
	case err == errNone && os.Getenv("CI") == "":
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(parent, chromedp.WithNewBrowserContext())
	p := &Page{t: t, ctx: ctx}
	p.do("open", chromedp.Navigate("about:blank"))
	messages := chromedp.Console(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.IsException() || m.Type == "error" {
				p.mu.Lock()
				p.console = append(p.console, fmt.Sprintf("%s (%s:%d)", m, m.URL, m.Line))
				p.mu.Unlock()
			}
		}
	}()
	t.Cleanup(func() {
		if t.Failed() {
			p.shootFailure()
		}
		cancel()
		<-ended
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
	ctx, cancel := context.WithTimeout(p.ctx, 5*time.Second)
	defer cancel()
	if png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot()); err == nil {
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
	options := []chromedp.EmulateViewportOption{chromedp.EmulateScale(s.Scale)}
	if s.Touch {
		options = append(options, chromedp.EmulateTouch, chromedp.EmulateMobile)
	}
	features := []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: choose(s.Dark, "dark", "light")},
		{Name: "prefers-reduced-motion", Value: choose(s.Still, "reduce", "no-preference")},
		{Name: "forced-colors", Value: choose(s.ForcedColors, "active", "none")},
	}
	p.do("screen", chromedp.EmulateViewport(int64(s.Width), int64(s.Height), options...),
		chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: choose(s.Print, "print", ""), Features: features})
			return err
		}))
}

func choose(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

// do runs steps, each of which must end in time.
func (p *Page) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	for _, step := range steps {
		// The first step of a page opens it, and would close it with its context.
		ctx, cancel := p.ctx, func() {}
		if what != "open" {
			ctx, cancel = context.WithTimeout(p.ctx, patience)
		}
		err := chromedp.Do(ctx, step)
		cancel()
		if err != nil {
			p.t.Fatalf("%s: %v", what, err)
		}
	}
}

// Goto loads a page.
func (p *Page) Goto(url string) {
	p.t.Helper()
	p.do("go to "+url, chromedp.Navigate(url))
}

// Eval returns the value of a script, which may be a promise, as JSON makes it a T.
func Eval[T any](p *Page, script string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", script, err)
	}
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
		ctx, cancel := context.WithTimeout(p.ctx, patience)
		is, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+script+")", chromedp.EvalAwaitPromise))
		cancel()
		if err != nil && !isLeaving(err) {
			p.t.Fatalf("%s: %v", script, err)
		}
		if err == nil && is {
			return
		}
		if time.Now().After(end) {
			p.t.Fatalf("waited in vain for %s", script)
		}
	}
}

// isLeaving reports whether a script could not run because its page is not there any more.
func isLeaving(err error) bool {
	for _, text := range []string{"navigated or closed", "context was destroyed", "Cannot find context"} {
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
		var modifiers int64
		name := key
		for {
			prefix, rest, ok := strings.Cut(name, "+")
			if !ok || rest == "" {
				break
			}
			modifiers |= map[string]int64{"Alt": 1, "Ctrl": 2, "Shift": 8}[prefix]
			name = rest
		}
		params := input.DispatchKeyEventParams{Key: name, Modifiers: modifiers, Type: input.DispatchKeyEventTypeKeyDown}
		if named, ok := keyCodes[name]; ok {
			params.Code, params.WindowsVirtualKeyCode, params.Text = name, named.code, named.text
		} else {
			params.Text = name
		}
		p.do("key "+key, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			if _, err := cdp.Call(ctx, target, input.DispatchKeyEvent, params); err != nil {
				return err
			}
			params.Type, params.Text = input.DispatchKeyEventTypeKeyUp, ""
			_, err := cdp.Call(ctx, target, input.DispatchKeyEvent, params)
			return err
		}))
	}
}

// keyCodes are the keys with names.
var keyCodes = map[string]struct {
	code int64
	text string
}{
	"Enter": {13, "\r"}, "Escape": {27, ""}, "Tab": {9, ""}, "Backspace": {8, ""}, "Delete": {46, ""}, "Home": {36, ""}, "End": {35, ""},
	"PageUp": {33, ""}, "PageDown": {34, ""}, "ArrowLeft": {37, ""}, "ArrowUp": {38, ""}, "ArrowRight": {39, ""}, "ArrowDown": {40, ""},
}

// Type enters a text where the focus is, as an input method does.
func (p *Page) Type(text string) {
	p.t.Helper()
	p.do("type "+text, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, input.InsertText, input.InsertTextParams{Text: text})
		return err
	}))
}

// middle returns the middle of an element, which a script names, after scrolling it into view.
func (p *Page) middle(element string) (x, y float64) {
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
	return at[0], at[1]
}

func (p *Page) mouse(kind input.DispatchMouseEventType, x, y float64, pressed int64) {
	p.t.Helper()
	params := input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: pressed, ClickCount: 1}
	if kind == input.DispatchMouseEventTypeMouseMoved {
		params.ClickCount = 0
	}
	p.do("mouse", chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, input.DispatchMouseEvent, params)
		return err
	}))
}

// Click clicks an element, which a script names, with the mouse.
func (p *Page) Click(element string) {
	p.t.Helper()
	x, y := p.middle(element)
	p.mouse(input.DispatchMouseEventTypeMousePressed, x, y, 1)
	p.mouse(input.DispatchMouseEventTypeMouseReleased, x, y, 0)
}

// Drag drags with the mouse from one element to another.
func (p *Page) Drag(from, to string) {
	p.t.Helper()
	x, y := p.middle(from)
	u, v := p.middle(to)
	p.mouse(input.DispatchMouseEventTypeMouseMoved, x, y, 0)
	p.mouse(input.DispatchMouseEventTypeMousePressed, x, y, 1)
	for _, part := range []float64{0.25, 0.5, 1} {
		p.mouse(input.DispatchMouseEventTypeMouseMoved, x+(u-x)*part, y+(v-y)*part, 1)
	}
	p.mouse(input.DispatchMouseEventTypeMouseReleased, u, v, 0)
}

func (p *Page) touch(kind input.DispatchTouchEventType, points ...*input.TouchPoint) {
	p.t.Helper()
	if points == nil {
		points = []*input.TouchPoint{}
	}
	p.do("touch", chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
		return err
	}))
}

// Tap taps an element with a finger.
func (p *Page) Tap(element string) {
	p.t.Helper()
	x, y := p.middle(element)
	p.do("tap", chromedp.TapXY(x, y))
}

// Swipe drags with a finger from one element to another.
func (p *Page) Swipe(from, to string) {
	p.t.Helper()
	x, y := p.middle(from)
	u, v := p.middle(to)
	p.touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: x, Y: y})
	for _, part := range []float64{0.25, 0.5, 1} {
		p.touch(input.DispatchTouchEventTypeTouchMove, &input.TouchPoint{X: x + (u-x)*part, Y: y + (v-y)*part})
	}
	p.touch(input.DispatchTouchEventTypeTouchEnd)
}

// PNG returns what is seen of the page, or all of it.
func (p *Page) PNG(whole bool) []byte {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	shot := chromedp.CaptureScreenshot()
	if whole {
		shot = chromedp.FullScreenshot(100)
	}
	png, err := chromedp.Run(ctx, shot)
	if err != nil {
		p.t.Fatalf("screenshot: %v", err)
	}
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
