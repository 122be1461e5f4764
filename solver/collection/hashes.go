package collection

import (
	"bufio"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"io"
	"strings"
)

// Hashes are what a problem, or a near copy, is recognised by without being shown: 96 bits each, as
// ShortKey has them, with a prefix that says of what. They hide only what cannot be guessed: whoever
// has a diagram, or goes through all of a kind, can see whether it is this one.
type Hashes struct {
	Position string // t1h: of the Key
	Figure   string // t1fh: of the Figure
	Shift    string // t1sh: of the Shift
	Line     string // t1lh: of the main line as seen from the defender's king; empty below three plies
}

// Hashes returns the hashes of a problem.
func (d *Description) Hashes() Hashes {
	h := Hashes{ShortKey(d.Key), hashed("t1fh:", d.Figure), hashed("t1sh:", d.Shift), ""}
	if len(d.line) >= beginningSteps {
		var text strings.Builder
		for _, s := range d.line {
			text.WriteString(s.String())
			text.WriteByte(' ')
		}
		h.Line = hashed("t1lh:", text.String())
	}
	return h
}

// hashed returns a prefix and the first 96 bits of the SHA-256 of a text.
func hashed(prefix, text string) string {
	sum := sha256.Sum256([]byte(text))
	return prefix + base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:12])
}

// HashesHeading is the first line of a file of Hashes. In each line that follows, other than empty ones
// and comments, are four hashes in any order and a name of the problem, with tabs between; - stands for
// one that is not told.
const HashesHeading = "# tsumero keys 1: position, figure, shift, line, name"

// String returns the hashes as a file has them, without a name.
func (h Hashes) String() string {
	list := []string{h.Position, h.Figure, h.Shift, h.Line}
	for i, s := range list {
		if s == "" {
			list[i] = "-"
		}
	}
	return strings.Join(list, "\t")
}

// A HashList finds problems of which only the Hashes are known. The zero HashList is empty.
type HashList struct {
	names map[string]string // of the first problem with a hash
}

// Read adds the problems of a file and returns how many they are.
func (l *HashList) Read(r io.Reader) (n int, err error) {
	lines := bufio.NewScanner(r)
	for at := 1; lines.Scan(); at++ {
		text := strings.TrimSpace(lines.Text())
		if at == 1 && text != HashesHeading {
			return 0, fmt.Errorf("line 1 is not %q", HashesHeading)
		}
		if text == "" || text[0] == '#' {
			continue
		}
		columns := strings.Split(text, "\t")
		if len(columns) != 5 {
			return n, fmt.Errorf("line %d has %d columns, but must have four keys and a name", at, len(columns))
		}
		for i, key := range columns[:4] {
			if key != "-" && !isHash(key) {
				return n, fmt.Errorf("line %d: column %d is %.40q, which is no key", at, i+1, key)
			}
		}
		for _, key := range columns[:4] {
			if key != "-" {
				l.add(key, columns[4])
			}
		}
		n++
	}
	return n, lines.Err()
}

func isHash(key string) bool {
	prefix, letters, _ := strings.Cut(key, ":")
	switch prefix {
	case "t1h", "t1fh", "t1sh", "t1lh":
		raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(letters)
		return err == nil && len(raw) == 12
	}
	return false
}

func (l *HashList) add(key, name string) {
	if l.names == nil {
		l.names = map[string]string{}
	}
	if _, has := l.names[key]; !has {
		l.names[key] = name
	}
}

// Find returns the name of the problem that one is most like as far as hashes tell, and how: Duplicate,
// mirrored or not, Contains, OtherHand, Shifted or SameIdea, which here is the whole line.
func (l *HashList) Find(d *Description) (name string, r Relation, ok bool) {
	h := d.Hashes()
	if name, ok = l.names[h.Position]; ok {
		return name, Duplicate, true
	}
	for _, node := range d.Nodes {
		if name, ok = l.names[ShortKey(node)]; ok {
			return name, Contains, true
		}
	}
	for _, by := range []struct {
		key      string
		relation Relation
	}{{h.Figure, OtherHand}, {h.Shift, Shifted}, {h.Line, SameIdea}} {
		if name, ok = l.names[by.key]; ok {
			return name, by.relation, true
		}
	}
	return "", 0, false
}
