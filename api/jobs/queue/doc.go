// Package queue is the part of durable jobs that clients see, over HTTP or otherwise: it accepts
// jobs, reports their state, and returns their results. It keeps an index of all records in memory,
// which follows the Store, so that reading a state, waiting for it and counting jobs need no disk.
//
//	queue    the Queue: its index, and how it follows the store
//	submit   a stream of lines becomes a job
//	view     the state of a job, its changes, lists of jobs, and how a client ends one
//	results  the answers, in the order of the input
//	keys     the API keys of clients that may have more
//	quota    what a client may have, and what the store may hold
//	stats    how much there is to do, and the workers that do it
//
// A Queue neither coordinates nor works. Any number of processes may have one over the same store.
package queue
