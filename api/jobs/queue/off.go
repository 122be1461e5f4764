//go:build nojobs

package queue

import (
	"context"
	"database/sql"
	"errors"
)

// A program that is built with the tag nojobs has no database, and says so.

var errNoJobs = errors.New("queue: this program was built without jobs (nojobs)")

type database struct {
	db, reading                   *sql.DB
	postgres                      bool
	secret                        []byte
	isConflict, isFull, isDamaged func(error) bool
	room                          func(context.Context, *database) (Room, error)
	inserted                      chan struct{}
	close                         func() error
}

// CheckAddress returns an error.
func CheckAddress(string) error { return errNoJobs }

// Check returns an error.
func Check(context.Context, string, func(string)) (int, error) { return 0, errNoJobs }

// Backup returns an error.
func Backup(context.Context, string, string) error { return errNoJobs }

// Restore returns an error.
func Restore(context.Context, string, string) error { return errNoJobs }

// Run returns an error.
func (*Queue) Run(context.Context) error { return errNoJobs }

func openDatabase(context.Context, *Queue) (*database, error) { return nil, errNoJobs }

func (*database) rewrite(query string) string { return query }

func (*database) hasTable(context.Context, *tx, string) (bool, error) { return false, errNoJobs }

func (*database) shrink(context.Context, *tx) error { return errNoJobs }

func (*tx) insert(context.Context, []newRow) ([]int64, error) { return nil, errNoJobs }

func (*tx) cancelRow(context.Context, int64) error { return errNoJobs }
