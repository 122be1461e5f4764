package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"github.com/tsumero/tsumero/shogi"
)

// A kind is a type of problem. Its code is the last part of the type URI and never changes.
type kind struct {
	code    string
	status  int
	title   string
	meaning string // for the page under the type URI: what happened, and what to do
}

// typeURI returns the type of RFC 9457. It is relative: this service does not know under which name it is reached.
func (k *kind) typeURI() string { return "/problems/" + k.code }

// The kinds of problems.
var (
	badJSON = &kind{"bad_json", http.StatusBadRequest, "The body is not JSON",
		"The body is empty or is not one JSON value. The entry in errors gives the byte offset at which reading stopped. Send a JSON object such as {\"sfen\": \"…\"}."}
	badBody = &kind{"bad_body", http.StatusBadRequest, "The body could not be read",
		"The transfer of the body broke off or was not well formed. Send the request again."}
	notFound = &kind{"not_found", http.StatusNotFound, "There is nothing here",
		"No resource has this path. All of them are listed at /docs and in /openapi.json."}
	methodNotAllowed = &kind{"method_not_allowed", http.StatusMethodNotAllowed, "The method is not allowed here",
		"The resource exists but does not know the method. The header Allow lists those it knows."}
	bodyTimeout = &kind{"body_timeout", http.StatusRequestTimeout, "The body took too long",
		"The body did not arrive in the time allowed, or a batch was silent for too long between two lines. As the last line of a batch it says that the lines before it were answered and no more were read."}
	tooLarge = &kind{"too_large", http.StatusRequestEntityTooLarge, "The body is too large",
		"The body exceeds the limit that detail names. A question needs a few hundred bytes; many questions go to /v1/solve/batch."}
	lineTooLong = &kind{"line_too_long", http.StatusRequestEntityTooLarge, "The line is too long",
		"A line of a batch exceeds the limit that detail names. It was skipped; the lines after it are answered."}
	uriTooLong = &kind{"uri_too_long", http.StatusRequestURITooLong, "The address is too long",
		"Path and query exceed the limit that detail names. Send the question in the body of a POST."}
	unsupportedMediaType = &kind{"unsupported_media_type", http.StatusUnsupportedMediaType, "The media type is not supported",
		"The body has a Content-Type or Content-Encoding that is not understood here. The header Accept or Accept-Encoding of the answer names what is."}
	invalidQuestion = &kind{"invalid_question", http.StatusUnprocessableEntity, "The question has faults",
		"The request is well formed, but what it asks is not a mate problem within the limits of this service. Every fault is an entry in errors: where it is (location), for text also the byte offset in it, a code, and what was found and expected."}
	rateLimited = &kind{"rate_limited", http.StatusTooManyRequests, "Too many requests",
		"This client has asked for more than it may in a minute. The time of its searches " +
			"counts too: a tenth of a second is as much as a request; a line of a batch is a " +
			"thousandth of one, and as much again for each 512 bytes of it; a text that is only " +
			"read is a tenth of one. " +
			"The next request is accepted after the seconds in the header Retry-After. The " +
			"headers X-RateLimit-Limit, -Remaining and -Reset (Unix time) say how many " +
			"requests a client may send in a minute, how many at once, and when as many as " +
			"ever. A batch is not refused because of its lines: it goes on more slowly."}
	internalError = &kind{"internal_error", http.StatusInternalServerError, "Internal error",
		"Something went wrong in this service. It was logged under the request id; please report it with the request."}
	overloaded = &kind{"overloaded", http.StatusServiceUnavailable, "Too many searches",
		"All slots for searches, for long searches, or for batches, are taken and stayed so for " +
			"as long as this question could wait, or this client waits for more than others do. " +
			"Slots are shared out among the clients, not among their requests. The header " +
			"Retry-After says after how many seconds there will be room, if every search takes " +
			"all of its time."}
	shuttingDown = &kind{"shutting_down", http.StatusServiceUnavailable, "The service is shutting down",
		"The service is about to end. As the last line of a batch it says that the lines before it were answered and no more were read; send the others again."}
)

// kinds are all kinds, in the order of their status.
var kinds = []*kind{badJSON, badBody, notFound, methodNotAllowed, bodyTimeout, tooLarge, lineTooLong, uriTooLong,
	unsupportedMediaType, invalidQuestion, rateLimited, internalError, overloaded, shuttingDown}

