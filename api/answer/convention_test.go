package answer_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/sched"
)

var (
	corpus = flag.String("convention.corpus", "testdata/convention.tsv",
		"tables of positions and raw lengths that TestPlayByConvention reads")
	problems = flag.Int("convention.problems", 8, "how many problems it plays")
	longest  = flag.Int("convention.longest", 7, "the longest raw length of one")
	script   = flag.String("convention.transcripts", "", "where it writes what was played")
)

// TestPlayByConvention: a reader who always finds a mating move is answered so that the number of
// moves is the length by convention if every move was of the shortest mate, and is greater if not,
// and never meets a futile reply.
func TestPlayByConvention(t *testing.T) {
	a := newAnswerer(t, answer.Config{Sched: realSolvers()})
	out := io.Discard
	if *script != "" {
		f, err := os.Create(*script)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		out = f
	}
	p := &players{t: t, a: a, random: rand.New(rand.NewPCG(1, 2)),
		plain: length.NewEngine(nil), deep: length.NewEngine(dfpn.NewSession())}
	for _, sfen := range readCorpus(t) {
		if p.problems >= *problems {
			break
		}
		solved := p.solve(sfen)
		if solved.Length == nil || solved.Length.Reason != "" || solved.Length.Low >= solved.Length.Raw.Low {
			continue
		}
		p.problems++
		fmt.Fprintf(out, "%s\n%d plies by convention, %d by the raw count\n", sfen, solved.Length.Low,
			solved.Length.Raw.Low)
		for _, shortest := range []bool{true, false} {
			fmt.Fprintln(out, p.play(sfen, solved.Length.Low, shortest))
		}
		fmt.Fprintln(out)
	}
	t.Logf("%d problems, %d ways to solve them, %d by main lines, %d replies, %d times mate by convention, "+
		"%d by the raw count", p.problems, p.ways, p.main, p.replies, p.final, p.open)
	if p.problems < *problems || p.main < p.problems || p.final == 0 || p.main == p.ways {
		t.Error("too few of them")
	}
}

// readCorpus returns positions whose raw length may be greater than that by convention.
func readCorpus(t *testing.T) (list []string) {
	paths, err := filepath.Glob(*corpus)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v", *corpus, err)
	}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			fields := strings.Split(lines.Text(), "\t")
			if strings.HasPrefix(lines.Text(), "#") || len(fields) < 2 {
				continue
			}
			if n, err := strconv.Atoi(fields[1]); err == nil && n >= 3 && n <= *longest {
				list = append(list, fields[0])
			}
		}
	}
	return list
}

// players are readers who solve problems, and what became of it.
type players struct {
	t           *testing.T
	a           *answer.Answerer
	random      *rand.Rand
	plain, deep *length.Engine // which judge the replies

	problems, ways, main, replies, final, open int
}

// ask asks a question that is read.
func ask[T any](p *players, q *sched.Question, problem *wire.Problem) *T {
	if problem != nil {
		p.t.Fatalf("%+v", problem)
	}
	found, _, err := p.a.Scheduler().Ask(context.Background(), q)
	if err != nil {
		p.t.Fatal(err)
	}
	into, e := new(T), answer.Plain(found, nil)
	if err := json.Unmarshal(e.AppendLine(nil), into); err != nil {
		p.t.Fatal(err)
	}
	return into
}

func (p *players) solve(sfen string) *wire.Answer {
	var asked wire.Question
	var q sched.Question
	body := fmt.Sprintf(`{"sfen":%q,"limits":{"shortest":true,"length":"F2","nodes":500000}}`, sfen)
	if problem := p.a.Requests().Solve([]byte(body), &asked); problem != nil {
		return &wire.Answer{} // none of ours
	}
	p.a.Question(&asked, &q)
	return ask[wire.Answer](p, &q, nil)
}

