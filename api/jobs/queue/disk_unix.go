//go:build unix

package queue

import "golang.org/x/sys/unix"

// diskFree returns how many bytes a process may still write, or -1.
func diskFree(path string) int64 {
	var s unix.Statfs_t
	if unix.Statfs(path, &s) != nil {
		return -1
	}
	return int64(s.Bavail) * int64(s.Bsize)
}
