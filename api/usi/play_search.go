package usi

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
)

const (
	// lineRate is how many info lines a second a search prints in the long run, and lineBurst how
	// many more may come at its beginning, where the first depths follow each other fast.
	lineRate  = 10
	lineBurst = 30
	// maxTexts is how many texts of a player are kept while it ponders.
	maxTexts = 10
)

// A playSearch is one request to a player.
type playSearch struct {
	engine   *PlayEngine
	request  Request
	position shogi.Position
	report   func(Info)
	began    time.Time

	// silent is true while the engine ponders: GUIs expect no line then. What is reported in that
	// time is held.
	silent atomic.Bool

	printed float64 // how many lines were printed, less those that the lineRate allows
	counted time.Time
	passing bool     // the lines of the present set (one for each MultiPV) are printed
	held    []Info   // not printed yet: the last line for each MultiPV
	texts   []string // not printed yet
	lines   int      // reported by the player
}

// run searches and returns the answer. While pondering it returns only on ponderhit, or when ctx
// ends.
func (s *playSearch) run(ctx context.Context) BestMove {
	e, r := s.engine, &s.request
	s.silent.Store(r.Ponderhit != nil)
	lim := e.limits(r)
	lim.Moves = s.searchMoves()
	hit, end := s.followPonderhit(ctx, &lim)
	defer end()
	if hit == nil {
		lim.Time = e.budget(r, &r.Clock)
		if b := &lim.Time; b.Hard > 0 { // the clock has been running while the player was made
			spent := time.Since(s.began)
			b.Soft, b.Hard = max(b.Soft-spent, 1), max(b.Hard-spent, 1)
		}
	}
	if e.warning != "" {
		s.text("%s", e.warning)
		e.warning = ""
	}
	s.warnOfLimit(lim.Rules)

	choice := e.player.Search(ctx, &r.Game, lim, s.handle)
	if hit != nil {
		select {
		case <-hit:
		case <-ctx.Done():
		}
	}
	s.silent.Store(false)
	return s.answer(&choice)
}

// searchMoves returns the moves to choose among, nil for all.
func (s *playSearch) searchMoves() []shogi.Move {
	var list []shogi.Move
	for _, m := range s.request.Moves {
		if s.position.IsLegal(m) {
			list = append(list, m)
		}
	}
	if n := len(s.request.Moves) - len(list); n > 0 {
		instead := "left out"
		if len(list) == 0 {
			instead = "all moves are searched"
		}
		s.text("go searchmoves: found %d illegal, %s", n, instead)
	}
	return list
}

