package usi

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// maxMultiPV is the largest MultiPV: no position has more moves.
const maxMultiPV = 600

// The nodes of the searches for one first move: of the first round, by what they grow from one to
// the next, and, if the answer waits for them, of the last.
const (
	firstRoundNodes = 2_000
	roundGrowth     = 8
	lastRoundNodes  = 128_000
)

// A mating is a first move of the attacker, and what is known of it.
type mating struct {
	move  shogi.Move
	line  []shogi.Move // begins with the move; nil: it is not known whether it mates
	exact bool         // there is no shorter mate after the move
	fails bool         // it does not mate
}

// others find out which other first moves mate.
type others struct {
	*mateSearch
	session  solver.Session
	most     int  // first moves that are reported
	shortest bool // lengths are looked for
}

// find finds out which other first moves mate, in rounds: one that is hard to decide keeps none of
// the others waiting. It reports all that mate after each round that found out something. Lengths
// are raw, and looked for if the option Shortest is on.
func (s *others) find(ctx context.Context, report func(Info)) []Info {
	s.session.Reset()
	list, nodes := s.checks(), s.result.Nodes
	for limit := uint64(firstRoundNodes); ; limit *= roundGrowth {
		open, news := false, limit == firstRoundNodes
		for i := range list {
			c := &list[i]
			if s.isSettled(c) || ctx.Err() != nil {
				continue
			}
			n, found := s.ask(ctx, c, limit)
			nodes, news = nodes+n, news || found
			open = open || !s.isSettled(c)
		}
		var infos []Info
		if news {
			infos = s.rank(list, nodes)
		}
		if !open || ctx.Err() != nil || !s.request.Infinite && limit >= lastRoundNodes {
			return infos
		}
		for _, i := range infos {
			report(i)
		}
	}
}

// isSettled reports whether there is nothing more to find out about a first move.
func (s *others) isSettled(c *mating) bool {
	return c.fails || c.exact || c.line != nil && !s.shortest
}

// ask makes one search about a first move, and reports whether it found out something.
func (s *others) ask(ctx context.Context, c *mating, limit uint64) (nodes uint64, found bool) {
	next := s.position
	next.Do(c.move)
	r := s.session.Ask(ctx, solver.Question{Position: next, Attacker: s.position.SideToMove(),
		Limits: solver.Limits{Nodes: limit, Shortest: c.line != nil, AnyLine: true}})
	switch {
	case r.Verdict == solver.NoMate:
		c.fails = true
	case r.Verdict == solver.Mate && (c.line == nil || r.Exact || len(r.Line)+1 < len(c.line)):
		c.line, c.exact = append([]shogi.Move{c.move}, r.Line...), r.Exact
		return r.Nodes, true
	}
	return r.Nodes, false
}

// checks returns the checks that the mate does not begin with.
func (s *others) checks() []mating {
	var buffer shogi.MoveBuffer
	var list []mating
	for _, c := range s.position.Checks(&buffer, shogi.AllMoves) {
		if c != s.result.Line[0] {
			list = append(list, mating{move: c})
		}
	}
	return list
}

// rank returns the info lines of the first moves that mate: the one that is the answer, those whose
// length is known, the shortest first, and the rest.
func (s *others) rank(list []mating, nodes uint64) []Info {
	mates := []mating{{move: s.result.Line[0], line: s.result.Line, exact: true}}
	for _, c := range list {
		if c.line != nil {
			mates = append(mates, c)
		}
	}
	slices.SortStableFunc(mates[1:], func(a, b mating) int {
		switch {
		case a.exact != b.exact:
			if a.exact {
				return -1
			}
			return 1
		case a.exact:
			return cmp.Compare(len(a.line), len(b.line))
		}
		return 0
	})
	var infos []Info
	for i, one := range mates[:min(len(mates), s.most)] {
		info := Info{Depth: len(one.line), SelDepth: len(one.line), Time: time.Since(s.began),
			Nodes: nodes, MultiPV: i + 1, PV: one.line, Score: Score{Kind: MateInSome}}
		if one.exact {
			info.Score = s.score(len(one.line))
		}
		infos = append(infos, info)
	}
	return infos
}
