package collection

import (
	"errors"
	"io"
)

// A List finds the known problems that one is like. Of some it has the diagram, of others only the
// Hashes. The zero List is empty. It is not for concurrent use while problems are added.
type List struct {
	index  Index
	names  []string // by the number in index
	hashes HashList
	hashed int
}

// A Similar is a problem of a List that one is like. Detail and Mirrored are those of a Match, and not
// known where only the Hashes are.
type Similar struct {
	Name     string
	Relation Relation
	Detail   int
	Mirrored bool
	Hashed   bool // only the Hashes are known
}

// Closeness has all relations, the closest first.
var Closeness = []Relation{Duplicate, MirrorTwin, OtherHand, Changed, Shifted, Contained, Contains, SameIdea, SameEnd}

// Len returns how many problems are known by their diagrams.
func (l *List) Len() int { return len(l.names) }

// Hashed returns how many problems are known by their Hashes alone.
func (l *List) Hashed() int { return l.hashed }

// Know adds a problem, without its line if that is not legal. The error is ErrNoKing or another fault of
// the position.
func (l *List) Know(name string, p *Problem) error {
	d, err := Describe(p)
	if err != nil && !errors.Is(err, ErrNoKing) {
		d, err = Describe(&Problem{Position: p.Position, Attacker: p.Attacker})
	}
	if err != nil {
		return err
	}
	l.Add(name, d)
	return nil
}

// Add adds a problem that is described.
func (l *List) Add(name string, d *Description) {
	l.index.Add(d)
	l.names = append(l.names, name)
}

// KnowHashes adds the problems of a file of Hashes, as HashesHeading describes it.
func (l *List) KnowHashes(r io.Reader) error {
	n, err := l.hashes.Read(r)
	l.hashed += n
	return err
}

// Find returns the problems that one is like in the given ways, those of the first relation first and
// in their order, each only as the first that it is. There are at most so many; more says that there
// are others.
func (l *List) Find(d *Description, most int, relations ...Relation) (found []Similar, more bool) {
	name, byHash, isHashed := l.hashes.Find(d)
	seen := map[int]bool{}
	for _, r := range relations {
		if isHashed && r == byHash {
			if len(found) == most {
				return found, true
			}
			found = append(found, Similar{Name: name, Relation: r, Hashed: true})
		}
		for _, m := range l.index.Related(d, r) {
			for id := m.ID; id < m.ID+m.Count; id++ {
				if seen[id] {
					continue
				}
				if len(found) == most {
					return found, true
				}
				seen[id] = true
				found = append(found, Similar{Name: l.names[id], Relation: r, Detail: m.Detail, Mirrored: m.Mirrored})
			}
		}
	}
	return found, false
}
