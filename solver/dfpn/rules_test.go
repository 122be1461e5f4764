package dfpn

import (
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// The rules of the search one by one, in rows made by hand. What a row expects follows from the
// definitions in numbers.go and from the two facts of doc.go: more in the attacker's hand never
// hurts him, and a mate needs no repetition. The reason stands beside the row.

// A stored is something put into a table under the board 1.
type stored func(t *testing.T, table *table)

func proof(letters string, length int32) stored {
	return func(t *testing.T, table *table) {
		table.storeProof(1, hand(t, letters), length, 1)
	}
}

func disproof(letters string, length int32) stored {
	return func(t *testing.T, table *table) {
		table.storeDisproof(1, hand(t, letters), length, 1)
	}
}

func open(letters string, pn, dn uint32, depth int32) stored {
	return func(t *testing.T, table *table) {
		r := result{value: value{pn: pn, dn: dn}}
		table.storeOpen(1, hand(t, letters), &r, depth, state{}, 0, 1)
	}
}

func TestProbe(t *testing.T) {
	const mate, none = infinity, infinity // the other number, beside a 0
	for _, c := range []struct {
		why    string
		stored []stored
		hand   string
		length int32
		depth  int32
		pn, dn uint32
		len    int32 // if solved
	}{
		// Proofs hold for more in hand, and for more plies.
		{"the very hand", []stored{proof("P", 5)}, "P", 5, 0, 0, mate, 5},
		{"more of the same", []stored{proof("P", 5)}, "2P", 5, 0, 0, mate, 5},
		{"more of another kind", []stored{proof("P", 5)}, "PG", 5, 0, 0, mate, 5},
		{"more plies", []stored{proof("P", 5)}, "P", forever, 0, 0, mate, 5},
		{"one ply less may not do", []stored{proof("P", 5)}, "P", 4, 0, 1, 1, 0},
		{"less in hand may not do", []stored{proof("P", 5)}, "-", 5, 0, 1, 1, 0},
		{"another kind may not do", []stored{proof("P", 5)}, "G", 5, 0, 1, 1, 0},
		{"mated already", []stored{proof("-", 0)}, "-", 0, 0, 0, mate, 0},
		// Disproofs hold for less in hand, and for fewer plies.
		{"the very hand", []stored{disproof("P", 4)}, "P", 4, 0, none, 0, 4},
		{"less in hand", []stored{disproof("P", 4)}, "-", 4, 0, none, 0, 4},
		{"fewer plies", []stored{disproof("P", 4)}, "P", 3, 0, none, 0, 4},
		{"one ply more may do", []stored{disproof("P", 4)}, "P", 5, 0, 1, 1, 0},
		{"no limit may do", []stored{disproof("P", 4)}, "P", forever, 0, 1, 1, 0},
		{"more in hand may do", []stored{disproof("P", 4)}, "2P", 4, 0, 1, 1, 0},
		{"a kind more may do", []stored{disproof("P", 4)}, "PG", 4, 0, 1, 1, 0},
		{"within no plies at all", []stored{disproof("P", 0)}, "P", 0, 0, none, 0, 0},
		{"at any length", []stored{disproof("P", forever)}, "P", forever, 0, none, 0, forever},
		{"at any length, so in 7", []stored{disproof("P", forever)}, "P", 7, 0, none, 0, forever},
		// What is known gets better, never worse.
		{"a longer mate is no news", []stored{proof("P", 5), proof("P", 7)}, "P", 5, 0, 0, mate, 5},
		{"a shorter one is", []stored{proof("P", 7), proof("P", 5)}, "P", 5, 0, 0, mate, 5},
		{"fewer plies are no news", []stored{disproof("P", 4), disproof("P", 2)}, "P", 4, 0, none, 0, 4},
		{"more are", []stored{disproof("P", 2), disproof("P", 4)}, "P", 4, 0, none, 0, 4},
		{"nor any after forever", []stored{disproof("P", forever), disproof("P", 4)}, "P", 9, 0, none, 0, forever},
		// Both at once: none within 6, one within 9.
		{"9 do", []stored{proof("P", 9), disproof("P", 6)}, "P", 9, 0, 0, mate, 9},
		{"6 do not", []stored{proof("P", 9), disproof("P", 6)}, "P", 6, 0, none, 0, 6},
		{"7 are open", []stored{proof("P", 9), disproof("P", 6)}, "P", 7, 0, 1, 1, 0},
		// Open numbers: with less in hand no easier to prove, with more no easier to disprove.
		{"its own numbers", []stored{open("2P", 6, 8, 3)}, "2P", 9, 3, 6, 8, 0},
		{"its own, from nearer too", []stored{open("2P", 6, 8, 3)}, "2P", 9, 1, 6, 8, 0},
		{"less in hand", []stored{open("2P", 6, 8, 3)}, "P", 9, 3, 6, 1, 0},
		{"more in hand", []stored{open("2P", 6, 8, 3)}, "3P", 9, 3, 1, 8, 0},
		{"neither", []stored{open("2P", 6, 8, 3)}, "PG", 9, 3, 1, 1, 0},
		{"both bounds", []stored{open("2P", 6, 8, 3), open("-", 4, 5, 3)}, "P", 9, 3, 6, 5, 0},
		{"a bound above its own", []stored{open("2P", 6, 8, 3), open("P", 4, 5, 3)}, "P", 9, 3, 6, 5, 0},
		{"not if it was met deeper", []stored{open("2P", 6, 8, 3)}, "P", 9, 2, 1, 1, 0},
		{"met on a shorter way since", []stored{open("2P", 6, 8, 3), open("2P", 6, 8, 2)}, "P", 9, 2, 6, 1, 0},
		{"the least depth stays", []stored{open("2P", 6, 8, 2), open("2P", 6, 8, 3)}, "P", 9, 2, 6, 1, 0},
		{"a proof leaves numbers", []stored{open("P", 6, 8, 3), proof("P", 5)}, "P", 3, 3, 6, 8, 0},
		{"a proof alone has none", []stored{proof("P", 5)}, "2P", 3, 3, 1, 1, 0},
	} {
		table := newTable(1 << 20)
		for _, store := range c.stored {
			store(t, table)
		}
		var r probed
		table.probe(1, hand(t, c.hand), c.length, c.depth, &r)
		if r.pn != c.pn || r.dn != c.dn || r.isSolved() && (r.len != c.len || r.loopDepth != noLoop) {
			t.Errorf("%s: %s within %d at depth %d: %+v, want %d %d in %d",
				c.why, c.hand, c.length, c.depth, r.value, c.pn, c.dn, c.len)
		}
		var other probed
		if table.probe(2, hand(t, c.hand), c.length, c.depth, &other); other.found || other.isSolved() {
			t.Errorf("%s: and of another board too: %+v", c.why, other)
		}
	}
}

// TestReplacement fills a window with hands of one board. What comes then takes the place of what
// can be found again at the least cost, not of what is solved for good.
func TestReplacement(t *testing.T) {
	hands := make([]shogi.Hand, window+2)
	for i := range hands {
		// No two cover each other: more pawns go with fewer golds, lances and knights in turn.
		hands[i] = shogi.Hand(0).Add(shogi.Pawn, i%19).Add(shogi.Lance, i/19).Add(shogi.Gold, i%5)
	}
	const cheap, proved, disproved, limited = 50, 60, 70, 80
	fill := func(amount func(i int) uint32) *table {
		table := newTable(1 << 20)
		for i, h := range hands[:window] {
			switch i {
			case proved:
				table.storeProof(1, h, 3, 1)
			case disproved:
				table.storeDisproof(1, h, forever, 1)
			case limited:
				table.storeDisproof(1, h, 2, 200)
			default:
				table.storeOpen(1, h, &result{value: value{pn: 3, dn: 3}}, 0, state{}, 0, amount(i))
			}
		}
		return table
	}
	missing := func(table *table) (lost []int) {
		for i, h := range hands {
			if !slices.ContainsFunc(table.claimsOf(1), func(c claim) bool { return c.hand() == h }) {
				lost = append(lost, i)
			}
		}
		return lost
	}
	table := fill(func(i int) uint32 {
		if i == cheap {
			return 99
		}
		return 100
	})
	newcomer := &result{value: value{pn: 3, dn: 3}}
	table.storeOpen(1, hands[window], newcomer, 0, state{}, 0, 100)
	if lost := missing(table); !slices.Equal(lost, []int{cheap, window + 1}) {
		t.Errorf("the cheapest open entry must go: missing are %v", lost)
	}
	// A disproof of limited length is worth its work, and no more.
	table = fill(func(i int) uint32 { return 300 })
	table.storeOpen(1, hands[window], newcomer, 0, state{}, 0, 100)
	if lost := missing(table); !slices.Equal(lost, []int{limited, window + 1}) {
		t.Errorf("the limited disproof must go: missing are %v", lost)
	}
	if n := table.used.Load(); n != window {
		t.Errorf("%d entries in use, want %d", n, window)
	}
}

// TestCollectKeepsSolved: half of the entries are open and cost 10, half are solved and cost 2.
// Solved ones count eightfold, so those go that are open.
func TestCollectKeepsSolved(t *testing.T) {
	table := newTable(1 << 20)
	const each = 2000
	table.reserve(8 * each)
	key := func(i int) uint64 { return uint64(i+1) * 0x123456789abcdef1 }
	for i := range each {
		table.storeProof(key(3*i), 0, 3, 2)
		table.storeOpen(key(3*i+1), 0, &result{value: value{pn: 3, dn: 3}}, 0, state{}, 0, 10)
		table.storeDisproof(key(3*i+2), 0, 4, 2)
		table.storeOpen(key(3*i+2)+1, 0, &result{value: value{pn: 3, dn: 3}}, 0, state{}, 0, 10)
	}
	table.collect()
	for i := range each {
		var mate, open, none probed
		table.probe(key(3*i), 0, 3, 0, &mate)
		table.probe(key(3*i+1), 0, 3, 0, &open)
		table.probe(key(3*i+2), 0, 4, 0, &none)
		if mate.pn != 0 || none.dn != 0 || open.found {
			t.Fatalf("%d: %+v, %+v and %+v", i, mate, none, open)
		}
	}
	if n := table.used.Load(); n != 2*each {
		t.Errorf("%d entries in use, want %d", n, 2*each)
	}
}

func TestCombineRows(t *testing.T) {
	v := func(pn, dn uint32) child { return child{value: value{pn: pn, dn: dn}, active: true} }
	byMax := func(c child) child { c.useMax = true; return c }
	waits := func(c child) child { c.active = false; return c }
	mate := func(n int32) child { return child{value: provedValue(0, n), active: true} }
	none := func(loop int32) child {
		return child{value: disprovedValue(0, forever, loop), active: true}
	}
	worked := func(c child, amount uint32, eval int16) child {
		c.amount, c.eval = amount, eval
		return c
	}
	for _, c := range []struct {
		why      string
		attacks  bool
		children []child
		want     combined
	}{
		{"least pn, sum of dn", true, []child{v(4, 5), v(2, 3), v(7, 1)}, combined{2, 9, 1, 4, 6}},
		{"least dn, sum of pn", false, []child{v(4, 5), v(2, 3), v(7, 1)}, combined{13, 1, 2, 3, 6}},
		{"one child", true, []child{v(4, 5)}, combined{4, 5, 0, infinity, 0}},
		{"who waits does not count", true, []child{v(4, 5), waits(v(1, 3))}, combined{4, 5, 0, infinity, 0}},
		{"two by maximum, the best too", true, []child{byMax(v(2, 3)), byMax(v(4, 5)), v(6, 7)},
			combined{2, 12, 0, 4, 7}},
		{"two by maximum, not the best", true, []child{v(2, 3), byMax(v(4, 5)), byMax(v(6, 7))},
			combined{2, 10, 0, 4, 7}},
		{"three by maximum, two of them equal", true, []child{byMax(v(2, 5)), byMax(v(4, 5)), byMax(v(6, 3))},
			combined{2, 5, 0, 4, 0}},
		{"nothing huge is added up", true, []child{v(2, huge), v(4, huge+9), v(6, 3)},
			combined{2, huge + 9, 0, 4, 0}},
		{"nor at the defender's", false, []child{v(huge, 2), v(huge+9, 4), v(3, 6)},
			combined{huge + 9, 2, 0, 4, 0}},
		{"just below huge it is", true, []child{v(2, huge-1), v(4, 3)}, combined{2, huge + 2, 0, 4, 3}},
		{"mate", true, []child{v(2, 3), mate(5)}, combined{0, infinity, 1, 2, 3}},
		{"no check left", true, []child{none(noLoop), none(noLoop)}, combined{infinity, 0, 0, infinity, 0}},
		{"an escape", false, []child{v(2, 3), none(noLoop)}, combined{infinity, 0, 1, 3, 2}},
		{"no defence left", false, []child{mate(2), mate(4)}, combined{0, infinity, 0, infinity, 0}},
		// Ties.
		{"the shorter mate", true, []child{mate(5), mate(3), mate(7)}, combined{0, infinity, 1, 0, infinity - 1}},
		{"the refutation for most paths", false, []child{none(2), none(5), none(3)},
			combined{infinity, 0, 1, 0, infinity - 1}},
		{"less delta", true, []child{v(2, 5), v(2, 3)}, combined{2, 8, 1, 2, 5}},
		{"less work", true, []child{worked(v(2, 3), 9, 1), worked(v(2, 3), 8, 2)}, combined{2, 6, 1, 2, 3}},
		{"the better move", true, []child{worked(v(2, 3), 9, 2), worked(v(2, 3), 9, 1)}, combined{2, 6, 1, 2, 3}},
	} {
		s := &searcher{children: c.children}
		f := frame{held: noChild, attacks: c.attacks, count: len(c.children)}
		var got combined
		if s.combine(&f, &got); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.why, got, c.want)
		}
	}
}

