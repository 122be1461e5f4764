package notation

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"github.com/tsumero/tsumero/shogi"
)

// A Charset is how a text is written in bytes.
type Charset uint8

// The charsets. The zero Charset is none: Parse then detects it.
const (
	UnknownCharset Charset = iota
	UTF8
	ShiftJIS // as Windows has it (CP932, Windows-31J)
	EUCJP    // read, but not written
	UTF16    // likewise; of either byte order, with its mark
)

// String returns "utf-8", "shift_jis", "euc-jp", "utf-16" or "unknown".
func (c Charset) String() string {
	switch c {
	case UTF8:
		return "utf-8"
	case ShiftJIS:
		return "shift_jis"
	case EUCJP:
		return "euc-jp"
	case UTF16:
		return "utf-16"
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
	case "euc-jp", "eucjp", "x-euc-jp":
		return EUCJP, nil
	case "utf-16", "utf16", "utf-16le", "utf-16be":
		return UTF16, nil
	}
	return UnknownCharset, fmt.Errorf(
		"notation: %q is not a charset (expected utf-8, utf-16, shift_jis or euc-jp)", clip(name))
}

const byteOrderMark = "\ufeff"

// saysCharset is the first line of a KIF or CSA that names its charset. It is not asked when one is
// read: converters leave the line as it was.
var saysCharset = lazy(`(?i)^(?:#KIF|'CSA)[^\r\n]*encoding=(UTF-8|Shift[_-]JIS|EUC-JP)`)

// decode returns data as text without a byte order mark. An unknown charset is detected: by the
// byte order mark, else by whether the bytes are UTF-8, which others with Japanese in them
// practically never are, else by whether they are EUC-JP, else it is Shift_JIS. The mark of UTF-16
// wins over what is said of the charset: no other text begins with its bytes.
func decode(data []byte, charset Charset) (text string, _ Charset, faults []Fault) {
	if len(data) > MaxBytes {
		return "", charset, []Fault{faultAt("", 0, textTooLong, len(data), MaxBytes)}
	}
	rest, marked := bytes.CutPrefix(data, []byte(byteOrderMark))
	switch {
	case IsUTF16(data):
		charset = UTF16
	case charset == UTF16:
		return "", charset, []Fault{faultAt("", 0, noUTF16Mark)}
	case otherKind(data) != nil:
		return "", charset, []Fault{faultAt("", 0, noText, otherKind(data))}
	case charset != UnknownCharset:
	case marked, utf8.Valid(rest):
		charset = UTF8
	case isEUCJP(data):
		charset = EUCJP
	default:
		charset = ShiftJIS
	}
	if charset == UTF8 {
		text = string(rest)
		if i := invalidUTF8(text); i >= 0 {
			return text, charset, []Fault{faultAt(text, i, notUTF8, text[i])}
		}
		return text, charset, nil
	}
	from, fault := encoding.Encoding(japanese.ShiftJIS), notCharset
	switch charset {
	case UTF16:
		from, fault = unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM), notUTF16
	case EUCJP:
		from, fault = japanese.EUCJP, notEUCJP
	}
	text = decodeFrom(from, data)
	if i := strings.IndexRune(text, utf8.RuneError); i >= 0 {
		return text, charset, []Fault{faultAt(text, i, fault)}
	}
	return text, charset, nil
}

// IsUTF16 reports whether data begins with the byte order mark of UTF-16, as files do that editors
// on Windows call Unicode.
func IsUTF16(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff"))
}

// otherKinds are the first bytes of files that people take for records.
var otherKinds = []struct {
	begins string
	name   *shogi.Text
}{
	{"%PDF-", shogi.NewText("", "a PDF", "PDF")},
	{"\x89PNG\r\n", shogi.NewText("", "a picture (PNG)", "PNG 画像")},
	{"\xff\xd8\xff", shogi.NewText("", "a picture (JPEG)", "JPEG 画像")},
	{"GIF8", shogi.NewText("", "a picture (GIF)", "GIF 画像")},
	{"RIFF", shogi.NewText("", "a picture or a sound (RIFF)", "画像か音声（RIFF）")},
	{"PK\x03\x04", shogi.NewText("", "an archive (ZIP) or an office document", "ZIP 書庫かオフィス文書")},
	{"\x1f\x8b", shogi.NewText("", "an archive (gzip)", "gzip 書庫")},
	{"\xd0\xcf\x11\xe0", shogi.NewText("", "an office document", "オフィス文書")},
	{"Rar!", shogi.NewText("", "an archive (RAR)", "RAR 書庫")},
	{"7z\xbc\xaf", shogi.NewText("", "an archive (7z)", "7z 書庫")},
	{"\x7fELF", shogi.NewText("", "a program", "プログラム")},
	{"{\\rtf", shogi.NewText("", "a document (RTF)", "RTF 文書")},
}

