package site

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"crypto/tls"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
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

// Of the addresses of the service, those of questions and of what is made for one: links to them are
// left out, since no file can be there.
var served = regexp.MustCompile(`^/(v1/([^d]|diagram\.[pg])|set|oembed|daily\.atom|embed\?)`)

// skeletons are the problems of the pages that read another one from their addresses.
var skeletons = map[string]string{"/p": samples[1].SFEN, "/study": samples[1].SFEN}

// wantedDays is how many days the pages know the problems of, whole weeks; then they begin again.
const wantedDays = 104 * 7

// Files returns the pages of a service as files for any file server, by their names: all that its first
// page leads to, with links that hold below any address. What the service would write into a page for
// one reader, static.js does, and the solver for browsers, which must be there, answers all questions.
// The pages in English are in a folder of their own.
func Files(service http.Handler) (map[string][]byte, error) {
	assets, err := loadAssets()
	if err != nil {
		return nil, err
	}
	x := &exporter{service: service, assets: assets, files: map[string][]byte{}}
	days := x.days()
	for _, address := range []string{"/?lang=ja", "/?lang=en", "/engine/engine.js"} {
		x.link(address, "ja")
	}
	for len(x.waiting) > 0 && x.err == nil {
		next := x.waiting[0]
		x.waiting = x.waiting[1:]
		x.export(next, days)
	}
	x.worker()
	return x.files, x.err
}

// An exporter asks a service for one file after the other.
type exporter struct {
	service http.Handler
	assets  *assets
	files   map[string][]byte
	waiting []wanted
	err     error
}

// A wanted is a file that is not there yet.
type wanted struct{ name, address, lang string }

// link returns where an address of the service is, from the first page, and has it exported.
func (x *exporter) link(address, lang string) string {
	u, err := url.Parse(address)
	if err != nil {
		x.err = err
		return ""
	}
	q, fragment := u.Query(), ""
	if u.Fragment != "" {
		fragment = "#" + u.Fragment
	}
	if of := q.Get("lang"); of != "" {
		lang = of
	}
	_, raw, _ := strings.Cut(address, "?")
	raw, _, _ = strings.Cut(raw, "#")
	raw = strings.Trim(langIn.ReplaceAllString("&"+raw, ""), "&")
	name, ask := strings.TrimPrefix(u.Path, "/"), address
	switch isPage := path.Ext(u.Path) == ""; {
	case strings.HasPrefix(u.Path, "/v1/diagram.svg"):
		name = fmt.Sprintf("pictures/%.12x.svg", sha256.Sum256([]byte(address)))
		raw = ""
	case u.Path == "/manifest.webmanifest":
		name, raw = languageFolder(lang)+name, ""
	case isPage:
		if day, isDay := strings.CutPrefix(name, "daily/"); isDay {
			name, raw = "daily", "date="+day
		}
		ask = inLang("/"+name, lang)
		if sfen := skeletons[u.Path]; sfen != "" {
			ask += "&sfen=" + url.QueryEscape(sfen)
		}
		if plies := q.Get("plies"); plies != "" && u.Path == "/problems" {
			name, ask, raw = path.Join(name, plies, q.Get("page")), inLang(u.Path+"?"+raw, lang), ""
		}
		if name = languageFolder(lang) + name; name != "" && !strings.HasSuffix(name, "/") {
			name += "/"
		}
	}
	to := name
	if strings.HasSuffix(name, "/") || name == "" {
		name += "index.html"
	}
	if _, isThere := x.files[name]; !isThere {
		x.files[name] = nil // until it is
		x.waiting = append(x.waiting, wanted{name, ask, lang})
	}
	if raw != "" {
		to += "?" + raw
	}
	return to + fragment
}

func languageFolder(lang string) string {
	if lang == "en" {
		return "en/"
	}
	return ""
}

var (
	langIn     = regexp.MustCompile(`&lang=\w+`)
	addressIn  = regexp.MustCompile(`( [\w-]+)="(?:https://` + regexp.QuoteMeta(placeholder) + `)?(/(?:[^/"][^"]*)?)"`)
	tagIn      = regexp.MustCompile(`<\w[^<>]*>`)
	importIn   = regexp.MustCompile(`"(/(?:static/|embed)[\w.-]+(?:\?v=\w+)?)"`)
	ofOneHost  = regexp.MustCompile(`<(?:link|meta) [^>]*(?:rel="(?:canonical|alternate)"|="og:(?:url|image)|twitter:card)[^>]*>\n?`)
	linkIn     = regexp.MustCompile(`(?s)<a [^>]*href="([^"]*)"[^>]*>.*?</a> ?`)
	boardIn    = regexp.MustCompile(`<tsume-(?:board|set)[ >]`)
	engineIn   = regexp.MustCompile(`( engine="auto")`)
	firstIn    = regexp.MustCompile(`<script src="(/embed\.js[^"]*)" async></script>|<script type="module"`)
	programsIn = regexp.MustCompile(`"((?:board|full)-\w+)\.wasm"`)
)

// A reply is what the service writes.
type reply struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *reply) Header() http.Header            { return a.header }
func (a *reply) WriteHeader(status int)         { a.status = status }
func (a *reply) Write(part []byte) (int, error) { return a.body.Write(part) }

