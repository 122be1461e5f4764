package main

import (
	"bytes"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/cmd/internal/command"
)

// Pictures of a position and of a solution, by the ending of the file, and what is refused.
func TestDiagram(t *testing.T) {
	const problem = "9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1"
	dir := t.TempDir()
	draw := func(args ...string) []byte {
		t.Helper()
		path := filepath.Join(dir, args[0])
		code, stdout, stderr := tsumero(t.Context(), "", append([]string{"diagram", "--output", path}, args[1:]...)...)
		if code != 0 || stdout+stderr != "" {
			t.Fatalf("%q: %d %s%s", args, code, stdout, stderr)
		}
		picture, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return picture
	}
	decode := func(picture []byte) *gif.GIF {
		t.Helper()
		all, err := gif.DecodeAll(bytes.NewReader(picture))
		if err != nil {
			t.Fatal(err)
		}
		return all
	}

	if _, svg, _ := tsumero(t.Context(), problem, "diagram"); !strings.HasPrefix(svg, "<svg ") {
		t.Errorf("by itself: %.20s", svg)
	}
	first, err := png.DecodeConfig(bytes.NewReader(draw("a.PNG", "--size", "200", problem)))
	if err != nil || first.Width != 200 {
		t.Errorf("%v, %v", first, err)
	}
	// The solution is that of books: 3 plies, where the longest reply to each move makes it 5.
	all := decode(draw("b.gif", "--delay", "500ms", "--loop", "2", "7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1"))
	if len(all.Image) != 4 || all.LoopCount != 1 || all.Delay[1] != 50 {
		t.Errorf("%d frames, %d times, delays %v", len(all.Image), all.LoopCount, all.Delay)
	}
	// Moves that are given are not searched; of a record they are the author's.
	line := draw("c.gif", problem+" moves G*4c")
	if all := decode(line); len(all.Image) != 2 {
		t.Errorf("%d frames of one move", len(all.Image))
	}
	kif := filepath.Join(dir, "d.kif")
	code, record, stderr := tsumero(t.Context(), "", "solve", "--output", "kif", problem)
	if err := os.WriteFile(kif, []byte(record), 0o600); code != 0 || err != nil {
		t.Fatal(stderr, err)
	}
	if all := decode(draw("d.gif", "--attacker-hand", "--title", "第一番", "--lang", "en", "--theme", "print",
		"--pieces", "international", "--flip", "--file", kif)); len(all.Image) != 4 {
		t.Errorf("%d frames of a record of three moves", len(all.Image))
	}

	for _, c := range []struct {
		args   string
		code   int
		stderr string
	}{
		{"-o x.jpg " + problem, command.ExitUsage, `--output is "x.jpg", but must end in .svg, .png or .gif`},
		{"--format bmp --theme red " + problem, command.ExitUsage, `--theme is "red"`},
		{"--size 100 " + problem, command.ExitUsage, "--size: found the width 100, expected one from 160 to 1600 pixels"},
		{"--format gif --size 700 " + problem, command.ExitUsage, "--size: found the width 700, expected one from 160 to 640"},
		{"--format gif --delay 0 " + problem, command.ExitUsage, "--delay is 0s, but must be from "},
		{"--format svg --delay 1s --loop 2 " + problem, command.ExitUsage, "--loop is for GIF alone"},
		{"--format gif --delay 1ms " + problem, command.ExitUsage, "--delay: "},
		{"--format gif 9/4k4/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1", command.ExitNegative, "there is no mate to show"},
		{"--format gif --nodes 1 7k1/9/9/9/9/9/9/9/9 b B2G2SL2P2rb2g2s4n3l16p 1", exitUnknown, "no mate was found to show: limit_nodes"},
		{problem + " moves 9i9h", command.ExitBadPosition, "move 1: 9i9h is not legal"},
		{"4k4/9", command.ExitBadPosition, "found 2 ranks"},
	} {
		code, stdout, stderr := tsumero(t.Context(), "", append([]string{"diagram"}, strings.Fields(c.args)...)...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%s: code %d, want %d; %s", c.args, code, c.code, stderr)
		}
	}
}
