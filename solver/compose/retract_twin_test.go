package compose

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/tsumero/tsumero/shogi"
)

var retractPlies = flag.Int("compose.plies", 0, "plies of random games for TestRetractionTwin; 0: a few")

// The steps of a piece of Black's as files and ranks, and those that it repeats.
var plainSteps = map[shogi.PieceType][][2]int{
	shogi.Pawn: {{0, -1}}, shogi.Knight: {{-1, -2}, {1, -2}},
	shogi.Silver: {{0, -1}, {-1, -1}, {1, -1}, {-1, 1}, {1, 1}},
	shogi.Gold:   {{0, -1}, {-1, -1}, {1, -1}, {-1, 0}, {1, 0}, {0, 1}},
	shogi.King:   {{0, -1}, {-1, -1}, {1, -1}, {-1, 0}, {1, 0}, {0, 1}, {-1, 1}, {1, 1}},
	shogi.Horse:  {{0, -1}, {-1, 0}, {1, 0}, {0, 1}},
	shogi.Dragon: {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}},
}
var plainRays = map[shogi.PieceType][][2]int{
	shogi.Lance: {{0, -1}}, shogi.Bishop: plainSteps[shogi.Dragon], shogi.Horse: plainSteps[shogi.Dragon],
	shogi.Rook: plainSteps[shogi.Horse], shogi.Dragon: plainSteps[shogi.Horse],
}

// plainReaches reports whether the piece on a square goes to another one, whatever stands there.
func plainReaches(board *[shogi.NumSquares]shogi.Piece, from, to shogi.Square) bool {
	kind, forward := board[from].Type(), 1
	if board[from].Color() == shogi.White {
		forward = -1
	}
	switch kind {
	case shogi.Tokin, shogi.ProLance, shogi.ProKnight, shogi.ProSilver:
		kind = shogi.Gold
	}
	goes := func(step [2]int, far int) bool {
		file, rank := int(from.File()), int(from.Rank())
		for range far {
			file, rank = file+step[0], rank+step[1]*forward
			if file < 0 || file > 8 || rank < 0 || rank > 8 {
				return false
			}
			at := shogi.SquareAt(shogi.File(file), shogi.Rank(rank))
			if at == to || board[at] != shogi.NoPiece {
				return at == to
			}
		}
		return false
	}
	for _, step := range plainSteps[kind] {
		if goes(step, 1) {
			return true
		}
	}
	for _, step := range plainRays[kind] {
		if goes(step, 8) {
			return true
		}
	}
	return false
}

// plainMayBe reports whether a diagram may come before a move of one side: no two pawns on a file,
// nothing that could never move, and no king of the other side that could be taken.
func plainMayBe(board *[shogi.NumSquares]shogi.Piece, mover shogi.Color) bool {
	var pawns [2][9]int
	for i, pc := range board {
		if pc == shogi.NoPiece {
			continue
		}
		sq := shogi.Square(i)
		rank := int(sq.Rank())
		if pc.Color() == shogi.White {
			rank = 8 - rank
		}
		switch kind := pc.Type(); {
		case kind == shogi.Knight && rank < 2, (kind == shogi.Pawn || kind == shogi.Lance) && rank == 0:
			return false
		case kind == shogi.Pawn:
			if pawns[pc.Color()][sq.File()]++; pawns[pc.Color()][sq.File()] > 1 {
				return false
			}
		}
	}
	return !plainInCheck(board, mover.Opponent())
}

func plainInCheck(board *[shogi.NumSquares]shogi.Piece, side shogi.Color) bool {
	for king, pc := range board {
		if pc != shogi.PieceOf(side, shogi.King) {
			continue
		}
		for from, pc := range board {
			if pc != shogi.NoPiece && pc.Color() != side &&
				plainReaches(board, shogi.Square(from), shogi.Square(king)) {
				return true
			}
		}
	}
	return false
}

