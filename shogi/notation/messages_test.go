package notation_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/shogi/shogitest"
)

// TestMessages reads texts with faults: each says code, facts, English and Japanese. No sentence of
// texts.go is without an example.
func TestMessages(t *testing.T) {
	seen := shogitest.Texts{}
	shared := strings.NewReplacer("<HAND>", "飛二　角二　金三　銀四　桂四　香四　歩十七　",
		"<TOP>", "  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n",
		"<ROW>", "| ・ ・ ・ ・ ・ ・ ・ ・ ・|", "<FILE>", "[{},{},{},{},{},{},{},{},{}]",
		"<EMPTY>", " *  *  *  *  *  *  *  *  * ")
	seen.CheckFile(t, "testdata/messages.txt", *update, func(word, text string) []shogi.Message {
		return messagesOf(t, seen, word, []byte(shared.Replace(text)))
	})

	// What is too large for a file.
	shuffle := [4]string{"３八飛(28)", "７二飛(82)", "２八飛(38)", "８二飛(72)"}
	deep := "手合割：平手\n1 " + shuffle[0] + "\n2 " + shuffle[1] + "\n"
	for n := 2; n < notation.MaxDepth+4; n++ {
		deep += fmt.Sprintf("変化：%d手\n%d %s\n%d %s\n", n, n, shuffle[(n-1)%4], n+1, shuffle[n%4])
	}
	forks := `{"moves":[` + strings.Repeat(`{"forks":[[`, notation.MaxDepth+2) +
		strings.Repeat("]]}", notation.MaxDepth+2) + "]}"
	for _, text := range []string{
		forks,
		strings.Repeat("1", notation.MaxBytes+1), strings.Repeat("PI\n+\n/\n", notation.MaxRecords+1), deep,
		"startpos moves" + strings.Repeat(" 2h3h 8b7b 3h2h 7b8b", notation.MaxMoves/4+1),
	} {
		for _, m := range messagesOf(t, seen, "all", []byte(text)) {
			seen.Lines(m)
		}
	}
	seen.CheckAll(t, "texts.go")
}

// messagesOf returns what is said of a text, which is to be read in some way.
func messagesOf(t *testing.T, seen shogitest.Texts, way string, text []byte) (all []shogi.Message) {
	err := refusal(notation.Parse(text, notation.Options{}))
	switch p := shogi.Start(); way {
	case "":
	case "all":
		_, err = notation.ParseAll(text, notation.Options{})
	case "loose":
		_, err = notation.ParseLoose(string(text))
	case "unknown":
		_, err = notation.Parse(text, notation.Options{Format: 99})
	case "move":
		_, err = notation.ParseMove(string(text), &p, shogi.NoSquare)
	case "after":
		r, found := notation.Parse(text, notation.Options{})
		if found != nil {
			t.Fatal(found)
		}
		_, err = r.After(2)
	default:
		format, noFormat := notation.ParseFormat(way)
		charset, noCharset := notation.ParseCharset(way)
		if noFormat != nil && noCharset != nil {
			t.Fatal(noFormat)
		}
		err = refusal(notation.Parse(text, notation.Options{Format: format, Charset: charset}))
	}
	if bad, ok := errors.AsType[*notation.Error](err); ok {
		whole := bad.Message()
		if err.Error() != "notation: "+whole.String() {
			t.Errorf("%v says %q", err, whole)
		}
		seen.Lines(whole)
		for _, f := range bad.Faults {
			all = append(all, f.Msg)
		}
		return all
	}
	m, ok := shogi.MessageOf(err)
	if !ok {
		t.Fatalf("%.200q: %v", text, err)
	}
	return []shogi.Message{m}
}
