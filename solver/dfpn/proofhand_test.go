package dfpn

import (
	"testing"

	"github.com/tsumero/tsumero/shogi"
)

// hand returns the attacker's hand that the letters name, such as "2PS".
func hand(t *testing.T, letters string) shogi.Hand {
	t.Helper()
	if letters == "-" {
		return 0
	}
	p, err := shogi.ParseSFEN("k8/9/9/9/9/9/9/9/9 b " + letters + " 1")
	if err != nil {
		t.Fatal(err)
	}
	return p.Hand(shogi.Black)
}

// TestHandsBefore takes what is needed, or does not suffice, after a move back to before it.
func TestHandsBefore(t *testing.T) {
	for _, c := range []struct{ sfen, move, after, before string }{
		{"4k4/9/4P4/9/9/9/9/9/9 b G 1", "G*5b", "-", "G"},
		{"4k4/9/4P4/9/9/9/9/9/9 b 2GP 1", "G*5b", "GP", "2GP"},
		{"4k4/4s4/9/9/9/9/9/4R4/9 b 3S 1", "5h5b", "2S", "S"},
		{"4k4/4s4/9/9/9/9/9/4R4/9 b 3S 1", "5h5b+", "S", "-"},
		{"4k4/4s4/9/9/9/9/9/4R4/9 b 3S 1", "5h5b", "-", "-"},
		{"4k4/4s4/9/9/9/9/9/4R4/9 b 3S 1", "5h5b", "G", "G"},
		{"4k4/4+p4/9/9/9/9/9/4R4/9 b 3P 1", "5h5b", "3P", "2P"},
		{"4k4/4+b4/9/9/9/9/9/4R4/9 b B 1", "5h5b", "B", "-"},
		{"4k4/9/4P4/9/9/9/9/9/9 b 2GP 1", "5c5b", "2GP", "2GP"},
	} {
		p := shogi.MustParseSFEN(c.sfen)
		m, err := shogi.ParseMove(c.move)
		if err != nil || !p.IsLegal(m) {
			t.Fatalf("%s %s: %v", c.sfen, c.move, err)
		}
		after, before := hand(t, c.after), hand(t, c.before)
		if got := handBefore(&p, m, after); got != before {
			t.Errorf("%s: %s before %s: %s, want %s", c.sfen, c.after, c.move, got, c.before)
		}
	}
}

// TestProofOfDefence: what the defender has none of, but could interpose if he had one, must stay
// with the attacker.
func TestProofOfDefence(t *testing.T) {
	for _, c := range []struct{ name, sfen, want string }{
		{"a rook from afar, all in the attacker's hand", "4k4/9/9/9/9/9/9/9/4R4 w RBGSNLP 1", "RBGSNLP"},
		{"the defender has some of each already", "4k4/9/9/9/9/9/9/9/4R4 w BGSNLPbgsnlp 1", "-"},
		{"next to the king", "4k4/4R4/9/9/9/9/9/9/9 w BGSNLP 1", "-"},
		{"two checks", "4k4/9/3N5/9/9/9/9/9/4R4 w BGSNLP 1", "-"},
		{"a knight", "4k4/9/3N5/9/9/9/9/9/9 w BGSNLP 1", "-"},
		{"a pawn on the file already", "4k4/9/9/4R4/9/9/4p4/9/9 w BP 1", "B"},
		{"the attacker's own pawn is no bar", "4k4/9/9/4R4/9/9/4P4/9/9 w BP 1", "BP"},
		{"on the last rank pawn, lance and knight would be stuck", "9/9/9/9/9/9/9/9/k3R4 w BGSNLP 1", "BGS"},
		{"on the last but one the knight", "9/9/9/9/9/9/9/k3R4/9 w BGSNLP 1", "BGSLP"},
		{"pawns on some of the files only", "k4R3/9/1p7/2p6/9/9/9/9/9 w P 1", "P"},
		{"pawns on all files between", "k3R4/9/1p7/2p6/3p5/9/9/9/9 w PG 1", "G"},
	} {
		p := shogi.MustParseSFEN(c.sfen)
		if got, want := proofOfDefence(&p, 0), hand(t, c.want); got != want {
			t.Errorf("%s: sfen %s: %s, want %s", c.name, c.sfen, got, c.want)
		}
	}
}

// TestDisproofOfAttack: what the attacker has none of, but could check with if he had one, he must
// not get.
func TestDisproofOfAttack(t *testing.T) {
	for _, c := range []struct{ name, sfen, want string }{
		{"an open king", "9/9/9/9/4k4/9/9/9/9 b 2r2b4g4s4n4l18p 1", "-"},
		{"he has one of each", "9/9/9/9/4k4/9/9/9/9 b RBGSNLPrb3g3s3n3l17p 1", "2R2B4G4S4N4L18P"},
		{"a pawn on the file", "9/9/9/9/4k4/9/9/9/4P4 b 2p 1", "2P"},
		{"the defender's pawn is no bar", "9/9/4p4/9/4k4/9/9/9/9 b 2p 1", "-"},
		{"shut in", "6lkl/6ppp/9/9/9/9/9/9/9 b 2r2b4g4s4nl14p 1", "2R2B4G4SL14P"},
	} {
		p := shogi.MustParseSFEN(c.sfen)
		if got, want := disproofOfAttack(&p, total(&p)), hand(t, c.want); got != want {
			t.Errorf("%s: sfen %s: %s, want %s", c.name, c.sfen, got, c.want)
		}
	}
}

// TestDisproofOfAttackInCheck: an attacker in check is left nothing of what he lacks, without a
// look at where a drop could check. With his own pawn on the defender's file a pawn could not
// (nifu), so out of check he may get all pawns.
func TestDisproofOfAttackInCheck(t *testing.T) {
	for _, c := range []struct{ name, sfen, want string }{
		{"not in check", "4k4/9/9/9/9/9/4P4/r8/4K4 b 2p 1", "2P"},
		{"in check", "4k4/9/9/9/9/9/4P4/9/4K3r b 2p 1", "-"},
		{"in check, and he has a gold", "4k4/9/9/9/9/9/4P4/9/4K3r b G2pg 1", "2G"},
	} {
		p := shogi.MustParseSFEN(c.sfen)
		if got, want := disproofOfAttack(&p, total(&p)), hand(t, c.want); got != want {
			t.Errorf("%s: sfen %s: %s, want %s", c.name, c.sfen, got, c.want)
		}
	}
}
