package queue

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/wire"
)

// Work is how a process works on jobs.
type Work struct {
	Name    string // unique among all workers
	Version string // of what answers, which is stored with the answers
	// Slots is how many chunks are worked on at once of which each line is answered soon, and Long
	// how many besides them that have a line which takes longer.
	Slots, Long int
	// Classes are the memory classes that it takes besides 0, in GiB.
	Classes []int
	// Do works on a turn, and ends it by one of its methods, or returns why it could not.
	Do func(t *Turn) error
	// Grace is how long turns may take to end when the process does.
	Grace time.Duration
}

// The queues of River, by what a turn needs.
const (
	shortQueue = "tsumero_short"
	longQueue  = "tsumero_long"
)

func bigQueue(class int) string { return "tsumero_big_" + strconv.Itoa(class) }

// queueOf returns the queue of the first turn at a chunk, or, of a chunk that needed long, of the next.
func queueOf(ask string, memory int, long bool) string {
	switch {
	case memory > 0:
		return bigQueue(memory)
	case long || ask != jobs.AskSolve: // an analysis has no short search
		return longQueue
	}
	return shortQueue
}

// priorityOf returns River's priority, from 1, which comes first, to 4, of a row in a queue by that of
// its job. Of the rows of a client that are short the next one comes before the others: see promote.
func priorityOf(priority int, queue string, next bool) int {
	p := 1
	if priority < 0 {
		p = 3
	}
	if queue == shortQueue && !next {
		p++
	}
	return p
}

// Why a turn ends before its lines are answered.
var (
	// errEnded says that the job has ended, or that another process has the chunk.
	errEnded = errors.New("queue: the job has ended")
	// ErrDraining says that the process ends.
	ErrDraining = errors.New("queue: the process ends")
)

// A Later is an error with which Work.Do gives a turn back for a while.
type Later struct{ After time.Duration }

// Error says so.
func (l *Later) Error() string { return fmt.Sprintf("queue: again in %v", l.After) }

// IsEnded reports whether an error, or the cause of the end of a context, says that the answers of a
// turn are not wanted any more.
func IsEnded(err error) bool { return errors.Is(err, errEnded) }

// chunkArgs are those of a row: a turn at a chunk.
type chunkArgs struct {
	Job  jobs.ID `json:"job"`
	N    int     `json:"n"`
	Turn int     `json:"turn"`
}

// A newRow is a row that is to be inserted.
type newRow struct {
	chunkArgs
	queue    string
	priority int
}

// A turnRow is the row of a turn in River.
type turnRow struct {
	chunkArgs
	id      int64
	attempt int
	queue   string
	// complete ends the row in a transaction.
	complete func(ctx context.Context, t *tx) error
}

// A Turn is the work on a chunk by one process. Each turn but the last stores a part of the answers.
//
// What it stores is stored only if the turn is still the latest one: the first statement of each
// transaction says so. A process that was stopped for so long that others took the chunk over changes
// nothing when it wakes.
type Turn struct {
	Job   *jobs.Job
	N     int        // the number of the chunk, from 0
	Chunk jobs.Chunk // all of its lines
	// Long says that the turn may take long: it does not have one of the short slots.
	Long bool
	// Attempt is how often this turn was begun, with this time. It counts ends that are nobody's fault.
	Attempt int
	// Parts are stored, which have the answers up to line Answered. Counts, Nodes and Bytes are theirs.
	Parts    int
	Answered int
	Counts   jobs.Counts
	Nodes    uint64
	Bytes    int64

	q        *Queue
	row      turnRow
	began    int64
	versions jobs.Versions // of the parts

	ctx      context.Context // ends when the answers are not wanted, or the process ends at once
	cancel   context.CancelCauseFunc
	draining chan struct{}
	drained  sync.Once

	mu       sync.Mutex
	progress *Progress
	written  string // of it
	running  bool   // the record of the job says so
}

// Context ends when the answers are not wanted any more: see IsEnded.
func (t *Turn) Context() context.Context { return t.ctx }

// Draining is closed when the process ends: the turn is to be ended by Next.
func (t *Turn) Draining() <-chan struct{} { return t.draining }

