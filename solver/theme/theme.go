// Package theme finds in a mate problem and its main line what solvers and databases call its themes:
// 煙詰, 都詰, 不成, 中合, 馬鋸 and others. All lists them, each with its names and its definition, and
// nothing else in the program has such a list.
//
//	found := theme.Find(&theme.Problem{Position: p, Attacker: shogi.Black, Line: line})
//
// A theme is of the diagram, of the final figure, of single moves or of a stretch of play. Most are
// decided by the rules alone. Some are said of a move only if another one fails: 不成 if promoting
// does not mate, 遠打 if no nearer drop does. For those a Problem has functions that answer
// questions, and what they do not answer is not called a theme. So a theme that is found is there by
// its definition; one that is not found may be there.
//
// # Definitions
//
// Each Theme has its own in both languages. Where authors differ, these choices were made:
//
//   - 煙詰: 39 pieces, or 40 with two kings, all of them on the board, and at the mate three at most,
//     the attacker's king not counted; four on 5e (都煙), as https://ja.wikipedia.org/wiki/煙詰 has it.
//   - 裸玉, 無防備 and 無仕掛 divide what stands on the board: nobody but kings; of the defender the king
//     alone, and attackers; of the attacker nobody but a king, and defenders.
//   - 一色図式: one kind on the board. A promoted piece is another kind, except that a dragon is a rook
//     and a horse a bishop, as at http://toybox.tea-nifty.com/memo/2017/04/post-2d74.html; two pieces
//     at least, for one piece alone shows nothing.
//   - 貧乏図式: neither golds nor silvers on the board or in the attacker's hand; 飛角図式: all four
//     major pieces on the board and no other piece; 中合, 移動合, 還元玉, 単騎詰 and 邪魔駒 as in the
//     glossary at https://www.shogitown.com/tume/guide/dic-ka.html and its neighbours.
//   - 捨駒: a piece that gives check on an empty square and is taken there at once in the main line. A
//     piece that takes something before it is lost is exchanged, not sacrificed.
//   - 邪魔駒消去: a sacrifice of a piece on the board that was in the way: without it, the defender
//     holding it instead, the attacker to move mates two plies sooner than in the problem.
//   - 合駒制限: at a check from afar the defender has no piece of a kind to interpose, which he had in
//     the diagram, or may drop no pawn for one on the file that was not there; and with it he would
//     escape, though not merely because the attacker has it no longer.
//   - 打歩詰打開: a pawn drop is illegal because it mates, and later in the line it is played on the
//     same square, with the king where it was.
//   - 打歩詰回避の不成: 不成 such that promoting fails, but would mate if a pawn drop were allowed to.
//   - 馬鋸, 龍鋸: a horse or dragon stands three times at least on squares that follow each other at
//     equal steps, with the king on one square and the piece moving twice or more in between, over
//     periods of equal length: https://ja.wikipedia.org/wiki/馬鋸.
//   - 知恵の輪: two or more pieces of the attacker leave their squares and come back to them, the king
//     too, so that the position is that of eight or more plies before but for one or two squares that
//     are the key, as http://www.ne.jp/asahi/tetsu/toybox/kurukuru/kt018.htm shows it.
//   - 遠移動: what 遠打 is, by a move on the board. Some lists say 飛び手.
//   - 初形曲詰 and 詰上り曲詰: all pieces on the board together have one of Shapes, of equal size and
//     the same way up. The list can never be complete: a shape that is not in it is not found.
package theme

