package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
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
	Language
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
			fmt.Fprintf(stderr, "tsumero: %v\n", o.Error(err))
			t.Faulty++
			continue
		}
		a, r := o.answer(ctx, &asked)
		t.Verdicts[r.Verdict]++
		text := wire.AppendJSON(nil, a)
		if o.Output != "json" {
			text = []byte(o.threatText(a))
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
func (l Language) threatText(a *wire.ThreatAnswer) string {
	var b strings.Builder
	say := func(name string, n int) string { return l.In(report.Say(name, "n", strconv.Itoa(n))) }
	name, n := "threat_"+a.Verdict, a.Plies
	switch a.Verdict {
	case threat.Brinkmate.String():
		if !*a.Exact {
			name += "_at_most"
		}
	case threat.None.String(), threat.Unknown.String():
		n = threat.Plies(a.Attacks)
	}
	fmt.Fprintf(&b, "%s\n  ", a.SFEN)
	if a.Verdict != threat.Unknown.String() {
		b.WriteString(say(name, n))
	} else if b.WriteString(l.Sprintf("Unknown: %s.", "不明（%s）。", l.reasonText(solver.Reason(a.Reason)))); a.Attacks > 0 {
		b.WriteString(l.Text(" ", "") + say(name+"_within", n))
	}
	if len(a.MovesJa) > 0 {
		b.WriteString(" " + strings.Join(a.MovesJa, " "))
	}
	moves := func(name string, list []wire.MoveText) {
		if len(list) > 0 {
			fmt.Fprintf(&b, "\n  %s", name)
		}
		for _, m := range list {
			b.WriteString(" " + m.MoveJa)
		}
	}
	moves(l.Text("first moves:", "初手："), a.FirstMoves)
	moves(l.Text("first moves not decided:", "未確認の初手："), a.OpenMoves)
	replies := 0
	for _, g := range a.Replies {
		replies += len(g.Replies)
	}
	if replies > 0 {
		fmt.Fprintf(&b, "\n  %s", say("threat_replies", replies))
	}
	for _, g := range a.Replies {
		last := slices.MaxFunc(g.Replies, func(x, y wire.ThreatReply) int { return cmp.Compare(len(x.Mate), len(y.Mate)) })
		square := g.Square
		if sq, err := shogi.ParseSquare(square); err == nil {
			square = l.Text(square, sq.Japanese())
		}
		kind := l.In(report.Say("reply_"+g.Kind, "square", square))
		fmt.Fprintf(&b, "\n    %s%s %3d  %s %s", kind, strings.Repeat(" ", max(12-Cells(kind), 0)), len(g.Replies),
			last.MoveJa, strings.Join(last.MateJa, " "))
	}
	return b.String()
}
