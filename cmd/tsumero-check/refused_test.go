package main

import (
	"strings"
	"testing"
)

// A certificate without one of the conditions of the format proves nothing, and is refused for just
// that. The witness refuses it too.
func TestRefused(t *testing.T) {
	const (
		mateInOne   = "4k4/9/4P4/9/9/9/9/9/9 b G 1"
		mateInThree = "8k/9/9/9/9/7B1/7R1/9/9 b - 1" // 2f4d 1a1b 4d2b+
		onLine      = "7lk/9/7G1/9/9/9/9/9/9 b Lp 1" // L*1d, and P*1b and P*1c are futile
		stalemate   = "8k/R8/9/9/9/9/9/9/7R1 w - 1"
	)
	for _, test := range []struct {
		name             string
		kind, sfen, rest string // rest: all after the attacker, Black
		want             string // in the error; "": it is accepted
	}{
		{"stalemate is no mate", "mate", stalemate, "plies 0", "the defender is to move, but not in check"},
		{"a reply without a check", "nomate", "8k/9/9/9/9/9/9/9/9 w - 1", "1a1b",
			"the defender is to move, but not in check"},
		{"a move that does not check", "mate", "8k/9/R8/9/9/9/9/9/7R1 b - 1", "plies 1\n9c9b",
			"no legal move, or does not check"},
		{"a mate", "mate", mateInOne, "plies 1\nG*5b", ""},
		{"more than the mate", "mate", mateInOne, "plies 1\nG*5b G*5b", "there is more after the end"},
		{"more plies than the plan has", "mate", mateInOne, "plies 3\nG*5b", "the plan mates in 1 plies, not 3"},
		{"giving away a piece", "mate", "4k4/9/4P4/9/9/9/9/9/9 b 2G 1", "plies 1\nG*5b!G", ""},
		{"keeping more than he holds", "mate", "4k4/9/4P4/9/9/9/9/9/9 b Gg 1", "plies 1\nG*5b!2G",
			"the attacker does not hold \"2G\""},

		{"no mate within one ply", "within", mateInThree, "plies 1", ""},
		{"a mate within one ply", "within", mateInOne, "plies 1", "is not covered"},
		{"checks, and three plies", "within", mateInThree, "plies 3", "is not covered"},
		{"a mate after the replies", "within", mateInThree,
			"plies 3\n8k/9/9/9/9/7B1/7R1/9/9 - 3 : 1a1b 1a2a", "is not covered"},
		{"a member of fewer plies", "within", "4k4/9/9/9/9/9/9/9/9 b P 1",
			"plies 5\n4k4/9/9/9/9/9/9/9/9 P 3 : 5a4b", "is not covered"},
		{"a member", "nomate", "4k4/9/9/9/9/9/9/9/9 b P 1", "4k4/9/9/9/9/9/9/9/9 P : 5a4b", ""},
		{"a member with less in hand", "nomate", "4k4/9/9/9/9/9/9/9/9 b 2P 1",
			"4k4/9/9/9/9/9/9/9/9 P : 5a4b", "is not covered"},
		{"a member that holds what is not in play", "nomate", "8k/9/9/9/9/9/9/9/9 b - 1",
			"9/9/9/9/9/9/9/9/8k N :", "there are not so many pieces"},
		{"a member that there cannot be", "nomate", "8k/9/9/9/9/9/9/9/9 b 2p 1",
			"8k/9/9/9/9/9/9/P8/P8 - :", "two pawns are on a file"},

		{"another check that may mate later", "sound", mateInOne, "plies 1\nG*5b ? ? ? 5a6a ? ?", "is not covered"},
		{"a length", "length", mateInOne, "plies 1\nleast 1\nG*5b", ""},
		{"a length that is less", "length", mateInOne, "plies 1\nleast 0\nG*5b", ""},
		{"a length that cannot be", "length", mateInOne, "plies 1\nleast 3\nG*5b", "cannot be at least 3 and at most 1"},
		{"a length that the plan does not keep", "length", mateInThree, "plies 1\nleast 1\n2f4d 4d2b+", "not 1"},
		{"a length that is not held", "length", mateInOne, "plies 3\nleast 3\nG*5b", "no legal reply"},
		{"futile drops", "length", onLine, "plies 1\nleast 1\nL*1d x1d1b^ x1d1c", ""},
		{"a futile drop of which there is another in hand", "length", onLine,
			"plies 1\nleast 1\nL*1d x1d1b^ x1d1c^ x1c1b", "the piece that was taken is in play"},
		{"a capture that is none", "length", onLine, "plies 1\nleast 1\nL*1d x1d1a x1d1c", "cannot take so"},
		{"a capture that does not check", "length", onLine, "plies 1\nleast 1\nL*1d x1d1b x1d1c+", "cannot take so"},
		{"a drop that is answered", "length", onLine, "plies 3\nleast 1\nL*1d 1d1b x1d1c", ""},
		{"a reference to what there is not", "length", onLine, "plies 3\nleast 1\nL*1d =1 x1d1c", "there is no such position"},
		{"no drop on the line is futile", "length", mateInThree, "plies 1\nleast 1\n2f4d x2f1f", "can be no futile drop"},

		{"checks left open", "sound", mateInOne, "plies 1\nG*5b ? ? ? ? ? ?", ""},
	} {
		text := "tsumero-cert 1 " + test.kind + "\nsfen " + test.sfen + "\nattacker black\n" + test.rest + "\n"
		_, err := check(strings.NewReader(text))
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
		if _, err := holds(text); (err == nil) != (test.want == "") {
			t.Errorf("%s: the witness says %v", test.name, err)
		}
	}
}
