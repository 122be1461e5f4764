package length_test

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
)

// TestReplies: what each reply comes to within 4 plies. A futile drop has its type and the capture
// that shows it, another reply the length of the position if it is played.
func TestReplies(t *testing.T) {
	const most, unbounded = 4, "not looked at"
	for _, test := range []struct {
		name   string
		sfen   string
		policy length.Policy
		want   map[string]string
	}{
		{"the rook takes, and what is left is no longer", "8k/7L1/9/8R/9/7R1/9/9/9 w bl 1", length.F2,
			map[string]string{"B*1b": "2", "L*1b": "2", "B*1c": "narrow 1d1c", "L*1c": "narrow 1d1c"}},
		{"final: only where nothing else holds out", "8k/7L1/9/8R/9/7R1/9/9/9 w bl 1", length.F1,
			map[string]string{"B*1b": "2", "L*1b": "2", "B*1c": "4", "L*1c": "4"}},
		{"every legal move counts", "9/3B5/9/lb7/k1R6/nl7/2N6/9/4K4 w p 1", length.F0,
			map[string]string{"P*8e": "2"}},
		{"the rook takes, with mate", "9/3B5/9/lb7/k1R6/nl7/2N6/9/4K4 w p 1", length.F1,
			map[string]string{"P*8e": "x 7e8e"}},
		// Squares behind one where a drop lasts too long are not looked at.
		{"drops on one square", "9/4k3R/7S1/3S1G3/9/9/9/9/9 w Grp 1", length.F2, map[string]string{
			"5b4a": "2", "5b5a": "2", "5b6a": "2", "P*4b": "4", "R*4b": "more",
			"P*3b": unbounded, "R*3b": unbounded, "P*2b": unbounded, "R*2b": unbounded}},

		// Only the dragon guards 1h and 2i both, from 2h too; the bishop there would stand in its way.
		//
		//	5  4  3  2  1
		//	B  .  .  .  .  e
		//	.  .  .  .  .  f
		//	.  .  . +R  .  g
		//	.  .  .  .  .  h
		//	.  .  .  . vK  i
		{"another piece takes", "9/9/9/9/4B4/9/7+R1/9/8k w s 1", length.F3,
			map[string]string{"S*2h": "xy 2g2h", "S*3g": "x 5e3g", "S*4f": "x 5e4f"}},
		{"another piece must not take", "9/9/9/9/4B4/9/7+R1/9/8k w s 1", length.F2,
			map[string]string{"S*2h": "2", "S*3g": "narrow 5e3g", "S*4f": "narrow 5e4f"}},
		// The horse on 2c would stand in the way of the rook on 2f, which guards 2a and 2b. The one on 2a
		// is not needed but for that.
		{"a piece takes that had no part", "7R1/8k/6B2/8K/5+B3/7R1/9/9/9 w n 1", length.F3,
			map[string]string{"N*2c": "xy 2a2c+ new", "N*3d": "x 4e3d"}},
		// The lance on 2c would stand in the way of the bishop that guards 1b. The one on 4a takes instead,
		// guards that square itself, and uncovers the rook.
		//
		//	9     4  3  2  1
		//	R  …  B  . vK vL a
		//	.     .  .  .  .  b
		//	.     .  .  .  .  c
		//	.     .  .  .  N  d
		//	.     B  L  .  .  e
		//	.     .  .  L  .  f
		{"a third piece checks", "R4B1kl/9/9/8N/5BL2/7L1/9/9/9 w p 1", length.F3,
			map[string]string{"P*2b": "x 2f2b", "P*2c": "xyz 4a2c+ new", "P*2d": "x 2f2d", "P*2e": "x 2f2e"}},
		{"a removal that is none of these", "9/4R4/6B+R1/9/8k/9/9/9/9 w p 1", length.F3,
			map[string]string{"1e1f": "2", "P*2d": "any 2c2d"}},
		// The bishop on 5f takes on 1b with mate, too; but what the rook shows holds for every policy.
		{"both can take", "8k/6K2/9/9/9/4B4/8R/9/9 w p 1", length.F3, map[string]string{
			"P*1b": "x 1g1b", "P*1c": "x 1g1c", "P*1d": "x 1g1d", "P*1e": "x 1g1e", "P*1f": "x 1g1f"}},
	} {
		for session, e := range map[string]*length.Engine{
			"no session": length.NewEngine(nil), "dfpn": length.NewEngine(dfpn.NewSession()),
		} {
			e.Begin(shogi.Black, test.policy)
			replies, reason := e.Replies(context.Background(), shogi.MustParseSFEN(test.sfen), most, 0)
			got := map[string]string{}
			for _, r := range replies {
				text := fmt.Sprint(r.Length)
				switch {
				case r.Futile != length.NotFutile:
					text = fmt.Sprint(r.Futile, " ", r.Capture)
				case r.Length == length.Unbounded:
					text = unbounded
				case r.Length > most:
					text = "more"
				}
				if r.NewPiece {
					text += " new"
				}
				got[r.Move.String()] = text
			}
			if !maps.Equal(got, test.want) || reason != solver.NoReason {
				t.Errorf("%s, %s: %v %s, want %v", test.name, session, got, reason, test.want)
			}
		}
	}
}