// The most faults that one problem lists, and the most bytes of a location or an id that are echoed.
const (
	maxFaults = 64
	maxEcho   = 256
)

// A problem is an error as RFC 9457 wants it. It is what handlers return and what clients see.
type problem struct {
	Type      string  `json:"type" format:"uri-reference" example:"/problems/invalid_question" doc:"Which kind of problem this is. It never changes and is the address of a page about it."`
	Title     string  `json:"title" example:"The question has faults" doc:"The kind of problem in words."`
	Status    int     `json:"status" minimum:"400" maximum:"599" example:"422" doc:"The HTTP status code. In a batch, the one this line would have had on its own."`
	Detail    string  `json:"detail" example:"The request has 1 fault." doc:"What happened this time."`
	RequestID string  `json:"request_id,omitempty" example:"b6f0c2a9" doc:"The request's id, as in the header X-Request-Id and in the log. Absent in a batch, whose header has it."`
	Errors    []fault `json:"errors,omitempty" doc:"Every fault that was found, in the order of the request's parts and of their text."`

	retryAfter int // seconds, 0 for none
}

// A fault is one thing that is wrong with a request.
type fault struct {
	Location string `json:"location" example:"body.sfen" doc:"Which part: body, query or line, then the field."`
	Offset   *int   `json:"offset,omitempty" minimum:"0" example:"16" doc:"Byte offset into the text of that part after decoding: where the fault begins. Absent if the fault has no place in a text."`
	Line     int    `json:"line,omitempty" minimum:"1" example:"3" doc:"Of a record that is not JSON: the line of it, counted from 1."`
	Column   int    `json:"column,omitempty" minimum:"1" example:"10" doc:"Likewise the character in that line, counted from 1."`
	Code     string `json:"code,omitempty" example:"nifu" doc:"The kind of fault, for faults of a position. It never changes."`
	Message  string `json:"message" example:"board: found a second black pawn on file 5 (nifu)" doc:"What was found and what was expected."`
}

func (f *fault) Error() string { return f.Location + ": " + f.Message }

// newProblem returns a problem of a kind that occurred for the reason in detail.
func newProblem(k *kind, detail string) *problem {
	return &problem{Type: k.typeURI(), Title: k.title, Status: k.status, Detail: detail}
}

// invalid returns the problem of a question with faults, which it puts in order: huma finds some by walking over a map.
func invalid(faults []fault) *problem {
	for i := range faults {
		faults[i].Location = clip(faults[i].Location)
	}
	slices.SortStableFunc(faults, func(a, b fault) int {
		if c := strings.Compare(a.Location, b.Location); c != 0 {
			return c
		}
		return offset(a) - offset(b)
	})
	detail := "The request has 1 fault."
	if n := len(faults); n > 1 {
		detail = fmt.Sprintf("The request has %d faults.", n)
	}
	if n := len(faults); n > maxFaults {
		faults = faults[:maxFaults:maxFaults]
		detail = fmt.Sprintf("The request has %d faults; the first %d are listed.", n, maxFaults)
	}
	p := newProblem(invalidQuestion, detail)
	p.Errors = faults
	return p
}

func offset(f fault) int {
	if f.Offset == nil {
		return -1
	}
	return *f.Offset
}

// positionFaults returns what is wrong with the text of a position at a location.
func positionFaults(location string, err error) []fault {
	var sfen *shogi.SFENError
	if !errors.As(err, &sfen) {
		return []fault{{Location: location, Message: err.Error()}}
	}
	faults := make([]fault, len(sfen.Faults))
	for i, f := range sfen.Faults {
		faults[i] = fault{Location: location, Code: f.Code, Message: f.Field + ": " + f.Msg}
		if f.Offset >= 0 {
			faults[i].Offset = &sfen.Faults[i].Offset
		}
	}
	return faults
}

