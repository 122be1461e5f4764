package shogi_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

// TestMovesOfOnePiece puts each piece on each square of an empty board and compares its moves with
// what the rules say: it may promote where it enters, leaves or moves within the far three ranks,
// and must where it could not move again.
func TestMovesOfOnePiece(t *testing.T) {
	var buf shogi.MoveBuffer
	for c := shogi.Black; c <= shogi.White; c++ {
		for kind := shogi.Pawn; kind < shogi.NumPieceTypes; kind++ {
			for from := range shogi.Square(shogi.NumSquares) {
				if shogi.IsDead(c, kind, from) {
					continue
				}
				s := shogi.Setup{Side: c, Ply: 1}
				s.Board[from] = shogi.PieceOf(c, kind)
				p, err := s.Position()
				if err != nil {
					t.Fatal(err)
				}
				far := func(sq shogi.Square) shogi.Rank { // 0 is the rank farthest from c
					if c == shogi.White {
						return shogi.RankI - sq.Rank()
					}
					return sq.Rank()
				}
				var all, useful []shogi.Move
				for _, to := range slowAttacks(c, kind, from, squareSet{}).squares() {
					promotes := kind.CanPromote() && min(far(from), far(to)) <= shogi.RankC
					if promotes {
						all = append(all, shogi.NewPromotion(from, to))
						useful = append(useful, shogi.NewPromotion(from, to))
					}
					stays := true
					switch kind {
					case shogi.Pawn, shogi.Lance:
						stays = far(to) > shogi.RankA
					case shogi.Knight:
						stays = far(to) > shogi.RankB
					}
					if !stays {
						continue
					}
					all = append(all, shogi.NewMove(from, to))
					switch kind {
					case shogi.Pawn, shogi.Bishop, shogi.Rook:
						stays = !promotes
					case shogi.Lance:
						stays = far(to) > shogi.RankB
					}
					if stays {
						useful = append(useful, shogi.NewMove(from, to))
					}
				}
				for set, want := range map[shogi.MoveSet][]shogi.Move{shogi.AllMoves: all, shogi.UsefulMoves: useful} {
					for name, got := range map[string][]shogi.Move{
						"legal":        slices.Clone(p.LegalMoves(&buf, set)),
						"pseudo-legal": slices.Clone(p.ForSearch().PseudoLegalMoves(&buf, set)),
					} {
						slices.Sort(got)
						slices.Sort(want)
						if !slices.Equal(got, want) {
							t.Fatalf("%v %v on %v, all moves %v: %s %v, want %v", c, kind, from, set, name, moveTexts(got), moveTexts(want))
						}
					}
				}
			}
		}
	}
}

// TestDrops drops every kind on boards with random pieces and pawns, and compares with the rules
// read square by square.
func TestDrops(t *testing.T) {
	rng := shogitest.NewRand(t)
	var buf shogi.MoveBuffer
	for range 2000 {
		c := shogi.Color(rng.IntN(2))
		s := shogi.Setup{Side: c, Ply: 1}
		var nifu [9]bool
		for n := rng.IntN(25); n > 0; n-- {
			sq := shogi.Square(rng.IntN(shogi.NumSquares))
			if s.Board[sq] != shogi.NoPiece {
				continue
			}
			switch rng.IntN(3) {
			case 0: // a pawn of c
				if !nifu[sq.File()] && !shogi.IsDead(c, shogi.Pawn, sq) {
					nifu[sq.File()] = true
					s.Board[sq] = shogi.PieceOf(c, shogi.Pawn)
				}
			case 1:
				s.Board[sq] = shogi.PieceOf(c, shogi.Tokin)
			case 2:
				s.Board[sq] = shogi.PieceOf(c.Opponent(), shogi.Tokin)
			}
		}
		onBoard := 0
		for _, pc := range s.Board {
			if pc != shogi.NoPiece {
				onBoard++
			}
		}
		if onBoard >= shogi.FullSet[shogi.Pawn] {
			continue
		}
		held := randomCounts(rng)
		held[shogi.Pawn] = min(held[shogi.Pawn], shogi.FullSet[shogi.Pawn]-onBoard)
		s.Hands[c] = held.hand()
		p, err := s.Position()
		if err != nil {
			t.Fatal(err)
		}
		var want []shogi.Move
		for sq := range shogi.Square(shogi.NumSquares) {
			for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
				if s.Board[sq] == shogi.NoPiece && held[kind] > 0 && !shogi.IsDead(c, kind, sq) &&
					(kind != shogi.Pawn || !nifu[sq.File()]) {
					want = append(want, shogi.NewDrop(kind, sq))
				}
			}
		}
		got := slices.DeleteFunc(slices.Clone(p.LegalMoves(&buf, shogi.AllMoves)), func(m shogi.Move) bool { return !m.IsDrop() })
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%s: drops %v, want %v", p.SFEN(), moveTexts(got), moveTexts(want))
		}
	}
}

