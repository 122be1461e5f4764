package wire

import (
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed texts.md
var textsFile string

// The texts of texts.md in Japanese.
//
//go:embed texts.ja.md
var japaneseFile string

// Text returns what a field of a type of this package means, and "" for what there is not. Of
// "Problems" the fields are the codes of the kinds of problems.
func Text(typeName, field string) string {
	if text, ok := texts()[typeName+"."+field]; ok {
		return text
	}
	return strings.ReplaceAll(texts()[typeName+".*"], "*", field)
}

// Japanese returns a text of a field in Japanese, by its text in English, and whether there is one.
func Japanese(english string) (text string, ok bool) {
	all := japanese()
	if text, ok = all.whole[english]; ok {
		return text, true
	}
	for _, c := range all.open {
		if field, found := strings.CutPrefix(english, c.before); found {
			if field, found = strings.CutSuffix(field, c.after); found && !strings.Contains(field, " ") {
				return strings.ReplaceAll(c.text, "*", field), true
			}
		}
	}
	return "", false
}

// A catalogue has the Japanese of texts, and of those around the name of a field.
type catalogue struct {
	whole map[string]string
	open  []openText
}

type openText struct{ before, after, text string }

var japanese = sync.OnceValue(func() catalogue {
	all, english := catalogue{whole: map[string]string{}}, texts()
	for name, text := range ParseTexts(japaneseFile) {
		if before, after, isOpen := strings.Cut(english[name], "*"); isOpen {
			all.open = append(all.open, openText{before, after, text})
		} else {
			all.whole[english[name]] = text
		}
	}
	return all
})

// texts reads texts.md.
var texts = sync.OnceValue(func() map[string]string { return ParseTexts(textsFile) })

// ParseTexts reads texts in the form that texts.md describes: the text of a field by "Type.field".
// Lines are joined with a space, but not where one of both letters is Japanese.
func ParseTexts(file string) map[string]string {
	all := map[string]string{}
	typeName, name := "", ""
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		switch heading, field, isField := strings.Cut(line, "## "); {
		case isField && heading == "":
			name = typeName + "." + field
		case strings.HasPrefix(line, "# "):
			typeName, name = line[2:], ""
		case name != "" && line != "" && all[name] != "":
			last, _ := utf8.DecodeLastRuneInString(all[name])
			first, _ := utf8.DecodeRuneInString(line)
			if last < firstWide && first < firstWide {
				all[name] += " "
			}
			all[name] += line
		case name != "" && line != "":
			all[name] = line
		}
	}
	return all
}

// firstWide is the first of the letters that stand in Japanese text without spaces.
const firstWide = '\u3000'