// TestCombineLongLine: of the dn 5, 30, 13 and, by maximum, 20, the greatest counts in full, and the
// 38 of the others for the less the longer the line is.
func TestCombineLongLine(t *testing.T) {
	v := func(pn, dn uint32) child { return child{value: value{pn: pn, dn: dn}, active: true} }
	for _, c := range []struct {
		depth   int32
		attacks bool
		options Options
		want    combined
	}{
		{39, true, Options{}, combined{2, 68, 1, 4, 38}},
		{40, true, Options{}, combined{2, 68, 1, 4, 38}},
		{50, true, Options{}, combined{2, 30 + 19, 1, 4, 19}},
		{50, true, Options{NoLongLines: true}, combined{2, 68, 1, 4, 38}},
		// A leaf for each of the two others that are added up, and nothing for what is refuted.
		{9_000, true, Options{}, combined{2, 30 + 2*unit, 1, 4, 2 * unit}},
		{9_000, false, Options{}, combined{22, 5, 0, 13, 18}},
	} {
		s := &searcher{options: c.options, children: []child{v(4, 5), v(2, 30), v(7, 13), v(9, 20)}}
		s.children[3].useMax = true
		if c.attacks {
			s.children = append(s.children, child{value: disprovedValue(0, forever, noLoop), active: true})
		}
		f := frame{held: noChild, attacks: c.attacks, depth: c.depth, count: len(s.children)}
		var got combined
		if s.combine(&f, &got); got != c.want {
			t.Errorf("depth %d, attacks %v: %+v, want %+v", c.depth, c.attacks, got, c.want)
		}
	}
}

