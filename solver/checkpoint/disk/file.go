package disk

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tsumero/tsumero/solver/checkpoint"
)

const (
	magic = "tsumero checkpoint 1\n"

	indexBytes   = 4 + sha256.Size // of one block
	lengthsBytes = 4 + 4
	tailBytes    = lengthsBytes + sha256.Size
)

// The errors of files that are refused; those that are returned say more.
var (
	// ErrDamaged: the file is not what was written, or was written with another secret.
	ErrDamaged = errors.New("damaged, or made with another secret")
	// ErrOther: the file is of another search, or of a program that means something else by it.
	ErrOther = errors.New("of another search")
)

// difference returns what differs in other, "" if nothing does.
func difference(id, other checkpoint.Identity) string {
	names := map[string]bool{}
	for n := range id {
		names[n] = true
	}
	for n := range other {
		names[n] = true
	}
	var list []string
	for _, n := range slices.Sorted(maps.Keys(names)) {
		mine, have := id[n]
		theirs, has := other[n]
		if mine != theirs || have != has {
			list = append(list, fmt.Sprintf("%s is %q, not %q", n, theirs, mine))
		}
	}
	return strings.Join(list, ", ")
}

// footer is what stands behind the index.
type footer struct {
	Identity checkpoint.Identity `json:"identity"`
	State    checkpoint.State    `json:"state"`
}

// An encoder writes a file.
type encoder struct {
	w     io.Writer
	index []byte
	bytes int64
}

func (e *encoder) write(p []byte) error {
	n, err := e.w.Write(p)
	e.bytes += int64(n)
	return err
}

func (e *encoder) begin() error { return e.write([]byte(magic)) }

// block writes a block.
func (e *encoder) block(p []byte) error {
	sum := sha256.Sum256(p)
	e.index = binary.LittleEndian.AppendUint32(e.index, uint32(len(p)))
	e.index = append(e.index, sum[:]...)
	return e.write(p)
}

// end writes what follows the blocks.
func (e *encoder) end(f *footer, secret []byte) error {
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	tail := append(e.index, text...)
	tail = binary.LittleEndian.AppendUint32(tail, uint32(len(e.index)/indexBytes))
	tail = binary.LittleEndian.AppendUint32(tail, uint32(len(text)))
	return e.write(append(tail, macOf(tail, secret)...))
}

// macOf returns the HMAC of a file with this between its blocks and its HMAC.
func macOf(tail, secret []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(magic))
	mac.Write(tail)
	return mac.Sum(nil)
}

// A Reader reads the blocks of a file whose HMAC is right.
type Reader struct {
	state checkpoint.State
	file  io.ReaderAt
	at    int64  // where the next block begins
	index []byte // of the blocks to come
	block []byte
}

// newReader checks the HMAC of a file of so many bytes, and that it is of the search id.
func newReader(file io.ReaderAt, size int64, id checkpoint.Identity, secret []byte) (*Reader, error) {
	if size < int64(len(magic)+tailBytes) {
		return nil, fmt.Errorf("%w: it is too short", ErrDamaged)
	}
	head := make([]byte, len(magic))
	if _, err := file.ReadAt(head, 0); err != nil {
		return nil, err
	}
	if !bytes.Equal(head, []byte(magic)) {
		return nil, fmt.Errorf("%w: it does not begin with %q", ErrDamaged, magic)
	}
	lengths := make([]byte, lengthsBytes)
	if _, err := file.ReadAt(lengths, size-tailBytes); err != nil {
		return nil, err
	}
	index := int64(binary.LittleEndian.Uint32(lengths)) * indexBytes
	text := int64(binary.LittleEndian.Uint32(lengths[4:]))
	blocks := size - int64(len(magic)) - index - text - tailBytes
	if blocks < 0 {
		return nil, fmt.Errorf("%w: its lengths do not add up", ErrDamaged)
	}
	tail := make([]byte, index+text+tailBytes)
	if _, err := file.ReadAt(tail, size-int64(len(tail))); err != nil {
		return nil, err
	}
	end := len(tail) - sha256.Size
	if !hmac.Equal(macOf(tail[:end], secret), tail[end:]) {
		return nil, fmt.Errorf("%w: its HMAC is wrong", ErrDamaged)
	}
	r := &Reader{file: file, at: int64(len(magic)), index: tail[:index]}
	for i := int64(0); i < index; i += indexBytes {
		n := binary.LittleEndian.Uint32(tail[i:])
		if blocks -= int64(n); n > checkpoint.BlockBytes {
			return nil, fmt.Errorf("%w: a block of %d bytes", ErrDamaged, n)
		}
	}
	if blocks != 0 {
		return nil, fmt.Errorf("%w: its blocks do not add up", ErrDamaged)
	}
	var f footer
	if err := json.Unmarshal(tail[index:index+text], &f); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if diff := difference(id, f.Identity); diff != "" {
		return nil, fmt.Errorf("%w: %s", ErrOther, diff)
	}
	r.state = f.State
	return r, nil
}

// State returns what the search said about itself.
func (r *Reader) State() checkpoint.State { return r.state }

// Next returns the next block, io.EOF after the last. It is good until the next call.
func (r *Reader) Next() ([]byte, error) {
	if len(r.index) == 0 {
		return nil, io.EOF
	}
	n := int(binary.LittleEndian.Uint32(r.index))
	if r.block == nil {
		r.block = make([]byte, checkpoint.BlockBytes)
	}
	p := r.block[:n]
	if _, err := r.file.ReadAt(p, r.at); err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(p); !bytes.Equal(sum[:], r.index[4:indexBytes]) {
		return nil, fmt.Errorf("%w: the block at %d is not what was written", ErrDamaged, r.at)
	}
	r.at += int64(n)
	r.index = r.index[indexBytes:]
	return p, nil
}
