// Package version says which build of the programs is running.
package version

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// What the linker sets where the go command cannot know it, with -ldflags
// "-X github.com/tsumero/tsumero/cmd/internal/version.release=v1.2.3" and so on. Each that is empty
// is taken from what the go command recorded: the version of the module, or the state of a checkout.
var (
	release  string // the version, such as v1.2.3
	revision string // the commit
	date     string // of the commit, RFC 3339
)

// Build is what is known of a build.
type Build struct {
	Version  string // as the module is tagged, such as v1.2.3; "dev" if unknown
	Revision string // the commit, empty if unknown, with "+changes" if some were not committed
	Date     string // of the commit, RFC 3339, empty if unknown
}

// Get returns the build of the running program.
func Get() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return from(Build{release, revision, date}, info)
}

// from completes what the linker set.
func from(set Build, info *debug.BuildInfo) Build {
	var recorded Build
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			recorded.Revision = s.Value + recorded.Revision
		case "vcs.modified":
			if s.Value == "true" {
				recorded.Revision += "+changes"
			}
		case "vcs.time":
			recorded.Date = s.Value
		}
	}
	b := set
	if b.Revision == "" {
		b.Revision = recorded.Revision
	}
	if b.Date == "" {
		b.Date = recorded.Date
	}
	if b.Version == "" {
		b.Version = info.Main.Version
	}
	if b.Version == "" || b.Version == "(devel)" {
		b.Version = "dev"
	}
	return b
}

// Text returns what a program prints when it is asked for its version: lines without the last
// newline.
func (b Build) Text(program string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s %s", program, b.Version)
	if b.Revision != "" {
		fmt.Fprintf(&s, "\ncommit  %s", b.Revision)
	}
	if b.Date != "" {
		fmt.Fprintf(&s, "\ndate    %s", b.Date)
	}
	fmt.Fprintf(&s, "\ngo      %s %s/%s",
		strings.TrimPrefix(runtime.Version(), "go"), runtime.GOOS, runtime.GOARCH)
	return s.String()
}
