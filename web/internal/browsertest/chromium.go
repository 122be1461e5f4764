package browsertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
)

// chromiums are the programs that will do, the best first. $BROWSER_FOR_TESTS goes before all of them.
// The first is all of it that shows pages, and needs a fifth less processor time.
var chromiums = []string{"chromium-headless-shell", "chromium", "chromium-browser",
	"google-chrome", "google-chrome-stable", "chrome", "headless-shell"}

// chromium is the one that all tests of a program share.
var chromium = sync.OnceValues(func() (context.Context, error) {
	path := os.Getenv("BROWSER_FOR_TESTS")
	for _, name := range chromiums {
		if path != "" {
			break
		}
		path, _ = exec.LookPath(name)
	}
	if path == "" {
		return nil, errNone{"Chromium", "chromium"}
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
	closeChromium = func() { _ = chromedp.Cancel(ctx); cancel() }
	return ctx, nil
})

var closeChromium = func() {}

// A chromiumTab is driven over the DevTools protocol. One test after another has it: a new one, with
// a process of its own, takes a third of a second. What a test leaves in it is cleared.
type chromiumTab struct {
	ctx    context.Context // of chromedp
	cancel func()

	mu      sync.Mutex
	console func(string)  // of the test that has it
	drained chan struct{} // is told when the console has been read to lastMessage
}

// freeTabs are those that no test has.
var freeTabs struct {
	mu   sync.Mutex
	tabs []*chromiumTab
}

func openChromium(console func(string)) (tab, error) {
	parent, err := chromium()
	if err != nil {
		return nil, err
	}
	freeTabs.mu.Lock()
	if n := len(freeTabs.tabs); n > 0 {
		t := freeTabs.tabs[n-1]
		freeTabs.tabs = freeTabs.tabs[:n-1]
		freeTabs.mu.Unlock()
		t.setConsole(console)
		return t, nil
	}
	freeTabs.mu.Unlock()
	ctx, cancel := chromedp.NewContext(parent, chromedp.WithNewBrowserContext())
	t := &chromiumTab{ctx: ctx, cancel: cancel, console: console, drained: make(chan struct{}, 1)}
	// The first step opens the tab, which lives as long as the context of that step.
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		cancel()
		return nil, err
	}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.Text == lastMessage {
				t.drained <- struct{}{}
			} else if m.IsException() || m.Type == "error" {
				t.mu.Lock()
				t.console(fmt.Sprintf("%s (%s:%d)", m, m.URL, m.Line))
				t.mu.Unlock()
			}
		}
	}()
	return t, nil
}

func (t *chromiumTab) setConsole(console func(string)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.console = console
}

// lastMessage is written to the console after all that is to be read there.
const lastMessage = "browsertest: the last message"

func (t *chromiumTab) drain(ctx context.Context) error {
	if _, err := t.evaluate(ctx, `console.info("`+lastMessage+`")`); err != nil {
		return err
	}
	select {
	case <-t.drained:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// close leaves the tab to the next test, with nothing that this one left: no page, no data of any
// origin, no files, no pointer over it. If that fails, the tab is of no use any more.
func (t *chromiumTab) close() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := t.clear(ctx); err != nil {
		t.setConsole(func(string) {})
		t.cancel()
		return
	}
	freeTabs.mu.Lock()
	defer freeTabs.mu.Unlock()
	freeTabs.tabs = append(freeTabs.tabs, t)
}

func (t *chromiumTab) clear(ctx context.Context) error {
	if err := t.navigate(ctx, "about:blank"); err != nil {
		return err
	}
	if _, err := t.evaluate(ctx, `window.name = ""`); err != nil {
		return err
	}
	if err := t.drain(ctx); err != nil {
		return err
	}
	return errors.Join(
		call(ctx, t, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: -1, Y: -1}),
		call(ctx, t, page.ResetNavigationHistory, cdp.Empty{}),
		call(ctx, t, network.ClearBrowserCache, cdp.Empty{}),
		call(ctx, t, storage.ClearDataForOrigin, storage.ClearDataForOriginParams{Origin: "*", StorageTypes: "all"}),
	)
}

// do runs a step until the deadline of ctx.
func (t *chromiumTab) do(ctx context.Context, step chromedp.Action[chromedp.Void]) error {
	ctx, cancel := t.until(ctx)
	defer cancel()
	return chromedp.Do(ctx, step)
}

// until returns the context of the tab, with the deadline of ctx.
func (t *chromiumTab) until(ctx context.Context) (context.Context, context.CancelFunc) {
	end, _ := ctx.Deadline()
	return context.WithDeadline(t.ctx, end)
}

// call calls a method of the protocol that has no result.
func call[P, R any](ctx context.Context, t *chromiumTab, method cdp.Command[P, R], params P) error {
	return t.do(ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, method, params)
		return err
	}))
}

