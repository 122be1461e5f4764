package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// encoding/json leaves out keys that it does not know, takes a key for a field also if its case differs, and of two equal
// ones the last. None of that is a thing to guess about.

// knownKeys are the keys of a question: of the object itself, and of the limits in it.
var knownKeys = [2][]string{{"id", "sfen", "attacker", "limits"}, {"plies", "nodes", "time_ms", "shortest"}}

// plainKeys reports whether every key of the question in text, which is JSON, is one of those known, as it stands there,
// and none is there twice. If not, it may still be a question: with escapes in its keys, say.
func plainKeys(text []byte) bool {
	depth := -1
	var seen [2]uint
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{':
			depth++
		case '}':
			depth--
		case '"':
			begin := i + 1
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if rest := bytes.TrimLeft(text[i+1:], " \t\r\n"); len(rest) == 0 || rest[0] != ':' {
				continue // a value
			}
			if depth >= len(knownKeys) {
				return false
			}
			known := false
			for bit, name := range knownKeys[depth] {
				if string(text[begin:i]) == name && seen[depth]&(1<<bit) == 0 {
					seen[depth] |= 1 << bit
					known = true
				}
			}
			if !known {
				return false
			}
		}
	}
	return true
}

// repeatedKeys returns a fault for every key in text, which is JSON, that its object has had already.
func repeatedKeys(location string, text []byte) (faults []fault) {
	type level struct {
		keys  map[string]bool // nil for an array
		atKey bool            // a key comes next
	}
	var levels []level
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		before := int(d.InputOffset())
		token, err := d.Token()
		if err != nil {
			return faults // the end
		}
		if token == json.Delim('}') || token == json.Delim(']') {
			levels = levels[:len(levels)-1]
			continue
		}
		if n := len(levels); n > 0 && levels[n-1].keys != nil {
			in := &levels[n-1]
			in.atKey = !in.atKey
			if !in.atKey {
				key := token.(string)
				if in.keys[key] {
					begin := before + bytes.IndexByte(text[before:], '"')
					faults = append(faults, fault{Location: location, Offset: &begin, Message: fmt.Sprintf("found the key %q a second time", clip(key))})
				}
				in.keys[key] = true
				continue
			}
		}
		switch token {
		case json.Delim('{'):
			levels = append(levels, level{keys: map[string]bool{}, atKey: true})
		case json.Delim('['):
			levels = append(levels, level{})
		}
	}
}