// export asks the service for a file.
func (x *exporter) export(w wanted, days string) {
	r, err := http.NewRequest(http.MethodGet, "https://"+placeholder+w.address, nil)
	if err != nil {
		x.err = err
		return
	}
	r.RemoteAddr, r.TLS = "127.0.0.1:1", &tls.ConnectionState{}
	answer := &reply{header: http.Header{}, status: http.StatusOK}
	x.service.ServeHTTP(answer, r)
	if answer.status != http.StatusOK {
		x.err = fmt.Errorf("site: %s: %d, %.300s", w.address, answer.status, answer.body.Bytes())
		return
	}
	body := answer.body.Bytes()
	root := wayBack(w.name)
	relative := func(address string) string {
		return cmp.Or(root+x.link(address, w.lang), "./")
	}
	switch path.Ext(w.name) {
	case ".html":
		policy, _, _ := strings.Cut(answer.header.Get("Content-Security-Policy"), "; frame-ancestors")
		body = x.page(body, w, root, policy, days, relative)
	case ".js":
		body = importIn.ReplaceAllFunc(body, func(quoted []byte) []byte {
			return []byte(`"` + relative(string(quoted[1:len(quoted)-1])) + `"`)
		})
		if w.name == "engine/engine.js" {
			for _, found := range programsIn.FindAllSubmatch(body, -1) {
				x.link("/engine/"+string(found[1])+".wasm", "")
			}
			// Servers of files compress no programs.
			body = programsIn.ReplaceAll(body, []byte(`"$1.gzip"`))
		}
	case ".webmanifest":
		body = regexp.MustCompile(`"(/[^"]*)"`).ReplaceAllFunc(body, func(quoted []byte) []byte {
			return []byte(`"` + relative(string(quoted[1:len(quoted)-1])) + `"`)
		})
	case ".wasm":
		delete(x.files, w.name)
		w.name = strings.TrimSuffix(w.name, "wasm") + "gzip"
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is one there is
		_, _ = z.Write(body)                                  // a buffer takes everything
		_ = z.Close()
		body = b.Bytes()
	}
	x.files[w.name] = body
}

// wayBack returns the way from a file to the first page.
func wayBack(name string) string { return strings.Repeat("../", strings.Count(name, "/")) }

// page makes a page of the service one that is a file.
func (x *exporter) page(body []byte, w wanted, root, policy, days string, relative func(string) string) []byte {
	text := ofOneHost.ReplaceAllString(string(body), "")
	text = linkIn.ReplaceAllStringFunc(text, func(link string) string {
		href := html.UnescapeString(linkIn.FindStringSubmatch(link)[1])
		if served.MatchString(href) && !strings.Contains(link, ` id="`) { // scripts want those
			return ""
		}
		return link
	})
	text = engineIn.ReplaceAllString(text, "")
	text = boardIn.ReplaceAllStringFunc(text, func(tag string) string {
		return tag[:len(tag)-1] + ` engine="local"` + tag[len(tag)-1:]
	})
	if strings.Contains(text, "data-today") {
		// Once, before the first script of the page; the board comes after it.
		isFirst := true
		text = firstIn.ReplaceAllStringFunc(text, func(script string) string {
			if isFirst {
				isFirst = false
				own := `<script src="/` + days + `" defer></script>` + "\n" +
					`<script type="module" src="` + x.assets.byName["static.js"].address + `"></script>` + "\n"
				return own + strings.Replace(script, " async>", " defer>", 1)
			}
			return script
		})
	}
	text = tagIn.ReplaceAllStringFunc(text, func(tag string) string { // what is text stays
		return addressIn.ReplaceAllStringFunc(tag, func(attribute string) string {
			found := addressIn.FindStringSubmatch(attribute)
			address := html.UnescapeString(found[2])
			if served.MatchString(address) {
				return found[1] + `="#"`
			}
			to := relative(address)
			if found[1] == " data-base" && !strings.Contains(to, "?") {
				to += "?" // look.js adds parameters to it
			}
			return found[1] + `="` + html.EscapeString(to) + `"`
		})
	})
	text = strings.Replace(text, "<html ", `<html data-root="`+cmp.Or(root, "./")+`" `, 1)
	text = strings.Replace(text, `<meta charset="utf-8">`, `<meta charset="utf-8">`+"\n"+
		`<meta http-equiv="Content-Security-Policy" content="`+html.EscapeString(policy)+`">`, 1)
	return []byte(text)
}

// days adds the problems of the days, and returns the name of their file.
func (x *exporter) days() string {
	problems := make([][3]any, wantedDays)
	for i := range problems {
		p, _ := daily.On(daily.First + daily.Date(i))
		problems[i] = [3]any{p.SFEN, p.Plies, p.Line}
	}
	list, _ := json.Marshal(map[string]any{"first": daily.First.String(), "problems": problems}) // numbers and texts
	x.files["static/days.js"] = fmt.Appendf(nil, "globalThis.DAYS = %s;\n", list)
	return "static/days.js?v=" + fmt.Sprintf("%x", sha256.Sum256(list))[:8]
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
