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
	hash              int  // USI_Hash, in MiB
	threads           int  // Threads
	ponder            bool // USI_Ponder
	shortest          bool // Shortest
	bestmoveAfterStop bool // BestmoveAfterStop
}

// defaults are the options before any setoption. Shortest is what a solution of a problem is, and what the user of a GUI
// expects to see; a mate found is not lost to the time that the proof takes.
var defaults = options{hash: 512, threads: 1, shortest: true}

// maxHash is the largest USI_Hash on any machine, in MiB.
const maxHash = 64 << 10

// hashLimit returns the largest USI_Hash with room for so many bytes of table; 0 is room for any.
func hashLimit(bytes int64) int {
	if bytes == 0 {
		return maxHash
	}
	return int(min(max(bytes>>20, 1), maxHash))
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

// options returns the options in the order in which they are declared. GUIs invent USI_Hash and USI_Ponder, with defaults
// of their own, for an engine that does not declare them. Spin limits stay within 31 bits, which is all that some GUIs read.
func (cfg *Config) options() []option {
	hash, threads := hashLimit(cfg.MaxTableBytes), max(cfg.MaxThreads, 1)
	return []option{
		{name: "USI_Hash", declare: fmt.Sprintf("spin default %d min 1 max %d", min(defaults.hash, hash), hash), set: spin(1, hash, func(o *options) *int { return &o.hash })},
		{name: "USI_Ponder", declare: "check default false", set: check(func(o *options) *bool { return &o.ponder })},
		{name: "Threads", declare: fmt.Sprintf("spin default %d min 1 max %d", defaults.threads, threads), set: spin(1, threads, func(o *options) *int { return &o.threads })},
		{name: "Shortest", declare: fmt.Sprintf("check default %v", defaults.shortest), set: check(func(o *options) *bool { return &o.shortest })},
		{name: "BestmoveAfterStop", declare: "check default false", set: check(func(o *options) *bool { return &o.bestmoveAfterStop })},
		{name: "Clear", declare: "button", push: func(e *engine) { e.known = known{} }},
	}
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
	i := slices.IndexFunc(e.declared, func(o option) bool { return strings.EqualFold(o.name, name) })
	if i < 0 {
		e.infof("no option %s", clip(name))
		return
	}
	o := e.declared[i]
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

// spin sets a number. One out of range is taken as the nearest within.
func spin(low, high int, field func(*options) *int) func(*options, string) string {
	expected := fmt.Sprintf("a number from %d to %d", low, high)
	if low == high {
		expected = strconv.Itoa(low)
	}
	return func(o *options, value string) string {
		n, ok := parseNumber(value)
		if !ok {
			return fmt.Sprintf("found %s, expected %s; ignored", clip(value), expected)
		}
		taken := int(min(max(n, int64(low)), int64(high)))
		*field(o) = taken
		if n != int64(taken) {
			return fmt.Sprintf("found %s, expected %s; taken as %d", clip(value), expected, taken)
		}
		return ""
	}
}
