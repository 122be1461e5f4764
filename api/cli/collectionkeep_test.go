package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
)

// A report is found by the same build for the same question alone, in the file only if it is the same
// each time, and never for another position, whatever the file says.
func TestKeep(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keep")
	var last *Keep
	open := func(build string) *Keep {
		t.Helper()
		if last != nil {
			last.Close()
		}
		k, err := OpenKeep(path, build)
		if err != nil {
			t.Fatal(err)
		}
		last = k
		t.Cleanup(func() { k.Close() })
		return k
	}
	z := analysis.NewAnalyzer(dfpn.NewSession())
	report := func(q *analysis.Question) []byte {
		t.Helper()
		a, err := z.Analyze(context.Background(), *q, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return wire.AppendJSON(nil, wire.NewAnalyzeAnswer(a))
	}
	of := func(sfen string) *analysis.Question {
		return &analysis.Question{Position: shogi.MustParseSFEN(sfen), Attacker: shogi.Black, Policy: length.F2,
			Profile: analysis.Magazine, Parts: analysis.DefaultParts, Nodes: 50_000, QuestionNodes: 2000}
	}
	one, other := of(threePlies), of(otherHand)
	k := open("a")
	for _, q := range []*analysis.Question{one, other} {
		if k.add(q, report(q), q == one); k.find(q) == nil {
			t.Error("what is kept is not found")
		}
	}
	again := open("a")
	if again.find(one) == nil || again.find(other) != nil {
		t.Error("the next run finds what time has ended, or not what is kept")
	}
	if open("b").find(one) != nil {
		t.Error("another build finds the report")
	}
	again = open("a")
	job := &CollectionJob{ID: "x", Server: "here", Keys: []string{again.key(one), again.key(other)}}
	if err := again.addJob(job); err != nil {
		t.Fatal(err)
	}
	again = open("a")
	if old := again.jobFor(&CollectionJob{Server: "here", Keys: job.Keys[1:]}); old == nil || old.ID != "x" {
		t.Errorf("the job is %+v", old)
	}
	for _, j := range []*CollectionJob{{Server: "there", Keys: job.Keys}, {Server: "here", Keys: append(job.Keys, "more")}} {
		if again.jobFor(j) != nil {
			t.Errorf("%+v is taken for the job", j)
		}
	}

	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// A line that was cut off is gone, however long it was.
	if err := os.WriteFile(path, append(whole[:len(whole):len(whole)], strings.Repeat("x", 3<<20)...), 0o600); err != nil {
		t.Fatal(err)
	}
	open("a")
	if text, err := os.ReadFile(path); err != nil || string(text) != string(whole) {
		t.Errorf("%d bytes are left of a line that was cut off, %v", len(text)-len(whole), err)
	}
	changed := strings.Replace(string(whole), `"sound":"`, `"sound" :"`, 1)
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil || changed == string(whole) {
		t.Fatal(err)
	}
	if open("a").find(one) != nil {
		t.Error("a report that was changed in the file is found")
	}
	moved := strings.Replace(string(whole), again.key(one), again.key(other), 1)
	if err := os.WriteFile(path, []byte(moved), 0o600); err != nil {
		t.Fatal(err)
	}
	if open("a").find(other) != nil {
		t.Error("the report on another position is found")
	}
}

// A file that another run has is not written by a second one.
func TestKeepInUse(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keep")
	first, err := OpenKeep(path, "a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenKeep(path, "a"); !errors.Is(err, errKeepInUse) {
		t.Errorf("a second one: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	again, err := OpenKeep(path, "a")
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

// A report that cannot be written is there for the run, and Close says why.
func TestKeepCannotWrite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keep")
	k, err := OpenKeep(path, "a")
	if err != nil {
		t.Fatal(err)
	}
	k.file.Close()
	if k.file, err = os.Open(path); err != nil { // for reading alone
		t.Fatal(err)
	}
	q := &analysis.Question{Position: shogi.MustParseSFEN(threePlies), Attacker: shogi.Black, Policy: length.F2,
		Profile: analysis.Magazine, Parts: analysis.DefaultParts, Nodes: 50_000, QuestionNodes: 2000}
	a, err := analysis.NewAnalyzer(dfpn.NewSession()).Analyze(context.Background(), *q, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if k.add(q, wire.AppendJSON(nil, wire.NewAnalyzeAnswer(a)), true); k.find(q) == nil {
		t.Error("the report is not found")
	}
	if k.Close() == nil {
		t.Error("nobody hears that it was not written")
	}
}
