package background

import (
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
)

// quota returns how many processors the containers (cgroups) of this process may use together, and
// +Inf if there is no such quota. GOMAXPROCS does not tell: Go rounds it up, and to 2 at least.
func quota(root fs.FS) float64 {
	least := math.Inf(1)
	groups, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(groups)) {
		group := strings.SplitN(strings.TrimSpace(line), ":", 3) // number, controllers, path
		if len(group) < 3 {
			continue
		}
		mount := "sys/fs/cgroup"
		if group[1] != "" { // of version 1, where each controller has its own mount
			if !slices.Contains(strings.Split(group[1], ","), "cpu") {
				continue
			}
			mount += "/" + group[1]
		}
		// In a container the path may be that outside of it, and only the mount is there.
		for dir := mount + path.Clean("/"+group[2]); strings.HasPrefix(dir, mount); dir = path.Dir(dir) {
			least = min(least, quotaOf(root, dir))
		}
	}
	return least
}

// quotaOf returns the quota of one cgroup.
func quotaOf(root fs.FS, dir string) float64 {
	text, err := fs.ReadFile(root, dir+"/cpu.max")
	if err != nil {
		time, _ := fs.ReadFile(root, dir+"/cpu.cfs_quota_us")
		period, _ := fs.ReadFile(root, dir+"/cpu.cfs_period_us")
		text = slices.Concat(time, period)
	}
	var time, period float64
	if n, _ := fmt.Sscan(string(text), &time, &period); n < 2 || time <= 0 || period <= 0 {
		return math.Inf(1) // "max", or -1 in version 1
	}
	return time / period
}
