package wire

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/theme"
)

// mateIn3 has two equal variations.
const mateIn3 = "9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G2r2b4s4n4l17p 1"

var analysisBounds = Bounds{Analysis: AnalysisBounds{Nodes: 4_000_000, Time: 9 * time.Second,
	DefaultTime: 5 * time.Second}}

// TestAnalyzeRequest: what each field of a request means.
func TestAnalyzeRequest(t *testing.T) {
	r := NewReader(analysisBounds)
	p := shogi.MustParseSFEN(mateIn3)
	plain := analysis.Question{Position: p, Attacker: shogi.Black, Policy: length.F2,
		Profile: analysis.Magazine, Parts: analysis.DefaultParts, Nodes: 4_000_000,
	}
	for _, c := range []struct {
		more string
		want func(q *analysis.Question) time.Duration
	}{
		{``, nil},
		{`,"attacker":"black","policy":null,"profile":null,"line":null,"parts":null,"scope":null,"stop":null,"limits":null`, nil},
		{`,"policy":"F3","profile":"strict"`, func(q *analysis.Question) time.Duration {
			q.Policy, q.Profile = length.F3, analysis.Strict
			return 0
		}},
		{`,"policy":"F0","profile":"app","scope":"equal","stop":"first"`, func(q *analysis.Question) time.Duration {
			q.Policy, q.Profile, q.Scope, q.Stop = length.F0, analysis.App, analysis.ScopeEqual, analysis.StopFirst
			return 0
		}},
		{`,"scope":"few","stop":"settled"`, nil},
		{`,"scope":"main","stop":"all"`, func(q *analysis.Question) time.Duration {
			q.Scope, q.Stop = analysis.ScopeMain, analysis.StopNever
			return 0
		}},
		{`,"hands":"as_given"`, nil},
		{`,"hands":"complete"`, nil}, // nothing is missing
		{`,"line":["G*5c","5b4a","G*4b"]`, func(q *analysis.Question) time.Duration {
			q.Line = moves(t, "G*5c 5b4a G*4b")
			return 0
		}},
		{`,"line":[]`, nil},
		{`,"parts":["lengths","attack"]`, func(q *analysis.Question) time.Duration {
			q.Parts = analysis.Attack
			return 0
		}},
		{`,"parts":["all_lengths","defence","duals","tries","side_mates","economy","difficulty"]`,
			func(q *analysis.Question) time.Duration {
				q.Parts = analysis.AllLengths | analysis.Defence | analysis.Duals | analysis.Tries |
					analysis.SideMates | analysis.Economy | analysis.Difficulty
				return 0
			}},
		{`,"limits":{"nodes":3000,"time_ms":9000}`, func(q *analysis.Question) time.Duration {
			q.Nodes = 3000
			return 9 * time.Second
		}},
		{`,"limits":{"nodes":3000,"question_nodes":40,"time_ms":1}`, func(q *analysis.Question) time.Duration {
			q.Nodes, q.QuestionNodes = 3000, 40
			return time.Millisecond
		}},
	} {
		want, limit := plain, 5*time.Second
		if c.want != nil {
			if d := c.want(&want); d > 0 {
				limit = d
			}
		}
		body := []byte(`{"sfen":"` + mateIn3 + `"` + c.more + `}`)
		var got AnalysisQuestion
		if problem := r.Analyze(body, &got); problem != nil {
			t.Errorf("%s: %v", c.more, problem.Errors)
			continue
		}
		if !reflect.DeepEqual(got.Question, want) || got.Time != limit || got.SFEN != mateIn3 {
			t.Errorf("%s:\n%+v, %v\nwant\n%+v, %v", c.more, got.Question, got.Time, want, limit)
		}
		var line AnalysisQuestion
		id, problem := r.AnalyzeLine([]byte(`{"id":7,`+string(body[1:])), &line)
		if problem != nil || string(id) != "7" || !reflect.DeepEqual(line, got) {
			t.Errorf("as a line: %s %v %+v", id, problem, line)
		}
	}
}

