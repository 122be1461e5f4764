package shogi

// An EnteringKingRule says when a side whose king has entered the other camp may declare that it has
// won (入玉宣言).
type EnteringKingRule uint8

// The rules of declaration.
const (
	// CSARule27 is the 27-point rule of the Computer Shogi Association: 28 points for Black, 27 for
	// White.
	CSARule27 EnteringKingRule = iota
	// NoEnteringKing knows no declaration.
	NoEnteringKing
)

const (
	majorPoints = 5  // for a bishop, rook, horse or dragon; every other piece counts 1, the king 0
	leastInZone = 10 // pieces that have to stand in the zone besides the king
)

// leastPoints is what a side needs, by colour. Black's first move is worth a point.
var leastPoints = [2]int{Black: 28, White: 27}

// CanDeclare reports whether the side to move may declare its win under rule: its king stands in its
// promotion zone and not in check, at least ten of its other pieces stand there too, and these and
// what it holds are worth enough points. Whether its clock has run out, or the game is over by the
// number of moves, is not asked.
func (p *Position) CanDeclare(rule EnteringKingRule) bool {
	us := p.side & 1
	king := p.king[us]
	if rule != CSARule27 || !promotionZone[us].Has(king) {
		return false
	}
	zone := promotionZone[us].And(p.byColor[us]).Without(king)
	if zone.Len() < leastInZone {
		return false
	}
	majors := p.byType[Bishop].Or(p.byType[Rook]).Or(p.byType[Horse]).Or(p.byType[Dragon]).And(zone)
	hand := p.hand[us]
	points := zone.Len() + hand.Len() +
		(majorPoints-1)*(majors.Len()+hand.Count(Bishop)+hand.Count(Rook))
	return points >= leastPoints[us] && !p.InCheck()
}
