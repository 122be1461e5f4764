package shogitest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
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

// CheckAll fails for each Text of a source file that was not seen, and for those seen that lack
// Japanese.
func (s Texts) CheckAll(t *testing.T, file string) {
	t.Helper()
	known := map[string]bool{}
	for text := range s {
		known[text.En] = true
		if strings.TrimSpace(text.Ja) == "" {
			t.Errorf("%q has no Japanese", text.En)
		}
	}
	source, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(source, func(node ast.Node) bool {
		literal, ok := node.(*ast.CompositeLit)
		if !ok {
			return true
		}
		english := 1 // after the code
		if _, ok := literal.Elts[0].(*ast.KeyValueExpr); ok {
			english = 0
		}
		n++
		if text := constant(literal.Elts[english]); !known[text] {
			t.Errorf("%s: no test sees %q", file, text)
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