func TestThresholdRows(t *testing.T) {
	c := &combined{pn: 10, dn: 20, second: 16, rest: 12}
	for _, row := range []struct {
		why     string
		attacks bool
		th      thresholds
		c       *combined
		o       Options
		want    thresholds
	}{
		// 16 and an eighth of it and one; 50 without the 12 that the others have.
		{"attacker", true, thresholds{100, 50}, c, Options{}, thresholds{19, 38}},
		{"defender", false, thresholds{50, 100}, c, Options{}, thresholds{38, 19}},
		{"its own is nearer", true, thresholds{18, 50}, c, Options{}, thresholds{18, 38}},
		{"just beyond the second", true, thresholds{100, 50}, c, Options{NoEpsilon: true}, thresholds{17, 38}},
		{"an only child", true, thresholds{100, 50}, &combined{second: infinity}, Options{}, thresholds{100, 50}},
		{"without limit", true, thresholds{infinity, infinity}, c, Options{}, thresholds{19, infinity}},
	} {
		f := frame{attacks: row.attacks}
		if got := row.th.ofChild(&f, row.c, &row.o); got != row.want {
			t.Errorf("%s: %v, want %v", row.why, got, row.want)
		}
	}
	for _, row := range []struct {
		th   thresholds
		want bool
	}{{thresholds{11, 21}, false}, {thresholds{10, 21}, true}, {thresholds{11, 20}, true}} {
		if got := row.th.reachedBy(c); got != row.want {
			t.Errorf("10 and 20 reach %v: %v", row.th, got)
		}
	}
	if got := (thresholds{5, 50}).above(c); got != (thresholds{11, 50}) || got.reachedBy(c) {
		t.Errorf("5 and 50 raised above 10 and 20: %v", got)
	}
	if got := (thresholds{5, 50}).raised(10, 20); got != (thresholds{18, 50}) {
		t.Errorf("5 and 50 raised after 10 and 20: %v, want 18 (1.7 times 10 and 1) and 50", got)
	}
}

// onPath returns a searcher with the frames on its path, one below the other.
func onPath(o Options, frames ...state) *searcher {
	s := newSearcher(o.withDefaults())
	for i, f := range frames {
		s.push(f.key, uint64(1000+i), f.hand, forever, i%2 == 0)
	}
	return s
}

func TestRepetition(t *testing.T) {
	const board = 77
	s := onPath(Options{TableBytes: 1 << 20},
		state{board, hand(t, "2P")}, state{5, 0}, state{board, hand(t, "G")}, state{6, 0},
		state{board + onPathSlots, hand(t, "2R")})
	for _, c := range []struct {
		why   string
		key   uint64
		hand  string
		depth int32
	}{
		{"the same position", board, "2P", 0},
		{"the same position, later", board, "G", 2},
		{"less in hand than then", board, "P", 0},
		{"nothing in hand: the later one", board, "-", 2},
		{"something was gained", board, "3P", noLoop},
		{"another kind was gained", board, "2PG", noLoop},
		{"more than was ever there", board, "PG", noLoop},
		{"another board of the same slot", board + 2*onPathSlots, "-", noLoop},
		{"that board itself", board + onPathSlots, "R", 4},
	} {
		if got := s.repetition(c.key, hand(t, c.hand)); got != c.depth {
			t.Errorf("%s: depth %d, want %d", c.why, got, c.depth)
		}
	}
	s.options.NoAncestors = true
	if got := s.repetition(board, hand(t, "P")); got != noLoop {
		t.Errorf("only equal positions repeat: depth %d", got)
	}
	s.options.NoAncestors = false
	s.pop()
	s.pop()
	s.pop()
	if got := s.repetition(board, hand(t, "G")); got != noLoop {
		t.Errorf("what has left the path repeats nothing: depth %d", got)
	}
	if got := s.repetition(board, hand(t, "P")); got != 0 {
		t.Errorf("what is still there does: depth %d", got)
	}
}

