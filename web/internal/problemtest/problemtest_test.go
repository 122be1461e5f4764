package problemtest

import (
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
)

// TestUnsound: what is open, and what is left over, is not taken for sound.
func TestUnsound(t *testing.T) {
	z := analysis.NewAnalyzer(dfpn.NewSession())
	for _, sfen := range []string{
		"9/6Spk/9/5R1+B1/9/9/9/9/9 b Nrb4g3s3n4l17p 1", // a check is not decided
		"9/4k4/9/4P4/9/9/9/9/9 b 3G2r2b1g4s4n4l17p 1",  // a gold is left over
	} {
		if Unsound(Analyze(t, z, shogi.MustParseSFEN(sfen)), 3) == "" {
			t.Errorf("%s is taken for sound", sfen)
		}
	}
}
