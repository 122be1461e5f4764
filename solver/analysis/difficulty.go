package analysis

import (
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/length"
)

// A Feature is a fact of a problem that makes it harder, a whole number.
type Feature struct {
	Name  string
	Value int
}

// A Class is that of problems by length, as magazines divide them.
type Class uint8

const (
	Short  Class = iota // 短編: 17 plies or less
	Medium              // 中編: 19 to 49
	Long                // 長編: 51 or more
)

// String returns "short", "medium" or "long".
func (c Class) String() string { return [...]string{"short", "medium", "long"}[c] }

// DifficultyFacts say how hard a problem may be for people: its class, and facts. They are not put into one number, for no ratings by people were there to fit its weights to. What makes
// problems hard is the length and what a solver has to look at, not the work of a search:
// M. Stoiljkovikj, M. Guid and I. Bratko, Computational Estimation of Difficulty, 2015; T. Ishitobi,
// A. Cincotti and H. Iida, Shape-keeping technique and its application to checkmate problem
// composition, 2013. Themes say what its ideas are.
//
// The features, of the main line; those whose part was not asked for are left out:
//
//	plies       its length under the policy, the least known to suffice
//	checks      the most legal checks at one of the attacker's moves
//	near_tries  checks that fail, though the defender has one legal reply alone
//	deep_tries  checks that took more than 50 nodes to refute
//	defences    the most replies at one of the defender's moves, futile ones left out
//	tree        the attacker's positions in the proof
//	quiet       the attacker's moves that neither capture nor promote beside the king
//	sacrifices  the attacker's moves to where the piece can be taken
type DifficultyFacts struct {
	Class    Class
	Version  int // of the features
	Features []Feature
}

// difficultyVersion changes with the features and classes.
const difficultyVersion = 2

// Feature returns the value of a feature, 0 if it is not there.
func (d *DifficultyFacts) Feature(name string) int {
	for _, f := range d.Features {
		if f.Name == name {
			return f.Value
		}
	}
	return 0
}

// difficultyOf returns how hard a problem is, nil if no main line is known. It looks at a alone, and
// changes nothing of it.
func difficultyOf(a *Analysis) *DifficultyFacts {
	if len(a.Line.Moves) == 0 {
		return nil
	}
	d := &DifficultyFacts{Version: difficultyVersion}
	add := func(name string, value int) { d.Features = append(d.Features, Feature{name, value}) }
	plies := len(a.Line.Moves)
	if n := a.Length(); n.High < length.Unbounded {
		plies = n.High
	}
	switch {
	case plies > 49:
		d.Class = Long
	case plies > 17:
		d.Class = Medium
	}
	add("plies", plies)
	if len(a.Attack) > 0 {
		most := 0
		for i := range a.Attack {
			most = max(most, a.Attack[i].Checks)
		}
		add("checks", most)
		if near, deep, ok := tries(a); ok {
			add("near_tries", near)
			add("deep_tries", deep)
		}
	}
	if len(a.Defence) > 0 {
		add("defences", mostReplies(a))
	}
	if a.proof != nil {
		add("tree", a.proof.Len())
	}
	quiet, sacrifices := countMoves(a)
	add("quiet", quiet)
	add("sacrifices", sacrifices)
	return d
}

// mostReplies leaves out what is after the mating move.
func mostReplies(a *Analysis) (most int) {
	for i := range a.Defence {
		n := 0
		for _, r := range a.Defence[i].Replies {
			if r.Kind != FutileReply {
				n += 1 + len(r.Same)
			}
		}
		if a.Defence[i].Move != shogi.NoMove {
			most = max(most, n)
		}
	}
	return most
}

// deepTry is how many nodes it takes more than to refute a deep try.
const deepTry = 50

// tries returns near_tries and deep_tries, if the checks that fail are all there.
func tries(a *Analysis) (near, deep int, ok bool) {
	p := a.Position
	for i := range a.Attack {
		node := &a.Attack[i]
		if !node.OthersComplete {
			return 0, 0, false
		}
		for _, c := range node.Others {
			if c.Class != Try {
				continue
			}
			if after := p.After(c.Move); after.CountLegalMoves(shogi.AllMoves) == 1 {
				near++
			}
			if c.Nodes > deepTry {
				deep++
			}
		}
		for _, m := range a.Line.Moves[min(2*i, len(a.Line.Moves)):min(2*i+2, len(a.Line.Moves))] {
			p.Do(m)
		}
	}
	return near, deep, true
}

// countMoves returns quiet and sacrifices.
func countMoves(a *Analysis) (quiet, sacrifices int) {
	p := a.Position
	var buf shogi.MoveBuffer
	for _, m := range a.Line.Moves {
		next := p.After(m)
		if p.SideToMove() == a.Attacker {
			isBeside := shogi.Neighbours(p.King(a.Attacker.Opponent())).Has(m.To())
			if p.Piece(m.To()) == shogi.NoPiece && !(m.IsPromotion() && isBeside) {
				quiet++
			}
			for _, reply := range next.LegalMoves(&buf, shogi.AllMoves) {
				if reply.To() == m.To() {
					sacrifices++
					break
				}
			}
		}
		p = next
	}
	return quiet, sacrifices
}
