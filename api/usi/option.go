package usi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An Option is a setting of an Engine that the user of a GUI can change.
type Option struct {
	Name     string // without blanks
	Type     OptionType
	Default  string   // not for a Button; in the form that Set takes
	Min, Max int      // of a Spin; neither beyond 1<<31-1, which is all that some GUIs read
	Vars     []string // of a Combo: the values, without blanks
	// Set takes a new value, or carries out a Button. It is not called during a search. The value
	// is valid: a number within Min and Max in decimal, "true" or "false", one of Vars, or any
	// string.
	Set func(value string)
}

// An OptionType is the type of an option as USI names it.
type OptionType string

// The types of options.
const (
	Spin     OptionType = "spin"  // a whole number
	Check    OptionType = "check" // true or false
	Combo    OptionType = "combo" // one of a few values
	Button   OptionType = "button"
	String   OptionType = "string"
	Filename OptionType = "filename"
)

// SpinVar returns a Spin that sets a variable, whose value is the default.
func SpinVar(v *int, name string, low, high int) Option {
	return Option{Name: name, Type: Spin, Default: strconv.Itoa(*v), Min: low, Max: high,
		Set: func(value string) { *v, _ = strconv.Atoi(value) }}
}

// CheckVar returns a Check that sets a variable, whose value is the default.
func CheckVar(v *bool, name string) Option {
	return Option{Name: name, Type: Check, Default: strconv.FormatBool(*v),
		Set: func(value string) { *v = value == "true" }}
}

// ComboVar returns a Combo that sets a variable, whose value is the default and one of vars.
func ComboVar(v *string, name string, vars ...string) Option {
	return Option{Name: name, Type: Combo, Default: *v, Vars: vars,
		Set: func(value string) { *v = value }}
}

// StringVar returns a String that sets a variable, whose value is the default.
func StringVar(v *string, name string) Option {
	return Option{Name: name, Type: String, Default: *v, Set: func(value string) { *v = value }}
}

// empty stands for the empty string in option lines.
const empty = "<empty>"

// declaration returns what "usi" prints after the name and "type". GUIs expect just this order.
func (o *Option) declaration() string {
	value := o.Default
	if value == "" {
		value = empty
	}
	switch o.Type {
	case Button:
		return string(o.Type)
	case Spin:
		return fmt.Sprintf("%s default %s min %d max %d", o.Type, value, o.Min, o.Max)
	case Combo:
		return fmt.Sprintf("%s default %s var %s", o.Type, value, strings.Join(o.Vars, " var "))
	}
	return fmt.Sprintf("%s default %s", o.Type, value)
}

// A setting is an option with its value.
type setting struct {
	Option
	value string
}

// newSettings returns the options with their defaults.
func newSettings(options []Option) []*setting {
	settings := make([]*setting, len(options))
	for i, o := range options {
		settings[i] = &setting{o, o.Default}
	}
	return settings
}

// setOption carries out "setoption name N [value V]", given the words after setoption. Names
// compare without case.
func (l *loop) setOption(words []string) {
	if len(words) > 0 && words[0] == "name" {
		words = words[1:]
	}
	name, value := strings.Join(words, " "), ""
	if i := slices.Index(words, "value"); i >= 0 {
		name, value = strings.Join(words[:i], " "), strings.Join(words[i+1:], " ")
	}
	if value == empty {
		value = ""
	}
	i := slices.IndexFunc(l.options, func(s *setting) bool { return strings.EqualFold(s.Name, name) })
	if i < 0 {
		l.infof("no option %s", quote(name))
		return
	}
	s := l.options[i]
	taken, warning := s.check(value)
	if warning != "" {
		l.infof("%s: found %s, expected %s", s.Name, quote(value), warning)
	}
	if taken != s.value || s.Type == Button {
		s.value = taken
		l.whenIdle(func() { s.Set(taken) })
	}
}

// check returns the value that the option takes when the user gives value. If they differ, the
// warning says what was expected, and what is done instead.
func (s *setting) check(value string) (taken, warning string) {
	switch s.Type {
	case Button:
		return "", ""
	case Spin:
		expected := fmt.Sprintf("a number from %d to %d", s.Min, s.Max)
		if s.Min == s.Max {
			expected = strconv.Itoa(s.Min)
		}
		n, ok := parseNumber(value)
		if !ok {
			return s.value, expected + "; ignored"
		}
		clamped := min(max(n, int64(s.Min)), int64(s.Max))
		if n != clamped {
			warning = fmt.Sprintf("%s; taken as %d", expected, clamped)
		}
		return strconv.FormatInt(clamped, 10), warning
	case Check:
		return s.oneOf(value, []string{"true", "false"}, "true or false")
	case Combo:
		return s.oneOf(value, s.Vars, "one of "+strings.Join(s.Vars, ", "))
	}
	return value, ""
}

// oneOf returns which of the values the user means, without case.
func (s *setting) oneOf(value string, values []string, expected string) (taken, warning string) {
	for _, v := range values {
		if strings.EqualFold(v, value) {
			return v, ""
		}
	}
	return s.value, fmt.Sprintf("%s; it stays %s", expected, s.value)
}