// SetProgress says how the turn goes. It is written now and then.
func (t *Turn) SetProgress(p Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.progress = &p
}

// A Part are answers to consecutive lines, which begin behind Turn.Answered.
type Part struct {
	Text   []byte // a line of JSON for each
	Last   int    // number of the last line
	Counts jobs.Counts
	Nodes  uint64
}

// turns are those of this process.
type turns struct {
	mu       sync.Mutex
	all      map[*Turn]bool
	draining bool
	begun    chan struct{} // has an element if a turn has begun that may take long
}

// add adds a turn, unless the process ends.
func (s *turns) add(t *Turn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return false
	}
	if s.all == nil {
		s.all = map[*Turn]bool{}
	}
	s.all[t] = true
	if t.Long {
		select {
		case s.begun <- struct{}{}:
		default:
		}
	}
	return true
}

func (s *turns) remove(t *Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, t)
}

func (s *turns) list() []*Turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*Turn, 0, len(s.all))
	for t := range s.all {
		all = append(all, t)
	}
	return all
}

// end ends the turns of a job that has ended.
func (s *turns) end(id jobs.ID) {
	for _, t := range s.list() {
		if t.Job.ID == id {
			t.cancel(errEnded)
		}
	}
}

// drain asks all turns to end.
func (s *turns) drain() {
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
	for _, t := range s.list() {
		t.drained.Do(func() { close(t.draining) })
	}
}

// abandon ends all turns at once.
func (s *turns) abandon() {
	for _, t := range s.list() {
		t.cancel(ErrDraining)
	}
}

// work works on a row. ctx has what River needs to end it, and ends too soon: see rowTime.
func (q *Queue) work(ctx context.Context, row turnRow) error {
	ctx = context.WithoutCancel(ctx)
	t, err := q.load(ctx, row)
	if t == nil {
		return err
	}
	defer t.cancel(nil)
	if !q.turns.add(t) {
		return ErrDraining
	}
	defer q.turns.remove(t)
	err = q.o.Work.Do(t)
	if IsEnded(err) || IsEnded(context.Cause(t.ctx)) {
		return nil
	}
	return err
}

// load reads what a turn needs. The turn is nil if it is not the latest one of its chunk, or the job
// has ended.
func (q *Queue) load(ctx context.Context, row turnRow) (*Turn, error) {
	t := &Turn{N: row.N, q: q, row: row, Attempt: row.attempt, draining: make(chan struct{}), began: q.now()}
	var state, turn int
	var frame []byte
	err := q.read(ctx, func(ctx context.Context, d *database) error {
		v, err := scanRecord(d.row(ctx, selectRecord, string(row.Job)))
		if err != nil {
			return err
		}
		t.Job = &v.Job
		err = d.row(ctx, `select state, turn, parts, answered, mate, nomate, unknown, faulty, nodes, out_bytes, versions
			from tsumero_chunk where job = $1 and n = $2`, string(row.Job), row.N).Scan(&state, &turn, &t.Parts, &t.Answered,
			&t.Counts.Mate, &t.Counts.NoMate, &t.Counts.Unknown, &t.Counts.Faulty, &t.Nodes, &t.Bytes, &t.versions)
		if err != nil {
			return err
		}
		if state != chunkQueued || turn != row.Turn || t.Job.State.Ended() {
			return errEnded
		}
		err = d.row(ctx, `select data from tsumero_input where job = $1 and n = $2`, string(row.Job), row.N).Scan(&frame)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("%w: a question is missing", jobs.ErrDamaged)
		}
		if err != nil {
			return err
		}
		data, err := unpack(frame)
		if err == nil {
			t.Chunk, err = jobs.DecodeChunk(data)
		}
		if err != nil && !isOurs(err) {
			err = fmt.Errorf("%w: %w", jobs.ErrDamaged, err)
		}
		return err
	})
	switch {
	case errors.Is(err, jobs.ErrNotFound), IsEnded(err): // the job was removed, or has ended
		return nil, nil
	case errors.Is(err, jobs.ErrDamaged) && t.Job != nil:
		return nil, q.fail(ctx, t, err)
	case err != nil:
		return nil, err
	}
	t.Long = t.row.queue != shortQueue
	t.running = t.Job.State == jobs.Running
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	return t, nil
}

