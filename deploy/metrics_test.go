package deploy

import (
	"context"
	"errors"
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

// metrics returns the names of all metrics that the service has.
func metrics(t *testing.T) (all []string) {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	never := solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result { return solver.Result{} })
	q, err := queue.New(nil, queue.Options{Classes: queue.DefaultClasses()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := httpapi.New(httpapi.Config{Solver: never, Registry: registry, Jobs: q}); err != nil {
		t.Fatal(err)
	}
	_, err1 := work.NewCoordinatorMetrics(registry)
	_, err2 := work.NewWorkerMetrics(registry)
	_, err3 := work.NewStoreMetrics(registry)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	// Described rather than gathered: a metric with labels that nothing has counted yet has no
	// values to gather.
	descs := make(chan *prometheus.Desc)
	go func() {
		registry.Describe(descs)
		close(descs)
	}()
	name := regexp.MustCompile(`fqName: "(\w+)"`)
	for desc := range descs {
		all = append(all, name.FindStringSubmatch(desc.String())[1])
	}
	slices.Sort(all)
	return append(slices.Compact(all), "up") // Prometheus makes up itself
}

// TestMetricNames: the dashboard and the alerts name only metrics that exist, and every metric of
// the service's own is in the dashboard.
func TestMetricNames(t *testing.T) {
	have := metrics(t)
	named := regexp.MustCompile(`\b(tsumero|go|process)_\w+`)
	for _, file := range []string{"grafana/tsumero.json", "prometheus/alerts.yml", "prometheus/alerts_test.yml"} {
		names := named.FindAllString(read(t, file), -1)
		if len(names) == 0 {
			t.Errorf("%s names no metric", file)
		}
		for _, name := range names {
			base := name
			for _, part := range []string{"_bucket", "_sum", "_count"} {
				base = strings.TrimSuffix(base, part)
			}
			if !slices.Contains(have, name) && !slices.Contains(have, base) {
				t.Errorf("%s: the service has no metric %s", file, name)
			}
		}
	}
	dashboard := read(t, "grafana/tsumero.json")
	for _, name := range have {
		if strings.HasPrefix(name, "tsumero_") && !strings.Contains(dashboard, name) {
			t.Errorf("%s is in no panel of the dashboard", name)
		}
	}
}
