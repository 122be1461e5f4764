package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/cmd/internal/memory"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
)

type analyzeFlags struct {
	notation string
	after    int
	rules    wire.AnalyzeRules
	scope    wire.AnalyzeScope
	limits   limitFlags
	hands    string

	jobs     int
	output   string
	full     bool
	kif, jkf string
}

func newAnalyze(l cli.Language) *cobra.Command {
	var f analyzeFlags
	records := strings.Replace(recordFiles, "KI2, ", "KI2,\n", 1) // where the line ends
	cmd := &cobra.Command{
		Use:   "analyze [FILE|FOLDER|POSITION|-]...",
		Short: l.Text("Find out whether a mate problem is sound, and why", "完全作かどうかの検討（余詰、変化、手数）"),
		Long: l.Text(`Analyze says of a problem what its author or editor asks: in how many plies the books would
print it, whether it is sound, and if not, where the cook is and how it goes on; what each
reply of the defender comes to; whether pieces are left over.

A problem is a position, as for solve, or a file: positions one a line, or records in `+
			records+`, in UTF-8, Shift_JIS or EUC-JP, recognised by their first lines. In a
folder, at any depth, the files are read whose names end like those of a notation. Without an
argument, and for -, standard input is read. The attacker has to be to move.

The moves that come with a position, in a record or after "moves", are the author's line. The
report says whether it is best play, or where it fails: a longer reply (変長), a shorter mate
(早詰), a reply that escapes (不詰), a move that is illegal or no check, an end without mate.

The length is conventional: futile interpositions (無駄合) are left out by the policy.
  F0  none are: every legal move counts, as in the answers of solve
  F1  only at the end, where nothing but futile drops could answer the check
  F2  a drop that the checking piece takes, after which the defender lasts no longer
  F3  as F2, but any piece may take, with check
--policy chooses one. If the length by F0 differs, the report has both. No drop is called futile
unless that is proven.

Sound means that the problem passes all rules of the profile, and that everything these rules
ask about is decided: every other check at every ply of the main line, and of lines as good for
both sides (変同), is searched for a mate of any length. Of those that stay open the report says
how long a mate by them has to be. Once three cooks are known the problem is not sound, and the
search for more ends, unless --stop asks for all. If pieces are missing, the report begins with
what the problem is if the defender holds them. The profiles are magazine, the custom of magazines; strict, for authors, for whom
everything has to be determined; and app, after the submission rules of a site for phones. They
change no fact, only what is called a defect.

The parts: lengths, all_lengths (under all policies), attack (the attacker's other checks),
defence (the defender's other replies), duals (what each check that mates is), tries (what
refutes the checks that do not mate), side_mates (変別), economy (無駄駒), difficulty, certificate
(see certificate), and themes: searches for those themes (手筋・趣向) that need their own, such as
邪魔駒消去; the others are always there. The usual ones are lengths, attack, defence and duals.

The signs: ✓ as it should be, ≈ worth a word but allowed, ✗ a defect, ? not decided. Of several
problems the text has a line each, unless --full asks for the reports; JSON has all of it. json
is indented, ndjson one object a line; a problem with a fault is an object with the faults.
submission is what goes to a magazine with a problem: the diagram, what the report comes to, the
solution as magazines print it (作意), the variations (変化) and the tries (紛れ), with title and author
if the file names them.
--kif and --jkf write the solution as a record with its variations, for other programs.

What --nodes and --question-nodes leave open depends on nothing but the problem and these
limits: the same question gets the same report. --time does not promise that.

The exit code is 0 if every problem is sound, 1 if at least one has a defect, or an author's line
that is not its solution, 2 if at least one is not decided and 3 if at least one is no problem at all, the highest of these; 4 for wrong
use, 5 if reading or writing failed, and 130 when interrupted. On an interrupt what is known by
then is printed, with the rest as not decided.`,
			`作者や編集者が知りたいことを答えます。通例の手数、完全作かどうか、余詰の場所とその後の手順、玉方の
変化、駒余りの有無です。

作品は、solve と同じ局面か、ファイル（一行一局面、または KIF、KI2、BOD、CSA、JKF などの棋譜）で
す。フォルダでは、棋譜の拡張子のファイルを下の階層まで読みます。引数がないときと - では標準入力を
読みます。手番は攻方です。

局面に付いている指し手（棋譜の手順、moves の後の手）は作意とみなし、最善の手順かどうか、変長、早
詰、不詰、反則手、王手でない手、詰まない終わりなどを指摘します。

手数は通例に従い、無駄合を --policy の定義で除きます。
  F0  除かない（solve の答えと同じ）
  F1  最終手の無駄合だけ
  F2  王手をかけている駒で取って、手数が伸びない合駒
  F3  F2 と同じで、王手になるならどの駒で取ってもよい
F0 の手数が違えば両方を示します。証明できないものは無駄合としません。

完全作とは、基準の規定にすべて適合し、そのための判定がすべて確定した作品です。本手順と変同の各手で、
ほかの王手に詰みがないかを手数の制限なしに探します。未確認の王手については、何手以内に詰まないかを示
します。余詰が三つ見つかれば、--stop all でない限り探索を打ち切ります。駒が足りないときは、玉方が持
つものとした結果を先に示します。基準は、magazine（雑誌の慣例）、strict（作者向け、すべて限
定）、app（スマートフォン向け投稿サイトの規定）です。

項目：lengths（手数）、all_lengths（すべての数え方の手数）、attack（ほかの王手）、defence（ほかの応
手）、duals（余詰の種類）、tries（紛れと逃れ方）、side_mates（変別）、economy（無駄
駒）、difficulty（難しさ）、certificate（証明書）、themes（探索の必要な手筋・趣向。邪魔駒消去など。
ほかの手筋・趣向は常に表示）。既定は lengths、attack、defence、duals です。

記号：✓ 問題なし、≈ 注記（許容）、✗ 欠陥、? 未確認。作品が複数なら一題一行です（--full で全
文）。submission は、図面、検討結果、作意、変化、紛れ、作品名、作者をまとめた投稿用の文面です。
--kif と --jkf は、変化を含む棋譜を書き出します。

--nodes と --question-nodes の制限では、同じ作品の結果は毎回同じです。--time では同じとは限りませ
ん。

終了コード：完全作 0、不完全作・作意の誤り 1、未確認 2、読めない作品 3（大きいもの優先）、中断 130`),
		Example: `  tsumero analyze '9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G2r2b4s4n4l17p 1'
  tsumero analyze problem.kif
  tsumero analyze --profile strict --lang ja --time 1m problem.kif
  tsumero analyze --output ndjson collection/ > reports.ndjson
  tsumero analyze --parts lengths,attack --stop first - < candidates.sfen`,
		RunE: func(cmd *cobra.Command, args []string) error { return analyze(cmd, args, f) },
	}
	flags := cmd.Flags()
	notationFlag(l, cmd, &f.notation)
	flags.IntVar(&f.after, "after", 0,
		l.Text("the problem begins after `N` of the moves that come with the position; the rest are the "+
			"author's line",
			"局面に続く指し手を `N` 手進めた図からの検討。残りの手は作意"))
	command.ChoiceFlag(cmd, &f.rules.Policy, "policy", "", length.Default.String(), policyNames(),
		l.Text("`POLICY` by which interpositions are futile: F0, F1, F2 or F3",
			"手数の数え方 `POLICY`（無駄合の定義）：F0、F1、F2、F3"))
	command.ChoiceFlag(cmd, &f.rules.Profile, "profile", "", analysis.Magazine.Name, profileNames(),
		l.Text("`PROFILE` that says what is a defect: strict, magazine or app",
			"完全作の基準 `PROFILE`：strict、magazine、app"))
	flags.StringSliceVar(&f.scope.Parts, "parts", nil,
		l.Text("`PARTS` of the report, separated by commas (default: lengths,attack,defence,duals)",
			"検討する項目 `PARTS`（コンマ区切り。既定 lengths,attack,defence,duals）"))
	command.ChoiceFlag(cmd, &f.scope.Scope, "scope", "", analysis.ScopeFew.String(), namesOf(analysis.Scopes),
		l.Text(fmt.Sprintf("ask about the attacker's other checks on the `LINES`: few, the main line and up to "+
			"%d equal ones (変同); main, the main line alone; equal, all", analysis.FewEqualLines), fmt.Sprintf("攻方の別の王手を調べる手順 `LINES`：few は本手順と変同%d本まで、main は本手順だけ、equal は全部", analysis.FewEqualLines)))
	stopFlag(l, cmd, &f.scope.Stop)
	f.limits.declare(l, cmd)
	handsFlag(l, cmd, &f.hands)
	flags.StringVar(&f.kif, "kif", "",
		l.Text("write the solution with all variations as a KIF to `OUT`, a file; or a folder, with a file "+
			"for each problem",
			"本手順と全変化の KIF の出力先 `OUT`（ファイル、または一題一ファイルのフォルダ）"))
	flags.StringVar(&f.jkf, "jkf", "", l.Text("write the same as a JKF to `OUT`",
		"同じ内容の JKF の出力先 `OUT`"))
	command.PerProcessorFlag(l, flags, &f.jobs, "jobs",
		l.Text("analyze `N` problems at the same time, at 54MiB each; reports keep the order of the input",
			"同時に検討する作品の数 `N`（一題 54MiB）。報告は入力の順"))
	command.ChoiceFlag(cmd, &f.output, "output", "o", "text", cli.Formats,
		l.Text("`FORMAT` of the reports: text for people; submission, for magazines; json; or ndjson, one object "+
			"a line",
			"出力の形式 `FORMAT`：text（表示用）、submission（投稿用）、json、ndjson（一行一件）"))
	flags.BoolVar(&f.full, "full", false,
		l.Text("print the whole report of each of several problems (text only)",
			"複数の作品でも、報告の全文を表示（text のみ）"))
	command.Complete(cmd, "parts", wire.PartNames())
	return cmd
}

