// Package search chooses moves by alpha-beta, as the programs that play chess do, with what shogi
// changes in it: captured pieces come back, so that positions seldom become quiet and moves never
// run out, and games are decided by mate more often than by material. It values positions by
// package eval, and knows the mates of one and three plies from the mate solvers.
//
// # The root
//
// A search deepens ply by ply (iterative deepening), each time with a narrow window around the last
// score that is widened as long as the score lies outside (aspiration window). With several lines
// wanted, the first is searched as if it were the only one, the next without its first move, and so
// on. Between iterations the solver of long mates gets a share of the nodes. What a search answers
// that is stopped inside an iteration stands in root.go.
//
// Several threads search the same root with one table and histories of their own, without waiting
// for each other (Lazy SMP). Only the first has a say in the answer.
//
// # A position
//
// In the order in which they are asked for:
//
//   - The rules: repetition, declaration, the limit of moves. They come before the table, because
//     they depend on the moves before, and the table knows positions alone (graph-history
//     interaction). Where the limit is near, its keys depend on the ply too.
//   - Mate distance pruning: no line here can be better than a mate that is known elsewhere.
//   - The transposition table, shared without locks (R. Hyatt and T. Mann, A lockless transposition
//     table implementation for parallel search, ICGA Journal 25, 2002).
//   - Mates of one ply and, at some depth, of three.
//   - Reverse futility (static null move): the evaluation is so far above the window that the
//     opponent will not get it down.
//   - Null move: if passing keeps the score above the window, so does a move (C. Donninger, Null
//     move and deep search, ICCA Journal 16, 1993).
//   - Internal iterative reduction: a position without a move from the table was not worth much
//     before, and is searched a ply less.
//   - The moves, each generated only when those before it did not suffice (picker.go), ordered by
//     what they capture and by what was good elsewhere (J. Schaeffer, The history heuristic and
//     alpha-beta search enhancements in practice, IEEE PAMI 11, 1989), also as a reply to the move
//     before it and to the one before that (continuation history). Quiet moves late in that order
//     are left out (late move pruning), as are those that cannot lift the score to the window
//     (futility: E. Heinz, Extended futility pruning, ICCA Journal 21, 1998) and those that lose
//     material on their square (static exchange evaluation). The first is searched with the full
//     window, the others with one of width one, and again if they turn out to be better (principal
//     variation search: T. Marsland and M. Campbell, Parallel search of strongly ordered game
//     trees, Computing Surveys 14, 1982), and the later ones with less depth at first (late move
//     reductions).
//
// At depth 0 a quiescence search follows: captures, promotions of pawns, and every answer to a
// check.
//
// # What a score is worth
//
// A score is an opinion. A mate for the side to move, or a declaration, is more: moves of the
// opponent are left out only where one is known that does not lose, so that only a collision of
// keys, or a score that the table has from another path, could make it wrong. It is Verified if
// the solver of mates has proven it besides.
//
// notes.md tells what each part was worth in games.
package search
