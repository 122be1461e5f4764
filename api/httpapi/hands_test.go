package httpapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/api/wire"
)

// TestHands: wherever a position comes from, what is missing is said in a note, or goes to the
// defender if that is asked for, or neither if the request says that it means what it shows.
func TestHands(t *testing.T) {
	s := newServer(t, Config{})
	const bare, whole = "4k4/9/4P4/9/9/9/9/9/9 b G 1", mateIn1
	const note = `"code":"missing_pieces"`
	const kif, plain = "application/x-kif", "text/plain"
	sfen := strings.ReplaceAll(bare, " ", "_")
	for name, ask := range map[string]func(hands string) string{
		"solve": func(hands string) string {
			return body200(t, s, "POST", "/v1/solve", `{"sfen":"`+bare+`"`+hands+`}`)
		},
		"moves": func(hands string) string {
			return body200(t, s, "POST", "/v1/moves", `{"sfen":"`+bare+`"`+hands+`}`)
		},
		"batch": func(hands string) string {
			return body200(t, s, "POST", "/v1/solve/batch", `{"id":1,"sfen":"`+bare+`"`+hands+`}`)
		},
		"read": func(hands string) string {
			return body200(t, s, "POST", "/v1/read", `{"text":"`+bare+`"`+hands+`}`)
		},
		"events": func(hands string) string {
			return body200(t, s, "POST", "/v1/solve/events", `{"sfen":"`+bare+`"`+hands+`}`)
		},
		"link": func(hands string) string { return body200(t, s, "GET", "/v1/solve?sfen="+sfen+query(hands), "") },
		"record": func(hands string) string {
			return body200(t, s, "POST", "/v1/solve?"+query(hands), bare, "Content-Type", plain)
		},
		"read record": func(hands string) string {
			return body200(t, s, "POST", "/v1/read?"+query(hands), bare, "Content-Type", plain)
		},
	} {
		for range 2 { // the second answer may come from a cache
			for _, c := range []struct {
				hands, sfen string
				hasNote     bool
			}{{"", bare, true}, {`,"hands":"as_given"`, bare, false}, {`,"hands":"complete"`, whole, false}} {
				got := ask(c.hands)
				if !strings.Contains(got, `"sfen":"`+c.sfen+`"`) || strings.Contains(got, note) != c.hasNote {
					t.Errorf("%s%s: %s", name, c.hands, got)
				}
			}
		}
	}
	// A record has the note as a comment.
	for hands, want := range map[string]int{"": 1, `,"hands":"as_given"`: 0, `,"hands":"complete"`: 0} {
		got := body200(t, s, "POST", "/v1/solve/record/kif", `{"sfen":"`+bare+`"`+hands+`}`)
		if strings.Count(got, "\n*"+wire.Notes(36)[0].TextJa+"\n") != want {
			t.Errorf("KIF%s: %s", hands, got)
		}
	}
}

// query returns a field of a JSON object as a parameter.
func query(field string) string {
	return strings.NewReplacer(`,"`, "&", `":"`, "=", `"`, "").Replace(field)
}

// body200 returns the body of an answer that must be one.
func body200(t *testing.T, s *Server, method, path, body string, headers ...string) string {
	t.Helper()
	w := do(s, method, path, body, headers...)
	if w.Code != http.StatusOK {
		t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	return w.Body.String()
}

// TestHandsRefused: what no endpoint knows, and what belongs into a JSON question.
func TestHandsRefused(t *testing.T) {
	s := newServer(t, Config{})
	for _, c := range []struct{ path, body, contentType, want string }{
		{"/v1/solve", `{"sfen":"` + mateIn1 + `","hands":"all"}`, jsonType, "body.hands"},
		{"/v1/solve?hands=complete", `{"sfen":"` + mateIn1 + `"}`, jsonType, "query.hands"},
		{"/v1/read?hands=complete", `{"text":"startpos"}`, jsonType, "query.hands"},
		{"/v1/read?hands=all", mateIn1, "text/plain", "query.hands"},
		{"/v1/read?hand=complete", mateIn1, "text/plain", "query.hand"},
	} {
		w := do(s, "POST", c.path, c.body, "Content-Type", c.contentType)
		if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), `"location":"`+c.want+`"`) {
			t.Errorf("%s %s: %d %s", c.path, c.body, w.Code, w.Body)
		}
	}
}
