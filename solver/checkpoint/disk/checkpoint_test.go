package disk_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tsumero/tsumero/solver/checkpoint"
	"github.com/tsumero/tsumero/solver/checkpoint/disk"
)

var secret = []byte("known to nobody")

var identity = checkpoint.Identity{"root": "here", "plies": "0"}

// A log is told what a Keeper tells.
type log struct {
	mu    sync.Mutex
	saved []disk.Info
	errs  []error
}

// options returns those of a Keeper of a directory that has a checkpoint due at once.
func (l *log) options(dir string) disk.Options {
	return disk.Options{Dir: dir, Name: "job", Secret: secret, First: 1, Every: 1,
		Saved: func(i disk.Info) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.saved = append(l.saved, i)
		},
		OnError: func(err error) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.errs = append(l.errs, err)
		}}
}

// save saves one checkpoint.
func save(t *testing.T, o disk.Options, id checkpoint.Identity, s checkpoint.State, blocks ...string) {
	t.Helper()
	run := disk.New(o).Start(id)
	if run == nil {
		t.Fatal("no run")
	}
	defer run.End()
	w := run.Begin()
	for _, b := range blocks {
		w.Write([]byte(b))
	}
	w.Commit(s, nil)
}

// read loads a checkpoint, and returns its blocks.
func read(o disk.Options, id checkpoint.Identity) (s checkpoint.State, blocks []string, ok bool) {
	run := disk.New(o).Start(id)
	defer run.End()
	ok = run.Load(func(r checkpoint.Reader) error {
		blocks, s = nil, r.State()
		for {
			b, err := r.Next()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			blocks = append(blocks, string(b))
		}
	})
	return s, blocks, ok
}

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestFiles: what was saved last is loaded; two files stay, and those of others; Remove removes
// what belongs to the search, unfinished files as well.
func TestFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made", "on the way")
	var l log
	o := l.options(dir)
	others := []string{"job", "job.", "job.0", "job.1x", "jobs.1", "other.1"}
	for i, text := range []string{"one", "two", "three"} {
		state := checkpoint.State{Nodes: uint64(i), Entries: 7, Homes: 9, Line: []string{"7g7f"}}
		save(t, o, identity, state, text, strings.Repeat("x", checkpoint.BlockBytes))
		if i == 0 {
			for _, name := range append(others, "job.new1") {
				if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		got, blocks, ok := read(o, identity)
		if !ok || !reflect.DeepEqual(got, state) || len(blocks) != 2 || blocks[0] != text ||
			len(blocks[1]) != checkpoint.BlockBytes {
			t.Fatalf("%s: %v %+v, %d blocks", text, ok, got, len(blocks))
		}
	}
	if len(l.errs) > 0 || len(l.saved) != 3 {
		t.Fatal(l.errs, l.saved)
	}
	for i, info := range l.saved {
		stat, err := os.Stat(info.Path)
		if i > 0 && (err != nil || stat.Size() != info.Bytes) || info.Nodes != uint64(i) || info.Entries != 7 {
			t.Errorf("%+v: %v", info, err)
		}
	}
	want := append(slices.Clone(others), "job.2", "job.3")
	slices.Sort(want)
	if got := list(t, dir); !slices.Equal(got, want) {
		t.Errorf("the files are %q, not %q", got, want)
	}
	if err := os.WriteFile(filepath.Join(dir, "job.new1"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := disk.New(o).Remove(); err != nil {
		t.Fatal(err)
	}
	if got := list(t, dir); !slices.Equal(got, others) {
		t.Errorf("%q are left, not %q", got, others)
	}
}

// TestOlder: a file that is refused, for whatever reason, has the older one be loaded, and is gone
// after the next is saved, but the one that was good is not.
func TestOlder(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, o disk.Options, path string){
		"flipped": func(t *testing.T, _ disk.Options, path string) {
			change(t, path, func(b []byte) []byte { b[len(b)/2] ^= 4; return b })
		},
		"cut": func(t *testing.T, _ disk.Options, path string) {
			change(t, path, func(b []byte) []byte { return b[:len(b)-1] })
		},
		"empty": func(t *testing.T, _ disk.Options, path string) {
			change(t, path, func(b []byte) []byte { return nil })
		},
		"other": func(t *testing.T, o disk.Options, path string) {
			other := checkpoint.Identity{"root": "there", "plies": "0"}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			save(t, o, other, checkpoint.State{Nodes: 2}, "two")
		},
		"directory": func(t *testing.T, _ disk.Options, path string) {
			if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var l log
			o := l.options(dir)
			save(t, o, identity, checkpoint.State{Nodes: 1}, "one")
			save(t, o, identity, checkpoint.State{Nodes: 2}, "two")
			spoil(t, o, filepath.Join(dir, "job.2"))
			k := disk.New(o)
			run := k.Start(identity)
			var nodes uint64
			ok := run.Load(func(r checkpoint.Reader) error { nodes = r.State().Nodes; return nil })
			if !ok || nodes != 1 || !k.Resumed() || len(l.errs) != 1 {
				t.Fatal(ok, nodes, k.Resumed(), l.errs)
			}
			if name == "other" && (!errors.Is(l.errs[0], disk.ErrOther) ||
				!strings.Contains(l.errs[0].Error(), `root is "there", not "here"`)) {
				t.Error(l.errs)
			}
			if (name == "flipped" || name == "cut" || name == "empty") && !errors.Is(l.errs[0], disk.ErrDamaged) {
				t.Error(l.errs)
			}
			run.Begin().Commit(checkpoint.State{Nodes: 3}, nil)
			run.End()
			if got := list(t, dir); !slices.Equal(got, []string{"job.1", "job.3"}) {
				t.Errorf("%q are left", got)
			}
		})
	}
}

func change(t *testing.T, path string, f func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, f(b), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// all returns the blocks of a file, or why it is refused.
func all(file []byte, id checkpoint.Identity, key []byte) (blocks [][]byte, err error) {
	r, err := disk.NewReader(bytes.NewReader(file), int64(len(file)), id, key)
	if err != nil {
		return nil, err
	}
	for {
		b, err := r.Next()
		if err == io.EOF {
			return blocks, nil
		}
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, bytes.Clone(b))
	}
}

// TestEveryBit flips each bit of a file, cuts it at each length, and adds to it: it is refused.
func TestEveryBit(t *testing.T) {
	t.Parallel()
	var buf bytes.Buffer
	state := checkpoint.State{Nodes: 5}
	if err := disk.Encode(&buf, identity, state, secret, []byte("one"), nil, []byte("three")); err != nil {
		t.Fatal(err)
	}
	file := buf.Bytes()
	if b, err := all(file, identity, secret); err != nil || len(b) != 3 || string(b[2]) != "three" {
		t.Fatal(b, err)
	}
	for i := range len(file) * 8 {
		file[i/8] ^= 1 << (i % 8)
		if _, err := all(file, identity, secret); !errors.Is(err, disk.ErrDamaged) {
			t.Fatalf("bit %d: %v", i, err)
		}
		file[i/8] ^= 1 << (i % 8)
	}
	for i := range file {
		if _, err := all(file[:i], identity, secret); !errors.Is(err, disk.ErrDamaged) {
			t.Fatalf("the first %d bytes: %v", i, err)
		}
		if _, err := all(file[i+1:], identity, secret); !errors.Is(err, disk.ErrDamaged) {
			t.Fatalf("without the first %d bytes: %v", i+1, err)
		}
	}
	if _, err := all(append(slices.Clone(file), 0), identity, secret); !errors.Is(err, disk.ErrDamaged) {
		t.Fatal(err)
	}
	if _, err := all(file, identity, []byte("guessed")); !errors.Is(err, disk.ErrDamaged) {
		t.Fatal(err)
	}
}

// TestIdentity: each name that differs, is missing or is too much refuses a file, by its name.
func TestIdentity(t *testing.T) {
	t.Parallel()
	var buf bytes.Buffer
	if err := disk.Encode(&buf, identity, checkpoint.State{}, secret); err != nil {
		t.Fatal(err)
	}
	for want, id := range map[string]checkpoint.Identity{
		`plies is "0", not "3"`:     {"root": "here", "plies": "3"},
		`plies is "0", not ""`:      {"root": "here"},
		`nodes is "", not "9"`:      {"root": "here", "plies": "0", "nodes": "9"},
		`root is "here", not "her"`: {"root": "her", "plies": "0"},
	} {
		_, err := all(buf.Bytes(), id, secret)
		if !errors.Is(err, disk.ErrOther) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v instead of %s", err, want)
		}
	}
}

