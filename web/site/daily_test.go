package site

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	_ "image/png"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/web/daily"
)

// at returns the pages as they are at a time.
func at(t *testing.T, now string) (ask func(target string, headers ...string) (status int, body string)) {
	t.Helper()
	instant, err := time.Parse(time.RFC3339, now)
	if err != nil {
		t.Fatal(err)
	}
	h := newSiteOf(t, Config{MaxTime: time.Second, Now: func() time.Time { return instant }})
	return func(target string, headers ...string) (int, string) {
		w := get(h, target, headers...)
		return w.Code, unescape(w.Body.String())
	}
}

// TestDaily: the page has the problem of the date that it is in Japan, says which one it is, and leads
// to those of the days before it. That of tomorrow is refused until the day begins.
func TestDaily(t *testing.T) {
	ask := at(t, "2026-11-23T14:59:59Z")
	status, body := ask("/daily", "Accept-Language", "ja")
	p, _ := daily.On(daily.DateOf(noon()))
	for _, part := range []string{
		"<h1>今日の詰将棋 <span class=\"whole\">11月23日（月）</span> 3手詰</h1>", "<title>今日の詰将棋 11月23日（月） 3手詰 · Tsumero</title>",
		fmt.Sprintf(`sfen="%s"`, p.SFEN), fmt.Sprintf(` moves="%s"`, p.Line),
		`href="/daily/2026-11-22?lang=ja" data-base="/daily/2026-11-22?lang=ja">11月22日（日） <span>11手詰</span></a>`,
		`href="/daily/2026-11-16?lang=ja"`, `data-share="http://example.com/daily/2026-11-23"`,
		`<meta property="og:url" content="http://example.com/daily/2026-11-23">`, `<link rel="canonical" href="http://example.com/daily">`,
		`<meta property="og:title" content="今日の詰将棋 11月23日（月） 3手詰">`,
	} {
		if status != 200 || !strings.Contains(body, part) {
			t.Errorf("/daily is %d, without %s: %s", status, part, body)
		}
	}
	if strings.Contains(body, "/daily/2026-11-15") || strings.Contains(body, "/daily/2026-11-24") {
		t.Error("/daily leads too far")
	}
	for _, path := range []string{"/daily/2026-11-23", "/daily?date=2026-11-23"} {
		_, dated := ask(path, "Accept-Language", "ja")
		if !strings.Contains(dated, `<link rel="canonical" href="http://example.com/daily/2026-11-23">`) ||
			!strings.Contains(dated, `data-address="/daily/2026-11-23?lang=ja"`) || !strings.Contains(dated, p.SFEN) {
			t.Errorf("%s is another page", path)
		}
	}
	if _, body := ask("/daily/2026-11-22?lang=en"); !strings.Contains(body, "<h1>Problem of the day, <span class=\"whole\">Sun 22 Nov</span>: Mate in 11</h1>") ||
		!strings.Contains(body, `href="/daily/2026-11-23?lang=en"`) {
		t.Errorf("yesterday's in English is %s", body)
	}
	if _, body := ask("/daily/" + daily.First.String()); !strings.Contains(body, `data-base="/problems?lang=ja"`) {
		t.Error("nothing follows the first")
	}
	for path, want := range map[string]struct {
		status int
		fault  string
	}{
		"/daily/2026-11-24?lang=ja":                       {404, "2026-11-24 の問題はまだ出ていません。その日の0時（日本時間）に出ます。"},
		"/daily?date=2026-11-24&lang=en":                  {404, "The problem of 2026-11-24 is not out yet"},
		"/daily/2026-10-25?lang=ja":                       {404, "最初の問題は 2026-10-26 のものです。"},
		"/daily/2026-11-31?lang=ja":                       {422, "「2026-11-31」ではなく"},
		"/daily?date=<b>&lang=en":                         {422, "&lt;b&gt;"},
		"/daily?theme=pink&lang=ja":                       {422, "theme=pink は使えません。"},
		"/daily/2026-11-23?theme=wood":                    {200, ` theme="wood"`},
		"/daily?pieces=international":                     {200, ` pieces="international"`},
		"/daily.json?date=2026-11-24":                     {404, "/problems/not_found"},
		"/daily.json?date=tomorrow":                       {422, "query.date"},
		"/daily?date=2026-11-23&date=2026-11-22&lang=en":  {422, "date is there more than once."},
		"/daily.json?days=0":                              {422, "query.days"},
		"/daily.json?days=":                               {422, "query.days"},
		"/daily.json?days=07":                             {422, "query.days"},
		"/daily.json?days=1&days=2":                       {422, "query.days"},
		"/daily.json?lang=xx":                             {422, "query.lang"},
		"/daily.atom?lang=xx":                             {422, "query.lang"},
		"/daily.json?days=101&date=x":                     {422, "query.days"},
		"/oembed?url=http://example.com/daily/2026-11-24": {404, "url"},
	} {
		if status, body := ask(path); status != want.status || !strings.Contains(body, want.fault) {
			t.Errorf("%s is %d, without %q: %s", path, status, want.fault, body)
		}
	}
	for _, path := range []string{"/daily/", "/daily?date="} {
		if status, body := ask(path + strings.Repeat("9", 5000) + "&lang=en"); status != 422 || strings.Contains(body, strings.Repeat("9", 100)) {
			t.Errorf("%s with a long date is %d: %s", path, status, body)
		}
	}
	w := get(newSite(t), "/daily/?lang=en")
	if w.Code != 301 || w.Header().Get("Location") != "/daily?lang=en" {
		t.Errorf("/daily/ is %d, %v", w.Code, w.Header())
	}
	if status, body := at(t, "2026-11-23T15:00:00Z")("/daily/2026-11-24"); status != 200 || !strings.Contains(body, "3手詰") {
		t.Errorf("on the day itself it is %d", status)
	}
	if status, _ := at(t, "2026-10-25T14:59:59Z")("/daily"); status != 404 {
		t.Errorf("before the first there is one: %d", status)
	}
}

