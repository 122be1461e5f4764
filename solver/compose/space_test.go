package compose

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
)

// anyProblem has no conditions.
func anyProblem(threads int) Search {
	return Search{Conditions: Conditions{Least: 3, Most: 99, MaxHand: -1, MaxCaptures: -1}, Threads: threads,
		NewSession: func() solver.Session { return dfpn.NewSession() }}
}

// collect returns the diagrams of the problems of a search, in order.
func collect(t *testing.T, problems iter.Seq[Problem], err error) (list []string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for q := range problems {
		list = append(list, q.Position.ProblemSFEN())
	}
	return list
}

// soundOnes returns the diagrams among some that the whole analysis calls sound: the slow twin of a
// search, without its filters and without what one figure says of another.
func soundOnes(t *testing.T, o Search, figures iter.Seq[shogi.Position]) (list []string) {
	t.Helper()
	e := newExaminer(o.NewSession(), &o.Conditions, thorough)
	for p := range figures {
		e.session.Reset()
		switch _, outcome := e.finish(context.Background(), p); outcome {
		case Sound:
			list = append(list, p.ProblemSFEN())
		case Open:
			t.Errorf("%s is not decided, and no figure for this test", p.ProblemSFEN())
		}
	}
	return list
}

// TestHandsOfBoard: the hands that are found are those that the analysis of every single one calls sound.
func TestHandsOfBoard(t *testing.T) {
	for _, c := range []struct {
		sfen   string
		pieces int
		strict bool
		least  int
		sound  int
	}{
		{"7nl/7k1/9/7P1/9/9/9/9/9 b - 1", 2, false, 3, 1},
		{"7nl/7k1/9/7P1/9/9/9/9/9 b - 1", 2, true, 3, 1},
		{"8k/9/7+P1/9/9/9/9/9/9 b - 1", 2, false, 3, 3},
	} {
		o := HandsOptions{Search: anyProblem(1), Position: shogi.MustParseSFEN(c.sfen), Pieces: c.pieces}
		o.Strict, o.Least = c.strict, c.least
		problems, err := Hands(t.Context(), o)
		got := collect(t, problems, err)
		want := soundOnes(t, o.Search, func(yield func(shogi.Position) bool) {
			p, hands, _ := o.hands()
			for _, h := range hands {
				if !yield(withHand(p, h)) {
					return
				}
			}
		})
		if !slices.Equal(got, want) || len(got) != c.sound {
			t.Errorf("%s, strict %v: found %q, the analysis %q", c.sfen, c.strict, got, want)
		}
	}
}

// TestPlace is TestHands for pieces that are moved or added.
func TestPlace(t *testing.T) {
	diagram := shogi.MustParseSFEN("7nl/7k1/9/7P1/9/9/9/9/9 b GS 1")
	near := shogi.BitboardOf(0, 1, 2, 18, 19, 20, 27, 28)
	for _, c := range []struct {
		name  string
		o     PlaceOptions
		count int
	}{
		{"a piece moved", PlaceOptions{Moved: []shogi.Square{shogi.Square(0)}}, 69},
		{"two moved", PlaceOptions{Moved: []shogi.Square{0, 9}, Squares: shogi.BitboardOf(0, 9, 18, 27)}, 16},
		{"one added", PlaceOptions{Pieces: []shogi.Piece{shogi.PieceOf(shogi.White, shogi.Silver)}, Added: 1, Squares: near.Without(0)}, 7},
		{"two added", PlaceOptions{Pieces: []shogi.Piece{shogi.PieceOf(shogi.White, shogi.Pawn), shogi.PieceOf(shogi.Black, shogi.Pawn)}, Added: 2,
			Squares: shogi.BitboardOf(18, 19, 20, 27, 28)}, 28},
	} {
		c.o.Search, c.o.Position = anyProblem(2), diagram
		n, err := c.o.Count()
		if n != c.count || err != nil {
			t.Errorf("%s: %d figures, want %d: %v", c.name, n, c.count, err)
			continue
		}
		problems, err := Place(t.Context(), c.o)
		got := collect(t, problems, err)
		want := soundOnes(t, c.o.Search, func(yield func(shogi.Position) bool) {
			y, _ := c.o.placing()
			for i := range n {
				if p, ok := y.figure(y.at(i)); ok && !yield(p) {
					return
				}
			}
		})
		if !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("%s: found %q, the analysis %q", c.name, got, want)
		}
	}
}

