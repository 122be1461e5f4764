package analysis_test

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// table reads a table with a heading: its rows, by the names of the columns.
func table(t *testing.T, path string) (rows []map[string]string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var heading []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if heading == nil {
			heading = columns
			continue
		}
		row := map[string]string{}
		for i, name := range heading {
			if i < len(columns) {
				row[name] = columns[i]
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// TestPublished: what testdata/edo-published.tsv says of a work is what its report says, and no defect
// that a report proves is left out.
func TestPublished(t *testing.T) {
	t.Parallel()
	reports, titles := map[string]map[string]string{}, map[string]string{}
	for _, row := range table(t, "testdata/edo.tsv") {
		titles[row["title"]] = row["id"]
	}
	for _, row := range table(t, "testdata/edo-report.tsv") {
		if titles[row["title"]] == "" {
			t.Errorf("there is no work %s", row["title"])
		}
		reports[titles[row["title"]]] = row
	}
	said := map[string]bool{}
	for _, row := range table(t, "testdata/edo-published.tsv") {
		id := row["id"]
		if !slices.Contains([]string{"confirmed", "contradicted", "open", "new"}, row["mark"]) {
			t.Errorf("%s: %q is no mark", id, row["mark"])
		}
		said[id] = true
		for _, evidence := range strings.Fields(row["evidence"]) {
			column, text, _ := strings.Cut(evidence, "=")
			if got, ok := reports[id][column]; !ok || !slices.Contains(strings.Fields(got), text) {
				t.Errorf("%s: the report has %s %q, not %s", id, column, got, text)
			}
		}
	}
	for id, report := range reports {
		if (report["defects"] != "" || report["verdict"] == "nomate" || slices.Contains([]string{"early", "nomate"}, report["finding"])) && !said[id] {
			t.Errorf("%s: %s %s is not in the table", id, report["finding"], report["defects"])
		}
	}
}
