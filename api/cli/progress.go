package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
)

// IsTerminal reports whether a person sees what is written to v, or types what is read from it.
func IsTerminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// NewBar returns a progress bar on stderr that vanishes when it is finished, one that shows nothing
// if stderr is no terminal. total is in the units that Add is given, -1 if it is not known.
func NewBar(stderr io.Writer, total int64, what string) *progressbar.ProgressBar {
	return newBar(stderr, total, what, true)
}

// newBar is NewBar; with predicts the bar says how long the rest may take, and how fast it goes.
func newBar(stderr io.Writer, total int64, what string, predicts bool) *progressbar.ProgressBar {
	if !IsTerminal(stderr) {
		return progressbar.NewOptions(1, progressbar.OptionSetVisibility(false))
	}
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(stderr),
		progressbar.OptionSetDescription(what),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetPredictTime(predicts),
		progressbar.OptionShowCount(),
		progressbar.OptionFullWidth(),
		progressbar.OptionClearOnFinish(),
		// Without a goroutine of its own, which would read without the lock.
		progressbar.OptionSetSpinnerChangeInterval(0),
		func(b *progressbar.ProgressBar) {
			if predicts {
				progressbar.OptionShowIts()(b)
			}
		},
	)
}

// A Progress shows on a terminal how far a run of Solve is, and how the search goes whose answer is
// printed next: with a bar and the nodes of that search beside it, or with a line about that search
// alone. The zero Progress shows nothing.
type Progress struct {
	l        Language
	terminal *os.File                 // for the line; nil if there is none
	bar      *progressbar.ProgressBar // nil if there is none

	counted *countedProgress // nil if the size of the input is what counts

	mu    sync.Mutex
	of    *Question // the one waited for, nil while answers are printed
	drawn bool      // something is seen of it
}

// A countedProgress counts questions that take long, and says how much time the others may take.
type countedProgress struct {
	log      io.Writer // gets a line now and then; nil if there is a terminal
	terminal *os.File
	total    int

	mu     sync.Mutex
	begun  int       // searches, those of questions left out that an earlier run has answered
	since  time.Time // the first of them
	before int       // questions that were done then
	count  int       // questions done
	logged time.Time
}

// logEvery is the time between two lines of a log.
const logEvery = time.Minute

// NewCountedProgress returns the progress of a run over so many questions that take long. On a
// terminal it is a bar; else there is a line each minute.
func NewCountedProgress(l Language, stderr io.Writer, total int) *Progress {
	w := &Progress{l: l, counted: &countedProgress{total: total, logged: time.Now()}}
	if IsTerminal(stderr) {
		w.counted.terminal = stderr.(*os.File)
		w.bar = newBar(stderr, int64(total), w.barText(), false) // it takes kept answers for fast ones
	} else {
		w.counted.log = stderr
	}
	return w
}

// begin says that a search begins: what was there before took no time.
func (w *Progress) begin() {
	if c := w.counted; c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.begun++; c.begun == 1 {
			c.since, c.before = time.Now(), c.count
		}
	}
}

// done moves on by a question.
func (w *Progress) done(q *Question) {
	c := w.counted
	if c == nil {
		w.add(max(q.size, 1))
		return
	}
	w.add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	if now := time.Now(); c.log != nil && now.Sub(c.logged) >= logEvery {
		c.logged = now
		fmt.Fprintln(c.log, w.l.Sprintf("%d of %d: %s%s", "%d/%d：%s%s", c.count, c.total, w.toGo(now), w.l.name(q)))
	}
}

// toGo says how long the rest may take, "" if nothing is known of that. The caller holds mu.
func (w *Progress) toGo(now time.Time) string {
	c := w.counted
	searched := c.count - c.before
	if c.begun == 0 || searched == 0 {
		return ""
	}
	each := now.Sub(c.since) / time.Duration(searched)
	return w.l.Sprintf("%v to go, ", "残り約%v、", (each * time.Duration(c.total-c.count)).Round(time.Second))
}

// NewProgress returns the progress of a run over questions of that size in all, -1 if it is not
// known; with alone, a line about the search that is waited for. If stderr is no terminal, it shows
// nothing.
func NewProgress(l Language, stderr io.Writer, total int64, alone bool) *Progress {
	w := &Progress{l: l}
	switch {
	case !IsTerminal(stderr):
	case alone:
		w.terminal = stderr.(*os.File)
	default:
		w.bar = NewBar(stderr, total, w.barText())
	}
	return w
}

// add moves the bar on by a question of that size.
func (w *Progress) add(size int64) {
	if w.bar != nil {
		_ = w.bar.Add64(size)
	}
}

// finish takes the bar away.
func (w *Progress) finish() {
	if w.bar != nil {
		_ = w.bar.Finish()
	}
}

// watchEvery is the time between two reports of a search.
const watchEvery = 250 * time.Millisecond

// barText stands beside the bar while no single search is waited for.
func (w *Progress) barText() string { return w.l.Text("solving", "解図中") }

// watch lets what is reported of q be seen, until unwatch.
func (w *Progress) watch(q *Question) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.of = q
}

