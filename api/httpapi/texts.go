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
		"「%s」には何もありません（/docs を見てください）。")
	noProblem = shogi.NewText("", "No problem has the code %q; see /docs.",
		"「%s」というエラーはありません（/docs を見てください）。")
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
		"図面が多すぎて、すぐには描けません。")
	batchSlots = shogi.NewText("",
		"All slots for batches are taken, or all that one client may have.",
		"一括の枠が、すべてか、一人が使える分まで使われています。")
	collectionSlots = shogi.NewText("",
		"All slots for batches and collections are taken, or all that one client may have.",
		"一括と作品集の枠が、すべてか、一人が使える分まで使われています。")
	keyInUse = shogi.NewText("",
		"Another request with this Idempotency-Key has not ended yet. The same one may be sent again.",
		"同じIdempotency-Keyの要求がまだ終わっていません。同じものをもう一度送れます。")
	allowedRequests = shogi.NewText("",
		"Requests allowed in a minute: %s; the time of searches and pictures and the length of answers count as well.",
		"一分間に送れる要求は%s回です（探索や作図の時間と、答えの長さも数えます）。少し待ってからお試しください。")
	linesRead = shogi.NewText("", "No line after number %d was read.", "%d行目の後は読んでいません。")
	draining  = shogi.NewText("", "The service finishes what it has accepted.",
		"サービスを終了するところで、受け付けたものだけを片付けています。")
	batchTime = shogi.NewText("", "The batch has taken %v, which is as long as one may.",
		"一括が、許される時間 %v に達しました。")
	playEnded = shogi.NewText("", "The search was ended.", "探索を打ち切りました。")
	playSlow  = shogi.NewText("", "The search was not over after %v.",
		"探索が %v では終わりませんでした。")
	noPlay = shogi.NewText("", "This service does not play.", "このサービスは対局をしません。")

	noJobs = shogi.NewText("", "This service keeps no jobs.",
		"このサービスは仕事を受け付けていません。")
	unknownKey = shogi.NewText("", "The key in the header Authorization is unknown.",
		"Authorization ヘッダーの鍵は、知らない鍵です。")
	foreignOrigin = shogi.NewText("", "Pages of other sites submit and cancel jobs with a key alone.",
		"ほかのサイトのページから仕事を頼んだり止めたりするには、鍵が要ります。")
	noJob = shogi.NewText("", "No job has this id.",
		"この依頼はありません。消えてから一週間以上たったか、アドレスが違います。")
	jobGone = shogi.NewText("", "The job is forgotten.",
		"この依頼は保存期間が過ぎて消えました。")
	jobEnded = shogi.NewText("", "The job has ended and cannot be cancelled.",
		"この依頼はもう終わっています。")
	jobCancelled = shogi.NewText("", "The job was cancelled and has no answer.",
		"この依頼は取り消され、答えはありません。")
	jobState = shogi.NewText("", "The job is %s.",
		"この依頼にはまだ答えがありません（状態：%s）。")
	linesWait = shogi.NewText("", "Line %d and those after it have no answer yet.",
		"%d行目からは、まだ答えがありません。")
	noResult = shogi.NewText("", "A collection has no single result: see its results.",
		"作品集の答えは一つではありません（results を見てください）。")
	noRecord = shogi.NewText("", "The report of an analysis is no record: see its result.",
		"検討結果は棋譜になりません（result を見てください）。")
	noProblems = shogi.NewText("", "The job does not look for new problems.", "創作の依頼ではありません。")
	oneRecord  = shogi.NewText("", "A file in %s holds one record, and there are several problems.",
		"%s の棋譜は一つだけなので、何題もの結果は書けません。")
	lostResults = shogi.NewText("", "The results of the job cannot be read.",
		"この依頼の結果を読めません。")
	noJobList = shogi.NewText("",
		"Without an API key there is no list: whoever knows the id of a job may see it.",
		"API の鍵がなければ一覧はありません（仕事は id を知っている人が見られます）。")
	keyUsed = shogi.NewText("", "The header Idempotency-Key was used for another job.",
		"Idempotency-Key ヘッダーは別の仕事に使われています。")
	badKey = shogi.NewText("value", "expected 1 to %d printable ASCII characters",
		"1～%d文字の表示できる ASCII 文字で書きます。")
	noLine = shogi.NewText("required", "expected a line that is not empty",
		"空でない行がありません。")
	noSuchJob = shogi.NewText("value", "expected the id of a job of this key",
		"この鍵の仕事の id を書きます。")
	storeFull = shogi.NewText("", "The job store has no room for another job.",
		"依頼を保存する場所がありません。しばらくしてからお試しください。")
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
	"lines": shogi.NewText("", "lines in jobs that have not ended", "終わっていない依頼の行"),
	"bytes": shogi.NewText("", "bytes stored, and %d more for each line without an answer",
		"保存しているバイト（答えのない行は%dバイトずつ加えて数えます）"),
}
