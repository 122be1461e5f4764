package shogitest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
)

// Texts collects the messages that tests have seen, so that CheckAll can tell which sentences of a
// source file none of them has.
type Texts map[*shogi.Text]bool

// Lines returns a message as vector files have it: code, facts, English and Japanese.
func (s Texts) Lines(m shogi.Message) []string {
	s.see(m)
	return []string{fmt.Sprintf("%s %v", m.Text.Code, m.Args), "\t" + m.String(), "\t" + m.Japanese()}
}

// Check wants a message to say this.
func (s Texts) Check(t *testing.T, m shogi.Message, english, japanese string) {
	t.Helper()
	if s.see(m); m.String() != english || m.Japanese() != japanese {
		t.Errorf("%q, %q; want %q, %q", m, m.Japanese(), english, japanese)
	}
}

func (s Texts) see(m shogi.Message) {
	s[m.Text] = true
	for _, arg := range m.Args {
		switch a := arg.(type) {
		case shogi.Message:
			s.see(a)
		case *shogi.Text:
			s[a] = true
		}
	}
}

// CheckAll fails for each Text of a source file that was not seen, and for those that lack Japanese.
func (s Texts) CheckAll(t *testing.T, file string) {
	t.Helper()
	s.check(t, file, func(string) bool { return true })
}

// CheckFacts is CheckAll, but of a Text without places for facts it is enough that it is there.
func (s Texts) CheckFacts(t *testing.T, file string) {
	t.Helper()
	s.check(t, file, func(english string) bool { return strings.Contains(english, "%") })
}

func (s Texts) check(t *testing.T, file string, isWanted func(english string) bool) {
	t.Helper()
	known := map[string]bool{}
	for text := range s {
		known[text.En] = true
	}
	source, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(source, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok || len(call.Args) != 3 {
			return true
		}
		n++
		english, japanese := constant(call.Args[1]), constant(call.Args[2])
		switch {
		case strings.TrimSpace(japanese) == "":
			t.Errorf("%s: %q has no Japanese", file, english)
		case isWanted(english) && !known[english]:
			t.Errorf("%s: no test sees %q", file, english)
		}
		return true
	})
	if n < 10 {
		t.Fatalf("%s has %d texts", file, n)
	}
}

// constant returns the parts of a constant string, put together.
func constant(e ast.Expr) (s string) {
	ast.Inspect(e, func(node ast.Node) bool {
		if literal, ok := node.(*ast.BasicLit); ok {
			part, _ := strconv.Unquote(literal.Value)
			s += part
		}
		return true
	})
	return s
}

// CheckFile reads texts with faults from a file: each on a line of its own in Go's quotes, perhaps
// with a word before it, and after it the Lines of its faults, each behind a tab. With update it
// writes those into the file.
func (s Texts) CheckFile(t *testing.T, file string, update bool,
	faults func(word, text string) []shogi.Message) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		out.WriteString(line)
		word, quoted, _ := strings.Cut(strings.TrimSpace(line), `"`)
		if quoted == "" || word != "" && word[0] == '#' {
			continue
		}
		text, err := strconv.Unquote(`"` + quoted)
		if err != nil {
			t.Fatalf("%s: %s: %v", file, line, err)
		}
		for _, m := range faults(strings.TrimSpace(word), text) {
			for _, line := range s.Lines(m) {
				fmt.Fprintf(&out, "\t%s\n", line)
			}
		}
	}
	if update {
		err = os.WriteFile(file, []byte(out.String()), 0o644)
	} else if out.String() != string(data) {
		err = fmt.Errorf("%s is another one now; with -update it becomes\n%s", file, out.String())
	}
	if err != nil {
		t.Fatal(err)
	}
}
