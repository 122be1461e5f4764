package httpapi

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver/collection"
)

// knownProblems are two lists of problems like mateIn5.
func knownProblems(t testing.TB) []KnownProblems {
	t.Helper()
	var daily, works collection.List
	for _, c := range []struct {
		to         *collection.List
		name, sfen string
		line       []shogi.Move
	}{
		{&daily, mateIn3, mateIn3, moves("G*5c", "5b6a", "G*6b")},
		{&works, "works.tsv:1", "1R7/9/k8/p8/3R5/9/9/9/9 b 2b4g4s4n4l17p 1", nil},
		{&works, "works.tsv:2", "7R1/9/8k/8p/5R3/9/9/9/P8 b 2b4g4s4n4l16p 1", nil},
	} {
		if err := c.to.Know(c.name, &collection.Problem{Position: shogi.MustParseSFEN(c.sfen), Attacker: shogi.Black, Line: c.line}); err != nil {
			t.Fatal(err)
		}
	}
	d, err := collection.Describe(&collection.Problem{Position: shogi.MustParseSFEN(mateIn5), Attacker: shogi.Black,
		Line: moves(mateIn5Line...)})
	if err != nil {
		t.Fatal(err)
	}
	if err := works.KnowHashes(strings.NewReader(collection.HashesHeading + "\n" + d.Hashes().String() + "\tthe winner\n")); err != nil {
		t.Fatal(err)
	}
	return []KnownProblems{{"daily", func() *collection.List { return &daily }}, {"works", func() *collection.List { return &works }}}
}

// What a problem is like, in which lists, from JSON and from a record; nothing is solved.
func TestSimilar(t *testing.T) {
	s := noSolver(t, Config{Known: knownProblems(t)})
	ask := func(query, body, contentType string) wire.SimilarAnswer {
		t.Helper()
		w := do(s, "POST", "/v1/similar"+query, body, "Content-Type", contentType)
		if w.Code != http.StatusOK || w.Header().Get("Cache-Control") != "no-store" {
			t.Fatalf("%d %v %s", w.Code, w.Header(), w.Body)
		}
		return parse[wire.SimilarAnswer](t, w.Body.Bytes())
	}
	winner := wire.SimilarProblem{Known: "works", Name: "the winner", Relation: "duplicate", Hashed: true}
	twin := wire.SimilarProblem{Known: "works", Name: "works.tsv:1", Relation: "mirror_twin"}
	more := wire.SimilarProblem{Known: "works", Name: "works.tsv:2", Relation: "changed",
		RelationDetail: wire.RelationDetail{Pieces: 1}}
	daily, works := wire.KnownList{Name: "daily", Problems: 1}, wire.KnownList{Name: "works", Problems: 2, Hashed: 1}
	three := shogi.MustParseSFEN(mateIn3)
	turned := three.Rotated()
	record := notation.NewRecord(three, moves("G*5c", "5b6a", "G*6b"), notation.Mated)
	for _, c := range []struct {
		name, query, body, contentType string
		known                          []wire.KnownList
		similar                        []wire.SimilarProblem
	}{
		{"all lists", "", `{"sfen":"` + mateIn5 + `"}`, jsonType, []wire.KnownList{daily, works},
			[]wire.SimilarProblem{winner, twin, more}},
		{"one list, named twice", "?known=daily,daily", `{"sfen":"` + mateIn5 + `"}`, jsonType, []wire.KnownList{daily}, []wire.SimilarProblem{}},
		{"the other way round", "", `{"sfen":"` + turned.SFEN() + `"}`, jsonType, []wire.KnownList{daily, works},
			[]wire.SimilarProblem{{Known: "daily", Name: mateIn3, Relation: "duplicate"}}},
		{"a position of its line", "?known=daily", `{"sfen":"3k5/9/4G4/4P4/9/9/9/9/9 b G2r2b2g4s4n4l17p 1"}`, jsonType, []wire.KnownList{daily},
			[]wire.SimilarProblem{{Known: "daily", Name: mateIn3, Relation: "contained", RelationDetail: wire.RelationDetail{Ply: 3}}}},
		{"a record", "?known=daily&hands=complete", string(record.Append(nil, notation.KIF)), "application/x-kif",
			[]wire.KnownList{daily}, []wire.SimilarProblem{{Known: "daily", Name: mateIn3, Relation: "duplicate"}}},
	} {
		a := ask(c.query, c.body, c.contentType)
		if !reflect.DeepEqual(a.Known, c.known) || !reflect.DeepEqual(a.Similar, c.similar) {
			t.Errorf("%s: %+v, %+v; want %+v, %+v", c.name, a.Known, a.Similar, c.known, c.similar)
		}
	}
	for _, c := range []struct{ name, query, body, want string }{
		{"a list that is none", "?known=works,x", `{"sfen":"` + mateIn5 + `"}`, `{"location":"query.known[1]","code":"value","message":"there is no list \"x\" of known problems, but: daily, works"`},
		{"what only a record has there", "?hands=complete", `{"sfen":"` + mateIn5 + `"}`, `"location":"query.hands"`},
		{"no position", "", `{}`, `"location":"body","code":"required"`},
		{"no king", "", `{"sfen":"9/9/9/9/9/9/9/9/9 b G 1"}`, `"location":"body.sfen"`},
		{"the defender is to move", "", `{"sfen":"4k4/4G4/4P4/9/9/9/9/9/9 w - 1"}`, `"code":"defender_to_move"`},
		{"a move that is illegal", "", `{"sfen":"` + mateIn5 + `","line":["4e4c+","4c3c"]}`, `"location":"body.line[1]"`},
	} {
		if w := do(s, "POST", "/v1/similar"+c.query, c.body, "Content-Type", jsonType); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d %s, want %s", c.name, w.Code, w.Body, c.want)
		}
	}
	none := ask("", `{"sfen":"`+neverMate+`"}`, jsonType)
	if len(none.Similar) > 0 || none.ID == "" || none.Key == "" || none.SFEN != neverMate {
		t.Errorf("%+v", none)
	}
}
