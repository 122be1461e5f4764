// Package work carries out jobs. A Coordinator leases a job, dispatches its items a few at a time,
// dispatches again what is lost, and writes how the job ends. A Worker leases items, answers their
// lines and stores the results.
//
//	coordinator  watches the records, the results and the heartbeats of all workers
//	job          one job of a Coordinator: admission, dispatch, end
//	stats        counts of jobs, items and workers, for operators
//	observer     the events that metrics count
//	worker       leases an item for each free slot, or whose item takes long; heartbeats, drains
//	item         one item of a Worker: attempts, lines, the end of the lease
//	results      the answers of an item, stored in parts
//	line         what a line asks, answered by package answer
//	store        calls of the store: acquire, extend, retry
//	metrics      of coordinators, workers and stores
//
// A process of either kind may be killed at any moment. A Coordinator keeps nothing that it cannot
// read from the store again. If two coordinators have the same job, its items are dispatched twice,
// but the store keeps the first result of each, and accepts a change of a record only if the record
// is as the writer read it. If a Worker is gone, another one gets its item and continues behind the
// parts that are stored.
//
// The clocks of two machines are not compared. The coordinator measures by its own how long ago it
// dispatched an item, and jobs that have ended are kept for a day longer than promised, which is
// more than clocks differ.
package work