// TestDailyAhead: the service worker gets the page of a day as it is on that day, from a week before.
// Nobody else does, and it gets none of a later day.
func TestDailyAhead(t *testing.T) {
	h := newSite(t)
	for _, c := range []struct {
		ahead  daily.Date
		header string
		status int
	}{{0, "", 200}, {1, "", 404}, {1, "1", 200}, {7, "1", 200}, {8, "1", 404}} {
		d := daily.DateOf(noon()) + c.ahead
		w := get(h, "/daily/ahead/"+d.String()+"?lang=en", "Tsumero-Ahead", c.header)
		if w.Code != c.status || w.Header().Get("X-Robots-Tag") != "noindex" || !strings.Contains(w.Header().Get("Vary"), "Tsumero-Ahead") {
			t.Errorf("%v, %q: %d, %v", d, c.header, w.Code, w.Header())
		}
		later := newSiteOf(t, Config{MaxTime: 10 * time.Second, Now: func() time.Time { return d.Start() }})
		if body := w.Body.String(); c.status == 200 && body != get(later, "/daily?lang=en").Body.String() {
			t.Errorf("%v: not the page of that day: %s", d, body)
		}
	}
	if w := get(h, "/daily/ahead/x", "Tsumero-Ahead", "1"); w.Code != 422 {
		t.Errorf("no date is %d", w.Code)
	}
}

