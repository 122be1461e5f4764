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

	"github.com/tsumero/tsumero/shogi/notation"
)

// extensions are those of the files that are read of a folder.
var extensions = append(notation.Extensions(), ".json")

// A Source is a file with problems, or positions that arguments spell.
type Source struct {
	Path string // "-" is standard input
	Size int64  // in bytes, when it was found: what is written later is not read; -1: not known

	positions []string // nil for a file
	inFolder  bool     // that an argument names
	err       error    // why it cannot be read
}

// A FileSet is files and folders, whatever names lead to them.
type FileSet []fs.FileInfo

// OutputFiles returns what a command writes: the files that are its standard output and error, and those
// of these paths that exist.
func OutputFiles(paths ...string) (set FileSet) {
	for _, file := range []*os.File{os.Stdout, os.Stderr} {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			set = append(set, info)
		}
	}
	return append(set, filesAt(paths)...)
}

func filesAt(paths []string) (set FileSet) {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && (info.Mode().IsRegular() || info.IsDir()) {
			set = append(set, info)
		}
	}
	return set
}

func (set FileSet) has(info fs.FileInfo) bool {
	return slices.ContainsFunc(set, func(one fs.FileInfo) bool { return os.SameFile(one, info) })
}

// Has reports whether the path leads to a file that is there.
func (set FileSet) Has(path string) bool {
	info, err := os.Stat(path)
	return err == nil && set.has(info)
}

// stdinName is the file of questions from standard input.
const stdinName = "standard input"

// errOwnOutput is the fault of a file that the command would read while it writes it.
var errOwnOutput = Errorf("input file is output file", "入力と出力が同じファイルです。")

// Open opens a file to be read, which is none of the outputs.
func Open(path string, outputs FileSet) (*os.File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err == nil && outputs.has(info) {
		file.Close()
		return nil, &fs.PathError{Op: "read", Path: path, Err: errOwnOutput}
	}
	return file, nil
}

// A wholeFile is a regular file, as long as it was at the start.
type wholeFile struct{ io.LimitedReader }

// asItIs returns what is to be read of a reader: of a regular file what it has now. It must not be
// what the command prints into.
func asItIs(r io.Reader) (io.Reader, error) {
	file, ok := r.(*os.File)
	if !ok {
		return r, nil
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return r, nil
	}
	if OutputFiles().has(info) {
		return nil, &fs.PathError{Op: "read", Path: file.Name(), Err: errOwnOutput}
	}
	at, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	return &wholeFile{io.LimitedReader{R: file, N: info.Size() - at}}, nil
}

// Sources returns the files of the arguments: of a folder those in it, at any depth, whose names end
// like those of a notation. Of a folder that was written as a collection those are its records in
// KIF: what else was written there says the same again. What cannot be read is among them, and its
// error is a fault of the questions. Outputs in a folder are left out, at any depth; one that an
// argument names is a fault, and a folder that an argument names is read.
func Sources(args []string, outputs FileSet) (list []Source) {
	skipped := map[string]bool{}
	for _, arg := range args {
		if arg == "-" {
			list = append(list, Source{Path: arg, Size: -1})
			continue
		}
		err := filepath.WalkDir(arg, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				list = append(list, Source{Path: path, inFolder: path != arg, err: err})
				return nil
			case entry.IsDir():
				if path != arg && outputs.Has(path) {
					return filepath.SkipDir
				}
				for _, name := range repeated(path) {
					skipped[filepath.Join(path, name)] = true
				}
				return nil
			case path != arg && skipped[path]:
				return nil
			case path != arg && !slices.Contains(extensions, strings.ToLower(filepath.Ext(path))):
				return nil
			}
			s := Source{Path: path, Size: -1, inFolder: path != arg}
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				s.Size = info.Size()
				switch own := outputs.has(info); {
				case own && path != arg:
					return nil
				case own:
					s.err = errOwnOutput
				}
			}
			list = append(list, s)
			return nil
		})
		if err != nil {
			list = append(list, Source{Path: arg, err: err})
		}
	}
	return list
}

// repeated returns the names of the files in a folder that say again what others there say: all that
// package book has written and that are no KIF. It keeps their names in a file.
func repeated(dir string) []string {
	text, err := os.ReadFile(filepath.Join(dir, ".tsumero-collection"))
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(strings.Split(string(text), "\n"), func(name string) bool {
		return strings.HasSuffix(name, ".kif")
	})
}

// ReadSources reads the problems of the files, each in whatever notation it is. What is wrong with a
// file is a fault of a question, and the next file is read.
func ReadSources(sources []Source, stdin io.Reader, f FileFormat) iter.Seq2[Question, error] {
	return func(yield func(Question, error) bool) {
		for _, s := range sources {
			for q, err := range s.questions(stdin, f) {
				if err != nil {
					q = Question{fault: fmt.Errorf("%w", withoutPath(err))}
				}
				q.file = s.Path
				if s.Path == "-" {
					q.file = stdinName
				}
				if !yield(q, nil) {
					return
				}
			}
		}
	}
}

// Listing yields questions that were read before.
func Listing(all []Question) iter.Seq2[Question, error] {
	return func(yield func(Question, error) bool) {
		for _, q := range all {
			if !yield(q, nil) {
				return
			}
		}
	}
}

func (s *Source) questions(stdin io.Reader, f FileFormat) iter.Seq2[Question, error] {
	switch {
	case s.positions != nil:
		return Arguments(s.positions)
	case s.Path == "-":
		return Files(stdin, f)
	}
	return func(yield func(Question, error) bool) {
		if s.err != nil {
			yield(Question{}, s.err)
			return
		}
		file, err := os.Open(s.Path)
		if err != nil {
			yield(Question{}, err)
			return
		}
		defer file.Close()
		f.Usual = notation.OfExtension(filepath.Ext(s.Path))
		var whole io.Reader = file
		if s.Size >= 0 {
			whole = &wholeFile{io.LimitedReader{R: file, N: s.Size}}
		}
		for q, err := range Files(whole, f) {
			if !yield(q, err) {
				return
			}
		}
	}
}

// withoutPath leaves out of an error the name of the file, which stands before it anyway.
func withoutPath(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}
