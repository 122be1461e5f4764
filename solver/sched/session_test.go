package sched

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
)

// A fakeSession counts what is done with it.
type fakeSession struct {
	solver.Session
	number, asked, resets int
}

func (s *fakeSession) Ask(context.Context, solver.Question) solver.Result {
	s.asked++
	return noMate
}

func (s *fakeSession) Reset() { s.resets++ }

// sessionsOf returns a scheduler with so many sessions, which are returned as they are made.
func sessionsOf(t *testing.T, c SessionConfig) (*Scheduler, *counts, *[]*fakeSession) {
	made := new([]*fakeSession)
	c.New = func() solver.Session {
		s := &fakeSession{number: len(*made)}
		*made = append(*made, s)
		return s
	}
	s, n := newScheduler(t, Config{Cache: &mapCache{}, Sessions: c,
		Long: PoolConfig{Solver: takes(time.Second, noMate)}})
	return s, n, made
}

// holds returns a task that uses a session for so long, unless its context ends before. Its answer
// says which one it was.
func holds(d time.Duration) *Task {
	return &Task{Run: func(ctx context.Context, q *Question, p *Parts) (*Answer, error) {
		a := &Answer{}
		took, err := p.WithSession(ctx, q.Time, func(ctx context.Context, s solver.Session) solver.Result {
			a.Rendered = fmt.Append(nil, q.Variant, s.(*fakeSession).number)
			p.Publish("half")
			r := s.Ask(ctx, solver.Question{})
			select {
			case <-time.After(d):
				a.Repeatable = true
			case <-ctx.Done():
				r = solver.Result{Reason: solver.StopReason(ctx)}
			}
			a.Result = r
			return r
		})
		a.Elapsed = took
		var busy *OverloadedError
		switch {
		case errors.As(err, &busy):
			return nil, err
		case err != nil:
			a.Result.Reason = solver.ReasonCancelled
		}
		return a, nil
	}}
}

func variant(text string, q *Question) *Question {
	q.Variant = text
	return q
}

// TestSessions: as many as there are slots run at once, one after the other gets the same session,
// reset; the rest waits, or is refused. All of it is counted and charged.
func TestSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n, made := sessionsOf(t, SessionConfig{Slots: 1, Queue: 1, Wait: 10 * time.Second})
		task, charged := holds(time.Second), time.Duration(0)
		client := &Client{Charge: func(d time.Duration) { charged += d }}
		question := func(sfen string) *Question { return by(client, with(task, within(time.Minute, about(sfen, 0)))) }
		first := ask(t.Context(), s, question(sfenA))
		synctest.Wait()
		second := ask(t.Context(), s, question(sfenB))
		synctest.Wait()
		if n.running[Analysis] != 1 || n.waiting[Analysis] != 1 {
			t.Errorf("%d run, %d wait", n.running[Analysis], n.waiting[Analysis])
		}
		busy := wantOverloaded(t, <-ask(t.Context(), s, question(sfenC)), Analysis)
		if busy.RetryAfter <= 0 || busy.Error() != "sched: all sessions are taken" {
			t.Errorf("%v after %v", busy, busy.RetryAfter)
		}
		for _, r := range []reply{<-first, <-second} {
			wantResult(t, r, solver.NoMate, "", Searched)
			if string(r.Rendered) != "0" || r.Elapsed != time.Second {
				t.Errorf("%+v", r.Answer)
			}
		}
		if len(*made) != 1 || (*made)[0].resets != 2 || (*made)[0].asked != 2 {
			t.Errorf("%d sessions, the first is %+v", len(*made), (*made)[0])
		}
		if charged != 2*time.Second || len(n.ended[Analysis]) != 2 || len(n.granted[Analysis]) != 2 {
			t.Errorf("%v charged, %d ended, %d granted", charged, len(n.ended[Analysis]), len(n.granted[Analysis]))
		}
		wantIdle(t, s, n)
	})
}

// TestSessionVariant: what a variant asks is another question, kept and joined apart.
func TestSessionVariant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n, _ := sessionsOf(t, SessionConfig{Slots: 3})
		task := holds(time.Second)
		question := func(v string) *Question { return variant(v, with(task, within(time.Minute, about(sfenA, 0)))) }
		a, b := ask(t.Context(), s, question("a")), ask(t.Context(), s, question("b"))
		synctest.Wait()
		joins := ask(t.Context(), s, question("a"))
		ra, rb, rj := <-a, <-b, <-joins
		if ra.source != Searched || rb.source != Searched || rj.source != Joined || ra.Rendered[0] != 'a' ||
			rb.Rendered[0] != 'b' || rj.Rendered[0] != 'a' {
			t.Errorf("%s %s %s", ra.Rendered, rb.Rendered, rj.Rendered)
		}
		for _, v := range []string{"a", "b"} {
			if r := <-ask(t.Context(), s, question(v)); r.source != Cached || string(r.Rendered[:1]) != v {
				t.Errorf("%s: %s %s", v, r.source, r.Rendered)
			}
		}
		wantIdle(t, s, n)
	})
}