// TestPathDependentDisproof is the graph-history interaction problem in small. A node at depth 2 is
// disproved, leaning on the repetition of an ancestor. If that is above the node, the disproof is
// for this path alone: on another path the ancestor is missing, and there may be a mate.
func TestPathDependentDisproof(t *testing.T) {
	for _, c := range []struct {
		why       string
		loopDepth int32
		absolute  bool
	}{
		{"it leans on the root", 0, false},
		{"it leans on its parent", 1, false},
		{"the loop ends in the node itself", 2, true},
		{"the loop lies below it", 3, true},
		{"no loop", noLoop, true},
	} {
		s := onPath(Options{TableBytes: 1 << 20}, state{1, 0}, state{2, 0}, state{3, hand(t, "P")})
		f := &s.frames[2]
		r := result{value: disprovedValue(hand(t, "2P"), forever, c.loopDepth)}
		s.store(f, &r, thresholds{unit, unit}, 1)

		var found probed
		s.table.probe(3, hand(t, "P"), forever, 9, &found)
		if absolute := found.dn == 0; absolute != c.absolute || found.mayRepeat == c.absolute {
			t.Errorf("%s: the table says %+v", c.why, found)
		}
		v, ok := s.paths.get(f.pathKey, 3, hand(t, "P"), forever)
		if ok == c.absolute || ok && (v.dn != 0 || v.loopDepth != c.loopDepth) {
			t.Errorf("%s: for this path %v %+v", c.why, ok, v)
		}
		if ok && v.solvedHand != hand(t, "P") {
			t.Errorf("%s: for this path and the hand %s", c.why, v.solvedHand)
		}
		for _, other := range []struct {
			path, key uint64
			hand      string
			length    int32
		}{{f.pathKey + 1, 3, "P", 1}, {f.pathKey, 4, "P", 1}, {f.pathKey, 3, "-", 1}} {
			if _, ok := s.paths.get(other.path, other.key, hand(t, other.hand), other.length); ok {
				t.Errorf("%s: and for another path, board or hand: %+v", c.why, other)
			}
		}
		// What leans on nothing outside the node is handed up without a loop.
		if r.forgetClosedLoops(2); (r.loopDepth == noLoop) != c.absolute {
			t.Errorf("%s: handed up with %d", c.why, r.loopDepth)
		}
	}
}

// TestPathTable: a disproof within 4 plies is none within 5, and is not lost to one within 2.
func TestPathTable(t *testing.T) {
	paths := new(pathTable)
	four, two := disprovedValue(0, 4, 1), disprovedValue(0, 2, 0)
	paths.put(9, 3, 0, &four)
	paths.put(9, 3, 0, &two)
	if v, ok := paths.get(9, 3, 0, 4); !ok || v.len != 4 || v.loopDepth != 1 {
		t.Errorf("within 4: %v %+v", ok, v)
	}
	if v, ok := paths.get(9, 3, 0, 5); ok {
		t.Errorf("within 5: %+v", v)
	}
	paths.clear()
	if v, ok := paths.get(9, 3, 0, 4); ok {
		t.Errorf("after clear: %+v", v)
	}
	if stepKey(5, 1) == stepKey(5, 2) || stepKey(5, 1) == stepKey(6, 1) {
		t.Error("a path's code must tell which move was made where")
	}
}

// TestConclude takes solved children together, in positions where no hand matters.
func TestConclude(t *testing.T) {
	const far = "8k/8p/9/9/9/9/9/9/9" // a king in the corner, an empty hand
	solved := func(v value) child { return child{value: v, active: true, move: 1, next: noChild} }
	none := func(length, loop int32) child { return solved(disprovedValue(0, length, loop)) }
	mate := func(length int32) child { return solved(provedValue(0, length)) }
	open := solved(value{pn: 2, dn: 2})
	for _, c := range []struct {
		why       string
		attacks   bool
		children  []child
		len       int32
		loopDepth int32
	}{
		{"mate: a ply before the shortest", true, []child{mate(4), mate(2), open}, 3, noLoop},
		{"no check mates within the least of them all", true, []child{none(4, noLoop), none(6, noLoop)}, 5, noLoop},
		{"at any length", true, []child{none(forever, noLoop), none(forever, noLoop)}, forever, noLoop},
		{"at any length but one", true, []child{none(forever, noLoop), none(2, noLoop)}, 3, noLoop},
		{"all loops of all checks", true, []child{none(4, 3), none(4, noLoop), none(4, 2)}, 5, 2},
		{"no defence holds: the longest", false, []child{mate(3), mate(5), mate(1)}, 6, noLoop},
		{"one escape, and its loop alone", false, []child{open, none(4, 3), none(4, 1)}, 5, 3},
		{"an escape at any length", false, []child{open, none(forever, noLoop)}, forever, noLoop},
	} {
		side := " w - 1"
		if c.attacks {
			side = " b - 1"
		}
		s := &searcher{p: shogi.MustParseSFEN(far + side), children: c.children}
		f := frame{held: noChild, attacks: c.attacks, count: len(c.children)}
		var sum combined
		s.combine(&f, &sum)
		var r result
		s.conclude(&f, &sum, &r)
		if r.pn != sum.pn || r.dn != sum.dn || r.len != c.len || r.loopDepth != c.loopDepth {
			t.Errorf("%s: %+v, want %d plies and the loop %d", c.why, r.value, c.len, c.loopDepth)
		}
	}
}

// TestConcludeHands: who drops needs what he drops, on either side.
func TestConcludeHands(t *testing.T) {
	gold := shogi.NewDrop(shogi.Gold, shogi.SquareAt(shogi.File5, shogi.RankB))
	silver := shogi.NewDrop(shogi.Silver, shogi.SquareAt(shogi.File5, shogi.RankB))
	solved := func(v value, m shogi.Move) child {
		return child{value: v, active: true, move: m, next: noChild}
	}
	for _, c := range []struct {
		why, sfen string
		children  []child
		want      string
	}{
		{"a mate by a dropped gold needs a gold, and not the silver",
			"4k4/9/4P4/9/9/9/9/9/9 b GS 1", []child{solved(provedValue(0, 0), gold)}, "G"},
		// Behind the drops a gold and a silver do not suffice, so before them one more of each
		// would not; but there is only one of each.
		{"refuted drops: each withstands itself and what its disproof does",
			"4k4/9/4P4/9/9/9/9/9/9 b GSrb 1", []child{
				solved(disprovedValue(hand(t, "GS"), forever, noLoop), gold),
				solved(disprovedValue(hand(t, "GS"), forever, noLoop), silver),
			}, "GS"},
		{"refuted drops: a silver that he lacks could check, and nobody has tried it",
			"4k4/9/4P4/9/9/9/9/9/9 b Gs 1", []child{
				solved(disprovedValue(hand(t, "GS"), forever, noLoop), gold),
			}, "G"},
		// The rook's check comes from afar, so all that the defender lacks could have been dropped.
		{"no defence holds: all that any needs, and what the defender must not have",
			"4k4/9/9/9/9/9/9/9/4R4 w GSg 1", []child{
				solved(provedValue(hand(t, "G"), 1), gold),
			}, "GS"},
		{"an escape by a dropped gold: one must be left for the defender",
			"4k4/9/9/9/9/9/9/9/4R4 w Gg 1", []child{
				solved(disprovedValue(hand(t, "2G"), forever, noLoop), gold),
			}, "G"},
	} {
		p := shogi.MustParseSFEN(c.sfen)
		s := &searcher{p: p, children: c.children}
		f := frame{held: noChild, attacks: p.SideToMove() == attacker, count: len(c.children)}
		var sum combined
		s.combine(&f, &sum)
		var r result
		if s.conclude(&f, &sum, &r); r.solvedHand != hand(t, c.want) {
			t.Errorf("%s: %s, want %s", c.why, r.solvedHand, c.want)
		}
	}
}

