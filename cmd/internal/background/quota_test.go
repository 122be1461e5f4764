package background

import (
	"math"
	"testing"
	"testing/fstest"
)

// TestQuota: of versions 1 and 2, of all cgroups around the process, as seen from inside a container
// and from outside.
func TestQuota(t *testing.T) {
	const version1 = "4:memory:/a\n2:cpu,cpuacct:/a/b\n0::/\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  float64
	}{
		{"no cgroups", nil, math.Inf(1)},
		{"none", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "max 100000\n"}, math.Inf(1)},
		{"half a processor", map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "50000 100000\n"}, 0.5},
		{"a service in a slice", map[string]string{
			"proc/self/cgroup":                    "0::/slice/service\n",
			"sys/fs/cgroup/slice/cpu.max":         "150000 100000\n",
			"sys/fs/cgroup/slice/service/cpu.max": "300000 100000\n"}, 1.5},
		{"the path outside", map[string]string{
			"proc/self/cgroup": "0::/../docker/1234\n", "sys/fs/cgroup/cpu.max": "100000 100000\n"}, 1},
		{"version 1", map[string]string{"proc/self/cgroup": version1,
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us":    "-1\n",
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us":   "100000\n",
			"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us":  "25000\n",
			"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us": "50000\n"}, 0.5},
		{"version 1 without", map[string]string{"proc/self/cgroup": version1,
			"sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us":  "-1\n",
			"sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us": "100000\n"}, math.Inf(1)},
	} {
		root := fstest.MapFS{}
		for name, text := range c.files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := quota(root); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
