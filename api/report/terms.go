package report

import (
	"fmt"

	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/collection"
	"github.com/tsumero/tsumero/solver/games"
	"github.com/tsumero/tsumero/solver/threat"
)

// The terms of the field in both languages: what a rule, a move or a line is called. A finding of
// package analysis gets its name here and nowhere else. The first ones are used by several tables.
var (
	noMate          = Text{"不詰", "no mate"}
	leftover        = Text{"駒余り", "pieces left over"}
	cook            = Text{"余詰", "cook"}
	transposition   = Text{"手順前後", "transposition"}
	lastMove        = Text{"最終手余詰", "last-move dual"}
	detour          = Text{"迂回手順", "detour"}
	early           = Text{"早詰", "early mate"}
	sideMate        = Text{"変別", "side mate"}
	undecided       = Text{"未確認", "not decided"}
	equalVariation  = Text{"変同", "equal variation"}
	longerVariation = Text{"変長", "longer variation"}
)

// A ruleName is what a rule is called if it holds, and what breaks it.
type ruleName struct{ holds, broken Text }

// without returns the name of a rule that forbids something.
func without(broken Text) ruleName {
	return ruleName{Text{broken.Ja + "なし", "no " + broken.En}, broken}
}

// ruleNames are the names of all rules. RuleCook gets a count when it holds: see Rule.
var ruleNames = map[analysis.Rule]ruleName{
	analysis.RuleMate:          {Text{"詰む", "mates"}, noMate},
	analysis.RuleLeftover:      {Text{"駒余りなし", "nothing left over"}, leftover},
	analysis.RuleCook:          without(cook),
	analysis.RuleTransposition: without(transposition),
	analysis.RuleLastMove:      without(lastMove),
	analysis.RulePromotion: {Text{"成・不成限定", "no promotion dual"},
		Text{"成・不成非限定", "promotion dual"}},
	analysis.RuleDistance: {Text{"打ち場所限定", "no distance dual"},
		Text{"打ち場所非限定", "distance dual"}},
	analysis.RuleOrigin: {Text{"動かす駒限定", "no origin dual"},
		Text{"動かす駒非限定", "origin dual"}},
	analysis.RuleDetour: without(detour),
	analysis.RuleEqual:  without(equalVariation),
	analysis.RuleLonger: {Text{"変長なし", "no variation longer than the author's line"},
		longerVariation},
	analysis.RuleEarly:    without(early),
	analysis.RuleSideMate: without(sideMate),
	analysis.RuleMirror:   without(Text{"左右対称の同手順", "mirror twin"}),
	analysis.RuleIdle:     without(Text{"無駄駒", "idle piece"}),
	analysis.RuleHands: {Text{"玉方の持駒は残り全部", "the defender holds all the rest"},
		Text{"玉方の持駒が残り全部でない", "the defender does not hold all the rest"}},
	analysis.RuleOneKing: {Text{"玉は1枚", "one king"}, Text{"双玉", "two kings"}},
	analysis.RuleNotInCheck: {Text{"攻方の玉に王手なし", "the attacker's king is not in check"},
		Text{"攻方の玉に王手がかかっている", "the attacker's king is in check"}},
}

// nameOf returns the names of a rule: its id for a rule that is not in the table.
func nameOf(r analysis.Rule) ruleName {
	if n, ok := ruleNames[r]; ok {
		return n
	}
	id := Text{string(r), string(r)}
	return ruleName{id, id}
}

// checkNames are what another check of the attacker is called.
var checkNames = map[analysis.CheckClass]Text{
	analysis.CheckUnknown:  undecided,
	analysis.Try:           {"紛れ", "try"},
	analysis.Mirror:        {"左右対称", "mirror image"},
	analysis.Detour:        detour,
	analysis.LastMove:      lastMove,
	analysis.DualMove:      {"非限定", "dual"},
	analysis.Transposition: transposition,
	analysis.Early:         early,
	analysis.Cook:          cook,
}

// Names of checks that have no class: they mate and are not classified yet, or do not mate.
var (
	unclassified = Text{"詰むが分類は未確認", "mating, not decided how"}
	refuted      = Text{"詰まない", "refuted"}
)

