package report

import (
	"fmt"
	"strings"

	"github.com/tsumero/tsumero/solver/analysis"
)

// A ruleName is what a rule is called if it holds, and what breaks it.
type ruleName struct{ holds, broken Text }

// ruleNames are those of all rules. That there is no cook is said with a count: see Rule.
var ruleNames = map[analysis.Rule]ruleName{
	analysis.RuleMate:          {Text{"詰む", "mates"}, Text{"不詰", "no mate"}},
	analysis.RuleLeftover:      {Text{"駒余りなし", "nothing left over"}, Text{"駒余り", "pieces left over"}},
	analysis.RuleCook:          {Text{"余詰なし", "no cook"}, Text{"余詰", "cook"}},
	analysis.RuleTransposition: {Text{"手順前後なし", "no transposition"}, Text{"手順前後", "transposition"}},
	analysis.RuleLastMove: {Text{"最終手余詰なし", "no last-move dual"},
		Text{"最終手余詰", "last-move dual"}},
	analysis.RulePromotion: {Text{"成・不成限定", "no promotion dual"},
		Text{"成・不成非限定", "promotion dual"}},
	analysis.RuleDistance: {Text{"打ち場所限定", "no distance dual"},
		Text{"打ち場所非限定", "distance dual"}},
	analysis.RuleOrigin: {Text{"動かす駒限定", "no origin dual"},
		Text{"動かす駒非限定", "origin dual"}},
	analysis.RuleDetour: {Text{"迂回手順なし", "no detour"}, Text{"迂回手順", "detour"}},
	analysis.RuleEqual:  {Text{"変同なし", "no equal variation"}, Text{"変同", "equal variation"}},
	analysis.RuleLonger: {Text{"変長なし", "no variation longer than the author's line"},
		Text{"変長", "longer variation"}},
	analysis.RuleEarly: {Text{"早詰なし", "no early mate"},
		Text{"早詰", "early mate"}},
	analysis.RuleSideMate: {Text{"変別なし", "no side mate"}, Text{"変別", "side mate"}},
	analysis.RuleMirror: {Text{"左右対称の同手順なし", "no mirror twin"},
		Text{"左右対称の同手順", "mirror twin"}},
	analysis.RuleIdle: {Text{"無駄駒なし", "no idle piece"}, Text{"無駄駒", "idle piece"}},
	analysis.RuleHands: {Text{"玉方持駒は残り全部", "the defender holds all the rest"},
		Text{"玉方持駒が残り全部でない", "the defender does not hold all the rest"}},
	analysis.RuleOneKing: {Text{"玉は1枚", "one king"}, Text{"双玉", "two kings"}},
	analysis.RuleNotInCheck: {Text{"攻方の玉に王手なし", "the attacker's king is not in check"},
		Text{"攻方の玉に王手がかかっている", "the attacker's king is in check"}},
}

// nameOf returns the names of a rule: of one that is not known here, its id.
func nameOf(r analysis.Rule) ruleName {
	if n, ok := ruleNames[r]; ok {
		return n
	}
	id := Text{string(r), string(r)}
	return ruleName{id, id}
}

// maxPlaces is how many places a sentence about a rule names.
const maxPlaces = 3

// Rule says what the problem comes to under a rule.
func (w *Writer) Rule(r *analysis.RuleResult) Text {
	name := nameOf(r.Rule)
	decided, _, open := w.counted()
	switch {
	case r.Holds == analysis.Yes && r.Rule == analysis.RuleCook:
		return Text{fmt.Sprintf("%s(ほかの王手%d通りを確認)", name.holds.Ja, decided),
			fmt.Sprintf("%s (%d other checks decided)", name.holds.En, decided)}
	case r.Holds == analysis.Yes:
		return name.holds
	case r.Holds == analysis.Unknown && r.Rule == analysis.RuleCook && open > 0:
		return Text{fmt.Sprintf("%s:未確認の王手が%d通り", name.broken.Ja, open),
			fmt.Sprintf("%s: %s not decided", name.broken.En, count(open, "check", "checks"))}
	case r.Holds == analysis.Unknown:
		return Text{name.broken.Ja + ":未確認", name.broken.En + ": not decided"}
	}
	var ja, en []string
	for i, p := range r.Places {
		if i == maxPlaces {
			more := len(r.Places) - maxPlaces
			ja, en = append(ja, fmt.Sprintf("他%d件", more)), append(en, fmt.Sprintf("%d more", more))
			break
		}
		m := w.move(p.Ply, p.Move)
		ja = append(ja, fmt.Sprintf("%d手目%s", p.Ply, m.Ja))
		en = append(en, fmt.Sprintf("ply %d %s", p.Ply, m.En))
	}
	return Text{colon(name.broken.Ja, strings.Join(ja, "、"), ":"),
		colon(name.broken.En, strings.Join(en, ", "), ": ")}
}
