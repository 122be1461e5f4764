//go:build !nonats

package natsstore_test

import (
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/internal/storetest"
	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/jobs/natsstore"
)

const leaseTime = time.Second / 2

func embedded(t *testing.T, dir string, maxBytes int64) *natsstore.Store {
	t.Helper()
	s, err := natsstore.Embedded(natsstore.EmbeddedOptions{
		Options: natsstore.Options{LeaseTime: leaseTime}, Dir: dir, MaxBytes: maxBytes,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestEmbedded(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Maker{
		New: func(t *testing.T) func() jobs.Store {
			dir := t.TempDir()
			return func() jobs.Store { return embedded(t, dir, 1<<30) }
		},
		Separate: true,
		Durable:  true,
		Small:    func(t *testing.T) jobs.Store { return embedded(t, t.TempDir(), 1<<20) },
	})
}