// dualNames say in what a dual differs from the main move.
var dualNames = map[analysis.Dual]Text{
	analysis.Promotion:    {"成・不成", "promotion"},
	analysis.DistanceDrop: {"打ち場所", "square of the drop"},
	analysis.DistanceMove: {"動かす距離", "distance of the move"},
	analysis.Origin:       {"動かす駒", "piece that moves"},
	analysis.Side:         {"位置", "square"},
}

// replyNames are what another reply of the defender is called. In English they also follow a
// number.
var replyNames = map[analysis.ReplyKind]Text{
	analysis.ReplyUnknown:       undecided,
	analysis.MainReply:          {"本手順", "main line"},
	analysis.EqualReply:         {equalVariation.Ja, "as long"},
	analysis.EqualLeftoverReply: {"同手数駒余り", "as long, leaving pieces over"},
	analysis.ShorterReply:       {"変化", "shorter"},
	analysis.LongerReply:        {longerVariation.Ja, "longer than the author's line"},
	analysis.FutileReply:        {"無駄合", "futile"},
	analysis.EscapeReply:        {"逃れ", "escape"},
}

// authorNames are what is wrong with the author's line.
var authorNames = map[analysis.AuthorFinding]Text{
	analysis.NoMateAfter:  {"不詰の応手あり", "a reply escapes"},
	analysis.IsLonger:     {longerVariation.Ja, "the defender can last longer"},
	analysis.IsEarly:      {early.Ja, "there is a shorter mate"},
	analysis.PrefersEqual: {equalVariation.Ja, "the defender can last as long without leftovers"},
}

// reasons say in brackets why something is not decided.
var reasons = map[solver.Reason]Text{
	solver.ReasonPlies:      {"手数の制限", "limit of plies"},
	solver.ReasonNodes:      {"局面数の制限", "limit of nodes"},
	solver.ReasonTime:       {"時間切れ", "limit of time"},
	solver.ReasonProof:      {"証明の途中で制限に達した", "a limit ended the proof"},
	solver.ReasonCancelled:  {"中断", "cancelled"},
	solver.ReasonDepth:      {"読みの深さの限界", "depth of the solver"},
	solver.ReasonUnverified: {"検証に失敗", "a mate failed its verification"},
	solver.ReasonOverloaded: {"混雑", "too many searches"},
	solver.ReasonSettled:    {"ほかの手で決着", "another move decides"},
}

// explanations say the same as clauses, for where there is no sentence to add brackets to.
var explanations = map[solver.Reason]Text{
	solver.NoReason:    {},
	solver.ReasonPlies: {"手数の上限まで調べました", "a longer mate was not looked for"},
	solver.ReasonNodes: {"調べる局面数の上限に達しました", "the nodes ran out"},
	solver.ReasonTime:  {"時間切れです", "the time ran out"},
	solver.ReasonProof: {
		"詰みは見つかりましたが、証明の前に時間・局面数・メモリのどれかの上限に達しました",
		"a mate was found, but time, nodes or memory ran out before it was proven"},
	threat.ReasonMemory:    {"調べた手順の記録がメモリの上限に達しました", "the search has outgrown its memory"},
	solver.ReasonCancelled: {"中断しました", "interrupted"},
	solver.ReasonDepth:     {"これより深くは調べられません", "the solvers look no deeper"},
	solver.ReasonUnverified: {"見つけた詰みが検証を通りませんでした（不具合）",
		"a mate was claimed that is none, which is a bug of the solver"},
	solver.ReasonOverloaded: {"サーバーが混み合っています", "the server is busy"},
	solver.ReasonSettled: {"ほかの応手で詰まないので、調べていません",
		"not searched further, for another reply leaves no mate"},
}

// sentences returns clauses as sentences, by the codes of their reasons.
func sentences(clauses map[solver.Reason]Text) map[string]Text {
	all := map[string]Text{}
	for reason, t := range clauses {
		all[string(reason)] = Sentence(t)
	}
	return all
}

// soundNames are verdicts on a whole problem: by its soundness, nomate, or fault if it is sound with an
// author's line that is not its solution.
var soundNames = map[string]Text{
	"yes":     {"完全", "Sound"},
	"no":      {"不完全", "Not sound"},
	"unknown": {"未確認あり", "Not all decided"},
	"nomate":  {noMate.Ja, "No mate"},
	"fault":   {"完全、作意に誤り", "Sound, but the author's line is at fault"},
}

