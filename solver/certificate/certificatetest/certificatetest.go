// Package certificatetest has a second reader of certificates, which shares no code with the program
// that checks them and has no thought of memory. It is for tests.
package certificatetest

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
)

// A witness checks a certificate a second time, by package mailbox and with no thought of memory:
// it reads all of it first, and looks for what covers a position in the whole list. What it returns
// is what the certificate says of the position, if it holds.
type witness struct {
	words    []string
	attacker shogi.Color
	numbered []numberedBoard
	measured []numberedLength
	lines    []setLine
}

type numberedBoard struct {
	board mailbox.Board
	plies int
}

type setLine struct {
	position shogi.Position
	plies    int
	replies  []string
}

// A Statement is what a certificate says.
type Statement struct {
	Kind     string
	Position shogi.Position
	Attacker shogi.Color
	Plies    int // of a brinkmate its attacks
	Least    int // of a length
}

// ErrRefused is the error of a certificate that proves nothing.
var ErrRefused = errors.New("refused")

func (w *witness) next() string {
	if len(w.words) == 0 {
		panic(ErrRefused)
	}
	word := w.words[0]
	w.words = w.words[1:]
	return word
}

func must(holds bool) {
	if !holds {
		panic(ErrRefused)
	}
}

func mustInt(text string) int {
	n, err := strconv.Atoi(text)
	must(err == nil && n >= 0)
	return n
}

// Holds returns what a certificate says, if it holds.
func Holds(text string) (s Statement, err error) {
	defer func() {
		if r := recover(); r == ErrRefused {
			err = ErrRefused
		} else if r != nil {
			panic(r)
		}
	}()
	w := witness{words: strings.Fields(text)}
	must(w.next() == "tsumero-cert" && w.next() == "1")
	s.Kind = w.next()
	must(w.next() == "sfen")
	s.Position, err = shogi.ParseSFEN(strings.Join([]string{w.next(), w.next(), w.next(), w.next()}, " "))
	must(err == nil && w.next() == "attacker")
	switch w.next() {
	case "black":
		s.Attacker = shogi.Black
	case "white":
		s.Attacker = shogi.White
	default:
		panic(ErrRefused)
	}
	w.attacker = s.Attacker
	p := s.Position
	must(p.King(s.Attacker.Opponent()) != shogi.NoSquare)
	must(p.SideToMove() == s.Attacker || p.InCheck())
	switch s.Kind {
	case "nomate":
	case "brinkmate":
		must(w.next() == "attacks" && p.SideToMove() == s.Attacker && p.Missing().IsEmpty())
		s.Plies = mustInt(w.next())
	default:
		must(w.next() == "plies")
		s.Plies = mustInt(w.next())
	}
	b := mailbox.From(&p)
	switch s.Kind {
	case "mate":
		must(w.plan(b) == s.Plies && len(w.words) == 0)
		return s, nil
	case "brinkmate":
		must(w.attacks(b) == s.Plies && s.Plies > 0 && len(w.words) == 0)
		return s, nil
	case "length":
		s.Least = w.length(b, s.Plies)
		must(len(w.words) == 0)
		return s, nil
	case "nomate", "within":
		plies := s.Plies
		if s.Kind == "nomate" {
			plies = 1 << 20
		}
		if b.SideToMove() != s.Attacker {
			b = w.play(b, w.next())
			plies--
		}
		w.readLines(p, s.Kind == "within")
		must(w.covered(b, plies))
	default:
		panic(ErrRefused)
	}
	for _, l := range w.lines {
		b := mailbox.From(&l.position)
		for i, m := range w.sorted(b, true) {
			must(w.covered(w.play(w.play(b, m), l.replies[i]), l.plies-2))
		}
	}
	return s, nil
}

// attacks returns how many attacks the plan for b takes.
func (w *witness) attacks(b mailbox.Board) int {
	must(len(w.words) > 0)
	if w.words[0][0] != '~' {
		w.plan(b)
		return 0
	}
	b = w.play(b, w.next()[1:])
	threatens, most := !b.InCheck(b.SideToMove()), 0
	if threatens {
		after := b
		after.Pass()
		w.plan(after)
	}
	for _, d := range w.sorted(b, false) {
		most = max(most, w.attacks(w.play(b, d)))
	}
	must(threatens || most > 0)
	return most + 1
}

