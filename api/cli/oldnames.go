package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// oldNameAnnotation marks a flag that is an old name.
const oldNameAnnotation = "old name"

// An oldFlag is the value of an old name of a plain flag.
type oldFlag struct {
	pflag.Value // of the flag
	flags       *pflag.FlagSet
	now, value  string // the flag, and what the old one stood for if it was a switch
}

func (o *oldFlag) Set(value string) error {
	if o.value != "" {
		value = o.value
	}
	return o.flags.Set(o.now, value)
}

// Rename makes old a hidden name of a flag, which goes on working; OldNames says which were used.
// now is the flag, "slots"; a key of a list, "long slots"; or a flag with the value that a switch
// stood for, "hands=complete". A setting keeps the variable of the old name as well.
func Rename(flags *pflag.FlagSet, old, now string) {
	now, value, isSwitch := strings.Cut(now, "=")
	name, _, _ := strings.Cut(now, " ")
	hidden := &pflag.Flag{Name: old, Hidden: true,
		Annotations: map[string][]string{oldNameAnnotation: {now}}}
	f := flags.Lookup(name)
	if of, ok := f.Value.(*source); ok {
		set := of.settings
		one := &source{settings: set, name: old, kind: of.kind, keys: []*setting{set.named(now)}}
		set.sources = slices.Insert(set.sources, 0, one)
		hidden.Value, isSwitch = one, one.keys[0].isSwitch
	} else {
		hidden.Value = &oldFlag{f.Value, flags, name, value}
	}
	if isSwitch {
		hidden.NoOptDefVal = "true"
	}
	flags.AddFlag(hidden)
}

// OldNames says of each flag and variable that was given by an old name what to write instead.
func OldNames(flags *pflag.FlagSet) (found []string) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Annotations[oldNameAnnotation] == nil {
			return
		}
		now, key, isKey := strings.Cut(f.Annotations[oldNameAnnotation][0], " ")
		instead := func(value string) string {
			if isKey {
				return key + "=" + value
			}
			return value
		}
		const text = "%s goes with the next version; write %s%s"
		if f.Changed {
			found = append(found, fmt.Sprintf(text, "--"+f.Name, "--"+now+" ", instead(f.Value.String())))
		}
		one, ok := f.Value.(*source)
		if !ok {
			return
		}
		if value := os.Getenv(one.env()); value != "" {
			variable := (&source{name: now}).env()
			found = append(found, fmt.Sprintf(text, one.env(), variable+"=", instead(value)))
		}
	})
	return found
}
