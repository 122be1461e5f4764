package main

import (
	"flag"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tsumero/tsumero/cmd/internal/scripttest"
)

var update = flag.Bool("update", false, "rewrite the golden files with what the program prints now")

// programs are what the test binary is when it is started under their names: first of all the
// command itself.
var programs = map[string]func(){"tsumero-lab": main}

func TestMain(m *testing.M) { testscript.Main(m, programs) }

func TestScripts(t *testing.T) { scripttest.Run(t, *update) }
