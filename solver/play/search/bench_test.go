package search_test

import (
	"context"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/eval"
	"github.com/tsumero/tsumero/solver/play/search"
)

// benchPositions are the initial position and later ones of a game of the search against itself.
var benchPositions = []string{
	shogi.StartSFEN,
	"lnsg3nl/1rkb2g2/pppppp1s1/6p1p/8P/2P6/PB1PPPPP1/2G3KR1/LNS2GSNL b Pp 29",
	"lnsgl2n1/1rk3g2/1pp1pp3/p2p2pb1/2PNP3s/9/PB1P1PPP1/L1G3KR1/2S2GSN1 b LP3p 49",
	"l2gl2+L1/1rk5+P/1pn1pg3/3p1pp1p/p2+bP3s/9/P1SP1PPP1/6K1R/5GSN1 b GSNLbn4p 89",
	"lr2l2+L1/9/1pk1pg2+P/3p1p2p/pS2P1p2/3+b3P1/P4PP2/6K1R/5GSN1 b GS2Nbgsnl5p 109",
}

// BenchmarkSearch is about the speed of searches in tables of three kinds: a small one, a large one,
// and a large one in huge pages.
func BenchmarkSearch(b *testing.B) {
	for _, test := range []struct {
		name    string
		options search.Options
	}{
		{"material", search.Options{}},
		{"net", search.Options{Net: eval.Default()}},
		{"net/large", search.Options{Net: eval.Default(), TableBytes: 256 << 20}},
		{"net/huge", search.Options{Net: eval.Default(), TableBytes: 256 << 20, HugePages: true}},
	} {
		b.Run(test.name, func(b *testing.B) {
			e := search.New(test.options)
			var nodes uint64
			b.ReportAllocs()
			for range b.N {
				for _, sfen := range benchPositions {
					b.StopTimer()
					e.NewGame()
					g := shogi.NewGame(shogi.MustParseSFEN(sfen))
					b.StartTimer()
					nodes += e.Search(context.Background(), &g, play.Limits{Nodes: 100_000}, nil).Nodes
				}
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}
