package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
)

const (
	mateIn1 = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"
	mateIn5 = "7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1"
)

func moves(t *testing.T, texts string) (line []shogi.Move) {
	t.Helper()
	for _, text := range strings.Fields(texts) {
		m, err := shogi.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		line = append(line, m)
	}
	return line
}

// TestAnswer: the JSON of an answer, written by hand, by Fields and by encoding/json.
func TestAnswer(t *testing.T) {
	const start = `{"sfen":"` + mateIn5 + `","attacker":"black",`
	five := moves(t, "4e4c+ P*3c 4c3c 1c1b 2a2b+")
	const fiveText = `"moves":["4e4c+","P*3c","4c3c","1c1b","2a2b+"],` +
		`"moves_ja":["▲４三飛成","△３三歩","▲同　龍","△１二玉","▲２二飛成"],` +
		`"moves_en":["R-4c+","P*3c","+Rx3c","K-1b","R-2b+"]`
	p := shogi.MustParseSFEN(mateIn5)
	for _, c := range []struct {
		r    solver.Result
		want string
	}{
		{solver.Result{}, `"verdict":"unknown","nodes":0`},
		{solver.Result{Verdict: solver.Mate, Nodes: 7}, `"verdict":"mate","plies":0,"exact":false,"moves":[],"moves_ja":[],"moves_en":[],"nodes":7`},
		{solver.Result{Verdict: solver.Mate, Line: five, Exact: true, NoMateWithin: 3, Nodes: 8, Solver: "dfpn"},
			`"verdict":"mate","plies":5,"exact":true,` + fiveText + `,"no_mate_within":3,"solver":"dfpn","nodes":8`},
		{solver.Result{Verdict: solver.Mate, Line: five, Reason: solver.ReasonTime},
			`"verdict":"mate","plies":5,"exact":false,` + fiveText + `,"reason":"limit_time","nodes":0`},
		{solver.Result{Verdict: solver.NoMate, Nodes: 1<<64 - 1, Solver: "mate3"},
			`"verdict":"nomate","solver":"mate3","nodes":18446744073709551615`},
		{solver.Result{Reason: solver.ReasonDepth, NoMateWithin: 3, Solver: "a \"<名>\" \\ \x01"},
			`"verdict":"unknown","no_mate_within":3,"reason":"solver_depth","solver":"a \"<名>\" \\ \u0001","nodes":0`},
		{solver.Result{Verdict: solver.NoMate, Nodes: 9, Solver: "dfpn", Resumed: true},
			`"verdict":"nomate","solver":"dfpn","resumed":true,"nodes":9`},
		{solver.Result{Reason: "あ"}, `"verdict":"unknown","reason":"あ","nodes":0`},
		{solver.Result{Reason: "\u2028\xff"}, `"verdict":"unknown","reason":"\u2028\ufffd","nodes":0`},
	} {
		want := start + c.want
		a := NewAnswer(&p, p.ProblemSFEN(), shogi.Black, &c.r)
		e := Envelope{Answer: a.Fields(), Elapsed: 1500 * time.Millisecond}
		if got := string(e.Append([]byte("x"))); got != "x"+want+"}" {
			t.Errorf("got  %s\nwant x%s}", got, want)
		}
		want += `,"elapsed_us":1500000}` + "\n"
		e.Timed = true
		if got := string(e.AppendLine(nil)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		us := e.Elapsed.Microseconds()
		a.ElapsedUS = &us
		if got := string(Encode(&a)); got != want {
			t.Errorf("encoding/json\ngot  %s\nwant %s", got, want)
		}
	}
	p = shogi.MustParseSFEN("4k4/4G4/4P4/9/9/9/9/9/9 w 2r2b3g4s4n4l17p 77")
	a := NewAnswer(&p, p.ProblemSFEN(), shogi.Black, &solver.Result{Verdict: solver.NoMate})
	if got := string(a.Fields()); !strings.HasPrefix(got,
		`"sfen":"4k4/4G4/4P4/9/9/9/9/9/9 w 2r2b3g4s4n4l17p 1","attacker":"black"`) {
		t.Errorf("the move number is a part of the problem: %s", got)
	}
}

// TestAnswerFields: Fields writes every field, as encoding/json does.
func TestAnswerFields(t *testing.T) {
	var a Answer
	v := reflect.ValueOf(&a).Elem()
	for i := range v.NumField() {
		f := v.Field(i)
		if f.Kind() == reflect.Pointer {
			f.Set(reflect.New(f.Type().Elem()))
			f = f.Elem()
		}
		switch f.Kind() {
		case reflect.String:
			f.SetString(v.Type().Field(i).Name)
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int, reflect.Int64:
			f.SetInt(int64(i))
		case reflect.Uint64:
			f.SetUint(uint64(i))
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 2, 2))
		case reflect.Struct: // the length, which has its own tests
		default:
			t.Fatalf("%v of %v", f.Kind(), v.Type().Field(i).Name)
		}
	}
	e := Envelope{Answer: a.Fields(), Notes: a.Notes, Timed: true,
		Elapsed: time.Duration(*a.ElapsedUS) * time.Microsecond}
	if got, want := string(e.AppendLine(nil)), string(Encode(&a)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// reasons returns the values of all constants of the type solver.Reason, from the source.
func reasons(t *testing.T) (all []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../solver/solver.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "Reason" {
				for _, v := range spec.Values {
					value, err := strconv.Unquote(v.(*ast.BasicLit).Value)
					if err != nil {
						t.Fatal(err)
					}
					all = append(all, value)
				}
			}
		}
		return true
	})
	return all
}