// jsonProblem returns the problem of a text that is not JSON, nil if it is.
func jsonProblem(location string, text []byte) *problem {
	var syntax *json.SyntaxError
	err := json.Unmarshal(text, new(any))
	switch {
	case err == nil:
		return nil
	case bytes.HasPrefix(text, byteOrderMark):
		p := newProblem(badJSON, "The text begins with a byte order mark (EF BB BF), which is no part of JSON: send it without.")
		p.Errors = []fault{{Location: location, Offset: new(int), Message: "found a byte order mark"}}
		return p
	case len(bytes.TrimSpace(text)) == 0:
		return newProblem(badJSON, "The body is empty, expected a JSON object.")
	case !errors.As(err, &syntax):
		return newProblem(badJSON, clip(err.Error()))
	}
	// The package counts the byte it stumbled over as read.
	at := max(0, int(syntax.Offset)-1)
	if strings.HasPrefix(syntax.Error(), "unexpected end") {
		at = len(text)
	}
	p := newProblem(badJSON, fmt.Sprintf("The text is not JSON: %s at byte %d.", syntax, at))
	p.Errors = []fault{{Location: location, Offset: &at, Message: syntax.Error()}}
	return p
}

// byteOrderMark is what some editors put before a text in UTF-8.
var byteOrderMark = []byte("\xef\xbb\xbf")

// clip shortens text that a stranger chose the length of.
func clip(s string) string {
	if len(s) <= maxEcho {
		return s
	}
	n := maxEcho
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// Error returns the detail.
func (p *problem) Error() string { return p.Detail }

// GetStatus makes a problem an error with a status for huma.
func (p *problem) GetStatus() int { return p.Status }

// GetHeaders are the headers huma sends with a problem that a handler returns.
func (p *problem) GetHeaders() http.Header {
	h := http.Header{"Cache-Control": {"no-store"}}
	if p.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(p.retryAfter))
	}
	return h
}

// ContentType makes huma send a problem as what it is.
func (p *problem) ContentType(string) string { return problemType }

// write sends p as the answer to the request of x.
func (p *problem) write(x *exchange) {
	p.RequestID = x.id
	h := x.Header()
	for name, values := range p.GetHeaders() {
		h[name] = values
	}
	h.Set("Content-Type", problemType)
	// What belonged to the answer that is not given.
	h.Del("ETag")
	h.Del("Content-Length")
	if x.unread {
		// Else net/http would wait for the rest of the body before it sends anything, and after
		// that for the next request on the connection.
		h.Set("Connection", "close")
		_ = huma.SetReadDeadline(x, time.Now().Add(lingering)) // a test's recorder has none
	}
	x.WriteHeader(p.Status)
	_, _ = x.Write(encode(p)) // a client that is gone needs no answer
}

// lingering is how long a client may go on sending a body after it was refused. To close at once
// would take the answer from it.
const lingering = time.Second

// encode returns a value that JSON can hold as one line of it.
func encode(v any) []byte {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return buf.Bytes()
}

// Huma makes its errors with variables of its packages, which is the way it documents to get others. This package
// is the only one of the program that imports huma.
func init() {
	huma.ValidateStrictCasing = true // "SFEN" is no "sfen"
	validation.MsgExpectedMinimumNumber = "expected number >= %.0f"
	validation.MsgExpectedMaximumNumber = "expected number <= %.0f" // not 1e+08

	huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
		return humaProblem(status, errs)
	}
	huma.NewErrorWithContext = func(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
		p := humaProblem(status, errs)
		if x := exchangeOf(ctx.Context()); x != nil {
			p.RequestID = x.id
		}
		ctx.SetHeader("Cache-Control", "no-store")
		return p
	}
}

// humaProblem returns the problem for an error that huma found: of parameters, of a missing body, or what a resolver
// in solve.go returned.
func humaProblem(status int, errs []error) *problem {
	for _, err := range errs {
		var p *problem
		if errors.As(err, &p) {
			return p
		}
	}
	if status == http.StatusBadRequest {
		return newProblem(badJSON, "The body is empty, expected a JSON object.")
	}
	if status != http.StatusUnprocessableEntity {
		return newProblem(internalError, "The request could not be answered.")
	}
	faults := make([]fault, 0, len(errs))
	for _, err := range errs {
		var f *fault
		var d *huma.ErrorDetail
		switch {
		case errors.As(err, &f):
			faults = append(faults, *f)
		case errors.As(err, &d):
			faults = append(faults, fault{Location: d.Location, Message: d.Message})
		}
	}
	return invalid(faults)
}
