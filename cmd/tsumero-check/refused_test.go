package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/solver/certificate/certificatetest"
)

// A certificate without one of the conditions of the format proves nothing, and is refused for just
// that. The witness refuses it too.
func TestRefused(t *testing.T) {
	const (
		mateInOne   = "4k4/9/4P4/9/9/9/9/9/9 b G 1"
		mateInThree = "8k/9/9/9/9/7B1/7R1/9/9 b - 1"  // 2f4d 1a1b 4d2b+
		onLine      = "7lk/9/7G1/9/9/9/9/9/9 b Lp 1"  // L*1d, and P*1b and P*1c are futile
		inCheck     = "7lk/9/7G1/8L/9/9/9/9/9 w 2p 1" // P*1b and P*1c are futile: mated by convention
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

		{"nothing but futile drops", "length", inCheck, "plies 0\nleast 0\nx1d1b x1d1c x1c1b", ""},
		{"the same, counted", "length", inCheck, "plies 4\nleast 0\n1d1b 1d1c 1c1b", ""},
		{"a drop that is taken with mate does not last", "length", inCheck, "plies 4\nleast 2\n1d1b 1d1c 1c1b P*1b",
			"word 19, \"\": this is no legal reply"},
		{"nor if it is said to be none", "length", inCheck, "plies 4\nleast 2\n1d1b 1d1c 1c1b P*1b?",
			"word 19, \"\": this is no legal reply"},
		{"a drop is not compared with itself", "length", inCheck, "plies 4\nleast 0\n1d1b x1d1c 1c1b P*1c",
			"word 18, \"P*1c\": this is no legal reply, or not near enough"},
	} {
		text := "tsumero-cert 1 " + test.kind + "\nsfen " + test.sfen + "\nattacker black\n" + test.rest + "\n"
		_, err := check(strings.NewReader(text))
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
		if _, err := certificatetest.Holds(text); (err == nil) != (test.want == "") {
			t.Errorf("%s: the witness says %v", test.name, err)
		}
	}
}

// Each reason is there in Japanese, with the same arguments in the same order.
func TestReasonsInJapanese(t *testing.T) {
	files, _ := filepath.Glob("*.go")
	verb := regexp.MustCompile(`%[a-z]`)
	used := 0
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if name, ok := call.Fun.(*ast.Ident); !ok || name.Name != "require" {
				return true
			}
			reason, err := strconv.Unquote(call.Args[1].(*ast.BasicLit).Value)
			used++
			if ja := reasonsJa[reason]; err != nil || ja == "" ||
				!slices.Equal(verb.FindAllString(reason, -1), verb.FindAllString(ja, -1)) {
				t.Errorf("%q is %q in Japanese", reason, ja)
			}
			return true
		})
	}
	if used < 40 {
		t.Errorf("%d reasons were found", used)
	}
}

// A plan is one for its own hands, and if nothing in it is of the convention for those that are better
// for its side.
func TestSuits(t *testing.T) {
	at := func(hands string) position {
		return position{board: parseBoard("4k4/9/9/9/9/9/9/9/9"), hands: parseHands(hands)}
	}
	const own = "2P2p"
	for _, test := range []struct {
		hands                      string
		mates, holds, own, ownHold bool // by a simple plan of either side, and by one that is not
	}{
		{own, true, true, true, true},
		{"3P2p", true, false, false, false},
		{"2Pp", true, false, false, false},
		{"3Pp", true, false, false, false},
		{"P2p", false, true, false, false},
		{"2P3p", false, true, false, false},
		{"P3p", false, true, false, false},
		{"3P3p", false, false, false, false},
		{"2PG2p", true, false, false, false},
	} {
		p := at(test.hands)
		for i, want := range []bool{test.mates, test.holds, test.own, test.ownHold} {
			m := measured{position: at(own), mates: i%2 == 0, simple: i < 2}
			if got := m.suits(&p); got != want {
				t.Errorf("%s, case %d: %v", test.hands, i, got)
			}
		}
	}
	other, m := at(own), measured{position: at(own), simple: true}
	if other.board[0] = 2; m.suits(&other) {
		t.Error("another board")
	}
}
