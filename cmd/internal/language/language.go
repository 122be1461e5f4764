// Package language finds out in which language a program speaks to people.
package language

import (
	"os"
	"strings"
)

// Of returns the last language, ja or en, that arguments give by --lang, or else the language of the locale, as POSIX
// finds it by the environment. All but Japanese is English.
func Of(args []string) string {
	language := "en"
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if locale := os.Getenv(name); locale != "" {
			if strings.HasPrefix(locale, "ja") {
				language = "ja"
			}
			break
		}
	}
	for i, arg := range args {
		if arg == "--" {
			break
		}
		value, ok := strings.CutPrefix(arg, "--lang=")
		if arg == "--lang" && i+1 < len(args) {
			value, ok = args[i+1], true
		}
		if ok && (value == "ja" || value == "en") {
			language = value
		}
	}
	return language
}
