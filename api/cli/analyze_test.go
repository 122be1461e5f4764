package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/theme"
)

func newAnalyzeOptions() AnalyzeOptions {
	return AnalyzeOptions{
		NewSession: func() solver.Session { return dfpn.NewSession() },
		Workers:    1,
		Question: analysis.Question{Policy: length.F2, Profile: analysis.Magazine,
			Parts: analysis.DefaultParts},
		Format: "text", Language: "en",
	}
}

// One problem has the whole report, several have a line each, however many the arguments looked
// like; and with Full each has its report.
func TestAnalyzeSeveral(t *testing.T) {
	t.Parallel()
	two := headGold + "\n# comment\n" + headGold + "\n"
	for _, c := range []struct {
		input         string
		several, full bool
		format        string
		lines, rules  int // of a summary; reports
	}{
		{headGold, false, false, "text", 0, 1},
		{headGold, true, false, "text", 1, 0},
		{two, false, false, "text", 2, 0},
		{two, true, true, "text", 0, 2},
		{two, false, true, "text", 0, 2},
		{"", false, false, "text", 0, 0},
		{two, false, false, "ndjson", 0, 0},
	} {
		o := newAnalyzeOptions()
		o.Several, o.Full, o.Format = c.several, c.full, c.format
		var out, stderr bytes.Buffer
		tally, err := Analyze(t.Context(), o, Files(strings.NewReader(c.input), FileFormat{}), &out, &stderr, new(Progress))
		n := strings.Count(c.input, "b G")
		if err != nil || tally.Answered != n || tally.Sound != [3]int{0, n, 0} || stderr.Len() > 0 {
			t.Errorf("%+v: %+v, %v, %s", c, tally, err, &stderr)
		}
		text := "\n" + out.String()
		if lines, rules := strings.Count(text, "\n✓ line "), strings.Count(text, "\nrules\n"); lines != c.lines || rules != c.rules {
			t.Errorf("%+v: %d lines and %d reports\n%s", c, lines, rules, &out)
		}
		if got := strings.Count(out.String(), "{\"source\":"); c.format == "ndjson" && got != 2 {
			t.Errorf("%d lines of JSON\n%s", got, &out)
		}
	}
}

// slowInput yields a question, and calls next before there is another.
func slowInput(text string, next func()) iter.Seq2[Question, error] {
	return func(yield func(Question, error) bool) {
		if yield(Question{where: "line 1", line: 1, text: text}, nil) {
			next()
		}
	}
}

// An interrupt prints what is known by then. The rest is open, for that reason, and the error says
// so.
func TestAnalyzeInterrupt(t *testing.T) {
	t.Parallel()
	const long = "nn1S1R3/1L2p+b3/+P8/1L1R1g3/k1S2l3/+nP1G5/3n5/2P2+B3/9 b 2g2sl14p 1"
	for _, format := range []string{"text", "json"} {
		o := newAnalyzeOptions()
		o.Format, o.Full = format, true
		ctx, cancel := context.WithCancel(t.Context())
		stop := time.AfterFunc(300*time.Millisecond, cancel)
		defer stop.Stop()
		var out, stderr bytes.Buffer
		tally, err := Analyze(ctx, o, slowInput(long, func() {}), &out, &stderr, new(Progress))
		if !errors.Is(err, ErrInterrupted) || tally.Interrupted != 1 || tally.Answered != 1 ||
			tally.Sound[analysis.Unknown] != 1 {
			t.Errorf("%+v, %v", tally, err)
		}
		if format == "json" {
			var answer struct{ Sound, Reason string }
			if err := json.Unmarshal(out.Bytes(), &answer); err != nil || answer.Sound != "unknown" ||
				answer.Reason == "" {
				t.Errorf("%v\n%s", err, &out)
			}
		} else if text := out.String(); !strings.Contains(text, "because interrupted") {
			t.Errorf("not said to be cancelled:\n%s", text)
		}
	}
}

// A limit of time ends the analysis of each problem, and what it has found is printed.
func TestAnalyzeTime(t *testing.T) {
	t.Parallel()
	o := newAnalyzeOptions()
	o.Time = time.Nanosecond
	var out, stderr bytes.Buffer
	tally, err := Analyze(t.Context(), o, Arguments([]string{headGold}), &out, &stderr, new(Progress))
	if err != nil || tally.Interrupted != 0 || tally.Sound != [3]int{1, 0, 0} ||
		!strings.Contains(out.String(), "(limit of time)") || !strings.Contains(out.String(), "because the time ran out (--time)") {
		t.Errorf("%+v, %v\n%s", tally, err, &out)
	}
	const summary = "1 problem: 0 sound, 0 with a defect, 1 not decided, 0 faulty; 0 nodes in 2s"
	if got := tally.Summary(English, 2*time.Second); got != summary {
		t.Errorf("%s\nwant %s", got, summary)
	}
}