// TestAnalyzeHands: what the diagram leaves out is the defender's if the request says so, before the
// author's line is read, and otherwise told of.
func TestAnalyzeHands(t *testing.T) {
	r := NewReader(analysisBounds)
	const sfen, complete = "8k/9/9/9/9/9/9/9/9 b R 1", "8k/9/9/9/9/9/9/9/9 b Rr2b4g4s4n4l18p 1"
	for hands, want := range map[string]struct {
		sfen    string
		missing int
	}{``: {sfen, 37}, `,"hands":"as_given"`: {sfen, 0}, `,"hands":"complete","line":["R*1i","P*1b"]`: {complete, 0}} {
		var q AnalysisQuestion
		if p := r.Analyze([]byte(`{"sfen":"`+sfen+`"`+hands+`}`), &q); p != nil || q.SFEN != want.sfen ||
			q.Position.ProblemSFEN() != want.sfen || q.Missing != want.missing {
			t.Errorf("%s: %v %s, %d missing", hands, p, q.SFEN, q.Missing)
		}
	}
	if p := r.Analyze([]byte(`{"sfen":"`+sfen+`","line":["R*1i","P*1b"]}`), new(AnalysisQuestion)); p == nil {
		t.Error("a pawn that nobody holds is dropped")
	}
}

// TestAnalyzeFaults: every fault, with its place.
func TestAnalyzeFaults(t *testing.T) {
	r := NewReader(analysisBounds)
	const p = `"sfen":"` + mateIn3 + `"`
	long := `"` + strings.Repeat(`G*5c","`, 9999) + `G*5c"`
	for _, c := range []struct {
		body   string
		faults []string
	}{
		{`{}`, []string{"body: expected required property sfen to be present"}},
		{`{` + p + `,"nothing":1,"hands":"all"}`, []string{
			`body.hands: expected value to be one of "as_given, complete"`, "body.nothing: unexpected property"}},
		{`{` + p + `,"policy":"F4"}`, []string{`body.policy: expected value to be one of "F0, F1, F2, F3"`}},
		{`{` + p + `,"profile":"Magazine","scope":"all","stop":""}`, []string{
			`body.profile: expected value to be one of "strict, magazine, app"`,
			`body.scope: expected value to be one of "few, main, equal"`,
			`body.stop: expected value to be one of "settled, all, first"`}},
		{`{` + p + `,"attacker":"white"}`, []string{"body.attacker: black has no king to mate"}},
		{`{` + p + `,"limits":{"nodes":4000001,"question_nodes":0,"time_ms":9001,"plies":3}}`, []string{
			"body.limits.nodes: expected number <= 4000000", "body.limits.plies: unexpected property",
			"body.limits.question_nodes: expected number >= 1", "body.limits.time_ms: expected number <= 9000"}},

		// Lists.
		{`{` + p + `,"line":"G*5c"}`, []string{"body.line: expected array"}},
		{`{` + p + `,"line":{"a":1,"a":2}}`, []string{
			`body@70: found the key "a" a second time`, "body.line: expected array"}},
		{`{` + p + `,"line":["G*5c",7,["5b4a"],null]}`, []string{
			"body.line[1]: expected string", "body.line[2]: expected string", "body.line[3]: expected string"}},
		{`{` + p + `,"line":["5c"]}`, []string{"body.line[0]: "}},
		{`{` + p + `,"line":["G*5c","5b4b"]}`, []string{"body.line[1]: "}},
		{`{` + p + `,"line":[` + long + `]}`, []string{"body.line: expected array length <= 9999", "body.line[1]: "}},
		{`{` + p + `,"parts":["tries","all","attack",1]}`, []string{
			`body.parts[1]: expected value to be one of "lengths, all_lengths, attack, defence, duals, ` +
				`tries, side_mates, economy, difficulty, certificate, themes"`, "body.parts[3]: expected string"}},
		{`{"sfen":"4k4","line":["x"]}`, []string{"body.sfen@0: board", "body.sfen@3: side", "body.sfen@3: hands"}},

		// The defender is to move: in the middle of a problem, and after the moves.
		{`{"sfen":"4k4/9/4G4/4P4/9/9/9/9/9 w 2r2b3g4s4n4l17p 1"}`, []string{"body.sfen: "}},
		{`{"sfen":"` + mateIn3 + ` moves G*5c"}`, []string{
			"body.sfen: the defender is to move, but a problem begins with a move of the attacker"}},
	} {
		var q AnalysisQuestion
		problem := r.Analyze([]byte(c.body), &q)
		if problem == nil {
			t.Errorf("%.100s: no fault", c.body)
			continue
		}
		got := describe(problem.Errors)
		if len(got) != len(c.faults) {
			t.Errorf("%.100s:\n%s", c.body, strings.Join(got, "\n"))
			continue
		}
		for i := range got {
			if !strings.HasPrefix(got[i], c.faults[i]) {
				t.Errorf("%.100s: %s, want %s", c.body, got[i], c.faults[i])
			}
		}
	}
}