// TestDailyJSON: programs get the problem of a day, or of the last days, and may keep it until the
// day ends. It has no solution, and its addresses lead to the problem and to a picture.
func TestDailyJSON(t *testing.T) {
	ask := at(t, "2026-11-23T14:30:00Z")
	read := func(target string) (a wire.DailyAnswer) {
		t.Helper()
		status, body := ask(target)
		if err := json.Unmarshal([]byte(body), &a); err != nil || status != 200 {
			t.Fatalf("%s: %d %s", target, status, body)
		}
		for _, p := range daily.All() {
			if strings.Contains(body, p.Line) {
				t.Errorf("%s has the solution of %s", target, p.SFEN)
			}
		}
		return a
	}
	today := read("/daily.json")
	p, _ := daily.On(daily.DateOf(noon()))
	if today.Date != "2026-11-23" || today.SFEN != p.SFEN || today.Plies != 3 || today.Title != "今日の詰将棋 11月23日（月） 3手詰" ||
		today.Address != "http://example.com/daily/2026-11-23" || today.Days != nil {
		t.Errorf("%+v", today)
	}
	for _, address := range []string{today.Address, today.Image} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		status, body := ask(u.RequestURI())
		if status != 200 || address == today.Image && !strings.HasPrefix(body, "\x89PNG") {
			t.Errorf("%s is %d", address, status)
		}
	}
	week := read("/daily.json?days=7&lang=en")
	var dates []string
	for _, one := range week.Days {
		dates = append(dates, one.Date)
	}
	if want := strings.Fields("2026-11-23 2026-11-22 2026-11-21 2026-11-20 2026-11-19 2026-11-18 2026-11-17"); !slices.Equal(dates, want) {
		t.Errorf("the last days are %v", dates)
	}
	if week.Days[1].Title != "Problem of the day, Sun 22 Nov: Mate in 11" || week.Days[1].Address != "http://example.com/daily/2026-11-22?lang=en" {
		t.Errorf("in English: %+v", week.Days[1])
	}
	if all := read("/daily.json?days=100&date=2026-10-28"); len(all.Days) != 3 || all.Date != "2026-10-28" {
		t.Errorf("before %s there are %+v", all.Date, all.Days)
	}
	h := newSiteOf(t, Config{MaxTime: time.Second, Now: func() time.Time { return noon().Add(11*time.Hour + 30*time.Minute) }})
	for path, scope := range map[string]string{"/daily.json": "private", "/daily.atom": "private", "/sitemap.xml": "private",
		"/manifest.webmanifest": "public"} { // which has no name of a host
		w := get(h, path)
		if got := w.Header().Get("Cache-Control"); got != scope+", max-age=1800" {
			t.Errorf("half an hour before midnight, %s has Cache-Control %q", path, got)
		}
		if w := get(h, path, "If-None-Match", w.Header().Get("Etag")); w.Code != 304 {
			t.Errorf("%s is sent again", path)
		}
	}
	if w := get(h, "/daily.json"); w.Header().Get("Access-Control-Allow-Origin") != "*" || w.Header().Get("Cross-Origin-Resource-Policy") != "cross-origin" {
		t.Errorf("other sites cannot read it: %v", w.Header())
	}
}

// TestDailyFeed: the feed has what RFC 4287 wants, the last days, and no solution.
func TestDailyFeed(t *testing.T) {
	for _, c := range []struct {
		now     string
		entries int
	}{{"2026-11-23T03:00:00Z", 14}, {"2026-10-26T03:00:00Z", 1}, {"2026-10-01T03:00:00Z", 0}} {
		status, body := at(t, c.now)("/daily.atom?lang=ja")
		var feed atomFeed
		if err := xml.Unmarshal([]byte(body), &feed); err != nil || status != 200 || len(feed.Entries) != c.entries {
			t.Fatalf("%s: %d, %v, %d entries in %s", c.now, status, err, len(feed.Entries), body)
		}
		if !strings.Contains(body, `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="ja">`) || feed.Author == "" || feed.Title == "" ||
			feed.Links[0].Rel != "self" || feed.Links[0].Href != "http://example.com/daily.atom?lang=ja" {
			t.Errorf("the feed is %s", body)
		}
		ids, times := map[string]bool{feed.ID: true}, []string{feed.Updated}
		for _, e := range feed.Entries {
			if ids[e.ID] || e.Title == "" || e.Link.Rel != "alternate" || e.Content.Type != "html" {
				t.Errorf("%+v", e)
			}
			ids[e.ID] = true
			times = append(times, e.Updated, e.Published)
		}
		for _, text := range times {
			if _, err := time.Parse(time.RFC3339, text); err != nil || text > feed.Updated {
				t.Errorf("the time %s: %v", text, err)
			}
		}
		for _, p := range daily.All() {
			if strings.Contains(body, p.Line) {
				t.Errorf("the feed has the solution of %s", p.SFEN)
			}
		}
	}
}

