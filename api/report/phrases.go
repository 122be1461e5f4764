package report

import "strings"

// Say returns a phrase of the pages by its name. values are pairs of a name and a value: the name
// in braces in the phrase is replaced by the value.
func Say(name string, values ...string) Text {
	for i := 0; i < len(values); i += 2 {
		values[i] = "{" + values[i] + "}"
	}
	r, t := strings.NewReplacer(values...), phrases[name]
	return Text{r.Replace(t.Ja), r.Replace(t.En)}
}

// phrases are what the pages say about verdicts, lengths and moves. Scripts get them from Names,
// and put in the values of an answer themselves.
var phrases = map[string]Text{
	// A verdict in a word, and what follows it.
	"mated":        {"詰み", "Mated"},
	"mate_in":      {"{plies}詰", "Mate in {plies}"},
	"mate_between": {"{plies}", "Mate in {plies}"},
	"nomate":       {noMate.Ja, "No mate"},
	"unknown":      {"不明", "Unknown"},
	"proven_nomate": {"何手かけても詰まないと証明済み。",
		"Proven: there is no forced mate, at any length."},
	"shortest": {"最短と証明済み。検証した手順です。",
		"Proven to be the shortest. The line was verified."},
	"not_shortest": {"この手順で詰みます。より短い詰みがあるかもしれません。",
		"This line mates. A shorter mate may exist."},
	"not_shorter_than": {"この手順で詰みます。{n}手以内にはなく、より短い詰みがあるかもしれません。",
		"This line mates. A shorter mate may exist, but none within {n} plies."},
	"none_within": {"{n}手以内の詰みはありません。", "There is no mate within {n} plies."},

	// How many plies, and by which count.
	"plies":           {"{low}手", "{low}"},
	"plies_or_more":   {"{low}手以上", "{low} or more"},
	"plies_between":   {"{low}手以上{high}手以下", "{low} to {high}"},
	"every_counted":   {"すべての合駒を数えた手数です。", "Every move is counted."},
	"futile_left_out": {"無駄合を除く。", "Futile interpositions are not counted."},
	"counting_every":  {"すべての合駒を数えると{plies}。", "Counting every move, it is {plies}."},
	"futile_move":     {"{ply}手目{move}", "ply {ply}: {move}"},
	"futile_taken": {"{ply}手目{move}（{kind}）：{capture}で取れば何も変わらない",
		"ply {ply}: {move} is futile ({kind}): taken by {capture}, nothing changes"},
	"futile_mark":      {"（無駄合）", "(futile)"}, // behind the move
	"futile_by_x":      {"取れば詰み", "taking is mate"},
	"futile_by_narrow": {"狭義", "the same play goes on"},
	"futile_by_xy":     {"XY型", "type XY"},
	"futile_by_xyz":    {"XYZ型", "type XYZ"},
	"futile_by_any":    {"ほか", "other"},

	// Threats and brinkmates, by their verdicts, and the kinds of the replies to the last attack.
	"threat_threat":    {"詰めろです。受けなければ{n}手で詰みます。", "A mate threat (詰めろ): after a pass it is mate in {n}."},
	"threat_no_threat": {"詰めろではありません。受けなくても詰みません。", "No threat: after a pass there is no mate, at any length."},
	"threat_mate": {"{n}手以内の詰みがあるので、必至の問題ではありません。",
		"A mate in {n} or fewer, and so no brinkmate."},
	"threat_brinkmate": {"{n}手必至です。", "A brinkmate (必至) in {n}."},
	"threat_brinkmate_at_most": {"{n}手以内の必至です（詰みがあるかは未確認）。",
		"A brinkmate (必至) in {n} or fewer, unless there is even a mate."},
	"brinkmate_in":          {"{n}手必至", "Brinkmate in {n}"},
	"brinkmate_in_at_most":  {"{n}手以内の必至", "Brinkmate in {n} or fewer"},
	"threat_none_within":    {"詰みも、{n}手以内の必至もありません。", "No mate, and no brinkmate in {n} or fewer."},
	"threat_unknown_within": {"{n}手以内の必至はありません。", "There is no brinkmate in {n} or fewer."},
	"threat_replies": {"その後の応手{n}通りは、どれも詰みます。種類ごとの最も長い手順：",
		"Each of the {n} replies to it is mated. Of each kind, the one that lasts longest:"},
	"reply_check":     {"王手", "check"},
	"reply_capture":   {"駒を取る手", "capture"},
	"reply_king_move": {"玉を動かす手", "king move"},
	"reply_drop":      {"{square}に打つ手", "drop on {square}"},
	"reply_move":      {"そのほかの手", "other move"},

	// The outcome of each move.
	"no_checks":         {"王手がありません。", "There is no check."},
	"checks":            {"攻方の王手{n}通り。", "{n} checks by the attacker."},
	"no_replies":        {"受けがありません。詰みです。", "There is no reply: mate."},
	"replies":           {"玉方の応手{n}通り。", "{n} replies by the defender."},
	"move_nomate":       {refuted.Ja, "no mate"},
	"move_unknown":      {"不明", "unknown"},
	"move_mate":         {"{n}手で詰み", "mates in {n}"},
	"move_mate_at_most": {"{n}手以内で詰み", "mates in at most {n}"},
	"move_futile":       {"無駄合", "futile"},
	"raw_mark":          {"（無駄合も数えて）", " (every move counted)"}, // behind a length

	// What an engine thinks of its position in a game.
	"opinion_mates":  {"相手の判断：{n}手で詰ます", "Its opinion: it mates in {n}"},
	"opinion_mated":  {"相手の判断：{n}手で詰まされる", "Its opinion: it is mated in {n}"},
	"opinion_even":   {"相手の判断：互角", "Its opinion: even"},
	"opinion_ahead":  {"相手の判断：歩{n}枚分有利", "Its opinion: ahead by {n} pawns"},
	"opinion_behind": {"相手の判断：歩{n}枚分不利", "Its opinion: behind by {n} pawns"},

	// The progress of a search, as a list.
	"now":              {"いま", "Now"},
	"elapsed":          {"経過", "Elapsed"},
	"positions":        {"調べた局面", "Positions"},
	"per_second":       {"毎秒", "Per second"},
	"proof_numbers":    {"証明数・反証数", "Proof and disproof number"},
	"mate_found":       {"見つけた詰み（無駄合も数えて）", "Mate found (every move counted)"},
	"mate_found_value": {"{n}手", "{n} plies"},
	"within":           {"詰みなしを証明済み（無駄合も数えて）", "No mate within (every move counted)"},
	"within_value":     {"{n}手まで", "{n} plies"},
}