func (p *players) moves(sfen string, attacker shogi.Color, policy string) *wire.MovesAnswer {
	var asked wire.Question
	var q sched.Question
	body := fmt.Sprintf(`{"sfen":%q,"attacker":%q,"limits":{"length":%q,"nodes":500000}}`, sfen, attacker,
		policy)
	problem := p.a.Requests().Moves([]byte(body), &asked)
	p.a.Moves(&asked, &q)
	return ask[wire.MovesAnswer](p, &q, problem)
}

// play solves a problem, whose length is plies, as the board lets a reader do, and returns what was
// played.
func (p *players) play(sfen string, plies int, shortest bool) string {
	p.ways++
	start := shogi.MustParseSFEN(sfen)
	attacker, now := start.SideToMove(), start
	var line []shogi.Move
	isMain, isOpen := true, false
	end := func(how string) string {
		// Where a length on the way is open nobody says whether the way is a main line.
		if !isOpen && isMain != (len(line) == plies) || len(line) < plies {
			p.t.Errorf("%s: solved in %d plies, by a main line: %v; the length is %d: %v", sfen, len(line),
				isMain, plies, line)
		}
		if isMain {
			p.main++
		}
		return fmt.Sprintf("%s\nsolved in %d plies, %s; by a main line: %v",
			strings.Join(movetext.JapaneseLine(start, line), " "), len(line), how, isMain)
	}
	for len(line) < 99 {
		at := sfen + " moves"
		for _, m := range line {
			at += " " + m.String()
		}
		var mating []string
		policy := "F0"
		if shortest || len(line) > 8 { // who wanders must come home
			policy = "F2"
		}
		for _, m := range p.moves(strings.TrimSuffix(at, " moves"), attacker, policy).Moves {
			if m.Verdict == "mate" {
				mating = append(mating, m.Move)
			}
		}
		if policy == "F2" && len(mating) > 0 {
			mating = mating[:1]
		}
		if len(mating) == 0 {
			p.t.Errorf("%s: no move mates", at)
			return ""
		}
		m := p.move(mating[p.random.IntN(len(mating))])
		now.Do(m)
		line = append(line, m)
		if now.IsCheckmate() {
			return end("mate")
		}
		a := p.moves(at+" "+m.String(), attacker, "F2")
		if a.Verdict != "mate" || a.Length == nil {
			p.t.Errorf("%s %v: %s", at, m, a.Verdict)
			return ""
		}
		isMain = isMain && a.Length.Reason == "" && len(line)+a.Length.Low == plies
		if a.Length.High == 0 {
			p.final++
			return end("what is left is futile")
		}
		reply := p.move(a.Best)
		if p.replies++; a.Length.Reason == "" {
			p.judge(now, attacker, reply, a.Length.Low)
		} else {
			isOpen = true // the reply is by the raw count
			p.open++
		}
		now.Do(reply)
		line = append(line, reply)
	}
	p.t.Errorf("%s: not solved by %v", sfen, line)
	return ""
}

func (p *players) move(text string) shogi.Move {
	m, err := shogi.ParseMove(text)
	if err != nil {
		p.t.Fatal(err)
	}
	return m
}

// judge has an engine judge a reply in a position of that length: one without a session, where that
// is short.
func (p *players) judge(now shogi.Position, attacker shogi.Color, reply shogi.Move, plies int) {
	e := p.plain
	if plies > 4 {
		e = p.deep
	}
	e.Begin(attacker, length.F2)
	n, reason := e.Within(context.Background(), now, plies, 0)
	if n != plies || reason != solver.NoReason {
		p.t.Errorf("%s: length %d, want %d", now.SFEN(), plies, n)
	}
	replies, _ := e.Replies(context.Background(), now, plies, 0)
	for _, r := range replies {
		if r.Move == reply && (r.Futile != length.NotFutile || r.Length != plies) {
			p.t.Errorf("%s: the reply %v is %v, and lasts %d of %d plies", now.SFEN(), reply, r.Futile,
				r.Length, plies)
		}
	}
}