// TestDropSquares compares with drawings: an asterisk is a square where the piece may be dropped.
func TestDropSquares(t *testing.T) {
	const board = "p7k/1P7/2+P6/3p5/4N4/5+p3/6P2/9/K8 b - 1"
	everywhere := `
		.*******.
		*.*******
		**.******
		***.*****
		****.****
		*****.***
		******.**
		*********
		.********`
	for _, c := range []struct {
		side  shogi.Color
		kinds []shogi.PieceType
		want  string
	}{
		{shogi.Black, []shogi.PieceType{shogi.Silver, shogi.Bishop, shogi.Rook, shogi.Gold}, everywhere},
		{shogi.White, []shogi.PieceType{shogi.Silver, shogi.Bishop, shogi.Rook, shogi.Gold}, everywhere},
		{shogi.Black, []shogi.PieceType{shogi.Lance}, `
			.........
			*.*******
			**.******
			***.*****
			****.****
			*****.***
			******.**
			*********
			.********`},
		{shogi.White, []shogi.PieceType{shogi.Lance}, `
			.*******.
			*.*******
			**.******
			***.*****
			****.****
			*****.***
			******.**
			*********
			.........`},
		{shogi.Black, []shogi.PieceType{shogi.Knight}, `
			.........
			.........
			**.******
			***.*****
			****.****
			*****.***
			******.**
			*********
			.********`},
		{shogi.White, []shogi.PieceType{shogi.Knight}, `
			.*******.
			*.*******
			**.******
			***.*****
			****.****
			*****.***
			******.**
			.........
			.........`},
		{shogi.Black, []shogi.PieceType{shogi.Pawn}, `
			.........
			*.****.**
			*..***.**
			*.*.**.**
			*.**.*.**
			*.***..**
			*.****.**
			*.****.**
			..****.**`},
		{shogi.White, []shogi.PieceType{shogi.Pawn}, `
			.**.****.
			..*.*****
			.*..*****
			.**.*****
			.**..****
			.**.*.***
			.**.**.**
			.**.*****
			.........`},
		{shogi.Black, []shogi.PieceType{
			shogi.NoPieceType, shogi.King, shogi.Tokin, shogi.ProLance, shogi.ProKnight, shogi.ProSilver, shogi.Horse, shogi.Dragon, 15,
		}, strings.Repeat(".........\n", 9)},
	} {
		p := shogi.MustParseSFEN(board)
		want := strings.Join(strings.Fields(c.want), "\n") + "\n"
		for _, kind := range c.kinds {
			if got := p.DropSquares(c.side, kind).String(); got != want {
				t.Errorf("a %v %v may be dropped on\n%swant\n%s", c.side, kind, got, want)
			}
		}
	}

	// A pawn drop that mates is none of its business, nor is whether the pawn is held.
	p := shogi.MustParseSFEN("7nk/9/7G1/9/9/9/9/9/9 b P 1")
	if sq := shogi.SquareAt(shogi.File1, shogi.RankB); !p.DropSquares(shogi.Black, shogi.Pawn).Has(sq) || p.IsLegal(shogi.NewDrop(shogi.Pawn, sq)) {
		t.Errorf("P*1b, which mates, is not among the squares, or legal")
	}
}

