package memory

import (
	"math"
	"testing"
)

const MiB = 1 << 20

// The shares are those of the table in the package comment, and all of them together leave room for
// the rest in what a container has for Go. Expected values are computed by hand: 238 MiB, for
// example, are 1,000,000,000 / 4 = 250,000,000 bytes = 238.4 MiB.
func TestShares(t *testing.T) {
	for _, c := range []struct {
		available, tables, cache int64
		batches, connections     int
	}{
		{1, 24, 4, 1, 1}, // all at their least
		{LeastForService, 24, 7, 3, 195},
		{64_000_000, 24, 7, 3, 195},
		{64 * MiB, 24, 8, 4, 204},
		{100 * MiB, 37, 12, 6, 320},
		{128 * MiB, 48, 16, 8, 409},
		{171 * MiB, 64, 21, 10, 547},
		{256 * MiB, 64, 32, 16, 819},
		{257 * MiB, 64, 32, 16, 822},
		{260 * MiB, 65, 32, 16, 832},
		{512 * MiB, 128, 64, 16, 1638},
		{1_000_000_000, 238, 64, 16, 3051},
		{16 << 30, 4096, 64, 16, 10_000},
		{1 << 40, 4096, 64, 16, 10_000},
		{Unlimited, 64, 64, 16, 10_000},
	} {
		tables, cache := ForTables(c.available), ForCache(c.available)
		if tables != c.tables*MiB || cache != c.cache*MiB {
			t.Errorf("of %d: %d for tables, %d for answers; want %d and %d MiB",
				c.available, tables, cache, c.tables, c.cache)
		}
		if n := Batches(c.available, 4); n != c.batches {
			t.Errorf("of %d: %d batches, want %d", c.available, n, c.batches)
		}
		if n := Connections(c.available, math.MaxUint64); n != c.connections {
			t.Errorf("of %d: %d connections, want %d", c.available, n, c.connections)
		}
		if rest := ForGo(c.available) - tables - cache; rest < 14*MiB && c.available > 1 {
			t.Errorf("of %d only %d are left", c.available, rest)
		}
	}
	if n := Batches(64*MiB, 1); n != 4 {
		t.Errorf("%d batches with one processor", n)
	}
	if LeastForTables != 24*MiB {
		t.Errorf("at least %d for tables; want 4+6 for a short search and 8+6 for a long one",
			LeastForTables)
	}
}

// A quarter of the memory is for analyses, at 32 + 6 + 16 MiB each, and where one does not fit there
// are none. With all other shares there is room for the rest.
func TestAnalyses(t *testing.T) {
	for _, c := range []struct {
		available  int64 // in MiB
		processors int
		want       int
	}{
		{1, 4, 0}, {128, 4, 0}, {215, 4, 0}, {216, 4, 1}, {431, 4, 1}, {432, 4, 2}, {432, 1, 1}, {432, 3, 1},
		{512, 64, 2}, {1 << 20, 64, 32}, {1 << 20, 1, 1}, {Unlimited / MiB, 8, 4},
	} {
		n := Analyses(c.available*MiB, c.processors)
		if n != c.want {
			t.Errorf("%d analyses of %d MiB with %d processors, want %d", n, c.available, c.processors, c.want)
		}
		available := c.available * MiB
		if rest := ForGo(available) - ForTables(available) - ForCache(available) - int64(n)*54*MiB; n > 0 && rest < 40*MiB {
			t.Errorf("of %d MiB only %d are left", c.available, rest/MiB)
		}
	}
	if AnalysisBytes != 54*MiB {
		t.Errorf("an analysis takes %d", AnalysisBytes)
	}
}

// Those of jobs have what is left of the quarter.
func TestJobAnalyses(t *testing.T) {
	for _, c := range []struct {
		available        int64 // in MiB
		analyses, places int
		want             int
	}{
		{256, 1, 1, 0}, {431, 1, 1, 0}, {432, 1, 1, 1}, {432, 1, 4, 1}, {1 << 20, 32, 3, 3}, {1024, 4, 4, 0}, {64, 0, 1, 0},
		{Unlimited / MiB, 1, 2, 2},
	} {
		if n := JobAnalyses(c.available*MiB, c.analyses, c.places); n != c.want {
			t.Errorf("%+v: %d", c, n)
		}
	}
}

// An eighth of the memory is for searches for a move, at 32 MiB each, and with analyses there is
// room for the rest.
func TestPlays(t *testing.T) {
	for _, c := range []struct {
		available  int64 // in MiB
		processors int
		want       int
	}{
		{1, 4, 0}, {255, 4, 0}, {256, 4, 1}, {512, 1, 1}, {512, 4, 2}, {1 << 20, 64, 32},
		{Unlimited / MiB, 8, 4},
	} {
		n := Plays(c.available*MiB, c.processors)
		if n != c.want {
			t.Errorf("%d searches of %d MiB with %d processors, want %d", n, c.available, c.processors, c.want)
		}
		available := c.available * MiB
		both := int64(n)*PlayBytes + int64(Analyses(available, c.processors))*AnalysisBytes
		if rest := ForGo(available) - ForTables(available) - ForCache(available) - both; n > 0 && rest < 40*MiB {
			t.Errorf("of %d MiB only %d are left", c.available, rest/MiB)
		}
	}
}