// TestSessionEnds: time ends a session's work, and so does the last client that leaves; what is
// waited for is left at once.
func TestSessionEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n, _ := sessionsOf(t, SessionConfig{Slots: 1})
		task := holds(time.Hour)
		question := func(d time.Duration) *Question { return with(task, within(d, about(sfenA, 0))) }
		r := <-ask(t.Context(), s, question(time.Second))
		wantResult(t, r, solver.Unknown, solver.ReasonTime, Searched)
		if r.Elapsed != time.Second {
			t.Errorf("took %v", r.Elapsed)
		}
		ctx, cancel := context.WithCancel(t.Context())
		running := ask(ctx, s, question(time.Minute))
		synctest.Wait()
		waiting := ask(ctx, s, with(task, within(time.Minute, about(sfenB, 0))))
		joined := ask(ctx, s, question(time.Minute))
		synctest.Wait()
		began := time.Now()
		cancel()
		wantResult(t, <-running, solver.Unknown, solver.ReasonCancelled, Searched)
		wantResult(t, <-waiting, solver.Unknown, solver.ReasonCancelled, Searched)
		wantResult(t, <-joined, solver.Unknown, solver.ReasonCancelled, Joined)
		if time.Since(began) != 0 {
			t.Errorf("ended after %v", time.Since(began))
		}
		wantIdle(t, s, n)
	})
}

// TestSessionPanic: a session that do panicked with is not used again, and its slot is free.
func TestSessionPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n, made := sessionsOf(t, SessionConfig{Slots: 1})
		bad := &Task{Run: func(ctx context.Context, q *Question, p *Parts) (*Answer, error) {
			_, err := p.WithSession(ctx, time.Second, func(context.Context, solver.Session) solver.Result {
				panic("as asked")
			})
			return nil, err
		}}
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			_, _, _ = s.Ask(t.Context(), with(bad, about(sfenA, 0)))
		}()
		r := <-ask(t.Context(), s, with(holds(0), within(time.Second, about(sfenA, 0))))
		if string(r.Rendered) != "1" || len(*made) != 2 {
			t.Errorf("session %s of %d", r.Rendered, len(*made))
		}
		wantIdle(t, s, n)
	})
}

// TestPublished: who follows a call, also one who joins, has what its task published.
func TestPublished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n, _ := sessionsOf(t, SessionConfig{Slots: 1})
		task := holds(time.Second)
		var calls []*Call
		question := func() *Question {
			q := with(task, within(time.Minute, about(sfenA, 0)))
			q.Follow = func(c *Call) { calls = append(calls, c) }
			return q
		}
		release := func() { time.Sleep(time.Second) }
		blocker := ask(t.Context(), s, with(task, within(time.Minute, about(sfenB, 0))))
		synctest.Wait()
		first := ask(t.Context(), s, question())
		synctest.Wait()
		if calls[0].Published() != nil || calls[0].Progress() != nil {
			t.Error("something is published while the task waits")
		}
		release()
		synctest.Wait()
		second := ask(t.Context(), s, question())
		synctest.Wait()
		if len(calls) != 2 || calls[1].Published() != "half" || calls[1].Progress() == nil {
			t.Errorf("%d calls, published is %v", len(calls), calls[1].Published())
		}
		<-blocker
		<-first
		<-second
		wantIdle(t, s, n)
	})
}

// TestNoSessions: there may be none.
func TestNoSessions(t *testing.T) {
	with, _ := newScheduler(t, Config{Long: PoolConfig{Solver: untilTime()}})
	if with.HasSessions() {
		t.Error("there are sessions")
	}
	if s, _, _ := sessionsOf(t, SessionConfig{}); !s.HasSessions() || s.sessions.total < 1 {
		t.Error("there are no sessions")
	}
}