// TestAnalyzeLink: the same in a query, and of a record.
func TestAnalyzeLink(t *testing.T) {
	r := NewReader(analysisBounds)
	escaped := strings.NewReplacer(" ", "%20", "+", "%2B").Replace(mateIn3)
	var inJSON, got AnalysisQuestion
	if p := r.Analyze([]byte(`{"sfen":"`+mateIn3+`","line":["G*5c","5b4a","G*4b"],"parts":["attack","tries"],`+
		`"policy":"F1","profile":"app","scope":"equal","stop":"first","limits":{"nodes":9,"question_nodes":8,"time_ms":7}}`),
		&inJSON); p != nil {
		t.Fatal(p.Errors)
	}
	const rest = "parts=attack,tries&policy=F1&profile=app&scope=equal&stop=first&nodes=9&question_nodes=8&time_ms=7"
	if p := r.AnalyzeLink("sfen="+escaped+"&line=G*5c,5b4a,G*4b&"+rest, &got); p != nil || !reflect.DeepEqual(got, inJSON) {
		t.Errorf("%v %+v, want %+v", p, got, inJSON)
	}
	find := func() (*notation.Record, []Fault) {
		return notation.NewRecord(shogi.MustParseSFEN(mateIn3), moves(t, "G*5c 5b4a G*4b"), ""), nil
	}
	got = AnalysisQuestion{}
	if p := r.AnalyzeRecord(rest, &got, find); p != nil || !reflect.DeepEqual(got, inJSON) {
		t.Errorf("%v %+v, want %+v", p, got, inJSON)
	}
	for query, want := range map[string]string{
		"":                                    "query.sfen: required query parameter is missing",
		"sfen=9%20b%20-%201":                  "query.sfen@0: board: ",
		"sfen=" + escaped + "&line=2a2b%2B":   "query.line[0]: ",
		"sfen=" + escaped + "&line=2a2b+":     "query.line[0]: ",
		"sfen=" + escaped + "&parts=x":        `query.parts: expected value to be one of "lengths, `,
		"sfen=" + escaped + "&plies=3":        "query.plies: unexpected parameter, expected sfen, line, attacker, hands, ",
		"sfen=" + escaped + "&attacker=white": "query.attacker: ",
	} {
		var q AnalysisQuestion
		p := r.AnalyzeLink(query, &q)
		if p == nil || len(p.Errors) != 1 || !strings.HasPrefix(describe(p.Errors)[0], want) {
			t.Errorf("%s: %+v, want %s", query, p, want)
		}
	}
	// A "+" in a list is that of a promotion, escaped or not.
	const promotes = "7R1/9/8k/8p/5R3/9/9/9/9%20b%202b4g4s4n4l17p%201"
	for _, query := range []string{"&line=4e4c+", "&line=4e4c%2B"} {
		var q AnalysisQuestion
		if p := r.AnalyzeLink("sfen="+promotes+query, &q); p != nil || len(q.Line) != 1 || q.Line[0].String() != "4e4c+" {
			t.Errorf("%s: %v %v", query, p, q.Line)
		}
	}
	wrong := func() (*notation.Record, []Fault) {
		return nil, []Fault{{Location: "body", Message: "as asked"}}
	}
	if p := r.AnalyzeRecord("nodes=0", new(AnalysisQuestion), wrong); p == nil ||
		!slices.Equal(describe(p.Errors), []string{"body: as asked", "query.nodes: expected number >= 1"}) {
		t.Errorf("%+v", p)
	}
	if p := r.RefuseAnalyzeQuery("policy=F2&x=1"); p == nil || len(p.Errors) != 1 {
		t.Errorf("%+v", p)
	}
	if p := r.RefuseAnalyzeQuery("x=1"); p != nil {
		t.Errorf("%+v", p)
	}
}

