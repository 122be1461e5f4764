package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// A twin decodes requests a second time: with encoding/json, rules that are spelled out for each
// field, and numbers of any size.
type twin struct {
	d      *json.Decoder
	text   []byte
	part   string
	faults []string
	req    twinRequest
}

type twinRequest struct {
	id, sfen, attacker, hands string
	limits                    RequestLimits
}

func (w *twin) fault(path, message string) { w.faults = append(w.faults, Clip(path)+": "+message) }

// token reads a token, and returns its place as well.
func (w *twin) token() (json.Token, int) {
	before := int(w.d.InputOffset())
	before += len(w.text[before:]) - len(bytes.TrimLeft(w.text[before:], " \t\r\n,:"))
	token, err := w.d.Token()
	if err != nil {
		panic(err) // the text is valid
	}
	return token, before
}

// value reads a value. on is asked to deal with each member of an object.
func (w *twin) value(path string, on func(name string, raw json.RawMessage)) (v any) {
	token, begin := w.token()
	switch token {
	case json.Delim('['):
		for w.d.More() {
			w.value(path, nil)
		}
	case json.Delim('{'):
		seen := map[string]bool{}
		for w.d.More() {
			name, at := w.token()
			if seen[name.(string)] {
				w.faults = append(w.faults, fmt.Sprintf("%s@%d: found the key %q a second time", w.part, at, Clip(name.(string))))
			}
			key := name.(string)
			if on != nil {
				before := w.d.InputOffset()
				raw := bytes.TrimLeft(w.text[before:], " \t\r\n:")
				var one json.RawMessage
				if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&one); err != nil {
					panic(err)
				}
				if !knownTo(path, key, w.part) {
					if !seen[key] {
						w.fault(path+"."+key, "unexpected property")
					}
				} else {
					on(key, one)
				}
			}
			seen[key] = true
			var inner func(string, json.RawMessage)
			if on != nil && key == "limits" && path == w.part {
				inner = w.limit
			}
			w.value(path+"."+key, inner)
		}
		if on != nil && path == w.part && !seen["sfen"] {
			w.fault(path, "expected required property sfen to be present")
		}
	default:
		return token
	}
	w.token()
	return w.text[begin:]
}

func knownTo(path, key, part string) bool {
	switch {
	case strings.HasSuffix(path, ".limits"):
		return slices.Contains([]string{"plies", "nodes", "time_ms", "shortest", "length"}, key)
	case key == "id":
		return part == "line"
	case key == "attacker":
		return part == "moves"
	}
	return key == "sfen" || key == "hands" || key == "limits"
}

// member checks a member of a request.
func (w *twin) member(name string, raw json.RawMessage) {
	path, null, first := w.part+"."+name, string(raw) == "null", raw[0]
	var s string
	isString := json.Unmarshal(raw, &s) == nil && first == '"'
	switch name {
	case "sfen":
		switch {
		case !isString:
			w.fault(path, "expected string")
		case s == "":
			w.fault(path, "expected length >= 1")
		default:
			w.req.sfen = s
		}
	case "attacker":
		switch {
		case null:
		case !isString:
			w.fault(path, "expected string")
		case s != "black" && s != "white":
			w.fault(path, `expected value to be one of "black, white"`)
		default:
			w.req.attacker = s
		}
	case "hands":
		switch {
		case null:
		case !isString:
			w.fault(path, "expected string")
		case s != "as_given" && s != "complete":
			w.fault(path, `expected value to be one of "as_given, complete"`)
		default:
			w.req.hands = s
		}
	case "id":
		switch {
		case null:
		case first != '"' && first != '-' && (first < '0' || first > '9'):
			w.fault(path, "expected a string or a number")
		case len(raw) > 256:
			w.fault(path, fmt.Sprintf("found %d bytes, expected at most 256", len(raw)))
		default:
			w.req.id = string(raw)
		}
	case "limits":
		if !null && first != '{' {
			w.fault(path, "expected object")
		}
	}
}

// limit checks a member of the limits.
func (w *twin) limit(name string, raw json.RawMessage) {
	path := w.part + ".limits." + name
	if string(raw) == "null" {
		return
	}
	l := &w.req.limits
	if name == "shortest" {
		if json.Unmarshal(raw, &l.Shortest) != nil {
			w.fault(path, "expected boolean")
		}
		return
	}
	if name == "length" {
		var s string
		switch {
		case raw[0] != '"' || json.Unmarshal(raw, &s) != nil:
			w.fault(path, "expected string")
		case s != "F0" && s != "F1" && s != "F2" && s != "F3":
			w.fault(path, `expected value to be one of "F0, F1, F2, F3"`)
		default:
			l.Length = s
		}
		return
	}
	if raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		w.fault(path, "expected integer")
		return
	}
	// A number has the precision of a float64, as most who read JSON give it.
	f, _ := strconv.ParseFloat(string(raw), 64)
	x := new(big.Float).SetFloat64(f)
	whole := x.IsInt() || x.IsInf()
	if !whole {
		w.fault(path, "expected integer")
	}
	most := map[string]int64{"plies": 99, "nodes": 1000, "time_ms": 7000}[name]
	switch {
	case x.Cmp(big.NewFloat(1)) < 0:
		w.fault(path, "expected number >= 1")
	case x.Cmp(big.NewFloat(float64(most))) > 0:
		w.fault(path, fmt.Sprintf("expected number <= %d", most))
	case whole:
		n, _ := x.Int64()
		switch name {
		case "plies":
			l.Plies = int(n)
		case "nodes":
			l.Nodes = uint64(n)
		case "time_ms":
			l.TimeMS = n
		}
	}
}

