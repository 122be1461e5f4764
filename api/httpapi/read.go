package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
)

// readPath is where texts are read without being solved.
const readPath = "/v1/read"

// A readRequest is the body of POST /v1/read in JSON.
type readRequest struct {
	Text   string `json:"text" minLength:"1" doc:"A position or records in any notation."`
	Format string `json:"format,omitempty" enum:"sfen,kif,ki2,csa,jkf" doc:"The notation of text. A BOD is a kif. Default: its first lines tell."`
}

// A readAnswer is the body of a 200.
type readAnswer struct {
	Format  string       `json:"format" enum:"sfen,kif,ki2,csa,jkf" doc:"The notation the text was read in. A BOD is a kif."`
	Charset string       `json:"charset" enum:"utf-8,shift_jis,euc-jp" doc:"The charset the text was read in."`
	Records []readRecord `json:"records" nullable:"false" minItems:"1" doc:"The records of the text, in its order. Only a CSA may have several."`
}

// A readRecord is one record of a text. Fields that do not apply are absent.
type readRecord struct {
	SFEN     string        `json:"sfen" doc:"The problem, in canonical SFEN: the position POST /v1/solve solves if it gets the record. It is first; of a text in SFEN, last."`
	Attacker string        `json:"attacker,omitempty" enum:"black,white" doc:"The side that is to force mate in sfen. Absent if there is no king to mate, so that sfen is no problem."`
	Title    string        `json:"title,omitempty" doc:"The title (作品名, else 表題)."`
	Author   string        `json:"author,omitempty" doc:"The author (作者)."`
	Header   []headerField `json:"header" nullable:"false" doc:"All the text says of the record, title and author included, in its order. CSA keys are those KIF has for them."`
	First    string        `json:"first" doc:"The position the record begins with, in canonical SFEN. The move number is always 1."`
	Moves    []string      `json:"moves" nullable:"false" doc:"The moves of the main line in USI. Variations are read, and may have faults, but they are not listed."`
	MovesJa  []string      `json:"moves_ja" nullable:"false" doc:"The same moves as Japanese records write them."`
	Last     string        `json:"last" doc:"The position after all moves, likewise."`
	Ending   string        `json:"ending,omitempty" example:"TORYO" doc:"How the main line ends, if the text says so: a word of CSA without %, else the word of the text."`
}

// A headerField is one line of the header of a record.
type headerField struct {
	Key   string `json:"key" example:"作者" doc:"The key, as KIF writes it."`
	Value string `json:"value" doc:"The value, as the text has it."`
}

// titleKeys and authorKeys are the header keys of what an answer names on its own, the best first.
var (
	titleKeys  = []string{"作品名", "表題"}
	authorKeys = []string{"作者"}
)

// A readInput is a body in JSON, or a record.
type readInput struct {
	RawBody []byte `contentType:"application/json"`
	answer  []byte
}

// Resolve reads the text, and makes the answer to it. Huma calls it when it has the body.
func (in *readInput) Resolve(ctx huma.Context) []error {
	x := exchangeOf(ctx.Context())
	began := time.Now()
	// Reading takes no slot, so this is all that keeps a client from reading without end.
	defer func() { x.client.charge(time.Now(), time.Since(began)) }()

	text, location := in.RawBody, "body"
	opts, ok := recordOptions(ctx.Header("Content-Type"))
	if !ok {
		req, err := x.server.readRequest(in.RawBody)
		if err != nil {
			return []error{err}
		}
		text, location = []byte(req.Text), "body.text"
		opts.Charset = notation.UTF8
		opts.Format, _ = notation.ParseFormat(req.Format) // which the schema allows; without one it is detected
	}
	records, err := notation.ParseAll(text, opts)
	if err != nil {
		faults := recordFaults(err)
		for i := range faults {
			faults[i].Location = location
		}
		return asErrors(faults)
	}
	in.answer = encode(newReadAnswer(records))
	return nil
}