// fail ends a job whose input cannot be read.
func (q *Queue) fail(ctx context.Context, t *Turn, why error) error {
	q.o.Logger.Error("a question is damaged", "job", t.Job.ID.Short(), "chunk", t.N, "error", why.Error())
	err := q.write(ctx, func(ctx context.Context, x *tx) error {
		return q.end(ctx, x, t.Job, jobs.Failed, &jobs.Failure{Code: wire.InternalError.Code,
			Detail: fmt.Sprintf("Chunk %d of the input is damaged.", t.N)})
	})
	q.turns.end(t.Job.ID)
	return err
}

// Store stores a part.
func (t *Turn) Store(p *Part) error {
	return t.write(func(ctx context.Context, x *tx) error {
		return t.put(ctx, x, p, `touched = touched`)
	}, p)
}

// Finish stores the last part: the chunk is answered.
func (t *Turn) Finish(p *Part) error {
	return t.write(func(ctx context.Context, x *tx) error {
		now := t.q.now()
		if err := t.put(ctx, x, p, fmt.Sprintf(`turn = turn + 1, state = 2, river = 0, line = 0, progress = '',
			finished = %d`, now)); err != nil {
			return err
		}
		all, bytes, found := t.with(p)
		var done, chunks int
		var versions jobs.Versions
		err := x.row(ctx, `update tsumero_job set done_chunks = done_chunks + 1, mate = mate + $2,
			nomate = nomate + $3, unknown = unknown + $4, faulty = faulty + $5, nodes = nodes + $6,
			out_bytes = out_bytes + $7, state = 'running', started = case when started = 0 then $8 else started end,
			revision = revision + case when touched + 1000 <= $9 then 1 else 0 end,
			touched = case when touched + 1000 <= $9 then $9 else touched end
			where id = $1 and state in ('queued', 'running') returning done_chunks, chunks, versions`,
			string(t.Job.ID), all.Mate, all.NoMate, all.Unknown, all.Faulty, int64(t.Nodes+p.Nodes), bytes, t.began,
			now).Scan(&done, &chunks, &versions)
		if errors.Is(err, sql.ErrNoRows) {
			return errEnded
		}
		if err != nil {
			return err
		}
		known := len(versions)
		if versions = versions.With(found...); len(versions) > known {
			if _, err := x.exec(ctx, `update tsumero_job set versions = $2 where id = $1`, string(t.Job.ID),
				versions); err != nil {
				return err
			}
		}
		if done == chunks {
			if _, err := x.exec(ctx, `update tsumero_job set state = 'done', finished = $2, revision = revision + 1
				where id = $1`, string(t.Job.ID), now); err != nil {
				return err
			}
		}
		x.changed = append(x.changed, t.Job.ID)
		if err := x.lockClient(ctx, t.Job.Client); err != nil {
			return err
		}
		if err := t.q.refill(ctx, x, t.Job.Client, t.Job.Active, t.Job.Memory); err != nil {
			return err
		}
		return t.row.complete(ctx, x)
	}, p)
}

// Next ends the turn with a part, which may be empty, and leaves the rest to another turn. long says
// that the next line takes long.
func (t *Turn) Next(p *Part, long bool) error {
	return t.write(func(ctx context.Context, x *tx) error {
		if err := t.put(ctx, x, p, `turn = turn + 1, line = 0`); err != nil {
			return err
		}
		queue := queueOf(t.Job.Ask, t.Job.Memory, long)
		ids, err := x.insert(ctx, []newRow{{chunkArgs{t.Job.ID, t.N, t.row.Turn + 1}, queue,
			priorityOf(t.Job.Priority, queue, false)}})
		if err != nil {
			return err
		}
		if _, err := x.exec(ctx, `update tsumero_chunk set river = $3, queued = $4 where job = $1 and n = $2`,
			string(t.Job.ID), t.N, ids[0], t.q.now()); err != nil {
			return err
		}
		if t.row.queue == shortQueue {
			if err := x.lockClient(ctx, t.Job.Client); err != nil {
				return err
			}
			if err := x.promote(ctx, t.Job.Client, t.Job.Memory); err != nil {
				return err
			}
		}
		return t.row.complete(ctx, x)
	}, p)
}