// TestFeedNames: the names of feed and entries are those of their language, however the feed is asked
// for.
func TestFeedNames(t *testing.T) {
	h := newSite(t)
	names := func(target string, headers ...string) (names []string) {
		var feed atomFeed
		if err := xml.Unmarshal(get(h, target, headers...).Body.Bytes(), &feed); err != nil {
			t.Fatal(err)
		}
		names = append(names, feed.ID)
		for _, e := range feed.Entries {
			names = append(names, e.ID)
		}
		return names
	}
	ja, en := names("/daily.atom?lang=ja"), names("/daily.atom?lang=en")
	if ja[0] != "tag:tsumero,2026:daily/ja" || ja[1] != "tag:tsumero,2026:daily/ja/2026-11-23" {
		t.Errorf("the names are %v", ja[:2])
	}
	for i := range ja {
		if slices.Contains(en, ja[i]) {
			t.Errorf("%s is in both languages", ja[i])
		}
	}
	for _, got := range [][]string{names("/daily.atom", "Accept-Language", "ja"), names("/daily.atom?lang=ja", "X-Forwarded-Proto", "https"),
		names("http://other.example/daily.atom?lang=ja")} {
		if !slices.Equal(got, ja) {
			t.Errorf("%v, want %v", got, ja)
		}
	}
}

// TestMidnight: whatever an answer says of the day, and for how long it may be kept, is of the time at
// which the question came, even where the day ends meanwhile.
func TestMidnight(t *testing.T) {
	for _, path := range []string{
		"/", "/daily", "/daily/2026-11-23", "/daily.json", "/daily.atom", "/sitemap.xml", "/manifest.webmanifest",
		"/oembed?url=http://example.com/daily", shortLink,
	} {
		asked := 0
		now := time.Date(2026, 11, 23, 23, 59, 59, 999e6, time.FixedZone("JST", 9*60*60))
		h := newSiteOf(t, Config{MaxTime: time.Second, Now: func() time.Time {
			asked++
			return now.Add(time.Duration(asked-1) * time.Millisecond)
		}})
		w := get(h, path)
		if w.Code != 200 || asked != 1 || strings.Contains(w.Body.String(), "2026-11-24") {
			t.Errorf("%s is %d and asks for the time %d times: %s", path, w.Code, asked, w.Body)
		}
		if age := w.Header().Get("Cache-Control"); strings.Contains(age, "max-age") && age != "public, max-age=0" && age != "private, max-age=0" {
			t.Errorf("%s is kept over midnight: %s", path, age)
		}
	}
}

// TestDailyCard: where the page of a day is shared, there are the picture with its date and a board to
// play on, for /daily those of today.
func TestDailyCard(t *testing.T) {
	ask := at(t, "2026-11-23T14:30:00Z")
	_, body := ask("/daily?lang=ja")
	for _, c := range []struct {
		path string
		age  int
	}{{"/daily", 1800}, {"/daily/2026-11-23", 1800}} {
		_, answer := ask("/oembed?url=" + url.QueryEscape("http://example.com"+c.path+"?lang=ja"))
		var o oembed
		if err := json.Unmarshal([]byte(answer), &o); err != nil || o.Type != "rich" || o.Title != "今日の詰将棋 11月23日（月） 3手詰" || o.CacheAge != c.age {
			t.Fatalf("%s: %s", c.path, answer)
		}
		u, _ := url.Parse(unescape(addresses.FindStringSubmatch(o.HTML)[1]))
		p, _ := daily.On(daily.DateOf(noon()))
		if status, frame := ask(u.RequestURI()); status != 200 || !strings.Contains(frame, p.SFEN) {
			t.Errorf("%s: the frame %s is %d", c.path, u, status)
		}
	}
	u, _ := url.Parse(unescape(regexp.MustCompile(`property="og:image" content="([^"]*)"`).FindStringSubmatch(body)[1]))
	q := u.Query()
	if q.Get("plies") != "3" || q.Get("title") != "今日の詰将棋 11月23日（月）" || q.Get("hands") != "hide" || q.Has("moves") {
		t.Errorf("the card is %v", u)
	}
	found := regexp.MustCompile(`oembed" href="([^"]*)"`).FindStringSubmatch(body)
	if target, _ := url.Parse(unescape(found[1])); !strings.HasSuffix(target.Query().Get("url"), "/daily/2026-11-23?lang=ja") {
		t.Errorf("the page says that %v embeds it", target)
	}
}

