package notation

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tsumero/tsumero/shogi"
)

// Options say what a text is and what of it is wanted. What is zero is found out.
type Options struct {
	Format  Format
	Charset Charset
	// Usual is what a text is if its lines do not tell.
	Usual Format
	// Live says that the text is written while Records reads it: what comes first must be read at
	// once, even if it is of no notation.
	Live bool
}

// Parse reads the first record of a text. If there are more, a note says so. An error is an *Error.
func Parse(data []byte, opts Options) (*Record, error) {
	records, err := parse(data, opts, 1)
	if err != nil {
		return nil, err
	}
	return records[0], nil
}

// ParseAll is Parse for all records of a text. Those of a JKF or an address are one.
func ParseAll(data []byte, opts Options) ([]*Record, error) { return parse(data, opts, MaxRecords) }

func parse(data []byte, opts Options, most int) ([]*Record, error) {
	given, charset, found := decode(data, opts.Charset)
	if len(found) > 0 {
		return nil, &Error{Format: opts.Format, Faults: found}
	}
	text := given
	plain, isOther := spelled(given)
	if isOther {
		text = plain.text
	}
	r := read(text, opts, most)
	isCut, hasTags := slices.ContainsFunc(r.records, (*Record).isCut), leavesTags(r.records)
	if len(r.faults) > 0 || isCut || hasTags {
		for _, part := range htmlParts(text) {
			inner := read(part.text, opts, most)
			switch {
			case len(inner.faults) > 0 && (len(r.faults) == 0 || r.format != Unknown && !part.drawn()),
				isCut && !hasTags && slices.ContainsFunc(inner.records, (*Record).isCut):
				continue
			}
			r = inner
			part.relocate(text, &r)
			if len(r.faults) == 0 {
				break
			}
		}
	}
	if len(r.faults) > 0 && (r.format == Unknown || r.format == KIF || r.format == KI2) {
		if japanese, ok := inJapanese(text); ok {
			r = read(japanese.text, opts, most)
			japanese.relocate(text, &r)
		}
	}
	if isOther {
		plain.relocate(given, &r)
	}
	if len(r.faults) > 0 {
		slices.SortStableFunc(r.faults, func(a, b Fault) int { return cmp.Compare(a.Offset, b.Offset) })
		return nil, &Error{Format: r.format, Faults: r.faults}
	}
	for _, record := range r.records {
		record.Charset = charset
		if record.Format == Unknown {
			record.Format = r.format
		}
		record.setPlies(record.Get("手数"))
		for _, n := range record.Notes {
			record.tell(n.Text)
		}
	}
	return r.records, nil
}

// A reading is what was made of a text.
type reading struct {
	format  Format
	records []*Record // at least one if there are no faults
	faults  faults
}

// relocate moves what was found to the places that where has for its offsets.
func (r *reading) relocate(where func(offset int) place) {
	for i := range r.faults {
		r.faults[i].moveTo(where(r.faults[i].Offset))
	}
	for _, record := range r.records {
		if record == nil {
			continue
		}
		for i := range record.Notes {
			n := &record.Notes[i]
			at := where(n.Offset)
			n.Line, n.Column, n.Offset = at.line+1, at.column+1, at.offset
		}
		if f := record.unread; f != nil {
			f.moveTo(where(f.Offset))
		}
	}
}

// read reads a text that is one from beginning to end.
func read(text string, opts Options, most int) reading {
	r := reading{format: opts.Format}
	if r.format == Unknown {
		r.format = detect(text)
		if address, at := findAddress(text, r.format); address != "" {
			return readAddress(text, address, at)
		}
	}
	switch k := r.format.kind(); {
	case r.format == Unknown:
		what := noFormat
		if moves, err := ParseLoose(text); err == nil && len(moves) > 0 {
			what = noBoard
		}
		r.faults.add(place{}, what)
	case k.read == nil:
		r.faults.add(place{}, noSuchFormat, r.format)
	case r.format == SFEN && isList(text):
		r.records = parseList(text, &r.faults, most)
	default:
		r.records = k.read(text, &r.faults, most)
		r.refuseAssumed()
	}
	return r
}

// opening is how many moves make a text a game that does not say where it begins. A solution that was copied without its diagram
// has a move among its first ones that nobody can play there: its king stands elsewhere.
const opening = 4

// refuseAssumed makes a fault of a position that the text does not give. Many games are written
// without 手合割, and so is every solution that was copied without its diagram. A text is a game if it
// has moves and they, or the first few of many, can be played from the start position of one: what
// is wrong later is a fault of a move. Else there is no board.
func (r *reading) refuseAssumed() {
	for _, record := range r.records {
		if record == nil || record.assumed == nil || !record.ready {
			continue
		}
		n := len(record.Moves())
		switch {
		case n < opening && record.unread != nil:
			f := *record.unread
			f.Code, f.Msg = CodeNoBoard, noGame.With(noBoard, f.Msg)
			r.faults = append(r.faults, f)
		case n == 0, record.Start.SideToMove() != shogi.Black:
			r.faults.add(*record.assumed, noBoard)
		}
	}
}

// oneLine returns text with what would end a line replaced by blanks.
func oneLine(text string) string {
	return strings.TrimRight(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text), blanks)
}

// upTo returns s up to the first of some characters.
func upTo(s, ends string) string {
	if i := strings.IndexAny(s, ends); i >= 0 {
		return s[:i]
	}
	return s
}

// begins reports whether s begins with one of the characters.
func begins(s, characters string) bool {
	first, size := utf8.DecodeRuneInString(s)
	return size > 0 && strings.ContainsRune(characters, first)
}
