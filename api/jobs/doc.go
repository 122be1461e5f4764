// Package jobs has the words of durable jobs: work that does not fit a request, which is one problem for
// minutes to hours, and a collection of up to millions. A job is accepted by one durable write,
// survives the end of every process that works on it, and is never answered twice in different words.
//
//	queue   keeps jobs in SQLite or PostgreSQL, accepts them, reports on them, and hands out turns at
//	        their chunks by River
//	work    answers the lines of a turn
//	client  asks a service for jobs over HTTP
package jobs
