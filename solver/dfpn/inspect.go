//go:build lab

package dfpn

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// Work is what the table of a search says about a position when the search has ended, and about
// those that follow: where its nodes went.
type Work struct {
	// Move leads here from the position before; NoMove at the root.
	Move shogi.Move
	// Nodes is how many were spent below the position, at least: the table may have forgotten some.
	// A position that several moves lead to has all its nodes below each of them.
	Nodes uint64
	// PN and DN are the proof number and the disproof number of a position that is open, in leaves.
	// 0 and 0 if nothing is known of it, and if it is decided.
	PN, DN  uint64
	Verdict solver.Verdict // NoMate may be one within the plies that were left, or on this way
	Then    []Work         // the positions that took most, first
}

// Cut says how much of a tree of Work is wanted.
type Cut struct {
	Plies int     // how deep
	Moves int     // of a position, at most
	Share float64 // of all nodes, that a position must have taken at least, 0 to 1
}

// Inspect searches p under lim, for any line, and returns the answer, which is not verified, and
// where the work went.
func Inspect(ctx context.Context, p shogi.Position, lim solver.Limits, o Options, cut Cut) (solver.Result, Work) {
	side, err := solver.Attacker(&p)
	if err != nil {
		return solver.Result{Reason: solver.ReasonDepth, Solver: name}, Work{}
	}
	rotated := side != attacker
	if rotated {
		p = p.Rotated()
	}
	s := newSearcher(o.withDefaults())
	lim.AnyLine = true
	r := s.solve(ctx, p, lim, rotated)
	s.p = p
	root := s.workAt(cut, max(uint64(cut.Share*float64(r.Nodes)), 1), map[state]bool{})
	root.Nodes = r.Nodes
	if rotated {
		for i, m := range r.Line {
			r.Line[i] = m.Rotated()
		}
		root.rotate()
	}
	return r, root
}

func (w *Work) rotate() {
	if w.Move != shogi.NoMove {
		w.Move = w.Move.Rotated()
	}
	for i := range w.Then {
		w.Then[i].rotate()
	}
}

// workAt returns the work of the position on the board, and of those after it that took so many nodes
// at least. onPath are those that led to it, which are not entered again.
func (s *searcher) workAt(cut Cut, least uint64, onPath map[state]bool) Work {
	at := state{s.p.BoardKey(), s.p.Hand(attacker)}
	w := s.table.workOf(at)
	if cut.Plies <= 0 || onPath[at] {
		return w
	}
	onPath[at] = true
	defer delete(onPath, at)
	var moves []shogi.Move
	if s.p.SideToMove() == attacker {
		moves = slices.Clone(s.p.Checks(&s.moves, shogi.AllMoves))
	} else {
		moves = slices.Clone(s.p.Evasions(&s.moves, shogi.AllMoves))
	}
	for _, m := range moves {
		hand := at.hand
		if s.p.SideToMove() == attacker {
			hand = s.p.HandAfter(m)
		}
		next := s.table.workOf(state{s.p.BoardKeyAfter(m), hand})
		next.Move = m
		if next.Nodes >= least {
			w.Then = append(w.Then, next)
		}
	}
	slices.SortStableFunc(w.Then, func(a, b Work) int { return cmp.Compare(b.Nodes, a.Nodes) })
	w.Then = w.Then[:min(len(w.Then), cut.Moves)]
	cut.Plies--
	for i := range w.Then {
		m := w.Then[i].Move
		u := s.p.Do(m)
		w.Then[i] = s.workAt(cut, least, onPath)
		w.Then[i].Move = m
		s.p.Undo(m, u)
	}
	return w
}

// workOf returns what the table says about a position: its own entry has what was spent while it was
// open, and the one that solves it, perhaps of another hand, what was spent at last.
func (t *table) workOf(at state) Work {
	var w Work
	home := t.home(at.key)
	for i := home; i < home+window; i++ {
		e := &t.slots[i]
		check := atomic.LoadUint64(&e.check)
		if check == 0 {
			break
		}
		c := claim(atomic.LoadUint64(&e.claim))
		if check^uint64(c) != at.key {
			continue
		}
		own := c.hand() == at.hand
		mates := c.mateIn() != unproved && at.hand.Covers(c.hand())
		fails := c.noMate() > 0 && c.hand().Covers(at.hand)
		if !own && !mates && !fails {
			continue
		}
		w.Nodes = max(w.Nodes, uint64(amountOf(atomic.LoadUint64(&e.rest))))
		switch {
		case mates:
			w.Verdict = solver.Mate
		case fails && w.Verdict == solver.Unknown:
			w.Verdict = solver.NoMate
		}
		if numbers := atomic.LoadUint64(&e.numbers); own && numbers != 0 {
			w.PN, w.DN = leaves(uint32(numbers&numbersMask)), leaves(uint32(numbers>>dnShift&numbersMask))
		}
	}
	if w.Verdict != solver.Unknown {
		w.PN, w.DN = 0, 0
	}
	return w
}