func (f *analyzeFlags) validate(cmd *cobra.Command) error {
	check := command.Check(cmd)
	add := check.Fault
	check.Choices("notation", "policy", "profile", "scope", "stop", "output")
	parts := wire.PartNames()
	for _, part := range f.scope.Parts {
		add(!slices.Contains(parts, part), "--parts has %q, but may have %s",
			"--parts の「%s」は誤りです（%s）。", part, strings.Join(parts, ", "))
	}
	check.Choices("hands")
	check.NotNegative("after", f.after < 0, f.after)
	f.limits.check(cmd, check)
	check.Range("jobs", f.jobs, 1, command.MaxJobs)
	add(f.full && f.output != "text", "--full goes with --output text only",
		"--full は --output text 用です。")
	return check.Err()
}

// stopFlag declares --stop.
func stopFlag(l cli.Language, cmd *cobra.Command, stop *string) {
	command.ChoiceFlag(cmd, stop, "stop", "", analysis.StopSettled.String(), namesOf(analysis.Stops),
		l.Text(fmt.Sprintf("look for `WHAT`: settled, which ends when %d cooks are known; all; or first, which "+
			"ends at the first defect", analysis.SettledCooks), fmt.Sprintf("余詰を探す範囲 `WHAT`：settled は余詰%d件まで、all は全部、first は最初の不完全まで", analysis.SettledCooks)))
}

