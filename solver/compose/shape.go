package compose

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tsumero/tsumero/shogi"
)

// ShapeOptions are what is asked of Shape.
type ShapeOptions struct {
	Search
	Picture Picture
	AtEnd   bool // it is the last diagram, not the first
	Seed    uint64
}

// Count returns about how many figures there are, and an error if there can be none. They are tried at
// random.
func (o *ShapeOptions) Count() (float64, error) {
	if err := o.Picture.check(); err != nil {
		return 0, err
	}
	places := o.Picture.places(o.Box)
	if len(places) == 0 {
		return 0, newFault("the shape %s does not fit into the box", "%sは指定の範囲に収まりません。", o.Picture.Name)
	}
	n := places[0].Len()
	if o.MaxPieces > 0 && n-1 > o.MaxPieces {
		return 0, newFault("the shape %s has %d pieces besides the king, but at most %d are asked for",
			"%[1]sは玉のほか%[2]d枚ですが、%[3]d枚以内の指定です。", o.Picture.Name, n-1, o.MaxPieces)
	}
	// The king on any square, and on each other one of 13 kinds of either side.
	return float64(len(places)*n) * math.Pow(26, float64(n-1)), nil
}

// Shape yields sound problems whose first diagram is a picture (初形曲詰), or their last one
// (詰上り曲詰): the squares with a piece are those of the picture, anywhere on the board. It goes on until
// ctx ends. No two are alike, nor is one like those of the archive.
//
// For a first diagram, a part begins with random pieces and changes one thing at a time, keeping what comes
// nearer to a sound problem. For a last one it begins with a mate and takes back moves, as Reverse
// does.
func Shape(ctx context.Context, o ShapeOptions) (iter.Seq[Problem], error) {
	if _, err := o.Count(); err != nil {
		return nil, err
	}
	places := o.Picture.places(o.Box)
	unlike := o.Archive
	if o.Archive = nil; unlike == nil {
		unlike = new(Archive)
	}
	for i := range o.Before {
		unlike.Restore(&o.Before[i])
	}
	problems := o.run(ctx, space{effort: hasty, search: func(ctx context.Context, e *examiner, part int, f *found) {
		d := &shapeMaker{e: e, rng: partOf(o.Seed, part), places: places, maxHand: o.MaxHand}
		if o.AtEnd {
			d.end(ctx, f)
		} else {
			d.climb(ctx, f)
		}
	}})
	return func(yield func(Problem) bool) {
		for q := range problems {
			if unlike.Add(&q) && !yield(q) {
				return
			}
		}
	}, nil
}

// A shapeMaker makes diagrams with the shape of a picture.
type shapeMaker struct {
	e       *examiner
	rng     *rand.Rand
	places  []shogi.Bitboard
	maxHand int // -1: any

	at shogi.Bitboard
	layout
}

// climbs is how many changes a part makes, and patience how many of them without coming nearer.
const (
	climbs   = 150
	patience = 60
)

// climb begins with random pieces and changes them.
func (d *shapeMaker) climb(ctx context.Context, f *found) {
	d.begin(shogi.Black)
	best, since := Outcome(0), 0
	seen := map[uint64]bool{}
	for range climbs {
		if ctx.Err() != nil || since > patience {
			return
		}
		before, at := d.setup, d.at
		p, ok := d.next(seen)
		if !ok {
			return
		}
		var k known
		q, outcome := d.e.examine(ctx, p, &k)
		f.add(q, outcome)
		if outcome == Sound {
			return
		}
		if near := nearness(outcome); near < best {
			d.setup, d.at = before, at
			since++
		} else {
			if near > best {
				since = 0
			}
			best = near
			since++
		}
	}
}

// nearness orders outcomes by how near a figure is to a sound one.
func nearness(f Outcome) Outcome {
	switch f {
	case Open:
		return NoMate
	case Unwanted:
		return Unsound
	}
	return f
}

