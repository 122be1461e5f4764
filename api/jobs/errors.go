package jobs

import "errors"

// The errors of whatever keeps jobs. After any other error the same call may be repeated.
var (
	ErrNotFound = errors.New("jobs: not found")
	// ErrFull says that there is no room. It is no sign of a defect.
	ErrFull = errors.New("jobs: the store is full")
	// ErrUnavailable says that the store cannot be reached.
	ErrUnavailable = errors.New("jobs: the store is not available")
	// ErrDamaged says that what was read is not what was written.
	ErrDamaged = errors.New("jobs: what was stored is damaged")
	// ErrNewer says that what was read is of a newer format.
	ErrNewer = errors.New("jobs: written by a newer version")
)
