package httpapi

import (
	"net/http"

	"github.com/tsumero/tsumero/api/wire"
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
	return s.answerBody(x, r, s.answers.Threat(&asked), nil)
}