// The analyze command has half of the memory for its analyses, and one there must be.
func TestForAnalyses(t *testing.T) {
	for _, c := range []struct {
		available  int64 // in MiB
		jobs, want int
	}{
		{1, 4, 1}, {215, 4, 1}, {216, 4, 2}, {1024, 4, 4}, {1024, 64, 9}, {Unlimited / MiB, 8, 8},
	} {
		if n := ForAnalyses(c.available*MiB, c.jobs); n != c.want {
			t.Errorf("%d of %d analyses at once of %d MiB, want %d", n, c.jobs, c.available, c.want)
		}
	}
}

// Connections also need open files, some of which are for other things.
func TestConnections(t *testing.T) {
	for files, want := range map[uint64]int{
		1 << 20: 10_000, 10_100: 10_000, 10_099: 9_999, 1024: 924, 201: 101, 200: 100, 64: 32, 1: 1,
	} {
		if got := Connections(24<<30, files); got != want {
			t.Errorf("%d files: %d, want %d", files, got, want)
		}
	}
}

// However the memory is divided, no more than there is is promised, and what was given is kept.
func TestDivide(t *testing.T) {
	for _, c := range []struct {
		given       Searches // in MiB
		processors  int
		short, long int
		table       int64
	}{
		{Searches{Total: 24}, 4, 1, 1, 8},  // the least: 10 + 14
		{Searches{Total: 64}, 1, 1, 1, 48}, // 64 - 10 - 6
		{Searches{Total: 64}, 4, 3, 1, 28}, // half of 64 has room for 3 short ones; 64 - 30 - 6
		{Searches{Total: 128}, 4, 4, 3, 23},
		{Searches{Total: 128}, 64, 6, 3, 16}, // 68 have room for 3 with 16 + 6, which leaves 22 each
		{Searches{Total: 4096}, 64, 64, 63, 48},
		{Searches{Total: 1024, Long: 1}, 4, 4, 1, 978},
		{Searches{Total: 1024, LongTable: 256}, 8, 8, 3, 256},
		{Searches{Total: 1024, Short: 1, Long: 2, LongTable: 256}, 8, 1, 2, 256},
	} {
		c.given.Total *= MiB
		c.given.LongTable *= MiB
		got := c.given.Divide(c.processors)
		want := Searches{Total: c.given.Total, Short: c.short, Long: c.long, LongTable: c.table * MiB}
		if got != want {
			t.Errorf("%+v is divided as %+v, want %+v", c.given, got, want)
		}
		if got.NeedShort()+got.NeedLong() > got.Total {
			t.Errorf("%+v: more than there is", got)
		}
	}
	// What does not fit is for the caller to refuse: 100 short searches take 100 * 10 MiB.
	s := Searches{Total: 64 * MiB, Short: 100}.Divide(4)
	if s.NeedShort() != 1000*MiB || s.Long != 1 || s.NeedLong() != 14*MiB {
		t.Errorf("%+v takes %d and %d", s, s.NeedShort(), s.NeedLong())
	}
}

// The store has an eighth, 32 MiB at least, as far as the least tables of questions and of each slot are
// left: 24 MiB each.
func TestForStore(t *testing.T) {
	for _, c := range []struct {
		tables int64 // in MiB
		slots  int
		want   int64 // in MiB
	}{
		{24, 0, 0}, {48, 1, 0}, {64, 1, 16}, {64, 0, 32}, {96, 1, 32}, {128, 1, 32}, {256, 1, 32}, {256, 9, 16},
		{512, 1, 64}, {1024, 1, 128}, {4096, 7, 128}, {1 << 20, 7, 128},
	} {
		share := ForStore(c.tables*MiB, c.slots)
		if share != c.want*MiB {
			t.Errorf("of %d MiB with %d slots: %d MiB, want %d", c.tables, c.slots, share/MiB, c.want)
		}
		if c.slots == 0 || c.tables < 48 {
			continue
		}
		jobs := DivideJobs(c.tables*MiB-share, c.slots, 2).Total
		if left := c.tables*MiB - share - jobs; left < LeastForTables {
			t.Errorf("of %d MiB with %d slots: the store has %d, jobs %d, and questions %d", c.tables, c.slots,
				share, jobs, left)
		}
	}
}

