package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/compose"
	"github.com/tsumero/tsumero/solver/games"
)

// GameOptions say how Games answers and prints.
type GameOptions struct {
	// NewSession makes a session. Each of Workers goroutines has one.
	NewSession func() solver.Session
	Workers    int
	Limits     games.Limits
	Time       time.Duration // the longest work on a game; 0 for any
	Format     string        // one of GameFormats
	Language                 // of the format "text"
	Keep       *Keep         // has what was found before; nil: nothing is kept
	Puzzles    io.Writer     // gets the mates of the games that are sound problems; nil: they are not looked for
	Names      bool          // the problems say who played
	// Each is called with the record of each game, in order, with a comment at each move that has a
	// mark, and where the game was found. Its error ends the run. It may be nil.
	Each func(r *notation.Record, at Location) error
}

// GameFormats are the values of GameOptions.Format.
var GameFormats = []string{"text", "json"}

// A GameTally counts what became of the games.
type GameTally struct {
	counts
	Marks map[string]int // that are proven, by their kinds
	Open  int            // questions
	Nodes uint64
	// Mates are those that were examined for GameOptions.Puzzles, and Puzzles those written.
	Mates, Puzzles int
}

// Summary says in one line what became of the games in that time.
func (t *GameTally) Summary(l Language, d time.Duration) string {
	puzzles := ""
	if t.Mates > 0 {
		puzzles = l.Sprintf("%s gave %s; ", "詰み%sから新しい完全作%s。", Plural(t.Mates, "mate"), Plural(t.Puzzles, "new sound problem"))
	}
	return l.Sprintf("%s: %d missed mates, %d mates allowed, %d threats ignored; %s%s open, %d faulty; %s in %v",
		"%s：詰み逃し%d、頓死%d、詰めろ見落とし%d。%s未確認%s、誤り%d。探索%s、%v",
		Plural(t.Questions(), "game"), t.Marks[games.MateMissed.String()], t.Marks[games.MateAllowed.String()],
		t.Marks[games.ThreatIgnored.String()], puzzles, Plural(t.Open, "question"), t.Faulty, Plural(t.Nodes, "node"),
		RoundTime(d))
}

// Games says of each game which moves missed a mate, allowed one, and so on, in the order of the
// games. However many games there are, only a few for each worker are held at a time. Faults,
// interrupts and progress are as for Solve.
func Games(ctx context.Context, o GameOptions, questions iter.Seq2[Question, error],
	out, stderr io.Writer, progress *Progress) (GameTally, error) {
	buffered := bufio.NewWriter(out)
	r := &gameRun{GameOptions: o, out: buffered, stderr: stderr,
		unused: make(chan solver.Session, max(o.Workers, 1))}
	r.tally.noun, r.tally.Marks = "game", map[string]int{}
	if o.Puzzles != nil {
		if _, err := fmt.Fprintln(o.Puzzles, wire.ComposedHeading); err != nil {
			return r.tally, err
		}
	}
	err := each(ctx, o.Workers, questions, buffered, progress, &r.tally.counts, r.ask, r.print)
	return r.tally, err
}

// A gameRun is one call of Games.
type gameRun struct {
	GameOptions
	out     *bufio.Writer
	stderr  io.Writer
	unused  chan solver.Session
	tally   GameTally
	printed bool
	known   compose.Archive // of the problems written
}

// A judged says what became of a game.
type judged struct {
	*wire.GameAnswer
	record      *notation.Record
	puzzles     []compose.Problem
	fault       error
	interrupted bool
}

// ask judges a game.
func (r *gameRun) ask(ctx context.Context, q *Question) judged {
	start, moves, notes, err := q.problem()
	if err == nil {
		err = games.Check(moves)
	}
	if err != nil {
		return judged{fault: err}
	}
	record, _ := q.read() // again, where it is an argument
	began := time.Now()
	ctx, cancel := within(ctx, r.Time)
	defer cancel()
	var session solver.Session
	select {
	case session = <-r.unused:
	default:
		session = r.NewSession()
	}
	a := r.answer(ctx, session, start, moves)
	a.Notes, a.ElapsedUS = notes, new(time.Since(began).Microseconds())
	g := judged{GameAnswer: a, record: record, interrupted: a.Reason == string(solver.ReasonCancelled)}
	for i := range a.Mates {
		if p, err := shogi.ParseSFEN(a.Mates[i].SFEN); err == nil && r.Puzzles != nil {
			if q, ok := compose.NewFinder(session).Find(ctx, p); ok {
				g.puzzles = append(g.puzzles, q)
			}
		}
	}
	select {
	case r.unused <- session:
	default: // more goroutines than there were said to be
	}
	return g
}

