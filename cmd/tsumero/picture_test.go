package main

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/web/diagram"
)

// TestPicture: the picture of the README shows what the programs draw and report today. With -update
// it is made anew.
func TestPicture(t *testing.T) {
	const (
		path     = "../../.github/report.svg"
		sfen     = "7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1"
		margin   = 24
		board    = 340 // width, in pixels
		lineHigh = 18
		columns  = 66 // of text, 8 pixels each
	)
	code, report, stderr := tsumero(t.Context(), "", "analyze", sfen)
	if code != 0 {
		t.Fatalf("analyze exits with %d: %s", code, stderr)
	}
	// The rules, and how long it took, are left out.
	report, _, _ = strings.Cut(report, "\nrules\n")
	lines := []string{"$ tsumero analyze '" + sfen + "'", ""}
	for _, line := range strings.Split(report, "\n")[1:] {
		lines = append(lines, wrapped(line, columns)...)
	}

	p := shogi.MustParseSFEN(sfen)
	d, err := diagram.Draw(&p, diagram.Options{Width: board, Hands: diagram.AttackerHand, Lang: diagram.English})
	if err != nil {
		t.Fatal(err)
	}
	_, boardHigh := d.Size()
	width := 3*margin + board + columns*8
	height := 2*margin + max(boardHigh, lineHigh*len(lines))

	var svg bytes.Buffer
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d">`+"\n",
		width, height)
	fmt.Fprintf(&svg, `<rect width="%d" height="%d" rx="8" fill="#fff"/>`+"\n", width, height)
	fmt.Fprintf(&svg, `<g transform="translate(%d %d)">`+"\n%s</g>\n", margin, (height-boardHigh)/2, d.AppendSVG(nil))
	fmt.Fprintf(&svg, `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" `+
		`font-size="13" fill="#1f2328">`+"\n")
	for i, line := range lines {
		fmt.Fprintf(&svg, `<text x="%d" y="%d">%s</text>`+"\n", 2*margin+board, margin+lineHigh*(i+1)-5,
			strings.ReplaceAll(html.EscapeString(line), " ", "\u00a0")) // SVG drops spaces
	}
	svg.WriteString("</g>\n</svg>\n")

	if *update {
		if err := os.WriteFile(path, svg.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(old, svg.Bytes()) {
		t.Errorf("%s is not what the programs show today; -update makes it anew", path)
	}
}

// wrapped breaks a line at spaces, with what follows indented as it is and a little more.
func wrapped(line string, columns int) (lines []string) {
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))] + "    "
	for utf8.RuneCountInString(line) > columns {
		at := strings.LastIndexByte(string([]rune(line)[:columns]), ' ')
		lines, line = append(lines, line[:at]), indent+line[at+1:]
	}
	return append(lines, line)
}
