// Package client is a client of the jobs of a service over its HTTP API: it submits them, follows
// them and reads their results. A request that the service cannot answer now is retried when it
// says so. One that it refuses is an error with the problem that it answered.
//
// The idempotency key of a submission is kept in a file until the service has accepted the job (see
// Keys), so that a program that ends before then submits the same job when it is run again.
package client

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tsumero/tsumero/api/jobs"
	"github.com/tsumero/tsumero/api/wire"
)

// A Client is a client of one service. It is safe for concurrent use.
type Client struct {
	// Patience is how long a request is retried that the service cannot answer now.
	Patience time.Duration
	// Waiting, unless nil, is called before each retry, with the reason.
	Waiting func(why error, in time.Duration)

	base url.URL
	key  string // of the API, empty for none
	http *http.Client
	// sleep waits until the time is over or ctx ends. Tests have one that does not.
	sleep func(ctx context.Context, d time.Duration) error
}

// DefaultPatience is the Patience of a new Client.
const DefaultPatience = time.Minute

// New returns a client of the service at an address such as "https://example.org". key is the API
// key, empty for none.
func New(address, key string) (*Client, error) {
	base, err := ParseAddress(address)
	if err != nil {
		return nil, err
	}
	for _, c := range []byte(key) {
		if c <= ' ' || c > '~' { // the key is not shown
			return nil, errors.New("the API key has characters that no key has")
		}
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = 2 * longestWait
	return &Client{Patience: DefaultPatience, base: *base, key: key, sleep: sleep, http: &http.Client{
		Transport: transport,
		// The service never redirects, and no other host may get the key.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// ParseAddress reads the address of a service.
func ParseAddress(address string) (*url.URL, error) {
	base, err := url.Parse(address)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" ||
		base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("the address is not one such as https://example.org")
	}
	base.Path = strings.TrimRight(base.Path, "/")
	return base, nil
}

// SendsKeyOpenly reports whether others may read the API key on its way: there is one, and the
// address is neither https nor on this machine.
func (c *Client) SendsKeyOpenly() bool {
	host := c.base.Hostname()
	return c.key != "" && c.base.Scheme == "http" && host != "localhost" &&
		!net.ParseIP(host).IsLoopback()
}

// A Refusal is the problem that a service answered.
type Refusal struct {
	URL     string
	Status  int
	Problem wire.Problem // empty if the answer was none
	Code    string       // of the kind of the problem, such as "job_not_found"; empty for none

	retryAfter time.Duration // 0 if the service does not say
}

// Error has each fault of the problem on a line of its own.
func (r *Refusal) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s answers %d %s", r.URL, r.Status, http.StatusText(r.Status))
	if r.Problem.Detail != "" {
		fmt.Fprintf(&b, ": %s", r.Problem.Detail)
	}
	for _, f := range r.Problem.Errors {
		fmt.Fprintf(&b, "\n  %s: %s", f.Location, f.Message)
	}
	return b.String()
}

// Japanese is Error in Japanese.
func (r *Refusal) Japanese() string {
	text := fmt.Sprintf("%s の応答は %d %s：%s", r.URL, r.Status, http.StatusText(r.Status), r.Problem.DetailJa)
	for _, f := range r.Problem.Errors {
		text += "\n  " + f.Location + "：" + f.MessageJa
	}
	return strings.TrimSuffix(text, "：")
}

// IsPassing reports whether the request that ended with err may succeed later: the service could
// not be reached, or has too much to do.
func IsPassing(err error) bool {
	var refusal *Refusal
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &refusal):
		switch refusal.Status {
		case http.StatusTooManyRequests: // without a time, the job alone is more than is allowed
			return refusal.Code != wire.QuotaExceeded.Code || refusal.retryAfter > 0
		case http.StatusRequestTimeout, http.StatusBadGateway, http.StatusServiceUnavailable,
			http.StatusGatewayTimeout:
			return true
		}
		return false
	case errors.As(err, &name) && name.IsNotFound, errors.As(err, &certificate),
		errors.Is(err, context.Canceled), errors.Is(err, errMalformed):
		return false
	}
	return true
}

// errMalformed says that an answer is not one of this API.
var errMalformed = errors.New("the answer is not one of Tsumero")

// A request may be sent several times. It is a GET unless it has a method.
type request struct {
	method, path string
	query        url.Values
	header       http.Header
	body         io.ReadSeeker // nil for none
}

// The pauses before a retry, where the service does not say how long.
const (
	firstPause = 500 * time.Millisecond
	maxPause   = 30 * time.Second
)

