package wire

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// testBounds differ from each other and from the defaults of a service.
var testBounds = Bounds{Plies: 99, Nodes: 1000, Time: 7 * time.Second, DefaultTime: 3 * time.Second}

// describe writes faults as the tables of the tests have them: location@offset: message.
func describe(faults []Fault) (all []string) {
	for _, f := range faults {
		place := f.Location
		if f.Offset != nil {
			place += fmt.Sprintf("@%d", *f.Offset)
		}
		all = append(all, place+": "+f.Message)
	}
	return all
}

// TestDecode: what is taken over, and every fault with its place. The expected values were written
// by hand.
func TestDecode(t *testing.T) {
	const p = `{"sfen":"x"`
	solve := NewDecoder[SolveRequest]("body", &testBounds)
	plies := func(n int) SolveRequest { return SolveRequest{SFEN: "x", Limits: RequestLimits{Plies: n}} }
	plain := SolveRequest{SFEN: "x"}
	for _, c := range []struct {
		text   string
		want   SolveRequest
		faults []string
	}{
		{p + `}`, plain, nil},
		{" \t\r\n" + `{ "sfen" : "x" } ` + "\n", plain, nil},
		{p + `,"limits":{"plies":99,"nodes":1000,"time_ms":7000,"shortest":true}}`,
			SolveRequest{SFEN: "x", Limits: RequestLimits{Plies: 99, Nodes: 1000, TimeMS: 7000, Shortest: true}}, nil},
		{p + `,"limits":{"plies":1,"nodes":1,"time_ms":1,"shortest":false}}`,
			SolveRequest{SFEN: "x", Limits: RequestLimits{Plies: 1, Nodes: 1, TimeMS: 1}}, nil},
		{p + `,"limits":{}}`, plain, nil},
		{p + `,"hands":"complete"}`, SolveRequest{SFEN: "x", Hands: "complete"}, nil},
		{p + `,"hands":null}`, plain, nil},
		{p + `,"hands":"all"}`, plain, []string{`body.hands: expected value to be one of "as_given, complete"`}},

		// What encoding/json would take for something else, or refuse.
		{`{"\u0073f\u0065n":"\u0078","l\u0069mits":{"plies":2}}`, plies(2), nil},
		{`{"sfen":"\ud83d\ude00あ\\\"\/\b"}`, SolveRequest{SFEN: "😀あ\\\"/\b"}, nil},
		{`{"sfen":"` + "a\xff" + `\ud800"}`, SolveRequest{SFEN: "a\ufffd\ufffd"}, nil},
		{p + `,"limits":{"plies":3.0}}`, plies(3), nil},
		{p + `,"limits":{"plies":0.3e1}}`, plies(3), nil},
		{p + `,"limits":{"plies":1.0}}`, plies(1), nil},
		{p + `,"limits":{"plies":99.0}}`, plies(99), nil},
		{p + `,"limits":{"plies":30E-1}}`, plies(3), nil},
		{p + `,"limits":{"nodes":1e3}}`, SolveRequest{SFEN: "x", Limits: RequestLimits{Nodes: 1000}}, nil},

		// null is absent, where something may be.
		{p + `,"limits":null}`, plain, nil},
		{p + `,"limits":{"plies":null,"nodes":null,"time_ms":null,"shortest":null}}`, plain, nil},
		{`{"sfen":null}`, SolveRequest{}, []string{"body.sfen: expected string"}},
		{`null`, SolveRequest{}, []string{"body: expected object"}},

		// Types.
		{`[]`, SolveRequest{}, []string{"body: expected object"}},
		{`"x"`, SolveRequest{}, []string{"body: expected object"}},
		{`7`, SolveRequest{}, []string{"body: expected object"}},
		{`true`, SolveRequest{}, []string{"body: expected object"}},
		{`{"sfen":1}`, SolveRequest{}, []string{"body.sfen: expected string"}},
		{`{"sfen":["x"]}`, SolveRequest{}, []string{"body.sfen: expected string"}},
		{`{"sfen":""}`, SolveRequest{}, []string{"body.sfen: expected length >= 1"}},
		{`{}`, SolveRequest{}, []string{"body: expected required property sfen to be present"}},
		{p + `,"limits":7}`, plain, []string{"body.limits: expected object"}},
		{p + `,"limits":[{"plies":1}]}`, plain, []string{"body.limits: expected object"}},
		{p + `,"limits":{"plies":"3"}}`, plain, []string{"body.limits.plies: expected integer"}},
		{p + `,"limits":{"nodes":{}}}`, plain, []string{"body.limits.nodes: expected integer"}},
		{p + `,"limits":{"time_ms":true}}`, plain, []string{"body.limits.time_ms: expected integer"}},
		{p + `,"limits":{"shortest":1}}`, plain, []string{"body.limits.shortest: expected boolean"}},
		{p + `,"limits":{"shortest":"true"}}`, plain,
			[]string{"body.limits.shortest: expected boolean"}},

		// Bounds.
		{p + `,"limits":{"plies":100}}`, plain, []string{"body.limits.plies: expected number <= 99"}},
		{p + `,"limits":{"nodes":1001}}`, plain, []string{"body.limits.nodes: expected number <= 1000"}},
		{p + `,"limits":{"time_ms":7001}}`, plain,
			[]string{"body.limits.time_ms: expected number <= 7000"}},
		{p + `,"limits":{"plies":0}}`, plain, []string{"body.limits.plies: expected number >= 1"}},
		{p + `,"limits":{"nodes":-1}}`, plain, []string{"body.limits.nodes: expected number >= 1"}},
		{p + `,"limits":{"nodes":-0}}`, plain, []string{"body.limits.nodes: expected number >= 1"}},
		{p + `,"limits":{"nodes":-1e400}}`, plain, []string{"body.limits.nodes: expected number >= 1"}},
		{p + `,"limits":{"time_ms":1.5}}`, plain, []string{"body.limits.time_ms: expected integer"}},
		{p + `,"limits":{"time_ms":0.5}}`, plain, []string{
			"body.limits.time_ms: expected integer", "body.limits.time_ms: expected number >= 1"}},
		{p + `,"limits":{"plies":99.5}}`, plain, []string{
			"body.limits.plies: expected integer", "body.limits.plies: expected number <= 99"}},
		{p + `,"limits":{"nodes":1e400}}`, plain, []string{"body.limits.nodes: expected number <= 1000"}},
		{p + `,"limits":{"nodes":18446744073709551615}}`, plain,
			[]string{"body.limits.nodes: expected number <= 1000"}},
		{p + `,"limits":{"nodes":18446744073709551617}}`, plain,
			[]string{"body.limits.nodes: expected number <= 1000"}},
		{p + `,"limits":{"nodes":00000}}`, plain, []string{"JSON"}},

		// Names.
		{p + `,"SFEN":"x"}`, plain, []string{"body.SFEN: unexpected property"}},
		{p + `,"limits":{"Plies":3}}`, plain, []string{"body.limits.Plies: unexpected property"}},
		{p + `,"id":1}`, plain, []string{"body.id: unexpected property"}},
		{p + `,"attacker":"black"}`, plain, []string{"body.attacker: unexpected property"}},
		{p + `,"":1}`, plain, []string{"body.: unexpected property"}},
		{p + `,"` + "\xff" + `":1}`, plain, []string{"body.\ufffd: unexpected property"}},
		{p + `,"sfen":"y"}`, SolveRequest{SFEN: "y"}, []string{`body@12: found the key "sfen" a second time`}},
		{p + `,"sf\u0065n":"y", "sfen" :"z"}`, SolveRequest{SFEN: "z"}, []string{
			`body@12: found the key "sfen" a second time`, `body@29: found the key "sfen" a second time`}},
		{p + `,"limits":{"plies":1 ,"plies":2}}`, plies(2),
			[]string{`body@33: found the key "plies" a second time`}},
		{p + `,"limits":{"plies":1},"limits":{"plies":2}}`, plies(2),
			[]string{`body@33: found the key "limits" a second time`}},
		{p + `,"a":1,"a":2}`, plain,
			[]string{`body@18: found the key "a" a second time`, "body.a: unexpected property"}},
		{p + `,"x":[{"a\"b":{},"a\"b":[{"c":1}]},{"a":1,"c":{"d":1,"d":1}},{"a":1}]}`, plain, []string{
			`body@28: found the key "a\"b" a second time`, `body@64: found the key "d" a second time`,
			"body.x: unexpected property"}},
		{`[{"a":1,"a":2}]`, SolveRequest{},
			[]string{"body: expected object", `body@8: found the key "a" a second time`}},

		// Many at once, in order.
		{`{"limits":{"time_ms":0,"plies":-7,"x":0},"y":0}`, SolveRequest{}, []string{
			"body: expected required property sfen to be present",
			"body.limits.plies: expected number >= 1", "body.limits.time_ms: expected number >= 1",
			"body.limits.x: unexpected property", "body.y: unexpected property"}},
	} {
		var got SolveRequest
		faults, problem := solve.Decode([]byte(c.text), &got)
		if problem != nil {
			if !slices.Equal(c.faults, []string{"JSON"}) {
				t.Errorf("%s: %v", c.text, problem)
			}
			continue
		}
		if len(faults) > 0 {
			faults = Invalid(faults).Errors
		}
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.text, got, c.want)
		}
		if d := describe(faults); !slices.Equal(d, c.faults) {
			t.Errorf("%s:\n%s\nwant\n%s", c.text, strings.Join(d, "\n"), strings.Join(c.faults, "\n"))
		}
	}
}