// TestCollections: once all problems were that of a day, each is in the collection of its length, once,
// with a picture and a link, and the problems lead from one to the next of the same collection.
func TestCollections(t *testing.T) {
	h := newSiteOf(t, Config{MaxTime: time.Second, Now: func() time.Time { return noon().AddDate(5, 0, 0) }})
	body := func(path string) string {
		t.Helper()
		w := get(h, path)
		if w.Code != 200 {
			t.Fatalf("%s is %d", path, w.Code)
		}
		return unescape(w.Body.String())
	}
	entry := regexp.MustCompile(`<li data-key="([^"]*)"><a href="([^"]*)"><picture><source [^>]*><img src="([^"]*)" alt="" width="200"`)
	turn := regexp.MustCompile(`rel="next" href="([^"]*)"`)
	next := regexp.MustCompile(`data-base="(/p\?sfen=[^"]*)"`)
	all := body("/problems?lang=en")
	for _, plies := range daily.Lengths() {
		first := fmt.Sprintf("/problems?plies=%d&lang=en", plies)
		if !strings.Contains(all, `href="`+first+`"`) {
			t.Errorf("nothing leads to %s", first)
		}
		var keys, links []string
		for path := first; path != ""; {
			page := body(path)
			for _, found := range entry.FindAllStringSubmatch(page, -1) {
				keys, links = append(keys, found[1]), append(links, found[2])
				if w := get(h, found[3]); w.Code != 200 {
					t.Errorf("%s is %d", found[3], w.Code)
				}
			}
			path = ""
			if found := turn.FindStringSubmatch(page); found != nil {
				path = found[1]
			}
		}
		var want []string
		for _, p := range daily.OfLength(plies) {
			want = append(want, p.SFEN)
		}
		if !slices.Equal(keys, want) {
			t.Errorf("%d plies: %q, want %q", plies, keys, want)
		}
		page := body(links[0])
		if !strings.Contains(page, fmt.Sprintf("1 / %d", len(want))) || !strings.Contains(page, ` moves="`+daily.OfLength(plies)[0].Line+`"`) {
			t.Errorf("%s does not know where it is", links[0])
		}
		if found := next.FindStringSubmatch(page); found == nil || found[1] != links[1%len(links)]+"&lang=en" && found[1] != links[1%len(links)] {
			t.Errorf("%s leads to %q, want %s", links[0], found, links[1%len(links)])
		}
		if found := next.FindStringSubmatch(body(links[len(links)-1])); found == nil || found[1] != links[0] {
			t.Errorf("the last of %d plies leads to %q", plies, found)
		}
	}
	// Another problem keeps to itself where it came from.
	if page := body(shortLink + "&collection=5&lang=en"); !strings.Contains(page, "&collection=5&lang=en") {
		t.Error("the collection is forgotten")
	}
	for path, fault := range map[string]string{
		"/problems?plies=4": "plies=4", "/problems?plies=03": "plies=03", "/problems?plies=3&page=0": "page=0", "/problems?plies=3&page=99": "page=99",
		"/problems?plies=3&page=01": "page=01", "/problems?plies=3&page=%2B1": "page=+1", "/problems?plies=3&page=": "page=",
		"/problems?lang=xx": "lang=xx", shortLink + "&collection=x": "collection=x",
	} {
		if w := get(h, path); w.Code != 422 || !strings.Contains(unescape(w.Body.String()), fault+" は使えません。") {
			t.Errorf("%s is %d: %s", path, w.Code, w.Body)
		}
	}
	for path, fault := range map[string]string{"/problems?page=2": "page を指定するときは plies も必要です。", "/problems?plies=3&plies=5": "plies が重複しています。"} {
		if w := get(h, path); w.Code != 422 || !strings.Contains(w.Body.String(), fault) {
			t.Errorf("%s is %d: %s", path, w.Code, w.Body)
		}
	}
}

