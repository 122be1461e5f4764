package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/tsumero/tsumero/solver"
)

// A watcher shows on a terminal how the search goes whose answer is printed next: on a line of its own, or beside the
// progress bar. The zero watcher shows nothing.
type watcher struct {
	terminal *os.File                 // for the line; nil if there is none
	bar      *progressbar.ProgressBar // for the words beside it; nil if there is none

	mu    sync.Mutex
	of    *question // the one waited for, nil while answers are printed
	drawn bool      // something is seen of it
}

// watchEvery is the time between two reports of a search.
const watchEvery = 250 * time.Millisecond

// barText stands beside the bar while there is nothing to say of a single search.
const barText = "solving"

// watch lets what is reported of q be seen, until unwatch.
func (w *watcher) watch(q *question) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.of = q
}

// unwatch takes the line away. The cursor is where it was when watch was called.
func (w *watcher) unwatch() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.of = nil
	if !w.drawn {
		return
	}
	w.drawn = false
	if w.bar != nil {
		w.bar.Describe(barText)
		return
	}
	io.WriteString(w.terminal, "\r\x1b[K")
}

// report shows p if q is watched.
func (w *watcher) report(q *question, p *solver.Progress) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.of != q || p.Done:
	case w.bar != nil:
		w.drawn = true
		w.bar.Describe(q.locate(rounded(float64(p.Nodes)) + " nodes"))
	case w.terminal != nil:
		w.drawn = true
		io.WriteString(w.terminal, "\r"+clip(q.locate(progressText(p)), columns(w.terminal)-1)+"\x1b[K")
	}
}

// columns returns how wide the terminal is.
func columns(terminal *os.File) int {
	if width, _, err := term.GetSize(int(terminal.Fd())); err == nil && width > 0 {
		return width
	}
	return 80
}

// clip shortens ASCII text to width.
func clip(s string, width int) string {
	if len(s) > width {
		return s[:max(width, 0)]
	}
	return s
}

// progressText says in one line how a search goes.
func progressText(p *solver.Progress) string {
	var spent time.Duration
	for _, d := range p.Spent {
		spent += d
	}
	parts := []string{fmt.Sprintf("%s, %v", p.Phase, spent.Truncate(time.Second/10))}
	switch {
	case p.Mate > 0 && p.NoMateWithin >= p.Mate-2:
		parts = append(parts, fmt.Sprintf("mate in %d", p.Mate))
	case p.Mate > 0:
		parts = append(parts, fmt.Sprintf("mate in %d or fewer", p.Mate))
	}
	parts = append(parts,
		rounded(float64(p.Nodes))+" nodes",
		perSecond(p.Nodes, spent)+"/s",
		fmt.Sprintf("pn %d dn %d", p.PN, p.DN),
		fmt.Sprintf("table %.0f%%", 100*p.TableFill))
	if p.Collections > 0 {
		parts = append(parts, "cleared out "+plural(p.Collections, "time"))
	}
	return strings.Join(parts, ", ")
}