// TestAnalyzeEnums: the schemas name every value that the types of the report have.
func TestAnalyzeEnums(t *testing.T) {
	values := func(from, to int, text func(i int) string) (all []string) {
		for i := from; i <= to; i++ {
			all = append(all, text(i))
		}
		return all
	}
	for _, c := range []struct {
		of    reflect.Type
		field string
		want  []string
	}{
		{reflect.TypeFor[AnalyzeAnswer](), "Sound", values(0, 2, func(i int) string { return analysis.Answer(i).String() })},
		{reflect.TypeFor[AnalysisLeftover](), "Class", values(0, int(analysis.LeftoverForced), func(i int) string { return analysis.LeftoverClass(i).String() })},
		{reflect.TypeFor[AnalysisAuthor](), "Finding", values(0, int(analysis.Faulty), func(i int) string { return analysis.AuthorFinding(i).String() })},
		{reflect.TypeFor[CheckAnswer](), "Class", values(0, int(analysis.Cook), func(i int) string { return analysis.CheckClass(i).String() })},
		{reflect.TypeFor[CheckAnswer](), "Dual", values(1, int(analysis.Side), func(i int) string { return analysis.Dual(i).String() })},
		{reflect.TypeFor[CheckAnswer](), "SamePlay", values(0, 2, func(i int) string { return analysis.Answer(i).String() })},
		{reflect.TypeFor[ReplyAnswer](), "Kind", values(0, int(analysis.EscapeReply), func(i int) string { return analysis.ReplyKind(i).String() })},
		{reflect.TypeFor[CheckAnswer](), "Mark", values(0, int(report.Fail), func(i int) string { return report.Mark(i).String() })},
		{reflect.TypeFor[ReplyAnswer](), "Mark", values(0, int(report.Fail), func(i int) string { return report.Mark(i).String() })},
		{reflect.TypeFor[TallyAnswer](), "Mark", values(0, int(report.Fail), func(i int) string { return report.Mark(i).String() })},
		{reflect.TypeFor[FutileAnswer](), "Type", values(1, int(length.Any), func(i int) string { return length.FutileType(i).String() })},
		{reflect.TypeFor[IdlePieceAnswer](), "Idle", values(0, 2, func(i int) string { return analysis.Answer(i).String() })},
		{reflect.TypeFor[RuleAnswer](), "Severity", values(0, int(analysis.Fail), func(i int) string { return analysis.Severity(i).String() })},
		{reflect.TypeFor[AnalyzeAnswer](), "Policy", values(0, int(length.NumPolicies)-1, func(i int) string { return length.Policies[i].String() })},
		{reflect.TypeFor[AnalyzeRequest](), "Policy", values(0, int(length.NumPolicies)-1, func(i int) string { return length.Policies[i].String() })},
		{reflect.TypeFor[RequestLimits](), "Length", values(0, int(length.NumPolicies)-1, func(i int) string { return length.Policies[i].String() })},
		{reflect.TypeFor[LengthAnswer](), "Policy", values(0, int(length.NumPolicies)-1, func(i int) string { return length.Policies[i].String() })},
		{reflect.TypeFor[AnalyzeProgressEvent](), "Phase", append([]string{"waiting"},
			values(0, int(analysis.NumPhases)-1, func(i int) string { return analysis.Phase(i).String() })...)},
	} {
		field, _ := c.of.FieldByName(c.field)
		got := strings.Split(field.Tag.Get("enum"), ",")
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%v.%s: %v, want %v", c.of, c.field, got, c.want)
		}
	}
	for _, name := range strings.Split(reflect.TypeFor[AnalyzeScope]().Field(0).Tag.Get("enum"), ",") {
		if !slices.ContainsFunc(partNames, func(p partName) bool { return p.name == name }) {
			t.Errorf("no part %s", name)
		}
	}
	for _, name := range strings.Split(reflect.TypeFor[AnalyzeRules]().Field(1).Tag.Get("enum"), ",") {
		if p, err := analysis.ParseProfile(name); err != nil || p.Name != name {
			t.Errorf("no profile %s: %v", name, err)
		}
	}
}

