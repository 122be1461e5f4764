package cli

// spares are things that take much memory, of which each goroutine needs one at a time: there are no
// more of them than have been in use at the same time.
type spares[T any] struct {
	unused chan T
	create func() T
}

// newSpares returns the spares of a number of goroutines.
func newSpares[T any](workers int, create func() T) spares[T] {
	return spares[T]{make(chan T, max(workers, 1)), create}
}

func (s *spares[T]) take() T {
	select {
	case one := <-s.unused:
		return one
	default:
		return s.create()
	}
}

func (s *spares[T]) put(one T) {
	select {
	case s.unused <- one:
	default: // more goroutines than there were said to be
	}
}
