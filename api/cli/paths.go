package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Stdin is the name that stands for standard input.
const Stdin = "-"

// Paths are what the arguments of a command name: files, the files of folders, standard input, and
// positions.
type Paths struct {
	parts   []pathPart
	folders bool
}

// A pathPart is a file or a list of positions.
type pathPart struct {
	Source
	positions []string // nil for a file
}

// isStdin reports whether an argument is Stdin. Behind the side to move it is the hands of a position
// without quotes.
func isStdin(args []string, i int) bool {
	return args[i] == Stdin && (i == 0 || args[i-1] != "b" && args[i-1] != "w")
}

// NameFiles reports whether one of the arguments is a file, a folder or Stdin, or is named like a file
// with positions. Where arguments are positions, these are read instead.
func NameFiles(args []string) bool {
	for i, arg := range args {
		_, err := os.Stat(arg)
		if err == nil || isStdin(args, i) || !strings.Contains(arg, "://") &&
			slices.Contains(extensions, strings.ToLower(filepath.Ext(arg))) {
			return true
		}
	}
	return false
}

// FindPaths finds out what arguments are. What exists is a file or a folder, read as by Sources.
// What looks like the beginning of a position is one, with the arguments that follow as for
// Arguments. Outputs are treated as by Sources.
func FindPaths(args []string, outputs FileSet) (*Paths, error) {
	p := new(Paths)
	var faults []error
	open := false // the last argument belongs to a position
	for i, arg := range args {
		isPosition := strings.Contains(arg, "://") || !strings.Contains(arg, ".") && // which no position has
			(strings.ContainsAny(arg, " \t\n_") || StartsPosition(arg))
		info, err := os.Stat(arg)
		switch {
		case isStdin(args, i), err == nil:
			open = false
			found := Sources([]string{arg}, outputs)
			if len(found) == 0 {
				faults = append(faults, fmt.Errorf("%s: no file there has a name that ends like one of a "+
					"notation: %s", arg, strings.Join(extensions, " ")))
			}
			for _, s := range found {
				p.parts = append(p.parts, pathPart{Source: s})
			}
			p.folders = p.folders || err == nil && info.IsDir()
		case open:
			last := &p.parts[len(p.parts)-1]
			last.positions = append(last.positions, arg)
		case isPosition:
			p.parts = append(p.parts, pathPart{positions: []string{arg}})
			open = true
		case errors.Is(err, fs.ErrNotExist):
			faults = append(faults, fmt.Errorf("%s is neither a file nor a position", arg))
		default:
			if errors.Is(err, fs.ErrNotExist) {
				err = fmt.Errorf("%s is neither a file nor a position", arg)
			}
			faults = append(faults, err)
		}
	}
	return p, errors.Join(faults...)
}

// Positions returns how many positions there are, -1 if there is anything else.
func (p *Paths) Positions() int {
	n := 0
	for _, part := range p.parts {
		if part.positions == nil {
			return -1
		}
		for range Arguments(part.positions) {
			n++
		}
	}
	return n
}

// Several reports whether there may be more than one problem: more than one file or position, or a
// folder.
func (p *Paths) Several() bool { return len(p.parts) > 1 || p.folders || p.Positions() > 1 }

// Files returns the files.
func (p *Paths) Files() FileSet {
	var paths []string
	for _, part := range p.parts {
		paths = append(paths, part.Path)
	}
	return filesAt(paths)
}

// Size returns the size of all files together, -1 if it is not known.
func (p *Paths) Size() (size int64) {
	for _, part := range p.parts {
		if part.positions == nil && part.Size < 0 {
			return -1
		}
		size += part.Size
	}
	return size
}

// Questions reads the problems, one file after the other. What keeps a file from being read is a
// fault of one question, after which the next file is read.
func (p *Paths) Questions(stdin io.Reader, f FileFormat) iter.Seq2[Question, error] {
	return func(yield func(Question, error) bool) {
		for _, part := range p.parts {
			questions := Arguments(part.positions)
			if part.positions == nil {
				questions = ReadSources([]Source{part.Source}, stdin, f)
			}
			for q, err := range questions {
				if part.Path == Stdin && len(p.parts) == 1 {
					q.file = ""
				}
				if !yield(q, err) {
					return
				}
			}
		}
	}
}
