// Package compose makes mate problems (創作).
//
// Reverse composes by the reverse method (逆算): from a mated position back, a reply and the check
// before it at a time, keeping what stays sound:
//
//	for problem := range compose.Reverse(ctx, options, nil) { … }
//
// All methods ask one examiner (examine.go) whether a candidate is a sound problem that meets Conditions,
// quickly or for certain. Its filters are in the order of their price, and each is true of any problem: what
// falls is what the whole analysis would call unsound. An Archive tells whether a problem is unlike what
// there is.
//
// # The reverse method
//
// A family are the problems that end in one final figure (figure.go): a mated king and the pieces that
// all have part in the mate, with nothing in the attacker's hand, so that nothing is left over.
// It is grown two plies at a time (family.go), and of each length and theme only the best are kept and
// grown further. Most candidates fall at a search of a few hundred positions. What is kept is sound
// by the analysis of package analysis, so that of a candidate only the first two plies are new.
//
// What leaves is the best of a family by its score (score.go), analysed once more, with the limits of a
// report and without a piece that is idle, and unlike what left before it and what is known, by package
// collection.
//
// # Evolution
//
// An island (evolve.go) begins with problems that are given, or with families. One of them is changed:
// a piece moves, comes, goes, is another or changes places, on the board or in hand, or a check and a reply
// come before all of it. Of each cell, by length, themes, pieces and the square of the first move, the
// problem with the greatest score is kept and changed further, those that were changed seldom first.
// After some thousand changes the best leave, and another island is begun.
//
// # What is as authors like it
//
// Conditions.Pleasant (taste.go) is the filter. A problem has a point: pieces given away that are worth a
// silver or two knights together, a piece that does not promote, an interposition that is not futile, or
// a pawn drop that would mate. It does not begin with a capture, and Black captures once at most. There
// are three checks or more at first. No piece is idle, no promoted silver, knight or lance stands on the
// board, no tokin of White's, and at most two of Black's. With Conditions.Strict nothing is left to choose
// for Black, and White has one longest defence.
//
// The score is a sum of parts with weights (score.go): strictness, what is given away, non-promotions, a
// pawn drop that would mate, interpositions, drops from afar, double checks, quiet moves and checks that
// fail by one reply alone count for a problem; pieces, captures, tokins, pieces far from the king and a
// capture at first count against it.
//
// # The searches of authors
//
// Part of a diagram is fixed, and all that the rest can be is looked at: Hands, Place and Lines; or
// pieces are tried at random on the squares of a picture: Shape. Figures are numbered and looked at in
// parts (space.go). What is found is what the whole analysis would find, but for what it leaves open.
//
// # Repeatability
//
// Families and islands are numbered, and each depends on the seed and its number alone: Reverse and
// Evolve yield the same problems in the same order whatever the machine and the threads. A run that is
// stopped has yielded the first of them, and can be continued with the next family or island.
package compose
