package httpapi

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/compose"
	"github.com/tsumero/tsumero/solver/dfpn"
)

const composeBoard = "7nl/7k1/9/7P1/9/9/9/9/9 b - 1"

// composed returns the problems in the results of a job.
func composed(t *testing.T, s *Server, id string) (all []wire.ComposedProblem, figures int) {
	t.Helper()
	w := do(s, "GET", "/v1/jobs/"+id+"/results", "")
	if w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	for i, line := range strings.Split(strings.TrimSpace(w.Body.String()), "\n") {
		var a struct {
			Line int
			wire.ComposeAnswer
		}
		if err := json.Unmarshal([]byte(line), &a); err != nil || a.Line != i+1 || a.Reason != "" {
			t.Fatalf("%s: %v", line, err)
		}
		all, figures = append(all, a.Problems...), figures+a.Figures
	}
	return all, figures
}

// A search that is a job finds what the same search finds in one go, in the same order.
func TestJobCompose(t *testing.T) {
	s, j := workingServer(t)
	p := shogi.MustParseSFEN(composeBoard)
	search := compose.Search{Conditions: compose.Conditions{Least: 3, Most: 9, MaxHand: -1, MaxCaptures: -1},
		NewSession: func() solver.Session { return dfpn.NewSession() }}
	hands := compose.HandsOptions{Search: search, Position: p, Pieces: 2}
	hands.MaxHand = 2
	place := compose.PlaceOptions{Search: search, Position: shogi.MustParseSFEN("7nl/7k1/9/7P1/9/9/9/9/9 b GS 1"), Added: 1}
	for _, text := range []string{"r", "s"} {
		pc, _ := compose.ParsePiece(text)
		place.Pieces = append(place.Pieces, pc)
	}
	place.Squares, _ = compose.ParseBox("3a-3d")
	for _, c := range []struct {
		ask   string
		count func() (int, error)
		want  func() []wire.ComposedProblem
	}{
		{`{"method":"hands","sfen":"` + composeBoard + `","hand":2,"plies":"3-9"}`, hands.Count, func() []wire.ComposedProblem {
			return collect(compose.Hands(context.Background(), hands))
		}},
		{`{"method":"place","sfen":"7nl/7k1/9/7P1/9/9/9/9/9 b GS 1","list":["r","s"],"free":["3a","3b","3c","3d"],"plies":"3-9"}`, place.Count, func() []wire.ComposedProblem {
			return collect(compose.Place(context.Background(), place))
		}},
	} {
		job := submitted(t, s, "/v1/jobs/compose", `{"compose":`+c.ask+`}`, "Content-Type", jsonType)
		figures, err := c.count()
		if err != nil || job.Kind != "compose" || job.Ask != "compose" || job.Compose == nil || job.Compose.Figures != figures {
			t.Errorf("%+v %+v, %d figures, %v", job, job.Compose, figures, err)
		}
		j.Await(t, jobs.ID(job.ID), jobs.Done)
		got, tried := composed(t, s, job.ID)
		if want := c.want(); len(want) == 0 || !reflect.DeepEqual(got, want) || tried != figures {
			t.Errorf("%s: %d figures\ngot  %+v\nwant %+v", c.ask, tried, got, want)
		}
	}
}

