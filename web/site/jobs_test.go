package site

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/web/board"
	"github.com/tsumero/tsumero/web/diagram"
	"github.com/tsumero/tsumero/web/internal/browsertest"
)

// A jobAPI is what the pages of jobs ask of the API, with one job.
type jobAPI struct {
	mu      sync.Mutex
	job     string        // in JSON; a problem if it has a status
	changed chan struct{} // closed when the job is another one
	asked   []*http.Request
	bodies  []string
	problem string // what the next request gets
}

const jobID = "ge3dsmjrgy3tkmjvge3dsmjrgy"

func newJobAPI() *jobAPI { return &jobAPI{changed: make(chan struct{})} }

// set makes the job another one.
func (a *jobAPI) set(job string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.job = job
	close(a.changed)
	a.changed = make(chan struct{})
}

func (a *jobAPI) now() (job string, changed <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.job, a.changed
}

func (a *jobAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	a.mu.Lock()
	a.asked, a.bodies = append(a.asked, r), append(a.bodies, string(body))
	problem := a.problem
	a.problem = ""
	a.mu.Unlock()
	job, changed := a.now()
	var status struct{ Status int }
	switch {
	case problem != "":
		job = problem
	case r.URL.Path == "/v1/queue":
		fmt.Fprint(w, `{"jobs":{"queued":12,"running":3,"done":4},"lines_waiting":1234567,"slots":4,"slots_busy":3,"wait_ms":754000}`)
		return
	case r.Method == http.MethodPost:
		w.WriteHeader(http.StatusAccepted)
	case r.Method == http.MethodDelete:
		w.WriteHeader(http.StatusNoContent)
		return
	case strings.HasSuffix(r.URL.Path, "/events"):
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			fmt.Fprintf(w, "event: state\nid: 1\ndata: %s\n\n", job)
			var j struct {
				State    string
				Progress json.RawMessage
			}
			_ = json.Unmarshal([]byte(job), &j)
			if j.Progress != nil {
				fmt.Fprintf(w, "event: progress\ndata: %s\n\n", j.Progress)
			}
			w.(http.Flusher).Flush()
			select {
			case <-changed:
			case <-r.Context().Done():
				return
			}
			job, changed = a.now()
		}
	}
	if json.Unmarshal([]byte(job), &status) == nil && status.Status >= 400 {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(status.Status)
	}
	fmt.Fprint(w, job)
}

// jobs returns what the pages ask of the API.
func (a *jobAPI) jobs() Jobs { return a }

// call passes on what a page asks as a request to the API, of whoever sent the request to the page.
func (a *jobAPI) call(r *http.Request, method, path, body, key string, into any) *wire.Problem {
	asked := r.Clone(r.Context())
	asked.Method, asked.URL, asked.Body = method, &url.URL{Path: path}, io.NopCloser(strings.NewReader(body))
	asked.Header.Set("Idempotency-Key", key)
	w := httptest.NewRecorder()
	a.ServeHTTP(w, asked)
	if w.Code >= http.StatusBadRequest {
		into = new(wire.Problem)
	}
	if w.Code != http.StatusNoContent {
		if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
			panic(err)
		}
	}
	p, _ := into.(*wire.Problem)
	return p
}

func (a *jobAPI) LongestJob() time.Duration { return time.Hour }

func (a *jobAPI) Queue(ctx context.Context) (*wire.QueueAnswer, *wire.Problem) {
	q := new(wire.QueueAnswer)
	return q, a.call(httptest.NewRequestWithContext(ctx, "", "/", nil), "GET", "/v1/queue", "", "", q)
}

func (a *jobAPI) SubmitJob(r *http.Request, body []byte, key string) (*wire.Job, *wire.Problem) {
	j := new(wire.Job)
	return j, a.call(r, "POST", "/v1/jobs", string(body), key, j)
}

func (a *jobAPI) Job(r *http.Request, id string) (*wire.Job, *wire.Problem) {
	j := new(wire.Job)
	return j, a.call(r, "GET", "/v1/jobs/"+id, "", "", j)
}

// Composed is of a service that has found nothing yet.
func (a *jobAPI) Composed(r *http.Request, id string) ([]shogi.Game, *wire.Problem) {
	return nil, a.call(r, "GET", "/v1/jobs/"+id, "", "", new(wire.Job))
}

func (a *jobAPI) CancelJob(r *http.Request, id string) *wire.Problem {
	return a.call(r, "DELETE", "/v1/jobs/"+id, "", "", nil)
}