// readRequest reads a body in JSON. The error is a *problem.
func (s *Server) readRequest(body []byte) (req readRequest, _ error) {
	faults, p := s.texts.doubt(body, &anyRequest{})
	if p != nil {
		return req, p
	}
	if len(faults) > 0 {
		return req, invalid(faults)
	}
	if err := json.Unmarshal(body, &req); err != nil { // which the schema excludes
		return req, newProblem(badJSON, clip(err.Error()))
	}
	return req, nil
}

// postRead answers with what was read.
func (s *Server) postRead(ctx context.Context, in *readInput) (*output, error) {
	h := exchangeOf(ctx).Header()
	h["Content-Type"] = jsonHeader
	h["Cache-Control"] = noStore
	return &output{http.StatusOK, in.answer}, nil
}

// newReadAnswer returns what is told of the records of a text, of which there is one at least.
func newReadAnswer(records []*notation.Record) *readAnswer {
	a := &readAnswer{
		Format:  records[0].Format.String(),
		Charset: records[0].Charset.String(),
		Records: make([]readRecord, len(records)),
	}
	for i, r := range records {
		a.Records[i] = newReadRecord(r)
	}
	return a
}

// newReadRecord returns what is told of a record.
func newReadRecord(r *notation.Record) readRecord {
	moves := r.Moves()
	out := readRecord{
		Title:   firstOf(r, titleKeys),
		Author:  firstOf(r, authorKeys),
		Header:  make([]headerField, len(r.Header)),
		Moves:   make([]string, len(moves)),
		MovesJa: make([]string, len(moves)),
		First:   r.Start.ProblemSFEN(),
		Ending:  string(r.Ending()),
	}
	for i, f := range r.Header {
		out.Header[i] = headerField{f.Key, f.Value}
	}
	p, previous := r.Start, shogi.NoSquare
	for i, m := range moves {
		out.Moves[i] = m.String()
		out.MovesJa[i] = string(notation.AppendJapanese(nil, &p, m, previous))
		previous = m.To()
		p.Do(m)
	}
	out.Last = p.ProblemSFEN()
	problem := r.Start
	if r.Format == notation.SFEN {
		problem = p
	}
	out.SFEN = problem.ProblemSFEN()
	if attacker, err := solver.Attacker(&problem); err == nil {
		out.Attacker = attacker.String()
	}
	return out
}

// firstOf returns the value of the first of keys that the header of a record has.
func firstOf(r *notation.Record, keys []string) string {
	for _, key := range keys {
		if value := r.Get(key); value != "" {
			return value
		}
	}
	return ""
}

func (s *Server) readOperation() huma.Operation {
	responses := problemResponses("read", badJSON, badBody, bodyTimeout, tooLarge,
		unsupportedMediaType, invalidQuestion, rateLimited, internalError)
	responses["200"] = &huma.Response{
		Description: "What was read.",
		Content: map[string]*huma.MediaType{jsonType: {Schema: schemaRef("ReadAnswer"),
			Examples: answers("read", http.StatusOK)}},
	}
	return huma.Operation{
		OperationID: "read",
		Method:      http.MethodPost,
		Path:        readPath,
		Summary:     "Read a position or a record",
		Description: fmt.Sprintf("Says what a text in any notation holds: positions, moves and header. "+
			"Nothing is solved. The body is one that POST /v1/solve takes as a record, under the "+
			"same types, or JSON with the text in it. It may have %d bytes and %d moves, "+
			"variations included. A text is read whole or not at all: every fault of a position is "+
			"listed, of moves the first, each with line and column. "+
			"A request costs a tenth of another, and the time it takes.",
			s.config.MaxBodyBytes, notation.MaxMoves),
		Tags:             []string{"Read"},
		MaxBodyBytes:     -1, // readBody has read it, and within the limit
		BodyReadTimeout:  -1,
		SkipValidateBody: true, // Resolve does
		Responses:        responses,
	}
}

// readContent describes the bodies of POST /v1/read.
func readContent() map[string]*huma.MediaType {
	content := recordContent("read")
	content[jsonType] = &huma.MediaType{Schema: schemaRef("ReadRequest"), Examples: questions("read")}
	return content
}
