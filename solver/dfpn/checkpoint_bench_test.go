package dfpn_test

import (
	"context"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/checkpoint/disk"
	"github.com/tsumero/tsumero/solver/dfpn"
)

var (
	longSFEN  = flag.String("checkpoint.sfen", "", "measure checkpoints of a search of this position, which takes long")
	longTable = flag.Int("checkpoint.mib", 1024, "with a table of so many MiB")
	longStops = flag.Int("checkpoint.part", 50, "stopped after so many hundredths of its nodes")
)

// BenchmarkCheckpoint stops one long search, and goes on with it from its checkpoint. It is for
// measuring: nodes of the rest against those that were left, the size of the file, and how long it
// takes to write and to load.
func BenchmarkCheckpoint(b *testing.B) {
	if *longSFEN == "" {
		b.Skip("no -checkpoint.sfen")
	}
	p, err := shogi.ParseSFEN(*longSFEN)
	if err != nil {
		b.Fatal(err)
	}
	so := dfpn.Options{TableBytes: *longTable << 20}
	for range b.N {
		began := time.Now()
		whole := solveWith(context.Background(), nil, so, p, solver.Limits{})
		b.Logf("whole: %v in %d plies, %d nodes, %v", whole.Verdict, len(whole.Line), whole.Nodes, time.Since(began))
		var l keeperLog
		o := l.options(b.TempDir())
		keeper := disk.New(o)
		polls := whole.Nodes * uint64(*longStops) / 100 / nodesOfPoll
		first := solveWith(stopAfter(polls, keeper), keeper, so, p, solver.Limits{})
		if len(l.saved) != 1 {
			b.Fatal(l.errs)
		}
		i := l.saved[0]
		stat, err := os.Stat(i.Path)
		if err != nil {
			b.Fatal(err)
		}
		b.Logf("stopped after %d nodes: %d entries, %d bytes, written in %v", first.Nodes, i.Entries, stat.Size(), i.Took)
		keeper = disk.New(o)
		began = time.Now()
		var loaded time.Duration
		r := solveWith(newHook(func() error {
			if loaded == 0 && keeper.Resumed() {
				loaded = time.Since(began)
			}
			return nil
		}), keeper, so, p, solver.Limits{})
		if err := solver.Verify(p, r, nil); err != nil || !r.Resumed {
			b.Fatal(err, l.errs)
		}
		left := whole.Nodes - first.Nodes
		b.Logf("loaded in %v; %v in %d plies after %d more nodes, %d were left", loaded, r.Verdict, len(r.Line), r.Nodes-first.Nodes, left)
		b.ReportMetric(float64(r.Nodes-first.Nodes)/float64(left), "rest/left")
		b.ReportMetric(float64(stat.Size()), "file-bytes")
	}
}