// TestExpandAtTheLimit: with no plies left the defender to move is mated or is not, and the
// attacker fails; neither says anything about longer mates.
func TestExpandAtTheLimit(t *testing.T) {
	for _, c := range []struct {
		why, sfen string
		length    int32
		want      value
	}{
		{"mated, within none", "4k4/4G4/4P4/9/9/9/9/9/9 w - 1", 0, provedValue(0, 0)},
		{"in check, and may take", "4k4/4G4/9/9/9/9/9/9/9 w - 1", 0, disprovedValue(0, 0, noLoop)},
		{"a mate in one needs one", "4k4/9/4P4/9/9/9/9/9/9 b G 1", 0, disprovedValue(hand(t, "G"), 0, noLoop)},
		{"no check is no mate at any length", "4k4/9/9/9/9/9/9/9/9 b - 1", 3, disprovedValue(0, forever, noLoop)},
		{"and with the defender's gold there would be one", "4k4/9/9/9/9/9/9/9/9 b g 1", 3, disprovedValue(0, forever, noLoop)},
	} {
		s := onPath(Options{TableBytes: 1 << 20})
		s.p = shogi.MustParseSFEN(c.sfen)
		f := s.push(s.p.BoardKey(), 0, s.p.Hand(attacker), c.length, s.p.SideToMove() == attacker)
		var r result
		if done := s.expand(f, &r); !done || r.value != c.want {
			t.Errorf("%s: %v %+v, want %+v", c.why, done, r.value, c.want)
		}
	}
}

// TestFirstVisit: a mate in one needs a ply, and no check is a disproof of any length.
func TestFirstVisit(t *testing.T) {
	for _, c := range []struct {
		why, sfen string
		length    int32
		want      value
	}{
		// The king has stepped to 5a; a gold drop at 5b mates, guarded by the pawn.
		{"mate in one", "3k5/9/4P4/9/9/9/9/9/9 w G 1", 1, provedValue(hand(t, "G"), 1)},
		{"no ply for it", "3k5/9/4P4/9/9/9/9/9/9 w G 1", 0, disprovedValue(hand(t, "G"), 0, noLoop)},
		{"no mate in one", "3k5/9/9/9/4P4/9/9/9/9 w G 1", 1, disprovedValue(hand(t, "G"), 1, noLoop)},
		{"no mate in three", "3k5/9/9/9/4P4/9/9/9/9 w G 1", 3, disprovedValue(hand(t, "G"), 3, noLoop)},
		{"no mate in three, but in five perhaps", "3k5/9/9/9/4P4/9/9/9/9 w G 1", 5, value{pn: 1, dn: 1}},
		{"mate in three is left to the search", "3k5/9/4P4/9/9/9/9/9/9 w RS 1", 3, value{pn: 1, dn: 1}},
		{"nothing to check with", "3k5/9/9/9/4P4/9/9/9/9 w - 1", 5, disprovedValue(0, forever, noLoop)},
		{"with the defender's gold there would be", "3k5/9/9/9/4P4/9/9/9/9 w g 1", 5, disprovedValue(0, forever, noLoop)},
	} {
		s := onPath(Options{TableBytes: 1 << 20})
		s.p = shogi.MustParseSFEN(c.sfen)
		king := shogi.NewMove(shogi.SquareAt(shogi.File6, shogi.RankA), shogi.SquareAt(shogi.File5, shogi.RankA))
		if !s.p.IsLegal(king) {
			t.Fatalf("%s is not legal in %s", king, c.sfen)
		}
		ch := child{key: s.p.BoardKeyAfter(king), hand: s.p.Hand(attacker), move: king, value: value{pn: 1, dn: 1}}
		decided := s.firstVisit(&frame{slider: shogi.NoSquare}, &ch, c.length)
		if c.want.isSolved() != decided || ch.pn != c.want.pn || ch.dn != c.want.dn ||
			decided && (ch.len != c.want.len || ch.solvedHand != c.want.solvedHand) {
			t.Errorf("%s: %v %+v, want %+v", c.why, decided, ch.value, c.want)
		}
	}
}

// TestLookup: a child is, in this order, a repetition, what the table says, what the table of this
// path says, or new.
func TestLookup(t *testing.T) {
	type setting struct {
		s  *searcher
		f  *frame
		ch *child
	}
	path := func(x *setting) uint64 { return x.f.pathKey ^ stepKey(x.ch.move, x.f.depth) }
	open := &result{value: value{pn: 6, dn: 8}}
	for _, c := range []struct {
		why     string
		prepare func(x *setting)
		check   func(ch *child) bool
	}{
		{"new", func(x *setting) {},
			func(ch *child) bool { return ch.fresh && !ch.old && ch.pn >= unit && ch.dn >= unit }},
		{"a repetition, though the table knows a mate", func(x *setting) {
			x.ch.key = x.s.frames[1].key
			x.s.table.storeProof(x.ch.key, 0, 3, 1)
		}, func(ch *child) bool { return ch.dn == 0 && ch.loopDepth == 1 && ch.solvedHand == ch.hand }},
		{"met before on a shorter way", func(x *setting) {
			x.s.table.storeOpen(x.ch.key, 0, open, 2, state{x.f.key, x.f.hand}, 0, 1)
		}, func(ch *child) bool { return ch.old && !ch.fresh && ch.pn == 6 && ch.dn == 8 && ch.from.key == 0 }},
		{"met before at this depth", func(x *setting) {
			x.s.table.storeOpen(x.ch.key, 0, open, 3, state{x.f.key, x.f.hand}, 0, 1)
		}, func(ch *child) bool { return !ch.old && !ch.fresh }},
		{"met from another parent", func(x *setting) {
			x.s.table.storeOpen(x.ch.key, 0, open, 3, state{4711, 0}, 0, 1)
		}, func(ch *child) bool { return ch.from == state{4711, 0} }},
		{"disproved on this path", func(x *setting) {
			v := disprovedValue(0, forever, 1)
			x.s.paths.put(path(x), x.ch.key, 0, &v)
			x.s.table.storeRepetition(x.ch.key, 0, 1, 3, 1)
		}, func(ch *child) bool { return ch.dn == 0 && ch.loopDepth == 1 }},
		{"disproved on another path", func(x *setting) {
			v := disprovedValue(0, forever, 1)
			x.s.paths.put(path(x)+1, x.ch.key, 0, &v)
			x.s.table.storeRepetition(x.ch.key, 0, 1, 3, 1)
		}, func(ch *child) bool { return ch.pn == 1 && ch.dn == 1 }},
		{"disproved within too few plies", func(x *setting) {
			x.s.table.storeDisproof(x.ch.key, 0, 7, 1)
		}, func(ch *child) bool { return ch.dn != 0 }},
		{"disproved within all that are left", func(x *setting) {
			x.s.table.storeDisproof(x.ch.key, 0, 8, 1)
		}, func(ch *child) bool { return ch.dn == 0 && ch.len == 8 }},
	} {
		s := onPath(Options{TableBytes: 1 << 20}, state{101, 0}, state{102, 0}, state{103, 0})
		s.p = shogi.MustParseSFEN("4k4/9/4P4/9/9/9/9/9/9 b G 1")
		f := &s.frames[2]
		f.len = 9
		ch := child{key: 104, move: shogi.NewDrop(shogi.Gold, shogi.SquareAt(shogi.File5, shogi.RankB))}
		c.prepare(&setting{s, f, &ch})
		if s.lookup(f, &ch, false); !c.check(&ch) {
			t.Errorf("%s: %+v", c.why, ch)
		}
		if s.lookup(f, &child{key: 105, move: ch.move}, false); f.old != ch.old {
			t.Errorf("%s: an old child %v, of the node %v", c.why, ch.old, f.old)
		}
	}
}

