package play

import (
	"fmt"

	"github.com/tsumero/tsumero/shogi"
)

// Rules are what ends a game besides mate and repetition. The zero Rules have no limit of moves.
type Rules struct {
	// MaxMoves is N, the last move of a game; 0: there is no limit. In the position whose Ply is
	// N+1 the game is drawn, unless LastMove says otherwise.
	MaxMoves int
	LastMove LastMoveRule
	// EnteringKing is the rule by which a side may declare its win.
	EnteringKing shogi.EnteringKingRule
}

// A LastMoveRule says what becomes of a game whose last move mates or checks.
type LastMoveRule uint8

// The rules for the last move, by who plays so.
const (
	// MateWins: a mate by the last move wins, as at the world championship of engines.
	MateWins LastMoveRule = iota
	// MateDraws: whatever the last move does, the game is drawn, as at the Denryu-sen.
	MateDraws
	// ExtendChecks: the game goes on while one of the last two moves was a check, as in games of
	// the program ShogiHome.
	ExtendChecks
)

// ParseLastMoveRule returns the rule that USI engines call mate-wins, mate-draws or extend-checks.
func ParseLastMoveRule(name string) (LastMoveRule, error) {
	switch name {
	case "mate-wins":
		return MateWins, nil
	case "mate-draws":
		return MateDraws, nil
	case "extend-checks":
		return ExtendChecks, nil
	}
	return 0, fmt.Errorf("%q, but must be mate-wins, mate-draws or extend-checks", name)
}

// ParseEnteringKingRule returns the rule that USI engines call CSARule27 or NoEnteringKing.
func ParseEnteringKingRule(name string) (shogi.EnteringKingRule, error) {
	switch name {
	case "CSARule27":
		return shogi.CSARule27, nil
	case "NoEnteringKing":
		return shogi.NoEnteringKing, nil
	}
	return 0, fmt.Errorf("%q, but must be CSARule27 or NoEnteringKing", name)
}

// An Outcome is how a game has ended. The zero Outcome is a game that goes on.
type Outcome struct {
	End    End
	Winner shogi.Color // means something only if End.IsWon
}

// An End is why a game is over.
type End uint8

// The ends of a game, in the order in which Rules.Outcome asks for them.
const (
	NotOver       End = iota
	Repetition        // fourfold repetition (千日手): a draw
	PerpetualLost     // fourfold repetition by perpetual check: whoever checked has lost
	Mate              // the side to move is in check and has no legal move
	NoMove            // it is not in check and has none: it has lost all the same
	MoveLimit         // the number of moves: a draw
)

// String returns the end in one English word, "" for a game that goes on.
func (e End) String() string {
	switch e {
	case Repetition:
		return "repetition"
	case PerpetualLost:
		return "perpetual"
	case Mate:
		return "mate"
	case NoMove:
		return "nomove"
	case MoveLimit:
		return "limit"
	}
	return ""
}

// IsWon reports whether the game has a winner.
func (e End) IsWon() bool { return e == PerpetualLost || e == Mate || e == NoMove }

// Outcome tells whether g is over in its current position: first by repetition, then because the
// side to move has no legal move, then by the limit. So a side mated by the last move of the limit
// has lost, except under MateDraws.
func (r Rules) Outcome(g *shogi.Game) Outcome {
	p := g.Position()
	switch g.Repetition() {
	case shogi.Sennichite:
		return Outcome{End: Repetition}
	case shogi.PerpetualByBlack:
		return Outcome{PerpetualLost, shogi.White}
	case shogi.PerpetualByWhite:
		return Outcome{PerpetualLost, shogi.Black}
	}
	if r.IsPastLimit(p.Ply()) && r.LastMove == MateDraws {
		return Outcome{End: MoveLimit}
	}
	if p.CountLegalMoves(shogi.AllMoves) == 0 {
		if p.InCheck() {
			return Outcome{Mate, p.SideToMove().Opponent()}
		}
		return Outcome{NoMove, p.SideToMove().Opponent()}
	}
	last := len(g.Moves()) - 1
	if r.IsDrawn(p.Ply(), p.InCheck(), last >= 0 && g.GaveCheck(last-1)) {
		return Outcome{End: MoveLimit}
	}
	return Outcome{}
}

// IsPastLimit reports whether a move with the number ply comes after the last one of a game.
func (r Rules) IsPastLimit(ply int) bool { return r.MaxMoves > 0 && ply > r.MaxMoves }

// IsDrawn reports whether the limit draws a position in which the side to move has a legal move:
// its Ply, whether the last move checked, and whether the last but one did.
func (r Rules) IsDrawn(ply int, check, checkBefore bool) bool {
	return r.IsPastLimit(ply) && !(r.LastMove == ExtendChecks && (check || checkBefore))
}

// CanDeclare reports whether the side to move may declare its win in p instead of moving.
func (r Rules) CanDeclare(p *shogi.Position) bool {
	return !r.IsPastLimit(p.Ply()) && p.CanDeclare(r.EnteringKing)
}
