package httpapi

import (
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

// TestDetails: what is said of facts, in both languages.
func TestDetails(t *testing.T) {
	seen := shogitest.Texts{}
	for _, c := range []struct {
		m      shogi.Message
		en, ja string
	}{
		{badEncoding.With("br"), `The body is encoded as "br", expected no encoding.`,
			"本文が「br」で符号化されています（符号化せずに送ってください）。"},
		{badMediaType.With("a/b", "c/d"), `The body is "a/b", expected c/d.`,
			"本文の形式が「a/b」です（c/d のどれか）。"},
		{bodyExceeds.With(9), "The body exceeds 9 bytes.", "本文が9バイトを超えています。"},
		{uriExceeds.With(9), "Path and query exceed 9 bytes.", "パスとクエリが9バイトを超えています。"},
		{noPath.With("/x"), `Nothing has the path "/x"; see /docs.`,
			"「/x」には何もありません（/docs を参照）。"},
		{noProblem.With("x"), `No problem has the code "x"; see /docs.`,
			"「x」というエラーはありません（/docs を参照）。"},
		{noMethod.With("PUT", "GET, POST"), `The method "PUT" is not one of GET, POST.`,
			"メソッド「PUT」は使えません（使えるのは GET, POST）。"},
		{noFormat.With("pdf", "kif, csa"), `Answers have no format "pdf", but kif, csa.`,
			"答えに「pdf」の形式はありません（あるのは kif, csa）。"},
		{allowedRequests.With("60"),
			"Requests allowed in a minute: 60; the time of searches and pictures and the length of answers count as well.",
			"1分間に送れるリクエストは60回です（探索や描画の時間と、答えの長さも数えます）。少し待ってからお試しください。"},
		{linesRead.With(7), "No line after number 7 was read.", "7行目の後は読んでいません。"},
		{batchTime.With(time.Minute), "The batch has taken 1m0s, which is as long as one may.",
			"一括の制限時間（1m0s）に達しました。"},
		{playSlow.With(time.Minute), "The search was not over after 1m0s.",
			"探索が 1m0s では終わりませんでした。"},
		{jobState.With("queued"), "The job is queued.", "この依頼にはまだ答えがありません（状態：queued）。"},
		{oneRecord.With("JKF"), "A file in JKF holds one record, and there are several problems.",
			"JKF の棋譜は一つだけなので、何題もの結果は書けません。"},
		{linesWait.With(7), "Line 7 and those after it have no answer yet.",
			"7行目からは、まだ答えがありません。"},
		{badKey.With(64), "expected 1 to 64 printable ASCII characters",
			"表示できる ASCII 文字、1～64文字で書きます。"},
		{tooMany.With(quotas["jobs"], 3),
			"The client has too many jobs that have not ended: at most 3.",
			"終わっていない依頼が多すぎます（3まで）。どれかが終わってからお試しください。"},
		{tooManyAlone.With(quotas["bytes"].With(300), 9),
			"The client has too many bytes stored, and 300 more for each line without an answer: " +
				"at most 9. This job alone is more.",
			"保存しているバイト数（答えのない行は300バイトずつ加算）が多すぎます（9まで）。この依頼だけで超えています。"},
	} {
		seen.Check(t, c.m, c.en, c.ja)
	}
	seen.CheckFacts(t, "texts.go")
}