// endNames are the ends of lines.
var endNames = map[string]Text{"mate": {"詰み", "mate"}, "nomate": noMate}

// phaseNames say what a search or an analysis is busy with.
var phaseNames = map[string]Text{
	"waiting":    {"順番待ち", "Waiting"},
	"searching":  {"詰みを探しています", "Searching"},
	"verifying":  {"詰みを検証しています", "Verifying"},
	"shortening": {"より短い詰みを探しています", "Looking for a shorter mate"},
	"choosing":   {"手順を選んでいます", "Choosing the line"},
	"verdict":    {"詰みを探しています", "Looking for a mate"},
	"lengths":    {"手数を調べています", "Finding the length"},
	"line":       {"本手順を決めています", "Choosing the main line"},
	"defence":    {"玉方の応手を調べています", "Looking at the defender's replies"},
	"attack":     {"攻方のほかの王手を調べています", "Looking at the attacker's other checks"},
	"optional":   {"仕上げています", "Finishing"},
}

// stateNames say how a job is.
var stateNames = map[string]Text{
	"receiving": {"受け取っています", "Being received"},
	"queued":    {"順番を待っています", "Waiting for its turn"},
	"running":   {"探索しています", "Searching"},
	"done":      {"終わりました", "Done"},
	"failed":    {"失敗しました", "Failed"},
	"cancelled": {"中止しました", "Cancelled"},
}

// Phase says what a search or an analysis is busy with, by the name of the phase.
func Phase(name string) Text { return lookUp(phaseNames, name) }

// JobState says how a job is, by the name of its state.
func JobState(name string) Text { return lookUp(stateNames, name) }

// lookUp returns the name of a code, or the code itself if it is not in the table.
func lookUp[K ~string](names map[K]Text, code K) Text {
	if t, ok := names[code]; ok {
		return t
	}
	return Text{string(code), string(code)}
}

// Names returns in a language what the scripts of pages need to name: marks, phases, states of
// jobs, ends of lines, soundness and reasons, each by its code, and the sentences of Say.
func Names(language string) map[string]map[string]string {
	marks := map[string]Text{}
	for m := Pass; m <= Fail; m++ {
		marks[m.String()] = m.Name()
	}
	moves := map[string]Text{}
	for k, words := range gameWords {
		moves[games.Kind(k).String()] = words.name
	}
	all := map[string]map[string]string{}
	for kind, names := range map[string]map[string]Text{"marks": marks, "games": moves, "phases": phaseNames,
		"states": stateNames, "ends": endNames, "sound": soundNames, "say": phrases,
		"reasons": sentences(explanations)} {
		all[kind] = map[string]string{}
		for code, t := range names {
			all[kind][code] = t.In(language)
		}
	}
	return all
}

// relationNames say what a problem is to another one, whose number is put in.
var relationNames = [collection.NumRelations]Text{
	collection.Duplicate:  {"%sと同一", "the same as %s"},
	collection.MirrorTwin: {"%sの左右対称", "the mirror image of %s"},
	collection.Contained:  {"%sの手順中の図", "contained in %s"},
	collection.Contains:   {"手順中に%sの図", "contains %s"},
	collection.OtherHand:  {"%sと持駒違い", "%s with another hand"},
	collection.Changed:    {"%sと駒が一、二枚違い", "one or two pieces differ from %s"},
	collection.Shifted:    {"%sの位置違い", "%s elsewhere on the board"},
	collection.SameEnd:    {"%sと同じ詰上り", "the same end as %s"},
	collection.SameIdea:   {"%sと同じ手筋", "the same idea as %s"},
}

// Relation says what a problem is to others, whose numbers are in the text.
func Relation(r collection.Relation, others string) Text {
	name := relationNames[r]
	return Text{fmt.Sprintf(name.Ja, others), fmt.Sprintf(name.En, others)}
}

// RelationNames returns what a problem can be to another one, by the names of package collection,
// with {other} where that one is named.
func RelationNames(language string) map[string]string {
	names := map[string]string{}
	for r := collection.Duplicate; r < collection.NumRelations; r++ {
		names[r.String()] = Relation(r, "{other}").In(language)
	}
	return names
}
