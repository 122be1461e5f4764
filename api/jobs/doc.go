// Package jobs has the words of durable jobs: work that does not fit a request, which is one
// problem for minutes to hours, and a collection of up to millions. A job is accepted by one durable
// write, survives the end of every process that works on it, and is never answered twice in
// different words.
//
// # Who does what
//
//	queue.Queue       accepts jobs, reports their state, reads their results, and applies quotas
//	work.Coordinator  leases a job, dispatches its items, and dispatches again those that are lost
//	work.Worker       leases items, answers their lines, and stores the results; the first writer wins
//	Store             keeps all of it; natsstore.Store does, on NATS JetStream
//
// A job is itself a message of a durable queue. Whoever leases it is its coordinator. An item is one
// chunk of the input, up to MaxChunkLines lines. Items may be lost, doubled or late without harm. So
// exactly three things are durable: the message, the input and the results.
//
// # Accepting a job: one write decides
//
//	Create         the record, in the state Receiving
//	PutInput       each chunk, while the body streams in; a second one under its number is dropped
//	Enqueue        the message. Once this returns the job is accepted, and not before
//
// Every step can be repeated after a failure, and does nothing if it was done before. There are never
// two writes of which either alone means "accepted".
//
// # Results
//
// The lines of a chunk are answered in their order. Every half minute what is ready is stored as a
// part, and the last part is the result of the chunk: its summary counts the whole chunk. Part k+1
// begins where part k ended, whoever wrote it. A worker whose part came second, or that takes over a
// redelivered item, reads the parts that are there and continues behind them.
//
// # Attempts
//
// An attempt at a chunk is counted before it begins, but not while a line waits for its long search:
// if the process dies then, another line killed it. From the third on the worker is careful: it
// stores each answer as a part, and counts the attempts at each line. A line that ends three
// attempts gets a problem in place of its answer, and the chunk continues behind it.
//
// # Versions
//
// Records, items and signals carry the number of their format, V. A program reads its own and the
// one before, and leaves what is newer to others.
package jobs