// do sends a request until it succeeds, or is refused, or Patience is over.
func (c *Client) do(ctx context.Context, r *request) (*http.Response, error) {
	ends := time.Now().Add(c.Patience)
	for n := 0; ; n++ {
		resp, err := c.once(ctx, r)
		if err == nil {
			return resp, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !IsPassing(err) {
			return nil, err
		}
		if err := c.pause(ctx, err, n, ends); err != nil {
			return nil, err
		}
	}
}

// pause waits before the retry of what has failed n times before. It returns why if the retry would
// come after the end.
func (c *Client) pause(ctx context.Context, why error, n int, ends time.Time) error {
	wait := min(firstPause<<min(n, 10), maxPause)
	wait += rand.N(wait / 4) // clients that failed together do not retry together
	var refusal *Refusal
	if errors.As(why, &refusal) && refusal.retryAfter > 0 {
		wait = refusal.retryAfter + rand.N(time.Second)
	}
	if time.Now().Add(wait).After(ends) {
		return why
	}
	if c.Waiting != nil {
		c.Waiting(why, wait)
	}
	return c.sleep(ctx, wait)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// once sends a request once. Success is a status below 300, and 304.
func (c *Client) once(ctx context.Context, r *request) (*http.Response, error) {
	u := c.base
	u.Path += r.path
	u.RawQuery = r.query.Encode()
	req, err := http.NewRequestWithContext(ctx, r.method, u.String(), nil)
	if err != nil {
		return nil, err
	}
	if r.header != nil {
		req.Header = r.header.Clone()
	}
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	if r.body != nil {
		if req.ContentLength, err = r.body.Seek(0, io.SeekEnd); err != nil {
			return nil, err
		}
		if _, err := r.body.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		req.Body = io.NopCloser(r.body)
		if req.ContentLength > largeBody {
			req.Header.Set("Expect", "100-continue")
		}
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode < 300 || resp.StatusCode == http.StatusNotModified {
		return resp, nil
	}
	defer resp.Body.Close()
	u.RawQuery = ""
	return nil, newRefusal(u.String(), resp)
}

// largeBody is from what size on a body waits for 100 Continue.
const largeBody = 1 << 20

// maxProblem is the most that is read of an answer that is a problem.
const maxProblem = 256 << 10

// newRefusal reads the problem that a service answered.
func newRefusal(address string, resp *http.Response) *Refusal {
	r := &Refusal{URL: address, Status: resp.StatusCode}
	if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && s > 0 {
		r.retryAfter = time.Duration(s) * time.Second
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxProblem)) // what there is of it
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case mediaType == wire.ProblemType && json.Unmarshal(body, &r.Problem) == nil:
		r.Code = strings.TrimPrefix(r.Problem.Type, "/problems/")
	case resp.StatusCode < 400:
		r.Problem.Detail = fmt.Sprintf("it is at %s, which is not followed; "+
			"give that address if it is the right one", printable(resp.Header.Get("Location")))
	default:
		r.Problem.Detail = "this is no answer of Tsumero; is the address right?"
	}
	return r
}

// printable makes text from outside fit for a terminal.
func printable(text string) string { return strings.Trim(strconv.QuoteToGraphic(wire.Clip(text)), `"`) }

// maxAnswer is the largest answer that is read as a whole. The line of a mate in 1525 has 50 KB.
const maxAnswer = 8 << 20

// read sends a request, and reads the answer in JSON into a value, unless that is nil or it was not
// modified.
func (c *Client) read(ctx context.Context, r *request, into any) (*http.Response, error) {
	resp, err := c.do(ctx, r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer)) // so that the connection is kept
	if err != nil || into == nil || resp.StatusCode == http.StatusNotModified {
		return resp, err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", resp.Request.URL.Redacted(), errMalformed, err)
	}
	return resp, nil
}

// path returns the path of a job.
func path(id jobs.ID, rest string) string { return "/v1/jobs/" + string(id) + rest }

// A Submission is a job to be submitted.
type Submission struct {
	ContentType string
	Query       url.Values    // limits of a collection
	Body        io.ReadSeeker // is read once for each attempt
	Key         string        // of idempotency: the same for each attempt
}

// Submit submits a job. Any number of calls with the same submission are one job; again reports
// whether the service had accepted it before.
func (c *Client) Submit(ctx context.Context, s *Submission) (j *wire.Job, again bool, err error) {
	j = new(wire.Job)
	resp, err := c.read(ctx, &request{method: http.MethodPost, path: "/v1/jobs", query: s.Query,
		header: http.Header{"Content-Type": {s.ContentType}, "Idempotency-Key": {s.Key}},
		body:   s.Body}, j)
	if err != nil {
		return nil, false, err
	}
	if _, err := jobs.ParseID(j.ID); err != nil {
		return nil, false, fmt.Errorf("%w: %w", errMalformed, err)
	}
	return j, resp.Header.Get("Idempotent-Replayed") == "true", nil
}

// Job returns the state of a job and its entity tag.
func (c *Client) Job(ctx context.Context, id jobs.ID) (j *wire.Job, etag string, err error) {
	j = new(wire.Job)
	resp, err := c.read(ctx, &request{path: path(id, "")}, j)
	if err != nil {
		return nil, "", err
	}
	return j, resp.Header.Get("ETag"), nil
}

