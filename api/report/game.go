package report

import (
	"fmt"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/games"
)

// gameWords are the marks of moves in a game: their names, in English also as a count of a summary,
// and the words for one move, proven and open. {mate} is the length of the mate, {line} how it goes,
// {other} the other move of the mark, {longer} by how much a mate was put off, and {why} what ended
// the search.
var gameWords = [games.NumKinds]struct {
	name         Text
	count        string
	proven, open Text
}{
	games.MateMissed: {Text{"詰み逃し", "missed mate"}, "missed {mates}",
		Text{"{mate}を逃した：{line}{other}", "missed a mate in {mate}: {line}{other}"},
		Text{"{mate}があったが、指した手でも詰むかは不明（{why}）：{line}",
			"there was a mate in {mate}, and whether the move keeps one is open ({why}): {line}"}},
	games.MateKept: {Text{"別の詰み", "mate kept"}, "mated otherwise {times}",
		Text{"別の手順でも詰む{longer}：{line}もあった", "still mates{longer}; there was {line}"}, Text{}},
	games.MateAllowed: {Text{"頓死", "mate allowed"}, "walked into {mates}",
		Text{"頓死。{mate}：{line}（{other}なら詰まない）", "walked into a mate in {mate}: {line} (not after {other})"},
		Text{"相手に{mate}がある。避けられたかは不明（{why}）：{line}",
			"the opponent mates in {mate}, and whether that could be helped is open ({why}): {line}"}},
	games.ThreatMade: {Text{"詰めろ", "threat"}, "made {threats}",
		Text{"詰めろ。手抜きなら{mate}：{line}", "threatens mate in {mate}: {line}"}, Text{}},
	games.ThreatIgnored: {Text{"詰めろ見落とし", "threat ignored"}, "ignored {threats}",
		Text{"詰めろを見落とした（{other}なら詰まない）", "ignored the threat (no mate after {other})"}, Text{}},
	games.BrinkmateMade: {Text{"必至", "brinkmate"}, "made {brinkmates}",
		Text{"必至。たとえば{line}", "makes a brinkmate; such as {line}"},
		Text{"必至かは不明（{why}）", "whether it is a brinkmate is open ({why})"}},
}

// GameSides are what the sides of a game are called.
var GameSides = [2]Text{{"先手", "Black"}, {"後手", "White"}}

// GameMark says what the move of a mark has done. p is the position before the move.
func GameMark(p *shogi.Position, move shogi.Move, m *games.Mark) Text {
	at := m.From(*p, move)
	length := textf("%d手詰", "%d", len(m.Line))
	if !m.Exact {
		length = textf("%d手以内の詰み", "%d or fewer", len(m.Line))
	}
	line := Text{strings.Join(movetext.JapaneseLine(at, m.Line), ""),
		strings.Join(movetext.EnglishLine(at, m.Line), " ")}
	var other, longer Text
	switch before := *p; {
	case m.Other == shogi.NoMove:
	case m.Kind == games.MateMissed:
		before.Do(move)
		other = Text{"（" + movetext.JapaneseLine(before, []shogi.Move{m.Other})[0] + "で詰まない）",
			" (now " + movetext.EnglishLine(before, []shogi.Move{m.Other})[0] + " escapes)"}
	default:
		other = Text{movetext.JapaneseLine(before, []shogi.Move{m.Other})[0],
			movetext.EnglishLine(before, []shogi.Move{m.Other})[0]}
	}
	switch by, ok := m.Longer(); {
	case !ok:
		longer = Text{"（最短かは不明）", ", perhaps later"}
	case by > 0:
		longer = textf("（%d手長い）", ", %d plies later", by)
	}
	words := gameWords[m.Kind]
	t := words.proven
	if m.Reason != solver.NoReason {
		t = words.open
	}
	why := reasons[m.Reason]
	fill := func(text, n, line, other, longer, why string) string {
		return strings.NewReplacer("{mate}", n, "{line}", line, "{other}", other, "{longer}", longer,
			"{why}", why).Replace(text)
	}
	return Text{fill(t.Ja, length.Ja, line.Ja, other.Ja, longer.Ja, why.Ja),
		fill(t.En, length.En, line.En, other.En, longer.En, why.En)}
}

// GameSummary says how many marks that are proven each side has, and how much is open, in a game that
// the side first begins.
func GameSummary(g *games.Game, moves int, first shogi.Color) Text {
	var counts [2][games.NumKinds]int
	openMarks := 0
	for i := range g.Marks {
		if m := &g.Marks[i]; m.Reason != solver.NoReason {
			openMarks++
		} else {
			counts[(first+shogi.Color(m.Ply-1))&1][m.Kind]++
		}
	}
	all := []Text{countText(Text{"{n}手", "{moves}"}, moves)}
	for c, name := range GameSides {
		var said []Text
		for k, n := range counts[c] {
			if n > 0 {
				said = append(said, countText(Text{gameWords[k].name.Ja + "{n}", gameWords[k].count}, n))
			}
		}
		if len(said) == 0 {
			said = []Text{{"なし", "nothing to mark"}}
		}
		marks := join(said, "・", ", ")
		all = append(all, Text{name.Ja + "：" + marks.Ja, name.En + " " + marks.En})
	}
	if n := len(g.Open) + openMarks; n > 0 {
		all = append(all, countText(Text{"未確認{n}（悪手には数えない）", "{questions} open, which are no mistakes"}, n))
	}
	if g.Moves < moves {
		all = append(all, Text{fmt.Sprintf("%d手目まで（%s）", g.Moves, reasons[g.Reason].Ja),
			fmt.Sprintf("judged up to move %d (%s)", g.Moves, reasons[g.Reason].En)})
	}
	return join(all, "。", "; ")
}

// countText puts a number into the words of a count.
func countText(t Text, n int) Text {
	nouns := []string{"{n}", fmt.Sprint(n)}
	for _, noun := range []string{"mate", "threat", "brinkmate", "time", "question", "move"} {
		text := fmt.Sprintf("%d %ss", n, noun)
		if n == 1 {
			text = "1 " + noun
		}
		nouns = append(nouns, "{"+noun+"s}", text)
	}
	r := strings.NewReplacer(nouns...)
	return Text{r.Replace(t.Ja), r.Replace(t.En)}
}
