package httpapi

import "github.com/tsumero/tsumero/shogi"

// The details of problems, in both languages. Those that other packages have too are of package
// wire.
var (
	badEncoding = shogi.NewText("", "The body is encoded as %q, expected no encoding.",
		"本文が「%s」で符号化されています（符号化せずに送ってください）。")
	badMediaType = shogi.NewText("", "The body is %q, expected %s.",
		"本文の形式が「%s」です（%s のどれか）。")
	bodySlow = shogi.NewText("", "The body did not arrive in time.",
		"本文が時間内に届きませんでした。")
	bodyBroken = shogi.NewText("", "The body could not be read to its end.",
		"本文を最後まで読めませんでした。")
	bodyExceeds = shogi.NewText("", "The body exceeds %d bytes.", "本文が%dバイトを超えています。")
	uriExceeds  = shogi.NewText("", "Path and query exceed %d bytes.",
		"パスとクエリが%dバイトを超えています。")
	noPath = shogi.NewText("", "Nothing has the path %q; see /docs.",
		"「%s」には何もありません（/docs を参照）。")
	noProblem = shogi.NewText("", "No problem has the code %q; see /docs.",
		"「%s」というエラーはありません（/docs を参照）。")
	noMethod = shogi.NewText("", "The method %q is not one of %s.",
		"メソッド「%s」は使えません（使えるのは %s）。")
	noFormat = shogi.NewText("", "Answers have no format %q, but %s.",
		"答えに「%s」の形式はありません（あるのは %s）。")

	searchSlots = shogi.NewText("", "All slots for searches are taken.",
		"探索の枠がすべて使われています。")
	longSlots = shogi.NewText("",
		"The question needs a long search, and all slots for those are taken.",
		"長い探索が要りますが、その枠がすべて使われています。")
	analysisSlots = shogi.NewText("", "All slots for analyses are taken.",
		"検討の枠がすべて使われています。")
	playSlots = shogi.NewText("", "All slots for play are taken.",
		"対局の枠がすべて使われています。")
	pictureSlots = shogi.NewText("", "Too many pictures wait to be drawn.",
		"図面の描画が混み合っています。")
	batchSlots = shogi.NewText("",
		"All slots for batches are taken, or all that one client may have.",
		"一括の枠が、すべて、または一つのクライアントの分まで使われています。")
	collectionSlots = shogi.NewText("",
		"All slots for batches and collections are taken, or all that one client may have.",
		"一括と作品集の枠が、すべて、または一つのクライアントの分まで使われています。")
	keyInUse = shogi.NewText("",
		"Another request with this Idempotency-Key has not ended yet. The same one may be sent again.",
		"同じ Idempotency-Key のリクエストがまだ終わっていません。少し待って、もう一度送ってください。")
	allowedRequests = shogi.NewText("",
		"Requests allowed in a minute: %s; the time of searches and pictures and the length of answers count as well.",
		"1分間に送れるリクエストは%s回です（探索や描画の時間と、答えの長さも数えます）。少し待ってからお試しください。")
	linesRead = shogi.NewText("", "No line after number %d was read.", "%d行目の後は読んでいません。")
	draining  = shogi.NewText("", "The service finishes what it has accepted.",
		"サービスは終了するところです。受け付け済みのものだけを処理しています。")
	batchTime = shogi.NewText("", "The batch has taken %v, which is as long as one may.",
		"一括の制限時間（%v）に達しました。")
	playEnded = shogi.NewText("", "The search was ended.", "探索を打ち切りました。")
	playSlow  = shogi.NewText("", "The search was not over after %v.",
		"探索が %v では終わりませんでした。")
	noPlay = shogi.NewText("", "This service does not play.", "このサービスでは対局できません。")

	noJobs = shogi.NewText("", "This service keeps no jobs.",
		"このサービスはジョブを受け付けていません。")
	unknownKey = shogi.NewText("", "The key in the header Authorization is unknown.",
		"Authorization ヘッダーのキーは登録されていません。")
	foreignOrigin = shogi.NewText("", "Pages of other sites submit and cancel jobs with a key alone.",
		"ほかのサイトのページからの依頼や中止には、API キーが必要です。")
	noJob = shogi.NewText("", "No job has this id.",
		"この依頼はありません。消去から1週間以上たったか、アドレスが違います。")
	jobGone = shogi.NewText("", "The job is forgotten.",
		"この依頼は保存期限を過ぎたので消去されました。")
	jobEnded = shogi.NewText("", "The job has ended and cannot be cancelled.",
		"この依頼はもう終わっています。")
	jobCancelled = shogi.NewText("", "The job was cancelled and has no answer.",
		"この依頼は中止され、答えはありません。")
	jobState = shogi.NewText("", "The job is %s.",
		"この依頼にはまだ答えがありません（状態：%s）。")
	linesWait = shogi.NewText("", "Line %d and those after it have no answer yet.",
		"%d行目からは、まだ答えがありません。")
	noResult = shogi.NewText("", "A collection has no single result: see its results.",
		"作品集の答えは一つではありません（results を参照）。")
	noRecord = shogi.NewText("", "The report of an analysis is no record: see its result.",
		"検討結果は棋譜にできません（result を参照）。")
	noProblems = shogi.NewText("", "The job does not look for new problems.", "創作の依頼ではありません。")
	oneRecord  = shogi.NewText("", "A file in %s holds one record, and there are several problems.",
		"%s の棋譜は一つだけなので、何題もの結果は書けません。")
	lostResults = shogi.NewText("", "The results of the job cannot be read.",
		"この依頼の結果を読めません。")
	noJobList = shogi.NewText("",
		"Without an API key there is no list: whoever knows the id of a job may see it.",
		"API キーがなければ一覧は見られません（個々のジョブは、id を知る人なら見られます）。")
	keyUsed = shogi.NewText("", "The header Idempotency-Key was used for another job.",
		"Idempotency-Key ヘッダーは別のジョブに使われています。")
	badKey = shogi.NewText("value", "expected 1 to %d printable ASCII characters",
		"表示できる ASCII 文字、1～%d文字で書きます。")
	noLine = shogi.NewText("required", "expected a line that is not empty",
		"空でない行がありません。")
	noSuchJob = shogi.NewText("value", "expected the id of a job of this key",
		"このキーのジョブの id を書きます。")
	storeFull = shogi.NewText("", "The job store has no room for another job.",
		"依頼の保存先に空きがありません。しばらくしてからお試しください。")
	storeSilent = shogi.NewText("", "The job store does not answer.",
		"依頼の保存先に接続できません。受け付けた依頼は失われていません。少し待ってからお試しください。")
	tooMany = shogi.NewText("", "The client has too many %s: at most %d.",
		"%sが多すぎます（%dまで）。どれかが終わってからお試しください。")
	tooManyAlone = shogi.NewText("",
		"The client has too many %s: at most %d. This job alone is more.",
		"%sが多すぎます（%dまで）。この依頼だけで超えています。")
)

// quotas are what a client may have too much of, by the names of queue.QuotaError.
var quotas = map[string]*shogi.Text{
	"jobs":  shogi.NewText("", "jobs that have not ended", "終わっていない依頼"),
	"lines": shogi.NewText("", "lines in jobs that have not ended", "終わっていない依頼の行数"),
	"bytes": shogi.NewText("", "bytes stored, and %d more for each line without an answer",
		"保存しているバイト数（答えのない行は%dバイトずつ加算）"),
}