// unwatch takes the line away. The cursor is where it was when watch was called.
func (w *Progress) unwatch() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.of = nil
	if !w.drawn {
		return
	}
	w.drawn = false
	if w.bar != nil {
		w.bar.Describe(w.barText())
		return
	}
	io.WriteString(w.terminal, "\r\x1b[K")
}

// report shows p if q is watched. If the answer takes several searches, p is of the nth; else n is
// 0.
func (w *Progress) report(q *Question, n int, p *solver.Progress) {
	if p.Done {
		return
	}
	search := ""
	if n > 0 {
		search = w.l.Sprintf("search %d: ", "探索%d：", n)
	}
	w.show(q, search+w.l.nodes(p.Nodes), func() string { return search + w.l.progressText(p) })
}

// show shows how the work on q goes, if q is watched: beside the bar, or on a line of its own.
func (w *Progress) show(q *Question, beside string, line func() string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.of != q:
	case w.counted != nil && w.bar != nil:
		w.drawn = true
		w.counted.mu.Lock()
		togo := w.toGo(time.Now())
		w.counted.mu.Unlock()
		w.bar.Describe(clip(w.l.name(q)+": "+togo+line(), columns(w.counted.terminal)*11/20))
	case w.bar != nil:
		w.drawn = true
		w.bar.Describe(w.l.locateText(q, beside))
	case w.terminal != nil:
		w.drawn = true
		text := clip(w.l.locateText(q, line()), columns(w.terminal)-1)
		io.WriteString(w.terminal, "\r"+text+"\x1b[K")
	}
}

// An analysisProgress shows how an analysis goes.
type analysisProgress struct {
	ctx   context.Context // of the analysis
	of    *Question
	by    *Progress
	began time.Time
	ended chan struct{}

	mu          sync.Mutex
	phase       analysis.Phase
	done, total int
	nodes       uint64 // of the searches that have ended
	now         uint64 // of the one that has not
}

// analysis shows how the analysis of q goes, if q is watched, until stop is called.
func (w *Progress) analysis(ctx context.Context, q *Question) *analysisProgress {
	p := &analysisProgress{ctx: ctx, of: q, by: w, began: time.Now(), ended: make(chan struct{})}
	if w.bar == nil && w.terminal == nil {
		return p
	}
	p.ctx = solver.WithProgress(ctx, watchEvery, func(s solver.Progress) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.now = s.Nodes; s.Done {
			p.now = 0
		}
	})
	go func() {
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-p.ended:
				return
			case <-tick.C:
				w.show(q, p.text(), p.text)
			}
		}
	}()
	return p
}

// update is called by the analysis.
func (p *analysisProgress) update(u analysis.Update) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.phase, p.done, p.total, p.nodes, p.now = u.Phase, u.Done, u.Total, u.Nodes, 0
}

func (p *analysisProgress) stop() { close(p.ended) }

// text says in a few words how the analysis goes.
func (p *analysisProgress) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	l, text := p.by.l, p.phase.String()
	if l == Japanese {
		text = report.Phase(text).Ja
	}
	if p.total > 1 {
		text += l.Sprintf(" %d of %d", " %d/%d", p.done, p.total)
	}
	return l.Sprintf("%s, %v, %s", "%s、%v、%s", text, time.Since(p.began).Truncate(time.Second/10), l.nodes(p.nodes+p.now))
}

// columns returns how wide the terminal is.
func columns(terminal *os.File) int {
	if width, _, err := term.GetSize(int(terminal.Fd())); err == nil && width > 0 {
		return width
	}
	return 80
}

// clip shortens a text to width, where what is not ASCII may take two columns.
func clip(s string, width int) string {
	for i, r := range s {
		if width--; r >= 0x80 {
			width--
		}
		if width < 0 {
			return s[:i]
		}
	}
	return s
}

// progressText says in one line how a search goes.
func (l Language) progressText(p *solver.Progress) string {
	var spent time.Duration
	for _, d := range p.Spent {
		spent += d
	}
	parts := []string{l.Text(p.Phase.String(), report.Phase(p.Phase.String()).Ja), spent.Truncate(time.Second / 10).String()}
	switch {
	case p.Mate > 0 && p.NoMateWithin >= p.Mate-2:
		parts = append(parts, l.Sprintf("mate in %d", "%d手詰", p.Mate))
	case p.Mate > 0:
		parts = append(parts, l.Sprintf("mate in %d or fewer", "%d手以内で詰み", p.Mate))
	}
	parts = append(parts,
		l.nodes(p.Nodes),
		l.Sprintf("%s/s", "毎秒%s", l.PerSecond(p.Nodes, spent)),
		l.Sprintf("pn %d dn %d", "証明数%d 反証数%d", p.PN, p.DN),
		l.Sprintf("table %.0f%%", "表 %.0f%%", 100*p.TableFill))
	if p.Collections > 0 {
		parts = append(parts, l.Sprintf("cleared out %s", "整理%s", Plural(p.Collections, "time")))
	}
	return strings.Join(parts, l.Text(", ", "、"))
}
