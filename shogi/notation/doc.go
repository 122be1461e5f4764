// Package notation reads and writes the files in which people keep shogi problems and games: KIF,
// KI2, BOD, CSA and JKF, beside the SFEN and USI of package shogi. It has no idea that anybody
// solves anything, and does no I/O.
//
//	bytes ──charset──► text ──format──► Record: a position, and a tree of moves from it ──► text in any notation
//
// # Notations
//
//   - KIF (柿木形式): a header, a drawn board, numbered moves with their origins, variations. BOD is its board alone.
//     Instead of a drawn board it may list the pieces by their squares, see piecelist.go.
//   - KI2: the same header and board; moves as books print them, without origins, several to a line.
//   - CSA: one statement a line, in ASCII. It has no variations.
//   - JKF: JSON, with everything KIF has.
//   - SFEN: what shogi.ParsePosition reads, one position with the moves played from it.
//
// # Sources
//
//   - KIF, BOD: Kakinoki Yoshikazu, 棋譜の形式, 2024-08-02, http://kakinoki.o.oo7.jp/kif_format.html
//   - KI2 moves: Japan Shogi Association, 棋譜の表記方法, https://www.shogi.or.jp/faq/kihuhyouki.html
//   - CSA: Computer Shogi Association, CSA標準棋譜ファイル形式 V2.2 and V3.0 (2024-05-14),
//     http://www2.computer-shogi.org/protocol/record_v3.html
//   - JKF: na2hiro, JSON棋譜フォーマット 1.0 with its JSON schema, https://github.com/na2hiro/json-kifu-format
//
// The dialects that are read beyond these are those that programs write and people paste; each is
// named where it is read.
//
// # What is refused
//
// A line that is silently left out gives another problem, and an answer to it. So nothing is left
// out without a Note, and nothing that may be a part of a position is: it is a fault with its line and
// column. All faults of a position are reported at once. Every move must be legal: the first that is
// not, or that cannot be read, ends the record with a Note (Record.Unread), since those after it mean
// nothing. Other records may follow.
//
// # Texts as people have them
//
// Full-width and half-width characters mean the same, and the lines of drawn boxes are those of a
// board. Letters of PDFs are those that people type (letters.go). Solutions may be as books print
// them (solution.go), and positions and moves in English (english.go). What people write around a
// diagram, mail that quotes it, and pages that hold it are left out, with a Note. Addresses (URLs)
// of sites that put the position into them are read as text and never fetched: see address.go.
// Other kinds of files, such as a PDF, are told apart by their first bytes.
//
// A Record's start is a position, and what no position can be (two pawns on a file, nine ranks of
// eight squares) is a fault here as it is in an SFEN.
package notation