// TestVisitedBefore: what a first visit did not decide is not visited again, unless the table has
// lost what others decided, or so few plies are left that the visit counts them.
func TestVisitedBefore(t *testing.T) {
	// The king has five squares to go to, and a drop at 5b or farther down.
	p := shogi.MustParseSFEN("4k4/9/9/9/9/9/9/9/4R4 w GSgp 1")
	for _, c := range []struct {
		why     string
		length  int32
		stored  bool
		partial bool
		visits  bool
	}{
		{"a new node", forever, false, false, true},
		{"a node that was expanded before", forever, true, false, false},
		{"with five plies left behind its moves", 6, true, false, false},
		{"with four", 5, true, false, true},
		{"in a table that forgot something", forever, true, true, true},
	} {
		s := newSearcher(Options{TableBytes: 1 << 20}.withDefaults())
		s.p = p
		if c.stored {
			open := &result{value: value{pn: 6, dn: 8}}
			s.table.storeOpen(p.BoardKey(), p.Hand(attacker), open, 0, state{}, 0, 1)
		}
		s.table.partial = c.partial
		f := s.push(p.BoardKey(), 1, p.Hand(attacker), c.length, false)
		s.expand(f, new(result))
		if s.nodes > 0 != c.visits {
			t.Errorf("%s: %d first visits of %d children", c.why, s.nodes, f.count)
		}
	}
}

// TestLeaveOut: after a reply that refutes every check there is nothing to look up.
func TestLeaveOut(t *testing.T) {
	// The knight can check a king on 4a, 5b and 6a, not one on 4b or 6b.
	p := shogi.MustParseSFEN("4k4/9/5N3/9/9/9/9/9/9 w - 1")
	s := newSearcher(Options{TableBytes: 1 << 20}.withDefaults())
	s.p = p
	f := s.push(p.BoardKey(), 1, p.Hand(attacker), forever, false)
	if s.expand(f, new(result)) {
		t.Fatal("the position is decided by its moves")
	}
	refutation := -1
	for i, ch := range s.children {
		switch {
		case refutation >= 0 && (ch.active || ch.amount > 0 || ch.fresh):
			t.Errorf("%s was looked up after %s: %+v", ch.move, s.children[refutation].move, ch)
		case ch.active && ch.dn == 0:
			refutation = i
		}
	}
	if refutation < 1 || refutation == len(s.children)-1 {
		t.Fatalf("child %d of %d refutes", refutation, len(s.children))
	}
	var c combined
	var r result
	s.combine(f, &c)
	if s.conclude(f, &c, &r); r.dn != 0 || r.best != s.children[refutation].move || r.len != forever {
		t.Errorf("%+v", r)
	}
}

// TestFlights: a check makes the position behind it look the harder the more flight squares it
// leaves, of those that were there before it.
func TestFlights(t *testing.T) {
	for _, c := range []struct {
		why, sfen, move string
		want            int
	}{
		{"a gold before the king covers all", "4k4/9/9/9/9/9/9/9/9 b G 1", "G*5b", 0},
		{"a rook covers its file", "4k4/9/9/9/9/9/9/9/9 b R 1", "R*5e", 4},
		{"through the king, too", "9/4k4/9/9/9/9/9/9/9 b R 1", "R*5e", 6},
		{"a pawn covers one square, a gold two others", "4k4/9/4P4/9/9/9/9/9/9 b G 1", "G*4b", 2},
		{"what the gold leaves open is not counted", "4k4/9/4G4/9/9/9/9/9/9 b - 1", "5c4b", 1},
		{"it promotes", "4k4/9/4P4/9/9/9/9/9/9 b - 1", "5c5b+", 0},
		{"the king's own pieces are in the way", "3gkg3/9/9/9/9/9/9/9/9 b R 1", "R*5e", 2},
	} {
		p := shogi.MustParseSFEN(c.sfen)
		m, err := shogi.ParseMove(c.move)
		if err != nil {
			t.Fatal(err)
		}
		if !p.IsLegal(m) {
			t.Fatalf("%s: %s is not legal", c.why, m)
		}
		s := newSearcher(Options{TableBytes: 1 << 20}.withDefaults())
		s.p = p
		f := s.push(p.BoardKey(), 1, p.Hand(attacker), forever, true)
		if n := s.flightsAfter(f, m); n != c.want {
			t.Errorf("%s: %d flight squares, want %d", c.why, n, c.want)
		}
		pn, _ := s.initialNumbers(f, m)
		s.options.NoFlights = true
		if without, _ := s.initialNumbers(f, m); pn-without != uint32(c.want)*unit/4 {
			t.Errorf("%s: pn %d, and %d without flight squares", c.why, pn, without)
		}
	}
}

