package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/cmd/internal/scripttest"
)

func TestMain(m *testing.M) { scripttest.Main(m, nil) }

const sample = `tsumero-cert 1 mate
sfen 9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G2r2b4s4n4l17p 1
attacker black
plies 3
G*5c G*4b G*5b G*6b
`

func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sample.cert")
	if err := os.WriteFile(file, []byte(sample), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args           []string
		stdin          string
		code           int
		stdout, stderr string // what they begin with
	}{
		{nil, sample, 0, "black attacks in 9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G2r2b4s4n4l17p 1: mate in 3 plies", ""},
		{[]string{"-"}, sample, 0, "black attacks in ", ""},
		{[]string{file}, "", 0, "black attacks in ", ""},
		{nil, "", 1, "", "tsumero-check: not accepted: word 1, \"\": expected \"tsumero-cert\"\n"},
		{nil, strings.Replace(sample, "G*6b", "G*7b", 1), 1, "", "tsumero-check: not accepted: word 17, \"\": this is no legal move"},
		{nil, strings.Replace(sample, "plies 3", "plies 5", 1), 1, "", "tsumero-check: not accepted: "},
		{[]string{filepath.Join(file, "none")}, sample, 2, "", "tsumero-check: open "},
		{[]string{file, file}, sample, 2, "", "usage: "},
		{[]string{"--moves"}, sample, 2, "", "usage: "},
		{[]string{"--help"}, sample, 0, "tsumero-check checks a certificate", ""},
		{[]string{"--lang", "ja"}, sample, 0, "先手が攻方、9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G2r2b4s4n4l17p 1：詰み、3手以内\n", ""},
		{[]string{"--lang=ja", "-"}, "x", 1, "", "tsumero-check: 証明になっていません：1語目 \"x\"：\"tsumero-cert\"と書きます。\n"},
		{[]string{"--lang=ja", "none.cert"}, "", 2, "", "tsumero-check: none.cert：ファイルがありません。\n"},
		{[]string{"--lang=ja", t.TempDir()}, "", 1, "", "tsumero-check: 証明になっていません：1語目 \"\"：読めません：フォルダです。\n"},
		{[]string{"--help", "--lang", "ja"}, sample, 0, "tsumero-check は、詰み", ""},
		{[]string{file, file, "--lang", "ja"}, sample, 2, "", "使い方："},
		{[]string{"--lang", "fr"}, sample, 2, "", "usage: "},
		{[]string{"--version"}, sample, 0, "tsumero-check ", ""},
	} {
		var stdout, stderr bytes.Buffer
		code := run(test.args, strings.NewReader(test.stdin), &stdout, &stderr)
		if code != test.code || !strings.HasPrefix(stdout.String(), test.stdout) ||
			!strings.HasPrefix(stderr.String(), test.stderr) ||
			(stdout.Len() > 0) != (code == 0) || (stderr.Len() > 0) != (code > 0) {
			t.Errorf("%q: exit code %d, want %d\n%s%s", test.args, code, test.code, &stdout, &stderr)
		}
	}
	var stderr bytes.Buffer
	if code := run(nil, strings.NewReader(sample), fullDisk{}, &stderr); code != 2 {
		t.Errorf("the output fails: exit code %d, want 2", code)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("full") }

// A line of play that does not end, and a set that takes too much memory, are refused.
func TestBounds(t *testing.T) {
	// The rook goes from file to file, the king back and forth, for ever.
	endless := "tsumero-cert 1 mate\nsfen 8k/9/9/9/9/9/9/9/7R1 b - 1\nattacker black\nplies 1\n" +
		strings.Repeat("2i1i 1i2i\n", maxDepth)
	_, err := check(strings.NewReader(endless))
	if err == nil || !strings.Contains(err.Error(), "a line has more than 5000 plies") {
		t.Errorf("an endless line: %v", err)
	}

	if testing.Short() {
		return
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = check(&largeSet{text: []byte("tsumero-cert 1 nomate\nsfen k8/9/9/9/9/9/9/9/9 b 2GSNP 1\nattacker black\n")})
	if err == nil || !strings.Contains(err.Error(), "the positions take more than 64 MiB") {
		t.Errorf("a large set: %v", err)
	}
	if runtime.ReadMemStats(&after); after.HeapSys-before.HeapSys > 3*maxMemory {
		t.Errorf("it took %d MiB", (after.HeapSys-before.HeapSys)>>20)
	}
}

// A largeSet is lines of a closed set without an end: no check is possible in any of the positions.
type largeSet struct {
	text []byte
	n    int
}

func (s *largeSet) Read(b []byte) (int, error) {
	for len(s.text) < len(b) {
		// Five pieces on the lowest rank and those above, each with its own digit of the number.
		var rows [9][9]byte
		k := s.n
		for i, piece := range []byte("GSNGP") {
			column := (k%9 + i) % 9
			k /= 9
			for rows[8-i%3][column] != 0 {
				column = (column + 1) % 9
			}
			rows[8-i%3][column] = piece
		}
		rows[0][k%9] = 'k'
		s.n++
		for y := range rows {
			for _, c := range rows[y] {
				if c == 0 {
					c = '1'
				}
				s.text = append(s.text, c)
			}
			if y < 8 {
				s.text = append(s.text, '/')
			}
		}
		s.text = append(s.text, " - :\n"...)
	}
	n := copy(b, s.text)
	s.text = s.text[n:]
	return n, nil
}
