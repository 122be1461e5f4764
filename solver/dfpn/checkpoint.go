package dfpn

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/bits"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/checkpoint"
)

// A checkpoint is the table: its entries, all their fields. The recursion, the path, and what holds
// on one path only are left out. A search that asks again in the same table is soon where it was.
//
// Entries of one node (leastAmount) are left out too: they cost as much to load as to find again.

// checkpointFormat is raised when what is stored comes to mean something else that the identity
// does not show, and when a bug is found that may have let a false claim into a table.
const checkpointFormat = 1

const (
	leastAmount = 2
	// leastLimit: a search with fewer nodes takes about a second and keeps no checkpoints.
	leastLimit = 1 << 20
	// sweepSlots every sweepEvery: a millisecond of work in ten, until the table is written.
	sweepSlots = 1 << 14
	sweepEvery = 10 * time.Millisecond
)

// keeping is how a search keeps checkpoints.
type keeping struct {
	run     checkpoint.Run
	rotated bool
	loaded  bool

	// The checkpoint that is being made.
	writer  checkpoint.Writer // nil: there is none
	next    int               // index of the slot to look at next
	homes   uint64            // of the table when next was set
	moves   int               // of the table
	entries uint64            // written
	again   time.Time         // when to go on
	block   []byte
}

// identity returns what a checkpoint must have in common with the search, whose root is on the
// board: all that says what an entry means, and what is asked. The material is part of the SFEN.
func (s *searcher) identity(lim *solver.Limits) checkpoint.Identity {
	switches := s.options
	switches.TableBytes, switches.Searches, switches.Threads = 0, 0, 0
	return checkpoint.Identity{
		"format":         strconv.Itoa(checkpointFormat),
		"encoding":       encoding(),
		"root":           s.p.ProblemSFEN(),
		"options":        fmt.Sprintf("%+v", switches),
		"plies":          strconv.Itoa(lim.Plies),
		"nodes":          strconv.FormatUint(lim.Nodes, 10),
		"shortest":       strconv.FormatBool(lim.Shortest),
		"any_line":       strconv.FormatBool(lim.AnyLine),
		"no_mate_within": strconv.Itoa(lim.NoMateWithin),
	}
}

// encoding returns a fingerprint of the numbers that entries are made of.
func encoding() string {
	text := shogi.AppendEncoding(nil)
	text = fmt.Append(text, unit, infinity, forever, endless, unproved, numbersMask, uint64(mayRepeat), deepest)
	h := fnv.New128a()
	_, _ = h.Write(text)
	return hex.EncodeToString(h.Sum(nil))
}

// beginKeeping loads a checkpoint if there is one, and reports whether there was.
func (s *searcher) beginKeeping(lim solver.Limits, rotated bool) (loaded bool) {
	if s.keeper == nil {
		return false
	}
	if lim.Nodes > 0 && lim.Nodes < leastLimit {
		s.keeper = nil
		return false
	}
	run := s.keeper.Start(s.identity(&lim))
	if run == nil {
		s.keeper = nil
		return false
	}
	s.keeping = &keeping{run: run, rotated: rotated}
	s.keeping.loaded = run.Load(s.load)
	return s.keeping.loaded
}

// endKeeping saves what was requested, if the search was stopped.
func (s *searcher) endKeeping() {
	k := s.keeping
	if k == nil {
		return
	}
	if k.run.Requested() && (s.reason == solver.ReasonCancelled || s.reason == solver.ReasonTime) {
		s.saveNow()
	}
	k.run.End()
	if k.loaded && s.reason == solver.ReasonUnverified {
		k.run.Distrust(errors.New("a search that went on from them contradicts itself"))
	}
	s.keeper, s.keeping = nil, nil
}

// keepSoon has the next checkpoint be made soon, after a mate was found: whoever goes on with the
// search knows it then.
func (s *searcher) keepSoon() {
	if s.keeping != nil && s.reason == solver.NoReason {
		s.keeping.run.Hurry()
	}
}

