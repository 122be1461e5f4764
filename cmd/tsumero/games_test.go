package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/cmd/internal/command"
)

// listedGames are a game with marks, a line that is none, and a game with another mark.
const listedGames = "position sfen 4k4/9/9/4G4/9/9/9/9/4K4 b G2r2b2g4s4n4l18p 1 moves 5d5c P*9e 5i4i\n" +
	"position startpos moves 7g7g\n" +
	"position sfen 4k4/9/4G4/9/9/9/9/9/4K4 b RGr 1 moves R*1a\n"

const gamesText = `, line 1: 3 moves; Black missed 1 mate, made 1 threat; White walked into 1 mate, ignored 1 threat; 3 questions open, which are no mistakes
   1 G-5c       threatens mate in 1: G*5b
   2 P*9e       walked into a mate in 1: G*5b (not after P*5h)
   2 P*9e       ignored the threat (no mate after P*5h)
   3 K-4i       missed a mate in 1: G*5b (now P*4h escapes)

`

const gamesTextEnd = `, line 3: 1 move; Black mated otherwise 1 time; White nothing to mark
   1 R*1a       still mates, 2 plies later; there was G*5b
`

// TestGames judges a list of games, and writes them as records with comments.
func TestGames(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "games.sfen")
	if err := os.WriteFile(file, []byte(listedGames), 0o666); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := tsumero(t.Context(), "", "games", "--kif", dir+"/kif/", file)
	if want := file + gamesText + file + gamesTextEnd; code != command.ExitBadPosition || stdout != want {
		t.Errorf("code %d, got\n%swant\n%s", code, stdout, want)
	}
	if !strings.Contains(stderr, "line 2: 1 fault in the position") ||
		!strings.Contains(stderr, "3 games: 1 missed mates, 1 mates allowed, 1 threats ignored; 3 questions open, 1 faulty;") {
		t.Error(stderr)
	}
	kif, err := os.ReadFile(filepath.Join(dir, "kif", "games-1.kif"))
	if err != nil || !strings.Contains(string(kif), "\n*3 moves; Black missed 1 mate") ||
		!strings.Contains(string(kif), "   3 ４九玉(59)\n*missed a mate in 1: G*5b (now P*4h escapes)\n") {
		t.Errorf("%v %s", err, kif)
	}
}

// TestGamesKeep stops a run by cutting its file off, and goes on: the answers are the same, with any
// number of workers, and those that were kept are not searched again.
func TestGamesKeep(t *testing.T) {
	keep := filepath.Join(t.TempDir(), "games.keep")
	run := func(args ...string) string {
		t.Helper()
		code, stdout, stderr := tsumero(t.Context(), listedGames, append([]string{"games", "-o", "json"}, args...)...)
		if code != command.ExitBadPosition {
			t.Fatalf("code %d: %s", code, stderr)
		}
		return regexp.MustCompile(`"elapsed_us":\d+`).ReplaceAllString(stdout, `"elapsed_us":0`)
	}
	want := run("--jobs", "1")
	if lines := strings.Split(want, "\n"); len(lines) != 4 || !strings.Contains(lines[1], `"type":"/problems/invalid_question"`) {
		t.Fatal(want)
	}
	if got := run("--jobs", "3", "--keep", keep); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	data, err := os.ReadFile(keep)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(keep, data[:len(data)-10], 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := run("--keep", keep); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	after, err := os.ReadFile(keep)
	if err != nil || len(after) != len(data) {
		t.Errorf("%v: the file has %d bytes, and had %d", err, len(after), len(data))
	}
	// Other limits are another question.
	if got := run("--keep", keep, "--nodes", "10"); got == want {
		t.Error("ten nodes are as good as a thousand")
	}
}

// TestGamesPuzzles: the mates of games that are sound become problems, each once whichever side mates
// and whatever is left over, and without names unless those are asked for.
func TestGamesPuzzles(t *testing.T) {
	const (
		// A mate in three that is sound, with a pawn that is left over, and the same turned. In the third
		// game any of two moves mates.
		mates = "position sfen 9/4k4/9/4P4/9/9/9/9/9 b 2GP2r2b2g4s4n4l16p 1 moves G*5c 5b5a G*5b\n" +
			"position sfen 9/9/9/9/9/4p4/9/4K4/9 w 2R2B2G4S4N4L17P2g 1 moves 5f5g\n" +
			"position sfen 4k4/9/4G4/9/9/9/9/9/4K4 b RGr 1 moves 5i4i\n"
		heading = "# sfen\tplies\tmoves\tthemes\n"
		problem = "9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1\t3\t"
	)
	out := filepath.Join(t.TempDir(), "puzzles.tsv")
	read := func() (first, row string) {
		t.Helper()
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		first, row, _ = strings.Cut(string(text), "\n")
		return first + "\n", row
	}
	code, stdout, stderr := tsumero(t.Context(), mates, "games", "--puzzles", out)
	if first, row := read(); code != command.ExitOK || first != heading || strings.Count(row, "\n") != 1 ||
		!strings.HasPrefix(row, problem) || !strings.Contains(stderr, " gave 1 new sound problem; ") {
		t.Errorf("code %d, %s%s\n%s%s", code, stdout, stderr, first, row)
	}
	// It is a collection.
	if code, stdout, stderr := tsumero(t.Context(), "", "solve", out); code != command.ExitOK || !strings.Contains(stdout, "mate in 3") {
		t.Errorf("code %d, %s%s", code, stdout, stderr)
	}
	kif := "先手：甲\n後手：乙 四段\n後手の持駒：残り\n|・ ・ ・ ・ ・ ・ ・ ・ ・|\n|・ ・ ・ ・v玉 ・ ・ ・ ・|\n" +
		"|・ ・ ・ ・ ・ ・ ・ ・ ・|\n|・ ・ ・ ・ 歩 ・ ・ ・ ・|\n" + strings.Repeat("|・ ・ ・ ・ ・ ・ ・ ・ ・|\n", 5) +
		"先手の持駒：金二\n先手番\n   1 ５三金打\n"
	for _, names := range []bool{false, true} {
		args := []string{"games", "--puzzles", out}
		if names {
			args = append(args, "--names")
		}
		code, stdout, stderr := tsumero(t.Context(), kif, args...)
		if _, row := read(); code != command.ExitOK || !strings.HasPrefix(row, problem) || strings.HasSuffix(row, "\t甲 – 乙 四段\n") != names ||
			!names && strings.ContainsAny(row, "甲乙") {
			t.Errorf("code %d, %s%s\n%s", code, stdout, stderr, row)
		}
	}
	if code, _, stderr := tsumero(t.Context(), "", "games", "--puzzles", out, out); code == command.ExitOK ||
		!strings.Contains(stderr, "would replace") {
		t.Errorf("the input is replaced: code %d, %s", code, stderr)
	}
	if code, _, _ := tsumero(t.Context(), mates, "games", "--names"); code != command.ExitUsage {
		t.Errorf("names of nothing: code %d", code)
	}
}
