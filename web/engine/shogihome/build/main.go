// Build makes the engine for the web version of ShogiHome in a folder:
//
//	go run ./web/engine/shogihome/build [-version v1.2.3] FOLDER
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/tsumero/tsumero/web/engine/shogihome"
)

func main() {
	version := flag.String("version", "", "the release, such as v1.2.3")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: build [-version v1.2.3] FOLDER")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := shogihome.Build(flag.Arg(0), *version); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}