// TestRelease: a move that waits is let in when the one before it has failed, and not before; and
// if it has failed already, so is the next.
func TestRelease(t *testing.T) {
	failed := disprovedValue(0, forever, noLoop)
	for _, c := range []struct {
		why        string
		first      value
		known      bool // that the second fails
		in1, in2   bool
		wantFailed bool
		wantMax    bool
	}{
		{"the first is open", value{pn: 2, dn: 2}, true, false, false, false, false},
		{"the first mates", provedValue(0, 3), true, false, false, false, false},
		{"the first fails", failed, false, true, false, false, false},
		{"the second fails as well", failed, true, true, true, true, false},
		{"the first is not hard yet", value{pn: twinPatience - 1, dn: 2}, true, false, false, false, false},
		{"the first is hard", value{pn: twinPatience, dn: 2}, false, true, false, false, true},
		{"the first is hard and the second fails", value{pn: twinPatience, dn: 2}, true, true, true, true, true},
	} {
		s := onPath(Options{TableBytes: 1 << 20}, state{101, 0})
		s.p = shogi.MustParseSFEN("4k4/9/4P4/9/9/9/9/9/9 b G 1")
		m := shogi.NewDrop(shogi.Gold, shogi.SquareAt(shogi.File5, shogi.RankB))
		s.children = []child{
			{key: 201, value: c.first, move: m, active: true, next: 1},
			{key: 202, move: m, next: 2}, {key: 203, move: m, next: noChild},
		}
		f := &s.frames[0]
		f.count = 3
		if c.known {
			s.table.storeDisproof(202, 0, forever, 1)
		}
		s.release(f, 0)
		list := s.children
		if list[1].active != c.in1 || list[2].active != c.in2 ||
			list[1].active && (list[1].dn == 0) != c.wantFailed ||
			list[0].useMax != c.wantMax || list[1].useMax != c.wantMax || list[2].useMax {
			t.Errorf("%s: %+v", c.why, list)
		}
	}
}

// TestReleaseDefence: the defender's moves wait until the one before has failed, however hard.
func TestReleaseDefence(t *testing.T) {
	s := onPath(Options{TableBytes: 1 << 20}, state{101, 0}, state{102, 0})
	s.children = []child{
		{key: 201, value: value{pn: huge, dn: huge}, active: true, next: 1}, {key: 202, next: noChild},
	}
	f := &s.frames[1]
	f.first, f.count, f.attacks = 0, 2, false
	if s.release(f, 0); s.children[1].active {
		t.Error("it was let in")
	}
}

// TestHeldBack: a drop that nobody supports comes after all other defences, but a node without it is
// not solved.
func TestHeldBack(t *testing.T) {
	// The rook checks from afar. Drops on 5c..5h are supported by nobody, those on 5b by the king.
	p := shogi.MustParseSFEN("4k4/9/9/9/9/9/9/9/4R4 w 2p 1")
	s := newSearcher(Options{TableBytes: 1 << 20}.withDefaults())
	s.p = p
	f := s.push(p.BoardKey(), 1, p.Hand(attacker), forever, false)
	if s.expand(f, new(result)) {
		t.Fatal("the position is decided")
	}
	if f.held == noChild {
		t.Fatal("nothing is held back")
	}
	held := s.children[f.held].move
	if !held.IsDrop() || s.children[f.held].active {
		t.Fatalf("%s is held back: %+v", held, s.children[f.held])
	}
	var c combined
	if s.combine(f, &c); f.held == noChild {
		t.Error("it was let in while others were open")
	}
	for i := range s.children {
		if ch := &s.children[i]; ch.active {
			ch.value = provedValue(0, 3)
			s.release(f, i)
		}
	}
	for range s.children { // the last of a chain lets in the next
		for i := range s.children {
			if ch := &s.children[i]; ch.active && i != int(f.held) && ch.pn != 0 {
				ch.value = provedValue(0, 3)
				s.release(f, i)
			}
		}
	}
	at := f.held
	if s.combine(f, &c); f.held != noChild || !s.children[at].active || c.pn == 0 {
		t.Errorf("all others have failed: held %d, %+v, numbers %+v", f.held, s.children[at], c)
	}
}

// TestDoubleCount: below the root A lie B, on the path, and X; C was last searched from X. A is the
// source node, and counts B and X by maximum.
func TestDoubleCount(t *testing.T) {
	const a, b, c, x, y = 1, 2, 3, 4, 5
	open := func(pn, dn uint32) *result { return &result{value: value{pn: pn, dn: dn}} }
	for _, row := range []struct {
		why         string
		rootAttacks bool
		parentOfX   uint64
		pn, dn      uint32 // of X
		joined      bool
	}{
		{"by way of another child", true, a, 10, 10, true},
		{"at the defender's too", false, a, 10, 10, true},
		{"a step further up", true, y, 10, 10, true},
		{"X was never searched from anywhere on the path", true, 99, 10, 10, false},
		{"X is hard to disprove for another reason", true, a, 10, 17, false},
		{"what is hard to prove does not matter for a sum of dn", true, a, 99, 10, true},
		{"but for a sum of pn", false, a, 99, 10, false},
	} {
		s := onPath(Options{TableBytes: 1 << 20}, state{a, 0}, state{b, 0})
		s.children = []child{{key: b}, {key: x}, {key: y}}
		s.frames[0].count, s.frames[0].attacks = 3, row.rootAttacks
		s.frames[1].first = 3
		s.table.storeOpen(x, 0, open(row.pn, row.dn), 1, state{row.parentOfX, 0}, 0, 1)
		s.table.storeOpen(y, 0, open(10, 10), 1, state{a, 0}, 0, 1)
		ch := child{key: c, value: value{pn: 10, dn: 10}, from: state{x, 0}}
		if s.findDoubleCount(&ch); ch.from.key != 0 {
			t.Errorf("%s: it must look once", row.why)
		}
		other := 1
		if row.parentOfX == y {
			other = 2
		}
		if s.children[0].useMax != row.joined || s.children[other].useMax != row.joined {
			t.Errorf("%s: %+v", row.why, s.children)
		}
		if row.joined && s.maximumMask(&s.frames[0]) != 1|1<<other {
			t.Errorf("%s: the mask is %b", row.why, s.maximumMask(&s.frames[0]))
		}
	}
	// The child's own parent on the path is no other way.
	s := onPath(Options{TableBytes: 1 << 20}, state{a, 0}, state{b, 0})
	s.children = []child{{key: b}}
	s.frames[0].count = 1
	s.table.storeOpen(b, 0, open(10, 10), 1, state{a, 0}, 0, 1)
	ch := child{key: c, value: value{pn: 10, dn: 10}, from: state{b, 0}}
	if s.findDoubleCount(&ch); s.children[0].useMax {
		t.Error("one way is not two")
	}
}

