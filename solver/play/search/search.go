package search

import (
	"sync/atomic"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/mate1"
	"github.com/tsumero/tsumero/solver/mate3"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/eval"
)

var (
	captureValue   = eval.CaptureValue
	promotionValue = eval.PromotionValue
)

const (
	// maxPly is how deep a line can go below the root.
	maxPly = 127

	infinite = int(play.MateScore) + 1

	// whiteView is a random number.
	whiteView = 0x9e6c63d0676a9a99

	// plySalt is, too.
	plySalt = 0xd6e8feb86659fd93

	// A game won by the rule of repetition is nearly as good as a mate, but it is not one.
	repetitionScore = int(play.MaxCentipawns) - 1000
	// More in hand on the same board must be better, whatever the evaluation says.
	dominationScore = int(play.MaxCentipawns) - 2000
)

// mateIn is the score of a side to move that mates with the move to ply n below the root.
func mateIn(n int) int { return int(play.MateScore) - n }

// matedAt is the score of the side to move that is mated ply plies below the root.
func matedAt(ply int) int { return ply - int(play.MateScore) }

func isMate(score int) bool {
	return score > int(play.MaxCentipawns) || score < -int(play.MaxCentipawns)
}

// A searcher is what one goroutine needs for a search.
type searcher struct {
	p       shogi.Position
	line    *shogi.Line
	eval    *eval.State
	table   *table
	history *histories
	mate1   mate1.Finder
	mate3   *mate3.Searcher
	rules   play.Rules
	salt    bool // the limit of moves is within reach: keys depend on the ply

	// below searches a position below the root. It is search; a test of the root puts the plain
	// search here.
	below func(alpha, beta, depth, ply int, cutNode bool) int

	drawValue int    // to the side to move at the root
	draws     [2]int // the score of a draw, by the side to move
	view      uint64 // part of the keys: what a draw is worth depends on who moves at the root

	nodes    uint64
	shown    atomic.Uint64 // nodes, as other goroutines may read them: now and then
	limit    uint64        // of nodes
	stopped  bool
	poll     func() bool // asked now and then: whether to stop
	selDepth int
	learned  int // how often the histories have changed

	stack [maxPly + 2]frame
}

// A frame is what the search keeps of one ply.
type frame struct {
	inCheck bool
	eval    int
	moved   int // pieceSquare of the move made here, 0 for a null move
	line    [maxPly + 2]shogi.Move
	length  int // of line
	quiets  [64]shogi.Move
	picker  picker
}

// do makes m, a legal move, ply plies below the root. check says whether it checks.
func (s *searcher) do(m shogi.Move, ply int, check bool) shogi.Undo {
	f := &s.stack[ply]
	f.moved = pieceSquare(mover(&s.p, m), m.To())
	s.line.Push(&s.p, f.inCheck)
	s.eval.Push(&s.p, m)
	s.nodes++
	s.stack[ply+1].inCheck = check
	return s.p.Do(m)
}

func (s *searcher) undo(m shogi.Move, u shogi.Undo) {
	s.p.Undo(m, u)
	s.eval.Pop()
	s.line.Pop()
}

// shouldStop reports whether the search has to end.
func (s *searcher) shouldStop() bool {
	if s.nodes&1023 == 0 {
		s.shown.Store(s.nodes)
		s.stopped = s.stopped || s.poll()
	}
	s.stopped = s.stopped || s.nodes >= s.limit
	return s.stopped
}

// settled tells whether the rules decide the current position, ply plies below the root, without a
// search, and its score.
func (s *searcher) settled(ply int, inCheck bool) (score int, ok bool) {
	switch s.line.Repetition(&s.p, inCheck) {
	case shogi.RepetitionDraws:
		return s.draws[s.p.SideToMove()&1], true
	case shogi.RepetitionWins:
		return repetitionScore - ply, true
	case shogi.RepetitionLoses:
		return ply - repetitionScore, true
	case shogi.RepetitionGains:
		return dominationScore - ply, true
	case shogi.RepetitionWastes:
		return ply - dominationScore, true
	}
	number := s.p.Ply()
	if !s.rules.IsPastLimit(number) {
		if s.p.CanDeclare(s.rules.EnteringKing) {
			return mateIn(ply + 1), true
		}
		return 0, false
	}
	switch {
	case s.rules.LastMove == play.MateDraws:
		return s.draws[s.p.SideToMove()&1], true
	case s.p.CountLegalMoves(shogi.UsefulMoves) == 0:
		return matedAt(ply), true
	case s.rules.IsDrawn(number, inCheck, s.line.WasCheck()):
		return s.draws[s.p.SideToMove()&1], true
	}
	return 0, false
}

