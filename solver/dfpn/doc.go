// Package dfpn finds mates of any length by depth-first proof-number search.
//
// # What it may say
//
// Mate, only with a proof that solver.NewProof replayed by the plain rules of package mailbox:
// every move of the attacker legal and a check, every legal defence answered, every step nearer to
// the mate.
//
// NoMate, only from a disproof that leans on nothing but the rules: no limit of length or depth
// took part, and every repetition it counts against the attacker lies within itself.
//
// Unknown otherwise, with the limit that ended the search. "No mate within n plies" is Unknown with
// that bound.
//
// One thing is not proven: that no two boards of a search share a key of 64 bits. A Mate is
// replayed, so it cannot suffer. A NoMate could: among n boards two share a key with a probability
// of about n²/2⁶⁵, one in thirty million for a million.
//
// # Why it may, and which way each shortcut errs
//
// Truth: a mate is a fact of the position alone, and more in the attacker's hand never hurts him.
// His moves stay legal, and the defender's answers become fewer. A pawn drop that mates is illegal
// whatever is in hand, because only captures and king moves could answer it.
//
//   - Hands (hand.go, table.go): a proof is stored with no less than the least hand it needs, a
//     disproof with no more than the greatest it withstands. Too much in a proof hand, or too little
//     in a disproof hand, costs a hit in the table; the opposite would be unsound.
//
//   - Repetition (repeat.go): it counts as a failure of the attacker. So no proof leans on it, and a
//     disproof that does is stored for its path alone until it holds everywhere.
//
//   - Lengths (numbers.go, table.go): a proof says "within", a disproof "none within". A search of
//     limited length never answers for a longer one, as the bound is stored with its disproofs.
//
//   - First visits (initial.go): mate in one and no check at all are exact, and so is that there is
//     no mate within three plies where no more are left.
//
//   - Free interpositions (free.go): another game, asked for by name and answered by Decide alone. Its
//     keys are others, and what it says is never told as a mate by the rules.
//
//   - Delayed moves (delay.go): they wait or are held back, and all are searched before a node is
//     solved against the side to move.
//
//   - What another thread has found (threads.go): only what is in the table is taken over, which
//     holds everywhere.
//
//   - Checkpoints (checkpoint.go, rederive.go): see below.
//
// All else decides the order of work and so how fast the answer comes, never what it is: the
// numbers of new nodes, the order of moves, thresholds, double counting, and what the table
// forgets.
//
// # Lengths
//
// The first mate found is not the shortest. Where the shortest is asked for, the search goes on
// with two plies less until that is disproved (solve.go); a bound that others have proven counts
// too. The line of a mate that is known to be the shortest is chosen afterwards, by an order of
// moves that has nothing to do with the search, so it is the same with every table and any number
// of threads. That may take as long as the search, so a caller whom any line serves may say so.
//
// # Limits
//
// A search counts every position it looks at and stops at its limit of nodes exactly. It looks at
// the clock every thousand nodes, and as often while it clears out the table or makes a proof. The
// path is a stack of frames and a recursion that holds a few hundred bytes a ply; maxPath ends it.
// With one thread and no deadline the same question gets the same nodes and the same line. With
// more threads the nodes differ from run to run, and so does the line of a mate that is not the
// shortest.
//
// # Checkpoints
//
// A search that has a checkpoint.Keeper in its context writes its table to a file now and then, and
// begins with what such a file has. Its Result says Resumed then. Why a loaded table makes no false
// verdict:
//
//   - What is claimed for good in an entry, mateIn and noMate, is a fact of a board and a hand of
//     the attacker, for the material of one problem. It hangs neither on the path, as disproofs that
//     do are in the pathTable, which is not saved, nor on the limits: a disproof within a length is
//     stored with it. So it is as true in another run as in the one that stored it, and as true
//     later: a checkpoint that is written while the search goes on has claims of different times,
//     each a fact. mayRepeat only says that the pathTable may know more, and finds it empty.
//   - A file is of use for one search alone: the same position, material included, the same limits
//     and switches, the same random words of the key, and the same packing of moves, hands and
//     numbers. All else is refused.
//   - No bit of it can have changed, or been put there by others: SHA-256 of each block under an HMAC.
//   - Whatever a file says, an open entry has numbers of an open one, a hand is a possible one, and
//     no entry has a mate within a length for which it has none.
//   - minDepth, amounts, numbers, parents and masks decide the order of work alone, as ever.
//   - Mate: the proof is made and replayed as ever, so a false claim can prevent it, not make it.
//   - NoMate, and that there is none within so many plies: the disproof of the root is derived once
//     more from the moves, as far as the third ply below it, before it is believed. From the fourth
//     on the claims are believed for what is said above.
//
// A search that contradicts itself after a load is Unknown, unverified, and its files are removed.
//
// One thread: the nodes after a load are those that would have come in memory after the same
// entries were forgotten. Nodes, and limits of nodes, count those of all runs together.
//
// # The files
//
//	solve.go        the Solver: a question through all phases, from any mate to the shortest
//	proof.go        the proof of a mate, made from the table
//	search.go       the df-pn loop
//	combine.go      the children's numbers to the parent's
//	thresholds.go   how long a node is searched: 1+ε, threshold control
//	expand.go       a node's moves
//	initial.go      what a child starts with: table, path, short mates, first numbers
//	order.go        moves whose numbers are equal
//	delay.go        moves that wait for a move like them
//	doublecount.go  children that count by maximum
//	free.go         interpositions that cost nothing, for bounds of conventional lengths
//	repeat.go       repetition: the graph-history interaction problem
//	hand.go         proof and disproof hands
//	table.go        the table, its look-ups and its garbage collection
//	checkpoint.go   the table to a file, and from it
//	rederive.go     a disproof that rests on a file, looked at again
//	threads.go      several threads on one search
//	closure.go      closed sets: why there is no mate
//	limits.go       nodes and time
//	numbers.go      the numbers and values all of them use
//	progress.go     reports on the way
//	options.go      the knobs
//
// notes.md says what each technique is worth.
//
// # Sources
//
// Allis 1994 (proof-number search); Nagai 2002 (df-pn, df-pn+); Kishimoto and Müller 2004 (GHI);
// Kishimoto 2010 (threshold control, double counting); Pawlewicz and Lew 2007 (1+ε); Kaneko 2010
// (virtual proof numbers for threads); Seo 1999 (dominance by hands); the published descriptions of
// KomoringHeights and shtsume for delayed moves, proof hands and the numbers of new nodes.
package dfpn
