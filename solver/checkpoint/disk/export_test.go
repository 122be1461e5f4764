package disk

import (
	"io"

	"github.com/tsumero/tsumero/solver/checkpoint"
)

// Encode writes a file with these blocks.
func Encode(w io.Writer, id checkpoint.Identity, s checkpoint.State, secret []byte, blocks ...[]byte) error {
	e := encoder{w: w}
	if err := e.begin(); err != nil {
		return err
	}
	for _, b := range blocks {
		if err := e.block(b); err != nil {
			return err
		}
	}
	return e.end(&footer{id, s}, secret)
}

// NewReader is newReader.
var NewReader = newReader

// Seal puts the HMAC that belongs to it at the end of a file, if its lengths let it.
func Seal(file, secret []byte, tail int) {
	if end := len(file) - 32; tail > 0 && end >= tail {
		copy(file[end:], macOf(file[end-tail:end], secret))
	}
}
