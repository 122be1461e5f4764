package analysis

import (
	"errors"
	"math"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/length"
)

// A Feature is something of a problem that makes it harder.
type Feature struct {
	Name  string
	Value float64
}

// A Score is a proposal for how hard a problem is, and the facts it is made of. It goes with the
// logarithm of the length and with what a solver has to look at, not with the work of a search:
// M. Stoiljkovikj, M. Guid and I. Bratko, Computational Estimation of Difficulty, 2015; T. Ishitobi,
// A. Cincotti and H. Iida, Shape-keeping technique and its application to checkmate problem
// composition, 2013. No ratings were there to fit the weights to: sites should map the score to
// their own.
//
// The features, of the main line; those whose part was not asked for are left out, and the value
// goes without them:
//
//	plies          its length under the policy, the least known to suffice
//	checks         legal checks of the attacker, geometric mean of his moves
//	near_tries     checks that fail, though the defender has one legal reply alone
//	deep_tries     other checks that fail, each by the logarithm to base 2 of the nodes it took to
//	               refute it, divided by 50, if there were more than 50
//	defences       replies that are not futile, geometric mean of the defender's moves
//	tree           logarithm to base 2 of the attacker's positions in the proof
//	quiet          attacker's moves that neither capture nor promote beside the king
//	sacrifices     attacker's moves to where the piece can be taken, each by its value in golds
//	unpromoted     1 if a piece moves without promoting, though it could, and promoting does not mate
//	far_drop       1 if a piece is dropped three or more squares from the king
//	interposition  1 if the defender interposes by a drop
//	uchifu         1 if a pawn drop would mate, which is illegal
//	dual_checks    discovered and double checks
type Score struct {
	Value    float64 // one decimal
	Version  int     // of the features and weights
	Features []Feature
}

// scoreVersion changes with the features and their weights.
const scoreVersion = 1

// score returns how hard a problem is, nil if no main line is known. It looks at a alone, and changes
// nothing of it.
func score(a *Analysis) *Score {
	if len(a.Line.Moves) == 0 {
		return nil
	}
	s := &Score{Version: scoreVersion}
	add := func(name string, value float64) float64 {
		s.Features = append(s.Features, Feature{name, value})
		return value
	}
	plies := len(a.Line.Moves)
	if n := a.Length(); n.High < length.Unbounded {
		plies = n.High
	}
	s.Value = math.Log2(add("plies", float64(plies)))

	if len(a.Attack) > 0 {
		s.Value += 0.5 * math.Log2(add("checks", checksMean(a)))
		if near, deep, ok := tries(a); ok {
			s.Value += 0.35 * math.Log2(1+add("near_tries", near)+add("deep_tries", deep))
		}
	}
	if len(a.Defence) > 0 {
		s.Value += 0.5 * math.Log2(add("defences", repliesMean(a)))
	}
	if a.proof != nil {
		s.Value += 0.1 * add("tree", math.Log2(float64(max(a.proof.Len(), 1))))
	}
	f := lineFeatures(a)
	add("quiet", f.quiet)
	s.Value += 0.15 * add("sacrifices", f.sacrifices)
	s.Value += 0.4 * (add("unpromoted", f.unpromoted) + add("far_drop", f.farDrop) +
		add("interposition", f.interposition) + add("uchifu", f.uchifu))
	add("dual_checks", f.dualChecks)
	s.Value = math.Round(10*s.Value) / 10
	return s
}

// A mean is a geometric one.
type mean struct {
	logs float64
	n    int
}

func (m *mean) add(n int) {
	m.logs += math.Log2(float64(max(n, 1)))
	m.n++
}

func (m *mean) value() float64 { return math.Exp2(m.logs / float64(max(m.n, 1))) }

func checksMean(a *Analysis) float64 {
	var m mean
	for i := range a.Attack {
		m.add(a.Attack[i].Checks)
	}
	return m.value()
}

// repliesMean leaves out what is after the mating move.
func repliesMean(a *Analysis) float64 {
	var m mean
	for i := range a.Defence {
		n := 0
		for _, r := range a.Defence[i].Replies {
			if r.Kind != FutileReply {
				n += 1 + len(r.Same)
			}
		}
		if a.Defence[i].Move != shogi.NoMove {
			m.add(n)
		}
	}
	return m.value()
}

