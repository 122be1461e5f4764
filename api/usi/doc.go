// Package usi lets a shogi GUI talk with an engine by USI, the Universal Shogi Interface.
//
// # The loop
//
// Run reads the commands and prints the answers. It knows the protocol and nothing about searching:
// it keeps the game that the position commands describe, checks the values of options, formats the
// info lines, and answers each go exactly once. It asks an Engine what to answer.
//
// A goroutine reads lines, another one runs the search, and the loop in Run owns all state and
// writes all output. So no two lines ever mix, and commands are answered while a search runs.
//
// A position with an error is reported with field and byte and is never searched. Until a valid
// one comes, each go is answered with the same error, and then with "checkmate timeout" or
// "bestmove resign".
//
// # The engine that plays
//
// PlayEngine turns the players of package play into an Engine, and has a MateEngine inside. It
// answers
//
//	go mate …     what the MateEngine answers
//	any other go  bestmove <move>; bestmove win, in games, for a win that it declares; and without a
//	              legal move, bestmove resign
//
// Its option Level says who plays. At the level mate the MateEngine answers everything, as it does
// wherever a king is missing. A player lives as long as the options that it depends on, so that what
// it learned with one move helps it with the next; usinewgame has it forget that.
//
// Its scores are opinions. What is proven is asked for with go mate.
//
// While it ponders it prints nothing. The clock counts from ponderhit on; if neither that nor go
// ponder said a limit, the answer comes after a second.
//
// A game that goes on beyond its MaxMovesToDraw is played as if there were no such limit, and an
// info string says so.
//
// # The engine for mate problems
//
// MateEngine turns a solver.Solver into an Engine. It answers
//
//	go mate …     checkmate <moves>, checkmate nomate, or checkmate timeout
//	any other go  bestmove <first move of a mate>, or bestmove resign
//
// It resigns when it finds no mate, because any legal move would look like a choice. An info string
// says so once.
//
// "nomate" is printed only for a proven NoMate. Everything undecided is "timeout", with an info
// string that gives the reason just before it. Before a mate there is an info line with its length
// and its moves. A mate that is not proven shortest is an answer too, and the info string says so.
//
// A go mate without any limit is answered only on stop if the solver gives up; see Mate for why.
//
// About once a second a search prints its time, nodes, nodes per second, table fill, and the line
// that it looks at. Once a mate is found, it prints the shortest so far, with its length as score.
//
// If a lone king is in check and its side is to move, that side defends. The line then starts with
// the best defence.
//
// The Options method of MateEngine describes its options.
//
// # What there is besides the mate
//
// Two options ask for more, once a mate is known, in the time that is left. The last pv and the
// answer are those of the mate, whatever they find, and neither is late for them.
//
// With Analysis, go mate says how the problem does as a puzzle, in info strings:
//
//	length F2 3 raw 5                      plies without futile interpositions, and with them
//	length F2 11..15 raw 15                not known more exactly
//	cook ply 3 B*4d mate<=11               another check mates too; also early and transposition
//	unknown ply 1 R*2d 3c2b                not decided
//	other checks 16 fail 13 mate 3 unknown 0
//
// and, with the value full, also last_move, dual, detour and mirror, the replies that are equal,
// escapes or futile, leftover, and in the last line whether the problem is sound and which rules it
// fails. The moves are those of the analysis' main line; package analysis has the words. A move is
// named unknown rather than left out.
//
// With MultiPV, go mate and go infinite print the first moves that mate, with their raw lengths, as
// "multipv k score mate n pv …", k = 1 being the move of the answer, and with "score mate +" where
// it is not known that there is no shorter mate. A move that does not mate has no line.
//
// # Adding an option
//
// An option is one line in the Options method of the engine: the variable, the name, the range. The
// value of the variable at the start is the default. Run declares the option, checks the values
// that users set, and stores them in the variable, never during a search.
package usi
