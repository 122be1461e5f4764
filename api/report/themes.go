package report

import (
	"fmt"
	"strings"

	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/theme"
)

// themesHead stands before a list of themes.
var themesHead = Text{"手筋・趣向", "themes"}

// shownPlies is how many plies a text names that show a theme.
const shownPlies = 4

// Theme names a theme, with the plies that show it unless it is of a figure, and what a picture shows:
// 不成（3手目）, 詰上り曲詰「十」.
func Theme(f *theme.Found) Text {
	t := Text{f.Ja, f.En}
	if f.Shape != nil {
		t = Text{t.Ja + "「" + f.Shape.Ja + "」", t.En + ": " + f.Shape.En}
	}
	if f.Of != theme.Play || len(f.Plies) == 0 {
		return t
	}
	numbers := strings.Trim(fmt.Sprint(f.Plies[:min(len(f.Plies), shownPlies)]), "[]")
	ja, en := strings.ReplaceAll(numbers, " ", "、")+"手目", strings.ReplaceAll(numbers, " ", ", ")
	if left := len(f.Plies) - shownPlies; left > 0 {
		ja, en = fmt.Sprintf("%sほか%d手", ja, left), fmt.Sprintf("%s and %d more", en, left)
	}
	return Text{t.Ja + "（" + ja + "）", t.En + " (" + plyWord(len(f.Plies)) + en + ")"}
}

func plyWord(n int) string {
	if n == 1 {
		return "ply "
	}
	return "plies "
}

// ThemesText names themes in one sentence. It is empty if there are none.
func ThemesText(found []theme.Found) Text {
	if len(found) == 0 {
		return Text{}
	}
	var all []Text
	for i := range found {
		all = append(all, Theme(&found[i]))
	}
	return colon(themesHead, join(all, "、", "; "))
}

// classNames are those of problems by length.
var classNames = map[analysis.Class]Text{
	analysis.Short:  {"短編", "short"},
	analysis.Medium: {"中編", "medium"},
	analysis.Long:   {"長編", "long"},
}

// featureNames say what the features of a difficulty count.
var featureNames = map[string]Text{
	"plies":      {"手数", "plies"},
	"checks":     {"王手の数（最大）", "checks to choose from, at most"},
	"near_tries": {"応手が一つの紛れ", "tries with a single escape"},
	"deep_tries": {"深い紛れ", "deep tries"},
	"defences":   {"応手の数（最大）", "replies to look at, at most"},
	"tree":       {"詰みの証明の局面数", "positions of the proof"},
	"quiet":      {"取りも成りもしない手", "quiet checks"},
	"sacrifices": {"取られ得る手", "checks that can be taken"},
}

// Class names the class of a difficulty.
func Class(c analysis.Class) Text { return classNames[c] }

// Feature says what a feature counts, and its value.
func Feature(f analysis.Feature) Text {
	name := lookUp(featureNames, f.Name)
	return Text{fmt.Sprintf("%s%d", name.Ja, f.Value), fmt.Sprintf("%s: %d", name.En, f.Value)}
}

// A NamedTheme is a theme as people read of it.
type NamedTheme struct {
	ID               string
	Name, Definition Text
}

// A ThemeGroup are the themes of one aspect of a problem.
type ThemeGroup struct {
	Name   Text
	Themes []NamedTheme
}

// ThemeGroups returns all themes by what they are of, in the order of package theme.
func ThemeGroups() []ThemeGroup {
	groups := []ThemeGroup{
		theme.Diagram: {Name: Text{"初形", "Diagram"}},
		theme.Mate:    {Name: Text{"詰上り", "Final figure"}},
		theme.Play:    {Name: Text{"手順", "Play"}},
	}
	for _, one := range theme.All {
		g := &groups[one.Of]
		g.Themes = append(g.Themes, NamedTheme{one.ID, Text{one.Ja, one.En},
			Text{one.DefinitionJa, one.Definition}})
	}
	return groups
}
