package cli

import (
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"
)

// subjectAnnotation holds the heading that a flag is listed under.
const subjectAnnotation = "subject"

// The help text of a list has a line for each key: its name, and from keyColumn on what it means.
const (
	keyIndent = 2
	keyColumn = 16
)

// helpWidth is where the lines of the help end.
const helpWidth = 100

// Subject begins a group of flags in the help, with this heading.
func (s *Settings) Subject(heading string) { s.subject = heading }

// Usages describes the flags under their subjects, in the order of their declaration.
func (s *Settings) Usages() string {
	var headings []string
	groups := map[string][]*pflag.Flag{}
	s.flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		heading := s.Language.Text("Help", "ヘルプ")
		if subject := f.Annotations[subjectAnnotation]; subject != nil {
			heading = subject[0]
		}
		if groups[heading] == nil {
			headings = append(headings, heading)
		}
		groups[heading] = append(groups[heading], f)
	})
	var b strings.Builder
	for _, heading := range headings {
		b.WriteString("\n" + heading + s.Language.Text(":\n", "：\n") + usages(s.Language, groups[heading]))
	}
	return b.String()
}

// usages describes flags as pflag does, with lines that end in time.
func usages(l Language, flags []*pflag.Flag) string {
	column := 0 // where the text begins
	for _, f := range flags {
		column = max(column, len("      --  "+f.Name+"   ")+len(f.Value.Type()))
	}
	wrapped := pflag.NewFlagSet("", pflag.ContinueOnError)
	wrapped.SortFlags = false
	for _, f := range flags {
		one := *f
		if f.DefValue != "" && f.DefValue != "false" {
			one.Usage += l.Sprintf(" (default %s)", "（既定 %s）", f.DefValue)
		}
		one.Usage, one.DefValue = Wrap(one.Usage, helpWidth-column), ""
		wrapped.AddFlag(&one)
	}
	return wrapped.FlagUsages()
}

// Wrap breaks the lines of a usage at a width. What belongs to a key of a list stays in its column.
func Wrap(usage string, width int) string {
	var lines []string
	for line := range strings.SplitSeq(usage, "\n") {
		indent := 0
		if strings.HasPrefix(line, " ") {
			indent = keyColumn
		}
		for Cells(line) > width {
			at := breakIn(line, width)
			if at <= indent {
				break
			}
			lines = append(lines, strings.TrimRight(line[:at], " "))
			line = strings.Repeat(" ", indent) + strings.TrimLeft(line[at:], " ")
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// breakIn returns where a line is broken at a width: at the last space, or in Japanese between two
// characters, but for those that do not begin or end a line (禁則).
func breakIn(line string, width int) (at int) {
	const noStart, noEnd = "、。，．・：；？！）」』〕％ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々", "（「『〔"
	var last rune
	for i, r := range line {
		isWide := r >= utf8.RuneSelf || last >= utf8.RuneSelf
		if i > 0 && (r == ' ' || isWide && last != ' ' && !strings.ContainsRune(noStart, r) && !strings.ContainsRune(noEnd, last)) {
			at = i
		}
		if width -= Cells(string(r)); width < 0 {
			return at
		}
		last = r
	}
	return len(line)
}