// write runs f in a transaction, and counts the part then.
func (t *Turn) write(f func(ctx context.Context, x *tx) error, p *Part) error {
	err := t.q.write(context.WithoutCancel(t.ctx), f)
	switch {
	case errors.Is(err, errEnded):
		t.cancel(errEnded)
		t.q.count.discarded.Add(1)
		return errEnded
	case err != nil:
		return err
	}
	if p.Last > 0 {
		t.Counts, t.Bytes, t.versions = t.with(p)
		t.Nodes += p.Nodes
		t.Answered = p.Last
		t.Parts++
	}
	return nil
}

// with returns the counts, the bytes and the versions of the answers with those of a part.
func (t *Turn) with(p *Part) (c jobs.Counts, bytes int64, versions jobs.Versions) {
	c, versions = t.Counts, t.versions
	c.Add(p.Counts)
	if p.Last > 0 {
		versions = versions.With(t.q.o.Work.Version)
	}
	return c, t.Bytes + int64(len(p.Text)), versions
}

// put changes the chunk if the turn is its latest, and stores the part.
func (t *Turn) put(ctx context.Context, x *tx, p *Part, set string) error {
	c, bytes, versions := t.with(p)
	last, parts := t.Answered, t.Parts
	if p.Last > 0 {
		last, parts = p.Last, parts+1
	}
	n, err := x.exec(ctx, `update tsumero_chunk set `+set+`, answered = $5, mate = $6, nomate = $7, unknown = $8,
		faulty = $9, nodes = $10, out_bytes = $11, versions = $12, parts = $13
		where job = $1 and n = $2 and turn = $3 and parts = $4 and state = 1`, string(t.Job.ID), t.N, t.row.Turn, t.Parts,
		last, c.Mate, c.NoMate, c.Unknown, c.Faulty, int64(t.Nodes+p.Nodes), bytes, versions, parts)
	if err != nil {
		return err
	}
	if n == 0 {
		return errEnded
	}
	if p.Last == 0 {
		return nil
	}
	_, err = x.exec(ctx, `insert into tsumero_answer(job, n, k, data) values($1, $2, $3, $4)`, string(t.Job.ID), t.N,
		t.Parts, pack(p.Text))
	return err
}

// CountAttempt counts an attempt at a line, and returns how many there were, with this one. A line
// that ends the process is found by it.
func (t *Turn) CountAttempt(line int) (attempts int, err error) {
	err = t.q.write(context.WithoutCancel(t.ctx), func(ctx context.Context, x *tx) error {
		err := x.row(ctx, `update tsumero_chunk set attempts = case when line = $4 then attempts + 1 else 1 end, line = $4
			where job = $1 and n = $2 and turn = $3 and state = 1 returning attempts`, string(t.Job.ID), t.N, t.row.Turn,
			line).Scan(&attempts)
		if errors.Is(err, sql.ErrNoRows) {
			return errEnded
		}
		return err
	})
	return attempts, err
}

// UncountAttempt takes back the count of an attempt that came to nothing by no fault of the line.
func (t *Turn) UncountAttempt(line int) error {
	return t.q.write(context.WithoutCancel(t.ctx), func(ctx context.Context, x *tx) error {
		_, err := x.exec(ctx, `update tsumero_chunk set attempts = attempts - 1 where job = $1 and n = $2 and turn = $3
			and line = $4 and attempts > 0`, string(t.Job.ID), t.N, t.row.Turn, line)
		return err
	})
}

// heartbeatEvery is how often a process says which rows it still works on.
const heartbeatEvery = 2 * time.Second

// silence is after how long without a heartbeat a worker counts as gone.
const silence = 15 * time.Second

