package container

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"go.yaml.in/yaml/v4"
)

func loadCompose(t *testing.T) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{"../compose.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return project
}

// TestCompose: every service is confined, and nothing is reachable from outside the machine.
func TestCompose(t *testing.T) {
	project := loadCompose(t)
	for name, s := range project.Services {
		t.Run(name, func(t *testing.T) {
			if !s.ReadOnly {
				t.Error("its file system is writable")
			}
			if !slices.Equal(s.CapDrop, []string{"ALL"}) || len(s.CapAdd) > 0 || s.Privileged {
				t.Errorf("cap_drop %q, cap_add %q, privileged %t", s.CapDrop, s.CapAdd, s.Privileged)
			}
			if !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
				t.Errorf("security_opt %q", s.SecurityOpt)
			}
			if s.MemLimit == 0 || s.PidsLimit == 0 {
				t.Errorf("mem_limit %d, pids_limit %d", s.MemLimit, s.PidsLimit)
			}
			if s.Logging == nil || s.Logging.Options["max-size"] == "" {
				t.Error("its log grows without bound")
			}
			if s.Build == nil {
				if err := pinned(s.Image); err != nil {
					t.Error(err)
				}
			}
			for _, p := range s.Ports {
				if p.HostIP != "127.0.0.1" {
					t.Errorf("port %s is published on %q, want loopback", p.Published, p.HostIP)
				}
			}
			for _, v := range s.Volumes {
				if v.Type != types.VolumeTypeBind {
					continue
				}
				if _, err := os.Stat(v.Source); err != nil {
					t.Error(err)
				}
				if !v.ReadOnly {
					t.Errorf("%s is mounted writable", v.Source)
				}
			}
		})
	}
}

// TestComposeTsumero: the metrics listener is for Prometheus and for nobody else, and the garbage
// collector knows the memory limit.
func TestComposeTsumero(t *testing.T) {
	s := loadCompose(t).Services["tsumero"]
	admin := s.Environment["TSUMERO_ADMIN_ADDR"]
	if admin == nil {
		t.Fatal("TSUMERO_ADMIN_ADDR is not set")
	}
	_, port, _ := strings.Cut(*admin, ":")
	for _, p := range s.Ports {
		if strconv.Itoa(int(p.Target)) == port {
			t.Errorf("the admin port %s is published", port)
		}
	}

	data, err := os.ReadFile("../prometheus/prometheus.yml")
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		ScrapeConfigs []struct {
			JobName       string `yaml:"job_name"`
			StaticConfigs []struct {
				Targets []string
			} `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	if err := yaml.Unmarshal(data, &config); err != nil {
		t.Fatal(err)
	}
	var targets []string
	for _, job := range config.ScrapeConfigs {
		for _, static := range job.StaticConfigs {
			targets = append(targets, static.Targets...)
		}
	}
	if want := s.Name + ":" + port; !slices.Contains(targets, want) {
		t.Errorf("Prometheus scrapes %q, want %s among them", targets, want)
	}

	// The service finds its limit by itself; a GOMEMLIMIT would be a second word on it.
	if limit, ok := s.Environment["GOMEMLIMIT"]; ok || s.MemLimit < 64<<20 {
		t.Errorf("GOMEMLIMIT %v, %d bytes; want none, and the 64 MiB that it needs", limit, s.MemLimit)
	}
	if _, err := os.Stat(filepath.Join(s.Build.Context, s.Build.Dockerfile)); err != nil {
		t.Error(err)
	}
}
