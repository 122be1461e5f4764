package shogi_test

import (
	"testing"

	"github.com/tsumero/tsumero/shogi"
)

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "詰将棋 Nº1 👨‍👩‍👧": "詰将棋 Nº1 👨‍👩‍👧", "a\nb\tc\r\n": "a\nb\tc\r\n",
		"\x1b[31m赤\a": `\x1b[31m赤\a`, "頭\u202e金": `頭\u202e金`, "\u2066a\u2069\u200f": `\u2066a\u2069\u200f`,
		"\x00\x7f\u0085\u2028": `\x00\x7f\u0085\u2028`, "\xffa\x1b": `�a\x1b`,
	} {
		if got := shogi.Visible(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got, want := shogi.VisibleLine("a\n\tb\x1b"), `a  b\x1b`; got != want {
		t.Errorf("a line: %q, want %q", got, want)
	}
}
