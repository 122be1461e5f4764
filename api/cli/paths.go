package cli

import (
	"errors"
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
type Paths []Source

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
func FindPaths(args []string, outputs FileSet) (p Paths, err error) {
	var faults []error
	open := false // the last argument belongs to a position
	for i, arg := range args {
		isPosition := strings.Contains(arg, "://") || !strings.Contains(arg, ".") && // which no position has
			(strings.ContainsAny(arg, " \t\n_") || StartsPosition(arg))
		_, err := os.Stat(arg)
		switch {
		case isStdin(args, i), err == nil:
			open = false
			found := Sources([]string{arg}, outputs)
			if len(found) == 0 {
				faults = append(faults, Errorf("%s: no file there has a name that ends like one of a notation: %s",
					"%s：棋譜の拡張子（%s）のファイルがありません。", arg, strings.Join(extensions, " ")))
			}
			p = append(p, found...)
		case open:
			last := &p[len(p)-1]
			last.positions = append(last.positions, arg)
		case isPosition:
			p = append(p, Source{positions: []string{arg}})
			open = true
		case errors.Is(err, fs.ErrNotExist):
			faults = append(faults, Errorf("%s is neither a file nor a position", "%s というファイルはなく、局面でもありません。", arg))
		default:
			faults = append(faults, err)
		}
	}
	return p, errors.Join(faults...)
}

// Positions returns how many positions there are, -1 if there is anything else.
func (p Paths) Positions() int {
	n := 0
	for _, part := range p {
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
func (p Paths) Several() bool {
	return len(p) > 1 || len(p) == 1 && p[0].inFolder || p.Positions() > 1
}

// Files returns the files.
func (p Paths) Files() FileSet {
	var paths []string
	for _, part := range p {
		paths = append(paths, part.Path)
	}
	return filesAt(paths)
}

// Size returns the size of all files together, -1 if it is not known.
func (p Paths) Size() (size int64) {
	for _, part := range p {
		if part.positions == nil && part.Size < 0 {
			return -1
		}
		size += part.Size
	}
	return size
}

// Questions reads the problems, one file after the other. What keeps a file from being read is a
// fault of one question, after which the next file is read.
func (p Paths) Questions(stdin io.Reader, f FileFormat) iter.Seq2[Question, error] {
	return func(yield func(Question, error) bool) {
		for q, err := range ReadSources(p, stdin, f) {
			if len(p) == 1 && p[0].Path == Stdin {
				q.file = ""
			}
			if !yield(q, err) {
				return
			}
		}
	}
}
