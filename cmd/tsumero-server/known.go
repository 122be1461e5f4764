package main

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/httpapi"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/collection"
	"github.com/tsumero/tsumero/web/daily"
	"github.com/tsumero/tsumero/web/drill"
	"github.com/tsumero/tsumero/web/problems"
)

// knownLists returns the lists of known problems of a service: the problems of the day by their SFENs,
// the drills by their numbers, and those of files with commas between.
func knownLists(files string) (lists []httpapi.KnownProblems, err error) {
	for _, shipped := range []struct {
		name string
		all  []problems.Problem
		of   func(i int, p *problems.Problem) string
	}{
		{"daily", daily.All(), func(_ int, p *problems.Problem) string { return p.SFEN }},
		{"drills", drill.All(), func(i int, _ *problems.Problem) string { return strconv.Itoa(i + 1) }},
	} {
		list := new(collection.List)
		for i := range shipped.all {
			p := &shipped.all[i]
			game, err := shogi.ParsePosition("sfen " + p.SFEN + " moves " + p.Line)
			if err != nil {
				return nil, err
			}
			problem := collection.Problem{Position: p.Position, Attacker: shogi.Black, Line: game.Moves()}
			if err := list.Know(shipped.of(i, p), &problem); err != nil {
				return nil, err
			}
		}
		lists = append(lists, httpapi.KnownProblems{Name: shipped.name, List: list})
	}
	for path := range strings.SplitSeq(files, ",") {
		if path = strings.TrimSpace(path); path == "" {
			continue
		}
		base := filepath.Base(path)
		known := httpapi.KnownProblems{Name: strings.TrimSuffix(base, filepath.Ext(base)), List: new(collection.List)}
		if slices.ContainsFunc(lists, func(k httpapi.KnownProblems) bool { return k.Name == known.Name }) {
			return nil, cli.Errorf("--known %s: there is a list %q already",
				"--known %s：「%s」はすでにあります。", path, known.Name)
		}
		if err := cli.ReadKnown(known.List, "--known", []string{path}, strings.NewReader("")); err != nil {
			return nil, err
		}
		if known.List.Len()+known.List.Hashed() == 0 {
			return nil, cli.Errorf("--known %s: there is no problem", "--known %s：作品がありません。", path)
		}
		lists = append(lists, known)
	}
	return lists, nil
}