// The problems that a job found are a file of records, which reads back as they are; one in JSON holds
// no more than one.
func TestJobComposeRecords(t *testing.T) {
	s, j := workingServer(t)
	job := submitted(t, s, "/v1/jobs/compose", `{"compose":{"method":"hands","sfen":"8k/9/8G/9/9/9/9/9/9 b - 1","hand":2,"plies":"3-9"}}`, "Content-Type", jsonType)
	j.Await(t, jobs.ID(job.ID), jobs.Done)
	all, _ := composed(t, s, job.ID)
	if len(all) < 2 {
		t.Fatalf("%d problems", len(all))
	}
	for _, format := range notation.Written() {
		w := do(s, "GET", "/v1/jobs/"+job.ID+"/record/"+format.String(), "")
		switch format {
		case notation.JKF:
			if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "holds one record") {
				t.Errorf("%s: %d %s", format, w.Code, w.Body)
			}
			continue
		case notation.Print: // is not read
			if got := strings.Count(w.Body.String(), "手詰"); got != len(all) {
				t.Errorf("%s: %d lines of %d", format, got, len(all))
			}
			continue
		}
		records, err := notation.ParseAll(w.Body.Bytes(), notation.Options{Format: format})
		if err != nil || len(records) != len(all) {
			t.Fatalf("%s: %d records of %d, %v\n%s", format, len(records), len(all), err, w.Body)
		}
		for i, r := range records {
			var moves []string
			for _, m := range r.Moves() {
				moves = append(moves, m.String())
			}
			if r.Start.ProblemSFEN() != all[i].SFEN || !slices.Equal(moves, all[i].Moves) || (format != notation.SFEN && r.Ending() != notation.Mated) {
				t.Errorf("%s %d: %s %v\nwant %s %v", format, i+1, r.Start.ProblemSFEN(), moves, all[i].SFEN, all[i].Moves)
			}
		}
	}
}

// What is grown as a job is what the same units of work make in one go, but for what is like a problem of
// another part; a line of moves finds its diagrams.
func TestJobGrow(t *testing.T) {
	s, j := workingServer(t)
	line := compose.LineOptions{Search: compose.Search{Conditions: compose.Conditions{Least: 3, Most: 99, MaxHand: -1, MaxCaptures: -1},
		NewSession: func() solver.Session { return dfpn.NewSession() }}, Helpers: 1, Reach: 2}
	moves, err := notation.ParseLoose("21歩成(22) 同玉(11) 12銀打")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range moves {
		line.Moves = append(line.Moves, compose.GivenMove(m))
	}
	type search struct {
		ask  string
		want []wire.ComposedProblem
	}
	searches := []search{{`{"method":"line","moves":"21歩成(22) 同玉(11) 12銀打","helpers":1}`, collect(compose.Lines(context.Background(), line))}}
	if !testing.Short() {
		grown := func(from, to int, run func(context.Context, compose.Options, *compose.Tally) iter.Seq[compose.Problem]) []wire.ComposedProblem {
			o := compose.Options{Seed: 4, Search: compose.Search{From: from, To: to,
				Conditions: compose.Conditions{Least: 3, Most: 3, MaxPieces: 12, MaxHand: -1, MaxCaptures: -1,
					Strict: true, Pleasant: true},
				NewSession: func() solver.Session { return dfpn.NewSession() }}}
			return collect(run(context.Background(), o, nil), nil)
		}
		reversed := grown(0, 256, compose.Reverse)
		if len(reversed) == 0 {
			t.Fatal("the reverse method makes nothing")
		}
		start := reversed[0].SFEN
		evolve := func(ctx context.Context, o compose.Options, tally *compose.Tally) iter.Seq[compose.Problem] {
			p := shogi.MustParseSFEN(start)
			return compose.Evolve(ctx, compose.EvolveOptions{Options: o, Start: []shogi.Position{p}}, tally)
		}
		searches = append(searches,
			search{`{"method":"reverse","plies":"3","seed":4,"parts":1,"strict":true}`, reversed},
			search{`{"method":"evolve","start":["` + start + `"],"plies":"3","seed":4,"parts":1,"strict":true}`, grown(0, 1, evolve)})
	}
	for _, c := range searches {
		job := submitted(t, s, "/v1/jobs/compose", `{"compose":`+c.ask+`}`, "Content-Type", jsonType)
		j.Await(t, jobs.ID(job.ID), jobs.Done)
		if got, tried := composed(t, s, job.ID); len(c.want) == 0 || !reflect.DeepEqual(got, c.want) || tried == 0 {
			t.Errorf("%s: %d figures\ngot  %+v\nwant %+v", c.ask, tried, got, c.want)
		}
	}
}

