package collection

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"iter"
	"math"
	"math/bits"
	"slices"
)

// A Relation says how a problem is like another one.
type Relation uint8

const (
	Duplicate  Relation = iota + 1 // the same, perhaps with the colours exchanged
	MirrorTwin                     // the same, mirrored
	Contained                      // it is a position on the other's main line
	Contains                       // the other is a position on its main line
	OtherHand                      // the same figure, with other hands
	// Changed: one or two pieces are added or missing, or one is another or elsewhere. Twice as many
	// are the same: figures of two or three pieces are all alike.
	Changed
	Shifted  // the same figure and hand elsewhere on the board
	SameEnd  // the same final figure and last move
	SameIdea // the same first moves, or all but one of them, wherever the king stands
	NumRelations
)

var relationNames = [NumRelations]string{"", "duplicate", "mirror_twin", "contained", "contains",
	"other_hand", "changed", "shifted", "same_end", "same_idea"}

// String returns "duplicate", "mirror_twin", "contained", "contains", "other_hand", "changed",
// "shifted", "same_end" or "same_idea".
func (r Relation) String() string { return relationNames[r] }

// ParseRelation reads the name of a relation.
func ParseRelation(s string) (Relation, error) {
	for r := Duplicate; r < NumRelations; r++ {
		if r.String() == s {
			return r, nil
		}
	}
	return 0, fmt.Errorf("collection: %.30q is no relation between problems", s)
}

// Converse returns the relation of the other problem to the first.
func (r Relation) Converse() Relation {
	switch r {
	case Contained:
		return Contains
	case Contains:
		return Contained
	}
	return r
}

// A Match says that problems of an Index with consecutive numbers are like another one.
type Match struct {
	ID       int // the number of the first of them, as Add returned it
	Count    int // how many they are, 1 or more
	Relation Relation
	// Detail is, of Contained and Contains, the ply of the longer main line at which the other
	// problem begins, 3 or more; of Changed, how many pieces only one of the two has, 1 or 2, where
	// one that moved counts twice; of SameIdea, how many steps the lines have in common at their
	// beginning.
	Detail int
	// Mirrored says of Changed and Shifted that one of the two has to be mirrored.
	Mirrored bool
}

// An Index holds what some problems are known by and finds those that are like another one. The zero
// Index is empty. It is not for concurrent use while problems are added.
//
// Equal problems are one figure, with which the pieces are compared once, and what consecutive
// problems have in common is one entry: the time of a question does not grow with the number of
// equal problems. A problem takes about 300 bytes, and 100 more with a line of five moves.
type Index struct {
	seed    maphash.Seed
	entries []entry
	// buckets hold the place of the newest entry of a hash, plus 1. Their number is a power of two.
	buckets []uint32

	steps   []step   // of all problems, one after the other
	starts  []uint32 // where those of each problem begin
	pieces  []piece  // of all figures, one after the other
	figures []figureMarks
}

// An entry is a mark that the problems from one number to another have, or the figures, if it is one
// of the pairs.
type entry struct {
	hash uint64
	run
	mark uint32
	next uint32 // the place of the entry before it in the same bucket, plus 1
}

// A run is the numbers from one to another, which is not among them.
type run struct{ from, to uint32 }

// The marks are told apart by their numbers, whatever their hashes. Two lines of n steps, five or
// more, that differ in one step have the first n/2 steps in common or the others. And if the pieces
// of a problem are in four parts, each of which is found by the pieces alone, a change of two pieces
// leaves two of the parts as they were, so that one of the six pairs of parts is the same.
const (
	markKey         = iota
	markMirroredKey // Key is that of the mirror image
	markFigure
	markFinal
	markBeginning // the first three steps
	markFirstHalf
	markSecondHalf
	markPairs
	markNodes = markPairs + 6 // the first of the Nodes; the others follow

	parts          = 4
	beginningSteps = 3 // of a line that make an idea
	leastEdited    = 5 // steps of lines that may differ in one
)

// figureMarks is what is compared of problems with equal keys and the same orientation.
type figureMarks struct {
	key, figure uint64 // hashes
	// signature has a bit for each piece, the same for some of them: figures that differ in n pieces
	// differ in no more than n bits.
	signature uint64
	pieces    uint32 // where they begin
	keyMark   uint32 // markKey or markMirroredKey
}

// Len returns how many numbers are given.
func (x *Index) Len() int { return len(x.starts) }

