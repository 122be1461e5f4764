package deploy

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/tsumero/tsumero/api/httpapi"
	"github.com/tsumero/tsumero/api/jobs/queue"
	"github.com/tsumero/tsumero/api/jobs/work"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// metrics returns the labels of all metrics that the service and workers have, by their names.
func metrics(t *testing.T) map[string][]string {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	never := solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result { return solver.Result{} })
	q, err := queue.New(queue.Options{Address: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := httpapi.New(httpapi.Config{Solver: never, Registry: registry, Jobs: q}); err != nil {
		t.Fatal(err)
	}
	if _, err := work.NewWorkerMetrics(registry); err != nil {
		t.Fatal(err)
	}
	// Described rather than gathered: a metric with labels that nothing has counted yet has no
	// values to gather.
	descs := make(chan *prometheus.Desc)
	go func() {
		registry.Describe(descs)
		close(descs)
	}()
	all := map[string][]string{"up": {"job", "instance"}} // Prometheus makes that one itself
	parts := regexp.MustCompile(`fqName: "(\w+)".*constLabels: \{([^}]*)\}, variableLabels: \{([^}]*)\}`)
	word := regexp.MustCompile(`(\w+)(?:="[^"]*")?`)
	for desc := range descs {
		found := parts.FindStringSubmatch(desc.String())
		all[found[1]] = append(all[found[1]], "job", "instance", "le")
		for _, l := range word.FindAllStringSubmatch(found[2]+","+found[3], -1) {
			all[found[1]] = append(all[found[1]], l[1])
		}
	}
	return all
}

// TestMetricNames: the dashboard and the alerts name only metrics that exist, with labels that these
// have, and every metric of the service's own is in the dashboard.
func TestMetricNames(t *testing.T) {
	have := metrics(t)
	named := regexp.MustCompile(`\b((?:tsumero|go|process)_\w+)(?:\{([^}]*)\})?`)
	label := regexp.MustCompile(`(\w+)[=!]~?\\?"`)
	for _, file := range []string{"grafana/tsumero.json", "prometheus/alerts.yml", "prometheus/alerts_test.yml"} {
		names := named.FindAllStringSubmatch(read(t, file), -1)
		if len(names) == 0 {
			t.Errorf("%s names no metric", file)
		}
		for _, name := range names {
			labels, ok := have[name[1]]
			for _, part := range []string{"_bucket", "_sum", "_count"} {
				if base, found := strings.CutSuffix(name[1], part); found && !ok {
					labels, ok = have[base]
				}
			}
			if !ok {
				t.Errorf("%s: the service has no metric %s", file, name[1])
				continue
			}
			for _, l := range label.FindAllStringSubmatch(name[2], -1) {
				if !slices.Contains(labels, l[1]) {
					t.Errorf("%s: %s has no label %s", file, name[1], l[1])
				}
			}
		}
	}
	dashboard := read(t, "grafana/tsumero.json")
	for name := range have {
		if strings.HasPrefix(name, "tsumero_") && !strings.Contains(dashboard, name) {
			t.Errorf("%s is in no panel of the dashboard", name)
		}
	}
}
