package notation

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
)

// A Charset is how a text is written in bytes.
type Charset uint8

// The charsets. The zero Charset is none: Parse then detects it.
const (
	UnknownCharset Charset = iota
	UTF8
	ShiftJIS // as Windows has it (CP932, Windows-31J)
)

// String returns "utf-8", "shift_jis" or "unknown".
func (c Charset) String() string {
	switch c {
	case UTF8:
		return "utf-8"
	case ShiftJIS:
		return "shift_jis"
	}
	return "unknown"
}

// ParseCharset reads the name of a charset as media types have it. US-ASCII is part of UTF-8.
func ParseCharset(name string) (Charset, error) {
	switch strings.ToLower(name) {
	case "utf-8", "utf8", "us-ascii":
		return UTF8, nil
	case "shift_jis", "shift-jis", "sjis", "x-sjis", "ms_kanji", "windows-31j", "cp932", "ms932":
		return ShiftJIS, nil
	}
	return UnknownCharset, fmt.Errorf("notation: %q is not a charset (expected utf-8 or shift_jis)", clip(name))
}

const byteOrderMark = "\ufeff"

// saysCharset is the first line of a KIF or CSA that names its charset. It is not asked when one is read: converters leave
// the line as it was.
var saysCharset = regexp.MustCompile(`(?i)^(?:#KIF|'CSA)[^\r\n]*encoding=(UTF-8|Shift[_-]JIS)`)

// decode returns data as text without a byte order mark. An unknown charset is detected: by the byte order mark, else by
// whether the bytes are UTF-8, which Shift_JIS with Japanese in it practically never is, else it is Shift_JIS.
func decode(data []byte, charset Charset) (text string, _ Charset, faults []Fault) {
	if len(data) > MaxBytes {
		return "", charset, []Fault{{Line: 1, Column: 1, Code: CodeTooLong, Msg: fmt.Sprintf("found %d bytes, expected at most %d", len(data), MaxBytes)}}
	}
	rest, marked := bytes.CutPrefix(data, []byte(byteOrderMark))
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return "", charset, []Fault{{Line: 1, Column: 1, Code: CodeCharset, Msg: "found the byte order mark of UTF-16, expected UTF-8 or Shift_JIS"}}
	case charset != UnknownCharset:
	case marked, utf8.Valid(rest):
		charset = UTF8
	default:
		charset = ShiftJIS
	}
	if charset == UTF8 {
		text = string(rest)
		if i := invalidUTF8(text); i >= 0 {
			return text, charset, []Fault{faultAt(text, i, CodeCharset, "found the byte %#x, which is not UTF-8", text[i])}
		}
		return text, charset, nil
	}
	decoded, err := japanese.ShiftJIS.NewDecoder().Bytes(data)
	text = string(decoded)
	if i := strings.IndexRune(text, utf8.RuneError); i >= 0 || err != nil {
		return text, charset, []Fault{faultAt(text, max(i, 0), CodeCharset, "found bytes that are neither UTF-8 nor Shift_JIS")}
	}
	return text, charset, nil
}

func invalidUTF8(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return i
			}
		}
	}
	return -1
}

// Encode returns a text in UTF-8 in a charset, with the line ends that go with it: LF in UTF-8, CR LF in Shift_JIS. A first
// line that names the charset, as those of KIF and CSA do, names the new one. The error names the first character that
// Shift_JIS does not have.
func Encode(text []byte, charset Charset) ([]byte, error) {
	switch charset {
	case UTF8:
		return text, nil
	case ShiftJIS:
		if said := saysCharset.FindSubmatchIndex(text); said != nil {
			name := "Shift_JIS"
			if text[0] == '\'' { // which CSA writes in capitals
				name = "SHIFT_JIS"
			}
			text = slices.Concat(text[:said[2]], []byte(name), text[said[3]:])
		}
		dst, err := japanese.ShiftJIS.NewEncoder().Bytes(bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")))
		if err == nil {
			return dst, nil
		}
		for _, r := range string(text) {
			if _, err := japanese.ShiftJIS.NewEncoder().String(string(r)); err != nil {
				return nil, fmt.Errorf("notation: Shift_JIS has no character %q", r)
			}
		}
		return nil, fmt.Errorf("notation: %w", err)
	}
	return nil, errors.New("notation: no charset to encode in")
}
