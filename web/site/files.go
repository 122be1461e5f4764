package site

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/tsumero/tsumero/web/daily"
)

//go:embed static-worker.js
var filesWorker []byte

// placeholder is the host of a service where the pages name one, as in README.md.
const placeholder = "tsumero.example"

// exportedDays is how many days the pages know the problems of, in whole weeks; then they begin again.
const exportedDays = 104 * 7

// served matches the addresses of the service at which no file can be: those of questions, and of what
// is made for one.
var served = regexp.MustCompile(`^/(v1/([^d]|diagram\.[pg])|set|oembed|daily\.atom|embed\?)`)

// skeletons are the problems of the pages that read another one from their addresses.
var skeletons = map[string]string{"/p": samples[1].SFEN, "/study": samples[1].SFEN}

// Files returns the pages of a service as files for any file server, by their names: all that its first
// page leads to, with links that hold below any address. What the service would write into a page for
// one reader, static.js does, and the solver for browsers, which must be there, answers all questions.
// The pages in English are in a folder of their own.
func Files(service http.Handler) (map[string][]byte, error) {
	assets, err := loadAssets()
	if err != nil {
		return nil, err
	}
	x := &exporter{service: service, files: map[string][]byte{}}
	x.scripts = `<script src="/` + x.days() + `" defer></script>` + "\n" +
		`<script type="module" src="` + assets.byName["static.js"].address + `"></script>` + "\n"
	for _, address := range []string{"/?lang=ja", "/?lang=en", "/engine/engine.js", "/daily.json?lang=ja"} {
		x.link(address, "ja")
	}
	for len(x.waiting) > 0 && x.err == nil {
		next := x.waiting[0]
		x.waiting = x.waiting[1:]
		x.export(next)
	}
	x.worker()
	return x.files, x.err
}

// An exporter asks a service for one file after the other.
type exporter struct {
	service http.Handler
	scripts string // that pages have before all others
	files   map[string][]byte
	waiting []wanted
	err     error
}

// A wanted is a file that is not there yet.
type wanted struct{ name, address, lang string }

var langIn = regexp.MustCompile(`&lang=\w+`)

// link returns where an address of the service is, from the first page, and has it exported.
func (x *exporter) link(address, lang string) string {
	u, err := url.Parse(address)
	if err != nil {
		x.err = err
		return ""
	}
	q, name, ask := u.Query(), strings.TrimPrefix(u.Path, "/"), address
	more := strings.Trim(langIn.ReplaceAllString("&"+u.RawQuery, ""), "&")
	lang = cmp.Or(q.Get("lang"), lang)
	folder := map[string]string{"en": "en/"}[lang]
	switch {
	case u.Path == "/v1/diagram.svg":
		name, more = fmt.Sprintf("pictures/%.12x.svg", sha256.Sum256([]byte(address))), ""
	case u.Path == "/manifest.webmanifest":
		name = folder + name
	case path.Ext(u.Path) == "":
		if day, isDay := strings.CutPrefix(name, "daily/"); isDay {
			name, more = "daily", "date="+day
		}
		ask = inLang("/"+name, lang)
		if sfen := skeletons[u.Path]; sfen != "" {
			ask += "&sfen=" + url.QueryEscape(sfen)
		}
		if plies := q.Get("plies"); plies != "" && u.Path == "/problems" {
			name, ask, more = path.Join(name, plies, q.Get("page")), inLang(u.Path+"?"+more, lang), ""
		}
		name = folder + strings.TrimPrefix(name+"/", "/")
	}
	to := name
	if strings.HasSuffix(name, "/") || name == "" {
		name += "index.html"
	}
	if _, isThere := x.files[name]; !isThere {
		x.files[name] = nil // until it is
		x.waiting = append(x.waiting, wanted{name, ask, lang})
	}
	if more != "" {
		to += "?" + more
	}
	if u.Fragment != "" {
		to += "#" + u.Fragment
	}
	return to
}

// Addresses in files that are no pages.
var (
	addressesIn = map[string]*regexp.Regexp{
		".js":          regexp.MustCompile(`"(/(?:static/|embed)[\w.-]+(?:\?v=\w+)?)"`),
		".webmanifest": regexp.MustCompile(`"(/[^"]*)"`),
	}
	programsIn = regexp.MustCompile(`"((?:board|full)-\w+)\.wasm"`)
)

