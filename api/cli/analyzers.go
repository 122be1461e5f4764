package cli

import (
	"context"
	"time"

	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
)

// analyzers analyse problems, several at the same time. Each takes much memory: there are no more of
// them than have been in use at the same time.
type analyzers struct {
	unused   chan *analysis.Analyzer
	create   func() solver.Session
	progress *Progress
}

func newAnalyzers(workers int, create func() solver.Session, progress *Progress) *analyzers {
	return &analyzers{make(chan *analysis.Analyzer, max(workers, 1)), create, progress}
}

// analyze answers what is asked about a problem, and shows how that goes.
func (s *analyzers) analyze(ctx context.Context, of *Question, q analysis.Question) (
	*analysis.Analysis, error) {
	var one *analysis.Analyzer
	select {
	case one = <-s.unused:
	default:
		one = analysis.NewAnalyzer(s.create())
	}
	shown := s.progress.analysis(ctx, of)
	a, err := one.Analyze(shown.ctx, q, shown.update, nil)
	shown.stop()
	select {
	case s.unused <- one:
	default: // more goroutines than there were said to be
	}
	return a, err
}

// within returns a context that ends after a time, 0 for any.
func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, limit)
}
