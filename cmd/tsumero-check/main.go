// Command tsumero-check checks a certificate: a file that says of a shogi position that the attacker
// forces mate, with a check for every defence, that he does not, with a reply to every check, or that
// he has a brinkmate. All it needs for that is the rules of shogi. There is no search in it, and none of the code of the
// programs that write certificates, except what prints the version; package certificate, which
// writes them, describes the format.
//
//	tsumero certificate '4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1' | tsumero-check
//
// It reads the file named, or standard input. It prints what is proven and ends with exit code 0,
// or says on standard error why nothing is and ends with 1; 2 is wrong use, or a file that cannot
// be opened. It remembers positions of at most 64 MiB, and refuses a certificate that needs more.
//
// rules.go has the rules, check.go the certificates.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/tsumero/tsumero/cmd/internal/version"
)

const usage = "usage: tsumero-check [CERTIFICATE]\nIt reads standard input if no file is named.\n"

const help = `tsumero-check checks a certificate: a file that says of a shogi position that the attacker forces
mate, or that there is no mate, with a move for every answer. It needs nothing but the rules of
shogi for that. The command "tsumero certificate" writes such files.

` + usage + `
It prints what is proven, or why nothing is. The exit code is 0 if the certificate holds, 1 if it
does not, and 2 for wrong use or a file that cannot be opened.

Flags:
  --help      print this
  --version   print the version, the commit and its date
`

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the whole program. It returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	in := stdin
	switch {
	case len(args) == 1 && (args[0] == "--version" || args[0] == "--help"):
		text := help
		if args[0] == "--version" {
			text = version.Get().Text("tsumero-check") + "\n"
		}
		if _, err := io.WriteString(stdout, text); err != nil {
			return 2
		}
		return 0
	case len(args) > 1 || len(args) == 1 && len(args[0]) > 1 && args[0][0] == '-':
		fmt.Fprint(stderr, usage)
		return 2
	case len(args) == 1 && args[0] != "-":
		file, err := os.Open(args[0])
		if err != nil {
			fmt.Fprintln(stderr, "tsumero-check:", err)
			return 2
		}
		defer file.Close()
		in = file
	}
	claim, err := check(in)
	if err != nil {
		fmt.Fprintln(stderr, "tsumero-check: not accepted:", err)
		return 1
	}
	if _, err := fmt.Fprintln(stdout, claim); err != nil {
		return 2
	}
	return 0
}
