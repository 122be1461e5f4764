// Package queue is what takes jobs in and tells how they go: the part of durable jobs that those
// who ask see, whatever way they ask. It keeps an index of all records in memory, which follows
// the Store, so that looking, waiting and counting read no disk.
//
//	queue    the Queue: its index, and how it follows the store
//	submit   a stream of lines to a job that is accepted
//	look     a job, a change of it, a list of them, and its end by whoever asked
//	results  the answers, in the order of the input
//	quota    what a client may have, and what the store may hold
//	stats    how much there is to do, and who does it
//
// A Queue neither coordinates nor works. Any number of processes may have one over the same store.
package queue