// TestAnalyzeAnswer: the JSON of a report, written by hand.
func TestAnalyzeAnswer(t *testing.T) {
	one := func(text string) shogi.Move { return moves(t, text)[0] }
	p := shogi.MustParseSFEN(mateIn3)
	a := &analysis.Analysis{Position: p, Attacker: shogi.Black, Policy: length.F2,
		Profile: analysis.Magazine, Verdict: solver.Mate, Sound: analysis.Unknown,
		Lengths: []analysis.Length{{Policy: length.F0, Interval: length.Interval{Low: 3, High: length.Unbounded}},
			{Policy: length.F2, Interval: length.Exactly(3)}},
		Line:     analysis.Line{Moves: moves(t, "G*5c 5b4a G*4b"), Leftover: shogi.Hand(0).Add(shogi.Gold, 1)},
		Leftover: analysis.Leftover{Class: analysis.LeftoverAvoidable, Least: 0, Most: 1},
		Author: &analysis.Author{Moves: moves(t, "G*4c 5b6a"), Plies: 3, Finding: analysis.NoMateAfter,
			Places: []analysis.Place{{Ply: 2, Move: one("5b6a")}}, Fault: analysis.NoCheck},
		Attack: []analysis.AttackNode{
			{Place: analysis.Place{Ply: 1, Move: one("G*5c")}, Checks: 8, Fail: 5, Mate: 1, Open: 1,
				Others: []analysis.OtherCheck{
					{Move: one("4d4c"), Verdict: solver.Mate, Class: analysis.DualMove, Dual: analysis.Origin,
						SamePlay: analysis.Unknown, Length: length.Interval{Low: 3, High: 7},
						Line: moves(t, "4d4c 5b6a"), Raw: true, Nodes: 7},
					{Move: one("G*4c"), Reason: solver.ReasonNodes, Nodes: 9},
				}},
			{Place: analysis.Place{Ply: 3, Move: one("G*4b")}, Checks: 7, Fail: 6},
		},
		Defence: []analysis.DefenceNode{
			{Place: analysis.Place{Ply: 2, Move: one("5b4a")}, Replies: []analysis.Reply{
				{Move: one("5b5a"), Kind: analysis.EqualReply, Length: length.Exactly(3),
					Line: moves(t, "5b5a G*5b"), Same: moves(t, "5b6a")},
			}},
			{Place: analysis.Place{Ply: 4}, Replies: []analysis.Reply{}},
		},
		Economy:    []analysis.IdlePiece{{Square: one("5f5e").From(), Piece: shogi.Pawn, Idle: analysis.No}},
		Difficulty: &analysis.DifficultyFacts{Class: analysis.Long, Version: 2, Features: []analysis.Feature{{Name: "plies", Value: 3}}},
		Themes: []theme.Found{{Theme: theme.ByID("picture_diagram"), Shape: theme.ShapeByID("row_5")},
			{Theme: theme.ByID("nonpromotion"), Plies: []int{3}}},
		Rules: []analysis.RuleResult{{Rule: analysis.RuleCook, Severity: analysis.Fail, Holds: analysis.Unknown},
			{Rule: analysis.RuleEqual, Severity: analysis.Note, Holds: analysis.No,
				Places: []analysis.Place{{Ply: 2, Move: one("5b5a")}}}},
		Reason:    solver.ReasonNodes,
		Remaining: []analysis.Place{{Ply: 1, Move: one("G*4c")}}, Nodes: 2100, Repeatable: true,
	}
	const head = `{"sfen":"` + mateIn3 + `","attacker":"black","key":"t1:9/4k4/9/3G5/4G4/4P4/9/9/9:2G:rest","short_key":"t1h:ATBLN4QWNEKOSBTJKCYA","semantics":"analysis/2","policy":"F2","profile":"magazine",`
	want := head + `"verdict":"mate","sound":"unknown",` +
		`"text_ja":["3手詰（無駄合を除く）","未確認の王手が1通り（1手目▲４三金打）",` +
		`"不詰：▲４三金打に△６一玉で逃れ","駒を余して詰ますこともできる",` +
		`"1手目は▲４三金でも同じ（動かす駒非限定）。その後が同じかどうか未確認","2手目△５一玉は変同"],` +
		`"text_en":["mate in 3 plies (futile interpositions not counted)",` +
		`"1 check not decided (ply 1: G*4c)","no mate: after G*4c K-6a escapes",` +
		`"pieces can be left over, but need not be",` +
		`"ply 1: G-4c comes to the same; not decided whether the play is the same",` +
		`"ply 2: K-5a lasts as long, nothing left over"],` +
		`"lengths":{"F0":{"low":3},"F2":{"low":3,"high":3}},` +
		`"line":{"moves":["G*5c","5b4a","G*4b"],"moves_ja":["▲５三金打","△４一玉","▲４二金打"],"moves_en":["G*5c","K-4a","G*4b"],"leftover":"G","given":false},` +
		`"leftover":{"class":"avoidable","least":0,"most":1},` +
		`"author":{"moves":["G*4c","5b6a"],"moves_ja":["▲４三金打","△６一玉"],"moves_en":["G*4c","K-6a"],"plies":3,"finding":"nomate",` +
		`"places":[{"ply":2,"move":"5b6a","move_ja":"△６一玉","move_en":"K-6a"}],"fault_code":"no_check","fault":"ply 2, K-6a, gives no check","fault_ja":"2手目△６一玉は王手でない"},` +
		`"attack":[{"ply":1,"move":"G*5c","move_ja":"▲５三金打","move_en":"G*5c","checks":8,"fail":5,"mate":1,"unknown":1,"others":[` +
		`{"move":"4d4c","move_ja":"▲４三金","move_en":"G-4c","verdict":"mate","class":"dual","dual":"origin","same_play":"unknown","mark":"unknown",` +
		`"text_ja":"1手目は▲４三金でも同じ（動かす駒非限定）。その後が同じかどうか未確認",` +
		`"text_en":"ply 1: G-4c comes to the same; not decided whether the play is the same",` +
		`"remark_ja":"非限定（動かす駒、以下同じかは未確認、無駄合も含めた手順）",` +
		`"remark_en":"dual (piece that moves, not decided whether the play is the same, every move counted)",` +
		`"length":{"low":3,"high":7},"leftover":"","line":["4d4c","5b6a"],"line_ja":["▲４三金","△６一玉"],"line_en":["G-4c","K-6a"],"raw":true,"nodes":7},` +
		`{"move":"G*4c","move_ja":"▲４三金打","move_en":"G*4c","verdict":"unknown","class":"unknown","mark":"unknown",` +
		`"text_ja":"1手目▲４三金打は未確認（局面数の制限）","text_en":"ply 1: G*4c is not decided (limit of nodes)",` +
		`"remark_ja":"未確認","remark_en":"not decided","nodes":9,"reason":"limit_nodes"}],` +
		`"tally":[{"count":5,"mark":"pass","text_ja":"詰まない","text_en":"refuted"},` +
		`{"count":1,"mark":"unknown","text_ja":"非限定","text_en":"dual"},` +
		`{"count":1,"mark":"unknown","text_ja":"未確認","text_en":"not decided"}]},` +
		`{"ply":3,"move":"G*4b","move_ja":"▲４二金打","move_en":"G*4b","checks":7,"fail":6,"mate":0,"unknown":0,"others":[],` +
		`"tally":[{"count":6,"mark":"pass","text_ja":"詰まない","text_en":"refuted"}]}],` +
		`"defence":[{"ply":2,"move":"5b4a","move_ja":"△４一玉","move_en":"K-4a","replies":[` +
		`{"move":"5b5a","move_ja":"△５一玉","move_en":"K-5a","kind":"equal","mark":"note","text_ja":"2手目△５一玉は変同",` +
		`"text_en":"ply 2: K-5a lasts as long, nothing left over","remark_ja":"変同","remark_en":"as long","length":{"low":3,"high":3},"leftover":"",` +
		`"line":["5b5a","G*5b"],"line_ja":["△５一玉","▲５二金打"],"line_en":["K-5a","G*5b"],"same":["5b6a"],"same_ja":["△６一玉"],"same_en":["K-6a"]}],` +
		`"tally":[{"count":2,"mark":"note","text_ja":"変同","text_en":"as long"}]},` +
		`{"ply":4,"replies":[],"tally":[]}],"futile":[],` +
		`"equal_left":0,"economy":[{"square":"5f","piece":"P","idle":"no"}],` +
		`"difficulty":{"class":"long","version":2,"features":{"plies":3}},` +
		`"themes":[{"id":"picture_diagram","name_ja":"初形曲詰","name_en":"picture in the diagram","plies":[],"shape":"row_5","text_ja":"初形曲詰「一」","text_en":"picture in the diagram: one (a row)"},` +
		`{"id":"nonpromotion","name_ja":"不成","name_en":"non-promotion","plies":[3],"text_ja":"不成（3手目）","text_en":"non-promotion (ply 3)"}],` +
		`"rules":[{"id":"cook","result":"unknown","severity":"fail","text_ja":"余詰：未確認の王手が1通り",` +
		`"text_en":"cook: 1 check not decided","places":[]},` +
		`{"id":"equal","result":"note","severity":"note","text_ja":"変同：2手目△５一玉",` +
		`"text_en":"equal variation: ply 2 K-5a","places":[{"ply":2,"move":"5b5a","move_ja":"△５一玉","move_en":"K-5a"}]}],` +
		`"reason":"limit_nodes","nodes":2100,"lasting":true,` +
		`"remaining":[{"ply":1,"move":"G*4c","move_ja":"▲４三金打","move_en":"G*4c"}]}` + "\n"
	got := NewAnalyzeAnswer(a)
	if text := string(Encode(got)); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}

	facts := FactsOf(got, []string{"/lengths/F2", "/attack/1/fail", "/attack/2", "/nothing", "", "/line/moves/x", "/attack/-1"})
	if text := string(Encode(facts)); text !=
		`[{"pointer":"/lengths/F2","value":{"low":3,"high":3}},{"pointer":"/attack/1/fail","value":6}]`+"\n" {
		t.Errorf("facts %s", text)
	}

	// What does not mate has little to say.
	a = &analysis.Analysis{Position: p, Attacker: shogi.Black, Profile: analysis.App, Policy: length.F1,
		Verdict: solver.NoMate, Sound: analysis.No, Nodes: 7}
	want = strings.NewReplacer("F2", "F1", "magazine", "app").Replace(head) + `"verdict":"nomate","sound":"no",` +
		`"text_ja":["不詰：詰まない"],"text_en":["no mate"],"equal_left":0,"rules":[],"nodes":7,"lasting":false,"remaining":[]}` + "\n"
	if text := string(Encode(NewAnalyzeAnswer(a))); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