// TestThreadsShare: the tables are of all threads, the path is of one. What holds on one path only
// holds for whoever has come by it.
func TestThreadsShare(t *testing.T) {
	s := newSearcher(Options{TableBytes: 1 << 20, Threads: 3}.withDefaults())
	if len(s.threads.helpers) != 2 {
		t.Fatalf("%d helpers, want 2", len(s.threads.helpers))
	}
	helper := s.threads.helpers[0]
	helper.table.storeProof(3, 0, 5, 1)
	v := disprovedValue(0, forever, 0)
	helper.paths.put(9, 4, 0, &v)
	helper.push(7, 0, 0, forever, true)
	var r probed
	if s.table.probe(3, 0, forever, 0, &r); r.pn != 0 {
		t.Error("a proof of another thread holds for all")
	}
	if _, ok := s.paths.get(9, 4, 0, forever); !ok {
		t.Error("a disproof for a path holds for each thread on it")
	}
	if _, ok := s.paths.get(8, 4, 0, forever); ok {
		t.Error("a disproof for the path of another thread is none for this one")
	}
	if s.repetition(7, 0) != noLoop {
		t.Error("the path of another thread is not this one's")
	}
	// A thread more below a position: a leaf, or a sixteenth of what it needs.
	ch := &child{key: 55}
	for _, c := range []struct{ phi, none, one, two uint32 }{
		{4, 4, 6, 8}, {320, 320, 340, 360}, {infinity - 1, infinity - 1, infinity - 1, infinity - 1},
	} {
		for n, want := range []uint32{c.none, c.one, c.two} {
			s.threads.visitorsOf(ch.key, ch.hand).Store(int32(n))
			if got := s.threads.virtual(c.phi, ch); got != want {
				t.Errorf("%d visitors make %d of %d, want %d", n, got, c.phi, want)
			}
		}
	}
}

// TestThreadsLookAgain: what another thread has solved ends the frames beyond the nearest to the
// root.
func TestThreadsLookAgain(t *testing.T) {
	s := onPath(Options{TableBytes: 1 << 20, Threads: 2}, state{1, 0}, state{2, 0}, state{3, 0}, state{4, 0})
	if s.findSolvedFrame(); s.unwindTo != noUnwind {
		t.Errorf("nothing is solved, and the frames beyond %d end", s.unwindTo)
	}
	s.table.storeProof(4, 0, 5, 1)
	s.table.storeDisproof(3, 0, forever, 1)
	if s.findSolvedFrame(); s.unwindTo != 2 {
		t.Errorf("the frames beyond %d end, want 2", s.unwindTo)
	}
	var r result
	ok := s.solvedByOther(&s.frames[2], &r)
	if !ok || r.dn != 0 || r.loopDepth != noLoop || s.unwindTo != noUnwind {
		t.Errorf("%v %+v, and the frames beyond %d end", ok, r, s.unwindTo)
	}
	if s.solvedByOther(&s.frames[1], &r) {
		t.Error("a frame is solved that nobody solved")
	}
	// A frame of three plies does not end by a mate in five.
	s.frames[3].len, s.frames[2].key = 3, 99
	if s.findSolvedFrame(); s.unwindTo != noUnwind {
		t.Errorf("the mate is too long, and the frames beyond %d end", s.unwindTo)
	}

	// refresh takes over what is solved and what is open, but not for what is solved here.
	s.children = []child{
		{key: 10, value: value{pn: 2, dn: 2}, active: true, next: noChild},
		{key: 11, value: value{pn: 2, dn: 2}, active: true, next: noChild, fresh: true},
		{key: 12, value: provedValue(0, 1), active: true, next: noChild},
		{key: 13, value: value{pn: 2, dn: 2}, next: noChild},
	}
	s.frames[3].first, s.frames[3].count = 0, 4
	s.table.storeProof(10, 0, 2, 1)
	s.table.storeOpen(11, 0, &result{value: value{pn: 6, dn: 8}}, 4, state{}, 0, 1)
	s.table.storeOpen(12, 0, &result{value: value{pn: 6, dn: 8}}, 4, state{}, 0, 1)
	s.table.storeProof(13, 0, 2, 1)
	s.refresh(&s.frames[3])
	got := s.children
	if got[0].pn != 0 || got[0].len != 2 || got[1].pn != 6 || got[1].dn != 8 || got[1].fresh ||
		got[2].pn != 0 || got[3].pn == 0 {
		t.Errorf("after a second look: %+v", got)
	}
}

// TestThreadsJoin: one thread that solves the root is enough, and its answer is everybody's.
func TestThreadsJoin(t *testing.T) {
	open, mate := undecided(), result{value: provedValue(0, 5)}
	for _, c := range []struct {
		why        string
		own        result
		ownReason  solver.Reason
		helper     result
		reason     solver.Reason
		solved     bool
		wantReason solver.Reason
	}{
		{"the first", mate, solver.NoReason, open, solvedElsewhere, true, solver.NoReason},
		{"another", open, solvedElsewhere, mate, solver.NoReason, true, solver.NoReason},
		{"another, when this one has no nodes left", open, solver.ReasonNodes, mate, solver.NoReason, true, solver.NoReason},
		{"nobody: no nodes left", open, solver.ReasonNodes, open, solvedElsewhere, false, solver.ReasonNodes},
		{"nobody: another had none left", open, solvedElsewhere, open, solver.ReasonNodes, false, solver.ReasonNodes},
		{"nobody: another was cancelled", open, solvedElsewhere, open, solver.ReasonCancelled, false, solver.ReasonCancelled},
	} {
		s := newSearcher(Options{TableBytes: 1 << 20, Threads: 2}.withDefaults())
		helper := s.threads.helpers[0]
		s.nodes, s.reason = 10, c.ownReason
		helper.nodes, helper.reason = 7, c.reason
		r := s.joined(c.own, []result{c.helper})
		if r.isSolved() != c.solved || s.reason != c.wantReason || s.nodes != 17 {
			t.Errorf("%s: %+v, reason %q, %d nodes", c.why, r, s.reason, s.nodes)
		}
	}
	// What the first looked at before the helpers began counts for all: 9 times 1024 of 10,000. The
	// helper has one node.
	s := newSearcher(Options{TableBytes: 1 << 20, Threads: 2}.withDefaults())
	s.ctx, s.nodes, s.limit = t.Context(), 10_000, 10_002
	s.threads.root, s.threads.length = shogi.MustParseSFEN("8k/9/8P/9/9/9/9/9/9 b G 1"), forever
	s.startHelpers()
	s.threads.running.Wait()
	s.leaveThreads()
	if n := s.threads.nodes.Load(); n != 9216 {
		t.Errorf("all threads have looked at %d nodes, want 9216", n)
	}
}
