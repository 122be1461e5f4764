package cli

import (
	"encoding/json"
	"io"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
)

// A JobProgress shows on a terminal how a job of a service goes: a bar for a collection, a line for
// a problem.
type JobProgress struct {
	terminal *os.File // nil if there is none
	bar      *progressbar.ProgressBar
}

// NewJobProgress returns one that shows nothing if stderr is no terminal.
func NewJobProgress(stderr io.Writer) *JobProgress {
	p := new(JobProgress)
	if IsTerminal(stderr) {
		p.terminal = stderr.(*os.File)
	}
	return p
}

// Visible reports whether anything is shown.
func (p *JobProgress) Visible() bool { return p.terminal != nil }

// Show shows how many of the lines are done, and a text beside it.
func (p *JobProgress) Show(lines, done int, text string) {
	switch {
	case p.terminal == nil:
	case lines > 1:
		if p.bar == nil {
			p.bar = NewBar(p.terminal, int64(lines), text)
		}
		p.bar.Describe(clip(text, columns(p.terminal)/2))
		_ = p.bar.Set(done)
	default:
		io.WriteString(p.terminal, "\r"+clip(text, columns(p.terminal)-1)+"\x1b[K")
	}
}

// Finish takes away what is shown.
func (p *JobProgress) Finish() {
	switch {
	case p.bar != nil:
		_ = p.bar.Finish()
	case p.terminal != nil:
		io.WriteString(p.terminal, "\r\x1b[K")
	}
}

// JobProgressText says in one line how the search goes that was heard of last, "" if none was.
func (l Language) JobProgressText(j *wire.Job) string {
	var e wire.ProgressEvent
	if json.Unmarshal(j.Progress, &e) != nil || e.Phase == "" {
		return ""
	}
	elapsed := time.Duration(e.ElapsedMS) * time.Millisecond
	parts := []string{shogi.VisibleLine(l.Text(e.Phase, report.Phase(e.Phase).Ja)), elapsed.Truncate(time.Second / 10).String()}
	if e.Mate > 0 {
		parts = append(parts, l.Sprintf("mate in %d or fewer", "%d手以内で詰み", e.Mate))
	}
	if e.NoMateWithin > 0 {
		parts = append(parts, l.Sprintf("no mate in %d or fewer", "%d手以内の詰みなし", e.NoMateWithin))
	}
	if e.Mate > 0 || e.NoMateWithin > 0 {
		parts = append(parts, l.Text("every move counted", "無駄合も数えて"))
	}
	parts = append(parts, l.nodes(e.Nodes))
	if e.PN > 0 || e.DN > 0 {
		parts = append(parts, l.Sprintf("pn %d dn %d", "証明数%d 反証数%d", e.PN, e.DN))
	}
	return strings.Join(parts, l.Text(", ", "、"))
}