// A cooked problem is mended with the changes said, and of a sound one it is said that there is nothing to
// mend.
func TestJobRepair(t *testing.T) {
	s, j := workingServer(t)
	for _, c := range []struct{ sfen, moves, want string }{
		{"7nl/7k1/9/7P1/9/9/9/9/9 b 2GS 1", "", `"changes":[{"kind":"`},
		{"4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1", "", `"refused":{"location":"compose",`},
		// The silver has been printed a rank too low, and the last move is another one.
		{"6+P1k/7g1/9/8S/9/9/9/9/9 b G2r2b2g3s4n4l17p 1", `,"moves":"▲21金 △同金 ▲同と △同玉 ▲22金 まで5手詰"`,
			`"fit":{"solves":true,"sound":"yes","pieces":"yes","told":"yes","before":5,`},
		{"6+P1k/7g1/8S/9/9/9/9/9/9 b G2r2b2g3s4n4l17p 1", `,"moves":"G*2a 2b2a 3a2a 1a2a G*2c"`,
			`"changes":[{"kind":"move_replaced","ply":5,"move":"G*2b",`},
	} {
		job := submitted(t, s, "/v1/jobs/compose", `{"compose":{"method":"repair","sfen":"`+c.sfen+`"`+c.moves+`,"changes":1,"count":1}}`,
			"Content-Type", jsonType)
		j.Await(t, jobs.ID(job.ID), jobs.Done)
		w := do(s, "GET", "/v1/jobs/"+job.ID+"/results", "")
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d %s", c.sfen, w.Code, w.Body)
		}
	}
}