// namesOf returns the names of all values of a flag.
func namesOf[T fmt.Stringer](all []T) []string {
	names := make([]string, len(all))
	for i, v := range all {
		names[i] = v.String()
	}
	return names
}

func analyze(cmd *cobra.Command, args []string, f analyzeFlags) error {
	if err := f.validate(cmd); err != nil {
		return err
	}
	stdin, stdout, stderr := cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	typed := false // by a person
	if len(args) == 0 {
		if typed = cli.IsTerminal(stdin); typed {
			typePositions(cmd)
		}
		args = []string{cli.Stdin}
	}
	paths, err := cli.FindPaths(args, cli.OutputFiles(f.kif, f.jkf))
	if err != nil {
		return err
	}
	total, positions := paths.Size(), paths.Positions()
	if positions >= 0 {
		total = int64(positions)
		f.jobs = min(f.jobs, max(positions, 1))
	}
	file := cli.FileFormat{Format: notationOf(f.notation)}
	memory.LimitGo()
	o := cli.AnalyzeOptions{
		NewSession: func() solver.Session { return dfpn.NewSession() },
		Workers:    memory.ForAnalyses(memory.Available(), f.jobs),
		Question:   analysis.Question{Nodes: f.limits.nodes, QuestionNodes: f.limits.question},
		After:      f.after,
		Hands:      f.hands,
		Time:       f.limits.time,
		Format:     f.output,
		Language:   command.LanguageOf(cmd),
		Several:    paths.Several(),
		Full:       f.full || typed,
	}
	f.rules.SetTo(&o.Question)
	f.scope.SetTo(&o.Question)
	if f.output == "submission" && f.scope.Parts == nil {
		o.Question.Parts = analysis.DefaultParts | analysis.Tries | analysis.Themes
	}
	if f.kif != "" || f.jkf != "" {
		w := &recordWriter{language: string(command.LanguageOf(cmd)), several: paths.Several(), inputs: paths.Files(),
			outs: map[notation.Format]string{notation.KIF: f.kif, notation.JKF: f.jkf}}
		o.Each = w.write
	}
	// On one terminal, a bar and the reports would overwrite each other.
	alone := !paths.Several() || cli.IsTerminal(stdout)
	start := time.Now()
	tally, err := cli.Analyze(cmd.Context(), o, paths.Questions(stdin, file), stdout, stderr,
		cli.NewProgress(command.LanguageOf(cmd), stderr, total, alone))
	return conclude(cmd, &tally, 2, start, analyzeCode(&tally), err)
}

// analyzeCode returns the exit code for what became of the problems: the highest of theirs.
func analyzeCode(t *cli.AnalyzeTally) int {
	switch {
	case t.Faulty > 0:
		return command.ExitBadPosition
	case t.Sound[analysis.Unknown] > 0:
		return exitUnknown
	case t.Sound[analysis.No]+t.LineAtFault > 0:
		return exitDefect
	}
	return exitSound
}
