package httpapi

import (
	"net/http"

	"github.com/tsumero/tsumero/api/wire"
)

// postGames answers POST /v1/games: a game in JSON, or a record. A client that leaves ends the search.
func (s *Server) postGames(x *responseRecorder, r *http.Request) *wire.Problem {
	var asked wire.GameQuestion
	var p *wire.Problem
	if opts, ok := recordOptions(r.Header.Get("Content-Type")); ok && len(x.body) > 0 {
		p = s.requests.GameRecord(r.URL.RawQuery, x.body, opts, &asked)
	} else {
		p = s.requests.Game(r.URL.RawQuery, x.body, &asked)
	}
	if p == nil {
		p = s.answers.Offered()
	}
	if p != nil {
		return p
	}
	return s.answerBody(x, r, s.answers.Game(&asked), asked.Notes)
}
