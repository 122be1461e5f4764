package cli

import (
	"io"
	"iter"

	"github.com/tsumero/tsumero/shogi/notation"
)

// FormatNames are the values of --notation.
var FormatNames = append([]string{"auto"}, notation.Names(notation.Formats())...)

// A FileFormat says how positions are read from a file.
type FileFormat struct {
	Format notation.Format // Unknown: found out by the first lines
	Usual  notation.Format // what it is if the first lines do not show it
	After  int             // of a record, solve the position after this number of moves
}

// Files reads the positions of a file in whatever notation it is: one a line of a list, else the position
// of each record. It reads no more than it needs to tell before it yields the first position, and of a
// regular file what it has at the start. Who types is answered line by line, whatever comes first.
func Files(r io.Reader, f FileFormat) iter.Seq2[Question, error] {
	return func(yield func(Question, error) bool) {
		r, err := asItIs(r)
		if err != nil {
			yield(Question{}, err)
			return
		}
		opts := notation.Options{Format: f.Format, Usual: f.Usual, Live: IsTerminal(r)}
		for record, err := range notation.Records(r, opts) {
			q := newQuestion(record, err, f.After)
			if err != nil && asRecordError(err) == nil {
				yield(Question{}, err)
				return
			}
			if !yield(q, nil) {
				return
			}
		}
	}
}
