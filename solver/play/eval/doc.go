// Package eval values positions: in centipawns, from the view of the side to move. What it says is
// an opinion.
package eval
