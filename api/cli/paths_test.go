package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	// mateIn3KIF is a problem with its solution.
	mateIn3KIF = "後手の持駒：飛二 角二 金二 銀四 桂四 香四 歩十七\n" +
		"  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n" +
		"| ・ ・ ・ ・ ・ ・ ・ ・ ・|一\n| ・ ・ ・ ・v玉 ・ ・ ・ ・|二\n" +
		"| ・ ・ ・ ・ ・ ・ ・ ・ ・|三\n| ・ ・ ・ ・ 歩 ・ ・ ・ ・|四\n" +
		"| ・ ・ ・ ・ ・ ・ ・ ・ ・|五\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|六\n" +
		"| ・ ・ ・ ・ ・ ・ ・ ・ ・|七\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|八\n" +
		"| ・ ・ ・ ・ ・ ・ ・ ・ ・|九\n+---------------------------+\n先手の持駒：金二\n" +
		"手数----指手---------消費時間--\n1 ５三金打\n2 ６一玉(52)\n3 ６二金打\n"
)

// writeFiles writes files into a folder of the test, where it then is.
func writeFiles(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPaths: which arguments are files, folders and positions, and where each problem is said to be.
func TestPaths(t *testing.T) {
	writeFiles(t, map[string]string{
		"a.kif": mateIn3KIF, "b": headGold, "folder/sub/d.SFEN": headGold + "\n" + headGold,
		"folder/c.kif": mateIn3KIF, "folder/README.md": "text", "folder/e.kif": "\xff\xfe",
		"two.csa": "", "none/README.md": "text",
	})
	for _, c := range []struct {
		args    string // separated by |
		want    []string
		several bool
		count   int // of positions, if there is nothing else
		err     string
	}{
		{args: "a.kif", want: []string{" a.kif 3"}, count: -1},
		{args: "b", want: []string{"line 1 b 0"}, count: -1},
		{args: "-", want: []string{"line 1  0"}, count: -1},
		{args: "-|a.kif", want: []string{"line 1 standard input 0", " a.kif 3"}, several: true, count: -1},
		{args: "folder", several: true, count: -1, want: []string{" folder/c.kif 3",
			" folder/e.kif 0 fault", "line 1 folder/sub/d.SFEN 0", "line 2 folder/sub/d.SFEN 0"}},
		{args: headGold, want: []string{"  0"}, count: 1},
		// Quotes left out: the parts of a position, even where one of them is the name of a file
		// that comes next.
		{args: strings.ReplaceAll(strings.Replace(headGold, " b ", " w ", 1), " ", "|"), want: []string{"  0"}, count: 1},
		{args: headGold + "|" + headGold, want: []string{"position 1  0", "position 2  0"}, several: true, count: 2},
		{args: headGold + "|a.kif", want: []string{"  0", " a.kif 3"}, several: true, count: -1},
		{args: "two.csa", want: []string{" two.csa 0 fault"}, count: -1},
		{args: "none", count: -1, err: "none: no file there has a name that ends like one of a notation: .sfen "},
		{args: "x.kif|y/z.kif|nothing", count: -1,
			err: "x.kif is neither a file nor a position\ny/z.kif is neither a file nor a position\n" +
				"nothing is neither a file nor a position"},
	} {
		p, err := FindPaths(strings.Split(c.args, "|"), nil)
		if c.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), c.err) {
				t.Errorf("%s: %v, want %s", c.args, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.args, err)
			continue
		}
		var got []string
		for q, err := range p.Questions(strings.NewReader(headGold+"\n"), FileFormat{}) {
			if err != nil {
				t.Errorf("%s: %v", c.args, err)
			}
			text := fmt.Sprintf("%s %s %d", q.where, q.file, len(q.moves()))
			if q.fault != nil {
				text += " fault"
			}
			got = append(got, text)
		}
		if !slices.Equal(got, c.want) || p.Several() != c.several || p.Positions() != c.count {
			t.Errorf("%s: %q, several %t, %d positions; want %q, %t, %d", c.args, got, p.Several(),
				p.Positions(), c.want, c.several, c.count)
		}
	}
}

// A file that cannot be read is one fault, and the rest is read.
func TestPathsUnreadable(t *testing.T) {
	writeFiles(t, map[string]string{"a.kif": mateIn3KIF, "b.kif": mateIn3KIF})
	p, err := FindPaths([]string{"a.kif", "b.kif"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.Size() != 2*int64(len(mateIn3KIF)) {
		t.Errorf("size %d", p.Size())
	}
	if err := os.Remove("a.kif"); err != nil {
		t.Fatal(err)
	}
	var faults []error
	for q := range p.Questions(nil, FileFormat{}) {
		faults = append(faults, q.fault)
	}
	if len(faults) != 2 || !errors.Is(faults[0], fs.ErrNotExist) || faults[1] != nil {
		t.Errorf("%v", faults)
	}
}
