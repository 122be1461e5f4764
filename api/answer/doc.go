// Package answer answers questions in the words of package wire with a scheduler of searches, and
// renders the answers: the same for a request of HTTP, a line of a batch, a line of a job and a position
// that a command solves. So the same question gets the same bytes from all of them.
//
//	answerer   the Answerer: what it is made of, and questions as the scheduler takes them
//	render     what is kept of an answer, and the envelopes in which it is sent
//	length     the length of a mate under a policy, besides the answer without it
//	moves      a question about every move, which package analysis answers with many searches
//	analyze    a question about a problem, which package analysis answers with a session
//	progress   how an analysis goes, for those who follow it
//	line       a line of a batch or of a job, from its text to the envelope of its answer
//
// The package knows nothing of HTTP, clients, metrics or storage.
package answer
