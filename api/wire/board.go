//go:build board

package wire

// notationNames are none: no question of a board names a notation.
func notationNames() []string { return nil }
