package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/eval"
	"github.com/tsumero/tsumero/solver/play/levels"
)

// The level full values positions by the EvalFile, the others do not care, and a file that cannot be
// used is named with the reason.
func TestEvalFile(t *testing.T) {
	// This network says that whoever is to move is a pawn better off.
	net, err := eval.NewNet(eval.Weights{Skip: make([]int16, eval.NumFeatures), OutBias: eval.Scale / 4})
	if err != nil {
		t.Fatal(err)
	}
	file, _ := net.AppendBinary(nil)
	path := filepath.Join(t.TempDir(), "a network.net")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	const depth = 3
	expected := func(level string, net *eval.Net) (move, score string) {
		player, err := levels.New(level, levels.Options{Net: net, DrawValue: -2})
		if err != nil {
			t.Fatal(err)
		}
		g := shogi.NewGame(shogi.Start())
		c := player.Search(t.Context(), &g, play.Limits{Depth: depth}, nil)
		return c.Move.String(), fmt.Sprint("cp ", c.Score)
	}
	e := start(t)
	e.read()
	for _, test := range []struct {
		level, file string
		net         *eval.Net
	}{{"full", "", nil}, {"full", path, net}, {"club", path, nil}, {"full", path, net}, {"full", "<empty>", nil}} {
		e.send("setoption name Level value " + test.level + "\n")
		if test.file != "" {
			e.send("setoption name EvalFile value " + test.file + "\n")
		}
		move, score := e.ask(t, "position startpos", fmt.Sprintf("go depth %d", depth))
		if wantMove, wantScore := expected(test.level, test.net); move != wantMove || score != wantScore {
			t.Errorf("level %s, EvalFile %q: %s for %s, want %s for %s", test.level, test.file, move, score,
				wantMove, wantScore)
		}
	}
	_, ownScore := expected("full", nil)
	if _, score := expected("full", net); score == ownScore {
		t.Errorf("with either network the score is %s", score)
	}

	if err := os.WriteFile(path, file[:len(file)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	for wrong, reason := range map[string]string{
		path:              " it has ... bytes, but with 0 units it must have ...",
		path + " is gone": "open ...",
	} {
		e.send("setoption name EvalFile value " + wrong + "\nposition startpos\ngo depth 1\n")
		if err := e.expect("info string EvalFile: ..." + reason + "; the network that is built in plays"); err != nil {
			t.Error(err)
		}
		if err := e.expect("bestmove ..."); err != nil {
			t.Error(err)
		}
	}
}
