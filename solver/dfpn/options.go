package dfpn

// Options are the knobs of a Solver. The zero Options is what serves best; the switches are there
// to measure what each technique is worth (notes.md).
type Options struct {
	// TableBytes is the memory of one search: the table, and an eighth of it kept for the proof of
	// a mate, which may also have what the table has not touched. Default 64 MiB, at least 1 MiB. A
	// proof may always take 1 MiB. Paths and moves take some 5 MiB
	// more, and each further thread 1 MiB.
	TableBytes int
	// Searches is how many searches may run at once, each with a table of its own; more wait.
	// Default 1.
	Searches int
	// Threads is how many threads a search has, which share its table. All but one begin only when
	// it has lasted some milliseconds. Default 1.
	Threads int

	NoHands      bool // store proofs and disproofs for the very hand, not the least or greatest
	NoBounds     bool // take no bounds from the open numbers of other hands
	NoAncestors  bool // only equal positions repeat, not those with more in the attacker's hand
	NoDelay      bool // moves alike do not wait for each other
	NoTCA        bool // no threshold control at positions met before on a shorter way
	NoEpsilon    bool // thresholds just beyond the second best move
	NoDCE        bool // what an ancestor counts twice stays so
	NoHints      bool // all new nodes get the same numbers
	NoFlights    bool // the numbers of a new node do not count the flight squares of the king
	NoSoftTwins  bool // the attacker's move without promotion waits until the promotion has failed
	NoDropsLast  bool // drops that nobody supports do not wait for the other defences
	NoLongLines  bool // on long lines the dn of all checks of a node are added up, as elsewhere
	NoMate3      bool // where three plies are left the search goes on as elsewhere
	NoFirstVisit bool // do not ask a new node for a mate in one, nor whether there are checks
}

const (
	defaultTableBytes = 64 << 20
	minTableBytes     = 1 << 20
)

func (o Options) withDefaults() Options {
	if o.TableBytes == 0 {
		o.TableBytes = defaultTableBytes
	}
	o.TableBytes = max(o.TableBytes, minTableBytes)
	o.Searches = max(o.Searches, 1)
	o.Threads = max(o.Threads, 1)
	return o
}

// tableBytes returns how much of the memory of a search is for the table.
func (o *Options) tableBytes() int { return o.TableBytes - o.TableBytes/8 }
