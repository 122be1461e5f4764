package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tsumero/tsumero/shogi"
)

// ProblemType is the media type of a Problem.
const ProblemType = "application/problem+json"

// A Kind is a kind of problem. What to do about one is in Meaning.
type Kind struct {
	Code   string // the last part of the type URI; it never changes
	Status int    // of HTTP
	Title  string
}

// The kinds of problems.
var (
	BadJSON              = &Kind{"bad_json", 400, "The body is not JSON"}
	BadBody              = &Kind{"bad_body", 400, "The body could not be read"}
	UnknownKey           = &Kind{"unknown_key", 401, "The key is unknown"}
	NotFound             = &Kind{"not_found", 404, "There is nothing here"}
	JobsOff              = &Kind{"jobs_off", 404, "There are no jobs here"}
	JobNotFound          = &Kind{"job_not_found", 404, "There is no such job"}
	MethodNotAllowed     = &Kind{"method_not_allowed", 405, "The method is not allowed here"}
	BodyTimeout          = &Kind{"body_timeout", 408, "The body took too long"}
	UploadIncomplete     = &Kind{"upload_incomplete", 408, "The upload was not completed"}
	JobFinished          = &Kind{"job_finished", 409, "The job has ended"}
	NotFinished          = &Kind{"not_finished", 409, "There is no answer yet"}
	JobGone              = &Kind{"job_gone", 410, "The job is forgotten"}
	TooLarge             = &Kind{"too_large", 413, "The body is too large"}
	LineTooLong          = &Kind{"line_too_long", 413, "The line is too long"}
	URITooLong           = &Kind{"uri_too_long", 414, "The address is too long"}
	UnsupportedMediaType = &Kind{"unsupported_media_type", 415, "The media type is not supported"}
	InvalidQuestion      = &Kind{"invalid_question", 422, "The question has faults"}
	IdempotencyMismatch  = &Kind{"idempotency_mismatch", 422, "The key stands for another job"}
	RateLimited          = &Kind{"rate_limited", 429, "Too many requests"}
	QuotaExceeded        = &Kind{"quota_exceeded", 429, "Too many jobs"}
	InternalError        = &Kind{"internal_error", 500, "Internal error"}
	NotOffered           = &Kind{"not_offered", 501, "This is not offered here"}
	Overloaded           = &Kind{"overloaded", 503, "Too many searches"}
	ShuttingDown         = &Kind{"shutting_down", 503, "The service is shutting down"}
	JobsUnavailable      = &Kind{"jobs_unavailable", 503, "The job store does not answer"}
	StoreFull            = &Kind{"store_full", 507, "The job store is full"}
)

// Kinds returns all kinds, in the order of their status.
func Kinds() []*Kind {
	return []*Kind{BadJSON, BadBody, UnknownKey, NotFound, JobsOff, JobNotFound, MethodNotAllowed,
		BodyTimeout, UploadIncomplete, JobFinished, NotFinished, JobGone, TooLarge, LineTooLong, URITooLong,
		UnsupportedMediaType, InvalidQuestion, IdempotencyMismatch, RateLimited, QuotaExceeded,
		InternalError, NotOffered, Overloaded, ShuttingDown, JobsUnavailable, StoreFull}
}

// KindOf returns the kind with a code, InternalError if there is none.
func KindOf(code string) *Kind {
	for _, k := range Kinds() {
		if k.Code == code {
			return k
		}
	}
	return InternalError
}

// TypeURI returns the type of RFC 9457. It is relative: a service does not know under which name it
// is reached.
func (k *Kind) TypeURI() string { return "/problems/" + k.Code }

// maxFaults is the most faults that one problem lists, and maxEcho the most bytes of a location or
// an ID that go back to whoever sent it.
const (
	maxFaults = 64
	maxEcho   = 256
)

// A Problem is what there is in place of an answer: an error as RFC 9457 wants it.
type Problem struct {
	Type      string  `json:"type" format:"uri-reference"`
	Title     string  `json:"title"`
	Status    int     `json:"status" minimum:"400" maximum:"599"`
	Detail    string  `json:"detail"`
	RequestID string  `json:"request_id,omitempty"`
	Errors    []Fault `json:"errors,omitempty"`

	// RetryAfter is when to ask again, in seconds; 0 if nobody knows. It is a header of HTTP.
	RetryAfter int `json:"-"`
}

// A Fault is one thing that is wrong with a request.
type Fault struct {
	Location string `json:"location"`
	Offset   *int   `json:"offset,omitempty" minimum:"0"`
	Line     int    `json:"line,omitempty" minimum:"1"`
	Column   int    `json:"column,omitempty" minimum:"1"`
	Code     string `json:"code,omitempty"`
	Message  string `json:"message"`
}

// A BatchProblem is a line of the answer to a batch in place of an Answer.
type BatchProblem struct {
	ID   ID  `json:"id,omitempty"`
	Line int `json:"line" minimum:"1"`
	*Problem
}

// NewProblem returns a problem of a kind that occurred for the reason in detail.
func NewProblem(k *Kind, detail string) *Problem {
	return &Problem{Type: k.TypeURI(), Title: k.Title, Status: k.Status, Detail: detail}
}

