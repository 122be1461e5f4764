package notation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi/notation"
)

const drawnBoard = `  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
| ・ ・ ・ ・ ・ ・ ・ ・ ・|一
| ・ ・ ・ ・v玉 ・ ・ ・ ・|二
| ・ ・ ・ ・ ・ ・ ・ ・ ・|三
| ・ ・ ・ ・ 歩 ・ ・ ・ ・|四
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| ・ ・ ・ ・ ・ ・ ・ ・ ・|六
| ・ ・ ・ ・ ・ ・ ・ ・ ・|七
| ・ ・ ・ ・ ・ ・ ・ ・ ・|八
| ・ ・ ・ ・ ・ ・ ・ ・ ・|九
+---------------------------+
`

// What would lose a part of the position, or moves before it, is refused.
func TestNotMisread(t *testing.T) {
	for _, text := range []string{
		"受方：13玉\n攻方：21飛\n　　　45飛馬\n持駒：金\n",
		"受方：13玉\n攻方：21飛 34\n持駒：金\n",
		"受方：13玉\n攻方：21飛 34飛銀\n持駒：金\n",
		"甲の持駒：金\n" + drawnBoard + "乙の持駒：銀\n",
		"https://lishogi.org/analysis/annanshogi/4k4/9/4G4/9/9/9/9/9/9_b_G_1",
		"https://lishogi.org/analysis/9/4k4/9/4G4/9/9/9/9/9/9_b_G_1",
		"https://lishogi.org/analysis/4k4/9/4G4/9/9/9/9/9/9_b_GX2p_1",
		"9/4k4/9/4G4/9/9/9/9/9/9 b G 1",
		"sfen 9/4k4/9/4G4/9/9/9/9/9/9 b G 1",
		"https://example.com/?sfen=4k4/9/4G4/9/9/9/9/9/9%20b%20G%201&moves=+0052KI%",
		"https://example.com/?sfen=lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL%20b%20-%201&moves=+7776FU-3334F",
		"https://example.com/?usen=~.7ku.&branch=9",
		"https://example.com/?usen=~5.7ku.",
		"position startpos moves 7g7f {x} 3c3d",
	} {
		if r, err := notation.Parse([]byte(text), notation.Options{}); err == nil {
			p, _ := r.After(0)
			t.Errorf("%q is read as %s", text, p.SFEN())
		}
	}
}

// The names for the two sides that books use, and hands that stand beside the board in a page.
func TestWholePosition(t *testing.T) {
	const want = "9/4k4/9/4P4/9/9/9/9/9 b 2Gs 1"
	for _, text := range []string{
		"受け方の持駒：銀\n" + drawnBoard + "攻め方の持駒：金二\n",
		"受方持駒：銀\n" + drawnBoard + "詰方持駒：金二\n",
		"<p>後手の持駒：銀</p><p>先手の持駒：金二</p><pre>" + drawnBoard + "</pre>",
		"<html><p>後手の持駒：銀</p><pre>" + drawnBoard + "</pre><pre>先手の持駒：金二</pre></html>",
		"<SCRIPT>let x = 1</SCRIPT><pre>後手の持駒：銀\n" + drawnBoard + "先手の持駒：金二</pre>",
	} {
		r, err := notation.Parse([]byte(text), notation.Options{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if p, _ := r.After(0); p.SFEN() != want {
			t.Errorf("%q is read as %s, want %s", text, p.SFEN(), want)
		}
	}
}

// Tags that are never closed, addresses within addresses, and hands that no board follows, take no
// more than linear time: with squares of these lengths the test would not end.
func TestLinear(t *testing.T) {
	const most = notation.MaxBytes / 2
	for _, part := range []string{"持駒：金\n", "攻方：11歩\r", "攻方：11歩 ", "攻方 攻方：12歩", "攻方の持駒", "<script>", "<!--x>", "<pre>", "*https://b?text=", "https://b?sfen=", "&#1", "<a "} {
		began, text := time.Now(), strings.Repeat(part, most/len(part))
		if strings.HasSuffix(part, "\n") {
			text = smallKIF + text[:len(text)/2]
		}
		_, err := notation.Parse([]byte(text), notation.Options{})
		if err == nil {
			t.Errorf("%q is read", part)
		}
		t.Logf("%q: %v", part, time.Since(began))
	}
	// Nor do the parts of a line behind more faults than are reported.
	text := strings.Repeat("攻方:11歩 x\n", 64) + "攻方:12歩 " + strings.Repeat("持駒:金", most/len("持駒:金"))
	if _, err := notation.Parse([]byte(text), notation.Options{}); err == nil {
		t.Error("a line behind 64 faults is read")
	}
}
