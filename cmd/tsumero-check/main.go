// Command tsumero-check checks a certificate: a file that says of a shogi position that the attacker
// forces mate, with a check for every defence, that he does not, with a reply to every check, or that
// he has a brinkmate. All it needs for that is the rules of shogi. There is no search in it, and none
// of the code of the programs that write certificates, except what prints the version and finds the
// language; package certificate, which writes them, describes the format.
//
//	tsumero certificate '4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1' | tsumero-check
//
// It reads the file named, or standard input. It prints what is proven and ends with exit code 0,
// or says on standard error why nothing is and ends with 1; 2 is wrong use, or a file that cannot
// be opened. It remembers positions of at most 64 MiB, and refuses a certificate that needs more.
//
// rules.go has the rules, check.go the certificates, texts.go the reasons.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/tsumero/tsumero/cmd/internal/language"
	"github.com/tsumero/tsumero/cmd/internal/version"
)

const (
	usage   = "usage: tsumero-check [--lang ja|en] [CERTIFICATE]\nIt reads standard input if no file is named.\n"
	usageJa = "使い方：tsumero-check [--lang ja|en] [CERTIFICATE]\nファイルの指定がなければ標準入力を読みます。\n"
)

const help = `tsumero-check checks a certificate: a file that says of a shogi position that the attacker forces
mate, or that there is no mate, with a move for every answer. It needs nothing but the rules of
shogi for that. The command "tsumero certificate" writes such files.

` + usage + `
It prints what is proven, or why nothing is. The exit code is 0 if the certificate holds, 1 if it
does not, and 2 for wrong use or a file that cannot be opened.

Flags:
  --help      print this
  --lang ja   say it in Japanese; en: in English (default: as LC_ALL, LC_MESSAGES or LANG say)
  --version   print the version, the commit and its date
`

const helpJa = `tsumero-check は、詰み、または不詰の証明書を検証します。証明書は、相手のすべての手に対する手を書いた
ファイルで、検証には将棋のルールしか使いません。証明書は tsumero certificate で書けます。

` + usageJa + `
証明された内容か、証明にならない理由を表示します。終了コードは、証明になっていれば 0、いなければ 1、
使い方の誤りや開けないファイルは 2 です。

フラグ：
  --help      説明の表示
  --lang ja   日本語での表示。en は英語（既定：LC_ALL、LC_MESSAGES、LANG のうち最初に設定されているもの）
  --version   版、コミット、日付の表示
`

// claimsJa are the words of what is proven in Japanese.
var claimsJa = strings.NewReplacer("black attacks in ", "先手が攻方、", "white attacks in ", "後手が攻方、",
	": mate in ", "：詰み、", ": no mate in ", "：不詰、", ": no mate", "：不詰", ": mate by convention in ", "：通例の手数で詰み、",
	": mate, or brinkmate in ", "：詰みか必至、攻め手", " attacks or fewer", "手以内", " plies or fewer", "手以内", " to ", "～",
	" plies", "手")

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the whole program. It returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	in, isJapanese := stdin, language.Of(args) == "ja"
	text := func(en, ja string) string {
		if isJapanese {
			return ja
		}
		return en
	}
	if i := slices.Index(args, "--lang"); i >= 0 && i+1 < len(args) && (args[i+1] == "ja" || args[i+1] == "en") {
		args = slices.Delete(slices.Clone(args), i, i+2)
	}
	args = slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "--lang=ja" || arg == "--lang=en" })
	switch {
	case len(args) == 1 && (args[0] == "--version" || args[0] == "--help"):
		said := text(help, helpJa)
		if args[0] == "--version" {
			said = version.Get().Text("tsumero-check") + "\n"
		}
		if _, err := io.WriteString(stdout, said); err != nil {
			return 2
		}
		return 0
	case len(args) > 1 || len(args) == 1 && len(args[0]) > 1 && args[0][0] == '-':
		fmt.Fprint(stderr, text(usage, usageJa))
		return 2
	case len(args) == 1 && args[0] != "-":
		file, err := os.Open(args[0])
		if err != nil {
			fmt.Fprintln(stderr, "tsumero-check:", text(err.Error(), args[0]+"："+inJapanese(err)))
			return 2
		}
		defer file.Close()
		in = file
	}
	claim, err := check(in)
	if err != nil {
		fmt.Fprintln(stderr, "tsumero-check:", text("not accepted: "+err.Error(), "証明になっていません："+inJapanese(err)))
		return 1
	}
	if isJapanese {
		claim = claimsJa.Replace(claim)
	}
	if _, err := fmt.Fprintln(stdout, claim); err != nil {
		return 2
	}
	return 0
}
