package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/report"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/cmd/internal/memory"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/certificate"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/threat"
)

type certificateFlags struct {
	file   string
	kind   string
	output string
	hands  string
	nodes  uint64
	time   time.Duration
	memory cli.Size // 0: a share of what there is
}

func newCertificate(l cli.Language) *cobra.Command {
	var f certificateFlags
	cmd := &cobra.Command{
		Use:   "certificate [POSITION]",
		Short: l.Text("Write a file by which others can check an answer", "答えを検証できる証明書の出力"),
		Long: l.Text(`Certificate solves a position and writes a certificate of the answer: a text file by which
anybody can check it with the rules of shogi alone, without a search and without trust in
this program. 'tsumero-check FILE' does that; it shares no code with the solver.

The position is taken as by 'tsumero solve': from the arguments, from --file, or else from
standard input; there may be but one.

The kinds:
  auto      of the mate, or of there being none, whichever it is
  mate      the attacker forces mate: a check in each position, for every defence
  nomate    he does not, at any length: a reply to each check
  within:N  he does not in N or fewer plies. With one of a mate in N+2 plies, it shows that
            this is the shortest mate
  length    how many plies the mate takes by convention (policy F2): for each defence the
            continuation, for each futile interposition the capture that shows that it is
            futile, and how the defender lasts as long
  brinkmate:N
            the attacker has a brinkmate (必至) in N attacks or fewer, as 'tsumero threat' finds it: each
            attack, the mate after a pass, and what follows each reply. No piece may be missing

The certificate of a mate is that of the first mate found, which is smaller than that of the
shortest: the length in it is an upper bound.

The exit code is 0 if the certificate is written, 1 if the answer is the other one, 2 if
neither is known after --nodes or --time, and 3 if the position has a fault.`,
			`局面を解いて、答えの証明書を書きます。証明書は、将棋のルールだけで誰でも検証できるテキストです。
tsumero-check が検証します（解図エンジンとは別の、独立に実装したプログラムです）。

局面は一つだけで、solve と同じく、引数、--file、標準入力の順に読みます。

種類：
  auto         詰みか不詰か、答えのほう
  mate         詰み：どの受けにも王手が続く手順
  nomate       不詰：すべての王手への応手（手数の制限なし）
  within:N     N 手以内の不詰。N+2 手の mate と合わせて最短の証明
  length       通例の手数（F2）：受けごとの手順、無駄合を取る手、手数の伸ばし方
  brinkmate:N  攻め手 N 手以内の必至（threat と同じ）。足りない駒は不可

mate は、最短の詰みではなく、最初に見つかった詰みの小さい証明です。手数は上限です。

終了コード：書いた 0、答えが違う 1、--nodes や --time の範囲で不明 2、局面の誤り 3`),
		Example: `  tsumero certificate '4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1' | tsumero-check
  tsumero certificate --kind within:9 --file problem.kif --output problem.cert`,
		RunE: func(cmd *cobra.Command, args []string) error { return writeCertificate(cmd, args, f) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.file, "file", "f", "", l.Text("read the position from `FILE`; - is standard input",
		"局面を読むファイル `FILE`（- は標準入力）"))
	flags.StringVar(&f.kind, "kind", "auto", l.Text("`KIND` of certificate: auto, mate, nomate, within:N, length or brinkmate:N",
		"証明書の種類 `KIND`：auto、mate、nomate、within:N、length、brinkmate:N"))
	flags.StringVarP(&f.output, "output", "o", "-", l.Text("write to `FILE`; - is standard output",
		"出力先のファイル `FILE`（- は標準出力）"))
	handsFlag(l, cmd, &f.hands)
	flags.Uint64Var(&f.nodes, "nodes", 0,
		l.Text("look at no more than `N` positions in each of the two steps, the answer and its certificate "+
			"(0: any number)",
			"答えと証明書のそれぞれで調べる局面の上限 `N`（0 は無制限）"))
	flags.DurationVar(&f.time, "time", 0,
		l.Text("spend no more than `DURATION`, such as 1s or 500ms, in all (0: any)",
			"全体にかける時間 `DURATION`（1s、500ms など。0 は無制限）"))
	flags.Var(&f.memory, "memory",
		l.Text("keep the table of the search within `SIZE`, such as 512M or 4G (default: as for solve)",
			"探索の表の大きさ `SIZE`（512M、4G など。既定は solve と同じ）"))
	command.Complete(cmd, "kind", []string{"auto", "mate", "nomate", "within:", "length", "brinkmate:"})
	return cmd
}

func writeCertificate(cmd *cobra.Command, args []string, f certificateFlags) error {
	kind, plies, err := certificateKind(f.kind)
	most := command.MaxMemory()
	const least = cli.Size(memory.LeastTable)
	switch {
	case err != nil:
		return command.UsageError(cmd, err)
	case len(args) > 0 && f.file != "":
		return command.UsageError(cmd, cli.Errorf("the position comes either as an argument or from --file, not both",
			"局面は引数か --file のどちらか一方です。"))
	case f.time < 0:
		return command.UsageError(cmd, cli.Errorf("--time is %v, but must not be negative",
			"--time の %v は負の数です。", f.time))
	case cmd.Flags().Changed("memory") && (f.memory < least || f.memory > most):
		return command.UsageError(cmd, cli.Errorf("--memory is %v, but must be %v to %v, which is all there is",
			"--memory の %v は範囲外です（%v～%v）。", f.memory, least, most))
	}
	check := command.Check(cmd)
	if check.Choices("hands"); check.Err() != nil {
		return check.Err()
	}
	p, err := command.PositionIn(cmd, args, f.file, f.output)
	if err != nil {
		return err
	}
	attacker, err := solver.Attacker(&p)
	if err != nil {
		return command.Exit(command.ExitBadPosition, err)
	}
	wire.ApplyHands(&p, attacker.Opponent(), f.hands)

	memory.LimitGo()
	_, table := memory.ForJobs(memory.Available(), int64(f.memory), 1, 1)
	s := dfpn.NewSmallSession(int(table))
	ctx := cmd.Context()
	if f.time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.time)
		defer cancel()
	}
	var text bytes.Buffer
	limits := certificate.Limits{Nodes: f.nodes}
	if kind == "auto" || kind == "mate" {
		r := s.Ask(ctx, solver.Question{Position: p, Attacker: attacker,
			Limits: solver.Limits{Nodes: f.nodes, Proof: true}})
		switch {
		case r.Verdict == solver.Unknown:
			err = &certificate.UndecidedError{SFEN: p.SFEN(), Reason: r.Reason}
		case r.Verdict == solver.NoMate && kind == "mate":
			err = errNoMate
		case r.Verdict == solver.NoMate:
			kind = "nomate"
		default:
			err = certificate.Mate(ctx, &text, p, attacker, r.Proof)
		}
	}
	switch {
	case err != nil:
	case kind == "nomate":
		err = certificate.NoMate(ctx, &text, p, attacker, s.Closure(), limits)
	case kind == "within":
		err = certificate.NoMateWithin(ctx, &text, p, attacker, plies, s.Closure(), limits)
	case kind == "brinkmate":
		err = writeBrinkmate(ctx, &text, p, s, threat.Limits{Nodes: f.nodes, Attacks: plies})
	case kind == "length":
		err = certificate.FindLength(ctx, &text, p, attacker, s, limits)
	}
	var undecided *certificate.UndecidedError
	switch {
	case errors.Is(cmd.Context().Err(), context.Canceled):
		return command.Interrupted("no certificate is written", "証明書は出力していません。")
	case errors.Is(err, certificate.ErrMate):
		return command.Exit(command.ExitNegative, cli.Errorf("there is a mate", "詰みがあります。"))
	case errors.Is(err, errNoBrinkmate):
		return command.Exit(command.ExitNegative, err)
	case errors.Is(err, errNoMate), errors.Is(err, certificate.ErrNoMate):
		return command.Exit(command.ExitNegative, errNoMate)
	case errors.As(err, &undecided):
		return command.Exit(exitUnknown, cli.Errorf("%[1]s", "%[2]s は未確認です。%[3]s。", err.Error(), undecided.SFEN,
			report.Why(undecided.Reason).Ja))
	case errors.Is(err, context.DeadlineExceeded):
		return command.Exit(exitUnknown, err)
	case err != nil:
		return err
	case f.output == "-":
		_, err = cmd.OutOrStdout().Write(text.Bytes())
		return err
	}
	return os.WriteFile(f.output, text.Bytes(), 0o644)
}