// heartbeat says until ctx ends that this process still works on its turns, writes their progress,
// and hears which of them have ended.
func (q *Queue) heartbeat(ctx context.Context) {
	timer := time.NewTicker(heartbeatEvery)
	defer timer.Stop()
	seen, busy := time.Time{}, 0
	for {
		all := q.turns.list()
		absent := q.o.Work != nil && (time.Since(seen) > silence/3 || busy != len(all))
		if absent || len(all) > 0 {
			if err := q.beatOnce(ctx, all); err != nil && ctx.Err() == nil {
				q.log.Warn("a heartbeat was not written", "error", err)
			} else {
				seen, busy = time.Now(), len(all)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-q.turns.begun: // that its job runs is to be seen soon
			select {
			case <-ctx.Done():
				return
			case <-time.After(heartbeatEvery / 20):
			}
		}
	}
}

func (q *Queue) beatOnce(ctx context.Context, all []*Turn) error {
	ended := map[*Turn]bool{}
	texts := map[*Turn]string{}
	err := q.write(ctx, func(ctx context.Context, x *tx) error {
		clear(ended)
		now := q.now()
		for _, t := range all {
			n, err := x.exec(ctx, `update river_job set attempted_at = {time}
				where id = $1 and state = 'running' and attempt = $2`, t.row.id, t.row.attempt)
			if err != nil {
				return err
			}
			var state string
			err = x.row(ctx, `select j.state from tsumero_job j join tsumero_chunk c on c.job = j.id
				where j.id = $1 and c.n = $2 and c.turn = $3`, string(t.Job.ID), t.N, t.row.Turn).Scan(&state)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return err
			}
			if n == 0 || err != nil || jobs.State(state).Ended() {
				ended[t] = true
				continue
			}
			if err := q.beatTurn(ctx, x, t, jobs.State(state), now, texts); err != nil {
				return err
			}
		}
		w := q.o.Work
		if w == nil {
			return nil
		}
		largest := 0
		for _, class := range w.Classes {
			largest = max(largest, class)
		}
		_, err := x.exec(ctx, `insert into tsumero_worker(name, version, memory, slots, busy, seen)
			values($1, $2, $3, $4, $5, $6) on conflict(name) do update set version = excluded.version,
			memory = excluded.memory, slots = excluded.slots, busy = excluded.busy, seen = excluded.seen`,
			w.Name, w.Version, largest, w.Slots, min(len(all), w.Slots), now)
		return err
	})
	if err != nil {
		return err
	}
	for t := range ended {
		t.cancel(errEnded)
	}
	for t, text := range texts {
		t.mu.Lock()
		t.written, t.running = text, true
		t.mu.Unlock()
	}
	return nil
}

// beatTurn writes the progress of a turn, and that its job runs.
func (q *Queue) beatTurn(ctx context.Context, x *tx, t *Turn, state jobs.State, now int64, texts map[*Turn]string) error {
	t.mu.Lock()
	text := t.written
	if t.progress != nil {
		data, err := json.Marshal(t.progress)
		if err != nil {
			t.mu.Unlock()
			return err
		}
		text = string(data)
	}
	same := text == t.written
	t.mu.Unlock()
	if state == jobs.Queued {
		if _, err := x.exec(ctx, `update tsumero_job set state = 'running', started = $2, revision = revision + 1
			where id = $1 and state = 'queued'`, string(t.Job.ID), t.began); err != nil {
			return err
		}
		x.changed = append(x.changed, t.Job.ID)
	}
	if same {
		return nil
	}
	texts[t] = text
	x.changed = append(x.changed, t.Job.ID)
	_, err := x.exec(ctx, `update tsumero_chunk set progress = $4, touched = $5 where job = $1 and n = $2 and turn = $3`,
		string(t.Job.ID), t.N, t.row.Turn, text, now)
	return err
}

// leave says that this process works no more.
func (q *Queue) leave(ctx context.Context) {
	if q.o.Work == nil {
		return
	}
	_ = q.write(ctx, func(ctx context.Context, x *tx) error {
		_, err := x.exec(ctx, `delete from tsumero_worker where name = $1`, q.o.Work.Name)
		return err
	})
}
