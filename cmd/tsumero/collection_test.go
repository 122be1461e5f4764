package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/cmd/internal/command"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/notation"
)

// What the command prints and how it ends.
func TestCollection(t *testing.T) {
	const problem = "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1"
	dir := t.TempDir()
	good := filepath.Join(dir, "good.tsv")
	if err := os.WriteFile(good, []byte(problem+"\t1\n"+problem+"\t1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(t.TempDir(), "nothing")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, args, stdin string
		code              int
		stdout, stderr    string // parts
	}{
		{"a file", good, "", command.ExitOK, "\tduplicate:1\t", "2 problems, 0 faulty, 1 there before, duplicate 1; in "},
		{"a folder, without a search", "--search none " + dir, "", command.ExitOK, "\tt1:4k4/9/4G4/9/9/9/9/9/9:G:rest\t", ""},
		{"standard input", "-o json -", problem, command.ExitOK, `"where":"line 1"`, ""},
		{"no arguments", "--relations all", problem, command.ExitOK, "\tmate\t1\t1\tG*5b\t", ""},
		{"other relations", "--relations contained,same_end " + good, "", command.ExitOK, "G*5b\tnone\t\t\t\tundefended_king minor_pieces\t\t\t", "0 there before"},
		{"those with themes", "--search none --sort themes --themes 無防備図式,minor_pieces " + good, "", command.ExitOK, "\tundefended_king minor_pieces\t", ""},
		{"an unknown theme", "--themes smoke,煙", problem, command.ExitUsage, "", "--themes has \"煙\", which is none"},
		{"a folder by themes", "-o folder --to x --sort themes", problem, command.ExitUsage, "", "--sort does not go with --output folder"},
		{"a report", "--search report --profile strict --policy F1 " + good, "", command.ExitOK, "\tyes\t0\t0\t", ""},
		{"a sheet", "-o html --title <b> --lang en --paper B5 --per-page 2 --solutions none " + good, "", command.ExitOK,
			"<h1>&lt;b&gt;</h1>", ""},
		{"a sheet with a fault", "-o html --lang ja", problem + "\nnonsense", command.ExitBadPosition, "まで１手詰", "誤り1"},
		{"a sheet without paper", "-o html --paper A9 --per-page 5", problem, command.ExitUsage, "", "--paper is \"A9\", but must be one of A4, B5, Letter"},
		{"paper without a sheet", "--paper A4", problem, command.ExitUsage, "", "--paper is for --output html alone"},
		{"a title of a list", "--title x", problem, command.ExitUsage, "", "--title is for --output html and folder alone"},
		{"a fault", "-", "nonsense", command.ExitBadPosition, "\terror\t", "1 problem, 1 faulty"},
		{"a file that is not there", filepath.Join(dir, "none.sfen"), "", command.ExitBadPosition, "no such file", ""},
		{"an empty folder", empty, "", command.ExitUsage, "", "there is no file of a notation"},
		{"empty input", "", "", command.ExitUsage, "", "no position was given"},
		{"flags that mean nothing", "--search far --output xml --relations uncle --policy F9 --profile lax --nodes 0 x", "", command.ExitUsage, "",
			"--policy is \"F9\", but must be one of F0, F1, F2, F3\n"},
	} {
		var out, errs bytes.Buffer
		code := run(context.Background(), append([]string{"collection"}, strings.Fields(c.args)...),
			strings.NewReader(c.stdin), &out, &errs)
		if code != c.code || !strings.Contains(out.String(), c.stdout) || !strings.Contains(errs.String(), c.stderr) {
			t.Errorf("%s: code %d, want %d\n%s\n%s", c.name, code, c.code, out.String(), errs.String())
		}
	}
}

// Of nothing no sheet is written, wherever it comes from.
func TestCollectionOfNothing(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.sfen")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{"-", empty} {
		code, stdout, stderr := tsumero(t.Context(), "", "collection", "-o", "html", from)
		if code != command.ExitUsage || stdout != "" || !strings.Contains(stderr, "no position was given") {
			t.Errorf("%s: code %d, %.40q, %s", from, code, stdout, stderr)
		}
	}
}

