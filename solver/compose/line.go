package compose

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/tsumero/tsumero/shogi"
)

// A GivenMove is what is given of a move of a line. What is not given is searched.
type GivenMove struct {
	To       shogi.Square
	From     shogi.Square    // NoSquare: any, or a drop
	Kind     shogi.PieceType // before the move; NoPieceType: any
	Drop     bool
	Promotes bool
	Same     bool // To is that of the move before
}

// LineOptions are what is asked of Lines.
type LineOptions struct {
	Search
	Moves   []GivenMove // of Black and White in turn, Black's first and last
	Helpers int         // pieces at most that no move says anything of, 0 to MaxHelpers
	Reach   int         // how far from a square of the king they stand at most
}

// MaxHelpers is the most that LineOptions.Helpers may be.
const MaxHelpers = 4

// linePart is how many figures are a part.
const linePart = 4096

// A sketch is what the moves say of the first diagram: what stands on some squares, which squares are
// empty, and what Black has in hand. Of the rest nothing is known.
type sketch struct {
	known shogi.Bitboard // the squares of which it is known what stands there
	setup shogi.Setup
	moves []shogi.Move
	slots []placed // what may be put there besides, the nearest first
}

// A sketcher deduces from the moves of a line what they need.
type sketcher struct {
	o      *LineOptions
	found  []sketch
	failed deepest
}

// deepest is the move that no figure can have, the furthest one.
type deepest struct {
	at  int
	why string
}

// maxSketches is how many sketches there may be.
const maxSketches = 20_000

// A tracked position is a sketch and what has become of it after some moves.
type tracked struct {
	sketch
	now   shogi.Bitboard // as known, after the moves
	board [shogi.NumSquares]shogi.Piece
	hand  [shogi.King]int // Black's, less than 0 for what he has to begin with
	least [shogi.King]int // the least of it so far
}

// sketches returns what the moves say of the first diagram, the figures of the fewest pieces first.
func (o *LineOptions) sketches() ([]sketch, error) {
	switch {
	case len(o.Moves)%2 == 0:
		return nil, newFault("the line has %d moves, but must end with a move of the attacker", "%d手の手順ですが、奇数手が必要です。",
			len(o.Moves))
	case o.Helpers < 0 || o.Helpers > MaxHelpers:
		return nil, newFault("%d pieces besides those that move, but at most %d can be asked for",
			"手順に出てこない駒は%[2]d枚までです。", o.Helpers, MaxHelpers)
	}
	for i, m := range o.Moves {
		if err := m.check(i); err != nil {
			return nil, err
		}
	}
	y := &sketcher{o: o}
	y.extend(tracked{}, 0)
	if len(y.found) == 0 {
		return nil, newFault("move %d cannot be: %s", "%[1]d手目は指せません。", y.failed.at+1, y.failed.why)
	}
	if len(y.found) > maxSketches {
		return nil, &SpaceError{float64(len(y.found)) * 1000, "say where the pieces come from, as in 52金(63)"}
	}
	var withKing []sketch
	for _, s := range y.found {
		withKing = append(withKing, o.withKing(s)...)
	}
	if len(withKing) == 0 {
		return nil, newFault("there is no square for White's king where each move of Black gives check",
			"攻方の手がすべて王手になる玉の位置がありません。")
	}
	slices.SortStableFunc(withKing, func(a, b sketch) int { return cmp.Compare(a.pieces(), b.pieces()) })
	return withKing, nil
}

// check returns why no such move can be, wherever the pieces stand.
func (m *GivenMove) check(i int) error {
	side := shogi.Color(i % 2)
	switch {
	case m.Kind == shogi.King && side == shogi.Black:
		return newFault("move %d is one of Black's king, which gives no check", "%d手目：攻方の玉の手は扱えません。", i+1)
	case m.Drop && m.Kind.IsPromoted(), m.Drop && m.Kind == shogi.King, m.Drop && m.Promotes:
		return newFault("move %d: a %s cannot be dropped so", "%[1]d手目：%[2]sは打てません。", i+1, m.Kind)
	case m.Promotes && m.Kind != shogi.NoPieceType && !m.Kind.CanPromote():
		return newFault("move %d: a %s does not promote", "%[1]d手目：%[2]sは成れません。", i+1, m.Kind)
	case !m.Promotes && m.Kind != shogi.NoPieceType && m.Kind != shogi.King && shogi.IsDead(side, m.Kind, m.To):
		return newFault("move %d: a %s could never move from %s", "%[1]d手目：%[3]sの%[2]sは行き所のない駒になります。", i+1, m.Kind, m.To)
	}
	return nil
}

