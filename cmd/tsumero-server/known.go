package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/httpapi"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/collection"
	"github.com/tsumero/tsumero/web/daily"
)

// knownLists returns the lists of known problems of a service: the problems of the day, and those of files
// with commas between.
func knownLists(files string) (lists []httpapi.KnownProblems, err error) {
	shipped := new(collection.List)
	for _, p := range daily.All() {
		game, err := shogi.ParsePosition("sfen " + p.SFEN + " moves " + p.Line)
		if err != nil {
			return nil, err
		}
		if err := shipped.Know(p.SFEN, &collection.Problem{Position: p.Position, Attacker: shogi.Black, Line: game.Moves()}); err != nil {
			return nil, err
		}
	}
	lists = []httpapi.KnownProblems{{Name: "daily", List: shipped}}
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
