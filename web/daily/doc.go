// Package daily has the problems that the program ships, and says which of them is the problem of a
// day. Days are those of Japan, and a day has the same problem on every machine.
//
// The weekday says how long the problem is: Monday's is the shortest, Sunday's the longest. The
// problems of a length come in the order of the file problems.tsv, one date after the other from
// First on, and begin again once all of them were there. From this follows what changes when the
// file does:
//
//   - A problem that is appended changes no date before the one on which its length would have begun
//     again, which the test of the dates logs. Until then nothing that anybody saw changes.
//   - From that date on the appended ones come first, and everything after them is later.
//   - A problem that is removed, or put elsewhere than at the end, changes all dates after it.
//
// The problems were made by the commands that the file names. Their output is appended with
//
//	jq -r '[.sfen, .plies, (.moves|join(" ")), (.themes|join(" ")), .certificate] | @tsv'
package daily
