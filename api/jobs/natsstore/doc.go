// Package natsstore keeps jobs on NATS JetStream: in a directory of this process, or in a cluster
// of NATS servers. It is the only package that imports NATS; built with the tag nonats it leaves
// the engine out, and says so when a store is opened.
//
// # What is stored where
//
// All names begin with a prefix, here "t".
//
//	stream   subject                       message
//	t-JOBS   t.job.<id>                    the record; nothing but a header if it was removed
//	         t.secret                      the secret
//	         t.attempts.<id>.<chunk>.<line>  how many were counted
//	t-COORD  t.coord.<id>                  the message of a job: that it is there means "accepted"
//	t-IN     t.in.<id>.<chunk>             a chunk of the input
//	t-OUT    t.out.<id>.p.<chunk>.<k>      part k of a chunk's results
//	         t.out.<id>.r.<chunk>          the last piece: the chunk is answered
//	t-ITEMS  t.item.<class>.<id>           an item that waits or is held; in memory if embedded
//	(none)   t.signal.<kind>               signals
//
// Each subject has one message at most, items left out. Everything is written by compare and set:
// with the sequence of the message that it replaces, or with 0 if it must be the first. Of a piece
// the summary is in a header, so that it is read without the text.
//
// Input and results are compressed by the engine where they have one replica, and by the store where
// they have several (codec.go).
//
// An embedded store has the records of accepted jobs a second time, in a file beside the engine: see
// ledger.
//
// Reads go to the leader of a stream, never to a replica that may lag, so what was written is
// found.
//
// notes.md has the settings with their reasons, the known weaknesses of the engine with what is
// done about each, and what the engine costs.
package natsstore
