package board_test

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/web/board"
	"github.com/tsumero/tsumero/web/diagram/outlines"
	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// docs says of a request what the tests want: the language that the parameter names.
var docs = board.Docs(func(r *http.Request) (lang, origin string) {
	return r.URL.Query().Get("lang"), "https://tsume.example"
})

// TestLicenses: the page has the licences of the project, of its outlines, and of the modules that
// the service is built with.
func TestLicenses(t *testing.T) {
	license, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	docs.Register(mux)
	r := ask(t, mux, "GET", "/licenses.txt", nil)
	text := string(bodyOf(t, r))
	if r.StatusCode != http.StatusOK {
		t.Errorf("status %d", r.StatusCode)
	}
	for what, want := range map[string]string{
		"licence of the project":   strings.TrimSpace(string(license)),
		"licence of the outlines":  strings.TrimSpace(outlines.License),
		"licence of Go":            "\nCopyright 2009 The Go Authors.\n",
		"licence of a module":      "\ngithub.com/prometheus/client_golang v",
		"list of what is built in": "\ntsumero, tsumero-server and tsumero-usi:\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %s", what)
		}
	}
	tag := http.Header{"If-None-Match": {r.Header.Get("ETag")}}
	if r := ask(t, mux, "GET", "/licenses.txt", tag); r.StatusCode != http.StatusNotModified {
		t.Errorf("to a client that has it: status %d", r.StatusCode)
	}
	if !strings.Contains(string(bodyOf(t, ask(t, board.Handler(), "GET", "/embed.js", nil))), "/licenses.txt") {
		t.Error("the script does not say where the licences are")
	}
}

func TestDocsHeaders(t *testing.T) {
	mux := http.NewServeMux()
	docs.Register(mux)
	r := ask(t, mux, "GET", "/board?lang=en", nil)
	page := string(bodyOf(t, r))
	for name, want := range map[string]string{"Content-Language": "en", "Vary": "Accept-Language, X-Forwarded-Proto", "X-Content-Type-Options": "nosniff"} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if policy := r.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") {
		t.Errorf("the policy is %q", policy)
	}
	if !strings.Contains(page, `&lt;script src=&#34;https://tsume.example/embed.js&#34;`) && !strings.Contains(page, `src="https://tsume.example/embed.js"`) {
		t.Error("the page does not name its own origin")
	}
	if r := ask(t, mux, "GET", "/board?lang=en", http.Header{"If-None-Match": {r.Header.Get("ETag")}}); r.StatusCode != http.StatusNotModified {
		t.Errorf("to who has it: status %d", r.StatusCode)
	}
}