func (t *chromiumTab) show(ctx context.Context, s Screen) error {
	options := []chromedp.EmulateViewportOption{chromedp.EmulateScale(s.Scale)}
	if s.Touch {
		options = append(options, chromedp.EmulateTouch, chromedp.EmulateMobile)
	}
	if err := t.do(ctx, chromedp.EmulateViewport(int64(s.Width), int64(s.Height), options...)); err != nil {
		return err
	}
	zone := emulation.SetTimezoneOverrideParams{TimezoneID: s.TimeZone}
	if err := call(ctx, t, emulation.SetTimezoneOverride, zone); err != nil {
		return err
	}
	return call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: choose(s.Print, "print", ""),
		Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: choose(s.Dark, "dark", "light")},
			{Name: "prefers-reduced-motion", Value: choose(s.Still, "reduce", "no-preference")},
			{Name: "forced-colors", Value: choose(s.ForcedColors, "active", "none")},
		}})
}

func choose(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

func (t *chromiumTab) navigate(ctx context.Context, url string) error {
	return t.do(ctx, chromedp.Navigate(url))
}

func (t *chromiumTab) evaluate(ctx context.Context, script string) (json.RawMessage, error) {
	ctx, cancel := t.until(ctx)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[[]byte](script, chromedp.EvalAsValue, chromedp.EvalAwaitPromise))
}

func (t *chromiumTab) key(ctx context.Context, name string, held modifiers) error {
	params := input.DispatchKeyEventParams{Key: name, Type: input.DispatchKeyEventTypeKeyDown}
	for _, m := range []struct {
		held bool
		bit  int64
	}{{held.alt, 1}, {held.control, 2}, {held.shift, 8}} {
		if m.held {
			params.Modifiers |= m.bit
		}
	}
	if named, ok := keyCodes[name]; ok {
		params.Code, params.WindowsVirtualKeyCode, params.Text = name, named.code, named.text
	} else {
		params.Text = name
	}
	if err := call(ctx, t, input.DispatchKeyEvent, params); err != nil {
		return err
	}
	params.Type, params.Text = input.DispatchKeyEventTypeKeyUp, ""
	return call(ctx, t, input.DispatchKeyEvent, params)
}

// keyCodes are the keys with names.
var keyCodes = map[string]struct {
	code int64
	text string
}{
	"Enter": {13, "\r"}, "Escape": {27, ""}, "Tab": {9, ""}, "Backspace": {8, ""}, "Delete": {46, ""},
	"Home": {36, ""}, "End": {35, ""}, "PageUp": {33, ""}, "PageDown": {34, ""},
	"ArrowLeft": {37, ""}, "ArrowUp": {38, ""}, "ArrowRight": {39, ""}, "ArrowDown": {40, ""},
}

func (t *chromiumTab) insert(ctx context.Context, text string) error {
	return call(ctx, t, input.InsertText, input.InsertTextParams{Text: text})
}

func (t *chromiumTab) press(ctx context.Context, touch bool, points ...point) error {
	first, last := points[0], points[len(points)-1]
	if touch && len(points) == 1 {
		return t.do(ctx, chromedp.TapXY(first.x, first.y))
	}
	if touch {
		event := func(kind input.DispatchTouchEventType, points ...*input.TouchPoint) error {
			if points == nil {
				points = []*input.TouchPoint{}
			}
			params := input.DispatchTouchEventParams{Type: kind, TouchPoints: points}
			return call(ctx, t, input.DispatchTouchEvent, params)
		}
		kind := input.DispatchTouchEventTypeTouchStart
		for _, at := range points {
			if err := event(kind, &input.TouchPoint{X: at.x, Y: at.y}); err != nil {
				return err
			}
			kind = input.DispatchTouchEventTypeTouchMove
		}
		return event(input.DispatchTouchEventTypeTouchEnd)
	}
	event := func(kind input.DispatchMouseEventType, at point, pressed, clicks int64) error {
		return call(ctx, t, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: at.x, Y: at.y,
			Button: input.MouseButtonLeft, Buttons: pressed, ClickCount: clicks})
	}
	if len(points) > 1 {
		if err := event(input.DispatchMouseEventTypeMouseMoved, first, 0, 0); err != nil {
			return err
		}
	}
	if err := event(input.DispatchMouseEventTypeMousePressed, first, 1, 1); err != nil {
		return err
	}
	for _, at := range points[1:] {
		if err := event(input.DispatchMouseEventTypeMouseMoved, at, 1, 0); err != nil {
			return err
		}
	}
	return event(input.DispatchMouseEventTypeMouseReleased, last, 0, 1)
}

func (t *chromiumTab) print(ctx context.Context) (pdf []byte, err error) {
	asStyled := true
	err = t.do(ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		r, err := cdp.Call(ctx, target, page.PrintToPDF, page.PrintToPDFParams{PreferCSSPageSize: &asStyled})
		pdf = r.Data
		return err
	}))
	return pdf, err
}

func (t *chromiumTab) screenshot(ctx context.Context, whole bool) ([]byte, error) {
	ctx, cancel := t.until(ctx)
	defer cancel()
	if whole {
		return chromedp.Run(ctx, chromedp.FullScreenshot(100))
	}
	return chromedp.Run(ctx, chromedp.CaptureScreenshot())
}
