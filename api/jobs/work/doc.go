// Package work works on jobs: it answers the lines of the chunks that package queue hands out.
//
//	worker   the options of a Worker, its slots, and big problems that have all of it
//	turn     one turn at a chunk: its lines, the parts that are stored, attempts at lines that kill
//	line     what a line asks, answered by package answer
//	metrics  of workers and of the queue
//
// # Turns
//
// A chunk is begun in a short slot. Its lines get a short search each. At the first line that needs
// more, the turn stores what is answered and ends, and another turn goes on with that line in one of
// the long slots, which share the long searches. So no short line waits for a long one. A turn at
// lines of which each is long ends after sliceTime, another one after shortSlice, so that the chunks of
// all clients have turns.
//
// A single long search has one turn, for as long as it takes, and keeps its table: to end it after
// each slice would write and read a checkpoint each time. What keeps the turn is a heartbeat: see
// package queue.
//
// # Attempts
//
// A turn that was begun more often than chunkAttempts is careful: it stores each answer at once, and
// counts the attempts at each line before it begins, but not while the line waits for its long
// search: if the process dies then, another line killed it. A line that ends lineAttempts gets a
// problem in place of its answer.
package work
