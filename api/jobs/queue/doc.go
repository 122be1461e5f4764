// Package queue keeps durable jobs in a database: SQLite in a directory of one process, or PostgreSQL for
// any number of them. It accepts jobs, reports their state, returns their results, and hands out turns at
// their chunks to be worked on.
//
//	queue     Queue, its transactions, and what its errors mean
//	database  a database that is open; sqlite and postgres are what differs between the two
//	schema    the tables
//	submit    a stream of lines becomes a job
//	view      the state of a job, its changes, lists of jobs, and how a client ends one
//	results   the answers, in the order of the input
//	turn      the work on a chunk: its parts, its end, heartbeats
//	sweep     which chunks are queued next, what is mended, what is forgotten
//	river     the queue proper: River has a row for each chunk that is queued
//	quota     what a client may have; room and disk, what the store may hold
//	stats     how much there is to do, and the workers that do it
//	keys      the API keys of clients that may have more
//	check     reading everything, saving and restoring
//
// # What is true
//
// The table of chunks is the truth. River's table is a queue that may lose a row: a sweep every half
// minute gives a new one to each chunk that is queued and has none. So nothing hangs on how a leader of
// another version, or an operator, treats River's rows.
//
// Accepting a job is one transaction, or, of one that is too large to be kept in memory, the last of
// several: chunks are stored under a job that is receiving, which nobody works on.
//
// # Turns
//
// A row of River names a chunk and the number of the turn at it. Every transaction of a turn begins with
// a statement that changes the chunk only if that turn is its latest. River's own completion guards
// nothing: it changes any row that runs, whoever runs it. So a process that was stopped for longer than
// the rescue takes, and wakes beside the one that has its chunk now, stores nothing.
//
// River gives a row to others that was begun rescueAfter ago. A search may take hours, and to end it
// and write its table each quarter of a minute would take longer than to search. So a process says
// every heartbeatEvery that it still has its rows, by the time in them that River looks at
// (attempted_at).
// That is the one column of River's that we write. In the same transaction it writes how its searches
// go, and hears which jobs have ended.
//
// # Whose turn
//
// River takes rows as they came. Of each client there are no more rows than a window, somewhat more than
// there are slots; the transaction that ends one queues the client's next chunk. So clients have turns
// whatever they sent, River's table stays small, and nobody has to decide. Of a client one chunk of each
// job is queued in turn, of as many jobs as its class says. Of the short rows of a client only the next
// one comes before the others of all clients, so that who comes now waits for one row of each client.
//
// Chunks are queued as short. When a line needs more than a short search its turn ends, and the next one
// is queued as long, of which a worker has other slots. Problems that want a large table have a queue for
// each memory class.
//
// # What the disk may do
//
// Each page of SQLite's file has a checksum (go-sqlite3's checksum VFS), and its log is copied into the
// file after a few pages, so that little lies where a spoilt bit only ends the log. Questions and answers
// are zstd frames with checksums besides, which is what PostgreSQL has without --data-checksums. An answer
// that is damaged is removed and found again, as its question is kept until the job is forgotten.
package queue
