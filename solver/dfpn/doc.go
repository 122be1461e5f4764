// Package dfpn finds mates of any length by depth-first proof-number search.
//
// # What it says
//
// Mate only with a tree that was replayed by the plain rules of package mailbox: every move of the attacker legal and a
// check, every legal defence answered, every step nearer to the mate. NoMate only from a disproof that leans on nothing
// but the rules: no limit of length or depth took part, and every repetition it counts against the attacker lies within
// itself. Anything else is Unknown, with the limit that ended the search. The numbers for new nodes, the order of moves,
// thresholds and what the table forgets decide how fast it answers, never what.
//
// One thing is not proven: that no two boards of a search share a key of 64 bits. A Mate is replayed, so it cannot suffer. A
// NoMate could; among n boards two share a key with a probability of about n²/2⁶⁵, one in thirty million for a million.
//
// # Why it may
//
// A mate is a fact of the position alone: if there is one, there is one whose lines repeat no position. So a position that
// stands on the path already, with no more in the attacker's hand now than then, counts as a failure of the attacker
// (search.go, repeats). A disproof that leans on such a failure holds only below the position it points to: it is
// absolute if that lies inside it, and otherwise kept apart, for this path alone (path.go). Proofs never lean on
// repetition.
//
// More in hand never hurts the attacker: his moves stay legal, and the defender's answers become fewer. So the table
// answers for other hands as well (hand.go, table.go). A pawn drop that mates is illegal whatever is in hand, because
// only captures and king moves could answer it.
//
// Nothing is left out: interpositions and twins of a promotion only wait for each other (order.go, chain).
//
// # Lengths
//
// The first mate found is not the shortest. Where the shortest is asked for, the search goes on with two plies less until
// that is disproved (solve.go, shorten); a bound that others have proven counts too. The line of a mate that is known to be
// the shortest is chosen afterwards by an order of moves that has nothing to do with the search (solve.go, choose), so it is
// the same with every table and any number of threads.
//
// # Limits
//
// A search counts every position it looks at and stops at its limit of nodes exactly; it looks at the clock every thousand
// nodes, and as often while it clears out the table or replays a tree. The path is a stack of frames and a recursion that
// holds no more than a few hundred bytes a ply; maxPath ends it. With one thread and no deadline the same question gets the
// same nodes and the same line. notes.md says what each technique is worth.
//
// # Sources
//
// Nagai 2002 (df-pn, df-pn+); Kishimoto 2010 (threshold control, double counting); Pawlewicz and Lew 2007 (1+ε); the
// published descriptions of KomoringHeights and shtsume for delayed moves, proof hands and the numbers of new nodes.
package dfpn
