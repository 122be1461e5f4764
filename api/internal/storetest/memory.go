package storetest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
)

// MemoryOptions are how a Memory is. The zero value is ready to use.
type MemoryOptions struct {
	MaxBytes  int64         // the most that is stored, 0 for no bound
	LeaseTime time.Duration // 0 for jobs.LeaseTime
}

// A Memory is a jobs.Store in memory. All who use it share one. It reads the clock of package time
// and waits by its timers alone, so that in a bubble of testing/synctest time is the test's.
type Memory struct {
	options MemoryOptions
	secret  [32]byte
	closed  chan struct{}

	mu       sync.Mutex
	changed  chan struct{} // closed at the next change of a queue, and replaced
	bytes    int64
	revision jobs.Revision
	records  map[jobs.ID]record
	works    map[jobs.ID]*work
	jobs     []*message // in their order
	items    []*message

	watchers  map[*listener[jobs.Change]]bool
	results   map[*listener[result]]bool
	listeners map[*listener[[]byte]]bool
}

type record struct {
	text     []byte
	revision jobs.Revision
}

// work is what is stored of a job besides its record and its messages.
type work struct {
	input    map[int][]byte
	attempts map[[2]int]int // by chunk and line
	parts    map[[2]int]*jobs.Result
	results  map[int]*jobs.Result
}

type result struct {
	id    jobs.ID
	chunk int
	sum   jobs.Summary
}

// NewMemory returns an empty Memory.
func NewMemory(options MemoryOptions) *Memory {
	if options.LeaseTime == 0 {
		options.LeaseTime = jobs.LeaseTime
	}
	s := &Memory{
		options:   options,
		closed:    make(chan struct{}),
		changed:   make(chan struct{}),
		records:   map[jobs.ID]record{},
		works:     map[jobs.ID]*work{},
		watchers:  map[*listener[jobs.Change]]bool{},
		results:   map[*listener[result]]bool{},
		listeners: map[*listener[[]byte]]bool{},
	}
	_, _ = rand.Read(s.secret[:]) // never fails
	return s
}

// Close implements jobs.Store.
func (s *Memory) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	return nil
}

// enter begins a method: the mutex is held if it returns nil.
func (s *Memory) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	select {
	case <-s.closed:
		s.mu.Unlock()
		return jobs.ErrUnavailable
	default:
		return nil
	}
}

// add counts bytes that are about to be stored, or are dropped if n is less than 0.
func (s *Memory) add(n int) error {
	if n > 0 && s.options.MaxBytes > 0 && s.bytes+int64(n) > s.options.MaxBytes {
		return jobs.ErrFull
	}
	s.bytes += int64(n)
	return nil
}

// work returns what there is of a job, to be read.
func (s *Memory) work(id jobs.ID) *work {
	if w := s.works[id]; w != nil {
		return w
	}
	return &work{}
}

// newWork returns what there is of a job, to be added to.
func (s *Memory) newWork(id jobs.ID) *work {
	w := s.works[id]
	if w == nil {
		w = &work{map[int][]byte{}, map[[2]int]int{}, map[[2]int]*jobs.Result{}, map[int]*jobs.Result{}}
		s.works[id] = w
	}
	return w
}

// Secret implements jobs.Store.
func (s *Memory) Secret(ctx context.Context) ([]byte, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	return slices.Clone(s.secret[:]), nil
}

// maxRecord is the most bytes of a record.
const maxRecord = 4 << 10

// Create implements jobs.Store.
func (s *Memory) Create(ctx context.Context, j *jobs.Job) (jobs.Revision, error) {
	return s.put(ctx, j, func(old record) error {
		if old.text != nil {
			return jobs.ErrExists
		}
		return nil
	})
}

// Update implements jobs.Store.
func (s *Memory) Update(ctx context.Context, j *jobs.Job, last jobs.Revision) (jobs.Revision, error) {
	return s.put(ctx, j, func(old record) error {
		if old.text == nil || old.revision != last {
			return jobs.ErrConflict
		}
		return nil
	})
}

func (s *Memory) put(ctx context.Context, j *jobs.Job, check func(old record) error) (jobs.Revision, error) {
	text, err := json.Marshal(j)
	if err != nil {
		return 0, err
	}
	if len(text) > maxRecord {
		return 0, fmt.Errorf("storetest: a record of %d bytes, more than %d", len(text), maxRecord)
	}
	if err := s.enter(ctx); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	old := s.records[j.ID]
	if err := check(old); err != nil {
		return 0, err
	}
	if err := s.add(len(text) - len(old.text)); err != nil {
		return 0, err
	}
	s.revision++
	s.records[j.ID] = record{text, s.revision}
	if copied, err := decodeJob(text); err == nil {
		notify(s.watchers, jobs.Change{ID: j.ID, Job: copied, Revision: s.revision})
	}
	return s.revision, nil
}

func decodeJob(text []byte) (*jobs.Job, error) {
	j := new(jobs.Job)
	if err := json.Unmarshal(text, j); err != nil {
		return nil, err
	}
	if j.V > jobs.V {
		return nil, jobs.ErrNewer
	}
	return j, nil
}

// Job implements jobs.Store.
func (s *Memory) Job(ctx context.Context, id jobs.ID) (*jobs.Job, jobs.Revision, error) {
	if err := s.enter(ctx); err != nil {
		return nil, 0, err
	}
	defer s.mu.Unlock()
	r, ok := s.records[id]
	if !ok {
		return nil, 0, jobs.ErrNotFound
	}
	j, err := decodeJob(r.text)
	return j, r.revision, err
}

