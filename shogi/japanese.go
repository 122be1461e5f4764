package shogi

// AppendJapanese appends m, which must be legal in p, as Japanese records write it (the KI2 style): "▲５二金打",
// "△同　玉", "▲３三銀右上成". previous is the destination of the move before, or NoSquare; a move that goes there too
// is written 同.
//
// The words follow the federation's 棋譜の表記方法 (https://www.shogi.or.jp/faq/kihuhyouki.html). Where another
// piece of the same kind goes there too, the movement tells them apart (上 寄 引), else the side the piece comes from
// (右 左, 直 for a straight step forward), else both. 打 is written where a piece on the board goes there too, 不成 where
// the piece could have promoted. Pieces count by how they move: also those that are pinned. The rule says no word of
// them, but a reader need not know who is in check to tell pieces apart, and the programs that read records do not ask.
func AppendJapanese(dst []byte, p *Position, m Move, previous Square) []byte {
	us, to := p.side&1, m.To()
	kind := m.Dropped()
	if !m.IsDrop() {
		kind = p.Piece(m.From()).Type()
	}

	dst = append(dst, japaneseSides[us]...)
	if to == previous {
		dst = append(dst, "同　"...)
	} else {
		dst = append(dst, japaneseFiles[to.File()]...)
		dst = append(dst, japaneseRanks[to.Rank()]...)
	}
	dst = append(dst, japaneseKinds[kind]...)

	rivals := p.AttackersTo(to, p.side, p.Occupied()).And(p.byType[kind&15])
	if m.IsDrop() {
		if !rivals.IsEmpty() {
			dst = append(dst, "打"...)
		}
		return dst
	}
	from := m.From()
	dst = appendWhich(dst, us, kind, from, to, rivals.Without(from))
	switch zone := promotionZone[us]; {
	case m.IsPromotion():
		dst = append(dst, "成"...)
	case kind.CanPromote() && (zone.Has(from) || zone.Has(to)):
		dst = append(dst, "不成"...)
	}
	return dst
}

// JapaneseLine returns the moves, each legal after those before it, as AppendJapanese writes them. The first names
// its square in full.
func JapaneseLine(p Position, moves []Move) []string {
	line := make([]string, len(moves))
	previous := NoSquare
	for i, m := range moves {
		line[i] = string(AppendJapanese(nil, &p, m, previous))
		previous = m.To()
		p.Do(m)
	}
	return line
}

var (
	japaneseSides = [2]string{"▲", "△"}
	japaneseFiles = [9]string{"１", "２", "３", "４", "５", "６", "７", "８", "９"}
	japaneseRanks = [9]string{"一", "二", "三", "四", "五", "六", "七", "八", "九"}
	japaneseKinds = [16]string{
		Pawn: "歩", Lance: "香", Knight: "桂", Silver: "銀", Bishop: "角", Rook: "飛", Gold: "金", King: "玉",
		Tokin: "と", ProLance: "成香", ProKnight: "成桂", ProSilver: "成銀", Horse: "馬", Dragon: "龍",
	}
)

// appendWhich appends the words that tell the piece on from, of kind t and colour c, from the rivals of its kind that
// go to to as well.
func appendWhich(dst []byte, c Color, t PieceType, from, to Square, rivals Bitboard) []byte {
	if rivals.IsEmpty() {
		return dst
	}
	movement := japaneseMovement(c, from, to)
	unique := true
	for rival := range rivals.All() {
		unique = unique && japaneseMovement(c, rival, to) != movement
	}
	if unique {
		return append(dst, movement...)
	}

	// A set has only two bishops and two rooks: promoted or not, the two are compared with each other, and 直 is not
	// used. The side of other pieces is that of the step they make.
	if base := t.Base(); base == Bishop || base == Rook {
		return append(dst, japaneseSide(c, from, rivals.First())...)
	}
	side := japaneseSide(c, from, to)
	dst = append(dst, side...)
	if side == straight {
		return dst // of the steps along the file, the one back is unique by its movement
	}
	for rival := range rivals.All() {
		if japaneseSide(c, rival, to) == side {
			return append(dst, movement...)
		}
	}
	return dst
}

// japaneseMovement says whether going from a to b is forward, sideways or back, as c sees it.
func japaneseMovement(c Color, a, b Square) string {
	switch ra, rb := relativeRank(c, a), relativeRank(c, b); {
	case ra > rb:
		return "上"
	case ra < rb:
		return "引"
	}
	return "寄"
}

const straight = "直"

// japaneseSide says on which side of b the square a lies, as c sees it: straight if on the same file.
func japaneseSide(c Color, a, b Square) string {
	switch left := (a.File() > b.File()) == (c == Black); {
	case a.File() == b.File():
		return straight
	case left:
		return "左"
	}
	return "右"
}