// TestDecodeLine: an id goes back as it was sent.
func TestDecodeLine(t *testing.T) {
	line := NewDecoder[BatchRequest]("line", &testBounds)
	long := strings.Repeat("1", 256)
	for id, want := range map[string]string{
		`1`: "", `-1.50e+07`: "", `"a\u00e9\" "`: "", `""`: "", long: "", `"` + "a\xff" + `"`: "",
		`null`:             "null",
		`true`:             "line.id: expected a string or a number",
		`[1]`:              "line.id: expected a string or a number",
		`{}`:               "line.id: expected a string or a number",
		long + "1":         "line.id: found 257 bytes, expected at most 256",
		`"` + long + `"`:   "line.id: found 258 bytes, expected at most 256",
		`7,"id":8`:         `line@9: found the key "id" a second time`,
		`7,"attacker":"x"`: "line.attacker: unexpected property",
	} {
		var got BatchRequest
		text := []byte(`{"id": ` + id + ` ,"sfen":"x"}`)
		faults, problem := line.Decode(text, &got)
		if problem != nil {
			t.Fatalf("%s: %v", id, problem)
		}
		switch want {
		case "", "null":
			if faults != nil || string(got.ID) != strings.TrimPrefix(id, want+want[:0]) && want == "" ||
				want == "null" && got.ID != nil {
				t.Errorf("%s: id %q, %v", id, got.ID, describe(faults))
			}
			if got.ID = append(got.ID, "overwritten"...); !strings.HasSuffix(string(text), `"x"}`) {
				t.Errorf("%s: to append to the id overwrites the line: %s", id, text)
			}
		default:
			if d := describe(faults); !slices.Equal(d, []string{want}) {
				t.Errorf("%s: %q, want %q", id, d, want)
			}
		}
	}
}

