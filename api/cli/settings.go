package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// envPrefix starts the name of every environment variable that is a setting.
const envPrefix = "TSUMERO_"

// auto is the value of a setting that is derived from others or from the machine.
const auto = "auto"

// Settings are values that come from a flag, else from an environment variable, else from a
// default. Nothing is refused before Resolve, which names every fault of every value at once.
type Settings struct {
	Language Language // of their usages
	flags    *pflag.FlagSet
	all      []*setting
	sources  []*source
	list     *source // the list whose keys are being declared
	subject  string
}

// NewSettings returns settings that are added to flags as they are declared, with usages in l.
func NewSettings(l Language, flags *pflag.FlagSet) *Settings {
	return &Settings{Language: l, flags: flags}
}

// A setting is one value.
type setting struct {
	name  string // of the flag, without the dashes, or of the list and the key: "long wait"
	usage string
	value string
	from  string // the flag or the variable it was given by, empty for the default
	parse func(string) error
}

// A source is a flag and its environment variable. As a pflag.Value, it takes whatever it is given.
// What it is given is assigned to its settings by Resolve.
type source struct {
	name   string // of the flag, without the dashes
	kind   string // of the value, for the help text
	isList bool
	keys   []*setting // a single one unless isList
	given  []string   // by the flag
}

func (s *source) String() string {
	switch {
	case len(s.given) > 0:
		return s.given[len(s.given)-1]
	case s.isList:
		return ""
	}
	return s.keys[0].value
}

func (s *source) Type() string { return s.kind }

func (s *source) Set(value string) error {
	s.given = append(s.given, value)
	return nil
}

// env returns the name of the variable that stands for the flag.
func (s *source) env() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(s.name, "-", "_"))
}

// add declares a setting. parse stores the value and says what is wrong with it.
func (s *Settings) add(name, kind, fallback, usage string, parse func(string) error) {
	one := &setting{name: name, usage: usage, value: fallback, parse: parse}
	s.all = append(s.all, one)
	if s.list != nil {
		one.name = s.list.name + " " + name
		s.list.keys = append(s.list.keys, one)
		return
	}
	s.addSource(&source{name: name, kind: kind, keys: []*setting{one}}, usage)
}

func (s *Settings) addSource(one *source, usage string) {
	s.sources = append(s.sources, one)
	f := s.flags.VarPF(one, one.name, "", usage+" [$"+one.env()+"]")
	f.Annotations = map[string][]string{subjectAnnotation: {s.subject}}
}

// List declares a flag that holds several settings, as in "slots=2,wait=20s". declare declares
// them; their names are then those of the flag and the key, as in "long wait". A first value
// without a key is that of the first key: "2,wait=20s" is the same.
func (s *Settings) List(name, usage string, declare func()) {
	one := &source{name: name, kind: "KEY=VALUE,...", isList: true}
	s.list = one
	declare()
	s.list = nil
	s.addSource(one, usage)
	f := s.flags.Lookup(name)
	for _, key := range one.keys {
		f.Usage += fmt.Sprintf("\n%*s%-*s%s", keyIndent, "", keyColumn-keyIndent, one.key(key), key.usage)
		if key.value != "" && key.value != auto { // the usage says what that is
			f.Usage += s.Language.Sprintf(" (default %s)", "（既定 %s）", key.value)
		}
	}
}

// key returns the name of a setting within its list.
func (s *source) key(one *setting) string { return strings.TrimPrefix(one.name, s.name+" ") }

// assign gives the settings of s the values in text, which is from a flag or a variable.
func (s *source) assign(text, from string) error {
	if !s.isList {
		s.keys[0].value, s.keys[0].from = text, from
		return nil
	}
	if text == "" {
		return nil
	}
	var faults []error
	var seen []string
	for i, part := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		if !ok && i == 0 {
			name, value = s.key(s.keys[0]), part
		}
		at := slices.IndexFunc(s.keys, func(one *setting) bool { return s.key(one) == name })
		switch {
		case !ok && i > 0:
			faults = append(faults, Errorf("%s has %q, which is no KEY=VALUE; its keys are %s",
				"%s の「%s」は KEY=VALUE の形ではありません（KEY は %s）。", from, part, s.keyNames()))
		case at < 0:
			faults = append(faults, Errorf("%s has no key %q; its keys are %s", "%s に「%s」はありません（KEY は %s）。",
				from, name, s.keyNames()))
		case slices.Contains(seen, name):
			faults = append(faults, Errorf("%s has %s twice", "%s に %s が2回書かれています。", from, name))
		default:
			s.keys[at].value, s.keys[at].from = value, from+" "+name
		}
		seen = append(seen, name)
	}
	return errors.Join(faults...)
}

func (s *source) keyNames() string {
	var names []string
	for _, one := range s.keys {
		names = append(names, s.key(one))
	}
	return strings.Join(names, ", ")
}

// Resolve takes the environment into account and parses every value. An empty variable counts as
// not set.
func (s *Settings) Resolve() error {
	var faults []error
	for _, one := range s.sources {
		if v := os.Getenv(one.env()); v != "" {
			faults = append(faults, one.assign(v, one.env()))
		}
	}
	for _, one := range s.sources {
		for _, v := range one.given {
			faults = append(faults, one.assign(v, "--"+one.name))
		}
	}
	for _, one := range s.all {
		if err := one.parse(one.value); err != nil {
			from := cmp.Or(one.from, "--"+one.name)
			faults = append(faults, Errorf("%s is %q, but must be %s", "%s の「%s」は誤りです（%s）。", from, one.value, err))
		}
	}
	return errors.Join(faults...)
}

// IsGiven reports whether a setting, or any of a list, has another value than its default by flag
// or variable.
func (s *Settings) IsGiven(name string) bool {
	return slices.ContainsFunc(s.all, func(one *setting) bool {
		return one.from != "" && (one.name == name || strings.HasPrefix(one.name, name+" "))
	})
}

// Automatic gives the setting that was declared last the default "auto": its variable is then left
// as it is, and IsGiven reports false.
func (s *Settings) Automatic() {
	one := s.all[len(s.all)-1]
	parse := one.parse
	one.value = auto
	if s.list == nil {
		s.flags.Lookup(one.name).DefValue = auto
	}
	one.parse = func(v string) error {
		if v == auto {
			one.from = ""
			return nil
		}
		if err := parse(v); err != nil {
			return Errorf("%s, or %q", "%s、または %s", err, auto)
		}
		return nil
	}
}

// Unknown returns the variables that look like settings and are none: misspelt ones, mostly. It is
// no fault to have them, for Kubernetes gives every container variables that are named after the
// services around it.
func (s *Settings) Unknown(environ []string) []string {
	var found []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		isOurs := func(one *source) bool { return one.env() == name }
		if strings.HasPrefix(name, envPrefix) && !slices.ContainsFunc(s.sources, isOurs) {
			found = append(found, name)
		}
	}
	return found
}
