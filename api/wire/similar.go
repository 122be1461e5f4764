//go:build !board

package wire

import (
	"fmt"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/collection"
)

// A SimilarAnswer says which known problems one is like.
type SimilarAnswer struct {
	SFEN    string           `json:"sfen"`
	Key     string           `json:"key"`
	ID      string           `json:"id"` // short form of the key
	Known   []KnownList      `json:"known"`
	Similar []SimilarProblem `json:"similar"`
	Notes   []Note           `json:"notes,omitempty"`
}

// A KnownList says how much of a list of known problems there is.
type KnownList struct {
	Name     string `json:"name"`
	Problems int    `json:"problems" minimum:"0"` // with their diagrams
	Hashed   int    `json:"hashed" minimum:"0"`   // of which there are hash keys alone
	More     bool   `json:"more,omitempty"`       // some that are like the problem are left out
}

// A SimilarProblem is a known problem that one is like.
type SimilarProblem struct {
	Known    string `json:"known"` // the name of its list
	Name     string `json:"name"`
	Relation string `json:"relation" enum:"duplicate,mirror_twin,other_hand,changed,shifted,contained,contains,same_idea,same_end"`
	RelationDetail
	Mirrored bool `json:"mirrored,omitempty"`
	Hashed   bool `json:"hashed,omitempty"` // told by hash keys alone
}

// A RelationDetail is what there is to say of some relations of problems.
type RelationDetail struct {
	Ply    int `json:"ply,omitempty" minimum:"1"`    // of the longer main line, of contained and contains
	Pieces int `json:"pieces,omitempty" minimum:"1"` // that only one of the two has, of changed
	Steps  int `json:"steps,omitempty" minimum:"1"`  // that the lines have in common, of same_idea
}

// NewRelationDetail returns what package collection has as the detail of a relation.
func NewRelationDetail(r collection.Relation, detail int) (d RelationDetail) {
	switch r {
	case collection.Contained, collection.Contains:
		d.Ply = detail
	case collection.Changed:
		d.Pieces = detail
	case collection.SameIdea:
		d.Steps = detail
	}
	return d
}

// NewSimilarProblem returns what is answered about a problem of a list.
func NewSimilarProblem(list string, s *collection.Similar) SimilarProblem {
	return SimilarProblem{list, s.Name, s.Relation.String(), NewRelationDetail(s.Relation, s.Detail), s.Mirrored, s.Hashed}
}

// A SimilarQuestion is what is asked of POST /v1/similar, understood.
type SimilarQuestion struct {
	Problem collection.Problem
	SFEN    string
	Notes   []Note
}

// SimilarQuery reads the query of POST /v1/similar. What only a record has there is a fault of a
// question in JSON.
func (r *Reader) SimilarQuery(query string, isRecord bool, into *SimilarQuery) *Problem {
	faults := r.similarQuery.DecodeQuery(query, into)
	for name, given := range map[string]bool{"attacker": into.Attacker != "", "hands": into.Hands != ""} {
		if given && !isRecord {
			faults = append(faults, fault("query."+name, isOfBody))
		}
	}
	if len(faults) > 0 {
		return Invalid(faults)
	}
	return nil
}

// Similar reads the body of POST /v1/similar.
func (r *Reader) Similar(body []byte, q *SimilarQuestion) *Problem {
	var req SimilarRequest
	faults, problem := r.similar.Decode(body, &req)
	if problem != nil {
		return problem
	}
	if req.SFEN != "" { // else there is a fault already
		var asked AnalysisQuestion
		var p Question
		wrong := p.SetPosition("body.sfen", req.SFEN)
		wrong = asked.setProblem("body", "sfen", &AnalyzeRequest{Attacker: req.Attacker, Hands: req.Hands}, &p, wrong)
		if len(wrong) == 0 {
			wrong = asked.setLine("body.line", req.Line)
		}
		q.set(&asked)
		faults = append(faults, wrong...)
	}
	if len(faults) > 0 {
		return Invalid(faults)
	}
	return nil
}

// SetRecord makes a record the question: the position that it begins with, and the moves of its main
// line.
func (q *SimilarQuestion) SetRecord(query *SimilarQuery, p shogi.Position, line []shogi.Move, notes []Note) *Problem {
	asked := AnalysisQuestion{}
	problem := Question{Notes: notes}
	wrong := problem.SetProblem("body", p)
	wrong = asked.setProblem("query", "", &AnalyzeRequest{Attacker: query.Attacker, Hands: query.Hands}, &problem, wrong)
	if len(wrong) > 0 {
		return Invalid(wrong)
	}
	asked.Line = line
	q.set(&asked)
	return nil
}

func (q *SimilarQuestion) set(a *AnalysisQuestion) {
	q.Problem = collection.Problem{Position: a.Position, Attacker: a.Attacker, Line: a.Line}
	q.SFEN, q.Notes = a.SFEN, a.Notes
}

// NoKnownList returns the problem of a list that is asked for and is not there.
func NoKnownList(i int, name, names string) *Problem {
	return Invalid([]Fault{fault(fmt.Sprintf("query.known[%d]", i), noList, Clip(name), names)})
}
