package diagram

import (
	"strings"

	"github.com/tsumero/tsumero/shogi"
)

// What may be wrong with the options of a picture and with an address, in both languages.
var (
	noFormat = shogi.NewText("", "The path of a diagram ends in .svg, .png or .gif.",
		"図面のパスの末尾は .svg、.png、.gif のどれかにします。")
	onlyGet = shogi.NewText("", "Diagrams answer GET and HEAD.",
		"図面は GET と HEAD で取得します。")
	queryExceeds = shogi.NewText("", "The query exceeds %d bytes.",
		"クエリが%dバイトを超えています。")

	unknownParameter = shogi.NewText("unknown", "unexpected parameter, expected %s",
		"使えないパラメーターです（%s のどれか）。")
	givenTwice = shogi.NewText("repeated", "found a second time, expected once",
		"重複しています（書けるのは一度だけです）。")
	required = shogi.NewText("required", "required query parameter is missing",
		"必要なパラメーターがありません。")
	notOneOf = shogi.NewText("value", "found %q, expected %s",
		"「%s」ではなく、%s のどれかを書きます。")
	badSize = shogi.NewText("value", "found %q, expected a width from %d to %d pixels, or %s",
		"「%s」ではなく、幅を%d～%dピクセルで書くか、%s と書きます。")
	badPlies = shogi.NewText("range", "found %q, expected a number from 1 to %d",
		"「%s」ではなく、1～%dの数を書きます。")

	badDelay = shogi.NewText("range",
		"found %q, expected from %d to %d milliseconds for each move",
		"「%s」ではなく、一手の時間を%d～%dミリ秒で書きます。")
	badLoops = shogi.NewText("range",
		"found %q, expected how often it is shown, up to %d, or 0 for ever",
		"「%s」ではなく、繰り返す回数を%dまでで書きます（0 はずっと）。")
	manyMoves = shogi.NewText("too_long", "found %d moves, expected at most %d",
		"%d手あります（%d手まで）。")
	noCard = shogi.NewText("value", "found a card, which does not move, expected a width from %d to %d pixels",
		"カードの大きさは GIF では使えません（幅を%d～%dピクセルで書きます）。")

	cardWidth = shogi.NewText("value", "found the width %d for a card, whose size is fixed",
		"カードの大きさは決まっているので、幅%dにはできません。")
	badWidth = shogi.NewText("range", "found the width %d, expected one from %d to %d pixels",
		"幅が%dです（%d～%dピクセル）。")
	noLanguage = shogi.NewText("value", "found %d, which is no language",
		"言語の値%dはありません。")
	noTheme = shogi.NewText("value", "found %d, which is no theme",
		"テーマの値%dはありません。")
	noPieces = shogi.NewText("value", "found %d, which is no set of pieces",
		"駒の種類の値%dはありません。")
	noHands = shogi.NewText("value", "found %d, expected which hands are drawn",
		"持駒の描き方の値%dはありません。")
	badLength = shogi.NewText("range", "found %d, expected a length from 1 to %d",
		"手数が%dです（1～%d）。")
	cardsOnly = shogi.NewText("value", "found a length, which only cards print",
		"手数を書けるのはカードだけです。")
	titleBytes = shogi.NewText("too_long", "found %d bytes, expected at most %d characters",
		"%dバイトあります（%d文字まで）。")
	titleLength = shogi.NewText("too_long", "found %d characters, expected at most %d",
		"%d文字あります（%d文字まで）。")
	notUTF8 = shogi.NewText("charset", "found bytes that are not UTF-8",
		"UTF-8 でないバイトがあります。")
	control = shogi.NewText("charset",
		"found the control character %U, expected one line of text",
		"制御文字 %U があります（一行の文字を書きます）。")
	noCharacter = shogi.NewText("charset", "found %U, which is no character",
		"%U は文字ではありません。")

	notLast = shogi.NewText("last_move", "%s did not lead to this position: %s",
		"「%s」を指した後の局面ではありません。%s")
	isEmpty   = shogi.NewText("last_move", "%s is empty", "%sに駒がありません。")
	otherSide = shogi.NewText("last_move", "the piece on %s is of %s, whose turn it is",
		"%sの駒は、手番の%sのものです。")
	otherKind   = shogi.NewText("last_move", "the piece on %s is %s", "%sの駒は %s です。")
	stillThere  = shogi.NewText("last_move", "there is a piece on %s", "%sに駒があります。")
	notPromoted = shogi.NewText("last_move", "the piece on %s is not promoted",
		"%sの駒は成っていません。")
)

// choices are the values that a parameter may have, in a sentence.
type choices []string

func (c choices) String() string   { return strings.Join(c, " or ") }
func (c choices) Japanese() string { return strings.Join(c, "、") }
