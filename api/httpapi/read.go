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

	var query wire.ReadQuery
	text, location := x.body, "body"
	opts, ok := recordOptions(r.Header.Get("Content-Type"))
	if ok && len(x.body) > 0 {
		if p := s.requests.TextQuery(r.URL.RawQuery, &query); p != nil {
			return p
		}
	} else {
		if p := s.requests.RefuseRecordQuery(r.URL.RawQuery); p != nil {
			return p
		}
		var req wire.ReadRequest
		if p := s.requests.Text(x.body, &req); p != nil {
			return p
		}
		text, location, query.Hands = []byte(req.Text), "body.text", req.Hands
		opts.Charset = notation.UTF8
		// The decoder allows only formats that there are; without one it is detected.
		opts.Format, _ = notation.ParseFormat(req.Format)
	}
	opts.Position = true
	records, err := notation.ParseAll(text, opts)
	if err != nil {
		faults := wire.RecordFaults("body", err)
		for i := range faults {
			faults[i].Location = location
		}
		return wire.Invalid(faults)
	}
	h := x.Header()
	h["Content-Type"] = jsonHeader
	h["Cache-Control"] = noStore
	// A client that is gone needs no answer.
	_, _ = x.Write(wire.Encode(wire.NewReadAnswer(records, query.Hands)))
	return nil
}
