//go:build !nonats

package natsstore

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/tsumero/tsumero/api/jobs"
)

// chunks are texts as they are stored: such that pack well, and such that do not.
func chunks() map[string][]byte {
	noise := make([]byte, maxMessage)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	return map[string][]byte{
		"empty":         {},
		"one line":      []byte("tsumero-chunk 1\n1\t4k4/9/4G4/9/9/9/9/9/4K4 b G 1\n"),
		"lines":         []byte("tsumero-chunk 1\n" + strings.Repeat("1\t4k4/9/4G4/9/9/9/9/9/4K4 b G 1\n", 1000)),
		"noise":         noise[:100_000],
		"largest":       make([]byte, maxMessage),
		"largest noise": noise,
		"too large":     make([]byte, maxMessage+1),
	}
}

func TestPack(t *testing.T) {
	for name, data := range chunks() {
		stored, err := packChunk(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := unpackChunk(stored); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %.20q, %v", name, got, err)
		}
		if len(stored) > len(data) {
			t.Errorf("%s: %d bytes are stored in %d", name, len(data), len(stored))
		}
		r := &jobs.Result{Summary: jobs.Summary{V: jobs.V, First: 1, Last: 9, Engine: "e"}, Text: data}
		s, err := packResult(r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text, err := json.Marshal(&s.Summary)
		if err != nil {
			t.Fatal(err)
		}
		sum, packed, err := unpackSummary(string(text))
		if err != nil || *sum != r.Summary {
			t.Errorf("%s: %+v, %v", name, sum, err)
		}
		if packed {
			if got, err := unpack(s.Text); err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s: %.20q, %v", name, got, err)
			}
			// A program that does not know the format leaves it to others.
			if err := decode(text, sum, &sum.V); !errors.Is(err, jobs.ErrNewer) {
				t.Errorf("%s: an older program: %v", name, err)
			}
		} else if !bytes.Equal(s.Text, data) || s.V != jobs.V {
			t.Errorf("%s is neither packed nor as it was", name)
		}
	}
	if stored, err := packChunk(chunks()["lines"]); err != nil || len(stored) > 1000 {
		t.Errorf("1,000 equal lines are %d bytes, %v", len(stored), err)
	} else if _, err := jobs.DecodeChunk(stored); !errors.Is(err, jobs.ErrNewer) {
		t.Errorf("an older program reads a packed chunk: %v", err)
	}
}

// TestPackedBefore reads what a program has stored once.
func TestPackedBefore(t *testing.T) {
	const stored = packedChunk + "(\xb5/\xfd\x00\x00\xdd\x00\x004\x01tsumero-chunk 1\n1\ta\x01T\x11\x02(\xf5"
	data, err := unpackChunk([]byte(stored))
	if want := "tsumero-chunk 1\n" + strings.Repeat("1\ta\n", 20); err != nil || string(data) != want {
		t.Errorf("%q, %v", data, err)
	}
}

func TestUnpackRefuses(t *testing.T) {
	packed, err := pack("", bytes.Repeat([]byte("line\n"), 1000))
	if err != nil {
		t.Fatal(err)
	}
	for n := range packed {
		if data, err := unpack(packed[:n]); !errors.Is(err, jobs.ErrDamaged) {
			t.Errorf("%d of %d bytes: %d, %v", n, len(packed), len(data), err)
		}
	}
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	bomb := encoder.EncodeAll(make([]byte, 64<<20), nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if data, err := unpack(bomb); !errors.Is(err, jobs.ErrDamaged) {
		t.Errorf("%d bytes out of %d: %v", len(data), len(bomb), err)
	}
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 2*maxMessage {
		t.Errorf("%d bytes allocated for what is refused", allocated)
	}
	if stored, err := packChunk([]byte(packedChunk + "whatever")); err == nil {
		t.Errorf("what would be unpacked is stored: %q", stored)
	}
	for _, text := range []string{"", "{", `{"v":3}`, `{"v":2,"first":"x"}`, `{"v":2,"first":1`} {
		if sum, _, err := unpackSummary(text); err == nil {
			t.Errorf("%s: %+v", text, sum)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	for _, data := range chunks() {
		if len(data) < 1000 {
			stored, err := packChunk(data)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(stored)
		}
	}
	f.Fuzz(func(t *testing.T, stored []byte) {
		data, err := unpackChunk(stored)
		if err != nil {
			return
		}
		if len(data) > max(maxMessage, len(stored)) {
			t.Fatalf("%d bytes out of %d", len(data), len(stored))
		}
		again, err := packChunk(data)
		if err != nil {
			return // it looks packed itself
		}
		if got, err := unpackChunk(again); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	})
}
