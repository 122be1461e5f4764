package cli

import (
	"encoding/json"
	"fmt"
	"iter"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/solver/analysis"
)

// A CollectionJob is what a collection asks a service: the questions about problems that no report is
// kept of, as the lines of a job. What it answers is kept, so that Collection then searches nothing.
type CollectionJob struct {
	ID     string // of the job; "" before it was submitted
	Server string
	// Keys are those of the lines, which the numbers of answers count from 1.
	Keys []string

	keep      *Keep
	questions map[string]*analysis.Question
}

// A jobRecord is a line of a file of kept reports that says which job works on them.
type jobRecord struct {
	Job *CollectionJob `json:"job"`
}

// NewCollectionJob returns what the problems ask of a service: the rest of a job that was submitted
// before, if one has all that is asked, else a new one. Keys is empty if nothing is left to ask.
func NewCollectionJob(o *CollectionOptions, questions iter.Seq2[Question, error], server string) (*CollectionJob, error) {
	j := &CollectionJob{Server: server, keep: o.Keep, questions: map[string]*analysis.Question{}}
	c := &collecting{CollectionOptions: *o}
	for q, err := range questions {
		if err != nil {
			return nil, err
		}
		m := new(Listed)
		if c.read(&q, m) != nil {
			continue // Collection says so
		}
		asked := o.question(m)
		key := o.Keep.key(&asked)
		if j.questions[key] == nil && o.Keep.find(&asked) == nil {
			j.questions[key] = &asked
			j.Keys = append(j.Keys, key)
		}
	}
	if old := o.Keep.jobFor(j); old != nil && len(j.Keys) > 0 {
		j.ID, j.Keys = old.ID, old.Keys
	}
	return j, nil
}

// Again makes it a new job, for a service that does not know the old one.
func (j *CollectionJob) Again() {
	j.ID = ""
	kept := j.Keys[:0:0]
	for _, key := range j.Keys {
		if j.questions[key] != nil {
			kept = append(kept, key)
		}
	}
	j.Keys = kept
}

// Line is the line of a key. The limits are left to the query of the job.
func (j *CollectionJob) Line(key string) []byte {
	q := j.questions[key]
	r := &wire.AnalyzeRequest{SFEN: q.Position.SFEN(), Attacker: q.Attacker.String(), Line: movetext.USILine(q.Line),
		AnalyzeRules: wire.AnalyzeRules{Policy: q.Policy.String()},
		AnalyzeScope: wire.AnalyzeScope{Parts: wire.NamesOf(q.Parts), Scope: q.Scope.String(), Stop: q.Stop.String()}}
	if q.Profile != nil {
		r.Profile = q.Profile.Name
	}
	return wire.Encode(r)
}

// Submitted keeps the ID, so that the next run goes on with the same job.
func (j *CollectionJob) Submitted(id string) error {
	j.ID = id
	return j.keep.addJob(j)
}

// Answered keeps the answer to a line, which is one of the results of the job.
func (j *CollectionJob) Answered(number int, text []byte) error {
	if number < 1 || number > len(j.Keys) {
		return Errorf("the job answers line %d of %d", "ジョブが%d行目の答えを返しました（全%d行）。", number, len(j.Keys))
	}
	q := j.questions[j.Keys[number-1]]
	if q == nil {
		return nil // it is kept already
	}
	e, err := wire.ParseEnvelope(text)
	if err != nil {
		return err
	}
	if e.Problem != nil {
		return fmt.Errorf("%s: %w", q.Position.SFEN(), problemText(e.Problem))
	}
	report := append(append([]byte{'{'}, e.Answer...), '}')
	a, err := wire.ReadAnalysis(report, q.Parts)
	if err != nil {
		return fmt.Errorf("%s: %w", q.Position.SFEN(), err)
	}
	j.keep.add(q, wire.AppendJSON(nil, wire.NewAnalyzeAnswer(a)), a.Repeatable)
	return nil
}

// addJob keeps which job works on reports.
func (k *Keep) addJob(j *CollectionJob) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.file == nil {
		return nil
	}
	text, err := json.Marshal(jobRecord{j})
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if _, err := k.file.WriteAt(text, k.end); err != nil {
		return err
	}
	k.end += int64(len(text))
	k.jobs = append(k.jobs, j)
	return nil
}

// jobFor returns the last job of the service that has all keys of j, nil if there is none.
func (k *Keep) jobFor(j *CollectionJob) (found *CollectionJob) {
	for _, old := range k.jobs {
		has := map[string]bool{}
		for _, key := range old.Keys {
			has[key] = true
		}
		all := old.Server == j.Server
		for _, key := range j.Keys {
			all = all && has[key]
		}
		if all {
			found = old
		}
	}
	return found
}