var binaryData = shogi.NewText("", "binary data", "バイナリー")

// IsOtherKind reports whether data is no text in any charset but a picture, say. The beginning of a
// file is enough.
func IsOtherKind(data []byte) bool { return otherKind(data) != nil }

// otherKind says what data is if it is no text, nil if it may be one.
func otherKind(data []byte) *shogi.Text {
	for _, kind := range otherKinds {
		if bytes.HasPrefix(data, []byte(kind.begins)) {
			return kind.name
		}
	}
	if !IsUTF16(data) && bytes.IndexByte(data[:min(len(data), 8<<10)], 0) >= 0 {
		return binaryData
	}
	return nil
}

// decodeFrom returns data as text, with U+FFFD where it is none.
func decodeFrom(e encoding.Encoding, data []byte) string {
	text, err := e.NewDecoder().Bytes(data)
	if err != nil { // of which the decoders know none
		return string(utf8.RuneError)
	}
	return string(text)
}

// isEUCJP reports whether data, which is not UTF-8, is in EUC-JP. Its characters are pairs of bytes
// of which Shift_JIS makes half-width kana where they are not without meaning, while the kana and
// most kanji of Shift_JIS are no EUC-JP. What can be both, such as a name alone, is EUC-JP if its
// kanji are all of the common half, as few kana would be by chance.
func isEUCJP(data []byte) bool {
	if strings.ContainsRune(decodeFrom(japanese.EUCJP, data), utf8.RuneError) {
		return false
	}
	for _, r := range decodeFrom(japanese.ShiftJIS, data) {
		if r >= utf8.RuneSelf && (r < '｡' || r > 'ﾟ') {
			return true
		}
	}
	const rare = 0xd0 // the first byte of the first kanji of the other half
	for i := 0; i < len(data); i++ {
		if data[i] >= rare {
			return false
		}
		if data[i] >= utf8.RuneSelf {
			i++
		}
	}
	return true
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

// variants are the line end of Windows and, for characters that have two places in Unicode, the one
// it uses. Other systems use the first.
var variants = strings.NewReplacer("\n", "\r\n", "〜", "～", "—", "―", "−", "－", "‖", "∥", "¢", "￠", "£", "￡", "¬", "￢")

// Encode returns a text in UTF-8 in a charset, with the line ends that go with it: LF in UTF-8, CR
// LF in Shift_JIS. A first line that names the charset, as those of KIF and CSA do, names the new
// one. The error names the first character that Shift_JIS does not have.
func Encode(text []byte, charset Charset) ([]byte, error) {
	switch charset {
	case UTF8:
		return text, nil
	case ShiftJIS:
		if said := saysCharset().FindSubmatchIndex(text); said != nil {
			name := "Shift_JIS"
			if text[0] == '\'' { // which CSA writes in capitals
				name = "SHIFT_JIS"
			}
			text = slices.Concat(text[:said[2]], []byte(name), text[said[3]:])
		}
		known := variants.Replace(string(text))
		dst, err := japanese.ShiftJIS.NewEncoder().Bytes([]byte(known))
		if err == nil {
			return dst, nil
		}
		for _, r := range known {
			if _, err := japanese.ShiftJIS.NewEncoder().String(string(r)); err != nil {
				return nil, fmt.Errorf("notation: Shift_JIS has no character %q", r)
			}
		}
		return nil, fmt.Errorf("notation: %w", err)
	}
	return nil, errors.New("notation: no charset to encode in")
}

// others are characters that people use for those of a notation, beside the full-width forms of
// ASCII: the lines that boxes are drawn with, and blanks of other widths.
var others = map[rune]rune{'　': ' ', '･': '・',
	'│': '|', '┃': '|', '║': '|', '¦': '|', '￤': '|', '─': '-', '━': '-', '═': '-', '－': '-',
	'−': '-', '‐': '-', '–': '-', '—': '-', '―': '-', '步': '歩'}

// folded returns text with the characters of ASCII in place of those that look like them, one for
// each: full-width digits, letters and signs, and the lines of drawn boxes.
func folded(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x80, r > '〿' && r < '！' && r != '步': // ASCII, kana and kanji
			return r
		case r >= '！' && r <= '～':
			return r - '！' + '!'
		case r >= '┌' && r <= '╬': // the corners and crosses of boxes
			if _, ok := others[r]; !ok {
				return '+'
			}
		}
		if other, ok := others[r]; ok {
			return other
		}
		return r
	}, text)
}
