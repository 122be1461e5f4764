package board

import (
	"bytes"
	_ "embed"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tsumero/tsumero/api/httpheader"
	"github.com/tsumero/tsumero/deploy/licenses"
)

//go:embed docs.html
var docsPage string

//go:embed docs.css
var docsStyle []byte

//go:embed docs.js
var docsScript []byte

// The policy of the page: everything from here and nothing else.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// Docs says of a request which language its page is to have, "ja" or "en", and the origin of this
// service as the client names it, "https://host".
type Docs func(r *http.Request) (lang, origin string)

// Register has a mux serve the page that documents the element, with an example of everything that
// can be tried: at /board, with its files below that, and the licences at /licenses.txt.
func (page Docs) Register(mux *http.ServeMux) {
	t := template.Must(template.New("").Parse(docsPage))
	mux.HandleFunc("GET /board", func(w http.ResponseWriter, r *http.Request) {
		v := view{Sections: sections, Keys: keys, Problem: oneMove, Query: url.QueryEscape(oneMove)}
		v.Files = slices.Sorted(maps.Keys(files()))
		v.Lang, v.Origin = page(r)
		var body bytes.Buffer
		if err := t.Execute(&body, v); err != nil {
			panic(err) // a template that does not fit: the tests render it
		}
		h := w.Header()
		h.Set("Content-Language", v.Lang)
		h.Set("Content-Security-Policy", docsPolicy)
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
		h.Add("Vary", "Accept-Language, X-Forwarded-Proto") // which the address of the service may depend on
		sendDocs(w, r, "text/html; charset=utf-8", body.Bytes())
	})
	file := func(path, contentType string, body []byte) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { sendDocs(w, r, contentType, body) })
	}
	file("/board/docs.css", "text/css; charset=utf-8", docsStyle)
	file("/board/example.kif", "text/plain; charset=utf-8", []byte(exampleRecord))
	file("/board/examples.json", "application/json", []byte(exampleSet))
	file("/board/docs.js", "text/javascript; charset=utf-8", docsScript)
	file("/licenses.txt", "text/plain; charset=utf-8", []byte(licenses.Text))
}

