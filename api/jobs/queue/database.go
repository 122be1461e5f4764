//go:build !nojobs

package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivermigrate"
)

// A database is one that is open: SQLite in a directory, or PostgreSQL. What differs between them is
// in its fields, and in the two files that set them.
type database struct {
	db      *sql.DB // that writes
	reading *sql.DB // that only reads; of PostgreSQL the same
	driver  riverdriver.Driver[*sql.Tx]
	client  *river.Client[*sql.Tx]
	// postgres says that the database is one, which many processes may use at once.
	postgres bool
	// time is the time of the database in SQL, in the form of River's columns.
	time string
	// skipLocked ends a select of rows r that leaves out what others change now; of SQLite it is empty.
	skipLocked string
	// isConflict reports whether the database ended a transaction for another one's sake; isFull that
	// there was no room; isDamaged that what it read is not what it wrote.
	isConflict, isFull, isDamaged func(error) bool
	// room returns what an operator wants to know of the disk.
	room func(ctx context.Context, d *database) (Room, error)
	// inserted has an element if rows of River are new; nil if River hears of them otherwise.
	inserted chan struct{}
	// close closes everything.
	close func() error

	secret []byte
}

// noDirectory matches what is meant as an address: a scheme, which is longer than the letter of a
// drive, or libpq's other form, "host=h password=p".
var noDirectory = regexp.MustCompile(`(?i)^[a-z][a-z0-9+.-]+:|(^|\s)(host|hostaddr|port|dbname|user|password|service|ssl\w+)\s*=`)

// CheckAddress says what is wrong with an address of a Queue, without repeating it.
func CheckAddress(address string) error {
	if !IsRemote(address) {
		if address == "" || noDirectory.MatchString(address) {
			return errors.New("a directory, or postgres://user@host/database")
		}
		return nil
	}
	if _, err := url.Parse(address); err != nil && !strings.Contains(address, ",") {
		// The text of the error has the address, and with it the password.
		return errors.New("no address of a database")
	}
	return nil
}

// openDatabase opens the database of a queue, and makes its River client.
func openDatabase(ctx context.Context, q *Queue) (*database, error) {
	open := openDirectory
	if IsRemote(q.o.Address) {
		open = openPostgres
	}
	d, err := open(ctx, q)
	if err != nil {
		return nil, err
	}
	if d.client, err = river.NewClient(d.driver, q.riverConfig(d)); err != nil {
		return nil, errors.Join(fmt.Errorf("queue: %w", err), d.close())
	}
	return d, nil
}

// migrateAll makes River's tables and ours, or, with noTables, wants them to be there.
func (d *database) migrateAll(ctx context.Context, noTables bool) error {
	m, err := rivermigrate.New(d.driver, &rivermigrate.Config{Logger: discard})
	if err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	known := m.AllVersions()
	there, err := m.ExistingVersions(ctx)
	if err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	if len(there) > 0 && there[len(there)-1].Version > known[len(known)-1].Version {
		return fmt.Errorf("%w: River's tables are of version %d, and this program knows %d", ErrFormat,
			there[len(there)-1].Version, known[len(known)-1].Version)
	}
	if noTables && len(there) < len(known) {
		return errNoTables
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	return d.migrate(ctx, noTables)
}

// rewrite makes a statement one of the database: SQLite takes $1 for a name, and ?1 for a number.
func (d *database) rewrite(query string) string {
	query = strings.NewReplacer("{time}", d.time, "{skip locked}", d.skipLocked).Replace(query)
	if d.postgres {
		return query
	}
	return strings.ReplaceAll(query, "$", "?")
}

// hasTable reports whether there is a table of that name.
func (d *database) hasTable(ctx context.Context, t *tx, name string) (found bool, err error) {
	query := `select count(*) > 0 from sqlite_master where type = 'table' and name = $1`
	if d.postgres {
		query = `select to_regclass($1) is not null`
	}
	err = t.row(ctx, query, name).Scan(&found)
	return found, err
}