func (s *sketch) pieces() (n int) {
	for sq := range s.known.All() {
		if s.setup.Board[sq] != shogi.NoPiece {
			n++
		}
	}
	return n + s.setup.Hands[shogi.Black].Len()
}

// extend tries all that move i can be.
func (y *sketcher) extend(t tracked, i int) {
	if len(y.found) > maxSketches {
		return
	}
	if i == len(y.o.Moves) {
		y.leave(&t)
		return
	}
	m := y.o.Moves[i]
	side := shogi.Color(i % 2)
	if m.From == shogi.NoSquare && m.Kind != shogi.King && !m.Promotes && !m.Kind.IsPromoted() {
		y.drop(t, i, m, side)
	}
	if m.Drop {
		y.fail(i, noWay(m.To))
		return
	}
	for kind := shogi.Pawn; kind <= shogi.Dragon; kind++ {
		if m.Kind != shogi.NoPieceType && kind != m.Kind || m.Promotes && !kind.CanPromote() ||
			kind == shogi.King && side == shogi.Black {
			continue
		}
		// A piece came from where one of the other colour on its square would go.
		from := shogi.EmptyAttacks(side.Opponent(), kind, m.To)
		if m.From != shogi.NoSquare {
			from = from.And(shogi.BitboardOf(m.From))
		}
		if kind == shogi.King {
			if k, ok := t.king(); ok {
				from = from.And(shogi.BitboardOf(k))
			}
		}
		for from := range from.All() {
			if m.Promotes && !shogi.InPromotionZone(side, from) && !shogi.InPromotionZone(side, m.To) {
				continue
			}
			y.move(t, i, shogi.PieceOf(side, kind), from, m)
		}
	}
	y.fail(i, noWay(m.To))
}

func noWay(to shogi.Square) string {
	return "no piece can come to " + to.String() + " so after the moves before it"
}

// king returns where White's king is, if that is known.
func (t *tracked) king() (shogi.Square, bool) {
	for sq := range t.now.All() {
		if t.board[sq] == shogi.PieceOf(shogi.White, shogi.King) {
			return sq, true
		}
	}
	return shogi.NoSquare, false
}

// need reports whether a piece, or nothing, can stand on a square now, and takes it down if nothing was
// known of it.
func (t *tracked) need(sq shogi.Square, pc shogi.Piece) bool {
	if t.now.Has(sq) {
		return t.board[sq] == pc
	}
	t.known, t.now = t.known.With(sq), t.now.With(sq)
	t.setup.Board[sq], t.board[sq] = pc, pc
	return true
}

// drop tries a move as a drop.
func (y *sketcher) drop(t tracked, i int, m GivenMove, side shogi.Color) {
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		if m.Kind != shogi.NoPieceType && kind != m.Kind || shogi.IsDead(side, kind, m.To) {
			continue
		}
		next := t
		if !next.need(m.To, shogi.NoPiece) {
			continue
		}
		next.board[m.To] = shogi.PieceOf(side, kind)
		if side == shogi.Black {
			next.hand[kind]--
			next.least[kind] = min(next.least[kind], next.hand[kind])
		}
		next.moves = append(slices.Clip(next.moves), shogi.NewDrop(kind, m.To))
		y.extend(next, i+1)
	}
}

// move tries a move of a piece on the board: to an empty square, and with each capture that there can
// be.
func (y *sketcher) move(t tracked, i int, pc shogi.Piece, from shogi.Square, m GivenMove) {
	if !t.need(from, pc) {
		return
	}
	for sq := range shogi.Between(from, m.To).All() {
		if pc.Type() != shogi.Knight && !t.need(sq, shogi.NoPiece) {
			return
		}
	}
	side := pc.Color()
	arrive := func(next tracked, captured shogi.Piece) {
		if !next.need(m.To, captured) {
			return
		}
		if captured != shogi.NoPiece && side == shogi.Black {
			next.hand[captured.Type().Base()]++
		}
		next.board[from] = shogi.NoPiece
		kind, move := pc.Type(), shogi.NewMove(from, m.To)
		if m.Promotes {
			kind, move = kind.Promoted(), shogi.NewPromotion(from, m.To)
		} else if kind != shogi.King && shogi.IsDead(side, kind, m.To) {
			return
		}
		next.board[m.To] = shogi.PieceOf(side, kind)
		next.moves = append(slices.Clip(next.moves), move)
		y.extend(next, i+1)
	}
	if t.now.Has(m.To) {
		captured := t.board[m.To]
		if captured != shogi.NoPiece && (captured.Color() == side || captured.Type() == shogi.King) {
			return
		}
		arrive(t, captured)
		return
	}
	arrive(t, shogi.NoPiece)
	for kind := shogi.Pawn; kind <= shogi.Dragon; kind++ {
		if kind != shogi.King {
			arrive(t, shogi.PieceOf(side.Opponent(), kind))
		}
	}
}