// tries returns near_tries and deep_tries, if the checks that fail are all there.
func tries(a *Analysis) (near, deep float64, ok bool) {
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
			if after := after(&p, c.Move); after.CountLegalMoves(shogi.AllMoves) == 1 {
				near++
			}
			if c.Nodes > 50 {
				deep += math.Log2(float64(c.Nodes) / 50)
			}
		}
		for _, m := range a.Line.Moves[min(2*i, len(a.Line.Moves)):min(2*i+2, len(a.Line.Moves))] {
			p.Do(m)
		}
	}
	return near, deep, true
}

// pieceValues are in golds, of what is lost with a piece: a promoted one is worth no less on the
// board.
var pieceValues = [...]float64{shogi.Pawn: 0.2, shogi.Lance: 0.5, shogi.Knight: 0.6, shogi.Silver: 0.9,
	shogi.Gold: 1, shogi.Bishop: 1.5, shogi.Rook: 1.8, shogi.Tokin: 0.7, shogi.ProLance: 0.8,
	shogi.ProKnight: 0.8, shogi.ProSilver: 0.9, shogi.Horse: 1.8, shogi.Dragon: 2.2}

type lineFacts struct {
	quiet, sacrifices, unpromoted, farDrop, interposition, uchifu, dualChecks float64
}

func lineFeatures(a *Analysis) (f lineFacts) {
	p := a.Position
	var buf shogi.MoveBuffer
	for i, m := range a.Line.Moves {
		next := after(&p, m)
		if p.SideToMove() != a.Attacker {
			if m.IsDrop() {
				f.interposition = 1
			}
			p = next
			continue
		}
		king := p.King(a.Attacker.Opponent())
		isBeside := shogi.Neighbours(king).Has(m.To())
		if p.Piece(m.To()) == shogi.NoPiece && !(m.IsPromotion() && isBeside) {
			f.quiet++
		}
		for _, reply := range next.LegalMoves(&buf, shogi.AllMoves) {
			if reply.To() == m.To() {
				f.sacrifices += pieceValues[next.Piece(m.To()).Type()]
				break
			}
		}
		if couldPromote(&p, m) && i/2 < len(a.Attack) && !matesToo(&a.Attack[i/2], m) {
			f.unpromoted = 1
		}
		if m.IsDrop() && distance(king, m.To()) >= 3 {
			f.farDrop = 1
		}
		if matesByPawnDrop(&p, king) {
			f.uchifu = 1
		}
		if checkers := next.Checkers(); checkers.Len() > 1 || !checkers.Has(m.To()) {
			f.dualChecks++
		}
		p = next
	}
	return f
}

// couldPromote reports whether m is a move without promotion that could also be made with it.
func couldPromote(p *shogi.Position, m shogi.Move) bool {
	return !m.IsDrop() && !m.IsPromotion() && p.IsLegal(shogi.NewPromotion(m.From(), m.To()))
}

// matesToo reports whether m with promotion mates, or is not known not to.
func matesToo(node *AttackNode, m shogi.Move) bool {
	for _, c := range node.Others {
		if c.Move == shogi.NewPromotion(m.From(), m.To()) {
			return c.Class != Try
		}
	}
	return false // it fails, or gives no check
}

// matesByPawnDrop reports whether a pawn drop is illegal for nothing but that it mates
// (打ち歩詰め).
func matesByPawnDrop(p *shogi.Position, king shogi.Square) bool {
	for _, to := range [...]shogi.Square{king - 1, king + 1} { // before and behind it
		if to.IsValid() && errors.Is(p.Illegal(shogi.NewDrop(shogi.Pawn, to)), shogi.ErrUchifuzume) {
			return true
		}
	}
	return false
}

// distance returns how many steps of a king are between two squares.
func distance(a, b shogi.Square) int {
	f := int(a.File()) - int(b.File())
	r := int(a.Rank()) - int(b.Rank())
	return max(f, -f, r, -r)
}
