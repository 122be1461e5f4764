package certificate

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/certificate/certificatetest"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
)

// TestFindLength: the certificates of known lengths hold and say just these. The lengths are those
// of ../analysis/testdata/problems.tsv, where a plain search or the publisher has them too.
func TestFindLength(t *testing.T) {
	session := dfpn.NewSmallSession(4 << 20)
	for _, c := range []struct {
		sfen  string
		plies int
		with  string // a word that is in the certificate
	}{
		{"4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1", 1, "G*5b"},
		{"9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G2r2b4s4n4l17p 1", 3, "G*5c"},
		{"7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1", 3, "^"},
		{"6Snl/5+Rg1k/6ppp/9/9/9/9/9/9 b r2b3g3s3n3l15p 1", 1, "x"},
		{"6Snl/5+Rg1k/6pgs/9/9/9/9/9/1B6L b rb2g2s3n2l17p 1", 1, "x"},
		{"k8/pp+P6/9/9/9/9/9/9/4R4 b r2b4g4s4n4l15p 1", 1, "x"},
		{"8k/9/7+R1/9/9/9/9/9/9 b Brb4g4s4n4l18p 1", 1, "x"},
		{"5pk2/7P1/4+R1+P1+b/8b/6R2/9/9/9/9 b 4g4s4n4l15p 1", 3, "x"},
		{"9/5g1s1/8k/6+R2/9/6R1S/5B3/9/9 b b3g2s4n4l18p 1", 3, "x"},
		{"9/9/6P2/9/4B4/9/6R2/7k+p/9 b Grb3g4s4n4l16p 1", 3, "x"},
		{"9/6Spk/9/5R1+B1/9/9/9/9/9 b Nrb4g3s3n4l17p 1", 5, "="},
		{"7Gs/6G1k/9/9/9/9/9/4+B4/9 b GS2rbg2s4n4l18p 1", 5, "x"},
	} {
		p := shogi.MustParseSFEN(c.sfen)
		for _, q := range []shogi.Position{p, p.Rotated()} {
			session.Reset()
			var text bytes.Buffer
			if err := FindLength(t.Context(), &text, q, q.SideToMove(), session, Limits{}); err != nil {
				t.Errorf("%s: %v", q.SFEN(), err)
				continue
			}
			s, err := certificatetest.Holds(text.String())
			if err != nil || s.Kind != "length" || s.Plies != c.plies || s.Least != c.plies ||
				!s.Position.SamePosition(&q) || s.Attacker != q.SideToMove() {
				t.Errorf("%s: %v, %s of %d to %d plies, want %d", q.SFEN(), err, s.Kind, s.Least, s.Plies,
					c.plies)
			}
			if !strings.Contains(text.String(), c.with) && q.SideToMove() == shogi.Black {
				t.Errorf("%s: without %q", q.SFEN(), c.with)
			}
		}
	}
}

// TestFind has the conditions of a reference, one after the other. Black attacks.
func TestFind(t *testing.T) {
	at := func(hands string) *shogi.Position {
		p := shogi.MustParseSFEN("4k4/9/9/9/9/9/9/9/9 b " + hands + " 1")
		return &p
	}
	const own, plies = "2P2p", 5
	for _, c := range []struct {
		name         string
		hands        string
		plies        int
		mates, holds [2]bool // the plan is simple, is not
	}{
		{"the same", own, 5, [2]bool{true, true}, [2]bool{true, true}},
		{"more plies", own, 7, [2]bool{true, true}, [2]bool{}},
		{"fewer plies", own, 3, [2]bool{}, [2]bool{true, true}},
		{"more for Black", "3P2p", 5, [2]bool{true, false}, [2]bool{}},
		{"another kind for Black", "2PG2p", 5, [2]bool{true, false}, [2]bool{}},
		{"less for White", "2Pp", 5, [2]bool{true, false}, [2]bool{}},
		{"less for Black", "P2p", 5, [2]bool{}, [2]bool{true, false}},
		{"more for White", "2P3p", 5, [2]bool{}, [2]bool{true, false}},
		{"more for both", "3P3p", 5, [2]bool{}, [2]bool{}},
		{"less for both", "Pp", 5, [2]bool{}, [2]bool{}},
		{"more for Black, and fewer plies", "3P2p", 3, [2]bool{}, [2]bool{}},
		{"less for Black, and more plies", "P2p", 7, [2]bool{}, [2]bool{}},
	} {
		for i, simple := range []bool{true, false} {
			for _, mates := range []bool{true, false} {
				l := lengthWriter{attacker: shogi.Black, room: 1, boards: map[board][]int{}}
				l.number(at(own), mates, plies, simple)
				want := c.holds[i]
				if mates {
					want = c.mates[i]
				}
				if got := l.find(at(c.hands), mates, c.plies, false) == 1; got != want {
					t.Errorf("%s, simple %v, mates %v: %v, want %v", c.name, simple, mates, got, want)
				}
				if got := l.find(at(c.hands), mates, c.plies, true) == 1; got != (want && simple) {
					t.Errorf("%s, simple %v, mates %v: %v where a simple one is asked for", c.name, simple,
						mates, got)
				}
				if l.find(at(c.hands), !mates, c.plies, false) != 0 {
					t.Errorf("%s: the plan of the other side", c.name)
				}
			}
		}
	}
	l := lengthWriter{attacker: shogi.Black, room: 1, boards: map[board][]int{}}
	l.number(at(own), true, plies, true)
	other := shogi.MustParseSFEN("3k5/9/9/9/9/9/9/9/9 b " + own + " 1")
	if l.find(&other, true, plies, false) != 0 {
		t.Error("another board")
	}
}