// attempts is how many changes are made to come to a position that there can be.
const attempts = 500

// next changes the setup until it is a position that was not there before.
func (d *shapeMaker) next(seen map[uint64]bool) (p shogi.Position, ok bool) {
	before, at := d.setup, d.at
	for range attempts {
		d.setup, d.at = before, at
		d.change()
		p, err := d.setup.Position()
		if err != nil || !p.HasCheck() {
			continue
		}
		if !seen[p.Key()] {
			seen[p.Key()] = true
			return p, true
		}
	}
	return p, false
}

// begin puts random pieces on the squares of the picture at a random place, near the top rather than
// far from it.
func (d *shapeMaker) begin(side shogi.Color) {
	d.at = d.places[min(d.rng.IntN(len(d.places)), d.rng.IntN(len(d.places)))]
	d.setup = shogi.Setup{Side: side, Ply: 1}
	for _, t := range kinds {
		d.setup.Hands[shogi.White] = d.setup.Hands[shogi.White].Add(t, shogi.FullSet[t])
	}
	squares := slices.Collect(d.at.All())
	king := squares[d.rng.IntN(len(squares))]
	for _, sq := range squares {
		if sq == king {
			d.setup.Board[sq] = shogi.PieceOf(shogi.White, shogi.King)
		} else {
			d.put(sq)
		}
	}
	if side == shogi.Black {
		for range 1 + d.rng.IntN(3) {
			d.addToHand()
		}
	}
}

// inHand are what problems have in hand.
var inHand = []chance[shogi.PieceType]{{shogi.Gold, 8}, {shogi.Silver, 8}, {shogi.Knight, 4}, {shogi.Pawn, 4},
	{shogi.Lance, 3}, {shogi.Bishop, 4}, {shogi.Rook, 4}}

// anyAttackers and anyDefenders are what may stand where the picture wants a piece.
var (
	anyAttackers = []chance[shogi.PieceType]{{shogi.Pawn, 10}, {shogi.Lance, 4}, {shogi.Knight, 6}, {shogi.Silver, 6},
		{shogi.Gold, 6}, {shogi.Bishop, 3}, {shogi.Rook, 3}, {shogi.Tokin, 4}, {shogi.Horse, 3}, {shogi.Dragon, 3}}
	anyDefenders = []chance[shogi.PieceType]{{shogi.Pawn, 12}, {shogi.Lance, 6}, {shogi.Knight, 8}, {shogi.Silver, 5},
		{shogi.Gold, 4}, {shogi.Bishop, 2}, {shogi.Rook, 2}, {shogi.Tokin, 2}}
)

// put puts a random piece on an empty square, of those that are left.
func (d *shapeMaker) put(sq shogi.Square) {
	for {
		c, of := shogi.Black, anyAttackers
		if d.rng.IntN(2) == 0 {
			c, of = shogi.White, anyDefenders
		}
		kind := choose(d.rng, of)
		if !shogi.IsDead(c, kind, sq) && d.apply(&Change{Kind: Added, Piece: shogi.PieceOf(c, kind), To: sq}) {
			return
		}
	}
}

// addToHand gives Black one more piece, if he may have it.
func (d *shapeMaker) addToHand() {
	kind := choose(d.rng, inHand)
	if d.maxHand < 0 || d.setup.Hands[shogi.Black].Len() < d.maxHand {
		d.apply(&Change{Kind: HandAdded, Piece: shogi.PieceOf(shogi.Black, kind)})
	}
}

// takeFromHand takes one of Black's pieces away.
func (d *shapeMaker) takeFromHand() {
	if d.setup.Hands[shogi.Black].IsEmpty() {
		return
	}
	i := d.rng.IntN(len(kinds))
	for !d.apply(&Change{Kind: HandRemoved, Piece: shogi.PieceOf(shogi.Black, kinds[i])}) {
		i = (i + 1) % len(kinds)
	}
}