// Error returns the detail.
func (p *Problem) Error() string { return p.Detail }

// Invalid returns the problem of a request with faults, which it puts in order: by location, then
// by offset. It lists no more than 64.
func Invalid(faults []Fault) *Problem {
	for i := range faults {
		faults[i].Location = Clip(faults[i].Location)
	}
	slices.SortStableFunc(faults, func(a, b Fault) int {
		if c := strings.Compare(a.Location, b.Location); c != 0 {
			return c
		}
		return a.offset() - b.offset()
	})
	detail := "The request has 1 fault."
	if n := len(faults); n > 1 {
		detail = fmt.Sprintf("The request has %d faults.", n)
	}
	if n := len(faults); n > maxFaults {
		faults = faults[:maxFaults:maxFaults]
		detail = fmt.Sprintf("The request has %d faults; the first %d are listed.", n, maxFaults)
	}
	p := NewProblem(InvalidQuestion, detail)
	p.Errors = faults
	return p
}

// offset returns the offset, -1 for none.
func (f *Fault) offset() int {
	if f.Offset == nil {
		return -1
	}
	return *f.Offset
}

// PositionFaults returns what is wrong with the text of a position, from an error of package shogi.
func PositionFaults(location string, err error) []Fault {
	var sfen *shogi.SFENError
	if !errors.As(err, &sfen) {
		return []Fault{{Location: location, Message: err.Error()}}
	}
	faults := make([]Fault, len(sfen.Faults))
	for i, f := range sfen.Faults {
		faults[i] = Fault{Location: location, Code: f.Code, Message: f.Field + ": " + f.Msg.String()}
		if f.Offset >= 0 {
			faults[i].Offset = &sfen.Faults[i].Offset
		}
	}
	return faults
}

// byteOrderMark is what some editors put before a text in UTF-8.
var byteOrderMark = []byte("\xef\xbb\xbf")

// notJSON returns the problem of a text in which a decoder found that it is not JSON. The words and
// the place are those of encoding/json, which people know.
func notJSON(location string, text []byte) *Problem {
	switch {
	case bytes.HasPrefix(text, byteOrderMark):
		p := NewProblem(BadJSON, "The text begins with a byte order mark (EF BB BF), "+
			"which is no part of JSON: send it without.")
		p.Errors = []Fault{{Location: location, Offset: new(int), Message: "found a byte order mark"}}
		return p
	case len(bytes.TrimSpace(text)) == 0:
		return NewProblem(BadJSON, "The body is empty, expected a JSON object.")
	}
	var value json.RawMessage
	var syntax *json.SyntaxError
	if err := json.Unmarshal(text, &value); !errors.As(err, &syntax) {
		return NewProblem(BadJSON, "The text is nested too deeply, or not in UTF-8.")
	}
	at := max(0, int(syntax.Offset)-1) // it counts the byte it stumbled over as read
	if strings.HasPrefix(syntax.Error(), "unexpected end") {
		at = len(text)
	}
	msg := jsonWords(text, at, syntax.Error())
	p := NewProblem(BadJSON, fmt.Sprintf("The text is not JSON: %s, at byte %d.", msg, at))
	p.Errors = []Fault{{Location: location, Offset: &at, Message: msg}}
	return p
}

// jsonPlaces are where encoding/json says that a character is wrong, and what we say. The first
// that fits counts.
var jsonPlaces = [][2]string{
	{"after top-level value", "after the end of the JSON"},
	{"beginning of object key string", "where a name in double quotes is expected"},
	{"beginning of value", "where a value is expected"},
	{"after object key:value pair", "where , or } is expected"},
	{"after object key", "where : is expected"},
	{"after array element", "where , or ] is expected"},
	{"in string escape code", "behind a \\ in a string"},
	{"in string literal", "in a string"},
	{"in literal", "in true, false or null"},
}

// jsonWords says what is wrong with a text at a byte, of which encoding/json says msg.
func jsonWords(text []byte, at int, msg string) string {
	switch {
	case at >= len(text):
		return "found the end of the text within the JSON"
	case strings.Contains(msg, "max depth"):
		return "found too many lists or objects in each other"
	}
	char, size := utf8.DecodeRune(text[at:])
	found := fmt.Sprintf("found %q", string(char))
	if char == utf8.RuneError && size == 1 {
		found = fmt.Sprintf("found the byte %#x", text[at])
	}
	for _, place := range jsonPlaces {
		if strings.Contains(msg, place[0]) {
			return found + " " + place[1]
		}
	}
	return found + " where JSON has none"
}

// Clip shortens text that a stranger chose the length of to 256 bytes.
func Clip(s string) string {
	if len(s) <= maxEcho {
		return s
	}
	n := maxEcho
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// AppendJSON appends a value of this package as JSON on one line, without the end of the line.
func AppendJSON(dst []byte, v any) []byte {
	buf := bytes.NewBuffer(dst)
	e := json.NewEncoder(buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // no value of this package has anything that JSON cannot hold
	}
	buf.Truncate(buf.Len() - 1)
	return buf.Bytes()
}

// Encode returns a value of this package as a line of JSON.
func Encode(v any) []byte { return append(AppendJSON(nil, v), '\n') }
