package diagram_test

import (
	"bytes"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/web/diagram"
)

// A card says the length that it is given: the number alone makes two cards different, and it is
// drawn as often as each of its digits.
func TestCardLength(t *testing.T) {
	p := shogi.MustParseSFEN("7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1")
	for _, lang := range []diagram.Lang{diagram.Japanese, diagram.English} {
		for _, title := range []string{"", "第一番"} {
			draw := func(plies int) []byte {
				t.Helper()
				d, err := diagram.Draw(&p, diagram.Options{Card: true, Lang: lang, Title: title, Plies: plies})
				if err != nil {
					t.Fatal(err)
				}
				return d.AppendSVG(nil)
			}
			none, three, thirteen := draw(0), draw(3), draw(13)
			if bytes.Equal(none, three) || bytes.Equal(three, thirteen) {
				t.Errorf("%v %q: the length is not seen", lang, title)
			}
			if uses := bytes.Count(thirteen, []byte("<use")) - bytes.Count(three, []byte("<use")); uses != 1 {
				t.Errorf("%v %q: 13 has %d glyphs more than 3, want 1", lang, title, uses)
			}
		}
	}
}
