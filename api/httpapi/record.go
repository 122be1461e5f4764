package httpapi

import (
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
)

// recordTypes are the media types of bodies that are not JSON questions but records in another
// notation. Of a text/plain the notation is found out.
var recordTypes = func() map[string]notation.Format {
	types := map[string]notation.Format{"text/plain": notation.Unknown}
	for _, f := range notation.Formats() {
		for _, name := range f.MediaTypes() {
			types[name] = f
		}
	}
	return types
}()

// questionTypes are the media types of the bodies of POST /v1/solve and /v1/read, as a header lists
// them.
var questionTypes = strings.Join(
	append([]string{jsonType}, slices.Sorted(maps.Keys(recordTypes))...), ", ")

// isQuestion reports whether a body of the type can hold a question.
func isQuestion(mediaType string) bool { return isRecord(mediaType) || isJSON(mediaType) }

func isRecord(mediaType string) bool {
	_, ok := recordTypes[mediaType]
	return ok
}

// hasCharset reports whether bodies of the type are read in a charset.
func hasCharset(mediaType, charset string) bool {
	if !isRecord(mediaType) {
		return charset == "" || charset == "utf-8" || charset == "us-ascii"
	}
	_, err := notation.ParseCharset(charset)
	return charset == "" || err == nil
}

// recordOptions says what the Content-Type of a record says about it. ok is false if the body is
// JSON.
func recordOptions(contentType string) (opts notation.Options, ok bool) {
	if contentType == "" || contentType == jsonType {
		return opts, false
	}
	mediaType, params, err := mime.ParseMediaType(contentType)
	if err != nil || !isRecord(mediaType) {
		return opts, false
	}
	opts.Format = recordTypes[mediaType]
	opts.Charset, _ = notation.ParseCharset(params["charset"]) // without one it is found out
	return opts, true
}

// readRecord makes a position of a record the one asked about.
func (s *Server) readRecord(body []byte, opts notation.Options, query string,
	q *wire.Question) *wire.Problem {
	return s.requests.Record(query, q, func(after int) (shogi.Position, []wire.Note, []wire.Fault) {
		record, err := notation.Parse(body, opts)
		if err != nil {
			return shogi.Position{}, nil, wire.RecordFaults("body", err)
		}
		p, faults := positionOf(record, after)
		return p, wire.RecordNotes(record), faults
	})
}

// positionOf returns the position of a record after a number of moves, or else, for -1, the one that
// it is about.
func positionOf(record *notation.Record, after int) (shogi.Position, []wire.Fault) {
	if after < 0 {
		return record.Position(), nil
	}
	p, err := record.After(after)
	if err != nil {
		return p, []wire.Fault{wire.ErrorFault("query.after", err)}
	}
	return p, nil
}

// recordFormats are the notations in which an answer can be asked for. Each has a path of its own:
// generated clients know one type for each path, and a link cannot say another.
var recordFormats = notation.Names(notation.Written())

// parseRecordFormat returns the notation that a path names. ok is false if there is no such answer.
func parseRecordFormat(name string) (format notation.Format, ok bool) {
	if !slices.Contains(recordFormats, name) {
		return notation.Unknown, false
	}
	format, _ = notation.ParseFormat(name)
	return format, true
}

// asRecord makes a handler of the notation that the path names.
func asRecord(in func(notation.Format) handler) handler {
	return func(x *responseRecorder, r *http.Request) *wire.Problem {
		name := chi.URLParam(r, "format")
		format, ok := parseRecordFormat(name)
		if !ok {
			return wire.NewProblem(wire.NotFound, noFormat, wire.Clip(name),
				strings.Join(recordFormats, ", "))
		}
		return in(format)(x, r)
	}
}

// setRecordType says in which notation the answer is.
func setRecordType(h http.Header, format notation.Format) {
	contentType := format.MediaTypes()[0]
	if !isJSON(contentType) { // which is UTF-8 by definition
		contentType += "; charset=utf-8"
	}
	h.Set("Content-Type", contentType)
}

// recordSettings are what the description says of notations. Each stands in the files as $name. A
// notation has a schema by its title; that of one in JSON is in read.yaml.
var recordSettings = func() map[string]any {
	var titles, bodies, answers, schemas []string
	for _, f := range notation.Written() {
		title, types := strings.ToUpper(f.String()), f.MediaTypes()
		schema := "{$ref: '" + schemaRef + title + "'}"
		if f == notation.Print { // no body: it is not read
			answers = append(answers, types[0]+": {schema: {type: string, description: "+
				"'The line as magazines print it, in UTF-8.'}}")
			continue
		}
		titles = append(titles, title)
		for _, name := range types {
			bodies = append(bodies, name+": {schema: "+schema+"}")
		}
		if !isJSON(types[0]) {
			text := "{type: string, description: 'A record in " + title + ", in UTF-8"
			schemas = append(schemas, title+": "+text+" or, if charset says so or the bytes "+
				"cannot be UTF-8, in Shift_JIS, EUC-JP or UTF-16.'}")
			schema = text + ".'}"
		}
		answers = append(answers, types[0]+": {schema: "+schema+"}")
	}
	slices.Sort(answers)
	others := titles[1:]
	return map[string]any{
		"notation_titles": "SFEN, " + notation.WithMoves(),
		"other_titles":    notation.List(others, "or"),
		"other_titles_ja": strings.Join(others, "・"),
		"record_formats":  strings.Join(recordFormats, ", "),
		"record_bodies":   strings.Join(bodies, ", "),
		"record_answers":  strings.Join(answers, ", "),
		"record_schemas":  strings.Join(schemas, ", "),
	}
}()