// A sound problem with an author's line that is not its solution is counted, and does not pass.
func TestAnalyzeLineAtFault(t *testing.T) {
	t.Parallel()
	var out, stderr bytes.Buffer
	o := newAnalyzeOptions()
	o.Several = true
	tally, err := Analyze(t.Context(), o, Arguments([]string{headGold + " moves G*5b", headGold + " moves G*4b"}), &out,
		&stderr, new(Progress))
	text := out.String()
	if err != nil || tally.Sound[analysis.Yes] != 2 || tally.LineAtFault != 1 || strings.Count(text, "✗") != 1 ||
		!strings.Contains(tally.Summary(English, time.Second), "2 sound (the author's line at fault in 1)") {
		t.Errorf("%+v, %v, %s\n%s%s", tally, err, tally.Summary(English, time.Second), text, &stderr)
	}
}

// Each gets every report, and its error ends the run.
func TestAnalyzeEach(t *testing.T) {
	t.Parallel()
	o := newAnalyzeOptions()
	var seen []string
	full := errors.New("disk full")
	o.Each = func(a *analysis.Analysis, at Location) error {
		if seen = append(seen, at.File+a.Position.SFEN()); len(seen) == 2 {
			return full
		}
		return nil
	}
	var out, stderr bytes.Buffer
	_, err := Analyze(t.Context(), o, Arguments([]string{headGold, headGold, headGold}), &out, &stderr, new(Progress))
	if !errors.Is(err, full) || len(seen) != 2 || seen[0] != headGold {
		t.Errorf("%q, %v", seen, err)
	}
}