// mateCounts reports whether a mate in n plies from the current position comes in time.
func (s *searcher) mateCounts(n int) bool {
	last := s.p.Ply() + n - 1
	if s.rules.LastMove == play.MateDraws {
		last++
	}
	return !s.rules.IsPastLimit(last) || s.rules.LastMove == play.ExtendChecks
}

// key returns the key of the current position in the table. Where the limit of moves is within
// reach, what a position is worth depends on its ply, and where a draw is not worth 0, on who asks.
func (s *searcher) key() uint64 {
	key := s.p.Key() ^ s.view
	if s.salt {
		key ^= uint64(s.p.Ply()) * plySalt
	}
	return key
}

// keyAfter returns the key after m, a legal move.
func (s *searcher) keyAfter(m shogi.Move) uint64 {
	key := s.p.ForSearch().KeyAfter(m) ^ s.view
	if s.salt {
		key ^= uint64(s.p.Ply()+1) * plySalt
	}
	return key
}

// mates reports whether the side to move, ply plies below the root, mates by its next move. Table
// and line have the move then.
func (s *searcher) mates(key uint64, ply int) bool {
	if !s.mateCounts(1) {
		return false
	}
	m := s.mate1.Find(&s.p)
	if m == shogi.NoMove {
		return false
	}
	s.table.store(key, ply, entry{m, mateIn(ply + 1), noEval, maxPly, exactBound})
	f := &s.stack[ply]
	f.line[0], f.length = m, 1
	return true
}

// mates3 returns in how many plies the side to move, ply plies below the root, mates, if it does so
// in three or fewer, else 0. Table and line have the moves then.
func (s *searcher) mates3(key uint64, ply int) int {
	if !s.mateCounts(3) {
		return 0
	}
	line, plies := s.mate3.Find(&s.p)
	if plies > 0 {
		s.table.store(key, ply, entry{line[0], mateIn(ply + plies), noEval, maxPly, exactBound})
		f := &s.stack[ply]
		f.length = copy(f.line[:], line[:plies])
	}
	return plies
}

// isQuiet reports whether m neither captures nor promotes.
func isQuiet(p *shogi.Position, m shogi.Move) bool {
	return p.Piece(m.To()) == shogi.NoPiece && !m.IsPromotion()
}

// value returns the static evaluation, never a mate.
func (s *searcher) value() int {
	const most = int(play.MaxCentipawns) - 3000
	return max(-most, min(most, s.eval.Value(&s.p)))
}