// TestAnalyzeFutile: an interposition that the policy leaves out, by the mating move and before.
func TestAnalyzeFutile(t *testing.T) {
	a := &analysis.Analysis{Position: shogi.MustParseSFEN("k8/9/9/9/9/9/9/9/9 b 2R2b4g4s4n4l18p 1"),
		Attacker: shogi.Black, Profile: analysis.Magazine, Policy: length.F2, Verdict: solver.Mate,
		Line: analysis.Line{Moves: moves(t, "R*9i"), Given: true},
		Defence: []analysis.DefenceNode{{Place: analysis.Place{Ply: 2}, Replies: []analysis.Reply{
			{Move: moves(t, "P*9d")[0], Kind: analysis.FutileReply,
				Futile: &analysis.Futile{Type: length.Narrow, Capture: moves(t, "9i9d")[0]}}}}}}
	got := NewAnalyzeAnswer(a)
	const want = `[{"ply":2,"replies":[{"move":"P*9d","move_ja":"△９四歩","move_en":"P*9d","kind":"futile","mark":"futile",` +
		`"text_ja":"△９四歩合は無駄合（▲同飛で前と同じ）","text_en":"P*9d is futile (taken by Rx9d, nothing changes)",` +
		`"remark_ja":"無駄合","remark_en":"futile",` +
		`"futile":{"type":"narrow","capture":"9i9d","capture_ja":"▲同　飛","capture_en":"Rx9d"}}],` +
		`"tally":[{"count":1,"mark":"futile","text_ja":"無駄合","text_en":"futile"}]}]` + "\n"
	if text := string(Encode(got.Defence)); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	if text := string(Encode(got.Futile)); text != `[{"ply":2,"move":"P*9d","move_ja":"△９四歩","move_en":"P*9d"}]`+"\n" {
		t.Errorf("futile %s", text)
	}
}

