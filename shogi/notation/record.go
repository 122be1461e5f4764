package notation

import (
	"errors"
	"iter"
	"time"

	"github.com/tsumero/tsumero/shogi"
)

// A Record is a problem or a game: a position and a tree of moves from it.
type Record struct {
	Format  Format  // of the text it was read from
	Charset Charset // likewise
	// Header is what the text says of itself under the keys of KIF (作者, 棋戦, 先手, …), in its
	// order. What the start position consists of is not among it.
	Header []Field
	Start  shogi.Position
	// Root stands for the start position: it has comments and the first moves, but no move.
	Root *Node
	// Plies is how many plies the text says the mate takes, such as 3手詰; 0: it does not say.
	Plies int
	// Notes say what of the text is not in the record.
	Notes  []Note
	Source // where it was found in a list

	shown  int    // moves of the main line that lead to what Position returns; -1: all
	unread *Fault // why the moves end where they do, if some were left out
	ready  bool   // Start is complete: what is wrong after that is in the moves
	// written is the text from the first move on, of KIF and KI2: see Written.
	written string
	// assumed is where the text begins to be about Start though it does not say so: see refuseAssumed.
	assumed *place
	at      place // of its position in a list
}

// A Field is a line of a header.
type Field struct{ Key, Value string }

// A Node is a move, or the end of a line.
type Node struct {
	Move     shogi.Move // NoMove of the root and of an end
	End      Ending     // empty but for an end, which has no Next
	Comments []string   // on the position after the move, a line each
	Bookmark string     // the name of a bookmark at the move, if there is one
	Elapsed  time.Duration
	Timed    bool // Elapsed, the time the move took, is known
	// Next are the moves that follow: first the main line's, then the variations that replace it.
	Next []*Node
}

// An Ending says how a line ends: one of the words of CSA, without %, or what else a text says.
type Ending string

// The words of CSA for the end of a line.
const (
	Resigns       Ending = "TORYO"          // 投了
	Mated         Ending = "TSUMI"          // 詰み
	NoMate        Ending = "FUZUMI"         // 不詰
	Interrupted   Ending = "CHUDAN"         // 中断
	Repeated      Ending = "SENNICHITE"     // 千日手
	Impasse       Ending = "JISHOGI"        // 持将棋
	Declares      Ending = "KACHI"          // 入玉勝ち
	Drawn         Ending = "HIKIWAKE"       // 引き分け
	TimeUp        Ending = "TIME_UP"        // 切れ負け
	IllegalMove   Ending = "ILLEGAL_MOVE"   // 反則負け, of the side to move
	IllegalAction Ending = "ILLEGAL_ACTION" // 反則勝ち, of the side to move; CSA puts the other side's sign before it
	TakenBack     Ending = "MATTA"          // 待った
	Failed        Ending = "ERROR"          // エラー
)

// endingWords are the words of KIF, the one that is written first.
var endingWords = []struct {
	word   string
	ending Ending
}{
	{"投了", Resigns}, {"詰み", Mated}, {"詰", Mated}, {"不詰", NoMate}, {"不詰み", NoMate}, {"中断", Interrupted},
	{"千日手", Repeated}, {"持将棋", Impasse}, {"入玉勝ち", Declares}, {"引き分け", Drawn}, {"切れ負け", TimeUp},
	{"時間切れ", TimeUp}, {"反則負け", IllegalMove}, {"反則勝ち", IllegalAction}, {"待った", TakenBack}, {"エラー", Failed},
}

// endingOf returns the ending a word of KIF means, the word itself if it is not known.
func endingOf(word string) Ending {
	for _, w := range endingWords {
		if w.word == word {
			return w.ending
		}
	}
	return Ending(word)
}

// longestEnding is the length of the longest word of KIF for an end, in bytes.
const longestEnding = len("入玉勝ち")

// isEnding reports whether a word of KIF is known to end a line.
func isEnding(word string) bool {
	return word == "不戦勝" || word == "不戦敗" || endingOf(word) != Ending(word)
}

// word returns the word of KIF.
func (e Ending) word() string {
	for _, w := range endingWords {
		if w.ending == e {
			return w.word
		}
	}
	return string(e)
}

// isCSA reports whether e is a word of CSA.
func (e Ending) isCSA() bool { return e.word() != string(e) }

// csa returns the word that CSA and JKF have for a line that ends with us to move: that of a foul
// says whose it was. It is that of an interruption, and ok false, if they have none.
func (e Ending) csa(us shogi.Color) (word string, ok bool) {
	switch {
	case e == IllegalAction:
		return "-+"[us:us+1] + string(e), true
	case e.isCSA():
		return string(e), true
	}
	return string(Interrupted), false
}

// endingOfCSA returns the ending that a word of CSA or JKF means with us to move.
func endingOfCSA(word string, us shogi.Color) Ending {
	switch word {
	case "-+"[us:us+1] + string(IllegalAction):
		return IllegalAction
	case "+-"[us:us+1] + string(IllegalAction):
		return IllegalMove // of the side to move itself
	}
	return Ending(word)
}

// Moves returns the moves of the main line.
func (r *Record) Moves() []shogi.Move {
	var moves []shogi.Move
	for n := range r.mainLine() {
		if n.Move != shogi.NoMove {
			moves = append(moves, n.Move)
		}
	}
	return moves
}

// mainLine yields the nodes of the main line behind the root.
func (r *Record) mainLine() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for n := r.Root; len(n.Next) > 0; {
			if n = n.Next[0]; !yield(n) {
				return
			}
		}
	}
}

