package site

import (
	"cmp"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tsumero/tsumero/api/httpheader"
	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/web/drill"
)

// A trainPage is what train.html shows: the numbered sets of package drill, and runs over them.
type trainPage struct{ layout }

// train is the page on which readers train, at addresses /train.
func (h *handler) train(w http.ResponseWriter, r *http.Request) {
	v := &trainPage{h.newLayout(r)}
	v.setLooks(r.URL.Query())
	h.renderIfValid(w, r, "train.html", v)
}

// TrainPage returns the address of the page on which readers train.
func (v *layout) TrainPage() template.URL { return template.URL("/train?lang=" + v.Lang) }

func (v *trainPage) InOther() string { return "/train?lang=" + v.other() + v.look() }
func (v *trainPage) Lost() string    { return v.badValue() }

// A trainSet is what the page has of a set: its problems are loaded when they are needed.
type trainSet struct {
	Number      int
	First, Last int // numbers of problems
	Plies       int
	Class       int
	Low, High   int // ratings
	Address     string
	Hashes      string // as of a collection: see progress.js
	Themes      string // of its problems, with spaces between
}

// A trainGroup has the sets of one length.
type trainGroup struct {
	Plies int
	Sets  []trainSet
}

// Name returns what the page is called.
func (v *trainPage) Name() string { return v.T("詰将棋ドリル", "Shogi mate drills") }

// Groups returns the sets by length, and those of a length by class.
func (v *trainPage) Groups() (groups []trainGroup) {
	sets := slices.Clone(trainSets().list)
	slices.SortStableFunc(sets, func(a, b trainSet) int {
		return cmp.Or(a.Plies-b.Plies, a.Class-b.Class)
	})
	for _, s := range sets {
		if n := len(groups); n == 0 || groups[n-1].Plies != s.Plies {
			groups = append(groups, trainGroup{Plies: s.Plies})
		}
		g := &groups[len(groups)-1]
		g.Sets = append(g.Sets, s)
	}
	return groups
}

// Count returns how many problems there are.
func (v *trainPage) Count() int { return len(drill.All()) }

// leastOfTheme is how many problems there must be for a theme to be offered.
const leastOfTheme = 20

// Themes returns those that enough problems have, with their names.
func (v *trainPage) Themes() (themes []option) {
	for _, group := range report.ThemeGroups() {
		for _, one := range group.Themes {
			if trainSets().themes[one.ID] >= leastOfTheme {
				themes = append(themes, option{Value: one.ID, Label: one.Name.In(v.Lang)})
			}
		}
	}
	return themes
}

// trainFiles are the sets, and the files of their problems by the paths of their addresses.
type trainFiles struct {
	list   []trainSet
	files  map[string][]byte
	themes map[string]int // how many problems have one
}

// A trainProblem is a problem of such a file, which <tsume-set> reads.
type trainProblem struct {
	SFEN   string `json:"sfen"`
	Moves  string `json:"moves"`
	Title  string `json:"title"`
	Plies  int    `json:"plies"`
	Rating int    `json:"rating"`
	Themes string `json:"themes,omitempty"`
}

var trainSets = sync.OnceValue(func() trainFiles {
	all := trainFiles{files: map[string][]byte{}, themes: map[string]int{}}
	for i, s := range drill.Sets() {
		var hashes, ids []string
		list := make([]trainProblem, len(s.Problems))
		for j := range s.Problems {
			p := &s.Problems[j]
			hashes = append(hashes, hashOf(p.SFEN))
			list[j] = trainProblem{SFEN: p.SFEN, Moves: p.Line, Title: "No. " + strconv.Itoa(s.First+j),
				Plies: p.Plies, Rating: drill.Rating(p), Themes: strings.Join(p.Themes, " ")}
			for _, id := range p.Themes {
				all.themes[id]++
				if !slices.Contains(ids, id) {
					ids = append(ids, id)
				}
			}
		}
		body := wire.Encode(map[string]any{"problems": list})
		path := "/train/" + strconv.Itoa(i+1) + ".json"
		all.files[path] = body
		all.list = append(all.list, trainSet{
			Number: i + 1, First: s.First, Last: s.First + len(list) - 1, Plies: s.Plies,
			Class: s.Class, Low: s.Low, High: s.High, Address: path + "?v=" + httpheader.ETagDigest(body),
			Hashes: strings.Join(hashes, " "), Themes: strings.Join(ids, " "),
		})
	}
	return all
})

// trainFile answers with the problems of a set, to pages of any origin.
func (h *handler) trainFile(w http.ResponseWriter, r *http.Request) {
	body, ok := trainSets().files[r.URL.Path]
	if !ok {
		h.missing(w, r)
		return
	}
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	header.Set("Cache-Control", "public, max-age=3600")
	if r.URL.Query().Get("v") == httpheader.ETagDigest(body) {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	sendTagged(w, r, "application/json; charset=utf-8", httpheader.ETag(body), body)
}
