package main

import (
	"cmp"
	"errors"
	"fmt"
	"syscall"
)

// A refusal says why a certificate proves nothing. The checker panics with it, check recovers.
type refusal struct {
	format string // a key of reasonsJa
	args   []any
	count  int    // of the words read
	word   string // the last of them
}

func require(holds bool, format string, args ...any) {
	if !holds {
		panic(&refusal{format: format, args: args})
	}
}

func (r *refusal) Error() string {
	return fmt.Sprintf("word %d, %.80q: %s", r.count, r.word, fmt.Sprintf(r.format, r.args...))
}

// inJapanese returns what an error says.
func inJapanese(err error) string {
	if r, ok := errors.AsType[*refusal](err); ok {
		for i, arg := range r.args {
			if cause, ok := arg.(error); ok {
				r.args[i] = inJapanese(cause)
			}
		}
		return fmt.Sprintf("%d語目 %.80q：%s", r.count, r.word, fmt.Sprintf(reasonsJa[r.format], r.args...))
	}
	errno, _ := errors.AsType[syscall.Errno](err)
	return cmp.Or(reasonsJa[errno.Error()], err.Error())
}

// reasonsJa are the reasons in Japanese by those in English.
var reasonsJa = map[string]string{
	"%q cannot be promoted":              "%qは成れません。",
	"%q is no number":                    "%qは数ではありません。",
	"%q is no piece":                     "%qという駒はありません。",
	"%v":                                 "読めません：%v",
	"%v can be no futile drop":           "%vは無駄合ではありません。",
	"a king is missing, or one too many": "玉方の玉がないか、玉が多すぎます。",
	"a line has more than %d plies":      "手順が%d手を超えています。",
	"a piece can never move":             "行き所のない駒があります。",
	"a piece is missing, or the defender is to move":  "駒が足りないか、玉方の手番です。",
	"a position that a reply leads to is not covered": "応手の後の局面が証明されていません。",
	"expected %q":                                            "%qと書きます。",
	"expected a colon":                                       "コロンを書きます。",
	"it is another position":                                 "参照先と局面が違います。",
	"the attacker does not hold %q":                          "攻方の持駒に%qはありません。",
	"the board is not 9x9":                                   "盤面が9×9マスではありません。",
	"the defender is to move, but not in check":              "玉方の手番なのに、王手がかかっていません。",
	"the hand %q is wrong":                                   "持駒%qが正しくありません。",
	"the hand is not in capitals":                            "持駒は大文字で書きます。",
	"the header is wrong":                                    "見出しの行が正しくありません。",
	"the kind %q is not known":                               "未知の種類%qです。",
	"the last attack checks":                                 "最後の攻め手が王手です。",
	"the length cannot be at least %d and at most %d":        "手数の下限%dが上限%dを超えています。",
	"the piece that checks cannot take so":                   "王手をかけている駒では、そのように取れません。",
	"the piece that was taken is in play":                    "取った駒が使われています。",
	"the plan mates in %d plies, not %d":                     "手順は%d手で詰み、%d手ではありません。",
	"the plan takes %d attacks, not %d":                      "手順の攻め手は%d手で、%d手ではありません。",
	"the positions take more than %d MiB":                    "局面の記憶に%d MiBを超えるメモリが要ります。",
	"the side that is not to move is in check":               "手番でない側に王手がかかっています。",
	"there are more pieces than in a set":                    "駒の数が多すぎます。",
	"there are not so many pieces":                           "持駒の数が多すぎます。",
	"there is more after the end":                            "終わりの後に続きがあります。",
	"there is no such position":                              "参照先の局面がありません。",
	"this is no legal move":                                  "指せない手です。",
	"this is no legal move, or does not check":               "指せない手か、王手でない手です。",
	"this is no legal reply, or not near enough to the king": "指せない応手か、玉から遠すぎる合駒です。",
	"this is no move":                                        "手ではありません。",
	"this is no reply":                                       "応手ではありません。",
	"this version is not known":                              "未知の版です。",
	"two pawns are on a file":                                "二歩です。",

	syscall.ENOENT.Error(): "ファイルがありません。",
	syscall.EACCES.Error(): "読む権限がありません。",
	syscall.EISDIR.Error(): "フォルダです。",
}
