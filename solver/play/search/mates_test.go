package search_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/search"
)

// matesIn3 returns positions of two kings in which the shortest mate by checks takes 3 plies, also
// those of the corpus if one is named.
func matesIn3(t *testing.T) (positions []string) {
	for _, file := range append(shogitest.Corpus(t, "game-mates.tsv"), "testdata/mate3.tsv") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			fields := strings.Split(strings.TrimSpace(line), "\t")
			if len(fields) > 1 && fields[1] == "3" {
				positions = append(positions, fields[0])
			}
		}
	}
	return positions
}

// A search of 3 plies finds every mate in 3 by looking at all moves. One that prunes finds it at
// once.
func TestMatesIn3(t *testing.T) {
	positions := matesIn3(t)
	plain := search.NewPlain(search.Options{TableBytes: 1 << 12})
	pruning := search.New(search.Options{TableBytes: 1 << 16})
	for _, sfen := range positions {
		g := shogi.NewGame(shogi.MustParseSFEN(sfen))
		for name, c := range map[string]play.Choice{
			"plain":   plain.Search(context.Background(), &g, play.Limits{Depth: 3}, nil),
			"pruning": pruning.Search(context.Background(), &g, play.Limits{Nodes: 1}, nil),
		} {
			if plies, mate := c.Score.Mate(); !mate || plies != 3 {
				t.Errorf("%s: the %s search has %v for %d", sfen, name, c.Line, c.Score)
			}
			checkLine(t, g.Position(), c.Line)
		}
	}
	if len(positions) < 40 {
		t.Errorf("only %d positions", len(positions))
	}
}