// sendDocs answers with what another version of the program may have otherwise, so that a copy is
// asked about each time.
func sendDocs(w http.ResponseWriter, r *http.Request, contentType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", httpheader.ETag(body))
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// A view is what the template shows.
type view struct {
	Lang, Origin, Problem, Query string
	Files                        []string
	Sections                     []section
	Keys                         []keyboard
}

// T returns the text in the language of the page.
func (v view) T(ja, en string) string {
	if v.Lang == "en" {
		return en
	}
	return ja
}

// A section is a kind of things that a page can use.
type section struct {
	ID, Ja, En string
	Entries    []entry
}

// An entry is one of them, with an example.
type entry struct {
	ID, Name, Ja, En string
	Code             string   // as a page has it
	Board            string   // the attributes of the board of the example
	Steps            []step   // what can be tried
	Also             []string // further names that it explains
	Event            string   // is shown when it comes
	Set              string   // the attributes of a <tsume-set> instead of a board
}

// Element returns what is tried. Its attributes are written here, not by a stranger.
func (e entry) Element(label string) template.HTML {
	name, attributes := "tsume-board", e.Board
	if e.Set != "" {
		name, attributes = "tsume-set", e.Set
	} else {
		attributes += ` label="` + template.HTMLEscapeString(label) + `"`
	}
	return template.HTML("<" + name + " " + attributes + "></" + name + ">")
}

// A step is a button: it sets or removes an attribute, calls a method, or reads a property.
type step struct {
	Label, Attribute, Value, Method, Arguments, Property string
	Remove                                               bool
}

// A keyboard is what keys do.
type keyboard struct {
	Names  []string
	Ja, En string
}

func put(attribute, value string) step {
	return step{Label: attribute + `="` + value + `"`, Attribute: attribute, Value: value}
}

func without(attribute string) step {
	return step{Label: "– " + attribute, Attribute: attribute, Remove: true}
}

func call(method, arguments string) step {
	return step{Label: method + "(" + arguments + ")", Method: method, Arguments: "[" + arguments + "]"}
}

func read(property string) step { return step{Label: property, Property: property} }

// The problems of the examples: a mate in 1, and one in 3.
const (
	oneMove    = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"
	threeMoves = "9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1"
	threeLine  = "G*5c 5b5a G*5b"
)

const (
	solveOne   = `mode="solve" sfen="` + oneMove + `"`
	solveThree = `mode="solve" sfen="` + threeMoves + `"`
	playOne    = `mode="play" sfen="` + oneMove + `"`
	viewThree  = `sfen="` + threeMoves + `" moves="` + threeLine + `"`
)

// exampleRecord is the problem in three moves as a file has it.
const exampleRecord = `作品名：頭金の二段
作者：Tsumero
手数：3
後手の持駒：残り
  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
| ・ ・ ・ ・ ・ ・ ・ ・ ・|一
| ・ ・ ・ ・v玉 ・ ・ ・ ・|二
| ・ ・ ・ ・ ・ ・ ・ ・ ・|三
| ・ ・ ・ ・ 歩 ・ ・ ・ ・|四
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| ・ ・ ・ ・ ・ ・ ・ ・ ・|六
| ・ ・ ・ ・ ・ ・ ・ ・ ・|七
| ・ ・ ・ ・ ・ ・ ・ ・ ・|八
| ・ ・ ・ ・ ・ ・ ・ ・ ・|九
+---------------------------+
先手の持駒：金二
▲５三金　△５一玉　▲５二金
`

// exampleSet is a collection.
const exampleSet = `{"title": "Tsumero", "problems": [
  "` + oneMove + `",
  {"sfen": "` + threeMoves + `", "moves": "` + threeLine + `", "title": "頭金の二段", "author": "Tsumero"}
]}
`

func tag(attributes string) string { return "<tsume-board " + attributes + "></tsume-board>" }

func listenTo(event string) string {
	return "board.addEventListener(\"" + event + "\", (event) => {\n  console.log(event.detail);\n});"
}

var sections = []section{
	{"attributes", "属性", "Attributes", []entry{
		{ID: "sfen", Name: "sfen", Code: tag(`sfen="` + oneMove + `"`), Board: `sfen="` + oneMove + `"`,
			Ja:    "局面。sfen がなければ、record、src、タグの中の棋譜から読みます。SFEN、または USI の position コマンド（moves 付きも可）。空白の代わりに _ も使えます。初期値は空の盤。読めないときは盤がそう言い、tsume-error が起きます。属性はどれも同じ名のプロパティでもあり、いつでも変えられます。",
			En:    "The position. Without it a record is read: from record, from src, or from inside the tag. SFEN, or a USI position command, with moves if wanted. _ may stand for a blank. Default: an empty board. If it cannot be read the board says so, and tsume-error comes. All attributes are properties of the same name too, and can be changed at any time.",
			Steps: []step{put("sfen", oneMove), put("sfen", "4k4/9/4+P4/9/9/9/9/9/9_b_G"), put("sfen", "4k5")}},
		{ID: "mode", Name: "mode", Code: tag(solveOne), Board: `mode="view" sfen="` + oneMove + `" moves="G*5b"`,
			Ja: "view：手順を並べる（初期値）。solve：読者が攻方を指し、応手は API に聞く。edit：局面を作る。編集のどの変更も元に戻せます。「この局面で指す」は solve に移ります。play：どの局面からでも、王手でない手も指し、API の相手（level）が応じる。その手は意見で、証明ではありません。", En: "view: replay a line (default). solve: the reader plays the attacker, and the API replies. edit: set up a position, where every change can be undone; its button “Play this position” goes on to solve. play: a game from any position, in which moves need not be checks; a level of the API replies, with opinions and not with proofs.",
			Steps: []step{put("mode", "view"), put("mode", "solve"), put("mode", "edit"), put("mode", "play")}},
		{ID: "moves", Name: "moves", Code: tag(viewThree), Board: viewThree,
			Ja: "sfen からの手順（USI、空白区切り）。view では並べる手順、solve では作者の解で、読者がその通りに指す間は API に聞きません。別の正解も正解になります。play では、それまでに指された手。", En: "A line from sfen: USI moves with blanks between. In view, what is replayed; in solve, the author's solution: as long as the reader follows it the API is not asked. Other mates are right as well. In play, the moves before.",
			Steps: []step{put("moves", threeLine), put("moves", "G*5c"), without("moves")}},
		{ID: "level", Name: "level", Code: tag(playOne + ` level="full"`), Board: playOne + ` level="club"`,
			Ja: "play の相手。API の /v1/limits が挙げる名前（random、asayomi、club、full など）。初期値は club。対局の途中でも変えられます。", En: "Who plays against the reader in play: a name that /v1/limits of the API lists, such as random, asayomi, club or full. Default: club. It can be changed in a game.",
			Steps: []step{put("level", "random"), call("play", `"G*9i"`), put("level", "full")}},
		{ID: "side", Name: "side", Code: tag(playOne + ` side="white"`), Board: playOne,
			Ja: "play で読者が持つ側：black または white。初期値は手番の側。", En: "The side of the reader in play: black or white. Default: the side to move.",
			Steps: []step{put("side", "black"), put("side", "white"), without("side")}},
		{ID: "api", Name: "api", Code: tag(solveOne + ` api="https://example.com"`), Board: solveThree,
			Ja: "API のアドレス。初期値はスクリプトの出所。つながらない・混んでいるときは盤がそう言い、再試行できます。", En: "The address of the API. Default: where the script came from. If it cannot be reached or is busy the board says so, and lets the reader try again.",
			Steps: []step{put("api", "/nowhere"), without("api"), call("play", `"G*5c"`)}},
		{ID: "lang", Name: "lang", Code: tag(solveOne + ` lang="en"`), Board: solveOne,
			Ja: "ja または en。初期値は周りの要素の lang、それもなければ ja。", En: "ja or en. Default: the lang of the elements around it, else ja.",
			Steps: []step{put("lang", "ja"), put("lang", "en")}},
		{ID: "flip", Name: "flip", Code: tag(viewThree + " flip"), Board: viewThree + " flip",
			Ja: "盤を反転し、後手を下にします。値は要りません。プロパティは真偽値です。", En: "Turns the board: white is below. It needs no value; the property is a boolean.",
			Steps: []step{put("flip", ""), without("flip")}},
		{ID: "theme", Name: "theme", Code: tag(viewThree + ` theme="paper"`), Board: viewThree + ` theme="paper"`,
			Ja: "配色の light か dark と、様式の paper（本のような白黒）、wood（木の盤）、contrast（高コントラスト）。空白区切りで組み合わせられます。初期値は、ページの color-scheme に従う標準の盤。どの様式の色も、下の「見た目」のカスタムプロパティで変えられます。", En: "A colour scheme, light or dark, and a style: paper (black and white, as books have it), wood, or contrast (high contrast). They can be combined, with a blank between. Default: the usual board, in the page's color-scheme. The colours of every style can be changed by the custom properties under Appearance.",
			Steps: []step{put("theme", "dark"), put("theme", "paper"), put("theme", "wood"), put("theme", "wood dark"), put("theme", "contrast"), without("theme")}},
		{ID: "hands", Name: "hands", Code: tag(solveOne + ` hands="hide"`), Board: solveOne + ` hands="hide"`,
			Ja:    "hide なら、玉方の持駒（残り全部）を出しません。本の詰将棋と同じです。局面は変わらず、合駒には使われます。edit と play ではいつも出ます。初期値は show。",
			En:    "hide leaves out the hand of the defender, who has the rest of the pieces, as books do. The position stays what it is: they can be interposed. In edit and play hands are always shown. Default: show.",
			Steps: []step{put("hands", "show"), put("hands", "hide")}},
		{ID: "pieces", Name: "pieces", Code: tag(solveThree + ` pieces="international"`), Board: solveThree + ` pieces="international"`,
			Ja:    "駒の絵柄。kanji（初期値）、または漢字を使わない international：玉は冠、飛は塔、角は司教の冠、桂は馬、香は矢、歩はチェスのポーン。金と銀の星の角は、動ける方を指します。成った駒には＋が付きます。画面の読み上げは変わりません。",
			En:    "What stands on the pieces: kanji (default), or pictures, international: a crown for the king, a tower for the rook, a mitre for the bishop, a horse for the knight, an arrow for the lance, and the pawn of chess. The points of gold's and silver's stars show where they move. A promoted piece has a plus. Screen readers say the same for both.",
			Steps: []step{put("pieces", "kanji"), put("pieces", "international")}},
		{ID: "record", Name: "record", Code: "<tsume-board mode=\"solve\"><pre>\n" + exampleRecord + "</pre></tsume-board>",
			Board: `mode="solve" record="` + template.HTMLEscapeString(exampleRecord) + `"`,
			Ja:    "棋譜の文字列：KIF、KI2、BOD、CSA、または SFEN。タグの中に、そのまま、pre か script type=\"text/plain\" に入れて書くのと同じです。本譜が moves に、見出し（作品名、作者、出典、手数）が caption などになります。前後の文は読み飛ばします。指し手が読めないときは局面だけを使い、tsume-error（code は moves）が起きます。棋譜が二つ以上あれば、最初のもの。優先順は sfen、record、src、タグの中。",
			En:    "The text of a record: KIF, KI2, BOD, CSA or SFEN. The same can stand inside the tag, as it is, in a pre, or in a script of type text/plain. The main line becomes moves; the header (作品名, 作者, 出典, 手数) becomes the caption. Text around the record is left out. If a move cannot be read the position is used without moves, and tsume-error comes (code moves). Of several records it is the first. sfen goes before record, that before src, and that before what is inside the tag.",
			Steps: []step{put("record", oneMove), without("record")}},
		{ID: "src", Name: "src", Code: tag(`mode="solve" src="problem.kif"`), Board: `mode="solve" src="/board/example.kif"`,
			Ja:    "棋譜のファイルのアドレス。Shift_JIS、UTF-8、UTF-16 のどれでもよく、1 MiB まで。よそのホストなら、そこの CORS と、このページの connect-src が要ります。読めないときは再試行のボタンが出て、tsume-error（code は src）が起きます。",
			En:    "The address of a file with the record, in Shift_JIS, UTF-8 or UTF-16, up to 1 MiB. A file of another host needs CORS there, and connect-src here. If it cannot be fetched there is a button to try again, and tsume-error comes (code src).",
			Steps: []step{without("src"), put("src", "/board/example.kif")}},
		{ID: "caption", Name: "caption, author, source, cite, plies", Also: []string{"author", "source", "cite", "plies"},
			Code:  tag(solveOne + ` caption="第一番" author="伊藤宗看" source="将棋無双" cite="https://example.com/muso" plies="1"`),
			Board: solveOne + ` caption="第一番" author="伊藤宗看" source="将棋無双" cite="https://example.com/muso" plies="1"`,
			Ja:    "題、作者、出典、出典のアドレス（http と https。出典がそこへのリンクになります）、手数。盤の上に出て、題は盤の名前にもなります。スクリーンリーダーには figure とその見出しです。棋譜の見出しより優先し、空なら出ません。plies に値がなければ、moves か棋譜の手数。",
			En:    "Title, author, where it was published, the address of that (http and https; the source links to it), and the length. They stand above the board, and the title names it; to screen readers they are the caption of a figure. They go before what a record says; what is empty is not shown. plies without a value is the length of moves, or of the record.",
			Steps: []step{put("caption", "No. 1"), put("author", "Itō Sōkan"), put("source", ""), put("cite", ""), put("plies", "3"), without("caption")}},
		{ID: "controls", Name: "controls", Code: tag(solveOne + ` controls="play hints"`), Board: solveOne + ` controls="play hints"`,
			Ja: "どの操作を出すか：replay、play、hints、answer、next、share、edit、input、flip、keys を空白区切りで。none は盤だけ。初期値はすべて。", En: "Which controls there are: replay, play, hints, answer, next, share, edit, input, flip, keys, with blanks between; none is the board alone. Default: all.",
			Steps: []step{put("controls", "play hints"), put("controls", "input"), put("controls", "none"), without("controls")}},
		{ID: "wrong", Name: "wrong", Code: tag(solveOne + ` wrong="stay"`), Board: solveOne + ` wrong="stay"`,
			Ja: "間違えた手への応手は 2 秒間見えて、ひとりでに戻ります。stay なら、読者が戻すまで残ります。",
			En: "What refutes a wrong move is seen for 2 seconds, and slides back by itself. With stay, " +
				"it stays until the reader takes it back.",
			Steps: []step{call("play", `"G*4b"`), call("takeBack", ""), without("wrong"), call("play", `"G*4b"`)}},
		{ID: "next", Name: "next", Code: tag(solveOne + ` next="/problems/2"`), Board: solveOne + ` next="/board#next"`,
			Ja: "次の問題のアドレス。解けると「次の問題」のボタンが出ます。空なら tsume-next だけが起きます。",
			En: "The address of the next problem. Once this one is solved there is a button for it. " +
				"If it is empty, there is tsume-next alone.",
			Steps: []step{call("play", `"G*5b"`), without("next"), put("next", "/board#next")}},
		{ID: "share", Name: "share", Code: tag(solveOne + ` share="https://example.com/problems/1"`),
			Board: solveOne + ` share="/board#share"`,
			Ja:    "解けた後の「共有」で渡すアドレス。端末の共有か、コピーで渡します。初期値はページのアドレス。",
			En: "The address that the button “Share” hands on once the problem is solved: to the " +
				"reader's device, or else to the clipboard. Default: that of the page.",
			Steps: []step{call("play", `"G*5b"`), without("share")}},
		{ID: "label", Name: "label", Code: tag(`label="第1番" ` + solveOne), Board: solveOne,
			Ja: "スクリーンリーダーが読む盤の名前。初期値は「詰将棋」など、モードの名前。", En: "The name of the board for screen readers. Default: that of the mode, such as “Shogi mate problem”.",
			Steps: []step{put("label", "第1番"), put("label", "No. 1")}},
	}},
	{"events", "イベント", "Events", []entry{
		{ID: "tsume-move", Name: "tsume-move", Event: "tsume-move", Code: listenTo("tsume-move"), Board: viewThree,
			Ja: "手が盤に現れた：move（USI）、text（表記）、ply（何手目）、sfen（その後の局面）、by（reader、defender、level、replay）、level の手には score（意見）。イベントはみな bubbles です。", En: "A move appears on the board: move (USI), text (as it is written), ply, sfen (after it), by (reader, defender, level or replay), and of a level its score, an opinion. All events bubble.",
			Steps: []step{call("goTo", "1"), call("goTo", "2")}},
		{ID: "tsume-position", Name: "tsume-position", Event: "tsume-position",
			Code: listenTo("tsume-position"), Board: viewThree,
			Ja: "盤の局面が変わった。指す、戻す、並べる、編集する、属性を変える、どれでも：sfen、played（そこまでの手）。",
			En: "The position on the board is another one, by a move, taken back, replayed, " +
				"set up or by an attribute: sfen, played (the moves up to it).",
			Steps: []step{call("goTo", "1"), call("goTo", "0")}},
		{ID: "tsume-solved", Name: "tsume-solved", Event: "tsume-solved", Code: listenTo("tsume-solved"), Board: solveOne,
			Ja: "詰んだ：sfen、moves、plies（手数）、hints（使ったヒント）、wrong（間違えた回数）。", En: "Mate: sfen, moves, plies, hints (how many were used), wrong (how many moves were).",
			Steps: []step{call("play", `"G*5b"`), call("reset", "")}},
		{ID: "tsume-over", Name: "tsume-over", Event: "tsume-over", Code: listenTo("tsume-over"), Board: playOne,
			Ja: "play の終わり：outcome（mate、nomove、repetition、perpetual、limit、declaration）、winner（引き分けならなし）、sfen、moves。", En: "A game is over: outcome (mate, nomove, repetition, perpetual, limit or declaration), winner (none of a draw), sfen, moves.",
			Steps: []step{call("play", `"G*5b"`), call("reset", "")}},
		{ID: "tsume-wrong", Name: "tsume-wrong", Event: "tsume-wrong", Code: listenTo("tsume-wrong"), Board: solveOne,
			Ja: "詰まない手：move、reason（no-check は王手でない、refuted は逃れがある）、refutation（逃れる手）、text、sfen。", En: "A move that does not mate: move, reason (no-check, or refuted), refutation (the reply that escapes), text, sfen.",
			Steps: []step{call("play", `"G*4b"`), call("takeBack", ""), call("play", `"5c5b"`), call("play", `"G*9i"`)}},
		{ID: "tsume-hint", Name: "tsume-hint", Event: "tsume-hint", Code: listenTo("tsume-hint"), Board: solveOne,
			Ja: "ヒントが出た：step（1 はどの駒、2 はどこへ、3 は手）。", En: "A hint was given: step (1 which piece, 2 where to, 3 the move).",
			Steps: []step{call("hint", "")}},
		{ID: "tsume-answer", Name: "tsume-answer", Event: "tsume-answer", Code: listenTo("tsume-answer"), Board: solveThree,
			Ja: "答えを見た：moves。", En: "The answer was asked for: moves.",
			Steps: []step{call("showAnswer", "")}},
		{ID: "tsume-edit", Name: "tsume-edit", Event: "tsume-edit", Code: listenTo("tsume-edit"), Board: `mode="edit" controls="edit flip" sfen="` + oneMove + `"`,
			Ja: "局面が編集された：sfen。属性 sfen も新しくなります。駒を動かすか、ボタンを押してください。", En: "The position was edited: sfen. The attribute sfen is new as well. Move a piece, or press a button of the board."},
		{ID: "tsume-next", Name: "tsume-next", Event: "tsume-next", Board: solveOne + ` next`,
			Code: "board.addEventListener(\"tsume-next\", (event) => {\n" +
				"  event.preventDefault(); // stay on this page\n  board.sfen = ...;\n});",
			Ja: "「次の問題」が押された：next（属性の値）。preventDefault() すると、ページは移りません。解いて、押してください。",
			En: "The reader wants the next problem: next, as the attribute has it. After " +
				"preventDefault() the page stays. Solve it and press the button.",
			Steps: []step{call("play", `"G*5b"`)}},
		{ID: "tsume-error", Name: "tsume-error", Event: "tsume-error", Code: listenTo("tsume-error"), Board: solveOne,
			Ja: "できないこと：code（sfen は読めない局面、offline、busy、limit、refused は API、load は読み込めないファイル）と detail。", En: "What cannot be done: code (sfen: the position cannot be read; offline, busy, limit, refused: the API; load: a file that cannot be loaded) and detail.",
			Steps: []step{put("sfen", "4k5"), put("sfen", oneMove)}},
	}},
	{"methods", "メソッド", "Methods", []entry{
		{ID: "play", Name: "play(text)", Code: `await board.play("G*5c");`, Board: solveThree,
			Ja: "読者の手を指します（USI、日本語、欧文表記）。結果は replied、solved、over（play の終わり）、wrong、unknown（時間内に分からない）、failed（API が使えない）、illegal、gone（他の操作に追い越された）。", En: "Plays a move of the reader, in USI, Japanese or Western notation. Gives replied, solved, over (of a game), wrong, unknown (not found out in time), failed (no API), illegal, or gone (overtaken by something else).",
			Steps: []step{call("play", `"G*5c"`), call("play", `"99角"`)}},
		{ID: "takeBack", Name: "takeBack()", Code: "board.takeBack();", Board: solveThree,
			Ja: "読者の最後の手と、その応手を戻します。", En: "Takes back the reader's last move, and the reply.",
			Steps: []step{call("play", `"G*5c"`), call("takeBack", "")}},
		{ID: "hint", Name: "hint()", Code: "await board.hint();", Board: solveOne,
			Ja: "次のヒントを出し、何段目か（1～3）を返します。なければ 0。", En: "Gives the next hint and returns which it is, 1 to 3; 0 if there is none.",
			Steps: []step{call("hint", "")}},
		{ID: "showAnswer", Name: "showAnswer()", Code: "await board.showAnswer();", Board: solveThree,
			Ja: "答えを見せます。見せられれば true。", En: "Shows the answer, and returns whether there is one.",
			Steps: []step{call("showAnswer", ""), call("goTo", "9")}},
		{ID: "goTo", Name: "goTo(ply)", Code: "board.goTo(2);", Board: viewThree,
			Ja: "手順の中を移ります。0 は最初、大きすぎる数は最後。", En: "Goes to a move of the line: 0 is the start, too large a number the end.",
			Steps: []step{call("goTo", "0"), call("goTo", "2"), call("goTo", "99")}},
		{ID: "reset", Name: "reset()", Code: "board.reset();", Board: solveThree,
			Ja: "属性の示す最初の状態に戻します。", En: "Begins again with what the attributes say.",
			Steps: []step{call("play", `"G*5c"`), call("reset", "")}},
		{ID: "focus", Name: "focus()", Code: "board.focus();", Board: solveOne,
			Ja: "盤のマスにフォーカスを移します。", En: "Puts the focus on the squares of the board.",
			Steps: []step{call("focus", "")}},
	}},
	{"properties", "プロパティ", "Properties", []entry{
		{ID: "headers", Name: "headers, fetcher", Also: []string{"fetcher"},
			Code: "board.headers = { Authorization: \"Bearer \" + key };\n" +
				"board.fetcher = async (url, init) => {\n  const headers = { Authorization: \"Bearer \" + await freshKey() };\n  return fetch(url, { ...init, headers });\n};",
			Board: solveOne,
			Ja:    "headers は API への問い合わせに付けるヘッダー。fetcher は fetch の代わりに問い合わせる関数で、引数と結果は fetch と同じです（init の signal を渡してください）。読者のブラウザーが送るものは誰にでも見えます。秘密の鍵をページに書かず、読者ごとの短命の鍵か、鍵を付ける自分のサーバー（属性 api）を使ってください。Authorization を付けると、ブラウザーは先に preflight を送ります。棋譜のファイル（src）には使いません。",
			En:    "headers go with every question to the API. fetcher is a function that asks instead of fetch, with the same arguments and result; it should pass on the signal of init. Whatever a page sends can be read by everybody who sees the page: do not put a secret key there, but use short-lived keys for each reader, or a server of yours that adds the key (attribute api). With Authorization browsers send a preflight first. Files of records (src) are fetched without them.",
			Steps: []step{read("headers"), read("fetcher"), call("play", `"G*5b"`)}},
		{ID: "position", Name: "position", Code: "board.position", Board: viewThree,
			Ja: "盤上の局面の SFEN。読み取り専用。", En: "The position on the board, in SFEN. Read only.",
			Steps: []step{read("position"), call("goTo", "1")}},
		{ID: "played", Name: "played", Code: "board.played", Board: viewThree,
			Ja: "盤上の局面までの手（USI の配列）。読み取り専用。", En: "The moves up to the position on the board: a list of USI moves. Read only.",
			Steps: []step{read("played"), call("goTo", "2")}},
		{ID: "state", Name: "state", Code: "board.state", Board: solveOne,
			Ja: "play（指せる、並べられる）、thinking（API を待つ）、wrong（間違いを見せている）、stopped（API が答えない）、solved、answer、over（play の終わり）、error（読めない局面）。読み取り専用。", En: "play, thinking (the API is awaited), wrong (what refutes is shown), stopped (the API does not answer), solved, answer, over (of a game), or error (a position that cannot be read). Read only.",
			Steps: []step{read("state"), call("play", `"G*5b"`)}},
	}},
}

// The set of problems.
const setOfTwo = `src="/board/examples.json"`

func init() {
	sections = append(sections, section{"sets", "問題集 <tsume-set>", "Sets: <tsume-set>", []entry{
		{ID: "set-attributes", Name: "src, mode, caption, start, key",
			Code: "<tsume-set caption=\"今週の二題\">\n  " + tag(solveOne) + "\n  " + tag(solveThree) + "\n</tsume-set>\n\n" +
				"<tsume-set src=\"problems.json\" start=\"2\" key=\"weekly\"></tsume-set>\n\n" + exampleSet, Set: setOfTwo,
			Ja:    "何題かを一つのタグに。中の盤、または src の問題集を一題ずつ見せ、前後の矢印と一覧で移り、解けた問題に印が付きます。盤の「次の問題」も次へ進みます。src は JSON（SFEN か、盤の属性と同じ名の項目の並び。title があれば題）、続けて書いた KIF・KI2・CSA、または一行に一つの SFEN で、1 MiB、1,000 題まで。mode は src の盤の mode（初期値 solve）、caption は題、start は最初に見せる問題の番号（初期値は、まだ解いていない最初の問題）。どこまで解いたかは読者のブラウザーの localStorage だけに、key の名前（初期値は src のアドレスかページのパス）で残り、どこにも送られません。保存できなければページを閉じるまで。問題は局面で覚えるので、並べ替えても残ります。",
			En:    "Several problems in one tag. It shows the boards inside, or the collection at src, one at a time, with arrows and a list in which solved ones are marked. The board's own “Next problem” goes on as well. src is JSON (a list of SFENs, or of objects with the names of the board's attributes; with a title if wanted), records one after the other in KIF, KI2 or CSA, or an SFEN on each line, up to 1 MiB and 1,000 problems. mode is that of the board for src (default: solve), caption the title, start the number of the problem that is shown first (default: the first that is not solved). Progress is kept in localStorage of the reader's browser alone, under the name key (default: the address in src, or the path of the page), and sent nowhere; where nothing can be stored it holds until the page is closed. Problems are remembered by their positions, so that another order loses nothing.",
			Steps: []step{put("caption", "二題"), without("caption"), without("src"), put("src", "/board/examples.json")}},
		{ID: "set-properties", Name: "index, count, solved, goTo(index), forget()", Code: "set.goTo(0);\nset.solved; // 0", Set: setOfTwo,
			Ja:    "index は見えている問題（0 から）、count は問題の数、solved は解けた数。goTo は移り、forget は記録を消します。",
			En:    "index is the problem that is seen, from 0; count how many there are; solved how many are solved. goTo goes to one, forget forgets the progress.",
			Steps: []step{read("index"), read("count"), read("solved"), call("goTo", "1"), call("forget", "")}},
		{ID: "tsume-set", Name: "tsume-set", Event: "tsume-set", Code: listenTo("tsume-set"), Set: setOfTwo,
			Ja:    "別の問題に移った、または解けた：index、count、solved。盤のイベントも、ここを通って伝わります。",
			En:    "Another problem is seen, or one was solved: index, count, solved. The events of the board bubble through as well.",
			Steps: []step{call("goTo", "1"), call("goTo", "0")}},
	}})
}

var keys = []keyboard{
	{strings.Fields("Tab"), "盤に入る、盤から出る", "to the board and away from it"},
	{strings.Fields("← ↑ ↓ → Home End"), "マスと持駒の間を動く", "over the squares and the hands"},
	{strings.Fields("Enter Space"), "駒を持つ、置く。間違えた手の後は、それを戻して持つ", "picks a piece up, puts it down; after a wrong move takes that back first"},
	{strings.Fields("Esc"), "持った駒を戻す、間違えた手を戻す", "puts the piece back, takes a wrong move back"},
	{strings.Fields("Backspace"), "待った", "takes a move back"},
	{strings.Fields("PageUp PageDown"), "手順を戻る、進む", "back and forth in the line"},
	{strings.Fields("?"), "キー操作の表を見る", "shows the keys"},
	{[]string{"Ctrl+Z", "Ctrl+Y"}, "編集：元に戻す、やり直す", "setting up: undo, redo"},
	{strings.Fields("2 5 G"), "文字や数字で、指し手の入力欄へ", "letters and digits go to where moves are typed"},
	{strings.Fields("P L N S G B R K + Delete"), "編集：先手の駒（Shift で後手）、成り、取り除く", "setting up: a black piece (with Shift a white one), promotion, removal"},
}
