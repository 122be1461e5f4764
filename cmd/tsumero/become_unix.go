//go:build unix

package main

import "golang.org/x/sys/unix"

// become runs a program in place of this one, so that signals reach it.
func become(path string, args, environ []string) error { return unix.Exec(path, args, environ) }