// keep begins a checkpoint if one is due, and goes on with the one that is being made, but not while
// the table grows. It is called about every millisecond.
func (s *searcher) keep() {
	k := s.keeping
	now := time.Now()
	switch {
	case k.run.Requested():
		s.saveNow()
	case s.table.isGrowing():
	case k.writer == nil && k.run.Due(now, s.allNodes()):
		s.beginSweep()
	case k.writer != nil && !now.Before(k.again) && k.writer.Ready():
		s.sweep()
		k.again = time.Now().Add(sweepEvery)
	}
}

// saveNow makes a checkpoint, or the rest of it, at once.
func (s *searcher) saveNow() {
	s.alone((*table).finishMoving)
	if s.keeping.writer == nil {
		s.beginSweep()
	}
	for s.keeping.writer != nil {
		s.sweep()
	}
}

func (s *searcher) beginSweep() {
	k := s.keeping
	k.writer, k.next, k.entries = k.run.Begin(), 0, 0
	k.homes, k.moves = s.table.homes, s.table.moves
}

// sweep writes the entries of the next slots, and the rest of the checkpoint after the last.
//
// The search goes on between two sweeps, and other threads during one. That does no harm, as each
// entry stands for itself.
func (s *searcher) sweep() {
	k, t := s.keeping, s.table
	if t.moves != k.moves {
		k.next = sweepFrom(k.next, k.homes, t.homes)
		k.homes, k.moves = t.homes, t.moves
	}
	end := min(k.next+sweepSlots, int(t.homes)+window)
	k.block = k.block[:0]
	var key uint64
	var e entry
	for i := k.next; i < end; i++ {
		if t.entryAt(i, &e) && e.amount >= leastAmount {
			k.block = e.appendTo(k.block, key)
			key = e.key
			k.entries++
		}
	}
	if len(k.block) > 0 {
		k.writer.Write(k.block)
	}
	if k.next = end; end == int(t.homes)+window {
		s.commit()
	}
}

// sweepFrom returns at which slot to go on with a table that had so many homes when next was the
// first slot not looked at, and whose entries have been moved since. Homes keep their order
// (table.home), and no entry lies before its home, so none is left out that was not looked at.
func sweepFrom(next int, before, now uint64) int {
	hi, lo := bits.Mul64(uint64(max(next-window+1, 0)), now)
	from, _ := bits.Div64(hi, lo, before)
	return int(from)
}

func (s *searcher) commit() {
	k := s.keeping
	state := checkpoint.State{Nodes: s.allNodes(), Entries: k.entries, Homes: k.homes}
	var line []shogi.Move // as it was asked
	for _, m := range s.progress.best {
		state.Line = append(state.Line, m.String())
		if k.rotated {
			m = m.Rotated()
		}
		line = append(line, m)
	}
	k.writer.Commit(state, line)
	k.writer = nil
}

// load takes in a checkpoint.
func (s *searcher) load(r checkpoint.Reader) (err error) {
	defer func() {
		if err != nil {
			s.table.clear()
			s.progress.best = nil
		}
	}()
	p, state := s.p, r.State()
	for _, text := range state.Line {
		m, err := shogi.ParseMove(text)
		if err != nil || !p.IsLegal(m) {
			return fmt.Errorf("dfpn: the line of the mate has the move %q", text)
		}
		p.Do(m)
		s.progress.best = append(s.progress.best, m)
	}
	s.table.reserve(state.Homes)
	s.table.partial = true
	all := material(&s.p)
	var entries uint64
	for {
		block, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if s.stopped() {
			return checkpoint.ErrStopped
		}
		n, err := s.table.restore(block, all)
		if err != nil {
			return err
		}
		entries += n
	}
	if entries != state.Entries {
		return fmt.Errorf("dfpn: %d entries instead of %d", entries, state.Entries)
	}
	s.nodes = state.Nodes
	return nil
}

// material returns all pieces but the kings, whoever has them: no hand is greater.
func material(p *shogi.Position) shogi.Hand {
	all := total(p)
	for sq := range p.Occupied().All() {
		if k := p.Piece(sq).Type(); k != shogi.King {
			all = all.Add(k.Base(), 1)
		}
	}
	return all
}

