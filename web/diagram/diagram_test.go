package diagram_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/web/diagram"
)

var update = flag.Bool("update", false, "write the golden pictures anew")

// A picture is a golden one, and one that both ways to draw are compared by.
type picture struct {
	name     string
	position string
	options  diagram.Options
}

// Between them the pictures have every kind of piece on both sides, every language, theme and form.
var pictures = []picture{
	{"plain", "8k/9/9/6B2/6P2/9/9/7+r1/9 b RSb4g3s4n4l17p 1", diagram.Options{}},
	{"title", "l+N1+S3+Rk/1r1+b3g1/2n1pp3/p5p1p/1p1P5/P1P2+p1PP/1PN1PP3/1K1G1S1+B1/L7L w 2S2Pgnp 1",
		diagram.Options{Width: 320, Title: "「煙詰」伊藤看寿作、将棋図巧第九十九番、百十七手詰 — 宝暦五年", Last: move("2g2f")}},
	{"dark", "4k4/9/4+P4/9/9/9/9/9/9 w 2RG2b3g4s4n4l17p 1", diagram.Options{Width: 640, Theme: diagram.Dark, Lang: diagram.English,
		Title: "After Kōsuke’s move: Šachy & <shogi>", Last: move("5d5c+")}},
	{"print", "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 1", diagram.Options{Width: 480, Theme: diagram.Print, Flip: true, Last: move("7g7f")}},
	{"small", "+p+l+n+s+r+b3/9/8k/9/9/8K/9/9/+P+L+N+S+R+B3 b 4G2S2N2L16P 1", diagram.Options{Width: diagram.MinWidth}},
	{"hands", "8k/9/9/6B2/6P2/9/9/7+r1/9 b RSb4g3s4n4l17p 1", diagram.Options{Title: "第一番　手筋の飛捨てから始まる", Hands: diagram.AttackerHand}},
	{"international", "lnsgk4/1r5b1/p1p5p/9/1+p+l+n+s4/5+P+L+N+S/2+R6/1+B5P1/4KGSNL b 2G4P4p 1", diagram.Options{Pieces: diagram.International, Lang: diagram.English, Width: 400}},
	{"card", "8k/9/9/6B2/6P2/9/9/7+r1/9 b RSb4g3s4n4l17p 1", diagram.Options{Card: true, Title: "将棋図巧 第一番"}},
	{"card-words", "9/9/9/9/9/9/4g4/9/4K4 w g2R2B2G4S4N4L18P 1",
		diagram.Options{Card: true, Theme: diagram.Dark, Lang: diagram.English, Flip: true, Title: "The Smoke, by Itō Kanju: a mate in one hundred and seventeen moves"}},
}

func move(s string) shogi.Move {
	m, err := shogi.ParseMove(s)
	if err != nil {
		panic(err)
	}
	return m
}

