package board_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// typing types a move into the field of the board b.
const typing = `(() => { const root = b.shadowRoot, field = root.querySelector("#i");
	field.value = %q; root.querySelector("form").requestSubmit() })()`

// TestWhyNot: of a move that cannot be played the board says why, in both languages.
func TestWhyNot(t *testing.T) {
	s := serve(t)
	// Gold on 5c, pawn on 5e, a silver and a pawn in hand, and a king on 9i that a lance looks at from
	// 9a through the knight on 9h.
	const sfen = "l3k4/9/4G4/9/4P4/9/9/N8/K8 b SP2r2b3g3s3n3l16p 1"
	const mates = "6G1k/9/6S2/8L/9/9/9/9/9 b P2r2b3g3s4n3l17p 1" // P*1b would mate
	pages := map[string]*browsertest.Page{}
	for _, c := range []struct{ sfen, text, ja, en string }{
		{sfen, "52飛", "52飛：飛がありません。", "52飛: there is no rook."},
		{sfen, "G*5b", "G*5b：持駒に金がありません。", "G*5b: there is no gold in hand."},
		{sfen, "52金打", "52金打：持駒に金がありません。", "52金打: there is no gold in hand."},
		{sfen, "99金", "99金：そこへ動ける金がありません。", "99金: no gold can go there."},
		{sfen, "G-9i", "G-9i：そこへ動ける金がありません。", "G-9i: no gold can go there."},
		{sfen, "52金成", "52金成：金はその動き方では行けません。", "52金成: no gold can go there in that way."},
		{sfen, "51銀", "51銀：駒があるマスには打てません。", "51銀: a piece stands there."},
		{sfen, "81歩", "81歩：行き所のない駒になります。", "81歩: the pawn could never move again."},
		{sfen, "57歩", "57歩：二歩です。", "57歩: there would be two pawns on the file."},
		{sfen, "86桂", "86桂：自玉が取られます。", "86桂: the king could be taken then."},
		{sfen, "9h8f", "9h8f：自玉が取られます。", "9h8f: the king could be taken then."},
		{sfen, "5b5a", "5b5a：そこに動かせる駒がありません。", "5b5a: there is no piece to move."},
		{sfen, "5a5b", "5a5b：そこに動かせる駒がありません。", "5a5b: there is no piece to move."},
		{mates, "12歩", "12歩：打歩詰です。", "12歩: a dropped pawn may not mate."},
		{sfen, "同銀", "読めません：同銀", "Cannot be read: 同銀"},
		{sfen, "よろしく", "読めません：よろしく", "Cannot be read: よろしく"},
	} {
		for lang, want := range map[string]string{"ja": c.ja, "en": c.en} {
			p := pages[c.sfen+lang]
			if p == nil {
				p = s.open(t, browsertest.Screen{}, fmt.Sprintf(`mode="solve" sfen=%q lang=%q`, c.sfen, lang))
				pages[c.sfen+lang] = p
			}
			before := status(p)
			p.Do(fmt.Sprintf(typing, c.text))
			p.Wait(fmt.Sprintf("%s.innerText !== %q", in("p"), before))
			if got := status(p); got != want {
				t.Errorf("%s in %s: %q, want %q", c.text, c.sfen, got, want)
			}
		}
	}
}

// TestWhichMove: a move that may be several is offered as each of them.
func TestWhichMove(t *testing.T) {
	s := serve(t)
	p := s.open(t, browsertest.Screen{}, `mode="solve" sfen="4k4/9/3G1G3/9/9/9/9/9/9 b 2r2b2g4s4n4l18p 1"`)
	p.Do(fmt.Sprintf(typing, "52金"))
	p.Wait(`!!` + in("dialog[open]"))
	const buttons = `[...b.shadowRoot.querySelectorAll("dialog button")]`
	got := browsertest.Eval[[]string](p, buttons+`.map((x) => x.innerText)`)
	if strings.Join(got, " ") != "▲５二金右 ▲５二金左" && strings.Join(got, " ") != "▲５二金左 ▲５二金右" {
		t.Fatalf("offered are %q", got)
	}
	p.Do(buttons + `.find((x) => x.innerText.endsWith("右")).click()`)
	p.Wait(`b.played[0] === "4c5b"`)
}
