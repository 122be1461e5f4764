package shogi

// Perft counts the leaves of the tree of legal moves, depth plies deep. The last ply is counted by
// CountLegalMoves, without making its moves. Depth 0 is the position itself: 1.
func Perft(p Position, depth int, set MoveSet) uint64 {
	if depth <= 0 {
		return 1
	}
	if depth == 1 {
		return uint64(p.CountLegalMoves(set))
	}
	return perft(&p, make([]MoveBuffer, depth-1), set)
}

func perft(p *Position, buffers []MoveBuffer, set MoveSet) uint64 {
	var n uint64
	for _, m := range p.LegalMoves(&buffers[0], set) {
		u := p.Do(m)
		if len(buffers) == 1 {
			n += uint64(p.CountLegalMoves(set))
		} else {
			n += perft(p, buffers[1:], set)
		}
		p.Undo(m, u)
	}
	return n
}
