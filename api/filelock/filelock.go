// Package filelock keeps two programs from using a file at once.
package filelock

import "errors"

// ErrHeld is the error of Lock where somebody else has the lock.
var ErrHeld = errors.New("held by another")
