package notation

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseLoose(t *testing.T) {
	show := func(text string) string {
		list, err := ParseLoose(text)
		if err != nil {
			return err.Error()
		}
		var b strings.Builder
		for _, w := range list {
			for _, part := range []fmt.Stringer{w.Kind, w.From} {
				if !strings.Contains("-?", part.String()) {
					b.WriteString(part.String())
				}
			}
			b.WriteString("-" + w.To.String())
			if w.Drop {
				b.WriteByte('*')
			}
			if w.Promotes {
				b.WriteByte('+')
			}
			b.WriteByte(' ')
		}
		return strings.TrimSpace(b.String())
	}
	for text, want := range map[string]string{
		"G*5b 5a4b": "G-5b* 5a-4b",
		"▲５二金打△同玉(51)▲６三銀成":                  "G-5b* K5a-5b S-6c+",
		"1 ５二金打 ( 0:03/00:00:03)\n2 同　玉(51)": "G-5b* K5a-5b",
		"23銀、同玉 まで3手詰":                       "S-2c K-2c",
		"８八角成 → 同龍(81)":                      "B-8h+ +R8a-8h",
		"":                                   "",
		"同玉":                                 `line 1, column 1: found "同玉"`,
		"52金右":                               "expected where the piece comes from, such as (63), for there is no board",
		"52金 5x":                             `line 1, column 6: found "5x"`,
	} {
		got := show(text)
		if got != want && (!strings.Contains(got, "expected") || !strings.Contains(got, want)) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// What a record says of its moves can be read though they do not fit its diagram.
func TestWritten(t *testing.T) {
	const board = "後手の持駒：なし\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n" +
		"| ・ ・ ・ ・ ・ ・ ・ ・v玉|一\n"
	diagram := board + strings.Repeat("| ・ ・ ・ ・ ・ ・ ・ ・ ・|\n", 8) + "先手の持駒：飛\n"
	for text, want := range map[string]string{
		"▲12飛 △同玉\n*ここで\n▲22金右まで３手詰\n":                                     "1b 1b= 2b 3",
		"   1 12飛打 (0:01/0:00:01)+\n   2 同　玉(11)\n   3 詰み\n変化：1手\n 1 13飛打": "1b 1b= 0",
		"▲99金 △98玉": "9i 9h 0",
		"":          "0",
	} {
		r, err := Parse([]byte(diagram+text), Options{})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		list, plies, err := ParseWritten(r.Written())
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		got := ""
		for _, w := range list {
			got += w.To.String() + strings.Repeat("=", map[bool]int{true: 1}[w.Same]) + " "
		}
		if got += fmt.Sprint(plies); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
