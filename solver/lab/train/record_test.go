package train

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

// randomPositions returns positions of random games.
func randomPositions(t testing.TB, n int) []shogi.Position {
	r := shogitest.NewRand(t)
	p := shogi.Start()
	var buf shogi.MoveBuffer
	positions := make([]shogi.Position, 0, n)
	for len(positions) < n {
		moves := p.LegalMoves(&buf, shogi.AllMoves)
		if len(moves) == 0 || p.Ply() > 300 {
			p = shogi.Start()
			continue
		}
		p.Do(moves[r.IntN(len(moves))])
		positions = append(positions, p)
	}
	return positions
}

func TestPacked(t *testing.T) {
	positions := append(randomPositions(t, 5000),
		shogi.Start(),
		shogi.MustParseSFEN("4k4/9/9/9/9/9/9/9/4K4 b - 1"),
		shogi.MustParseSFEN("4k4/9/9/9/9/9/9/9/4K4 w 2R2B4G4S4N4L18P 7"),
		shogi.MustParseSFEN("4k4/9/9/9/9/9/9/9/4K4 b RBG4S4N4L9Prb3g9p 1"))
	for _, p := range positions {
		k := Pack(&p)
		got, err := k.Position(p.Ply())
		if err != nil {
			t.Fatalf("%s: %v", p.SFEN(), err)
		}
		if got != p {
			t.Fatalf("%s becomes %s", p.SFEN(), got.SFEN())
		}
	}
}

// The bytes of a position with two kings and a pawn in hand are written out by hand.
func TestPackedBytes(t *testing.T) {
	p := shogi.MustParseSFEN("4k4/9/9/9/9/9/9/9/4K4 w P 1")
	var want Packed
	want[4] = 1 << 4  // 5a is square 36
	want[5] = 1 << 4  // 5i is square 44
	want[10] = 1 << 1 // bit 81: White to move
	// From bit 82, five bits each: 24 (white king), 8 (black king), 1 (black pawn).
	code := 24 | 8<<5 | 1<<10
	want[10] |= byte(code << 2)
	want[11] = byte(code >> 6)
	want[12] = byte(code >> 14)
	if got := Pack(&p); got != want {
		t.Errorf("%x, want %x", got, want)
	}
}

func TestPackedFaults(t *testing.T) {
	start := shogi.Start()
	change := func(f func(k *Packed)) Packed {
		k := Pack(&start)
		f(&k)
		return k
	}
	for _, test := range []struct {
		packed Packed
		want   string
	}{
		{Packed{}, "a king is missing"},
		{change(func(k *Packed) { k[0] = 0xff }), "squares hold a piece"},
		{change(func(k *Packed) { k[35] |= 0x80 }), "unused bits"},
		{change(func(k *Packed) { clear(k[20:]) }), "squares hold a piece, but only"},
		{change(func(k *Packed) { k[10] |= 0x7c }), "no piece"},
		{change(func(k *Packed) { k[10] |= 2 }), ""}, // White to move
	} {
		_, err := test.packed.Position(1)
		if test.want == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%x: %v, want %q", test.packed, err, test.want)
		}
	}
}

func testRecords(t testing.TB, n int) []Record {
	var records []Record
	for i, p := range randomPositions(t, n) {
		records = append(records, Record{Position: Pack(&p), Score: int16(i*37 - 3000),
			Ply: uint16(p.Ply()), Result: Result(i % 3), Game: uint32(i) / 10 * 1_000_003})
	}
	return records
}

func writeFile(t testing.TB, h Header, records []Record) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := NewWriter(&file, h)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(records...); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// readAll reads a file to its end, and returns what ended it other than io.EOF.
func readAll(b []byte) (Header, []Record, int64, error) {
	r, err := NewReader(bytes.NewReader(b))
	if err != nil {
		return Header{}, nil, 0, err
	}
	var records []Record
	for {
		record, err := r.Read()
		if err == io.EOF {
			return r.Header(), records, r.Offset(), nil
		}
		if err != nil {
			return r.Header(), records, r.Offset(), err
		}
		records = append(records, record)
	}
}

