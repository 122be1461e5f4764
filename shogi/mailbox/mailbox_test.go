package mailbox_test

import (
	"bufio"
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/mailbox"
)

// Leaf counts that two independent engines agree on: SFEN, then all moves and useful moves at depths 1 and 2.
//
//go:embed testdata/perft.tsv
var perftTSV string

func perft(b *mailbox.Board, depth int, useful bool) int {
	n := 0
	for _, m := range b.LegalMoves() {
		if useful && !b.IsUseful(m) {
			continue
		}
		if depth == 1 {
			n++
			continue
		}
		after := *b
		after.Do(m)
		n += perft(&after, depth-1, useful)
	}
	return n
}

func TestPerft(t *testing.T) {
	lines := bufio.NewScanner(strings.NewReader(perftTSV))
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		p := shogi.MustParseSFEN(fields[0])
		b := mailbox.From(&p)
		for i, useful := range []bool{false, false, true, true} {
			want, err := strconv.Atoi(fields[1+i])
			if err != nil {
				t.Fatal(err)
			}
			depth := i%2 + 1
			if got := perft(&b, depth, useful); got != want {
				t.Errorf("%s: depth %d, useful %v: %d leaves, want %d", fields[0], depth, useful, got, want)
			}
		}
	}
}

func TestRules(t *testing.T) {
	tests := []struct {
		name, sfen string
		legal      string // moves that are, and
		illegal    string // moves that are not
	}{
		{
			//   2  1
			//  vN vK a
			//   .  . b
			//   G  . c
			name:    "a pawn drop that mates (打ち歩詰め)",
			sfen:    "7nk/9/7G1/9/9/9/9/9/9 b P2r2b3g4s3n4l17p 1",
			illegal: "P*1b",
			legal:   "P*1d 2c1b",
		},
		{
			name:    "the same for White",
			sfen:    "9/9/9/9/9/9/1g7/9/KN7 w 2R2B3G4S3N4L17Pp 1",
			illegal: "P*9h",
			legal:   "P*9f 8g9h",
		},
		{
			name:  "a pawn drop that a gold can take",
			sfen:  "7gk/9/7G1/9/9/9/9/9/9 b P2r2b2g4s4n4l17p 1",
			legal: "P*1b",
		},
		{
			name:    "a pawn drop that only a pinned gold could take",
			sfen:    "R6gk/9/7G1/9/9/9/9/9/9 b Pr2b2g4s4n4l17p 1",
			illegal: "P*1b",
		},
		{
			name:  "a pawn drop that the king can take",
			sfen:  "7nk/9/9/7G1/9/9/9/9/9 b P2r2b3g4s3n4l17p 1",
			legal: "P*1b",
		},
		{
			name:    "two pawns on a file, a tokin does not count",
			sfen:    "4k4/9/9/4+P4/3P5/9/9/9/4K4 b P2r2b4g4s4n4l15p 1",
			legal:   "P*5b P*5e",
			illegal: "P*6b P*6i",
		},
		{
			name:    "pieces that could never move again",
			sfen:    "4k4/9/9/9/9/9/9/9/4K4 b PLN2r2b4g4s3n3l17p 1",
			legal:   "P*1b L*1b N*1c",
			illegal: "P*1a L*1a N*1a N*1b",
		},
		{
			name:    "a pinned piece stays on its line",
			sfen:    "4r3k/9/9/9/9/9/9/4G4/4K4 b r2b3g4s4n4l18p 1",
			legal:   "5h5g",
			illegal: "5h4h 5h6h 5h4g",
		},
		{
			name:    "in double check only the king moves",
			sfen:    "4r3k/9/9/9/9/9/3n5/G8/4K4 b 2G1r2b1g4s3n4l18p 1",
			illegal: "G*5h 9h8h",
			legal:   "5i4i",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, err := shogi.ParseSFEN(test.sfen)
			if err != nil {
				t.Fatal(err)
			}
			b := mailbox.From(&p)
			for _, text := range strings.Fields(test.legal) {
				if m, _ := shogi.ParseMove(text); !b.IsLegal(m) {
					t.Errorf("%s is not legal", text)
				}
			}
			for _, text := range strings.Fields(test.illegal) {
				if m, _ := shogi.ParseMove(text); b.IsLegal(m) {
					t.Errorf("%s is legal", text)
				}
			}
			if moves := b.LegalMoves(); len(slices.Compact(slices.Sorted(slices.Values(moves)))) != len(moves) {
				t.Errorf("a move is listed twice in %v", moves)
			}
		})
	}
}