// Jobs as they go.
const (
	jobHead    = `{"id":"` + jobID + `","kind":"problem","ask":"solve","created":"2026-11-22T09:00:00Z",`
	queuedJob  = jobHead + `"state":"queued","lines":1,"done":0,"nodes":0,"position_in_queue":3}`
	runningJob = jobHead + `"state":"running","started":"2026-11-22T09:00:05Z","lines":1,"done":0,"nodes":0,` +
		`"progress":{"line":1,"done":0,"phase":"searching","elapsed_ms":754321,"nodes":123456789,"pn":1234,"dn":56789,` +
		`"moves":["4e4c+","P*3c"],"no_mate_within":17}}`
	answered = jobHead + `"state":"done","started":"2026-11-22T09:00:05Z","finished":"2026-11-22T09:20:05Z",` +
		`"expires":"2026-11-23T09:20:05Z","lines":1,"done":1,"counts":{"mate":1},"nodes":223456789,` +
		`"answer":{"sfen":"` + problem + `","attacker":"black","verdict":"mate","plies":5,"exact":true,` +
		`"moves":["4e4c+","P*3c","4c3c","1c1b","2a2b+"]`
	doneJob    = answered + "}}"
	countedJob = answered + `,"length":{"policy":"F2","low":3,"high":3,"raw":{"low":5,"high":5},` +
		`"moves":["4e4c+","1c1b","2a2c+"]}}}`
	unknownJob = jobHead + `"state":"done","lines":1,"done":1,"nodes":5,` +
		`"answer":{"sfen":"` + problem + `","verdict":"unknown","reason":"limit_time","no_mate_within":9}}`
	reportJob = `{"id":"` + jobID + `","kind":"analysis","state":"done","lines":1,"done":1,"nodes":5,` +
		`"answer":{"sfen":"` + problem + `","verdict":"mate","sound":"yes","text_ja":["完全作です。"],` +
		`"text_en":["The problem is sound."],"line":{"moves":["4e4c+"]}}}`
	collectionJob = `{"id":"` + jobID + `","kind":"collection","state":"running","lines":100000,"done":31415,` +
		`"counts":{"mate":30000,"nomate":1000,"unknown":400,"faulty":15},"nodes":987654321,` +
		`"progress":{"line":31416,"done":31415,"phase":"searching","elapsed_ms":1000,"nodes":5}}`
	failedJob = jobHead + `"state":"failed","lines":1,"done":0,"nodes":0,` +
		`"problem":{"type":"/problems/internal_error","status":500,"detail":"The work on it ended three times."}}`
)

// newJobSite returns the pages of a service with jobs, and its API.
func newJobSite(t testing.TB) (http.Handler, *jobAPI) {
	t.Helper()
	api := newJobAPI()
	pages, err := Handler(Config{MaxTime: 10 * time.Second, Jobs: api.jobs})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", pages)
	board.Register(mux)
	mux.Handle("/v1/diagram.svg", diagram.Handler(nil))
	mux.Handle("/v1/", api)
	return mux, api
}

