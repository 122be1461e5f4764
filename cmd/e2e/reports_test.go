package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReportsAgree asks whether problems are sound by every way there is, without limits, of which each
// then has the same: what is sound for one is sound for all. What compose has called sound is.
func TestReportsAgree(t *testing.T) {
	long(t)
	rows := []struct{ sfen, sound string }{
		{"7+R1/9/7B1/9/8k/6G2/9/9/9 b rb3g4s4n4l18p 1", "yes"}, // two checks of which need 100,000 positions
		{"7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1", "yes"},
		{"4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1", "yes"},
		{"4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1", "no"},
	}
	for _, search := range [][]string{
		{"reverse", "--plies", "5", "--count", "1", "-j", "1"},
		{"hands", "7nl/7k1/9/7P1/9/9/9/9/9 b GS 1", "--hand", "2"},
	} {
		made := run(t, "", "tsumero", append([]string{"compose"}, search...)...)
		for row := range strings.Lines(made.stdout) {
			if sfen, _, _ := strings.Cut(row, "\t"); !strings.HasPrefix(row, "#") && strings.Contains(sfen, " b ") {
				rows = append(rows, struct{ sfen, sound string }{sfen, "yes"})
			}
		}
		if made.code != 0 {
			t.Errorf("compose %q: %+v", search, made)
		}
	}
	if len(rows) < 6 {
		t.Errorf("compose made %d problems", len(rows)-4)
	}
	var file strings.Builder
	for _, r := range rows {
		fmt.Fprintln(&file, r.sfen)
	}
	path := filepath.Join(t.TempDir(), "rows.sfen")
	if err := os.WriteFile(path, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startService(t, "--jobs", filepath.Join(t.TempDir(), "jobs"), "--rate", "0", "--memory", "128MiB")
	var asked strings.Builder
	for _, r := range rows {
		question := fmt.Sprintf(`{"sfen":%q,"limits":{"time_ms":60000}}`, r.sfen)
		asked.WriteString(s.send(t, "POST", "/v1/analyze", question, "Content-Type", jsonType).body)
	}
	for door, answers := range map[string]string{
		"analyze":    run(t, "", "tsumero", "analyze", "-o", "ndjson", path).stdout,
		"collection": run(t, "", "tsumero", "collection", "--search", "report", "-o", "json", path).stdout,
		"service":    asked.String(),
		"job":        s.ask(t, t.TempDir(), "", "submit", "--analyze", "--time", "1m", "--wait", "-o", "json", "--file", path).stdout,
	} {
		lines := strings.Split(strings.TrimSpace(answers), "\n")
		if len(lines) != len(rows) {
			t.Errorf("%s: %d answers to %d problems", door, len(lines), len(rows))
			continue
		}
		for i, r := range rows {
			if !strings.Contains(lines[i], `"sound":"`+r.sound+`"`) {
				t.Errorf("%s: %s is not said to be sound: %s\n%s", door, r.sfen, r.sound, lines[i])
			}
		}
	}
	sheet := run(t, "", "tsumero", "collection", "--search", "report", "-o", "html", "--lang", "en", path).stdout
	if strings.Contains(sheet, "not decided") || strings.Count(sheet, "<svg") < len(rows) {
		t.Errorf("the sheet has another opinion: %s", sheet)
	}
}
