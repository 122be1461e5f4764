package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/httpapi"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
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
			return nil, fmt.Errorf("--known %s: there is a list %q already", path, known.Name)
		}
		if err := readKnown(known.List, "--known", []string{path}, strings.NewReader("")); err != nil {
			return nil, err
		}
		if known.List.Len()+known.List.Hashed() == 0 {
			return nil, fmt.Errorf("--known %s: there is no problem", path)
		}
		lists = append(lists, known)
	}
	return lists, nil
}

// A knower holds known problems, or their hashes.
type knower interface {
	Know(name string, p *collection.Problem) error
	KnowHashes(io.Reader) error
}

// readKnown puts the problems of files and folders, or of lists that tsumero keys printed, into k. flag
// is what named them.
func readKnown(k knower, flag string, paths []string, stdin io.Reader) error {
	if len(paths) == 0 {
		return nil
	}
	for _, source := range cli.Sources(paths) {
		if is, err := readHashes(k, source.Path); err != nil {
			return fmt.Errorf("%s %s: %w", flag, source.Path, err)
		} else if is {
			continue
		}
		n := 0
		for q, err := range cli.ReadSources([]cli.Source{source}, stdin, cli.FileFormat{}) {
			n++
			p, line, fault := q.Problem()
			if err != nil || fault != nil {
				if n == 1 && slices.Contains(paths, source.Path) {
					return fmt.Errorf("%s %s: %w", flag, source.Path, errors.Join(err, fault))
				}
				continue // as for the other commands, what is no problem is no reason to stop
			}
			if attacker, err := solver.Attacker(&p); err == nil {
				name := filepath.Base(source.Path) + ":" + strconv.Itoa(n)
				_ = k.Know(name, &collection.Problem{Position: p, Attacker: attacker, Line: line})
			}
		}
	}
	return nil
}

// readHashes puts the problems of a file into k, if it is one that tsumero keys printed.
func readHashes(k knower, path string) (is bool, err error) {
	if path == "-" {
		return false, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return false, nil // it is told of where problems are read
	}
	defer file.Close()
	in := bufio.NewReader(file)
	if start, _ := in.Peek(len(collection.HashesHeading)); string(start) != collection.HashesHeading {
		return false, nil
	}
	return true, k.KnowHashes(in)
}