// leave keeps a sketch if nothing is left over at its end, and there are so many pieces.
func (y *sketcher) leave(t *tracked) {
	s := t.sketch
	var hand shogi.Hand
	used := shogi.FullSet
	for _, kind := range kinds {
		if t.hand[kind] != t.least[kind] {
			y.fail(len(y.o.Moves)-1, "something is left over in Black's hand")
			return
		}
		if -t.least[kind] > shogi.FullSet[kind] {
			y.fail(len(y.o.Moves)-1, "there are not so many "+kind.String())
			return
		}
		hand = hand.Add(kind, -t.least[kind])
		used[kind] += t.least[kind]
	}
	for sq := range s.known.All() {
		if base := s.setup.Board[sq].Type().Base(); base != shogi.NoPieceType && base < shogi.King {
			if used[base]--; used[base] < 0 {
				y.fail(len(y.o.Moves)-1, "there are not so many "+base.String())
				return
			}
		}
	}
	s.setup.Side, s.setup.Ply = shogi.Black, 1
	s.setup.Hands[shogi.Black] = hand
	y.found = append(y.found, s)
}

func (y *sketcher) fail(at int, why string) {
	if y.failed.at < at || y.failed.why == "" {
		y.failed = deepest{at, why}
	}
}

// withKing returns the sketch with White's king on each square where the moves may give check, and with
// what may stand near him.
func (o *LineOptions) withKing(s sketch) (list []sketch) {
	king := shogi.PieceOf(shogi.White, shogi.King)
	var squares []shogi.Square
	for sq := range s.known.All() {
		if s.setup.Board[sq] == king {
			squares = []shogi.Square{sq}
		}
	}
	moves := len(squares) > 0
	if !moves {
		squares = slices.Collect(s.known.Not().All())
	}
	for _, sq := range squares {
		with := s
		with.known = with.known.With(sq)
		with.setup.Board[sq] = king
		p, err := with.setup.Position()
		if err != nil {
			continue
		}
		p.GiveMissing(shogi.White)
		near := shogi.BitboardOf(sq)
		if !moves && !givesChecks(p, s.moves) {
			continue
		}
		for i, m := range s.moves {
			if moves && i%2 == 1 && !m.IsDrop() && near.Has(m.From()) {
				near = near.With(m.To())
			}
		}
		with.slots = o.slots(&with, near)
		list = append(list, with)
	}
	return list
}

// givesChecks reports whether the moves are legal in p and each of Black's gives check.
func givesChecks(p shogi.Position, moves []shogi.Move) bool {
	for i, m := range moves {
		if !p.IsLegal(m) {
			return false
		}
		if p.Do(m); i%2 == 0 && !p.InCheck() {
			return false
		}
	}
	return true
}

// helperKinds are what is put beside the pieces that move: what stands in problems.
var (
	helperDefenders = []shogi.PieceType{shogi.Pawn, shogi.Lance, shogi.Knight, shogi.Silver, shogi.Gold, shogi.Bishop, shogi.Rook}
	helperAttackers = []shogi.PieceType{shogi.Pawn, shogi.Lance, shogi.Knight, shogi.Silver, shogi.Gold, shogi.Bishop, shogi.Rook,
		shogi.Tokin, shogi.Horse, shogi.Dragon}
)

