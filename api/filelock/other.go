//go:build !unix && !windows

package filelock

import "os"

// Lock does nothing: this system has no such call.
func Lock(*os.File) error { return nil }

// Unlock does nothing.
func Unlock(*os.File) error { return nil }
