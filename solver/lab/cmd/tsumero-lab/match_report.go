package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/solver/lab/match"
)

// scoreText returns the score in short.
func scoreText(s *match.Summary) string {
	return fmt.Sprintf("+%d =%d -%d", s.Wins, s.Draws, s.Losses)
}

// eloText returns the difference with its interval.
func eloText(s *match.Summary) string {
	elo, low, high, ok := s.Elo()
	if !ok {
		return "not known"
	}
	number := func(x float64) string {
		if math.IsInf(x, 0) {
			return map[bool]string{true: "+∞", false: "-∞"}[x > 0]
		}
		return fmt.Sprintf("%+.0f", x)
	}
	return fmt.Sprintf("%s (%s … %s)", number(elo), number(low), number(high))
}

// progressText returns how a match goes.
func progressText(s *match.Summary, sprt *match.SPRT) string {
	text := fmt.Sprintf("%s, Elo %s", scoreText(s), eloText(s))
	if sprt != nil {
		text += fmt.Sprintf(", LLR %.2f", s.LLR(*sprt))
	}
	return text
}

// writeMatchReport writes what a match has come to.
func writeMatchReport(out io.Writer, p *matchPlan, s *match.Summary, elapsed time.Duration) error {
	var b strings.Builder
	row := func(name, format string, values ...any) {
		fmt.Fprintf(&b, "%-10s %s\n", name, fmt.Sprintf(format, values...))
	}
	for i := range p.players {
		row(match.Side(i).String(), "%v, %s", &p.players[i], p.header.Limits[i])
	}
	games := max(s.Games(), 1)
	row("score", "%s of %s: A scores %.1f %%, %.1f %% are drawn", scoreText(s),
		cli.Plural(s.Games(), "game"), 100*s.Points()/float64(games), 100*float64(s.Draws)/float64(games))
	row("Elo", "%s with 95 %%", eloText(s))
	row("pairs", "%d: %d with 0 points, %d with ½, %d with 1, %d with 1½, %d with 2", s.NumPairs(),
		s.Pairs[0], s.Pairs[1], s.Pairs[2], s.Pairs[3], s.Pairs[4])
	if p.sprt != nil {
		low, high := p.sprt.Bounds()
		decision := "undecided"
		switch s.Decision {
		case match.AcceptH0:
			decision = fmt.Sprintf("%+g it is", p.sprt.Elo0)
		case match.AcceptH1:
			decision = fmt.Sprintf("%+g it is", p.sprt.Elo1)
		}
		row("SPRT", "LLR %.2f (%.2f … %.2f) for %+g against %+g: %s", s.LLR(*p.sprt), low, high,
			p.sprt.Elo1, p.sprt.Elo0, decision)
	}
	row("ends", "%s", countText(s.Ends))
	row("length", "%.1f plies a game after the opening", float64(s.Plies)/float64(games))
	for i := range p.players {
		side := match.Side(i)
		parts := []string{}
		if n := s.NodesPerSecond(side); n > 0 {
			spent := time.Duration(s.Spent[i]) * time.Microsecond
			parts = append(parts, cli.English.PerSecond(s.Nodes[i], spent)+" nodes/s")
		}
		if margin, ok := s.WorstMargin(side); ok {
			word := "left at the closest move"
			if margin < 0 {
				margin, word = -margin, "too late at the latest move"
			}
			parts = append(parts, fmt.Sprintf("%v %s", margin.Round(100*time.Microsecond), word))
		}
		if len(s.Faults[i]) > 0 {
			parts = append(parts, "faults: "+countText(s.Faults[i]))
		}
		if len(parts) > 0 {
			row(side.String(), "%s", strings.Join(parts, "; "))
		}
	}
	row("time", "%v", cli.RoundTime(elapsed))
	if text := doubt(s); text != "" {
		row("note", "%s", text)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// doubt returns what makes the statistics worth nothing, "" if nothing does.
func doubt(s *match.Summary) string {
	n := s.NumPairs()
	_, variance := s.MeanAndVariance()
	switch {
	case n < 2:
		return ""
	case 2*s.Same > n:
		return fmt.Sprintf("in %d of %d pairs both games are the same, move for move: the players play "+
			"alike", s.Same, n)
	case variance == 0 && s.Pairs[2] == n:
		return "every pair is even: the players may be the same"
	case variance == 0:
		return "every pair has the same score, so the interval is only what so many pairs can say"
	}
	return ""
}

// countText returns how often what ended games, the most frequent first.
func countText(counts map[match.End]int) string {
	ends := slices.SortedFunc(maps.Keys(counts), func(a, b match.End) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(string(a), string(b)))
	})
	var parts []string
	for _, e := range ends {
		parts = append(parts, fmt.Sprintf("%s %d", e, counts[e]))
	}
	return strings.Join(parts, ", ")
}

// maxFaults is how many faults are printed in full; the log has all.
const maxFaults = 5

// writeFaults writes what players did wrong, with the last lines of the dialogue.
func writeFaults(out io.Writer, faults []match.Result) error {
	var b strings.Builder
	for i, r := range faults {
		if i == maxFaults {
			fmt.Fprintf(&b, "\n%d more faults, which the log has\n", len(faults)-maxFaults)
			break
		}
		fmt.Fprintf(&b, "\ngame %d, %s: %s, %s\n%s\n", r.Game, r.Fault.Player, r.End, r.Fault.Text,
			r.Position)
		for _, line := range r.Fault.Dialogue {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}