// plainRetractions tries every piece, every square it may have come from and every piece it may have
// taken, on a board without bitboards.
func plainRetractions(p *shogi.Position) map[retraction]bool {
	board, us := p.Setup().Board, p.SideToMove().Opponent()
	list := map[retraction]bool{}
	if plainInCheck(&board, us) {
		return list
	}
	inZone := func(sq shogi.Square) bool {
		return us == shogi.Black && sq.Rank() < 3 || us == shogi.White && sq.Rank() > 5
	}
	var buf shogi.MoveBuffer
	mated := p.InCheck() && len(p.LegalMoves(&buf, shogi.AllMoves)) == 0
	captures := []shogi.Piece{shogi.NoPiece}
	for kind := shogi.Pawn; kind <= shogi.Dragon; kind++ {
		if kind != shogi.King && p.Hand(us).Has(kind.Base()) {
			captures = append(captures, shogi.PieceOf(us.Opponent(), kind))
		}
	}
	for i, pc := range board {
		if pc == shogi.NoPiece || pc.Color() != us {
			continue
		}
		to, kind := shogi.Square(i), pc.Type()
		q := board
		q[to] = shogi.NoPiece
		if kind != shogi.King && !kind.IsPromoted() && !(kind == shogi.Pawn && mated) && plainMayBe(&q, us) {
			list[retraction{shogi.NewDrop(kind, to), shogi.NoPiece}] = true
		}
		for j := range board {
			from := shogi.Square(j)
			if board[from] != shogi.NoPiece {
				continue
			}
			for _, captured := range captures {
				try := func(was shogi.PieceType, m shogi.Move) {
					q := board
					q[to], q[from] = captured, shogi.PieceOf(us, was)
					if plainReaches(&q, from, to) && plainMayBe(&q, us) {
						list[retraction{m, captured}] = true
					}
				}
				try(kind, shogi.NewMove(from, to))
				if kind.IsPromoted() && (inZone(from) || inZone(to)) {
					try(kind.Base(), shogi.NewPromotion(from, to))
				}
			}
		}
	}
	return list
}

// TestRetractionTwin plays random games, checks first where there are any, and looks for every move
// among those that can be taken back; and now and then compares all of these with the plain twin's.
func TestRetractionTwin(t *testing.T) {
	plies, compare := 2_000, 100
	if *retractPlies > 0 {
		plies = *retractPlies
	}
	rng := rand.New(rand.NewPCG(3, 4))
	starts := []string{
		"lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
		"4k4/2p3+L2/1+B1s3g1/p3p4/9/4S2+n1/1P2GP3/4g4/3K3L1 b RBSN8Prgs2n2l5p 1",
		"8k/6S1P/7GG/9/9/9/9/9/9 w 2r2b2g3s4n4l17p 1",
		"3g1k3/9/4P4/9/9/9/9/9/9 b RBG2S2N2L4Prb2g2s2n2l13p 1",
	}
	var buf shogi.MoveBuffer
	compared, mates, moves := 0, 0, 0
	check := func(p *shogi.Position) {
		got, want := map[retraction]bool{}, plainRetractions(p)
		for _, r := range appendRetractions(nil, p) {
			if _, ok := r.before(p); ok {
				if got[r] || !want[r] {
					t.Fatalf("%s: %v of %v comes twice or cannot be", p.SFEN(), r.move, r.captured)
				}
				got[r] = true
			}
		}
		for r := range want {
			if !got[r] {
				t.Fatalf("%s: %v of %v is missing", p.SFEN(), r.move, r.captured)
			}
		}
		compared, moves = compared+1, moves+len(want)
	}
	for n, game := 0, 0; n < plies; game++ {
		p := shogi.MustParseSFEN(starts[game%len(starts)])
		for range 200 {
			legal := p.LegalMoves(&buf, shogi.AllMoves)
			if len(legal) == 0 {
				if mates++; mates%compare == 1 {
					check(&p)
				}
				break
			}
			if rng.IntN(3) > 0 && p.HasCheck() {
				legal = p.Checks(&buf, shogi.AllMoves)
			}
			m := legal[rng.IntN(len(legal))]
			played, before := retraction{m, p.Piece(m.To())}, p
			p.Do(m)
			found := 0
			for _, r := range appendRetractions(nil, &p) {
				if r == played {
					if q, ok := r.before(&p); ok && q.SamePosition(&before) {
						found++
					}
				}
			}
			if found != 1 {
				t.Fatalf("%v leads to %s and is found %d times", m, p.SFEN(), found)
			}
			if n++; n%compare == 0 {
				check(&p)
			}
		}
	}
	t.Logf("%d plies and %d mates; %d positions compared, %d moves taken back", plies, mates, compared, moves)
}
