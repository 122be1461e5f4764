package site

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
)

// A jobsPage is what the page at /jobs shows: how busy the service is, and a form.
type jobsPage struct {
	Queue []fact
	Times []choice
	Text  string // of the position
	Key   string // of idempotency: the form sent twice is one job
	Most  string // the longest search that is offered
	Busy  string // why there are no numbers
}

// A fact is a row of a list.
type fact struct{ Name, Value string }

// A jobPage is what the page of a job shows.
type jobPage struct {
	ID       string
	State    string // as the API has it
	Title    string // what is said of the state
	Note     string
	Ended    bool
	Lines    int
	Done     int
	DoneText string // of how many, for people
	Live     []fact // of the search
	Facts    []fact
	Times    []fact
	Line     string // that is searched, or found
	Problem  string // why there is no answer
	Verdict  string // of a problem, as the API has it
	Word     string // the same for people
	WordNote string
	Texts    []string     // of an analysis
	Results  template.URL // where the answers are
	Cancel   template.URL // where the form to cancel leads
	Moves    string       // on the board
}

// apiClient are the headers of a request by which the API knows who asks.
var apiClient = []string{"X-Forwarded-For", "Forwarded", "X-Forwarded-Proto", "X-Real-Ip", "Via",
	"User-Agent"}

// A detached context ends with its parent and has none of its values: what those say of the request
// to the page is not true of the one to the API.
type detached struct{ context.Context }

func (detached) Value(any) any { return nil }

// maxReply is the most that is read of an answer of the API: a mate in 1525 has 50 KB.
const maxReply = 4 << 20

// A reply is what the API answered.
type reply struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *reply) Header() http.Header { return a.header }

func (a *reply) WriteHeader(status int) {
	if a.status == 0 && status >= 200 {
		a.status = status
	}
}

func (a *reply) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if a.body.Len()+len(p) > maxReply {
		return 0, errors.New("site: the answer is too long")
	}
	return a.body.Write(p)
}

// A refusal is the problem that the API answered.
type refusal struct {
	wire.Problem
	retryAfter string
}

func (r *refusal) Error() string { return r.Detail }

// isKind reports whether the problem is of a kind.
func (r *refusal) isKind(k *wire.Kind) bool { return r.Type == k.TypeURI() }

