package browsertest

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// A firefox is a browser that is driven by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/),
// which it speaks itself. No Go library does: chromedp speaks the protocol of Chromium, which Firefox
// no longer has, and Playwright drives a Firefox of its own that it downloads.
type firefox struct {
	conn *websocket.Conn
	last atomic.Int64 // number of a command

	mu      sync.Mutex
	waiting map[int64]chan reply    // for the command of a number; nil when the connection is lost
	console map[string]func(string) // of tabs, by their context
}

// A reply is what the browser says to a command. Events are alike and have no number.
type reply struct {
	Type    string
	ID      int64
	Result  json.RawMessage
	Error   string
	Message string

	Method string
	Params struct {
		Level, Text string
		Source      struct{ Context string }
	}
}

var closeFirefox = func() {}

// startFirefox starts the browser that all tests of a program share.
var startFirefox = sync.OnceValues(func() (_ *firefox, err error) {
	path, err := exec.LookPath("firefox")
	if err != nil {
		path, err = exec.LookPath("firefox-esr")
	}
	if err != nil {
		return nil, errNone{"Firefox", "firefox-esr"}
	}
	profile, err := os.MkdirTemp("", "firefox")
	if err != nil {
		return nil, err
	}
	remove := func() { _ = os.RemoveAll(profile) }
	defer func() {
		if err != nil {
			remove()
		}
	}()
	// Firefox sets what keeps it from asking anybody for anything, since it is driven.
	err = os.WriteFile(filepath.Join(profile, "user.js"), []byte(`user_pref("remote.prefs.recommended", true);
user_pref("app.update.disabledForTesting", true);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("ui.prefersReducedMotion", 1);
`), 0o600)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0", "about:blank")
	cmd.Env = append(os.Environ(), "MOZ_CRASHREPORTER_DISABLE=1", "HOME="+profile)
	out, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	end := func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		remove()
	}
	address := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if _, found, ok := strings.Cut(lines.Text(), "WebDriver BiDi listening on "); ok {
				address <- found
			}
		}
	}()
	// A start takes some ten seconds of processor time.
	ctx, cancel := context.WithTimeout(context.Background(), 4*patience)
	defer cancel()
	f := &firefox{waiting: map[int64]chan reply{}, console: map[string]func(string){}}
	select {
	case a := <-address:
		f.conn, _, err = websocket.Dial(ctx, a+"/session", nil)
	case <-ctx.Done():
		err = fmt.Errorf("%s does not say where it listens", path)
	}
	if err != nil {
		end()
		return nil, err
	}
	f.conn.SetReadLimit(64 << 20) // screenshots
	go f.read()
	closeFirefox = func() {
		_ = f.conn.CloseNow()
		end()
	}
	for _, command := range []struct {
		method string
		params map[string]any
	}{
		{"session.new", map[string]any{"capabilities": map[string]any{}}},
		{"session.subscribe", map[string]any{"events": []string{"log.entryAdded"}}},
	} {
		if err := f.call(ctx, command.method, command.params, nil); err != nil {
			closeFirefox()
			return nil, err
		}
	}
	return f, nil
})

// read reads what the browser says until the connection ends.
func (f *firefox) read() {
	for {
		var r reply
		err := wsjson.Read(context.Background(), f.conn, &r)
		f.mu.Lock()
		if err != nil {
			for _, c := range f.waiting {
				close(c)
			}
			f.waiting = nil
			f.mu.Unlock()
			return
		}
		waiting, console := f.waiting[r.ID], f.console[r.Params.Source.Context]
		delete(f.waiting, r.ID)
		f.mu.Unlock()
		switch {
		case r.Method == "log.entryAdded" && r.Params.Level == "error" && console != nil:
			console(r.Params.Text)
		case waiting != nil:
			waiting <- r
		}
	}
}

// call gives a command, and sets result to what it results in, if it is not nil.
func (f *firefox) call(ctx context.Context, method string, params map[string]any, result any) error {
	id, c := f.last.Add(1), make(chan reply, 1)
	f.mu.Lock()
	if f.waiting == nil {
		f.mu.Unlock()
		return errors.New("the browser has ended")
	}
	f.waiting[id] = c
	f.mu.Unlock()
	if err := wsjson.Write(ctx, f.conn, map[string]any{"id": id, "method": method, "params": params}); err != nil {
		return err
	}
	select {
	case r, ok := <-c:
		switch {
		case !ok:
			return errors.New("the browser has ended")
		case r.Type != "success":
			return fmt.Errorf("%s: %s: %s", method, r.Error, r.Message)
		case result == nil:
			return nil
		}
		return json.Unmarshal(r.Result, result)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}

// A firefoxTab is a browsing context, alone in a user context.
type firefoxTab struct {
	browser       *firefox
	context, user string
}

func openFirefox(console func(string)) (tab, error) {
	f, err := startFirefox()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var user struct{ UserContext string }
	if err := f.call(ctx, "browser.createUserContext", map[string]any{}, &user); err != nil {
		return nil, err
	}
	var made struct{ Context string }
	err = f.call(ctx, "browsingContext.create", map[string]any{"type": "tab", "userContext": user.UserContext}, &made)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.console[made.Context] = console
	f.mu.Unlock()
	return &firefoxTab{f, made.Context, user.UserContext}, nil
}

func (t *firefoxTab) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = t.browser.call(ctx, "browser.removeUserContext", map[string]any{"userContext": t.user}, nil)
	t.browser.mu.Lock()
	defer t.browser.mu.Unlock()
	delete(t.browser.console, t.context)
}

