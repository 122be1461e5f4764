package deploy

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAlerts lets Prometheus' own tool read the configuration and run the alerts' unit tests.
func TestAlerts(t *testing.T) {
	t.Parallel()
	run(t, "prometheus", "promtool", "check", "config", "--lint=all", "--lint-fatal", "prometheus/prometheus.yml")
	cluster := filepath.Join(t.TempDir(), "prometheus.yml")
	write(t, cluster, read(t, "cluster/prometheus.yml"), 0o600)
	write(t, filepath.Join(filepath.Dir(cluster), "alerts.yml"), read(t, "prometheus/alerts.yml"), 0o600)
	run(t, "prometheus", "promtool", "check", "config", "--lint=all", "--lint-fatal", cluster)
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
	rules, tests, readme := read(t, "prometheus/alerts.yml"), read(t, "prometheus/alerts_test.yml"), read(t, "README.md")
	alerts := regexp.MustCompile(`(?m)^ +- alert: (\w+)$`).FindAllStringSubmatch(rules, -1)
	if len(alerts) == 0 {
		t.Fatal("no alert found")
	}
	for _, alert := range alerts {
		name := alert[1]
		if !regexp.MustCompile(`alertname: ` + name + `\n +eval_time: \S+\n +exp_alerts:\n +- exp_labels:`).MatchString(tests) {
			t.Errorf("no test in which %s fires", name)
		}
		if !strings.Contains(rules, "runbook: deploy/README.md#"+strings.ToLower(name)+"\n") {
			t.Errorf("%s does not link to its section", name)
		}
		if !regexp.MustCompile(`(?m)^#+ ` + name + `$`).MatchString(readme) {
			t.Errorf("README.md does not say what to do about %s", name)
		}
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
