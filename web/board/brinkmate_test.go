package board_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tsumero/tsumero/api/httpapi"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// brinkmate is the published brinkmate in 3 that solver/threat tests, as a book prints it: S*2c first, and
// after 2b1c the one last attack is 2c3d+.
const brinkmate = `mode="brinkmate" sfen="7nl/7k1/6p2/7Pp/9/9/9/9/9 b GS 1"`

var startThreats = sync.OnceValues(func() (*service, error) {
	return newService(httpapi.Config{MaxAnalyses: 1, Sessions: func() solver.Session { return dfpn.NewSession() }})
})

func serveThreats(t *testing.T) *service {
	t.Helper()
	s, err := startThreats()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestBrinkmate: the reader attacks by moves that need not check, the board defends, says which attack is
// refuted and by what, and once no reply helps shows how any that is tried is mated.
func TestBrinkmate(t *testing.T) {
	p := serveThreats(t).open(t, browsertest.Screen{}, brinkmate+` plies="3"`)
	says := func(want string) {
		t.Helper()
		p.Wait(in("p") + ".innerText.includes(" + quoted(want) + ")")
	}
	says("必至をかけてください。王手でない手も指せます。")
	if text := browsertest.Eval[string](p, `b.shadowRoot.textContent`); !strings.Contains(text, "3手必至") {
		t.Errorf("the caption is not in %q", text)
	}

	p.Do(`await b.play("G*9i")`)
	says("▲９九金は王手でも詰めろでもありません。")
	waitState(p, "play", 0)
	p.Do(`await b.play("G*2c")`)
	waitState(p, "wrong", 2)
	refuted := events[struct{ Move, Refutation string }](p, "wrong")[1]
	if refuted.Move != "G*2c" || !holds(t, refuted.Move, refuted.Refutation) {
		t.Errorf("refuted: %+v", refuted)
	}
	says("で受かります。")
	p.Do(`b.takeBack()`)

	p.Do(`await b.play("S*2c")`)
	waitState(p, "play", 2)
	if got := played(p); got[1] != "2b1c" {
		t.Errorf("the best defence is %v", got)
	}
	p.Click(button("ヒント"))
	says("２三の銀を使います。")
	p.Do(`await b.play("2c3d+")`)
	waitState(p, "tries", 3)
	says("3手必至です（ヒント1回）。")
	solved := events[struct {
		Moves               []string
		Plies, Hints, Wrong int
	}](p, "solved")
	if len(solved) != 1 || !slices.Equal(solved[0].Moves, []string{"S*2c", "2b1c", "2c3d+"}) || solved[0].Wrong != 2 {
		t.Errorf("tsume-solved: %+v", solved)
	}

	// A drop of a piece that the diagram lacks, and the king; taken back in between.
	p.Click(hand(1, gold))
	p.Click(square("2b"))
	p.Wait(`b.state === "tried"`)
	says("手で詰みます")
	line := browsertest.Eval[[]string](p, `[...b.shadowRoot.querySelectorAll("ol button")].map((x) => x.textContent)`)
	if len(line) < 5 || !strings.Contains(line[3], "２二金") {
		t.Errorf("the line is %q", line)
	}
	p.Click(button("待った"))
	waitState(p, "tries", 3)
	p.Do(`await b.play("1c2b")`)
	waitState(p, "tried", 4)
	p.Click(button("最後へ"))
	p.Wait(`b.played.length > 4`)
	mated := shogi.MustParseSFEN(browsertest.Eval[string](p, "b.position"))
	if !mated.InCheck() || len(mated.LegalMoves(new(shogi.MoveBuffer), shogi.AllMoves)) > 0 {
		t.Errorf("%v is no mate", mated)
	}
	p.Click(button("はじめから"))
	waitState(p, "play", 0)
	p.Click(button("答えを見る"))
	p.Wait(`b.state === "answer"`)
	if n := browsertest.Eval[int](p, `b.shadowRoot.querySelectorAll("ol button").length`); n != 3 {
		t.Errorf("the answer has %d moves", n)
	}
}

// TestBrinkmateOfAnyLength: a board that is not told the length finds it out, and knows an attack that
// takes too long.
func TestBrinkmateOfAnyLength(t *testing.T) {
	p := serveThreats(t).open(t, browsertest.Screen{}, `lang="en" mode="brinkmate" sfen="7nl/7k1/6p2/7Pp/9/9/9/9/9 b GS 1"`)
	p.Do(`await b.play("S*2c")`)
	waitState(p, "play", 2)
	p.Do(`await b.play("G*1b")`) // a check, which may not be the last attack
	p.Wait(in("p") + `.innerText.includes("makes no brinkmate in 3")`)
	p.Do(`await b.play("2c3d+")`)
	waitState(p, "tries", 3)
	p.Wait(in("p") + `.innerText.includes("A brinkmate in 3. No reply helps: try one.")`)
}

func quoted(text string) string { return `"` + text + `"` }

// holds reports whether no mate follows a reply to an attack of the brinkmate at once.
func holds(t *testing.T, attack, reply string) bool {
	t.Helper()
	p := shogi.MustParseSFEN("7nl/7k1/6p2/7Pp/9/9/9/9/9 b GS 1")
	p.GiveMissing(shogi.White)
	for _, text := range []string{attack, reply} {
		m, err := shogi.ParseMove(text)
		if err != nil || !p.IsLegal(m) {
			t.Fatal(text, err)
		}
		p.Do(m)
	}
	d := dfpn.NewSession().Decide(context.Background(), solver.Question{Position: p, Attacker: shogi.Black})
	return d.Verdict == solver.NoMate
}