// slots returns what may be put on a sketch besides: pieces near a square of the king, the nearest
// first.
func (o *LineOptions) slots(s *sketch, king shogi.Bitboard) (list []placed) {
	distance := func(sq shogi.Square) int {
		d := 9
		for k := range king.All() {
			d = min(d, k.Distance(sq))
		}
		return d
	}
	free := s.known.Not()
	if !o.Box.IsEmpty() {
		free = free.And(o.Box)
	}
	for sq := range free.All() {
		if distance(sq) > o.Reach {
			continue
		}
		for _, t := range helperDefenders {
			if !shogi.IsDead(shogi.White, t, sq) {
				list = append(list, placed{sq, shogi.PieceOf(shogi.White, t)})
			}
		}
		for _, t := range helperAttackers {
			if !shogi.IsDead(shogi.Black, t, sq) {
				list = append(list, placed{sq, shogi.PieceOf(shogi.Black, t)})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b placed) int { return cmp.Compare(distance(a.square), distance(b.square)) })
	return list
}

func abs(n int) int { return max(n, -n) }

// A level is the figures of one sketch with so many helpers.
type level struct {
	sketch  *sketch
	helpers int
	first   int // number of the first figure
}

// levels returns the levels, those with the fewest helpers first, and how many figures they have.
func (o *LineOptions) levels() (list []level, figures float64, err error) {
	sketches, err := o.sketches()
	if err != nil {
		return nil, 0, err
	}
	for helpers := range o.Helpers + 1 {
		for i := range sketches {
			if figures <= MaxFigures {
				list = append(list, level{&sketches[i], helpers, int(figures)})
			}
			figures += choices(len(sketches[i].slots), helpers)
		}
	}
	return list, figures, fits(figures, "ask for fewer pieces besides those that move, or nearer ones, or say where pieces come from")
}

// choices returns in how many ways k of n things can be chosen.
func choices(n, k int) float64 {
	ways := 1.0
	for i := range k {
		ways = ways * float64(n-i) / float64(i+1)
	}
	return ways
}

// Count returns how many figures there are, and an error if there can be none or they are too many.
func (o *LineOptions) Count() (int, error) {
	_, figures, err := o.levels()
	return int(figures), err
}

// Parts returns how many parts a search of so many figures has.
func (o *LineOptions) Parts(figures int) int { return (figures + linePart - 1) / linePart }

// Lines yields the sound problems whose solution is a line of moves (手順から配置). The moves say what
// stands on the squares they leave, take on and pass; the king and pieces near him that no move speaks of
// are searched, fewest first. Of a figure with more of them than it needs only the smaller one is yielded.
func Lines(ctx context.Context, o LineOptions) (iter.Seq[Problem], error) {
	levels, figures, err := o.levels()
	if err != nil {
		return nil, err
	}
	n := int(figures)
	o.Least, o.Most = len(o.Moves), len(o.Moves)
	problems := o.run(ctx, space{parts: o.Parts(n), figures: n, effort: brisk,
		search: func(ctx context.Context, e *examiner, part int, f *found) {
			at := lineSearch{e: e, found: f}
			for i := part * linePart; i < min((part+1)*linePart, n) && ctx.Err() == nil; i++ {
				j, _ := slices.BinarySearchFunc(levels, i+1, func(l level, n int) int { return cmp.Compare(l.first, n) })
				at.try(ctx, &levels[j-1], i-levels[j-1].first)
			}
		}})
	return func(yield func(Problem) bool) {
		var smaller []shogi.Position
		for i := range o.Before {
			smaller = append(smaller, o.Before[i].Position)
		}
		for q := range problems {
			if slices.ContainsFunc(smaller, func(p shogi.Position) bool { return isMore(&q.Position, &p) }) {
				continue
			}
			if smaller = append(smaller, q.Position); !yield(q) {
				return
			}
		}
	}, nil
}

// isMore reports whether a diagram has all pieces of another one, and more.
func isMore(p, less *shogi.Position) bool {
	if p.Hand(shogi.Black) != less.Hand(shogi.Black) {
		return false
	}
	for sq := range less.Occupied().All() {
		if p.Piece(sq) != less.Piece(sq) {
			return false
		}
	}
	return true
}

// A lineSearch looks at the figures of a part.
type lineSearch struct {
	e     *examiner
	found *found
}

// try looks at a figure of a level.
func (y *lineSearch) try(ctx context.Context, l *level, number int) {
	s := l.sketch.setup
	for k := l.helpers; k > 0; k-- {
		// The greatest slot with no more choices below it than the number.
		slot := k - 1
		for choices(slot+1, k) <= float64(number) {
			slot++
		}
		number -= int(choices(slot, k))
		at := l.sketch.slots[slot]
		if s.Board[at.square] != shogi.NoPiece {
			y.found.add(Problem{}, Impossible)
			return
		}
		s.Board[at.square] = at.piece
	}
	p, err := s.Position()
	if err != nil {
		y.found.add(Problem{}, Impossible)
		return
	}
	p.GiveMissing(shogi.White)
	if !isSolvedBy(p, l.sketch.moves) {
		y.found.add(Problem{}, NoMate)
		return
	}
	for _, q := range y.found.problems {
		if isMore(&p, &q.Position) {
			y.found.add(Problem{}, Unwanted)
			return
		}
	}
	y.e.line = l.sketch.moves
	y.found.add(y.e.examine(ctx, p, new(known)))
}

// isSolvedBy reports whether the moves are legal in p, give check and mate.
func isSolvedBy(p shogi.Position, moves []shogi.Move) bool {
	if !givesChecks(p, moves) {
		return false
	}
	for _, m := range moves {
		p.Do(m)
	}
	return p.IsCheckmate()
}
