package site

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/shogi/sfenurl"
)

// japanese says in Japanese what is wrong with a position, by the codes of packages shogi and
// notation. The messages of those packages, which say more, are in English. The page has the table
// for what the API finds in a pasted text.
var japanese = map[string]string{
	shogi.CodeMissingField:    "SFEN が途中で終わっています。",
	shogi.CodeTrailingText:    "局面の後に余分な文字があります。",
	shogi.CodeTooLong:         "長すぎます。",
	shogi.CodeRankCount:       "盤は九段で書きます。",
	shogi.CodeRankWidth:       "九マスになっていない段があります。",
	shogi.CodePieceLetter:     "駒でも数字でもない文字があります。",
	shogi.CodePromotedKind:    "成れない駒に「+」が付いています。",
	shogi.CodeSide:            "手番が正しくありません（SFEN では b か w）。",
	shogi.CodeHandLetter:      "持駒に、駒でない文字があります。",
	shogi.CodeHandCount:       "持駒の枚数が正しくありません。",
	shogi.CodeKingInHand:      "玉は持駒にできません。",
	shogi.CodePly:             "手数が正しくありません。",
	shogi.CodePieceCount:      "駒が一組より多くあります。",
	shogi.CodeKingCount:       "同じ側の玉が二枚あります。",
	shogi.CodeNifu:            "二歩です。",
	shogi.CodeDeadPiece:       "行き所のない駒があります。",
	shogi.CodeOpponentInCheck: "手番の側が玉を取れる局面です。",
	shogi.CodeMoveSyntax:      "指し手として読めません。",
	shogi.CodeIllegalMove:     "その局面では指せない手です。",

	notation.CodeCharset:       "文字コードを読めません（UTF-8、UTF-16、Shift_JIS、EUC-JP のどれかにしてください）。",
	notation.CodeFormat:        "SFEN・KIF・KI2・BOD・CSA・JKF のどれとしても読めません。",
	notation.CodeSyntax:        "この行は読めません。",
	notation.CodeJSON:          "JSON（JKF）として読めません。",
	notation.CodeMissing:       "局面か、その一部がありません。",
	notation.CodeRepeated:      "同じ項目が二度あります。",
	notation.CodeBoard:         "盤面図のこの段は読めません。",
	notation.CodeHand:          "持駒を読めません。",
	notation.CodeHandicap:      "この手合割では局面が決まりません。",
	notation.CodeMoveNumber:    "手数の番号が合いません。",
	notation.CodeMoveAmbiguous: "どの駒の手か決まりません。",
	notation.CodeMoveMismatch:  "指し手が盤面と合いません。",
	notation.CodeAfterEnd:      "終局の後に指し手があります。",
	notation.CodeVariation:     "変化の元になる手がありません。",
	notation.CodeNoText:        "テキストではありません（PDF や画像などは読めません）。棋譜や局面の文字を入れてください。",
	notation.CodeAddress:       "このアドレスには局面が入っていません（アドレスの先は読みに行きません）。局面や棋譜そのものを入れてください。",
	"no_defender":// of the service
	"詰ます相手の玉がありません。",
}

// details say more than japanese does where the English messages say it: each is a regular expression
// that one of them matches and what it is in Japanese, with the groups as terms has them. The page
// has them, too, so that both languages of regular expressions have to read them.
var details = [][2]string{
	{`found a second (black|white) pawn on file ([1-9])`, "二歩です。$2筋に$1の歩が二枚あります。"},
	{`found a (black|white) ([a-z]+) on ([1-9])([a-i]), where it can never move`,
		"行き所のない駒です（$3$4の$1の$2）。"},
	{`found a second (black|white) king on ([1-9])([a-i])`, "$1の玉が二枚あります（$2$3）。"},
	{`found ([0-9]+) ([a-z]+)s \(([0-9]+) on the board, ([0-9]+) in hand\), a set has ([0-9]+)`,
		"$2が$1枚あります（盤に$3枚、持駒に$4枚。一組は$5枚です）。"},
	{`found ([0-9]+) ranks?, expected 9`, "盤が$1段です（九段で書きます）。"},
	{`rank ([0-9]+)[ a-i()]* is ([0-9]+) squares wide`, "$1段目が$2マスです（九マスで書きます）。"},
	{`row ([0-9]+) has ([0-9]+) squares`, "$1段目が$2マスです（九マスで書きます）。"},
	{`found (?:[^"]*), expected b or w`, "手番（b か w）がありません。"},
	{`found (?:[^"]*), expected the pieces in hand`, "持駒がありません（なければ - と書きます）。"},
	{`found "([^"]+)" in rank ([0-9]+)`, "$2段目の「$1」は駒でも数字でもありません。"},
	{`found "([^"]+)" on file ([1-9])`, "$2筋の「$1」は駒ではありません。"},
}

// terms are words of the groups of details.
var terms = map[string]string{"black": "先手", "white": "後手", "pawn": "歩", "lance": "香", "knight": "桂",
	"silver": "銀", "gold": "金", "bishop": "角", "rook": "飛", "king": "玉",
	"a": "一", "b": "二", "c": "三", "d": "四", "e": "五", "f": "六", "g": "七", "h": "八", "i": "九"}

var patterns = func() (all []*regexp.Regexp) {
	for _, d := range details {
		all = append(all, regexp.MustCompile(d[0]))
	}
	return all
}()

var groupText = regexp.MustCompile(`\$[0-9]`)

// inJapanese says in Japanese what a message in English says of a fault with a code.
func inJapanese(code, message string) string {
	for i, pattern := range patterns {
		found := pattern.FindStringSubmatch(message)
		if found == nil {
			continue
		}
		return groupText.ReplaceAllStringFunc(details[i][1], func(group string) string {
			text := found[group[1]-'0']
			if term := terms[text]; term != "" {
				return term
			}
			return text
		})
	}
	return japanese[code]
}

// A faultTable is what a page needs to do that.
type faultTable struct {
	Codes   map[string]string `json:"codes"`
	Details [][2]string       `json:"details"`
	Terms   map[string]string `json:"terms"`
}

// Japanese returns the table to a page in Japanese, nothing to others.
func (v *view) Japanese() *faultTable {
	if v.Lang != "ja" {
		return nil
	}
	return &faultTable{japanese, details, terms}
}

// explain says what is wrong with the position of an address, for people.
func (v *view) explain(err error) (faults []string) {
	var position *shogi.SFENError
	var address *sfenurl.Error
	var record *notation.Error
	switch {
	case errors.As(err, &record):
		for _, f := range record.Faults {
			place := fmt.Sprintf(v.T("%d行%d文字目：", "Line %d, column %d: "), f.Line, f.Column)
			faults = append(faults, place+v.T(f.Msg.Japanese(), f.Msg.String()))
		}
	case errors.As(err, &position):
		for _, f := range position.Faults {
			place := ""
			if f.Offset >= 0 {
				place = fmt.Sprintf(v.T("%d文字目：", "Character %d: "), f.Offset+1)
			}
			faults = append(faults, place+v.T(f.Msg.Japanese(), f.Msg.String()))
		}
	default:
		if m, ok := shogi.MessageOf(err); ok {
			faults = append(faults, v.T(m.Japanese(), m.String()))
		} else {
			faults = append(faults, err.Error())
		}
	}
	if errors.As(err, &address) && address.Plus {
		faults = append(faults, v.T(sfenurl.PlusHint.Ja, sfenurl.PlusHint.En))
	}
	return slices.Compact(faults) // in Japanese, two may be one
}
