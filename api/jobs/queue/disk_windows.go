package queue

import "golang.org/x/sys/windows"

// diskFree returns how many bytes a process may still write, or -1.
func diskFree(path string) int64 {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return -1
	}
	var free uint64
	if windows.GetDiskFreeSpaceEx(name, &free, nil, nil) != nil {
		return -1
	}
	return int64(free)
}