func (p picture) draw(t testing.TB) *diagram.Diagram {
	t.Helper()
	position := shogi.MustParseSFEN(p.position)
	d, err := diagram.Draw(&position, p.options)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func encode(t testing.TB, d *diagram.Diagram) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := d.WritePNG(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func decode(t testing.TB, file []byte) image.Image {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The files show people what this package draws, and people what a change to it did.
func TestGolden(t *testing.T) {
	for _, p := range pictures {
		t.Run(p.name, func(t *testing.T) {
			d := p.draw(t)
			for ext, got := range map[string][]byte{".svg": d.AppendSVG(nil), ".png": encode(t, d)} {
				name := filepath.Join("testdata", p.name+ext)
				if *update {
					if err := os.WriteFile(name, got, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				// Another Go may compress otherwise, and another processor add up floating-point
				// numbers otherwise.
				if ext == ".png" {
					if worst, _ := difference(t, decode(t, got), decode(t, want)); worst > 8 {
						t.Errorf("%s differs by up to %d of 255; -update writes it anew", name, worst)
					}
				} else if !bytes.Equal(got, want) {
					t.Errorf("%s differs; -update writes it anew", name)
				}
			}
		})
	}
}

// A tolerance is by how much PNG may differ from another rendering of the SVG, of 255 in each
// channel. A pixel on an edge is rounded to one of 32 shades, which is up to 4; the rest is how
// finely the other samples a pixel.
type tolerance struct {
	worst int
	mean  float64
}

var (
	twinTolerance    = tolerance{14, 0.25}
	librsvgTolerance = tolerance{32, 0.45}
)

// PNG shows what SVG says, drawn by the twin.
func TestPNGEqualsSVG(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and one picture after the other")
	}
	for _, p := range pictures {
		t.Run(p.name, func(t *testing.T) {
			d := p.draw(t)
			compare(t, decode(t, encode(t, d)), readSVG(t, d.AppendSVG(nil)), twinTolerance)
		})
	}
}

// PNG shows what librsvg makes of the SVG, where it is installed.
func TestPNGEqualsLibrsvg(t *testing.T) {
	convert, err := exec.LookPath("rsvg-convert")
	if err != nil {
		t.Skip("rsvg-convert is not installed")
	}
	for _, p := range pictures {
		t.Run(p.name, func(t *testing.T) {
			d := p.draw(t)
			run := exec.CommandContext(t.Context(), convert)
			run.Stdin = bytes.NewReader(d.AppendSVG(nil))
			out, err := run.Output()
			if err != nil {
				t.Fatal(err)
			}
			compare(t, decode(t, encode(t, d)), decode(t, out), librsvgTolerance)
		})
	}
}

func compare(t *testing.T, got, want image.Image, allowed tolerance) {
	t.Helper()
	worst, mean := difference(t, got, want)
	t.Logf("worst %d, mean %.3f", worst, mean)
	if worst > allowed.worst || mean > allowed.mean {
		t.Errorf("the pictures differ by up to %d and %.3f on average, allowed are %d and %.2f", worst, mean, allowed.worst, allowed.mean)
	}
}

// difference returns by how much two pictures of one size differ in a channel: at most, and on
// average.
func difference(t *testing.T, a, b image.Image) (worst int, mean float64) {
	t.Helper()
	if a.Bounds() != b.Bounds() {
		t.Fatalf("the sizes differ: %v and %v", a.Bounds(), b.Bounds())
	}
	sum := 0
	size := a.Bounds().Size()
	for y := range size.Y {
		for x := range size.X {
			r0, g0, b0, _ := a.At(x, y).RGBA()
			r1, g1, b1, _ := b.At(x, y).RGBA()
			for _, pair := range [3][2]uint32{{r0, r1}, {g0, g1}, {b0, b1}} {
				n := int(pair[0]>>8) - int(pair[1]>>8)
				n = max(n, -n)
				worst, sum = max(worst, n), sum+n
			}
		}
	}
	return worst, float64(sum) / float64(3*size.X*size.Y)
}

// With the hands of a problem a picture, and what is said of it, leave out the defender's hand and
// whose turn it is; whoever attacks, and whichever way the board lies.
func TestAttackerHand(t *testing.T) {
	for sfen, want := range map[string][2]string{
		"8k/9/9/6B2/9/9/9/9/9 b 2RGb3g4s4n4l18p 1": {
			"攻方：３四角。持駒、飛二、金。玉方：１一玉。", "Attacker: bishop 3d; in hand 2 rooks, gold. Defender: king 1a."},
		// In the middle of a solution the defender moves, and is still the defender.
		"8k/9/9/6B2/9/9/9/9/9 w 2RGb3g4s4n4l18p 1": {
			"攻方：３四角。持駒、飛二、金。玉方：１一玉。", "Attacker: bishop 3d; in hand 2 rooks, gold. Defender: king 1a."},
		"8K/9/9/6b2/9/9/9/9/9 w 2RGb3g4s4n4l18p 1": {
			"攻方：３四角。持駒、角、金三、銀四、桂四、香四、歩十八。玉方：１一玉。",
			"Attacker: bishop 3d; in hand bishop, 3 golds, 4 silvers, 4 knights, 4 lances, 18 pawns. Defender: king 1a."},
		"8k/9/9/9/9/9/9/9/4K4 w b 1": { // with both kings it is who moves
			"攻方：１一玉。持駒、角。玉方：５九玉。", "Attacker: king 1a; in hand bishop. Defender: king 5i."},
	} {
		p := shogi.MustParseSFEN(sfen)
		for lang, words := range want {
			if got := diagram.ProblemAlt(&p, diagram.Lang(lang)); got != words {
				t.Errorf("%s is said to be %q, want %q", sfen, got, words)
			}
		}
		for _, flip := range []bool{false, true} {
			draw := func(p *shogi.Position, hands diagram.Hands) []byte {
				t.Helper()
				d, err := diagram.Draw(p, diagram.Options{Hands: hands, Flip: flip, Theme: diagram.Print})
				if err != nil {
					t.Fatal(err)
				}
				return d.AppendSVG(nil)
			}
			// Without the mark, the words and the pieces of the other hand.
			less := bytes.Count(draw(&p, diagram.BothHands), []byte("<use")) - bytes.Count(draw(&p, diagram.AttackerHand), []byte("<use"))
			if least := len([]rune("☗持駒☖先手番")); less < least {
				t.Errorf("%s, flip %v: %d characters less, want at least %d", sfen, flip, less, least)
			}
		}
	}
}

// The comparison would see a piece that is missing, moved by a pixel, or of another colour.
func TestComparisonSees(t *testing.T) {
	one := picture{"", "8k/9/9/9/9/9/9/9/9 b P 1", diagram.Options{Width: 320}}
	base := decode(t, encode(t, one.draw(t)))
	for name, other := range map[string]picture{
		"missing": {"", "9/9/9/9/9/9/9/9/9 b P 1", one.options},
		"turned":  {"", "8K/9/9/9/9/9/9/9/9 b P 1", one.options},
		"hand":    {"", "8k/9/9/9/9/9/9/9/9 b L 1", one.options},
		"turn":    {"", "8k/9/9/9/9/9/9/9/9 w P 1", one.options},
	} {
		if worst, _ := difference(t, base, decode(t, encode(t, other.draw(t)))); worst <= 4*librsvgTolerance.worst {
			t.Errorf("%s: the pictures differ by %d only", name, worst)
		}
	}
}

func TestSizes(t *testing.T) {
	p := shogi.MustParseSFEN(pictures[1].position)
	for width := diagram.MinWidth; width <= diagram.MaxWidth; width += 97 {
		d, err := diagram.Draw(&p, diagram.Options{Width: width, Title: "題"})
		if err != nil {
			t.Fatal(err)
		}
		w, h := d.Size()
		if w != width || h < width*8/10 || h > width*12/10 {
			t.Errorf("width %d: %d×%d", width, w, h)
		}
		m := decode(t, encode(t, d))
		if m.Bounds() != image.Rect(0, 0, w, h) {
			t.Errorf("width %d: the PNG has %v", width, m.Bounds())
		}
		// Nothing is cut off: the edge of the picture is paper.
		paper := m.At(0, 0)
		for x := range w {
			if m.At(x, 0) != paper || m.At(x, h-1) != paper {
				t.Fatalf("width %d: something reaches the edge at column %d", width, x)
			}
		}
		for y := range h {
			if m.At(0, y) != paper || m.At(w-1, y) != paper {
				t.Fatalf("width %d: something reaches the edge at row %d", width, y)
			}
		}
	}
	d, err := diagram.Draw(&p, diagram.Options{Card: true})
	if err != nil {
		t.Fatal(err)
	}
	if w, h := d.Size(); w != 1200 || h != 630 {
		t.Errorf("a card is %d×%d", w, h)
	}
}

// Titles of every kind and length stay inside the picture.
func TestTitlesFit(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and one picture after the other")
	}
	p := shogi.MustParseSFEN("8k/9/9/9/9/9/9/9/9 b P 1")
	for _, text := range []string{"詰", "「詰", "詰、", "W", "long words ", "a", "。", "（あ）", "Supercalifragilistic", "😀"} {
		for n := 1; n <= diagram.MaxTitle; n += 6 {
			title := string([]rune(strings.Repeat(text, n))[:n])
			for _, o := range []diagram.Options{{Width: diagram.MinWidth}, {Width: 480}, {Card: true}} {
				o.Title = title
				d, err := diagram.Draw(&p, o)
				if err != nil {
					t.Fatalf("%q: %v", title, err)
				}
				m := decode(t, encode(t, d))
				paper := m.At(0, 0)
				w, h := d.Size()
				for y := range h {
					if m.At(0, y) != paper || m.At(w-1, y) != paper {
						t.Fatalf("%q in %d×%d: something reaches the edge at row %d", title, w, h, y)
					}
				}
				if o.Card { // between title and board
					for y := range h {
						if m.At(512, y) != paper {
							t.Fatalf("%q: the title of the card reaches the hand at row %d", title, y)
						}
					}
				}
			}
		}
	}
}

func TestOptionErrors(t *testing.T) {
	p := shogi.MustParseSFEN("4k4/4G4/4+P4/9/9/9/9/9/9 w - 2")
	for _, c := range []struct {
		o      diagram.Options
		option string
		msg    string
	}{
		{diagram.Options{Width: diagram.MinWidth - 1}, "size", "found the width 159, expected one from 160 to 1600 pixels"},
		{diagram.Options{Width: diagram.MaxWidth + 1}, "size", "found the width 1601"},
		{diagram.Options{Width: -1}, "size", "found the width -1"},
		{diagram.Options{Width: 1200, Card: true}, "size", "for a card"},
		{diagram.Options{Title: strings.Repeat("詰", 81)}, "title", "found 81 characters, expected at most 80"},
		{diagram.Options{Title: strings.Repeat("詰", 10000)}, "title", "found 30000 bytes"},
		{diagram.Options{Title: "a\nb"}, "title", "control character U+000A"},
		{diagram.Options{Title: "a\xff"}, "title", "not UTF-8"},
		{diagram.Options{Lang: 2}, "lang", "no language"},
		{diagram.Options{Theme: 3}, "theme", "no theme"},
		{diagram.Options{Card: true, Plies: -1}, "plies", "found -1, expected a length from 1 to 9999"},
		{diagram.Options{Card: true, Plies: 10000}, "plies", "found 10000"},
		{diagram.Options{Plies: 3}, "plies", "only cards"},
		{diagram.Options{Last: move("5c5d")}, "last", "5c5d did not lead to this position: 5d is empty"},
		{diagram.Options{Last: move("4a5a")}, "last", "the piece on 5a is of white, whose turn it is"},
		{diagram.Options{Last: move("S*5b")}, "last", "the piece on 5b is G"},
		{diagram.Options{Last: move("5c5b")}, "last", "there is a piece on 5c"},
		{diagram.Options{Last: move("4b5b+")}, "last", "the piece on 5b is not promoted"},
	} {
		_, err := diagram.Draw(&p, c.o)
		var e *diagram.OptionError
		if !errors.As(err, &e) || e.Option != c.option || !strings.Contains(e.Msg.String(), c.msg) || strings.Contains(e.Msg.Japanese(), "%!") {
			t.Errorf("%+v: %v, want %s: %s", c.o, err, c.option, c.msg)
		}
	}
	for _, last := range []string{"G*5b", "4b5b", "5d5c+", "4c5c"} {
		if _, err := diagram.Draw(&p, diagram.Options{Last: move(last)}); err != nil {
			t.Error(err)
		}
	}
}

// Titles are what is typed, as far as it is seen.
func TestTitle(t *testing.T) {
	p := shogi.MustParseSFEN("8k/9/9/9/9/9/9/9/9 b P 1")
	svg := func(title string) string {
		d, err := diagram.Draw(&p, diagram.Options{Title: title})
		if err != nil {
			t.Fatalf("%q: %v", title, err)
		}
		return string(d.AppendSVG(nil))
	}
	for _, same := range [][2]string{
		{"が", "か\u3099"},         // composed
		{"葛\U000E0100城", "葛城"},   // a variant of a kanji
		{"　詰将棋 ", "詰将棋"},         // blanks at the ends
		{"図\u200b巧\ufeff", "図巧"}, // blanks of no width
		{"a\u202eb\u2066", "ab"}, // orders to write from right to left
		{strings.Repeat("a", 80), strings.Repeat("a", 80)},
	} {
		if svg(same[0]) != svg(same[1]) {
			t.Errorf("%q and %q are drawn differently", same[0], same[1])
		}
	}
	if got := svg(`<b>&"'`); !strings.Contains(got, `<title>&lt;b&gt;&amp;"'</title>`) {
		t.Errorf("the title is not escaped: %s", got[:200])
	}
	// A letter without its accent, and the mark for what is missing.
	if got := svg("š"); !strings.Contains(got, `id="t73"`) || strings.Contains(got, `id="t3013"`) {
		t.Error("š is not drawn as s")
	}
	if got := svg("😀"); !strings.Contains(got, `id="t3013"`) {
		t.Error("a character without glyph is not marked")
	}
}

func TestAlt(t *testing.T) {
	for sfen, want := range map[string][2]string{
		"8k/9/9/6B2/6PP1/9/9/7+r1/9 b R2Sb4g2s4n4l16p 1": {
			"先手：３四角、２五歩、３五歩。持駒、飛、銀二。後手：１一玉、２八龍。持駒、角、金四、銀二、桂四、香四、歩十六。先手番。",
			"Black: bishop 3d, pawns 2e 3e; in hand rook, 2 silvers. White: king 1a, dragon 2h; in hand bishop, 4 golds, 2 silvers, 4 knights, 4 lances, 16 pawns. Black to play.",
		},
		"9/9/9/9/9/9/9/9/9 w - 1": {
			"先手：盤上になし。持駒なし。後手：盤上になし。持駒なし。後手番。",
			"Black: nothing on the board; in hand nothing. White: nothing on the board; in hand nothing. White to play.",
		},
	} {
		p := shogi.MustParseSFEN(sfen)
		for lang, want := range want {
			if got := diagram.Alt(&p, diagram.Lang(lang)); got != want {
				t.Errorf("Alt is\n%s\nwant\n%s", got, want)
			}
		}
	}
}

func ExampleDraw() {
	p := shogi.MustParseSFEN("8k/9/9/6B2/6P2/9/9/7+r1/9 b RSb4g3s4n4l17p 1")
	d, err := diagram.Draw(&p, diagram.Options{Width: 320, Title: "三手詰"})
	if err != nil {
		fmt.Println(err)
		return
	}
	width, height := d.Size()
	svg := string(d.AppendSVG(nil))
	fmt.Println(width, height)
	fmt.Println(svg[:strings.Index(svg, "<desc>")])
	// Output:
	// 320 303
	// <svg xmlns="http://www.w3.org/2000/svg" width="320" height="303" viewBox="0 0 320 303" role="img"><title>三手詰</title>
}

func BenchmarkSVG(b *testing.B) {
	p := shogi.MustParseSFEN(pictures[0].position)
	buffer := make([]byte, 0, 64<<10)
	b.ReportAllocs()
	for b.Loop() {
		d, err := diagram.Draw(&p, diagram.Options{Title: "将棋図巧 第一番"})
		if err != nil {
			b.Fatal(err)
		}
		buffer = d.AppendSVG(buffer[:0])
	}
	b.ReportMetric(float64(len(buffer)), "bytes")
}

func BenchmarkPNG(b *testing.B) {
	p := shogi.MustParseSFEN(pictures[0].position)
	for name, o := range map[string]diagram.Options{"480": {Title: "将棋図巧 第一番"}, "1600": {Width: diagram.MaxWidth}, "card": {Card: true}} {
		b.Run(name, func(b *testing.B) {
			var buffer bytes.Buffer
			b.ReportAllocs()
			for b.Loop() {
				d, err := diagram.Draw(&p, o)
				if err != nil {
					b.Fatal(err)
				}
				buffer.Reset()
				if err := d.WritePNG(&buffer); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(buffer.Len()), "bytes")
		})
	}
}
