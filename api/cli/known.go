package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/collection"
)

// A Knower holds known problems, or their hashes.
type Knower interface {
	Know(name string, p *collection.Problem) error
	KnowHashes(io.Reader) error
}

// ReadKnown puts the problems of files and folders, or of lists that tsumero keys printed, into k. flag
// is what named them.
func ReadKnown(k Knower, flag string, paths []string, stdin io.Reader) error {
	if len(paths) == 0 {
		return nil
	}
	// All is read before anything is printed: an output may go on where it ended.
	for _, source := range Sources(paths, nil) {
		if is, err := readHashes(k, source.Path); err != nil {
			return fmt.Errorf("%s %s: %w", flag, source.Path, err)
		} else if is {
			continue
		}
		n := 0
		for q, err := range ReadSources([]Source{source}, stdin, FileFormat{}) {
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
func readHashes(k Knower, path string) (is bool, err error) {
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
