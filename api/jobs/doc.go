// Package jobs has the words of durable jobs: work that does not fit a request, which is one
// problem for minutes to hours, and a collection of up to millions. A job is accepted by one durable
// write, survives the end of every process that works on it, and is never answered twice in
// different words.
//
// # Who does what
//
//	queue       takes jobs in, tells how they go, reads their results, bounds what clients may ask
//	coordinate  holds a job by a lease, lets its items out, and notices what is missing
//	work        takes items, answers their lines, and writes each result, first writer wins
//	Store       keeps all of it: package natsstore keeps it on NATS JetStream
//
// A job is itself a message of a durable queue. Whoever takes it is its coordinator. An item is one
// chunk of the input, up to MaxChunkLines lines. Items may be lost, doubled or late without harm. So
// exactly three things are durable: the message, the input and the results.
//
// # Accepting a job: one write decides
//
//	Create         the record, in the state Receiving
//	PutInput       each chunk, while the body streams in; a second one under its number is dropped
//	Enqueue        the message. Once this returns the job is accepted, and not before
//
// All of it can be repeated after a failure anywhere, and then does nothing that was done before.
// There are never two writes of which either alone means "accepted".
//
// # Results
//
// The lines of a chunk are answered in their order. Every half minute what is ready is stored as a
// part, and the last piece as the result of the chunk; its summary counts the whole chunk. Part k+1
// begins where part k ended, whoever wrote it: a worker whose piece was refused, or that takes over
// from another, reads the parts that are there and goes on behind them.
//
// # Attempts
//
// An attempt at a chunk is counted before it begins. From the third on the worker is careful: it
// stores each answer as a part, and counts the attempts at each line. A line that ends three
// attempts is given up with a problem in place of its answer, and the chunk goes on behind it.
//
// # Versions
//
// Records, items and signals carry the number of their format, V. A program reads its own and the
// one before, and leaves what is newer to others.
package jobs