// Add puts a problem into the index and returns its number: 0 for the first, and so on.
func (x *Index) Add(d *Description) int {
	id := x.Skip()
	x.steps = append(x.steps, d.line...)
	key, figure := x.text(d.Key), x.text(d.Figure)
	mark := keyMark(d.Mirrored)
	if x.newest(key, mark) == nil {
		x.addFigure(figureMarks{key: key, figure: figure, keyMark: mark}, d.pieces)
	}
	x.put(key, mark, id)
	x.put(figure, markFigure, id)
	if d.Final != "" {
		x.put(x.text(d.Final), markFinal, id)
	}
	for mark, h := range x.lineMarks(d.line) {
		x.put(h, mark, id)
	}
	for n, node := range d.Nodes {
		x.put(x.text(node), markNodes+uint32(n), id)
	}
	return id
}

// Skip returns the next number, which no problem gets.
func (x *Index) Skip() int {
	if x.Len() == 0 {
		x.seed = maphash.MakeSeed()
	}
	x.starts = append(x.starts, uint32(len(x.steps)))
	return x.Len() - 1
}

func keyMark(mirrored bool) uint32 {
	if mirrored {
		return markMirroredKey
	}
	return markKey
}

func (x *Index) addFigure(f figureMarks, pieces []piece) {
	f.pieces = uint32(len(x.pieces))
	x.pieces = append(x.pieces, pieces...)
	pairs, signature := x.pieceMarks(pieces)
	f.signature = signature
	for i, h := range pairs {
		x.put(h, markPairs+uint32(i), len(x.figures))
	}
	x.figures = append(x.figures, f)
}

func (x *Index) text(s string) uint64 { return maphash.String(x.seed, s) }

// lineMarks yields the marks of a line and their hashes.
func (x *Index) lineMarks(line []step) iter.Seq2[uint32, uint64] {
	return func(yield func(uint32, uint64) bool) {
		n := len(line)
		if n < beginningSteps || !yield(markBeginning, x.sequence(0, line[:beginningSteps])) ||
			n < leastEdited || !yield(markFirstHalf, x.sequence(n, line[:n/2])) {
			return
		}
		yield(markSecondHalf, x.sequence(n, line[n/2:]))
	}
}

func (x *Index) sequence(n int, line []step) uint64 {
	h := uint64(n)
	for _, s := range line {
		h = maphash.Comparable(x.seed, [2]uint64{h, uint64(s)})
	}
	return h
}

// pieceMarks returns the hashes of the pairs of parts, and the signature.
func (x *Index) pieceMarks(pieces []piece) (pairs [markNodes - markPairs]uint64, signature uint64) {
	var sums [parts]uint64
	for _, p := range pieces {
		h := maphash.Comparable(x.seed, p)
		sums[h%parts] += h | 1
		signature |= 1 << (h >> 58)
	}
	n := 0
	for i := range sums {
		for j := range i {
			pairs[n] = maphash.Comparable(x.seed, [3]uint64{uint64(n), sums[j], sums[i]})
			n++
		}
	}
	return pairs, signature
}

// put gives a mark to a number, which is not less than those that have it.
func (x *Index) put(h uint64, mark uint32, id int) {
	if e := x.newest(h, mark); e != nil && e.to == uint32(id) {
		e.to++
		return
	}
	x.entries = append(x.entries, entry{h, run{uint32(id), uint32(id) + 1}, mark, 0})
	if len(x.entries) > len(x.buckets) {
		x.buckets = make([]uint32, max(1024, 2*len(x.buckets)))
		for i := range x.entries {
			x.link(i)
		}
		return
	}
	x.link(len(x.entries) - 1)
}

// link puts the entry at a place into its bucket.
func (x *Index) link(at int) {
	e := &x.entries[at]
	bucket := &x.buckets[e.hash&uint64(len(x.buckets)-1)]
	e.next, *bucket = *bucket, uint32(at)+1
}

// find yields the entries of a hash, the newest first.
func (x *Index) find(h uint64) iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		if len(x.buckets) == 0 {
			return
		}
		for at := x.buckets[h&uint64(len(x.buckets)-1)]; at != 0; at = x.entries[at-1].next {
			if e := &x.entries[at-1]; e.hash == h && !yield(e) {
				return
			}
		}
	}
}

// newest returns the newest entry of a mark, nil if there is none.
func (x *Index) newest(h uint64, mark uint32) *entry {
	for e := range x.find(h) {
		if e.mark == mark {
			return e
		}
	}
	return nil
}

// runs returns the numbers that have a mark, in order.
func (x *Index) runs(h uint64, mark uint32) (list []run) {
	for e := range x.find(h) {
		if e.mark == mark {
			list = append(list, e.run)
		}
	}
	slices.Reverse(list)
	return list
}

