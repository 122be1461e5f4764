package train

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"github.com/tsumero/tsumero/shogi"
)

// A Record is a position of a game and what is to be learned of it.
//
// In a file it has 44 bytes, integers little-endian: the position (36), the score (2), ply and
// result (2, the result in the two highest bits), the number of the game (4).
type Record struct {
	Position Packed
	Score    int16  // the opinion of a search, in centipawns of the side to move
	Ply      uint16 // at most MaxPly
	Result   Result
	Game     uint32 // so that no game is used both for training and for validation
}

// A Result is how a game ended for the side to move in a position of it.
type Result uint8

// The results.
const (
	Lost Result = iota
	Drawn
	Won
)

// ResultFor returns the result for side of a game that winner has won.
func ResultFor(side, winner shogi.Color) Result {
	if side == winner {
		return Won
	}
	return Lost
}

const (
	// RecordSize is how many bytes a Record has in a file.
	RecordSize = packedSize + 8

	// MaxPly is the largest ply that fits in a Record.
	MaxPly = 1<<resultShift - 1

	resultShift = 14
)

func (r *Record) append(b []byte) []byte {
	b = append(b, r.Position[:]...)
	b = binary.LittleEndian.AppendUint16(b, uint16(r.Score))
	b = binary.LittleEndian.AppendUint16(b, min(r.Ply, MaxPly)|uint16(r.Result)<<resultShift)
	return binary.LittleEndian.AppendUint32(b, r.Game)
}

// parse reads a record and tells what is wrong with it.
func (r *Record) parse(b *[RecordSize]byte) error {
	copy(r.Position[:], b[:])
	r.Score = int16(binary.LittleEndian.Uint16(b[packedSize:]))
	ply := binary.LittleEndian.Uint16(b[packedSize+2:])
	r.Ply, r.Result = ply&MaxPly, Result(ply>>resultShift)
	r.Game = binary.LittleEndian.Uint32(b[packedSize+4:])
	if r.Result > Won {
		return fmt.Errorf("the result is %d, but must be 0 to 2", r.Result)
	}
	var s pieces
	if err := r.Position.unpack(&s); err != nil {
		return fmt.Errorf("the position: %w", err)
	}
	return nil
}

// A Header tells where the records of a file come from.
type Header struct {
	Engine string `json:"engine"` // version or commit of the program that played
	Level  string `json:"level"`  // who played
	Seed   uint64 `json:"seed"`
	Nodes  uint64 `json:"nodes"` // positions searched for a move
	// Net is the hash of the network that valued the positions, empty for material alone.
	Net  string `json:"net,omitempty"`
	Note string `json:"note,omitempty"`
}

// A file begins with these bytes, the size of the header in four bytes, and the header in JSON.
const (
	magic         = "tsumero training 1\n"
	maxHeaderSize = 1 << 16
)

// A Writer writes records.
type Writer struct {
	w   io.Writer
	buf []byte
}

// NewWriter begins a file.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	if len(text) > maxHeaderSize {
		return nil, fmt.Errorf("the header has %d bytes, at most %d fit", len(text), maxHeaderSize)
	}
	b := append([]byte(magic), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(b[len(magic):], uint32(len(text)))
	if _, err := w.Write(append(b, text...)); err != nil {
		return nil, err
	}
	return ContinueWriter(w), nil
}

// ContinueWriter goes on with a file whose header, and a whole number of records, is written
// (Reader.Offset).
func ContinueWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Append adds records with a single Write, so that those of a game stay together if they are given
// together.
func (w *Writer) Append(records ...Record) error {
	w.buf = w.buf[:0]
	for i := range records {
		w.buf = records[i].append(w.buf)
	}
	_, err := w.w.Write(w.buf)
	return err
}

// A FormatError tells what is wrong with a file of records, and where.
type FormatError struct {
	Offset int64 // of the first byte that cannot be used
	Err    error
}

func (e *FormatError) Error() string { return fmt.Sprintf("offset %d: %v", e.Offset, e.Err) }

// Unwrap returns the error without its place.
func (e *FormatError) Unwrap() error { return e.Err }

// A Reader reads what a Writer wrote.
type Reader struct {
	r      *bufio.Reader
	header Header
	offset int64
	buf    [RecordSize]byte
}

// NewReader reads the header of a file. What is wrong with it is a *FormatError.
func NewReader(r io.Reader) (*Reader, error) {
	d := &Reader{r: bufio.NewReaderSize(r, 1<<16)}
	start := make([]byte, len(magic)+4)
	if _, err := io.ReadFull(d.r, start); err != nil {
		return nil, &FormatError{0, shortError(err, "a file of training records")}
	}
	if !bytes.HasPrefix(start, []byte(magic)) {
		return nil, &FormatError{0, fmt.Errorf("no file of training records: it must begin with %q", magic)}
	}
	size := binary.LittleEndian.Uint32(start[len(magic):])
	if size > maxHeaderSize {
		return nil, &FormatError{int64(len(magic)), fmt.Errorf("a header of %d bytes, at most %d are allowed",
			size, maxHeaderSize)}
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(d.r, text); err != nil {
		return nil, &FormatError{int64(len(start)), shortError(err, "the header")}
	}
	if err := json.Unmarshal(text, &d.header); err != nil {
		return nil, &FormatError{int64(len(start)), fmt.Errorf("the header: %w", err)}
	}
	d.offset = int64(len(start) + len(text))
	return d, nil
}

// shortError says of what the file has not enough, if that is the trouble.
func shortError(err error, what string) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("the file ends within %s: %w", what, io.ErrUnexpectedEOF)
	}
	return err
}

// Header returns the header of the file.
func (d *Reader) Header() Header { return d.header }

// Offset returns how many bytes the header and the records read so far have. A file that was cut
// off can be continued from there.
func (d *Reader) Offset() int64 { return d.offset }

// Read returns the next record. Of its position it checks that it has the pieces of a set and two
// kings; whether the rules allow it Packed.Position tells. The error is io.EOF after the last
// record, else a *FormatError.
func (d *Reader) Read() (Record, error) {
	switch _, err := io.ReadFull(d.r, d.buf[:]); {
	case err == io.EOF:
		return Record{}, io.EOF
	case err != nil:
		return Record{}, &FormatError{d.offset, shortError(err, "a record")}
	}
	var r Record
	if err := r.parse(&d.buf); err != nil {
		return Record{}, &FormatError{d.offset, err}
	}
	d.offset += RecordSize
	return r, nil
}
