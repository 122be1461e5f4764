package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/deploy/licenses"
)

// version is the release the binary was built from. A release build sets it with -ldflags "-X
// main.version=v1.2.3".
var version string

// build is what is known of where the binary comes from.
type build struct {
	version  string // "dev" if unknown
	revision string // the commit, empty if unknown, with "+changes" if some were not committed
	time     string // of the commit, RFC 3339, empty if unknown
}

// buildInfo returns what the linker and the go command recorded.
func buildInfo() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return buildFrom(version, info)
}

func buildFrom(version string, info *debug.BuildInfo) build {
	b := build{version: version}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.revision = s.Value + b.revision
		case "vcs.modified":
			if s.Value == "true" {
				b.revision += "+changes"
			}
		case "vcs.time":
			b.time = s.Value
		}
	}
	if b.version == "" {
		b.version = info.Main.Version
	}
	if b.version == "" || b.version == "(devel)" {
		b.version = "dev"
	}
	return b
}

func (b build) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "tsumero %s", b.version)
	if b.revision != "" {
		fmt.Fprintf(&s, "\ncommit  %s", b.revision)
	}
	if b.time != "" {
		fmt.Fprintf(&s, "\ndate    %s", b.time)
	}
	fmt.Fprintf(&s, "\ngo      %s %s/%s",
		strings.TrimPrefix(runtime.Version(), "go"), runtime.GOOS, runtime.GOARCH)
	return s.String()
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and where it was built from",
		Args:  positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), buildInfo())
			return err
		},
	}
}

func newLicenses() *cobra.Command {
	return &cobra.Command{
		Use:   "licenses",
		Short: "Print the licences of everything the program is made of",
		Args:  positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), licenses.Text)
			return err
		},
	}
}
