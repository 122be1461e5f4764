// Package licenses holds the notices that must go wherever the programs go: the licence of the
// project, that of the outlines it draws with, and those of everything the programs link.
//
// The file LICENSES.txt is in the programs, in the image and in every release archive.
package licenses

import (
	_ "embed"
	"strings"
)

//go:generate go run ./collect

// Text is the file LICENSES.txt, which package collect makes.
//
//go:embed LICENSES.txt
var Text string

// Modules returns the modules that Text lists, each as its path, a space and its version, with the
// SPDX expression of its licences.
func Modules() map[string]string {
	modules := map[string]string{}
	list, _, _ := strings.Cut(Text, "\n====")
	for line := range strings.Lines(list) {
		name, licence, found := strings.Cut(strings.TrimSpace(line), " (")
		if found && strings.HasPrefix(line, "  ") {
			modules[name] = strings.TrimSuffix(licence, ")")
		}
	}
	return modules
}

// A Platform is an operating system and a processor, as GOOS and GOARCH name them.
type Platform struct{ OS, Arch string }

// Platforms are those that releases are built for. Text has what is linked on any of them.
var Platforms = []Platform{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

// Commands are the programs that are released, as paths of their packages.
var Commands = []string{
	"github.com/tsumero/tsumero/cmd/tsumero",
	"github.com/tsumero/tsumero/cmd/tsumero-check",
	"github.com/tsumero/tsumero/cmd/tsumero-server",
	"github.com/tsumero/tsumero/cmd/tsumero-usi",
}
