package container

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	"cluster":               {"../cluster/compose.yaml"},
}

func loadCompose(t *testing.T, files ...string) *types.Project {
	t.Helper()
	// The keys of the cluster are not there before somebody makes them.
	options, err := cli.NewProjectOptions(files, cli.WithoutEnvironmentResolution)
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

// TestComposeCluster: the nodes alone talk among themselves, whoever may be in a long search has the
// time to save it, and what holds jobs is in volumes of their own.
func TestComposeCluster(t *testing.T) {
	project := loadCompose(t, composeFiles["cluster"]...)
	for _, network := range []string{"routes", "clients"} {
		if !project.Networks[network].Internal {
			t.Errorf("the network %s leads out of the machine", network)
		}
	}
	data := map[string]bool{}
	for name, s := range project.Services {
		_, between := s.Networks["routes"]
		if node := strings.HasPrefix(name, "nats-"); between != node {
			t.Errorf("%s: in the network of the nodes %t, is a node %t", name, between, node)
		} else if node {
			for _, v := range s.Volumes {
				if v.Target == "/data" && v.Type == types.VolumeTypeVolume {
					data[v.Source] = true
				}
			}
		}
		if grace := s.StopGracePeriod; s.Build != nil && (grace == nil || time.Duration(*grace) < 2*time.Minute) {
			t.Errorf("%s has %v to end", name, grace)
		}
	}
	if len(data) != 3 {
		t.Errorf("the nodes have the volumes %v, want 3", data)
	}
	jobs := loadCompose(t, composeFiles["one machine with jobs"]...).Services["tsumero"]
	if grace := time.Duration(*jobs.StopGracePeriod); grace < 2*time.Minute {
		t.Errorf("with jobs, the service has %s to end", grace)
	}
}

// TestNodeStart: a node of Compose or Kubernetes removes the indexes of its streams before it starts,
// and nothing else.
func TestNodeStart(t *testing.T) {
	text, err := os.ReadFile("../k8s/overlays/cluster/nats.yaml")
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile(`command: \[sh, -c, '(.*)', nats-server\]`).FindSubmatch(text)
	if command == nil {
		t.Fatal("the nodes of Kubernetes start otherwise")
	}
	entrypoint := loadCompose(t, composeFiles["cluster"]...).Services["nats-0"].Entrypoint
	want := []string{"sh", "-c", string(command[1]), "nats-server"}
	if !slices.Equal(entrypoint, want) {
		t.Errorf("Compose starts %q, Kubernetes %q", entrypoint, want)
	}

	dir := t.TempDir()
	streams := filepath.Join(dir, "data/jetstream/TSUMERO/streams")
	block, index := filepath.Join(streams, "tsumero-OUT/msgs/1.blk"), filepath.Join(streams, "tsumero-OUT/msgs/index.db")
	if err := os.MkdirAll(filepath.Dir(block), 0o700); err != nil {
		t.Fatal(err)
	}
	server := filepath.Join(dir, "nats-server")
	for name, text := range map[string]string{block: "", index: "", server: "#!/bin/sh\necho \"$@\"\n"} {
		if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	script := strings.ReplaceAll(want[2], "/data/", filepath.Join(dir, "data")+"/")
	for range 2 { // also where there is nothing to remove
		cmd := exec.Command(want[0], want[1], script, want[3], "--name", "a b")
		cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != "--name a b\n" {
			t.Errorf("%s, %v", out, err)
		}
	}
	if _, err := os.Stat(index); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the index is there: %v", err)
	}
	if _, err := os.Stat(block); err != nil {
		t.Error(err)
	}
}

// TestNodeFull: a node of Compose or Kubernetes whose disk was full starts again when there is room, and
// not before, since it would stop again after it has read all that it has.
func TestNodeFull(t *testing.T) {
	file, err := os.Open("../k8s/overlays/cluster/nats.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var set struct {
		Spec struct {
			Template struct {
				Spec struct {
					Containers []struct {
						LivenessProbe struct {
							Exec struct{ Command []string }
						} `yaml:"livenessProbe"`
					}
				}
			}
		}
	}
	if err := yaml.NewDecoder(file).Decode(&set); err != nil {
		t.Fatal(err)
	}
	check := loadCompose(t, composeFiles["cluster"]...).Services["nats-0"].HealthCheck.Test
	liveness := set.Spec.Template.Spec.Containers[0].LivenessProbe.Exec.Command
	if len(check) != 2 || check[0] != "CMD-SHELL" || len(liveness) != 3 {
		t.Fatalf("healthcheck %q, liveness probe %q", check, liveness)
	}

	dir := t.TempDir()
	for name, text := range map[string]string{
		"wget": "#!/bin/sh\nfor url; do :; done\ncase \" $FAILING \" in *\" ${url#*healthz} \"*|*\" all \"*) exit 1; esac\n",
		"df":   "#!/bin/sh\necho 'Filesystem 1024-blocks Used Available Capacity Mounted on'\necho \"tmpfs 9999999 1 $FREE 1% /data\"\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const disabled = "?js-enabled-only=true"
	for _, test := range []struct {
		title, failing string // queries of the health check, " " for that without one
		free           int    // KiB
		healthy, live  bool
	}{
		{"healthy", "none", 9 << 20, true, true},
		{"starts or hangs", "all", 9 << 20, false, false},
		{"a replica is behind", "", 9 << 20, false, true},
		{"is full", " " + disabled, 1 << 10, false, true},
		{"was full", " " + disabled, 9 << 20, false, false},
	} {
		run := func(command ...string) bool {
			cmd := exec.Command(command[0], command[1:]...)
			cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "FAILING=" + test.failing, "FREE=" + strconv.Itoa(test.free)}
			return cmd.Run() == nil
		}
		killed := filepath.Join(dir, "killed")
		_ = os.Remove(killed)
		script := strings.ReplaceAll(strings.ReplaceAll(check[1], "$$", "$"), "kill 1", "touch "+killed)
		if healthy := run("sh", "-c", script); healthy != test.healthy {
			t.Errorf("%s: healthy %t", test.title, healthy)
		}
		if _, err := os.Stat(killed); (err == nil) != (test.title == "was full") {
			t.Errorf("%s: the health check ends it: %t", test.title, err == nil)
		}
		if live := run(liveness...); live != test.live {
			t.Errorf("%s: live %t", test.title, live)
		}
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
