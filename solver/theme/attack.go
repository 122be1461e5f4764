package theme

import (
	"errors"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// Themes of the attacker's moves.

func (f *finder) sacrifice() ([]int, bool) {
	return f.each(shogi.Black, func(i int, m shogi.Move) bool {
		return f.at[i].Piece(m.To()) == shogi.NoPiece && f.isTakenAt(i+1, m.To())
	})
}

// isTakenAt reports whether move i of the line goes to a square, where a piece stands.
func (f *finder) isTakenAt(i int, sq shogi.Square) bool {
	return i < len(f.line) && f.line[i].To() == sq
}

func (f *finder) removedObstruction() ([]int, bool) {
	return f.each(shogi.Black, func(i int, m shogi.Move) bool {
		p := &f.at[i]
		rest := len(f.line) - i
		if !f.ended || f.Raw || rest < 3 || m.IsDrop() || p.Piece(m.To()) != shogi.NoPiece || !f.isTakenAt(i+1, m.To()) {
			return false
		}
		s := p.Setup()
		t := s.Board[m.From()].Type()
		if t == shogi.King {
			return false
		}
		s.Board[m.From()] = shogi.NoPiece
		s.Hands[shogi.White] = s.Hands[shogi.White].Add(t.Base(), 1)
		without, err := s.Position()
		return err == nil && f.ask(without, rest-2) == solver.Mate
	})
}

func (f *finder) nonpromotion() ([]int, bool) {
	return f.each(shogi.Black, func(i int, m shogi.Move) bool {
		if !couldPromote(&f.at[i], m) {
			return false
		}
		twin := shogi.NewPromotion(m.From(), m.To())
		promoted := f.at[i].After(twin)
		return !promoted.InCheck() || f.mates(i, twin) == solver.NoMate
	})
}

// couldPromote reports whether m is a move without promotion that could also be made with it.
func couldPromote(p *shogi.Position, m shogi.Move) bool {
	return !m.IsDrop() && !m.IsPromotion() && p.IsLegal(shogi.NewPromotion(m.From(), m.To()))
}

func (f *finder) uchifuzumeNonpromotion() ([]int, bool) {
	return f.each(shogi.Black, func(i int, m shogi.Move) bool {
		if !couldPromote(&f.at[i], m) {
			return false
		}
		twin := shogi.NewPromotion(m.From(), m.To())
		promoted := f.at[i].After(twin)
		if !promoted.InCheck() || f.mates(i, twin) != solver.NoMate {
			return false
		}
		return f.meetsUchifuzume(i, twin) || matesIfAllowed(&promoted, len(f.line)-i-1)
	})
}

// meetsUchifuzume reports whether in the line with twin in place of move i a pawn drop of the line is
// illegal because it mates.
func (f *finder) meetsUchifuzume(i int, twin shogi.Move) bool {
	p := f.at[i].After(twin)
	at := twin.To() // where the promoted piece stands
	for _, m := range f.line[i+1:] {
		if !m.IsDrop() && m.From() == at {
			if m.IsPromotion() {
				m = shogi.NewMove(m.From(), m.To())
			}
			at = m.To()
		} else if m.To() == at {
			at = shogi.NoSquare
		}
		if err := p.Illegal(m); err != nil {
			return errors.Is(err, shogi.ErrUchifuzume)
		}
		if p.Do(m); p.SideToMove() == shogi.White && !p.InCheck() {
			return false
		}
	}
	return false
}

// MatesByPawnDrop reports whether a pawn drop of the side to move is illegal for nothing but that it
// mates (打ち歩詰め).
func MatesByPawnDrop(p *shogi.Position) bool { return uchifuzumeOn(p).IsValid() }

// uchifuzumeOn returns the square of that drop, or NoSquare.
func uchifuzumeOn(p *shogi.Position) shogi.Square {
	us := p.SideToMove()
	king := p.King(us.Opponent())
	if !king.IsValid() || !p.Hand(us).Has(shogi.Pawn) {
		return shogi.NoSquare
	}
	for to := range shogi.StepAttacks(us.Opponent(), shogi.Pawn, king).All() {
		if errors.Is(p.Illegal(shogi.NewDrop(shogi.Pawn, to)), shogi.ErrUchifuzume) {
			return to
		}
	}
	return shogi.NoSquare
}

func (f *finder) uchifuzume() ([]int, bool) {
	return f.each(shogi.Black, func(i int, _ shogi.Move) bool { return MatesByPawnDrop(&f.at[i]) })
}

func (f *finder) uchifuzumeResolved() ([]int, bool) {
	type place struct{ drop, king shogi.Square }
	refused := map[place]bool{}
	return f.each(shogi.Black, func(i int, m shogi.Move) bool {
		p := &f.at[i]
		king := p.King(shogi.White)
		if sq := uchifuzumeOn(p); sq.IsValid() {
			refused[place{sq, king}] = true
		}
		return m.IsDrop() && m.Dropped() == shogi.Pawn && refused[place{m.To(), king}]
	})
}

// afar is how many squares from the king a distant check is given at least.
const afar = 3

func (f *finder) farDrop() ([]int, bool) {
	return f.each(shogi.Black, func(i int, m shogi.Move) bool {
		return m.IsDrop() && f.isFar(i, m, func(to shogi.Square) []shogi.Move {
			return []shogi.Move{shogi.NewDrop(m.Dropped(), to)}
		})
	})
}

func (f *finder) farMove() ([]int, bool) {
	return f.each(shogi.Black, func(i int, m shogi.Move) bool {
		// What takes something goes where that stands.
		return !m.IsDrop() && f.at[i].Piece(m.To()) == shogi.NoPiece && f.isFar(i, m, func(to shogi.Square) []shogi.Move {
			return []shogi.Move{shogi.NewMove(m.From(), to), shogi.NewPromotion(m.From(), to)}
		})
	})
}

// isFar reports whether move i gives check from afar, and a nearer one is among those that alike
// returns for the squares between, and none of them mates.
func (f *finder) isFar(i int, m shogi.Move, alike func(to shogi.Square) []shogi.Move) bool {
	p, next := &f.at[i], &f.at[i+1]
	king := p.King(shogi.White)
	if !next.Piece(m.To()).Type().IsSlider() || king.Distance(m.To()) < afar || !next.Checkers().Has(m.To()) {
		return false
	}
	nearer := false
	for to := range shogi.Between(king, m.To()).All() {
		for _, other := range alike(to) {
			if !p.IsLegal(other) {
				continue
			}
			if checked := p.After(other); !checked.Checkers().Has(to) {
				continue
			}
			if f.mates(i, other) != solver.NoMate {
				return false
			}
			nearer = true
		}
	}
	return nearer
}

func (f *finder) discoveredCheck() ([]int, bool) {
	return f.each(shogi.Black, func(i int, m shogi.Move) bool {
		checkers := f.at[i+1].Checkers()
		return checkers.Len() == 1 && !checkers.Has(m.To())
	})
}

func (f *finder) doubleCheck() ([]int, bool) {
	return f.each(shogi.Black, func(i int, _ shogi.Move) bool { return f.at[i+1].Checkers().Len() > 1 })
}
