package background

import (
	"syscall"
	"testing"
)

// TestPriority: what Run runs has a low priority, and neither the caller nor a goroutine of it has.
func TestPriority(t *testing.T) {
	priority := func() int { // of the calling thread; the kernel says 20 less
		n, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
		if err != nil {
			t.Error(err)
		}
		return 20 - n
	}
	before := priority()
	if before >= niceness {
		t.Skip("the tests have a low priority themselves")
	}
	Run(func() {
		started := make(chan int)
		go func() { started <- priority() }()
		if n := <-started; n != before {
			t.Errorf("a goroutine has %d", n)
		}
		if n := priority(); n != niceness {
			t.Errorf("%d inside", n)
		}
	})
	if n := priority(); n != before {
		t.Errorf("%d after, %d before", n, before)
	}
}