// TestLoadFails: what the search itself refuses is refused, and when the search has to stop no
// older file is tried.
func TestLoadFails(t *testing.T) {
	t.Parallel()
	var l log
	o := l.options(t.TempDir())
	save(t, o, identity, checkpoint.State{Nodes: 1})
	save(t, o, identity, checkpoint.State{Nodes: 2})
	for _, want := range []error{errors.New("no good"), checkpoint.ErrStopped} {
		l.errs = nil
		k := disk.New(o)
		run := k.Start(identity)
		calls := 0
		if run.Load(func(checkpoint.Reader) error { calls++; return want }) || k.Resumed() {
			t.Error("loaded")
		}
		run.End()
		stopped := want == checkpoint.ErrStopped
		if stopped && (calls != 1 || len(l.errs) > 0) || !stopped && (calls != 2 || len(l.errs) != 2 || !errors.Is(l.errs[1], want)) {
			t.Errorf("%v: %d calls, %v", want, calls, l.errs)
		}
	}
}

// TestDue: after First, then after Every and a tenth more nodes, and whenever it is requested.
func TestDue(t *testing.T) {
	t.Parallel()
	k := disk.New(disk.Options{Dir: t.TempDir(), Name: "job", First: time.Hour, Every: 2 * time.Hour})
	run := k.Start(identity)
	now := time.Now()
	after := func(h time.Duration) time.Time { return now.Add(h*time.Hour + time.Minute) }
	due := func(want bool, at time.Time, nodes uint64) {
		t.Helper()
		if got := run.Due(at, nodes); got != want {
			t.Errorf("after %v and %d nodes: %v", at.Sub(now), nodes, got)
		}
	}
	due(false, now, 1000)
	due(true, after(1), 1000)
	k.Request()
	due(true, now, 0)
	run.Hurry()
	run.Begin().Commit(checkpoint.State{Nodes: 1000}, nil)
	if k.Requested() {
		t.Error("still requested")
	}
	run.Begin()                // waits for the one before
	due(false, after(3), 1100) // while one is being written
	run.End()
	run = k.Start(identity)
	if !run.Load(func(checkpoint.Reader) error { return nil }) {
		t.Fatal("not loaded")
	}
	due(false, after(1), 2000)
	due(false, after(2), 1099)
	due(true, after(2), 1100)
	run.Hurry()
	due(false, now, 2000) // not before First
	k.Request()
	run.End()
	if k.Requested() {
		t.Error("requested after the search")
	}
}

