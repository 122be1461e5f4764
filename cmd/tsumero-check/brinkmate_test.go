package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver/certificate"
	"github.com/tsumero/tsumero/solver/certificate/certificatetest"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/threat"
)

// The certificate of a brinkmate proves it, and one that lacks anything proves nothing.
func TestBrinkmate(t *testing.T) {
	t.Parallel()
	ctx, s := context.Background(), threat.New(dfpn.NewSession())
	p := shogi.MustParseSFEN("7nl/7k1/6p2/7Pp/9/9/9/9/9 b GS2r2b3g3s3n3l15p 1")
	shogitest.BothWays(t, p, func(t *testing.T, p shogi.Position, _ func(shogi.Move) shogi.Move) {
		r, err := s.Brinkmate(ctx, p, threat.Limits{})
		if err != nil || r.Plan == nil {
			t.Fatal(r.Verdict, err)
		}
		text := certify(t, func(w *bytes.Buffer) error { return certificate.Brinkmate(ctx, w, p, r.Plan) })
		wantClaim(t, text, p.SideToMove().String(), &p, "mate, or brinkmate in 2 attacks or fewer")
		if said, err := certificatetest.Holds(text); err != nil || said.Plies != 2 {
			t.Errorf("the witness says %+v, %v", said, err)
		}
		words := strings.Fields(text)
		attack := strings.Index(text, "~")
		quiet := strings.LastIndex(text, "~")
		for name, wrong := range map[string]string{
			"fewer attacks":           strings.Replace(text, "attacks 2", "attacks 1", 1),
			"more attacks":            strings.Replace(text, "attacks 2", "attacks 3", 1),
			"the attack as a check":   text[:attack] + text[attack+1:],
			"another attack":          text[:attack+1] + "1a1b" + text[attack+5:],
			"no mate after a pass":    text[:quiet] + strings.Join(strings.Fields(text[quiet:])[:1], " ") + " " + strings.Join(strings.Fields(text[quiet:])[2:], " "),
			"a word too few":          strings.Join(words[:len(words)-1], " "),
			"a word too many":         text + "1a1b",
			"a piece out of play":     strings.NewReplacer("15p", "14p", "15P", "14P").Replace(text),
			"the defender's question": strings.NewReplacer("attacker black", "attacker white", "attacker white", "attacker black").Replace(text),
		} {
			if claim, err := check(strings.NewReader(wrong)); err == nil {
				t.Errorf("%s: %s", name, claim)
			}
			if _, err := certificatetest.Holds(wrong); err == nil {
				t.Errorf("%s: the witness takes it", name)
			}
		}
	})
}

// A check after each reply to which there is a mate is no brinkmate, but its beginning.
func TestBrinkmateByCheck(t *testing.T) {
	text := "tsumero-cert 1 brinkmate\nsfen 4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1\nattacker black\nattacks 1\n~G*5b\n"
	if claim, err := check(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "the last attack checks") {
		t.Error(claim, err)
	}
	if _, err := certificatetest.Holds(text); err == nil {
		t.Error("the witness takes it")
	}
}

// An attack need not check, so that a faulty one is refused only because it is no legal move.
func TestBrinkmateAttack(t *testing.T) {
	text := "tsumero-cert 1 brinkmate\nsfen 4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1\nattacker black\nattacks 1\n~G*5c\n"
	if claim, err := check(strings.NewReader(text)); err == nil || !strings.HasSuffix(err.Error(), ": this is no legal move") {
		t.Error(claim, err)
	}
}