// ask asks the API in the name of whoever asked for a page, and reads the answer into a value. The
// error is a refusal.
func (h *handler) ask(r *http.Request, method, path string, body []byte, key string, into any) error {
	target := url.URL{Path: path}
	req, err := http.NewRequestWithContext(detached{r.Context()}, method, target.String(),
		bytes.NewReader(body))
	if err != nil {
		return &refusal{Problem: *wire.KnownProblem(wire.InternalError.Code, err.Error())}
	}
	req.RemoteAddr, req.Host, req.TLS, req.RequestURI = r.RemoteAddr, r.Host, r.TLS, req.URL.String()
	req.Proto, req.ProtoMajor, req.ProtoMinor = r.Proto, r.ProtoMajor, r.ProtoMinor
	for _, name := range apiClient {
		if values := r.Header.Values(name); values != nil {
			req.Header[name] = values
		}
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	a := &reply{header: http.Header{}}
	h.config.API.ServeHTTP(a, req)
	if a.status < 300 {
		if into == nil || json.Unmarshal(a.body.Bytes(), into) == nil {
			return nil
		}
		return &refusal{Problem: *wire.KnownProblem(wire.InternalError.Code, "The answer cannot be read.")}
	}
	e := &refusal{retryAfter: a.header.Get("Retry-After")}
	if json.Unmarshal(a.body.Bytes(), &e.Problem) != nil || e.Status < 400 {
		e.Problem = *wire.KnownProblem(wire.InternalError.Code, http.StatusText(a.status))
	}
	return e
}

// refused answers with a page that says why the API refused.
func (h *handler) refused(w http.ResponseWriter, r *http.Request, v *view, err error) {
	var e *refusal
	if !errors.As(err, &e) {
		e = &refusal{Problem: *wire.KnownProblem(wire.InternalError.Code, err.Error())}
	}
	if e.retryAfter != "" {
		w.Header().Set("Retry-After", e.retryAfter)
	}
	v.Faults = v.explainRefusal(e)
	v.Failed = e.Status != http.StatusNotFound && e.Status != http.StatusGone
	h.render(w, r, e.Status, "error.html", v)
}

// explainRefusal returns what the API says of what it refused, in the language of the page.
func (v *view) explainRefusal(e *refusal) (faults []string) {
	for _, f := range e.Errors {
		faults = append(faults, v.T(cmp.Or(f.MessageJa, f.Message), f.Message))
	}
	if faults == nil {
		faults = []string{v.T(cmp.Or(e.DetailJa, e.Detail), e.Detail)}
	}
	return faults
}

// longest returns the longest search that a reader of the pages may ask for.
func (h *handler) longest(r *http.Request) (time.Duration, error) {
	var limits wire.LimitsAnswer
	if err := h.ask(r, http.MethodGet, "/v1/limits", nil, "", &limits); err != nil {
		return 0, err
	}
	if limits.Jobs != nil {
		for _, class := range limits.Jobs.Classes {
			if class.Class == "anonymous" {
				return time.Duration(class.MaxTimeMS) * time.Millisecond, nil
			}
		}
	}
	return 0, &refusal{Problem: *wire.KnownProblem(wire.JobsOff.Code, "There are no jobs here.")}
}

// longTimes are the times that the form offers, as far as the service allows them.
var longTimes = []time.Duration{time.Minute, 10 * time.Minute, time.Hour}

// jobs is the page at /jobs: how busy the service is, and a form for a long search.
func (h *handler) jobs(w http.ResponseWriter, r *http.Request) {
	v := h.newView(r)
	page := &jobsPage{}
	status := http.StatusOK
	switch {
	case r.URL.Query().Get("sfen") == "":
	case v.setPosition(r.URL.RawQuery):
		page.Text = v.SFEN
	default:
		page.Text, status = clip(r.URL.Query().Get("sfen"), 4096), http.StatusUnprocessableEntity
	}
	h.renderJobs(w, r, status, v, page)
}

// renderJobs answers with the page at /jobs.
func (h *handler) renderJobs(w http.ResponseWriter, r *http.Request, status int, v *view, page *jobsPage) {
	most, err := h.longest(r)
	if err != nil {
		h.refused(w, r, v, err)
		return
	}
	page.Times, page.Most = v.longTimes(most), v.duration(min(most, longTimes[len(longTimes)-1]))
	page.Key = rand.Text()
	var queue wire.QueueAnswer
	var e *refusal
	if err := h.ask(r, http.MethodGet, "/v1/queue", nil, "", &queue); errors.As(err, &e) {
		page.Busy = v.explainRefusal(e)[0]
	} else {
		page.Queue = v.queueFacts(&queue)
	}
	v.Jobs = page
	h.render(w, r, status, "jobs.html", v)
}

// longTimes returns the choices of the form: the longest is selected.
func (v *view) longTimes(most time.Duration) (all []choice) {
	for _, d := range longTimes {
		if d <= most {
			all = append(all, choice{Milliseconds: d.Milliseconds(), Label: v.duration(d)})
		}
	}
	if len(all) == 0 {
		all = []choice{{Milliseconds: most.Milliseconds(), Label: v.duration(most)}}
	}
	all[len(all)-1].Selected = true
	return all
}

// queueFacts say how busy the service is.
func (v *view) queueFacts(q *wire.QueueAnswer) []fact {
	facts := []fact{
		{v.T("探索中", "Running"), grouped(uint64(q.Jobs.Running))},
		{v.T("順番待ち", "Waiting"), grouped(uint64(q.Jobs.Queued))},
		{v.T("残りの局面", "Positions left"), grouped(uint64(q.LinesWaiting))},
		{v.T("使用中の枠", "Places in use"), fmt.Sprintf("%d / %d", q.Busy, q.Places)},
	}
	if q.WaitMS != nil {
		wait := time.Duration(*q.WaitMS) * time.Millisecond
		text := v.T("なし", "none")
		if wait > 0 {
			text = v.T("約", "about ") + v.roughly(wait)
		}
		facts = append(facts, fact{v.T("待ち時間", "Expected wait"), text})
	} else if q.Places > 0 {
		facts = append(facts, fact{v.T("待ち時間", "Expected wait"),
			v.T("まだ分かりません（すべての枠が使用中で、終わったものがありません）", "not known yet: all places are in use, and nothing has ended")})
	}
	if q.Places == 0 {
		facts = append(facts, fact{v.T("注意", "Note"), v.T("いま探索するものがありません", "nobody is there to search now")})
	}
	return facts
}

// roughly writes a time in its largest unit.
func (v *view) roughly(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return strconv.Itoa(int(d.Hours()+12)/24) + v.T("日", " days")
	case d >= 90*time.Minute:
		return strconv.Itoa(int(d.Hours()+0.5)) + v.T("時間", " h")
	case d >= 90*time.Second:
		return strconv.Itoa(int(d.Minutes()+0.5)) + v.T("分", " min")
	}
	return strconv.Itoa(int(d.Seconds()+0.5)) + v.T("秒", " s")
}

