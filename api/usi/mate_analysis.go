package usi

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
)

// The values of the option Analysis.
const (
	analysisNone  = "none"
	analysisCooks = "cooks" // lengths, and the attacker's other checks
	analysisFull  = "full"
)

const (
	// analysisTimeout is how long an analysis may take to return what it knows after its context
	// has ended. After that the answer is printed without it.
	analysisTimeout = 40 * time.Millisecond
	// analysisMargin is how long before the end of the time the context of an analysis ends, since
	// stopping takes time too. It is an eighth of the time at most.
	analysisMargin = 100 * time.Millisecond
)

// A sessionHolder has what analyses work with, as long as an option asks for them.
type sessionHolder struct {
	session  solver.Session
	analyzer *analysis.Analyzer
	lengths  *length.Engine
}

// needsSession reports whether an option asks for more than a solver can tell.
func (m *MateEngine) needsSession() bool {
	return m.config.NewSession != nil &&
		(m.analysis != analysisNone || m.multiPV > 1 || m.mode != modeMate)
}

// sessionMiB returns what a session takes of the memory that the table may have.
func (c *MateConfig) sessionMiB() int { return int(c.SessionBytes >> 20) }

// hasRoom reports whether a table fits beside a session.
func (m *MateEngine) hasRoom() bool { return m.config.maxHash() > m.config.sessionMiB() }

// hasRoomBeside reports whether the table need not be made smaller for a session.
func (m *MateEngine) hasRoomBeside() bool { return m.hash+m.config.sessionMiB() <= m.config.maxHash() }

// tableMiB returns the size of the solver's table in MiB: that of the option, or what a session
// leaves.
func (m *MateEngine) tableMiB() int {
	if !m.needsSession() || !m.hasRoom() {
		return m.hash
	}
	return min(m.hash, m.config.maxHash()-m.config.sessionMiB())
}

// prepareSession makes a session unless there is one.
func (m *MateEngine) prepareSession() {
	if m.held.session == nil {
		m.held.session = m.config.NewSession()
		m.held.analyzer, m.held.lengths = analysis.NewAnalyzer(m.held.session), length.NewEngine(m.held.session)
	}
}

// elaborate says more about a mate that was found, as the options ask, in the time that the search
// has left: which other first moves mate, and whether the problem is sound.
func (s *mateSearch) elaborate(ctx context.Context, multiPV, analyze bool) {
	m := s.engine
	multiPV, analyze = multiPV && m.multiPV > 1, analyze && m.analysis != analysisNone
	if !m.needsSession() || !multiPV && !analyze || s.defending || s.ended != nil ||
		s.result.Verdict != solver.Mate || len(s.result.Line) == 0 {
		return
	}
	if !s.hasSession() {
		return
	}
	s.reportMate() // which is known, however long the rest takes
	// The work may go on for a little while after the answer, and the options change then.
	if multiPV {
		o := others{s, m.held.session, m.multiPV, m.shortest}
		s.aside(ctx, o.find)
	}
	if analyze && s.ended == nil {
		analyzer, full := m.held.analyzer, m.analysis == analysisFull
		s.aside(ctx, func(ctx context.Context, report func(Info)) []Info {
			return s.analyze(ctx, analyzer, full, report)
		})
	}
}

// hasSession prepares the session that an option needs. It reports whether there is memory for one.
func (s *mateSearch) hasSession() bool {
	m := s.engine
	if !m.hasRoom() {
		s.text("Analysis, MultiPV and MateMode need %d MiB, which this machine does not have", m.config.sessionMiB())
		return false
	}
	m.prepareSession()
	return true
}

// leastLengthNodes is what the search for the length of a problem gets if that for the mate took less.
const leastLengthNodes = 5_000

// lengthNodes returns what the search for the length that books print may take. It is as much as that
// for the mate took. A position with two kings is one of a game as a rule, whose length no book prints,
// and such a search must not make the answer late: a quarter, and only if a reply of the line is a drop,
// which is what makes nearly all mates longer by the raw count.
func (s *mateSearch) lengthNodes() uint64 {
	r, p := &s.result, &s.position
	if p.King(shogi.Black) == shogi.NoSquare || p.King(shogi.White) == shogi.NoSquare {
		return max(r.Nodes, leastLengthNodes)
	}
	for i, m := range r.Line {
		if i%2 == 1 && m.IsDrop() {
			return r.Nodes / 4
		}
	}
	return 0
}

// countAsBooks says in how many plies books would print the shortest mate, without futile interpositions,
// if that is another number than GUIs count, so that they and the pages agree.
func (s *mateSearch) countAsBooks(ctx context.Context) {
	m, r := s.engine, &s.result
	if m.config.NewSession == nil || !m.hasRoomBeside() || m.analysis != analysisNone || // which says it, too
		s.defending || s.ended != nil || r.Verdict != solver.Mate || !r.Exact || len(r.Line) < 3 {
		return
	}
	nodes := s.lengthNodes()
	if nodes == 0 {
		return
	}
	m.prepareSession()
	lengths := m.held.lengths
	s.aside(ctx, func(ctx context.Context, _ func(Info)) []Info {
		turn, shorter := length.Orient(&s.position, s.position.SideToMove()), len(r.Line)-2
		lengths.Reset()
		lengths.Begin(shogi.Black, length.Default)
		n, reason := lengths.Within(ctx, turn.Position(s.position), shorter, nodes)
		if reason != solver.NoReason || n > shorter {
			return nil // by no policy is a mate longer than by the raw count
		}
		a := analysis.Analysis{Verdict: solver.Mate, Policy: length.Default, Lengths: []analysis.Length{
			{Policy: length.F0, Interval: length.Raw(&s.result)}, {Policy: length.Default, Interval: length.Exactly(n)}}}
		return []Info{{String: report.Of(&a).Head().En}}
	})
}