// TestCollectionsOfToday: problems of days to come are neither in the collections nor in what leads
// through them, and a collection that none has been in yet is not there.
func TestCollectionsOfToday(t *testing.T) {
	ask := at(t, "2026-11-23T14:59:59Z")
	today := daily.DateOf(noon())
	_, all := ask("/problems?lang=en")
	var pages strings.Builder
	for _, plies := range daily.Lengths() {
		status, page := ask(fmt.Sprintf("/problems?plies=%d", plies))
		if status != 200 {
			t.Fatalf("%d plies: %d", plies, status)
		}
		pages.WriteString(page)
		size := fmt.Sprintf(">%d problems</span>", len(daily.Until(today, plies)))
		if !strings.Contains(all, size) {
			t.Errorf("%d plies: no %s in %s", plies, size, all)
		}
	}
	for d := daily.First; d < today+60; d++ {
		p, _ := daily.On(d)
		if strings.Contains(pages.String(), `data-key="`+p.SFEN+`"`) != (d <= today) {
			t.Errorf("the problem of %v is there: %v", d, d > today)
		}
	}
	tomorrow, _ := daily.On(today + 1)
	v := positionLayout{}
	v.put(&tomorrow.Position)
	if _, page := ask(fmt.Sprintf("/p?sfen=%s&collection=%d", v.Link, tomorrow.Plies)); strings.Contains(page, tomorrow.Line) ||
		strings.Contains(page, `class="place"`) {
		t.Errorf("the page of tomorrow's has %s", page)
	}
	first := at(t, "2026-10-26T03:00:00Z")
	if _, page := first("/problems?lang=en"); !strings.Contains(page, ">1 problem</span>") || strings.Contains(page, "plies=5") {
		t.Errorf("on the first day there is %s", page)
	}
	if status, _ := first("/problems?plies=5"); status != 422 {
		t.Errorf("on the first day, 5 plies are %d", status)
	}
	if status, page := at(t, "2026-10-25T03:00:00Z")("/problems"); status != 200 || strings.Contains(page, "data-key") {
		t.Errorf("before the first day there is %d %s", status, page)
	}
}

// TestNextOfOthers: a problem that is none of the examples leads to that of today, and that one to the
// collections.
func TestNextOfOthers(t *testing.T) {
	h := newSite(t)
	button := regexp.MustCompile(`<a class="button" href="[^"]*" data-base="([^"]*)">([^<]*)</a>`)
	today, _ := daily.On(daily.DateOf(noon()))
	v := positionLayout{}
	v.put(&today.Position)
	for path, want := range map[string]string{
		"/p?sfen=4k4/9/4P4/9/9/9/9/9/9_b_G&lang=en":   "/daily?lang=en Problem of the day",
		"/p?sfen=" + v.Link + "&lang=en":              "/problems?lang=en Next problem",
		"/p?sfen=" + v.Link + "&collection=3&lang=en": "/p?sfen=",
		"/daily?lang=en":                              "/daily/2026-11-22?lang=en The day before",
		"/daily/" + daily.First.String() + "?lang=en": "/problems?lang=en ",
	} {
		found := button.FindStringSubmatch(unescape(get(h, path).Body.String()))
		if found == nil || !strings.HasPrefix(found[1]+" "+found[2], want) {
			t.Errorf("%s leads to %q, want %s", path, found, want)
		}
	}
}

