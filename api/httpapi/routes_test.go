package httpapi

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
)

// TestRoutesAreDescribed: every route of the public listener is in the description, and nothing
// else but the pages is.
func TestRoutesAreDescribed(t *testing.T) {
	s, _ := jobServer(t, Config{Web: http.NotFoundHandler(), Diagrams: http.NotFoundHandler()}, nil)
	var served []string
	err := chi.Walk(s.router(), func(method, route string, _ http.Handler,
		_ ...func(http.Handler) http.Handler) error {
		served = append(served, method+" "+route)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(served) < 30 {
		t.Errorf("only %d routes: %v", len(served), served)
	}
	api := parse[struct {
		Paths map[string]map[string]struct {
			OperationID, Summary, Description string
			Tags                              []string
			Responses                         map[string]struct{ Content map[string]struct{} }
		}
		Tags []struct{ Name string }
	}](t, do(s, "GET", "/openapi.json", "").Body.Bytes())
	var described []string
	for path, methods := range api.Paths {
		for method, op := range methods {
			name := strings.ToUpper(method) + " " + path
			described = append(described, name)
			if op.OperationID == "" || len(op.Summary) < 4 || len(op.Description) < 4 || len(op.Tags) != 1 {
				t.Errorf("%s: %+v", name, op)
			}
			// Generated clients have one type for a body that is what was asked for. A record is of
			// the format in the path.
			for status, r := range op.Responses {
				if status[0] == '2' && len(r.Content) > 1 && !strings.HasSuffix(path, "/{format}") {
					t.Errorf("%s answers %s in %d media types", name, status, len(r.Content))
				}
			}
			isPage := op.Tags[0] == "Pages" && !strings.HasPrefix(path, "/v1/")
			if !isPage && !slices.Contains(served, name) {
				t.Errorf("%s is described, but there is no such route", name)
			}
		}
	}
	for _, name := range served {
		if !slices.Contains(described, name) {
			t.Errorf("%s is not described", name)
		}
	}
}