// Each pair of places is a figure once.
func TestPlacingPairs(t *testing.T) {
	list := make([]placed, 70)
	for i := range list {
		list[i].square = shogi.Square(i)
	}
	y := placing{places: [][]placed{list, list}, alike: true}
	seen := map[[2]shogi.Square]bool{}
	for i := range int(y.count()) {
		pair := y.at(i)
		if pair[0].square >= pair[1].square || pair[1].square >= 70 {
			t.Fatalf("figure %d is %v", i, pair)
		}
		seen[[2]shogi.Square{pair[0].square, pair[1].square}] = true
	}
	if len(seen) != 70*69/2 {
		t.Errorf("%d pairs", len(seen))
	}
	// Two golds that are moved have four squares: 4·3/2 pairs.
	o := PlaceOptions{Position: shogi.MustParseSFEN("GG2k4/9/9/9/9/9/9/9/9 b - 1"), Moved: []shogi.Square{63, 72},
		Squares: shogi.BitboardOf(63, 72, 18, 27)}
	if n, err := o.Count(); n != 6 || err != nil {
		t.Errorf("%d pairs of golds: %v", n, err)
	}
}

// TestSearchGoesOn: a search that is stopped has the first of what the whole one finds, and the next
// one begins where it was, whatever the number of threads.
func TestSearchGoesOn(t *testing.T) {
	o := PlaceOptions{Search: anyProblem(1), Position: shogi.MustParseSFEN("7nl/7k1/9/7P1/9/9/9/9/9 b GS 1"),
		Pieces: []shogi.Piece{shogi.PieceOf(shogi.White, shogi.Bishop), shogi.PieceOf(shogi.White, shogi.Pawn)}, Added: 1}
	problems, err := Place(t.Context(), o)
	whole := collect(t, problems, err)
	if len(whole) < 2 {
		t.Fatalf("only %q", whole)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := 0
	o.Threads, o.Progress = 2, func(p Progress) {
		done = p.Parts
		cancel()
	}
	problems, err = Place(ctx, o)
	first := collect(t, problems, err)
	if done == 0 {
		t.Fatal("no part was done")
	}
	o.From, o.Progress = done, nil
	problems, err = Place(t.Context(), o)
	for _, sfen := range collect(t, problems, err) {
		if !slices.Contains(first, sfen) {
			first = append(first, sfen)
		}
	}
	if !slices.Equal(first, whole) {
		t.Errorf("in two runs %q, in one %q", first, whole)
	}
}

// What cannot be searched is said at once.
func TestSearchRefusals(t *testing.T) {
	at := func(sfen string) shogi.Position { return shogi.MustParseSFEN(sfen) }
	hands := func(sfen string) error {
		_, err := (&HandsOptions{Position: at(sfen), Pieces: 3}).Count()
		return err
	}
	place := func(o PlaceOptions, sfen string) error {
		o.Position = at(sfen)
		_, err := o.Count()
		return err
	}
	var all []shogi.Piece
	for k := shogi.Pawn; k <= shogi.Gold; k++ {
		all = append(all, shogi.PieceOf(shogi.Black, k), shogi.PieceOf(shogi.White, k))
		if k.CanPromote() {
			all = append(all, shogi.PieceOf(shogi.Black, k.Promoted()), shogi.PieceOf(shogi.White, k.Promoted()))
		}
	}
	rook, king := shogi.PieceOf(shogi.Black, shogi.Rook), shogi.PieceOf(shogi.White, shogi.King)
	for _, c := range []struct {
		name, want string
		err        error
	}{
		{"no king", "no king of White's", hands("9/9/9/9/9/9/9/9/9 b - 1")},
		{"White to move", "White is to move", hands("4k4/9/9/9/9/9/9/9/9 w - 1")},
		{"both ways", "either pieces of the diagram are moved or", place(PlaceOptions{}, "4k4/9/9/9/9/9/9/9/9 b - 1")},
		{"nothing there", "no piece stands on 1a", place(PlaceOptions{Moved: []shogi.Square{0}}, "4k4/9/9/9/9/9/9/9/9 b - 1")},
		{"twice", "named twice", place(PlaceOptions{Moved: []shogi.Square{36, 36}}, "4k4/9/9/9/9/9/9/9/9 b - 1")},
		{"three", "one piece or two", place(PlaceOptions{Pieces: all, Added: 3}, "4k4/9/9/9/9/9/9/9/9 b - 1")},
		{"taken", "5a is not free", place(PlaceOptions{Pieces: all, Added: 1, Squares: shogi.BitboardOf(36)}, "4k4/9/9/9/9/9/9/9/9 b - 1")},
		{"a third rook", "no R is left to add", place(PlaceOptions{Pieces: []shogi.Piece{rook}, Added: 1}, "3k5/9/4R4/9/9/9/9/9/9 b R 1")},
		{"a second king", "a king of that side stands on 5a already", place(PlaceOptions{Pieces: []shogi.Piece{king}, Added: 1}, "4k4/9/9/9/9/9/9/9/9 b - 1")},
		{"a great space", "figures to look at, but at most 10^7 can be", fits(1e9, "ask for less")},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, c.err, c.want)
		}
	}
	var space *SpaceError
	if !errors.As(fits(2.44e9, ""), &space) || !strings.Contains(space.Error(), "2.4·10^9 figures") {
		t.Errorf("%v", space)
	}
}

