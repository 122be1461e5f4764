package httpapi

import (
	"errors"
	"slices"
	"strings"

	"github.com/tsumero/tsumero/shogi/sfenurl"
)

// queryParameters are those of GET /v1/solve.
var queryParameters = []string{"sfen", "plies", "nodes", "time_ms", "shortest"}

// rawParameter returns the value of the first parameter of that name in a query, still encoded.
func rawParameter(query, name string) string {
	for n, raw := range sfenurl.Parameters(query) {
		if n == name {
			return raw
		}
	}
	return ""
}

// strayParameters returns the parameters that are not among the known ones, and those that come again.
func strayParameters(query string, known []string) (faults []fault) {
	seen := make([]string, 0, 8)
	for name := range sfenurl.Parameters(query) {
		switch {
		case !slices.Contains(known, name):
			faults = append(faults, fault{Location: "query." + name, Message: "unexpected parameter, expected " + strings.Join(known, ", ")})
		case slices.Contains(seen, name):
			faults = append(faults, fault{Location: "query." + name, Message: "found a second time, expected once"})
		}
		seen = append(seen, name)
	}
	return faults
}

// setPositionFromQuery makes the position in an encoded parameter the one asked about.
func (q *question) setPositionFromQuery(location, raw string) []fault {
	game, err := sfenurl.Parse(raw)
	if err == nil {
		return q.setGame(location, &game)
	}
	faults := positionFaults(location, err)
	var e *sfenurl.Error
	if errors.As(err, &e) && e.Plus {
		faults = append(faults, fault{Location: location, Message: sfenurl.PlusHint})
	}
	return faults
}