func TestDecodeMoves(t *testing.T) {
	moves := NewDecoder[MovesRequest]("body", &testBounds)
	for attacker, want := range map[string]string{
		`"black"`: "", `"white"`: "", `null`: "",
		`"Black"`: `body.attacker: expected value to be one of "black, white"`,
		`""`:      `body.attacker: expected value to be one of "black, white"`,
		`1`:       "body.attacker: expected string",
	} {
		var got MovesRequest
		faults, problem := moves.Decode([]byte(`{"sfen":"x","attacker":`+attacker+`}`), &got)
		d := describe(faults)
		if problem != nil || want == "" && d != nil || want != "" && !slices.Equal(d, []string{want}) {
			t.Errorf("%s: %q %v, want %q", attacker, d, problem, want)
		}
		if valid := want == "" && attacker != "null"; valid != (`"`+got.Attacker+`"` == attacker) && (valid || got.Attacker != "") {
			t.Errorf("%s: %q was taken over", attacker, got.Attacker)
		}
	}
}

// TestNotJSON: where reading stopped.
func TestNotJSON(t *testing.T) {
	solve := NewDecoder[SolveRequest]("body", &testBounds)
	for _, c := range []struct {
		text   string
		offset int // -1 for a problem without a place
		part   string
	}{
		{"", -1, "The body is empty"},
		{" \n", -1, "The body is empty"},
		{"\ufeff{}", 0, "byte order mark"},
		{"sfen", 0, `found "s" where a value is expected`},
		{`{"sfen":"x"`, 11, "found the end of the text within the JSON"},
		{`{"sfen":"x}`, 11, "found the end of the text within the JSON"},
		{`{"sfen":`, 8, "found the end of the text within the JSON"},
		{`{"sfen":"x"}}`, 12, `found "}" after the end of the JSON`},
		{`{"sfen":"x"}{"sfen":"x"}`, 12, `found "{" after the end of the JSON`},
		{`{"sfen":"x",}`, 12, `found "}" where a name in double quotes is expected`},
		{`{"sfen" "x"}`, 8, `found "\"" where : is expected`},
		{`{"sfen":'x'}`, 8, `found "'" where a value is expected`},
		{`{"sfen":"` + "a\nb" + `"}`, 10, `found "\n" in a string`},
		{`{"sfen":"\x"}`, 10, `found "x" behind a \ in a string`},
		{`{"x":01}`, 6, `found "1" where , or } is expected`},
		{`{"x":[1,2}`, 9, `found "}" where , or ] is expected`},
		{`{"x":tru}`, 8, `found "}" in true, false or null`},
		{`{1:2}`, 1, `found "1" where a name in double quotes is expected`},
		{`{"sfen":"x"} // what`, 13, `found "/" after the end of the JSON`},
	} {
		var got SolveRequest
		faults, p := solve.Decode([]byte(c.text), &got)
		if p == nil || faults != nil || p.Type != "/problems/bad_json" || p.Status != 400 ||
			!strings.Contains(p.Detail, c.part) {
			t.Errorf("%q: %v, %+v", c.text, describe(faults), p)
			continue
		}
		switch {
		case c.offset < 0 && len(p.Errors) == 0:
		case len(p.Errors) != 1 || p.Errors[0].Location != "body" || p.Errors[0].offset() != c.offset:
			t.Errorf("%q: %v, want the place %d", c.text, describe(p.Errors), c.offset)
		}
	}
	deep := strings.Repeat("[", 100_000)
	if _, p := solve.Decode([]byte(deep), new(SolveRequest)); p == nil || p.Status != 400 {
		t.Errorf("deep: %+v", p)
	}
	deep = `{"sfen":"x","a":` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + "}"
	if faults, p := solve.Decode([]byte(deep), new(SolveRequest)); p != nil || len(faults) != 1 {
		t.Errorf("less deep: %v %+v", faults, p)
	}
}

