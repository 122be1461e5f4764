package version

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestFrom(t *testing.T) {
	const commit, day = "5bedba1", "2026-01-02T03:04:05Z"
	checkout := []debug.BuildSetting{{Key: "vcs.revision", Value: commit}, {Key: "vcs.time", Value: day},
		{Key: "vcs.modified", Value: "false"}}
	changed := []debug.BuildSetting{{Key: "vcs.modified", Value: "true"}, {Key: "vcs.revision", Value: commit}}
	for name, c := range map[string]struct {
		set      Build
		module   string
		settings []debug.BuildSetting
		want     Build
	}{
		"go run":             {Build{}, "", nil, Build{"dev", "", ""}},
		"go test":            {Build{}, "(devel)", nil, Build{"dev", "", ""}},
		"go install @v1.2.3": {Build{}, "v1.2.3", nil, Build{"v1.2.3", "", ""}},
		"go build, a tag":    {Build{}, "v1.2.3", checkout, Build{"v1.2.3", commit, day}},
		"go build, changes":  {Build{}, "v1.2.3+dirty", changed, Build{"v1.2.3+dirty", commit + "+changes", ""}},
		"image without .git": {Build{"v1.2.3", commit, day}, "(devel)", nil, Build{"v1.2.3", commit, day}},
		"image with .git":    {Build{"v1.2.3", "", ""}, "v0.0.0-1", checkout, Build{"v1.2.3", commit, day}},
		"both know the commit": {Build{"", "given", "then"}, "v1.2.3", checkout,
			Build{"v1.2.3", "given", "then"}},
	} {
		info := debug.BuildInfo{Main: debug.Module{Version: c.module}, Settings: c.settings}
		if got := from(c.set, &info); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestRelease(t *testing.T) {
	for version, want := range map[string]string{
		"v1.2.3":                               "1.2.3",
		"v1.2.3-rc.1":                          "1.2.3-rc.1",
		"v0.10.0":                              "0.10.0",
		"dev":                                  "dev",
		"v1.2.3+dirty":                         "dev",
		"v0.0.0-20260102030405-5bedba15bedb":   "dev",
		"v1.2.4-0.20260102030405-5bedba15bedb": "dev",
		"v1.2.3-rc.1.0.20260102030405-5bedba15bedb": "dev",
		"v0.0.0-20260102030405-5bedba15bedb+dirty":  "dev",
		"main 1.2.3": "dev",
	} {
		if got := (Build{Version: version}).Release(); got != want {
			t.Errorf("%s: %q, want %q", version, got, want)
		}
	}
}

func TestText(t *testing.T) {
	all := Build{"v1.2.3", "5bedba1", "2026-01-02T03:04:05Z"}.Text("tsumero")
	want := "tsumero v1.2.3\ncommit  5bedba1\ndate    2026-01-02T03:04:05Z\ngo      1."
	if !strings.HasPrefix(all, want) {
		t.Errorf("%s\nwant %s", all, want)
	}
	if dev := (Build{Version: "dev"}).Text("tsumero-usi"); !strings.HasPrefix(dev, "tsumero-usi dev\ngo      1.") {
		t.Error(dev)
	}
}
