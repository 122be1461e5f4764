package queue

import "strings"

// IsRemote reports whether an address is one of PostgreSQL, and not a directory.
func IsRemote(address string) bool {
	return strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}

// DatabaseName is the file of the database in a directory.
const DatabaseName = "jobs.db"
