package cli

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/threat"
)

// ThreatOptions are what is asked about each position of the command threat.
type ThreatOptions struct {
	Searcher *threat.Searcher
	Kind     string // wire.AskThreat or wire.AskBrinkmate
	Limits   threat.Limits
	Time     time.Duration // for each position; 0: any
	Hands    string
	Output   string // "text" or "json"
}

// A ThreatTally is what became of the questions of a run.
type ThreatTally struct {
	Verdicts [threat.None + 1]int
	Faulty   int
}

// Threat answers the questions one after the other. The error is ErrInterrupted or that of out.
func Threat(ctx context.Context, o ThreatOptions, questions iter.Seq2[Question, error],
	out, stderr io.Writer) (t ThreatTally, err error) {
	for q, err := range questions {
		asked := wire.ThreatQuestion{Kind: o.Kind, Limits: o.Limits}
		if err == nil {
			p, wrong := q.Position()
			if err = wrong; err == nil {
				err = asked.SetPosition(p, o.Hands)
			}
		}
		if err != nil {
			fmt.Fprintf(stderr, "tsumero: %v\n", err)
			t.Faulty++
			continue
		}
		a, r := o.answer(ctx, &asked)
		t.Verdicts[r.Verdict]++
		text := wire.AppendJSON(nil, a)
		if o.Output != "json" {
			text = []byte(threatText(a))
		}
		if _, err := out.Write(append(text, '\n')); err != nil {
			return t, err
		}
		if ctx.Err() != nil {
			return t, ErrInterrupted
		}
	}
	return t, nil
}

func (o *ThreatOptions) answer(ctx context.Context, q *wire.ThreatQuestion) (*wire.ThreatAnswer, *threat.Result) {
	if o.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Time)
		defer cancel()
	}
	r, err := q.Ask(ctx, o.Searcher)
	if err != nil {
		panic(err) // SetPosition has found it valid
	}
	return wire.NewThreatAnswer(q, &r), &r
}

// threatText says an answer in words: the verdict, the line, and after the last attack of a brinkmate
// a line for each group of replies with the one that is mated last.
func threatText(a *wire.ThreatAnswer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n  ", a.SFEN)
	line := strings.Join(a.MovesJa, " ")
	switch a.Verdict {
	case threat.Threat.String():
		fmt.Fprintf(&b, "threat (詰めろ): %s would mate in %d: %s", a.Attacker, a.Plies, line)
	case threat.NoThreat.String():
		fmt.Fprintf(&b, "no threat: %s would not mate, at any length", a.Attacker)
	case threat.Mate.String():
		fmt.Fprintf(&b, "mate, and so no brinkmate: %s mates in %d or fewer: %s", a.Attacker, a.Plies, line)
	case threat.Brinkmate.String():
		fmt.Fprintf(&b, "brinkmate in %d (%d手必至", a.Plies, a.Plies)
		if !*a.Exact {
			b.WriteString(" or fewer, or a mate")
		}
		fmt.Fprintf(&b, "): %s", line)
	case threat.None.String():
		fmt.Fprintf(&b, "no mate, and no brinkmate in %d or fewer", threat.Plies(a.Attacks))
	default:
		fmt.Fprintf(&b, "unknown: %s", reasonText(solver.Reason(a.Reason)))
		if a.Attacks > 0 {
			fmt.Fprintf(&b, "; no brinkmate in %d or fewer", threat.Plies(a.Attacks))
		}
	}
	moves := func(name string, list []wire.MoveText) {
		if len(list) > 0 {
			fmt.Fprintf(&b, "\n  %s:", name)
		}
		for _, m := range list {
			b.WriteString(" " + m.MoveJa)
		}
	}
	moves("first moves", a.FirstMoves)
	moves("first moves not decided", a.OpenMoves)
	replies := 0
	for _, g := range a.Replies {
		replies += len(g.Replies)
	}
	if len(a.Replies) > 0 {
		fmt.Fprintf(&b, "\n  after it %s, each of which is mated; of each kind the longest:", repliesText(replies))
	}
	for _, g := range a.Replies {
		last := &g.Replies[0]
		for i := range g.Replies {
			if r := &g.Replies[i]; len(r.Mate) > len(last.Mate) {
				last = r
			}
		}
		fmt.Fprintf(&b, "\n    %-14s %3d  %s %s", strings.TrimSpace(groupNames[g.Kind]+" "+g.Square), len(g.Replies),
			last.MoveJa, strings.Join(last.MateJa, " "))
	}
	return b.String()
}

func repliesText(n int) string {
	if n == 1 {
		return "1 reply"
	}
	return fmt.Sprintf("%d replies", n)
}

// groupNames are the kinds of replies in words.
var groupNames = map[string]string{"check": "check", "capture": "capture", "king_move": "king", "drop": "drop on",
	"move": "other move"}
