//go:build nonats

package natsstore

import (
	"context"

	"github.com/tsumero/tsumero/api/jobs"
)

// A Store is what cannot be opened in this program.
type Store struct{ jobs.Store }

// Embedded returns ErrLeftOut.
func Embedded(EmbeddedOptions) (*Store, error) { return nil, ErrLeftOut }

// Connect returns ErrLeftOut.
func Connect(context.Context, ClusterOptions) (*Store, error) { return nil, ErrLeftOut }

// Verify returns ErrLeftOut.
func (s *Store) Verify(context.Context, bool) ([]Missing, error) { return nil, ErrLeftOut }

// Recompress returns ErrLeftOut.
func (s *Store) Recompress(context.Context) (string, error) { return "", ErrLeftOut }

// Backup returns ErrLeftOut.
func (s *Store) Backup(context.Context, string) error { return ErrLeftOut }

// Restore returns ErrLeftOut.
func (s *Store) Restore(context.Context, string) error { return ErrLeftOut }

// Mend returns ErrLeftOut.
func (s *Store) Mend(context.Context, []Missing) error { return ErrLeftOut }

// KeepFindings returns ErrLeftOut.
func (s *Store) KeepFindings([]Missing) error { return ErrLeftOut }

// Findings returns nothing.
func (s *Store) Findings() []Finding { return nil }

// Acknowledge returns ErrLeftOut.
func (s *Store) Acknowledge() error { return ErrLeftOut }