// TestReasons: the tags name every reason that package solver has.
func TestReasons(t *testing.T) {
	all := reasons(t)
	for _, r := range []solver.Reason{solver.NoReason, solver.ReasonProof, solver.ReasonSettled} {
		if !slices.Contains(all, string(r)) {
			t.Fatalf("the reasons found in the source are %q", all)
		}
	}
	// A question that gets no slot is answered by a problem, and one about a position has no other
	// moves. No reason is no field.
	never := []solver.Reason{solver.NoReason, solver.ReasonOverloaded, solver.ReasonSettled}
	for _, c := range []struct {
		of    reflect.Type
		never []solver.Reason
	}{
		{reflect.TypeFor[Answer](), never},
		{reflect.TypeFor[MovesAnswer](), never[:1]},
		{reflect.TypeFor[MoveAnswer](), never[:1]},
	} {
		var want []string
		for _, r := range all {
			if slices.Contains(c.never, solver.Reason(r)) {
				continue
			}
			want = append(want, r)
		}
		field, _ := c.of.FieldByName("Reason")
		got := strings.Split(field.Tag.Get("enum"), ",")
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("the reasons of %v are %v, want %v", c.of, got, want)
		}
	}
}

// TestMovesAnswer: the JSON about moves, written by hand.
func TestMovesAnswer(t *testing.T) {
	check := moves(t, "4e4c+ P*3c 4c3c")
	p := shogi.MustParseSFEN(mateIn5)
	r := &analysis.Report{Verdict: solver.Mate, Plies: 5, Best: check[0], Nodes: 7, Reason: solver.ReasonTime,
		Moves: []analysis.MoveVerdict{
			{Move: check[0], Verdict: solver.Mate, Line: check, Exact: true},
			{Move: check[0], Line: check[:1], NoMateWithin: 3, Reason: solver.ReasonTime},
			{Move: check[0], Verdict: solver.NoMate, Line: check[:2]},
		}}
	const start = `{"sfen":"` + mateIn5 + `","attacker":"black","side":"attacker","verdict":`
	const move = `{"move":"4e4c+","move_ja":"▲４三飛成","move_en":"R-4c+","verdict":`
	const want = start + `"mate","plies":5,"exact":false,"best":"4e4c+","reason":"limit_time","moves":[` +
		move + `"mate","plies":3,"exact":true,"line":["4e4c+","P*3c","4c3c"],"line_ja":["▲４三飛成","△３三歩","▲同　龍"],` +
		`"line_en":["R-4c+","P*3c","+Rx3c"]},` +
		move + `"unknown","no_mate_within":3,"line":["4e4c+"],"line_ja":["▲４三飛成"],"line_en":["R-4c+"],"reason":"limit_time"},` +
		move + `"nomate","line":["4e4c+","P*3c"],"line_ja":["▲４三飛成","△３三歩"],"line_en":["R-4c+","P*3c"]}],"nodes":7}` + "\n"
	if got := string(Encode(NewMovesAnswer(&p, shogi.Black, r))); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	r = &analysis.Report{ByDefender: true, Verdict: solver.NoMate, Plies: 9}
	if got, want := string(Encode(NewMovesAnswer(&p, shogi.White, r))), `{"sfen":"`+mateIn5+
		`","attacker":"white","side":"defender","verdict":"nomate","moves":[],"nodes":0}`+"\n"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestBounds: what is absent has the default, and all else is what was asked for.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		l    RequestLimits
		want solver.Limits
		time time.Duration
	}{
		{RequestLimits{}, solver.Limits{Nodes: 1000}, 3 * time.Second},
		{RequestLimits{Plies: 7}, solver.Limits{Plies: 7, Nodes: 1000}, 3 * time.Second},
		{RequestLimits{Nodes: 8}, solver.Limits{Nodes: 8}, 3 * time.Second},
		{RequestLimits{TimeMS: 9}, solver.Limits{Nodes: 1000}, 9 * time.Millisecond},
		{RequestLimits{Shortest: true}, solver.Limits{Nodes: 1000, Shortest: true}, 3 * time.Second},
	} {
		if got, time := testBounds.Apply(&c.l); got != c.want || time != c.time {
			t.Errorf("%+v: %+v, %v", c.l, got, time)
		}
	}
	// Each field makes a difference: none was forgotten.
	none := RequestLimits{}
	lim, limit := testBounds.Apply(&none)
	for i := range reflect.TypeFor[RequestLimits]().NumField() {
		l := RequestLimits{}
		switch f := reflect.ValueOf(&l).Elem().Field(i); f.Kind() {
		case reflect.Bool:
			f.SetBool(true)
		case reflect.String:
			continue // the length, which is no limit
		case reflect.Uint64:
			f.SetUint(1)
		default:
			f.SetInt(1)
		}
		if got, time := testBounds.Apply(&l); got == lim && time == limit {
			t.Errorf("%+v means nothing", l)
		}
	}
}