// Ending returns how the main line ends, "" if the record does not say.
func (r *Record) Ending() (end Ending) {
	for n := range r.mainLine() {
		end = n.End
	}
	return end
}

// Shown returns how many moves of the main line lead to the position that the text is about: all
// of an SFEN, as many as an address says, else none.
func (r *Record) Shown() int {
	n := len(r.Moves())
	if r.shown >= 0 {
		n = min(n, r.shown)
	}
	return n
}

// Position returns the position that the text is about.
func (r *Record) Position() shogi.Position {
	p := r.Start
	if len(r.Root.Next) == 0 { // as almost always in a list
		return p
	}
	for _, m := range r.Moves()[:r.Shown()] {
		p.Do(m)
	}
	return p
}

// After returns the position after n moves of the main line, which has to have as many.
func (r *Record) After(n int) (shogi.Position, error) {
	moves := r.Moves()
	if r.unread != nil && n > len(moves) {
		return shogi.Position{}, shogi.NewError("notation",
			unreadMove.With(r.unread.Line, r.unread.Column, r.unread.Msg, n))
	}
	if n < 0 || n > len(moves) {
		return shogi.Position{}, shogi.NewError("notation", noMoveNumber.With(len(moves), n))
	}
	p := r.Start
	for _, m := range moves[:n] {
		p.Do(m)
	}
	return p, nil
}

// cut ends the moves before the first fault, if the position is whole: what is left is a note. It
// reports whether there is a fault that ends them so.
func (r *Record) cut(f *faults) bool {
	if r == nil || !r.ready || len(*f) == 0 {
		return false
	}
	fault := (*f)[0]
	switch fault.Msg.Text {
	case tooLate, secondSide, afterSide: // a part of the position
		return false
	}
	if fault.Code == CodeTooLong {
		return false
	}
	r.unread, *f = &fault, nil
	r.Notes = append(r.Notes, noteOf(&fault))
	return true
}

// Unread returns why the moves end where they do, nil if all moves of the text are in the record.
func (r *Record) Unread() *Fault { return r.unread }

// isCut reports whether moves of the text are not in the record.
func (r *Record) isCut() bool { return r != nil && r.unread != nil }

// Get returns the value of a key of the header, "" if it is not there.
func (r *Record) Get(key string) string {
	for _, f := range r.Header {
		if f.Key == key {
			return f.Value
		}
	}
	return ""
}

// NewRecord returns the record of a position and moves, each legal after those before it.
func NewRecord(start shogi.Position, moves []shogi.Move, end Ending) *Record {
	var made struct { // by one allocation
		Record
		root Node
	}
	r := &made.Record
	r.Start, r.Root = start, &made.root
	n := r.Root
	for _, m := range moves {
		next := &Node{Move: m}
		n.Next = []*Node{next}
		n = next
	}
	if end != "" {
		n.Next = []*Node{{End: end}}
	}
	return r
}

// Append appends the record in a notation, in UTF-8. There is none to write what is Unknown in.
func (r *Record) Append(dst []byte, f Format) []byte {
	if k := f.kind(); k.write != nil {
		return k.write(r, dst)
	}
	panic("notation: Append in " + f.String())
}

// A point is a node and the position at it, while a record is read.
type point struct {
	node     *Node
	position shogi.Position
	to       shogi.Square // the destination of the move, for 同
	clock    [2]time.Duration
}

// startOf returns the point of a record's start.
func startOf(r *Record) point { return point{node: r.Root, position: r.Start, to: shogi.NoSquare} }

// next returns the point of n, which follows p.
func (p *point) next(n *Node) point {
	next := point{n, p.position, shogi.NoSquare, p.clock}
	next.clock[p.position.SideToMove()] += n.Elapsed
	if n.Move != shogi.NoMove {
		next.position.Do(n.Move)
		next.to = n.Move.To()
	}
	return next
}

// A line of moves that is being read: points[i] is after i moves from first.
type branch struct {
	first  int // the number of its first move; points[0] is the position before it
	points []point
}

func (b *branch) last() *point { return &b.points[len(b.points)-1] }

// A grower builds the tree of a record. It bounds its size.
type grower struct {
	faults *faults
	nodes  int
}

// grow puts a node after at and returns its point. The move must be legal.
func (g *grower) grow(where place, at *point, n *Node) (point, bool) {
	if g.nodes++; g.nodes > MaxMoves {
		g.faults.add(where, tooManyMoves, MaxMoves)
		return point{}, false
	}
	if at.node.End != "" {
		g.faults.add(where, afterEnding, at.node.End.word())
		return point{}, false
	}
	if at.position.Ply() >= shogi.MaxPly {
		g.faults.add(where, plyTooLarge, shogi.MaxPly)
		return point{}, false
	}
	at.node.Next = append(at.node.Next, n)
	return at.next(n), true
}

// legal returns m, or m with the promotion that is forced, or a fault that says why neither is
// legal.
func (g *grower) legal(where place, at *point, m shogi.Move) (shogi.Move, bool) {
	p := &at.position
	if p.IsLegal(m) {
		return m, true
	}
	if !m.IsDrop() && !m.IsPromotion() {
		if promoted := shogi.NewPromotion(m.From(), m.To()); p.IsLegal(promoted) {
			return promoted, true
		}
	}
	if illegal, ok := errors.AsType[*shogi.IllegalError](p.Illegal(m)); ok {
		g.faults.addMessage(illegal.Square, where, CodeIllegalMove, illegal.Message())
	}
	return shogi.NoMove, false
}