// grouped writes a number with a comma after each three digits.
func grouped(n uint64) string {
	text := strconv.FormatUint(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// maxForm is the largest form that is read: a position, or a record.
const maxForm = 64 << 10

// submit takes the form of the page at /jobs, and leads to the page of the job.
func (h *handler) submit(w http.ResponseWriter, r *http.Request) {
	v := h.newView(r)
	// Another site must not submit in the name of its visitors.
	if err := h.origins.Check(r); err != nil {
		v.Faults = []string{v.T("ほかのサイトからは依頼できません。このページのフォームからお願いします。",
			"Jobs are not taken from other sites. Use the form of this page.")}
		v.Failed = true
		h.render(w, r, http.StatusForbidden, "error.html", v)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		v.Faults = []string{v.T("フォームを読めません。", "The form cannot be read.")}
		v.Failed = true
		h.render(w, r, http.StatusBadRequest, "error.html", v)
		return
	}
	_, _ = io.Copy(io.Discard, r.Body)
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // a test's recorder has none
	v.setLang(r.PostForm.Get("lang"))
	text := r.PostForm.Get("sfen")
	page := &jobsPage{Text: text}
	p, err := readPasted(text)
	if err != nil {
		v.Faults = v.explain(err)
		h.renderJobs(w, r, http.StatusUnprocessableEntity, v, page)
		return
	}
	v.put(&p)
	request := wire.JobRequest{SFEN: v.SFEN}
	request.Limits.TimeMS, _ = strconv.ParseInt(r.PostForm.Get("time_ms"), 10, 64) // 0: the longest
	request.Limits.Shortest = r.PostForm.Get("shortest") != ""
	var job wire.Job
	key := r.PostForm.Get("key")
	if len(key) > 64 {
		key = ""
	}
	err = h.ask(r, http.MethodPost, "/v1/jobs", wire.Encode(&request), key, &job)
	var e *refusal
	switch {
	case errors.As(err, &e) && e.Status < http.StatusInternalServerError:
		v.Faults = v.explainRefusal(e)
		h.renderJobs(w, r, e.Status, v, page)
	case err != nil:
		h.refused(w, r, v, err)
	default:
		header := w.Header()
		header.Set("Cache-Control", "no-store")
		header.Set("Referrer-Policy", "no-referrer")
		http.Redirect(w, r, v.jobAddress(job.ID), http.StatusSeeOther)
	}
}

// jobAddress returns the address of the page of a job. The position is in it, for a job does not
// tell it.
func (v *view) jobAddress(id string) string {
	address := "/jobs/" + url.PathEscape(id) + "?lang=" + v.Lang
	if v.Link != "" {
		address += "&sfen=" + v.Link
	}
	return address
}

// job is the page of a job.
func (h *handler) job(w http.ResponseWriter, r *http.Request) {
	v := h.newView(r)
	v.secret = true
	v.ID = r.PathValue("id")
	v.setOptionalPosition(r.URL.RawQuery)
	var job wire.Job
	if err := h.ask(r, http.MethodGet, "/v1/jobs/"+url.PathEscape(v.ID), nil, "", &job); err != nil {
		h.refused(w, r, v, err)
		return
	}
	v.Job = v.jobPage(&job)
	h.render(w, r, http.StatusOK, "job.html", v)
}

// setOptionalPosition takes the position of an address, which is for the picture alone.
func (v *view) setOptionalPosition(query string) {
	if !v.setPosition(query) {
		v.Faults = nil
	}
}

// cancel takes the form that cancels a job. Whoever knows the id may do that, and another site does
// not know it.
func (h *handler) cancel(w http.ResponseWriter, r *http.Request) {
	v := h.newView(r)
	v.secret = true
	v.ID = r.PathValue("id")
	v.setOptionalPosition(r.URL.RawQuery)
	_, _ = io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, maxForm))
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	err := h.ask(r, http.MethodDelete, "/v1/jobs/"+url.PathEscape(v.ID), nil, "", nil)
	var e *refusal
	if err != nil && !(errors.As(err, &e) && e.isKind(wire.JobFinished)) {
		h.refused(w, r, v, err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, v.jobAddress(v.ID), http.StatusSeeOther)
}

// jobPage returns what the page of a job shows. Of a problem that is solved the view gets the
// position.
func (v *view) jobPage(j *wire.Job) *jobPage {
	page := &jobPage{ID: j.ID, State: j.State, Note: j.Note, Lines: j.Lines, Done: j.Done,
		DoneText: grouped(uint64(j.Done)) + " / " + grouped(uint64(j.Lines)),
		Title:    report.JobState(j.State).In(v.Lang), Results: template.URL("/v1/jobs/" + url.PathEscape(j.ID) + "/results"),
		Cancel: template.URL("/jobs/" + url.PathEscape(j.ID) + "/cancel?lang=" + v.Lang)}
	if v.Link != "" {
		page.Cancel += template.URL("&sfen=" + v.Link)
	}
	switch j.State {
	case "done", "failed", "cancelled":
		page.Ended = true
	}
	single := j.Kind != "collection" && j.Kind != "compose"
	if single {
		page.Results = template.URL("/v1/jobs/" + url.PathEscape(j.ID) + "/result")
	}
	if j.Problem != nil {
		page.Problem = j.Problem.Detail
	}
	add := func(to *[]fact, ja, en, value string) {
		*to = append(*to, fact{v.T(ja, en), value})
	}
	if j.PositionInQueue > 0 {
		add(&page.Live, "順番", "Place in the queue", grouped(uint64(j.PositionInQueue)))
	}
	if j.WaitingFor != "" {
		add(&page.Live, "待っているもの", "Waiting for", j.WaitingFor)
	}
	var progress wire.ProgressEvent
	if single && !page.Ended && json.Unmarshal(j.Progress, &progress) == nil && progress.Phase != "" {
		v.addProgress(page, &progress)
	}
	c := j.Counts
	if j.Kind == "compose" {
		add(&page.Facts, "図のある区間", "Parts with problems", grouped(uint64(c.Mate)))
		add(&page.Facts, "図のない区間", "Parts without", grouped(uint64(c.NoMate)))
		add(&page.Facts, "調べ終えていない区間", "Parts cut short", grouped(uint64(c.Unknown+c.Faulty)))
	} else if !single {
		add(&page.Facts, "詰み", "Mate", grouped(uint64(c.Mate)))
		add(&page.Facts, "不詰", "No mate", grouped(uint64(c.NoMate)))
		add(&page.Facts, "不明", "Unknown", grouped(uint64(c.Unknown)))
		add(&page.Facts, "局面の誤り", "Faulty", grouped(uint64(c.Faulty)))
	}
	if j.Nodes > 0 {
		add(&page.Facts, "調べた局面", "Positions", grouped(j.Nodes))
	}
	at := func(ja, en string, t time.Time) {
		if !t.IsZero() {
			add(&page.Times, ja, en, t.UTC().Format("2006-01-02 15:04 UTC"))
		}
	}
	at("依頼", "Submitted", j.Created)
	at("終了", "Ended", j.Finished)
	at("保存期限", "Kept until", j.Expires)
	v.addAnswer(page, j)
	return page
}

// addProgress adds how the search goes.
func (v *view) addProgress(page *jobPage, p *wire.ProgressEvent) {
	add := func(name, value string) {
		page.Live = append(page.Live, fact{v.say(name), value})
	}
	add("now", report.Phase(p.Phase).In(v.Lang))
	add("elapsed", v.roughly(time.Duration(p.ElapsedMS)*time.Millisecond))
	add("positions", grouped(p.Nodes))
	if p.PN > 0 || p.DN > 0 {
		add("proof_numbers", grouped(p.PN)+" · "+grouped(p.DN))
	}
	if p.Mate > 0 {
		add("mate_found", v.say("mate_found_value", "n", strconv.Itoa(p.Mate)))
	}
	if p.NoMateWithin > 0 {
		add("within", v.say("within_value", "n", strconv.Itoa(p.NoMateWithin)))
	}
	v.addLine(page, p.Moves)
}

// addLine puts moves on the board, if they can be played there.
func (v *view) addLine(page *jobPage, moves []string) {
	if v.Link == "" || len(moves) == 0 {
		return
	}
	line := strings.Join(moves, " ")
	game, err := shogi.ParsePosition(v.SFEN + " moves " + line)
	if err != nil {
		return // the position in the address is another one
	}
	page.Moves = line
	page.Line = strings.Join(movetext.JapaneseLine(v.position, game.Moves()), " ")
	if v.Lang == "en" {
		page.Line = strings.Join(movetext.EnglishLine(v.position, game.Moves()), " ")
	}
}

// addAnswer adds what was found about a problem.
func (v *view) addAnswer(page *jobPage, j *wire.Job) {
	var a struct {
		wire.Answer
		Sound  string             `json:"sound"` // of an analysis, as the rest
		TextJa []string           `json:"text_ja"`
		TextEn []string           `json:"text_en"`
		Line   *wire.AnalysisLine `json:"line"`
	}
	if json.Unmarshal(j.Answer, &a) != nil || a.Verdict == "" {
		return
	}
	if game, err := shogi.ParsePosition(a.SFEN); err == nil {
		p := game.Position()
		v.put(&p)
	}
	page.Verdict, page.Texts = a.Verdict, a.TextJa
	if v.Lang == "en" {
		page.Texts = a.TextEn
	}
	if a.Line != nil {
		a.Moves = a.Line.Moves
	} else if a.Length != nil && a.Length.Moves != nil {
		a.Moves = a.Length.Moves // the line that is as long as the number says
	}
	v.addLine(page, a.Moves)
	switch {
	case a.Verdict == "mate" && (a.Sound != "" || a.Plies == nil):
		page.Word = v.T("詰みあり", "Mate")
	case a.Verdict == "mate":
		word, counted := v.mateIn(&a.Answer)
		note := v.say("not_shortest")
		if a.Exact != nil && *a.Exact {
			note = v.say("shortest")
		}
		page.Word, page.WordNote = word, strings.TrimPrefix(counted+v.T("", " ")+note, " ")
	case a.Verdict == "nomate":
		page.Word, page.WordNote = v.say("nomate"), v.say("proven_nomate")
	default:
		page.Word = v.say("unknown")
		page.WordNote = report.Sentence(report.Why(a.Reason)).In(v.Lang)
		if a.NoMateWithin > 0 {
			page.WordNote += v.T("", " ") + v.say("none_within", "n", strconv.Itoa(a.NoMateWithin))
		}
	}
}

// mateIn says in how many plies it is mate, by the policy of its length if it has one, and how that
// is counted.
func (v *view) mateIn(a *wire.Answer) (word, counted string) {
	length := wire.LengthInterval{Low: *a.Plies, High: a.Plies}
	if l := a.Length; l != nil && l.Policy != "F0" {
		length = wire.LengthInterval{Low: l.Low, High: l.High}
		raw, isOther := v.plies(l.Raw), v.plies(l.Raw) != v.plies(length)
		if isOther || l.High == nil || l.Low != *l.High {
			counted = v.say("futile_left_out")
		}
		if isOther {
			counted += v.T("", " ") + v.say("counting_every", "plies", raw)
		}
	} else if *a.Plies > 1 {
		counted = v.say("every_counted")
	}
	return v.mateInterval(length), counted
}

func (v *view) mateInterval(i wire.LengthInterval) string {
	if i.High != nil && *i.High == i.Low {
		return v.say("mate_in", "plies", v.plies(i))
	}
	return v.say("mate_between", "plies", v.plies(i))
}

// plies says a length: a number, or what it is known to lie between.
func (v *view) plies(i wire.LengthInterval) string {
	low := strconv.Itoa(i.Low)
	switch {
	case i.High == nil:
		return v.say("plies_or_more", "low", low)
	case *i.High == i.Low:
		return v.say("plies", "low", low)
	}
	return v.say("plies_between", "low", low, "high", strconv.Itoa(*i.High))
}

// readPasted reads a position as it was pasted: of a record in another notation the first one.
func readPasted(text string) (shogi.Position, error) {
	g, err := shogi.ParsePosition(strings.TrimSpace(text))
	if err == nil {
		return g.Position(), nil
	}
	return readRecord([]byte(text), err)
}
