package wire

import (
	"errors"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

// TestTexts: what is said of facts, in both languages.
func TestTexts(t *testing.T) {
	_, noMove := shogi.ParseMove("x")
	why, _ := shogi.MessageOf(noMove)
	seen := shogitest.Texts{}
	for _, c := range []struct {
		m      shogi.Message
		en, ja string
	}{
		{unknownParameter.With("a, b"), "unexpected parameter, expected a, b",
			"使えないパラメーターです（a, b のどれか）。"},
		{keyTwice.With("x\n"), `found the key "x\n" a second time`, `項目「x\n」が重複しています。`},
		{requiredField.With("sfen"), "expected required property sfen to be present",
			"必要な項目 sfen がありません。"},
		{noList.With("x", "a, b"), `there is no list "x" of known problems, but: a, b`,
			"「x」という既知作品の一覧はありません（あるのは：a, b）。"},
		{notOneOf.With("a, b"), `expected value to be one of "a, b"`, "a, b のどれかを書きます。"},
		{belowLeast.With(1), "expected number >= 1", "1以上の数を書きます。"},
		{aboveMost.With(9), "expected number <= 9", "9以下の数を書きます。"},
		{tooManyBytes.With(9, 8), "found 9 bytes, expected at most 8", "9バイトあります（8バイトまで）。"},
		{tooManyItems.With(64), "expected array length <= 64", "64個まで書けます。"},
		{noKingOf.With(shogi.White), "white has no king to mate", "後手に詰ます玉がありません。"},
		{noAttack.With(shogi.White, shogi.Black),
			"white is to move and not in check, so there is no attack by black to reply to",
			"後手の手番で王手もかかっていないので、先手の攻めに受ける手がありません。"},
		{tooManyMoves.With(9, 8), "found 9 moves, expected at most 8: begin with a later position",
			"指し手が9手あります（8手まで）。後の局面から始めてください。"},
		{wrongMove.With(why), noMove.Error(), why.Japanese()},
		{inField.With("board", why), "board: " + why.String(), why.Japanese()},
		{otherError.With(errors.New("x")), "x", "x"},
		{notJSON.With(foundAt.With(foundCharacter.With("\x00"), jsonPlaces[0].place), 7),
			`The text is not JSON: found "\x00" after the end of the JSON, at byte 7.`,
			`JSON ではありません：JSON の終わりの後に「\x00」があります（7バイト目）。`},
		{foundAt.With(foundByte.With(0xff), elsewhere), "found the byte 0xff where JSON has none",
			"JSON にない位置にバイト0xffがあります"},
		{faultCount.With(2), "The request has 2 faults.", "リクエストに誤りが2件あります。"},
		{manyFaults.With(65, 64), "The request has 65 faults; the first 64 are listed.",
			"リクエストに誤りが65件あります（最初の64件を示します）。"},
		{LineExceeds.With(9), "The line exceeds 9 bytes.", "行が9バイトを超えています。"},
	} {
		seen.Check(t, c.m, c.en, c.ja)
	}
	seen.CheckFacts(t, "texts.go")
}
