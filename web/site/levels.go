package site

import "slices"

// A Level is who plays: its name in the API, and what the pages call it in Japanese and English.
type Level struct{ Name, Ja, En string }

// A levelChoice is a line of the menu of levels.
type levelChoice struct {
	Name, Label string
	Selected    bool
}

// usualLevel is who plays if the reader does not choose.
const usualLevel = "beginner"

// levels returns the choices: usualLevel is selected, or the last where it is not offered.
func (v *layout) levels(all []Level) []levelChoice {
	choices := make([]levelChoice, len(all))
	for i, l := range all {
		choices[i] = levelChoice{Name: l.Name, Label: v.T(l.Ja, l.En)}
	}
	if i := slices.IndexFunc(all, func(l Level) bool { return l.Name == usualLevel }); i >= 0 {
		choices[i].Selected = true
	} else if len(all) > 0 {
		choices[len(all)-1].Selected = true
	}
	return choices
}
