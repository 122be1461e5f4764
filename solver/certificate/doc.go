// Package certificate writes certificates: files by which a stranger can check an answer with the
// rules of shogi and nothing else, without a search, a table or trust in either. Command
// tsumero-check does.
//
// # What all certificates have
//
// A certificate is text: words separated by any number of spaces and line ends. It begins
//
//	tsumero-cert 1 mate
//	sfen 9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G2r2b4s4n4l17p 1
//	attacker black
//
// with the version, 1, and the kind of certificate: mate, nomate, within, length or brinkmate. The SFEN has all
// four fields and says literally who holds what: pieces that it does not name are not in play. The
// position must be one that there can be: no more pieces than a set has, no two pawns of a side on
// a file, no piece that can never move, no two kings of a side, the side that is not to move not in
// check. The defender must have a king; the attacker may have one. The attacker is named because
// with two kings the side to move may be either. If it is the defender, he must be in check.
//
// Moves are written as in USI. All rules of shogi bind both sides: two pawns on a file (二歩), pieces
// that could never move again, a pawn drop that mates (打ち歩詰め), by the defender too. Each move of
// the attacker must check. Nothing need be said of repetition: in a plan that repeats a position
// there is a shorter one that does not, and in a closed set every position is answered.
//
// Sorted means: in the order of the bytes of the USI text.
//
// A hand by itself is the attacker's, in capitals whatever his colour, "-" if it is empty. The
// defender holds all the other pieces in play.
//
// # Mate
//
//	plies 3
//	G*5c G*4b G*5b G*6b
//
// A plan. For a position with the attacker to move it is a check and the plan for the position
// after it. For one with the defender to move it is the plans for the positions after all of his
// legal replies, sorted: none if he is mated. The replies are not written, so that none can be
// forgotten: whoever checks finds them himself.
//
// The attacker's word for a position is one of
//
//	G*5c      he plays this check
//	G*5c!     the same, and the position gets the next number, from 1 on, when its plan has ended
//	G*5c!2G   the same, but first he gives all he holds but two golds to the defender
//	=7        the plan of the position with number 7
//
// A reference must be in a position with the board of the numbered one, the attacker holding at
// least what he held there (after giving away). That suffices: he has every check that he had
// there, and the defender, who holds no more, has no other reply; whether a dropped pawn mates does
// not depend on what anybody holds, for nothing can come between it and the king. For the same
// reason he may give pieces away. As only a position whose plan has ended has a number, there are
// no loops.
//
// A plan has plies: 1 more than the greatest of a reply's for the defender, 0 if he is mated; 1
// more than those of the position after the check for the attacker; a reference has those of the
// number. plies in the header are those of the whole plan, not more and not less. They bound the
// length of the shortest mate from above.
//
// # No mate
//
//	4k4/9/9/9/9/9/9/9/9 P : 5a4b
//
// A closed set of positions with the attacker to move. Each is a board, his hand, a colon, and for
// each of his legal checks, sorted, one legal reply. The position after the reply must be covered:
// a position of the set has the same board and no smaller a hand, or the attacker has no check.
// So must the position of the header; if the defender is to move in it, the first word after the
// header is a reply of his, and the position after that must be covered. Then the defender always
// has a reply, and is never mated. The order of the positions does not matter.
//
// # No mate within so many plies
//
// The kind is within. The header ends with plies, and each hand is followed by a number of plies:
//
//	plies 5
//	4k4/9/9/9/9/9/9/9/9 P 5 : 5a4b
//
// This says that there is no mate in so many plies or fewer. Where a position of the set has n, the
// positions after its replies must be covered for n-2: that is 0 or less, or a position of the set
// has the same board, no smaller a hand and no smaller a number, or the attacker has no check, or
// it is 1 or 2 and none of his checks mates. The position of the header must be covered for plies;
// if the defender is to move, that after his first reply for one less. With a certificate of a mate
// in n plies, one of no mate within n-2 says that the shortest mate has n.
//
// # Length by convention
//
//	plies 3
//	least 3
//	2d2c+! R*4a
//	R*3b
//
// By the length of policy F2, which package length defines, a mate takes at most plies, and no less
// than least. All that it says of is a line: the squares between the king and the only piece that
// checks, a slider. A reply is on it if it is a drop there; what it can be futile by are the captures
// by that slider on this square, promoting or not, that are legal and check. After these the dropped
// piece is set aside: in nobody's hand, and no more in play.
//
// Two plans follow. That of the attacker shows that the length is at most plies. In a position with
// him to move it is a check and the plan after it, or the plan of another position:
//
//	G*5c      he plays this check
//	G*5c!     the same, and the position gets the next number, from 1 on, when its plan has ended
//	=7        the plan of the position with number 7
//
// With the defender to move it is the plans after all of his replies, sorted. Before that of a reply
// on the line there may be instead
//
//	x3c2c     the drop is futile: this capture, the plan after it, and why the defender has as much
//	x3c2c^    the same, but the dropped piece is in the defender's hand, and nothing after it futile
//
// The plan after the capture has so many plies, as for a mate; futile replies do not count. "Why the
// defender has as much" is his plan to last so many plies in the position before the drop, by a reply
// that is not on the line, or on it and nearer to the king. By definition the drop is futile then.
//
// That of the defender shows that the length is at least so many plies: least at first. If these are
// none, or one with the attacker to move, nothing follows. With the attacker to move it is the plans
// for the positions after all his checks, sorted, with one ply less. With the defender to move nothing
// follows if these are two or fewer and he has a reply that is not on the line. Otherwise it is one of
//
//	5a4b      his reply, and the plan after it, with one ply less
//	5a4b!     the same, and the position after the reply gets the next number when the plan has ended
//	5a4b=7    his reply; the plan after it is that of number 7, with no fewer plies
//
// If the reply is on the line, the plans follow for the positions after all the captures that there
// are, to last as many plies as here: if the drop is futile after all, it is by one of them, and then
// what is nearer to the king lasts as long. There is a last word, for a drop that buys less than that:
//
//	G*3c?     the attacker's plans after the replies that are not on the line or nearer to the king,
//	          as above; the defender's plans for the positions after the captures, for two plies more
//	          than the attacker's have, so that the drop is not futile; and the plan after it
//
// A reference must be in the same position, both hands included. If nothing is futile in the
// attacker's plan, it holds for every position with the same board, no less in his hand and no more
// in the defender's. In the same way the defender's holds, if there is no "?" in it, with no more in
// the attacker's hand and no less in his. Both plans give their numbers in one sequence, and refer to
// their own kind.
//
// # Brinkmate
//
//	attacks 2
//	~S*2c 1c2b+ ...
//
// The attacker is to move, and no piece of a set is missing. He mates, or has a brinkmate (必至) in so
// many attacks or fewer, as package threat defines them. His word for a position is that of a mate,
// as above, with the plan of the mate, which is no attack; or
//
//	~S*2c     he attacks by this move, which need not check
//
// If it does not check, a plan of a mate follows for the same position with the attacker to move
// again, as if the defender had passed. Then, in any case, come the plans for the positions after all
// of the defender's legal replies, sorted. A plan has one attack more than the greatest of a reply's,
// and a check must have a reply with an attack. attacks in the header are those of the whole plan.
// References are only to positions of mates. That there is no brinkmate in fewer attacks, or no mate,
// is not said.
//
// # Limits of the checker
//
// tsumero-check remembers at most 64 MiB of numbered positions, or lines and replies (256 bytes for
// each), plays at most 5,000 plies deep, and refuses what needs more. A word has at most 64 KiB.
package certificate
