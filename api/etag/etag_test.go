package etag_test

import (
	"testing"

	"github.com/tsumero/tsumero/api/etag"
)

func TestMatches(t *testing.T) {
	for header, want := range map[string]bool{
		``:                   false,
		`"a"`:                true,
		`W/"a"`:              true,
		`"b", W/"c",  "a"`:   true,
		`*`:                  true,
		` * `:                true,
		`"b"`:                false,
		`a`:                  false,
		`"A"`:                false,
		`"b" "a"`:            false,
		`w/"a"`:              false,
		`W/W/"a"`:            false,
		`"a`:                 false,
		`,,"a"`:              true,
		`"b", "a"; q=1, W/*`: false,
	} {
		if got := etag.Matches(header, `"a"`); got != want {
			t.Errorf("If-None-Match: %s: %v, want %v", header, got, want)
		}
	}
}