// writePuzzles writes the problems of a game that are not like one before.
func (r *gameRun) writePuzzles(g *judged) error {
	r.known.Begin()
	if r.Puzzles != nil {
		r.tally.Mates += len(g.Mates)
	}
	for i := range g.puzzles {
		if !r.known.Add(&g.puzzles[i]) {
			continue
		}
		row := wire.NewComposedProblem(&g.puzzles[i]).AppendTSV(nil, string(r.Language))
		if r.Names {
			names := strings.Fields(cmp.Or(g.record.Get("先手"), g.record.Get("下手")) + " – " +
				cmp.Or(g.record.Get("後手"), g.record.Get("上手")))
			row = fmt.Appendf(row[:len(row)-1], "\t%s\n", strings.Join(names, " "))
		}
		if _, err := r.Puzzles.Write(row); err != nil {
			return err
		}
		r.tally.Puzzles++
	}
	return nil
}

// answer returns what is found out about a game, or was before.
func (r *gameRun) answer(ctx context.Context, session solver.Session, start shogi.Position,
	moves []shogi.Move) *wire.GameAnswer {
	key := ""
	if r.Keep != nil {
		text := fmt.Appendf(nil, "games\n%s\n%s %d", r.Keep.build, start.SFEN(), r.Limits.Nodes)
		for _, m := range moves {
			text = m.AppendUSI(append(text, ' '))
		}
		key = keyOf(text)
		a := new(wire.GameAnswer)
		if json.Unmarshal(r.Keep.text(key), a) == nil {
			return a
		}
	}
	g := games.Judge(ctx, session, start, moves, r.Limits)
	a := wire.NewGameAnswer(start, moves, g)
	if r.Keep != nil && g.Reason == solver.NoReason {
		r.Keep.addText(key, wire.AppendJSON(nil, a))
	}
	return a
}

func (r *gameRun) print(q *Question, g judged) error {
	if g.fault != nil {
		r.tally.Faulty++
		if r.Format != "json" {
			return printFault(r.out, r.stderr, r.Language, *q, g.fault)
		}
		_, err := r.out.Write(wire.Encode(struct {
			Source Location `json:"source,omitzero"`
			*wire.Problem
		}{q.location(), wire.Invalid(faultsOf(*q, g.fault))}))
		return err
	}
	r.tally.Answered++
	if g.interrupted {
		r.tally.Interrupted++
	}
	r.tally.Open += len(g.Open)
	r.tally.Nodes += g.Nodes
	for i := range g.Marks {
		if g.Marks[i].State == "proven" {
			r.tally.Marks[g.Marks[i].Kind]++
		}
	}
	if err := r.writePuzzles(&g); err != nil {
		return err
	}
	if r.Each != nil {
		comment(g.record, g.GameAnswer, string(r.Language))
		if err := r.Each(g.record, q.location()); err != nil {
			return err
		}
	}
	if r.Format == "json" {
		_, err := r.out.Write(wire.Encode(struct {
			Source Location `json:"source,omitzero"`
			*wire.GameAnswer
		}{q.location(), g.GameAnswer}))
		return err
	}
	if r.printed {
		r.out.WriteByte('\n')
	}
	r.printed = true
	fmt.Fprintln(r.out, r.locateText(q, g.Summary(string(r.Language))))
	for _, n := range g.Notes {
		fmt.Fprintf(r.out, "  ! %s\n", r.Text(n.TextEn, n.TextJa))
	}
	for i := range g.Marks {
		m := &g.Marks[i]
		move := r.Text(m.MoveEn, m.MoveJa)
		fmt.Fprintf(r.out, "%4d %s%s %s\n", m.Ply, move, strings.Repeat(" ", max(moveCells-Cells(move), 0)),
			m.Text(string(r.Language)))
	}
	return nil
}

// moveCells is how wide almost all moves are.
const moveCells = 10

// comment puts what was found out into the record of a game.
func comment(r *notation.Record, a *wire.GameAnswer, language string) {
	r.Root.Comments = append(r.Root.Comments, a.Summary(language))
	n, played := r.Root, 0
	for i := range a.Marks {
		for ; played < a.Marks[i].Ply; played++ {
			n = n.Next[0]
		}
		n.Comments = append(n.Comments, a.Marks[i].Text(language))
	}
}
