package wire

import (
	"errors"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/sfenurl"
)

// The sentences about faults of a request, and the details of problems that several packages have.
// The facts come in the order of the English one.
var (
	unknownField     = shogi.NewText("unknown", "unexpected property", "未知の項目です。")
	unknownParameter = shogi.NewText("unknown", "unexpected parameter, expected %s",
		"使えないパラメーターです（%s のどれか）。")
	givenTwice = shogi.NewText("repeated", "found a second time, expected once",
		"重複しています（書けるのは一度だけです）。")
	keyTwice = shogi.NewText("repeated", "found the key %q a second time",
		"項目「%s」が重複しています。")
	requiredField = shogi.NewText("required", "expected required property %s to be present",
		"必要な項目 %s がありません。")
	requiredParameter = shogi.NewText("required", "required query parameter is missing",
		"必要なパラメーターがありません。")
	emptyString = shogi.NewText("required", "expected length >= 1", "空です。")
	wantObject  = shogi.NewText("type", "expected object", "オブジェクトで書きます。")
	wantArray   = shogi.NewText("type", "expected array", "配列で書きます。")
	wantBoolean = shogi.NewText("type", "expected boolean", "true か false で書きます。")
	wantString  = shogi.NewText("type", "expected string", "文字列で書きます。")
	wantInteger = shogi.NewText("type", "expected integer", "整数で書きます。")
	wantID      = shogi.NewText("type", "expected a string or a number",
		"文字列か数で書きます。")
	invalidBoolean = shogi.NewText("type", "invalid boolean", "true か false で書きます。")
	invalidInteger = shogi.NewText("type", "invalid integer", "整数で書きます。")
	notOneOf       = shogi.NewText("value", `expected value to be one of "%s"`,
		"%s のどれかを書きます。")
	belowLeast   = shogi.NewText("range", "expected number >= %d", "%d以上の数を書きます。")
	aboveMost    = shogi.NewText("range", "expected number <= %d", "%d以下の数を書きます。")
	tooManyBytes = shogi.NewText("too_long", "found %d bytes, expected at most %d",
		"%dバイトあります（%dバイトまで）。")
	tooManyItems = shogi.NewText("too_long", "expected array length <= %d", "%d個まで書けます。")
	notUTF8      = shogi.NewText("charset", "expected UTF-8", "UTF-8 で書きます。")

	noKingOf = shogi.NewText("no_defender", "%s has no king to mate", "%sに詰ます玉がありません。")
	noAttack = shogi.NewText("no_check",
		"%s is to move and not in check, so there is no attack by %s to reply to",
		"%sの手番で王手もかかっていないので、%sの攻めに受ける手がありません。")
	defenderMoves = shogi.NewText("defender_to_move",
		"the defender is to move, but a problem begins with a move of the attacker",
		"玉方の手番ですが、詰将棋は攻方の手から始まります。")
	noKing = shogi.NewText("no_king", "there is no king, and a game needs one at least",
		"玉がありません（対局には少なくとも一枚必要です）。")
	tooManyMoves = shogi.NewText("too_many_moves",
		"found %d moves, expected at most %d: begin with a later position",
		"指し手が%d手あります（%d手まで）。後の局面から始めてください。")

	// A move that a package found wrong, under the name that package shogi gives its errors.
	wrongMove = shogi.NewText("", "shogi: %s", "%s")
	inField   = shogi.NewText("", "%s: %s", "%[2]s") // of an SFEN
	// An error that no package of ours has worded.
	otherError = shogi.NewText("", "%s", "%s")

	isOfBody = shogi.NewText("unknown",
		"unexpected parameter: of a JSON question, everything is part of the body",
		"使えないパラメーターです（JSON の質問では、すべてを本文に書きます）。")
	noList = shogi.NewText("value", "there is no list %q of known problems, but: %s",
		"「%s」という既知作品の一覧はありません（あるのは：%s）。")
	isOfSolving = shogi.NewText("unknown", "unexpected property: it is no limit of an analysis",
		"使えない項目です（検討の制限ではありません）。")
	isOfVerdict = shogi.NewText("unknown",
		"unexpected property: only the verdict of a position is checked, not that of each move",
		"使えない項目です（検証できるのは局面の判定だけで、各手の判定は検証できません）。")
	isLimitOfAnalysis = shogi.NewText("unknown",
		"unexpected property: it is a limit of an analysis",
		"使えない項目です（検討の制限です）。")
	isOfAnalysis = shogi.NewText("unknown",
		"unexpected parameter: it is of an analysis, which ask=analyze asks for",
		"使えないパラメーターです（ask=analyze の検討のものです）。")
	bodyIsLines = shogi.NewText("unknown", "unexpected parameter: the body is lines",
		"使えないパラメーターです（本文が行の並びのため）。")
	analysisOfStart = shogi.NewText("unknown",
		"unexpected parameter: an analysis is of the position a record begins with",
		"使えないパラメーターです（検討は棋譜の開始局面についてです）。")
	severalRecords = shogi.NewText("unknown", "unexpected parameter: there are several records",
		"使えないパラメーターです（棋譜が複数あるため）。")

	// Of what is not JSON: what was found, and where.
	notJSON = shogi.NewText("json", "The text is not JSON: %s, at byte %d.",
		"JSON ではありません：%[1]s（%[2]dバイト目）。")
	beginsMarked = shogi.NewText("json", "The text begins with a byte order mark (EF BB BF), "+
		"which is no part of JSON: send it without.", "先頭にバイト順マーク（EF BB BF）があります。JSON の一部ではないので、除いて送ってください。")
	byteOrderMarkFound = shogi.NewText("json", "found a byte order mark",
		"バイト順マークがあります。")
	emptyBody = shogi.NewText("json", "The body is empty, expected a JSON object.",
		"本文が空です（JSON のオブジェクトを送ってください）。")
	nestedOrNotUTF8 = shogi.NewText("json", "The text is nested too deeply, or not in UTF-8.",
		"入れ子が深すぎるか、UTF-8 ではありません。")
	jsonEnds = shogi.NewText("json", "found the end of the text within the JSON",
		"JSON が途中で終わっています")
	jsonDeep = shogi.NewText("json", "found too many lists or objects in each other",
		"配列やオブジェクトの入れ子が深すぎます")
	foundAt        = shogi.NewText("json", "%s %s", "%[2]s%[1]sがあります")
	foundCharacter = shogi.NewText("", "found %q", "「%s」")
	foundByte      = shogi.NewText("", "found the byte %#x", "バイト%#x")
	elsewhere      = shogi.NewText("", "where JSON has none", "JSON にない位置に")

	oneFault   = shogi.NewText("", "The request has 1 fault.", "リクエストに誤りが1件あります。")
	faultCount = shogi.NewText("", "The request has %d faults.", "リクエストに誤りが%d件あります。")
	manyFaults = shogi.NewText("", "The request has %d faults; the first %d are listed.",
		"リクエストに誤りが%d件あります（最初の%d件を示します）。")
)

