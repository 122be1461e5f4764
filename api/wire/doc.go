// Package wire is the JSON of questions, answers and problems: one definition for HTTP, batches,
// streams of events and the command line. It compiles for browsers, too, so that it imports nothing
// of HTTP.
//
// # Adding a field to requests
//
// A field of RequestLimits is a field of every request. It takes the field with its tags in
// request.go, what it means to a solver in Bounds.Apply and, if it has a largest value, Bounds.Most.
// All decoders have it then, and what is remembered of answers depends on solver.Limits as a whole. A
// test of api/httpapi says where the description of the API lacks it.
//
// # Answers
//
// NewAnswer makes an Answer of what a search found, and NewMovesAnswer and NewAnalyzeAnswer do it for
// the other questions. Whoever prints or stores an answer takes these types, wherever it comes from.
// As JSON an answer is kept as its Fields. An Envelope writes them with what is not the same for
// everybody: the number and the id of the line that was asked, notes, and the time. Nothing else cuts
// or joins the text of answers.
//
// # Decoding
//
// A Decoder walks over the tokens of package jsontext once. On the way it decodes, validates and
// finds every fault: also a field that is unknown, is spelled otherwise, or comes a second time,
// which encoding/json would take for something else.
//
// Of the ways to do that, this is the fastest and the only one in one pass. A request of 77 bytes
// takes 0.7 µs, 1 allocation and 48 bytes of memory. encoding/json took 1.9 µs, 9 allocations and
// 416 bytes, and needed a second pass for the names of fields and a third for faults; its tokens
// take 3.4 µs and 39 allocations. Unmarshal of github.com/go-json-experiment/json takes 1.0 µs and
// 2 allocations, but it stops at the first fault. The same code is in the standard library under
// GOEXPERIMENT=jsonv2, which is not for those to set who import this module; jsontext becomes that
// one where it is set.
//
// What is not JSON is described by what encoding/json finds, in our words.
package wire
