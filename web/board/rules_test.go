package board_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver/solvertest"
	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// exported makes what the sources export an object of the page, which the bundle keeps to itself.
func exported(t *testing.T, name, exports string) string {
	t.Helper()
	result := api.Build(api.BuildOptions{
		Stdin:  &api.StdinOptions{Contents: exports, ResolveDir: "src", Loader: api.LoaderTS},
		Bundle: true, Format: api.FormatIIFE, GlobalName: name, Charset: api.CharsetUTF8, LogLevel: api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		t.Fatal(api.FormatMessages(result.Errors, api.FormatMessagesOptions{}))
	}
	return string(result.OutputFiles[0].Contents) + "; window." + name + " = " + name + "; true"
}

// described is what the rules say of a position: by the library, and by the board.
type described struct {
	SFEN  string
	Legal []string // in USI, sorted
	Words map[string]string
	West  map[string]string // in Western notation
	Check bool
	Mate  bool
	Move  string // one of them, if there is one
	After string // the position after it
}

// pinned are positions with a piece that may not go where another of its kind can, and is named
// apart all the same.
var pinned = []string{
	"9/6l2/1B7/9/9/9/5r2+b/5P1G1/5+LKL+R b 3GS3N5P2p 1",
	"9/9/9/9/5r3/9/1Rs4k1/9/2K6 w 2B2GL7P2s2nl3p 1",
	"RK+N6/1G1+l5/1+r7/4b4/9/9/9/8P/9 b B3G4S3N3L16Pp 1",
	"4r4/9/9/9/9/9/4G4/3G5/4K4 b - 1", // a gold that cannot leave its file
}

// TestRules holds the rules of the board against those of the library: legal moves, check and mate,
// what a move does, and what it is called.
func TestRules(t *testing.T) {
	seed := shogitest.Seed(t)
	const positions = 800
	random, rng := solvertest.NewRandom(seed, 0), rand.New(rand.NewPCG(seed, 1))
	var want []described
	for i := range positions {
		var p shogi.Position
		switch {
		case i < len(pinned):
			var err error
			if p, err = shogi.ParseSFEN(pinned[i]); err != nil {
				t.Fatal(err)
			}
		case i%3 == 0:
			p = random.Game()
		case i%3 == 1:
			p = random.Crowded()
		default:
			p = random.Next()
		}
		var moves shogi.MoveBuffer
		legal := p.LegalMoves(&moves, shogi.AllMoves)
		j := described{SFEN: p.ProblemSFEN(), Words: map[string]string{}, West: map[string]string{}, Check: p.InCheck(), Mate: p.InCheck() && len(legal) == 0}
		for _, m := range legal {
			j.Legal = append(j.Legal, m.String())
		}
		slices.Sort(j.Legal)
		named := len(legal)
		if i >= len(pinned) {
			named = min(named, 6)
		}
		rng.Shuffle(len(legal), func(a, b int) { legal[a], legal[b] = legal[b], legal[a] })
		for _, m := range legal[:named] {
			_, ja, _ := strings.Cut(string(movetext.AppendJapanese(nil, &p, m, shogi.NoSquare)), mark(&p))
			j.Words[m.String()], j.West[m.String()] = ja, string(movetext.AppendEnglish(nil, &p, m))
			after := p
			after.Do(m)
			j.Move, j.After = m.String(), after.ProblemSFEN()
		}
		want = append(want, j)
	}
	ask, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}

	p := browsertest.Open(t, browsertest.Screen{})
	p.Goto(site(t, nil, pageWith("ja", "", "")))
	browsertest.Eval[bool](p, exported(t, "rules", `export * from "./rules"; export { japanese, western } from "./notation"; export { typed } from "./typing"; export { setJapanese } from "./language"`))
	browsertest.Eval[bool](p, "window.questions = "+string(ask)+"; true")
	from := 0
	for chunk := range slices.Chunk(want, 50) {
		got := browsertest.Eval[[]described](p, fmt.Sprintf(`(() => {
			rules.setJapanese(true);
			const written = (of, p, moves) => Object.fromEntries(Object.keys(moves).map((text) => {
				const m = rules.legal(p).find((m) => rules.usi(m) === text);
				return [text, m ? of(p, m) : "illegal"];
			}));
			return questions.slice(%d, %d).map(({ SFEN, Words, West, Move }) => {
				const [p] = rules.parse(SFEN), moves = rules.legal(p), m = (text) => moves.find((m) => rules.usi(m) === text);
				return {
					SFEN: rules.toSFEN(p), Legal: moves.map(rules.usi).sort(), Check: rules.inCheck(p), Mate: rules.isMate(p),
					Words: written(rules.japanese, p, Words), West: written(rules.western, p, West),
					Move, After: Move && rules.toSFEN(rules.after(p, m(Move))),
				};
			});
		})()`, from, from+len(chunk)))
		from += len(chunk)
		for i, j := range chunk {
			g := got[i]
			if g.SFEN != j.SFEN || g.Check != j.Check || g.Mate != j.Mate || g.After != j.After {
				t.Errorf("sfen %s: the board says %+v, expected %+v", j.SFEN, g, j)
			}
			if !slices.Equal(g.Legal, j.Legal) {
				t.Errorf("sfen %s: legal for the board\n%v, expected\n%v", j.SFEN, g.Legal, j.Legal)
			}
			for m, words := range j.West {
				if g.West[m] != words {
					t.Errorf("sfen %s: the board writes %s as %q, expected %q", j.SFEN, m, g.West[m], words)
				}
			}
			for m, words := range j.Words {
				if g.Words[m] != words {
					t.Errorf("sfen %s: the board writes %s as %q, expected %q", j.SFEN, m, g.Words[m], words)
				}
			}
		}
	}
}

// mark is what stands before a move of the side to move.
func mark(p *shogi.Position) string { return [2]string{"▲", "△"}[p.SideToMove()] }