// An entry is what a checkpoint has of an entry of the table.
type entry struct {
	key      uint64
	claim    claim
	numbers  uint64
	amount   uint32
	minDepth uint16
	origin   origin
}

// The parts of an entry in a checkpoint that need not be there.
const (
	packedOtherBoard = 1 << iota // than the entry before
	packedMate
	packedNoMate
	packedNumbers
	packedMayRepeat
	packedParent
	packedMask
)

// entryAt puts the entry at index i into e, and reports whether there is one. Another thread may be
// writing it. Its claim is read between two looks at its check, so it belongs to this key, unless
// the slot had another entry in between and then this one again.
func (t *table) entryAt(i int, e *entry) bool {
	s, o := &t.slots[i], &t.origins[i]
	check := atomic.LoadUint64(&s.check)
	if check == 0 || check == busy {
		return false
	}
	c, rest := atomic.LoadUint64(&s.claim), atomic.LoadUint64(&s.rest)
	*e = entry{key: check ^ c, claim: claim(c), numbers: atomic.LoadUint64(&s.numbers), amount: amountOf(rest),
		minDepth: minDepthOf(rest)}
	code := codeOf(rest)
	if code&^maskCode != 0 {
		e.origin.parentKey, e.origin.parentHand = atomic.LoadUint64(&o.parentKey), atomic.LoadUint32(&o.parentHand)
	}
	if code&maskCode != 0 {
		e.origin.mask = atomic.LoadUint32(&o.mask)
	}
	return atomic.LoadUint64(&s.check) == check
}

// appendTo appends the entry to a block, behind one of the board before.
func (e *entry) appendTo(dst []byte, before uint64) []byte {
	flags := byte(0)
	set := func(flag byte, on bool) {
		if on {
			flags |= flag
		}
	}
	set(packedOtherBoard, e.key != before)
	set(packedMate, e.claim.mateIn() != unproved)
	set(packedNoMate, e.claim.noMate() != 0)
	set(packedNumbers, e.numbers != 0)
	set(packedMayRepeat, e.numbers&mayRepeat != 0)
	set(packedParent, e.origin.parentKey != 0)
	set(packedMask, e.origin.mask != 0)
	dst = append(dst, flags)
	if flags&packedOtherBoard != 0 {
		dst = binary.LittleEndian.AppendUint64(dst, e.key)
	}
	dst = binary.AppendUvarint(dst, uint64(e.claim.hand()))
	if flags&packedMate != 0 {
		dst = binary.AppendUvarint(dst, uint64(e.claim.mateIn()))
	}
	if flags&packedNoMate != 0 {
		dst = binary.AppendUvarint(dst, uint64(e.claim.noMate()+1)) // of endless: 0
	}
	if flags&packedNumbers != 0 {
		dst = binary.AppendUvarint(dst, e.numbers&numbersMask)
		dst = binary.AppendUvarint(dst, e.numbers>>dnShift&numbersMask)
	}
	dst = binary.AppendUvarint(dst, uint64(e.amount))
	dst = binary.AppendUvarint(dst, uint64(e.minDepth))
	if flags&packedParent != 0 {
		dst = binary.LittleEndian.AppendUint64(dst, e.origin.parentKey)
		dst = binary.AppendUvarint(dst, uint64(e.origin.parentHand))
	}
	if flags&packedMask != 0 {
		dst = binary.AppendUvarint(dst, uint64(e.origin.mask))
	}
	return dst
}

// errPacked is the error of a block that no search has written.
var errPacked = errors.New("dfpn: an entry that cannot be")

