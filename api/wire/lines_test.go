package wire

import (
	"reflect"
	"testing"
)

// TestLineOver: what a query says of lines is as if each line said it, unless it says something
// else.
func TestLineOver(t *testing.T) {
	r := NewReader(testBounds)
	const query = "plies=9&nodes=77&time_ms=1234&shortest=true&length=F2&hands=complete"
	const sfen = `"sfen":"8k/9/9/9/9/9/9/9/9 b R 1"`
	var d LinesRequest
	if p := r.LinesQuery(query, &d); p != nil {
		t.Fatal(p.Errors)
	}
	alone := func(hands, limits string) string {
		return `,"hands":"` + hands + `","limits":{` + limits + `}`
	}
	all := alone("complete", `"plies":9,"nodes":77,"time_ms":1234,"shortest":true,"length":"F2"`)
	for over, alone := range map[string]string{
		``:                         all,
		`,"id":7,"limits":{}`:      `,"id":7` + all,
		`,"limits":{"nodes":null}`: all,
		`,"limits":{"nodes":5}`: alone("complete",
			`"plies":9,"nodes":5,"time_ms":1234,"shortest":true,"length":"F2"`),
		`,"limits":{"shortest":false}`: alone("complete",
			`"plies":9,"nodes":77,"time_ms":1234,"length":"F2"`),
		`,"hands":"as_given"`: alone("as_given",
			`"plies":9,"nodes":77,"time_ms":1234,"shortest":true,"length":"F2"`),
		`,"limits":{"length":"F0"}`: alone("complete",
			`"plies":9,"nodes":77,"time_ms":1234,"shortest":true,"length":"F0"`),
		`,"limits":{"plies":3,"nodes":1000,"time_ms":7000}`: alone("complete",
			`"plies":3,"nodes":1000,"time_ms":7000,"shortest":true,"length":"F2"`),
	} {
		var got, want Question
		id, p := r.LineOver(&d, []byte(`{`+sfen+over+`}`), &got)
		wantID, wantP := r.Line([]byte(`{`+sfen+alone+`}`), &want)
		if p != nil || wantP != nil || string(id) != string(wantID) || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v %s %+v, want %v %s %+v", over, p, id, got, wantP, wantID, want)
		}
	}
	var q Question
	if _, p := r.LineOver(&d, []byte(`{`+sfen+`,"limits":{"nodes":1001}}`), &q); p == nil ||
		p.Errors[0].Location != "line.limits.nodes" {
		t.Errorf("a line beyond the bounds: %+v", p)
	}
	for query, want := range map[string]string{"nodes=1001": "query.nodes", "after=3": "query.after",
		"shortest=1&shortest=1": "query.shortest", "sfen=x": "query.sfen"} {
		if p := r.LinesQuery(query, new(LinesRequest)); p == nil || p.Errors[0].Location != want {
			t.Errorf("%s: %+v", query, p)
		}
	}
}

// TestAnalyzeLineOver is TestLineOver for analyses.
func TestAnalyzeLineOver(t *testing.T) {
	r := NewReader(analysisBounds)
	const query = "attacker=black&hands=complete&policy=F1&profile=strict&parts=attack,tries&scope=equal" +
		"&stop=first&record=ja&nodes=3000&question_nodes=40&time_ms=900"
	const sfen = `"sfen":"8k/9/9/9/9/9/9/9/9 b R 1"`
	const all = `,"attacker":"black","hands":"complete","policy":"F1","profile":"strict","scope":"equal",` +
		`"stop":"first","record":"ja"`
	const limits = `,"limits":{"nodes":3000,"question_nodes":40,"time_ms":900}`
	var d AnalyzeRecordRequest
	if p := r.AnalyzeLinesQuery(query, &d); p != nil {
		t.Fatal(p.Errors)
	}
	for over, alone := range map[string]string{
		``:                            all + `,"parts":["attack","tries"]` + limits,
		`,"id":"x","parts":["duals"]`: `,"id":"x"` + all + `,"parts":["duals"]` + limits,
		`,"limits":{"question_nodes":300}`: all + `,"parts":["attack","tries"],` +
			`"limits":{"nodes":3000,"question_nodes":300,"time_ms":900}`,
		`,"line":["R*1i"]`: all + `,"line":["R*1i"],"parts":["attack","tries"]` + limits,
	} {
		var got, want AnalysisQuestion
		id, p := r.AnalyzeLineOver(&d, []byte(`{`+sfen+over+`}`), &got)
		wantID, wantP := r.AnalyzeLine([]byte(`{`+sfen+alone+`}`), &want)
		if p != nil || wantP != nil || string(id) != string(wantID) || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v %s %+v, want %v %s %+v", over, p, id, got, wantP, wantID, want)
		}
	}
	if p := r.AnalyzeLinesQuery("nodes=0", new(AnalyzeRecordRequest)); p == nil {
		t.Error("no nodes are taken")
	}
}

// Line reads a line that nothing was said of before.
func (r *Reader) Line(line []byte, q *Question) (ID, *Problem) {
	return r.LineOver(&LinesRequest{}, line, q)
}

// AnalyzeLine is Line for a batch of problems.
func (r *Reader) AnalyzeLine(line []byte, q *AnalysisQuestion) (ID, *Problem) {
	return r.AnalyzeLineOver(&AnalyzeRecordRequest{}, line, q)
}