func TestDecodeQuery(t *testing.T) {
	link := NewDecoder[LinkRequest]("query", &testBounds)
	type limits = RequestLimits
	for _, c := range []struct {
		query  string
		want   LinkRequest
		faults []string
	}{
		{"sfen=a%2B+_", LinkRequest{SFEN: "a%2B+_"}, nil}, // as it was sent
		{"sfen=a&plies=99&nodes=1000&time_ms=7000&shortest=true", LinkRequest{SFEN: "a", LinesRequest: LinesRequest{RequestLimits: limits{Plies: 99, Nodes: 1000, TimeMS: 7000, Shortest: true}}}, nil},
		{"sfen=a&plies=%31&shortest=1", LinkRequest{SFEN: "a", LinesRequest: LinesRequest{RequestLimits: limits{Plies: 1, Shortest: true}}}, nil},
		{"sfen=a&pl%69es=%2B7&nodes=%2B7&shortest=false", LinkRequest{SFEN: "a", LinesRequest: LinesRequest{RequestLimits: limits{Plies: 7, Nodes: 7}}}, nil},
		{"&sfen=a&&plies=&shortest&", LinkRequest{SFEN: "a"}, nil},
		{"sfen=a&hands=as_given", LinkRequest{SFEN: "a", LinesRequest: LinesRequest{Hands: "as_given"}}, nil},
		{"sfen=a&hands=", LinkRequest{SFEN: "a"}, nil},
		{"sfen=a&hands=x", LinkRequest{SFEN: "a"}, []string{`query.hands: expected value to be one of "as_given, complete"`}},
		{"", LinkRequest{}, []string{"query.sfen: required query parameter is missing"}},
		{"sfen=", LinkRequest{}, []string{"query.sfen: required query parameter is missing"}},
		{"sfen=a&plies=100&nodes=0&time_ms=-5", LinkRequest{SFEN: "a"}, []string{
			"query.nodes: expected number >= 1", "query.plies: expected number <= 99",
			"query.time_ms: expected number >= 1"}},
		{"sfen=a&nodes=1001&time_ms=7001&plies=-9", LinkRequest{SFEN: "a"}, []string{
			"query.nodes: expected number <= 1000", "query.plies: expected number >= 1",
			"query.time_ms: expected number <= 7000"}},
		{"sfen=a&plies=x&nodes=1e2&time_ms=1.0&shortest=yes", LinkRequest{SFEN: "a"}, []string{
			"query.nodes: invalid integer", "query.plies: invalid integer",
			"query.shortest: invalid boolean", "query.time_ms: invalid integer"}},
		{"sfen=a&nodes=99999999999999999999&plies=-99999999999999999999", LinkRequest{SFEN: "a"}, []string{
			"query.nodes: invalid integer", "query.plies: invalid integer"}},
		{"sfen=a&plies=%zz", LinkRequest{SFEN: "a"}, []string{
			"query.plies: found a % that begins no escape, expected % and two hexadecimal digits"}},
		{"sfen=a&sfen=b&plies=1&pl%69es=2", LinkRequest{SFEN: "a", LinesRequest: LinesRequest{RequestLimits: limits{Plies: 1}}}, []string{
			"query.plies: found a second time, expected once", "query.sfen: found a second time, " +
				"expected once"}},
		{"sfen=a&utm=x&SFEN=b&after=1", LinkRequest{SFEN: "a"}, []string{
			"query.SFEN: unexpected parameter, expected sfen, hands, plies, nodes, time_ms, shortest, check, length",
			"query.after: unexpected parameter, expected sfen, hands, plies, nodes, time_ms, shortest, check, length",
			"query.utm: unexpected parameter, expected sfen, hands, plies, nodes, time_ms, shortest, check, length"}},
	} {
		var got LinkRequest
		faults := link.DecodeQuery(c.query, &got)
		if len(faults) > 0 {
			faults = Invalid(faults).Errors
		}
		if d := describe(faults); got != c.want || !slices.Equal(d, c.faults) {
			t.Errorf("%s: %+v\n%s\nwant %+v\n%s", c.query, got, strings.Join(d, "\n"), c.want, strings.Join(c.faults, "\n"))
		}
	}
	record := NewDecoder[RecordRequest]("query", &testBounds)
	for query, want := range map[string]RecordRequest{
		"": {After: -1}, "after=0": {After: 0}, "after=7&plies=3": {After: 7, LinesRequest: LinesRequest{RequestLimits: limits{Plies: 3}}},
		"after=99999": {After: 99999}, // no bound but the record's own
	} {
		got := RecordRequest{After: -1}
		if faults := record.DecodeQuery(query, &got); faults != nil || got != want {
			t.Errorf("%q: %+v %v", query, got, describe(faults))
		}
	}
	for query, want := range map[string]string{
		"after=-1": "query.after: expected number >= 0", "after=x": "query.after: invalid integer",
		"after=9223372036854775808": "query.after: expected number <= 9223372036854775807",
		"sfen=x": "query.sfen: unexpected parameter, expected after, hands, plies, " +
			"nodes, time_ms, shortest, check, length",
	} {
		if d := describe(record.DecodeQuery(query, new(RecordRequest))); !slices.Equal(d, []string{want}) {
			t.Errorf("%q: %q, want %q", query, d, want)
		}
	}
}