// How an analysis goes is shown on a line of the terminal, and the line goes away.
func TestAnalysisProgress(t *testing.T) {
	t.Parallel()
	terminal, err := os.Create(filepath.Join(t.TempDir(), "terminal"))
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	w, q := &Progress{terminal: terminal}, &Question{where: "line 2"}
	p := w.analysis(t.Context(), q)
	w.watch(q)
	p.update(analysis.Update{Phase: analysis.PhaseAttack, Done: 3, Total: 7, Nodes: 1000})
	solver.ReporterOf(p.ctx).Report(solver.Progress{Nodes: 500})
	if text := p.text(); !strings.HasPrefix(text, "attack 3 of 7, ") || !strings.HasSuffix(text, "s, 1.50 thousand nodes") {
		t.Error(text)
	}
	solver.ReporterOf(p.ctx).Report(solver.Progress{Nodes: 500, Done: true})
	if text := p.text(); !strings.HasSuffix(text, "s, 1 thousand nodes") {
		t.Error(text)
	}
	for range 100 {
		if seen, _ := os.ReadFile(terminal.Name()); strings.Contains(string(seen), "\rline 2: attack 3 of 7, ") {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	p.stop()
	w.unwatch()
	if seen, _ := os.ReadFile(terminal.Name()); !strings.HasSuffix(string(seen), "\r\x1b[K") ||
		!strings.Contains(string(seen), "\rline 2: attack 3 of 7, ") {
		t.Errorf("%q", seen)
	}
}

// Every sign and sentence that a report may have, with facts made up.
func TestReportSigns(t *testing.T) {
	t.Parallel()
	p := shogi.MustParseSFEN("9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1")
	move := func(s string) shogi.Move {
		m, err := shogi.ParseMove(s)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	exact := length.Exactly
	a := &analysis.Analysis{Position: p, Attacker: shogi.Black, Policy: length.F2,
		Profile: analysis.Magazine, Parts: analysis.DefaultParts, Verdict: solver.Mate,
		Sound: analysis.No, Reason: solver.ReasonNodes,
		Lengths: []analysis.Length{{Policy: length.F0, Interval: length.Interval{Low: 3, High: 5}},
			{Policy: length.F3, Interval: length.Interval{Low: 1, High: length.Unbounded}},
			{Policy: length.F2, Interval: exact(3)}},
		Line: analysis.Line{Moves: []shogi.Move{move("G*5c"), move("5b6a"), move("G*6b")}},
		Attack: []analysis.AttackNode{
			{Place: analysis.Place{Ply: 1, Move: move("G*5c")}, Checks: 8, Fail: 4, Mate: 2, Open: 1, Others: []analysis.OtherCheck{
				{Move: move("5d5c+"), Verdict: solver.Mate, Class: analysis.Cook, Length: exact(5),
					Line: []shogi.Move{move("5d5c+"), move("5b5a")}, Raw: true, Leftover: shogi.Hand(0).Add(shogi.Gold, 2)},
				{Move: move("G*4b"), Verdict: solver.Mate, Class: analysis.CheckUnknown, Length: exact(5), Reason: solver.ReasonNodes},
				{Move: move("G*6c"), Class: analysis.CheckUnknown, Reason: solver.ReasonNodes},
			}},
			{Place: analysis.Place{Ply: 3, Move: move("G*6b")}, Checks: 2, Open: 1, Others: []analysis.OtherCheck{
				{Move: move("G*5b"), Reason: solver.ReasonNodes}}},
		},
		Defence: []analysis.DefenceNode{{Place: analysis.Place{Ply: 2, Move: move("5b6a")}, Replies: []analysis.Reply{
			{Move: move("5b6a"), Kind: analysis.MainReply},
			{Move: move("5b4a"), Kind: analysis.EscapeReply},
			{Move: move("5b5a"), Kind: analysis.ReplyUnknown},
		}}},
		SideMates: []analysis.SideMate{{Variation: analysis.Place{Ply: 2, Move: move("5b4a")}, At: 3,
			Move: move("G*4b"), Line: []shogi.Move{move("5b4a"), move("G*4b")}}},
		Economy: []analysis.IdlePiece{{Square: shogi.SquareAt(shogi.File5, shogi.RankD), Piece: shogi.Pawn, Idle: analysis.Yes},
			{Square: shogi.NoSquare, Piece: shogi.Gold, Idle: analysis.Unknown}},
		Difficulty: &analysis.DifficultyFacts{Class: analysis.Medium, Features: []analysis.Feature{{Name: "quiet", Value: 3}}},
		Themes:     []theme.Found{{Theme: theme.ByID("bare_king")}, {Theme: theme.ByID("sacrifice"), Plies: []int{1, 3}}},
		Rules: []analysis.RuleResult{
			{Rule: analysis.RuleCook, Severity: analysis.Fail, Holds: analysis.No, Places: []analysis.Place{{Ply: 1, Move: move("5d5c+")}}},
			{Rule: analysis.RuleLastMove, Severity: analysis.Note, Holds: analysis.No, Places: []analysis.Place{{Ply: 3, Move: move("G*5b")}}},
			{Rule: analysis.RuleIdle, Severity: analysis.Note, Holds: analysis.Unknown},
			{Rule: analysis.RuleDetour, Severity: analysis.Fail, Holds: analysis.Unknown},
			{Rule: analysis.RuleHands, Severity: analysis.Fail, Holds: analysis.Yes},
		},
		Remaining: []analysis.Place{{Ply: 3, Move: move("G*5b")}, {Ply: 1, Move: move("G*6c")}, {Ply: 1, Move: move("G*4b")}},
	}
	for language, want := range map[string][]string{
		"en": {"\n✗ not sound: cook\n", "\n    1 ✗ G*5c  7 other checks: 4 refuted, 1 cook, 1 mating, not decided how, 1 not decided\n",
			"\n    2 ✗ K-6a  1 escape, 1 not decided\n", "\n    3 ? G*6b  1 other check: 1 not decided\n",
			"\n  ✗ cook at ply 1: P-5c+ also mates (in 5 plies)\n      P-5c+ K-5a (every move counted; 2G left over)\n",
			"\nside mates\n  ply 3: K-4a G*4b\n", "\n  ≈ P 5d: the same without it\n  ? G in hand: not decided\n",
			"\nlengths\n  F0 3–5\n  F2 3\n  F3 1–\n", "\ndifficulty\n  medium, quiet checks: 3\n", "\nthemes: bare king; sacrifice (plies 1, 3)\n",
			"\n  ✗ cook: ply 1 P-5c+\n  ≈ last-move dual: ply 3 G*5b\n  ? detour: not decided\n  ✓ the defender holds all the rest\n\n",
			"\nopen\n  because the nodes ran out (--nodes, --question-nodes)\n  ply 1: G*6c, G*4b\n  ply 3: G*5b\n"},
		"ja": {"\n✗ 不完全：余詰\n", "\n手筋・趣向：裸玉、捨駒（1、3手目）\n", "\n難しさ\n  中編、取りも成りもしない手3\n", "\n    1 ✗ ▲５三金    ほかの王手7：詰まない4、余詰1、詰むが分類は未確認1、未確認1\n",
			"\n      ▲５三歩成 △５一玉（無駄合も含めた手順、金2枚余り）\n", "\n  1手目：▲６三金、▲４二金\n"},
	} {
		var out bytes.Buffer
		buffered := bufio.NewWriter(&out)
		printReport(buffered, &Question{}, &analysed{Analysis: a}, Language(language))
		buffered.Flush()
		for _, text := range want {
			if !strings.Contains(out.String(), text) {
				t.Errorf("%s: no %q in\n%s", language, text, &out)
			}
		}
	}
}
