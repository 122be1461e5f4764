package shogi

// Perft counts the leaves of the tree of legal moves, depth plies deep. The last ply is counted by generating its
// moves, without making them. Depth 0 is the position itself: 1.
func Perft(p Position, depth int, set MoveSet) uint64 {
	if depth <= 0 {
		return 1
	}
	buffers := make([]MoveBuffer, depth)
	return perft(&p, buffers, set)
}

func perft(p *Position, buffers []MoveBuffer, set MoveSet) uint64 {
	moves := p.LegalMoves(&buffers[0], set)
	if len(buffers) == 1 {
		return uint64(len(moves))
	}
	var n uint64
	for _, m := range moves {
		u := p.Do(m)
		n += perft(p, buffers[1:], set)
		p.Undo(m, u)
	}
	return n
}
