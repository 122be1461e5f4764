package wire

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
)

// A board without the defender's hand, and the same with all that is missing in it. Of 38 pieces
// one is on the board and one in the attacker's hand.
const (
	bare     = "4k4/9/4P4/9/9/9/9/9/9 b G 1"
	complete = mateIn1
)

// TestHands: what each kind of request makes of pieces that are missing.
func TestHands(t *testing.T) {
	r := NewReader(testBounds)
	find := func(int) (shogi.Position, []Note, []Fault) { return shogi.MustParseSFEN(bare), nil, nil }
	link := "sfen=" + strings.ReplaceAll(bare, " ", "_")
	for kind, read := range map[string]func(hands string, q *Question) *Problem{
		"solve": func(hands string, q *Question) *Problem {
			return r.Solve(fmt.Appendf(nil, `{"sfen":%q%s}`, bare, jsonHands(hands)), q)
		},
		"moves": func(hands string, q *Question) *Problem {
			return r.Moves(fmt.Appendf(nil, `{"sfen":%q,"attacker":"black"%s}`, bare, jsonHands(hands)), q)
		},
		"line": func(hands string, q *Question) *Problem {
			return second(r.Line(fmt.Appendf(nil, `{"sfen":%q%s}`, bare, jsonHands(hands)), q))
		},
		"link":   func(hands string, q *Question) *Problem { return r.Link(link+queryHands(hands), q) },
		"record": func(hands string, q *Question) *Problem { return r.Record(queryHands(hands), q, find) },
	} {
		for _, c := range []struct {
			hands, sfen string
			missing     int
		}{{"", bare, 36}, {HandsAsGiven, bare, 0}, {HandsComplete, complete, 0}} {
			var q Question
			p := read(c.hands, &q)
			if p != nil || q.SFEN != c.sfen || q.Position.SFEN() != c.sfen || q.Missing != c.missing {
				t.Errorf("%s, hands %q: %s, %d missing, %+v", kind, c.hands, q.SFEN, q.Missing, p)
			}
		}
		var q Question
		if p := read("all", &q); p == nil || p.Status != 422 || !strings.HasSuffix(p.Errors[0].Location, ".hands") {
			t.Errorf("%s: %+v", kind, p)
		}
	}
	// The defender is whom the request does not name.
	var q Question
	const both = "4k4/9/9/9/9/4R4/9/9/4K4 w - 1"
	if p := r.Moves(fmt.Appendf(nil, `{"sfen":%q,"attacker":"black","hands":"complete"}`, both), &q); p != nil ||
		q.SFEN != "4k4/9/9/9/9/4R4/9/9/4K4 w r2b4g4s4n4l18p 1" {
		t.Errorf("%s %+v", q.SFEN, p)
	}
}

func jsonHands(hands string) string {
	if hands == "" {
		return ""
	}
	return fmt.Sprintf(`,"hands":%q`, hands)
}

func queryHands(hands string) string {
	if hands == "" {
		return ""
	}
	return "&hands=" + hands
}

// TestNotes: the notes of an answer, written by hand, and those that are put into a text.
func TestNotes(t *testing.T) {
	const text = `"notes":[{"code":"missing_pieces","text_ja":"駒が36枚足りません。` +
		`どちらの持駒でもないものとして扱いました。玉方の持駒とするには、hands を complete とします。",` +
		`"text_en":"36 pieces of a set are missing, which is taken to mean that nobody holds them. ` +
		`With hands=complete the defender does."}]`
	p := shogi.MustParseSFEN(bare)
	result := solver.Result{Verdict: solver.NoMate}
	a := NewAnswer(&p, p.ProblemSFEN(), shogi.Black, &result)
	e := Envelope{Answer: a.Fields(), Notes: Notes(36), Elapsed: time.Millisecond, Timed: true}
	us := int64(1000)
	a.Notes, a.ElapsedUS = e.Notes, &us
	want := `{"sfen":"` + bare + `","attacker":"black","verdict":"nomate","nodes":0,` + text + `,"elapsed_us":1000}` + "\n"
	if got := string(Encode(&a)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := string(e.AppendLine(nil)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	e = Envelope{Answer: Fields("x")}
	if got := string(e.Append(nil)); got != "{x}" {
		t.Errorf("none are %q", got)
	}
	if one := Notes(1)[0].TextEn; !strings.HasPrefix(one, "1 piece of a set is missing, ") {
		t.Error(one)
	}
	m := NewMovesAnswer(&p, shogi.Black, &analysis.Report{})
	m.Notes = Notes(36)
	if got := string(Encode(m)); !strings.HasSuffix(got, `,"nodes":0,`+text+"}\n") {
		t.Errorf("moves: %s", got)
	}
}

// TestReadHands: of a text that is only read.
func TestReadHands(t *testing.T) {
	read := func(text, hands string) ReadRecord {
		t.Helper()
		r, err := notation.Parse([]byte(text), notation.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return NewReadAnswer([]*notation.Record{r}, hands).Records[0]
	}
	const mated = "4k4/4G4/4P4/9/9/9/9/9/9 w "
	for _, c := range []struct {
		hands, hand string
		notes       []Note
	}{{"", "-", Notes(36)}, {HandsAsGiven, "-", nil}, {HandsComplete, "2r2b3g4s4n4l17p", nil}} {
		got := read(bare+" moves G*5b", c.hands)
		first := strings.TrimSuffix(bare, " 1") + strings.TrimPrefix(c.hand, "-") + " 1"
		if got.SFEN != mated+c.hand+" 1" || got.Last != got.SFEN || got.First != first ||
			got.Attacker != "black" || !reflect.DeepEqual(got.Notes, c.notes) {
			t.Errorf("hands %q: %+v", c.hands, got)
		}
	}
	// Where nobody can be mated, nobody is the defender.
	for _, hands := range []string{"", HandsComplete} {
		if got := read("9/9/4P4/9/9/9/9/9/9 b G 1", hands); got.SFEN != "9/9/4P4/9/9/9/9/9/9 b G 1" ||
			len(got.Notes) != 1 || got.Notes[0].Code != NoteDefender {
			t.Errorf("no king, hands %q: %+v", hands, got)
		}
	}
}