// without returns the numbers of one ordered list that are not in the other.
func without(list, out []run) []run {
	if len(out) == 0 {
		return list
	}
	var left []run
	for _, r := range list {
		for len(out) > 0 && out[0].to <= r.from {
			out = out[1:]
		}
		for i := 0; i < len(out) && out[i].from < r.to; i++ {
			if r.from < out[i].from {
				left = append(left, run{r.from, out[i].from})
			}
			r.from = out[i].to
		}
		if r.from < r.to {
			left = append(left, r)
		}
	}
	return left
}

// appendRuns appends matches like m with the numbers of a list.
func appendRuns(dst []Match, list []run, m Match) []Match {
	dst = slices.Grow(dst, len(list))
	for _, r := range list {
		m.ID, m.Count = int(r.from), int(r.to-r.from)
		dst = append(dst, m)
	}
	return dst
}

// piecesOf returns the pieces of a figure.
func (x *Index) piecesOf(figure int) []piece {
	end := uint32(len(x.pieces))
	if figure+1 < len(x.figures) {
		end = x.figures[figure+1].pieces
	}
	return x.pieces[x.figures[figure].pieces:end]
}

// stepsOf returns the line of a problem.
func (x *Index) stepsOf(id uint32) []step {
	end := uint32(len(x.steps))
	if int(id)+1 < x.Len() {
		end = x.starts[id+1]
	}
	return x.steps[x.starts[id]:end]
}

// Related returns the problems that are like d in one of the given ways, in order of their numbers
// and of the relations. What is a duplicate or a mirror twin is nothing else; what is only another
// hand is not Changed or Shifted too.
func (x *Index) Related(d *Description, relations ...Relation) []Match {
	if x.Len() == 0 {
		return nil
	}
	var want [NumRelations]bool
	for _, r := range relations {
		want[r] = true
	}
	key := x.text(d.Key)
	duplicates, twins := x.runs(key, keyMark(d.Mirrored)), x.runs(key, keyMark(!d.Mirrored))
	same := duplicates
	if len(twins) > 0 {
		same = slices.Concat(duplicates, twins)
		slices.SortFunc(same, func(a, b run) int { return cmp.Compare(a.from, b.from) })
	}
	var found [NumRelations][]Match
	add := func(r Relation, list []run) {
		found[r] = appendRuns(nil, list, Match{Relation: r})
	}
	if want[Duplicate] {
		add(Duplicate, duplicates)
	}
	if want[MirrorTwin] {
		add(MirrorTwin, twins)
	}
	if want[Contained] {
		for e := range x.find(key) {
			if e.mark >= markNodes {
				found[Contained] = appendRuns(found[Contained], []run{e.run},
					Match{Relation: Contained, Detail: 2*int(e.mark-markNodes) + 3})
			}
		}
		found[Contained] = sorted(found[Contained])
	}
	if want[Contains] {
		found[Contains] = x.contains(d)
	}
	figure := x.text(d.Figure)
	if want[OtherHand] {
		add(OtherHand, without(x.runs(figure, markFigure), same))
	}
	if want[Changed] || want[Shifted] {
		found[Changed], found[Shifted] = x.near(d, figure)
	}
	if want[SameEnd] && d.Final != "" {
		add(SameEnd, without(x.runs(x.text(d.Final), markFinal), same))
	}
	if want[SameIdea] {
		found[SameIdea] = x.ideas(d, same)
	}
	for r := range found {
		if !want[r] {
			found[r] = nil
		}
	}
	return merge(&found)
}

// sorted returns matches of one relation in order of their numbers and details, each with one
// number if there are several in some place.
func sorted(list []Match) []Match {
	byNumber := func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Detail, b.Detail))
	}
	slices.SortFunc(list, byNumber)
	for i := 1; i < len(list); i++ {
		if list[i].ID < list[i-1].ID+list[i-1].Count {
			list = single(list)
			slices.SortFunc(list, byNumber)
			break
		}
	}
	return list
}

// single returns the matches with one number each.
func single(list []Match) (all []Match) {
	for _, m := range list {
		last := m.ID + m.Count
		for m.Count = 1; m.ID < last; m.ID++ {
			all = append(all, m)
		}
	}
	return all
}