// TestGeneratorsAgree checks the generators against each other and against IsLegal, on every sort
// of position.
func TestGeneratorsAgree(t *testing.T) {
	inCheck, checking, dropMates := 0, 0, 0
	for i, p := range somePositions(t) {
		before := p
		sorted := func(moves []shogi.Move) []shogi.Move {
			moves = slices.Clone(moves)
			slices.Sort(moves)
			if len(slices.Compact(slices.Clone(moves))) != len(moves) {
				t.Fatalf("%s: a move is listed twice in %v", p.SFEN(), moveTexts(moves))
			}
			return moves
		}
		filter := func(moves []shogi.Move, keep func(shogi.Move) bool) []shogi.Move {
			return slices.DeleteFunc(slices.Clone(moves), func(m shogi.Move) bool { return !keep(m) })
		}
		same := func(what string, got, want []shogi.Move) {
			t.Helper()
			if !slices.Equal(got, want) {
				t.Fatalf("%s: %s are %v, want %v", p.SFEN(), what, moveTexts(got), moveTexts(want))
			}
		}
		var buf shogi.MoveBuffer
		legal := sorted(p.LegalMoves(&buf, shogi.AllMoves))
		pseudo := sorted(p.ForSearch().PseudoLegalMoves(&buf, shogi.AllMoves))
		same("the legal ones of the pseudo-legal moves", filter(pseudo, p.IsLegal), legal)
		if i%10 == 0 {
			// IsLegal takes any value at all.
			var every []shogi.Move
			for v := range 1 << 16 {
				if p.IsLegal(shogi.Move(v)) {
					every = append(every, shogi.Move(v))
				}
			}
			same("the values that are legal moves", every, legal)
		}

		givesCheck := func(m shogi.Move) bool {
			q := p
			q.Do(m)
			return q.InCheck()
		}
		useful := func(m shogi.Move) bool { return isUseful(&p, m) }
		ci := p.CheckInfo()
		checks := filter(legal, givesCheck)
		same("the moves that GivesCheck finds", filter(legal, func(m shogi.Move) bool { return p.GivesCheck(m, &ci) }), checks)
		same("Checks", sorted(p.Checks(&buf, shogi.AllMoves)), checks)
		if p.HasCheck() != (len(checks) > 0) {
			t.Fatalf("%s: HasCheck is %v, the checks are %v", p.SFEN(), p.HasCheck(), moveTexts(checks))
		}
		same("the useful Checks", sorted(p.Checks(&buf, shogi.UsefulMoves)), filter(checks, useful))
		same("the useful legal moves", sorted(p.LegalMoves(&buf, shogi.UsefulMoves)), filter(legal, useful))
		same("the useful pseudo-legal moves", sorted(p.ForSearch().PseudoLegalMoves(&buf, shogi.UsefulMoves)), filter(pseudo, useful))
		if n := p.CountLegalMoves(shogi.AllMoves); n != len(legal) {
			t.Fatalf("%s: CountLegalMoves is %d, want %d", p.SFEN(), n, len(legal))
		}
		if n := p.CountLegalMoves(shogi.UsefulMoves); n != len(filter(legal, useful)) {
			t.Fatalf("%s: CountLegalMoves of the useful ones is %d, want %d", p.SFEN(), n, len(filter(legal, useful)))
		}

		evasions := sorted(p.Evasions(&buf, shogi.AllMoves))
		if p.InCheck() {
			inCheck++
			same("Evasions", evasions, legal)
			checkers, pinned := p.CheckersAndPinned()
			for _, set := range []shogi.MoveSet{shogi.AllMoves, shogi.UsefulMoves} {
				captures := filter(p.Evasions(&buf, set), func(m shogi.Move) bool { return m.To() == checkers.First() })
				same("the CheckerCaptures", p.ForSearch().CheckerCaptures(&buf, checkers, pinned, set), captures)
			}
			same("the useful Evasions", sorted(p.Evasions(&buf, shogi.UsefulMoves)), filter(legal, useful))
			if p.HasEvasion() != (len(legal) > 0) {
				t.Fatalf("%s: HasEvasion is %v", p.SFEN(), p.HasEvasion())
			}
		} else if len(evasions) > 0 {
			t.Fatalf("%s: not in check, but evasions %v", p.SFEN(), moveTexts(evasions))
		}
		if p.IsCheckmate() != (p.InCheck() && len(legal) == 0) {
			t.Fatalf("%s: IsCheckmate is %v", p.SFEN(), p.IsCheckmate())
		}
		if p.InCheck() == p.Checkers().IsEmpty() {
			t.Fatalf("%s: in check %v by\n%v", p.SFEN(), p.InCheck(), p.Checkers())
		}

		// A pawn drop is missing from the legal moves only if it mates, or leaves the king in
		// check.
		for _, m := range pseudo {
			if m.IsDrop() && m.Dropped() == shogi.Pawn && !p.IsLegal(m) {
				q := p
				q.Do(m)
				if q.IsCheckmate() {
					dropMates++
				} else if !p.InCheck() {
					t.Fatalf("%s: %v is refused, but does not mate", p.SFEN(), m)
				}
			}
		}
		for _, m := range legal {
			q := p
			q.Do(m)
			if m.IsDrop() && m.Dropped() == shogi.Pawn && q.IsCheckmate() {
				t.Fatalf("%s: %v is legal and mates", p.SFEN(), m)
			}
		}
		checking += len(checks)
		if p != before {
			t.Fatalf("%s: a generator changed the position", before.SFEN())
		}
	}
	t.Logf("%d positions in check, %d checks, %d pawn drops that would mate", inCheck, checking, dropMates)
	if inCheck < 20 || checking < 500 {
		t.Errorf("only %d positions in check and %d checks", inCheck, checking)
	}
}