// search returns the score of the current position, ply plies below the root, searched depth plies
// deep: exactly if it lies between alpha and beta, else a bound.
func (s *searcher) search(alpha, beta, depth, ply int, cutNode bool) int {
	f := &s.stack[ply]
	f.length = 0
	if depth <= 0 {
		return s.quiesce(alpha, beta, ply, 0)
	}
	if s.shouldStop() {
		return 0
	}
	pv := beta-alpha > 1
	p := &s.p
	inCheck := f.inCheck
	if score, ok := s.settled(ply, inCheck); ok {
		return score
	}
	s.selDepth = max(s.selDepth, ply)
	if ply >= maxPly {
		return s.value()
	}
	alpha, beta = max(alpha, matedAt(ply)), min(beta, mateIn(ply+1)) // mate distance pruning
	if alpha >= beta {
		return alpha
	}

	// The table.
	key := s.key()
	e, hit := s.table.probe(key, ply)
	if hit {
		if !pv && e.depth >= depth && e.decides(beta) {
			return e.score
		}
		if e.move != shogi.NoMove && !p.IsLegal(e.move) {
			e.move = shogi.NoMove
		}
	}

	// Mates of one and three plies.
	if !inCheck {
		if !hit && s.mates(key, ply) {
			return mateIn(ply + 1)
		}
		if depth >= mate3Depth && (!hit || e.depth < mate3Depth) {
			if plies := s.mates3(key, ply); plies > 0 {
				return mateIn(ply + plies)
			}
		}
	}

	// The static evaluation.
	f.eval = noEval
	improving := false
	if !inCheck {
		if hit && e.eval != noEval {
			f.eval = e.eval
		} else {
			f.eval = s.value()
		}
		improving = ply >= 2 && s.stack[ply-2].eval != noEval && f.eval > s.stack[ply-2].eval
	}
	static := f.eval
	if hit && !inCheck && !isMate(e.score) && e.decides(static) {
		static = e.score
	}

	if !pv && !inCheck && !isMate(beta) && !isMate(alpha) {
		// Reverse futility: far above beta nothing helps the opponent.
		margin := reverseFutilityStep * depth
		if improving {
			margin -= reverseFutilityImproved
		}
		if depth <= reverseFutilityDepth && static-margin >= beta {
			return static
		}
		// Null move: if even passing is good enough, a move is.
		if depth >= nullMoveDepth && static >= beta && f.eval >= beta && s.stack[ply-1].moved != 0 {
			reduction := 3 + depth/4 + min((static-beta)/300, 3)
			score := s.pass(beta, depth-1-reduction, ply, cutNode)
			if s.stopped {
				return 0
			}
			if score >= beta {
				if isMate(score) {
					score = beta
				}
				return score
			}
		}
	}
	if depth >= iirDepth && e.move == shogi.NoMove && (pv || cutNode) {
		depth--
	}

	ci := p.CheckInfo()
	k := &f.picker
	reply, reply2 := s.replies(ply)
	k.begin(e.move, inCheck, false, reply, reply2)
	best, bestMove := -infinite, shogi.NoMove
	original := alpha
	tried, quiets := 0, 0
	mostQuiets := quietCountBase + 2*depth*depth // late move pruning
	if !improving {
		mostQuiets = mostQuiets * 2 / 3
	}
	var captures [32]shogi.Move
	numCaptures := 0
	for {
		prunes := best > -int(play.MaxCentipawns) && !inCheck
		late := !pv && quiets >= mostQuiets
		lift := alpha - f.eval - futilityBase
		if prunes && k.stage == stageQuiets && (late || lift >= 0) {
			tried += s.skipQuiets(k, &ci, depth, tried, late, lift)
		}
		m := k.pick(s, p)
		if m == shogi.NoMove {
			break
		}
		if k.stage == stageQuiets && k.next > k.fetched && !late && lift < 0 {
			s.fetch(k)
		}
		tried++
		isQuiet := isQuiet(p, m)
		check := p.GivesCheck(m, &ci)
		history := 0
		switch {
		case !isQuiet:
		case k.stage == stageQuiets:
			history = int(k.scoreNow(s, p, k.next-1))
		default:
			history = int(s.quietScore(k, p, m))
		}

		reduction := int(reductions[min(depth, 63)][min(tried, 63)])
		if prunes {
			reduced := max(depth-1-reduction+history/8192, 0)
			if isQuiet && !check {
				if late || isFutile(reduced, lift) {
					continue
				}
				if depth <= exchangeDepth && !winsExchange(p, m, int32(-quietExchangeStep*reduced*reduced)) {
					continue
				}
			} else if depth <= exchangeDepth && !winsExchange(p, m, int32(-captureExchangeStep*depth)) {
				continue
			}
		}

		extension := 0
		if check && (depth <= 4 || pv) && winsExchange(p, m, 0) {
			extension = 1
		}
		u := s.do(m, ply, check)
		newDepth := depth - 1 + extension
		var score int
		if tried == 1 {
			score = -s.search(-beta, -alpha, newDepth, ply+1, !pv && !cutNode)
		} else {
			r := 0
			if depth >= 3 && (isQuiet || k.stage == stageLosing) {
				r = reduction - count(!isQuiet) - count(pv) + count(!improving) - count(check) -
					count(inCheck) + count(cutNode) - history/8192
				r = max(0, min(r, newDepth-1))
			}
			score = -s.search(-alpha-1, -alpha, newDepth-r, ply+1, true)
			if r > 0 && score > alpha && !s.stopped {
				score = -s.search(-alpha-1, -alpha, newDepth, ply+1, !cutNode)
			}
			if pv && score > alpha && !s.stopped {
				score = -s.search(-beta, -alpha, newDepth, ply+1, false)
			}
		}
		s.undo(m, u)
		if s.stopped {
			return 0
		}
		if score > best {
			best = score
			if score > alpha {
				bestMove = m
				s.setLine(ply, m)
				alpha = score
				if score >= beta {
					break
				}
			}
		}
		if isQuiet {
			if quiets < len(f.quiets) {
				f.quiets[quiets] = m
			}
			quiets++
		} else if numCaptures < len(captures) {
			captures[numCaptures] = m
			numCaptures++
		}
	}
	if tried == 0 {
		return matedAt(ply)
	}
	if best >= beta {
		s.learn(p, k, bestMove, depth, f.quiets[:min(quiets, len(f.quiets))], captures[:numCaptures])
	}
	s.table.store(key, ply, entry{bestMove, best, f.eval, depth, boundOf(best, original, beta)})
	return best
}

