package e2e

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	clientKey = "anna-knows"
	oneMove   = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"
)

// startWholeService starts a service that has everything, and knows clientKey.
func startWholeService(t *testing.T) *service {
	keys := filepath.Join(t.TempDir(), "keys")
	line := fmt.Sprintf("anna %x key\n", sha256.Sum256([]byte(clientKey)))
	if err := os.WriteFile(keys, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	return startService(t, "--jobs", t.TempDir(), "--api-keys", keys, "--rate", "0", "--analyses", "1",
		"--plays", "1")
}

// A description is what the tests read of the API description.
type description struct {
	Paths map[string]map[string]struct {
		Parameters []struct {
			Name, In string
			Required bool
		}
		Responses map[string]struct{ Content map[string]any }
	}
}

func (s *service) description(t *testing.T) (api description, text string) {
	t.Helper()
	text = s.send(t, "GET", "/openapi.json", "").body
	if err := json.Unmarshal([]byte(text), &api); err != nil {
		t.Fatal(err)
	}
	return api, text
}

// TestEverythingPublicIsDescribed: what the pages and pictures are made of is not seen by the
// package that describes the API.
func TestEverythingPublicIsDescribed(t *testing.T) {
	long(t)
	s := startWholeService(t)
	api, _ := s.description(t)

	// What belongs to a page, and changes with it, is not for others.
	private := regexp.MustCompile(`^/(static/|board/docs\.|favicon\.|robots\.txt|sitemap\.xml|manifest\.webmanifest|worker\.js$|offline$|daily/ahead/|engine/|\.well-known/|(daily/)?\{\$\}$|$)`)
	patterns := servedPatterns(t, "../../web", "../tsumero-server/web.go")
	if len(patterns) < 10 {
		t.Errorf("only %d patterns of pages: %v", len(patterns), patterns)
	}
	for _, pattern := range patterns {
		method, path, ok := strings.Cut(pattern, " ")
		if !ok {
			method, path = "GET", pattern
		}
		if _, ok := api.Paths[path][strings.ToLower(method)]; !ok && !private.MatchString(path) {
			t.Errorf("%s %s is not described", method, path)
		}
	}

	// What is described is there, with what a client must send and in the type that is said.
	values := map[string]string{"sfen": oneMove, "url": s.url + "/p?sfen=" + url.QueryEscape(oneMove),
		"code": "invalid_question", "level": "random", "date": "2026-10-26"}
	for path, methods := range api.Paths {
		op, ok := methods["get"]
		if !ok || strings.Contains(path, "{id}") {
			continue
		}
		query := url.Values{}
		target := strings.NewReplacer("{code}", values["code"], "{date}", values["date"], "{file}", "1.json").Replace(path)
		for _, p := range op.Parameters {
			if p.In == "query" && p.Required {
				query.Set(p.Name, values[p.Name])
			}
		}
		r := s.send(t, "GET", target+"?"+query.Encode(), "", "Authorization", "Bearer "+clientKey)
		mediaType, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
		if _, ok := op.Responses["200"].Content[mediaType]; r.StatusCode != http.StatusOK || !ok {
			t.Errorf("GET %s: %s, %s, described are %v", target, r.Status, mediaType, op.Responses["200"].Content)
		}
	}

	// A diagram says which parameters it has when it gets another.
	for _, path := range []string{"/v1/diagram.svg", "/v1/diagram.png", "/v1/diagram.gif"} {
		_, list, _ := strings.Cut(s.send(t, "GET", path+"?x=1", "").body, "unexpected parameter, expected ")
		list, _, _ = strings.Cut(list, `"`)
		var described []string
		for _, p := range api.Paths[path]["get"].Parameters {
			if p.In == "query" {
				described = append(described, p.Name)
			}
		}
		if strings.Join(described, ", ") != list {
			t.Errorf("%s has the parameters %s, described are %v", path, list, described)
		}
	}
}

// servedPatterns returns the patterns that are handed to a http.ServeMux in the folders.
func servedPatterns(t *testing.T, folders ...string) (patterns []string) {
	t.Helper()
	files := token.NewFileSet()
	visit := func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			name, ok := call.Fun.(*ast.SelectorExpr)
			literal, isText := call.Args[0].(*ast.BasicLit)
			if ok && isText && (name.Sel.Name == "Handle" || name.Sel.Name == "HandleFunc") {
				if pattern, err := strconv.Unquote(literal.Value); err == nil {
					patterns = append(patterns, pattern)
				}
			}
			return true
		})
		return nil
	}
	for _, folder := range folders {
		if err := filepath.WalkDir(folder, visit); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(patterns)
	return patterns
}

// TestGeneratedClients: the clients that are generated from the description compile and work for every
// operation. openapi-typescript refuses a description in which Redocly, its linter, finds an error.
func TestGeneratedClients(t *testing.T) {
	long(t)
	if _, err := exec.LookPath("npm"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	s := startWholeService(t)
	_, api := s.description(t)
	// start runs commands in a copy of a folder of clients, one after the other.
	start := func(folder string, commands ...string) {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "clients", folder))); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "openapi.json"), []byte(api), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, command := range commands {
				cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "URL="+s.url, "KEY="+clientKey, "GOWORK=off")
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", command, err, out)
				}
				t.Logf("%s\n%s", command, out)
			}
		})
	}
	start("typescript",
		"npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error",
		"node_modules/.bin/openapi-typescript openapi.json --output api.d.ts",
		"node_modules/.bin/tsc",
		`node client.js "$URL" "$KEY"`)
	start("go",
		"mkdir api && go tool oapi-codegen -config oapi-codegen.yaml openapi.json",
		"go vet ./...",
		`go run . "$URL" "$KEY"`)
}