// TestReader: the question of each kind of request, and everything that is wrong with one.
func TestReader(t *testing.T) {
	r := NewReader(testBounds)
	const both = "4k4/9/9/9/9/4R4/9/9/4K4 w - 1" // the defender is to move, in check
	body := func(sfen, more string) []byte { return fmt.Appendf(nil, `{"sfen":%q%s}`, sfen, more) }
	find := func(after int) (shogi.Position, []Note, []Fault) {
		if after != -1 {
			return shogi.Position{}, nil, []Fault{{Location: "query.after", Message: fmt.Sprint(after)}}
		}
		return shogi.MustParseSFEN(mateIn1), nil, nil
	}
	want := Question{Position: shogi.MustParseSFEN(mateIn1), SFEN: mateIn1, Attacker: shogi.Black,
		Limits: solver.Limits{Plies: 3, Nodes: 1000}, Time: 3 * time.Second}
	const limits = `,"limits":{"plies":3}`
	link := "sfen=" + strings.ReplaceAll(mateIn1, " ", "_")
	for name, read := range map[string]func(q *Question) *Problem{
		"solve":    func(q *Question) *Problem { return r.Solve(body(mateIn1, limits), q) },
		"moves":    func(q *Question) *Problem { return r.Moves(body(mateIn1, limits), q) },
		"attacker": func(q *Question) *Problem { return r.Moves(body(mateIn1, `,"attacker":"black"`+limits), q) },
		"line": func(q *Question) *Problem {
			id, p := r.Line(body(mateIn1, `,"id":"x"`+limits), q)
			if string(id) != `"x"` {
				t.Errorf("id %q", id)
			}
			return p
		},
		"link":   func(q *Question) *Problem { return r.Link(link+"&plies=3", q) },
		"record": func(q *Question) *Problem { return r.Record("plies=3", q, find) },
	} {
		var q Question
		if p := read(&q); p != nil || !reflect.DeepEqual(q, want) {
			t.Errorf("%s: %+v %+v", name, q, p)
		}
	}

	var q Question
	if p := r.Solve(body(strings.TrimSuffix(mateIn1, "1")+"9", ""), &q); p != nil || q.SFEN != mateIn1 {
		t.Errorf("another move number: %s %+v", q.SFEN, p)
	}
	if p := r.Moves(body(both, `,"attacker":"black"`), &q); p != nil || q.Attacker != shogi.Black {
		t.Errorf("the attacker that was named: %v %+v", q.Attacker, p)
	}
	if p := r.Moves(body(both, ""), &q); p != nil || q.Attacker != shogi.White {
		t.Errorf("the attacker by the convention: %v %+v", q.Attacker, p)
	}
	for name, c := range map[string]struct {
		p    *Problem
		want string
	}{
		"two faults of a position": {r.Solve(body("4k4/9/4P4/4P4/9/9/9/9/9 x G 1", `,"x":1`), &q),
			"body.sfen@11 nifu, body.sfen@24 side, body.x@-1 unknown"},
		"no king":                         {r.Solve(body("9/9/9/9/9/9/9/9/4K4 b G 1", ""), &q), "body.sfen@-1 no_defender"},
		"the attacker has nobody to mate": {r.Moves(body(mateIn1, `,"attacker":"white"`), &q), "body.attacker@-1 no_defender"},
		"the attacker is not to move":     {r.Moves(body("4k4/9/9/9/9/3R5/9/9/4K4 w - 1", `,"attacker":"black"`), &q), "body.attacker@-1 no_check"},
		"a line": {second(r.Line([]byte(`{"sfen":"4k4","limits":{"nodes":-1}}`), &q)),
			"line.limits.nodes@-1 range, line.sfen@0 rank_count, line.sfen@3 missing_field, line.sfen@3 " +
				"missing_field"},
		"a link": {r.Link("sfen=4k4/9/4%2BP5/9/9/9/9/9/9_b_G_1&plies=0", &q), "query.plies@-1 range, query.sfen@6 rank_width"},
		"an unescaped plus": {r.Link("sfen=4k4/9/4+P5/9/9/9/9/9/9_b_G_1", &q), "query.sfen@-1 escape, " +
			"query.sfen@6 rank_width"},
		"no link":  {r.Link("", &q), "query.sfen@-1 required"},
		"a record": {r.Record("after=7&nodes=0", &q, find), "query.after@-1 , query.nodes@-1 range"},
		"a record of no king": {r.Record("", &q, func(int) (shogi.Position, []Note, []Fault) {
			return shogi.MustParseSFEN("9/9/9/9/9/9/9/9/4K4 b G 1"), nil, nil
		}), "body@-1 no_defender"},
		"a record's parameters": {r.RefuseRecordQuery("x=1&plies=3&aft%65r=1"), "query.after@-1 unknown, query.plies@-1 unknown"},
	} {
		if c.p == nil || c.p.Status != 422 || c.p.Type != "/problems/invalid_question" {
			t.Errorf("%s: %+v", name, c.p)
			continue
		}
		var got []string
		for _, f := range c.p.Errors {
			got = append(got, fmt.Sprintf("%s@%d %s", f.Location, f.offset(), f.Code))
		}
		if joined := strings.Join(got, ", "); joined != c.want {
			t.Errorf("%s: %q, want %q", name, joined, c.want)
		}
	}
	if p := r.RefuseRecordQuery("x=1&sfen=2"); p != nil {
		t.Errorf("other parameters: %+v", p)
	}
	if p := r.Solve([]byte("{"), &q); p == nil || p.Status != 400 {
		t.Errorf("no JSON: %+v", p)
	}
}