// aside calls work, which reports by its argument, or by its results if the context has ended,
// until the time is up, the search is stopped or the work is done. It returns in time even if the
// work does not.
func (s *mateSearch) aside(ctx context.Context, work func(context.Context, func(Info)) []Info) {
	workCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	if limit, limited := s.limit(); limited {
		limit -= min(analysisMargin, limit/8)
		workCtx, cancel = context.WithDeadline(workCtx, s.began.Add(limit))
		defer cancel()
	}
	infos, results := make(chan Info), make(chan []Info, 1)
	report := func(i Info) {
		select {
		case infos <- i:
		case <-workCtx.Done():
		}
	}
	go func() { results <- work(workCtx, report) }()
	for s.ended == nil {
		select {
		case i := <-infos:
			s.report(i)
		case last := <-results:
			s.reportAll(last)
			return
		case <-workCtx.Done():
			if s.ended = errTimeLimit; ctx.Err() != nil {
				s.ended = context.Cause(ctx)
			}
		}
	}
	select {
	case last := <-results:
		s.reportAll(last)
	case <-time.After(analysisTimeout):
		s.engine.held = sessionHolder{} // the work still has it
		s.text("no time to say more: what is not named is unknown")
	}
}

func (s *mateSearch) reportAll(infos []Info) {
	for _, i := range infos {
		s.report(i)
	}
}

// maxFindings is how many lines an analysis prints at most.
const maxFindings = 60

// analyze says whether the problem is sound: what is found as it is found, and at the end what is
// not decided.
func (s *mateSearch) analyze(ctx context.Context, by *analysis.Analyzer, full bool,
	report func(Info)) []Info {
	q := analysis.Question{Position: s.position, Attacker: s.position.SideToMove(),
		Policy: length.Default, Parts: analysis.Attack | analysis.Duals, Nodes: s.request.Nodes}
	if full {
		q.Parts = analysis.DefaultParts
	}
	var told []string
	raw := length.Raw(&s.result)
	tell := func(lines []string, report func(Info)) {
		for _, line := range lines {
			if !slices.Contains(told, line) && len(told) < maxFindings {
				told = append(told, line)
				report(Info{String: line})
			}
		}
	}
	a, err := by.Analyze(ctx, q, func(u analysis.Update) {
		if u.Pointer != "" && ctx.Err() == nil {
			tell(findings(u.Report(), raw, full), report)
		}
	}, nil)
	if err != nil {
		return []Info{{String: reason(err)}}
	}
	var rest []Info
	keep := func(i Info) { rest = append(rest, i) }
	tell(findings(a, raw, full), keep)
	if len(told) == maxFindings {
		keep(Info{String: "... and perhaps more"})
	}
	for _, line := range conclusions(a, full) {
		keep(Info{String: line})
	}
	keep(Info{String: summary(a, full)})
	return rest
}

// findings returns what is known for certain so far, one line for each fact. raw is what is known
// of the raw length besides.
func findings(a *analysis.Analysis, raw length.Interval, full bool) []string {
	var lines []string
	for _, l := range a.Lengths {
		switch l.Policy {
		case length.F0:
			raw = length.Interval{Low: max(l.Low, raw.Low), High: min(l.High, raw.High)}
		case a.Policy:
			lines = append(lines, fmt.Sprintf("length %v %s raw %s", l.Policy, l.Range(), raw.Range()))
		}
	}
	for _, item := range report.Of(a).Findings(full) {
		lines = append(lines, item.String())
	}
	return lines
}

// conclusions returns what is known once the analysis has ended: what is left over, and what is not
// decided.
func conclusions(a *analysis.Analysis, full bool) []string {
	var lines []string
	if full && len(a.Line.Moves) > 0 {
		lines = append(lines, "leftover "+a.Leftover.Class.String())
	}
	for i, p := range a.Remaining {
		if i > 0 && p.Ply == a.Remaining[i-1].Ply {
			lines[len(lines)-1] += " " + p.Move.String()
			continue
		}
		lines = append(lines, fmt.Sprintf("unknown ply %d %v", p.Ply, p.Move))
	}
	return lines
}

// summary says in a line what the analysis came to.
func summary(a *analysis.Analysis, full bool) string {
	var checks, fail, mate, open int
	for _, n := range a.Attack {
		checks, fail, mate, open = checks+n.Checks-1, fail+n.Fail, mate+n.Mate, open+n.Open
	}
	line := fmt.Sprintf("other checks %d fail %d mate %d unknown %d", checks, fail, mate, open)
	if full {
		line = fmt.Sprintf("sound %v, %s", a.Sound, line)
		for _, r := range a.Rules {
			if r.Holds == analysis.No && r.Severity == analysis.Fail {
				line += fmt.Sprintf(", fails %s", r.Rule)
			}
		}
	}
	if a.Reason != solver.NoReason {
		line += ", " + string(a.Reason)
	}
	return line
}
