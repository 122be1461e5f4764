// Package httpapi answers mate problems over HTTP: one position to POST or GET /v1/solve, a stream
// of them to POST /v1/solve/batch, and what each move of a position comes to to POST /v1/moves.
// POST /v1/play chooses a move in a game, which is an opinion and proves nothing.
// POST /v1/read says what a text in any notation holds. The package turns outside text into a
// question for a solver.Solver, and the Result into outside text.
//
// The way of a question, each step in a file of its own name:
//
//	connections how many are open, in all and for each address
//	recorder   a request id, a log line, the metrics, and a 500 instead of a panic
//	forwarded  who asks, also behind a proxy
//	routes     CORS, rate limit, route
//	clients    the rate limit: what each client may ask for
//	body       size, time and media type of what is sent
//	record     a body in KIF, KI2, CSA, JKF or SFEN to a question
//	read       what a text in any notation holds, without a search
//	solve      a question of package wire, which finds every fault, and its answer
//	search     metrics and log of what the scheduler does
//	moves      a question about every move
//	analyze    a question about a problem
//	batch      many questions, one on each line
//	play       a question for a move, which a level of package play answers
//	stream     how the search goes, for those who want to know
//	jobs       work that does not fit a request, of a queue that somebody else works on:
//	           submitted (jobssubmit), followed (jobsevents), and its results (jobsresults)
//
// A verdict is never an HTTP error: "unknown" is a 200 as "mate" is. Everything else that is no
// answer is an RFC 9457 problem (errors), with a type that never changes and a page under that
// name.
//
// # Same question, same bytes
//
// An answer to GET holds nothing that differs from run to run, so it has no elapsed_us, and sfen is
// canonical with the move number 1, which is no part of a problem. A proven verdict may be kept for
// ever: it gets a strong ETag and "immutable". An unknown may be known better tomorrow, and so may
// a mate whose search the time ended: "no-store". Answers to POST and in batches say elapsed_us,
// the time the search took, also if that search was made for somebody before.
//
// An answer to /v1/play is the same bytes always, since only nodes end its search. A copy may be kept
// for a day: another version of the program may play differently.
//
// # Long and short
//
// Every question is first asked of a quick solver with few nodes, and what needs more goes on to a
// long search. This is so at every load, and which of the two answered cannot be told but by the
// nodes. No number of long searches takes a slot from a short one.
//
// # One client and the others
//
// What belongs to all is shared out among the clients (see clients.go for who that is), not among
// their requests: slots for searches and the queue for them, slots for batches, and connections.
// Beyond that a client has a rate, of work: its requests, the time of its searches, and the lines
// of its batches. None of this changes an answer, only when it comes, or that a 429 or 503 does,
// whose Retry-After says when to ask again.
//
// # Who searches
//
// Package sched does: the cache, equal questions that share a search, who stops it, the slots and
// the queues for them (a 503), and fair sharing. Package answer makes questions for it of those of
// package wire, and bodies of its answers. This package turns what they say into HTTP.
//
// # Jobs
//
// With Config.Jobs the service takes work that does not fit a request: problems for hours, and
// collections of millions of lines. Package queue keeps them, and whoever coordinates and works on
// them need not be in this process. Whoever knows the id of a job may see and cancel it, so that
// ids are in no metric, and their first letters alone in the log. A store that does not answer is
// a 503 below /v1/jobs and nothing else: questions are answered as ever. Without Config.Jobs there
// is a 404 that says so.
package httpapi