// TestDecodeWithoutBounds: what has no largest value has that of its type.
func TestDecodeWithoutBounds(t *testing.T) {
	type numbers struct {
		N uint64 `json:"n,omitempty"`
		I int64  `json:"i,omitempty"`
	}
	d := NewDecoder[numbers]("body", &testBounds)
	for text, want := range map[string]numbers{
		`{"n":18446744073709551615,"i":9223372036854775807}`: {1<<64 - 1, 1<<63 - 1},
		`{"n":18446744073709550000.0,"i":1e18}`:              {18446744073709549568, 1e18},
		`{"n":0,"i":-0}`:                                     {},
	} {
		var got numbers
		if faults, p := d.Decode([]byte(text), &got); faults != nil || p != nil || got != want {
			t.Errorf("%s: %+v %v %v", text, got, describe(faults), p)
		}
	}
	for _, number := range []string{"18446744073709551616", "1.8446744073709552e19", "1e20", "1e400"} {
		var got numbers
		faults, _ := d.Decode([]byte(`{"n":`+number+`,"i":`+number+`}`), &got)
		if want := []string{"body.n: expected number <= 18446744073709551615",
			"body.i: expected number <= 9223372036854775807"}; got != (numbers{}) || !slices.Equal(describe(faults), want) {
			t.Errorf("%s: %+v %q", number, got, describe(faults))
		}
	}
	faults, _ := d.Decode([]byte(`{"i":9223372036854775808,"n":-1}`), new(numbers))
	if want := []string{"body.i: expected number <= 9223372036854775807", "body.n: expected number >= 0"}; !slices.Equal(describe(faults), want) {
		t.Errorf("%q", describe(faults))
	}
}

