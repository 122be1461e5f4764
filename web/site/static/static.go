// Package static has the files that the pages load, for these and for those of package book, which look
// alike and keep the reader's progress and choices in the same place.
package static

import (
	"bytes"
	"embed"

	"github.com/tsumero/tsumero/web/board"
)

// Files are all of them.
//
//go:embed *.css *.js *.svg *.txt
var Files embed.FS

// Shared returns the files of pages that are no pages of the service, by their names in one folder,
// in which those of the board are.
func Shared() map[string][]byte {
	all := map[string][]byte{}
	for _, name := range []string{"site.css", "look.js", "progress.js", "copy.js", "address.js"} {
		body, _ := Files.ReadFile(name) // it is there
		all[name] = bytes.ReplaceAll(body, []byte(`"/embed-progress.js"`),
			[]byte(`"./embed-progress.js?v=`+board.Version()+`"`))
	}
	return all
}