// fetch brings what the table has of the positions after the quiet move that was picked and after
// those that come next into the cache: memory takes a fifth of the time of a search.
func (s *searcher) fetch(k *picker) {
	k.fetched = min(k.next+3, k.end)
	for _, m := range k.moves[k.next-1 : k.fetched] {
		s.table.fetch(s.keyAfter(m))
	}
}

// isFutile reports whether a quiet move that will be searched reduced plies deep cannot be expected
// to lift the score by so much.
func isFutile(reduced, lift int) bool {
	return reduced <= futilityDepth && futilityStep*reduced <= lift
}

// skipQuiets passes over the quiet moves that come next and are pruned, before pick hands one out,
// and returns how many: all that do not check if it is late, else those that are futile. tried moves
// came before them. Nine in ten of the quiet moves end here.
func (s *searcher) skipQuiets(k *picker, ci *shogi.CheckInfo, depth, tried int, late bool,
	lift int) int {
	p, first := &s.p, tried
	row := &reductions[min(depth, 63)]
	for ; k.next < k.end; k.next++ {
		m := k.moves[k.next]
		if m == k.tableMove {
			continue
		}
		if m.IsPromotion() || p.GivesCheck(m, ci) {
			break
		}
		if !late {
			history := int(k.scoreNow(s, p, k.next))
			if !isFutile(max(depth-1-int(row[min(tried+1, 63)])+history/8192, 0), lift) {
				break
			}
		}
		tried++
	}
	return tried - first
}

// count is 1 for what holds, else 0.
func count(holds bool) int {
	if holds {
		return 1
	}
	return 0
}

// pass returns the score that the side to move, ply plies below the root, has after a null move.
func (s *searcher) pass(beta, depth, ply int, cutNode bool) int {
	s.stack[ply].moved = 0
	s.line.PushNull(&s.p)
	s.nodes++
	s.stack[ply+1].inCheck = false
	s.p.ForSearch().DoNull()
	score := -s.search(-beta, -beta+1, depth, ply+1, !cutNode)
	s.p.ForSearch().UndoNull()
	s.line.Pop()
	return score
}

// setLine makes m and the line found after it the best line at ply.
func (s *searcher) setLine(ply int, m shogi.Move) {
	f, next := &s.stack[ply], &s.stack[ply+1]
	f.line[0] = m
	f.length = 1 + copy(f.line[1:], next.line[:next.length])
}

// replies returns the histories of replies to the last move, and to the own move before it.
func (s *searcher) replies(ply int) (reply, reply2 *[pieceSquares]int16) {
	var i, j int
	if ply >= 1 {
		i = s.stack[ply-1].moved
	}
	if ply >= 2 {
		j = s.stack[ply-2].moved
	}
	return &s.history.reply[i], &s.history.reply[j]
}