// sorted returns the legal moves, or the checks.
func (w *witness) sorted(b mailbox.Board, checks bool) (list []string) {
	for _, m := range b.LegalMoves() {
		if !checks || b.GivesCheck(m) {
			list = append(list, m.String())
		}
	}
	slices.Sort(list)
	return list
}

// play returns b after a legal move.
func (w *witness) play(b mailbox.Board, text string) mailbox.Board {
	m, err := shogi.ParseMove(text)
	must(err == nil && b.IsLegal(m))
	b.Do(m)
	return b
}

// heldBy returns the position with the attacker to move and this in his hand, nothing in the
// defender's that is not in play in all.
func (w *witness) heldBy(board, held string, all *shogi.Position) shogi.Position {
	must(held == "-" || held == strings.ToUpper(held))
	side := "b"
	if w.attacker == shogi.White {
		side = "w"
		held = strings.ToLower(held)
	}
	p, err := shogi.ParseSFEN(board + " " + side + " " + held + " 1")
	must(err == nil && p.King(w.attacker.Opponent()) != shogi.NoSquare)
	have, total := p.Setup(), all.Setup()
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		rest := inPlay(&total, kind) - inPlay(&have, kind)
		must(rest >= 0)
		d := &have.Hands[w.attacker.Opponent()]
		*d = d.Add(kind, rest)
	}
	p, err = have.Position()
	must(err == nil)
	return p
}

func inPlay(s *shogi.Setup, kind shogi.PieceType) int {
	n := s.Hands[0].Count(kind) + s.Hands[1].Count(kind)
	for _, pc := range s.Board {
		if pc != shogi.NoPiece && pc.Type().Base() == kind {
			n++
		}
	}
	return n
}

func (w *witness) plan(b mailbox.Board) int {
	if b.SideToMove() != w.attacker {
		longest := 0
		for _, d := range w.sorted(b, false) {
			longest = max(longest, 1+w.plan(w.play(b, d)))
		}
		return longest
	}
	word := w.next()
	if word[0] == '=' {
		k := mustInt(word[1:])
		must(k > 0 && k <= len(w.numbered))
		n := w.numbered[k-1]
		hand := handOf(&n.board, w.attacker)
		must(b.GiveAway(w.attacker, hand) && b.Position() == n.board.Position())
		return n.plies
	}
	move, keep, numbered := strings.Cut(word, "!")
	if keep != "" {
		board, _, _ := strings.Cut(b.SFEN(), " ")
		all, err := shogi.ParseSFEN(b.SFEN())
		must(err == nil)
		p := w.heldBy(board, keep, &all)
		must(b.GiveAway(w.attacker, p.Hand(w.attacker)))
	}
	must(slices.Contains(w.sorted(b, true), move))
	n := 1 + w.plan(w.play(b, move))
	if numbered {
		w.numbered = append(w.numbered, numberedBoard{b, n})
	}
	return n
}

func handOf(b *mailbox.Board, c shogi.Color) shogi.Hand {
	p, err := shogi.ParseSFEN(b.SFEN())
	must(err == nil)
	return p.Hand(c)
}

func (w *witness) readLines(all shogi.Position, bounded bool) {
	for len(w.words) > 0 {
		l := setLine{position: w.heldBy(w.next(), w.next(), &all), plies: 1 << 20}
		if bounded {
			l.plies = mustInt(w.next())
		}
		must(w.next() == ":")
		b := mailbox.From(&l.position)
		for range w.sorted(b, true) {
			l.replies = append(l.replies, w.next())
		}
		w.lines = append(w.lines, l)
	}
}

func (w *witness) covered(b mailbox.Board, plies int) bool {
	if plies <= 0 {
		return true
	}
	p, err := shogi.ParseSFEN(b.SFEN())
	must(err == nil)
	for _, l := range w.lines {
		if l.plies >= plies && l.position.Setup().Board == p.Setup().Board &&
			l.position.Hand(w.attacker).Covers(p.Hand(w.attacker)) {
			return true
		}
	}
	for _, m := range w.sorted(b, true) {
		if after := w.play(b, m); plies > 2 || after.IsMated() {
			return false
		}
	}
	return true
}
