// Package levels makes engines by the names of their levels.
package levels

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/eval"
	"github.com/tsumero/tsumero/solver/play/levels/naginagi"
	"github.com/tsumero/tsumero/solver/play/search"
)

// Options are those of all levels. A level heeds those it has a use for, and the zero Options work.
type Options struct {
	Seed       uint64 // of the levels that choose by chance
	TableBytes int    // of the table; 0: the level's own size
	HugePages  bool   // for the table of full: see search.Options
	Threads    int    // 0: one
	Nodes      uint64 // that club and full look at for a move; 0: 5000 of club, any number of full
	Sees       int    // percent of the legal moves that full sees, by chance; 0: all
	// Spread makes club and full play a move that they value by up to so many centipawns lower than
	// the best now and then, play.MaxSpread at most; 0: never.
	Spread int
	// DrawValue is what a draw is worth to club and full, in centipawns.
	DrawValue int
	// Net values the positions of full; nil: the one that is built in.
	Net *eval.Net
}

// RequestTable is how large the table of a search for a single move is, where a client asks for it.
// It does not follow the memory: the same question has the same answer on every machine.
const RequestTable = 4 << 20

// A Level is an engine that people choose by its name, and all that a program has to know of it: a
// new one is a row here, with a file for its engine if that is new too.
type Level struct {
	Name   string
	Ja, En string // what pages call it
	About  string // what it does, for help texts
	// Elo is by how much it is stronger than random moves, as measured: ladder.tsv has the games.
	// The levels stand in its order. A search without end had 50,000 nodes for a move.
	Elo int
	// IsOpponent says that it is on the ladder that people choose from; the others are for engines
	// and scripts.
	IsOpponent bool
	new        func(o Options) play.Engine
	// IsUnbounded says that a search without limits goes on until its context ends.
	IsUnbounded bool
}

// list has the levels, the weakest first.
var list = []Level{
	{Name: "random", Ja: "でたらめ", En: "random moves", About: "any legal move",
		Elo: 0, new: func(o Options) play.Engine { return &random{o.Seed} }},
	{Name: "novice", Ja: "入門", En: "novice", About: "for a first game: overlooks almost every move",
		Elo: 480, IsOpponent: true, new: opponent(Options{Nodes: 100, Sees: 7})},
	{Name: "beginner", Ja: "初級", En: "beginner", About: "overlooks four moves of five, also mates",
		Elo: 940, IsOpponent: true, new: opponent(Options{Nodes: 100, Sees: 22})},
	{Name: "naginagi", Ja: "なぎなぎ", En: "naginagi",
		About: "looks three plies ahead and asks a network that learned from random games",
		Elo:   1360, new: func(Options) play.Engine { return naginagi.New(nil) }},
	{Name: "intermediate", Ja: "中級", En: "intermediate", About: "overlooks more than half of the moves",
		Elo: 1570, IsOpponent: true, new: opponent(Options{Nodes: 250, Sees: 42})},
	{Name: "asayomi", Ja: "浅読み（3手）", En: "asayomi: 3 plies",
		About: "looks three plies ahead and counts the pieces", Elo: 1700,
		new: func(o Options) play.Engine { return &asayomi{seed: o.Seed} }},
	{Name: "advanced", Ja: "上級", En: "advanced", About: "overlooks nothing, and looks a little ahead",
		Elo: 2190, IsOpponent: true, new: opponent(Options{Nodes: 500, Spread: 100})},
	{Name: "club", Ja: "クラブ", En: "club",
		About: "searches 5,000 positions and counts the pieces: the same on every machine",
		Elo:   2680, new: newClub},
	{Name: "strong", Ja: "強豪", En: "strong", About: "looks further ahead",
		Elo: 2760, IsOpponent: true, new: opponent(Options{Nodes: 6000, Spread: 40})},
	{Name: "full", Ja: "本気", En: "full strength",
		About: "searches as far as it is let, with a network that learned from its games",
		Elo:   3610, IsOpponent: true, new: newFull, IsUnbounded: true},
}

// opponent returns what makes full so weak. Only the seed and the table are left to choose.
func opponent(row Options) func(o Options) play.Engine {
	return func(o Options) play.Engine {
		row := row
		row.Seed, row.TableBytes, row.DrawValue = o.Seed, o.TableBytes, o.DrawValue
		return newFull(row)
	}
}

const defaultClubNodes = 5000

// club is the search with material alone. A move costs so many nodes unless the question says how
// many, so that it plays the same on every machine.
type club struct {
	play.Engine
	nodes uint64
}

func newClub(o Options) play.Engine {
	e := search.New(search.Options{TableBytes: o.TableBytes, DrawValue: o.DrawValue,
		NewSession: newSession})
	return withSpread(&club{e, cmp.Or(o.Nodes, defaultClubNodes)}, o)
}

func withSpread(e play.Engine, o Options) play.Engine {
	if o.Spread <= 0 {
		return e
	}
	return &spread{e, o.Seed, play.Score(o.Spread)}
}

func (c *club) Search(ctx context.Context, g *shogi.Game, lim play.Limits,
	report func(play.Info)) play.Choice {
	lim.Nodes = cmp.Or(lim.Nodes, c.nodes)
	return c.Engine.Search(ctx, g, lim, report)
}

// mateTableBytes is enough for the mates that a search for a move has the time for.
const mateTableBytes = 4 << 20

func newSession() solver.Session { return dfpn.NewSmallSession(mateTableBytes) }

// newFull returns the search with all there is.
func newFull(o Options) play.Engine {
	if o.Net == nil {
		o.Net = eval.Default()
	}
	e := search.New(search.Options{TableBytes: o.TableBytes, HugePages: o.HugePages, Threads: o.Threads,
		Net: o.Net, DrawValue: o.DrawValue, NewSession: newSession})
	if o.Nodes == 0 && o.Sees == 0 {
		return withSpread(e, o)
	}
	return withSpread(&weak{e, o.Seed, o.Nodes, o.Sees}, o)
}

// All returns the levels, the weakest first.
func All() []Level { return slices.Clone(list) }

// Opponents returns the levels that people choose from, the weakest first.
func Opponents() []Level {
	return slices.DeleteFunc(All(), func(l Level) bool { return !l.IsOpponent })
}

// Names returns the names of all levels, the weakest first.
func Names() []string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	return names
}

// New returns an engine of the level with that name.
func New(name string, o Options) (play.Engine, error) {
	l, err := find(name)
	if err != nil {
		return nil, err
	}
	return l.new(o), nil
}

func find(name string) (*Level, error) {
	for i := range list {
		if list[i].Name == name {
			return &list[i], nil
		}
	}
	return nil, fmt.Errorf("there is no level %q; the levels are %s",
		name, strings.Join(Names(), ", "))
}