// do gives a command about the tab.
func (t *firefoxTab) do(ctx context.Context, method string, params map[string]any, result any) error {
	params["context"] = t.context
	return t.browser.call(ctx, method, params, result)
}

func (t *firefoxTab) show(ctx context.Context, s Screen) error {
	if s.Dark || s.ForcedColors || s.Print || s.TimeZone != "" {
		return errors.New("no such screen can be had in Firefox")
	}
	return t.do(ctx, "browsingContext.setViewport", map[string]any{
		"viewport": map[string]any{"width": s.Width, "height": s.Height}, "devicePixelRatio": s.Scale}, nil)
}

func (t *firefoxTab) navigate(ctx context.Context, url string) error {
	return t.do(ctx, "browsingContext.navigate", map[string]any{"url": url, "wait": "complete"}, nil)
}

func (t *firefoxTab) evaluate(ctx context.Context, script string) (json.RawMessage, error) {
	var r struct {
		Type             string
		Result           remoteValue
		ExceptionDetails struct{ Text string }
	}
	err := t.browser.call(ctx, "script.evaluate", map[string]any{"expression": script, "awaitPromise": true,
		"target": map[string]any{"context": t.context}}, &r)
	if err != nil {
		return nil, err
	}
	if r.Type != "success" {
		return nil, errors.New(r.ExceptionDetails.Text)
	}
	value, err := r.Result.plain()
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// A remoteValue is a value of a script as the protocol writes it.
type remoteValue struct {
	Type  string
	Value json.RawMessage
}

// plain returns what JSON.stringify would write.
func (v remoteValue) plain() (any, error) {
	switch v.Type {
	case "undefined", "null":
		return nil, nil
	case "string", "number", "boolean":
		return v.Value, nil
	case "array":
		var items []remoteValue
		if err := json.Unmarshal(v.Value, &items); err != nil {
			return nil, err
		}
		all := make([]any, len(items))
		for i, item := range items {
			var err error
			if all[i], err = item.plain(); err != nil {
				return nil, err
			}
		}
		return all, nil
	case "object":
		var pairs [][2]json.RawMessage
		if err := json.Unmarshal(v.Value, &pairs); err != nil {
			return nil, err
		}
		all := map[string]any{}
		for _, pair := range pairs {
			var name string
			var value remoteValue
			if err := errors.Join(json.Unmarshal(pair[0], &name), json.Unmarshal(pair[1], &value)); err != nil {
				return nil, err
			}
			var err error
			if all[name], err = value.plain(); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	return nil, fmt.Errorf("a script's value is a %s", v.Type)
}

// webDriverKeys are the characters for keys with names (https://w3c.github.io/webdriver/#keyboard-actions).
var webDriverKeys = map[string]string{
	"Enter": "\uE007", "Escape": "\uE00C", "Tab": "\uE004", "Backspace": "\uE003", "Delete": "\uE017",
	"Home": "\uE011", "End": "\uE010", "PageUp": "\uE00E", "PageDown": "\uE00F",
	"ArrowLeft": "\uE012", "ArrowUp": "\uE013", "ArrowRight": "\uE014", "ArrowDown": "\uE015",
}

// drain: what the page writes comes by the same connection as the answer to a script that runs later.
func (t *firefoxTab) drain(ctx context.Context) error {
	_, err := t.evaluate(ctx, "0")
	return err
}

func (t *firefoxTab) key(ctx context.Context, name string, held modifiers) error {
	if key, ok := webDriverKeys[name]; ok {
		name = key
	}
	keys := []string{name}
	for _, m := range []struct {
		held bool
		key  string
	}{{held.alt, "\uE00A"}, {held.control, "\uE009"}, {held.shift, "\uE008"}} {
		if m.held {
			keys = append([]string{m.key}, keys...)
		}
	}
	var steps []map[string]any
	for _, key := range keys {
		steps = append(steps, map[string]any{"type": "keyDown", "value": key})
	}
	for i := len(keys) - 1; i >= 0; i-- {
		steps = append(steps, map[string]any{"type": "keyUp", "value": keys[i]})
	}
	return t.act(ctx, map[string]any{"type": "key", "id": "keyboard", "actions": steps})
}

func (t *firefoxTab) insert(ctx context.Context, text string) error {
	var steps []map[string]any
	for _, char := range text {
		steps = append(steps, map[string]any{"type": "keyDown", "value": string(char)},
			map[string]any{"type": "keyUp", "value": string(char)})
	}
	return t.act(ctx, map[string]any{"type": "key", "id": "keyboard", "actions": steps})
}

func (t *firefoxTab) press(ctx context.Context, touch bool, points ...point) error {
	kind := "mouse"
	if touch {
		kind = "touch"
	}
	var steps []map[string]any
	for i, at := range points {
		steps = append(steps, map[string]any{"type": "pointerMove", "x": int(at.x), "y": int(at.y)})
		if i == 0 {
			steps = append(steps, map[string]any{"type": "pointerDown", "button": 0})
		}
	}
	steps = append(steps, map[string]any{"type": "pointerUp", "button": 0})
	return t.act(ctx, map[string]any{"type": "pointer", "id": kind,
		"parameters": map[string]any{"pointerType": kind}, "actions": steps})
}

func (t *firefoxTab) act(ctx context.Context, source map[string]any) error {
	return t.do(ctx, "input.performActions", map[string]any{"actions": []any{source}}, nil)
}

func (t *firefoxTab) screenshot(ctx context.Context, whole bool) ([]byte, error) {
	origin := "viewport"
	if whole {
		origin = "document"
	}
	var shot struct{ Data string }
	if err := t.do(ctx, "browsingContext.captureScreenshot", map[string]any{"origin": origin}, &shot); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(shot.Data)
}
