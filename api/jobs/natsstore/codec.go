//go:build !nonats

package natsstore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/tsumero/tsumero/api/jobs"
)

// Input and results are compressed once: by the engine where a stream has one replica, and else by
// the store, since an engine that compresses a replicated stream may lose the replica (notes.md).
//
// What the store compressed has a number of its own in its format, so that older programs leave it
// to newer ones: a chunk of input begins with packedChunk, and the summary of a result has V
// packedResult. The checksum of a message is over what is stored.
const (
	packedChunk  = "tsumero-chunk 2\n"
	packedResult = 2
)

// The sizes of a compressed text are bounded by that of a message, also of one that was made to be
// large when it is decompressed.
var (
	newEncoder = sync.OnceValues(func() (*zstd.Encoder, error) {
		return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
			zstd.WithWindowSize(1<<20), zstd.WithEncoderCRC(false))
	})
	newDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(maxMessage))
	})
)

// pack returns a header and the compressed data, or nil if that is not smaller.
func pack(header string, data []byte) ([]byte, error) {
	if len(data) > maxMessage { // is refused as it is
		return nil, nil
	}
	encoder, err := newEncoder()
	if err != nil {
		return nil, fmt.Errorf("natsstore: %w", err)
	}
	packed := encoder.EncodeAll(data, []byte(header))
	if len(packed) >= len(data) {
		return nil, nil
	}
	return packed, nil
}

// unpack returns the data that was compressed.
func unpack(packed []byte) ([]byte, error) {
	decoder, err := newDecoder()
	if err != nil {
		return nil, fmt.Errorf("natsstore: %w", err)
	}
	data, err := decoder.DecodeAll(packed, nil)
	if err == nil && len(packed) == 0 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, fmt.Errorf("natsstore: %w: %w", jobs.ErrDamaged, err)
	}
	return data, nil
}

// packChunk returns a chunk of input as it is stored.
func packChunk(data []byte) ([]byte, error) {
	if bytes.HasPrefix(data, []byte(packedChunk)) { // would be unpacked when it is read
		return nil, fmt.Errorf("natsstore: %w: a chunk of input", jobs.ErrNewer)
	}
	packed, err := pack(packedChunk, data)
	if packed == nil {
		return data, err
	}
	return packed, nil
}

// unpackChunk returns a chunk of input as it was before packChunk, if that packed it.
func unpackChunk(stored []byte) ([]byte, error) {
	packed, ok := bytes.CutPrefix(stored, []byte(packedChunk))
	if !ok {
		return stored, nil
	}
	return unpack(packed)
}

// packResult returns a result as it is stored.
func packResult(r *jobs.Result) (*jobs.Result, error) {
	packed, err := pack("", r.Text)
	if packed == nil || r.V != jobs.V {
		return r, err
	}
	stored := &jobs.Result{Summary: r.Summary, Text: packed}
	stored.V = packedResult
	return stored, nil
}

// unpackSummary reads a summary, and reports whether the text that it is of is packed.
func unpackSummary(text string) (_ *jobs.Summary, packed bool, err error) {
	sum := new(jobs.Summary)
	err = decode([]byte(text), sum, &sum.V)
	if errors.Is(err, jobs.ErrNewer) && sum.V == packedResult {
		// In all else the formats are the same.
		sum.V = jobs.V
		return sum, true, json.Unmarshal([]byte(text), &struct {
			*jobs.Summary
			V int `json:"v"` // stays what it is in sum
		}{Summary: sum})
	}
	return sum, false, err
}

// packs reports whether the store compresses what it writes into a stream: the engine does not, by
// what its leader said last.
func (s *Store) packs(ctx context.Context, stream string) bool {
	if s.engine != nil {
		return false
	}
	compressed, _ := s.look(ctx, stream, settingsAge)
	return !compressed
}
