package deploy

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestAlerts lets Prometheus' own tool read the configuration and run the alerts' unit tests.
func TestAlerts(t *testing.T) {
	t.Parallel()
	run(t, "prometheus", "promtool", "check", "config", "--lint=all", "--lint-fatal", "prometheus/prometheus.yml")
	// Prometheus of compose.postgres.yaml finds the rules beside its configuration as well.
	run(t, "prometheus", "promtool", "check", "config", "--lint=all", "--lint-fatal", "prometheus/workers.yml")
	if testing.Short() {
		t.Skip("hours of minutes, for each of which all alerts are evaluated")
	}
	if out := run(t, "prometheus", "promtool", "test", "rules", "prometheus/alerts_test.yml"); !strings.Contains(out, "SUCCESS") {
		t.Errorf("no test ran: %s", out)
	}
}

// TestAlertsComplete: an alert that nobody has seen fire, or that nobody knows what to do about, is
// no alert.
func TestAlertsComplete(t *testing.T) {
	rules, tests, runbook := read(t, "prometheus/alerts.yml"), read(t, "prometheus/alerts_test.yml"), read(t, "RUNBOOK.md")
	alerts := regexp.MustCompile(`(?m)^ +- alert: (\w+)$`).FindAllStringSubmatch(rules, -1)
	if len(alerts) == 0 {
		t.Fatal("no alert found")
	}
	for _, alert := range alerts {
		name := alert[1]
		if !regexp.MustCompile(`alertname: ` + name + `\n +eval_time: \S+\n +exp_alerts:\n +- exp_labels:`).MatchString(tests) {
			t.Errorf("no test in which %s fires", name)
		}
		if !strings.Contains(rules, "runbook: deploy/RUNBOOK.md#"+strings.ToLower(name)+"\n") {
			t.Errorf("%s does not link to its section", name)
		}
		if !regexp.MustCompile(`(?m)^#+ ` + name + `$`).MatchString(runbook) {
			t.Errorf("RUNBOOK.md does not say what to do about %s", name)
		}
	}
}

// TestShort: whoever is called at night reads all of the runbook, and whoever begins all of a page.
func TestShort(t *testing.T) {
	t.Parallel()
	words := func(names ...string) (n int) {
		for _, name := range names {
			n += len(strings.Fields(read(t, name)))
		}
		return n
	}
	if n := words("README.md", "OPERATING.md", "RELEASE.md"); n > 2500 {
		t.Errorf("the pages have %d words, want 2,500 at most", n)
	}
	if n := words("RUNBOOK.md"); n > 1500 {
		t.Errorf("the runbook has %d words, want 1,500 at most", n)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
