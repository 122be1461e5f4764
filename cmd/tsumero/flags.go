package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/length"
)

// The flags that several commands have.

func notationFlag(l cli.Language, cmd *cobra.Command, p *string) {
	command.ChoiceFlag(cmd, p, "notation", "", "auto", cli.FormatNames,
		l.Text("`NOTATION` of the files: "+
			strings.Replace(notation.List(cli.FormatNames, "or"), "kif", "kif (also BOD)", 1), "ファイルの形式 `NOTATION`："+strings.Replace(strings.Join(cli.FormatNames, "、"), "kif", "kif（BOD も可）", 1)))
}

// notationOf returns what --notation names, or the zero value for auto.
func notationOf(name string) notation.Format {
	format, _ := notation.ParseFormat(name)
	return format
}

// recordFiles are the notations of files that are recognised by their first lines.
var recordFiles = notation.List(notation.Titles(), "or")

func afterFlag(l cli.Language, cmd *cobra.Command, p *int, take string) {
	cmd.Flags().IntVar(p, "after", 0, l.Text("of a file in "+notation.WithMoves()+", "+take+
		" the position after `N` moves of its main line",
		"棋譜の本譜を `N` 手進めた局面から"))
}

func handsFlag(l cli.Language, cmd *cobra.Command, p *string) {
	command.ChoiceFlag(cmd, p, "hands", "", "", cli.Hands,
		l.Text("`WHO` holds the pieces that are missing: as_given, nobody; complete, the defender, as printed "+
			"diagrams mean it (残り全部) (default: nobody)",
			"足りない駒の持ち主 `WHO`：as_given はなし、complete は玉方（残り全部）（既定：なし）"))
}

// limitFlags are the limits of a report. Their defaults are those of package analysis for every command,
// as they are those of the API and of jobs: what a problem is must not depend on who asks.
type limitFlags struct {
	nodes, question uint64
	time            time.Duration
}

func (f *limitFlags) declare(l cli.Language, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Uint64Var(&f.nodes, "nodes", analysis.DefaultNodes,
		l.Text("look at no more than `N` positions for each problem, of which each phase has its part; with "+
			"--time the default is a million for each second, if that is more",
			"一題に調べる局面の上限 `N`（--time があれば、多い場合は1秒につき100万）"))
	flags.Uint64Var(&f.question, "question-nodes", 0,
		l.Text(fmt.Sprintf("look at no more than `N` positions for each question about a problem, such as "+
			"whether a check mates (default: %d, and more for the last few as far as --nodes suffice)",
			analysis.DefaultQuestionNodes), fmt.Sprintf("王手一つなど、一つの問いに調べる局面の上限 `N`（既定 %d、最後の数件は --nodes の残りまで）", analysis.DefaultQuestionNodes)))
	flags.DurationVar(&f.time, "time", 0,
		l.Text("spend no more than `DURATION`, such as 10s or 1m, on each problem (0: any)",
			"一題にかける時間 `DURATION`（10s、1m など。0 は無制限）"))
}

// check adds what is wrong with them, and completes them.
func (l *limitFlags) check(cmd *cobra.Command, check *command.Checks) {
	check.Fault(l.nodes == 0, "--nodes must be at least 1", "--nodes は 1 以上です。")
	check.Fault(l.question == 0 && cmd.Flags().Changed("question-nodes"), "--question-nodes must be at least 1",
		"--question-nodes は 1 以上です。")
	check.NotNegative("time", l.time < 0, l.time)
	if !cmd.Flags().Changed("nodes") {
		l.nodes = max(l.nodes, uint64(max(l.time, 0)/time.Microsecond))
	}
	l.question = min(l.question, l.nodes)
}

// typePositions says on a terminal what is waited for.
func typePositions(cmd *cobra.Command) {
	fmt.Fprintln(cmd.ErrOrStderr(), command.LanguageOf(cmd).Text("Type positions, one a line; Ctrl-D ends.",
		"局面を一行に一つ入力してください（Ctrl-D で終了）。"))
}

// policyNames are the policies by which interpositions are futile.
func policyNames() (names []string) {
	for _, p := range length.Policies {
		names = append(names, p.String())
	}
	return names
}

// profileNames are the profiles that say what is a defect.
func profileNames() (names []string) {
	for _, p := range analysis.Profiles {
		names = append(names, p.Name)
	}
	return names
}
