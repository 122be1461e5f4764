package site

import (
	"fmt"
	"testing"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// late makes the page wait for the answers of the API until the test lets them arrive. Then the page
// has them at once: it reads a stream that is complete.
const late = `window.real ??= fetch; window.held = []; window.fetch = async (url, o) => {
	const answer = await real(url, { ...o, signal: undefined }), body = await answer.text();
	await new Promise((done) => held.push(done));
	return new Response(body, answer);
}`

// arrive lets them arrive, and ends after the page has read them: it reads such a stream after the
// page.
const arrive = `for (const done of held.splice(0)) done();
	const reader = new Response("x").body.pipeThrough(new TextDecoderStream()).getReader();
	while (!(await reader.read()).done);
	await new Promise((done) => setTimeout(done))`

// findings is the script for everything that the page shows of an answer.
const findings = `
	["futile", "facts", "fault", "variation", "hands", "keys", "moves-box", "save", "progress", "stop"]
	.filter((id) => document.getElementById(id).checkVisibility())`

// TestStaleAnswers: what was found out about a position leaves with it, and what arrives late is
// not shown, however the reader got to another position.
func TestStaleAnswers(t *testing.T) {
	const other = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"
	s := serve(t)
	p := s.open(t, studyLink+"&lang=ja", browsertest.Screen{})
	p.Do("window.real = fetch")
	toSample := func(sfen string) {
		t.Helper()
		p.Do(fmt.Sprintf(`document.querySelector('a[data-sfen="%s"]').click()`, sfen))
		p.Wait(fmt.Sprintf("board.position === %q", sfen))
	}
	const toEdit = `document.querySelector('[data-mode="edit"]').click(); await board.ready; `
	for name, leave := range map[string]string{
		"sample": `document.querySelector('a[data-sfen^="4k4"]').click()`,
		"back":   `history.back()`,
		"paste": `document.querySelector("#text").value = "` + other + `";
			window.fetch = real; document.querySelector("#form").requestSubmit()`,
		"edit": toEdit + button("手番を変える") + `.click()`,
		"typed": toEdit + `const field = board.shadowRoot.querySelector(".edit input");
			field.value = "4k5"; field.form.requestSubmit()`,
	} {
		for _, answered := range []bool{true, false} {
			state := fmt.Sprintf("%s, answered: %v", name, answered)
			p.Do(`window.fetch = real; document.querySelector('[data-mode="solve"]').click()`)
			toSample(other)
			toSample(problem)
			if answered {
				click(p, "#solve")
				waitVerdict(p, "mate")
				click(p, "#examine")
				p.Wait(visible("#moves-box"))
			} else {
				p.Do(late + `; for (const id of ["solve", "examine"]) document.getElementById(id).click()`)
				p.Wait("held.length === 2")
			}
			p.Do(leave)
			p.Wait(fmt.Sprintf("board.position !== %q", problem))
			if !answered {
				p.Do(arrive)
			}
			if got := browsertest.Eval[[]string](p, findings); len(got) > 0 {
				t.Errorf("%s: the page shows %q", state, got)
			}
			wantText(t, p, verdictShown, "何手詰？|答えはまだ調べていません。")
			if browsertest.Eval[bool](p, element("#solve")+".disabled") {
				t.Errorf("%s: nothing can be asked", state)
			}
			_ = p.Errors() // of the browser, about a text that is no position
		}
	}
}

// TestModeWhileSolving: an answer to the problem is shown when it comes, but does not take the
// board away from a reader who began to play, or to set up.
func TestModeWhileSolving(t *testing.T) {
	s := serve(t)
	p := browsertest.Open(t, browsertest.Screen{Still: true})
	for want, leave := range map[string]string{
		"solve1": `board.play("4e4c+")`,
		"edit0":  `document.querySelector('[data-mode="edit"]').click()`,
	} {
		p.Goto(s.URL + studyLink + "&lang=ja")
		p.Wait(ready)
		p.Do(late)
		click(p, "#solve")
		p.Wait("held.length === 1")
		p.Do(leave)
		p.Do("held[0]()")
		waitVerdict(p, "mate")
		got := browsertest.Eval[string](p, `board.getAttribute("mode") + board.played.length`)
		if got != want {
			t.Errorf("the answer puts the board into %s, expected %s", got, want)
		}
		click(p, `[data-mode="view"]`)
		wantKeysReplay(p)
	}
}

// TestStaleMoves: the table of moves leaves when the board goes back as well as when it goes on.
func TestStaleMoves(t *testing.T) {
	s := serve(t)
	p := s.open(t, studyLink+"&lang=ja", browsertest.Screen{})
	for name, leave := range map[string]string{
		"take back": "board.takeBack()", "start over": "board.reset()",
		"answer": "await board.showAnswer()", "play": `await board.play("4c3c")`,
	} {
		p.Do(`board.reset(); await board.play("4e4c+")`)
		click(p, "#examine")
		p.Wait(visible("#moves-box"))
		p.Do(leave)
		if browsertest.Eval[bool](p, visible("#moves-box")) {
			t.Errorf("%s: the moves of the position before are still there", name)
		}
	}
	// The first move of a line, by a button of the board: the keys go on from there.
	p.Do("board.reset()")
	click(p, "#solve")
	waitVerdict(p, "mate")
	p.Keys("End")
	p.Wait("board.played.length === 5")
	p.Click(`board.shadowRoot.querySelector("button[title=最初へ]")`)
	wantKeysReplay(p)
}

// wantKeysReplay waits for a key outside the board to put the first move of the solution on it.
func wantKeysReplay(p *browsertest.Page) {
	p.Do(element("#solve") + ".focus()")
	p.Keys("ArrowRight")
	p.Wait(`board.played.join() === "4e4c+"`)
}