import (
	"slices"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// An Aspect is what a theme is of.
type Aspect uint8

const (
	Diagram Aspect = iota
	Mate           // the final figure
	Play           // moves of the main line
)

// A Theme is one that a problem may have.
type Theme struct {
	ID     string // it never changes
	Of     Aspect
	Ja, En string // names
	// Definition and DefinitionJa say in a sentence when a problem has it.
	Definition, DefinitionJa string

	find func(*finder) (plies []int, ok bool)
}

// All are the themes, in the order in which Find returns them: those of the diagram, of the mate, of
// the attacker's moves, of the defender's, and of stretches of play.
var All = []*Theme{
	{"smoke", Diagram, "煙詰", "smoke mate",
		"All 39 pieces, or 40 with two kings, stand on the board, and three at most at the " +
			"mate, four on 5e; the attacker's king is not counted.",
		"初形は39枚（双玉は40枚）すべて盤上、詰上りは3枚以下（都詰は4枚以下、攻方の玉は数えない）。", (*finder).smoke},
	{"full_board", Diagram, "全駒", "all pieces on the board",
		"All 39 pieces, or 40 with two kings, stand on the board in the diagram.",
		"初形で39枚（双玉は40枚）すべてが盤上にある。", (*finder).fullBoard},
	{"bare_king", Diagram, "裸玉", "bare king",
		"Nothing but the king, or both kings, stands on the board.",
		"盤上に玉（双玉ならその2枚）のほか何もない。", (*finder).bareKing},
	{"undefended_king", Diagram, "無防備図式", "undefended king",
		"The defender has nothing on the board but his king; the attacker has something.",
		"玉方の盤上の駒は玉だけで、攻方の駒がある。", (*finder).undefendedKing},
	{"no_attackers", Diagram, "無仕掛図式", "no attackers on the board",
		"The attacker has nothing on the board but perhaps a king; the defender has more than his king.",
		"攻方の駒が（玉のほか）盤上になく、玉方は玉のほかに駒がある。", (*finder).noAttackers},
	{"one_kind", Diagram, "一色図式", "one kind of piece",
		"The pieces on the board, kings left out, are two or more of one kind; a promoted " +
			"piece is another kind, except dragons and horses.",
		"盤上の玉以外の駒が2枚以上で一種類（成駒は別の種類、龍と馬は飛と角に同じ）。", (*finder).oneKind},
	{"pawns_and_tokins", Diagram, "豆腐図式", "pawns and tokins (tofu)",
		"The pieces on the board, kings left out, are pawns and tokins, with one tokin at least.",
		"盤上の玉以外の駒が歩とと金だけで、と金がある。", (*finder).pawnsAndTokins},
	{"no_golds_or_silvers", Diagram, "貧乏図式", "no golds or silvers (poor man's)",
		"Neither the board nor the attacker's hand has a gold or a silver.",
		"盤上にも攻方の持駒にも金銀がない。", (*finder).noGoldsOrSilvers},
	{"rooks_and_bishops", Diagram, "飛角図式", "rooks and bishops",
		"The pieces on the board, kings left out, are the two rooks and the two bishops, " +
			"promoted or not.",
		"盤上の玉以外の駒が飛2枚と角2枚（成駒も可）。", (*finder).rooksAndBishops},
	{"minor_pieces", Diagram, "小駒図式", "minor pieces only",
		"Neither the board nor the attacker's hand has a rook or a bishop.",
		"盤上にも攻方の持駒にも飛角がない。", (*finder).minorPieces},
	{"two_kings", Diagram, "双玉", "two kings",
		"The attacker has a king as well.", "攻方にも玉がある。", (*finder).twoKings},
	{"picture_diagram", Diagram, "初形曲詰", "picture in the diagram",
		"The pieces of the diagram have one of the shapes in the list.",
		"初形の駒が一覧のどれかの形に並ぶ。", (*finder).pictureDiagram},

	{"picture_mate", Mate, "詰上り曲詰", "picture at the mate",
		"The pieces of the final figure have one of the shapes in the list.",
		"詰上りの駒が一覧のどれかの形に並ぶ（あぶり出し）。", (*finder).pictureMate},
	{"central_mate", Mate, "都詰", "mate on the central square",
		"The king is mated on 5e.", "玉が5五で詰む。", (*finder).centralMate},
	{"corner_mate", Mate, "雪隠詰", "mate in the corner",
		"The king is mated in a corner where it did not stand in the diagram.",
		"初形で隅にいない玉が隅で詰む。", (*finder).cornerMate},
	{"returned_king", Mate, "還元玉", "king returns to its square",
		"The king moves and is mated where it stood in the diagram.",
		"玉が動いたあと、初形の位置で詰む。", (*finder).returnedKing},
	{"lone_attacker", Mate, "単騎詰", "mate by a single piece",
		"At the mate the attacker has one piece on the board, a king left out.",
		"詰上りで攻方の駒が（玉のほか）1枚だけ。", (*finder).loneAttacker},

	{"sacrifice", Play, "捨駒", "sacrifice",
		"A piece gives check on an empty square and is taken there at once in the main line.",
		"空いたマスで王手した駒が、本手順ですぐそこで取られる。", (*finder).sacrifice},
	{"removed_obstruction", Play, "邪魔駒消去", "own piece removed (clearance)",
		"A piece on the board is sacrificed without which, the defender holding it instead, " +
			"there is a mate two plies sooner.",
		"盤上の味方の駒を捨てる。その駒がなければ（玉方の持駒にして）2手早く詰む。", (*finder).removedObstruction},
	{"nonpromotion", Play, "不成", "non-promotion",
		"A piece that could promote does not, and promoting fails or gives no check.",
		"成れる駒が成らず、成ると詰まないか王手にならない。", (*finder).nonpromotion},
	{"uchifuzume_nonpromotion", Play, "打歩詰回避の不成", "non-promotion against pawn-drop mate",
		"A non-promotion such that promoting fails, but would mate if a pawn drop were allowed to mate.",
		"成ると詰まないのは打歩詰のためであるような不成。", (*finder).uchifuzumeNonpromotion},
	{"uchifuzume", Play, "打歩詰の局面", "pawn-drop mate on the way",
		"On the main line a pawn drop is illegal for nothing but that it mates.",
		"本手順に、歩を打てば打歩詰になる局面がある。", (*finder).uchifuzume},
	{"uchifuzume_resolved", Play, "打歩詰打開", "pawn-drop mate resolved",
		"A pawn drop that was illegal because it mates is played later, on the same square " +
			"and with the king on the same square.",
		"打歩詰だった歩打ちが、のちに同じ玉の位置で同じマスに打てる。", (*finder).uchifuzumeResolved},
	{"far_drop", Play, "遠打", "drop from afar",
		"A rook, bishop or lance is dropped three or more squares from the king with check, " +
			"and no nearer drop on the line mates.",
		"飛・角・香を玉から3マス以上離して打ち、同じ筋でより近くから打っては詰まない。", (*finder).farDrop},
	{"far_move", Play, "遠移動", "move to afar",
		"A rook, bishop, lance, dragon or horse moves to an empty square where it checks from three or " +
			"more squares, and no nearer square on the line that it reaches mates.",
		"飛・角・香・龍・馬が空いたマスへ動いて玉から3マス以上離れて王手し、同じ筋でより近くからでは詰まない。", (*finder).farMove},
	{"discovered_check", Play, "開き王手", "discovered check",
		"A piece moves and another one gives check.", "駒が動き、ほかの駒の王手になる。", (*finder).discoveredCheck},
	{"double_check", Play, "両王手", "double check",
		"Two pieces give check at once.", "2枚の駒で同時に王手する。", (*finder).doubleCheck},

	{"interposition", Play, "合駒", "interposition by a drop",
		"The defender drops a piece between, and it is not futile.",
		"玉方が駒を打って王手を遮る（無駄合でない）。", (*finder).interposition},
	{"moved_interposition", Play, "移動合", "interposition by a move",
		"The defender moves a piece between.", "玉方が盤上の駒を動かして王手を遮る。", (*finder).movedInterposition},
	{"unsupported_interposition", Play, "中合", "unsupported interposition",
		"The defender interposes away from the king, where nothing of his guards.",
		"玉から離れた、玉方の利きのないマスでの合駒。", (*finder).unsupportedInterposition},
	{"sacrificed_interposition", Play, "捨合", "sacrificed interposition",
		"The attacker takes what was interposed at once, and the defender does not take back.",
		"合駒がすぐ取られ、取り返さない。", (*finder).sacrificedInterposition},
	{"restricted_interposition", Play, "合駒制限", "interposition restricted",
		"At a check from afar the defender lacks a kind that he had in the diagram, or may " +
			"drop no pawn on a file where he could, and would escape with it.",
		"遠くからの王手に、初形では使えた種類の合駒が品切れか二歩で打てず、打てれば詰まない。", (*finder).restrictedInterposition},
	{"defender_nonpromotion", Play, "玉方不成", "non-promotion by the defender",
		"The defender moves a pawn, lance, bishop or rook without promoting it where he " +
			"could, and promoting is not known to last as long.",
		"玉方が歩・香・角・飛を成れるのに成らない（成っても同手数と分かっているものを除く）。", (*finder).defenderNonpromotion},
	{"counter_check", Play, "逆王手", "counter-check",
		"The defender's reply gives check to the attacker's king.", "玉方の応手が攻方の玉への王手になる。", (*finder).counterCheck},

	{"horse_saw", Play, "馬鋸", "horse saw",
		"A horse goes on in equal steps, two or more of its moves each, while the king " +
			"returns to its square: three such positions at least.",
		"玉が同じマスに戻るたびに馬が同じ幅だけ進む、または退く（同じ形3回以上）。", (*finder).horseSaw},
	{"dragon_saw", Play, "龍鋸", "dragon saw",
		"As the horse saw, by a dragon.", "馬鋸と同じことを龍でする。", (*finder).dragonSaw},
	{"chinese_rings", Play, "知恵の輪", "disentanglement (chie-no-wa)",
		"Two or more pieces of the attacker leave and come back, and so does the king: the " +
			"position of eight or more plies before, but for one or two squares.",
		"攻方の2枚以上の駒と玉が動いて元に戻り、8手以上前と1、2マスだけ違う局面になる。", (*finder).chineseRings},
}

// ByID returns a theme by its ID or its Japanese name, nil if there is none.
func ByID(name string) *Theme {
	for _, t := range All {
		if t.ID == name || t.Ja == name {
			return t
		}
	}
	return nil
}

// IDs returns those of All.
func IDs() []string {
	var ids []string
	for _, t := range All {
		ids = append(ids, t.ID)
	}
	return ids
}

// A Found is a theme that a problem has.
type Found struct {
	*Theme
	// Plies are those that show it, from 1; none of a theme of the diagram, the last one of a theme of
	// the mate.
	Plies []int
	Shape *Shape // of a picture, else nil
}

// A Problem is what Find looks at. Questions that a function does not answer, because it is nil or the
// limits do not suffice, leave themes out.
type Problem struct {
	Position shogi.Position // the attacker is to move
	Attacker shogi.Color
	Line     []shogi.Move // the main line, legal moves; may be empty
	// Ended says that the line is known to go to a mate: what could still be interposed is futile. Else
	// it does if there is no reply at all.
	Ended bool
	// Raw says that futile interpositions may be in the line: then no theme is found in
	// interpositions.
	Raw bool

	// Mates says whether another check at an odd ply of the line mates, at any length.
	Mates func(ply int, m shogi.Move) solver.Verdict
	// IsAsGood reports whether another reply at an even ply is known to last as long as that of the
	// line.
	IsAsGood func(ply int, m shogi.Move) bool
	// Ask says whether the attacker mates in a position, with either side to move, and within so many
	// plies if they are not 0.
	Ask func(p shogi.Position, plies int) solver.Verdict
}

// Find returns the themes of a problem, in the order of All.
func Find(q *Problem) []Found {
	f := newFinder(q)
	list := []Found{} // not nil: somebody looked
	for _, t := range All {
		f.shape = nil
		if plies, ok := t.find(f); ok {
			list = append(list, Found{t, plies, f.shape})
		}
	}
	return list
}

// A finder looks for the themes of one problem, turned so that Black attacks.
type finder struct {
	*Problem
	line  []shogi.Move
	at    []shogi.Position // at[i] is after i moves
	ended bool             // the line goes to a mate
	shape *Shape
	asked map[placed]solver.Verdict // what Mates said
}

// A placed move is one after so many moves of the line.
type placed struct {
	i int
	m shogi.Move
}

func newFinder(q *Problem) *finder {
	f := &finder{Problem: q, line: q.Line, asked: map[placed]solver.Verdict{}}
	p := q.Position
	if q.Attacker == shogi.White {
		p = p.Rotated()
		f.line = slices.Clone(q.Line)
		for i, m := range f.line {
			f.line[i] = m.Rotated()
		}
	}
	f.at = append(f.at, p)
	for i, m := range f.line {
		if !p.IsLegal(m) {
			f.line = f.line[:i]
			break
		}
		p.Do(m)
		f.at = append(f.at, p)
	}
	f.ended = len(f.line)%2 == 1 && len(f.line) == len(q.Line) && (q.Ended || p.IsCheckmate())
	return f
}

// mates is Mates for a move of the turned problem.
func (f *finder) mates(i int, m shogi.Move) solver.Verdict {
	if f.Mates == nil {
		return solver.Unknown
	}
	// A session that is asked again may know more: several themes go by one answer.
	key := placed{i, m}
	if v, ok := f.asked[key]; ok {
		return v
	}
	if f.Attacker == shogi.White {
		m = m.Rotated()
	}
	f.asked[key] = f.Mates(i+1, m)
	return f.asked[key]
}

func (f *finder) ask(p shogi.Position, plies int) solver.Verdict {
	if f.Ask == nil {
		return solver.Unknown
	}
	if f.Attacker == shogi.White {
		p = p.Rotated()
	}
	return f.Ask(p, plies)
}

// diagram and mate are the two figures.
func (f *finder) diagram() *shogi.Position { return &f.at[0] }
func (f *finder) mate() *shogi.Position    { return &f.at[len(f.at)-1] }

// last is the ply of the mating move, for themes of the mate.
func (f *finder) last(ok bool) ([]int, bool) {
	if !ok || !f.ended {
		return nil, false
	}
	return []int{len(f.line)}, true
}

// each returns the plies of the attacker's moves, or of the defender's, for which has holds. It gets
// the index of the move in line.
func (f *finder) each(side shogi.Color, has func(i int, m shogi.Move) bool) (plies []int, ok bool) {
	for i := int(side); i < len(f.line); i += 2 {
		if has(i, f.line[i]) {
			plies = append(plies, i+1)
		}
	}
	return plies, len(plies) > 0
}