// writeBrinkmate writes the certificate of a brinkmate in p, if there is one.
func writeBrinkmate(ctx context.Context, w *bytes.Buffer, p shogi.Position, s solver.Session, lim threat.Limits) error {
	r, err := threat.New(s).Brinkmate(ctx, p, lim)
	switch {
	case err != nil:
		return command.Exit(command.ExitBadPosition, err)
	case r.Verdict == threat.Mate:
		return certificate.ErrMate
	case r.Verdict == threat.None:
		return errNoBrinkmate
	case r.Verdict != threat.Brinkmate:
		return &certificate.UndecidedError{SFEN: p.SFEN(), Reason: r.Reason}
	}
	return certificate.Brinkmate(ctx, w, p, r.Plan)
}

// errNoBrinkmate says that there is no certificate because there is no brinkmate.
var errNoBrinkmate = cli.Errorf("there is no brinkmate in so few attacks", "その手数の必至はありません。")

// errNoMate says that there is no certificate because there is no mate.
var errNoMate = cli.Errorf("there is no mate", "詰みはありません。")

// certificateKind reads the flag --kind. plies are attacks of the kind brinkmate.
func certificateKind(text string) (kind string, plies int, err error) {
	kind, number, bounded := strings.Cut(text, ":")
	if bounded {
		plies, err = strconv.Atoi(number)
	}
	switch {
	case !bounded && (kind == "auto" || kind == "mate" || kind == "nomate" || kind == "length"),
		bounded && (kind == "within" || kind == "brinkmate" && plies <= threat.MaxAttacks) && err == nil && plies > 0:
		return kind, plies, nil
	}
	return "", 0, cli.Errorf("--kind is %q, but must be auto, mate, nomate, length, "+
		"within:N, N a number of plies, or brinkmate:N, N a number of attacks",
		"--kind の「%s」は誤りです（auto、mate、nomate、length、within:手数、brinkmate:攻め手の数）。", text)
}
