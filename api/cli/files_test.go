package cli

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
)

// Files of Windows are in Shift_JIS.
func TestFilesShiftJIS(t *testing.T) {
	p := shogi.MustParseSFEN(headGold)
	data, err := notation.Encode(notation.AppendBOD(nil, &p), notation.ShiftJIS)
	if err != nil {
		t.Fatal(err)
	}
	if got := collect(t, Files(strings.NewReader(string(data)), FileFormat{})); !slices.Equal(got, []string{p.SFEN()}) {
		t.Errorf("got %q, want %q", got, p.SFEN())
	}
}

// A program that writes positions one by one gets its answers one by one: no line is waited for
// that is not needed to tell the notation.
func TestFilesAsTheyCome(t *testing.T) {
	for _, first := range []string{headGold, "# comment\n\n" + headGold, "sfen\tname\n" + headGold} {
		r, w := io.Pipe()
		go func() {
			_, _ = io.WriteString(w, first+"\n")
			// The input does not end.
		}()
		for q, err := range Files(r, FileFormat{}) {
			if err != nil || !strings.HasSuffix(first, q.text) {
				t.Errorf("%q gives %q, %v", first, q.text, err)
			}
			break
		}
		r.Close()
	}
}

// One byte at a time is as good as all at once, and an error while reading is
// passed on.
func TestFilesInPieces(t *testing.T) {
	p := shogi.MustParseSFEN(headGold)
	kif := string(notation.NewRecord(p, nil, "").AppendKIF(nil))
	for _, text := range []string{kif, "# c\n" + headGold + "\n" + headGold, "", "# only a comment", "title\n" + headGold} {
		whole := collect(t, Files(strings.NewReader(text), FileFormat{}))
		pieces := collect(t, Files(oneByteReader{strings.NewReader(text)}, FileFormat{}))
		if !slices.Equal(whole, pieces) {
			t.Errorf("%q gives %q at once and %q in pieces", text, whole, pieces)
		}
	}
	r, w := io.Pipe()
	w.CloseWithError(io.ErrClosedPipe)
	for q, err := range Files(r, FileFormat{}) {
		if err != io.ErrClosedPipe {
			t.Errorf("a broken input gives %q, %v", q.text, err)
		}
	}
}

type oneByteReader struct{ r io.Reader }

func (r oneByteReader) Read(p []byte) (int, error) { return r.r.Read(p[:min(1, len(p))]) }

// What is larger than any record is refused, not read to its end.
func TestFilesTooLarge(t *testing.T) {
	text := "手合割：平手\n" + strings.Repeat("*\n", notation.MaxBytes)
	for q := range Files(strings.NewReader(text), FileFormat{}) {
		if e := asRecordError(q.fault); e == nil || e.Faults[0].Code != notation.CodeTooLong {
			t.Errorf("%d bytes give %v", len(text), q.fault)
		}
	}
}

// A file is read up to the size that it had when it was found, however fast another program writes.
func TestReadsWhatWasThere(t *testing.T) {
	const line = "4k4/9/4G4/9/9/9/9/9/9 b G 1\n"
	for _, isNamed := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "a.sfen")
		if err := os.WriteFile(path, []byte(line+line), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		questions := Files(file, FileFormat{})
		if isNamed {
			questions = ReadSources(Sources([]string{path}, nil), nil, FileFormat{})
		}
		n := 0
		for range questions {
			if n++; n > 2 {
				t.Errorf("named %t: what was written later is read", isNamed)
				break
			}
			if _, err := file.WriteAt([]byte(strings.Repeat(line, 10_000)), int64(len(line+line))); err != nil {
				t.Fatal(err)
			}
		}
	}
}
