package main

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/httpapi"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/collection"
	"github.com/tsumero/tsumero/web/daily"
	"github.com/tsumero/tsumero/web/drill"
	"github.com/tsumero/tsumero/web/problems"
)

// shippedLists are the known problems that the program comes with: those of the day by their SFENs, and
// the drills by their numbers. They are read for the first who asks.
var shippedLists = []httpapi.KnownProblems{
	{Name: "daily", List: sync.OnceValue(func() *collection.List {
		return listOf(daily.All(), func(_ int, p *problems.Problem) string { return p.SFEN })
	})},
	{Name: "drills", List: sync.OnceValue(func() *collection.List {
		return listOf(drill.All(), func(i int, _ *problems.Problem) string { return strconv.Itoa(i + 1) })
	})},
}

// listOf returns problems, of which tests make sure that they are legal, as a list.
func listOf(all []problems.Problem, nameOf func(i int, p *problems.Problem) string) *collection.List {
	list := new(collection.List)
	for i := range all {
		p := &all[i]
		game, err := shogi.ParsePosition("sfen " + p.SFEN + " moves " + p.Line)
		if err == nil {
			err = list.Know(nameOf(i, p),
				&collection.Problem{Position: p.Position, Attacker: shogi.Black, Line: game.Moves()})
		}
		if err != nil {
			panic(err)
		}
	}
	return list
}

// knownLists returns the lists of known problems of a service: those that are shipped, and those of files
// with commas between.
func knownLists(files string) (lists []httpapi.KnownProblems, err error) {
	lists = slices.Clone(shippedLists)
	for path := range strings.SplitSeq(files, ",") {
		if path = strings.TrimSpace(path); path == "" {
			continue
		}
		base := filepath.Base(path)
		list := new(collection.List)
		known := httpapi.KnownProblems{Name: strings.TrimSuffix(base, filepath.Ext(base)),
			List: func() *collection.List { return list }}
		if slices.ContainsFunc(lists, func(k httpapi.KnownProblems) bool { return k.Name == known.Name }) {
			return nil, cli.Errorf("--known %s: there is a list %q already",
				"--known %s：「%s」はすでにあります。", path, known.Name)
		}
		if err := cli.ReadKnown(list, "--known", []string{path}, strings.NewReader("")); err != nil {
			return nil, err
		}
		if list.Len()+list.Hashed() == 0 {
			return nil, cli.Errorf("--known %s: there is no problem", "--known %s：作品がありません。", path)
		}
		lists = append(lists, known)
	}
	return lists, nil
}
