package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/cmd/internal/version"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver/analysis"
)

// A recordWriter writes reports as records: to a file, or to files of a folder.
type recordWriter struct {
	language string
	several  bool                       // there may be several problems
	outs     map[notation.Format]string // where to; "" for nowhere
	written  map[string]bool            // the paths so far
	inputs   cli.FileSet                // which a record must not replace
}

// write writes a report in each of the formats.
func (w *recordWriter) write(a *analysis.Analysis, at cli.Location) error {
	return w.put(report.Record(a, w.language, "Tsumero "+version.Get().Version), at)
}

// put writes a record in each of the formats.
func (w *recordWriter) put(r *notation.Record, at cli.Location) error {
	for format, out := range w.outs {
		if out == "" {
			continue
		}
		path, err := w.path(format, out, at)
		if err != nil {
			return err
		}
		if w.inputs.Has(path) {
			return cli.Errorf("%s is a file of problems, which the record would replace",
				"%s は入力のファイルで、上書きされてしまいます。", path)
		}
		if err := os.WriteFile(path, r.Append(nil, format), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// path returns the file for the problem found there. Of a folder, which is made, the files are
// named after those of the problems.
func (w *recordWriter) path(format notation.Format, out string, at cli.Location) (string, error) {
	info, err := os.Stat(out)
	isFolder := err == nil && info.IsDir() || strings.HasSuffix(out, string(filepath.Separator)) ||
		w.several && filepath.Ext(out) == ""
	if w.written == nil {
		w.written = map[string]bool{}
	}
	if !isFolder {
		if w.written[out] {
			return "", cli.Errorf("%s holds one record, and there are more problems: name a folder that "+
				"exists, or that ends in %c",
				"%s に書けるのは一題だけです。既存のフォルダか、%c で終わる名前を指定してください。", out, filepath.Separator)
		}
		w.written[out] = true
		return out, nil
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return "", err
	}
	name := "problem"
	if at.File != "" {
		name = strings.TrimSuffix(filepath.Base(at.File), filepath.Ext(at.File))
	}
	if n := max(at.Line, at.Record); n > 0 {
		name += fmt.Sprintf("-%d", n)
	}
	path := filepath.Join(out, name+"."+format.String())
	for i := 2; w.written[path]; i++ {
		path = filepath.Join(out, fmt.Sprintf("%s_%d.%s", name, i, format))
	}
	w.written[path] = true
	return path, nil
}
