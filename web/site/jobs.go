package site

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
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
	"github.com/tsumero/tsumero/shogi/notation"
)

// A jobsPage is what jobs.html shows: how busy the service is, and a form.
type jobsPage struct {
	problemLayout
	Queue   []fact
	NoQueue string // why there are no numbers
	Times   []choice
	Text    string // of the position
	Key     string // of idempotency: the form sent twice is one job
}

// A fact is a row of a list.
type fact struct{ Name, Value string }

// A jobPage is what job.html shows.
type jobPage struct {
	positionLayout
	*wire.Job        // nil: the service refused to say
	Title     string // what is said of the state
	Ended     bool
	DoneText  string // of how many, for people
	Live      []fact // of the search
	Facts     []fact
	Times     []fact
	Line      string // that is searched, or found
	Verdict   string // of a problem, as the API has it
	Word      string // the same for people
	WordNote  string
	Texts     []string     // of an analysis
	Results   template.URL // where the answers are
	Cancel    template.URL // where the form to cancel leads
	Moves     string       // on the board

	id string // that the address has
}

// Jobs are the jobs of the service, for whoever sent the request to a page.
type Jobs interface {
	// LongestJob returns the longest search that a reader may ask for.
	LongestJob() time.Duration
	Queue(ctx context.Context) (*wire.QueueAnswer, *wire.Problem)
	// SubmitJob takes the body of POST /v1/jobs, and an idempotency key.
	SubmitJob(r *http.Request, body []byte, key string) (*wire.Job, *wire.Problem)
	Job(r *http.Request, id string) (*wire.Job, *wire.Problem)
	// Composed returns the problems that a job has found so far, with their solutions.
	Composed(r *http.Request, id string) ([]shogi.Game, *wire.Problem)
	CancelJob(r *http.Request, id string) *wire.Problem
}

// refused answers with a page that says why the service refused.
func (h *handler) refused(w http.ResponseWriter, r *http.Request, of page, p *wire.Problem) {
	if p.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(p.RetryAfter))
	}
	e := newErrorPage(of)
	e.Faults = e.explainProblem(p)
	if p.Status != http.StatusNotFound && p.Status != http.StatusGone {
		e.Heading = e.T("いまは表示できません", "This did not work")
	}
	h.render(w, r, p.Status, "error.html", e)
}

// explainProblem returns what the service says of what it refused, in the language of the page.
func (v *layout) explainProblem(p *wire.Problem) (faults []string) {
	for _, f := range p.Errors {
		faults = append(faults, v.T(cmp.Or(f.MessageJa, f.Message), f.Message))
	}
	if faults == nil {
		faults = []string{v.T(cmp.Or(p.DetailJa, p.Detail), p.Detail)}
	}
	return faults
}

// longTimes are the times that the form offers, as far as the service allows them.
var longTimes = []time.Duration{time.Minute, 10 * time.Minute, time.Hour}

// jobs is the page at /jobs: how busy the service is, and a form for a long search.
func (h *handler) jobs(w http.ResponseWriter, r *http.Request) {
	v := &jobsPage{problemLayout: h.newProblem(r)}
	if text := r.URL.Query().Get("sfen"); text != "" {
		v.Text = clip(text, 4096)
		if v.setPosition(r.URL.RawQuery) {
			v.Text = v.SFEN
		}
	}
	h.renderJobs(w, r, v.status(), v)
}

// renderJobs answers with the page at /jobs.
func (h *handler) renderJobs(w http.ResponseWriter, r *http.Request, status int, v *jobsPage) {
	service := h.config.Jobs()
	v.Times, v.Key = v.longTimes(service.LongestJob()), rand.Text()
	if queue, p := service.Queue(r.Context()); p != nil {
		v.NoQueue = v.explainProblem(p)[0]
	} else {
		v.Queue = v.queueFacts(queue)
	}
	h.render(w, r, status, "jobs.html", v)
}

func (v *jobsPage) InOther() string {
	if v.SFEN == "" {
		return "/jobs?lang=" + v.other()
	}
	return "/jobs?" + v.query("lang", v.other())
}

