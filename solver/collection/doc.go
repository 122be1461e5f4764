// Package collection finds what the problems of a collection have in common: duplicates, mirrored
// twins, problems that are the end of others, and near copies.
//
// A problem is looked at with Black attacking; colours and the board are turned where White does.
// All keys are texts that do not depend on the program: two problems with equal keys are alike,
// whoever computed them.
//
//	Key        t1:<board>:<attacker's hand>:<defender's hand>   the problem itself
//	ShortKey   t1h:<20 letters and digits>                      the same, for URLs and databases
//	Figure     t1f:<board>                                      without the hands
//	Shift      t1s:<as Key>                                     moved to the top right corner
//
// Boards and hands are written as in SFEN, an empty hand as "-". The defender's hand is "rest" if
// board and hands together are a whole set: all pieces of the 38, kings not counted. Each key is
// the smaller text of the position and of its mirror image. The number of the move is not in it,
// and neither is the side to move, which is the attacker's.
//
// Describe computes the keys of a problem and the other marks by which an Index relates it to what
// it holds.
package collection