// TestTwin: fixed texts, for those who do not fuzz.
func TestTwin(t *testing.T) {
	for _, text := range twinSeeds {
		for which := range uint8(3) {
			checkTwin(t, []byte(text), which)
		}
	}
}

var twinSeeds = []string{
	`{"sfen":"startpos","limits":{"plies":3,"nodes":1000,"time_ms":7000,"shortest":true}}`,
	`{"id":"a","sfen":"x","attacker":"black","limits":null}`,
	`{"sfen":"x","hands":"complete"}`, `{"hands":"as_given","sfen":"x","hands":"all"}`, `{"sfen":"x","hands":7}`,
	`{"id":[1],"sfen":"x","attacker":"Black","limits":{"plies":3.0,"nodes":1e3,"time_ms":12e-1}}`,
	`{"sfen":"x","limits":{"plies":100,"nodes":0,"time_ms":-1,"shortest":null,"y":{"z":1,"z":2}},"x":[{"a":1,"a":1}]}`,
	`{"s\u0066en":"\ud800é` + "\xff" + `","limits":[],"limits":{},"sfen":7}`,
	` [ { "a" : 1 , "a" : [ ] } ] `, `null`, `"x"`, `{}`, ``, "\ufeff{}", `{"sfen":"x"}}`, `{"sfen":"x",}`, `{"a":tru}`,
	`{"sfen":"x","limits":{"nodes":1e400,"plies":18446744073709551617,"time_ms":00}}`,
	`{"sfen":"x","limits":{"nodes":-1e400,"plies":0.5,"time_ms":99999999999999999999.5}}`,
	`{"SFEN":"x","` + "\xff" + `":1,"":{"":1}}`,
	`{"sfen":"x","limits":{"length":"F2"}}`, `{"sfen":"x","limits":{"length":"f2"}}`,
	`{"sfen":"x","limits":{"length":2}}`, `{"sfen":"x","limits":{"length":null}}`,
}

// FuzzDecode: the decoder and its twin take the same texts, for the same requests, and find the
// same faults at the same places.
func FuzzDecode(f *testing.F) {
	for _, text := range twinSeeds {
		for which := range uint8(3) {
			f.Add([]byte(text), which)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, which uint8) { checkTwin(t, text, which) })
}

var (
	twinSolve = NewDecoder[SolveRequest]("body", &testBounds)
	twinLine  = NewDecoder[BatchRequest]("line", &testBounds)
	twinMoves = NewDecoder[MovesRequest]("moves", &testBounds)
)

func checkTwin(t *testing.T, text []byte, which uint8) {
	t.Helper()
	var faults []Fault
	var problem *Problem
	var got twinRequest
	w := twin{d: json.NewDecoder(bytes.NewReader(text)), text: text}
	w.d.UseNumber()
	switch which % 3 {
	case 0:
		var req SolveRequest
		faults, problem = twinSolve.Decode(text, &req)
		got, w.part = twinRequest{"", req.SFEN, "", req.Hands, req.Limits}, "body"
	case 1:
		var req BatchRequest
		faults, problem = twinLine.Decode(text, &req)
		got, w.part = twinRequest{string(req.ID), req.SFEN, "", req.Hands, req.Limits}, "line"
	case 2:
		var req MovesRequest
		faults, problem = twinMoves.Decode(text, &req)
		got, w.part = twinRequest{"", req.SFEN, req.Attacker, req.Hands, req.Limits}, "moves"
	}
	if valid := json.Valid(text); valid != (problem == nil) {
		t.Fatalf("%q: valid is %t, %+v", text, valid, problem)
	}
	if problem != nil {
		for _, f := range problem.Errors {
			if f.offset() < 0 || f.offset() > len(text) || !utf8.ValidString(f.Message) {
				t.Fatalf("%q: %+v", text, f)
			}
		}
		return
	}
	if trimmed := bytes.TrimSpace(text); trimmed[0] != '{' {
		w.fault(w.part, "expected object")
		w.value(w.part, nil)
	} else {
		w.value(w.part, w.member)
	}
	for i := range faults {
		faults[i].Location = Clip(faults[i].Location)
	}
	found := describe(faults)
	slices.Sort(found)
	slices.Sort(w.faults)
	if !slices.Equal(found, w.faults) {
		t.Fatalf("%q: faults\n%s\nwant\n%s", text, strings.Join(found, "\n"), strings.Join(w.faults, "\n"))
	}
	if len(faults) == 0 && got != w.req {
		t.Fatalf("%q: %+v, want %+v", text, got, w.req)
	}
}
