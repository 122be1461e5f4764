package memory

import (
	"math"
	"runtime/debug"
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

func TestLeast(t *testing.T) {
	none := func() (uint64, error) { return 0, memlimit.ErrNoLimit }
	for _, c := range []struct {
		limits []memlimit.Provider
		want   int64
	}{
		{nil, Unlimited},
		{[]memlimit.Provider{none, none}, Unlimited},
		{[]memlimit.Provider{none, memlimit.Limit(512 << 20)}, 512 << 20},
		{[]memlimit.Provider{memlimit.Limit(8 << 30), memlimit.Limit(2 << 30), none}, 2 << 30},
		{[]memlimit.Provider{memlimit.Limit(math.MaxUint64 - 1)}, Unlimited},
	} {
		if got := least(c.limits...); got != c.want {
			t.Errorf("%d, want %d", got, c.want)
		}
	}
}

func TestAvailable(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(32 << 20))
	if got := Available(); got != 32<<20 {
		t.Errorf("%d of a GOMEMLIMIT of 32 MiB", got)
	}
	if got := Machine(); got <= 32<<20 {
		t.Errorf("the machine has %d", got)
	}
}

func TestForGo(t *testing.T) {
	for container, want := range map[int64]int64{
		64 << 20: 48 << 20, 128 << 20: 112 << 20, 1000 << 20: 900 << 20,
	} {
		if got := ForGo(container); got != want {
			t.Errorf("%d of %d, want %d", got, container, want)
		}
	}
}

// TestLimitGo: what the environment says counts.
func TestLimitGo(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "1GiB") // after the start of the process it changes nothing by itself
	const before = 3 << 30
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(before))
	LimitGo()
	if got := debug.SetMemoryLimit(-1); got != before {
		t.Errorf("GOMEMLIMIT became %d", got)
	}
}
