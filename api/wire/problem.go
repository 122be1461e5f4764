package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tsumero/tsumero/shogi"
)

// ProblemType is the media type of a Problem.
const ProblemType = "application/problem+json"

// A Kind is a kind of problem. What to do about one is in Meaning.
type Kind struct {
	Code           string // the last part of the type URI; it never changes
	Status         int    // of HTTP
	Title, TitleJa string
}

// The kinds of problems.
var (
	BadJSON              = &Kind{"bad_json", 400, "The body is not JSON", "本文が JSON ではありません"}
	BadBody              = &Kind{"bad_body", 400, "The body could not be read", "本文を読めませんでした"}
	UnknownKey           = &Kind{"unknown_key", 401, "The key is unknown", "未登録のキーです"}
	ForeignOrigin        = &Kind{"foreign_origin", 403, "Another site's page may not do this", "ほかのサイトのページからは操作できません"}
	NotFound             = &Kind{"not_found", 404, "There is nothing here", "ここには何もありません"}
	JobsOff              = &Kind{"jobs_off", 404, "There are no jobs here", "ジョブは受け付けていません"}
	JobNotFound          = &Kind{"job_not_found", 404, "There is no such job", "そのジョブはありません"}
	MethodNotAllowed     = &Kind{"method_not_allowed", 405, "The method is not allowed here", "このメソッドは使えません"}
	BodyTimeout          = &Kind{"body_timeout", 408, "The body took too long", "本文が届くのに時間がかかりすぎました"}
	UploadIncomplete     = &Kind{"upload_incomplete", 408, "The upload was not completed", "送信が途中で切れました"}
	JobFinished          = &Kind{"job_finished", 409, "The job has ended", "そのジョブは終わっています"}
	NotFinished          = &Kind{"not_finished", 409, "There is no answer yet", "まだ答えがありません"}
	JobGone              = &Kind{"job_gone", 410, "The job is forgotten", "そのジョブは消去されました"}
	TooLarge             = &Kind{"too_large", 413, "The body is too large", "本文が大きすぎます"}
	LineTooLong          = &Kind{"line_too_long", 413, "The line is too long", "行が長すぎます"}
	URITooLong           = &Kind{"uri_too_long", 414, "The address is too long", "アドレスが長すぎます"}
	UnsupportedMediaType = &Kind{"unsupported_media_type", 415, "The media type is not supported", "その形式には対応していません"}
	InvalidQuestion      = &Kind{"invalid_question", 422, "The question has faults", "質問に誤りがあります"}
	IdempotencyMismatch  = &Kind{"idempotency_mismatch", 422, "The key stands for another job", "そのキーは別のジョブに使われています"}
	RateLimited          = &Kind{"rate_limited", 429, "Too many requests", "リクエストが多すぎます"}
	QuotaExceeded        = &Kind{"quota_exceeded", 429, "Too many jobs", "ジョブが多すぎます"}
	InternalError        = &Kind{"internal_error", 500, "Internal error", "内部エラー"}
	NotOffered           = &Kind{"not_offered", 501, "This is not offered here", "このサービスでは提供していません"}
	Overloaded           = &Kind{"overloaded", 503, "Too many searches", "探索が多すぎます"}
	ShuttingDown         = &Kind{"shutting_down", 503, "The service is shutting down", "サービスを終了しています"}
	JobsUnavailable      = &Kind{"jobs_unavailable", 503, "The job store does not answer", "ジョブの保存場所が応答しません"}
	StoreFull            = &Kind{"store_full", 507, "The job store is full", "ジョブの保存場所がいっぱいです"}
)

