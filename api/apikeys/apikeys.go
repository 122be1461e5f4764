// Package apikeys reads the list of API keys of those who run a service. The list has no key, but
// its digest, so that who reads the file cannot use one.
package apikeys

import (
	"bufio"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
)

// A Key is who has a key.
type Key struct {
	Name  string // unique; jobs belong to it
	Class string // of quotas
}

// A List is a list of keys that can be replaced while it is used. It is safe for concurrent use.
type List struct {
	path    string
	classes []string
	entries atomic.Pointer[[]entry]
}

type entry struct {
	Key
	digest [sha256.Size]byte
}

// Load reads a file of keys of these classes. Each line has a name, the SHA-256 of the key in hex,
// and a class, separated by blanks; empty lines and those that begin with # mean nothing.
func Load(path string, classes []string) (*List, error) {
	l := &List{path: path, classes: classes}
	return l, l.Reload()
}

// Reload reads the file again. After an error the keys are those that were before.
func (l *List) Reload() error {
	f, err := os.Open(l.path)
	if err != nil {
		return fmt.Errorf("apikeys: %w", err)
	}
	defer f.Close()
	entries, err := parse(f, l.classes)
	if err != nil {
		return fmt.Errorf("apikeys: %s: %w", l.path, err)
	}
	l.entries.Store(&entries)
	return nil
}

// Classes returns the classes that keys may have.
func (l *List) Classes() []string { return l.classes }

// Len returns how many keys there are.
func (l *List) Len() int { return len(*l.entries.Load()) }

// Find returns who has a key. It takes the same time for every key.
func (l *List) Find(key string) (Key, bool) {
	digest := sha256.Sum256([]byte(key))
	found, ok := Key{}, false
	for _, e := range *l.entries.Load() {
		if subtle.ConstantTimeCompare(digest[:], e.digest[:]) == 1 {
			found, ok = e.Key, true
		}
	}
	return found, ok
}

// maxName is the longest name.
const maxName = 48

// parse reads the lines of a list, or returns everything that is wrong with them.
func parse(r io.Reader, classes []string) ([]entry, error) {
	var entries []entry
	var faults []error
	names, digests := map[string]int{}, map[[sha256.Size]byte]int{}
	in := bufio.NewScanner(r)
	for number := 1; in.Scan(); number++ {
		fields := strings.Fields(in.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		fault := func(format string, args ...any) {
			faults = append(faults, fmt.Errorf("line %d: "+format, append([]any{number}, args...)...))
		}
		if len(fields) != 3 {
			fault("found %d words, expected a name, a digest and a class", len(fields))
			continue
		}
		e := entry{Key: Key{Name: fields[0], Class: fields[2]}}
		digest, err := hex.DecodeString(fields[1])
		switch {
		case err != nil || len(digest) != sha256.Size:
			// It may be the key itself, so that it is not repeated here.
			fault("the second word is no SHA-256 in hex, of 64 digits")
			continue
		case len(e.Name) > maxName:
			fault("the name has %d bytes, expected at most %d", len(e.Name), maxName)
			continue
		case !slices.Contains(classes, e.Class):
			fault("there is no class %q, expected one of %s", e.Class, strings.Join(classes, ", "))
			continue
		}
		e.digest = [sha256.Size]byte(digest)
		if before := names[e.Name]; before > 0 {
			fault("the name %q is that of line %d", e.Name, before)
		}
		if before := digests[e.digest]; before > 0 {
			fault("the key is that of line %d", before)
		}
		names[e.Name], digests[e.digest] = number, number
		entries = append(entries, e)
	}
	return entries, errors.Join(append(faults, in.Err())...)
}
