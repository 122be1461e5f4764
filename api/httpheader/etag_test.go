package httpheader_test

import (
	"testing"

	"github.com/tsumero/tsumero/api/httpheader"
)

func TestMatchesETag(t *testing.T) {
	for named, want := range map[string]bool{
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
		if got := httpheader.MatchesETag(named, `"a"`); got != want {
			t.Errorf("If-None-Match: %s: %v, want %v", named, got, want)
		}
	}
}

func TestETag(t *testing.T) {
	// The digest is that of NIST's example for "abc" (FIPS 180-2, appendix B.1): ba7816bf 8f01cfea
	// 414140de 5dae2223 b003…
	if got, want := httpheader.ETag([]byte("abc")), `"ungWv48Bz-pBQUDeXa4iI7AD"`; got != want {
		t.Errorf("the tag is %s, expected %s", got, want)
	}
}