// A part says which figures it has looked at, how many were not decided, and of changes how many there were
// to look at: those of two changes are chosen, and without those of one.
func TestJobCoverage(t *testing.T) {
	s, j := workingServer(t)
	for _, c := range []struct {
		ask  string
		want []string // the coverage of each part
	}{
		{`{"method":"hands","sfen":"` + composeBoard + `","hand":2}`, []string{"all"}},
		{`{"method":"shape","shape":"7","parts":2}`, []string{"random", "random"}},
		{`{"method":"repair","sfen":"7nl/7k1/9/7P1/9/9/9/9/9 b 2GS 1"}`, []string{"all", "chosen"}},
		{`{"method":"repair","sfen":"4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1","changes":1}`, []string{""}},
	} {
		job := submitted(t, s, "/v1/jobs/compose", `{"compose":`+c.ask+`}`, "Content-Type", jsonType)
		j.Await(t, jobs.ID(job.ID), jobs.Done)
		var got []string
		for line := range strings.Lines(do(s, "GET", "/v1/jobs/"+job.ID+"/results", "").Body.String()) {
			var a wire.ComposeAnswer
			if err := json.Unmarshal([]byte(line), &a); err != nil {
				t.Fatal(err)
			}
			got = append(got, a.Coverage)
			if isRepair := strings.Contains(c.ask, "repair") && a.Refused == nil; isRepair && a.Figures != a.Of || !isRepair && a.Of != 0 || (a.Figures == 0) != (a.Refused != nil) {
				t.Errorf("%s: %d of %d figures", c.ask, a.Figures, a.Of)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: the coverage is %q, want %q", c.ask, got, c.want)
		}
	}
}

// What a part has not decided is in its answer: as many as the search itself says.
func TestComposeOpen(t *testing.T) {
	s, j := workingServer(t)
	job := submitted(t, s, "/v1/jobs/compose", `{"compose":{"method":"hands","sfen":"`+composeBoard+`","hand":2,"plies":"3-9"}}`, "Content-Type", jsonType)
	j.Await(t, jobs.ID(job.ID), jobs.Done)
	var a wire.ComposeAnswer
	if err := json.Unmarshal(do(s, "GET", "/v1/jobs/"+job.ID+"/results", "").Body.Bytes(), &a); err != nil {
		t.Fatal(err)
	}
	open := 0
	o := compose.HandsOptions{Position: shogi.MustParseSFEN(composeBoard), Pieces: 2, Search: compose.Search{
		Conditions: compose.Conditions{Least: 3, Most: 9, MaxHand: 2, MaxCaptures: -1},
		NewSession: func() solver.Session { return dfpn.NewSession() },
		Progress:   func(p compose.Progress) { open = p.Outcomes[compose.Open] }}}
	collect(compose.Hands(context.Background(), o))
	if open == 0 || a.Open != open {
		t.Errorf("%d figures are open, want %d", a.Open, open)
	}
}

func collect(problems func(func(compose.Problem) bool), err error) (all []wire.ComposedProblem) {
	if err != nil {
		return nil
	}
	for p := range problems {
		all = append(all, *wire.NewComposedProblem(&p))
	}
	return all
}

// What is wrong with a search is said at once, with its place.
func TestJobComposeFaults(t *testing.T) {
	s, _ := jobServer(t, Config{}, nil)
	for _, c := range []struct{ ask, location, message string }{
		{`{"method":"guess"}`, "body.compose.method", "expected value to be one of"},
		{`{"method":"hands"}`, "body.compose.sfen", "required"},
		{`{"method":"hands","sfen":"9/9/9/9/9/9/9/9/9 b - 1"}`, "body.compose.sfen", "king"},
		{`{"method":"hands","sfen":"kk7/9/9/9/9/9/9/9/9 b - 1"}`, "body.compose.sfen", "king"},
		{`{"method":"hands","sfen":"` + composeBoard + `","free":["5c"]}`, "body.compose.free", "does not take it"},
		{`{"method":"hands","sfen":"` + composeBoard + `","plies":"4"}`, "body.compose.plies", "odd"},
		{`{"method":"hands","sfen":"` + composeBoard + `","plies":"9-3"}`, "body.compose.plies", "odd"},
		{`{"method":"hands","sfen":"` + composeBoard + `","themes":["x"]}`, "body.compose.themes", "no theme"},
		{`{"method":"hands","sfen":"` + composeBoard + `","box":"5a"}`, "body.compose.box", "two squares"},
		{`{"method":"place","sfen":"` + composeBoard + `"}`, "body.compose.sfen", "moved or pieces are added"},
		{`{"method":"place","sfen":"` + composeBoard + `","list":["Q"]}`, "body.compose.list", "no piece"},
		{`{"method":"place","sfen":"` + composeBoard + `","list":["G"],"free":["0z"]}`, "body.compose.free", "no square"},
		{`{"method":"place","sfen":"` + composeBoard + `","list":["G"],"free":["2b"]}`, "body.compose.sfen", "a piece stands there"},
		{`{"method":"repair","sfen":"` + composeBoard + `","moves":"1a1a"}`, "body.compose.moves", "1a1a"},
		{`{"method":"line"}`, "body.compose.moves", "required"},
		{`{"method":"line","moves":"S*2c 2b1c"}`, "body.compose.moves", "must end with a move of the attacker"},
		{`{"method":"line","moves":"S*2c zz"}`, "body.compose.moves", "zz"},
		{`{"method":"line","moves":"G*1d","plies":"3"}`, "body.compose.plies", "does not take it"},
		{`{"method":"reverse","plies":"3-33"}`, "body.compose.plies", "3 to 31 plies"},
		{`{"method":"reverse","plies":"1"}`, "body.compose.plies", "3 to 31 plies"},
		{`{"method":"reverse","sfen":"` + composeBoard + `"}`, "body.compose.sfen", "does not take it"},
		{`{"method":"evolve","start":["` + composeBoard + `","x"]}`, "body.compose.start[1]", "x"},
		{`{"method":"shape","shape":"nothing"}`, "body.compose.shape", "no shape"},
		{`{"method":"shape","shape":"##/#"}`, "body.compose.shape", "row 2"},
		{`{"method":"shape","shape":"T","parts":0}`, "body.compose.parts", ">= 1"},
	} {
		w := do(s, "POST", "/v1/jobs/compose", `{"compose":`+c.ask+`}`, "Content-Type", jsonType)
		var p wire.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code/100 != 4 || len(p.Errors) == 0 ||
			p.Errors[0].Location != c.location || !strings.Contains(p.Errors[0].Message, c.message) || p.Errors[0].MessageJa == "" {
			t.Errorf("%s: %d %s", c.ask, w.Code, w.Body)
		}
	}
}
