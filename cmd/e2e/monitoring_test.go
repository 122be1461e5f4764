package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMonitoring lets a real Prometheus with the configuration in deploy scrape a real service, and
// asks it what the dashboard asks: every panel must have data, every alert must evaluate, and none
// may fire.
func TestMonitoring(t *testing.T) {
	long(t)
	binary, err := exec.LookPath("prometheus")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("%v; it is in Debian's package prometheus", err)
	}
	s := startService(t, "--rate", "0", "--jobs", filepath.Join(t.TempDir(), "jobs"))
	prometheus := startPrometheus(t, binary, strings.TrimPrefix(s.admin, "http://"))

	ask := func(expr string) (samples int) {
		t.Helper()
		r := s.send(t, "GET", prometheus+"/api/v1/query?query="+url.QueryEscape(expr), "")
		result := decode[struct {
			Status, Error string
			Data          struct{ Result []json.RawMessage }
		}](t, r.body)
		if result.Status != "success" {
			t.Fatalf("%s\n%s", result.Error, expr)
		}
		return len(result.Data.Result)
	}

	// Rates need two scrapes that differ, so there is traffic until every panel shows something.
	missing := dashboardQueries(t)
	if len(missing) < 10 {
		t.Fatalf("found only %d queries in the dashboard", len(missing))
	}
	positions := []string{mateIn1, mateIn3, neverMate, twoPawns}
	n := 0
	show := func() bool {
		for range 4 {
			sfen := positions[n%len(positions)]
			n++
			s.send(t, "GET", link(sfen), "")
			s.send(t, "POST", "/v1/solve", `{"sfen":"`+sfen+`","limits":{"plies":1}}`, "Content-Type", jsonType)
			s.send(t, "POST", "/v1/solve/batch", question(sfen)+"\n", "Content-Type", ndjsonType)
			s.send(t, "POST", "/v1/moves", `{"sfen":"`+sfen+`","limits":{"plies":1}}`, "Content-Type", jsonType)
			s.send(t, "POST", "/v1/analyze", `{"sfen":"`+sfen+`","limits":{"nodes":1000}}`, "Content-Type", jsonType)
			s.send(t, "POST", "/v1/jobs", `{"sfen":"`+sfen+`","limits":{"nodes":1000}}`, "Content-Type", jsonType)
			s.send(t, "GET", fmt.Sprint("/v1/play?sfen=startpos&level=random&seed=", n), "")
		}
		for panel, expr := range missing {
			if ask(expr) > 0 {
				delete(missing, panel)
			}
		}
		return len(missing) == 0
	}
	t.Cleanup(func() {
		for panel, expr := range missing {
			t.Errorf("no data in %s: %s", panel, expr)
		}
	})
	waitFor(t, "data in every panel", show)

	rules := decode[struct {
		Data struct {
			Groups []struct {
				Rules []struct{ Name, Health, LastError, State string }
			}
		}
	}](t, s.send(t, "GET", prometheus+"/api/v1/rules", "").body)
	count := 0
	for _, group := range rules.Data.Groups {
		for _, rule := range group.Rules {
			count++
			if rule.Health != "ok" || rule.State == "firing" {
				t.Errorf("alert %s: health %s, state %s, %s", rule.Name, rule.Health, rule.State, rule.LastError)
			}
		}
	}
	if count == 0 {
		t.Error("Prometheus has no rules")
	}
}

// startPrometheus starts Prometheus with the configuration in deploy, which is changed in the
// target and in the times. It returns its base address.
func startPrometheus(t *testing.T, binary, target string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"prometheus.yml", "alerts.yml"} {
		data, err := os.ReadFile(filepath.Join("../../deploy/prometheus", name))
		if err != nil {
			t.Fatal(err)
		}
		config := strings.NewReplacer(
			"tsumero:9090", target,
			"scrape_interval: 15s", "scrape_interval: 250ms\n  scrape_timeout: 250ms",
			"evaluation_interval: 15s", "evaluation_interval: 250ms",
		).Replace(string(data))
		if name == "prometheus.yml" && !strings.Contains(config, target) {
			t.Fatal("the configuration does not scrape tsumero:9090")
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), binary,
		"--config.file="+filepath.Join(dir, "prometheus.yml"),
		"--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address=127.0.0.1:0")
	log := &logBuffer{}
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("Prometheus said:\n%s", log)
		}
	})
	listening := regexp.MustCompile(`msg="Listening on" address=(\S+)`)
	var addr string
	waitFor(t, "Prometheus", func() bool {
		found := listening.FindStringSubmatch(log.whole())
		if found == nil {
			return false
		}
		addr = found[1]
		resp, err := http.Get("http://" + addr + "/-/ready")
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return "http://" + addr
}

// dashboardQueries returns the queries of the dashboard by the panel and the place in it, with the
// variables that Grafana fills in.
func dashboardQueries(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile("../../deploy/grafana/tsumero.json")
	if err != nil {
		t.Fatal(err)
	}
	dashboard := decode[struct {
		Panels []struct {
			Title   string
			Targets []struct{ RefID, Expr string }
		}
	}](t, string(data))
	variables := strings.NewReplacer("$__rate_interval", "5s", "$__range", "1m", "$instance", ".*")
	queries := map[string]string{}
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			expr := variables.Replace(target.Expr)
			if left := regexp.MustCompile(`\$\w+`).FindString(expr); left != "" {
				t.Fatalf("panel %s: nobody fills in %s", panel.Title, left)
			}
			queries[panel.Title+", query "+target.RefID] = expr
		}
	}
	return queries
}
