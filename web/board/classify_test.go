package board_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/api/httpapi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// playOn plays the first move and then a shortest mate each time, until the board waits for nothing.
const playOn = `await b.play(%q);
	while (b.state === "play") {
		const request = { sfen: b.position, limits: { shortest: true } };
		const response = await fetch(%q, { method: "POST", body: new Blob([JSON.stringify(request)]) });
		await b.play((await response.json()).moves[0]);
	}`

// TestClassify: every move that mates is accepted. Once it is mate, the board says how long the
// problem is by convention, and what the moves played are to it.
func TestClassify(t *testing.T) {
	s, err := newService(httpapi.Config{MaxAnalyses: 1,
		Sessions: func() solver.Session { return dfpn.NewSession() }})
	if err != nil {
		t.Fatal(err)
	}
	const cooked = "5+P1k1/9/5+rB2/9/9/9/9/9/9 b RPb4g4s4n4l16p 1"
	const futile = "7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1"
	const sound = "9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G2r2b4s4n4l17p 1"
	const corner = "k8/pp+P6/9/9/9/9/9/9/8R b r2b4g4s4n4l15p 1"
	const in3, in1 = "正解！ 3手詰", "正解！ 1手詰"
	for name, c := range map[string]struct{ sfen, move, line, length, what string }{
		"main":   {sound + `" plies="3`, "G*5c", "G*5c 5b6a G*6b", in3, in3},
		"cook":   {cooked, "R*2c", "", "正解！ 7手詰。", "遠回りの手順です（本手順は7手、この手順は9手）。1手目▲２三飛で余詰（9手）。"},
		"dual":   {futile, "4e4c", "", in3, "同じ手数の別解です。1手目は成・不成どちらでも同じ。"},
		"futile": {futile, "4e4c+", "4e4c+ 1c1b", in3, in3},
		"early":  {futile + `" plies="5`, "4e4c+", "4e4c+ 1c1b", in3, "早詰です（作意は5手、この手順は3手）。"},
		// Nothing but futile drops is left: that is mate.
		"final": {corner, "1i1a+", "1i1a+", in1, in1},
		// The author's line has a futile drop, which is not played.
		"author": {futile + `" moves="4e4c+ P*3c 4c3c 1c1b 2a2b+`, "4e4c+", "4e4c+ 1c1b", in3,
			in3},
		// The author's line does not end in a mate.
		"faulty": {futile + `" moves="4e4c+ P*3c 4c3c 1c1b 2a1a`, "4e4c+", "4e4c+ 1c1b", in3, in3},
		"raw":    {futile + `" raw="`, "4e4c+", "4e4c+ P*3c 4c3c", "正解！ 5手詰。", "同じ手数の変化です。"},
	} {
		t.Run(name, func(t *testing.T) {
			p := s.open(t, browsertest.Screen{}, `mode="solve" sfen="`+c.sfen+`"`)
			p.Do(fmt.Sprintf(playOn, c.move, s.url+"/v1/solve"))
			p.Wait(fmt.Sprintf(`b.state === "solved" && %s.textContent.endsWith(%q)`, in("p"), c.what))
			text := status(p)
			if !strings.Contains(text, c.length) || !strings.HasSuffix(text, c.what) {
				t.Errorf("after %s the board says %q, want %q and %q", played(p), text, c.length, c.what)
			}
			if line := strings.Join(played(p), " "); !strings.HasPrefix(line, c.line) {
				t.Errorf("the moves are %s, want %s", line, c.line)
			}
			p.Wait(fmt.Sprintf("%s.textContent.includes(%q)", in(".live"), c.what))
		})
	}
	// On a phone what is said to one who has solved the problem is one line.
	phone := s.open(t, browsertest.Screen{Width: 360, Height: 640, Touch: true}, `mode="solve" plies="3" sfen="`+sound+`"`)
	phone.Do(fmt.Sprintf(playOn, "G*5c", s.url+"/v1/solve"))
	phone.Wait(in("p") + `.textContent.endsWith("正解！ 3手詰")`)
	if lines := browsertest.Eval[float64](phone, `(() => { const p = `+in("p")+`, text = document.createRange(); text.selectNodeContents(p.lastChild);
		return new Set([...text.getClientRects()].map((r) => Math.round(r.top))).size })()`); lines != 1 {
		t.Errorf("%q takes %v lines", status(phone), lines)
	}
	// In English, and after a hint.
	p := s.open(t, browsertest.Screen{}, fmt.Sprintf(`mode="solve" sfen=%q lang="en"`, cooked))
	p.Do("await b.hint()")
	p.Do(fmt.Sprintf(playOn, "R*2c", s.url+"/v1/solve"))
	p.Wait(in("p") + `.textContent.includes("Solved! Mate in 7 (1 hint). That was a longer way: ")`)
	// Who looks at the line is not interrupted.
	p.Do("b.goTo(0)")
	if text := status(p); strings.Contains(text, "cook") {
		t.Errorf("at the beginning of the line the board says %q", text)
	}
}