// Jobs have half of the memory for tables, and a place takes 10 MiB and 14 at least.
func TestDivideJobs(t *testing.T) {
	for _, c := range []struct {
		total              int64 // in MiB
		places, processors int
		want               JobShare // in MiB
	}{
		{24, 0, 1, JobShare{24, 1, 1, 8}}, // the least
		{48, 0, 8, JobShare{24, 1, 1, 8}},
		{64, 0, 8, JobShare{32, 1, 1, 16}},
		{128, 0, 2, JobShare{64, 1, 1, 48}},
		{256, 0, 2, JobShare{128, 1, 3, 33}},
		{128, 0, 8, JobShare{64, 2, 2, 16}}, // 64 have room for 2 with 10 + 16 + 6
		{4096, 0, 8, JobShare{2048, 7, 10, 191}},
		{4096, 4, 8, JobShare{2048, 4, 7, 280}},
		{64, 3, 2, JobShare{72, 3, 3, 8}}, // more than half, as it was asked for
	} {
		got := DivideJobs(c.total*MiB, c.places, c.processors)
		c.want.Total, c.want.Table = c.want.Total*MiB, c.want.Table*MiB
		if got != c.want {
			t.Errorf("%d MiB, %d places, %d processors: %+v, want %+v", c.total, c.places, c.processors, got, c.want)
		}
		if need := int64(got.Slots)*10*MiB + int64(got.Long)*(got.Table+6*MiB); need > got.Total {
			t.Errorf("%+v takes %d", got, need)
		}
	}
}

// A worker has all processors and all of the memory for tables, which is five eighths of the machine's,
// and in what those leave of seven eighths it analyses, at 54 MiB each.
func TestDivideWorker(t *testing.T) {
	for _, c := range []struct{ available, tables, analyses int64 }{
		{1, 24, 0}, {64 * MiB, 40, 0}, {212 * MiB, 132, 0}, {216 * MiB, 135, 1}, {1024 * MiB, 640, 4}, {Unlimited, 64, 8},
	} {
		tables := ForWorker(c.available)
		if n := WorkerAnalyses(c.available, tables, 8); tables != c.tables*MiB || n != int(c.analyses) {
			t.Errorf("of %d: %d MiB and %d analyses, want %d and %d", c.available, tables/MiB, n, c.tables, c.analyses)
		}
	}
	if n := WorkerAnalyses(1024*MiB, 870*MiB, 8); n != 0 {
		t.Errorf("%d analyses in 26 MiB", n)
	}
	if n := WorkerAnalyses(1024*MiB, 100*MiB, 2); n != 2 {
		t.Errorf("%d analyses at 2 places", n)
	}
	for _, c := range []struct {
		total              int64
		places, processors int
		want               JobShare
	}{
		{24, 0, 1, JobShare{24, 1, 1, 8}},
		{48, 0, 8, JobShare{48, 1, 1, 32}},
		{768, 0, 2, JobShare{768, 2, 5, 143}},
		{768, 3, 2, JobShare{768, 3, 6, 117}},
	} {
		got := DivideWorker(c.total*MiB, c.places, c.processors)
		c.want.Total, c.want.Table = c.want.Total*MiB, c.want.Table*MiB
		if got != c.want {
			t.Errorf("%d MiB, %d places, %d processors: %+v, want %+v", c.total, c.places, c.processors, got, c.want)
		}
	}
}

// What is given is for tables alone; what is chosen has room for what is besides them.
func TestForJobs(t *testing.T) {
	for _, c := range []struct {
		available, tables, jobs, threads int64 // the first two in MiB
		searches                         int
		table                            int64 // in bytes
	}{
		{1024, 0, 1, 1, 1, 250 * MiB}, // 256 - 6
		{1024, 0, 4, 1, 4, 58 * MiB},  // 64 - 6
		{1024, 0, 4, 3, 4, 46 * MiB},  // 64 - 3 * 6
		{1024, 0, 100, 1, 36, 256*MiB/36 - 6*MiB},
		{64, 0, 9, 1, 3, 2 * MiB},         // 24 / (1 + 6) = 3; 8 - 6
		{64, 0, 1, 100, 1, 1 * MiB},       // one search there must be
		{1024, 512, 4, 3, 4, 128 * MiB},   // of what is given, all is for tables
		{1024, 3, 8, 1, 3, 1 * MiB},       // never more tables than fit
		{1024, 7, 2, 1, 2, 3*MiB + MiB/2}, // not rounded
	} {
		n, table := ForJobs(c.available*MiB, c.tables*MiB, int(c.jobs), int(c.threads))
		if n != c.searches || table != c.table {
			t.Errorf("%+v: %d searches with %d bytes", c, n, table)
		}
	}
}

// The table leaves room in the machine, and in a small container for the rest of the engine.
func TestForEngine(t *testing.T) {
	for machine, want := range map[int64]int64{
		32 * MiB: 1 * MiB, 64 * MiB: 32 * MiB, 128 * MiB: 96 * MiB, 4096 * MiB: 3072 * MiB, Unlimited: 0,
	} {
		if got := ForEngine(machine); got != want {
			t.Errorf("%d of %d, want %d", got, machine, want)
		}
	}
}
