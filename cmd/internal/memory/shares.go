package memory

import "math"

// BesidesTable is what a search keeps besides its table for each of its threads. The proof of a
// mate is not in it: a search keeps an eighth of the memory for its table, its TableBytes, for
// that.
const BesidesTable = 6 << 20

// The table of a short search of the service. It has few nodes, for which this is large enough.
const (
	ShortTable = 4 << 20
	shortTotal = ShortTable + BesidesTable
)

// The table of a long search of the service.
const (
	LeastLongTable = 8 << 20
	goodLongTable  = 16 << 20 // no long search is added that would have less
)

// LeastTable is the least table of a search of the solve command or of the engine.
const LeastTable = 1 << 20

// The bounds of ForTables.
const (
	LeastForTables = shortTotal + LeastLongTable + BesidesTable // one short and one long search
	UsualForTables = 64 << 20
	mostForTables  = 4 << 30
)

// LeastForService is what the service needs to start with all its shares at their least: 64 MB.
const LeastForService = 61 << 20

// The bounds of the memory for the cache.
const (
	leastForCache = 4 << 20
	MostForCache  = 64 << 20
)

// A connection that was asked something and is idle takes 30 KB of stacks and buffers, measured
// with 9,000 of them, and what the kernel keeps for it.
const (
	connectionBytes = 40 << 10
	MostConnections = 10_000
)

// spareFiles are open files that are no connections of clients.
const spareFiles = 100

// batchBytes is how much of the available memory there must be for each batch.
const batchBytes = 16 << 20

// mib rounds down to whole MiB, which is exact enough for a share.
func mib(n int64) int64 { return n >> 20 << 20 }

// ForTables returns the share of the searches: their tables, with what they keep besides.
func ForTables(available int64) int64 {
	if available == Unlimited {
		return UsualForTables
	}
	share := min(max(available/4, UsualForTables), mostForTables)
	return max(mib(min(share, available/8*3)), LeastForTables)
}

// ForCache returns the share of the cache of answers.
func ForCache(available int64) int64 {
	return min(max(mib(available/8), leastForCache), MostForCache)
}

// Batches returns how many batches may run at the same time.
func Batches(available int64, processors int) int {
	return int(min(max(available/batchBytes, 1), 4*int64(processors)))
}

// AnalysisBytes is what an analysis takes: the table of its session, what a search keeps besides,
// and the lengths it remembers. The sizes are fixed, since what is found within a limit of nodes
// depends on them.
const AnalysisBytes = 32<<20 + BesidesTable + 16<<20

// Analyses returns how many analyses may run at the same time: none where the memory is too small.
func Analyses(available int64, processors int) int {
	return int(min(available/4/AnalysisBytes, max(1, int64(processors)/2)))
}

// JobAnalyses returns how many analyses of jobs run at the same time besides those of questions, at
// most one at each slot: as many as still fit into the same quarter.
func JobAnalyses(available int64, analyses, slots int) int {
	return int(max(0, min(int64(slots), available/4/AnalysisBytes-int64(analyses))))
}

// PlayBytes is what a search for a move takes: its table, that of the search for mates in it, and
// what the engine keeps besides, measured by a test of the service. The size is fixed for the same
// reason.
const PlayBytes = 32 << 20

// Plays returns how many searches for a move may run at the same time: none where the memory is too
// small.
func Plays(available int64, processors int) int {
	return int(min(available/8/PlayBytes, max(1, int64(processors)/2)))
}

// ForAnalyses returns how many analyses the analyze command runs at the same time, at most jobs:
// they may take half of the memory, which nothing else needs there.
func ForAnalyses(available int64, jobs int) int {
	return int(max(1, min(int64(jobs), available/2/AnalysisBytes)))
}

// Connections returns how many connections may be open in their share of the memory, and with the
// files that the process may have open.
func Connections(available int64, files uint64) int {
	most := min(uint64(available/8/connectionBytes), MostConnections)
	if files > 2*spareFiles {
		files -= spareFiles
	} else {
		files /= 2
	}
	return int(max(1, min(most, files)))
}

// Searches are the searches that the service runs at the same time, and the memory they share.
type Searches struct {
	Total     int64 // bytes for all of them
	Short     int   // how many short searches
	Long      int   // how many long ones
	LongTable int64 // bytes for the table of each long one
}

// Divide returns s with what is 0 chosen so that it fits into s.Total: a short search for each
// processor, but no more than fit into half of the memory; a long search for each processor but
// one, as long as there is enough for its table; and for the tables of those what is left. What
// was not 0 may be more than fits: then Need is more than s.Total.
func (s Searches) Divide(processors int) Searches {
	if s.Short == 0 {
		s.Short = int(max(1, min(int64(processors), s.Total/2/shortTotal)))
	}
	left := s.Total - s.NeedShort()
	if s.Long == 0 {
		table := s.LongTable
		if table == 0 {
			table = goodLongTable
		}
		s.Long = int(max(1, min(int64(processors)-1, left/(table+BesidesTable))))
	}
	if s.LongTable == 0 {
		s.LongTable = max(LeastLongTable, mib(left/int64(s.Long)-BesidesTable))
	}
	return s
}