// change changes one thing.
func (d *shapeMaker) change() {
	squares := slices.Collect(d.at.All())
	a, b := squares[d.rng.IntN(len(squares))], squares[d.rng.IntN(len(squares))]
	switch n := d.rng.IntN(100); {
	case n < 50:
		if old := d.setup.Board[a]; old.Type() != shogi.King {
			d.apply(&Change{Kind: Removed, Old: old, From: a})
			d.put(a)
		}
	case n < 70:
		d.swap(a, b)
	case n < 80:
		d.addToHand()
	case n < 88:
		d.takeFromHand()
	case n < 95:
		d.takeFromHand()
		d.addToHand()
	default:
		from, to := squares[0], d.places[d.rng.IntN(len(d.places))]
		d.at = to
		first := to.Pop()
		d.shift(int(first.File())-int(from.File()), int(first.Rank())-int(from.Rank()))
	}
}

// How a family is grown whose last diagram is a picture.
const (
	mates        = 40_000 // random figures to find a mate
	endParents   = 6      // problems of one length that are grown
	endTries     = 40     // candidates made of each of them
	endMostPlies = 13
)

// end begins with a mate that is the picture, and takes moves back.
func (d *shapeMaker) end(ctx context.Context, f *found) {
	mated, ok := d.mated(ctx)
	if !ok {
		return
	}
	parents := d.lastMoves(&mated)
	e := *d.e
	for plies := 3; plies <= min(d.e.Most, endMostPlies) && len(parents) > 0; plies += 2 {
		// What is grown further need not be what is asked for.
		e.Conditions = &Conditions{Least: plies, Most: plies, MaxHand: -1, MaxCaptures: -1, Strict: d.e.Strict, Box: d.e.Box}
		var grown []shogi.Position
		seen := map[uint64]bool{}
		for i := range parents {
			replies := retractReplies(&parents[i])
			for range endTries {
				q, ok := replies.candidate(d.rng)
				if !ok || ctx.Err() != nil {
					break
				}
				if p := q.Position; !seen[p.Key()] {
					seen[p.Key()] = true
					sound, outcome := e.examine(ctx, p, new(known))
					if outcome == Sound && !d.isPicture(&sound) {
						outcome = Unwanted
					}
					if outcome == Sound {
						grown = append(grown, p)
						if sound, outcome = d.e.examine(ctx, p, new(known)); outcome == Sound && !d.isPicture(&sound) {
							outcome = Unwanted
						}
					}
					f.add(sound, outcome)
				}
			}
		}
		d.rng.Shuffle(len(grown), func(i, j int) { grown[i], grown[j] = grown[j], grown[i] })
		parents = grown[:min(len(grown), endParents)]
	}
}

// mated returns a random mate that is the picture, Black holding nothing.
func (d *shapeMaker) mated(ctx context.Context) (p shogi.Position, ok bool) {
	for i := range mates {
		if i%1000 == 0 && ctx.Err() != nil {
			break
		}
		if i%50 == 0 {
			d.begin(shogi.White)
		} else {
			before, at := d.setup, d.at
			if d.change(); !d.setup.Hands[shogi.Black].IsEmpty() {
				d.setup, d.at = before, at
				continue
			}
		}
		p, err := d.setup.Position()
		if err != nil {
			continue
		}
		if p.IsCheckmate() {
			return p, true
		}
	}
	return p, false
}

// lastMoves returns the positions in which one check alone mates, with the picture.
func (d *shapeMaker) lastMoves(mated *shogi.Position) (list []shogi.Position) {
	for _, check := range appendRetractions(nil, mated) {
		if p, ok := check.before(mated); ok && matesBy(&p) == 1 {
			list = append(list, p)
		}
	}
	d.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:min(len(list), 2*endParents)]
}

// isPicture reports whether the solution ends in the picture.
func (d *shapeMaker) isPicture(q *Problem) bool {
	p := q.Position
	for _, m := range q.Line {
		p.Do(m)
	}
	return p.Occupied() == d.at
}