// isUseful is the definition of shogi.UsefulMoves, for a legal move of p.
func isUseful(p *shogi.Position, m shogi.Move) bool {
	us := p.SideToMove()
	if m.IsDrop() || m.IsPromotion() || !shogi.InPromotionZone(us, m.From()) && !shogi.InPromotionZone(us, m.To()) {
		return true
	}
	switch p.Piece(m.From()).Type() {
	case shogi.Pawn, shogi.Bishop, shogi.Rook:
		return false
	case shogi.Lance:
		second := [2]shogi.Rank{shogi.RankB, shogi.RankH}[us]
		return m.To().Rank() != second
	}
	return true
}

// TestPawnDropMateIsNotTheOnlyEvasion looks at every place of the pieces that the comment on
// canDropOnto names: none has a w that may be pinned to K.
func TestPawnDropMateIsNotTheOnlyEvasion(t *testing.T) {
	aligned := func(a, b shogi.Square) bool { return !shogi.RayThrough(a, b).IsEmpty() }
	settings, pins := 0, 0
	for k := range shogi.Square(shogi.NumSquares) {
		if k.Rank() == shogi.RankA {
			continue
		}
		x := shogi.SquareAt(k.File(), k.Rank()-1) // where a pawn of White checks
		for s := range shogi.Square(shogi.NumSquares) {
			for king := range shogi.Square(shogi.NumSquares) {
				between := shogi.Between(s, king)
				if !between.Has(x) || between.Has(k) || king == k || s == k {
					continue
				}
				settings++
				for w := range shogi.Square(shogi.NumSquares) {
					if shogi.Between(k, w).Has(s) {
						pins++
						if aligned(w, king) {
							t.Errorf("k %s, x %s, S %s, K %s, w %s: w may be pinned", k, x, s, king, w)
						}
					}
				}
			}
		}
	}
	if settings == 0 || pins == 0 {
		t.Errorf("%d settings, %d pins: nothing was looked at", settings, pins)
	}
}

// TestMostMoves fills a buffer with as many moves as a position can have.
func TestMostMoves(t *testing.T) {
	p := shogi.MustParseSFEN("R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1")
	var buf shogi.MoveBuffer
	if n := len(p.LegalMoves(&buf, shogi.AllMoves)); n != 593 {
		t.Errorf("%d moves, want 593", n)
	}
	// Nothing but the largest hand on an empty board, with pawns and kings missing: more than any
	// position of a game.
	p = shogi.MustParseSFEN("9/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 1")
	if n, want := len(p.ForSearch().PseudoLegalMoves(&buf, shogi.AllMoves)), 4*81+2*72+63; n != want {
		t.Errorf("%d drops, want %d", n, want)
	}
}