func TestRecords(t *testing.T) {
	header := Header{Engine: "v1", Level: "club", Seed: 1<<64 - 1, Nodes: 400, Note: "λ"}
	records := testRecords(t, 1000)
	file := writeFile(t, header, records)
	got, back, offset, err := readAll(file)
	if err != nil || got != header || !slices.Equal(back, records) || offset != int64(len(file)) {
		t.Fatalf("header %+v, %d records, offset %d, error %v", got, len(back), offset, err)
	}

	// A run that was killed leaves part of a record. The rest can be used and continued.
	_, back, offset, err = readAll(file[:len(file)-RecordSize/2])
	var fault *FormatError
	if !errors.As(err, &fault) || !errors.Is(err, io.ErrUnexpectedEOF) || fault.Offset != offset {
		t.Errorf("half a record: %v at %d", err, offset)
	}
	if len(back) != len(records)-1 || offset != int64(len(file)-RecordSize) {
		t.Errorf("half a record: %d records, offset %d", len(back), offset)
	}
	var rest bytes.Buffer
	if err := ContinueWriter(&rest).Append(records[len(records)-1]); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(append(slices.Clone(file[:offset]), rest.Bytes()...), file) {
		t.Error("a continued file is not the file")
	}
}

func TestRecordFaults(t *testing.T) {
	file := writeFile(t, Header{Engine: "v1"}, testRecords(t, 2))
	first := len(file) - 2*RecordSize
	change := func(at int, b ...byte) []byte {
		f := slices.Clone(file)
		copy(f[at:], b)
		return f
	}
	for _, test := range []struct {
		name   string
		file   []byte
		offset int64
		want   string
	}{
		{"empty", nil, 0, "ends within a file of training records"},
		{"other file", bytes.Repeat([]byte("x"), 100), 0, "must begin with"},
		{"short header", file[:len(magic)+10], int64(len(magic) + 4), "ends within the header"},
		{"long header", change(len(magic), 0, 0, 0, 1), int64(len(magic)), "at most 65536"},
		{"no JSON", change(len(magic)+4, '['), int64(len(magic) + 4), "the header"},
		{"result", change(first+packedSize+3, 0xff), int64(first), "the result is 3"},
		{"second", change(first+RecordSize, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
			int64(first + RecordSize), "squares hold a piece"},
	} {
		_, _, _, err := readAll(test.file)
		var fault *FormatError
		if !errors.As(err, &fault) || fault.Offset != test.offset || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q at %d", test.name, err, test.want, test.offset)
		}
	}
}

func TestRecordSize(t *testing.T) {
	if size := unsafe.Sizeof(Record{}); size > 48 {
		t.Errorf("a Record has %d bytes, want at most 48: millions of them are in memory", size)
	}
}

// FuzzRecords: no file makes the reader panic, and what it accepts is written as it was read.
func FuzzRecords(f *testing.F) {
	file := writeFile(f, Header{Engine: "v1", Seed: 3}, testRecords(f, 3))
	f.Add(file)
	f.Add(file[:len(file)-1])
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, b []byte) {
		header, records, offset, err := readAll(b)
		if err != nil {
			var fault *FormatError
			if !errors.As(err, &fault) || fault.Offset > int64(len(b)) {
				t.Fatalf("the error has no place: %v", err)
			}
		}
		if len(records) == 0 {
			return
		}
		again := writeFile(t, header, records)
		if tail := again[len(again)-len(records)*RecordSize:]; !bytes.HasSuffix(b[:offset], tail) {
			t.Fatal("the records are not written as they were read")
		}
		for _, r := range records {
			if p, err := r.Position.Position(int(r.Ply)); err == nil && Pack(&p) != r.Position {
				t.Fatal("the position is not packed as it was")
			}
		}
	})
}