// A freshSession counts how often it was made like a new one.
type freshSession struct {
	solver.Session
	resets int
}

func (s *freshSession) Reset() { s.resets++; s.Session.Reset() }

// TestSearchParts: each part begins with an examiner that is as new, a part that was stopped is not told of,
// and what it had found comes last.
func TestSearchParts(t *testing.T) {
	session := &freshSession{Session: dfpn.NewSession()}
	s := anyProblem(1)
	s.NewSession = func() solver.Session { return session }
	told, key := 0, ""
	s.Progress = func(p Progress) { told = p.Parts }
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for q := range s.run(ctx, space{effort: hasty, search: func(ctx context.Context, e *examiner, part int, f *found) {
		if session.resets != part+1 || e.line != nil {
			t.Errorf("part %d begins after %d resets, with the line %v", part, session.resets, e.line)
		}
		e.line = []shogi.Move{}
		f.add(Problem{Key: string(rune('a' + part))}, Sound)
		if part == 2 {
			cancel()
		}
	}}) {
		key += q.Key
	}
	if key != "abc" || told != 2 {
		t.Errorf("found %q and told of %d parts, want abc and 2", key, told)
	}
}

// A sound problem is not wanted if its solution is not the line that is given.
func TestOtherLine(t *testing.T) {
	o := anyProblem(1)
	e := newExaminer(o.NewSession(), &o.Conditions, thorough)
	p := shogi.MustParseSFEN("8k/5+R1P1/9/9/9/9/9/9/9 b Sr2b4g3s4n4l17p 1")
	q, outcome := e.finish(t.Context(), p)
	if outcome != Sound {
		t.Fatal(outcome)
	}
	e.line = q.Line
	if _, outcome := e.finish(t.Context(), p); outcome != Sound {
		t.Errorf("with its own line it is %v", outcome)
	}
	e.line = q.Line[:1]
	if _, outcome := e.finish(t.Context(), p); outcome != Unwanted {
		t.Errorf("with another line it is %v", outcome)
	}
}
