package notation

import (
	"strings"
)

// A solution in print has neither marks nor a line for each move. It stands behind a heading, with
// commas between its moves or numbers before them: "正解：１二飛、２一玉、３二銀 まで３手詰",
// "①１二飛②２一玉③３二銀", "Solution: 1. R*1b 2. K-2a 3. S*3b mate". The expressions are for folded text.
var (
	solutionText = lazy(`^[【〔〈《「<\[(]? *(?:(?:解答|正解|答え?|作意|本手順|詰め?手順)(?:手順)?(?:図)?` +
		`|(?i:solution|answer|main line|author's line)) *[】〕〉》」>\])]? *[:は]? *`)
	moveNumber = lazy(`^(?:[①-⑳㉑-㉟㊱-㊿]|\([0-9]{1,4}\)|[0-9]{1,4}(?:手目|[.:)…]+)) *`)
	// bareText is a move that has neither a number nor a mark before it.
	bareText = lazy(`^(?:同|[1-9][1-9一二三四五六七八九]) *(?:成?[銀桂香]|[玉王飛龍竜角馬金全圭杏歩と])` +
		`(?:[右左直上寄引打成不生行入下(]|[1-9同 ]|[,、。.→▲△☗☖①-⑳㉑-㉟㊱-㊿]|まで|迄|$)`)
	// toldText is how many plies a problem takes, as its title or its end has it.
	toldText = lazy(`[(〔【<\[]? *([0-9]{1,4}|[一二三四五六七八九十]{1,4})手詰め?(?:将棋)? *[)〕】>\]]?|(?i:mate +in +([0-9]{1,4})(?: +(?:ply|plies|moves))?)`)
	// mateText ends a solution in English.
	mateText = lazy(`^(?i:\(?(?:and )?(?:check)?mate\b|#|\+\+)[^\n]*`)
)

// separators stand between the moves of a solution in print.
const separators = blanks + "、,。.;→"

// isMove reports whether a line, folded, begins with a move that has no number of a KIF before it.
func isMove(text string) bool {
	if isMark(text) || isBare(text) || isEnglishMove(text) {
		return true
	}
	if head := solutionText().FindString(text); head != "" {
		text = text[len(head):]
		if englishMove().MatchString(text) {
			return true
		}
	}
	text = text[len(moveNumber().FindString(text)):]
	return isMark(text) || isBare(text) || isEnglishMove(text)
}

// isHeading reports whether a line, folded, is a heading with nothing behind it.
func isHeading(text string) bool {
	head := solutionText().FindString(text)
	return head != "" && len(head) == len(text)
}

// isUntil reports whether a text is what stands behind the last move: まで, 迄.
func isUntil(text string) bool {
	return strings.HasPrefix(text, "まで") || strings.HasPrefix(text, "迄")
}

// tell takes down how many plies a text says the mate takes.
func (r *Record) tell(text string) {
	if r.Plies > 0 {
		return
	}
	if told := toldText().FindStringSubmatch(folded(text)); told != nil {
		r.Plies = pliesOf(told[1] + told[2])
	}
}

// setPlies takes down the number of plies in a field, such as "3", "3手" or "三手詰", whatever else the
// text says.
func (r *Record) setPlies(field string) {
	if n := pliesOf(strings.TrimRight(folded(field), "手詰め"+blanks)); n > 0 {
		r.Plies = n
	}
}

// pliesOf returns the number that digits or kanji mean, 0 if they mean none.
func pliesOf(digits string) int {
	if strings.Contains(digits, "十") {
		n, rest, _ := cutCount(digits)
		if rest != "" {
			return 0
		}
		return n
	}
	for _, c := range digits {
		if d := digitOf(c); d < 0 || d > 9 {
			return 0
		}
	}
	return number(digits)
}
