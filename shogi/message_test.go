package shogi_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

// TestMessages reads texts with faults: each says code, facts, English and Japanese. No sentence of
// texts.go is without an example.
func TestMessages(t *testing.T) {
	seen := shogitest.Texts{}
	lines := func(err error) (lines []string) {
		bad, ok := errors.AsType[*shogi.SFENError](err)
		if !ok {
			t.Fatalf("%v is no SFENError", err)
		}
		if m := bad.Message(); err.Error() != "shogi: "+m.String() {
			t.Errorf("%v says %q", err, m)
		} else {
			seen.Lines(m)
		}
		for _, f := range bad.Faults {
			if f.Code != f.Msg.Text.Code {
				t.Errorf("%q says %q", f.Code, f.Msg)
			}
			lines = append(lines, seen.Lines(f.Msg)...)
		}
		return lines
	}
	checkVectors(t, "testdata/messages.txt", func(input string) []string {
		_, err := shogi.ParsePosition(input)
		if _, alone := shogi.ParseSFEN(input); alone != nil && !strings.Contains(input, "moves") {
			err = alone
		}
		return lines(err)
	})

	_, err := shogi.ParseSFEN(strings.Repeat(" ", shogi.MaxPositionText+1))
	long := lines(err)
	s := shogi.Setup{Hands: [2]shogi.Hand{1 << 5}, Side: 2}
	s.Board[shogi.SquareAt(shogi.File5, shogi.RankE)] = 255
	_, err = s.Position()
	for i, line := range append(long, lines(err)...) {
		if want := []string{
			"too_long [1048577 1048576]", "\tfound 1048577 bytes, expected at most 1048576",
			"\t1048577バイトあります（1048576バイトまで）。",
			"piece_letter [255 5e]", "\tfound no piece but the value 255 on 5e", "\t5五の値255は駒ではありません。",
			"hand_count [32 black]", "\tfound no hand but the value 0x20 for black",
			"\t先手の持駒の値0x20は持駒ではありません。",
			"side [2]", "\tfound the value 2, expected Black or White", "\t手番の値2は先手でも後手でもありません。",
			"ply [0 1000000]", "\tfound move number 0, expected 1 to 1000000", "\t手数が0です（1から1000000まで）。",
		}[i]; line != want {
			t.Errorf("%q, want %q", line, want)
		}
	}

	for move := shogi.Move(0); move < 1<<15; move++ { // the one reason that no text leads to
		p := shogi.Start()
		if illegal, ok := errors.AsType[*shogi.IllegalError](p.Illegal(move)); ok {
			seen.Lines(illegal.Msg)
		}
	}
	_, err = shogi.ParseSquare("x")
	if m, ok := shogi.MessageOf(err); !ok || m.Japanese() !=
		"「x」はマスではありません（7g のように筋の 1～9 と段の a～i で書きます）。" {
		t.Errorf("%v says %q", err, m.Japanese())
	} else {
		seen.Lines(m)
	}
	seen.CheckAll(t, "texts.go")
}
