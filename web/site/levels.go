package site

import "slices"

// A level is a choice of the menu of levels.
type level struct {
	Name, Label string
	Selected    bool
}

// levelNames are what the pages call the levels in Japanese and English. Others are called by their
// names.
var levelNames = map[string][2]string{
	"random":   {"でたらめ", "random moves"},
	"asayomi":  {"浅読み（3手）", "asayomi: 3 plies"},
	"naginagi": {"なぎなぎ", "naginagi"},
	"club":     {"クラブ", "club"},
	"full":     {"本気", "full strength"},
}

// usualLevel is who plays if the reader does not choose.
const usualLevel = "club"

// levels returns the choices: usualLevel is selected, or the last where it is not offered.
func (v *view) levels(names []string) []level {
	all := make([]level, len(names))
	for i, name := range names {
		all[i] = level{Name: name, Label: name}
		if label, ok := levelNames[name]; ok {
			all[i].Label = v.T(label[0], label[1])
		}
	}
	if i := slices.Index(names, usualLevel); i >= 0 {
		all[i].Selected = true
	} else if len(all) > 0 {
		all[len(all)-1].Selected = true
	}
	return all
}
