package container

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"go.yaml.in/yaml/v4"
)

// composeFiles are what somebody gives to docker compose.
var composeFiles = map[string][]string{
	"one machine":           {"../compose.yaml"},
	"one machine with jobs": {"../compose.yaml", "../compose.jobs.yaml"},
	"database and workers":  {"../compose.postgres.yaml"},
}

func loadCompose(t *testing.T, files ...string) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions(files)
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
	for title, files := range composeFiles {
		for name, s := range loadCompose(t, files...).Services {
			t.Run(title+" "+name, func(t *testing.T) { checkService(t, s) })
		}
	}
}

func checkService(t *testing.T, s types.ServiceConfig) {
	t.Helper()
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
}

// TestComposePostgres: the database is reached by services and workers alone, each has its own address in a
// file, and whoever may be in a long search has the time to save it.
func TestComposePostgres(t *testing.T) {
	project := loadCompose(t, composeFiles["database and workers"]...)
	if !project.Networks["database"].Internal {
		t.Error("the network of the database leads out of the machine")
	}
	addresses := map[string]bool{}
	for name, s := range project.Services {
		if s.Build == nil {
			continue
		}
		if grace := s.StopGracePeriod; grace == nil || time.Duration(*grace) < 2*time.Minute {
			t.Errorf("%s has %v to end", name, grace)
		}
		file := s.Environment["TSUMERO_JOBS_FILE"]
		if file == nil || len(s.Secrets) != 1 || *file != "/run/secrets/"+s.Secrets[0].Source {
			t.Errorf("%s has the address of the database in %v, and the secrets %v", name, file, s.Secrets)
			continue
		}
		addresses[project.Secrets[s.Secrets[0].Source].File] = true
	}
	if len(addresses) != 2 {
		t.Errorf("services and workers have the addresses %v, want one for each role", addresses)
	}
	database := project.Services["postgres"]
	if len(database.Ports) > 0 || !strings.Contains(*database.Environment["POSTGRES_INITDB_ARGS"], "--data-checksums") {
		t.Errorf("the database has the ports %v and is made with %q", database.Ports,
			*database.Environment["POSTGRES_INITDB_ARGS"])
	}
	jobs := loadCompose(t, composeFiles["one machine with jobs"]...).Services["tsumero"]
	if grace := time.Duration(*jobs.StopGracePeriod); grace < 2*time.Minute {
		t.Errorf("with jobs, the service has %s to end", grace)
	}
}

// TestComposeTsumero: the metrics listener is for Prometheus and for nobody else, and the garbage
// collector knows the memory limit.
func TestComposeTsumero(t *testing.T) {
	s := loadCompose(t, "../compose.yaml").Services["tsumero"]
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
