package notation

import (
	"strings"

	"github.com/tsumero/tsumero/shogi"
)

// The sentences about faults. The facts come in the order of the English one.
var (
	// Of a text as a whole.
	badText     = shogi.NewText("", "bad text: %s", "テキストに誤りがあります。%s")
	badRecord   = shogi.NewText("", "bad %s: %s", "%sに誤りがあります。%s")
	textTooLong = shogi.NewText(CodeTooLong, "found %d bytes, expected at most %d",
		"%dバイトあります（%dバイトまで）。")
	tooManyRecords = shogi.NewText(CodeTooLong, "found more than %d records",
		"棋譜が%d局より多くあります。")
	tooManyMoves = shogi.NewText(CodeTooLong, "found more than %d moves",
		"指し手が%d手より多くあります。")
	plyTooLarge = shogi.NewText(CodeTooLong, "the move number would exceed %d",
		"手数が%dを超えます。")
	noUTF16Mark = shogi.NewText(CodeCharset,
		"found no byte order mark, which a text in UTF-16 must begin with",
		"UTF-16 のテキストの先頭にバイト順マークがありません。")
	notUTF8 = shogi.NewText(CodeCharset, "found the byte %#x, which is not UTF-8",
		"バイト%#xは UTF-8 ではありません。")
	notUTF16 = shogi.NewText(CodeCharset, "found bytes that are not UTF-16",
		"UTF-16 でないバイトがあります。")
	notEUCJP = shogi.NewText(CodeCharset, "found bytes that are not EUC-JP",
		"EUC-JP でないバイトがあります。")
	notCharset = shogi.NewText(CodeCharset, "found bytes that are neither UTF-8 nor Shift_JIS",
		"文字コードを読めません（UTF-8、UTF-16、Shift_JIS、EUC-JP のどれかにしてください）。")
	noText = shogi.NewText(CodeNoText,
		"found %s, which is no text: expected a record or a position as text",
		"テキストではありません（%s）。棋譜や局面の文字を入れてください。")
	noSuchFormat = shogi.NewText(CodeFormat, "there is no notation %d",
		"%d番の棋譜形式はありません。")
	bothRest = shogi.NewText(CodeHand, "both hands have the rest, expected one",
		"残りの駒が双方の持駒になっています。")
	inField         = shogi.NewText("", "%s: %s", "%[2]s") // of an SFEN
	noPositionInRow = shogi.NewText(CodeNoBoard,
		"found no position in this row, expected one as sfen or position",
		"この行に局面（sfen か position）がありません。")
	unreadMove = shogi.NewText(CodeMoveNumber,
		"line %d, column %d: %s, so that move number %d cannot be read",
		"%d行%d文字目：%sそのため%d手目は読めません。")
	noMoveNumber = shogi.NewText(CodeMoveNumber, "the main line has %d moves, none is number %d",
		"本譜は%d手で、%d手目はありません。")

	// Of addresses.
	noPosition = shogi.NewText(CodeAddress, "found an address (of %s) that has no position in it, "+
		"and addresses are not fetched: expected the position or the record itself",
		"このアドレスには局面が入っていません（%s。アドレスの先は読みません）。局面や棋譜そのものを入れてください。")
	badXbody = shogi.NewText(CodeAddress, "found a parameter xbody that is not base64url",
		"パラメーター xbody が base64url ではありません。")
	otherGame = shogi.NewText(CodeAddress, "found a position of another game than shogi",
		"将棋の局面ではありません。")
	notWhole = shogi.NewText(CodeAddress, "found %q, which is not a whole SFEN",
		"「%s」は完全な SFEN ではありません。")
	badEscape = shogi.NewText(CodeMoveSyntax, "found moves with a %% that escapes nothing",
		"指し手の中の %% の使い方が正しくありません。")
	amongMoves = shogi.NewText(CodeMoveSyntax, "found %q among the moves",
		"指し手の間の「%s」は読めません。")
	aroundMoves = shogi.NewText(CodeMoveSyntax, "found %q between or behind the moves",
		"指し手の間か後の「%s」は読めません。")
	noUSENLine = shogi.NewText(CodeMoveSyntax, "found no line %d in USEN",
		"USEN に%d番目の手順がありません。")
	noUSENOrigin = shogi.NewText(CodeMoveSyntax,
		"found a line of USEN from move %q, which there is not",
		"USEN の手順の始まり「%s」手目がありません。")
	badUSEN = shogi.NewText(CodeMoveSyntax,
		"found %q in USEN, expected three digits for each of at most %d moves",
		"USEN の「%s」は読めません（一手を三文字で、%d手まで）。")
	badUSENDigits = shogi.NewText(CodeMoveSyntax,
		"found %q in USEN, expected three digits to the base 36",
		"USEN の「%s」は36進の三文字ではありません。")
	noUSENMove = shogi.NewText(CodeMoveSyntax, "found %q in USEN, which is no move",
		"USEN の「%s」は指し手ではありません。")
	illegalInUSEN = shogi.NewText(CodeMoveSyntax, "move %d: %s", "%d手目：%s")

	// Of boards, hands and the side to move.
	noBoard = shogi.NewText(CodeNoBoard,
		"found no diagram to begin from, expected a board or an SFEN, too, or 手合割 if this is a game",
		"図面がないので局面が決まりません。盤面か SFEN（対局の棋譜なら手合割）も一緒に入れてください。")
	noGame = shogi.NewText(CodeNoBoard, "%s (nor is this the beginning of a game: %s)",
		"%s平手の対局の始まりでもありません：%s")
	handsAlone = shogi.NewText(CodeNoBoard, "found pieces in hand, but no board",
		"持駒はありますが、盤面がありません。")
	pieceLists = shogi.NewText("", "a list of pieces", "駒の一覧")
	badListed  = shogi.NewText(CodeBoard,
		"found %q among the pieces of %s, expected a square and a piece, such as 21飛",
		"%[2]sの駒の一覧に「%[1]s」があります（「21飛」のように、マスと駒を書きます）。")
	listedTwice = shogi.NewText(CodeBoard, "found a second piece on %s", "%sに駒が二つあります。")
	turned      = shogi.NewText(CodeBoard,
		"found a board seen from White, expected the files 9 to 1 from left to right",
		"後手から見た盤面です（左から9筋～1筋の向きにしてください）。")
	tenthRow = shogi.NewText(CodeBoard, "found a tenth row of the board, expected nine",
		"盤面に十段目があります（9段で書きます）。")
	rowCount = shogi.NewText(CodeBoard, "found %d rows of the board, expected nine",
		"盤面が%d段あります（9段必要です）。")
	rowWidth = shogi.NewText(CodeBoard, "row %d has %d squares, expected 9",
		"%d段目が%dマス分です（9マス必要です）。")
	rowName = shogi.NewText(CodeBoard, "found the name %q of row %d, expected %s",
		"%[2]d段目の名前が「%[1]s」です（正しくは「%[3]s」）。")
	afterRow = shogi.NewText(CodeBoard, "found %q after the ninth square, expected |",
		"9マス目の後に「%s」があります（| で終わります）。")
	inCell = shogi.NewText(CodeBoard, "found %q on file %d, expected a piece or ・",
		"%[2]d筋の「%[1]s」は駒ではありません。")
	badHand = shogi.NewText(CodeHand,
		"found %q, expected one of 飛 角 金 銀 桂 香 歩, なし or 残り全部",
		"持駒の「%s」は読めません（飛 角 金 銀 桂 香 歩、なし、残り全部）。")
	badHandKey = shogi.NewText(CodeHand, "found %q, expected the hand of 先手, 後手, 攻方 or 玉方",
		"「%s」が誰の持駒か分かりません（先手、後手、攻方、玉方）。")
	zeroHeld = shogi.NewText(CodeHand, "found 0 of %s, expected at least 1",
		"%sが0枚です（1枚以上）。")
	secondHand = shogi.NewText(CodeRepeated, "found a second hand of %s",
		"%sの持駒が重複しています。")
	secondOdds = shogi.NewText(CodeRepeated, "found a second 手合割", "手合割が重複しています。")
	badOdds    = shogi.NewText(CodeHandicap,
		"found %q and no board, expected a board or a value such as 平手 or 二枚落ち",
		"手合割「%s」では局面が決まりません（平手、二枚落ちなどか、盤面を書きます）。")
	badSide = shogi.NewText(CodeSide, "found %q, expected 先手 or 後手",
		"手番「%s」は先手か後手と書きます。")
	otherTurn = shogi.NewText(CodeSide, "found %s to move, but it was %s before",
		"%sの手番ですが、前には%sの手番とあります。")

	// Of KIF and KI2.
	stray = shogi.NewText(CodeSyntax,
		"found %q, expected a header (key：value), a row of the board (|…|), a move or a comment (*…)",
		"「%s」は、見出し（項目：値）、盤面の段（|…|）、指し手、コメント（*…）のどれでもありません。")
	tooLate = shogi.NewText(CodeSyntax, "found %s after the first move, expected it before",
		"%sが最初の指し手の後にあります（前に書きます）。")
	theSide     = shogi.NewText("", "the side to move", "手番")
	aHand       = shogi.NewText("", "a hand", "持駒")
	thePlies    = shogi.NewText("", "手数＝", "手数＝")
	largeNumber = shogi.NewText(CodeTooLong, "found move number %d, expected less than %d",
		"手数が%dです（%dより小さい数）。")
	badNumber = shogi.NewText(CodeMoveNumber, "found move number %s, expected 1 to %d",
		"手数が%sです（1から%dまで）。")
	otherNumber = shogi.NewText(CodeMoveNumber, "found move number %d, expected %d",
		"手数が%dです（次は%d手目です）。")
	afterEnd = shogi.NewText(CodeAfterEnd,
		"found move number %d after the end of the line, expected 変化 or nothing (%d)",
		"終局の後に%[1]d手目があります（この後は変化だけです）。")
	numberAlone = shogi.NewText(CodeMoveNumber, "found move number %d without a board, expected 1",
		"盤面がないのに%d手目から始まっています（1手目から書きます）。")
	noMove = shogi.NewText(CodeMoveSyntax, "found %q, expected a move or a word such as 詰み",
		"「%s」は指し手でも終局の語（詰みなど）でもありません。")
	noMarkedMove = shogi.NewText(CodeMoveSyntax,
		"found %q, expected a move, which begins with ▲ or △",
		"「%s」は ▲ か △ で始まる指し手ではありません。")
	afterMove = shogi.NewText(CodeMoveSyntax,
		"found %q after the move, expected the time in parentheses or +",
		"指し手の後の「%s」は、括弧に入れた時間でも + でもありません。")
	inMove = shogi.NewText(CodeMoveSyntax, "found %q in a move, expected %s",
		"指し手の「%s」は読めません（%s）。")
	aSquare = shogi.NewText("", "a square, since no move comes before 同",
		"「同」の前に手がないので、マスを書きます")
	aFile     = shogi.NewText("", "a file from １ to ９, or 同", "筋（１～９）か「同」を書きます")
	aRank     = shogi.NewText("", "a rank from 一 to 九", "段（一～九）を書きます")
	aPiece    = shogi.NewText("", "the name of a piece", "駒の名前を書きます")
	notNari   = shogi.NewText("", "不成", "「不成」と書きます")
	theOrigin = shogi.NewText("", "where the piece comes from, such as (63), for there is no board",
		"盤面がないので、(63) のように移動元のマスを書きます")
	noWords = shogi.NewText("", "no more words", "語は四つまでです")

	otherMover = shogi.NewText(CodeSide, "found a move of %s, but %s is to move",
		"%sの手ですが、%sの手番です。")
	contradicts = shogi.NewText(CodeMoveSyntax, "the words of the move contradict each other",
		"指し手の語が矛盾しています。")
	otherPiece = shogi.NewText(CodeMoveMismatch, "found a %s %s moving from %s, which %s",
		"%sの%sが%sから動く手ですが、そこ%s。")
	isEmpty   = shogi.NewText("", "is empty", "には駒がありません")
	holds     = shogi.NewText("", "holds a %s %s", "にあるのは%sの%sです")
	ambiguous = shogi.NewText(CodeMoveAmbiguous, "the %s on %s can all go to %s",
		"どの%[1]sの手か決まりません（%[3]sには%[2]sから動けます）。")
	noOrigin = shogi.NewText(CodeIllegalMove, "no %s of %s can go to %s",
		"%[3]sに動ける%[2]sの%[1]sがありません。")
	noSuchOrigin = shogi.NewText(CodeMoveMismatch, "no %s of %s can go to %s in this way (%s)",
		"%[3]sに動ける%[2]sの%[1]sはありますが、「%[4]s」の手はありません。")
	notDroppable = shogi.NewText(CodeMoveMismatch, "a %s cannot be dropped", "%sは打てません。")
	afterEnding  = shogi.NewText(CodeAfterEnd, "found a move after %s, which ends the line",
		"%sの後に指し手があります。")
	tooDeep = shogi.NewText(CodeTooLong, "found more than %d variations in each other",
		"変化が%d段より深く入っています。")
	noBranch = shogi.NewText(CodeVariation,
		"found a variation of move %d, but no line before it has such a move or the one before",
		"%d手目の変化ですが、その元になる手がありません。")
	behindMove = shogi.NewText(CodeMoveSyntax, "found %q after a move",
		"指し手の後の「%s」は読めません。")

	// Of CSA.
	noCSASide = shogi.NewText(CodeMissing,
		"found the end of the record, expected a line + or - for the side to move",
		"手番の行（+ か -）がないまま終わっています。")
	badCSAHeader = shogi.NewText(CodeSyntax, "found %q, expected N+, N- or $KEY:value",
		"「%s」は N+、N-、$項目:値 のどれでもありません。")
	secondSide = shogi.NewText(CodeRepeated, "found a second side to move",
		"手番が重複しています。")
	afterSide = shogi.NewText(CodeSyntax, "found %q after the side to move, expected it before",
		"「%s」が手番の後にあります（前に書きます）。")
	beforeCSASide = shogi.NewText(CodeMissing,
		"found %q, expected a line + or - for the side to move before it",
		"「%s」の前に手番の行（+ か -）がありません。")
	noStatement = shogi.NewText(CodeSyntax,
		"found %q, expected a statement of CSA (P, N, $, +, -, %%, T, ')",
		"「%s」は CSA の行（P、N、$、+、-、%%、T、'）ではありません。")
	missingRow = shogi.NewText(CodeMissing, "found no line P%d, but others of the board",
		"盤面の P%d の行がありません。")
	secondPI = shogi.NewText(CodeRepeated, "found PI after another position",
		"別の局面の後に PI があります。")
	badRemoval = shogi.NewText(CodeBoard, "found %q, expected a square and a piece to take away",
		"「%s」は取り除くマスと駒ではありません。")
	notThere = shogi.NewText(CodeBoard, "found %q to be taken away, which does not stand there",
		"取り除く「%s」がそこにありません。")
	secondRow   = shogi.NewText(CodeRepeated, "found a second row %d", "%d段目が重複しています。")
	badPosition = shogi.NewText(CodeSyntax, "found %q, expected PI, P1 to P9, P+ or P-",
		"「%s」は PI、P1～P9、P+、P- のどれでもありません。")
	badGroup = shogi.NewText(CodeBoard, "found %q, expected %s", "「%s」は%sではありません。")
	aRemoval = shogi.NewText("", "a square and a piece, such as 82HI", "マスと駒（82HI など）")
	aPlacing = shogi.NewText("", "a square and a piece, such as 51OU or 00KI",
		"マスと駒（51OU、00KI など）")
	restOnBoard = shogi.NewText(CodeHand, "found %q, but AL goes with 00",
		"「%s」の AL は 00 と書きます。")
	notHeld = shogi.NewText(CodeHand, "found %q, which cannot be held",
		"「%s」は持駒にできません。")
	occupied = shogi.NewText(CodeRepeated, "found %q on a square that holds a piece already",
		"「%s」のマスには駒がもうあります。")
	twoPieces = shogi.NewText(CodeRepeated, "found a piece on a square that holds one already",
		"駒のあるマスにまた駒があります。")
	inCSARow = shogi.NewText(CodeBoard, "found %q on file %d, expected *, or + or - and a piece",
		"%[2]d筋の「%[1]s」は駒ではありません。")
	afterCSARow = shogi.NewText(CodeBoard, "found %q after the ninth square",
		"9マス目の後に「%s」があります。")
	badCSAMove = shogi.NewText(CodeMoveSyntax, "found %q, expected a move such as +7776FU",
		"「%s」は +7776FU のような指し手ではありません。")
	afterCSAEnd = shogi.NewText(CodeAfterEnd, "found a move after %%%s, which ends the game",
		"%%%s の後に指し手があります。")
	noCSAPiece = shogi.NewText(CodeMoveMismatch, "there is no %s piece on %s",
		"%[2]sに%[1]sの駒がありません。")
	hasToTurn = shogi.NewText(CodeIllegalMove, "the %s has to promote on %s",
		"%sは%sで成らなければなりません。")
	otherName = shogi.NewText(CodeMoveMismatch, "found %q, but a %s stands on %s",
		"「%s」ですが、%[3]sにあるのは%[2]sです。")
	noCSAEnding = shogi.NewText(CodeSyntax, "found %%, expected a word after it",
		"%% の後に語がありません。")
	badTime = shogi.NewText(CodeSyntax,
		"found %q, expected T and the seconds of the move before",
		"「%s」は T と前の手の秒数ではありません。")

	// Of JKF.
	noJSON = shogi.NewText(CodeJSON, "found %q where JSON has no such character",
		"JSON にない位置に「%s」があります。")
	cutOff = shogi.NewText(CodeJSON,
		"found the end of the text within the JSON: a } or ] is missing",
		"JSON が途中で終わっています（} か ] がありません）。")
	otherType = shogi.NewText(CodeJSON, "found a %s as %s, expected %s",
		"%[2]s が %[1]s です（%[3]sを書きます）。")
	theText   = shogi.NewText("", "the text", "全体")
	aString   = shogi.NewText("", "a string", "文字列")
	anInteger = shogi.NewText("", "a whole number", "整数")
	aBoolean  = shogi.NewText("", "true or false", "true か false")
	aList     = shogi.NewText("", "a list ([…])", "配列（[…]）")
	anObject  = shogi.NewText("", "an object ({…})", "オブジェクト（{…}）")
	badHeader = shogi.NewText(CodeJSON, "expected header to be an object",
		"header はオブジェクトで書きます。")
	badValue = shogi.NewText(CodeJSON, "expected the values of header to be strings",
		"header の値は文字列で書きます。")
	noMoves = shogi.NewText(CodeMissing, "found no \"moves\", expected an array",
		"\"moves\" の配列がありません。")
	badPreset = shogi.NewText(CodeHandicap,
		"found the preset %q, expected OTHER or one such as HIRATE",
		"preset「%s」は OTHER でも HIRATE などでもありません。")
	noData = shogi.NewText(CodeMissing, "found no \"data\", which the preset OTHER needs",
		"preset が OTHER なのに \"data\" がありません。")
	otherPreset = shogi.NewText(CodeHandicap, "found a position that is not the preset %s",
		"局面が preset の %s と違います。")
	badColor   = shogi.NewText(CodeSide, "expected the color 0 or 1", "color は 0 か 1 です。")
	badColorOf = shogi.NewText(CodeBoard, "expected the color 0 or 1",
		"駒の color は 0 か 1 です。")
	fileCount = shogi.NewText(CodeBoard, "found %d files, expected 9",
		"盤が%d筋です（9筋で書きます）。")
	fileLength = shogi.NewText(CodeBoard, "found %d squares on file %d, expected 9",
		"%[2]d筋が%[1]dマス分です（9マス必要です）。")
	badKind = shogi.NewText(CodeBoard, "found the kind %q, expected one such as FU",
		"kind「%s」は FU などの駒ではありません。")
	handCount = shogi.NewText(CodeHand, "found %d hands, expected 2",
		"持駒が%d人分です（二人分を書きます）。")
	badCount = shogi.NewText(CodeHand, "found %d, expected a number of pieces",
		"%dは枚数ではありません。")
	forksDeep = shogi.NewText(CodeTooLong, "found more than %d forks in each other",
		"forks が%d段より深く入っています。")
	otherColor = shogi.NewText(CodeSide, "found a move of color %d, but %s is to move",
		"color %d の手ですが、%sの手番です。")
	badPiece = shogi.NewText(CodeMoveSyntax, "found the piece %q, expected one such as FU",
		"piece「%s」は FU などの駒ではありません。")
	badSquare = shogi.NewText(CodeMoveSyntax, "expected x and y from 1 to 9",
		"x と y は 1 から 9 までです。")
	noSquare = shogi.NewText(CodeMoveSyntax, "found neither \"to\" nor \"same\"",
		"\"to\" も \"same\" もありません。")
	sameNothing = shogi.NewText(CodeMoveSyntax, "found \"same\", but no move comes before",
		"\"same\" ですが、前の手がありません。")
	sameOther = shogi.NewText(CodeMoveMismatch, "found \"same\", but the move before went to %s",
		"\"same\" ですが、前の手は%sへの手です。")
	badRelative = shogi.NewText(CodeMoveSyntax, "found %q, expected letters of L C R U M D H",
		"relative「%s」は L C R U M D H の文字ではありません。")
	noCapture = shogi.NewText(CodeMoveMismatch,
		"found the capture of %q, but %s does not hold one",
		"「%s」を取る手ですが、%sにその駒はありません。")
)

// squares are several squares in a sentence.
type squares []shogi.Square

func (s squares) String() string   { return s.joined(" and ", shogi.Square.String) }
func (s squares) Japanese() string { return s.joined("と", shogi.Square.Japanese) }

func (s squares) joined(between string, name func(shogi.Square) string) string {
	names := make([]string, len(s))
	for i, sq := range s {
		names[i] = name(sq)
	}
	return strings.Join(names, between)
}