// merge returns the matches of all relations in order, each list being in order.
func merge(found *[NumRelations][]Match) []Match {
	var all []Match
	for {
		first, limit := Relation(0), math.MaxInt // limit: the next number of another list
		for r := Duplicate; r < NumRelations; r++ {
			switch {
			case len(found[r]) == 0:
			case first == 0:
				first = r
			case found[r][0].ID < found[first][0].ID:
				first, limit = r, found[first][0].ID
			default:
				limit = min(limit, found[r][0].ID)
			}
		}
		if first == 0 {
			return all
		}
		if limit == math.MaxInt && all == nil {
			return found[first]
		}
		head := &found[first][0]
		m := *head
		m.Count = min(m.Count, max(1, limit-m.ID))
		all = append(all, m)
		if head.ID, head.Count = head.ID+m.Count, head.Count-m.Count; head.Count == 0 {
			found[first] = found[first][1:]
		}
	}
}

// contains returns the problems that are positions of the line of d.
func (x *Index) contains(d *Description) (list []Match) {
	for n, node := range d.Nodes {
		h := x.text(node)
		for _, mark := range [2]uint32{markKey, markMirroredKey} {
			list = appendRuns(list, x.runs(h, mark), Match{Relation: Contains, Detail: 2*n + 3})
		}
	}
	return sorted(list)
}

// near returns what is Changed and what is Shifted.
func (x *Index) near(d *Description, figure uint64) (changed, shifted []Match) {
	best := map[int]Match{} // by figure
	twin := mirrored(d.pieces, piece.mirrored)
	slices.Sort(twin)
	for i, pieces := range [2][]piece{d.pieces, twin} {
		seen := map[int]bool{}
		pairs, signature := x.pieceMarks(pieces)
		for pair, h := range pairs {
			for e := range x.find(h) {
				if e.mark != markPairs+uint32(pair) {
					continue
				}
				for at := int(e.from); at < int(e.to); at++ {
					f := &x.figures[at]
					if f.figure == figure || bits.OnesCount64(f.signature^signature) > 2 || seen[at] {
						continue
					}
					seen[at] = true
					others := x.piecesOf(at)
					n := difference(pieces, others, 2)
					if n > 0 && (len(pieces)+len(others)-n)/2 < 2*n {
						continue
					}
					if before, ok := best[at]; n <= 2 && (!ok || n < before.Detail) {
						best[at] = Match{Relation: Changed, Detail: n, Mirrored: i == 1}
					}
				}
			}
		}
	}
	for at, m := range best {
		list := x.runs(x.figures[at].key, x.figures[at].keyMark)
		if m.Detail == 0 {
			m.Relation = Shifted
			shifted = appendRuns(shifted, list, m)
		} else {
			changed = appendRuns(changed, list, m)
		}
	}
	return sorted(changed), sorted(shifted)
}

// difference returns how many pieces only one of two sorted lists has, or more than most.
func difference(a, b []piece, most int) int {
	n := len(a) - len(b)
	if max(n, -n) > most {
		return most + 1
	}
	n = 0
	for len(a) > 0 && len(b) > 0 && n <= most {
		switch {
		case a[0] == b[0]:
			a, b = a[1:], b[1:]
		case a[0] < b[0]:
			a, n = a[1:], n+1
		default:
			b, n = b[1:], n+1
		}
	}
	return n + len(a) + len(b)
}

// ideas returns what is of the SameIdea: the first steps are the same, or all but one.
func (x *Index) ideas(d *Description, same []run) (list []Match) {
	common := map[uint32]int{}
	for i, line := range [2][]step{d.line, mirrored(d.line, step.mirrored)} {
		for mark, h := range x.lineMarks(line) {
			if i == 1 && mark == markBeginning {
				continue // lines that begin alike do so in the orientation they have
			}
			for _, r := range without(x.runs(h, mark), same) {
				for id := r.from; id < r.to; id++ {
					n, differ := compareSteps(line, x.stepsOf(id))
					before, ok := common[id]
					if (n >= beginningSteps || differ <= 1) && (!ok || n > before) {
						common[id] = n
					}
				}
			}
		}
	}
	for id, n := range common {
		list = append(list, Match{ID: int(id), Count: 1, Relation: SameIdea, Detail: n})
	}
	return sorted(list)
}

// compareSteps returns how many steps two lines have in common at their beginning, and in how many
// they differ if they are equally long.
func compareSteps(a, b []step) (common, differ int) {
	for common < min(len(a), len(b)) && a[common] == b[common] {
		common++
	}
	if len(a) != len(b) {
		return common, math.MaxInt
	}
	for i := range a {
		if a[i] != b[i] {
			differ++
		}
	}
	return common, differ
}
