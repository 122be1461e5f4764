package diagram

import (
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

// TestTexts: what is said of facts, in both languages.
func TestTexts(t *testing.T) {
	sq := shogi.SquareAt(shogi.File5, shogi.RankE)
	seen := shogitest.Texts{}
	for _, c := range []struct {
		m      shogi.Message
		en, ja string
	}{
		{queryExceeds.With(9), "The query exceeds 9 bytes.", "クエリが9バイトを超えています。"},
		{unknownParameter.With("a, b"), "unexpected parameter, expected a, b",
			"使えないパラメーターです（a, b のどれか）。"},
		{notOneOf.With("x", choices{"a", "b"}), `found "x", expected a or b`,
			"「x」ではなく、a、b のどれかを書きます。"},
		{badSize.With("x", 1, 2, "3x4"), `found "x", expected a width from 1 to 2 pixels, or 3x4`,
			"「x」ではなく、幅を1～2ピクセルで書くか、3x4 と書きます。"},
		{badPlies.With("x", 9), `found "x", expected a number from 1 to 9`, "「x」ではなく、1～9の数を書きます。"},
		{badDelay.With("x", 1, 2), `found "x", expected from 1 to 2 milliseconds for each move`,
			"「x」ではなく、一手の時間を1～2ミリ秒で書きます。"},
		{badLoops.With("x", 9), `found "x", expected how often it is shown, up to 9, or 0 for ever`,
			"「x」ではなく、繰り返す回数を9までで書きます（0 はずっと）。"},
		{manyMoves.With(9, 8), "found 9 moves, expected at most 8", "9手あります（8手まで）。"},
		{noCard.With(1, 2), "found a card, which does not move, expected a width from 1 to 2 pixels",
			"カードの大きさは GIF では使えません（幅を1～2ピクセルで書きます）。"},
		{cardWidth.With(7), "found the width 7 for a card, whose size is fixed",
			"カードの大きさは決まっているので、幅7にはできません。"},
		{badWidth.With(7, 8, 9), "found the width 7, expected one from 8 to 9 pixels",
			"幅が7です（8～9ピクセル）。"},
		{noLanguage.With(7), "found 7, which is no language", "言語の値7はありません。"},
		{noTheme.With(7), "found 7, which is no theme", "テーマの値7はありません。"},
		{noPieces.With(7), "found 7, which is no set of pieces", "駒の種類の値7はありません。"},
		{noHands.With(7), "found 7, expected which hands are drawn", "持駒の描き方の値7はありません。"},
		{badLength.With(0, 9), "found 0, expected a length from 1 to 9", "手数が0です（1～9）。"},
		{titleBytes.With(9, 8), "found 9 bytes, expected at most 8 characters", "9バイトあります（8文字まで）。"},
		{titleLength.With(9, 8), "found 9 characters, expected at most 8", "9文字あります（8文字まで）。"},
		{control.With('\n'), "found the control character U+000A, expected one line of text",
			"制御文字 U+000A があります（一行の文字を書きます）。"},
		{noCharacter.With('\uffff'), "found U+FFFF, which is no character", "U+FFFF は文字ではありません。"},
		{notLast.With(shogi.NewDrop(shogi.Pawn, sq), isEmpty.With(sq)),
			"P*5e did not lead to this position: 5e is empty",
			"「P*5e」を指した後の局面ではありません。5五に駒がありません。"},
		{otherSide.With(sq, shogi.Black), "the piece on 5e is of black, whose turn it is",
			"5五の駒は、手番の先手のものです。"},
		{otherKind.With(sq, "G"), "the piece on 5e is G", "5五の駒は G です。"},
		{stillThere.With(sq), "there is a piece on 5e", "5五に駒があります。"},
		{notPromoted.With(sq), "the piece on 5e is not promoted", "5五の駒は成っていません。"},
	} {
		seen.Check(t, c.m, c.en, c.ja)
	}
	seen.CheckFacts(t, "texts.go")
}