// Remove implements jobs.Store.
func (s *Memory) Remove(ctx context.Context, id jobs.ID) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	s.dropInput(id)
	if w := s.works[id]; w != nil {
		for _, p := range w.parts {
			_ = s.add(-len(p.Text))
		}
		for _, p := range w.results {
			_ = s.add(-len(p.Text))
		}
		delete(s.works, id)
	}
	of := func(m *message) bool { return m.item.Job == id }
	s.jobs = slices.DeleteFunc(s.jobs, of)
	s.items = slices.DeleteFunc(s.items, of)
	if r, ok := s.records[id]; ok {
		_ = s.add(-len(r.text))
		delete(s.records, id)
		s.revision++
		notify(s.watchers, jobs.Change{ID: id, Revision: s.revision})
	}
	return nil
}

// PutInput implements jobs.Store.
func (s *Memory) PutInput(ctx context.Context, id jobs.ID, chunk int, data []byte) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	w := s.newWork(id)
	if _, ok := w.input[chunk]; ok {
		return nil
	}
	if err := s.add(len(data)); err != nil {
		return err
	}
	w.input[chunk] = slices.Clone(data)
	return nil
}

// Input implements jobs.Store.
func (s *Memory) Input(ctx context.Context, id jobs.ID, chunk int) ([]byte, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	data, ok := s.work(id).input[chunk]
	if !ok {
		return nil, jobs.ErrNotFound
	}
	return slices.Clone(data), nil
}

// CountInput implements jobs.Store.
func (s *Memory) CountInput(ctx context.Context, id jobs.ID) (int, error) {
	if err := s.enter(ctx); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	return len(s.work(id).input), nil
}

// DropInput implements jobs.Store.
func (s *Memory) DropInput(ctx context.Context, id jobs.ID) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	s.dropInput(id)
	return nil
}

func (s *Memory) dropInput(id jobs.ID) {
	w := s.work(id)
	for _, data := range w.input {
		_ = s.add(-len(data))
	}
	clear(w.input)
	clear(w.attempts)
}

// AddAttempt implements jobs.Store.
func (s *Memory) AddAttempt(ctx context.Context, id jobs.ID, chunk, line int) (int, error) {
	if err := s.enter(ctx); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	attempts := s.newWork(id).attempts
	attempts[[2]int{chunk, line}]++
	return attempts[[2]int{chunk, line}], nil
}

// UndoAttempt implements jobs.Store.
func (s *Memory) UndoAttempt(ctx context.Context, id jobs.ID, chunk, line, n int) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if attempts := s.work(id).attempts; n > 0 && attempts[[2]int{chunk, line}] == n {
		attempts[[2]int{chunk, line}]--
	}
	return nil
}

// PutPart implements jobs.Store.
func (s *Memory) PutPart(ctx context.Context, id jobs.ID, chunk, k int, p *jobs.Result) (bool, error) {
	if err := s.enter(ctx); err != nil {
		return false, err
	}
	defer s.mu.Unlock()
	return putPiece(s, s.newWork(id).parts, [2]int{chunk, k}, p)
}

// PutResult implements jobs.Store.
func (s *Memory) PutResult(ctx context.Context, id jobs.ID, chunk int, p *jobs.Result) (bool, error) {
	if err := s.enter(ctx); err != nil {
		return false, err
	}
	defer s.mu.Unlock()
	first, err := putPiece(s, s.newWork(id).results, chunk, p)
	if first && p.V <= jobs.V {
		notify(s.results, result{id, chunk, p.Summary})
	}
	return first, err
}

func putPiece[K comparable](s *Memory, pieces map[K]*jobs.Result, key K, p *jobs.Result) (bool, error) {
	if pieces[key] != nil {
		return false, nil
	}
	if err := s.add(len(p.Text)); err != nil {
		return false, err
	}
	pieces[key] = &jobs.Result{Summary: p.Summary, Text: slices.Clone(p.Text)}
	return true, nil
}

// Part implements jobs.Store.
func (s *Memory) Part(ctx context.Context, id jobs.ID, chunk, k int) (*jobs.Result, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	return piece(s.work(id).parts[[2]int{chunk, k}])
}

// Result implements jobs.Store.
func (s *Memory) Result(ctx context.Context, id jobs.ID, chunk int) (*jobs.Result, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	return piece(s.work(id).results[chunk])
}

// LoseResult forgets the result of a chunk, as a damaged disk does.
func (s *Memory) LoseResult(id jobs.ID, chunk int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.work(id).results, chunk)
}

func piece(p *jobs.Result) (*jobs.Result, error) {
	switch {
	case p == nil:
		return nil, jobs.ErrNotFound
	case p.V > jobs.V:
		return nil, jobs.ErrNewer
	}
	return &jobs.Result{Summary: p.Summary, Text: slices.Clone(p.Text)}, nil
}

// Results implements jobs.Store.
func (s *Memory) Results(ctx context.Context, id jobs.ID, found func(chunk int, s *jobs.Summary)) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	all := map[int]jobs.Summary{}
	for chunk, p := range s.work(id).results {
		all[chunk] = p.Summary
	}
	s.mu.Unlock()
	for chunk, sum := range all {
		if sum.V > jobs.V {
			return jobs.ErrNewer
		}
		found(chunk, &sum)
	}
	return nil
}

// Status implements jobs.Store.
func (s *Memory) Status(ctx context.Context) (jobs.Status, error) {
	if err := s.enter(ctx); err != nil {
		return jobs.Status{}, err
	}
	defer s.mu.Unlock()
	return jobs.Status{
		Kind:     "memory",
		Bytes:    s.bytes,
		Limit:    s.options.MaxBytes,
		Free:     -1,
		Replicas: 1,
	}, nil
}
