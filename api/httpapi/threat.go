package httpapi

import (
	"net/http"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver/sched"
)

// postThreat answers POST /v1/threat.
func (s *Server) postThreat(x *responseRecorder, r *http.Request) *wire.Problem {
	var asked wire.ThreatQuestion
	if p := s.requests.Threat(x.body, &asked); p != nil {
		return p
	}
	if p := s.answers.Offered(); p != nil {
		return p
	}
	var q sched.Question
	s.answers.Threat(&asked, &q)
	return s.answerBody(x, r, &q, nil)
}