// TestAbandoned: a checkpoint that is not committed leaves nothing behind.
func TestAbandoned(t *testing.T) {
	t.Parallel()
	var l log
	o := l.options(t.TempDir())
	run := disk.New(o).Start(identity)
	run.Begin().Write([]byte("half"))
	run.End()
	if got := list(t, o.Dir); len(got) > 0 || len(l.errs) > 0 || len(l.saved) > 0 {
		t.Error(got, l.errs, l.saved)
	}
}

// TestUnwritable: the search is never held up by a disk that does not take what it writes.
func TestUnwritable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	notADir := filepath.Join(dir, "file")
	if err := os.WriteFile(notADir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, o := range []disk.Options{{Dir: filepath.Join(notADir, "x"), Name: "job"}, {Dir: dir, Name: "../job"},
		{Dir: dir, Name: ""}, {Dir: dir, Name: "a.1"}} {
		var l log
		told := l.options(o.Dir)
		told.Name = o.Name
		k := disk.New(told)
		run := k.Start(identity)
		run.Load(func(checkpoint.Reader) error { return nil })
		l.errs = nil
		w := run.Begin()
		for range 100 {
			w.Write(make([]byte, 1000))
		}
		w.Commit(checkpoint.State{}, nil)
		run.End()
		if len(l.errs) != 1 || len(l.saved) > 0 {
			t.Errorf("%+v: %v", o, l.errs)
		}
		if k.Remove() == nil {
			t.Errorf("%+v: Remove", o)
		}
	}
}

// TestOneSearch: of two searches one has the Keeper, until it ends; a nil Keeper has none.
func TestOneSearch(t *testing.T) {
	t.Parallel()
	k := disk.New(disk.Options{Dir: t.TempDir(), Name: "job"})
	ctx := checkpoint.With(context.Background(), k)
	if checkpoint.Of(ctx) != k || checkpoint.Of(context.Background()) != nil ||
		checkpoint.Of(checkpoint.With(ctx, nil)) != nil {
		t.Error("not what was put into the context")
	}
	first := k.Start(identity)
	if first == nil || k.Start(identity) != nil {
		t.Error("both have it")
	}
	first.End()
	if k.Start(identity) == nil {
		t.Error("nobody has it")
	}
	var none *disk.Keeper
	none.Request()
	if none.Start(identity) != nil || none.Requested() || none.Resumed() || none.Remove() != nil {
		t.Error("a nil Keeper")
	}
}

// FuzzReader: no file, whatever is in it, panics or takes more memory than it has bytes; and of one
// whose HMAC is right each block has the digest that the index says.
func FuzzReader(f *testing.F) {
	for _, blocks := range [][][]byte{nil, {[]byte("one")}, {[]byte("one"), nil, make([]byte, 100)}} {
		var buf bytes.Buffer
		if err := disk.Encode(&buf, identity, checkpoint.State{Nodes: 5, Line: []string{"x"}}, secret, blocks...); err != nil {
			f.Fatal(err)
		}
		f.Add(buf.Bytes(), 0)
		f.Add(buf.Bytes(), buf.Len()-32-len("tsumero checkpoint 1\n"))
	}
	f.Add([]byte("tsumero checkpoint 1\n"), 0)
	f.Fuzz(func(t *testing.T, file []byte, tail int) {
		file = bytes.Clone(file)
		disk.Seal(file, secret, tail)
		for _, id := range []checkpoint.Identity{identity, nil} {
			blocks, err := all(file, id, secret)
			if err != nil && !errors.Is(err, disk.ErrDamaged) && !errors.Is(err, disk.ErrOther) {
				t.Fatal(err)
			}
			n := 0
			for _, b := range blocks {
				if n += len(b); !bytes.Contains(file, b) {
					t.Fatal("a block that is not in the file")
				}
			}
			if n > len(file) {
				t.Fatal("more than there is")
			}
		}
	})
}
