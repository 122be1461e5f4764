package usi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// options are the settings that change what the engine does. A search keeps those it was started with, so that a
// setoption during a search counts from the next one.
type options struct {
	ponder            bool // USI_Ponder
	bestmoveAfterStop bool // BestmoveAfterStop
}

// An option is one that the engine declares.
type option struct {
	name    string // without blanks
	declare string // what follows "type": type, default, then the rest in the order the GUIs expect
	// set takes a value and returns what to tell the user about it, "" if it was taken as it is.
	// A button has a push instead.
	set  func(o *options, value string) string
	push func(e *engine)
}

// allOptions are declared in this order. GUIs invent USI_Hash and USI_Ponder, with defaults of their own, for an
// engine that does not declare them. Spin limits stay within 31 bits, which is all that some GUIs read.
var allOptions = []option{
	{name: "USI_Hash", declare: "spin default 256 min 1 max 65536", set: unused(1, 65536)},
	{name: "USI_Ponder", declare: "check default false", set: check(func(o *options) *bool { return &o.ponder })},
	{name: "Threads", declare: "spin default 1 min 1 max 1", set: unused(1, 1)},
	{name: "BestmoveAfterStop", declare: "check default false", set: check(func(o *options) *bool { return &o.bestmoveAfterStop })},
	{name: "Clear", declare: "button", push: func(e *engine) { e.known = known{} }},
}

// setOption carries out "setoption name N [value V]", given the words after setoption.
func (e *engine) setOption(words []string) {
	if len(words) > 0 && words[0] == "name" {
		words = words[1:]
	}
	name, value := strings.Join(words, " "), ""
	if i := slices.Index(words, "value"); i >= 0 {
		name, value = strings.Join(words[:i], " "), strings.Join(words[i+1:], " ")
	}
	if value == "<empty>" {
		value = ""
	}
	i := slices.IndexFunc(allOptions, func(o option) bool { return strings.EqualFold(o.name, name) })
	if i < 0 {
		e.infof("no option %s", clip(name))
		return
	}
	o := allOptions[i]
	if o.push != nil {
		o.push(e)
		return
	}
	if told := o.set(&e.options, value); told != "" {
		e.infof("%s: %s", o.name, told)
	}
}

// check sets a truth value.
func check(field func(*options) *bool) func(*options, string) string {
	return func(o *options, value string) string {
		switch strings.ToLower(value) {
		case "true":
			*field(o) = true
		case "false":
			*field(o) = false
		default:
			return fmt.Sprintf("found %s, expected true or false; it stays %v", clip(value), *field(o))
		}
		return ""
	}
}

// unused takes a number that GUIs expect to be able to set and that changes nothing: faults in it are told all the same.
func unused(low, high int) func(*options, string) string {
	expected := fmt.Sprintf("a number from %d to %d", low, high)
	if low == high {
		expected = strconv.Itoa(low)
	}
	return func(_ *options, value string) string {
		n, err := strconv.Atoi(value)
		switch {
		case err != nil:
			return fmt.Sprintf("found %s, expected %s; ignored", clip(value), expected)
		case n < low || n > high:
			return fmt.Sprintf("found %d, expected %s; taken as %d", n, expected, min(max(n, low), high))
		}
		return ""
	}
}