// fixed are Lengths by which every position has one length.
type fixed int

func (n fixed) Within(shogi.Position, int) (int, bool) { return int(n), true }

func (n fixed) IsWithin(_ shogi.Position, plies int) (bool, bool) { return int(n) <= plies, true }

func (fixed) Replies(shogi.Position, int) ([]length.Reply, bool) { return nil, false }

// TestLasts: a drop lasts for so many plies if, taken and set aside, it lasts for as many; other
// replies are not taken.
func TestLasts(t *testing.T) {
	p := shogi.MustParseSFEN("7lk/9/7G1/8L/9/9/9/9/9 w 2p 1")
	line := lineOf(&p)
	drop := shogi.NewDrop(shogi.Pawn, line.squares.First())
	beside := shogi.NewMove(line.king, line.king)
	if _, positions := line.captures(p, drop); len(positions) == 0 {
		t.Fatal("the lance cannot take")
	}
	for _, c := range []struct {
		n, plies int
		want     bool
	}{{0, 2, false}, {2, 2, true}, {2, 4, false}, {4, 4, true}, {6, 4, true}} {
		l := lengthWriter{lengths: Lengths{F2: fixed(c.n)}}
		if got := l.lasts(p, &line, drop, c.plies); got != c.want {
			t.Errorf("%d plies of %d: %v, want %v", c.plies, c.n, got, c.want)
		}
		if !l.lasts(p, &line, beside, c.plies) {
			t.Errorf("a reply beside the line is taken")
		}
	}
}

// TestCaptures: the captures are those by the piece that checks, and check again. A lance that
// promotes becomes a gold, which reaches no farther than one square.
func TestCaptures(t *testing.T) {
	for _, c := range []struct{ sfen, drop, want string }{
		{"8k/9/9/8L/9/9/9/9/9 w p 1", "P*1b", "1d1b 1d1b+"},
		{"8k/9/9/8L/9/9/9/9/9 w p 1", "P*1c", "1d1c"},
		{"8k/9/9/8R/9/9/9/9/9 w p 1", "P*1c", "1d1c 1d1c+"},
		{"8k/9/9/9/9/8R/9/9/9 w p 1", "P*1d", "1f1d"},
		{"8k/9/9/8L/8G/9/9/9/9 w p 1", "P*1c", "1d1c"},
	} {
		p := shogi.MustParseSFEN(c.sfen)
		drop, err := shogi.ParseMove(c.drop)
		if err != nil {
			t.Fatal(err)
		}
		line := lineOf(&p)
		moves, positions := line.captures(p, drop)
		var got []string
		for i, m := range moves {
			got = append(got, m.String())
			q := &positions[i]
			if !q.InCheck() || !q.Hand(shogi.Black).IsEmpty() || !q.Hand(shogi.White).IsEmpty() {
				t.Errorf("%s %s: %s", c.sfen, m, q.SFEN())
			}
		}
		if !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%s %s: %v, want %s", c.sfen, c.drop, got, c.want)
		}
	}
}

// TestPlanIsSimple: a plan with a futile drop in it is one for its own hands alone.
func TestPlanIsSimple(t *testing.T) {
	for sfen, want := range map[string]bool{
		"7lk/9/7G1/8L/9/9/9/9/9 w 2p 1": false, // P*1b and P*1c are futile
		"7lk/9/7G1/8L/9/9/9/9/9 w - 1":  true,
	} {
		p := shogi.MustParseSFEN(sfen)
		session := dfpn.NewSmallSession(1 << 20)
		by := func(policy length.Policy) length.Lengths {
			e := length.NewEngine(session)
			e.Begin(shogi.Black, policy)
			return e.Budget(context.Background(), 100_000)
		}
		l := lengthWriter{ctx: context.Background(), attacker: shogi.Black, out: &words{w: io.Discard},
			lengths: Lengths{by(length.F2), by(length.F0)}, room: 100, boards: map[board][]int{}}
		if plies, simple := l.defences(p, 0, l.lengths.F2); plies != 0 || simple != want || l.err != nil {
			t.Errorf("%s: %d plies, simple %v, %v", sfen, plies, simple, l.err)
		}
	}
}
