package compose

import (
	"cmp"
	"io"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/collection"
)

// A Nearest is the known problem that one is most like.
type Nearest struct {
	ID       string
	Relation collection.Relation
	// Twin says that it is so if promoted pawns, lances, knights and silvers stand for golds.
	Twin bool
}

// An Archive holds problems that new ones must be unlike: known ones, and those that left. The zero
// Archive is empty. It is not for concurrent use.
type Archive struct {
	known   collection.List
	twins   collection.List  // with golds and what stands for them made one kind
	endings collection.Index // of the last three plies of those that left
	unit    int              // how many endings there were when the unit of work began

	// SameMoves is how many problems that leave may have the same last three moves, and how many of
	// one length a family may yield, where the same first moves are no likeness: exercises have
	// them again and again. 0: two and one, so that those two are from different units of work.
	SameMoves int
}

// sameEnd is how many problems that leave may have the same last three moves.
const sameEnd = 2

// unlike are the ways in which no two problems may be alike: all but the last, SameEnd. SameIdea is
// the one before it.
var unlike = collection.Closeness[:len(collection.Closeness)-1]

// Len returns how many problems there are.
func (a *Archive) Len() int { return a.known.Len() }

// Hashed returns how many problems are known by their hashes alone.
func (a *Archive) Hashed() int { return a.known.Hashed() }

// Know puts a known problem into the archive, without its line if that is not legal. Its attacker
// may be White.
func (a *Archive) Know(id string, p *collection.Problem) error {
	if err := a.known.Know(id, p); err != nil {
		return err
	}
	if t := twinOf(p); t != nil {
		a.twins.Add(id, t)
	}
	return nil
}

// KnowHashes puts the problems of a file of hashes into the archive. Len does not count them.
func (a *Archive) KnowHashes(r io.Reader) error { return a.known.KnowHashes(r) }

// Begin says that what is added next is from another unit of work, such as a family.
func (a *Archive) Begin() { a.unit = a.endings.Len() }

// Nearest returns the problem that one is most like in the ways in which none may be, nil if there
// is none, or else that whose final figure and last move are the same.
func (a *Archive) Nearest(q *Problem) (near *Nearest, isNew bool) {
	p := &collection.Problem{Position: q.Position, Line: q.Line}
	d, err := collection.Describe(p)
	if err != nil {
		return nil, false
	}
	unlike := unlike
	if a.SameMoves > 0 {
		unlike = unlike[:len(unlike)-1]
	}
	if near := closest(&a.known, d, unlike...); near != nil {
		return near, false
	}
	if t := twinOf(p); t != nil {
		if near := closest(&a.twins, t, unlike...); near != nil {
			near.Twin = true
			return near, false
		}
	}
	return closest(&a.known, d, collection.SameEnd), true
}

func closest(l *collection.List, d *collection.Description, relations ...collection.Relation) *Nearest {
	if found, _ := l.Find(d, 1, relations...); len(found) > 0 {
		return &Nearest{ID: found[0].Name, Relation: found[0].Relation}
	}
	return nil
}

// Add puts a problem into the archive if it is unlike all that are there: no near copy, not the end
// of another or the other way round, and not with the same last three moves as one of the same unit
// of work or several others. q.Nearest is the one that it is most like.
func (a *Archive) Add(q *Problem) (isNew bool) {
	if q.Nearest, isNew = a.Nearest(q); !isNew {
		return false
	}
	end := endingOf(q)
	n := 0
	for _, m := range a.endings.Related(end, collection.Duplicate, collection.MirrorTwin, collection.SameIdea) {
		isTooNear := a.SameMoves == 0 && m.ID+m.Count > a.unit
		if n += m.Count; n >= cmp.Or(a.SameMoves, sameEnd) || isTooNear {
			return false
		}
	}
	a.Restore(q)
	return true
}

// Restore puts a problem into the archive that left before.
func (a *Archive) Restore(q *Problem) {
	a.endings.Add(endingOf(q))
	_ = a.Know(collection.ShortKey(q.Key), &collection.Problem{Position: q.Position, Line: q.Line})
}

// endingOf describes the last three plies of a problem, whose line is legal.
func endingOf(q *Problem) *collection.Description {
	ending := collection.Problem{Position: q.Position, Line: q.Line}
	for len(ending.Line) > 3 {
		ending.Position.Do(ending.Line[0])
		ending.Line = ending.Line[1:]
	}
	d, err := collection.Describe(&ending)
	if err != nil {
		panic(err)
	}
	return d
}

// twinOf describes the problem with tokins where golds and what stands for them are, nil if there
// are not so many pawns. Without its line, if that has moves that are not legal then.
func twinOf(p *collection.Problem) *collection.Description {
	s := p.Position.Setup()
	defender := p.Attacker.Opponent()
	s.Hands[defender] = 0
	for sq, pc := range s.Board {
		switch pc.Type() {
		case shogi.Gold, shogi.ProLance, shogi.ProKnight, shogi.ProSilver:
			s.Board[sq] = shogi.PieceOf(pc.Color(), shogi.Tokin)
		}
	}
	q, err := s.Position()
	if err != nil {
		return nil
	}
	q.GiveMissing(defender)
	for _, line := range [][]shogi.Move{p.Line, nil} {
		if d, err := collection.Describe(&collection.Problem{Position: q, Attacker: p.Attacker, Line: line}); err == nil {
			return d
		}
	}
	return nil
}
