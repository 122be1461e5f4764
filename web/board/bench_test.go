package board_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/solver/solvertest"
	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// BenchmarkReply measures how long a reader waits for the reply to a move: from the move on the
// board, over the server, to the reply on the board, animation on. It plays problems of each length
// to the end, and at each of the attacker's turns first some checks that are not the shortest mate.
// The metrics are milliseconds over all problems that come with solvertest; a run is all of them
// once.
func BenchmarkReply(b *testing.B) {
	const others = 1 // checks tried at each turn besides the right one
	solve := mate.New(mate.Options{TableBytes: 64 << 20})
	for plies := 3; plies <= 11; plies += 2 {
		b.Run(fmt.Sprint("plies=", plies), func(b *testing.B) {
			s := serve(b)
			p := s.open(b, browsertest.Screen{}, `mode="solve"`)
			p.Show(browsertest.Screen{}) // things move
			var right, other []float64
			play := func(m shogi.Move) (outcome string, ms float64) {
				got := browsertest.Eval[struct {
					Outcome string
					MS      float64
				}](p, fmt.Sprintf(`(async () => {
					const began = performance.now(), outcome = await b.play("%s");
					return { Outcome: outcome, MS: performance.now() - began };
				})()`, m))
				return got.Outcome, got.MS
			}
			for b.Loop() {
				right, other = right[:0], other[:0]
				for _, k := range solvertest.Positions(b) {
					if !k.HasMateIn(plies) {
						continue
					}
					p.Do(fmt.Sprintf(`b.outerHTML = '<tsume-board mode="solve" sfen="%s"></tsume-board>'; `+listen, k.Position.SFEN()))
				game:
					for position := k.Position; ; position = shogi.MustParseSFEN(browsertest.Eval[string](p, "b.position")) {
						r := solve.Solve(context.Background(), position, solver.Limits{Shortest: true})
						if r.Verdict != solver.Mate {
							b.Fatalf("sfen %s: there is a mate in %d, but after replies %s", k.Position.SFEN(), plies, position.SFEN())
						}
						var moves shogi.MoveBuffer
						tried := 0
						for _, m := range position.Checks(&moves, shogi.AllMoves) {
							if m == r.Line[0] || tried == others {
								continue
							}
							tried++
							outcome, ms := play(m)
							switch outcome {
							case "solved": // another mate in one
								break game
							case "replied", "wrong":
								other = append(other, ms)
							}
							p.Do("b.takeBack()")
						}
						outcome, ms := play(r.Line[0])
						if outcome == "solved" {
							break
						}
						if outcome != "replied" {
							b.Fatalf("sfen %s: %s was %s", position.SFEN(), r.Line[0], outcome)
						}
						right = append(right, ms)
					}
				}
			}
			for name, times := range map[string][]float64{"right": right, "other": other} {
				slices.Sort(times)
				b.ReportMetric(times[len(times)/2], name+"-p50-ms")
				b.ReportMetric(times[len(times)*9/10], name+"-p90-ms")
				b.ReportMetric(float64(len(times)), name+"-moves")
			}
		})
	}
}