// followPonderhit makes the player learn of ponderhit if the request is to ponder. hit is nil if it
// is not, and else closed on ponderhit. The caller must call end.
func (s *playSearch) followPonderhit(ctx context.Context, lim *play.Limits) (
	hit chan struct{}, end func()) {
	r := &s.request
	if r.Ponderhit == nil {
		return nil, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	budgets := make(chan play.Budget, 1) // has room, so that a player need not read it
	lim.Ponderhit, hit = budgets, make(chan struct{})
	go func() {
		select {
		case c := <-r.Ponderhit:
			b := s.engine.budget(r, &c)
			if b.Hard == 0 && !r.Infinite && lim.Depth == 0 && lim.Nodes == 0 {
				b = play.Budget{Soft: play.Untimed, Hard: play.Untimed} // the opponent waits
			}
			s.silent.Store(false)
			budgets <- b
			close(hit)
		case <-ctx.Done():
		}
	}()
	return hit, cancel
}

// warnOfLimit says that the game is over by its limit of moves. Players go on as if it were not.
func (s *playSearch) warnOfLimit(r play.Rules) {
	g, p := &s.request.Game, &s.position
	last := len(g.Moves()) - 1
	if r.IsDrawn(p.Ply(), p.InCheck(), last >= 1 && g.GaveCheck(last-1)) {
		s.text("the game is over by its limit of %d moves, which is ignored here", r.MaxMoves)
	}
}

// answer turns what the player chose into the answer.
func (s *playSearch) answer(c *play.Choice) BestMove {
	e, p := s.engine, &s.position
	if c.Declares {
		s.handle(play.Info{Depth: max(c.Depth, 1), MultiPV: 1, Score: play.MateIn(1), Nodes: c.Nodes,
			Line: []shogi.Move{c.Move}})
	} else if s.lines == 0 && c.Depth > 0 {
		s.handle(play.Info{Depth: c.Depth, MultiPV: 1, Score: c.Score, Nodes: c.Nodes, Line: c.Line})
	}
	s.flush()
	switch {
	case c.Declares && !s.request.Infinite:
		return BestMove{Win: true}
	case c.Move == shogi.NoMove:
		return BestMove{}
	case !p.IsLegal(c.Move):
		s.text("internal error: the player chose %v, which is not legal", c.Move)
		return BestMove{}
	case !s.request.Infinite && e.resigns(p.Ply(), c.Score):
		s.text("resigns by the option ResignValue: %d", e.resignValue)
		return BestMove{}
	}
	best := BestMove{Move: c.Move}
	if e.mate.ponder && c.Ponder != shogi.NoMove {
		next := *p
		next.Do(c.Move)
		if next.IsLegal(c.Ponder) {
			best.Ponder = c.Ponder
		}
	}
	return best
}

// handle takes what the player reports. Lines that belong together, one for each MultiPV, are
// printed or held together.
func (s *playSearch) handle(i play.Info) {
	if i.Text != "" {
		s.text("%s", i.Text)
		return
	}
	s.lines++
	if i.MultiPV <= 1 {
		if s.passing = !s.silent.Load() && s.mayPrint(); s.passing {
			s.held = s.held[:0] // out of date
		}
	}
	line := s.line(&i)
	k := slices.IndexFunc(s.held, func(old Info) bool { return old.MultiPV == line.MultiPV })
	if k < 0 {
		k, s.held = len(s.held), append(s.held, Info{})
	}
	s.held[k] = line
	if s.passing {
		s.flush()
	}
}

// text prints text for the user, after ponderhit if the engine ponders.
func (s *playSearch) text(format string, args ...any) {
	if len(s.texts) < maxTexts {
		s.texts = append(s.texts, fmt.Sprintf(format, args...))
	}
	if !s.silent.Load() {
		s.flushTexts()
	}
}

func (s *playSearch) flushTexts() {
	for _, t := range s.texts {
		s.report(Info{String: t})
	}
	s.texts = s.texts[:0]
}

// flush prints what is held.
func (s *playSearch) flush() {
	s.flushTexts()
	for _, i := range s.held {
		s.report(i)
	}
	s.printed += float64(len(s.held))
	s.held = s.held[:0]
}

// mayPrint reports whether the lineRate allows lines now.
func (s *playSearch) mayPrint() bool {
	now := time.Now()
	if !s.counted.IsZero() {
		s.printed = max(0, s.printed-lineRate*now.Sub(s.counted).Seconds())
	}
	s.counted = now
	return s.printed < lineBurst
}

// line returns the info line for what the player has found.
func (s *playSearch) line(i *play.Info) Info {
	line := Info{Depth: i.Depth, SelDepth: max(i.SelDepth, i.Depth), Time: time.Since(s.began),
		Nodes: i.Nodes, HashFull: i.HashFull, PV: s.playable(i.Line)}
	if s.engine.mate.multiPV > 1 {
		line.MultiPV = max(i.MultiPV, 1)
	}
	line.Score = Score{Kind: Centipawns, Value: int(i.Score)}
	if plies, ok := i.Score.Mate(); ok {
		line.Score = Score{Kind: MateInPlies, Value: plies}
		if plies == 0 {
			line.Score = Score{} // a side without a move has no score that GUIs could read
		}
	}
	switch i.Bound {
	case play.LowerBound:
		line.Score.Bound = LowerBound
	case play.UpperBound:
		line.Score.Bound = UpperBound
	}
	return line
}

// playable returns the moves up to the first that is not legal.
func (s *playSearch) playable(moves []shogi.Move) []shogi.Move {
	p := s.position
	for i, m := range moves {
		if !p.IsLegal(m) {
			return slices.Clone(moves[:i])
		}
		p.Do(m)
	}
	return slices.Clone(moves)
}