// postForm sends a form as a browser does.
func postForm(h http.Handler, target string, form url.Values, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, target, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestNoJobs: a service without jobs has none of the pages, and no link to them.
func TestNoJobs(t *testing.T) {
	h := newSite(t)
	for _, path := range []string{"/jobs", "/jobs/" + jobID, "/compose"} {
		if w := get(h, path); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	for _, path := range []string{"/", studyLink, "/nowhere", "/sitemap.xml"} {
		if body := get(h, path).Body.String(); strings.Contains(body, "/jobs") || strings.Contains(body, "/compose") {
			t.Errorf("%s leads to the pages of jobs", path)
		}
	}
}

// TestJobForm: the form asks for a job in the name of whoever sent it, and leads to its page.
func TestJobForm(t *testing.T) {
	h, api := newJobSite(t)
	page := get(h, "/jobs?sfen=7R1/9/8k/8p/5R3/9/9/9/9_b_2b4g4s4n4l17p&lang=en").Body.String()
	for _, want := range []string{problem, "1,234,567", "3 / 4", "about 13 min", `<option value="3600000" selected>1 h<`,
		`<form method="post" action="/jobs">`, "/v1/diagram.svg?sfen=7R1"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(page, "86400000") {
		t.Error("more time is offered than anybody without a key may have")
	}
	key := regexp.MustCompile(`name="key" value="([A-Z2-7]{26})"`).FindStringSubmatch(page)
	if key == nil {
		t.Fatal("the form has no key")
	}
	api.set(queuedJob)
	form := url.Values{"sfen": {problem}, "time_ms": {"600000"}, "shortest": {"true"}, "lang": {"ja"}, "key": {key[1]}}
	w := postForm(h, "/jobs", form, "X-Forwarded-For", "192.0.2.7")
	want := "/jobs/" + jobID + "?lang=ja&sfen=7R1/9/8k/8p/5R3/9/9/9/9_b_2b4g4s4n4l17p"
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != want || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	last := len(api.asked) - 1
	r := api.asked[last]
	if r.Method != http.MethodPost || r.URL.Path != "/v1/jobs" || r.Header.Get("Idempotency-Key") != key[1] ||
		r.Header.Get("X-Forwarded-For") != "192.0.2.7" || r.RemoteAddr != "192.0.2.1:1234" ||
		api.bodies[last] != `{"sfen":"`+problem+`","limits":{"time_ms":600000,"shortest":true}}`+"\n" {
		t.Errorf("%s %s %v %s", r.Method, r.URL, r.Header, api.bodies[last])
	}
	// A record will do.
	w = postForm(h, "/jobs", url.Values{"sfen": {kif}})
	if w.Code != http.StatusSeeOther || !strings.Contains(api.bodies[len(api.bodies)-1], recorded) {
		t.Errorf("%d %s", w.Code, api.bodies[len(api.bodies)-1])
	}
}

// TestJobFormRefused: what cannot be taken is told beside the form, which keeps the text. Other sites
// cannot use it.
func TestJobFormRefused(t *testing.T) {
	h, api := newJobSite(t)
	for _, c := range []struct {
		problem, sfen string
		headers       []string
		status        int
		want          string
	}{
		{"", "4k4/9/4P4/4P4/9/9/9/9/9 b G 1", nil, 422, "二歩です。"},
		{"", "", nil, 422, "SFEN"},
		{`{"type":"/problems/quota_exceeded","status":429,"detail":"x","detail_ja":"終わっていない依頼が多すぎます。"}`, problem, nil, 429, "終わっていない依頼が多すぎます。"},
		{`{"type":"/problems/invalid_question","status":422,"detail":"x","errors":[{"location":"body.limits.time_ms","message":"expected number <= 600000"}]}`,
			problem, nil, 422, "expected number &lt;= 600000"},
		{`{"type":"/problems/jobs_unavailable","status":503,"detail":"x","detail_ja":"受け付けた依頼は失われていません。"}`, problem, nil, 503, "受け付けた依頼は失われていません"},
		{`{"type":"/problems/store_full","status":507,"detail":"x","detail_ja":"依頼を保存する場所がありません。"}`, problem, nil, 507, "保存する場所がありません"},
		{"", problem, []string{"Sec-Fetch-Site", "cross-site"}, 403, "ほかのサイトからは依頼できません"},
		{"", problem, []string{"Sec-Fetch-Site", "", "Origin", "https://elsewhere.example"}, 403, "ほかのサイト"},
		{"", strings.Repeat("x", maxForm), nil, 400, "フォームの内容を読めません"},
	} {
		api.problem, api.asked = c.problem, nil
		w := postForm(h, "/jobs", url.Values{"sfen": {c.sfen}, "lang": {"ja"}}, c.headers...)
		if body := w.Body.String(); w.Code != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%.40q %q: %d, want %d with %q", c.sfen, c.problem, w.Code, c.status, c.want)
		} else if c.status < 500 && c.status != 403 && c.status != 400 && !strings.Contains(body, ">"+c.sfen+"</textarea>") {
			t.Errorf("%q: the text is lost", c.sfen)
		}
		posted := slices.ContainsFunc(api.asked, func(r *http.Request) bool { return r.Method == http.MethodPost })
		if posted != (c.problem != "") {
			t.Errorf("%.40q %v: the API is asked: %v", c.sfen, c.headers, posted)
		}
	}
}

// TestJobPage: the page of a job says how it goes, without scripts, and nobody else learns its
// address.
func TestJobPage(t *testing.T) {
	h, api := newJobSite(t)
	const position = "&sfen=7R1/9/8k/8p/5R3/9/9/9/9_b_2b4g4s4n4l17p"
	for _, c := range []struct {
		job, query string
		ended      bool
		want       []string
	}{
		{queuedJob, "lang=ja" + position, false, []string{"順番を待っています", "<dt>順番</dt><dd>3</dd>", problem, `action="/jobs/` + jobID + `/cancel?lang=ja&amp;sfen=7R1`}},
		{queuedJob, "lang=en", false, []string{"Waiting for its turn", `class="plain"`}},
		{runningJob, "lang=ja" + position, false, []string{"探索しています", "123,456,789", "1,234 · 56,789", "17手まで", "13分",
			`moves="4e4c&#43; P*3c"`, "▲４三飛成 △３三歩"}},
		{runningJob, "lang=en&sfen=4k4/9/4P4/9/9/9/9/9/9_b_G", false, []string{"Searching", "17 plies", `controls="none"`}},
		{doneJob, "lang=en", true, []string{"Mate in 5", "Every move is counted. Proven to be the shortest", problem, `moves="4e4c&#43; P*3c 4c3c 1c1b 2a2b&#43;"`,
			`href="/v1/jobs/` + jobID + `/result"`, "Kept until</dt><dd>2026-11-23 09:20 UTC", `href="/p?sfen=7R1`}},
		{countedJob, "lang=ja", true, []string{"3手詰", "無駄合を除く。すべての合駒を数えると5手。最短と証明済み。", `moves="4e4c&#43; 1c1b 2a2c&#43;"`}},
		{unknownJob, "lang=ja", true, []string{"不明", "時間切れです。9手以内の詰みはありません。"}},
		{reportJob, "lang=ja", true, []string{"完全作です。", `moves="4e4c&#43;"`}},
		{collectionJob, "lang=en", false, []string{`max="100000" value="31415"`, "31,415 / 100,000", "<dt>Faulty</dt><dd>15</dd>",
			`href="/v1/jobs/` + jobID + `/results"`}},
		{failedJob, "lang=en", true, []string{"Failed", "The work on it ended three times."}},
		{jobHead + `"state":"cancelled","lines":1}`, "lang=ja", true, []string{"中止しました"}},
		{jobHead + `"state":"new","lines":1}`, "lang=ja", false, []string{">new<"}},
	} {
		api.set(c.job)
		w := get(h, "/jobs/"+jobID+"?"+c.query)
		body, header := w.Body.String(), w.Header()
		for _, want := range c.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s: no %q", c.job, want)
			}
		}
		if w.Code != 200 || header.Get("Referrer-Policy") != "no-referrer" || header.Get("X-Robots-Tag") != "noindex" ||
			header.Get("Cache-Control") != "no-store" || !strings.HasPrefix(header.Get("Content-Security-Policy"), "default-src 'none'") ||
			!strings.Contains(body, `<meta name="robots" content="noindex">`) {
			t.Errorf("%s: %d %v", c.job, w.Code, header)
		}
		if got := strings.Contains(body, `http-equiv="refresh" content="10"`); got == c.ended {
			t.Errorf("%s loads anew: %v", c.job, got)
		}
		if strings.Contains(body, "ZgotmplZ") || strings.Contains(body, "no value") {
			t.Errorf("%s: the template failed somewhere", c.job)
		}
	}
	for problem, c := range map[string]struct {
		status int
		want   string
	}{
		`{"type":"/problems/job_not_found","status":404,"detail":"x","detail_ja":"この依頼はありません。"}`:          {404, "この依頼はありません。"},
		`{"type":"/problems/job_gone","status":410,"detail":"x","detail_ja":"この依頼は保存期限を過ぎたので消去されました。"}`:   {410, "保存期限を過ぎたので消去されました"},
		`{"type":"/problems/rate_limited","status":429,"detail":"x","detail_ja":"アクセスが多すぎます。"}`:           {429, "アクセスが多すぎます"},
		`{"type":"/problems/jobs_unavailable","status":503,"detail":"x","detail_ja":"受け付けた依頼は失われていません。"}`: {503, "受け付けた依頼は失われていません"},
		`{"type":"/problems/else","status":500,"detail":"Internal."}`:                                     {500, "Internal."},
	} {
		api.set(problem)
		w := get(h, "/jobs/"+jobID+"?lang=ja"+position)
		if strings.Contains(w.Body.String(), "アドレスに使えない値があります") {
			t.Errorf("%s: the position in the address is said to be wrong", problem)
		}
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) || w.Header().Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %d %v %s", problem, w.Code, w.Header(), w.Body)
		}
	}
}