// TestAgreedAddresses: what browsers and search engines ask for by themselves is there, and true.
func TestAgreedAddresses(t *testing.T) {
	h := newSite(t)
	if body := get(h, "/robots.txt", "X-Forwarded-Proto", "https").Body.String(); !strings.HasPrefix(body, "User-agent: *\nDisallow: /v1/solve\n") ||
		!strings.HasSuffix(body, "\nSitemap: https://example.com/sitemap.xml\n") {
		t.Errorf("robots.txt is %s", body)
	}
	if get(h, "/robots.txt", "X-Forwarded-Proto", "https").Header().Get("Etag") == get(h, "/robots.txt").Header().Get("Etag") {
		t.Error("robots.txt has one tag for two texts")
	}
	var pages sitemap
	if err := xml.Unmarshal(get(h, "/sitemap.xml").Body.Bytes(), &pages); err != nil || len(pages.URLs) < 8 {
		t.Fatalf("%v: %+v", err, pages)
	}
	for _, page := range pages.URLs {
		u, err := url.Parse(page.Address)
		if err != nil || u.Host != "example.com" {
			t.Errorf("the sitemap leads to %s", page.Address)
			continue
		}
		if u.Path == "/docs" { // of another package
			continue
		}
		if w := get(h, u.RequestURI()); w.Code != 200 || u.Path != "/board" && !strings.Contains(unescape(w.Body.String()), `<link rel="canonical" href="`+page.Address+`">`) {
			t.Errorf("%s is %d, or names another address", page.Address, w.Code)
		}
	}

	var m webManifest
	if err := json.Unmarshal(get(h, "/manifest.webmanifest?lang=en").Body.Bytes(), &m); err != nil || m.Lang != "en" || len(m.Icons) != 4 {
		t.Fatalf("%v: %+v", err, m)
	}
	for _, icon := range append(m.Icons, manifestIcon{Source: "/apple-touch-icon.png", Sizes: "180x180", Type: "image/png", Purpose: "maskable"}) {
		w := get(h, icon.Source)
		if w.Code != 200 || w.Header().Get("Content-Type") != icon.Type {
			t.Errorf("%+v is %d %s", icon, w.Code, w.Header().Get("Content-Type"))
		}
		if icon.Type != "image/png" {
			continue
		}
		picture, _, err := image.Decode(bytes.NewReader(w.Body.Bytes()))
		if err != nil || fmt.Sprintf("%dx%d", picture.Bounds().Dx(), picture.Bounds().Dy()) != icon.Sizes {
			t.Errorf("%+v: %v", icon, err)
			continue
		}
		size := picture.Bounds().Dx()
		wood := color.RGBAModel.Convert(picture.At(size/2, size/4))
		corner := color.RGBAModel.Convert(picture.At(0, 0))
		// What may be cut keeps off the edges; what may not fills the square.
		below := color.RGBAModel.Convert(picture.At(size/4, size-size/16))
		want, isFull := color.RGBA{0xff, 0xfe, 0xfa, 0xff}, icon.Purpose == "any"
		if isFull {
			want = color.RGBA{}
		}
		if wood != (color.RGBA{0xe2, 0xb7, 0x6f, 0xff}) || corner != want || (below == wood) != isFull {
			t.Errorf("%+v is %v above the sign, %v at the bottom, and %v in the corner", icon, wood, below, corner)
		}
	}

	const path = "/.well-known/security.txt"
	if w := get(h, path); w.Code != 404 {
		t.Errorf("without a contact %s is %d", path, w.Code)
	}
	w := get(newSiteOf(t, Config{MaxTime: time.Second, Now: noon, SecurityContact: "mailto:security@example.com"}), path)
	const want = "Contact: mailto:security@example.com\nExpires: 2027-05-21T15:00:00Z\nPreferred-Languages: ja, en\n" +
		"Canonical: http://example.com/.well-known/security.txt\n"
	if w.Body.String() != want || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("%s is %v %s", path, w.Header(), w.Body)
	}
	for _, contact := range []string{"security@example.com", "http://example.com", "https:", "mailto:", "mailto:a@b\nContact: x", "https://a b"} {
		if _, err := Handler(Config{MaxTime: time.Second, SecurityContact: contact}); err == nil {
			t.Errorf("%q is taken", contact)
		}
	}
}
