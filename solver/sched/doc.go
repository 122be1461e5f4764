// Package sched answers questions about positions with a bounded number of searches: a Scheduler
// caches answers, lets equal questions share a search, bounds how many searches run and wait, and
// shares slots out fairly among clients. It asks any solver.Solver, and is one.
//
//	sched.go   Config, Question, Scheduler.Ask
//	cache.go   Answer, and which answers are kept
//	call.go    the search that equal questions share: join, leave, finish
//	pool.go    a quick search, then, for what takes longer, a long one
//	slots.go   how many searches run and wait, who is next, and who is refused
//	task.go    questions that take several searches
//	session.go sessions for those that need a table of their own, and slots for those that play or draw
//
// # The life of a call
//
// A Call is the work on a question. It goes through these stages:
//
//	cached    The cache has the answer: there is no call.
//	join      Questions are equal if position, attacker, task, variant, limits, time limit and Batch
//	          are. The first leads a call, in its own goroutine. Those that come before its end join
//	          it.
//	wait      It waits for a slot of the quick pool, and then, if need be, of the long one.
//	run       The solver searches. Time is counted from here, the waits left out.
//	finish    The answer is put into the cache if it may be, and all who joined get it.
//
// Who cancels. Each who asked leaves by ending its context. Who joined returns at once, with an
// Unknown for the reason solver.ReasonCancelled, or, of a Task, with what it knows without
// searching. The goroutine of the leader goes on for the others, and Ask returns to it at the end.
// When the last one leaves, the context of the search ends, and nobody can join any more: who asks
// then leads a new call. A quick search that has its slot at once cannot be cancelled: it is over
// before that would help anybody.
//
// Whose account. A call waits on the account of its leader's client, or on that of a client that
// joined, if that one has fewer searches before it: nobody waits for the other searches of somebody
// who asked the same. The time of the search is charged to the leader's client. Nobody waits longer
// than when asking alone: an equal question has the same limit of time, so that an answer which
// time ended is as good as one's own would be, and comes sooner.
//
// What is refused. A single question gets an OverloadedError when the queue is full, which is when
// those in it need half of the longest wait for their slots (see limiter), and its client waits for as
// much as the others do, when a client that waits for less takes its place in the
// queue, and when it has waited for as long as it may. Who joined gets the error too if it is the
// same client's; else that there is no slot for one client says nothing about another, and it asks
// again, with the waits so far counted. Parts of a Batch are never refused.
//
// What panics. A panic of a solver goes up through the leader's Ask. Those who joined get ErrPanic.
// The slot is free again, and the next who asks leads a new call.
//
// What is cached. An answer that the same question would get again: a proven one, or an Unknown
// that its own limits or its solver's depth ended. One that was ended by time, by its clients or by
// a want of slots is not, nor is a mate that did not verify.
//
// # Long and quick
//
// Every question is first asked of the quick pool with few nodes, and what needs more goes on to
// the long one. This is so at every load, and which of the two answered cannot be told but by the
// nodes. No number of long searches takes a slot from a quick one.
package sched
