//go:build !debug

package shogi

// Without the build tag debug a position checks nothing, and pays nothing for it; see debug.go.

type remembered struct{}

func (*Position) remember() remembered { return remembered{} }

func (*Position) check()                  {}
func (*Position) checkDone(Move, *Undo)   {}
func (*Position) checkUndone(Move, *Undo) {}