// TestLengthAnswer: the bounds that a search gives, of the parity of the mate.
func TestLengthAnswer(t *testing.T) {
	line := make([]shogi.Move, 9)
	for _, c := range []struct {
		r    solver.Result
		by   length.Interval
		want string
	}{
		{solver.Result{Line: line, Exact: true}, length.Exactly(5),
			`{"policy":"F2","low":5,"high":5,"raw":{"low":9,"high":9}}`},
		{solver.Result{Line: line, NoMateWithin: 4}, length.Interval{Low: 5, High: length.Unbounded},
			`{"policy":"F2","low":5,"raw":{"low":5,"high":9}}`},
		{solver.Result{Line: line, NoMateWithin: 5}, length.Interval{Low: 1, High: 7},
			`{"policy":"F2","low":1,"high":7,"raw":{"low":7,"high":9}}`},
		{solver.Result{Line: line}, length.Exactly(5),
			`{"policy":"F2","low":5,"high":5,"raw":{"low":5,"high":9}}`},
		{solver.Result{Line: line}, length.Interval{Low: 1, High: 9},
			`{"policy":"F2","low":1,"high":9,"raw":{"low":1,"high":9}}`},
	} {
		l := NewLengthAnswer(length.F2, c.by, &c.r, "")
		a := Answer{Length: l}
		if got := string(a.Fields()); !strings.HasSuffix(got, `,"length":`+c.want) {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// FuzzAnalyze: no request is taken for two, and none makes the reader panic: what is valid means the
// same in JSON and as a line of a batch.
func FuzzAnalyze(f *testing.F) {
	f.Add([]byte(`{"sfen":"` + mateIn3 + `","line":["G*5c"],"parts":["attack"],"limits":{"nodes":9}}`))
	f.Add([]byte(`{"sfen":"` + mateIn3 + `","line":["G*5c",["x"],{"a":1}],"parts":[1,null],"scope":"equal"}`))
	f.Add([]byte(`{"line":[[],[[]]],"parts":{"a":[1]}}`))
	f.Add([]byte(`{"sfen":"startpos","line":["7g7f","3c3d`))
	r := NewReader(analysisBounds)
	f.Fuzz(func(t *testing.T, body []byte) {
		var q, again AnalysisQuestion
		p := r.Analyze(body, &q)
		if p != nil {
			return
		}
		_, p = r.AnalyzeLine(body, &again)
		if p != nil || !reflect.DeepEqual(q, again) {
			t.Fatalf("%s: as a line %+v, %v", body, again, p)
		}
		position := q.Position
		for _, m := range q.Line {
			if !position.IsLegal(m) {
				t.Fatalf("%s: %v is not legal", body, m)
			}
			position.Do(m)
		}
		if q.Nodes < 1 || q.Nodes > 4_000_000 || q.QuestionNodes > q.Nodes ||
			q.Time <= 0 || q.Time > 9*time.Second || q.Profile == nil || q.Attacker != q.Position.SideToMove() {
			t.Fatalf("%s: %+v", body, q)
		}
	})
}
