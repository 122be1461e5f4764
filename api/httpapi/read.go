package httpapi

import (
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

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
		faults := recordFaults(err)
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

func (s *Server) readOperation() *huma.Operation {
	responses := problemResponses("read", wire.BadJSON, wire.BadBody, wire.BodyTimeout,
		wire.TooLarge, wire.UnsupportedMediaType, wire.InvalidQuestion, wire.RateLimited,
		wire.InternalError)
	responses["200"] = &huma.Response{
		Description: "What was read.",
		Content: map[string]*huma.MediaType{jsonType: {Schema: schemaRef("ReadAnswer"),
			Examples: answers("read", http.StatusOK)}},
	}
	return &huma.Operation{
		OperationID: "read",
		RequestBody: &huma.RequestBody{Required: true, Content: readContent()},
		Parameters:  s.parameters(reflect.TypeFor[wire.ReadQuery](), &s.requests.Bounds),
		Summary:     "Read a position or a record",
		Description: fmt.Sprintf("Says what a text in any notation holds: positions, moves and header. "+
			"Nothing is solved. The body is one that POST /v1/solve takes as a record, under the "+
			"same types, or JSON with the text in it. It may have %d bytes and %d moves, "+
			"variations included. Every fault of a position refuses the text and is listed with line "+
			"and column. A fault in the moves does not: the record ends before it, and a note says so, "+
			"as one does of text that is no notation. "+
			"A request costs a tenth of another, and the time it takes.",
			s.config.MaxBodyBytes, notation.MaxMoves),
		Tags:      []string{"Read"},
		Responses: responses,
	}
}

// readContent describes the bodies of POST /v1/read.
func readContent() map[string]*huma.MediaType {
	content := recordContent("read")
	content[jsonType] = &huma.MediaType{Schema: schemaRef("ReadRequest"), Examples: questions("read")}
	return content
}
