package jobs_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tsumero/tsumero/api/jobs"
)

// read returns all chunks of r.
func read(r io.Reader, longest int) (chunks []jobs.Chunk, err error) {
	for s := jobs.NewSplitter(r, longest); ; {
		c, err := s.Next()
		if errors.Is(err, io.EOF) {
			return chunks, nil
		}
		if err != nil {
			return chunks, err
		}
		chunks = append(chunks, c)
	}
}

func TestSplitter(t *testing.T) {
	long := strings.Repeat("x", 101)
	chunks, err := read(strings.NewReader("\n a\r\n\n"+long+"\nb\n"+long[1:]+"\nc"), 100)
	want := jobs.Chunk{{Number: 2, Text: []byte("a")}, {Number: 4, TooLong: true},
		{Number: 5, Text: []byte("b")}, {Number: 6, Text: []byte(long[1:])}, {Number: 7, Text: []byte("c")}}
	if err != nil || len(chunks) != 1 || !reflect.DeepEqual(chunks[0], want) {
		t.Errorf("%v, %v", chunks, err)
	}
	again, err := jobs.DecodeChunk(chunks[0].Encode())
	if err != nil || !reflect.DeepEqual(again, want) {
		t.Errorf("decoded: %v, %v", again, err)
	}
	if chunks, err := read(strings.NewReader("\n \n"), 100); err != nil || len(chunks) != 0 {
		t.Errorf("nothing: %v, %v", chunks, err)
	}
}

// Where the pieces of the stream end makes no difference, and no line is lost.
func TestSplitterPieces(t *testing.T) {
	var b bytes.Buffer
	for i := range 5000 {
		fmt.Fprintf(&b, "%d %s\n", i+1, strings.Repeat("y", i*i%700))
	}
	whole, err := read(bytes.NewReader(b.Bytes()), 1000)
	if err != nil {
		t.Fatal(err)
	}
	pieces, err := read(iotest.HalfReader(iotest.DataErrReader(bytes.NewReader(b.Bytes()))), 1000)
	if err != nil || !reflect.DeepEqual(whole, pieces) {
		t.Errorf("%d and %d chunks, %v", len(whole), len(pieces), err)
	}
	number := 0
	for _, c := range whole {
		size := 0
		for _, l := range c {
			if number++; l.Number != number || !strings.HasPrefix(string(l.Text), fmt.Sprint(number)) {
				t.Fatalf("line %d: %d %.20q", number, l.Number, l.Text)
			}
			size += len(l.Text)
		}
		if len(c) > jobs.MaxChunkLines || size > jobs.MaxChunkBytes {
			t.Errorf("a chunk of %d lines, %d bytes", len(c), size)
		}
	}
	if number != 5000 {
		t.Errorf("%d lines", number)
	}
}

// A stream that breaks off yields no half line.
func TestSplitterBroken(t *testing.T) {
	broken := errors.New("broken")
	chunks, err := read(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), 100)
	if !errors.Is(err, broken) || len(chunks) != 0 {
		t.Errorf("%v, %v", chunks, err)
	}
}

func TestDecodeChunkRefuses(t *testing.T) {
	for _, text := range []string{"", "tsumero-chunk 2\n1\ta\n", "tsumero-chunk 1\n",
		"tsumero-chunk 1\n1\ta", "tsumero-chunk 1\nx\ta\n", "tsumero-chunk 1\n2\ta\n2\tb\n",
		"tsumero-chunk 1\n0\ta\n", "tsumero-chunk 1\n\n"} {
		if c, err := jobs.DecodeChunk([]byte(text)); err == nil {
			t.Errorf("%q: %v", text, c)
		}
	}
}

// A chunk of a newer format is for others.
func TestNewerChunk(t *testing.T) {
	if _, err := jobs.DecodeChunk([]byte("tsumero-chunk 2\nwhatever")); !errors.Is(err, jobs.ErrNewer) {
		t.Error(err)
	}
	if _, err := jobs.DecodeChunk([]byte("tsumero-chunk \n1\ta\n")); err == nil || errors.Is(err, jobs.ErrNewer) {
		t.Error(err)
	}
}

func FuzzDecodeChunk(f *testing.F) {
	f.Add([]byte("tsumero-chunk 1\n1\ta\n3\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := jobs.DecodeChunk(data)
		if err != nil {
			return
		}
		again, err := jobs.DecodeChunk(c.Encode())
		if err != nil || !reflect.DeepEqual(c, again) {
			t.Errorf("%v, %v", again, err)
		}
	})
}

func TestID(t *testing.T) {
	a, b := jobs.NewID(), jobs.NewID()
	if a == b {
		t.Error("the same ID twice")
	}
	if got, err := jobs.ParseID(string(a)); err != nil || got != a {
		t.Errorf("%q: %q, %v", a, got, err)
	}
	for _, s := range []string{"", string(a[1:]), string(a) + "a", strings.ToUpper(string(a)),
		strings.Repeat("0", 26), strings.Repeat("/", 26)} {
		if _, err := jobs.ParseID(s); err == nil {
			t.Errorf("%q is taken", s)
		}
	}
	secret, other := []byte("secret"), []byte("other")
	id := jobs.DeriveID(secret, "client", "key")
	if _, err := jobs.ParseID(string(id)); err != nil || id != jobs.DeriveID(secret, "client", "key") {
		t.Errorf("%q, %v", id, err)
	}
	for _, d := range []jobs.ID{jobs.DeriveID(other, "client", "key"),
		jobs.DeriveID(secret, "client", "key2"), jobs.DeriveID(secret, "client ", "key"),
		jobs.DeriveID(secret, "client key", "")} {
		if d == id {
			t.Error("another question, the same ID")
		}
	}
}

func TestMemoryClass(t *testing.T) {
	for _, c := range []struct {
		bytes int64
		want  int
	}{{0, 0}, {256 << 20, 0}, {256<<20 + 1, 4}, {4 << 30, 4}, {4<<30 + 1, 16}, {64 << 30, 64},
		{256 << 30, 256}, {256<<30 + 1, -1}} {
		if got := jobs.MemoryClass(c.bytes); got != c.want {
			t.Errorf("%d: %d, want %d", c.bytes, got, c.want)
		}
	}
}
