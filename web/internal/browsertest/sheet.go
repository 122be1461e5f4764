package browsertest

import (
	"html/template"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// writeSheet writes index.html into the folder of pictures: a contact sheet with a row for each state
// and a column for each screen. A picture is called STATE-SCREEN.png.
func writeSheet(folder string) error {
	paths, err := filepath.Glob(filepath.Join(folder, "*.png"))
	if err != nil {
		return err
	}
	type row struct {
		State string
		Files []string // by screen, "" for none
	}
	screens, files := map[string]bool{}, map[string]map[string]string{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".png")
		cut := strings.LastIndexByte(name, '-')
		if cut < 0 {
			continue
		}
		state, screen := name[:cut], name[cut+1:]
		if files[state] == nil {
			files[state] = map[string]string{}
		}
		screens[screen], files[state][screen] = true, filepath.Base(path)
	}
	columns := slices.Sorted(maps.Keys(screens))
	var rows []row
	for _, state := range slices.Sorted(maps.Keys(files)) {
		r := row{State: state}
		for _, screen := range columns {
			r.Files = append(r.Files, files[state][screen])
		}
		rows = append(rows, r)
	}
	out, err := os.Create(filepath.Join(folder, "index.html"))
	if err != nil {
		return err
	}
	err = sheet.Execute(out, map[string]any{"Screens": columns, "Rows": rows})
	if closed := out.Close(); err == nil {
		err = closed
	}
	return err
}

var sheet = template.Must(template.New("").Parse(`<!doctype html>
<meta charset="utf-8">
<title>What is seen of each state, on each screen</title>
<style>
body { font: 14px/1.4 sans-serif } th { text-align: left; vertical-align: top; padding: 4px }
thead th { position: sticky; top: 0; background: #fff } td { vertical-align: top; padding: 4px }
img { height: 320px; width: 320px; object-fit: cover; object-position: top left; border: 1px solid #999 }
</style>
<table><thead><tr><th>state{{range .Screens}}<th>{{.}}{{end}}</thead>
{{range .Rows}}<tr><th>{{.State}}{{range .Files}}<td>{{with .}}<a href="{{.}}"><img src="{{.}}" alt="" loading="lazy"></a>{{end}}{{end}}
{{end}}</table>
`))