// TestJobCancel: the button works without scripts, also when the job has ended meanwhile.
func TestJobCancel(t *testing.T) {
	h, api := newJobSite(t)
	for problem, status := range map[string]int{
		"": 303, `{"type":"/problems/job_finished","status":409,"detail":"x"}`: 303,
		`{"type":"/problems/job_not_found","status":404,"detail":"x"}`: 404,
	} {
		api.problem = problem
		w := postForm(h, "/jobs/"+jobID+"/cancel?lang=en", nil)
		last := api.asked[len(api.asked)-1]
		if w.Code != status || last.Method != http.MethodDelete || last.URL.Path != "/v1/jobs/"+jobID ||
			status == 303 && w.Header().Get("Location") != "/jobs/"+jobID+"?lang=en" {
			t.Errorf("%q: %d %v, %s %s", problem, w.Code, w.Header(), last.Method, last.URL)
		}
	}
}

// TestJobsLook: on every screen the pages of jobs fit and are accessible; with scripts a page
// follows the search, and shows the result when there is one.
func TestJobsLook(t *testing.T) {
	t.Parallel()
	h, api := newJobSite(t)
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	p := browsertest.Open(t, browsertest.Screen{Still: true})
	screens := map[string]browsertest.Screen{
		"320": {Width: 320, Height: 640}, "768": {Width: 768, Height: 1024, Dark: true}, "1440": {Width: 1440, Height: 900},
	}
	folder := os.Getenv("BROWSER_SHOTS")
	if folder != "" { // colours do not change what sticks out
		screens["1440-dark"] = browsertest.Screen{Width: 1440, Height: 900, Dark: true}
		screens["forced"] = browsertest.Screen{Width: 1024, Height: 768, ForcedColors: true}
	}
	look := func(state string, axe bool) {
		t.Helper()
		for _, name := range slices.Sorted(maps.Keys(screens)) {
			screen := screens[name]
			screen.Still = true
			p.Show(screen)
			if wide := browsertest.Eval[int](p, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); wide > 0 {
				t.Errorf("%s %s: %d pixels stick out", state, name, wide)
			}
			if folder != "" {
				keep(t, p, folder, "jobs-"+state+"-"+name, true)
			}
		}
		p.Show(browsertest.Screen{Still: true})
		if axe {
			p.Accessible()
		}
	}
	open := func(path string) {
		p.Goto(s.URL + path)
		p.Wait(`document.readyState === "complete" && (!document.querySelector("tsume-board") || customElements.get("tsume-board"))`)
	}
	const position = "sfen=7R1/9/8k/8p/5R3/9/9/9/9_b_2b4g4s4n4l17p"
	open("/jobs?lang=ja&" + position)
	look("form", true)
	// The search begins, goes on and ends before the reader's eyes.
	api.set(queuedJob)
	click(p, "form [type=submit]")
	p.Wait(`document.querySelector("#state")?.textContent.includes("順番を待って")`)
	api.set(runningJob)
	p.Wait(`document.querySelector("#live")?.textContent.includes("123,456,789")`)
	p.Wait(`document.querySelector("#board")?.getAttribute("moves") === "4e4c+ P*3c"`)
	look("running", true)
	api.set(strings.Replace(runningJob, "123456789", "223456789", 1))
	p.Wait(`document.querySelector("#live")?.textContent.includes("223,456,789")`)
	clean(t, p)
	api.set(doneJob)
	p.Wait(`document.querySelector("#state")?.textContent === "5手詰"`)
	look("done", false)
	for name, job := range map[string]string{"unknown": unknownJob, "report": reportJob, "collection": collectionJob, "failed": failedJob} {
		if folder == "" && name != "collection" {
			continue
		}
		api.set(job)
		open("/jobs/" + jobID + "?lang=en")
		look(name, name == "collection")
	}
	if folder != "" {
		open("/jobs?lang=en")
		look("empty", false)
	}
	// What a short search leaves open is offered to a long one.
	p.Show(screens["320"])
	p.Goto(s.URL + studyLink + "&lang=ja")
	p.Wait(ready)
	for reason, want := range map[string]bool{"limit_time": true, "limit_nodes": true, "limit_plies": false, "": false} {
		verdict := "unknown"
		if reason == "" {
			verdict = "nomate"
		}
		p.Do(fmt.Sprintf(`window.fetch = async () => new Response('event: answer\ndata: {"verdict":%q,"reason":%q,"nodes":1}\n\n')`, verdict, reason))
		click(p, "#solve")
		waitVerdict(p, verdict)
		if got := browsertest.Eval[bool](p, visible("#longer")); got != want {
			t.Errorf("%q: a long search is offered: %v", reason, got)
		}
		if want && folder != "" {
			keep(t, p, folder, "jobs-offer", true)
		}
		p.Do(`document.querySelector("#verdict").dataset.verdict = "none"`)
	}
	if got, want := browsertest.Eval[string](p, element("#longer-link")+`.getAttribute("href")`), "/jobs?sfen=7R1/9/8k/8p/5R3/9/9/9/9_b_2b4g4s4n4l17p&lang=ja"; got != want {
		t.Errorf("the link leads to %s", got)
	}
	clean(t, p)
}