// read takes the first entry off a block, behind one of the board before. It lets nothing in that
// no search stores: an open entry with a number of a solved one would be taken for one.
func (e *entry) read(block []byte, before uint64, all shogi.Hand) (rest []byte, err error) {
	ok := true
	number := func(least, most uint64) uint64 {
		x, n := binary.Uvarint(block)
		if n <= 0 || x < least || x > most {
			ok = false
			return least
		}
		block = block[n:]
		return x
	}
	word := func() uint64 {
		if len(block) < 8 {
			ok = false
			return 0
		}
		x := binary.LittleEndian.Uint64(block)
		block = block[8:]
		return x
	}
	flags := block[0]
	block = block[1:]
	*e = entry{key: before}
	if flags&packedOtherBoard != 0 {
		e.key = word()
	}
	hand := shogi.Hand(number(0, 1<<28-1))
	ok = ok && hand.IsValid() && all.Covers(hand)
	mateIn, noMate := uint16(unproved), uint16(0)
	if flags&packedMate != 0 {
		mateIn = uint16(number(0, uint64(forever)))
	}
	if flags&packedNoMate != 0 {
		noMate = uint16(number(0, uint64(forever)+1)) - 1
	}
	e.claim = noClaim(hand).and(mateIn, noMate)
	if flags&packedNumbers != 0 {
		e.numbers = number(1, uint64(infinity-1)) | number(1, uint64(infinity-1))<<dnShift
	}
	if flags&packedMayRepeat != 0 {
		e.numbers |= mayRepeat
	}
	e.amount = uint32(number(leastAmount, 1<<32-1))
	e.minDepth = uint16(number(0, deepest))
	if flags&packedParent != 0 {
		e.origin.parentKey, e.origin.parentHand = word(), uint32(number(0, 1<<28-1))
	}
	if flags&packedMask != 0 {
		e.origin.mask = uint32(number(1, 1<<32-1))
	}
	switch {
	case !ok,
		e.claim.mateIn() != unproved && e.claim.noMate() > e.claim.mateIn(),
		e.key^uint64(e.claim) == 0, e.key^uint64(e.claim) == busy:
		return nil, errPacked
	}
	return block, nil
}

// reserve gives the empty table at least so many homes, if it has the memory. Entries come in the
// order of their homes: poured into a table that grows they would overflow its windows.
func (t *table) reserve(homes uint64) {
	t.populated.wait()
	for t.homes < homes && t.larger() > t.homes {
		t.homes = t.larger()
	}
	t.takeFor(t.homes)
	t.planRoom()
}

// restore puts the entries of a block into the table, and returns how many there were. all is the
// material of the problem.
func (t *table) restore(block []byte, all shogi.Hand) (n uint64, err error) {
	var key uint64
	for len(block) > 0 {
		var e entry
		if block, err = e.read(block, key, all); err != nil {
			return n, err
		}
		if err := t.put(&e); err != nil {
			return n, err
		}
		if t.isFull() { // it has less memory than the one before
			t.makeRoom()
			t.finishMoving()
		}
		key = e.key
		n++
	}
	return n, nil
}

// put adds e to a table that nobody else uses. What is known about this very hand is joined: an
// entry that was moved while the checkpoint was made may be there twice.
func (t *table) put(e *entry) error {
	home := t.home(e.key)
	for i := home; i < home+window; i++ {
		s := &t.slots[i]
		c := claim(s.claim)
		switch {
		case s.check == 0:
			code := parentCode(state{e.origin.parentKey, shogi.Hand(e.origin.parentHand)})
			if e.origin.mask != 0 {
				code |= maskCode
			}
			*s = slot{check: e.key ^ uint64(e.claim), claim: uint64(e.claim), numbers: e.numbers,
				rest: uint64(e.amount) | uint64(deepest-e.minDepth)<<depthShift | uint64(code)<<codeShift}
			t.origins[i] = e.origin
			t.used.Add(1)
			return nil
		case s.check^s.claim == e.key && c.hand() == e.claim.hand():
			c = c.and(e.claim.mateIn(), e.claim.noMate())
			if c.mateIn() != unproved && c.noMate() > c.mateIn() {
				return errPacked
			}
			s.claim, s.check = uint64(c), e.key^uint64(c)
			return nil
		}
	}
	return nil // no room: forgotten
}
