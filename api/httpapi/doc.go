// Package httpapi answers mate problems over HTTP: one position to POST or GET /v1/solve, a stream
// of them to POST /v1/solve/batch, and what each move of a position comes to to POST /v1/moves.
// POST /v1/play chooses a move in a game, which is an opinion and proves nothing.
// POST /v1/read says what a text in any notation holds. The package turns outside text into a
// question for a solver.Solver, and the Result into outside text.
//
// The way of a question, each step in a file of that name:
//
//	connections the bounds of open connections, in all and for each address
//	recorder   a request id, a log line, the metrics, and a 500 instead of a panic
//	forwarded  the address of the client, also behind a proxy
//	routes     CORS, rate limit, route
//	clients    the rate limit of each client
//	body       size, time and media type of what is sent
//	record     questions whose body is a record in KIF, KI2, CSA, JKF or SFEN
//	read       what a text in any notation holds, without a search
//	solve      a question of package wire, which finds every fault, and its answer
//	search     metrics and log of what the scheduler does
//	moves      a question about every move
//	analyze    a question about a problem
//	batch      many questions, one on each line
//	play       a question for a move, which a level of package play answers
//	stream     server-sent events: the progress of a search
//	jobs       work that takes longer than a request, put into a queue: submitted (jobssubmit),
//	           followed (jobsevents), and its results (jobsresults)
//	errors     the one place that writes problems
//	openapi    the description of the API, from openapi/*.yaml; pages and pagesview show it
//
// A verdict is never an HTTP error: "unknown" is a 200 as "mate" is. All errors are RFC 9457
// problems, whose type never changes and is the URL of a page that explains it.
//
// # Same question, same bytes
//
// An answer to GET holds nothing that differs from run to run, so it has no elapsed_us, and sfen is
// canonical with the move number 1, which is no part of a problem. A proven verdict may be kept for
// ever: it gets a strong ETag and "immutable". An unknown may be known better tomorrow, and so may
// a mate whose search the time ended: "no-store". Answers to POST and in batches say elapsed_us,
// the time the search took, even if that search was made for an earlier question.
//
// An answer to /v1/play is the same bytes always, since only nodes end its search. A copy may be kept
// for a day: another version of the program may play differently.
//
// # Long and short
//
// Every question is first asked of a quick solver with few nodes, and what needs more goes on to a
// long search. This does not depend on the load, and an answer does not say which of the two found
// it. Long searches have slots of their own, so they cannot delay short ones.
//
// # One client and the others
//
// Slots for searches, the queue for them, slots for batches, and connections are shared equally
// among clients, however many requests each of them has; clients.go says what one client is. Each
// client also has a rate limit, which counts its requests, the time of its searches and pictures,
// the lines of its batches, and the bytes it is sent. None of this changes an answer. It delays the answer, or there is a 429 or 503
// instead, whose Retry-After says when to ask again.
//
// # Who searches
//
// Package sched does: it has the cache, lets equal questions share a search, stops a search that no
// client waits for, and has the slots, the queues for them (a full one is a 503), and fair sharing.
// Package answer turns questions of package wire into questions for sched, and answers into bodies.
// This package turns requests into the former, and the latter into HTTP.
//
// # Jobs
//
// With Config.Jobs the service takes work that is too long for a request: problems that take hours,
// and collections of millions of lines. Package queue keeps them; coordinators and workers may be
// in other processes. Anyone who knows the id of a job may see and cancel it, so no metric has ids,
// and the log only their first letters. If the store does not answer, requests below /v1/jobs get a
// 503; all others are answered as before. Without Config.Jobs there is a 404 that says so.
package httpapi
