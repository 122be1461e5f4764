package cli

import (
	"bufio"
	"strconv"

	"github.com/tsumero/tsumero/solver/collection"
)

// relationMarks stand before the details of relations that have one.
var relationMarks = [collection.NumRelations]byte{collection.Contained: '@', collection.Contains: '@',
	collection.Changed: '~', collection.SameIdea: '='}

// appendRelation appends the relation, the first problem that it is to, and its detail:
// "contained:12@3", "changed:7~1".
func appendRelation(dst []byte, m collection.Match) []byte {
	dst = append(append(dst, m.Relation.String()...), ':')
	dst = strconv.AppendInt(dst, int64(m.ID), 10)
	if mark := relationMarks[m.Relation]; mark != 0 {
		dst = strconv.AppendInt(append(dst, mark), int64(m.Detail), 10)
	}
	if m.Mirrored {
		dst = append(dst, 'm')
	}
	return dst
}

// A relationWriter writes relations, with spaces between them. Among n equal problems there are n²/2
// of them, so that long runs are copied from a text that has all of the same kind.
type relationWriter struct {
	texts [collection.NumRelations]relationText
}

// A relationText is "duplicate:1 duplicate:2" and so on.
type relationText struct {
	text []byte
	ends []int // ends[i] is where the one to problem i+1 ends
}

const longRun = 16 // of relations that are worth a text

func (w *relationWriter) write(out *bufio.Writer, list []collection.Match) {
	space := ""
	for _, m := range list {
		if relationMarks[m.Relation] == 0 && !m.Mirrored && m.Count >= longRun {
			out.WriteString(space)
			out.Write(w.texts[m.Relation].run(m))
			space = " "
			continue
		}
		for end := m.ID + m.Count; m.ID < end; m.ID++ {
			out.WriteString(space)
			out.Write(appendRelation(out.AvailableBuffer(), m))
			space = " "
		}
	}
}

// run returns the text of relations that have neither a detail nor a mirror image.
func (t *relationText) run(m collection.Match) []byte {
	last := m.ID + m.Count - 1
	for len(t.ends) < last {
		if len(t.ends) > 0 {
			t.text = append(t.text, ' ')
		}
		t.text = appendRelation(t.text, collection.Match{ID: len(t.ends) + 1, Relation: m.Relation})
		t.ends = append(t.ends, len(t.text))
	}
	start := 0
	if m.ID > 1 {
		start = t.ends[m.ID-2] + 1
	}
	return t.text[start:t.ends[last-1]]
}
