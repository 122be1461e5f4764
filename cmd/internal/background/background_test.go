package background

import (
	"os"
	"runtime"
	"strings"
	"testing"
)

// TestRun: what Run runs has ended when it returns, and a panic comes out of Run with the stack of
// where it was.
func TestRun(t *testing.T) {
	ran := false
	Run(func() { Run(func() { ran = true }) })
	if !ran {
		t.Error("not run")
	}
	defer func() {
		if v, ok := recover().(string); !ok || !strings.HasPrefix(v, "oh") || !strings.Contains(v, "background_test.go") {
			t.Errorf("%v", v)
		}
		Run(func() { ran = false }) // the thread is still of use
		if ran {
			t.Error("not run after a panic")
		}
	}()
	Run(func() { panic("oh") })
}

// TestReserve: what is reserved does not count as processors.
func TestReserve(t *testing.T) {
	before := Processors()
	if all := runtime.NumCPU(); before < all || quota(os.DirFS("/")) < float64(all) {
		t.Skip("there is a quota")
	}
	t.Setenv("GOMAXPROCS", "")
	release := Reserve(3)
	if n := runtime.GOMAXPROCS(0); n != before+3 || Processors() != before {
		t.Errorf("%d for Go, %d processors, %d before", n, Processors(), before)
	}
	release()
	t.Setenv("GOMAXPROCS", "1")
	Reserve(3)
	if n := runtime.GOMAXPROCS(0); n != before {
		t.Errorf("%d for Go with the environment", n)
	}
}