// TestDecoderOfOtherTypes: what requests cannot have is a fault of the program.
func TestDecoderOfOtherTypes(t *testing.T) {
	panics := func(f func()) (v any) {
		defer func() { v = recover() }()
		f()
		return nil
	}
	type list struct {
		X []string `json:"x"`
	}
	type least struct {
		X int `json:"x" minimum:"-1"`
	}
	for name, f := range map[string]func(){
		"list":  func() { NewDecoder[list]("body", &testBounds).Decode([]byte("{}"), new(list)) },
		"least": func() { NewDecoder[least]("body", &testBounds).Decode([]byte("{}"), new(least)) },
	} {
		if panics(f) == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// TestReaderIsClean: nothing of one text is in what is said of another.
func TestReaderIsClean(t *testing.T) {
	solve := NewDecoder[SolveRequest]("body", &testBounds)
	faults, _ := solve.Decode([]byte(`{"sfen":"\u0078","x":1}`), new(SolveRequest))
	for range 100 {
		var got SolveRequest
		more, p := solve.Decode([]byte(`{"sfen":"\u0079"}`), &got)
		if more != nil || p != nil || got.SFEN != "y" {
			t.Fatal(more, p, got)
		}
	}
	if d := describe(faults); !reflect.DeepEqual(d, []string{"body.x: unexpected property"}) {
		t.Errorf("%q", d)
	}
}
