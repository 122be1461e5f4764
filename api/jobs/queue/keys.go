package queue

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

// A KeyOwner is the owner of an API key.
type KeyOwner struct {
	Name  string // unique; jobs belong to it
	Class string // of quotas
}

// Keys are the API keys of a service, by their digests: who can read the file cannot use one. They can
// be reloaded while they are used, and are safe for concurrent use.
type Keys struct {
	path    string
	classes []string
	entries atomic.Pointer[[]keyEntry]
}

type keyEntry struct {
	KeyOwner
	digest [sha256.Size]byte
}

// LoadKeys reads a file of keys of these classes. Each line has a name, the SHA-256 of the key in hex,
// and a class, separated by spaces; empty lines and those that begin with # are skipped.
func LoadKeys(path string, classes []string) (*Keys, error) {
	l := &Keys{path: path, classes: classes}
	return l, l.Reload()
}

// Reload reads the file again. After an error the keys are those that were before.
func (l *Keys) Reload() error {
	f, err := os.Open(l.path)
	if err != nil {
		return fmt.Errorf("apikeys: %w", err)
	}
	defer f.Close()
	entries, err := parseKeys(f, l.classes)
	if err != nil {
		return fmt.Errorf("apikeys: %s: %w", l.path, err)
	}
	l.entries.Store(&entries)
	return nil
}

// Classes returns the classes that keys may have.
func (l *Keys) Classes() []string { return l.classes }

// Len returns how many keys there are.
func (l *Keys) Len() int { return len(*l.entries.Load()) }

// Find returns the owner of a key. It takes the same time for every key.
func (l *Keys) Find(key string) (KeyOwner, bool) {
	digest := sha256.Sum256([]byte(key))
	found, ok := KeyOwner{}, false
	for _, e := range *l.entries.Load() {
		if subtle.ConstantTimeCompare(digest[:], e.digest[:]) == 1 {
			found, ok = e.KeyOwner, true
		}
	}
	return found, ok
}

// maxKeyName is the longest name.
const maxKeyName = 48

// parseKeys reads the lines of a list, or returns everything that is wrong with them.
func parseKeys(r io.Reader, classes []string) ([]keyEntry, error) {
	var entries []keyEntry
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
		e := keyEntry{KeyOwner: KeyOwner{Name: fields[0], Class: fields[2]}}
		digest, err := hex.DecodeString(fields[1])
		switch {
		case err != nil || len(digest) != sha256.Size:
			// It may be the key itself, so that it is not repeated here.
			fault("the second word is no SHA-256 in hex, of 64 digits")
			continue
		case len(e.Name) > maxKeyName:
			fault("the name has %d bytes, expected at most %d", len(e.Name), maxKeyName)
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