// Kinds returns all kinds, in the order of their status.
func Kinds() []*Kind {
	return []*Kind{BadJSON, BadBody, UnknownKey, ForeignOrigin, NotFound, JobsOff, JobNotFound, MethodNotAllowed,
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
// an ID that are repeated to the client.
const (
	maxFaults = 64
	maxEcho   = 256
)

// A Problem is an error in place of an answer, in the form of RFC 9457.
type Problem struct {
	Type      string  `json:"type" format:"uri-reference"`
	Title     string  `json:"title"`
	Status    int     `json:"status" minimum:"400" maximum:"599"`
	Detail    string  `json:"detail"`
	DetailJa  string  `json:"detail_ja,omitempty"` // absent from what older versions have stored
	RequestID string  `json:"request_id,omitempty"`
	Errors    []Fault `json:"errors,omitempty"`

	// RetryAfter is the header of this name: the seconds until a retry; 0 if that is not known.
	RetryAfter int `json:"-"`
}

// A Fault is one thing that is wrong with a request.
type Fault struct {
	Location  string `json:"location"`
	Offset    *int   `json:"offset,omitempty" minimum:"0"`
	Line      int    `json:"line,omitempty" minimum:"1"`
	Column    int    `json:"column,omitempty" minimum:"1"`
	Code      string `json:"code,omitempty"`
	Message   string `json:"message"`
	MessageJa string `json:"message_ja,omitempty"` // likewise
}

// A BatchProblem is a line of the answer to a batch in place of an Answer.
type BatchProblem struct {
	ID   ID  `json:"id,omitempty"`
	Line int `json:"line" minimum:"1"`
	*Problem
}

// NewProblem returns a problem of a kind, with its details: a sentence and facts.
func NewProblem(k *Kind, what *shogi.Text, args ...any) *Problem {
	p := &Problem{Type: k.TypeURI(), Title: k.Title, Status: k.Status}
	p.SetDetail(what, args...)
	return p
}

// After sets after how many seconds a client may ask again, and returns the problem.
func (p *Problem) After(seconds int) *Problem {
	p.RetryAfter = seconds
	return p
}

// SetDetail replaces the details.
func (p *Problem) SetDetail(what *shogi.Text, args ...any) {
	m := what.With(args...)
	p.Detail, p.DetailJa = m.String(), m.Japanese()
}

// KnownProblem returns a problem of which only the code of its kind and the English details are
// known, for one that was stored or came from elsewhere.
func KnownProblem(code, detail string) *Problem {
	k := KindOf(code)
	return &Problem{Type: k.TypeURI(), Title: k.Title, Status: k.Status, Detail: detail,
		DetailJa: k.TitleJa + "。"}
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
	p := NewProblem(InvalidQuestion, oneFault)
	switch n := len(faults); {
	case n > maxFaults:
		faults = faults[:maxFaults:maxFaults]
		p = NewProblem(InvalidQuestion, manyFaults, n, maxFaults)
	case n > 1:
		p = NewProblem(InvalidQuestion, faultCount, n)
	}
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

// byteOrderMark is what some editors put before a text in UTF-8.
var byteOrderMark = []byte("\xef\xbb\xbf")

// jsonProblem returns the problem of a text in which a decoder found that it is not JSON. The place
// is that of encoding/json.
func jsonProblem(location string, text []byte) *Problem {
	switch {
	case bytes.HasPrefix(text, byteOrderMark):
		p := NewProblem(BadJSON, beginsMarked)
		p.Errors = []Fault{fault(location, byteOrderMarkFound)}
		p.Errors[0].Offset = new(int)
		return p
	case len(bytes.TrimSpace(text)) == 0:
		return NewProblem(BadJSON, emptyBody)
	}
	var value json.RawMessage
	var syntax *json.SyntaxError
	if err := json.Unmarshal(text, &value); !errors.As(err, &syntax) {
		return NewProblem(BadJSON, nestedOrNotUTF8)
	}
	at := max(0, int(syntax.Offset)-1) // it counts the byte it stumbled over as read
	if strings.HasPrefix(syntax.Error(), "unexpected end") {
		at = len(text)
	}
	why := jsonMessage(text, at, syntax.Error())
	p := NewProblem(BadJSON, notJSON, why, at)
	p.Errors = []Fault{NewFault(location, why)}
	p.Errors[0].Offset = &at
	return p
}

// jsonMessage says what is wrong with a text at a byte, of which encoding/json says theirs.
func jsonMessage(text []byte, at int, theirs string) shogi.Message {
	switch {
	case at >= len(text):
		return jsonEnds.With()
	case strings.Contains(theirs, "max depth"):
		return jsonDeep.With()
	}
	char, size := utf8.DecodeRune(text[at:])
	found := foundCharacter.With(string(char))
	if char == utf8.RuneError && size == 1 {
		found = foundByte.With(text[at])
	}
	for _, p := range jsonPlaces {
		if strings.Contains(theirs, p.theirs) {
			return foundAt.With(found, p.place)
		}
	}
	return foundAt.With(found, elsewhere)
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

// AppendJSON appends a value as JSON on one line, without the end of the line. It must be one that JSON
// can hold, as all values of this package are.
func AppendJSON(dst []byte, v any) []byte {
	buf := bytes.NewBuffer(dst)
	e := json.NewEncoder(buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	buf.Truncate(buf.Len() - 1)
	return buf.Bytes()
}

// Encode returns such a value as a line of JSON.
func Encode(v any) []byte { return append(AppendJSON(nil, v), '\n') }