// learn tells the histories that m was better than the moves tried before it.
func (s *searcher) learn(p *shogi.Position, k *picker, m shogi.Move, depth int,
	quiets, captures []shogi.Move) {
	s.learned++
	bonus := min(16*depth*depth+64*depth, 1800)
	if isQuiet(p, m) {
		s.bumpQuiet(p, k, m, bonus)
		for _, other := range quiets {
			if other != m {
				s.bumpQuiet(p, k, other, -bonus)
			}
		}
	} else {
		s.bumpCapture(p, m, bonus)
	}
	for _, other := range captures {
		if other != m {
			s.bumpCapture(p, other, -bonus)
		}
	}
}

func (s *searcher) bumpQuiet(p *shogi.Position, k *picker, m shogi.Move, bonus int) {
	pc, to := mover(p, m), m.To()
	i := pieceSquare(pc, to)
	bump(&s.history.quiet[drops(m)][pc&31][to&127], bonus)
	bump(&k.reply[i], bonus)
	bump(&k.reply2[i], bonus)
}

func (s *searcher) bumpCapture(p *shogi.Position, m shogi.Move, bonus int) {
	bump(&s.history.capture[mover(p, m)&31][m.To()&127][p.Piece(m.To()).Type()&15], bonus)
}

// quiesce returns the score of the current position once nothing hangs: captures and promotions of
// pawns are searched until they stop paying, and all moves while in check. n counts the plies since
// quiescence began.
func (s *searcher) quiesce(alpha, beta, ply, n int) int {
	f := &s.stack[ply]
	f.length = 0
	if s.shouldStop() {
		return 0
	}
	p := &s.p
	inCheck := f.inCheck
	if score, ok := s.settled(ply, inCheck); ok {
		return score
	}
	s.selDepth = max(s.selDepth, ply)
	if ply >= maxPly {
		return s.value()
	}

	key := s.key()
	e, hit := s.table.probe(key, ply)
	if hit {
		if beta-alpha == 1 && e.decides(beta) {
			return e.score
		}
		if e.move != shogi.NoMove && !p.IsLegal(e.move) {
			e.move = shogi.NoMove
		}
	}
	original := alpha
	best := -infinite
	f.eval = noEval
	if !inCheck {
		if !hit && n == 0 && s.mates(key, ply) {
			return mateIn(ply + 1)
		}
		if hit && e.eval != noEval {
			f.eval = e.eval
		} else {
			f.eval = s.value()
		}
		best = f.eval
		if hit && !isMate(e.score) && e.decides(best) {
			best = e.score
		}
		if best >= beta {
			if !hit {
				s.table.store(key, ply, entry{shogi.NoMove, best, f.eval, 0, lowerBound})
			}
			return best
		}
		alpha = max(alpha, best)
		if e.move != shogi.NoMove && isQuiet(p, e.move) {
			e.move = shogi.NoMove
		}
	}

	ci := p.CheckInfo()
	k := &f.picker
	reply, reply2 := s.replies(ply)
	k.begin(e.move, inCheck, !inCheck, reply, reply2)
	bestMove := shogi.NoMove
	tried, quiets := 0, 0
	for m := k.pick(s, p); m != shogi.NoMove; m = k.pick(s, p) {
		tried++
		check := p.GivesCheck(m, &ci)
		if best > -int(play.MaxCentipawns) {
			if inCheck {
				if p.Piece(m.To()) == shogi.NoPiece {
					if quiets++; quiets > 2 && n > 0 {
						continue
					}
				}
			} else if !check {
				gain := int(captureValue[p.Piece(m.To()).Type()&15])
				if m.IsPromotion() {
					gain += int(promotionValue[mover(p, m).Type()&15])
				}
				if f.eval+gain+quiescenceMargin <= alpha {
					best = max(best, f.eval+gain+quiescenceMargin)
					continue
				}
			}
		}
		u := s.do(m, ply, check)
		score := -s.quiesce(-beta, -alpha, ply+1, n+1)
		s.undo(m, u)
		if s.stopped {
			return 0
		}
		if score > best {
			best = score
			if score > alpha {
				bestMove = m
				s.setLine(ply, m)
				alpha = score
				if score >= beta {
					break
				}
			}
		}
	}
	if inCheck && tried == 0 {
		return matedAt(ply)
	}
	s.table.store(key, ply, entry{bestMove, best, f.eval, 0, boundOf(best, original, beta)})
	return best
}