// longTimes returns the choices of the form: the longest is selected.
func (v *layout) longTimes(most time.Duration) (all []choice) {
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
func (v *layout) queueFacts(q *wire.QueueAnswer) []fact {
	facts := []fact{
		{v.T("探索中", "Running"), grouped(q.Jobs.Running)},
		{v.T("順番待ち", "Waiting"), grouped(q.Jobs.Queued)},
		{v.T("残りの局面", "Positions left"), grouped(q.LinesWaiting)},
		{v.T("使用中の枠", "Slots in use"), fmt.Sprintf("%d / %d", q.SlotsBusy, q.Slots)},
	}
	wait := v.T("まだ分かりません（すべての枠が使用中で、終わった探索がありません）",
		"not known yet: all slots are in use, and nothing has ended")
	switch {
	case q.Slots == 0 && q.WaitMS == nil:
		return append(facts, fact{v.T("注意", "Note"),
			v.T("現在、探索できるワーカーがありません", "nobody is there to search now")})
	case q.WaitMS != nil && *q.WaitMS > 0:
		wait = v.T("約", "about ") + v.roughly(time.Duration(*q.WaitMS)*time.Millisecond)
	case q.WaitMS != nil:
		wait = v.T("なし", "none")
	}
	return append(facts, fact{v.T("待ち時間", "Expected wait"), wait})
}

// roughly writes a time in its largest unit.
func (v *layout) roughly(d time.Duration) string {
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
func grouped[T int | uint64](n T) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// maxForm is the largest form that is read: a position, or a record.
const maxForm = 64 << 10

// submit takes the form of the page at /jobs, and leads to the page of the job.
func (h *handler) submit(w http.ResponseWriter, r *http.Request) {
	v := &jobsPage{problemLayout: h.newProblem(r)}
	fail := func(status int, ja, en string) {
		h.refused(w, r, v, &wire.Problem{Status: status, Detail: en, DetailJa: ja})
	}
	// Another site must not submit in the name of its visitors.
	if err := h.origins.Check(r); err != nil {
		fail(http.StatusForbidden,
			"ほかのサイトからは依頼できません。このページのフォームから依頼してください。",
			"Jobs are not taken from other sites. Use the form of this page.")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		fail(http.StatusBadRequest, "フォームの内容を読めません。", "The form cannot be read.")
		return
	}
	discard(w, r.Body)
	v.setLang(r.PostForm.Get("lang"))
	v.Text = r.PostForm.Get("sfen")
	p, err := readPasted(v.Text)
	if err != nil {
		v.Faults = v.explain(err)
		h.renderJobs(w, r, http.StatusUnprocessableEntity, v)
		return
	}
	v.put(&p)
	request := wire.JobRequest{SFEN: v.SFEN}
	request.Limits.TimeMS, _ = strconv.ParseInt(r.PostForm.Get("time_ms"), 10, 64) // 0: the longest
	request.Limits.Shortest = r.PostForm.Get("shortest") != ""
	key := r.PostForm.Get("key")
	if len(key) > 64 {
		key = ""
	}
	job, problem := h.config.Jobs().SubmitJob(r, wire.Encode(&request), key)
	switch {
	case problem != nil && problem.Status < http.StatusInternalServerError:
		v.Faults = v.explainProblem(problem)
		h.renderJobs(w, r, problem.Status, v)
	case problem != nil:
		h.refused(w, r, v, problem)
	default:
		redirectToJob(w, r, &v.positionLayout, job.ID)
	}
}

// redirectToJob leads to the page of a job.
func redirectToJob(w http.ResponseWriter, r *http.Request, v *positionLayout, id string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, v.jobAddress(id, v.Lang), http.StatusSeeOther)
}

// jobAddress returns the address of the page of a job in a language.
func (v *positionLayout) jobAddress(id, lang string) string {
	return "/jobs/" + url.PathEscape(id) + v.jobQuery(lang)
}

// jobQuery returns the query of an address of a job. The position is in it, for the state of a job
// does not have it.
func (v *positionLayout) jobQuery(lang string) string {
	query := "?lang=" + lang
	if v.Link != "" {
		query += "&sfen=" + v.Link
	}
	return query
}

// newJobPage returns the page of a job, of which nothing is known yet. A position in the address is
// for the picture alone.
func (h *handler) newJobPage(r *http.Request) *jobPage {
	v := &jobPage{positionLayout: positionLayout{layout: h.newLayout(r)}, id: r.PathValue("id")}
	v.secret = true
	if !v.setPosition(r.URL.RawQuery) {
		v.Faults = nil
	}
	return v
}

func (v *jobPage) InOther() string {
	if v.Job == nil {
		return v.layout.InOther()
	}
	return v.jobAddress(v.id, v.other())
}

// job is the page of a job.
func (h *handler) job(w http.ResponseWriter, r *http.Request) {
	v := h.newJobPage(r)
	job, p := h.config.Jobs().Job(r, v.id)
	if p != nil {
		h.refused(w, r, v, p)
		return
	}
	v.setJob(job)
	h.render(w, r, http.StatusOK, "job.html", v)
}

// cancel takes the form that cancels a job. Whoever knows the id may do that, and another site does
// not know it.
func (h *handler) cancel(w http.ResponseWriter, r *http.Request) {
	v := h.newJobPage(r)
	discard(w, http.MaxBytesReader(w, r.Body, maxForm))
	if p := h.config.Jobs().CancelJob(r, v.id); p != nil && p.Type != wire.JobFinished.TypeURI() {
		h.refused(w, r, v, p)
		return
	}
	redirectToJob(w, r, &v.positionLayout, v.id)
}

// discard reads the rest of a body, which has no time any more once it has ended.
func discard(w http.ResponseWriter, body io.Reader) {
	_, _ = io.Copy(io.Discard, body)
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // a test's recorder has none
}

// setJob sets what the page shows of a job. Of a problem that is solved it gets the position.
func (v *jobPage) setJob(j *wire.Job) {
	path := url.PathEscape(j.ID)
	v.Job, v.DoneText = j, grouped(j.Done)+" / "+grouped(j.Lines)
	v.Title = report.JobState(j.State).In(v.Lang)
	v.Results = template.URL("/v1/jobs/" + path + "/results")
	v.Cancel = template.URL("/jobs/" + path + "/cancel" + v.jobQuery(v.Lang))
	switch j.State {
	case "done", "failed", "cancelled":
		v.Ended = true
	}
	add := func(to *[]fact, ja, en, value string) {
		*to = append(*to, fact{v.T(ja, en), value})
	}
	if j.PositionInQueue > 0 {
		add(&v.Live, "順番", "Place in the queue", grouped(j.PositionInQueue))
	}
	if j.WaitingFor != "" {
		add(&v.Live, "待っているもの", "Waiting for", j.WaitingFor)
	}
	count := func(ja, en string, n int) { add(&v.Facts, ja, en, grouped(n)) }
	switch c := j.Counts; j.Kind {
	case "compose":
		count("図のある区間", "Parts with problems", c.Mate)
		count("図のない区間", "Parts without", c.NoMate)
		count("調べ終えていない区間", "Parts cut short", c.Unknown+c.Faulty)
	case "collection":
		count("詰み", "Mate", c.Mate)
		count("不詰", "No mate", c.NoMate)
		count("不明", "Unknown", c.Unknown)
		count("局面の誤り", "Faulty", c.Faulty)
	default:
		v.Results = template.URL("/v1/jobs/" + path + "/result")
		var progress wire.ProgressEvent
		if !v.Ended && json.Unmarshal(j.Progress, &progress) == nil && progress.Phase != "" {
			v.addProgress(&progress)
		}
	}
	if j.Nodes > 0 {
		add(&v.Facts, "調べた局面", "Positions", grouped(j.Nodes))
	}
	at := func(ja, en string, t time.Time) {
		if !t.IsZero() {
			add(&v.Times, ja, en, t.UTC().Format("2006-01-02 15:04 UTC"))
		}
	}
	at("依頼", "Submitted", j.Created)
	at("終了", "Ended", j.Finished)
	at("保存期限", "Kept until", j.Expires)
	v.addAnswer(j)
}

// addProgress adds how the search goes.
func (v *jobPage) addProgress(p *wire.ProgressEvent) {
	add := func(name, value string) {
		v.Live = append(v.Live, fact{v.say(name), value})
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
	v.addLine(p.Moves)
}

// addLine puts moves on the board, if they can be played there.
func (v *jobPage) addLine(moves []string) {
	if v.Link == "" || len(moves) == 0 {
		return
	}
	line := strings.Join(moves, " ")
	game, err := shogi.ParsePosition(v.SFEN + " moves " + line)
	if err != nil {
		return // the position in the address is another one
	}
	v.Moves = line
	v.Line = strings.Join(movetext.JapaneseLine(v.position, game.Moves()), " ")
	if v.Lang == "en" {
		v.Line = strings.Join(movetext.EnglishLine(v.position, game.Moves()), " ")
	}
}

// addAnswer adds what was found about a problem.
func (v *jobPage) addAnswer(j *wire.Job) {
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
	v.Verdict, v.Texts = a.Verdict, a.TextJa
	if v.Lang == "en" {
		v.Texts = a.TextEn
	}
	if a.Line != nil {
		a.Moves = a.Line.Moves
	} else if a.Length != nil && a.Length.Moves != nil {
		a.Moves = a.Length.Moves // the line that is as long as the number says
	}
	v.addLine(a.Moves)
	switch {
	case a.Verdict == "mate" && (a.Sound != "" || a.Plies == nil):
		v.Word = v.T("詰みあり", "Mate")
	case a.Verdict == "mate":
		word, counted := v.mateIn(&a.Answer)
		note := v.say("not_shortest")
		if a.Exact != nil && *a.Exact {
			note = v.say("shortest")
		}
		v.Word, v.WordNote = word, strings.TrimPrefix(counted+v.T("", " ")+note, " ")
	case a.Verdict == "nomate":
		v.Word, v.WordNote = v.say("nomate"), v.say("proven_nomate")
	default:
		v.Word = v.say("unknown")
		v.WordNote = report.Sentence(report.Why(a.Reason)).In(v.Lang)
		if a.NoMateWithin > 0 {
			v.WordNote += v.T("", " ") + v.say("none_within", "n", strconv.Itoa(a.NoMateWithin))
		}
	}
}

// mateIn says in how many plies it is mate, by the policy of its length if it has one, and how that
// is counted.
func (v *layout) mateIn(a *wire.Answer) (word, counted string) {
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

func (v *layout) mateInterval(i wire.LengthInterval) string {
	if i.High != nil && *i.High == i.Low {
		return v.MateIn(i.Low)
	}
	return v.say("mate_between", "plies", v.plies(i))
}

// plies says a length: a number, or what it is known to lie between.
func (v *layout) plies(i wire.LengthInterval) string {
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
	record, err := notation.ParseOne(strings.TrimSpace(text), notation.Options{})
	if err != nil {
		return shogi.Position{}, err
	}
	return record.Position(), nil
}
