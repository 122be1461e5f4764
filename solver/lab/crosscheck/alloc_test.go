//go:build !debug

package crosscheck

import (
	"testing"

	"github.com/tsumero/tsumero/shogi/mailbox"
	"github.com/tsumero/tsumero/solver/mate1"
)

// Hours of positions must not be hours of garbage collection.
func TestNoAllocations(t *testing.T) {
	o := Options{Seed: 1, MateIn1: new(mate1.Finder).Find}
	c := newChecker(&o)
	for number := range uint64(40) {
		c.p, _ = opening(c.problems, c.play, number)
		c.b = mailbox.From(&c.p)
		n := testing.AllocsPerRun(1, func() {
			if err := c.fast(); err != nil {
				t.Fatal(err)
			}
		})
		if n != 0 {
			t.Errorf("sfen %s: %v allocations", c.p.SFEN(), n)
		}
	}
}
