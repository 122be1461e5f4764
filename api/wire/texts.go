package wire

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed texts.md
var textsFile string

// Text returns what a field of a type of this package means, and "" for what there is not. Of
// "Problems" the fields are the codes of the kinds of problems.
func Text(typeName, field string) string {
	if text, ok := texts()[typeName+"."+field]; ok {
		return text
	}
	return strings.ReplaceAll(texts()[typeName+".*"], "*", field)
}

// texts reads texts.md.
var texts = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	typeName, name := "", ""
	for line := range strings.Lines(textsFile) {
		line = strings.TrimSpace(line)
		switch heading, field, isField := strings.Cut(line, "## "); {
		case isField && heading == "":
			name = typeName + "." + field
		case strings.HasPrefix(line, "# "):
			typeName, name = line[2:], ""
		case name != "" && line != "" && all[name] != "":
			all[name] += " " + line
		case name != "" && line != "":
			all[name] = line
		}
	}
	return all
})