// The details of problems that several packages have.
var (
	LineExceeds = shogi.NewText("", "The line exceeds %d bytes.", "行が%dバイトを超えています。")
	LineFailed  = shogi.NewText("", "The line could not be answered.",
		"この行には答えられませんでした。")
	AnswerFailed = shogi.NewText("", "The request could not be answered.",
		"リクエストに応答できませんでした。")
	Ending = shogi.NewText("", "The service is shutting down.",
		"サービスは終了するところです。")
)

// jsonPlaces are where encoding/json says that a character is wrong, and what we say. The first
// that fits counts.
var jsonPlaces = []struct {
	theirs string
	place  *shogi.Text
}{
	{"after top-level value", shogi.NewText("", "after the end of the JSON",
		"JSON の終わりの後に")},
	{"beginning of object key string", shogi.NewText("",
		"where a name in double quotes is expected",
		"二重引用符で囲んだ名前の位置に")},
	{"beginning of value", shogi.NewText("", "where a value is expected", "値の位置に")},
	{"after object key:value pair", shogi.NewText("", "where , or } is expected",
		", か } の位置に")},
	{"after object key", shogi.NewText("", "where : is expected", ": の位置に")},
	{"after array element", shogi.NewText("", "where , or ] is expected", ", か ] の位置に")},
	{"in string escape code", shogi.NewText("", `behind a \ in a string`, `文字列の \ の後に`)},
	{"in string literal", shogi.NewText("", "in a string", "文字列の中に")},
	{"in literal", shogi.NewText("", "in true, false or null", "true、false、null の中に")},
}

// NewFault returns a fault at a place.
func NewFault(location string, m shogi.Message) Fault {
	return Fault{Location: location, Code: m.Text.Code, Message: m.String(), MessageJa: m.Japanese()}
}

// fault is NewFault for a sentence and its facts.
func fault(location string, what *shogi.Text, args ...any) Fault {
	return NewFault(location, what.With(args...))
}

// ErrorFault returns the fault that an error of package shogi, solver or one of those below them is.
func ErrorFault(location string, err error) Fault {
	m, ok := shogi.MessageOf(err)
	if !ok {
		m = otherError.With(err)
	}
	return NewFault(location, m)
}

// PositionFaults returns what is wrong with the text of a position, from an error of package shogi
// or sfenurl.
func PositionFaults(location string, err error) []Fault {
	var faults []Fault
	if sfen, ok := errors.AsType[*shogi.SFENError](err); ok {
		for _, f := range sfen.Faults {
			one := fault(location, inField, f.Field, f.Msg)
			if one.Code = f.Code; f.Offset >= 0 {
				one.Offset = &f.Offset
			}
			faults = append(faults, one)
		}
	} else {
		faults = []Fault{ErrorFault(location, err)}
	}
	if e, ok := errors.AsType[*sfenurl.Error](err); ok && e.Plus {
		faults = append(faults, fault(location, sfenurl.PlusHint))
	}
	return faults
}
