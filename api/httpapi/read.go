package httpapi

import (
	"net/http"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi/notation"
)

// postRead answers POST /v1/read: it says what a text holds, without solving anything.
func (s *Server) postRead(x *responseRecorder, r *http.Request) *wire.Problem {
	began := time.Now()
	// Reading takes no slot, so this is all that keeps a client from reading without end.
	defer func() { x.client.charge(time.Now(), time.Since(began)) }()

	records, hands, p := s.readRecords(x, r)
	if p != nil {
		return p
	}
	x.sendJSON(http.StatusOK, noStore, wire.NewReadAnswer(records, hands))
	return nil
}

// readRecords reads the body of POST /v1/read: a record, or JSON with a text.
func (s *Server) readRecords(x *responseRecorder, r *http.Request) (
	records []*notation.Record, hands string, p *wire.Problem) {
	opts, ok := recordOptions(r.Header.Get("Content-Type"))
	if !ok || len(x.body) == 0 {
		if p := s.requests.RefuseRecordQuery(r.URL.RawQuery); p != nil {
			return nil, "", p
		}
		return s.requests.ReadText(x.body)
	}
	var query wire.ReadQuery
	if p := s.requests.TextQuery(r.URL.RawQuery, &query); p != nil {
		return nil, "", p
	}
	records, p = wire.ParseRecords(x.body, "body", opts)
	return records, query.Hands, p
}
