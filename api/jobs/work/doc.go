// Package work carries out jobs. A Coordinator leases a job, dispatches its items a few at a time,
// dispatches again what is lost, and writes how the job ends. A Worker leases items, answers their
// lines and stores the results.
//
//	coordinator  follows the records, the results and the heartbeats of all workers
//	job          one job of a Coordinator: admission, dispatch, end
//	stats        what a Coordinator knows, for operators
//	worker       leases items as far as there are slots, sends heartbeats, drains
//	item         one item of a Worker: attempts, lines, the end of the lease
//	results      the answers of an item, stored in parts
//	line         what a line asks, answered by package answer
//	metrics      of coordinators, workers and stores
//
// Both may end at any moment without harm. Nothing that a Coordinator knows must outlive it: what
// is done is asked of the store. Two coordinators of one job double items, but of the results the
// first is kept, and a record changes only if nobody else has changed it. Whoever gets the item of
// a Worker that is gone continues behind the parts that are stored.
//
// No clocks of two machines are compared: how long ago an item was dispatched is measured by the
// coordinator, and jobs that have ended stay for a day longer than they must.
package work
