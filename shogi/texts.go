package shogi

import "strconv"

// The sentences about faults. Each stands in both languages; its facts come in the order of the
// English one.
var (
	badPosition = NewText("", "bad position: %s", "局面に誤りがあります。%s")
	tooLong     = NewText(CodeTooLong, "found %d bytes, expected at most %d",
		"%dバイトあります（%dバイトまで）。")
	noPosition = NewText(CodeMissingField, "found nothing, expected a position",
		"局面がありません。")
	noSide = NewText(CodeMissingField, "found %s, expected b or w",
		"%sの前に手番（b か w）がありません。")
	noHands = NewText(CodeMissingField, "found %s, expected the pieces in hand, or - for none",
		"%sの前に持駒がありません（なければ - と書きます）。")
	endOfText = NewText("", "the end of the text", "文の終わり")
	wordMoves = NewText("", "the word moves", "moves ")
	moreText  = NewText(CodeTrailingText, "found %q after the position, expected nothing",
		"局面の後に余分な「%s」があります。")
	noWordMoves = NewText(CodeTrailingText,
		"found %q after the position, expected the word moves or nothing",
		"局面の後に「%s」があります（指し手の前には moves と書きます）。")

	rankCount = NewText(CodeRankCount, "found %s, expected 9", "盤が%s段あります（9段必要です）。")
	tornRank  = NewText(CodeRankCount,
		"found 10 ranks, expected 9: ranks %s and %s are %d and %d squares "+
			"wide, is the / between them one too many?",
		"盤が10段あります（9段必要です）。%s段目が%[3]dマス、%[2]s段目が%[4]dマスなので、"+
			"間の / が余分かもしれません。")
	rankWidth = NewText(CodeRankWidth, "rank %s is %d squares wide (%q), expected 9",
		"%[1]s段目が%[2]dマス分です（9マス必要です）。")
	noPiece = NewText(CodePieceLetter,
		"found %q in rank %s, expected a piece letter or a digit 1-9",
		"%[2]s段目の「%[1]s」は駒でも数字でもありません。")
	noPieceValue = NewText(CodePieceLetter, "found no piece but the value %d on %s",
		"%[2]sの値%[1]dは駒ではありません。")
	cannotPromote = NewText(CodePromotedKind,
		"found %s in rank %s, expected + and one of P L N S B R",
		"%[2]s段目の「+」の後が%[1]sです（成れる駒は P L N S B R です）。")
	endOfRank = NewText("", "the end of the rank", "段の終わり")

	badSide = NewText(CodeSide, "found %q, expected b or w",
		"手番「%s」は b か w と書きます。")
	badSideValue = NewText(CodeSide, "found the value %d, expected Black or White",
		"手番の値%dは先手でも後手でもありません。")
	badPly = NewText(CodePly, "found %q, expected a move number from 1 to %d",
		"手数「%s」は1から%dまでの数で書きます。")
	badPlyValue = NewText(CodePly, "found move number %d, expected 1 to %d",
		"手数が%dです（1から%dまで）。")
	plyTooLarge = NewText(CodePly, "move %d: the move number would exceed %d",
		"%d手目で手数が%dを超えます。")

	countAlone = NewText(CodeHandCount, "found the count %q without a piece after it",
		"持駒の枚数「%s」の後に駒がありません。")
	notHeld = NewText(CodeHandLetter,
		"found %q, expected a count or one of R B G S N L P in either case",
		"持駒の「%s」は駒でも枚数でもありません。")
	kingHeld = NewText(CodeKingInHand, "found %q, but a king cannot be held",
		"玉（%s）は持駒にできません。")
	badCount = NewText(CodeHandCount, "found %q, expected a count from 1 to %d",
		"持駒「%s」の枚数は1から%dまでです。")
	tooManyHeld = NewText(CodeHandCount, "found %d %s in one hand, a set has %d",
		"持駒に%[2]sが%[1]d枚あります（一組は%[3]d枚です）。")
	badHandValue = NewText(CodeHandCount, "found no hand but the value %#x for %s",
		"%[2]sの持駒の値%#[1]xは持駒ではありません。")

	secondKing = NewText(CodeKingCount, "found a second %s king on %s, expected at most one",
		"%sの玉が二枚あります（%s）。")
	secondPawn = NewText(CodeNifu, "found a second %s pawn on file %d (nifu)",
		"二歩です。%[2]d筋に%[1]sの歩が二枚あります。")
	deadPiece = NewText(CodeDeadPiece, "found a %s %s on %s, where it can never move",
		"行き所のない駒です（%[3]sの%[1]sの%[2]s）。")
	tooManyPieces = NewText(CodePieceCount,
		"found %d %ss (%d on the board, %d in hand), a set has %d",
		"%[2]sが%[1]d枚あります（盤に%[3]d枚、持駒に%[4]d枚。一組は%[5]d枚です）。")
	opponentInCheck = NewText(CodeOpponentInCheck,
		"%s is to move, but the %s king on %s already stands in check from %s",
		"%sの手番なのに、%[3]sの%[2]s玉に%[4]sから王手がかかっています。")

	badMove = NewText(CodeMoveSyntax, "%q is not a USI move: %s",
		"「%s」は USI の指し手ではありません。%s")

	badMoveLength = NewText(CodeMoveSyntax,
		"expected 4 or 5 characters, such as 7g7f, 8h2b+ or P*5e",
		"7g7f、8h2b+、P*5e のように4文字か5文字で書きます。")
	badLastSquare = NewText(CodeMoveSyntax, "its last square is not a file 1-9 and a rank a-i",
		"移動先は筋の 1～9 と段の a～i で書きます。")
	badFirstSquare = NewText(CodeMoveSyntax, "its first square is not a file 1-9 and a rank a-i",
		"移動元は筋の 1～9 と段の a～i で書きます。")
	badDrop = NewText(CodeMoveSyntax, "a drop starts with one of P L N S B R G in upper case",
		"打つ駒は P L N S B R G のどれかを大文字で書きます。")
	promotedDrop = NewText(CodeMoveSyntax, "a drop cannot promote", "打つ手では成れません。")
	noDistance   = NewText(CodeMoveSyntax, "origin and destination are the same",
		"移動元と移動先が同じです。")
	badSuffix = NewText(CodeMoveSyntax, "the fifth character can only be +",
		"5文字目に書けるのは + だけです。")

	badSquare = NewText(CodeMoveSyntax,
		"%q is not a square (expected a file 1-9 and a rank a-i, such as 7g)",
		"「%s」はマスではありません（7g のように筋の 1～9 と段の a～i で書きます）。")

	badMoveAt     = NewText(CodeMoveSyntax, "move %d: %s", "%d手目：%s")
	illegalMoveAt = NewText(CodeIllegalMove, "move %d: %s", "%d手目：%s")
	illegalMove   = NewText(CodeIllegalMove, "%s is not legal: %s, in %s",
		"「%[1]s」は指せません。%[2]s")

	noMove     = NewText(CodeIllegalMove, "it is no move", "指し手ではありません。")
	notInHand  = NewText(CodeIllegalMove, "%s has no %s in hand", "%sの持駒に%sがありません。")
	isOccupied = NewText(CodeIllegalMove, "%s is occupied", "%sには駒があります。")
	deadDrop   = NewText(CodeIllegalMove, "a %s could never move from %s",
		"%[2]sの%[1]sは行き所のない駒になります。")
	pawnOnFile = NewText(CodeIllegalMove, "%s already has a pawn on file %d (nifu)",
		"二歩です。%[2]d筋に%[1]sの歩があります。")
	emptyOrigin = NewText(CodeIllegalMove, "there is no %s piece on %s",
		"%[2]sに%[1]sの駒がありません。")
	notOwn = NewText(CodeIllegalMove, "there is no %s piece on %s but a %s %s",
		"%[2]sにあるのは%[1]sの駒ではなく%[3]sの%[4]sです。")
	cannotReach = NewText(CodeIllegalMove, "the %s on %s cannot go to %s",
		"%[2]sの%[1]sは%[3]sに動けません。")
	isBlocked = NewText(CodeIllegalMove, "the %s on %s cannot go to %s past the piece on %s",
		"%[2]sの%[1]sは%[4]sの駒を越えて%[3]sに動けません。")
	ownPiece = NewText(CodeIllegalMove, "the %s on %s cannot go to %s, where a %s piece stands",
		"%[2]sの%[1]sは%[4]sの駒がある%[3]sに動けません。")
	mustPromote = NewText(CodeIllegalMove, "the %s must promote, it could never move from %s",
		"%sは成らなければなりません（%sでは行き所のない駒になります）。")
	mayNotPromote = NewText(CodeIllegalMove, "the %s cannot promote there",
		"%sはそこで成れません。")
	leavesInCheck = NewText(CodeIllegalMove, "it leaves the king in check",
		"玉に王手がかかったままになります。")
	mateByPawn = NewText(CodeIllegalMove, "it mates by a pawn drop (uchifuzume)",
		"打歩詰です。")
)

// A rankNumber is a rank of a text, counted from 0: "5 (e)", or beyond the board its number alone.
type rankNumber int

func (n rankNumber) String() string {
	if n < 9 {
		return n.Japanese() + " (" + string('a'+rune(n)) + ")"
	}
	return n.Japanese()
}

func (n rankNumber) Japanese() string { return strconv.Itoa(int(n) + 1) }

// A numberOfRanks is "1 rank" or "8 ranks".
type numberOfRanks int

func (n numberOfRanks) String() string {
	if n == 1 {
		return "1 rank"
	}
	return n.Japanese() + " ranks"
}

func (n numberOfRanks) Japanese() string { return strconv.Itoa(int(n)) }

// A quotation is a part of a text.
type quotation string

func (q quotation) String() string   { return strconv.Quote(string(q)) }
func (q quotation) Japanese() string { return "「" + inJapanese(string(q)).(string) + "」" }