// A sheet says of each problem what is known of it: the length by convention, the bounds where that is
// open, what the record says where nothing was asked, and what is wrong with it.
func TestCollectionSheet(t *testing.T) {
	const (
		drawnOut = "k8/pp+P6/9/9/9/9/9/9/4R4 b r2b4g4s4n4l15p 1"
		leftOver = "4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1"
		cooked   = "5+P1k1/9/5+rB2/9/9/9/9/9/9 b RPb4g4s4n4l16p 1"
		noMate   = "7nk/9/7G1/9/9/9/9/9/9 b P2r2b3g4s3n4l17p 1"
	)
	record := filepath.Join(t.TempDir(), "record.kif")
	start := shogi.MustParseSFEN(drawnOut)
	move, err := shogi.ParseMove("5i5a+")
	if err != nil {
		t.Fatal(err)
	}
	text := notation.NewRecord(start, []shogi.Move{move}, notation.Mated).AppendKIF(nil)
	if err := os.WriteFile(record, append([]byte("作者：某\n"), bytes.Replace(text, []byte("手数：1\n"), nil, 1)...), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args, stdin string
		want        []string
	}{
		{"--search line -", drawnOut, []string{"1手詰", "５一飛成 まで１手詰"}},
		{"--search none -", drawnOut, []string{"手順は不明"}},
		{"--search none " + record, "", []string{"1手詰", "某作", "５一飛成 まで１手詰"}},
		{"--search report -", cooked, []string{"7手詰", "余詰（打ち場所、9手）</span> 1手目 ２三飛、３二玉"}},
		{"--search report --lang en -", leftOver, []string{"Mate in 1", "a gold is always left over"}},
		{"--search line -", noMate, []string{"不詰", "詰まない"}},
		{"--search line --nodes 1 " + record, "", []string{"1手詰（未確認）"}},
		{"--search line --relations duplicate -", cooked + "\n" + cooked, []string{"似た問題", "1と同一"}},
	} {
		code, page, stderr := tsumero(t.Context(), c.stdin, append([]string{"collection", "-o", "html", "--lang", "ja"}, strings.Fields(c.args)...)...)
		if code != command.ExitOK {
			t.Errorf("%s: code %d\n%s", c.args, code, stderr)
		}
		page = regexp.MustCompile("(?s)<svg.*?</svg>|.*<main>").ReplaceAllString(page, "")
		page = regexp.MustCompile("<span>([^<]*)</span>").ReplaceAllString(page, "$1")
		for _, part := range c.want {
			if !strings.Contains(page, part) {
				t.Errorf("%s: no %s in\n%s", c.args, part, page)
			}
		}
		for _, part := range []string{"不完全：余詰", "not sound", "手順は不明"} {
			if part == "手順は不明" && c.stdin != noMate {
				continue
			}
			if strings.Contains(page, part) {
				t.Errorf("%s: %s is said though the page says it better\n%s", c.args, part, page)
			}
		}
	}
}

// An interrupt prints what is there, even while the input is open.
func TestCollectionInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	in, feed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer feed.Close()
	if _, err := feed.WriteString("4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1\n"); err != nil {
		t.Fatal(err)
	}
	out := &signalling{cancel: cancel}
	var errs bytes.Buffer
	code := run(ctx, []string{"collection", "--search", "none", "-"}, in, out, &errs)
	if code != command.ExitInterrupted || !strings.Contains(out.String(), "t1:4k4") ||
		!strings.Contains(errs.String(), "1 problem printed") {
		t.Errorf("code %d\n%s\n%s", code, out.String(), errs.String())
	}
}

// signalling is a buffer that interrupts at the first write.
type signalling struct {
	bytes.Buffer
	cancel context.CancelFunc
}

func (s *signalling) Write(p []byte) (int, error) {
	s.cancel()
	return s.Buffer.Write(p)
}

// TestCollectionByPlies: the shortest comes first, and what has no length last.
func TestCollectionByPlies(t *testing.T) {
	t.Parallel()
	const three, one = "7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1", "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1"
	var out, errs bytes.Buffer
	run(context.Background(), []string{"collection", "--sort", "plies"}, strings.NewReader(three+"\nnonsense\n"+one), &out, &errs)
	var numbers []string
	for row := range strings.Lines(out.String()) {
		if number, _, _ := strings.Cut(row, "\t"); number >= "1" && number <= "9" {
			numbers = append(numbers, number)
		}
	}
	if got := strings.Join(numbers, " "); got != "3 1 2" {
		t.Errorf("%s, want 3 1 2\n%s%s", got, out.String(), errs.String())
	}
}