// HasEnded reports whether nothing more happens to a job.
func HasEnded(j *wire.Job) bool { return jobs.State(j.State).Ended() }

// longestWait is the longest wait for a change in one request.
const longestWait = 30 * time.Second

// Wait waits until the state of a job has another entity tag, but no longer than longestWait.
func (c *Client) Wait(ctx context.Context, id jobs.ID, etag string) error {
	began := time.Now()
	resp, err := c.read(ctx, &request{path: path(id, ""), header: http.Header{"If-None-Match": {etag},
		"Prefer": {fmt.Sprintf("wait=%d", longestWait/time.Second)}}}, nil)
	if err == nil && resp.StatusCode == http.StatusNotModified {
		// A service, or a proxy before it, that does not wait must not get requests continuously.
		return c.sleep(ctx, time.Second-time.Since(began))
	}
	return err
}

// Cancel ends a job; with purge it is removed at once, with its results.
func (c *Client) Cancel(ctx context.Context, id jobs.ID, purge bool) error {
	r := &request{method: http.MethodDelete, path: path(id, "")}
	if purge {
		r.query = url.Values{"purge": {"true"}}
	}
	_, err := c.read(ctx, r, nil)
	return err
}

// Queue returns how busy the service is.
func (c *Client) Queue(ctx context.Context) (*wire.QueueAnswer, error) {
	q := new(wire.QueueAnswer)
	_, err := c.read(ctx, &request{path: "/v1/queue"}, q)
	return q, err
}

// HasKey reports whether requests have an API key, under which jobs can be listed.
func (c *Client) HasKey() bool { return c.key != "" }

// List calls found with the jobs of the API key.
func (c *Client) List(ctx context.Context, found func(*wire.Job) error) error {
	for query := (url.Values{}); ; {
		var page wire.JobsAnswer
		if _, err := c.read(ctx, &request{path: "/v1/jobs", query: query}, &page); err != nil {
			return err
		}
		for i := range page.Jobs {
			if err := found(&page.Jobs[i]); err != nil {
				return err
			}
		}
		if page.Next == "" {
			return nil
		}
		query.Set("after", page.Next)
	}
}

// Results calls found with each line of the results of a job, in the order of the input, from line
// number from on. The text is JSON with the end of the line, and not to be kept. It returns the
// number of the first line that is not done. With follow it waits for those until the job has
// ended. If the connection breaks, it continues at that line.
func (c *Client) Results(ctx context.Context, id jobs.ID, from int, follow bool,
	found func(jobs.Line) error) (next int, err error) {
	next = from
	ends := time.Now().Add(c.Patience)
	var stop error // of found
	for failed := 0; ; {
		query := url.Values{}
		if follow {
			j, _, err := c.Job(ctx, id)
			if err != nil {
				return next, err
			}
			if !HasEnded(j) {
				query.Set("follow", "true")
			}
		}
		before := next
		err := c.results(ctx, id, query, &next, func(l jobs.Line) error {
			stop = found(l)
			return stop
		})
		if next > before {
			failed, ends = 0, time.Now().Add(c.Patience)
		}
		switch {
		case ctx.Err() != nil:
			return next, ctx.Err()
		case stop != nil || err != nil && !IsPassing(err):
			return next, err
		case err != nil:
			if err = c.pause(ctx, err, failed, ends); err != nil {
				return next, err
			}
			failed++
		case !query.Has("follow"):
			return next, nil
		case next == before: // the service ends the answer early
			if err = c.sleep(ctx, time.Second); err != nil {
				return next, err
			}
		}
	}
}

// results reads one answer, from line number next on.
func (c *Client) results(ctx context.Context, id jobs.ID, query url.Values, next *int,
	found func(jobs.Line) error) error {
	query.Set("from", strconv.Itoa(*next))
	r := &request{path: path(id, "/results"), query: query}
	resp, err := c.do(ctx, r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(make([]byte, 64<<10), maxAnswer)
	lines.Split(splitLines)
	for lines.Scan() {
		text := lines.Bytes()
		number, ok := wire.LineNumber(text)
		switch {
		case len(bytes.TrimSpace(text)) == 0: // it keeps the connection alive
		case !ok:
			var end wire.ResultsProblem
			if json.Unmarshal(text, &end) != nil || end.Problem == nil ||
				end.Type != wire.NotFinished.TypeURI() {
				return fmt.Errorf("%s: %w: %s", r.path, errMalformed, printable(string(text)))
			}
			*next = max(*next, end.Next)
			return nil
		case number >= *next:
			if err := found(jobs.Line{Number: number, Text: text}); err != nil {
				return err
			}
			*next = number + 1
		}
	}
	if err := lines.Err(); !errors.Is(err, bufio.ErrTooLong) {
		return err
	}
	return errMalformed
}

// splitLines splits at the ends of lines, which it keeps. A last line without one was cut off.
func splitLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i+1], nil
	}
	if atEOF && len(data) > 0 {
		err = io.ErrUnexpectedEOF
	}
	return 0, nil, err
}
