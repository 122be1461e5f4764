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
// It has no MultiPV: a solver.Solver finds one line.
//
// # Adding an option
//
// An option is one line in the Options method of the engine: the variable, the name, the range. The
// value of the variable at the start is the default. Run declares the option, checks the values
// that users set, and stores them in the variable, never during a search.
package usi
