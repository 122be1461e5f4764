package site

import (
	"net/http"

	"github.com/tsumero/tsumero/shogi"
)

// A gamesPage is what games.html shows. Its position is the one that its board begins with.
type gamesPage struct{ problemLayout }

// games is the page that says of a game which mates were missed. The game is in no address.
func (h *handler) games(w http.ResponseWriter, r *http.Request) {
	v := &gamesPage{h.newProblem(r)}
	start := shogi.Start()
	v.put(&start)
	v.setLooks(r.URL.Query())
	h.renderIfValid(w, r, "games.html", v)
}

// HasGames reports whether anybody judges games: the service, or the solver in the browser.
func (v *layout) HasGames() bool { return v.Analyses || v.Engine != "" }

// GamesPage returns the address of the page at /games.
func (v *layout) GamesPage() string { return "/games?lang=" + v.Lang }

func (v *gamesPage) InOther() string { return "/games?lang=" + v.other() + v.look() }