// Everything that the element has is on the page, in both languages, and every example does what it
// is there for.
func TestDocs(t *testing.T) {
	s := serve(t)
	for _, lang := range []string{"ja", "en"} {
		t.Run(lang, func(t *testing.T) {
			p := browsertest.Open(t, browsertest.Screen{Width: 320, Height: 800, Still: true, Dark: lang == "en"})
			p.Goto(s.url + "/board?lang=" + lang)
			p.Wait(`[...document.querySelectorAll("tsume-set")].every((s) => s.count === 2)`)
			if wide := browsertest.Eval[int](p, "document.documentElement.scrollWidth"); wide > 320 {
				t.Errorf("the page is %d pixels wide", wide)
			}
			if bad := browsertest.Eval[[]string](p, `[...document.querySelectorAll("tsume-board")].filter((b) => b.state === "error").map((b) => b.label)`); len(bad) > 0 {
				t.Errorf("boards that cannot be read: %q", bad)
			}
			missing := browsertest.Eval[[]string](p, `(() => {
				const board = document.querySelector("tsume-board");
				const names = [...board.constructor.observedAttributes, ...Object.getOwnPropertyNames(board)].filter((n) => !n.endsWith("_") && n.length > 2);
				return names.filter((n) => !document.getElementById(n));
			})()`)
			if len(missing) > 0 {
				t.Errorf("not on the page: %q", missing)
			}
			shoot(t, p, "docs-320-"+lang)
			p.Show(browsertest.Screen{Width: 360, Height: 640, Still: true, Dark: lang == "en"})
			if high := browsertest.Eval[int](p, "document.documentElement.scrollHeight"); high > 20_000 {
				t.Errorf("the page is %d pixels high", high)
			}
			p.Show(browsertest.Screen{Width: 320, Height: 800, Still: true, Dark: lang == "en"})

			// What the buttons lead to: the last thing each example says.
			type said struct{ ID, Says string }
			got := browsertest.Eval[[]said](p, `(async () => {
				// The file with hints is loaded: what follows a press comes in the next task.
				const first = document.createElement("tsume-board");
				first.setAttribute("sfen", "9/4k4/9/4P4/9/9/9/9/9 b 2G");
				document.body.append(first);
				await first.hint();
				first.remove();
				const said = [];
				for (const example of document.querySelectorAll("article")) {
					const output = example.querySelector("output"), board = example.querySelector("tsume-board"), says = [];
					if (!output.ariaLabel || !example.querySelector("p").textContent) throw example.outerHTML;
					for (const button of example.querySelectorAll(".try button")) {
						const changed = new Promise((done) => new MutationObserver(done).observe(output, { childList: true }));
						button.click();
						if (!example.dataset.event) await changed;
						else do await new Promise((done) => setTimeout(done)); while (board.state === "thinking");
						says.push(example.dataset.event ? output.textContent && Object.keys(JSON.parse(output.textContent)).join(" ") : output.textContent);
					}
					said.push({ ID: example.querySelector("h3").id, Says: says.join("|") });
				}
				return said;
			})()`)
			want := map[string]string{
				"mode": `"view"|"solve"|"brinkmate"|"edit"|"play"`, "level": `"random"|"replied"|"full"`, "side": `"black"|"white"|""`, "tsume-over": "outcome winner sfen moves|outcome winner sfen moves", "moves": `"G*5c 5b5a G*5b"|"G*5c"|""`, "api": `"/nowhere"|""|"replied"`, "lang": `"ja"|"en"`, "flip": "true|false", "raw": "true|false",
				"theme": `"dark"|"paper"|"wood"|"wood dark"|"contrast"|""`, "hands": `"show"|"hide"`, "pieces": `"kanji"|"two-character"|"international"`, "caption": `"No. 1"|"Itō Sōkan"|""|""|"3"|""`, "headers": `undefined|undefined|"solved"`, "src": `""|"/board/example.kif"`,
				"set-properties": `0|2|0|undefined|undefined`, "tsume-set": "index count solved|index count solved", "controls": `"play hints"|"answer confirm"|"none"|""`, "label": `"第1番"|"No. 1"`,
				"tsume-move": "move text ply sfen by|move text ply sfen by", "tsume-solved": "sfen moves plies hints wrong|sfen moves plies hints wrong",
				"wrong": `"wrong"|undefined|""|"wrong"`, "next": `"solved"|""|"/board#next"`, "share": `"solved"|""`, "tsume-next": "",
				"tsume-hint": "step", "tsume-answer": "moves", "tsume-edit": "", "tsume-error": "code detail|code detail",
				"play": `"replied"|"illegal"`, "takeBack": `"replied"|undefined`, "hint": "1", "showAnswer": "true|undefined", "goTo": "undefined|undefined|undefined",
				"reset": `"replied"|undefined`, "focus": "undefined", "state": `"play"|"solved"`, "ready": `"edit"|undefined|"play"`, "position": `"9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1"|undefined`, "played": "[]|undefined",
			}
			for _, e := range got {
				if w, ok := want[e.ID]; ok && e.Says != w {
					t.Errorf("%s says %s, want %s", e.ID, e.Says, w)
				}
			}
			if i := slices.IndexFunc(got, func(e said) bool { return e.ID == "tsume-wrong" }); i < 0 || !strings.Contains(got[i].Says, "refutation") {
				t.Errorf("the example of tsume-wrong shows no refutation: %v", got)
			}
			// An edit in the example of tsume-edit.
			p.Do(`document.querySelectorAll("details").forEach((d) => { d.open = true })`)
			p.Do(`const board = document.querySelector("#tsume-edit").closest("article").querySelector("tsume-board").shadowRoot;
				[...board.querySelectorAll(".edit button")].find((x) => /手番|side/.test(x.innerText)).click()`)
			var edit struct{ SFEN string }
			if text := browsertest.Eval[string](p, `document.querySelector("#tsume-edit").closest("article").querySelector("output").textContent`); json.Unmarshal([]byte(text), &edit) != nil || !strings.Contains(edit.SFEN, " w ") {
				t.Errorf("the example of tsume-edit says %q", text)
			}
			// The boards are all like the first one.
			p.Accessible("section ~ section tsume-board", "section ~ section tsume-set", "article ~ article tsume-board")

			p.Show(browsertest.Screen{Width: 1440, Height: 900, Still: true, Dark: lang == "en"})
			shoot(t, p, "docs-1440-"+lang)
		})
	}
}
