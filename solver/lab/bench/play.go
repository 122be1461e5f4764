package bench

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
)

// games are positions of games, an SFEN a line.
//
//go:embed play.sfen
var games []byte

// A PlayRow is what one playing engine did.
type PlayRow struct {
	Name      string
	Positions int
	Nodes     uint64 // of one pass
	Allocs    uint64 // objects on the heap, of one pass
	Passes    int
	Elapsed   time.Duration // of all passes
}

// A Player is a playing engine with its name.
type Player struct {
	Name string
	play.Engine
}

// Play lets each engine search the same positions of games to a depth, as if each was a game of its
// own, and reports a row for each engine. The nodes of engines of one thread are the same on every
// machine.
func Play(ctx context.Context, o Options, depth int, players []Player,
	report func(PlayRow) error) error {
	list, err := readGames()
	if err != nil {
		return err
	}
	for _, e := range players {
		row := PlayRow{Name: e.Name, Positions: len(list)}
		for again := true; again; again = o.goOn(row.Passes, row.Elapsed) {
			var nodes, allocs uint64
			for i := range list {
				e.NewGame()
				before := allocations()
				start := time.Now()
				nodes += e.Search(ctx, &list[i], play.Limits{Depth: depth}, nil).Nodes
				row.Elapsed += time.Since(start)
				allocs += allocations() - before
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			row.Nodes, row.Allocs = nodes, allocs
			row.Passes++
		}
		if err := report(row); err != nil {
			return err
		}
	}
	return nil
}

func readGames() (list []shogi.Game, err error) {
	lines := bufio.NewScanner(bytes.NewReader(games))
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		p, err := shogi.ParseSFEN(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("play.sfen: %w", err)
		}
		list = append(list, shogi.NewGame(p))
	}
	return list, lines.Err()
}

func allocations() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}
