package wire

import (
	"strings"
	"testing"
)

// TestJapanese: each text is there in Japanese, and nothing else.
func TestJapanese(t *testing.T) {
	english, of := texts(), ParseTexts(japaneseFile)
	for name := range of {
		if english[name] == "" {
			t.Errorf("%s has no text in English", name)
		}
	}
	for name, text := range english {
		field := "x" // of a name that stands for any field
		text = strings.ReplaceAll(text, "*", field)
		ja, ok := Japanese(text)
		if !ok {
			t.Errorf("## %s: %s", name, text)
		} else if strings.ContainsAny(ja, "\n*#") || !strings.ContainsAny(ja, "のをはがでにとれる") && len(ja) > 60 {
			t.Errorf("%s: %q", name, ja)
		}
	}
}