func second(_ ID, p *Problem) *Problem { return p }

// TestProblem: the JSON of problems, written by hand.
func TestProblem(t *testing.T) {
	three := 3
	p := Invalid([]Fault{
		{Location: "body.z", Message: "last"},
		{Location: "body.a", Offset: &three, Code: "nifu", Message: "a < b"},
		{Location: "body.a", Message: "first"},
		{Location: "body.a", Offset: new(int), Line: 2, Column: 1, Message: "second"},
	})
	const want = `{"type":"/problems/invalid_question","title":"The question has faults","status":422,` +
		`"detail":"The request has 4 faults.","detail_ja":"リクエストに誤りが4件あります。","errors":[{"location":"body.a","message":"first"},` +
		`{"location":"body.a","offset":0,"line":2,"column":1,"message":"second"},` +
		`{"location":"body.a","offset":3,"code":"nifu","message":"a < b"},{"location":"body.z","message":"last"}]}` + "\n"
	if got := string(Encode(p)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if p := Invalid([]Fault{{Location: "x"}}); p.Detail != "The request has 1 fault." {
		t.Error(p.Detail)
	}
	many := make([]Fault, 65)
	for i := range many {
		many[i].Location = strings.Repeat("あ", 100)
	}
	p = Invalid(many)
	if len(p.Errors) != 64 || p.Detail != "The request has 65 faults; the first 64 are listed." ||
		p.Errors[0].Location != strings.Repeat("あ", 85)+"…" {
		t.Errorf("%d faults, %q: %s", len(p.Errors), p.Errors[0].Location, p.Detail)
	}
	if p := Invalid(many[:64]); len(p.Errors) != 64 || p.Detail != "The request has 64 faults." {
		t.Errorf("%d faults: %s", len(p.Errors), p.Detail)
	}
	line := Envelope{ID: ID(`"x"`), Line: 7, Problem: NewProblem(LineTooLong, shogi.NewText("", "Long.", "長い。"))}
	line.Problem.RetryAfter = 5
	if got, want := string(line.AppendLine(nil)), `{"id":"x","line":7,"type":"/problems/line_too_long","title":"The line is too long",`+
		`"status":413,"detail":"Long.","detail_ja":"長い。"}`+"\n"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if f := PositionFaults("x", errors.New("another")); len(f) != 1 || f[0].Message != "another" || f[0].Location != "x" {
		t.Errorf("%+v", f)
	}
}

// TestProgress: the JSON of the progress of a search, written by hand.
func TestProgress(t *testing.T) {
	p := solver.Progress{Phase: solver.Shortening, Nodes: 3000, PN: 4, DN: 5, Mate: 5, NoMateWithin: 3,
		TableFill: 0.12399, Line: moves(t, "4e4c+ P*3c")}
	p.Spent[solver.Searching], p.Spent[solver.Shortening] = time.Second, 500*time.Millisecond
	for want, e := range map[string]*ProgressEvent{
		`{"phase":"shortening","elapsed_ms":1700,"nodes":3000,"nodes_per_second":2000,"pn":4,"dn":5,` +
			`"moves":["4e4c+","P*3c"],"mate":5,"no_mate_within":3,"table_fill":0.123}`: NewProgressEvent(&p, 1700*time.Millisecond),
		`{"phase":"waiting","elapsed_ms":20,"nodes":0,"nodes_per_second":0,"table_fill":0}`: NewProgressEvent(nil, 20*time.Millisecond),
	} {
		if got, err := json.Marshal(e); err != nil || string(got) != want {
			t.Errorf("got  %s %v\nwant %s", got, err, want)
		}
	}
}