// export asks the service for a file.
func (x *exporter) export(w wanted) {
	answer := httptest.NewRecorder()
	address := "https://" + placeholder + w.address
	x.service.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, address, nil))
	if answer.Code != http.StatusOK {
		x.err = fmt.Errorf("site: %s: %d, %.300s", w.address, answer.Code, answer.Body)
		return
	}
	body, root := answer.Body.Bytes(), strings.Repeat("../", strings.Count(w.name, "/"))
	relative := func(address string) string { return cmp.Or(root+x.link(address, w.lang), "./") }
	ext := path.Ext(w.name)
	if in := addressesIn[ext]; in != nil {
		body = in.ReplaceAllFunc(body, func(quoted []byte) []byte {
			return []byte(`"` + relative(string(quoted[1:len(quoted)-1])) + `"`)
		})
	}
	switch {
	case w.name == "engine/engine.js":
		for _, found := range programsIn.FindAllSubmatch(body, -1) {
			x.link("/engine/"+string(found[1])+".wasm", "")
		}
		body = programsIn.ReplaceAll(body, []byte(`"$1.gzip"`))
	case ext == ".wasm": // which servers of files do not compress
		delete(x.files, w.name)
		w.name = strings.TrimSuffix(w.name, "wasm") + "gzip"
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is one there is
		_, _ = z.Write(body)                                  // a buffer takes everything
		_ = z.Close()
		body = b.Bytes()
	case ext == ".html":
		policy, _, _ := strings.Cut(answer.Header().Get("Content-Security-Policy"), "; frame-ancestors")
		body = []byte(x.page(string(body), cmp.Or(root, "./"), policy, relative))
	}
	x.files[w.name] = body
}

// What pages have of a service.
var (
	ofOneHost = regexp.MustCompile(
		`<(?:link|meta) [^>]*(?:rel="(?:canonical|alternate)"|="og:(?:url|image)|twitter:card)[^>]*>\n?`)
	linkIn    = regexp.MustCompile(`(?s)<a [^>]*href="([^"]*)"[^>]*>.*?</a> ?`)
	boardIn   = regexp.MustCompile(`(<tsume-(?:board|set))([ >])`)
	tagIn     = regexp.MustCompile(`<\w[^<>]*>`)
	addressIn = regexp.MustCompile(
		`( [\w-]+)="(?:https://` + regexp.QuoteMeta(placeholder) + `)?(/(?:[^/"][^"]*)?)"`)
)

// page makes a page of the service one that is a file.
func (x *exporter) page(text, root, policy string, relative func(string) string) string {
	text = ofOneHost.ReplaceAllString(text, "")
	text = linkIn.ReplaceAllStringFunc(text, func(link string) string {
		href := html.UnescapeString(linkIn.FindStringSubmatch(link)[1])
		if served.MatchString(href) && !strings.Contains(link, ` id="`) { // scripts want those
			return ""
		}
		return link
	})
	text = strings.ReplaceAll(text, ` engine="auto"`, "")
	text = boardIn.ReplaceAllString(text, `$1 engine="local"$2`)
	if strings.Contains(text, " data-today=") {
		text = strings.Replace(text, "<title>", x.scripts+"<title>", 1)
		text = strings.Replace(text, " async></script>", " defer></script>", 1) // the board is later
	}
	text = tagIn.ReplaceAllStringFunc(text, func(tag string) string { // what is text stays
		return addressIn.ReplaceAllStringFunc(tag, func(attribute string) string {
			found := addressIn.FindStringSubmatch(attribute)
			to := html.UnescapeString(found[2])
			if served.MatchString(to) {
				return found[1] + `="#"`
			}
			if to = relative(to); found[1] == " data-base" && !strings.Contains(to, "?") {
				to += "?" // look.js adds parameters to it
			}
			return found[1] + `="` + html.EscapeString(to) + `"`
		})
	})
	const charset = `<meta charset="utf-8">` + "\n"
	return strings.NewReplacer("<html ", `<html data-root="`+root+`" `, charset, charset+
		`<meta http-equiv="Content-Security-Policy" content="`+html.EscapeString(policy)+`">`+"\n").Replace(text)
}

// days adds the problems of the days, and returns the name of their file.
func (x *exporter) days() string {
	problems := make([][3]any, exportedDays)
	for i := range problems {
		p, _ := daily.On(daily.First + daily.Date(i))
		problems[i] = [3]any{p.SFEN, p.Plies, p.Line}
	}
	all := map[string]any{"first": daily.First.String(), "problems": problems}
	list, _ := json.Marshal(all) // numbers and texts
	x.files["static/days.js"] = fmt.Appendf(nil, "globalThis.DAYS = %s;\n", list)
	return fmt.Sprintf("static/days.js?v=%.4x", sha256.Sum256(list))
}

// later matches the files that readers may want without a network, but not at once; the solver first.
var later = regexp.MustCompile(`^(engine|train|pictures|(en/)?(docs|board|problems/[a-z_]+))/|^(openapi|licenses)`)

// worker adds the service worker, which keeps all files.
func (x *exporter) worker() {
	lists, version := [2][]string{}, sha256.New()
	for _, name := range slices.Sorted(maps.Keys(x.files)) {
		version.Write(x.files[name])
		when := 0
		if later.MatchString(name) {
			when = 1
		}
		lists[when] = append(lists[when], strings.TrimSuffix(name, "index.html"))
	}
	slices.SortStableFunc(lists[1], func(a, b string) int {
		return cmp.Compare(strings.Index(b, "engine/"), strings.Index(a, "engine/"))
	})
	text, _ := json.Marshal(lists) // texts
	x.files["worker.js"] = fmt.Appendf(nil, "const VERSION = \"%x\", [FILES, LATER] = %s;\n%s",
		version.Sum(nil)[:6], text, filesWorker)
}
