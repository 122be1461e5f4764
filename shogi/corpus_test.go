package shogi_test

import (
	"path/filepath"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

// TestRefusedDiagrams holds the diagrams that were published, or collected, but break the rules of
// the game.
func TestRefusedDiagrams(t *testing.T) {
	checkVectors(t, "testdata/refused.txt", func(input string) []string {
		_, err := shogi.ParseSFEN(input)
		if err == nil {
			t.Errorf("%q is accepted", input)
			return nil
		}
		return faultLines(t, input, err)
	})
}

// TestCorpus reads every position of testdata, and of the corpus if one is named: all but
// the refused diagrams are positions, and the canonical text of each gives the same again.
func TestCorpus(t *testing.T) {
	refused := map[string]bool{}
	for _, v := range vectors(t, "testdata/refused.txt") {
		refused[v.input] = true
	}
	var buf shogi.MoveBuffer
	for _, file := range append(shogitest.Corpus(t, "*.tsv"), "testdata/perft.tsv") {
		for _, sfen := range sfensOf(t, file) {
			p, err := shogi.ParseSFEN(sfen)
			if (err != nil) != refused[sfen] {
				t.Errorf("%s: %q: %v, refused before: %v", filepath.Base(file), sfen, err, refused[sfen])
			}
			if err != nil {
				continue
			}
			text := p.SFEN()
			q, err := shogi.ParseSFEN(text)
			if err != nil || q != p {
				t.Errorf("%s: %q: its canonical text %q gives %s, %v", filepath.Base(file), sfen, text, q.SFEN(), err)
			}
			s := p.Setup()
			if q, err := s.Position(); err != nil || q != p {
				t.Errorf("%s: %q: its Setup gives %s, %v", filepath.Base(file), sfen, q.SFEN(), err)
			}
			if p.HasCheck() != (len(p.Checks(&buf, shogi.AllMoves)) > 0) {
				t.Errorf("%s: %q: has a check: %v", filepath.Base(file), sfen, p.HasCheck())
			}
			if q := p.Rotated(); q.Rotated() != p || q.BoardKey() != q.ForSearch().RecomputeBoardKey() {
				t.Errorf("%s: %q: turned twice it is another", filepath.Base(file), sfen)
			}
		}
	}
}

// sfensOf returns the positions of a tab-separated file or of a vector file.
func sfensOf(t testing.TB, file string) []string {
	t.Helper()
	var sfens []string
	if filepath.Ext(file) == ".tsv" {
		for _, row := range rows(t, file) {
			sfens = append(sfens, row[0])
		}
		return sfens
	}
	for _, v := range vectors(t, file) {
		sfens = append(sfens, v.input)
	}
	return sfens
}
