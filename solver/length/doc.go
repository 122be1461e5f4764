// Package length finds conventional lengths: how many plies the books print for a mate problem,
// which leave futile interpositions (無駄合) out. Package solver counts every legal move.
//
// # The definition
//
// Let N be a position in which the defender stands in the check of exactly one piece S, a slider,
// and let X1, next to the king, to Xm be the squares between. A candidate is a legal drop on one of
// them. Every other reply, moves onto the line included, always counts.
//
//	length(N):                                  // defender to move; 0 if he is mated
//	  here = the greatest of 1 + length(N after r) for every reply r that is no candidate
//	  for each square X, from the king outwards:
//	    next = here
//	    for each candidate p*X that is not futile(p*X, here):
//	      next = the greater of next and 1 + length(N after p*X)
//	    here = next
//
//	length(M) = 1 + the least length(M after c) of all checks c    // attacker to move
//
//	futile(p*X, here):
//	  F0: no. F1: only if here is 0.
//	  S takes on X, promoting or not (F3: any piece takes on X, with check), and the captured p is
//	  set aside: it is in nobody's hand any more. Futile if the length is then no more than here.
//
// In words: taken at once and then forgotten, the interposed piece has not bought the defender a
// single ply, compared with all he can still do nearer to his king.
//
// # What holds
//
// A mate exists under every policy or none, L2 <= L1 <= L0, and L3 <= L1 (Policy.IsAtMost). A
// length depends on the board and both hands alone, so it may be remembered by them. It is not
// monotone in the hands: what is proved with one hand says nothing about another, other than for
// raw lengths.
//
// # Best play
//
// What is played by a length (Play). The defender, who never plays a futile drop, plays
//
//  1. a reply after which there is no mate, if there is one: lengths are of mates alone;
//  2. a reply that lasts longest: one after which the length is that of the position, less one;
//  3. of those the author's, if the problem has a line and it goes on with one of them;
//  4. of those one that leaves the attacker the least pieces at the end, the attacker spending what
//     it can, of all lines of best length;
//  5. of those a move before a drop, a drop near the king first and lesser pieces first, and then
//     promotions before other moves, by square.
//
// The attacker plays a check of the least length, of those one that leaves it the least pieces, and
// of those promotions before others, drops and sliders from near the king first, by square. A line of
// best play is as long as the length of its position: it ends where the defender has no reply, or
// nothing but futile drops.
//
// # How it is found
//
// By iterative deepening with the definition itself (engine.go), and a memo by board and both hands
// (memo.go). Three questions to a session save most of that, and change nothing:
//
//   - Is there a mate at all? If there is none, there is none under any policy.
//   - Is there one within so many plies by the raw count? Then the length is no more.
//   - Is there one if interpositions are free (solver.Interpositions)? If there is none within so many
//     plies, the length is greater: package dfpn has the game and the induction (free.go).
//
// A long problem is narrowed in from both sides instead (interval.go): from below by free
// interpositions, from above by the raw length, or by a plan of the game with free interpositions
// whose captures are shown to be those of futile drops (prove.go), and by the definition where the
// two do not meet.
//
// The answers of a session come from df-pn and are not replayed: a length is believed as a NoMate
// is. Without a session the Engine is a plain search, and finds the same.
package length
