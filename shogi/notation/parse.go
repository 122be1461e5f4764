package notation

import (
	"cmp"
	"slices"
	"strings"
)

// Options say what a text is. What is zero is found out.
type Options struct {
	Format  Format
	Charset Charset
}

// Parse reads a text that holds one record. An error is an *Error.
func Parse(data []byte, opts Options) (*Record, error) {
	records, err := parse(data, opts, 1)
	if err != nil {
		return nil, err
	}
	return records[0], nil
}

// ParseAll is Parse for texts that may hold several records, which those of CSA may.
func ParseAll(data []byte, opts Options) ([]*Record, error) { return parse(data, opts, MaxRecords) }

func parse(data []byte, opts Options, most int) ([]*Record, error) {
	text, charset, found := decode(data, opts.Charset)
	f := faults(found)
	format := opts.Format
	if format == Unknown && len(f) == 0 {
		if format = detect(text); format == Unknown {
			f.add(place{}, CodeFormat, "found no notation that is known, expected SFEN, KIF, KI2, CSA or JKF")
		}
	}
	if len(f) > 0 {
		return nil, &Error{format, f}
	}
	var records []*Record
	switch format {
	case SFEN:
		records = []*Record{parseSFEN(text, &f)}
	case KIF, KI2:
		records = []*Record{parseKIF(text, &f)}
	case CSA:
		records = parseCSA(text, &f, most)
	case JKF:
		records = []*Record{parseJKF(text, &f)}
	default:
		f.add(place{}, CodeFormat, "there is no notation %d", format)
	}
	if len(f) > 0 {
		slices.SortStableFunc(f, func(a, b Fault) int { return cmp.Compare(a.Offset, b.Offset) })
		return nil, &Error{format, f}
	}
	for _, r := range records {
		r.Charset = charset
		if r.Format == Unknown {
			r.Format = format
		}
	}
	return records, nil
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
