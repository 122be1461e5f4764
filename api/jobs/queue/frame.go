package queue

import (
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/tsumero/tsumero/api/jobs"
)

// Inputs and answers are stored as zstd frames, which have a checksum of what they hold.
var (
	packer   = must(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(true)))
	unpacker = must(zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxFrame)))
)

// maxFrame is how many bytes a frame holds at most: a chunk, or its answers up to the next part.
const maxFrame = 64 << 20

func must[T any](v T, err error) T {
	if err != nil {
		panic(err) // of constant options
	}
	return v
}

func pack(data []byte) []byte { return packer.EncodeAll(data, nil) }

// unpack returns what a frame holds, or jobs.ErrDamaged.
func unpack(frame []byte) ([]byte, error) {
	data, err := unpacker.DecodeAll(frame, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", jobs.ErrDamaged, err)
	}
	return data, nil
}
