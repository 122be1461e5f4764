package httpapi

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver/collection"
)

// KnownProblems are those that POST /v1/similar compares with, under a name that clients use.
type KnownProblems struct {
	Name string
	// List returns them. They do not change any more.
	List func() *collection.List
}

// maxSimilar is how many problems of a list are named at most.
const maxSimilar = 50

// postSimilar answers POST /v1/similar: it says which known problems one is like, without solving
// anything.
func (s *Server) postSimilar(x *responseRecorder, r *http.Request) *wire.Problem {
	began := time.Now()
	// Comparing takes no slot, so this is all that keeps a client from asking without end.
	defer func() { x.client.charge(time.Now(), time.Since(began)) }()

	opts, isRecord := recordOptions(r.Header.Get("Content-Type"))
	isRecord = isRecord && len(x.body) > 0
	var query wire.SimilarQuery
	if p := s.requests.SimilarQuery(r.URL.RawQuery, isRecord, &query); p != nil {
		return p
	}
	lists, p := s.knownLists(query.Known)
	if p != nil {
		return p
	}
	var q wire.SimilarQuestion
	if !isRecord {
		p = s.requests.Similar(x.body, &q)
	} else if record, err := notation.Parse(x.body, opts); err != nil {
		p = wire.Invalid(wire.RecordFaults("body", err))
	} else {
		p = q.SetRecord(&query, record.Start, record.Moves(), wire.RecordNotes(record))
	}
	if p != nil {
		return p
	}
	d, err := collection.Describe(&q.Problem)
	if err != nil { // not with a question whose position and line are valid
		return wire.Invalid([]wire.Fault{wire.ErrorFault("body", err)})
	}
	a := wire.SimilarAnswer{SFEN: q.SFEN, Key: d.Key, ID: collection.ShortKey(d.Key), Known: []wire.KnownList{},
		Similar: []wire.SimilarProblem{}, Notes: q.Notes}
	for _, known := range lists {
		list := known.List()
		found, more := list.Find(d, maxSimilar, collection.Closeness...)
		a.Known = append(a.Known, wire.KnownList{Name: known.Name, Problems: list.Len(),
			Hashed: list.Hashed(), More: more})
		for i := range found {
			a.Similar = append(a.Similar, wire.NewSimilarProblem(known.Name, &found[i]))
		}
	}
	x.sendJSON(http.StatusOK, noStore, &a) // another program, or operator, knows others
	return nil
}

// knownLists returns the lists of these names, all if there are none.
func (s *Server) knownLists(names []string) (lists []KnownProblems, p *wire.Problem) {
	if len(names) == 0 {
		return s.config.Known, nil
	}
	for i, name := range names {
		at := slices.IndexFunc(s.config.Known, func(k KnownProblems) bool { return k.Name == name })
		if at < 0 {
			var all []string
			for _, k := range s.config.Known {
				all = append(all, k.Name)
			}
			return nil, wire.NoKnownList(i, name, strings.Join(all, ", "))
		}
		if !slices.ContainsFunc(lists, func(k KnownProblems) bool { return k.Name == name }) {
			lists = append(lists, s.config.Known[at])
		}
	}
	return lists, nil
}
