package httpapi

import (
	"net/http"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver/sched"
)

// postMoves answers POST /v1/moves.
func (s *Server) postMoves(x *responseRecorder, r *http.Request) *wire.Problem {
	var asked wire.Question
	if p := s.requests.Moves(x.body, &asked); p != nil {
		return p
	}
	var q sched.Question
	s.answers.Moves(&asked, &q)
	return s.answerBody(x, r, &q, asked.Notes)
}

// getMoves answers GET /v1/moves. The answer may be cached for ever if no move is left undecided.
func (s *Server) getMoves(x *responseRecorder, r *http.Request) *wire.Problem {
	var asked wire.Question
	if p := s.requests.MovesLink(r.URL.RawQuery, &asked); p != nil {
		return p
	}
	var q sched.Question
	s.answers.Moves(&asked, &q)
	return s.answerLink(x, r, &q, asked.Notes)
}
