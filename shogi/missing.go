package shogi

// Missing returns the pieces of a full set that are neither on the board nor in a hand. Kings are
// left out: most mate problems have one.
func (p *Position) Missing() Hand {
	var missing Hand
	for t := Pawn; t < King; t++ {
		n := FullSet[t] - p.byType[t].Len()
		if t.CanPromote() {
			n -= p.byType[t.Promoted()].Len()
		}
		missing = missing.Add(t, n-p.hand[Black].Count(t)-p.hand[White].Count(t))
	}
	return missing
}

// GiveMissing puts what is Missing into the hand of c: of the defender, as printed diagrams mean it,
// which show the attacker's hand alone (残り全部).
func (p *Position) GiveMissing(c Color) {
	p.hand[c&1] += p.Missing()
}