// TestPlain: a task may ask its own question without itself. Who follows sees that search, and the
// answer is kept for those who ask it plainly.
func TestPlain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n, _ := sessionsOf(t, SessionConfig{Slots: 1})
		task := &Task{Run: func(ctx context.Context, q *Question, p *Parts) (*Answer, error) {
			a, err := p.Plain(ctx)
			if err != nil {
				return nil, err
			}
			more := *a
			more.Detail = q.Detail
			return &more, nil
		}}
		q := variant("a", with(task, about(sfenA, 0)))
		q.Detail = 7
		var call *Call
		q.Follow = func(c *Call) { call = c }
		answer := ask(t.Context(), s, q)
		synctest.Wait()
		if call.Progress() == nil {
			t.Error("the search says nothing")
		}
		r := <-answer
		if r.err != nil || r.Detail != 7 || r.Result.Verdict != solver.NoMate || r.Elapsed != time.Second {
			t.Errorf("%v %+v", r.err, r.Answer)
		}
		if call.Progress() != nil {
			t.Error("the search goes on")
		}
		if r := <-ask(t.Context(), s, about(sfenA, 0)); r.source != Cached || r.Detail != nil {
			t.Errorf("plainly: %s %+v", r.source, r.Answer)
		}
		wantIdle(t, s, n)
	})
}

// TestPlaySlots: as many Tasks run at once as there are slots for play, and they take none of the
// others. The rest waits, or is refused. Without such slots there are none.
func TestPlaySlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := newScheduler(t, Config{Long: PoolConfig{Solver: takes(time.Second, noMate), Slots: 1},
			Play: PlayConfig{Slots: 1, Queue: 1, Wait: 10 * time.Second}})
		charged := time.Duration(0)
		client := &Client{Charge: func(d time.Duration) { charged += d }}
		task := &Task{Run: func(ctx context.Context, q *Question, p *Parts) (*Answer, error) {
			ended := false
			took, err := p.WithPlaySlot(ctx, q.Time, func(ctx context.Context) {
				select {
				case <-time.After(time.Minute):
				case <-ctx.Done():
					ended = true
				}
			})
			if err != nil {
				return nil, err
			}
			return &Answer{Elapsed: took, Detail: ended}, nil
		}}
		question := func(sfen string) *Question { return by(client, with(task, within(time.Second, about(sfen, 0)))) }
		first := ask(t.Context(), s, question(sfenA))
		synctest.Wait()
		second := ask(t.Context(), s, question(sfenB))
		synctest.Wait()
		if n.running[Play] != 1 || n.waiting[Play] != 1 {
			t.Errorf("%d run, %d wait", n.running[Play], n.waiting[Play])
		}
		busy := wantOverloaded(t, <-ask(t.Context(), s, question(sfenC)), Play)
		if busy.RetryAfter <= 0 || busy.Error() != "sched: all slots for play are taken" {
			t.Errorf("%v after %v", busy, busy.RetryAfter)
		}
		if r := <-ask(t.Context(), s, about(sfenA, 0)); r.err != nil || r.Elapsed != time.Second {
			t.Errorf("a search for a mate: %+v", r)
		}
		for _, r := range []reply{<-first, <-second} {
			if r.err != nil || r.Detail != true || r.Elapsed != time.Second {
				t.Errorf("%v %+v", r.err, r.Answer)
			}
		}
		if charged != 2*time.Second || len(n.granted[Play]) != 2 {
			t.Errorf("%v charged, %d granted", charged, len(n.granted[Play]))
		}
		wantIdle(t, s, n)
		if other, _ := newScheduler(t, Config{Long: PoolConfig{Solver: untilTime()}}); !s.HasPlay() || other.HasPlay() {
			t.Error("slots for play")
		}
	})
}

// TestBackground: long searches, sessions and play run in the background, quick searches do not.
func TestBackground(t *testing.T) {
	inside := 0
	var where []bool
	note := solver.Func(func(_ context.Context, _ shogi.Position, l solver.Limits) solver.Result {
		where = append(where, inside > 0)
		return solver.Result{Reason: solver.ReasonNodes, Nodes: l.Nodes}
	})
	s, _ := newScheduler(t, Config{Quick: PoolConfig{Solver: note}, Long: PoolConfig{Solver: note},
		Sessions: SessionConfig{New: func() solver.Session { return &fakeSession{} }},
		Play:     PlayConfig{Slots: 1},
		Background: func(f func()) {
			inside++
			defer func() { inside-- }()
			f()
		}})
	task := &Task{Run: func(ctx context.Context, q *Question, p *Parts) (*Answer, error) {
		_, err := p.WithSession(ctx, time.Minute, func(context.Context, solver.Session) solver.Result {
			where = append(where, inside > 0)
			return noMate
		})
		_, err2 := p.WithPlaySlot(ctx, time.Minute, func(context.Context) { where = append(where, inside > 0) })
		return &Answer{}, errors.Join(err, err2)
	}}
	for _, q := range []*Question{about(sfenA, 0), {Task: task}} {
		if _, _, err := s.Ask(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if want := []bool{false, true, true, true}; !slices.Equal(where, want) {
		t.Errorf("in the background: %v, want %v", where, want)
	}
}