// NeedShort and NeedLong return how much the short and the long searches take.
func (s Searches) NeedShort() int64 { return int64(s.Short) * shortTotal }
func (s Searches) NeedLong() int64  { return int64(s.Long) * (s.LongTable + BesidesTable) }

// A JobShare is the part of the memory for tables that durable jobs have, and how it is divided.
type JobShare struct {
	Total int64 // bytes, of which a single big problem has all
	Slots int   // lines that are answered at the same time
	// Long is how many long searches may have begun: as many as there are slots run, and the others
	// wait for their turn with what they have in their tables.
	Long  int
	Table int64 // bytes for the table of each of these
}

// No long search of jobs is added to those of the slots that would leave less than goodTurnTable for
// each, nor more than moreLong.
const (
	goodTurnTable = 32 << 20
	moreLong      = 3
)

// LeastForJobs is what one slot for jobs takes: the table of a short search and that of a long one.
const LeastForJobs = shortTotal + LeastLongTable + BesidesTable

// The bounds of ForStore.
const (
	usualForStore = 32 << 20
	mostForStore  = 128 << 20
)

// ForStore returns the part of the memory for tables that the store of jobs has, where jobs have so
// many slots. Where tables would be below their least the store has less or nothing, and is besides them.
func ForStore(tables int64, slots int) int64 {
	want := min(max(mib(tables/8), usualForStore), mostForStore)
	least := int64(LeastForTables + slots*LeastForJobs)
	return max(0, min(want, mib(tables-least)))
}

// DivideJobs returns the share of total that jobs have, which is half of it, at so many slots. With
// 0 slots they have as many as there are processors but one, so that questions have one, as far as
// there is enough for their tables. There is one slot at least, which may be more than there is.
func DivideJobs(total int64, slots, processors int) JobShare {
	return JobShare{Total: mib(total / 2), Slots: slots}.divide(processors - 1)
}

// ForWorker returns the memory for the tables of a worker that has the machine or the container for
// itself: five eighths of it.
func ForWorker(available int64) int64 {
	if available == Unlimited {
		return UsualForTables
	}
	return max(mib(available/8*5), LeastForJobs)
}

// WorkerAnalyses returns how many analyses a worker runs at the same time, at most one at each
// slot: as many as fit into what its tables leave of seven eighths of the memory.
func WorkerAnalyses(available, tables int64, slots int) int {
	return int(min(int64(slots), max(0, available/8*7-tables)/AnalysisBytes))
}

// DivideWorker is DivideJobs for a worker that has all of total, and all processors.
func DivideWorker(total int64, slots, processors int) JobShare {
	return JobShare{Total: total, Slots: slots}.divide(processors)
}

// divide chooses the slots if there are none, no more than most, and the tables.
func (s JobShare) divide(most int) JobShare {
	s.Total = max(s.Total, LeastForJobs)
	if s.Slots == 0 {
		s.Slots = int(max(1, min(int64(most), s.Total/(shortTotal+goodLongTable+BesidesTable))))
	}
	s.Total = max(s.Total, int64(s.Slots)*LeastForJobs)
	tables := s.Total - int64(s.Slots)*shortTotal
	s.Long = max(s.Slots, min(s.Slots+moreLong, int(tables/(goodTurnTable+BesidesTable))))
	s.Table = mib(tables/int64(s.Long)) - BesidesTable
	return s
}

// ForJobs returns how many searches the solve command runs at the same time, at most jobs, and how
// many bytes the table of each has. tables is the memory for the tables of all of them; if it is 0,
// they share ForTables(available) with what they keep besides.
func ForJobs(available, tables int64, jobs, threads int) (searches int, table int64) {
	besides := int64(0)
	if tables == 0 {
		tables = ForTables(available)
		besides = BesidesTable * int64(threads)
	}
	n := max(1, min(int64(jobs), tables/(LeastTable+besides))) // never more tables than fit
	return int(n), min(max(tables/n-besides, LeastTable), math.MaxInt)
}

// besidesEngine is what the engine takes of the memory for Go besides its table.
const besidesEngine = 16 << 20

// ForEngine returns the memory for the table of a USI engine on a machine, or in a container, with
// that much memory: what it leaves is for the GUI. It returns 0 if the memory is Unlimited.
func ForEngine(machine int64) int64 {
	if machine == Unlimited {
		return 0
	}
	return max(LeastTable, min(machine/4*3, ForGo(machine)-besidesEngine))
}
